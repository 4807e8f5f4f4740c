#include "bundle/install.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/scratch.h"
#include "base/text.h"
#include "bundle/ops_record.h"
#include "probe/frameworks/torch_files.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

constexpr const char* kPackage = "deepspeed";
constexpr std::chrono::seconds kLockLimit{600};

InstallPlace place_of(const PythonHost& host) {
  return {host.site(), host.package / ".dsbuild", host.package / "__init__.py"};
}

std::string record_path() {
  return fmt::format("{}/{}", kPackage, kRecordName);
}

probe::Torch read_torch(const System& system, const PythonHost& host) {
  probe::Torch torch;
  torch.path = host.torch.string();
  torch.site = host.torch.parent_path().string();
  probe::read_torch_files(system, torch);
  return torch;
}

[[noreturn]] void refuse(const std::string& where, const std::vector<std::string>& reasons,
                         const std::string& hint) {
  std::string message = "nothing was installed:";
  for (const std::string& reason : reasons) message += "\n  " + reason;
  throw Error(ExitCode::bad_artifact, message, where, hint);
}

/// One installation works with one accelerator and one torch: its record has room for one of each.
void refuse_two_accelerators(const OpsRecord& record, const std::string& name,
                             const PythonHost& host, bool ours) {
  if (record.installed.empty() || record.accelerator == name || record.accelerator.empty()) return;
  throw Error(
      ExitCode::bad_input,
      fmt::format("ops for {} are installed there ({}), and DeepSpeed takes those of one "
                  "accelerator",
                  record.accelerator, join(record.installed, ", ")),
      host.package.string(),
      ours ? fmt::format(
                 "take them back first: dsbuild bundle install --remove --into {} --python {}",
                 kPackage, host.interpreter.string())
           : "install DeepSpeed anew without prebuilt ops, or use another environment");
}

std::string two_numbers(const Fact<Version>& version) {
  return version ? fmt::format("{}.{}", version->part(0), version->part(1)) : "0.0";
}

/// Copies what is installed, and holds each file against the bundle's index.
std::map<std::string, NewFile> stage(const fs::path& folder, const fs::path& bundle,
                                     const std::vector<Extension>& extensions) {
  std::map<std::string, NewFile> files;
  std::vector<std::string> broken;
  for (const Extension& extension : extensions) {
    const fs::path copy = folder / extension.place;
    write_copy(bundle / extension.file.path, copy);
    if (sha256_file(copy) != extension.file.sha256) broken.push_back(extension.file.path);
    files[extension.place] = {extension.file.op, copy};
  }
  if (!broken.empty()) {
    refuse(bundle.string(), {"not as bundle.json says: " + join(broken, ", ")},
           "dsbuild bundle verify tells more; build it anew");
  }
  return files;
}

class Install {
 public:
  Install(const InstallMeans& means, const PythonHost& host, const InstallRequest& request)
      : means_(means), host_(host), request_(request), place_(place_of(host)) {}

  InstallOutcome run() {
    const BundleIndex index = read_bundle(request_.bundle);
    InstallOutcome outcome;
    outcome.accelerator = choose_accelerator(index, means_.catalog, request_);
    choose(index, outcome);
    check_install_place(host_);
    const bool was_there = fs::exists(place_.own);
    try {
      const FolderLock lock(place_.own, kLockLimit, means_.note);
      publish(outcome);
    } catch (const Error&) {
      if (!was_there) write_removal(place_.own);
      throw;
    }
    return outcome;
  }

 private:
  void choose(const BundleIndex& index, InstallOutcome& outcome) {
    torch_ = read_torch(means_.system, host_);
    const ExtensionHost host{host_.version, host_.suffixes, torch_,
                             means_.level,  kPackage,       host_.package_version};
    ExtensionChoice choice =
        choose_extensions(index, means_.catalog, host, outcome.accelerator, request_.ops);
    if (!choice.problems.empty()) {
      refuse(request_.bundle.string(), choice.problems,
             "build for this Python: dsbuild build --python " + host_.interpreter.string() +
                 ", or install some of them with --ops");
    }
    outcome.extensions = std::move(choice.extensions);
    for (const BundleGap& gap : index.gaps) {
      if (gap.accelerator == outcome.accelerator) outcome.gaps.push_back(gap);
    }
  }

  void publish(InstallOutcome& outcome) {
    Installed installed = read_installed(place_);
    if (!installed.complete) {
      outcome.notes.push_back("an installation that was interrupted was taken back first");
      write_uninstall(place_, installed, record_path(), [](const auto&) { return false; });
      write_folder(place_.own);
      installed = {};
    }
    const fs::path record_file = place_.site / record_path();
    const std::string old_text = read_file(record_file).value_or("");
    const std::string name = name_for_deepspeed(means_.catalog, outcome.accelerator);
    const OpsRecord old = parse_ops_record(old_text);
    refuse_two_accelerators(old, name, host_, !installed.files.empty());
    if (stands(installed, outcome, old, name)) return;

    const ScratchFolder scratch(place_.own / "new");
    auto files = stage(scratch.path(), request_.bundle, outcome.extensions);
    const std::string record = try_all(outcome, files, new_record(old_text, old, outcome, name));
    write_file(scratch.path() / kRecordName, record);
    files[record_path()] = {"", scratch.path() / kRecordName};
    installed.accelerator = outcome.accelerator;
    write_installed(place_, std::move(installed), files, record_path());
    outcome.changed = true;
  }

  /// Whether exactly this is installed already.
  bool stands(const Installed& installed, const InstallOutcome& outcome, const OpsRecord& old,
              const std::string& name) const {
    if (old.accelerator != name || old.torch != two_numbers(torch_.version) ||
        old.cuda != two_numbers(torch_.cuda))
      return false;
    return std::all_of(
        outcome.extensions.begin(), outcome.extensions.end(), [&](const Extension& extension) {
          const auto file = installed.files.find(extension.place);
          const fs::path path = place_.site / extension.place;
          return file != installed.files.end() && fs::is_regular_file(path) &&
                 file->second.sha256 == extension.file.sha256 &&
                 sha256_file(path) == extension.file.sha256 &&
                 std::binary_search(old.installed.begin(), old.installed.end(), extension.file.op);
        });
  }

  /// Ops that were built for another torch stay files, but can't be claimed beside ours.
  std::string new_record(const std::string& old_text, const OpsRecord& old, InstallOutcome& outcome,
                         const std::string& name) const {
    std::vector<std::string> ops;
    for (const Extension& extension : outcome.extensions) ops.push_back(extension.file.op);
    const bool same_torch = old.torch == two_numbers(torch_.version);
    std::vector<std::string> dropped;
    if (!same_torch) {
      std::sort(ops.begin(), ops.end());
      std::set_difference(old.installed.begin(), old.installed.end(), ops.begin(), ops.end(),
                          std::back_inserter(dropped));
    }
    if (!dropped.empty()) {
      outcome.notes.push_back(fmt::format("{}: built for torch {}, no longer claimed as installed",
                                          join(dropped, ", "), old.torch));
    }
    return render_ops_record(old_text, ops, dropped, name, host_.package_version);
  }

  /// The record as it will be. Throws Error(bad_artifact) with what each module says.
  std::string try_all(const InstallOutcome& outcome, const std::map<std::string, NewFile>& files,
                      const std::string& record) const {
    std::vector<TriedModule> modules;
    for (const Extension& extension : outcome.extensions) {
      modules.push_back(
          {extension.file.op, extension.module, files.at(extension.place).from, extension.after});
    }
    const ModuleTrial trial =
        try_modules(means_.processes, means_.system.environment(), host_, modules, record);
    std::vector<std::string> reasons;
    for (const auto& [op, why] : trial.failures) reasons.push_back(op + ": " + why);
    if (!trial.record_failure.empty())
      reasons.push_back(fmt::format("import {}: {}", kPackage, trial.record_failure));
    if (!reasons.empty()) {
      refuse(host_.interpreter.string(), reasons,
             "each was imported by this Python from a private folder; --ops installs some alone");
    }
    return trial.record;
  }

  const InstallMeans& means_;
  const PythonHost& host_;
  const InstallRequest& request_;
  InstallPlace place_;
  probe::Torch torch_;
};

}  // namespace

std::string name_for_deepspeed(const manifest::Catalog& catalog, const std::string& accelerator) {
  const manifest::Accelerator* known = catalog.find_accelerator(accelerator);
  const bool has = known != nullptr && !known->runtime.torch.empty();
  return has ? known->runtime.torch.front() : accelerator;
}

std::string choose_accelerator(const BundleIndex& index, const manifest::Catalog& catalog,
                               const InstallRequest& request) {
  const std::vector<std::string> names = extension_accelerators(index);
  if (names.empty()) {
    throw Error(ExitCode::bad_artifact, "the bundle has no module for Python",
                request.bundle.string(), "build one: dsbuild build --source deepspeed");
  }
  if (request.accelerator.empty() && names.size() == 1) return names.front();
  for (const std::string& name : names) {
    if (name == request.accelerator) return name;
  }
  for (const std::string& name : names) {
    if (name_for_deepspeed(catalog, name) == request.accelerator) return name;
  }
  const std::string there = join(names, ", ");
  throw Error(
      ExitCode::bad_input,
      request.accelerator.empty()
          ? fmt::format("the bundle has modules for {}, and DeepSpeed takes those of one", there)
          : fmt::format("the bundle has no module for {}, but for {}", request.accelerator, there),
      request.bundle.string(), "say which: --accelerator " + names.front());
}

void check_install_place(const PythonHost& host) {
  check_writable(host.package);
  check_writable(host.package / "ops");
}

InstallOutcome write_install(const InstallMeans& means, const PythonHost& host,
                             const InstallRequest& request) {
  return Install(means, host, request).run();
}

RemovalOutcome write_install_removal(const InstallMeans& means, const PythonHost& host) {
  const InstallPlace place = place_of(host);
  RemovalOutcome outcome;
  if (!fs::exists(place.own)) return outcome;
  check_install_place(host);
  const FolderLock lock(place.own, kLockLimit, means.note);
  const Installed installed = read_installed(place);
  outcome.was_installed = !installed.files.empty();
  // A record that somebody else has changed stays; what it claims must then be there.
  const fs::path record_file = place.site / record_path();
  const auto ours = installed.files.find(record_path());
  const std::string text = read_file(record_file).value_or("");
  const bool theirs = ours == installed.files.end() || sha256(text) != ours->second.sha256;
  const OpsRecord record = theirs && installed.complete ? parse_ops_record(text) : OpsRecord{};
  outcome.files = write_uninstall(place, installed, record_path(), [&](const InstalledFile& file) {
    return std::binary_search(record.installed.begin(), record.installed.end(), file.op);
  });
  return outcome;
}

}  // namespace dsbuild::bundle
