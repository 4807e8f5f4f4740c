#include "run/step.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "plan/step_file.h"
#include "run/depfile.h"
#include "run/events.h"
#include "run/launch.h"
#include "run/log.h"
#include "run/outputs.h"
#include "run/parts.h"
#include "run/precompiled_header.h"
#include "run/running.h"
#include "run/step_cache.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// The inherited end of the build's pipe, or -1.
int events_end() {
  const char* text = std::getenv(kEventsVariable);
  if (text == nullptr) return -1;
  int fd = -1;
  const std::string_view number = text;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
  if (error != std::errc() || end != number.data() + number.size()) return -1;
  return ::fcntl(fd, F_GETFD) >= 0 ? fd : -1;
}

/// Commands get none of the files that we were given: a compiler cache that leaves a server behind
/// would keep the build's pipe, or its caller's, open for ever. (Linux 5.11; before, they do.)
void keep_files_from_commands() {
  constexpr unsigned kCloseOnExec = 1u << 2;  // CLOSE_RANGE_CLOEXEC
  ::syscall(SYS_close_range, 3u, ~0u, kCloseOnExec);
}

/// False when the build that should read it is gone.
bool send(int events, const Event& event) {
  if (events < 0) return true;
  const std::string line = render_event(event);
  return ::write(events, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

plan::StepFile read_step(const fs::path& file) {
  const auto text = read_file(file);
  auto step = text ? plan::parse_step_file(*text) : std::nullopt;
  if (!step) {
    throw Error(ExitCode::bad_input,
                text ? "not a step file of this version of dsbuild" : "can't read the step file",
                file.string(), "run `dsbuild build` again: it writes the step files");
  }
  return std::move(*step);
}

/// Not every tool says so when it can't write, and its words may have gone to the same full disk.
std::string add_full_disk(std::string cause, const fs::path& folder) {
  constexpr std::uint64_t kNothing = 64u << 10;
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) == 0 &&
      std::uint64_t{status.f_bavail} * status.f_frsize < kNothing) {
    cause += fmt::format("; {}: {}", folder.native(), std::strerror(ENOSPC));
  }
  return cause;
}

/// What the step read, of its depfile and of the scans that complete it. Sets the event's state or
/// cause when that can't be told.
std::vector<std::string> find_read_files(const plan::StepFile& step, const fs::path& folder,
                                         StepLog& log, int events, Event& event) {
  std::vector<std::string> names;
  std::set<std::string> known;
  const auto add = [&](const std::string& depfile) {
    const auto more = read_depfile(depfile, folder);
    if (!more) event.cause = depfile + " is no depfile: it has no rule in make syntax";
    for (const std::string& name : more.value_or(std::vector<std::string>{})) {
      if (known.insert(name).second) names.push_back(name);
    }
  };
  if (!step.depfile.empty()) add(step.depfile);
  // A compiler that takes a precompiled header doesn't list what that was made from.
  for (std::string& name : PrecompiledHeader(step, folder).read_files()) {
    if (known.insert(name).second) names.push_back(std::move(name));
  }
  for (const plan::Scan& scan : step.scans) {
    plan::StepFile command = step;
    command.argv = scan.argv;
    const LaunchResult result = launch(command, log.fd(), events);
    event.seconds += result.seconds;
    if (result.interrupted) event.state = StepState::interrupted;
    if (!result.ok()) event.cause = "looking for headers: " + result.describe(scan.argv.front());
    if (!event.cause.empty()) break;
    add(scan.depfile);
    write_removal(folder / scan.depfile);
  }
  return names;
}

/// Looks at what a command that ended well made, and keeps it.
void finish_command(const plan::StepFile& step, const fs::path& folder, StepLog& log, int events,
                    StepCache& cache, Event& event) {
  event.cause = check_outputs(step, folder);
  if (!event.cause.empty()) return;
  const std::vector<std::string> read = find_read_files(step, folder, log, events, event);
  if (!event.cause.empty()) return;
  if (!step.depfile.empty()) write_depfile(step.depfile, folder, read);
  if (!cache.usable()) return;
  event.cache = CacheUse::miss;
  event.remark = cache.keep(read, read_log(folder / log_path(step.id)).output);
}

/// Runs the command, where it can be with stand-ins for what its compiler runs. One that fails so,
/// but not by one of these programs, is run again as it is.
LaunchResult launch_step(const plan::StepFile& step, const fs::path& file, const fs::path& folder,
                         const CachePlace& place, StepLog& log, int events, Event& event) {
  const auto command = make_parts_command(step, file, folder, place);
  if (!command) return launch(step, log.fd(), events);
  const fs::path notes = notes_path(folder, step);
  take_notes(notes);
  LaunchResult result = launch(*command, log.fd(), events);
  const PartCounts parts = take_notes(notes);
  event.parts_taken = parts.taken;
  event.parts_made = parts.made;
  if (result.ok() || result.interrupted || parts.failed > 0) return result;
  log.restart();
  const double seconds = result.seconds;
  result = launch(step, log.fd(), events);
  result.seconds += seconds;
  return result;
}

/// Takes the result from the cache, or runs the command and looks at what it made; the reason of a
/// failure is the event's cause.
Event run_command(const plan::StepFile& step, const fs::path& file, const fs::path& folder,
                  StepLog& log, int events) {
  Event event{StepState::done, step.id, 0, 0, {}};
  for (const std::string& output : step.outputs) write_folder((folder / output).parent_path());
  if (!step.depfile.empty()) write_folder((folder / step.depfile).parent_path());
  const CachePlace place = find_cache_place();
  StepCache cache(place, step, folder);
  if (cache.usable() && cache.take(log.fd())) {
    event.cache = CacheUse::hit;
    return event;
  }
  const double header_seconds = PrecompiledHeader(step, folder).prepare(log.fd(), events);
  const LaunchResult result = launch_step(step, file, folder, place, log, events, event);
  event.seconds = header_seconds + result.seconds;
  event.peak_memory = result.peak_memory;
  if (result.interrupted) {
    event.state = StepState::interrupted;
  } else if (result.ok()) {
    finish_command(step, folder, log, events, cache, event);
  } else {
    event.cause = result.describe(step.argv.front());
  }
  if (event.state == StepState::interrupted) {
    event.cause.clear();
  } else if (!event.cause.empty()) {
    event.state = StepState::failed;
    event.cause = add_full_disk(std::move(event.cause), folder);
  }
  return event;
}

Event failed_event(const plan::StepFile& step, const Error& error) {
  return {StepState::failed, step.id, 0, 0, error.where + ": " + error.message};
}

Event run_marked(const plan::StepFile& step, const fs::path& file, const fs::path& folder,
                 int events) {
  const RunningMark mark(folder, file);
  StepLog log(folder, step);
  Event event;
  try {
    event = run_command(step, file, folder, log, events);
  } catch (const Error& error) {
    event = failed_event(step, error);
  }
  if (event.state != StepState::done) write_removal_of_outputs(step, folder);
  log.finish(event.cause);
  return event;
}

}  // namespace

int run_step(const fs::path& file) {
  // The build may be gone when we tell it something; that is for send() to notice.
  ::signal(SIGPIPE, SIG_IGN);
  const int events = events_end();
  keep_files_from_commands();
  const fs::path folder = fs::current_path();
  const plan::StepFile step = read_step(file);
  if (!send(events, {StepState::started, step.id, 0, 0, {}})) return 1;
  Event event;
  try {
    event = run_marked(step, file, folder, events);
  } catch (const Error& error) {
    event = failed_event(step, error);
  }
  send(events, event);
  if (event.state == StepState::done) return 0;
  if (events < 0) {  // plain Ninja: it shows what we print
    const std::string text = fmt::format("{}: {}\n  log: {}\n", step.what, event.cause,
                                         (folder / log_path(step.id)).string());
    std::fputs(text.c_str(), stdout);
  }
  return 1;
}

}  // namespace dsbuild::run
