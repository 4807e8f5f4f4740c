#include "report/survey_findings.h"

#include <fmt/format.h>

#include "base/text.h"
#include "manifest/arch_name.h"
#include "probe/devices/ask_sources.h"

namespace dsbuild::report {
namespace {

/// A cold build of the built-in ops with its cache takes some 100 MB; below this it may not end.
constexpr std::int64_t kFewBytes = 512LL << 20;

void add_folder(const probe::FolderLimits& folder, std::vector<Finding>& findings) {
  const bool shared = folder.use == probe::kSharedMemory;
  const std::string name = fmt::format("the {} folder {}", folder.use, folder.path);
  if (!folder.size) return;
  if (shared) {
    if (*folder.size < probe::kSmallSharedMemory) {
      findings.push_back({Weight::note,
                          fmt::format("there are {} of shared memory",
                                      format_size(static_cast<unsigned long long>(*folder.size))),
                          "data loaders and NCCL may run out of it; builds don't use it",
                          "docker run --shm-size=1g, or a larger tmpfs at " + folder.path});
    }
    return;
  }
  if (folder.noexec) {
    findings.push_back({Weight::warning, name + " is mounted noexec",
                        "nothing that is built there can be started or loaded",
                        "name another one (TMPDIR, --cache-dir), or mount it without noexec"});
  }
  if (folder.network) {
    findings.push_back({Weight::note, name + " is on a network file system",
                        "other hosts write there, too, and it is slow",
                        "name one on a local disk (TMPDIR, --cache-dir)"});
  }
  if (folder.free && *folder.free < kFewBytes) {
    findings.push_back({Weight::warning,
                        fmt::format("{} has {} left", name,
                                    format_size(static_cast<unsigned long long>(*folder.free))),
                        "a build may end with \"no space left on device\"",
                        "make room, or name another one (TMPDIR, --cache-dir)"});
  }
}

std::string_view accelerator_of(const probe::SourceReport& source) {
  for (const probe::SourceRow& row : probe::all_sources()) {
    if (row.id == source.id) return row.accelerator;
  }
  return {};
}

void add_claims(const probe::Framework& framework, std::vector<Finding>& findings) {
  std::vector<std::string> hollow;
  for (const probe::PrebuiltOp& op : framework.ops) {
    if (op.claimed && !op.file) hollow.push_back(op.name);
  }
  if (hollow.empty()) return;
  findings.push_back({Weight::note,
                      fmt::format("{} of {} claims ops that have no file: {}", framework.name,
                                  framework.prefix, join(hollow, ", ")),
                      "it compiles them at first use, or fails there",
                      "install " + framework.name + " again"});
}

void add_driver(const probe::Device& device, std::vector<Finding>& findings) {
  // Without a source it was not looked at, as in a container that hides the bus.
  if (device.problem.empty() || device.driver.source.empty()) return;
  findings.push_back(
      {Weight::note,
       fmt::format("the device {} at {}: {}", device.id, device.address, device.problem),
       "what is built for it can't run here; building needs no driver",
       device.fix.empty() ? "install its vendor's driver, or load the module (modprobe)"
                          : device.fix});
}

/// Whether an image of the plan runs on the arch. Where there is none at all, that is told
/// elsewhere.
bool is_served(const manifest::Accelerator& accelerator, const std::string& arch,
               const plan::Plan& plan) {
  const auto device = manifest::parse_arch_name(accelerator, arch, "");
  bool any = false;
  for (const plan::Entry& entry : plan.entries) {
    if (entry.accelerator != accelerator.name || entry.state != plan::EntryState::planned) continue;
    const auto image = manifest::parse_arch_name(accelerator, entry.arch, "");
    if (!image || !device) continue;
    any = true;
    if (manifest::arch_runs_on(accelerator, *image, entry.form == accelerator.portable_form,
                               *device))
      return true;
  }
  return !any;
}

}  // namespace

void add_device_findings(const manifest::Catalog& catalog, const probe::Machine& machine,
                         const plan::Plan& plan, const std::set<std::string>& relevant,
                         std::vector<Finding>& findings) {
  std::set<std::string> told;
  for (const probe::Device& device : machine.devices) {
    if (!relevant.contains(device.accelerator)) continue;
    add_driver(device, findings);
    const manifest::Accelerator* accelerator = catalog.find_accelerator(device.accelerator);
    const std::string arch = device.arch.value.value_or("");
    if (accelerator == nullptr || arch.empty() || !told.insert(device.accelerator + arch).second)
      continue;
    if (is_served(*accelerator, arch, plan)) continue;
    findings.push_back(
        {Weight::warning,
         fmt::format("nothing that would be built for {} runs on {}, the arch of the "
                     "device {} at {}",
                     device.accelerator, arch, device.id, device.address),
         "its ops don't load here",
         fmt::format("take a toolkit that compiles for {} (--toolkit), or name it: "
                     "--arch {}",
                     arch, arch)});
  }
}

void add_source_findings(const probe::Machine& machine, const std::set<std::string>& relevant,
                         std::vector<Finding>& findings) {
  // A library that is not there is no fault of a machine that builds; the driver's state is told
  // with its devices.
  static const std::set<std::string> kFine{"ok", "not_applicable", "library_missing", "skipped"};
  for (const probe::SourceReport& source : machine.sources) {
    const bool by_file = source.library.empty();
    const bool of_devices =
        source.status == "driver_not_loaded" || source.status == "no_permission";
    if (kFine.contains(source.status) || (by_file && of_devices)) continue;
    const bool matters = by_file || relevant.contains(std::string(accelerator_of(source)));
    findings.push_back({matters ? Weight::warning : Weight::note,
                        fmt::format("{} says {}: {}", source.id, source.status, source.message),
                        "programs that use its devices may fail here; building needs none of them",
                        source.fix});
  }
  for (const probe::Device& device : machine.devices) {
    if (!relevant.contains(device.accelerator)) continue;
    for (const std::string& text : device.disagreements) {
      findings.push_back({Weight::warning, device.address + ": " + text,
                          "one of them is wrong, and so may be what native stands for",
                          "name the arch: --arch " + device.accelerator + ":ARCH"});
    }
  }
}

void add_survey_findings(const probe::Survey& survey, std::vector<Finding>& findings) {
  for (const probe::FolderLimits& folder : survey.limits.folders) add_folder(folder, findings);
  for (const probe::Framework& framework : survey.frameworks) add_claims(framework, findings);
}

}  // namespace dsbuild::report
