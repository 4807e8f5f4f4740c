#include "manifest/include_scan.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::manifest {
namespace {

/// NAME of `#include <NAME>` or `#include "NAME"`; empty for another line.
std::string_view included_name(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return {};
  line = trim(line.substr(1));
  constexpr std::string_view kWord = "include";
  if (!line.starts_with(kWord)) return {};
  line = trim(line.substr(kWord.size()));
  if (line.empty() || (line.front() != '<' && line.front() != '"')) return {};
  const std::size_t end = line.find(line.front() == '<' ? '>' : '"', 1);
  return end == std::string_view::npos ? std::string_view() : line.substr(1, end - 1);
}

std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto name = included_name(text.substr(0, end)); !name.empty())
      names.emplace_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

/// As fs::path would, which takes the paths apart for it.
std::string join_path(const std::string& folder, const std::string& name) {
  const bool plain = !name.starts_with('/') && name.find("./") == std::string::npos &&
                     name.find("//") == std::string::npos;
  return plain ? folder + "/" + name : (fs::path(folder) / name).lexically_normal().string();
}

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

std::optional<IncludeScan::Number> IncludeScan::find(const std::string& path) {
  const auto [at, is_new] = known_.try_emplace(path);
  if (is_new && system_.exists(path)) {
    at->second = files_.size();
    files_.push_back({path, {}, {}, false});
  }
  return at->second;
}

const IncludeScan::File& IncludeScan::read(Number number) {
  File& file = files_[number];
  if (!std::exchange(file.is_read, true)) {
    file.text = system_.read_file(file.path).value_or("");
    file.names = included_names(file.text);
  }
  return file;
}

const std::vector<IncludeScan::Number>& IncludeScan::included_by(
    Number file, const std::vector<std::string>& folders, Included& included) {
  const auto [at, is_new] = included.try_emplace(file);
  if (!is_new) return at->second;
  const std::vector<std::string> names = read(file).names;
  const std::string beside = parent_of(files_[file].path);
  for (const std::string& name : names) {
    std::optional<Number> found = find(join_path(beside, name));
    for (const std::string& folder : folders) {
      if (found) break;
      found = find(join_path(folder, name));
    }
    if (found) at->second.push_back(*found);
  }
  return at->second;
}

std::vector<IncludeScan::Number> IncludeScan::reach(const fs::path& file,
                                                    const std::vector<fs::path>& folders) {
  const auto start = find(file.string());
  if (!start) return {};
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    names.push_back(folder.string());
    if (names.back().ends_with('/')) names.back().pop_back();
  }
  const auto at = included_.try_emplace(std::move(names)).first;
  std::vector<Number> reached{*start};
  std::vector<bool> seen(files_.size());
  seen[*start] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Number next : included_by(reached[i], at->first, at->second)) {
      seen.resize(files_.size());
      if (!seen[next]) reached.push_back(next);
      seen[next] = true;
    }
  }
  return reached;
}

bool IncludeScan::includes(const fs::path& file, const std::vector<fs::path>& folders,
                           std::string_view header) {
  const std::vector<Number> reached = reach(file, folders);
  return std::any_of(reached.begin(), reached.end(), [&](Number one) {
    const std::vector<std::string>& names = read(one).names;
    return std::find(names.begin(), names.end(), header) != names.end();
  });
}

std::vector<fs::path> IncludeScan::headers_of(const fs::path& file,
                                              const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const Number one : reach(file, folders)) names.push_back(files_[one].path);
  if (!names.empty()) names.erase(names.begin());
  std::sort(names.begin(), names.end());
  return {names.begin(), names.end()};
}

bool IncludeScan::mentions(const fs::path& file, std::string_view word) {
  const auto found = find(file.string());
  return found && read(*found).text.find(word) != std::string::npos;
}

}  // namespace dsbuild::manifest
