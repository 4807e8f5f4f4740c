#include "manifest/claims.h"

#include <map>
#include <string>

namespace dsbuild::manifest {
namespace {

/// Who claimed each word first. The claims of one descriptor among themselves count too.
class Claims {
 public:
  /// The descriptor that has the word already, or null, and then it is `by`'s from now on.
  const Accelerator* add(const std::string& word, const Accelerator& by) {
    const auto [entry, is_new] = owners_.emplace(word, &by);
    return is_new ? nullptr : entry->second;
  }

 private:
  std::map<std::string, const Accelerator*> owners_;
};

}  // namespace

void check_claims(const std::vector<DescriptorFile>& descriptors) {
  Claims names;
  Claims kinds;
  Claims settings;
  const Accelerator* bare = nullptr;
  const Accelerator* host = nullptr;
  for (const DescriptorFile& descriptor : descriptors) {
    names.add(descriptor.accelerator.name, descriptor.accelerator);
  }
  for (const DescriptorFile& descriptor : descriptors) {
    const Node root(*descriptor.document);
    const Accelerator& self = descriptor.accelerator;
    for (const Node& alias : root.at("aliases").items()) {
      if (const auto* owner = names.add(alias.text(), self)) {
        alias.complain(Rule::alias_taken, {alias.text(), owner->name, owner->file.string()});
      }
    }
    for (const Node& probe : root.at("probes").items()) {
      const Node kind = probe.at("kind");
      const auto* owner = kind ? kinds.add(kind.text(), self) : nullptr;
      if (owner != nullptr) kind.complain(Rule::kind_taken, {kind.text(), owner->file.string()});
    }
    for (const Node& variable : root.at("archs").at("settings").items()) {
      if (const auto* owner = settings.add(variable.text(), self)) {
        variable.complain(Rule::setting_taken,
                          {variable.text(), owner->name, owner->file.string()});
      }
    }
    if (self.archs.bare) {
      if (bare != nullptr) {
        root.at("archs").at("bare").complain(Rule::bare_taken, {bare->name, bare->file.string()});
      }
      bare = &self;
    }
    if (self.host) {
      if (host != nullptr) {
        root.at("host").complain(Rule::host_taken, {host->name, host->file.string()});
      }
      host = &self;
    }
  }
}

}  // namespace dsbuild::manifest
