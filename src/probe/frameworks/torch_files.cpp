#include "probe/frameworks/torch_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/json.h"
#include "base/pattern.h"
#include "base/read_from.h"
#include "probe/frameworks/frameworks.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using Text = Fact<std::string>;

/// What torch.utils.cpp_extension links.
/// https://docs.pytorch.org/docs/stable/cpp_extension.html
struct LibraryRow {
  const char* accelerator;
  std::array<std::string_view, 4> names;
};
constexpr std::array<LibraryRow, 4> kLibraries{
    {{"cpu", {"c10", "torch", "torch_cpu", "torch_python"}},
     {"cuda", {"c10_cuda", "torch_cuda"}},
     {"rocm", {"c10_hip", "torch_hip"}},
     {"xpu", {"c10_xpu", "torch_xpu"}}}};

/// torch.version.xpu is __SYCL_COMPILER_VERSION: 20250101 is the compiler 2025.1.1.
Version split_date(Version version) {
  constexpr int kYears = 10'000;
  const int number = version.major_part();
  if (version.parts.size() == 1 && number > 1000 * kYears)
    version.parts = {number / kYears, number / 100 % 100, number % 100};
  return version;
}

void read_backends(const std::string& text, const std::string& file, Torch& torch) {
  std::string built_with;
  for (const TorchBackend& row : kTorchBackends) {
    const auto value = read_value(text, row.name, file);
    const auto version = value ? Version::parse(*value) : std::nullopt;
    if (!version) continue;
    torch.*row.version = Fact<Version>::known(split_date(*version), file);
    built_with += fmt::format("{}{} {}", built_with.empty() ? "" : ", ", row.title, version->text);
  }
  for (const TorchBackend& row : kTorchBackends) {
    if (torch.*row.version) continue;
    torch.*row.version = Fact<Version>::missing(
        built_with.empty() ? "a build for CPU only" : "a build for " + built_with, file);
  }
}

/// What ATen.h asks for ("C++17 or later compatible compiler is required"), else what its release
/// is known to need.
int find_standard(const System& system, const Torch& torch) {
  constexpr std::uint64_t kStart = 4u << 10;
  static const Pattern kDemand(R"(#error C\+\+(\d+) or later)");
  const fs::path header = fs::path(torch.path) / "include/ATen/ATen.h";
  const auto found = kDemand.find(system.read_start(header, kStart).value_or(""));
  int standard = 0;
  if (found) std::from_chars(found->data(), found->data() + found->size(), standard);
  if (standard > 0) return standard;
  if (!torch.version || *torch.version >= Version{{2, 12}, {}}) return 20;
  return *torch.version >= Version{{2, 1}, {}} ? 17 : 14;
}

/// The tags of libtorch_python's pybind11, by the name under which modules share its types:
/// "__pybind11_internals_v4_gcc_libstdcpp_cxxabi1011__". A module with other tags has its own.
std::vector<std::string> find_pybind_tags(const System& system, const fs::path& lib) {
  constexpr std::string_view kMark = "__pybind11_internals_v";
  constexpr std::size_t kLongest = 256;
  const std::string found =
      read_from(system, lib / "libtorch_python.so", kMark, kLongest).value_or("");
  const std::string_view name = std::string_view(found).substr(0, found.find('\0'));
  struct Tag {
    const char* define;
    Pattern pattern;
  };
  static const std::array<Tag, 3> kTags{
      {{"PYBIND11_COMPILER_TYPE", Pattern("_v[0-9]+(_[a-z]+)")},
       {"PYBIND11_STDLIB", Pattern("_v[0-9]+_[a-z]+(_lib(?:std)?cpp)")},
       {"PYBIND11_BUILD_ABI", Pattern("(_cxxabi[0-9]+)")}}};
  std::vector<std::string> defines;
  for (const Tag& tag : kTags) {
    if (const auto value = tag.pattern.find(name))
      defines.push_back(fmt::format("{}=\"{}\"", tag.define, *value));
  }
  return defines;
}

/// Headers and defines: what this release's own builder passes, by what its file names.
void read_builder(const System& system, Torch& torch) {
  const fs::path folder = torch.path;
  const std::string builder =
      system.read_file(folder / "utils/cpp_extension.py").value_or(std::string());
  const auto passes = [&](std::string_view name) {
    return builder.empty() || builder.find(name) != std::string::npos;
  };
  const fs::path include = folder / "include";
  // Debian has the headers in a package of their own.
  const bool has_headers = system.exists(include / "ATen/ATen.h");
  if (has_headers)
    torch.includes = {include.string(), (include / "torch/csrc/api/include").string()};
  for (const char* old : {"TH", "THC"}) {
    if (has_headers && passes(fmt::format("'{}'", old)) && system.exists(include / old))
      torch.includes.push_back((include / old).string());
  }
  if (passes("-DTORCH_API_INCLUDE_EXTENSION_H"))
    torch.defines.emplace_back("TORCH_API_INCLUDE_EXTENSION_H");
  if (passes("_PYBIND11_")) {
    for (std::string& tag : find_pybind_tags(system, torch.lib))
      torch.defines.push_back(std::move(tag));
  }
  if (passes("-D_GLIBCXX_USE_CXX11_ABI") && torch.cxx11_abi)
    torch.defines.push_back("_GLIBCXX_USE_CXX11_ABI=" + *torch.cxx11_abi);
}

std::map<std::string, std::vector<std::string>> find_libraries(
    const std::vector<std::string>& files) {
  std::map<std::string, std::vector<std::string>> libraries;
  for (const LibraryRow& row : kLibraries) {
    std::vector<std::string> here;
    for (const std::string_view name : row.names) {
      const std::string file = fmt::format("lib{}.so", name);
      if (!name.empty() && std::binary_search(files.begin(), files.end(), file))
        here.emplace_back(name);
    }
    if (here.empty()) continue;
    const auto& common = libraries[kLibraries.front().accelerator];
    here.insert(here.begin(), common.begin(), common.end());
    libraries[row.accelerator] = std::move(here);
  }
  return libraries;
}

}  // namespace

/// https://gcc.gnu.org/onlinedocs/libstdc++/manual/using_dual_abi.html Older versions write it for
/// CMake. Newer ones don't, but c10::Error takes a std::string, whose mangled name is "Ss" in the
/// old ABI and lies in the namespace __cxx11 in the new one.
Fact<std::string> find_cxx11_abi(const System& system, const fs::path& folder) {
  const fs::path config = folder / "share/cmake/Torch/TorchConfig.cmake";
  constexpr std::string_view kFlag = "-D_GLIBCXX_USE_CXX11_ABI=";
  const std::string cmake = system.read_file(config).value_or("");
  const auto flag = cmake.find(kFlag);
  if (flag != std::string::npos && flag + kFlag.size() < cmake.size()) {
    const char digit = cmake[flag + kFlag.size()];
    if (digit == '0' || digit == '1') return Text::known(std::string(1, digit), config.string());
  }
  const fs::path library = folder / "lib/libc10.so";
  constexpr std::string_view kError = "_ZN3c105ErrorC1ENS_14SourceLocationE";
  constexpr std::string_view kNew = "NSt7__cxx11";
  const auto found = read_from(system, library, kError, kError.size() + kNew.size());
  if (!found) return Text::missing("not in TorchConfig.cmake, and no libc10.so", library.string());
  const std::string_view rest =
      std::string_view(*found).substr(std::min(found->size(), kError.size()));
  if (rest.starts_with(kNew)) return Text::known("1", library.string());
  if (rest.starts_with("Ss")) return Text::known("0", library.string());
  return Text::missing("no c10::Error(SourceLocation, std::string) in it", library.string());
}

void read_torch_files(const System& system, Torch& torch) {
  const fs::path folder = torch.path;
  const std::string file = (folder / "version.py").string();
  const std::string text = system.read_file(file).value_or("");
  const auto version = read_value(text, "__version__", file);
  const auto number = version ? Version::parse(*version) : std::nullopt;
  torch.version = number ? Fact<Version>::known(*number, file)
                         : Fact<Version>::missing("no __version__ that is a number", file);
  read_backends(text, file, torch);
  torch.cxx11_abi = find_cxx11_abi(system, folder);
  torch.lib = (folder / "lib").string();
  torch.libraries = find_libraries(system.list_folder(torch.lib));
  torch.standard = find_standard(system, torch);
  read_builder(system, torch);
}

}  // namespace dsbuild::probe
