#include <algorithm>
#include <set>

#include "base/text.h"
#include "manifest/op_parts.h"

namespace dsbuild::manifest {
namespace {

using Accelerators = std::map<std::string, Accelerator>;

const Accelerator* host_of(const Accelerators& accelerators) {
  for (const auto& [name, accelerator] : accelerators) {
    if (accelerator.host) return &accelerator;
  }
  return nullptr;
}

std::vector<Node> sources_of(const Node& part) {
  std::vector<Node> sources = part.at("binding").items();
  for (Node& source : part.at("sources").items()) sources.push_back(std::move(source));
  return sources;
}

/// Sources are compiled by the host's compiler or by that of an accelerator of the part.
void check_suffixes(const Node& part, const Accelerators& accelerators) {
  std::vector<const Accelerator*> takers;
  if (const Accelerator* host = host_of(accelerators)) takers.push_back(host);
  for (const auto& [name, filter] : part.at("on").members()) {
    const auto found = accelerators.find(name);
    if (found != accelerators.end()) takers.push_back(&found->second);
  }
  std::vector<std::string> suffixes;
  for (const Accelerator* taker : takers)
    suffixes.insert(suffixes.end(), taker->suffixes.begin(), taker->suffixes.end());
  for (const Node& source : sources_of(part)) {
    const bool taken = std::any_of(takers.begin(), takers.end(), [&](const Accelerator* taker) {
      return takes_source(*taker, source.text());
    });
    if (source.is_text() && !taken) {
      source.complain(Rule::source_suffix,
                      {"a part for these accelerators", source.text(), join(suffixes, " or ")});
    }
  }
}

/// The parts of one accelerator that count whatever the versions, as they were read.
void check_accelerator_parts(const Node& root, const Op& op, const std::string& accelerator) {
  std::set<std::filesystem::path> listed;
  bool native = false;
  bool bound = false;
  for (const ExtensionPart& part : op.parts) {
    if (!part.on.contains(accelerator)) continue;
    const bool always = !part.when.torch && !part.when.python && !part.when.toolkit;
    for (const auto* sources : {&part.binding, &part.sources}) {
      for (const auto& source : *sources) {
        native = true;
        if (always && !listed.insert(source).second)
          root.at("parts").complain(Rule::parts_share_source,
                                    {source.filename().string(), accelerator});
      }
    }
    bound = bound || !part.binding.empty();
  }
  if (native && !bound && !op.stable_abi)
    root.at("parts").complain(Rule::no_binding, {accelerator});
}

}  // namespace

void check_extension(const Node& root, const Op& op, const Accelerators& accelerators) {
  std::set<std::string> names;
  for (const Node& part : root.at("parts").items()) {
    check_suffixes(part, accelerators);
    if (sources_of(part).empty() && !part.has("python"))
      part.complain(Rule::part_without_sources, {});
  }
  for (const ExtensionPart& part : op.parts) {
    for (const auto& [name, filter] : part.on) names.insert(name);
  }
  for (const std::string& name : names) check_accelerator_parts(root, op, name);
}

}  // namespace dsbuild::manifest
