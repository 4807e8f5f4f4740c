#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/pattern.h"
#include "base/text.h"
#include "manifest/accelerator.h"
#include "manifest/arch_name.h"
#include "manifest/shapes.h"
#include "manifest/words.h"

namespace dsbuild::manifest {
namespace {

using Strings = std::vector<std::string>;

bool holds(const Strings& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// ---- archs -------------------------------------------------------------------------------------

/// Which keys of `archs` belong to which schemes.
struct SchemeKey {
  std::string_view key;
  bool of_names;
  bool of_capability;
  bool of_target;
  bool needed;
};
constexpr std::array<SchemeKey, 5> kSchemeKeys{{{"names", true, false, false, true},
                                                {"prefixes", false, true, true, true},
                                                {"suffixes", false, true, false, false},
                                                {"features", false, false, true, false},
                                                {"bare", false, true, false, false}}};

void check_scheme_keys(const Node& archs, ArchScheme scheme) {
  const std::string name = archs.at("scheme").text();
  for (const SchemeKey& row : kSchemeKeys) {
    const bool belongs = scheme == ArchScheme::names        ? row.of_names
                         : scheme == ArchScheme::capability ? row.of_capability
                                                            : row.of_target;
    const std::string key(row.key);
    if (archs.has(key) && !belongs) archs.at(key).complain(Rule::key_of_other_scheme, {name, key});
    if (!archs.has(key) && belongs && row.needed) {
      archs.complain(Rule::scheme_needs_key, {name, key});
    }
  }
}

void check_archs(const Node& archs, const Accelerator& accelerator) {
  const ArchRules& rules = accelerator.archs;
  check_scheme_keys(archs, rules.scheme);
  const bool names = rules.scheme == ArchScheme::names;
  const Node fallback = archs.at("default");
  const std::string word = names ? "all" : "offered";
  if (fallback.is_text() && fallback.text() != word) {
    fallback.complain(Rule::default_of_other_scheme,
                      {archs.at("scheme").text(), fallback.text(), "\"" + word + "\""});
  }
  for (const Node& item : fallback.items()) check_arch(item, accelerator, {});
  for (const auto& [machine, list] : fallback.members()) {
    for (const Node& item : list.items()) check_arch(item, accelerator, machine);
  }
  for (const auto& [machine, list] : archs.at("names").members()) {
    if (machine != "*") check_shape(list, machine, kMachine);
    if (rules.native_is_host && !holds(list.texts(), "native")) {
      list.complain(Rule::no_native_arch, {machine});
    }
  }
  for (const Node& item : archs.at("settings").items()) check_shape(item, kVariable);
}

void check_devices(const Node& devices, const Accelerator& accelerator) {
  const std::vector<Node> rules = devices.at("pci").items();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::vector<Node> ranges = rules[i].at("devices").items();
    for (std::size_t j = 0; j < ranges.size(); ++j) {
      const PciRange& range = accelerator.pci[i].devices[j];
      if (range.last < range.first) {
        ranges[j].complain(Rule::pci_range_backwards,
                           {ranges[j].at("last").text(), ranges[j].at("first").text()});
      }
      check_arch(ranges[j].at("arch"), accelerator, {});
    }
    if (rules[i].at("only_listed").flag() && ranges.empty()) {
      rules[i].at("only_listed").complain(Rule::only_listed_without_list, {});
    }
  }
}

// ---- probes ------------------------------------------------------------------------------------

void check_absolute(const Node& node, Rule rule) {
  if (node.is_text() && !node.text().starts_with('/')) node.complain(rule, {node.text()});
}

/// Absolute, or after the place of a variable or of Python packages.
void check_toolkit_folder(const Node& node) {
  const std::string text = node.text();
  const auto end = text.find('}');
  const bool placed = text.starts_with('{') && end != std::string::npos &&
                      has_shape(std::string_view(text).substr(1, end - 1), kVariable) &&
                      (end + 1 == text.size() || text[end + 1] == '/');
  if (node.is_text() && !placed && !text.starts_with('/')) {
    node.complain(Rule::toolkit_folder, {text});
  }
}

void check_below(const Node& node) {
  const std::string text = node.text();
  const auto words = split(text, "/");
  if (node.is_text() && (text.starts_with('/') || holds(words, ".."))) {
    node.complain(Rule::path_leaves_toolkit, {text});
  }
}

void check_toolkit(const Node& toolkit) {
  for (const Node& item : toolkit.at("folders").items()) check_toolkit_folder(item);
  for (const Node& version : toolkit.at("version").items()) {
    check_below(version.at("file"));
    for (const Node& regex : version.at("regex").items()) check_regex(regex);
  }
  for (const auto& [placeholder, part] : toolkit.at("parts").members()) {
    check_shape(part, placeholder, kWord);
    for (const Node& item : part.at("in").items()) check_below(item);
    check_below(part.at("file"));
  }
  const Node archs = toolkit.at("archs");
  if (archs.has("part") && !toolkit.at("parts").has(archs.at("part").text()))
    archs.at("part").complain(Rule::unknown_part, {archs.at("part").text()});
}

void check_probe(const Node& probe) {
  constexpr std::array<std::string_view, 3> kOfProber{"kind", "prober", "gives"};
  if (probe.has("prober")) {
    for (const auto& [key, value] : probe.members()) {
      if (std::find(kOfProber.begin(), kOfProber.end(), key) == kOfProber.end()) {
        value.complain(Rule::prober_with_fields, {key});
      }
    }
    if (!probe.has("gives")) probe.complain(Rule::probe_incomplete, {"gives"});
  } else {
    for (const std::string_view key : {"tool", "commands", "version"}) {
      if (!probe.has(key)) probe.complain(Rule::probe_incomplete, {std::string(key)});
    }
  }
  check_shape(probe.at("kind"), kKind);
  check_shape(probe.at("tool"), kWord);
  for (const Node& item : probe.at("gives").items()) check_shape(item, kWord);
  for (const Node& item : probe.at("commands").items()) check_shape(item, kCommand);
  for (const Node& item : probe.at("env").items()) check_shape(item, kVariable);
  for (const Node& item : probe.at("folders").items()) {
    check_absolute(item, Rule::folder_not_absolute);
  }
  for (const auto& [placeholder, file] : probe.at("beside").members()) {
    check_shape(file, placeholder, kWord);
    check_shape(file, kFileName);
  }
  check_regex(probe.at("version").at("regex"));
  check_regex(probe.at("archs").at("regex"));
  check_toolkit(probe.at("toolkit"));
}

// ---- detection ---------------------------------------------------------------------------------

void check_detect(const Node& rule) {
  Strings keys;
  Strings known;
  for (const DetectKey& row : kDetectKeys) {
    const std::string key(row.key);
    const std::string extra(row.extra);
    known.push_back("'" + key + "'");
    if (rule.has(key)) keys.push_back("'" + key + "'");
    if (!rule.has(key) && rule.has(extra)) {
      rule.at(extra).complain(Rule::detect_key, {extra, key});
    }
  }
  if (keys.size() != 1) {
    rule.complain(Rule::detect_kind,
                  {keys.empty() ? "none" : join(keys, " and "), "one of " + join(known, ", ")});
  }
  check_absolute(rule.at("file"), Rule::file_not_absolute);
  check_regex(rule.at("regex"));
  check_shape(rule.at("tool"), kCommand);
  check_shape(rule.at("library"), kFileName);
  check_shape(rule.at("python"), kSymbol);
  for (const Node& item : rule.at("folders").items()) {
    check_absolute(item, Rule::folder_not_absolute);
  }
}

void check_runtime(const Node& runtime) {
  for (const char* key : {"torch", "communication", "dtypes"}) {
    for (const Node& item : runtime.at(key).items()) check_shape(item, kWord);
  }
  check_shape(runtime.at("visible_devices"), kVariable);
  for (const Node& item : runtime.at("exports").items()) check_shape(item, kVariable);
}

/// What an accelerator needs that something is compiled for.
void check_buildable(const Node& root) {
  if (root.has("unbuilt")) {
    // Extensions alone may be made for it: how, torch says.
    const auto recipes = root.at("toolchains").items();
    const bool more = std::any_of(recipes.begin(), recipes.end(), [](const Node& recipe) {
      return recipe.has("images") || recipe.has("object");
    });
    if (more) root.at("unbuilt").complain(Rule::unbuilt_with_toolchains, {});
    if (!root.has("toolchains")) return;
  }
  for (const char* key : {"archs", "sources", "flags", "image", "toolchains"}) {
    if (!root.has(key)) root.complain(Rule::buildable_needs, {key});
  }
}

void check_forms(const Node& root, const Accelerator& accelerator) {
  for (const std::string key : {"image", "portable"}) {
    const Node form = root.at(key);
    if (!form.is_text() || !root.has("toolchains")) continue;
    const auto makes = [&, &key = key](const ToolchainRecipe& recipe) {
      return recipe.images.contains(form.text()) || (key == "image" && recipe.extension);
    };
    if (std::none_of(accelerator.toolchains.begin(), accelerator.toolchains.end(), makes)) {
      form.complain(Rule::form_not_made, {form.text(), "add it to \"images\" of a toolchain"});
    }
  }
  const auto serves_host = [](const ToolchainRecipe& recipe) {
    return recipe.object && recipe.link;
  };
  if (accelerator.host &&
      std::none_of(accelerator.toolchains.begin(), accelerator.toolchains.end(), serves_host)) {
    root.at("toolchains").complain(Rule::host_without_recipe, {});
  }
}

void check_canary(const Node& canary, const Accelerator& accelerator) {
  check_shape(canary.at("name"), kFileName);
  check_shape(canary.at("kernel"), kSymbol);
  const std::string name = canary.at("name").text();
  const auto ends = [&](const std::string& suffix) { return name.ends_with(suffix); };
  if (!name.empty() &&
      std::none_of(accelerator.suffixes.begin(), accelerator.suffixes.end(), ends)) {
    canary.at("name").complain(Rule::canary_suffix, {name, join(accelerator.suffixes, " or ")});
  }
}

}  // namespace

void check_regex(const Node& node, bool with_group) {
  if (!node.is_text()) return;
  try {
    const bool has_group = Pattern(node.text()).has_group();
    if (with_group && !has_group) node.complain(Rule::regex_without_group, {node.text()});
  } catch (const std::invalid_argument& error) {
    node.complain(Rule::bad_regex, {node.text(), error.what()});
  }
}

void check_accelerator(const Node& root, const Accelerator& accelerator,
                       const std::vector<ToolchainProbe>& probes) {
  check_shape(root.at("name"), kWord);
  for (const Node& item : root.at("aliases").items()) check_shape(item, kWord);
  if (root.has("archs")) check_archs(root.at("archs"), accelerator);
  check_devices(root.at("devices"), accelerator);
  for (const Node& rule : root.at("detect").items()) check_detect(rule);
  check_runtime(root.at("runtime"));
  check_absolute(root.at("driver").at("file"), Rule::file_not_absolute);
  check_regex(root.at("driver").at("regex"));
  check_buildable(root);
  for (const Node& item : root.at("sources").items()) check_shape(item, kSuffix);
  check_shape(root.at("flags"), kWord);
  check_shape(root.at("image"), kForm);
  check_shape(root.at("portable"), kForm);
  check_canary(root.at("canary"), accelerator);
  for (const Node& probe : root.at("probes").items()) check_probe(probe);
  const std::vector<Node> recipes = root.at("toolchains").items();
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    check_recipe(recipes[i], accelerator.toolchains[i], accelerator, probes);
  }
  check_forms(root, accelerator);
}

}  // namespace dsbuild::manifest
