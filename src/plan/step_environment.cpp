#include "plan/step_environment.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace dsbuild::plan {
namespace {

struct InheritedVariable {
  std::string_view name;
  std::string_view when_unset;  ///< empty: then the step doesn't have it
  bool changes_output;
};

// SOURCE_DATE_EPOCH: https://reproducible-builds.org/specs/source-date-epoch/ (__DATE__, __TIME__).
constexpr std::array<InheritedVariable, 2> kInherited{{
    {"SOURCE_DATE_EPOCH", "0", true},
    {"TMPDIR", "", false},
}};

// https://gcc.gnu.org/onlinedocs/gcc/Environment-Variables.html
// https://clang.llvm.org/docs/CommandGuide/clang.html (CCC_OVERRIDE_OPTIONS is in its driver)
// https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/ (NVCC environment variables)
// The last four are make's:
// https://www.gnu.org/software/make/manual/html_node/Implicit-Variables.html
constexpr auto kLeftOut = std::to_array<std::string_view>({
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LD_RUN_PATH",
    "LIBRARY_PATH",
    "NVCC_APPEND_FLAGS",
    "NVCC_PREPEND_FLAGS",
    "CFLAGS",
    "CPPFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
});

constexpr std::array<std::string_view, 3> kSystemFolders{"/usr/local/bin", "/usr/bin", "/bin"};

}  // namespace

Environment make_step_environment(const Environment& user,
                                  const std::vector<std::string>& tool_folders) {
  std::vector<std::string> path;
  const auto add = [&path](std::string_view folder) {
    if (std::find(path.begin(), path.end(), folder) == path.end()) path.emplace_back(folder);
  };
  for (const std::string& folder : tool_folders) add(folder);
  for (const std::string_view folder : kSystemFolders) add(folder);

  Environment environment{{"LC_ALL", "C"}, {"PATH", join(path, ":")}};
  for (const InheritedVariable& variable : kInherited) {
    const auto set = user.find(variable.name);
    const std::string_view value =
        set != user.end() && !set->second.empty() ? set->second : variable.when_unset;
    if (!value.empty()) environment.emplace(variable.name, value);
  }
  return environment;
}

std::vector<std::string> find_left_out(const Environment& user) {
  std::vector<std::string> names;
  for (const std::string_view name : kLeftOut) {
    const auto set = user.find(name);
    if (set != user.end() && !set->second.empty()) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool changes_output(std::string_view variable) {
  return std::none_of(kInherited.begin(), kInherited.end(), [&](const InheritedVariable& row) {
    return row.name == variable && !row.changes_output;
  });
}

}  // namespace dsbuild::plan
