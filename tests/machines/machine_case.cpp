#include "machines/machine_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "base/files.h"

namespace fs = std::filesystem;

namespace dsbuild::machines {
namespace {

struct LibraryRow {
  std::string_view source;
  std::string_view library;
};
constexpr std::array<LibraryRow, 3> kLibraries{{
    {"nvidia/nvml", "libnvidia-ml.so.1"},
    {"nvidia/cuda", "libcuda.so.1"},
    {"amd/rocm_smi", "librocm_smi64.so.1"},
}};

void check_keys(const Json& json) {
  const std::set<std::string> known{"$comment", "schema", "machine", "environment",
                                    "faults",   "files",  "expect"};
  for (const auto& [key, value] : json.items()) {
    if (!known.count(key)) throw std::runtime_error("unknown key " + key);
  }
  if (json.value("schema", 0) != 1) throw std::runtime_error("its schema isn't 1");
  if (!json.contains("$comment")) throw std::runtime_error("no $comment says what it stands for");
  if (!json.contains("expect") || json.at("expect").empty())
    throw std::runtime_error("it expects nothing");
}

}  // namespace

std::string_view library_of(std::string_view source) {
  const auto row = std::find_if(kLibraries.begin(), kLibraries.end(),
                                [&](const LibraryRow& r) { return r.source == source; });
  return row == kLibraries.end() ? "" : row->library;
}

MachineCase read_machine_case(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) throw std::runtime_error("can't be read");
  Diagnostics diagnostics;
  const auto json = parse_json(*text, file.string(), diagnostics);
  for (const Diagnostic& problem : diagnostics.all())
    throw std::runtime_error(problem.where + ": " + problem.message);
  check_keys(*json);
  MachineCase result;
  result.file = fs::absolute(file);
  result.name = file.stem();
  result.given = json->at("machine");
  // A machine without devices is one where none may be found.
  if (!result.given.contains("devices")) result.given["devices"] = Json::array();
  result.machine = probe::parse_machine(result.given);
  const Json none = Json::object();
  const Json environment = json->value("environment", none);
  const Json faults = json->value("faults", none);
  for (const auto& [name, value] : environment.items()) result.environment[name] = value;
  for (const auto& [surface, fault] : faults.items()) {
    if (fault.is_string()) {
      result.surfaces[surface] = fault;
    } else if (!library_of(surface).empty()) {
      result.source_faults[surface] = fault;
    } else {
      throw std::runtime_error("no library plays the source " + surface);
    }
  }
  result.files = json->value("files", none).get<ExtraFiles>();
  result.expect = json->at("expect").get<std::map<std::string, Json>>();
  return result;
}

void render(const MachineCase& machine, FakeRoot& root, const fs::path& fakes,
            const fs::path& libraries) {
  render(machine.machine, root, machine.surfaces);
  for (const auto& [path, content] : machine.files) {
    if (content.is_string()) {
      root.file(path, content.get<std::string>());
    } else {
      root.link(path, content.at("link").get<std::string>());
    }
  }
  fs::create_directories(libraries);
  std::set<std::string> present;
  for (const probe::SourceReport& source : machine.machine.sources) present.insert(source.id);
  for (const auto& [source, fault] : machine.source_faults) {
    if (fault.value("missing", false)) {
      present.erase(source);
    } else {
      present.insert(source);
    }
  }
  for (const std::string& source : present) {
    const std::string_view library = library_of(source);
    if (library.empty()) continue;
    const auto faults = machine.source_faults.find(source);
    const std::string variant =
        faults == machine.source_faults.end() ? "lib" : faults->second.value("variant", "lib");
    fs::copy_file(fakes / variant / library, libraries / library);
  }
}

}  // namespace dsbuild::machines
