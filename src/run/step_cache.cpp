#include "run/step_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "run/cache_entry.h"
#include "run/depfile.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// What is kept of a step's words; more than a page of warnings is read by nobody.
constexpr std::size_t kSaidLimit = 64u << 10;

bool not_before(const timespec& time, const timespec& start) {
  return time.tv_sec != start.tv_sec ? time.tv_sec > start.tv_sec : time.tv_nsec >= start.tv_nsec;
}

bool names_folder(std::string_view bytes, const std::string& folder) {
  for (auto at = bytes.find(folder); at != std::string_view::npos;
       at = bytes.find(folder, at + 1)) {
    const auto end = at + folder.size();
    if (end == bytes.size() || bytes[end] == '/' || bytes[end] == '\0') return true;
  }
  return false;
}

std::map<std::string, std::string> with_build(std::map<std::string, std::string> roots,
                                              const fs::path& folder) {
  roots["build"] = folder;
  return roots;
}

void write_words(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
}

}  // namespace

std::string render_cache_place(const CachePlace& place) {
  return fmt::format("{}:{}", place.limit, place.folder.native());
}

CachePlace parse_cache_place(std::string_view text) {
  CachePlace place;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return place;
  const auto [end, error] = std::from_chars(text.data(), text.data() + colon, place.limit);
  if (error == std::errc() && end == text.data() + colon) place.folder = text.substr(colon + 1);
  return place;
}

CachePlace find_cache_place() {
  const char* place = std::getenv(kCacheVariable);
  return parse_cache_place(place != nullptr ? place : "");
}

StepCache::StepCache(const CachePlace& place, const plan::StepFile& step, fs::path folder)
    : place_(place),
      store_(place),
      step_(step),
      folder_(std::move(folder)),
      roots_(with_build(step.roots, folder_)),
      names_(roots_, folder_) {
  // The clock that file systems stamp with.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &started_);
  if (place_.on()) key_ = make_key();
}

std::string StepCache::make_key() {
  if (step_.hash.empty() || (step_.depfile.empty() && !step_.inputs_only)) return {};
  Hasher hasher;
  hasher.field("step", step_.hash);
  for (const std::string& input : step_.inputs) {
    const auto& digest = digest_of(input);
    if (!digest) return {};
    hasher.field("input", *digest);
  }
  return hasher.hex();
}

const std::optional<std::string>& StepCache::digest_of(const std::string& path) {
  const auto [found, added] = digests_.emplace(path, std::nullopt);
  if (added) {
    if (const auto text = read_file(folder_ / path)) found->second = sha256(*text);
  }
  return found->second;
}

bool StepCache::holds(const CacheEntry& entry) {
  if (entry.outputs.size() != step_.outputs.size()) return false;
  for (const auto& [placeholder, folder] : entry.bound) {
    const auto here = roots_.find(placeholder);
    if (here == roots_.end() || here->second != folder) return false;
  }
  return std::all_of(entry.inputs.begin(), entry.inputs.end(), [this](const CachedInput& input) {
    return digest_of(names_.path(input.name)) == input.digest;
  });
}

bool StepCache::take_outputs(const CacheEntry& entry) const {
  for (std::size_t i = 0; i < entry.outputs.size(); ++i) {
    const CachedOutput& output = entry.outputs[i];
    if (!store_.take_file(output.digest, folder_ / step_.outputs[i], output.executable))
      return false;
  }
  return true;
}

bool StepCache::take(int log) {
  for (const CacheStore::Entry& kept : store_.entries(key_)) {
    const auto entry = parse_cache_entry(kept.text);
    if (!entry || !holds(*entry)) continue;
    if (!take_outputs(*entry)) {
      CacheStore::drop(kept.path);
      continue;
    }
    if (!step_.depfile.empty()) {
      std::vector<std::string> read;
      for (const CachedInput& input : entry->inputs) read.push_back(names_.path(input.name));
      write_depfile(step_.depfile, folder_, read);
    }
    write_words(log, names_.show(entry->said));
    CacheStore::touch(kept.path);
    return true;
  }
  return false;
}

bool StepCache::changed_meanwhile(const std::string& path) const {
  struct stat status {};
  if (::stat((folder_ / path).c_str(), &status) != 0) return true;
  return not_before(status.st_mtim, started_) || not_before(status.st_ctim, started_);
}

bool StepCache::too_large() const {
  std::uint64_t size = 0;
  for (const std::string& output : step_.outputs) {
    std::error_code error;
    size += fs::file_size(folder_ / output, error);
  }
  return !place_.takes(size);
}

std::map<std::string, std::string> StepCache::find_bound() const {
  std::map<std::string, std::string> bound;
  for (const std::string& output : step_.outputs) {
    const std::string bytes = read_file(folder_ / output).value_or("");
    for (const auto& [folder, placeholder] : names_.folders()) {
      const std::string name = placeholder.substr(1, placeholder.size() - 2);
      if (names_folder(bytes, folder)) bound[name] = roots_.at(name);
    }
  }
  return bound;
}

std::string StepCache::keep(const std::vector<std::string>& read, std::string_view said) {
  const auto changed = [this](const std::string& path) { return changed_meanwhile(path); };
  if (std::any_of(step_.inputs.begin(), step_.inputs.end(), changed) ||
      std::any_of(read.begin(), read.end(), changed) || too_large()) {
    return {};
  }
  CacheEntry entry;
  for (const std::string& path : read) {
    const auto& digest = digest_of(path);
    if (!digest) return {};
    entry.inputs.push_back({names_.name(path), *digest});
  }
  entry.bound = find_bound();
  entry.said = names_.hide(std::string(said.substr(0, kSaidLimit)));
  std::erase(entry.said, '\0');
  try {
    for (const std::string& output : step_.outputs) {
      const bool executable = ::access((folder_ / output).c_str(), X_OK) == 0;
      entry.outputs.push_back({store_.put_file(folder_ / output), executable});
    }
    store_.put_entry(key_, render_cache_entry(entry));
  } catch (const Error& error) {
    return fmt::format("{}: {}", place_.folder.native(), error.message);
  }
  return {};
}

}  // namespace dsbuild::run
