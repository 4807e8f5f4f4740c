#include "cli/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/text.h"

namespace dsbuild::cli {
namespace {

struct OwnRow {
  std::string_view variable;
  std::string_view flag;
  std::string_view meaning;
};

constexpr std::array<OwnRow, 19> kOwnSettings{{
    {"DSBUILD_PATH", "--root", "catalog roots to read besides the built-in one, separated by ':'"},
    {"DSBUILD_CACHE_DIR", "--cache-dir", "where tools' answers and canaries are remembered"},
    {"DSBUILD_CACHE", "--cache",
     "the step cache: what was compiled once is taken from there; load keeps what it builds there"},
    {"DSBUILD_CACHE_SIZE", "--cache-size", "what the step cache may hold: 5G when it isn't said"},
    {"TORCH_EXTENSIONS_DIR", "--cache",
     "its subfolder dsbuild is where load keeps what it builds; DSBUILD_CACHE beats it"},
    {"DSBUILD_PROBE_LIB_DIR", "", "where report --devices looks for vendors' libraries first"},
    {"DSBUILD_DUMMY_DEVICES", "", "how many devices report --devices invents, for tests"},
    {"DSBUILD_JOBS", "-j", "steps that run at once; a whole number of at least 1"},
    {"MAX_JOBS", "-j", "the same, as PyTorch's extensions know it; DSBUILD_JOBS beats it"},
    {"DS_ACCELERATOR", "--accelerators", "the accelerator to build for, as DeepSpeed knows it"},
    {"CUDA_HOME", "--toolkit nvcc=DIR", "the CUDA toolkit; no other is taken then"},
    {"CUDA_PATH", "--toolkit nvcc=DIR", "the same; CUDA_HOME beats it"},
    {"VIRTUAL_ENV", "--python PATH",
     "the Python environment whose torch extensions are built for, if it has one"},
    {"CONDA_PREFIX", "--python PATH", "the same; VIRTUAL_ENV beats it, and it beats PATH"},
    {"DS_SKIP_CUDA_CHECK", "",
     "1: extensions are compiled although torch's CUDA is another major release than the toolkit"},
    {"XDG_CACHE_HOME", "--cache-dir", "its subfolder dsbuild is the cache when nothing names one"},
    {"SOURCE_DATE_EPOCH", "",
     "passed to compilers, so that __DATE__ repeats; 0 when it is not set"},
    {"TMPDIR", "", "where compilers put their temporary files"},
    {"NO_COLOR", "--colour never", "no colour when it is set and not empty"},
}};

/// Those of a source tree, of its ops and of the folders that they need.
void add_tree_settings(const manifest::Catalog& catalog, std::vector<SettingRow>& rows) {
  const manifest::SourceTree& tree = *catalog.tree;
  for (const auto& [name, variable] : tree.variables) {
    const bool ops = variable.does == manifest::TreeVariable::Does::all_ops;
    rows.push_back({name, ops ? "--ops" : "", variable.meaning});
  }
  std::map<std::string, std::vector<std::string>> ops;
  for (const auto& [name, op] : catalog.ops) {
    if (!op.variable.empty()) ops[op.variable].push_back(name);
  }
  for (const auto& [variable, names] : ops)
    rows.push_back({variable, "--ops", "1 asks for " + join(names, " and ") + ", 0 leaves it out"});
  for (const auto& [name, folder] : tree.folders) {
    for (const std::string& variable : folder.variables)
      rows.push_back({variable, "", "the folder of " + name + "; no other is looked for then"});
  }
}

}  // namespace

std::vector<SettingRow> all_settings(const manifest::Catalog& catalog) {
  std::vector<SettingRow> rows;
  for (const OwnRow& row : kOwnSettings) {
    rows.push_back({std::string(row.variable), std::string(row.flag), std::string(row.meaning)});
  }
  for (const auto& [name, accelerator] : catalog.accelerators) {
    for (const std::string& variable : accelerator.archs.settings) {
      rows.push_back({variable, "--arch", "archs to build for " + name});
    }
    std::map<std::string, std::vector<std::string>> kinds;
    for (const manifest::ToolchainProbe& probe : accelerator.probes) {
      for (const std::string& variable : probe.env) kinds[variable].push_back(probe.kind);
    }
    for (const auto& [variable, names] : kinds) {
      rows.push_back(
          {variable, "--toolkit KIND=PATH",
           "the compiler to take for " + join(names, " or ") + "; no other is taken then"});
    }
  }
  if (catalog.tree) add_tree_settings(catalog, rows);
  return rows;
}

void check_variables(const Environment& environment, Diagnostics& diagnostics) {
  constexpr std::string_view kPrefix = "DSBUILD_";
  std::vector<std::string> known;
  for (const OwnRow& row : kOwnSettings) {
    if (row.variable.starts_with(kPrefix)) known.emplace_back(row.variable);
  }
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kPrefix)) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    diagnostics.warning(name, "", "dsbuild knows no such variable", did_you_mean(name, known));
  }
}

std::optional<int> read_count(const std::string& name, const std::string& value,
                              Diagnostics& diagnostics) {
  const std::string_view text = trim(value);
  if (text.empty()) return std::nullopt;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) {
    diagnostics.error(name, "", "'" + value + "' is no number of jobs",
                      "write a whole number of at least 1");
    return std::nullopt;
  }
  return count;
}

}  // namespace dsbuild::cli
