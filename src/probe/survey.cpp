#include "probe/survey.h"

#include "probe/fact_json.h"

namespace dsbuild::probe {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PrebuiltOp, name, claimed, file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Framework, name, prefix, found_by, python, path,
                                                version, details, ops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Library, name, header, library, version,
                                                header_only, usable, package)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FolderLimits, use, path, size, free, file_system,
                                                network, noexec)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Limits, folders, ulimits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Survey, frameworks, libraries, limits)

Fact<std::string> Framework::detail(const std::string& key) const {
  const auto found = details.find(key);
  return found == details.end() ? Fact<std::string>::missing("not told by its files")
                                : found->second;
}

Json to_json(const Survey& survey) {
  Json json;
  to_json(json, survey);
  return json;
}

Survey parse_survey(const Json& json) {
  return json.get<Survey>();
}

}  // namespace dsbuild::probe
