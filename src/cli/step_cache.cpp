#include "cli/step_cache.h"

#include <fmt/format.h>
#include <sys/vfs.h>
#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "probe/host/limits.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

constexpr std::string_view kUsualSize = "5G";

struct Unit {
  std::string_view name;  ///< in lower case, without the "b" that may follow
  double bytes;
};

constexpr std::array<Unit, 9> kUnits{{
    {"", 1},
    {"k", 1e3},
    {"m", 1e6},
    {"g", 1e9},
    {"t", 1e12},
    {"ki", 1024.0},
    {"mi", 1024.0 * 1024},
    {"gi", 1024.0 * 1024 * 1024},
    {"ti", 1024.0 * 1024 * 1024 * 1024},
}};

/// The first of a flag and a variable that says something, and its name.
std::pair<std::string, std::string> first_of(const Context& context, const char* flag,
                                             const std::string& value, const char* variable) {
  if (!value.empty()) return {flag, value};
  return {variable, context.host_system().env(variable).value_or("")};
}

}  // namespace

std::string network_file_system(const fs::path& folder) {
  struct statfs kind {};
  if (::statfs(nearest_folder(folder).c_str(), &kind) != 0) return {};
  const auto* row = probe::find_file_system(static_cast<std::uint32_t>(kind.f_type));
  return row != nullptr && row->network ? row->name : "";
}

void add_step_cache_options(CLI::App& app, Options& options) {
  app.add_option("--cache", options.step_cache,
                 "the step cache: what was compiled once is taken from there (DSBUILD_CACHE)")
      ->type_name("DIR");
  app.add_option("--cache-size", options.step_cache_size,
                 "what the step cache may hold: 5G, 500M, 2GiB; 0 is any amount "
                 "(DSBUILD_CACHE_SIZE; 5G when neither says it)")
      ->type_name("SIZE");
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::string lower = to_lower(trim(text));
  double number = 0;
  const auto [end, error] = std::from_chars(lower.data(), lower.data() + lower.size(), number);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  std::string_view unit =
      trim(std::string_view(end, static_cast<std::size_t>(lower.data() + lower.size() - end)));
  if (unit.ends_with('b')) unit.remove_suffix(1);
  for (const Unit& row : kUnits) {
    const double bytes = number * row.bytes;
    if (unit == row.name && bytes < 1e18) return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

run::CachePlace find_step_cache(const Context& context) {
  run::CachePlace place;
  const Options& options = context.options;
  const auto folder = first_of(context, "--cache", options.step_cache, "DSBUILD_CACHE");
  if (!folder.second.empty()) place.folder = fs::absolute(folder.second).lexically_normal();
  const auto [origin, size] =
      first_of(context, "--cache-size", options.step_cache_size, "DSBUILD_CACHE_SIZE");
  const auto limit = parse_size(size.empty() ? kUsualSize : size);
  if (!limit) {
    throw Error(ExitCode::bad_input, "'" + size + "' is no size", origin,
                "write one such as 5G, 500M or 2GiB; 0 is any amount");
  }
  place.limit = *limit;
  if (options.force) place.folder.clear();
  return place;
}

void tell_of_cache(Context& context, const run::CachePlace& cache,
                   const run::BuildOutcome& outcome) {
  if (!cache.on() || outcome.cache_hits + outcome.cache_misses == 0) return;
  if (!outcome.cache_problem.empty()) {
    context.note("dsbuild: what was compiled could not be kept in the step cache: " +
                 outcome.cache_problem);
  }
  const std::string network = network_file_system(cache.folder);
  if (!network.empty()) {
    context.note(
        fmt::format("dsbuild: the step cache {} is on {}: it is safe there, but slower "
                    "than on a disk of this machine",
                    cache.folder.string(), network));
  }
}

}  // namespace dsbuild::cli
