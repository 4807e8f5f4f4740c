#include "probe/toolchains/cuda_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json.h"
#include "base/text.h"
#include "probe/toolchains/command_files.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// Folders below targets/ by machine; arm servers are "sbsa"
/// (https://docs.nvidia.com/cuda/cuda-installation-guide-linux, cross compilation).
struct TargetRow {
  std::string_view machine;
  std::string_view target;
};
constexpr std::array<TargetRow, 4> kTargets{{
    {"x86_64", "x86_64-linux"},
    {"aarch64", "sbsa-linux"},
    {"aarch64", "aarch64-linux"},
    {"ppc64le", "ppc64le-linux"},
}};

/// cuda.h has more than a megabyte, with CUDA_VERSION in its first 15 kB.
constexpr std::uint64_t kVersionWithin = 1u << 16;

/// A part that nvcc can't do without, and where below a top folder it may be ({t}:
/// targets/<triple>, {m}: the machine). Some wheels and distributions leave one out.
struct PartRow {
  fs::path CudaFiles::*path;
  std::string_view name;
  std::vector<std::string_view> places;
  bool executable = false;
  bool folder = false;  ///< the path is the folder that holds a file whose name begins so
};

const std::vector<PartRow>& parts() {
  static const std::vector<PartRow> kParts{
      {&CudaFiles::nvcc, "bin/nvcc", {"bin/nvcc"}, true},
      {&CudaFiles::ptxas, "bin/ptxas", {"bin/ptxas"}, true},
      {nullptr, "nvvm/bin/cicc", {"nvvm/bin/cicc", "bin/cicc"}, true},
      {&CudaFiles::include,
       "include/cuda_runtime.h",
       {"{t}/include/cuda_runtime.h", "include/cuda_runtime.h"},
       false,
       true},
      {&CudaFiles::host_config,
       "include/crt/host_config.h",
       {"{t}/include/crt/host_config.h", "include/crt/host_config.h"}},
      {&CudaFiles::lib,
       "lib64/libcudart",
       {"{t}/lib/libcudart", "lib64/libcudart", "lib/libcudart", "lib/{m}-linux-gnu/libcudart"},
       false,
       true},
  };
  return kParts;
}

/// Folders that together hold one toolkit.
std::vector<fs::path> top_folders(const fs::path& folder) {
  std::vector<fs::path> tops{folder};
  const fs::path name = folder.filename();
  // Debian and Ubuntu: nvcc and cicc lie here, ptxas in /usr/bin, headers in /usr/include.
  if (name == "nvidia-cuda-toolkit") tops.push_back(folder.parent_path().parent_path());
  // CUDA 11 and 12 wheels: one folder each.
  if (name == "cuda_nvcc") tops.push_back(folder.parent_path() / "cuda_runtime");
  return tops;
}

/// Where a part may be, in the order of preference.
std::vector<fs::path> candidate_paths(const PartRow& part, const fs::path& folder,
                                      std::string_view machine) {
  std::vector<fs::path> candidates;
  for (const fs::path& top : top_folders(folder)) {
    for (const std::string_view place : part.places) {
      const std::string text = replace_all(std::string(place), "{m}", machine);
      if (text.find("{t}") == std::string::npos) {
        candidates.push_back(top / text);
        continue;
      }
      for (const TargetRow& row : kTargets) {
        if (row.machine != machine) continue;
        candidates.push_back(top / replace_all(text, "{t}", "targets/" + std::string(row.target)));
      }
    }
  }
  return candidates;
}

/// The path itself, or with `prefix` the first file in its folder whose name begins so.
std::optional<fs::path> find_path(const System& system, const fs::path& path, bool prefix) {
  if (system.exists(path)) return path;
  if (!prefix) return std::nullopt;
  const std::string name = path.filename().string();
  for (const std::string& other : system.list_folder(path.parent_path())) {
    if (other.starts_with(name)) return path.parent_path() / other;
  }
  return std::nullopt;
}

void find_part(const System& system, const PartRow& part, std::string_view machine,
               CudaFiles& files) {
  std::string why;
  for (const fs::path& candidate : candidate_paths(part, files.folder, machine)) {
    const auto found = find_path(system, candidate, part.folder);
    if (!found) continue;
    files.marks.push_back(*found);
    const auto status = system.status(*found);
    if (part.executable && (!status || !status->executable)) {
      why = " (not executable: EACCES)";
      continue;
    }
    if (part.path != nullptr) files.*part.path = part.folder ? found->parent_path() : *found;
    return;
  }
  files.missing.push_back(std::string(part.name) + why);
}

std::optional<int> parse_int(std::string_view text) {
  int number = 0;
  text = trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

/// {"cuda": {"version": "12.4.1"}}
std::optional<Version> parse_version_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const Json::json_pointer pointer("/cuda/version");
  if (!json.contains(pointer) || !json[pointer].is_string()) return std::nullopt;
  return Version::parse(json[pointer].get<std::string>());
}

/// "nvidia_cuda_nvcc-13.0.88.dist-info" and "nvidia_cuda_nvcc_cu12-12.4.131.dist-info".
std::optional<Version> parse_dist_info(std::string_view name) {
  if (!name.starts_with("nvidia_cuda_nvcc") || !name.ends_with(".dist-info")) return std::nullopt;
  const auto dash = name.find('-');
  return Version::parse(name.substr(dash + 1, name.size() - dash - 1 - 10));
}

/// Wheels of several releases may be beside each other: those since 13 are in nvidia/cu<major>, all
/// older ones in nvidia/cuda_nvcc.
bool may_be_in(const Version& version, std::string_view folder_name) {
  constexpr int kFirstInOneFolder = 13;
  if (folder_name == "cuda_nvcc") return version.major_part() < kFirstInOneFolder;
  const auto major =
      folder_name.starts_with("cu") ? parse_int(folder_name.substr(2)) : std::nullopt;
  return !major || version.major_part() == *major;
}

/// In the toolkit itself, or in the site-packages two folders above nvidia/cu13.
Fact<Version> find_dist_info(const System& system, const fs::path& folder) {
  std::vector<fs::path> places{folder / "dist-info"};
  if (folder.parent_path().filename() == "nvidia") {
    places.push_back(folder.parent_path().parent_path());
  }
  for (const fs::path& place : places) {
    for (const std::string& name : system.list_folder(place)) {
      auto version = parse_dist_info(name);
      if (version && may_be_in(*version, folder.filename().string())) {
        return Fact<Version>::known(*std::move(version), (place / name).string());
      }
    }
  }
  return Fact<Version>::missing("no version.json, no cuda.h and no dist-info of nvidia_cuda_nvcc");
}

/// The number after `test` at its first place in the text ("__GNUC__ > 15" for "__GNUC__ >").
std::optional<int> number_after(std::string_view text, std::string_view test) {
  const auto at = text.find(test);
  if (at == std::string_view::npos) return std::nullopt;
  return parse_int(text.substr(at + test.size()));
}

}  // namespace

CudaFiles find_cuda_files(const System& system, const fs::path& folder, std::string_view machine) {
  CudaFiles files;
  files.folder = folder;
  for (const PartRow& part : parts()) find_part(system, part, machine, files);
  return files;
}

fs::path find_cuda_folder(const System& system, const fs::path& nvcc) {
  const fs::path bin = find_command_files(system, nvcc).real.parent_path();
  // TOP = $(_HERE_)/.. as every nvcc.profile has it; a distribution may name another folder.
  for (const std::string& line : split_lines(system.read_file(bin / "nvcc.profile").value_or(""))) {
    const auto words = split(line, " \t=");
    if (words.size() != 2 || words[0] != "TOP") continue;
    const fs::path top = replace_all(words[1], "$(_HERE_)", bin.string());
    if (top.is_absolute() && system.exists(top)) return (top / "").lexically_normal().parent_path();
  }
  return bin.parent_path();
}

Fact<Version> find_cuda_version(const System& system, const CudaFiles& files) {
  const fs::path json = files.folder / "version.json";
  if (const auto version = parse_version_json(system.read_file(json).value_or(""))) {
    return Fact<Version>::known(*version, json.string());
  }
  Fact<Version> wheel = find_dist_info(system, files.folder);
  const fs::path header = files.include / "cuda.h";
  const auto release = files.include.empty()
                           ? std::nullopt
                           : parse_cuda_h(system.read_start(header, kVersionWithin).value_or(""));
  if (!release) return wheel;
  // Only a wheel of this very release can say its patch level: a left-over one of another can't.
  const bool same =
      wheel && wheel->part(0) == release->part(0) && wheel->part(1) == release->part(1);
  return same ? wheel : Fact<Version>::known(*release, header.string());
}

std::map<std::string, VersionRange> parse_host_limits(std::string_view host_config) {
  std::map<std::string, VersionRange> limits;
  const auto add = [&limits](const char* kind, int first_refused) {
    if (auto range = VersionRange::parse(fmt::format("<{}", first_refused))) {
      limits.emplace(kind, *std::move(range));
    }
  };
  // `#if __GNUC__ > 15` and `#if (__clang_major__ >= 21) || ...`, as NVIDIA has them since CUDA 9.
  if (const auto last = number_after(host_config, "__GNUC__ >")) add("gcc", *last + 1);
  if (const auto first = number_after(host_config, "#if (__clang_major__ >=")) add("clang", *first);
  return limits;
}

std::optional<Version> parse_cuda_h(std::string_view header) {
  // 1000 * major + 10 * minor, as cuda.h says of it.
  const auto number = number_after(header, "#define CUDA_VERSION ");
  if (!number || *number < 1000) return std::nullopt;
  return Version::parse(fmt::format("{}.{}", *number / 1000, *number % 1000 / 10));
}

std::vector<std::string> parse_allowed_values(std::string_view help, std::string_view option) {
  // An option's text begins at the start of a line and ends where the next one begins.
  const auto start = help.find("\n" + std::string(option) + " ");
  if (start == std::string_view::npos) return {};
  help = help.substr(start + 1);
  help = help.substr(0, help.find("\n--"));
  const auto list = help.find("Allowed values for this option:");
  if (list == std::string_view::npos) return {};
  help = help.substr(list);
  help = help.substr(0, help.find("Default value:"));
  help.remove_prefix(help.find(':') + 1);
  std::vector<std::string> values;
  for (const std::string& word : split(help, ", \t\n.")) {
    if (word.size() > 2 && word.front() == '\'' && word.back() == '\'') {
      values.push_back(word.substr(1, word.size() - 2));
    }
  }
  return values;
}

}  // namespace dsbuild::probe
