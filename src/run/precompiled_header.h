// A header that many steps include, compiled once for all of them by whichever comes first. A step
// that comes while it is being made does without: the compiler then reads the header itself, and
// makes the same object. Knows one header; no step's outputs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plan/step_file.h"

namespace dsbuild::run {

class PrecompiledHeader {
 public:
  /// `folder`: the build folder.
  PrecompiledHeader(const plan::StepFile& step, const std::filesystem::path& folder)
      : step_(step), folder_(folder) {}

  /// Makes it where it isn't there or a file that it read has changed since, unless another step is
  /// at it. A compiler that can't is no failure: steps do without. `log`, `events`: as for
  /// launch(). Returns the seconds that it took.
  double prepare(int log, int events) const;

  /// What it was made from, for the depfile of a step that may have taken it; empty without one.
  std::vector<std::string> read_files() const;

 private:
  std::string stamp() const;
  bool good() const;
  double make(int log, int events) const;

  const plan::StepFile& step_;
  const std::filesystem::path folder_;
};

}  // namespace dsbuild::run
