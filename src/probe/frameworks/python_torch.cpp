#include <algorithm>
#include <functional>
#include <optional>

#include "probe/frameworks/frameworks.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using Text = Fact<std::string>;

/// "0" or "1", as _GLIBCXX_USE_CXX11_ABI:
/// https://gcc.gnu.org/onlinedocs/libstdc++/manual/using_dual_abi.html Older versions write it for
/// CMake. Newer ones don't, but c10::Error takes a std::string, whose mangled name is "Ss" in the
/// old ABI and lies in the namespace __cxx11 in the new one.
Text find_cxx11_abi(const System& system, const fs::path& folder) {
  const fs::path config = folder / "share/cmake/Torch/TorchConfig.cmake";
  constexpr std::string_view kFlag = "-D_GLIBCXX_USE_CXX11_ABI=";
  const std::string cmake = system.read_file(config).value_or("");
  const auto flag = cmake.find(kFlag);
  if (flag != std::string::npos && flag + kFlag.size() < cmake.size()) {
    const char digit = cmake[flag + kFlag.size()];
    if (digit == '0' || digit == '1') return Text::known(std::string(1, digit), config.string());
  }
  const fs::path library = folder / "lib/libc10.so";
  const auto bytes = system.read_file(library);
  if (!bytes) return Text::missing("not in TorchConfig.cmake, and no libc10.so", library.string());
  constexpr std::string_view kError = "_ZN3c105ErrorC1ENS_14SourceLocationE";
  const auto found = std::search(bytes->begin(), bytes->end(),
                                 std::boyer_moore_horspool_searcher(kError.begin(), kError.end()));
  const std::string_view rest =
      std::string_view(*bytes).substr(static_cast<std::size_t>(found - bytes->begin()));
  if (rest.substr(std::min(rest.size(), kError.size())).starts_with("NSt7__cxx11")) {
    return Text::known("1", library.string());
  }
  if (rest.substr(std::min(rest.size(), kError.size())).starts_with("Ss")) {
    return Text::known("0", library.string());
  }
  return Text::missing("no c10::Error(SourceLocation, std::string) in it", library.string());
}

}  // namespace

void read_torch(const System& system, const fs::path& folder, Framework& framework) {
  const std::string file = (folder / "version.py").string();
  const auto text = system.read_file(file);
  prefer_own_version(text, "__version__", file, framework);
  for (const char* name : {"cuda", "hip", "debug", "git_version"}) {
    framework.details[name] =
        text ? read_value(*text, name, file) : Text::missing("can't be read", file);
  }
  framework.details["cxx11_abi"] = find_cxx11_abi(system, folder);
  // In a library of 30 MB and more, at no fixed place: reading it would take most of the report's
  // time.
  framework.details["archs"] = Text::missing(
      "only its libraries know: python3 -c 'import torch; print(torch.cuda.get_arch_list())'",
      (folder / "lib").string());
}

}  // namespace dsbuild::probe
