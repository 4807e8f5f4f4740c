#include "run/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/elf.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

std::string check_kernels(const plan::StepFile& step, const fs::path& output) {
  const ElfFacts facts = read_image(output);
  if (!facts.problem.empty()) return fmt::format("{}: {}", step.outputs.front(), facts.problem);
  // Kernels of host code are ordinary functions; device code has functions that are none.
  const std::vector<std::string>& found = facts.device ? facts.kernels : facts.exported;
  if (step.any_kernel && found.empty() && facts.embedded.empty()) {
    return step.outputs.front() + " holds no kernel, although the compiler ended well";
  }
  std::vector<std::string> missing;
  for (const std::string& name : step.kernels) {
    if (!std::binary_search(found.begin(), found.end(), name)) missing.push_back(name);
  }
  if (missing.empty()) return {};
  return fmt::format("{} does not hold {}; it holds {}", step.outputs.front(), join(missing, ", "),
                     found.empty() ? "nothing" : join(found, ", "));
}

std::string check_file(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const auto size = fs::file_size(folder / name, error);
  if (error) return fmt::format("{} was not made, although the command ended well", name);
  if (size == 0) return fmt::format("{} is empty, although the command ended well", name);
  return {};
}

}  // namespace

std::string check_outputs(const plan::StepFile& step, const fs::path& folder) {
  std::vector<std::string> files = step.outputs;
  if (!step.depfile.empty()) files.push_back(step.depfile);
  for (const std::string& file : files) {
    std::string problem = check_file(folder, file);
    if (!problem.empty()) return problem;
  }
  if (!step.any_kernel && step.kernels.empty()) return {};
  return check_kernels(step, folder / step.outputs.front());
}

void write_removal_of_outputs(const plan::StepFile& step, const fs::path& folder) {
  std::error_code
      ignored;  // what can't be removed now is removed, or refused, when it is made anew
  for (const std::string& output : step.outputs) fs::remove(folder / output, ignored);
  if (!step.depfile.empty()) fs::remove(folder / step.depfile, ignored);
}

}  // namespace dsbuild::run
