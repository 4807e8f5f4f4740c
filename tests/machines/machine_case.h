// One file of tests/machines: a machine, how parts of it fail, and what must be told of it. Knows
// the file's form and which libraries play a source, not how the machine is rendered.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/system.h"
#include "machines/render.h"
#include "probe/machine.h"

namespace dsbuild::machines {

/// The files of a root that no fact of a machine stands for: their text, or {"link": TARGET}.
using ExtraFiles = std::map<std::string, Json>;

struct MachineCase {
  std::filesystem::path file;
  std::string name;
  Json given;  ///< "machine" as the file has it
  probe::Machine machine;
  Environment environment;
  SurfaceFaults surfaces;                     ///< faults of what is rendered into the root
  std::map<std::string, Json> source_faults;  ///< faults of libraries, by the source's id
  ExtraFiles files;
  std::map<std::string, Json> expect;
};

/// Throws std::exception for a file that can't be read, has unknown keys, or expects nothing.
MachineCase read_machine_case(const std::filesystem::path& file);

/// The library that plays a source; empty: it has none.
std::string_view library_of(std::string_view source);

/// Makes the machine's root, and in `libraries` copies of the fakes of the sources that the machine
/// or its faults name, but for those with the fault "missing". The fault "variant" takes another
/// build of the fake: "old".
void render(const MachineCase& machine, FakeRoot& root, const std::filesystem::path& fakes,
            const std::filesystem::path& libraries);

}  // namespace dsbuild::machines
