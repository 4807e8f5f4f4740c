#include "plan/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::ArchName;
using manifest::ArchScheme;

constexpr const char* kDefault = "default";

std::vector<ArchName> parse_names(const Accelerator& accelerator,
                                  const std::vector<std::string>& names,
                                  const std::string& machine) {
  std::vector<ArchName> archs;
  for (const std::string& name : names) {
    if (auto arch = manifest::parse_arch_name(accelerator, name, machine))
      archs.push_back(std::move(*arch));
  }
  return archs;
}

/// Every arch without a suffix that the toolchain has.
std::vector<ArchName> offered_archs(const Accelerator& accelerator,
                                    const probe::Toolchain& toolchain, const std::string& machine) {
  if (accelerator.archs.scheme == ArchScheme::names) return named_archs(accelerator, machine);
  std::vector<ArchName> archs = parse_names(
      accelerator, toolchain.all_archs ? accelerator.archs.defaults : toolchain.archs, machine);
  if (accelerator.archs.scheme == ArchScheme::capability) {
    std::erase_if(archs, [](const ArchName& arch) { return !arch.suffix.empty(); });
  }
  std::sort(archs.begin(), archs.end(), manifest::arch_less);
  return archs;
}

std::vector<ArchName> default_archs(const Accelerator& accelerator,
                                    const probe::Toolchain& toolchain, const std::string& machine) {
  const manifest::ArchRules& rules = accelerator.archs;
  if (rules.default_offered) return offered_archs(accelerator, toolchain, machine);
  std::vector<ArchName> archs = parse_names(accelerator, rules.defaults, machine);
  return archs.empty() ? named_archs(accelerator, machine) : archs;
}

/// nvcc's all-major: the oldest arch, and the first of each later major.
/// https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/#gpu-architecture-arch
std::vector<ArchName> major_archs(std::vector<ArchName> archs) {
  int last = 0;
  std::erase_if(archs, [&last](const ArchName& arch) {
    const bool again = arch.number.front() == last;
    last = arch.number.front();
    return again;
  });
  return archs;
}

/// The one that gets the portable form when no one says which: code for a suffixed arch runs on no
/// later device, so the newest without a suffix.
std::optional<ArchName> newest_plain(std::vector<ArchName> archs) {
  std::erase_if(archs, [](const ArchName& arch) { return !arch.suffix.empty(); });
  if (archs.empty()) return std::nullopt;
  return *std::max_element(archs.begin(), archs.end(), manifest::arch_less);
}

/// Collects targets, each arch and form once.
class TargetList {
 public:
  explicit TargetList(const Accelerator& accelerator) : accelerator_(accelerator) {}

  void add(const ArchName& arch, const std::string& form, bool named) {
    const auto same = std::find_if(list_.begin(), list_.end(), [&](const Target& target) {
      return target.arch.name == arch.name && target.form == form;
    });
    if (same != list_.end()) {
      same->named = same->named || named;
    } else {
      list_.push_back({arch, form, named, std::nullopt});
    }
  }
  void add_image(const ArchName& arch, bool named) { add(arch, accelerator_.image_form, named); }
  void add_portable(const ArchName& arch, bool named) {
    if (!accelerator_.portable_form.empty()) add(arch, accelerator_.portable_form, named);
  }
  void add_impossible(Reason reason) {
    ArchName arch;
    arch.name = kNativeArch;
    list_.push_back({std::move(arch), accelerator_.image_form, true, std::move(reason)});
  }

  std::vector<Target> take() {
    std::stable_sort(list_.begin(), list_.end(), [&](const Target& a, const Target& b) {
      if (manifest::arch_less(a.arch, b.arch)) return true;
      if (manifest::arch_less(b.arch, a.arch)) return false;
      return a.form == accelerator_.image_form && b.form != accelerator_.image_form;
    });
    return std::move(list_);
  }

 private:
  const Accelerator& accelerator_;
  std::vector<Target> list_;
};

/// What "native" means on this machine.
struct NativeArchs {
  std::vector<ArchName> archs;  ///< of all devices, each once, in order
  std::string missing;          ///< why there are none, or of which devices nothing is known
};

NativeArchs find_native(const Accelerator& accelerator, const probe::Machine& machine,
                        const std::string& host_machine) {
  NativeArchs native;
  if (accelerator.archs.native_is_host) {
    native.archs = parse_names(accelerator, {kNativeArch}, host_machine);
    if (!machine.cpu.features) {
      native.archs.clear();
      native.missing = "the features of this CPU are not known: " + machine.cpu.features.reason;
    }
    return native;
  }
  bool any = false;
  for (const probe::Device& device : machine.devices) {
    if (device.accelerator != accelerator.name) continue;
    any = true;
    auto arch = device.arch ? manifest::parse_arch_name(accelerator, *device.arch, host_machine)
                            : std::nullopt;
    if (arch) {
      native.archs.push_back(std::move(*arch));
    } else {
      native.missing = fmt::format("the arch of the device {} at {} is not known: {}", device.id,
                                   device.address, device.arch.reason);
    }
  }
  if (!any) native.missing = "no device visible";
  std::sort(native.archs.begin(), native.archs.end(), manifest::arch_less);
  native.archs.erase(std::unique(native.archs.begin(), native.archs.end()), native.archs.end());
  return native;
}

/// The newest offered arch whose code a device of `arch` runs: same major, no later minor.
/// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#binary-compatibility
const ArchName* find_lower(const std::vector<ArchName>& offered, const ArchName& arch) {
  const ArchName* lower = nullptr;
  for (const ArchName& candidate : offered) {
    const bool fits =
        candidate.number.front() == arch.number.front() && !manifest::arch_less(arch, candidate);
    if (fits) lower = &candidate;
  }
  return lower;
}

/// Resolves one accelerator's wishes.
class WishResolver {
 public:
  WishResolver(const Accelerator& accelerator, const Scope& scope, const probe::Machine& machine,
               ToolchainChooser& chooser, const probe::Toolchain& toolchain)
      : accelerator_(accelerator),
        scope_(scope),
        machine_(machine),
        chooser_(chooser),
        toolchain_(toolchain),
        offered_(offered_archs(accelerator, toolchain, scope.machine)),
        list_(accelerator) {}

  std::vector<Target> resolve(const ArchWishes& wishes) {
    for (const ArchWish& wish : wishes.wishes) {
      switch (wish.kind) {
        case ArchWish::Kind::one:
          add_one(wish);
          break;
        case ArchWish::Kind::all:
          add_all(offered_);
          break;
        case ArchWish::Kind::all_major:
          add_all(major_archs(offered_));
          break;
        case ArchWish::Kind::native:
          add_native();
          break;
        case ArchWish::Kind::listed:
          add_listed(*wish.list);
          break;
      }
    }
    const auto newest = newest_plain(listed_);
    // "90-real" may be the newest, and then nothing portable is wanted.
    const bool forbidden = newest && std::find(real_.begin(), real_.end(), *newest) != real_.end();
    if (newest && !forbidden && !portable_said_) list_.add_portable(*newest, false);
    return list_.take();
  }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add_one(const ArchWish& wish) {
    listed_.push_back(wish.arch);
    if (wish.image) list_.add_image(wish.arch, true);
    if (wish.portable == ArchWish::Portable::never) real_.push_back(wish.arch);
    if (wish.portable != ArchWish::Portable::always) return;
    list_.add_portable(wish.arch, true);
    portable_said_ = true;
  }

  void add_all(const std::vector<ArchName>& archs) {
    for (const ArchName& arch : archs) list_.add_image(arch, false);
    listed_.insert(listed_.end(), archs.begin(), archs.end());
  }

  /// The rows of a source tree's list that hold for the toolchain.
  void add_listed(const std::vector<manifest::NamedArchs>& rows) {
    for (const manifest::NamedArchs& row : rows) {
      const auto names = row.archs.find(accelerator_.name);
      const bool holds = !row.when.toolkit ||
                         (toolchain_.version && row.when.toolkit->contains(*toolchain_.version));
      if (names == row.archs.end() || !holds) continue;
      for (const ArchName& arch : parse_names(accelerator_, names->second, scope_.machine)) {
        list_.add_image(arch, true);
        listed_.push_back(arch);
      }
    }
  }

  void add_native() {
    const NativeArchs native = find_native(accelerator_, machine_, scope_.machine);
    if (native.archs.empty()) {
      list_.add_impossible(
          {ReasonCode::no_device,
           fmt::format("{}:native needs a visible device: {}", accelerator_.name, native.missing),
           "name the archs with --arch"});
    } else if (!native.missing.empty()) {
      notes_.push_back(native.missing);
    }
    for (const ArchName& arch : native.archs) add_native_arch(arch);
  }

  void add_native_arch(const ArchName& arch) {
    const ArchName* lower = nullptr;
    if (!chooser_.choose({&accelerator_, accelerator_.image_form, arch.name}) &&
        accelerator_.archs.scheme == ArchScheme::capability) {
      lower = find_lower(offered_, arch);
    }
    if (lower == nullptr) return list_.add_image(arch, true);
    list_.add_image(*lower, true);
    list_.add_portable(*lower, true);
    notes_.push_back(fmt::format("no toolchain here compiles for the device's {}: building for {}",
                                 arch.name, lower->name));
  }

  const Accelerator& accelerator_;
  const Scope& scope_;
  const probe::Machine& machine_;
  ToolchainChooser& chooser_;
  const probe::Toolchain& toolchain_;
  std::vector<ArchName> offered_;
  TargetList list_;
  std::vector<ArchName> listed_;  ///< all but native ones
  std::vector<ArchName> real_;    ///< of those, the ones that want nothing portable
  bool portable_said_ = false;
  std::vector<std::string> notes_;
};

std::vector<Target> default_targets(const Accelerator& accelerator,
                                    const probe::Toolchain& toolchain, const std::string& machine) {
  TargetList list(accelerator);
  const std::vector<ArchName> archs = default_archs(accelerator, toolchain, machine);
  for (const ArchName& arch : archs) list.add_image(arch, false);
  if (const auto newest = newest_plain(archs)) list.add_portable(*newest, false);
  return list.take();
}

/// What native would be, for the note.
std::string native_text(const Accelerator& accelerator, const probe::Machine& machine,
                        const std::string& host_machine) {
  if (!has_native(accelerator)) return {};
  if (accelerator.archs.native_is_host) {
    return machine.cpu.level ? fmt::format("; {}:native would be this CPU, {}", accelerator.name,
                                           *machine.cpu.level)
                             : "";
  }
  const NativeArchs native = find_native(accelerator, machine, host_machine);
  if (native.archs.empty()) return "; " + native.missing;
  std::vector<std::string> names;
  for (const ArchName& arch : native.archs) names.push_back(arch.name);
  return fmt::format("; {}:native would be {}", accelerator.name, join(names, ", "));
}

Reason no_archs(const Accelerator& accelerator, const probe::Toolchain& toolchain,
                const std::string& machine) {
  if (accelerator.archs.scheme == ArchScheme::names)
    return no_archs_of_machine(accelerator, machine);
  return {ReasonCode::arch_unknown_to_toolchain,
          describe(toolchain) + " doesn't say which archs it compiles for",
          "name the archs with --arch"};
}

}  // namespace

std::string describe(const std::vector<Target>& targets, const Accelerator& accelerator) {
  std::vector<std::string> images;
  std::vector<std::string> portable;
  for (const Target& target : targets) {
    if (target.reason) continue;
    (target.form == accelerator.image_form ? images : portable).push_back(target.arch.name);
  }
  std::string text = join(images, ", ");
  if (portable.empty()) return text;
  return text + (images.empty() ? "" : " and ") + accelerator.portable_form + " of " +
         join(portable, ", ");
}

Reason no_archs_of_machine(const Accelerator& accelerator, const std::string& machine) {
  return {ReasonCode::machine_unsupported,
          fmt::format("{} has no archs for the host machine '{}'", accelerator.name, machine), ""};
}

std::string find_baseline(const Accelerator& host, const std::string& machine) {
  std::vector<ArchName> archs = parse_names(host, host.archs.defaults, machine);
  if (archs.empty()) archs = named_archs(host, machine);
  const auto oldest = std::min_element(archs.begin(), archs.end(), manifest::arch_less);
  return oldest == archs.end() ? "" : oldest->name;
}

Targets find_targets(const Accelerator& accelerator, const Scope& scope,
                     const probe::Machine& machine, ToolchainChooser& chooser) {
  const ArchWishes* wishes = scope.wishes_of(accelerator.name);
  Targets targets;
  targets.origin = wishes != nullptr ? wishes->origin : kDefault;
  const Choice& usual = choose_usual(accelerator, chooser);
  if (!usual) {
    targets.out = usual.reason;
    targets.demanded = usual.demanded;
    return targets;
  }
  const probe::Toolchain& toolchain = *usual.toolchain;
  std::string source = targets.origin;
  std::vector<std::string> notes;
  if (wishes != nullptr) {
    WishResolver resolver(accelerator, scope, machine, chooser, toolchain);
    targets.list = resolver.resolve(*wishes);
    notes = resolver.notes();
  } else {
    targets.list = default_targets(accelerator, toolchain, scope.machine);
    if (accelerator.archs.default_offered) source += ", all that " + toolchain.id + " offers";
  }
  if (targets.list.empty()) {
    targets.out = no_archs(accelerator, toolchain, scope.machine);
    return targets;
  }
  const std::string archs = describe(targets.list, accelerator);
  if (!archs.empty()) {
    notes.insert(notes.begin(),
                 fmt::format("{}: building for {} ({}){}", accelerator.name, archs, source,
                             native_text(accelerator, machine, scope.machine)));
  }
  targets.note = join(notes, "; ");
  return targets;
}

}  // namespace dsbuild::plan
