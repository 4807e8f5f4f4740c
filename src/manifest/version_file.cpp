#include "manifest/version_file.h"

#include "base/pattern.h"
#include "base/text.h"

namespace dsbuild::manifest {

Fact<Version> find_version(const System& system, const std::filesystem::path& folder,
                           const VersionFile& rule) {
  const std::filesystem::path file = folder / rule.file;
  const std::vector<std::string> lines = split_lines(system.read_file(file).value_or(""));
  std::vector<std::string> parts;
  for (const std::string& regex : rule.regexes) {
    const Pattern pattern(regex);
    std::optional<std::string> part;
    for (const std::string& line : lines) {
      if ((part = pattern.find(line))) break;
    }
    if (!part) return Fact<Version>::missing("not in " + file.string());
    parts.push_back(*std::move(part));
  }
  const auto version = Version::parse(join(parts, "."));
  return version ? Fact<Version>::known(*version, file.string())
                 : Fact<Version>::missing("not in " + file.string());
}

}  // namespace dsbuild::manifest
