#include "probe/devices/device_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <set>

#include "base/json.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr std::array<SourceRow, 1> kSources{{
    {"nvidia/nvml", "libnvidia-ml.so.1", "10de:", ask_nvml},
}};

/// Where the loader would look, as far as files tell it, and where WSL has its drivers. What lies
/// below another root is not for the running machine's loader.
std::vector<fs::path> library_folders(const System& system, const Machine& machine) {
  std::vector<fs::path> folders;
  const auto add = [&folders](const fs::path& folder) {
    if (folder.is_absolute()) folders.push_back(folder);
  };
  for (const std::string& folder : split(system.env("LD_LIBRARY_PATH").value_or(""), ":"))
    add(folder);
  add("/usr/lib/wsl/lib");
  const fs::path more = "/etc/ld.so.conf.d";
  for (const std::string& file : system.list_folder(more)) {
    for (const std::string& line : split_lines(system.read_file(more / file).value_or("")))
      add(std::string(trim(line)));
  }
  if (machine.host.triple) {
    add("/usr/lib/" + *machine.host.triple);
    add("/lib/" + *machine.host.triple);
  }
  for (const char* folder : {"/usr/lib64", "/lib64", "/usr/lib", "/lib"}) add(folder);
  return folders;
}

SourceReport failed(SourceReport report, std::string status, std::string message, std::string fix) {
  report.status = std::move(status);
  report.message = std::move(message);
  report.fix = std::move(fix);
  report.driver_version = Fact<std::string>::missing(report.message);
  return report;
}

/// What the child said, or how it ended.
SourceReport read_answer(SourceReport report, const ProcessResult& result) {
  const std::string fix = fmt::format(
      "the driver's own tool (nvidia-smi, rocm-smi) should fail alike; reinstall the driver that "
      "{} "
      "belongs to, or reboot",
      report.library);
  if (result.timed_out)
    return failed(std::move(report), "timeout", "the library gave " + result.describe(), fix);
  if (!result.ok()) {
    return failed(std::move(report), "crashed",
                  "the process that asked the library ended: " + result.describe(), fix);
  }
  try {
    SourceReport answer = parse_source_reports(Json::parse(result.out)).at(0);
    answer.id = report.id;
    answer.library = report.library;
    return answer;
  } catch (const std::exception&) {
    return failed(std::move(report), "crashed", "the process that asked the library said nothing",
                  fix);
  }
}

/// The library's file, as the loader of the running machine finds it; empty: there is none.
std::string find_library(const System& system, const std::vector<fs::path>& folders,
                         std::string_view name) {
  const fs::path named = system.env(kLibraryFolderVariable).value_or("");
  std::error_code error;
  if (named.is_absolute() && fs::is_regular_file(named / name, error)) return named / name;
  for (const fs::path& folder : folders) {
    const auto status = system.status(folder / name);
    if (status && status->is_file()) return folder / name;
  }
  return {};
}

SourceReport ask_source(const SourceRow& row, const System& system, ProcessRunner& processes,
                        const fs::path& program, const std::vector<fs::path>& folders,
                        bool has_device, std::chrono::milliseconds limit) {
  SourceReport report;
  report.id = row.id;
  report.library = find_library(system, folders, row.library);
  if (!report.library.empty()) {
    Command command;
    command.argv = {program.string(), "__probe", report.id, report.library};
    command.environment = system.environment();
    command.limit = limit;
    return read_answer(std::move(report), processes.run(command));
  }
  if (!has_device)
    return failed(std::move(report), "not_applicable", "this machine has no such device", "");
  return failed(std::move(report), "library_missing",
                fmt::format("no {} where the loader looks", row.library),
                "install the device's driver; a container gets it from its host");
}

template <typename T>
void take(Fact<T>& into, const Fact<T>& from) {
  if (from) into = from;
}

}  // namespace

std::vector<SourceReport> ask_sources(const System& system, ProcessRunner& processes,
                                      const fs::path& program, bool same_host,
                                      const Machine& machine, std::chrono::milliseconds limit) {
  std::vector<SourceReport> reports;
  if (!same_host && !system.env(kLibraryFolderVariable)) {
    for (const SourceRow& row : kSources) {
      SourceReport report;
      report.id = row.id;
      reports.push_back(failed(std::move(report), "skipped",
                               "libraries below another root are not loaded",
                               fmt::format("run dsbuild report --devices on that machine; "
                                           "only what {} names is loaded",
                                           kLibraryFolderVariable)));
    }
    return reports;
  }
  const std::vector<fs::path> folders =
      same_host ? library_folders(system, machine) : std::vector<fs::path>();
  std::vector<std::future<SourceReport>> answers;
  for (const SourceRow& row : kSources) {
    const bool has_device =
        std::any_of(machine.devices.begin(), machine.devices.end(),
                    [&](const Device& device) { return device.id.starts_with(row.vendor); });
    answers.push_back(std::async(std::launch::async, [&, has_device] {
      return ask_source(row, system, processes, program, folders, has_device, limit);
    }));
  }
  for (auto& answer : answers) reports.push_back(answer.get());
  return reports;
}

int run_source(std::string_view id, const char* library) {
  for (const SourceRow& row : kSources) {
    if (row.id != id) continue;
    // What the library prints is not ours.
    const int out = ::dup(STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    const Json json = to_json(std::vector<SourceReport>{row.ask(library)});
    const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const bool written =
        ::write(out, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    // Without the handlers that the library may have left for the end.
    ::_exit(written ? 0 : 1);
  }
  return 2;
}

void join_sources(std::vector<SourceReport>& reports, std::vector<Device>& devices) {
  for (SourceReport& report : reports) {
    for (const SourceDevice& source : report.devices) {
      if (source.address.empty() || !source.problem.empty()) continue;
      const auto device = std::find_if(devices.begin(), devices.end(), [&](const Device& known) {
        return known.address == source.address && known.accelerator == source.accelerator;
      });
      if (device == devices.end()) {
        report.disagreements.push_back(source.address + ": no such device on the PCI bus");
        continue;
      }
      if (device->arch && source.arch && *device->arch != *source.arch) {
        report.disagreements.push_back(fmt::format("{}: arch {} by {}, {} by {}", source.address,
                                                   *device->arch, device->arch.source, *source.arch,
                                                   report.id));
      }
      take(device->arch, source.arch);
      take(device->name, source.name);
      take(device->memory, source.memory);
      if (source.parts && source.parts->size() > 1)
        device->parts = static_cast<int>(source.parts->size());
    }
  }
}

}  // namespace dsbuild::probe
