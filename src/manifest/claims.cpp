#include "manifest/claims.h"

#include <map>
#include <set>
#include <string>

#include "base/text.h"

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

/// Whether `from` imitates `to`, directly or through others. Circles that leave `to` out end at
/// what was seen.
bool imitates(const std::map<std::string, const Accelerator*>& all, const std::string& from,
              const std::string& to, std::set<std::string>& seen) {
  const auto accelerator = all.find(from);
  if (accelerator == all.end() || !seen.insert(from).second) return false;
  for (const std::string& name : accelerator->second->imitates) {
    if (name == to || imitates(all, name, to, seen)) return true;
  }
  return false;
}

void check_imitations(const std::vector<DescriptorFile>& descriptors) {
  std::map<std::string, const Accelerator*> all;
  std::vector<std::string> names;
  for (const DescriptorFile& descriptor : descriptors) {
    all.emplace(descriptor.accelerator.name, &descriptor.accelerator);
    names.push_back(descriptor.accelerator.name);
  }
  for (const DescriptorFile& descriptor : descriptors) {
    const std::string& self = descriptor.accelerator.name;
    for (const Node& item : Node(*descriptor.document).at("imitates").items()) {
      std::set<std::string> seen;
      const std::string other = item.text();
      if (!all.contains(other)) {
        item.complain(Rule::unknown_accelerator, {other, did_you_mean(other, names)});
      } else if (other == self || imitates(all, other, self, seen)) {
        item.complain(Rule::imitates_circle, {other, self});
      }
    }
  }
}

}  // namespace

void check_claims(const std::vector<DescriptorFile>& descriptors) {
  check_imitations(descriptors);
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
