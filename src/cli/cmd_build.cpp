#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <future>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "bundle/match.h"
#include "cli/build_text.h"
#include "cli/bundle_content.h"
#include "cli/commands.h"
#include "cli/depfile.h"
#include "cli/machine_file.h"
#include "cli/options.h"
#include "cli/plan_text.h"
#include "cli/planning.h"
#include "cli/settings.h"
#include "cli/step_cache.h"
#include "ninja/emit.h"
#include "run/build.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

struct BuildFlags {
  std::string out = kUsualBundle;
  std::string build_dir = "out/build";
  std::string jobs;
  std::string depfile;
  std::string compile_commands;
  int lock_timeout = 3600;
  bool keep_going = false;
  bool verbose = false;
  bool dry_run = false;
  bool explain = false;
};

int jobs_of(const Context& context, const BuildFlags& flags, const probe::Machine& machine) {
  Diagnostics diagnostics;
  std::optional<int> jobs = read_count("-j", flags.jobs, diagnostics);
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

/// Of a TMPDIR that is not there compilers only say that some file can't be opened, or fall back to
/// /tmp without a word.
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

/// What was named and can't be had stops the build before anything is compiled.
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

fs::path ninja_of(const probe::Machine& machine) {
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

/// Of machines that the bundle was asked for, each must load what it has for them: their driver and
/// libc may be older than what was built needs.
ExitCode check_for_machines(Context& context, const manifest::Catalog& catalog,
                            const bundle::BundleIndex& index) {
  ExitCode verdict = ExitCode::ok;
  for (const RecordedMachine& recorded : read_machine_files(context.options.machines)) {
    for (const bundle::Match& match : bundle::match_bundle(index, catalog, recorded.machine)) {
      if (!match.image.empty()) continue;
      context.note(fmt::format("dsbuild: {}: {} won't load on its {}: {}", recorded.file, match.op,
                               match.device.empty() ? match.accelerator : match.device,
                               match.reason));
      verdict = ExitCode::bad_artifact;
    }
  }
  return verdict;
}

/// What is to be known of the step cache after a build that used it.
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

ExitCode run_build_command(Context& context, const BuildFlags& flags) {
  check_temporary_folder(context.host_system());
  const run::CachePlace cache = find_step_cache(context);
  const manifest::Catalog catalog = context.read_catalog();
  probe::Machine machine = context.probe(catalog);
  plan::Request request = context.request(catalog, machine);
  request.keep_going = flags.keep_going;
  const int jobs = jobs_of(context, flags, machine);
  const auto progress = make_progress(context);
  plan::Plan plan = plan_with_trials(context, request, catalog, machine, jobs, *progress);
  for (const std::string& line : plan.notes) context.note(line);
  refuse_if_missing(context, plan, flags.keep_going);
  if (flags.dry_run) {
    context.print(render_commands(plan));
    return plan.verdict();
  }

  const fs::path build_folder = fs::absolute(flags.build_dir).lexically_normal();
  const fs::path out = fs::absolute(flags.out).lexically_normal();
  plan.paths["build"] = build_folder.string();
  const fs::path ninja = ninja_of(machine);
  const FolderLock lock(build_folder, std::chrono::seconds(flags.lock_timeout),
                        [&](const std::string& line) { context.note("dsbuild: " + line); });
  if (!flags.compile_commands.empty()) {
    write_file_if_changed(flags.compile_commands,
                          ninja::render_compile_commands(plan, build_folder));
  }
  // git looks at every file of the checkout, which takes about as long as a Ninja with nothing to
  // do.
  auto content = std::async(std::launch::async, [&] {
    return collect_content(context, catalog, machine, plan, build_folder);
  });
  const run::BuildOutcome outcome = run::run_build(
      plan, ninja::render_build_files(plan, build_folder),
      {build_folder, context.executable(), ninja, jobs, flags.keep_going, flags.explain, cache},
      *progress);
  tell_of_cache(context, cache, outcome);
  if (!outcome.ok) {
    for (const std::string& line : describe_failures(outcome, plan, flags.verbose))
      context.note(line);
    return exit_code_of(outcome);
  }
  const bundle::Publication bundle = bundle::write_bundle(plan, content.get(), out);
  if (!flags.depfile.empty()) {
    write_file(flags.depfile,
               render_depfile(context, plan, catalog, flags.out, build_folder, ninja));
    // For the outer build the bundle is as new as its sources now, whether or not anything in it
    // changed.
    std::error_code error;
    fs::last_write_time(out / "bundle.json", fs::file_time_type::clock::now(), error);
  }
  context.print(
      report::render_text(describe_build(plan, bundle.index, outcome, bundle.changed, flags.out),
                          context.style(STDOUT_FILENO)));
  const ExitCode verdict = plan.verdict();
  return verdict == ExitCode::ok ? check_for_machines(context, catalog, bundle.index) : verdict;
}

}  // namespace

std::function<ExitCode()> add_build(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<BuildFlags>();
  add_request_options(app, context.options);
  app.add_option("--out", flags->out, "where the bundle goes")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--build-dir", flags->build_dir, "where what is built on the way goes")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("-j,--jobs", flags->jobs, "steps that run at once (DSBUILD_JOBS, MAX_JOBS)")
      ->type_name("N");
  app.add_flag("-k,--keep-going", flags->keep_going,
               "build what can be built; the exit code still tells what could not");
  app.add_flag("-n,--dry-run", flags->dry_run,
               "print the commands and run none (canaries are still tried)");
  app.add_flag("-v,--verbose", flags->verbose, "show the whole output of a step that fails");
  app.add_flag("--explain", flags->explain, "say why each step runs, as ninja -d explain does");
  app.add_option("--depfile", flags->depfile,
                 "write what the bundle was made from, for an outer make or ninja")
      ->type_name("FILE");
  app.add_option("--compile-commands", flags->compile_commands, "write a compile_commands.json")
      ->type_name("FILE");
  app.add_option("--lock-timeout", flags->lock_timeout,
                 "seconds to wait for another build in the same build folder")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str();
  add_step_cache_options(app, context.options);
  add_catalog_options(app, context.options);
  add_machine_options(app, context.options, false);
  return [&context, flags] { return run_build_command(context, *flags); };
}

}  // namespace dsbuild::cli
