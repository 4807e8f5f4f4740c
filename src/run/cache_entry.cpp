#include "run/cache_entry.h"

namespace dsbuild::run {
namespace {

constexpr std::string_view kHeader = "dsbuild-cached-step 1";
constexpr std::size_t kDigestSize = 64;

// One tag letter and its value, ended by NUL, as in a step file.
constexpr char kInput = 'i';
constexpr char kOutput = 'o';
constexpr char kProgram = 'x';  // an output that is executable
constexpr char kBound = 'b';
constexpr char kSaid = 's';

void add(std::string& text, char tag, std::string_view value) {
  text += tag;
  text += value;
  text += '\0';
}

bool parse_field(char tag, std::string_view value, CacheEntry& entry) {
  switch (tag) {
    case kInput:
      if (value.size() <= kDigestSize) return false;
      entry.inputs.push_back(
          {std::string(value.substr(kDigestSize)), std::string(value.substr(0, kDigestSize))});
      return true;
    case kOutput:
    case kProgram:
      if (value.size() < kDigestSize) return false;
      entry.outputs.push_back({std::string(value.substr(0, kDigestSize)), tag == kProgram,
                               std::string(value.substr(kDigestSize))});
      return true;
    case kBound: {
      const auto equals = value.find('=');
      if (equals == std::string_view::npos) return false;
      entry.bound.emplace(value.substr(0, equals), value.substr(equals + 1));
      return true;
    }
    case kSaid:
      entry.said = value;
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string render_cache_entry(const CacheEntry& entry) {
  std::string text = std::string(kHeader) + '\0';
  for (const CachedInput& input : entry.inputs) add(text, kInput, input.digest + input.name);
  for (const CachedOutput& output : entry.outputs) {
    add(text, output.executable ? kProgram : kOutput, output.digest + output.name);
  }
  for (const auto& [name, folder] : entry.bound) add(text, kBound, name + "=" + folder);
  if (!entry.said.empty()) add(text, kSaid, entry.said);
  return text;
}

std::optional<CacheEntry> parse_cache_entry(std::string_view text) {
  CacheEntry entry;
  bool first = true;
  while (!text.empty()) {
    const auto end = text.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (first ? field != kHeader
              : field.empty() || !parse_field(field.front(), field.substr(1), entry)) {
      return std::nullopt;
    }
    first = false;
  }
  return entry.outputs.empty() ? std::nullopt : std::optional(std::move(entry));
}

}  // namespace dsbuild::run
