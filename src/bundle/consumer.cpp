#include "bundle/consumer.h"

#include <fmt/format.h>

#include "base/text.h"

namespace dsbuild::bundle {
namespace {

/// Those needs of a file that are ranges of versions, by whose version it is.
std::map<std::string, std::string> version_needs(const BundleFile& file) {
  std::map<std::string, std::string> needs;
  for (const auto& [name, value] : file.needs) {
    if (VersionRange::parse(value)) needs.emplace(name, value);
  }
  if (const auto toolkit = find_toolkit_need(file))
    needs[toolkit->backend->name] =
        fmt::format(">={}, <{}", toolkit->release, toolkit->release + 1);
  return needs;
}

}  // namespace

bool takes(const std::string& need, const Version& version) {
  const auto range = VersionRange::parse(need);
  Version release = version;
  if (release.parts.size() > 2) release.parts.resize(2);
  return !range || range->contains(release) || range->contains(version);
}

std::optional<ToolkitNeed> find_toolkit_need(const BundleFile& file) {
  const auto libraries = file.needs.find("libraries");
  if (libraries == file.needs.end()) return std::nullopt;
  for (const std::string& name : split(libraries->second, " ")) {
    for (const probe::TorchBackend& row : probe::kTorchBackends) {
      if (row.runtime.empty() || !name.starts_with(row.runtime)) continue;
      if (const auto version = Version::parse(std::string_view(name).substr(row.runtime.size())))
        return ToolkitNeed{&row, version->major_part()};
    }
  }
  return std::nullopt;
}

std::set<std::string> consumer_names(const BundleIndex& index) {
  std::set<std::string> names;
  for (const BundleFile& file : index.files) {
    for (const auto& [name, range] : version_needs(file)) names.insert(name);
  }
  return names;
}

std::vector<Diagnostic> check_consumer(const BundleIndex& index,
                                       const std::map<std::string, Version>& consumer) {
  std::vector<Diagnostic> problems;
  for (const BundleFile& file : index.files) {
    for (const auto& [name, range] : version_needs(file)) {
      const auto has = consumer.find(name);
      if (has == consumer.end() || takes(range, has->second)) continue;
      problems.push_back(
          {Severity::error, file.path, "",
           fmt::format("needs {} {}, the consumer has {}", name, range, has->second.text), ""});
    }
  }
  return problems;
}

}  // namespace dsbuild::bundle
