#include "bundle/extension_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "bundle/consumer.h"
#include "manifest/arch_name.h"
#include "plan/arch_list.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

std::string need_of(const BundleFile& file, const std::string& name) {
  const auto need = file.needs.find(name);
  return need == file.needs.end() ? "" : need->second;
}

class Choosing {
 public:
  Choosing(const manifest::Catalog& catalog, const ExtensionHost& host)
      : host_accelerator_(catalog.host()), host_(host) {}

  bool cpu_runs(const BundleFile& file) const {
    const std::string level = need_of(file, "cpu");
    if (level == plan::kNativeArch) return true;  // whoever built it so means this host
    const auto image = manifest::parse_arch_name(host_accelerator_, level, "");
    const auto device = manifest::parse_arch_name(host_accelerator_, host_.level, "");
    return !image || !device || manifest::arch_runs_on(host_accelerator_, *image, false, *device);
  }

  /// Of two files of one op, whether the first is for the higher level.
  bool better(const BundleFile& a, const BundleFile& b) const {
    const auto first = manifest::parse_arch_name(host_accelerator_, need_of(a, "cpu"), "");
    const auto second = manifest::parse_arch_name(host_accelerator_, need_of(b, "cpu"), "");
    return first && second && manifest::arch_less(*second, *first);
  }

  /// What speaks against it here, the first of all; empty: nothing.
  std::string problem_of(const Extension& extension) const {
    for (const auto find : {&Choosing::torch_problem, &Choosing::python_problem,
                            &Choosing::package_problem, &Choosing::toolkit_problem}) {
      std::string problem = (this->*find)(extension);
      if (!problem.empty()) return problem;
    }
    if (cpu_runs(extension.file)) return {};
    return fmt::format("needs a CPU of {}, and this one is {}", need_of(extension.file, "cpu"),
                       host_.level);
  }

 private:
  std::string torch_problem(const Extension& extension) const {
    const std::string torch = need_of(extension.file, "torch");
    if (host_.torch.version && !takes(torch, *host_.torch.version))
      return fmt::format("needs torch {}, and there is {}", torch, host_.torch.version->text);
    const std::string abi = need_of(extension.file, "cxx11_abi");
    const Fact<std::string>& own = host_.torch.cxx11_abi;
    if (abi.empty() || !own || *own == abi) return {};
    return fmt::format("is for a torch with _GLIBCXX_USE_CXX11_ABI={}, and this one has {}", abi,
                       *own);
  }

  std::string python_problem(const Extension& extension) const {
    const std::string python = need_of(extension.file, "python");
    const bool known_suffix = std::find(host_.suffixes.begin(), host_.suffixes.end(),
                                        extension.suffix) != host_.suffixes.end();
    if (takes(python, host_.python) && known_suffix) return {};
    return fmt::format("is for Python {} ({}), and there is {}", python, extension.suffix,
                       host_.python.number());
  }

  std::string package_problem(const Extension& extension) const {
    const std::string package = need_of(extension.file, host_.package);
    const auto& there = host_.package_version;
    if (!there || package.empty() || takes(package, *there)) return {};
    return fmt::format("was built from {} {}, and there is {}", host_.package,
                       package.substr(package.find_first_not_of("=")), there->text);
  }

  std::string toolkit_problem(const Extension& extension) const {
    const auto need = find_toolkit_need(extension.file);
    if (!need) return {};
    const Fact<Version>& built_with = host_.torch.*need->backend->version;
    if (built_with && built_with->major_part() == need->release) return {};
    return fmt::format("needs {} {}, and torch has {}", need->backend->title, need->release,
                       built_with ? built_with->number() : "none");
  }

  const manifest::Accelerator& host_accelerator_;
  const ExtensionHost& host_;
};

}  // namespace

std::vector<Extension> find_extensions(const BundleIndex& index) {
  std::vector<Extension> extensions;
  for (const BundleFile& file : index.files) {
    const std::string prefix = "extensions/" + file.accelerator + "/";
    if (file.form != plan::kExtensionForm || !file.path.starts_with(prefix)) continue;
    const fs::path below = file.path.substr(prefix.size());
    const std::string name = below.filename().string();
    const auto dot = std::min(name.find('.'), name.size());
    Extension extension{file, {}, {}, name.substr(dot), split(need_of(file, "after"), " ")};
    const std::string variant = "." + file.variant;
    if (!file.variant.empty() && extension.suffix.starts_with(variant))
      extension.suffix.erase(0, variant.size());
    const std::string module = (below.parent_path() / name.substr(0, dot)).string();
    extension.module = replace_all(module, "/", ".");
    extension.place = module + extension.suffix;
    extensions.push_back(std::move(extension));
  }
  return extensions;
}

ExtensionChoice choose_extensions(const BundleIndex& index, const manifest::Catalog& catalog,
                                  const ExtensionHost& host, const std::string& accelerator,
                                  const std::vector<std::string>& ops) {
  const Choosing choosing(catalog, host);
  std::map<std::string, Extension> best;
  for (const Extension& extension : find_extensions(index)) {
    if (extension.file.accelerator != accelerator) continue;
    const auto [known, is_new] = best.emplace(extension.file.op, extension);
    if (is_new) continue;
    const bool known_runs = choosing.cpu_runs(known->second.file);
    const bool this_runs = choosing.cpu_runs(extension.file);
    if (this_runs != known_runs ? this_runs
                                : choosing.better(extension.file, known->second.file) == this_runs)
      known->second = extension;
  }
  ExtensionChoice choice;
  std::vector<std::string> open(ops);
  if (ops.empty()) {
    for (const auto& [op, extension] : best) open.push_back(op);
  }
  std::set<std::string> wanted;
  while (!open.empty()) {
    const std::string op = open.back();
    open.pop_back();
    if (!wanted.insert(op).second) continue;
    const auto found = best.find(op);
    if (found == best.end()) {
      choice.problems.push_back(
          fmt::format("{}: the bundle has no module of it for {}", op, accelerator));
      continue;
    }
    for (const std::string& before : found->second.after) {
      if (!best.contains(before)) {
        choice.problems.push_back(fmt::format(
            "{}: needs {} beside it, which the bundle lacks for {}", op, before, accelerator));
      } else {
        open.push_back(before);
      }
    }
  }
  for (const std::string& op : wanted) {
    const auto found = best.find(op);
    if (found == best.end()) continue;
    const std::string problem = choosing.problem_of(found->second);
    if (!problem.empty()) choice.problems.push_back(op + ": " + problem);
    choice.extensions.push_back(found->second);
  }
  std::sort(choice.problems.begin(), choice.problems.end());
  return choice;
}

std::vector<std::string> extension_accelerators(const BundleIndex& index) {
  std::set<std::string> names;
  for (const Extension& extension : find_extensions(index))
    names.insert(extension.file.accelerator);
  return {names.begin(), names.end()};
}

}  // namespace dsbuild::bundle
