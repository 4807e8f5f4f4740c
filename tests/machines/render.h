// A machine as dsbuild records it, made into a folder that plays its root: what the kernel, its
// drivers, the C library and compilers leave there. Knows where real ones have it, not what
// dsbuild makes of it.
#pragma once

#include <map>
#include <string>

#include "machines/fake_root.h"
#include "probe/machine.h"

namespace dsbuild::machines {

/// How one surface of the machine fails while the others go on: "absent" or "unreadable".
/// Surfaces: "pci" (sysfs has no PCI bus), "driver" (no driver is bound, none says anything),
/// "kfd" (AMD's compute driver shows no nodes, or none that this user may read).
using SurfaceFaults = std::map<std::string, std::string>;

/// Renders what `machine` says; a fact without a value leaves nothing. Libraries of vendors are no
/// files of the root: tests/fakes has them. Throws std::runtime_error for a toolchain or a fault
/// that can't be rendered.
void render(const probe::Machine& machine, FakeRoot& root, const SurfaceFaults& faults = {});

/// The part of it that devices and their drivers leave.
void render_devices(const probe::Machine& machine, FakeRoot& root, const SurfaceFaults& faults);

}  // namespace dsbuild::machines
