// (Request, Catalog, Machine) -> Plan. Pure: no clock, no environment, no disk.
// Made twice from the same values it is byte-identical.
#pragma once

#include "base/diagnostics.h"
#include "manifest/catalog.h"
#include "plan/plan.h"
#include "plan/request.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// Names in the request that mean nothing (an unknown op, accelerator or arch token) go to
/// `diagnostics` with the nearest known name and where they came from; the plan is then not to be
/// built.
Plan make_plan(const Request& request, const manifest::Catalog& catalog,
               const probe::Machine& machine, Diagnostics& diagnostics);

}  // namespace dsbuild::plan
