#include "run/depfile.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "base/hash.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

/// One rule, its continued lines joined; takes it off `text`.
std::string take_rule(std::string_view& text) {
  std::string rule;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool continued = line.ends_with('\\');
    if (continued) line.remove_suffix(1);
    rule.append(line).push_back(' ');
    if (!continued) break;
  }
  return rule;
}

/// The end of the target: a colon before a space. nvcc 13 leaves spaces in the target unescaped,
/// so words don't tell.
std::size_t end_of_target(std::string_view rule) {
  for (auto colon = rule.find(':'); colon != std::string_view::npos;
       colon = rule.find(':', colon + 1)) {
    if (colon + 1 < rule.size() && is_space(rule[colon + 1])) return colon + 1;
  }
  return std::string_view::npos;
}

/// g++, clang and nvcc escape a space, g++ and clang also '#' (by a backslash) and '$' (doubled);
/// any other backslash is one.
void add_words(std::string_view rule, std::vector<std::string>& words) {
  std::string word;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (is_space(rule[i])) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else if ((rule[i] == '\\' && (next == ' ' || next == '#')) ||
               (rule[i] == '$' && next == '$')) {
      word += next;
      ++i;
    } else {
      word += rule[i];
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
}

std::string escape(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

/// Ninja takes "a/../b" for "b", which is another file when "a" is a link to somewhere else.
class Folders {
 public:
  explicit Folders(fs::path base) : base_(std::move(base)) {}

  fs::path real(const fs::path& name) {
    if (name.native().find("..") == std::string::npos) return name;
    const fs::path folder = name.parent_path();
    const auto [found, added] = known_.emplace(folder, folder);
    if (added) {
      std::error_code error;
      const fs::path plain = folder.lexically_normal();
      if (!fs::equivalent(base_ / folder, base_ / plain, error)) {
        const fs::path canonical = fs::canonical(base_ / folder, error);
        if (!error) found->second = canonical;
      }
    }
    return found->second / name.filename();
  }

 private:
  fs::path base_;
  std::map<fs::path, fs::path> known_;
};

/// A name for the same file that Ninja can read.
std::string readable_name(const fs::path& name, const fs::path& folder) {
  if (ninja_can_read(name.native())) return name;
  const fs::path target = (folder / name).lexically_normal();
  const fs::path near = target.lexically_relative(folder);
  if (ninja_can_read(near.native())) return near;
  const fs::path link = fs::path("links") / sha256(target.native()).substr(0, 16);
  write_folder(folder / "links");
  write_link(folder / link, target);
  return link;
}

}  // namespace

std::optional<std::vector<std::string>> parse_depfile(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string rule = take_rule(text);
    if (rule.find_first_not_of(" \t") == std::string::npos) continue;
    const std::size_t start = end_of_target(rule);
    if (start == std::string::npos) return std::nullopt;
    add_words(std::string_view(rule).substr(start), words);
  }
  return words;
}

// Tried with Ninja 1.11 for every printing character of ASCII.
bool ninja_can_read(std::string_view name) {
  return !name.ends_with(':') && name.find_first_of("'\"&;|<>*?`^\n\t") == std::string_view::npos;
}

std::optional<std::vector<std::string>> read_depfile(const fs::path& path, const fs::path& folder) {
  const auto text = read_file(folder / path);
  const auto words = text ? parse_depfile(*text) : std::nullopt;
  if (!words) return std::nullopt;
  Folders folders(folder);
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const std::string& word : *words) {
    std::string name = folders.real(word);
    if (known.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

void write_depfile(const fs::path& path, const fs::path& folder,
                   const std::vector<std::string>& names) {
  std::string text = "out:";
  for (const std::string& name : names) text += " \\\n " + escape(readable_name(name, folder));
  write_file(folder / path, text + "\n");
}

}  // namespace dsbuild::run
