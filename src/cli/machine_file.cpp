#include "cli/machine_file.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "manifest/arch_name.h"

namespace dsbuild::cli {
namespace {

constexpr const char* kHowToRecord = "make one on that machine: dsbuild report --record FILE";

void hide_home(Json& json, std::string_view home) {
  if (json.is_string()) {
    std::string text = json.get<std::string>();
    for (std::size_t at = text.find(home); at != std::string::npos; at = text.find(home, at + 1)) {
      const std::size_t end = at + home.size();
      if (end == text.size() || text[end] == '/') text.replace(at, home.size(), "~");
    }
    json = text;
  }
  if (json.is_structured()) {
    for (Json& item : json) hide_home(item, home);
  }
}

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ExitCode::bad_input, what, file, kHowToRecord);
}

/// The oldest level among the machines: what is built for it runs on each of them.
std::string lowest_level(const std::vector<RecordedMachine>& machines,
                         const manifest::Accelerator& host) {
  std::optional<manifest::ArchName> lowest;
  for (const RecordedMachine& recorded : machines) {
    const Fact<std::string>& level = recorded.machine.cpu.level;
    const auto arch = level ? manifest::parse_arch_name(
                                  host, *level, recorded.machine.host.machine.value.value_or(""))
                            : std::nullopt;
    if (!arch) refuse(recorded.file, "its CPU's level is not known: " + level.reason);
    if (!lowest || manifest::arch_less(*arch, *lowest)) lowest = arch;
  }
  return lowest->name;
}

}  // namespace

Json make_machine_file(const probe::Machine& machine, std::string_view dsbuild_version,
                       std::string_view home, bool full) {
  Json facts = probe::to_json(machine);
  if (!full) {
    facts.erase("visible");
    if (!machine.sources.empty()) {
      std::vector<probe::SourceReport> sources = machine.sources;
      probe::hide_identity(sources);
      facts["sources"] = probe::to_json(sources);
    }
    facts.erase("trials");
    if (home.size() > 1) hide_home(facts, home);
  }
  return {{"schema", 1}, {"dsbuild", dsbuild_version}, {"machine", facts}};
}

RecordedMachine read_machine_file(const std::string& file) {
  const auto text = read_file(file);
  if (!text) refuse(file, "can't read the file");
  Diagnostics diagnostics;
  const auto json = parse_json(*text, file, diagnostics);
  for (const Diagnostic& problem : diagnostics.all()) {
    throw Error(ExitCode::bad_input, problem.message, problem.file + ": " + problem.where,
                kHowToRecord);
  }
  if (!json->is_object() || !json->contains("machine")) refuse(file, "it holds no machine");
  if (json->value("schema", Json()) != 1) {
    throw Error(
        ExitCode::bad_input,
        fmt::format("its schema is {}, this dsbuild reads 1", json->value("schema", Json()).dump()),
        file, "record it with this dsbuild, or take the one that recorded it");
  }
  try {
    return {file, probe::parse_machine(json->at("machine"))};
  } catch (const std::exception& error) {  // nlohmann's, or what a fact's own text says
    refuse(file, std::string("it holds no machine: ") + error.what());
  }
}

std::vector<RecordedMachine> read_machine_files(const std::vector<std::string>& files) {
  std::vector<RecordedMachine> machines;
  for (const std::string& file : files) machines.push_back(read_machine_file(file));
  return machines;
}

void ask_for(const std::vector<RecordedMachine>& machines, const manifest::Catalog& catalog,
             const std::string& host_machine, plan::Request& request) {
  if (machines.empty()) return;
  const manifest::Accelerator& host = catalog.host();
  std::set<std::string> accelerators{host.name};
  std::vector<std::string> files;
  std::vector<std::string> archs;
  for (const RecordedMachine& recorded : machines) {
    files.push_back(recorded.file);
    const std::string kind = recorded.machine.host.machine.value.value_or("of an unknown kind");
    if (kind != host_machine) {
      throw Error(ExitCode::no_toolchain,
                  fmt::format("the machine is {}, this one builds for {} only", kind, host_machine),
                  "--for " + recorded.file, "build on a machine of that kind");
    }
    for (const probe::Device& device : recorded.machine.devices) {
      if (!device.arch) {
        refuse(recorded.file, fmt::format("the arch of the device {} at {} is not known: {}",
                                          device.id, device.address, device.arch.reason));
      }
      accelerators.insert(device.accelerator);
      const std::string arch = device.accelerator + ":" + *device.arch;
      if (std::find(archs.begin(), archs.end(), arch) == archs.end()) archs.push_back(arch);
    }
  }
  archs.push_back(host.name + ":" + lowest_level(machines, host));
  const std::string origin = "--for " + join(files, ", ");
  request.archs.push_back({"arch", join(archs, ","), origin});
  if (request.accelerators.empty()) {
    request.accelerators.assign(accelerators.begin(), accelerators.end());
    request.accelerators_origin = origin;
    request.of_machines = true;
  }
}

}  // namespace dsbuild::cli
