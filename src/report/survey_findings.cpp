#include "report/survey_findings.h"

#include <fmt/format.h>

#include "base/text.h"

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

}  // namespace

void add_driver_findings(const probe::Machine& machine, const std::set<std::string>& relevant,
                         std::vector<Finding>& findings) {
  for (const probe::Device& device : machine.devices) {
    // Without a source it was not looked at, as in a container that hides the bus.
    if (device.driver || device.driver.source.empty() || !relevant.contains(device.accelerator))
      continue;
    findings.push_back(
        {Weight::note,
         fmt::format("no kernel driver is bound to the device {} at {}", device.id, device.address),
         "what is built for it can't run here; building needs no driver",
         "install its vendor's driver, or load the module (modprobe)"});
  }
}

void add_survey_findings(const probe::Survey& survey, std::vector<Finding>& findings) {
  for (const probe::FolderLimits& folder : survey.limits.folders) add_folder(folder, findings);
  for (const probe::Framework& framework : survey.frameworks) add_claims(framework, findings);
}

}  // namespace dsbuild::report
