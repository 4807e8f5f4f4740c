#include "bundle/ops_record.h"

#include <fmt/format.h>

#include <map>

#include "base/json.h"
#include "probe/frameworks/python_values.h"

namespace dsbuild::bundle {
namespace {

/// What follows it is ours, up to the end of the file.
constexpr std::string_view kOurs =
    "# Written by dsbuild; dsbuild bundle install --remove undoes it.\n";

std::string text_of(const Json& json, const char* key) {
  const auto value = json.find(key);
  return value != json.end() && value->is_string() ? value->get<std::string>() : "";
}

std::map<std::string, bool> claims_of(std::string_view text) {
  std::map<std::string, bool> claims;
  const auto ops = probe::parse_python_value(text, "installed_ops");
  if (!ops || !ops->is_object()) return claims;
  for (const auto& [name, value] : ops->items()) {
    // True, or 1 in older ones.
    claims[name] = value.is_boolean() ? value.get<bool>() : value.is_number() && value != 0;
  }
  return claims;
}

/// As Python would write it: what we quote are names and version numbers.
std::string quote(const std::string& text) {
  return Json(text).dump();
}

}  // namespace

OpsRecord parse_ops_record(std::string_view text) {
  OpsRecord record;
  for (const auto& [name, claimed] : claims_of(text)) {
    if (claimed) record.installed.push_back(name);
  }
  if (const auto name = probe::parse_python_value(text, "accelerator_name");
      name && name->is_string())
    record.accelerator = name->get<std::string>();
  const auto info = probe::parse_python_value(text, "torch_info");
  if (info && info->is_object()) {
    record.torch = text_of(*info, "version");
    record.cuda = text_of(*info, "cuda_version");
  }
  return record;
}

std::string render_ops_record(std::string_view text, const std::vector<std::string>& ops,
                              const std::vector<std::string>& dropped,
                              const std::string& accelerator,
                              const std::optional<Version>& version) {
  std::map<std::string, bool> claims = claims_of(text);
  for (const std::string& op : dropped) claims[op] = false;
  for (const std::string& op : ops) claims[op] = true;
  std::string record(text.substr(0, text.find(kOurs)));
  if (!record.empty() && record.back() != '\n') record += '\n';
  record += kOurs;
  const std::map<std::string, std::string> usual{{"version", version ? version->text : "0.0.0"},
                                                 {"git_hash", "[none]"},
                                                 {"git_branch", "[none]"}};
  for (const auto& [name, value] : usual) {
    if (!probe::parse_python_value(text, name))
      record += fmt::format("{}={}\n", name, quote(value));
  }
  record += "installed_ops={";
  const char* separator = "";
  for (const auto& [name, claimed] : claims) {
    record += fmt::format("{}{}: {}", separator, quote(name), claimed ? "True" : "False");
    separator = ", ";
  }
  return record + fmt::format("}}\naccelerator_name={}\n", quote(accelerator));
}

}  // namespace dsbuild::bundle
