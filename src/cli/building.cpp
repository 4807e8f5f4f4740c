#include "cli/building.h"

#include <unistd.h>

#include "base/error.h"
#include "cli/plan_text.h"
#include "cli/settings.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {

int choose_jobs(const Context& context, const std::string& flag, const probe::Machine& machine) {
  Diagnostics diagnostics;
  std::optional<int> jobs = read_count("-j", flag, diagnostics);
  for (const char* variable : {"DSBUILD_JOBS", "MAX_JOBS"}) {
    if (!jobs)
      jobs = read_count(variable, context.host_system().env(variable).value_or(""), diagnostics);
  }
  for (const Diagnostic& problem : diagnostics.all()) {
    throw Error(ExitCode::bad_input, problem.message, problem.file, problem.hint);
  }
  return jobs ? *jobs
              : run::default_jobs(machine.host.cpus.value.value_or(1),
                                  machine.host.memory.value.value_or(0));
}

void check_temporary_folder(const System& system) {
  const std::string folder = system.env("TMPDIR").value_or("");
  std::error_code error;
  const bool usable = fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
  if (folder.empty() || usable) return;
  throw Error(ExitCode::file_system, "compilers can't put their temporary files there",
              "TMPDIR " + folder, "set TMPDIR to a folder that can be written, or leave it unset");
}

std::unique_ptr<run::Progress> make_progress(const Context& context) {
  return context.terminal(STDERR_FILENO) ? run::make_terminal_progress(STDERR_FILENO)
                                         : run::make_plain_progress(STDERR_FILENO);
}

void refuse_if_missing(Context& context, const plan::Plan& plan, bool keep_going) {
  const ExitCode verdict = plan.verdict();
  const bool nothing = planned_accelerators(plan).empty();
  if (verdict == ExitCode::ok && !nothing) return;
  for (const std::string& line : missing_lines(plan)) context.note("dsbuild: " + line);
  if (nothing && context.options.ops.empty() && context.options.accelerators.empty()) {
    throw Error(verdict == ExitCode::ok ? ExitCode::no_toolchain : verdict,
                "nothing can be built on this machine", "",
                "install a compiler: apt-get install g++ ninja-build");
  }
  if (nothing || !keep_going) {
    throw Error(verdict, "nothing was compiled, because something that was named can't be built",
                "", nothing ? "" : "leave it out, or build the rest with --keep-going");
  }
}

fs::path find_ninja(const probe::Machine& machine) {
  const probe::Tool* ninja = machine.find_tool("ninja");
  if (ninja == nullptr || !ninja->path) {
    throw Error(ExitCode::no_toolchain,
                "ninja is needed to build: " + (ninja ? ninja->path.reason : "not found"), "PATH",
                "apt-get install ninja-build");
  }
  return *ninja->path;
}

ExitCode exit_code_of(const run::BuildOutcome& outcome) {
  if (outcome.no_space) return ExitCode::file_system;
  return outcome.ok ? ExitCode::ok : ExitCode::step_failed;
}

}  // namespace dsbuild::cli
