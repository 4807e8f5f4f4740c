#include "probe/toolchains/command_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/hash.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr int kMaxWrappers = 8;
constexpr std::uint64_t kMaxScript = 4096;  // programs are larger; no need to read them

/// "g++" of "g++-12" and "clang++" of "clang++-19.1".
std::string_view without_version(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == name.size()) return name;
  const bool number = name.find_first_not_of("0123456789.", dash + 1) == std::string_view::npos;
  return number ? name.substr(0, dash) : name;
}

std::optional<std::string> read_script(const System& system, const fs::path& path) {
  const auto status = system.status(path);
  if (!status || !status->is_file() || status->size > kMaxScript) return std::nullopt;
  auto text = system.read_file(path, kMaxScript);
  if (!text || !text->starts_with("#!")) return std::nullopt;
  return text;
}

}  // namespace

fs::path parse_exec_target(std::string_view script) {
  for (const std::string& line : split_lines(script)) {
    const auto words = split(line, " \t");
    if (words.size() < 2 || words[0] != "exec") continue;
    std::string target = words[1];
    for (const char quote : {'"', '\''}) {
      if (target.size() > 2 && target.front() == quote && target.back() == quote) {
        target = target.substr(1, target.size() - 2);
      }
    }
    if (target.starts_with('/') && target.find_first_of("$`*?'\"") == std::string::npos) {
      return target;
    }
  }
  return {};
}

bool names_tool(std::string_view file_name, std::string_view tool) {
  std::string_view name = without_version(file_name);
  if (!name.ends_with(tool)) return false;
  name.remove_suffix(tool.size());
  return name.empty() || name.ends_with('-');
}

CommandFiles find_command_files(const System& system, const fs::path& command) {
  CommandFiles found{command, {}};
  fs::path next = command;
  bool own_name = true;
  for (int i = 0; i < kMaxWrappers; ++i) {
    const auto resolved = system.resolve(next);
    if (!resolved) break;
    if (std::find(found.files.begin(), found.files.end(), *resolved) != found.files.end()) break;
    found.files.push_back(*resolved);
    if (own_name) found.real = *resolved;
    const auto script = read_script(system, *resolved);
    if (!script) break;
    next = parse_exec_target(*script);
    if (next.empty()) break;
    own_name = own_name &&
               names_tool(next.filename().string(), without_version(command.filename().string()));
  }
  return found;
}

std::string render_file_state(const System& system, const fs::path& file) {
  const auto status = system.status(file);
  if (!status) return file.string() + " missing";
  return fmt::format("{} {} {} {}", file.string(), status->size, status->mtime_ns, status->inode);
}

std::string make_identity(const System& system, const std::vector<fs::path>& files,
                          std::string_view also) {
  Hasher hasher;
  hasher.field("also", also);
  for (const fs::path& file : files) hasher.field("file", render_file_state(system, file));
  return hasher.hex();
}

}  // namespace dsbuild::probe
