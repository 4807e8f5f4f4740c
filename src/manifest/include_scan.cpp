#include "manifest/include_scan.h"

#include <algorithm>
#include <set>

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

}  // namespace

const std::vector<std::string>& IncludeScan::names_in(const fs::path& file) {
  const auto [at, is_new] = names_.try_emplace(file);
  if (is_new) {
    const std::string text = system_.read_file(file).value_or("");
    for (const std::string& line : split_lines(text)) {
      if (const auto name = included_name(line); !name.empty()) at->second.emplace_back(name);
    }
  }
  return at->second;
}

bool IncludeScan::walk(const fs::path& file, const std::vector<fs::path>& folders,
                       const std::function<bool(const fs::path&)>& stop) {
  const auto exists = [this](const fs::path& path) {
    const auto [at, is_new] = exists_.try_emplace(path);
    if (is_new) at->second = system_.exists(path);
    return at->second;
  };
  std::set<fs::path> seen{file};
  std::vector<fs::path> open{file};
  while (!open.empty()) {
    const fs::path one = std::move(open.back());
    open.pop_back();
    if (stop(one)) return true;
    for (const std::string& name : names_in(one)) {
      std::vector<fs::path> places{one.parent_path()};
      places.insert(places.end(), folders.begin(), folders.end());
      for (const fs::path& place : places) {
        fs::path found = (place / name).lexically_normal();
        if (!exists(found)) continue;
        if (seen.insert(found).second) open.push_back(std::move(found));
        break;
      }
    }
  }
  return false;
}

bool IncludeScan::includes(const fs::path& file, const std::vector<fs::path>& folders,
                           std::string_view header) {
  return walk(file, folders, [&](const fs::path& one) {
    const std::vector<std::string>& names = names_in(one);
    return std::find(names.begin(), names.end(), header) != names.end();
  });
}

std::vector<fs::path> IncludeScan::headers_of(const fs::path& file,
                                              const std::vector<fs::path>& folders) {
  std::vector<fs::path> headers;
  walk(file, folders, [&](const fs::path& one) {
    if (one != file) headers.push_back(one);
    return false;
  });
  std::sort(headers.begin(), headers.end());
  return headers;
}

bool IncludeScan::mentions(const fs::path& file, const std::string& word) {
  const auto [at, is_new] = mentions_.try_emplace({file, word});
  if (is_new) at->second = system_.read_file(file).value_or("").find(word) != std::string::npos;
  return at->second;
}

}  // namespace dsbuild::manifest
