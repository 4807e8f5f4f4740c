#include "probe/toolchains/toolchains.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "base/text.h"
#include "manifest/arch_name.h"

namespace dsbuild::probe {
namespace {

constexpr std::size_t kMaxShown = 80;

/// Calls `take` with the first group of each line that matches, until it returns false.
void match_lines(const ProcessResult& answer, const Pattern& pattern,
                 const std::function<bool(std::string)>& take) {
  for (const std::string* text : {&answer.out, &answer.err}) {
    for (const std::string& line : split_lines(*text)) {
      auto match = pattern.find(line);
      if (match && !take(*std::move(match))) return;
    }
  }
}

std::string printable(std::string_view line) {
  std::string shown;
  for (const char c : line.substr(0, kMaxShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown;
}

}  // namespace

Toolchain make_absent(std::string kind, std::string path, std::string reason, std::string origin,
                      bool demanded) {
  Toolchain toolchain;
  toolchain.kind = std::move(kind);
  toolchain.path = std::move(path);
  toolchain.version = Fact<Version>::missing(std::move(reason));
  toolchain.origin = std::move(origin);
  toolchain.demanded = demanded;
  return toolchain;
}

std::string find_in_answer(const ProcessResult& answer, const Pattern& pattern) {
  std::string found;
  match_lines(answer, pattern, [&found](std::string match) {
    found = std::move(match);
    return false;
  });
  return found;
}

std::vector<std::string> find_all_in_answer(const ProcessResult& answer, const Pattern& pattern) {
  std::vector<std::string> found;
  match_lines(answer, pattern, [&found](std::string match) {
    found.push_back(std::move(match));
    return true;
  });
  return found;
}

std::string describe_answer(const ProcessResult& answer) {
  std::string line;
  for (const std::string* text : {&answer.out, &answer.err}) {
    const auto lines = split(*text, "\n");
    if (line.empty() && !lines.empty()) line = printable(lines.front());
  }
  if (answer.ok()) return line.empty() ? "it said nothing" : line;
  return line.empty() ? answer.describe() : answer.describe() + ": " + line;
}

Fact<Version> parse_version_answer(const ProcessResult& answer, const Pattern& pattern,
                                   std::string source) {
  if (answer.ok()) {
    if (auto version = Version::parse(find_in_answer(answer, pattern))) {
      return Fact<Version>::known(*std::move(version), std::move(source));
    }
  }
  return Fact<Version>::missing("version not understood: " + describe_answer(answer),
                                std::move(source));
}

std::vector<std::string> parse_archs(const manifest::Accelerator& accelerator,
                                     const std::vector<std::string>& spellings,
                                     std::string_view machine) {
  std::vector<manifest::ArchName> archs;
  for (const std::string& spelling : spellings) {
    if (auto arch = manifest::parse_arch_name(accelerator, spelling, machine)) {
      archs.push_back(*std::move(arch));
    }
  }
  std::stable_sort(archs.begin(), archs.end(), manifest::arch_less);
  std::vector<std::string> names;
  for (manifest::ArchName& arch : archs) {
    if (names.empty() || names.back() != arch.name) names.push_back(std::move(arch.name));
  }
  return names;
}

void set_state(Toolchain& toolchain) {
  toolchain.state = toolchain.missing.empty() ? ToolchainState::complete : ToolchainState::partial;
}

void order_toolchains(std::vector<Toolchain>& toolchains, bool newest) {
  const auto later_version = [newest](const Toolchain& a, const Toolchain& b) {
    if (!newest || !a.version) return false;
    return !b.version || *a.version > *b.version;
  };
  std::stable_sort(toolchains.begin(), toolchains.end(),
                   [&](const Toolchain& a, const Toolchain& b) {
                     const auto rank = [](const Toolchain& t) {
                       return std::tuple(!t.demanded, static_cast<int>(t.state));
                     };
                     if (rank(a) != rank(b)) return rank(a) < rank(b);
                     return later_version(a, b);
                   });
}

void name_toolchains(std::vector<Toolchain>& toolchains) {
  std::map<std::string, int> uses;
  for (Toolchain& toolchain : toolchains) {
    toolchain.id = toolchain.version
                       ? fmt::format("{}-{}", toolchain.kind, toolchain.version->number())
                       : toolchain.kind;
    const int use = ++uses[toolchain.id];
    if (use > 1) toolchain.id += fmt::format("#{}", use);
  }
}

}  // namespace dsbuild::probe
