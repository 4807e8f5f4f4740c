// Three versions of an accelerator's software that are often taken for one: what its driver runs,
// the toolkit here, and what each framework here was built with. Pure; compares majors only, as
// minor releases of one major work together.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "probe/machine.h"
#include "report/document.h"
#include "report/findings.h"

namespace dsbuild::report {

/// A framework that was built with an accelerator's toolkit.
struct Consumer {
  const probe::Framework* framework = nullptr;
  Version built_with;  ///< "12.4"
};

struct Versions {
  const probe::AcceleratorState* accelerator = nullptr;
  std::vector<const probe::Toolchain*> toolkits;  ///< the chosen one first; absent ones left out
  std::vector<Consumer> consumers;
};

/// Of accelerators that are here or usable. Pointers are into `machine`.
std::vector<Versions> find_versions(const probe::Machine& machine);

/// A row for each; none where neither a driver nor a framework is here.
Section versions_section(const probe::Machine& machine);

/// Images that the driver here can't run, and frameworks of another major than the toolkit, of the
/// accelerators that matter.
void add_version_findings(const probe::Machine& machine, const plan::Plan& plan,
                          const std::set<std::string>& relevant, std::vector<Finding>& findings);

}  // namespace dsbuild::report
