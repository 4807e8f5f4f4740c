#include "plan/torch_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/toolchain_choice.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using probe::Toolchain;
using probe::Torch;

std::string release_of(const Version& version) {
  return fmt::format("{}.{}", version.part(0), version.part(1));
}

/// The best other toolkit of the same kind that would fit; null when none does.
const Toolchain* find_fitting_toolkit(const probe::Machine& machine, const Toolchain& toolkit,
                                      const Version& built_with) {
  const Toolchain* best = nullptr;
  for (const Toolchain& other : machine.toolchains) {
    const bool fits = other.kind == toolkit.kind && other.version &&
                      other.state == probe::ToolchainState::complete &&
                      compare_releases(built_with, *other.version) != ReleaseFit::other_major;
    if (fits && (best == nullptr || suits_better(other, *best, built_with))) best = &other;
  }
  return best;
}

/// The first other torch that would fit; null when none does.
const Torch* find_fitting_torch(const probe::Machine& machine, const Accelerator& accelerator,
                                const Version& toolkit) {
  for (const Torch& other : machine.torches) {
    const auto built_with = find_built_with(other, accelerator);
    if (built_with && compare_releases(*built_with, toolkit) != ReleaseFit::other_major)
      return &other;
  }
  return nullptr;
}

std::string torch_hint(const Torch* fitting) {
  return fitting == nullptr
             ? fmt::format("name another torch: {} DIR or {} PATH", probe::kTorchFlag,
                           probe::kPythonFlag)
             : fmt::format("take {}: {} {}", fitting->id, probe::kTorchFlag, fitting->path);
}

std::string toolkit_hint(const Toolchain* fitting, const Toolchain& toolkit,
                         const Version& built_with) {
  if (fitting == nullptr) {
    return fmt::format("install a toolkit of {}.x and name it: {} {}=DIR", built_with.major_part(),
                       probe::kToolkitFlag, toolkit.kind);
  }
  const auto folder = fitting->values.find("toolkit");
  return fmt::format("take {}: {} {}={}", fitting->id, probe::kToolkitFlag, fitting->kind,
                     folder == fitting->values.end() ? fitting->path : folder->second);
}

Reason other_major(const Torch& torch, const Accelerator& accelerator, const Toolchain& toolkit,
                   const probe::Machine& machine, const Version& built_with) {
  return {
      ReasonCode::torch_unsuited,
      fmt::format("{} was built with {} {}, and {} is another major release", describe(torch),
                  accelerator.name, release_of(built_with), describe(toolkit)),
      join({toolkit_hint(find_fitting_toolkit(machine, toolkit, built_with), toolkit, built_with),
            torch_hint(find_fitting_torch(machine, accelerator, *toolkit.version)),
            fmt::format("{}=1 compiles all the same", kSkipCheck)},
           "; or ")};
}

}  // namespace

SkipCheck read_skip_check(const Environment& environment) {
  const auto found = environment.find(kSkipCheck);
  if (found == environment.end() || found->second.empty()) return {};
  if (found->second == "1") return {true, {}};
  return {false,
          fmt::format("{}={} has no effect: only 1 has", kSkipCheck, shell_quote(found->second))};
}

ReleaseFit compare_releases(const Version& built_with, const Version& toolkit) {
  if (built_with.major_part() != toolkit.major_part()) return ReleaseFit::other_major;
  return built_with.part(1) == toolkit.part(1) ? ReleaseFit::exact : ReleaseFit::same_major;
}

Fact<Version> find_built_with(const Torch& torch, const Accelerator& accelerator) {
  std::vector<std::string> names = accelerator.aliases;
  names.insert(names.begin(), accelerator.name);
  for (const std::string& name : names) {
    if (const auto* version = torch.built_with(name)) return *version;
  }
  return Fact<Version>::missing("its files say nothing of " + accelerator.name, torch.path);
}

bool suits_better(const Toolchain& a, const Toolchain& b, const Version& built_with) {
  const auto fit = [&built_with](const Toolchain& toolkit) {
    return toolkit.version ? compare_releases(built_with, *toolkit.version)
                           : ReleaseFit::other_major;
  };
  if (fit(a) != fit(b)) return fit(a) > fit(b);
  return fit(a) == ReleaseFit::same_major && *a.version > *b.version;
}

TorchMatch match_torch(const Torch& torch, const Accelerator& accelerator, const Toolchain& toolkit,
                       const probe::Machine& machine, bool skip) {
  const auto built_with = find_built_with(torch, accelerator);
  if (!built_with) {
    const Torch* fitting =
        toolkit.version ? find_fitting_torch(machine, accelerator, *toolkit.version) : nullptr;
    return {Reason{ReasonCode::torch_unsuited,
                   fmt::format("{} has no {}: {}", describe(torch), accelerator.name,
                               built_with.reason),
                   torch_hint(fitting)},
            {}};
  }
  // Its own reason is told where the toolchain is chosen.
  if (!toolkit.version) return {};
  switch (compare_releases(*built_with, *toolkit.version)) {
    case ReleaseFit::exact:
      return {};
    case ReleaseFit::same_major:
      return {std::nullopt,
              fmt::format("{} was built with {} {}, {} compiles for it: the same major release",
                          torch.id, accelerator.name, release_of(*built_with), describe(toolkit))};
    case ReleaseFit::other_major:
      break;
  }
  if (!skip) return {other_major(torch, accelerator, toolkit, machine, *built_with), {}};
  return {std::nullopt,
          fmt::format(
              "{} was built with {} {}, and {} compiles for it although it is another major "
              "release: {}=1",
              torch.id, accelerator.name, release_of(*built_with), describe(toolkit), kSkipCheck)};
}

std::string describe(const Torch& torch) {
  return torch.id + " at " + torch.path;
}

std::vector<std::string> find_lacks(const Torch& torch) {
  if (!torch.version) return {torch.version.reason};
  std::vector<std::string> lacks;
  for (const auto* fact : {&torch.python_include, &torch.extension_suffix, &torch.cxx11_abi}) {
    if (!*fact) lacks.push_back(fact->source + ": " + fact->reason);
  }
  if (torch.includes.empty()) {
    lacks.push_back(torch.path +
                    "/include: no ATen/ATen.h: torch's headers are missing (Debian: libtorch-dev)");
  }
  return lacks;
}

std::optional<Reason> find_torch_problem(const probe::Machine& machine) {
  if (machine.torches.empty()) {
    return Reason{ReasonCode::torch_absent, "no Python environment that was looked at has a torch",
                  fmt::format("activate the one that has, or name it: {} PATH or {} DIR",
                              probe::kPythonFlag, probe::kTorchFlag)};
  }
  const Torch& torch = machine.torches.front();
  const auto lacks = find_lacks(torch);
  if (lacks.empty()) return std::nullopt;
  if (!torch.version) {
    return Reason{ReasonCode::torch_absent,
                  fmt::format("{} {}: {}", torch.origin, torch.path, lacks.front()),
                  fmt::format("correct {} or leave it away", torch.origin)};
  }
  return Reason{
      ReasonCode::torch_absent,
      fmt::format("no extension can be built for {}: {}", describe(torch), join(lacks, "; ")),
      fmt::format("install what is missing, or name another torch: {} PATH or {} DIR",
                  probe::kPythonFlag, probe::kTorchFlag)};
}

}  // namespace dsbuild::plan
