#include "bundle/layout.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/hash.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

/// Reasons name files; where a checkout lies must not make another bundle of it.
std::string without_places(std::string text, const plan::Plan& plan) {
  std::vector<std::pair<std::string, std::string>> places;
  for (const auto& [name, path] : plan.paths) {
    if (path.size() > 1) places.emplace_back(path, "{" + name + "}");
  }
  // A folder inside another one first.
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    return std::tuple(b.first.size(), a.first) < std::tuple(a.first.size(), b.first);
  });
  for (const auto& [path, name] : places) text = replace_all(std::move(text), path, name);
  return text;
}

/// What a host library must export, no more and no less, and an extension at least; nothing where
/// its op doesn't say.
std::vector<std::string> planned_exports(const plan::Entry& entry, const plan::Plan& plan) {
  if (!(entry.is_host_library() || entry.is_extension()) || entry.steps.empty()) return {};
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const plan::Step& one) {
    return one.id == entry.steps.back();
  });
  if (step == plan.steps.end()) return {};
  std::vector<std::string> names = step->kernels;
  std::sort(names.begin(), names.end());
  return names;
}

BundleFile make_artifact(const plan::Entry& entry, const plan::Plan& plan, const FileFacts& facts) {
  BundleFile file;
  file.path = entry.artifact;
  file.sha256 = facts.sha256;
  file.size = facts.size;
  file.op = entry.op;
  file.accelerator = entry.accelerator;
  file.arch = entry.arch;
  file.form = entry.form;
  file.variant = entry.variant;
  file.archs = entry.archs;
  file.kernels = planned_exports(entry, plan);
  if (file.kernels.empty()) file.kernels = facts.kernels;
  file.needs = entry.needs;
  file.needs.insert(facts.needs.begin(), facts.needs.end());
  return file;
}

BundleGap make_gap(const plan::Entry& entry, const plan::Plan& plan) {
  BundleGap gap{entry.op, entry.accelerator, entry.arch, {}, {}, {}};
  if (entry.reason) {
    gap.code = plan::reason_row(entry.reason->code).id;
    gap.text = without_places(entry.reason->text, plan);
    gap.hint = without_places(entry.reason->hint, plan);
  }
  return gap;
}

bool is_artifact(const plan::Entry& entry) {
  return entry.state == plan::EntryState::planned;
}

}  // namespace

std::map<std::string, fs::path> find_sources(const plan::Plan& plan, const BundleContent& content) {
  std::map<std::string, fs::path> sources = content.copies;
  for (const plan::Entry& entry : plan.entries) {
    if (is_artifact(entry)) sources[entry.artifact] = content.build_folder / entry.artifact;
  }
  return sources;
}

BundleIndex make_index(const plan::Plan& plan, const BundleContent& content,
                       const std::map<std::string, fs::path>& sources, Memory& memory) {
  BundleIndex index;
  index.dsbuild_version = content.dsbuild_version;
  index.commit = content.commit;
  index.dirty = content.dirty;
  index.triple = plan.triple;
  index.host_bound = plan.host_bound;
  index.host_features = plan.host_features;
  for (const plan::Entry& entry : plan.entries) {
    if (is_artifact(entry)) {
      index.files.push_back(
          make_artifact(entry, plan, memory.facts(sources.at(entry.artifact), true)));
    } else {
      index.gaps.push_back(make_gap(entry, plan));
    }
  }
  for (const auto& [path, source] : content.copies) {
    const FileFacts& facts = memory.facts(source, false);
    index.files.push_back({.path = path, .sha256 = facts.sha256, .size = facts.size});
  }
  for (const auto& [path, text] : content.texts) {
    index.files.push_back({.path = path, .sha256 = sha256(text), .size = text.size()});
  }
  std::sort(index.files.begin(), index.files.end(),
            [](const BundleFile& a, const BundleFile& b) { return a.path < b.path; });
  return index;
}

}  // namespace dsbuild::bundle
