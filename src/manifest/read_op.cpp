#include <algorithm>
#include <set>

#include "base/text.h"
#include "manifest/arch_name.h"
#include "manifest/flags.h"
#include "manifest/op_parts.h"
#include "manifest/words.h"

namespace dsbuild::manifest {
namespace {

using Accelerators = std::map<std::string, Accelerator>;

std::vector<std::string> names_of(const Accelerators& accelerators) {
  std::vector<std::string> names;
  for (const auto& [name, accelerator] : accelerators) names.push_back(name);
  return names;
}

// ---- needs -------------------------------------------------------------------------------------

/// Keys of `needs` that the schema names; any other is an accelerator.
const std::vector<std::string>& need_keys() {
  static const std::vector<std::string> keys{"commands",        "folders", "headers",  "libraries",
                                             "machine",         "openmp",  "packages", "python",
                                             "python_packages", "torch"};
  return keys;
}

constexpr const char* kRangeExample = "write for example \">=12.3\"";

std::optional<VersionRange> read_one_range(const Node& node, const std::string& key) {
  std::map<std::string, VersionRange> ranges;
  if (node.has(key)) read_range(node.at(key), key, ranges);
  const auto found = ranges.find(key);
  return found == ranges.end() ? std::nullopt : std::optional(found->second);
}

void read_folders(const Node& list, const OpContext& context, Needs& needs) {
  for (const Node& item : list.items()) {
    if (!item.is_text()) continue;
    std::vector<std::string> known;
    if (context.tree != nullptr) {
      for (const auto& [name, rule] : context.tree->folders) known.push_back(name);
    }
    if (std::find(known.begin(), known.end(), item.text()) == known.end())
      item.complain(Rule::unknown_folder, {item.text(), did_you_mean(item.text(), known)});
    needs.folders.push_back(item.text());
  }
}

std::map<std::string, std::string> read_defines(const Node& node) {
  std::map<std::string, std::string> defines;
  for (const auto& [name, value] : node.members()) {
    check_shape(value, name, kMacro);
    const std::string text = value.text();
    const auto odd = text.find_first_of("$`");
    if (odd != std::string::npos) value.complain(Rule::bad_define, {text, text.substr(odd, 1)});
    defines.emplace(name, text);
  }
  return defines;
}

std::map<std::string, std::vector<std::string>> read_flags(const Node& node,
                                                           const Accelerators& accelerators) {
  std::set<std::string> tools{"link"};
  for (const auto& [name, accelerator] : accelerators) tools.insert(accelerator.flags);
  std::map<std::string, std::vector<std::string>> flags;
  for (const auto& [tool, list] : node.members()) {
    if (!tools.contains(tool)) {
      list.complain(Rule::unknown_tool, {tool, did_you_mean(tool, {tools.begin(), tools.end()})});
    }
    check_flags(list);
    flags.emplace(tool, list.texts());
  }
  return flags;
}

// ---- kernels -----------------------------------------------------------------------------------

/// The canonical name of a listed arch; the portable form is no arch, so it is not taken here.
std::optional<ArchName> read_listed(const Node& node, const std::string& text,
                                    const Accelerator& accelerator) {
  auto arch = parse_arch_name(accelerator, text, {});
  if (arch && !arch->portable) return arch;
  node.complain(Rule::not_an_arch, {text, accelerator.name, example_arch(accelerator)});
  return std::nullopt;
}

ArchFilter read_filter(const Node& node, const Accelerator& accelerator) {
  ArchFilter filter;
  if (node.is_list()) {
    filter.kind = ArchFilter::Kind::list;
    for (const Node& item : node.items()) {
      if (!item.is_text()) continue;
      if (const auto arch = read_listed(item, item.text(), accelerator)) {
        filter.archs.push_back(arch->name);
      }
    }
    return filter;
  }
  const std::string text(trim(node.text()));
  if (text == "*" || !node.is_text()) return filter;
  filter.kind = ArchFilter::Kind::at_least;
  if (!text.starts_with(">=")) {
    node.complain(Rule::bad_filter, {text, accelerator.name, example_arch(accelerator)});
    return filter;
  }
  const auto arch = read_listed(node, std::string(trim(text.substr(2))), accelerator);
  if (!arch) return filter;
  if (!arch->suffix.empty()) {
    node.complain(Rule::bound_with_suffix, {text, example_arch(accelerator)});
  }
  filter.archs.push_back(arch->name);
  return filter;
}

}  // namespace

std::vector<std::string> read_words(const Node& list, const Shape& shape) {
  for (const Node& item : list.items()) check_shape(item, shape);
  return list.texts();
}

bool takes_source(const Accelerator& accelerator, const std::string& source) {
  if (accelerator.suffixes.empty()) return true;
  return std::any_of(accelerator.suffixes.begin(), accelerator.suffixes.end(),
                     [&](const std::string& suffix) { return source.ends_with(suffix); });
}

Needs read_needs(const Node& node, const OpContext& context) {
  const Accelerators& accelerators = context.accelerators;
  Needs needs;
  for (const auto& [key, value] : node.members()) {
    if (std::binary_search(need_keys().begin(), need_keys().end(), key)) continue;
    if (accelerators.contains(key)) {
      // The schema can't tell an accelerator from a misspelt need, so it leaves the type to us.
      if (!value.is_text()) value.complain(Rule::bad_range, {value.text(), kRangeExample});
      read_range(value, key, needs.toolchains);
      continue;
    }
    std::vector<std::string> known = need_keys();
    for (const std::string& name : names_of(accelerators)) known.push_back(name);
    value.complain(Rule::unknown_need, {key, did_you_mean(key, known)});
  }
  needs.headers = read_words(node.at("headers"), kHeader);
  needs.commands = read_words(node.at("commands"), kCommand);
  needs.machines = read_words(node.at("machine"), kMachine);
  needs.openmp = node.at("openmp").flag();
  for (const Node& library : node.at("libraries").items()) {
    check_shape(library.at("name"), kLibrary);
    check_shape(library.at("symbol"), kSymbol);
    needs.libraries.push_back({library.at("name").text(), library.at("symbol").text()});
  }
  for (const auto& [package, range] : node.at("packages").members()) {
    check_shape(range, package, kPackage);
    read_range(range, package, needs.packages);
  }
  for (const auto& [package, range] : node.at("python_packages").members()) {
    check_shape(range, package, kPackage);
    read_range(range, package, needs.python_packages);
  }
  needs.torch = read_one_range(node, "torch");
  needs.python = read_one_range(node, "python");
  read_folders(node.at("folders"), context, needs);
  return needs;
}

CompileOptions read_options(const Node& node, const OpContext& context) {
  CompileOptions options;
  options.include = read_paths(node.at("include"), context.folder, FileStatus::Kind::folder);
  options.defines = read_defines(node.at("defines"));
  options.flags = read_flags(node.at("flags"), context.accelerators);
  return options;
}

std::map<std::string, ArchFilter> read_on(const Node& node, const Accelerators& accelerators) {
  std::map<std::string, ArchFilter> on;
  for (const auto& [name, condition] : node.members()) {
    const auto found = accelerators.find(name);
    if (found == accelerators.end()) {
      condition.complain(Rule::unknown_accelerator,
                         {name, did_you_mean(name, names_of(accelerators))});
    } else {
      on.emplace(name, read_filter(condition, found->second));
    }
  }
  return on;
}

namespace {

KernelSet read_kernel_set(const Node& node, const OpContext& context) {
  KernelSet set;
  set.name = node.at("name").text();
  check_shape(node.at("name"), kWord);
  set.sources = read_paths(node.at("sources"), context.folder, FileStatus::Kind::file);
  set.on = read_on(node.at("on"), context.accelerators);
  for (const auto& [macro, values] : node.at("instances").members()) {
    check_shape(values, macro, kMacro);
    for (const Node& value : values.items()) {
      if (!value.text().empty() || value.is_text()) {
        check_shape(value, value.text(), kInstanceValue);
      }
      set.instances[macro].push_back(value.text());
    }
  }
  set.exports = read_words(node.at("exports"), kSymbol);
  set.freestanding = node.at("freestanding").flag(true);
  set.options = read_options(node, context);
  set.needs = read_needs(node.at("needs"), context);
  return set;
}

}  // namespace

Op read_op(const Node& root, const OpContext& context) {
  Op op;
  op.name = root.at("name").text();
  check_shape(root.at("name"), kWord);
  for (const OpKind kind : {OpKind::shared_library, OpKind::python_extension}) {
    if (root.at("kind").text() == kind_name(kind)) op.kind = kind;
  }
  op.summary = root.at("summary").text();
  op.file = root.file();
  op.folder = context.folder.path;
  op.root = context.root;
  const Node host = root.at("host");
  op.host_sources = read_paths(host.at("sources"), context.folder, FileStatus::Kind::file);
  op.host_options = read_options(host, context);
  for (const Node& kernels : root.at("kernels").items()) {
    op.kernels.push_back(read_kernel_set(kernels, context));
  }
  op.options = read_options(root, context);
  op.libraries = read_words(root.at("libraries"), kLibrary);
  op.exports = read_words(root.at("exports"), kSymbol);
  op.needs = read_needs(root.at("needs"), context);
  if (op.kind == OpKind::python_extension) read_extension(root, context, op);
  return op;
}

}  // namespace dsbuild::manifest
