#include "bundle/extension_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "manifest/arch_name.h"
#include "plan/arch_list.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

std::string need_of(const BundleFile& file, const std::string& name) {
  const auto need = file.needs.find(name);
  return need == file.needs.end() ? "" : need->second;
}

/// "==3.11" takes 3.11.7, "==2.15" takes 2.15.1: a release is its first two numbers.
bool takes(const std::string& need, const Version& version) {
  const auto range = VersionRange::parse(need);
  Version release = version;
  if (release.parts.size() > 2) release.parts.resize(2);
  return !range || range->contains(release) || range->contains(version);
}

/// CUDA's runtime says its major release in its name: "libcudart.so.13".
std::optional<int> cuda_major(const BundleFile& file) {
  constexpr std::string_view kRuntime = "libcudart.so.";
  for (const std::string& name : split(need_of(file, "libraries"), " ")) {
    if (!name.starts_with(kRuntime)) continue;
    if (const auto version = Version::parse(std::string_view(name).substr(kRuntime.size())))
      return version->major_part();
  }
  return std::nullopt;
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

  std::string problem_of(const Extension& extension) const {
    const BundleFile& file = extension.file;
    const std::string torch = need_of(file, "torch");
    if (host_.torch && !takes(torch, *host_.torch))
      return fmt::format("needs torch {}, and there is {}", torch, host_.torch->text);
    const std::string python = need_of(file, "python");
    const bool known_suffix = std::find(host_.suffixes.begin(), host_.suffixes.end(),
                                        extension.suffix) != host_.suffixes.end();
    if (!takes(python, host_.python) || !known_suffix) {
      return fmt::format("is for Python {} ({}), and there is {}", python, extension.suffix,
                         host_.python.number());
    }
    const std::string package = need_of(file, host_.package);
    if (host_.package_version && !package.empty() && !takes(package, *host_.package_version)) {
      return fmt::format("was built from {} {}, and there is {}", host_.package,
                         package.substr(package.find_first_not_of("=")),
                         host_.package_version->text);
    }
    const auto major = cuda_major(file);
    if (major && !host_.cuda) return fmt::format("needs CUDA {}, and torch has none", *major);
    if (major && host_.cuda->major_part() != *major)
      return fmt::format("needs CUDA {}, and torch has {}", *major, host_.cuda->number());
    if (!cpu_runs(file)) {
      return fmt::format("needs a CPU of {}, and this one is {}", need_of(file, "cpu"),
                         host_.level);
    }
    return {};
  }

 private:
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
