#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "probe/frameworks/frameworks.h"
#include "probe/frameworks/library_rows.h"
#include "probe/host/limits.h"
#include "probe/sources.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// Where headers and libraries lie, in the order in which a compiler would look.
struct Places {
  std::vector<fs::path> include;
  std::vector<fs::path> lib;
};

void add_listed(const Scene& scene, const char* variable, std::vector<fs::path>& folders) {
  for (const std::string& folder : split(scene.system.env(variable).value_or(""), ":")) {
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
}

void add_prefix(const fs::path& prefix, Places& places) {
  places.include.push_back(prefix / "include");
  for (const char* lib : {"lib64", "lib"}) places.lib.push_back(prefix / lib);
}

/// GCC's own folders, where omp.h and the link of libgomp are.
void add_gcc(const Scene& scene, Places& places) {
  const fs::path top = fs::path("/usr/lib/gcc") / scene.triple;
  auto versions = scene.system.list_folder(top);
  std::sort(versions.begin(), versions.end(),
            [](const auto& a, const auto& b) { return natural_less(b, a); });
  for (const std::string& version : versions) {
    places.include.push_back(top / version / "include");
    places.lib.push_back(top / version);
  }
}

Places make_places(const Scene& scene, const std::vector<Toolchain>& toolchains) {
  Places places;
  for (const char* variable : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    add_listed(scene, variable, places.include);
  }
  add_listed(scene, "LIBRARY_PATH", places.lib);
  if (const auto cutlass = scene.system.env("CUTLASS_PATH"); cutlass && cutlass->starts_with('/')) {
    places.include.push_back(fs::path(*cutlass) / "include");
  }
  add_prefix("/usr/local", places);
  if (!scene.triple.empty()) {
    const fs::path lib = fs::path("/usr/lib") / scene.triple;
    places.include.push_back(fs::path("/usr/include") / scene.triple);
    // Debian's Open MPI. https://packages.debian.org/bookworm/amd64/libopenmpi-dev/filelist
    places.include.push_back(lib / "openmpi/include");
    places.lib.push_back(lib);
    add_gcc(scene, places);
  }
  add_prefix("/usr", places);
  for (const Toolchain& toolchain : toolchains) {
    const auto add = [&toolchain](const char* name, std::vector<fs::path>& folders) {
      const auto value = toolchain.values.find(name);
      if (value != toolchain.values.end()) folders.emplace_back(value->second);
    };
    add("toolkit_include", places.include);
    add("toolkit_lib", places.lib);
  }
  add_prefix("/opt/rocm", places);
  add_prefix("/opt/intel/oneapi/ccl/latest", places);
  for (const PythonPackages& packages : scene.pythons.packages) {
    const fs::path nvidia = packages.folder / "nvidia";
    for (const std::string& name : scene.system.list_folder(nvidia))
      add_prefix(nvidia / name, places);
  }
  return places;
}

std::optional<fs::path> find_in(const Scene& scene, const std::vector<fs::path>& folders,
                                const char* name) {
  for (const fs::path& folder : folders) {
    const auto status = scene.system.status(folder / name);
    if (status && status->is_file()) return folder / name;
  }
  return std::nullopt;
}

/// The number that a line `#define NAME 12` gives.
std::optional<std::string> parse_macro(std::string_view text, std::string_view name) {
  for (const std::string& line : split_lines(text)) {
    if (line.find(name) == std::string::npos) continue;
    const auto words = split(replace_all(line, "#", " # "), " \t");
    if (words.size() < 4 || words[0] != "#" || words[1] != "define" || words[2] != name) continue;
    if (const auto number = Version::parse(words[3])) return std::to_string(number->part(0));
  }
  return std::nullopt;
}

Fact<Version> read_version(const Scene& scene, const LibraryRow& row, const fs::path& header) {
  if (row.version_header == nullptr) return Fact<Version>::missing("its headers tell none");
  // Beside the header that was found, so that two installations aren't mixed.
  const std::string include =
      header.string().substr(0, header.string().size() - std::string_view(row.header).size());
  const fs::path file = include + row.version_header;
  const std::string text = scene.system.read_file(file).value_or("");
  std::vector<std::string> numbers;
  for (const char* macro : row.macros) {
    if (macro == nullptr) continue;
    const auto number = parse_macro(text, macro);
    if (!number) {
      return Fact<Version>::missing(fmt::format("no number of {}", macro), file.string());
    }
    numbers.push_back(*number);
  }
  return Fact<Version>::known(*Version::parse(join(numbers, ".")), file.string());
}

Library find_library(const Scene& scene, const Places& places, const LibraryRow& row) {
  Library library;
  library.name = row.name;
  library.package = row.package;
  library.header_only = row.libraries[0] == nullptr;
  const auto header = find_in(scene, places.include, row.header);
  library.header = header ? Fact<std::string>::known(header->string(), "file")
                          : Fact<std::string>::missing(fmt::format("no {}", row.header));
  library.version =
      header ? read_version(scene, row, *header) : Fact<Version>::missing(library.header.reason);
  if (library.header_only) {
    library.library = Fact<std::string>::missing("headers alone");
    return library;
  }
  library.library = Fact<std::string>::missing(fmt::format("no {}", row.libraries[0]));
  for (const char* name : row.libraries) {
    if (const auto file = find_in(scene, places.lib, name)) {
      library.library = Fact<std::string>::known(file->string(), "file");
      break;
    }
  }
  return library;
}

}  // namespace

Survey find_survey(const Scene& scene, const std::vector<Toolchain>& toolchains) {
  Survey survey;
  survey.frameworks = find_frameworks(scene);
  const Places places = make_places(scene, toolchains);
  for (const LibraryRow& row : kLibraries) {
    survey.libraries.push_back(find_library(scene, places, row));
  }
  survey.limits = find_limits(scene);
  return survey;
}

}  // namespace dsbuild::probe
