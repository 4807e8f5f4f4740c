#include "plan/source_units.h"

#include <map>

namespace dsbuild::plan {

std::vector<SourceUnit> source_units(
    const manifest::ExtensionPart& part, bool together,
    const std::function<std::string(const std::filesystem::path&)>& compiler) {
  std::vector<SourceUnit> units;
  std::map<std::string, std::size_t> unit_of;
  const auto add = [&](const std::filesystem::path& source, bool binding) {
    std::size_t at = units.size();
    // C and C++ are two languages of one compiler.
    if (together && part.unity)
      at = unit_of.emplace(compiler(source) + source.extension().string(), at).first->second;
    if (at == units.size()) units.emplace_back();
    units[at].sources.push_back(source);
    units[at].binding = units[at].binding || binding;
  };
  for (const auto& source : part.binding) add(source, true);
  for (const auto& source : part.sources) add(source, false);
  return units;
}

}  // namespace dsbuild::plan
