// Facts and versions as JSON, both ways, for the files that hold them. Knows no fact.
#pragma once

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string>

#include "base/fact.h"
#include "base/json.h"
#include "base/version.h"

namespace dsbuild {

/// As its dotted number.
inline void to_json(Json& json, const Version& version) {
  json = version.number();
}
inline void from_json(const Json& json, Version& version) {
  auto parsed = Version::parse(json.get<std::string>());
  if (!parsed) throw std::invalid_argument(fmt::format("{} is no version", json.dump()));
  version = *std::move(parsed);
}

inline void to_json(Json& json, const VersionRange& range) {
  json = range.text();
}
inline void from_json(const Json& json, VersionRange& range) {
  auto parsed = VersionRange::parse(json.get<std::string>());
  if (!parsed) throw std::invalid_argument(fmt::format("{} is no range of versions", json.dump()));
  range = *std::move(parsed);
}

/// Beside the value, where it is ranked.
struct ConfidenceName {
  Confidence confidence;
  const char* name;
};
inline constexpr std::array<ConfidenceName, 3> kConfidences{{{Confidence::table, "table"},
                                                             {Confidence::kernel, "kernel"},
                                                             {Confidence::measured, "measured"}}};

/// {"value", "source", "confidence"}, or {"reason", "source"} where there is no value.
template <typename T>
void to_json(Json& json, const Fact<T>& fact) {
  json = Json::object();
  if (fact) {
    json["value"] = *fact;
    for (const ConfidenceName& row : kConfidences) {
      if (row.confidence == fact.confidence) json["confidence"] = row.name;
    }
  } else {
    json["reason"] = fact.reason;
  }
  if (!fact.source.empty()) json["source"] = fact.source;
}
template <typename T>
void from_json(const Json& json, Fact<T>& fact) {
  fact = Fact<T>();
  if (json.contains("value")) {
    fact.value = json.at("value").get<T>();
    for (const ConfidenceName& row : kConfidences) {
      if (json.value("confidence", "") == row.name) fact.confidence = row.confidence;
    }
  } else {
    fact.reason = json.value("reason", "not recorded");
  }
  fact.source = json.value("source", "");
}

}  // namespace dsbuild
