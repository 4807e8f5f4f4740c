#include "run/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "run/build_files.h"
#include "run/cache_upkeep.h"
#include "run/events.h"
#include "run/log.h"
#include "run/ninja_output.h"
#include "run/running.h"
#include "run/step_cache.h"
#include "run/triage.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// What is learnt while Ninja runs: events of steps, and Ninja's own words.
class Watch {
 public:
  Watch(const plan::Plan& plan, const BuildOptions& options, Progress& progress)
      : ninja([&progress](std::string_view line) { progress.line(line); }),
        options_(options),
        progress_(progress) {
    for (const plan::Step& step : plan.steps) names_.emplace(step.id, step.what);
    progress_.start(0);
  }

  EventPipe events;
  NinjaOutput ninja;
  std::size_t steps_done = 0;
  std::size_t cache_hits = 0;
  std::size_t cache_misses = 0;
  std::size_t parts_taken = 0;
  std::size_t parts_made = 0;
  std::string cache_problem;
  std::vector<StepFailure> failures;

  /// Events and Ninja's status come by two ways; what has ended is told once the total is known.
  void update() {
    events.drain([this](const Event& event) { take(event); });
    if (ninja.total_steps() != 0) {
      progress_.set_total(ninja.total_steps());
      tell_ended();
    }
    progress_.tick();
  }

  void finish() {
    ninja.add("\n");  // its last line may have no end
    update();
    tell_ended();
    progress_.stop();
  }

 private:
  void take(const Event& event) {
    if (event.state == StepState::started) {
      progress_.step_started(name_of(event.step));
      running_ += 1;
      most_running_ = std::max(most_running_, running_);
      return;
    }
    running_ -= 1;
    ended_.push_back(event);
    if (event.state == StepState::done) steps_done += 1;
    if (event.cache == CacheUse::hit) cache_hits += 1;
    if (event.cache == CacheUse::miss) cache_misses += 1;
    parts_taken += static_cast<std::size_t>(event.parts_taken);
    parts_made += static_cast<std::size_t>(event.parts_made);
    if (cache_problem.empty()) cache_problem = event.remark;
    if (event.state == StepState::failed) failures.push_back(describe(event));
  }

  void tell_ended() {
    for (const Event& event : ended_) {
      if (event.state == StepState::interrupted) continue;
      const bool ok = event.state == StepState::done;
      progress_.step_finished(name_of(event.step), event.seconds, ok);
      if (ok && options_.verbose) tell_log(event.step);
    }
    ended_.clear();
  }

  void tell_log(const std::string& step) {
    for (const std::string& line : split_lines(read_log(options_.folder / log_path(step)).output)) {
      progress_.line(line);
    }
  }

  StepFailure describe(const Event& event) const {
    const fs::path path = options_.folder / log_path(event.step);
    const LogText log = read_log(path);
    const auto errors = first_errors(log.output, 1);
    StepFailure failure{event.step, log.command, path, errors.empty() ? "" : errors.front(),
                        event.cause};
    if (is_out_of_memory(event.cause, log.output)) {
      failure.cause += fmt::format(": probably out of memory, of which it had {}; {}",
                                   format_size(static_cast<unsigned long long>(event.peak_memory)),
                                   memory_advice());
    }
    return failure;
  }

  std::string memory_advice() const {
    if (most_running_ <= 1) return "no other step ran, so it needs a machine with more";
    return fmt::format("{} steps ran at once, try -j {}", most_running_, most_running_ / 2);
  }

  std::string name_of(const std::string& step) const {
    const auto found = names_.find(step);
    return found == names_.end() ? step : found->second;
  }

  const BuildOptions& options_;
  Progress& progress_;
  std::map<std::string, std::string> names_;  ///< Step::id -> Step::what
  std::vector<Event> ended_;
  int running_ = 0;
  int most_running_ = 0;
};

Command make_ninja_command(const BuildOptions& options, int events) {
  Command command;
  command.argv = {options.ninja.string(), "-j", std::to_string(options.jobs)};
  if (options.keep_going) command.argv.insert(command.argv.end(), {"-k", "0"});
  if (options.explain) command.argv.insert(command.argv.end(), {"-d", "explain"});
  command.environment = ninja_environment();
  command.environment["NINJA_STATUS"] = kNinjaStatus;
  command.environment[kEventsVariable] = std::to_string(events);
  if (options.cache.on()) command.environment[kCacheVariable] = render_cache_place(options.cache);
  command.folder = options.folder;
  command.limit = std::chrono::milliseconds(0);
  return command;
}

/// Ninja runs what isn't in its logs.
void forget_what_ran(const fs::path& folder) {
  for (const char* log : {".ninja_log", ".ninja_deps"}) write_removal(folder / log);
}

bool met_full_disk(const BuildOutcome& outcome) {
  return is_disk_full(outcome.ninja_message) ||
         std::any_of(outcome.failures.begin(), outcome.failures.end(), [](const StepFailure& f) {
           return is_disk_full(f.first_error) || is_disk_full(f.cause) ||
                  is_disk_full(read_log(f.log).output);
         });
}

}  // namespace

BuildOutcome run_build(const plan::Plan& plan,
                       const std::map<std::string, std::string>& build_files,
                       const BuildOptions& options, Progress& progress) {
  const double started = steady_seconds();
  // It ends before anything is written: two Ninjas must not be in one folder.
  const bool idle = options.preview != nullptr && options.preview->nothing_to_do();
  const bool changed = write_build_files(options.folder, build_files, options.launcher);
  write_link(options.folder / kNinjaLink, options.ninja);
  const bool removed = write_removal_of_half_outputs(options.folder);
  if (idle && !changed && !removed) {
    BuildOutcome outcome;
    outcome.ok = true;
    outcome.nothing_to_do = true;
    outcome.seconds = steady_seconds() - started;
    return outcome;
  }
  if (options.force) forget_what_ran(options.folder);
  Watch watch(plan, options, progress);
  const ProcessResult result = run_streaming(
      make_ninja_command(options, watch.events.write_end()),
      [&](std::string_view piece) { watch.ninja.add(piece); }, [&] { watch.update(); });
  watch.finish();
  if (!result.failure.empty()) {
    throw Error(ExitCode::no_toolchain, "can't start ninja: " + result.failure,
                options.ninja.string(), "apt-get install ninja-build");
  }
  BuildOutcome outcome;
  outcome.ok = result.ok();
  outcome.nothing_to_do = watch.ninja.nothing_to_do();
  outcome.steps_run = watch.steps_done;
  outcome.failures = std::move(watch.failures);
  outcome.ninja_message = watch.ninja.message();
  outcome.cache_hits = watch.cache_hits;
  outcome.cache_misses = watch.cache_misses;
  outcome.parts_taken = watch.parts_taken;
  outcome.parts_made = watch.parts_made;
  outcome.cache_problem = watch.cache_problem;
  write_cache_upkeep(options.cache, outcome.cache_hits, outcome.cache_misses);
  if (!outcome.ok && outcome.failures.empty() && outcome.ninja_message.empty()) {
    outcome.ninja_message = result.describe();
  }
  outcome.no_space = !outcome.ok && met_full_disk(outcome);
  outcome.seconds = steady_seconds() - started;
  return outcome;
}

}  // namespace dsbuild::run
