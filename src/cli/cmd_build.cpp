#include <fmt/format.h>
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
#include "cli/building.h"
#include "cli/bundle_content.h"
#include "cli/bundle_install.h"
#include "cli/commands.h"
#include "cli/depfile.h"
#include "cli/machine_file.h"
#include "cli/match_text.h"
#include "cli/options.h"
#include "cli/planning.h"
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
  bool install = false;
};

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

/// Where the bundle is installed once it is built, asked before a long build: in the Python that it
/// is built for.
std::optional<bundle::PythonHost> find_target(Context& context, const BuildFlags& flags,
                                              const probe::Machine& machine) {
  if (!flags.install) return std::nullopt;
  std::string python = context.options.python;
  if (python.empty() && !machine.torches.empty())
    python = machine.torches.front().interpreter.value.value_or("");
  bundle::PythonHost host = find_install_host(context, python);
  bundle::check_install_place(host);
  return host;
}

ExitCode run_build_command(Context& context, const BuildFlags& flags) {
  check_temporary_folder(context.host_system());
  const fs::path build_folder = fs::absolute(flags.build_dir).lexically_normal();
  // While the plan is made Ninja looks at what it made last, and git at the checkout: each takes
  // about as long as planning.
  auto lock = flags.dry_run ? nullptr : FolderLock::take_if_free(build_folder);
  std::optional<run::Preview> preview;
  const bool force = context.options.force;
  if (lock && !flags.explain && !force) preview.emplace(context.processes(), build_folder);
  const run::CachePlace cache = find_step_cache(context);
  manifest::Catalog catalog = context.read_catalog();
  auto revision =
      std::async(flags.dry_run ? std::launch::deferred : std::launch::async,
                 [&context, root = catalog.roots.front()] { return read_revision(context, root); });
  probe::Machine machine = context.probe(catalog);
  plan::Request request = context.request(catalog, machine);
  request.keep_going = flags.keep_going;
  const int jobs = choose_jobs(context, flags.jobs, machine);
  const auto progress = make_progress(context);
  plan::Plan plan =
      plan_with_trials(context, request, catalog, machine, jobs, *progress, flags.verbose);
  for (const std::string& line : plan.notes) context.note(line);
  refuse_if_missing(context, plan, flags.keep_going);
  if (flags.dry_run) {
    context.print(render_commands(plan));
    return plan.verdict();
  }

  const auto target = find_target(context, flags, machine);
  const fs::path out = fs::absolute(flags.out).lexically_normal();
  plan.paths["build"] = build_folder.string();
  const fs::path ninja = find_ninja(machine);
  if (!lock) {
    lock = std::make_unique<FolderLock>(
        build_folder, std::chrono::seconds(flags.lock_timeout),
        [&](const std::string& line) { context.note("dsbuild: " + line); });
  }
  if (!flags.compile_commands.empty()) {
    write_file_if_changed(flags.compile_commands,
                          ninja::render_compile_commands(plan, build_folder));
  }
  const run::BuildOutcome outcome =
      run::run_build(plan, ninja::render_build_files(plan, build_folder),
                     {build_folder, context.executable(), ninja, jobs, flags.keep_going,
                      flags.explain, cache, flags.verbose, preview ? &*preview : nullptr, force},
                     *progress);
  tell_of_cache(context, cache, outcome);
  if (!outcome.ok) {
    plan::Plan rest = plan;
    std::vector<std::string> failed;
    for (const run::StepFailure& failure : outcome.failures) failed.push_back(failure.step);
    const bool publish =
        flags.keep_going && !failed.empty() && !outcome.no_space && skip_failed(rest, failed);
    for (const std::string& line : describe_failures(outcome, plan, flags.verbose, publish))
      context.note(line);
    if (!publish) return exit_code_of(outcome);
    plan = std::move(rest);
  }
  const bundle::Publication bundle = bundle::write_bundle(
      plan,
      collect_content(context.host_system(), catalog, machine, plan, build_folder, revision.get()),
      out);
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
  if (target) {
    const bool one = request.accelerators.size() == 1;
    install_bundle(context, catalog, machine, *target,
                   {out, one ? request.accelerators.front() : "", {}});
  }
  if (context.options.machines.empty()) {
    for (const std::string& line :
         describe_old_drivers(bundle::match_bundle(bundle.index, catalog, machine)))
      context.note("dsbuild: " + line);
  }
  if (!outcome.ok) return exit_code_of(outcome);
  const ExitCode verdict = plan.verdict();
  return verdict == ExitCode::ok ? check_for_machines(context, catalog, bundle.index) : verdict;
}

}  // namespace

std::function<ExitCode()> add_build(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<BuildFlags>();
  add_request_options(app, context.options);
  add_unity_option(app, context.options);
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
  app.add_flag("-v,--verbose", flags->verbose,
               "show the whole output of each step and of each canary that fails, not only its "
               "first error");
  app.add_flag("--explain", flags->explain, "say why each step runs, as ninja -d explain does");
  add_force_option(app, context.options);
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
  app.add_flag("--install", flags->install,
               "then put the bundle's modules where DeepSpeed looks for its prebuilt ops, in the "
               "Python that they are built for");
  add_step_cache_options(app, context.options);
  add_catalog_options(app, context.options);
  add_machine_options(app, context.options, false);
  return [&context, flags] { return run_build_command(context, *flags); };
}

}  // namespace dsbuild::cli
