// Machines in files: `report --record` writes one, `--for` reads it, and what a request for such
// machines asks for. Knows the file's form, not how a machine is looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "manifest/catalog.h"
#include "plan/request.h"
#include "probe/machine.h"

namespace dsbuild::cli {

/// A machine that was recorded, and the file it came from.
struct RecordedMachine {
  std::string file;
  probe::Machine machine;
};

/// {"schema": 1, "dsbuild", "machine"}. Without `full` nothing tells whose machine it is: paths
/// below `home` begin with "~", and UUIDs, processes and what was compiled there for a trial are
/// left out.
Json make_machine_file(const probe::Machine& machine, std::string_view dsbuild_version,
                       std::string_view home, bool full);

/// Throws Error(bad_input) for a file that can't be read or holds no machine.
RecordedMachine read_machine_file(const std::string& file);

std::vector<RecordedMachine> read_machine_files(const std::vector<std::string>& files);

/// Asks for what the machines need together: the lowest of their CPU levels, each arch of their
/// devices, and no accelerator that none of them has. Throws Error(bad_input) when a device's arch
/// or a CPU's level isn't known, Error(no_toolchain) for a machine of another kind than
/// `host_machine`.
void ask_for(const std::vector<RecordedMachine>& machines, const manifest::Catalog& catalog,
             const std::string& host_machine, plan::Request& request);

}  // namespace dsbuild::cli
