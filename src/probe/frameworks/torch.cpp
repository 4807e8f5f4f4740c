#include "probe/frameworks/torch.h"

#include "probe/fact_json.h"

namespace dsbuild::probe {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Torch, id, prefix, site, path, origin, demanded,
                                                version, python, interpreter, python_include,
                                                extension_suffix, cuda, hip, xpu, cxx11_abi,
                                                includes, defines, lib, libraries, standard,
                                                packages, identity)

const Fact<Version>* Torch::built_with(std::string_view name) const {
  for (const TorchBackend& row : kTorchBackends) {
    if (row.name == name) return &(this->*row.version);
  }
  return nullptr;
}

Json to_json(const std::vector<Torch>& torches) {
  Json json = Json::array();
  for (const Torch& torch : torches) {
    json.push_back(torch);
    // "+cu132" tells two builds of one release apart.
    if (torch.version) json.back()["version"]["value"] = torch.version->text;
  }
  return json;
}

std::vector<Torch> parse_torches(const Json& json) {
  return json.get<std::vector<Torch>>();
}

}  // namespace dsbuild::probe
