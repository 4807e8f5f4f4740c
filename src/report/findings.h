// (Catalog, Machine, Plan) -> what is wrong with a machine for what it is to build, worst first:
// each with its cause, what follows, and what mends it. Pure; knows no terminal.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "manifest/catalog.h"
#include "plan/plan.h"
#include "plan/request.h"
#include "probe/machine.h"
#include "report/document.h"

namespace dsbuild::report {

/// `error`: something that is wanted can't be had at all. `warning`: a part of it can't. `note`:
/// good to know.
enum class Weight { error, warning, note };

struct Finding {
  Weight weight = Weight::note;
  std::string cause;
  std::string consequence;
  std::string remedy;
};

/// The accelerators that matter: those that the request names, else the host and those that the
/// machine has devices of. What the others lack is no finding.
std::set<std::string> relevant_accelerators(const manifest::Catalog& catalog,
                                            const probe::Machine& machine,
                                            const plan::Request& request);

std::vector<Finding> make_findings(const manifest::Catalog& catalog, const probe::Machine& machine,
                                   const plan::Plan& plan, const std::set<std::string>& relevant);

/// A section for each, or one line that says for which accelerators nothing is to be mended.
Document describe_findings(const std::vector<Finding>& findings,
                           const std::set<std::string>& relevant);
Json findings_to_json(const std::vector<Finding>& findings, const std::set<std::string>& relevant);

}  // namespace dsbuild::report
