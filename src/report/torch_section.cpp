#include "report/torch_section.h"

#include <fmt/format.h>

#include "base/text.h"
#include "plan/torch_match.h"

namespace dsbuild::report {
namespace {

using probe::Torch;

/// "CUDA 13.2", "CPU"
std::string backend_text(const Torch& torch) {
  std::vector<std::string> parts;
  for (const probe::TorchBackend& row : probe::kTorchBackends) {
    const Fact<Version>& version = torch.*row.version;
    if (version) parts.push_back(fmt::format("{} {}", row.title, version->text));
  }
  return parts.empty() ? "CPU" : join(parts, ", ");
}

Cell where_cell(const Torch& torch) {
  std::vector<std::string> parts{torch.path};
  for (std::string& lack : plan::find_lacks(torch)) parts.push_back(std::move(lack));
  return {join(parts, "; "), parts.size() == 1 ? Tone::plain : Tone::warning};
}

}  // namespace

Section torch_section(const std::vector<Torch>& torches) {
  Section section{"torch for extensions", {"torch", "built for", "python", "by", "where"}, {}, {}};
  for (const Torch& torch : torches) {
    section.rows.push_back(
        {{torch.version ? torch.version->text : "-"},
         {torch.version ? fmt::format("{}, C++{}", backend_text(torch), torch.standard) : "-"},
         {torch.python ? torch.python->number() : "-"},
         {torch.origin},
         where_cell(torch)});
  }
  if (torches.size() > 1) {
    section.notes.push_back(fmt::format("the first is taken; {} or {} names another",
                                        probe::kPythonFlag, probe::kTorchFlag));
  }
  return section;
}

}  // namespace dsbuild::report
