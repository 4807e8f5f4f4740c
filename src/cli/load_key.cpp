#include "cli/load_key.h"

#include <fmt/format.h>

#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "cli/version.h"

namespace dsbuild::cli {
namespace {

std::string all_of(const std::set<std::string>& words, std::string_view separator) {
  return join({words.begin(), words.end()}, separator);
}

std::string word_of(const std::map<std::string, std::string>& words, const std::string& name) {
  const auto found = words.find(name);
  return found == words.end() || found->second.empty() ? "unknown" : found->second;
}

}  // namespace

LoadKey make_load_key(const std::string& op, const plan::Plan& plan, const probe::Torch* torch) {
  LoadKey key;
  Hasher hasher;
  hasher.field("op", op);
  if (torch != nullptr) {
    hasher.field("torch", torch->identity).field("site", torch->path);
    key.words["torch"] = torch->id + " in " + torch->site;
  }
  std::set<std::string> folders;
  for (const auto& [name, path] : plan.paths) {
    if (name == "build") continue;
    hasher.field(name, path);
    folders.insert(path);
  }
  for (const plan::Step& step : plan.steps)
    hasher.field(step.id, plan::step_hash(step)).field("toolchain", step.toolchain_identity);
  std::set<std::string> accelerators;
  std::set<std::string> archs;
  std::set<std::string> toolchains;
  for (const plan::Entry& entry : plan.entries) {
    if (entry.state != plan::EntryState::planned || entry.op != op) continue;
    accelerators.insert(entry.accelerator);
    archs.insert(entry.archs.begin(), entry.archs.end());
    if (!entry.arch.empty()) archs.insert(entry.arch);
    const auto level = entry.needs.find("cpu");
    if (level != entry.needs.end()) archs.insert(level->second);
    if (!entry.toolchain.empty()) toolchains.insert(entry.toolchain);
  }
  key.folder = fmt::format("{}-{}-{}", op, all_of(accelerators, "-"), hasher.hex().substr(0, 16));
  key.words["accelerators"] = all_of(accelerators, ", ");
  key.words["archs"] = all_of(archs, ", ");
  key.words["toolchains"] = all_of(toolchains, ", ");
  key.words["sources"] = all_of(folders, ", ");
  key.words["dsbuild"] = kVersion;
  return key;
}

std::string describe_key(const LoadKey& key) {
  const auto torch = key.words.find("torch");
  return fmt::format("for {} ({}){}", word_of(key.words, "accelerators"),
                     word_of(key.words, "archs"),
                     torch == key.words.end() ? "" : " and " + torch->second);
}

std::vector<std::string> describe_difference(const std::map<std::string, std::string>& other,
                                             const std::map<std::string, std::string>& wanted) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : wanted) {
    const std::string theirs = word_of(other, name);
    if (theirs != word_of(wanted, name))
      lines.push_back(fmt::format("{} {} instead of {}", name, theirs, word_of(wanted, name)));
  }
  if (lines.empty()) lines.emplace_back("other commands");
  return lines;
}

}  // namespace dsbuild::cli
