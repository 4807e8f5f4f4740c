#include "plan/tree_variables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "manifest/flags.h"

namespace dsbuild::plan {
namespace {

using manifest::SourceTree;
using manifest::TreeVariable;

constexpr std::string_view kCount = "{count}";
constexpr std::string_view kWords = "{words}";

struct SwitchWord {
  std::string_view word;
  bool on;
};
constexpr std::array<SwitchWord, 8> kSwitchWords{{{"0", false},
                                                  {"1", true},
                                                  {"false", false},
                                                  {"no", false},
                                                  {"off", false},
                                                  {"on", true},
                                                  {"true", true},
                                                  {"yes", true}}};

/// The variable's value without spaces around it; empty and unset are nothing.
std::string value_of(const Environment& environment, const std::string& name) {
  const auto set = environment.find(name);
  return set == environment.end() ? "" : std::string(trim(set->second));
}

/// Nothing: not set, or a diagnostic was made.
std::optional<bool> read_switch(const std::string& name, const std::string& value,
                                Diagnostics& diagnostics) {
  if (value.empty()) return std::nullopt;
  const std::string lower = to_lower(value);
  for (const SwitchWord& row : kSwitchWords) {
    if (row.word == lower) return row.on;
  }
  diagnostics.error(name, "", "'" + value + "' is neither on nor off",
                    "write 1 or 0 (or true, false, on, off, yes, no)");
  return std::nullopt;
}

bool is_count(const std::string& value) {
  int count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  return error == std::errc() && end == value.data() + value.size() && count >= 1;
}

/// Whether a variable's words may be flags of a tool; tells of one that only the plan chooses.
bool are_words(const std::string& name, const std::vector<std::string>& words,
               Diagnostics& diagnostics) {
  for (const std::string& word : words) {
    if (!manifest::is_chosen_by_plan(word)) continue;
    diagnostics.error(name, "", word + " chooses an arch, a program or an output",
                      "take it out: --arch and CXX or NVCC_CCBIN say these");
    return false;
  }
  return true;
}

std::string variable_for_all(const SourceTree& tree) {
  for (const auto& [name, variable] : tree.variables) {
    if (variable.does == TreeVariable::Does::all_ops) return name;
  }
  return {};
}

/// "DS_BUILD_" of "DS_BUILD_OPS": how variables of ops begin.
std::string prefix_of(const std::string& all) {
  return all.substr(0, all.rfind('_') + 1);
}

void tell_unknown(const manifest::Catalog& catalog, const std::string& prefix,
                  const Environment& environment, Diagnostics& diagnostics) {
  if (prefix.empty()) return;
  std::vector<std::string> known;
  for (const auto& [name, variable] : catalog.tree->variables) known.push_back(name);
  for (const auto& [name, op] : catalog.ops) {
    if (!op.variable.empty()) known.push_back(op.variable);
  }
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(prefix) || std::find(known.begin(), known.end(), name) != known.end())
      continue;
    diagnostics.warning(name, "", "no op of " + catalog.tree->name + " has this variable",
                        did_you_mean(name, known));
  }
}

}  // namespace

OpWishes find_op_wishes(const manifest::Catalog& catalog, const Environment& environment,
                        Diagnostics& diagnostics) {
  OpWishes wishes;
  if (!catalog.tree) return wishes;
  const auto read = [&](const std::string& name) {
    const std::string value = value_of(environment, name);
    const bool is_new =
        !value.empty() &&
        std::find(wishes.variables.begin(), wishes.variables.end(), name) == wishes.variables.end();
    if (is_new) wishes.variables.push_back(name);
    return read_switch(name, value, diagnostics);
  };
  const std::string all = variable_for_all(*catalog.tree);
  if (!all.empty()) wishes.all = read(all);
  for (const auto& [name, op] : catalog.ops) {
    const auto on = op.variable.empty() ? std::nullopt : read(op.variable);
    if (on) (*on ? wishes.wanted : wishes.unwanted).push_back(name);
  }
  tell_unknown(catalog, prefix_of(all), environment, diagnostics);
  return wishes;
}

std::vector<TreeFlags> find_tree_flags(const manifest::Catalog& catalog,
                                       const Environment& environment, Diagnostics& diagnostics) {
  std::vector<TreeFlags> all;
  if (!catalog.tree) return all;
  for (const auto& [name, variable] : catalog.tree->variables) {
    if (variable.does != TreeVariable::Does::flags) continue;
    TreeFlags found{name, value_of(environment, name), {}};
    if (found.value.empty()) continue;
    const std::vector<std::string> words = split(found.value, " \t\n");
    bool counts = false;
    bool gives_words = false;
    for (const auto& [tool, flags] : variable.flags) {
      for (const std::string& flag : flags) {
        std::vector<std::string>& made = found.flags[tool];
        counts = counts || flag.find(kCount) != std::string::npos;
        if (flag == kWords) {
          gives_words = true;
          made.insert(made.end(), words.begin(), words.end());
        } else {
          made.push_back(replace_all(flag, kCount, found.value));
        }
      }
    }
    if (counts && !is_count(found.value)) {
      diagnostics.error(name, "", "'" + found.value + "' is no count",
                        "write a whole number of at least 1");
    } else if (counts || (gives_words ? are_words(name, words, diagnostics)
                                      : read_switch(name, found.value, diagnostics) == true)) {
      all.push_back(std::move(found));
    }
  }
  return all;
}

}  // namespace dsbuild::plan
