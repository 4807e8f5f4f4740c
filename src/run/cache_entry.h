// What the step cache remembers of one run of a step: what it read, what it made, what it said.
// Knows the entry's text form; nothing of where entries and files are kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild::run {

/// A file that the step read, and the SHA-256 of its content.
struct CachedInput {
  std::string name;  ///< CacheNames::name
  std::string digest;

  bool operator==(const CachedInput&) const = default;
};

/// A file that the step made: its content is kept under its digest.
struct CachedOutput {
  std::string digest;
  bool executable = false;
  std::string name = {};  ///< which one; empty for a step's, which come in their order

  bool operator==(const CachedOutput&) const = default;
};

struct CacheEntry {
  std::vector<CachedInput> inputs;    ///< of the depfile, in order
  std::vector<CachedOutput> outputs;  ///< as StepFile::outputs
  /// Folders that stand in an output by their path: the entry holds only where they are the same.
  std::map<std::string, std::string> bound;
  std::string said;  ///< what the command printed, folders by placeholder

  bool operator==(const CacheEntry&) const = default;
};

std::string render_cache_entry(const CacheEntry& entry);
/// Empty when the text is no entry of this version.
std::optional<CacheEntry> parse_cache_entry(std::string_view text);

}  // namespace dsbuild::run
