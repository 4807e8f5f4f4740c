// What a report's survey of a host (frameworks, folders) and its devices' drivers give to mend.
// Knows what is wrong with them, not how findings are told.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "probe/machine.h"
#include "report/findings.h"

namespace dsbuild::report {

/// Devices of `relevant` accelerators that no kernel driver has taken, and those that nothing of
/// the plan would run on.
void add_device_findings(const manifest::Catalog& catalog, const probe::Machine& machine,
                         const plan::Plan& plan, const std::set<std::string>& relevant,
                         std::vector<Finding>& findings);

/// Sources of devices that were asked and could not answer for what there is, and what they and the
/// kernel say differently.
void add_source_findings(const probe::Machine& machine, const std::set<std::string>& relevant,
                         std::vector<Finding>& findings);

/// Folders that a build can't use or fills, ops that a framework claims without their file.
void add_survey_findings(const probe::Survey& survey, std::vector<Finding>& findings);

}  // namespace dsbuild::report
