#include "run/cache_names.h"

#include <algorithm>

#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::run {

CacheNames::CacheNames(const std::map<std::string, std::string>& roots, fs::path folder)
    : folder_(std::move(folder)) {
  for (const auto& [name, text] : roots) {
    const std::string placeholder = "{" + name + "}";
    places_.emplace(placeholder, text);
    folders_.emplace_back(text, placeholder);
    std::error_code error;
    const fs::path real = fs::canonical(text, error);
    if (!error && real != text) folders_.emplace_back(real, placeholder);
  }
  // "/" would be found in every path.
  std::erase_if(folders_, [](const auto& row) { return row.first.size() < 2; });
  std::stable_sort(folders_.begin(), folders_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string CacheNames::name(const std::string& path) const {
  const std::string text = (folder_ / path).lexically_normal();
  for (const auto& [folder, placeholder] : folders_) {
    if (lies_in(text, folder)) return placeholder + text.substr(folder.size());
  }
  return text;
}

std::string CacheNames::path(std::string_view name) const {
  const auto end = name.find('}');
  if (!name.starts_with('{') || end == std::string_view::npos) return std::string(name);
  const auto place = places_.find(name.substr(0, end + 1));
  if (place == places_.end()) return std::string(name);
  return place->second + std::string(name.substr(end + 1));
}

std::string CacheNames::hide(std::string text) const {
  for (const auto& [folder, placeholder] : folders_) {
    text = replace_all(std::move(text), folder + "/", placeholder + "/");
  }
  return text;
}

std::string CacheNames::show(std::string text) const {
  for (const auto& [placeholder, folder] : places_) {
    text = replace_all(std::move(text), placeholder + "/", folder + "/");
  }
  return text;
}

}  // namespace dsbuild::run
