#include "run/trials.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/process.h"
#include "base/scratch.h"
#include "base/text.h"
#include "run/outputs.h"
#include "run/triage.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

using Results = std::map<std::string, probe::TrialResult>;

/// A canary compiles in a second or two; what takes this long hangs.
constexpr std::chrono::seconds kLimit{120};
constexpr std::size_t kErrorLines = 3;

fs::path answer_path(const fs::path& cache_folder, const std::string& key) {
  return cache_folder / "trials" / (sha256(key) + ".json");
}

/// Only good answers are kept, so the file is the answer; the key stands in it for people, and
/// against a file that was damaged.
void write_answer(const fs::path& cache_folder, const plan::Trial& trial) {
  if (cache_folder.empty()) return;
  write_file(answer_path(cache_folder, trial.key),
             dump_json({{"schema", 1}, {"key", trial.key}, {"what", trial.what}, {"ok", true}}));
}

bool read_answer(const fs::path& cache_folder, const plan::Trial& trial) {
  if (cache_folder.empty()) return false;
  const auto text = read_file(answer_path(cache_folder, trial.key));
  Diagnostics ignored;
  const auto answer = text ? parse_json(*text, "", ignored) : std::nullopt;
  return answer && answer->is_object() && answer->value("key", Json()) == trial.key &&
         answer->value("ok", Json()) == true;
}

std::string expand(std::string text, const std::map<std::string, std::string>& paths) {
  for (const auto& [name, path] : paths)
    text = replace_all(std::move(text), "{" + name + "}", path);
  return text;
}

/// What the launcher would read from a step file, for a trial's folder.
plan::StepFile make_step(const plan::Step& step, const std::map<std::string, std::string>& paths) {
  plan::StepFile file;
  file.id = step.id;
  file.what = step.what;
  for (const std::string& word : step.argv) file.argv.push_back(expand(word, paths));
  file.environment = step.environment;
  for (const std::string& output : step.outputs) file.outputs.push_back(expand(output, paths));
  file.depfile = expand(step.depfile, paths);
  file.kernels = step.kernels;
  file.any_kernel = step.any_kernel;
  return file;
}

probe::TrialResult run_step_of_trial(const plan::StepFile& step, const fs::path& folder) {
  for (const std::string& output : step.outputs) write_folder((folder / output).parent_path());
  Command command{step.argv, step.environment, folder, kLimit};
  const ProcessResult result = PosixProcessRunner().run(command);
  const std::string said = result.err + result.out;
  std::string message;
  if (result.ok()) {
    message = check_outputs(step, folder);
    if (message.empty()) return {true, ""};
  } else {
    message = join(first_errors(said, kErrorLines), "\n");
    if (message.empty() || result.timed_out)
      message = fmt::format("{}: {}", step.argv.front(), result.describe());
  }
  return {false, message, shell_join(step.argv) + "\n" + said};
}

/// Throws Error(file_system): a full disk says nothing about a toolchain. Throws
/// Error(interrupted).
probe::TrialResult run_trial(const plan::Trial& trial, std::map<std::string, std::string> paths,
                             const fs::path& cache_folder) {
  const ScratchFolder scratch(cache_folder.empty() ? fs::temp_directory_path() / "dsbuild-trials"
                                                   : cache_folder / "trials" / "run");
  write_file(scratch.path() / trial.source_name, trial.source);
  paths["build"] = scratch.path();
  for (const plan::Step& step : trial.steps) {
    for (const auto& [path, text] : step.files) write_file(expand(path, paths), text);
    probe::TrialResult result = run_step_of_trial(make_step(step, paths), scratch.path());
    if (is_disk_full(result.message)) {
      throw Error(ExitCode::file_system, result.message, trial.what,
                  "free some space for temporary files, or set TMPDIR to another folder");
    }
    if (!result.ok) return result;
  }
  write_answer(cache_folder, trial);
  return {true, ""};
}

struct Ended {
  const plan::Trial* trial;
  std::optional<probe::TrialResult> result;  ///< nothing when it could not be made at all
  double seconds;
};

/// Runs trials on threads of its own; what happens is told on the caller's thread.
class Crew {
 public:
  Crew(const plan::Plan& plan, std::vector<const plan::Trial*> trials, const fs::path& cache_folder)
      : plan_(plan), trials_(std::move(trials)), cache_folder_(cache_folder) {}

  Results run(int jobs, Progress& progress) {
    Results results;
    std::vector<std::jthread> threads;
    const std::size_t count = std::min<std::size_t>(trials_.size(), static_cast<std::size_t>(jobs));
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    progress.start(trials_.size());
    for (std::size_t open = trials_.size(); open > 0;) {
      for (const plan::Trial* trial : take(started_)) progress.step_started(trial->what);
      for (const Ended& end : take(ended_)) {
        open -= 1;
        if (!end.result) continue;
        progress.step_finished(end.trial->what, end.seconds, end.result->ok);
        results.emplace(end.trial->key, *end.result);
      }
      progress.tick();
    }
    progress.stop();
    if (refusal_) std::rethrow_exception(refusal_);
    return results;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < trials_.size(); i = next_++) {
      put(started_, trials_[i]);
      const double started = steady_seconds();
      std::optional<probe::TrialResult> result;
      try {
        result = run_trial(*trials_[i], plan_.paths, cache_folder_);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        refusal_ = std::current_exception();
      }
      put(ended_, Ended{trials_[i], std::move(result), steady_seconds() - started});
    }
  }
  template <typename T>
  void put(std::vector<T>& list, T item) {
    const std::lock_guard lock(mutex_);
    list.push_back(std::move(item));
    news_.notify_one();
  }
  /// What has come, after waiting a moment for something.
  template <typename T>
  std::vector<T> take(std::vector<T>& list) {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, std::chrono::milliseconds(50),
                   [this] { return !started_.empty() || !ended_.empty(); });
    return std::exchange(list, {});
  }

  const plan::Plan& plan_;
  std::vector<const plan::Trial*> trials_;
  const fs::path& cache_folder_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<const plan::Trial*> started_;
  std::vector<Ended> ended_;
  std::exception_ptr refusal_;  ///< why a trial could not be made at all
};

}  // namespace

Results read_trial_results(const plan::Plan& plan, const fs::path& cache_folder) {
  Results results;
  for (const plan::Trial& trial : plan.trials) {
    if (read_answer(cache_folder, trial)) results.emplace(trial.key, probe::TrialResult{true, ""});
  }
  return results;
}

Results run_trials(const plan::Plan& plan, Results known, const fs::path& cache_folder, int jobs,
                   Progress& progress) {
  std::vector<const plan::Trial*> open;
  for (const plan::Trial& trial : plan.trials) {
    if (known.count(trial.key) == 0) open.push_back(&trial);
  }
  if (!open.empty()) known.merge(Crew(plan, std::move(open), cache_folder).run(jobs, progress));
  return known;
}

}  // namespace dsbuild::run
