#include "bundle/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/version.h"
#include "manifest/arch_name.h"
#include "plan/arch_list.h"

namespace dsbuild::bundle {
namespace {

using manifest::Accelerator;
using manifest::ArchName;

struct Image {
  const BundleFile* file;
  ArchName arch;
  bool portable;
};

/// The images of an op for an accelerator, the best first: the device's own form before the
/// portable one, later archs before earlier ones.
std::vector<Image> images_of(const BundleIndex& index, const std::string& op,
                             const Accelerator& accelerator) {
  std::vector<Image> images;
  for (const BundleFile& file : index.files) {
    if (file.op != op || file.accelerator != accelerator.name) continue;
    const auto add = [&](const std::string& name, bool portable) {
      if (auto arch = manifest::parse_arch_name(accelerator, name, ""))
        images.push_back({&file, *std::move(arch), portable});
    };
    if (!file.arch.empty()) add(file.arch, file.form == accelerator.portable_form);
    for (const std::string& name : file.archs) {  // of a fat library: "sm_90", "sm_90+ptx"
      const auto plus = name.find('+');
      add(name.substr(0, plus), plus != std::string::npos);
    }
    // A module for the host is code of one level.
    const auto level = file.needs.find("cpu");
    if (accelerator.host && file.form == plan::kExtensionForm && level != file.needs.end())
      add(level->second, false);
  }
  std::stable_sort(images.begin(), images.end(), [](const Image& a, const Image& b) {
    if (a.portable != b.portable) return b.portable;
    return manifest::arch_less(b.arch, a.arch);
  });
  return images;
}

std::string names_of(const Accelerator& accelerator, const std::vector<Image>& images) {
  std::vector<std::string> names;
  for (auto image = images.rbegin(); image != images.rend(); ++image) {
    names.push_back(image->arch.name + (image->portable ? "+" + accelerator.portable_form : ""));
  }
  return join(names, " ");
}

/// Whether the op has anything to do with the accelerator: images, or kernels in the catalog.
bool concerns(const BundleIndex& index, const manifest::Catalog& catalog, const std::string& op,
              const Accelerator& accelerator) {
  if (!images_of(index, op, accelerator).empty()) return true;
  const auto known = catalog.ops.find(op);
  if (known == catalog.ops.end()) return false;
  const auto& kernels = known->second.kernels;
  return std::any_of(kernels.begin(), kernels.end(), [&](const manifest::KernelSet& set) {
    return set.on.contains(accelerator.name);
  });
}

/// Why the bundle has no images of the op for the accelerator, as its own record says.
std::string gap_text(const BundleIndex& index, const std::string& op,
                     const std::string& accelerator) {
  for (const BundleGap& gap : index.gaps) {
    if (gap.op == op && gap.accelerator == accelerator) return gap.text;
  }
  return "the bundle was made without " + accelerator;
}

/// "glibc 2.36" keeps ">=2.34"; nothing is said of a libc that isn't known.
std::optional<std::string> libc_problem(const BundleIndex& index, const manifest::Catalog& catalog,
                                        const std::string& op, const probe::Machine& machine) {
  for (const BundleFile& file : index.files) {
    const auto needed = file.needs.find("glibc");
    const bool host_library =
        file.op == op || (catalog.runtime && file.op == catalog.runtime->name);
    if (!host_library || needed == file.needs.end()) continue;
    const auto range = VersionRange::parse(needed->second);
    const std::string libc = machine.host.libc.value.value_or("");
    const auto words = split(libc, " ");
    if (!range || words.size() != 2) continue;
    const auto version = Version::parse(words[1]);
    if (words[0] != "glibc") return fmt::format("{} needs glibc, there is {}", file.path, libc);
    if (version && !range->contains(*version))
      return fmt::format("{} needs glibc {}, there is {}", file.path, needed->second, words[1]);
  }
  return std::nullopt;
}

std::string other_needs(const BundleFile& file) {
  std::vector<std::string> needs;
  for (const auto& [name, value] : file.needs) {
    if (name != "cpu" && name != "glibc") needs.push_back(name + " " + value);
  }
  return join(needs, ", ");
}

/// What the driver runs, where the machine tells it and the image needs one.
std::optional<std::string> driver_problem(const BundleFile& file, const std::string& accelerator,
                                          const probe::Machine& machine) {
  const auto needed = file.needs.find("driver");
  const auto range =
      needed == file.needs.end() ? std::nullopt : VersionRange::parse(needed->second);
  for (const probe::AcceleratorState& state : machine.accelerators.list) {
    if (state.name != accelerator || !state.driver_level || !range) continue;
    if (range->contains(*state.driver_level)) return std::nullopt;
    return fmt::format("{} needs a driver that runs {}, and {} runs {} and older", file.path,
                       needed->second, state.driver ? state.driver->text : "this one",
                       state.driver_level->number());
  }
  return std::nullopt;
}

/// What was made for the CPU of one host runs on those that have all that it has, whatever their
/// level.
std::optional<std::string> native_problem(const BundleIndex& index, const BundleFile& file,
                                          const probe::Machine& machine) {
  const auto& features = machine.cpu.features;
  if (!features) {
    return fmt::format(
        "{} is for the CPU that it was built on, and what this one has is not known: {}", file.path,
        features.reason);
  }
  std::vector<std::string> lacks;
  for (const std::string& feature : index.host_features) {
    if (std::find(features->begin(), features->end(), feature) == features->end())
      lacks.push_back(feature);
  }
  if (lacks.empty()) return std::nullopt;
  return fmt::format("{} needs {}, which this CPU lacks", file.path, join(lacks, ", "));
}

Match match_device(const BundleIndex& index, const manifest::Catalog& catalog,
                   const std::string& op, const Accelerator& accelerator,
                   const Fact<std::string>& device, const probe::Machine& machine) {
  Match match{op, accelerator.name, device.value.value_or(""), {}, {}, {}, false};
  const auto arch = manifest::parse_arch_name(accelerator, match.device, "");
  const auto images = images_of(index, op, accelerator);
  if (!arch) {
    match.reason = device ? *device + " is no arch of " + accelerator.name
                          : "the arch is not known: " + device.reason;
  } else if (images.empty()) {
    match.reason = gap_text(index, op, accelerator.name);
  } else if (auto problem = libc_problem(index, catalog, op, machine)) {
    match.reason = *problem;
  } else {
    for (const Image& image : images) {
      const bool native = accelerator.archs.native_is_host && image.arch.name == plan::kNativeArch;
      if (!native && !manifest::arch_runs_on(accelerator, image.arch, image.portable, *arch))
        continue;
      auto refused = native ? native_problem(index, *image.file, machine)
                            : driver_problem(*image.file, accelerator.name, machine);
      if (refused) {
        match.driver_too_old = !native;
        if (match.reason.empty()) match.reason = *std::move(refused);
        continue;
      }
      match.reason.clear();
      match.driver_too_old = false;
      match.image = image.file->path;
      match.needs = other_needs(*image.file);
      return match;
    }
    if (match.reason.empty())
      match.reason = "none of its images runs on it: " + names_of(accelerator, images);
  }
  return match;
}

}  // namespace

std::vector<Match> match_bundle(const BundleIndex& index, const manifest::Catalog& catalog,
                                const probe::Machine& machine) {
  std::set<std::string> ops;
  for (const BundleFile& file : index.files) {
    const bool is_code = !file.arch.empty() || file.form == plan::kExtensionForm;
    if (is_code || catalog.ops.contains(file.op)) ops.insert(file.op);
  }
  std::vector<Match> matches;
  for (const std::string& op : ops) {
    const Accelerator& host = catalog.host();
    if (concerns(index, catalog, op, host))
      matches.push_back(match_device(index, catalog, op, host, machine.cpu.level, machine));
    std::set<std::pair<std::string, std::string>> seen;
    for (const probe::Device& device : machine.devices) {
      const Accelerator* accelerator = catalog.find_accelerator(device.accelerator);
      const bool counts =
          accelerator != nullptr && concerns(index, catalog, op, *accelerator) &&
          seen.emplace(device.accelerator, device.arch.value.value_or(device.id)).second;
      if (counts)
        matches.push_back(match_device(index, catalog, op, *accelerator, device.arch, machine));
    }
  }
  return matches;
}

}  // namespace dsbuild::bundle
