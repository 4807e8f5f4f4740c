// The file from which the step launcher runs one step: NUL-separated, so no quoting and no shell.
// Knows only the format; the Ninja emitter writes it, the launcher reads it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"
#include "plan/plan.h"

namespace dsbuild::plan {

/// How a header is precompiled. Empty: there is none.
struct HeaderFile {
  std::string made;  ///< where the compiler looks for its precompiled form
  std::string depfile;
  std::vector<std::string> argv;

  explicit operator bool() const { return !made.empty(); }
};

/// One step with every path real.
struct StepFile {
  std::string id;
  std::string what;
  std::vector<std::string> argv;
  Environment environment;
  std::vector<std::string> outputs;
  std::string depfile;
  std::vector<std::string> kernels;
  bool any_kernel = false;
  std::vector<Scan> scans;
  HeaderFile header;  ///< that its argv includes
  // What the step cache knows it by: the same in every folder that the sources may lie in.
  std::string hash;  ///< step_hash
  std::vector<std::string> inputs;
  bool inputs_only = false;
  manifest::Subprograms subprograms;         ///< of its compiler; without names: none
  std::string toolchain_identity;            ///< where there are subprograms
  std::map<std::string, std::string> roots;  ///< placeholder without braces -> folder, but "build"
};

std::string render_step_file(const StepFile& step);
/// Empty when the text is no step file of this version.
std::optional<StepFile> parse_step_file(std::string_view text);

}  // namespace dsbuild::plan
