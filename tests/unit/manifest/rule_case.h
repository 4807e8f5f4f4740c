// One broken manifest: what is changed in the sample catalog, and the one problem that is then
// told. Knows the sample catalog.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "manifest/rules.h"

namespace dsbuild::manifest::test {

struct RuleCase {
  Rule rule;
  std::string file;  ///< "op", "host", "gpu" or "tile"
  /// JSON pointers and what is put there; an empty text removes it.
  std::vector<std::pair<std::string, std::string>> edits;
  std::string where;    ///< a JSON pointer
  std::string message;  ///< ROOT stands for the catalog's folder
  std::string hint;
};

/// Those of op manifests: what each value looks like.
const std::vector<RuleCase>& op_form_cases();
/// Those of op manifests: what the values mean together, and on the disk.
const std::vector<RuleCase>& op_cases();
/// Those of op manifests of kind python_extension.
const std::vector<RuleCase>& extension_cases();
/// Those of accelerator descriptors.
const std::vector<RuleCase>& descriptor_cases();
/// Of probes and drivers in descriptors.
const std::vector<RuleCase>& probe_cases();

}  // namespace dsbuild::manifest::test
