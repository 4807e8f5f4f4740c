#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/step_cache.h"
#include "run/cache_upkeep.h"

namespace dsbuild::cli {
namespace {

using std::chrono::seconds;

struct CleanFlags {
  bool all = false;
  std::string older_than;
};

run::CachePlace named_cache(const Context& context) {
  run::CachePlace place = find_step_cache(context);
  if (!place.on()) {
    throw Error(ExitCode::bad_input, "it isn't said which step cache is meant", "--cache",
                "write --cache DIR or set DSBUILD_CACHE");
  }
  return place;
}

/// "90s", "30m", "12h", "7d", "2w".
seconds parse_age(const std::string& text) {
  constexpr std::array<std::pair<char, int>, 5> kUnits{
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}, {'w', 604'800}}};
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  for (const auto& [unit, factor] : kUnits) {
    const bool whole = error == std::errc() && number >= 0 && end + 1 == text.data() + text.size();
    if (whole && *end == unit) return seconds(std::int64_t{number} * factor);
  }
  throw Error(ExitCode::bad_input, "'" + text + "' is no time", "--older-than",
              "write a number of seconds, minutes, hours, days or weeks: 90s, 30m, 12h, 7d, 2w");
}

ExitCode run_stats(Context& context) {
  const run::CachePlace place = named_cache(context);
  const run::CacheStats stats = run::read_cache_stats(place);
  report::Section section{"", {}, {}, {}};
  const std::string limit = place.limit == 0 ? "any amount" : format_size(place.limit);
  const std::uint64_t asked = stats.hits + stats.misses;
  section.rows = {
      {{"step cache"}, {place.folder.string()}},
      {{"size"}, {fmt::format("{} of {}", format_size(stats.bytes), limit)}},
      {{"results"},
       {fmt::format(
           "{}, {}, {}", count_of(stats.steps, "step"),
           stats.parts == 1 ? "1 part of a step" : fmt::format("{} parts of steps", stats.parts),
           count_of(stats.files, "file"))}},
      {{"hits"},
       {asked == 0 ? "none yet"
                   : fmt::format("{} of {} ({}%)", stats.hits, asked, stats.hits * 100 / asked)}},
  };
  context.print({"", {section}}, {{"schema", 1},
                                  {"folder", place.folder.string()},
                                  {"bytes", stats.bytes},
                                  {"limit", place.limit},
                                  {"steps", stats.steps},
                                  {"parts", stats.parts},
                                  {"files", stats.files},
                                  {"hits", stats.hits},
                                  {"misses", stats.misses}});
  return ExitCode::ok;
}

ExitCode run_clean(Context& context, const CleanFlags& flags) {
  const run::CachePlace place = named_cache(context);
  std::optional<seconds> unused;
  if (!flags.older_than.empty()) unused = parse_age(flags.older_than);
  const run::CacheRemoval removal =
      flags.all ? run::write_cache_removal(place) : run::write_cache_trim(place, unused);
  const Json json{{"schema", 1},
                  {"folder", place.folder.string()},
                  {"files", removal.files},
                  {"bytes", removal.bytes},
                  {"bytes_left", removal.bytes_left}};
  const std::string line = fmt::format("{}: removed {}, {}; {} left", place.folder.string(),
                                       count_of(removal.files, "file"), format_size(removal.bytes),
                                       format_size(removal.bytes_left));
  context.print({"", {{"", {}, {{{line}}}, {}}}}, json);
  return ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_cache(CLI::App& app, Context& context) {
  app.require_subcommand(1);
  const auto flags = std::make_shared<CleanFlags>();
  const CLI::App* stats =
      app.add_subcommand("stats", "tell the size of a step cache, and how often it served");
  CLI::App* clean = app.add_subcommand(
      "clean", "remove from a step cache what was used least recently, down to --cache-size");
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_step_cache_options(*command, context.options);
    add_format_option(*command, context.options);
  }
  CLI::Option* all = clean->add_flag("--all", flags->all, "remove everything, the counts too");
  clean
      ->add_option("--older-than", flags->older_than, "also what was not used for so long: 7d, 12h")
      ->type_name("TIME")
      ->excludes(all);
  return [&context, flags, stats] {
    return stats->parsed() ? run_stats(context) : run_clean(context, *flags);
  };
}

}  // namespace dsbuild::cli
