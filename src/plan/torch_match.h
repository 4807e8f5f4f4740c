// Whether an extension of a torch can be compiled with a toolkit: the releases of both are compared
// as numbers. Knows no list of releases, and not where a torch or a toolkit is looked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"
#include "manifest/catalog.h"
#include "plan/reasons.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// DeepSpeed's variable for "compile although torch's CUDA is another release".
inline constexpr const char* kSkipCheck = "DS_SKIP_CUDA_CHECK";

struct SkipCheck {
  bool skipped = false;  ///< it is exactly "1", as DeepSpeed takes it
  std::string note;      ///< what to tell of any other value; empty: nothing
};
SkipCheck read_skip_check(const Environment& environment);

/// Better ones are greater.
enum class ReleaseFit { other_major, same_major, exact };
/// By major and minor number: within a major release NVIDIA keeps the interfaces that torch's
/// headers use. https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
ReleaseFit compare_releases(const Version& built_with, const Version& toolkit);

/// What the torch was built with for the accelerator; missing with the reason.
Fact<Version> find_built_with(const probe::Torch& torch, const manifest::Accelerator& accelerator);

/// Whether `a` suits such a torch better than `b`: one of its own release does, then the newest of
/// its major release; others are equal.
bool suits_better(const probe::Toolchain& a, const probe::Toolchain& b, const Version& built_with);

/// Whether they go together, with a sentence on what is worth knowing, or why not.
struct TorchMatch {
  std::optional<Reason> reason;
  std::string note;
};
/// `machine`: the other torches and toolkits, one of which may fit. `skip`: another major release
/// is no reason.
TorchMatch match_torch(const probe::Torch& torch, const manifest::Accelerator& accelerator,
                       const probe::Toolchain& toolkit, const probe::Machine& machine, bool skip);

/// "torch-2.15.0+cu132 at /venv/lib/python3.11/site-packages/torch".
std::string describe(const probe::Torch& torch);

/// What keeps extensions from being built for it, each with where it was looked for.
std::vector<std::string> find_lacks(const probe::Torch& torch);

/// Why no extension can be built here: no torch, the named one isn't there, or it or its Python
/// lacks something.
std::optional<Reason> find_torch_problem(const probe::Machine& machine);

}  // namespace dsbuild::plan
