// What an op needs besides a toolchain and whether the machine's facts say that it is there.
// Knows facts; what only a compiler can tell is tried (trials.h).
#pragma once

#include <optional>
#include <string>

#include "manifest/catalog.h"
#include "plan/reasons.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// The first need that the machine doesn't meet: host machines, commands, packages; and of an
/// extension's torch its version, its Python and the packages beside it. `who` begins the sentence
/// ("async_io").
std::optional<Reason> find_unmet_need(const std::string& who, const manifest::Needs& needs,
                                      const probe::Machine& machine,
                                      const probe::Torch* torch = nullptr);

}  // namespace dsbuild::plan
