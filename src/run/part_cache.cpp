#include "run/part_cache.h"

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/pattern.h"
#include "plan/step_environment.h"
#include "run/cache_entry.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_binary(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

}  // namespace

PartCache::PartCache(const CachePlace& place, const plan::StepFile& step, std::string name,
                     const std::vector<std::string>& words)
    : place_(place),
      store_(place, kPartEntries),
      name_(std::move(name)),
      words_(words),
      names_(step.outputs.front(), words) {
  if (place_.on() && read_files(step.subprograms.identifiers)) key_ = make_key(step);
}

/// False where a word may name a file in a way that isn't known.
bool PartCache::read_files(const std::string& pattern) {
  const std::optional<Pattern> identifiers =
      pattern.empty() ? std::nullopt : std::optional<Pattern>(pattern);
  std::vector<std::pair<std::string, std::string>> texts;
  for (const std::string& word : words_) {
    if (word.starts_with('@')) return false;  // more words in a file
    if (!is_file(word) || read_.contains(word)) continue;
    const fs::file_time_type time = fs::last_write_time(word);
    auto text = read_file(word);
    if (!text) return false;
    if (identifiers && !is_binary(*text)) names_.add_identifiers(identifiers->find_all(*text));
    texts.emplace_back(word, std::move(*text));
    read_.emplace(word, Read{{}, time});
  }
  for (auto& [path, text] : texts) {
    auto hidden = names_.hide(text);
    if (!hidden) return false;
    read_[path].hidden = sha256(*hidden);
  }
  return true;
}

std::string PartCache::make_key(const plan::StepFile& step) const {
  Hasher hasher;
  hasher.field("program", name_).field("toolchain", step.toolchain_identity);
  for (const auto& [name, value] : step.environment) {
    if (plan::changes_output(name)) hasher.field("env", name).field("value", value);
  }
  for (const std::string& word : words_) {
    const auto hidden = names_.hide(word);
    // A name within a word: as it is said there, a file may be meant that isn't looked at.
    if (!hidden || names_.names_file(*hidden)) return {};
    hasher.field("word", *hidden);
    const auto read = read_.find(word);
    if (read != read_.end()) hasher.field("file", read->second.hidden);
  }
  return hasher.hex();
}

/// Of a result that holds identifiers as they are.
std::string PartCache::exact_key() const {
  Hasher hasher;
  hasher.field("part", key_);
  for (const std::string& identifier : names_.identifiers()) hasher.field("name", identifier);
  return hasher.hex();
}

bool PartCache::take_file(const std::string& digest, const std::string& path) const {
  if (!store_.take_file(digest, fs::absolute(path), false)) return false;
  const auto text = read_file(path);
  if (!text) return false;
  if (!is_binary(*text)) {
    const std::string shown = names_.show(*text);
    if (shown != *text) write_file(path, shown);
  }
  return true;
}

bool PartCache::take_files(const CacheEntry& entry) const {
  return std::all_of(entry.outputs.begin(), entry.outputs.end(), [this](const auto& output) {
    const std::string path = names_.show(output.name);
    const bool named = std::find(words_.begin(), words_.end(), path) != words_.end();
    return named && take_file(output.digest, path);
  });
}

std::optional<std::string> PartCache::take() const {
  for (const std::string& key : {key_, exact_key()}) {
    for (const CacheStore::Entry& kept : store_.entries(key)) {
      const auto entry = parse_cache_entry(kept.text);
      if (!entry) continue;
      if (!take_files(*entry)) {
        CacheStore::drop(kept.path);
        continue;
      }
      CacheStore::touch(kept.path);
      return names_.show(entry->said);
    }
  }
  return std::nullopt;
}

/// False when the file can't be the same for somebody else.
bool PartCache::keep_file(const std::string& path, CacheEntry& entry, bool& exact) const {
  const auto text = read_file(path);
  const auto name = names_.hide(path);
  // What isn't a temporary file of the step has its name for others, too.
  if (!text || !name || *name == path) return false;
  const bool binary = is_binary(*text);
  const auto hidden = binary ? text : names_.hide(*text);
  if (!hidden || names_.names_file(*hidden)) return false;
  exact = exact || names_.holds_identifier(*hidden);
  if (!place_.takes(hidden->size())) return false;
  entry.outputs.push_back({store_.put_text(*hidden), false, *name});
  return true;
}

void PartCache::keep(std::string_view said) const {
  CacheEntry entry;
  bool exact = false;
  try {
    for (const auto& [path, read] : read_) {
      if (!is_file(path) || fs::last_write_time(path) != read.time) return;
    }
    std::vector<std::string> made;
    for (const std::string& word : words_) {
      const bool fresh = is_file(word) && !read_.contains(word);
      if (!fresh || std::find(made.begin(), made.end(), word) != made.end()) continue;
      if (!keep_file(word, entry, exact)) return;
      made.push_back(word);
    }
    const auto words = names_.hide(said);
    if (made.empty() || !words || is_binary(*words) || names_.names_file(*words)) return;
    entry.said = *words;
    exact = exact || names_.holds_identifier(*words);
    store_.put_entry(exact ? exact_key() : key_, render_cache_entry(entry));
  } catch (const Error&) {  // the step tells of a cache that can't be written
  }
}

}  // namespace dsbuild::run
