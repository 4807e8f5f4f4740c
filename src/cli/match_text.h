// What machines would load of a bundle, as a table and as JSON. Knows how it looks, not how it is
// found out.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "bundle/match.h"
#include "report/document.h"

namespace dsbuild::cli {

struct MachineMatches {
  std::string machine;  ///< the file it was recorded in
  std::vector<bundle::Match> matches;
};

report::Document describe_matches(const std::string& bundle,
                                  const std::vector<MachineMatches>& all);
/// A row for each match.
Json match_rows(const std::vector<bundle::Match>& matches);
Json matches_to_json(const std::string& bundle, const std::vector<MachineMatches>& all);

/// A line for each that a newer driver alone would let load here.
std::vector<std::string> describe_old_drivers(const std::vector<bundle::Match>& matches);

}  // namespace dsbuild::cli
