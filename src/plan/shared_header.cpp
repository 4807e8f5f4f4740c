#include <algorithm>
#include <map>

#include "plan/extension_steps.h"

namespace dsbuild::plan {
namespace {

/// The header as it is named in a compile, without the suffix of its precompiled form.
std::string header_name(const Step& header) {
  const std::string& made = header.outputs.front();
  return made.substr(0, made.rfind('.'));
}

}  // namespace

void share_headers(std::vector<Step>& steps) {
  // Precompiling takes as long as the header does in about three compiles (docs/performance.md).
  constexpr int kPays = 4;
  std::map<std::string, int> users;
  for (const Step& step : steps) {
    if (step.header) ++users[step.header->id];
  }
  for (Step& step : steps) {
    const auto word = std::find(step.argv.begin(), step.argv.end(), kTorchHeaderWord);
    if (word == step.argv.end()) continue;
    if (!step.header || users[step.header->id] < kPays) {
      step.argv.erase(word);
      step.header.reset();
      continue;
    }
    *word = header_name(*step.header);
    step.argv.insert(word, "-include");
    for (const auto& [path, text] : step.header->files) step.files.emplace(path, text);
  }
}

}  // namespace dsbuild::plan
