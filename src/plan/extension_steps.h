// The steps of a python_extension: an object of each source, shared by all ops that compile it with
// the same words, and the module. Knows recipes; decides nothing about archs or parts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/draft.h"
#include "plan/steps.h"

namespace dsbuild::plan {

/// Where a compile may take torch's header precompiled, as a word of its argv.
inline constexpr const char* kTorchHeaderWord = "{torch_header}";

/// Objects first, the module last. A step that may use a precompiled header still has
/// kTorchHeaderWord, and `Step::header` says how that header is made.
std::vector<Step> make_extension_steps(const Draft& draft, const Item& item);

/// How a source that is no op's and needs no torch is compiled for the level of the item's host
/// code, for trying the compiler.
std::vector<Step> trial_object(const Draft& draft, const Item& item, const PartWords& words,
                               const std::string& source, const StepPlace& place);

/// Where enough steps share a header to make it worth precompiling, they include it first; the
/// others lose the word and the header. `steps` are each once.
void share_headers(std::vector<Step>& steps);

}  // namespace dsbuild::plan
