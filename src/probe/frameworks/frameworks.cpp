#include "probe/frameworks/frameworks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/json.h"
#include "base/text.h"
#include "probe/frameworks/python_values.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr std::uint64_t kMetadataStart = 64u << 10;

struct FrameworkRow {
  const char* name;
  const char* folder;                                        ///< the package that is imported
  std::array<std::string_view, 3> distributions;             ///< that bring it, as files spell them
  void (*read)(const System&, const fs::path&, Framework&);  ///< what else its files say, or null
};

constexpr std::array<FrameworkRow, 7> kFrameworks{{
    {"torch", "torch", {"torch"}, read_torch},
    {"deepspeed", "deepspeed", {"deepspeed"}, read_deepspeed},
    {"jax", "jax", {"jax"}, nullptr},
    {"jaxlib", "jaxlib", {"jaxlib"}, nullptr},
    {"tvm-ffi", "tvm_ffi", {"apache_tvm_ffi"}, nullptr},
    {"numpy", "numpy", {"numpy"}, nullptr},
    {"triton", "triton", {"triton", "pytorch_triton", "pytorch_triton_rocm"}, nullptr},
}};

/// As records' names spell it.
std::string normal_name(std::string_view name) {
  return replace_all(replace_all(to_lower(name), "-", "_"), ".", "_");
}

/// The distribution of "apache_tvm_ffi-0.1.dist-info": "apache_tvm_ffi"; empty for other names.
/// https://packaging.python.org/en/latest/specifications/recording-installed-packages/
std::string distribution_of(std::string_view name) {
  if (!name.ends_with(".dist-info") && !name.ends_with(".egg-info")) return {};
  return normal_name(name.substr(0, std::min(name.find('-'), name.rfind('.'))));
}

std::optional<std::string> read_metadata(const System& system, const fs::path& record) {
  for (const fs::path& file : {record / "METADATA", record / "PKG-INFO", record}) {
    if (auto text = system.read_start(file, kMetadataStart)) return text;
  }
  return std::nullopt;
}

/// The Version field, which lies before the first empty line.
Fact<std::string> read_metadata_version(const System& system, const fs::path& record) {
  const std::string text = read_metadata(system, record).value_or("");
  std::size_t start = 0;
  while (start < text.size()) {
    const auto end = std::min(text.find('\n', start), text.size());
    const auto line = trim(std::string_view(text).substr(start, end - start));
    if (line.empty()) break;
    if (line.starts_with("Version:")) {
      const auto version = trim(line.substr(8));
      if (Version::parse(version)) {
        return Fact<std::string>::known(std::string(version), record.string());
      }
    }
    start = end + 1;
  }
  return Fact<std::string>::missing("no Version field that is a number", record.string());
}

/// The record of one of these distributions among a folder's names.
std::optional<std::string> find_record(const std::vector<std::string>& names,
                                       std::span<const std::string_view> distributions) {
  const auto record = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    const std::string distribution = distribution_of(name);
    return !distribution.empty() && std::find(distributions.begin(), distributions.end(),
                                              distribution) != distributions.end();
  });
  return record == names.end() ? std::nullopt : std::optional(*record);
}

/// Empty when there is no sign of it.
std::optional<Framework> find_framework(const System& system, const PythonPackages& packages,
                                        const std::vector<std::string>& names,
                                        const FrameworkRow& row) {
  const auto record = find_record(names, row.distributions);
  const fs::path folder = packages.folder / row.folder;
  const bool imported = std::binary_search(names.begin(), names.end(), row.folder) &&
                        system.exists(folder / "__init__.py");
  if (!record && !imported) return std::nullopt;

  Framework framework;
  framework.name = row.name;
  framework.prefix = packages.prefix.string();
  framework.found_by = packages.found_by;
  framework.python = packages.python;
  framework.version = record ? read_metadata_version(system, packages.folder / *record)
                             : Fact<std::string>::missing("no record of its installation",
                                                          packages.folder.string());
  framework.path =
      imported ? Fact<std::string>::known(folder.string(), (folder / "__init__.py").string())
               : Fact<std::string>::missing("installed as " + *record + ", but not there",
                                            folder.string());
  if (imported && row.read != nullptr) row.read(system, folder, framework);
  return framework;
}

}  // namespace

Fact<std::string> read_value(std::string_view text, std::string_view name,
                             const std::string& file) {
  const auto value = parse_python_value(text, name);
  if (!value) return Fact<std::string>::missing(fmt::format("no value of {}", name), file);
  if (value->is_null()) return Fact<std::string>::missing("None", file);
  return Fact<std::string>::known(value->is_string() ? value->get<std::string>() : value->dump(),
                                  file);
}

void prefer_own_version(const std::optional<std::string>& text, std::string_view variable,
                        const std::string& file, Framework& framework) {
  auto own = read_value(text.value_or(""), variable, file);
  if (own && Version::parse(*own)) framework.version = std::move(own);
}

std::optional<Fact<Version>> find_package_version(const System& system, const fs::path& folder,
                                                  std::string_view package) {
  const std::string own = normal_name(package);
  const std::array<std::string_view, 1> plain{own};
  std::span<const std::string_view> distributions = plain;
  for (const FrameworkRow& row : kFrameworks) {
    if (row.name == package) distributions = row.distributions;
  }
  const auto record = find_record(system.list_folder(folder), distributions);
  if (!record) return std::nullopt;
  const auto text = read_metadata_version(system, folder / *record);
  if (!text) return Fact<Version>::missing(text.reason, text.source);
  return Fact<Version>::known(*Version::parse(*text), text.source);
}

std::vector<Framework> find_frameworks(const Scene& scene) {
  std::vector<Framework> found;
  for (const PythonPackages& packages : scene.pythons.packages) {
    const auto names = scene.system.list_folder(packages.folder);
    for (const FrameworkRow& row : kFrameworks) {
      if (auto framework = find_framework(scene.system, packages, names, row)) {
        found.push_back(*std::move(framework));
      }
    }
  }
  return found;
}

}  // namespace dsbuild::probe
