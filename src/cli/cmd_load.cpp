#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "bundle/match.h"
#include "cli/build_text.h"
#include "cli/building.h"
#include "cli/bundle_content.h"
#include "cli/commands.h"
#include "cli/load_folder.h"
#include "cli/load_key.h"
#include "cli/options.h"
#include "cli/planning.h"
#include "cli/step_cache.h"
#include "manifest/arch_name.h"
#include "ninja/emit.h"
#include "plan/arch_list.h"
#include "run/build.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

struct LoadFlags {
  std::string op;
  std::string jobs;
  int lock_timeout = 3600;
  bool require_prebuilt = false;
};

/// A build that failed; what is to be said of it was said.
struct Failed {
  ExitCode code;
};

class Load {
 public:
  Load(Context& context, const LoadFlags& flags) : context_(context), flags_(flags) {}

  ExitCode run() {
    check_temporary_folder(context_.host_system());
    context_.options.ops = flags_.op;
    catalog_ = context_.read_catalog();
    machine_ = context_.probe(catalog_);
    jobs_ = choose_jobs(context_, flags_.jobs, machine_);
    progress_ = make_progress(context_);
    // Trials compile, and what is prebuilt was tried when it was built.
    plan_ = flags_.require_prebuilt
                ? context_.plan(make_request(), catalog_, machine_)
                : plan_with_trials(context_, make_request(), catalog_, machine_, jobs_, *progress_);
    refuse_if_missing(context_, plan_, false);
    check_one_module();
    tell_of_low_level();
    key_ = make_load_key(flags_.op, plan_, is_extension() ? &machine_.torches.front() : nullptr);
    try {
      const fs::path found = flags_.require_prebuilt ? find_prebuilt() : find_or_build();
      context_.print(found.string() + "\n");
    } catch (const Failed& failed) {
      return failed.code;
    }
    return ExitCode::ok;
  }

 private:
  const manifest::Op* op() const {
    const auto found = catalog_.ops.find(flags_.op);
    return found == catalog_.ops.end() ? nullptr : &found->second;
  }

  bool is_extension() const {
    return op() != nullptr && op()->kind == manifest::OpKind::python_extension;
  }

  bool has_device(const std::string& accelerator) const {
    return std::any_of(machine_.devices.begin(), machine_.devices.end(),
                       [&](const probe::Device& d) { return d.accelerator == accelerator; });
  }

  bool has_sources(const std::string& accelerator) const {
    return std::any_of(op()->parts.begin(), op()->parts.end(),
                       [&](const auto& part) { return part.on.contains(accelerator); });
  }

  /// A module is for one accelerator: that of a device here that torch was built for, else the
  /// host.
  std::string usual_accelerator() const {
    for (const auto& [name, accelerator] : catalog_.accelerators) {
      const bool serves = !machine_.torches.empty() &&
                          machine_.torches.front().libraries.contains(name) && has_sources(name);
      if (!accelerator.host && has_device(name) && serves) return name;
    }
    return catalog_.host().name;
  }

  /// What runs here, where nobody says what else: the archs of the devices, the level of the CPU.
  plan::Request make_request() {
    plan::Request request = context_.request(catalog_, machine_);
    if (request.accelerators.empty() && is_extension()) {
      request.accelerators = {usual_accelerator()};
      request.accelerators_origin = "the devices here (--accelerators names others)";
    }
    if (request.accelerators.empty()) {
      for (const auto& [name, accelerator] : catalog_.accelerators) {
        if (accelerator.host || has_device(name)) request.accelerators.push_back(name);
      }
      request.of_machines = true;
    }
    Diagnostics told_later;
    const auto wishes = plan::parse_arch_settings(
        request.archs, catalog_, machine_.host.machine.value.value_or(""), told_later);
    std::set<std::string> archs;
    for (const probe::Device& device : machine_.devices) {
      const bool asked = std::find(request.accelerators.begin(), request.accelerators.end(),
                                   device.accelerator) != request.accelerators.end();
      if (asked && device.arch && !wishes.contains(device.accelerator))
        archs.insert(device.accelerator + ":" + *device.arch);
    }
    const std::string host = catalog_.host().name;
    const bool has_level =
        manifest::parse_arch_name(catalog_.host(), machine_.cpu.level.value.value_or(""),
                                  machine_.host.machine.value.value_or(""))
            .has_value();
    if (has_level && !wishes.contains(host)) archs.insert(host + ":" + *machine_.cpu.level);
    if (!archs.empty())
      request.archs.push_back({"arch", join({archs.begin(), archs.end()}, ","), "what is here"});
    return request;
  }

  void check_one_module() {
    if (!is_extension()) return;
    for (const plan::Entry& entry : plan_.entries) {
      if (entry.op == flags_.op && entry.state == plan::EntryState::planned && entry.is_extension())
        modules_.push_back(&entry);
    }
    if (modules_.size() == 1) return;
    throw Error(ExitCode::bad_input,
                fmt::format("{} would be {}, and one is loaded", flags_.op,
                            count_of(modules_.size(), "module")),
                "load " + flags_.op, "name one accelerator and one CPU level");
  }

  /// Vector code of extensions begins at a level of its own: below it they are right, and slow.
  void tell_of_low_level() {
    if (!is_extension()) return;
    const manifest::Accelerator& host = catalog_.host();
    const std::string machine = machine_.host.machine.value.value_or("");
    const auto usual = host.archs.extension.find(machine);
    const auto level = modules_.front()->needs.find(host.name);
    if (usual == host.archs.extension.end() || level == modules_.front()->needs.end()) return;
    const auto built_for = manifest::parse_arch_name(host, level->second, machine);
    const auto wanted = manifest::parse_arch_name(host, usual->second, machine);
    if (built_for && wanted && manifest::arch_less(*built_for, *wanted)) {
      context_.note(fmt::format("dsbuild: built for {}: {} has no vector code below {}",
                                level->second, flags_.op, usual->second));
    }
  }

  /// In the folder that was named, else in a private one: who needs an op must not fail because of
  /// where it is kept.
  fs::path find_or_build() {
    const fs::path named = find_load_folder(context_.host_system(), context_.options.step_cache);
    std::optional<Error> problem;
    if (!named.empty()) {
      const fs::path folder = folder_in(named);
      problem = check_load_folder(folder);
      if (problem && is_ready(folder)) return result(folder);
      try {
        if (!problem) return build_in(named);
      } catch (const Error& error) {
        if (error.code != ExitCode::file_system) throw;
        problem = error;
      }
    }
    const fs::path other = context_.private_folder();
    if (other.empty())
      throw problem ? *problem : Error(ExitCode::file_system, "no folder can be written", "TMPDIR");
    if (problem) {
      context_.note(fmt::format("dsbuild: {}: {}; {} is taken instead", problem->where,
                                problem->message, other.string()));
    }
    const fs::path folder = folder_in(other);
    if (auto refused = check_load_folder(folder)) throw Error(*refused);
    return build_in(other);
  }

  /// What was built before, as it stands; nothing is compiled.
  fs::path find_prebuilt() {
    std::vector<std::string> others;
    std::string where;
    for (const fs::path& root :
         {find_load_folder(context_.host_system(), context_.options.step_cache),
          context_.private_folder()}) {
      if (root.empty()) continue;
      const fs::path folder = folder_in(root);
      if (is_ready(folder)) return result(folder);
      if (where.empty()) where = folder.string();
      for (const LoadedOp& other : find_others(folder, flags_.op)) {
        others.push_back(fmt::format("{} has {}", other.folder.string(),
                                     join(describe_difference(other.words, key_.words), ", ")));
      }
    }
    throw Error(ExitCode::no_op, fmt::format("no prebuilt {} {}", flags_.op, describe_key(key_)),
                where,
                (others.empty() ? "no other one is there" : join(others, "\n  ")) +
                    "\n  without --require-prebuilt it is built");
  }

  fs::path folder_in(const fs::path& root) const { return root / "load" / key_.folder; }
  static fs::path bundle_of(const fs::path& folder) { return folder / "bundle"; }

  /// Whether a finished build stands in a folder that can't be written.
  static bool is_ready(const fs::path& folder) {
    try {
      return bundle::check_bundle(bundle_of(folder), bundle::read_bundle(bundle_of(folder)))
          .empty();
    } catch (const Error&) {
      return false;
    }
  }

  fs::path build_in(const fs::path& root) {
    const fs::path folder = folder_in(root);
    run::CachePlace steps = find_step_cache(context_);
    if (!context_.options.force) steps.folder = root;
    const std::string failed_before = failure_stamp(folder);
    const FolderLock lock(folder, std::chrono::seconds(flags_.lock_timeout),
                          [&](const std::string& line) { context_.note("dsbuild: " + line); });
    const std::string failed_now = failure_stamp(folder);
    if (!failed_now.empty() && failed_now != failed_before) {
      if (const auto failure = read_load_failure(folder)) fail(*failure);
    }
    const fs::path build_folder = build_folder_in(folder);
    plan_.paths["build"] = build_folder.string();
    run::BuildOptions options{
        build_folder, context_.executable(), find_ninja(machine_), jobs_, false, false, steps};
    options.force = context_.options.force;
    const run::BuildOutcome outcome =
        run::run_build(plan_, ninja::render_build_files(plan_, build_folder), options, *progress_);
    tell_of_cache(context_, steps, outcome);
    if (outcome.no_space) {
      throw Error(ExitCode::file_system, "No space left on device", folder.string(),
                  "free some space there, or choose another folder");
    }
    if (!outcome.ok) {
      const LoadFailure failure{exit_code_of(outcome),
                                describe_failures(outcome, plan_, false, false)};
      write_load_failure(folder, failure);
      fail(failure);
    }
    bundle::write_bundle(
        plan_,
        collect_content(context_.host_system(), catalog_, machine_, plan_, build_folder,
                        read_revision(context_, catalog_.roots.front())),
        bundle_of(folder));
    write_load_success(folder, key_.words);
    return result(folder);
  }

  /// Locks of a network file system may hold on one host alone: there each host builds in a folder
  /// of its own. What they publish is equal, and takes its place by rename.
  static fs::path build_folder_in(const fs::path& folder) {
    if (network_file_system(folder).empty()) return folder / "build";
    return folder / ("build-" + host_name());
  }

  [[noreturn]] void fail(const LoadFailure& failure) {
    for (const std::string& line : failure.lines) context_.note(line);
    throw Failed{failure.code};
  }

  fs::path result(const fs::path& folder) {
    check_runs_here(bundle::read_bundle(bundle_of(folder)));
    return is_extension() ? bundle_of(folder) / modules_.front()->artifact : bundle_of(folder);
  }

  /// Archs that were named need not be those of what is here.
  void check_runs_here(const bundle::BundleIndex& index) {
    const manifest::Accelerator& host = catalog_.host();
    for (const bundle::BundleFile& file : index.files) {
      const auto needed = file.needs.find("cpu");
      if (file.op != flags_.op || needed == file.needs.end() || !machine_.cpu.level) continue;
      const auto image = manifest::parse_arch_name(host, needed->second, "");
      const auto level = manifest::parse_arch_name(host, *machine_.cpu.level, "");
      if (!is_extension() || !image || !level ||
          manifest::arch_runs_on(host, *image, false, *level))
        continue;
      throw Error(ExitCode::bad_artifact,
                  fmt::format("{} was built for {}, and this CPU is {}", flags_.op, needed->second,
                              *machine_.cpu.level),
                  "--arch", "leave the level out, or name one that this CPU has");
    }
    for (const bundle::Match& match : bundle::match_bundle(index, catalog_, machine_)) {
      if (match.op != flags_.op || !match.image.empty() || match.accelerator == host.name) continue;
      throw Error(ExitCode::bad_artifact,
                  fmt::format("{} won't load on {}: {}", flags_.op, match.device, match.reason),
                  "load " + flags_.op, "name its arch with --arch, or leave --arch out");
    }
  }

  Context& context_;
  const LoadFlags& flags_;
  manifest::Catalog catalog_;
  probe::Machine machine_;
  plan::Plan plan_;
  int jobs_ = 1;
  std::unique_ptr<run::Progress> progress_;
  LoadKey key_;
  std::vector<const plan::Entry*> modules_;
};

}  // namespace

std::function<ExitCode()> add_load(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<LoadFlags>();
  Options& options = context.options;
  app.add_option("OP", flags->op, "the op")->required()->type_name("");
  app.add_option("--accelerators", options.accelerators,
                 "the accelerator that it is for: that of a device here when left away "
                 "(DS_ACCELERATOR)")
      ->type_name("LIST");
  app.add_option("--arch", options.archs, "archs: those of the devices here when left away")
      ->type_name("LIST");
  app.add_option("-j,--jobs", flags->jobs, "steps that run at once (DSBUILD_JOBS, MAX_JOBS)")
      ->type_name("N");
  app.add_option("--lock-timeout", flags->lock_timeout,
                 "seconds to wait for another process that builds the same")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str();
  app.add_flag("--require-prebuilt", flags->require_prebuilt,
               "take what was built before, or end with 4: compile nothing");
  add_force_option(app, options);
  add_unity_option(app, options);
  add_step_cache_options(app, options);
  add_catalog_options(app, options);
  add_machine_options(app, options, false);
  return [&context, flags] { return Load(context, *flags).run(); };
}

}  // namespace dsbuild::cli
