// A bench to plan on: dsbuild's own descriptors, a few ops, and a machine put together by hand.
// Knows how to make facts; nothing here looks at the real machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "manifest/catalog.h"
#include "plan/make_plan.h"
#include "plan/plan.h"
#include "plan/request.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// dsbuild's accelerators and the ops of tests/golden/root, without a runtime.
manifest::Catalog make_catalog();
/// The same with other ops.
manifest::Catalog catalog_of(std::vector<manifest::Op> ops);

/// Debian on x86-64 with an x86-64-v3 CPU, and nothing else.
probe::Machine make_machine(const std::string& host_machine = "x86_64");

/// Complete toolchains as the probe would find them.
probe::Toolchain make_gcc(const std::string& version, const std::string& path = "/usr/bin/g++");
probe::Toolchain make_clang(const std::string& version, const std::string& path);
probe::Toolchain make_nvcc(const std::string& version, const std::string& toolkit,
                           const std::vector<std::string>& archs);
probe::Toolchain make_clang_ptxas(const std::string& clang, const std::string& ptxas,
                                  const std::vector<std::string>& archs);
probe::Toolchain make_clang_amdgpu(const std::string& version,
                                   const std::vector<std::string>& archs);
/// A torch of Python 3.11 for the CPU and, where one is named, an accelerator's release.
probe::Torch make_torch(const std::string& version, const std::string& accelerator = "",
                        const std::string& release = "");

/// One that isn't there, as the probe reports it.
probe::Toolchain make_absent(const std::string& kind, const std::string& reason);

probe::Device make_device(const std::string& accelerator, const std::string& address,
                          const std::string& arch);

/// "sm_75 sm_80 …" of CUDA 13.0, with the suffixed ones.
std::vector<std::string> cuda13_archs();

/// gcc 12, nvcc 13.0 and clang 19 for AMD GPUs.
probe::Machine make_full_machine();

/// A plan, its diagnostics, and short ways to look into them.
struct Made {
  Plan plan;
  Diagnostics diagnostics;

  /// Archs of the planned images of one op and accelerator: "sm_90", "sm_90+ptx".
  std::vector<std::string> planned(std::string_view op, std::string_view accelerator) const;
  /// The skipped entry; null when there is none.
  const Entry* skipped(std::string_view op, std::string_view accelerator,
                       std::string_view arch = "") const;
  const Entry* find(std::string_view op, std::string_view accelerator, std::string_view arch,
                    std::string_view form) const;
  const Step& step(std::string_view id) const;
  /// All notes in one text.
  std::string notes() const;
  /// The messages, one a line.
  std::string problems() const;
};

struct Wishes {
  std::vector<std::string> ops;
  std::vector<std::string> accelerators;
  std::string arch;                ///< --arch
  std::vector<Setting> variables;  ///< {"arch", value, variable}
  std::string accelerators_origin = "--accelerators";
  Environment environment;
  bool unity = true;
};

/// gcc 12, clang 19 alone and with a ptxas, nvcc 13.0 in /usr/local/cuda.
probe::Machine cuda_machine();

/// The first trial whose name holds the text; null when there is none.
const Trial* find_trial(const Plan& plan, std::string_view what);
/// Says how the trial went, as the caller of make_plan does before it plans again.
void answer(probe::Machine& machine, const Plan& plan, std::string_view what, bool ok,
            const std::string& message = "");

Made plan_for(const Wishes& wishes, const manifest::Catalog& catalog,
              const probe::Machine& machine);

/// Whether the words hold `part` as one word.
bool has_word(const std::vector<std::string>& words, std::string_view part);

}  // namespace dsbuild::plan
