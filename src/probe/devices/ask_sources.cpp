#include "probe/devices/ask_sources.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <optional>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "probe/devices/visible_devices.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

// A library of another major version is another library: the newest that is known comes first.
constexpr std::array<SourceRow, 8> kSources{{
    {"dummy", "dummy", "", {}, make_dummy},
    {"nvidia/nvml", "cuda", "10de:", {"libnvidia-ml.so.1"}, make_nvml},
    {"nvidia/cuda", "cuda", "10de:", {"libcuda.so.1"}, make_cuda},
    {"nvidia/pci", "cuda", "10de:", {}, make_nvidia_files},
    {"amd/kfd", "rocm", "1002:", {}, make_kfd},
    {"amd/rocm_smi",
     "rocm",
     "1002:",
     {"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5", "librocm_smi64.so.1"},
     make_rocm_smi},
    {"amd/pci", "rocm", "1002:", {}, make_amd_pci},
    {"pci", "", "", {}, make_other_pci},
}};

/// Whether a device is of the row's kind; the row without an accelerator has all the others.
bool is_of(const SourceRow& row, const Device& device) {
  if (!row.accelerator.empty()) return device.accelerator == row.accelerator;
  return std::none_of(kSources.begin(), kSources.end(), [&](const SourceRow& other) {
    return !other.accelerator.empty() && device.accelerator == other.accelerator;
  });
}

std::vector<Device> devices_of(const SourceRow& row, const std::vector<Device>& devices) {
  std::vector<Device> list;
  std::copy_if(devices.begin(), devices.end(), std::back_inserter(list),
               [&](const Device& device) { return is_of(row, device); });
  return list;
}

SourceReport read_files(const SourceRow& row, const System& system,
                        const std::vector<Device>& devices) {
  DeviceAccelerator accelerator(row.make({"", &system, devices_of(row, devices)}));
  accelerator.start();
  return accelerator.report();
}

/// Where the loader would look, as far as files tell it, where WSL has its drivers and where ROCm
/// is installed. What lies below another root is not for the running machine's loader.
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
  for (const std::string& name : system.list_folder("/opt")) {
    if (name.starts_with("rocm")) add("/opt/" + name + "/lib");
  }
  return folders;
}

/// The library's file, as the loader of the running machine finds it; empty: there is none.
std::string find_library(const System& system, const std::vector<fs::path>& folders,
                         const SourceRow& row) {
  const fs::path named = system.env(kLibraryFolderVariable).value_or("");
  for (const std::string_view name : row.libraries) {
    std::error_code error;
    if (!name.empty() && named.is_absolute() && fs::is_regular_file(named / name, error))
      return named / name;
  }
  for (const std::string_view name : row.libraries) {
    for (const fs::path& folder : folders) {
      if (name.empty()) continue;
      const auto status = system.status(folder / name);
      if (status && status->is_file()) return folder / name;
    }
  }
  return {};
}

SourceReport failed(SourceReport report, std::string status, std::string message, std::string fix) {
  report.status = std::move(status);
  report.message = std::move(message);
  report.fix = std::move(fix);
  report.driver_version = report.api_version = Fact<std::string>::missing(report.message);
  return report;
}

/// What the child said, or how it ended.
SourceReport read_answer(SourceReport report, const ProcessResult& result) {
  const std::string fix = fmt::format(
      "the driver's own tool (nvidia-smi, rocm-smi) should fail alike; reinstall the driver that "
      "{} belongs to, or reboot",
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

/// Some vendors' libraries bear another vendor's names and answer its calls (Iluvatar's libixml,
/// ZLUDA). The PCI bus knows whose device it is.
void check_vendor(const SourceRow& row, const System& system, SourceReport& report) {
  for (const SourceDevice& device : report.devices) {
    const auto text = system.read_file("/sys/bus/pci/devices/" + device.address + "/vendor");
    if (device.address.empty() || !text) continue;
    std::string_view vendor = trim(*text);
    if (vendor.starts_with("0x")) vendor.remove_prefix(2);
    if (std::string(vendor) + ":" == row.vendor) continue;
    const std::string message = fmt::format(
        "the device that the library has at {} is vendor {}'s by the PCI bus, not {}'s; nothing is "
        "taken from it",
        device.address, vendor, row.vendor.substr(0, row.vendor.size() - 1));
    report.devices.clear();
    report = failed(std::move(report), "disagrees", message,
                    "leave this library out where programs should see the vendor's own");
    return;
  }
}

/// "libx.so.7, libx.so.6"
std::string names_of(const SourceRow& row) {
  std::vector<std::string> names;
  for (const std::string_view library : row.libraries) {
    if (!library.empty()) names.emplace_back(library);
  }
  return join(names, ", ");
}

SourceReport ask_library(const SourceRow& row, const System& system, ProcessRunner& processes,
                         const AskOptions& options, const std::vector<fs::path>& folders,
                         const std::vector<VisibleVariable>& visible, bool has_device) {
  SourceReport report;
  report.id = row.id;
  report.library = find_library(system, folders, row);
  if (report.library.empty() && !has_device)
    return failed(std::move(report), "not_applicable", "this machine has no such device", "");
  if (report.library.empty()) {
    return failed(std::move(report), "library_missing",
                  fmt::format("no {} where the loader looks", names_of(row)),
                  "install the device's driver; a container gets it from its host");
  }
  Command command;
  command.argv = {options.program.string(), "__probe", report.id, report.library};
  command.environment = system.environment();
  // All devices are to be seen; what is hidden from programs is told apart from that.
  for (const VisibleVariable& variable : visible) command.environment.erase(variable.name);
  command.limit = options.limit;
  report = read_answer(std::move(report), processes.run(command));
  check_vendor(row, system, report);
  if (report.status == "no_devices" && !has_device)
    return failed(std::move(report), "not_applicable", "this machine has no such device", "");
  return report;
}

}  // namespace

std::span<const SourceRow> all_sources() {
  return kSources;
}

std::vector<SourceReport> ask_sources(const System& system, ProcessRunner& processes,
                                      const Machine& machine, const AskOptions& options) {
  const bool may_load = options.same_host || system.env(kLibraryFolderVariable).has_value();
  const std::vector<fs::path> folders =
      options.same_host ? library_folders(system, machine) : std::vector<fs::path>();
  const std::vector<VisibleVariable> visible = visible_variables(machine.accelerators);
  std::vector<std::future<SourceReport>> answers;
  for (const SourceRow& row : options.rows) {
    const bool has_device = !devices_of(row, machine.devices).empty();
    const auto ask = [&, has_device]() -> SourceReport {
      if (row.reads_files()) return read_files(row, system, machine.devices);
      if (may_load)
        return ask_library(row, system, processes, options, folders, visible, has_device);
      SourceReport report;
      report.id = row.id;
      return failed(std::move(report), "skipped", "libraries below another root are not loaded",
                    fmt::format("run dsbuild report --devices on that machine; only what {} names "
                                "is loaded",
                                kLibraryFolderVariable));
    };
    answers.push_back(std::async(
        row.reads_files() || !may_load ? std::launch::deferred : std::launch::async, ask));
  }
  std::vector<SourceReport> reports;
  for (auto& answer : answers) reports.push_back(answer.get());
  return reports;
}

std::vector<SourceReport> read_file_sources(const System& system,
                                            const std::vector<Device>& devices) {
  std::vector<SourceReport> reports;
  for (const SourceRow& row : kSources) {
    if (row.reads_files()) reports.push_back(read_files(row, system, devices));
  }
  return reports;
}

int run_source(std::string_view id, const char* library) {
  for (const SourceRow& row : kSources) {
    if (row.id != id || row.reads_files()) continue;
    // What the library prints is not ours.
    const int out = ::dup(STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    DeviceAccelerator accelerator(row.make({library, nullptr, {}}));
    accelerator.start();
    const Json json = to_json(std::vector<SourceReport>{accelerator.report()});
    const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const bool written =
        ::write(out, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    // Without the library's own end and the handlers that it may have left for ours.
    ::_exit(written ? 0 : 1);
  }
  return 2;
}

}  // namespace dsbuild::probe
