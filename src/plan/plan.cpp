#include "plan/plan.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/json.h"
#include "plan/step_environment.h"

namespace dsbuild::plan {
namespace {

Json step_json(const Step& step) {
  Json json{{"id", step.id},
            {"what", step.what},
            {"argv", step.argv},
            {"env", step.environment},
            {"inputs", step.inputs},
            {"outputs", step.outputs},
            {"toolchain", step.toolchain}};
  if (!step.files.empty()) json["files"] = step.files;
  if (!step.depfile.empty()) json["depfile"] = step.depfile;
  for (const Scan& scan : step.scans) json["scans"].push_back(scan.argv);
  if (step.header) json["precompiled"] = step.header->argv;
  if (!step.kernels.empty()) json["kernels"] = step.kernels;
  if (step.any_kernel) json["any_kernel"] = true;
  return json;
}

Json entry_json(const Entry& entry) {
  Json json{{"op", entry.op},     {"accelerator", entry.accelerator}, {"arch", entry.arch},
            {"form", entry.form}, {"variant", entry.variant},         {"required", entry.required}};
  if (entry.state == EntryState::skipped) {
    json["state"] = "skipped";
    if (entry.reason) {
      json["reason"] = {{"code", reason_row(entry.reason->code).id},
                        {"text", entry.reason->text},
                        {"hint", entry.reason->hint}};
    }
    return json;
  }
  json["state"] = "planned";
  json["toolchain"] = entry.toolchain;
  json["artifact"] = entry.artifact;
  json["steps"] = entry.steps;
  json["trials"] = entry.trials;
  json["needs"] = entry.needs;
  if (!entry.archs.empty()) json["archs"] = entry.archs;
  return json;
}

Json trial_json(const Trial& trial) {
  Json steps = Json::array();
  for (const Step& step : trial.steps) steps.push_back(step_json(step));
  return {{"key", trial.key},       {"what", trial.what}, {"source_name", trial.source_name},
          {"source", trial.source}, {"steps", steps},     {"hint", trial.hint}};
}

template <typename T, typename Render>
Json list_json(const std::vector<T>& items, Render render) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(render(item));
  return list;
}

}  // namespace

ExitCode Plan::verdict() const {
  ExitCode gravest = ExitCode::ok;
  for (const Entry& entry : entries) {
    if (entry.state != EntryState::skipped || !entry.required || !entry.reason) continue;
    gravest = std::max(gravest, reason_row(entry.reason->code).when_required);
  }
  return gravest;
}

bool skip_failed(Plan& plan, const std::vector<std::string>& failed_steps) {
  const auto skip = [](Entry& entry, const std::string& text) {
    entry.state = EntryState::skipped;
    entry.reason = Reason{ReasonCode::step_failed, text, "its log is in the build folder"};
    entry.artifact.clear();
  };
  std::set<std::string> without_library;
  for (Entry& entry : plan.entries) {
    const auto failed = std::find_first_of(entry.steps.begin(), entry.steps.end(),
                                           failed_steps.begin(), failed_steps.end());
    if (entry.state != EntryState::planned || failed == entry.steps.end()) continue;
    if (entry.is_host_library()) without_library.insert(entry.op);
    skip(entry, *failed + " could not be made");
  }
  bool anything = false;
  for (Entry& entry : plan.entries) {
    if (entry.state != EntryState::planned) continue;
    if (without_library.contains(entry.op)) skip(entry, "the host library could not be made");
    anything = anything || entry.state == EntryState::planned;
  }
  return anything;
}

std::string step_hash(const Step& step) {
  Hasher hasher;
  for (const std::string& word : step.argv) hasher.field("argv", word);
  for (const auto& [name, value] : step.environment) {
    if (changes_output(name)) hasher.field("env", name).field("value", value);
  }
  for (const auto& [path, text] : step.files) hasher.field("file", path).field("text", text);
  for (const Scan& scan : step.scans) {
    for (const std::string& word : scan.argv) hasher.field("scan", word);
  }
  hasher.field("toolchain", step.toolchain_identity);
  for (const std::string& kernel : step.kernels) hasher.field("kernel", kernel);
  if (step.any_kernel) hasher.field("kernel", "*");
  return hasher.hex();
}

Json to_json(const Plan& plan) {
  const auto setting_json = [](const Setting& setting) -> Json {
    return {{"name", setting.name}, {"value", setting.value}, {"origin", setting.origin}};
  };
  Json json{{"schema", 1},
            {"triple", plan.triple},
            {"host_bound", plan.host_bound},
            {"notes", plan.notes},
            {"settings", list_json(plan.settings, setting_json)},
            {"entries", list_json(plan.entries, entry_json)},
            {"steps", list_json(plan.steps, step_json)},
            {"trials", list_json(plan.trials, trial_json)}};
  if (plan.host_bound) json["host_features"] = plan.host_features;
  return json;
}

}  // namespace dsbuild::plan
