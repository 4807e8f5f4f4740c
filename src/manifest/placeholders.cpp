#include "manifest/placeholders.h"

#include <algorithm>

#include "base/text.h"

namespace dsbuild::manifest {
namespace {

bool braces_match(std::string_view text) {
  bool open = false;
  for (const char c : text) {
    if (c != '{' && c != '}') continue;
    if ((c == '{') == open) return false;
    open = c == '{';
  }
  return !open;
}

void check_placeholder(const Node& node, const std::string& name, TemplatePlace place,
                       const TemplateScope& scope) {
  const auto row = std::find_if(kPlaceholders.begin(), kPlaceholders.end(),
                                [&](const PlaceholderRow& r) { return r.name == name; });
  const std::vector<std::string> own = scope.of_toolchain.value_or(std::vector<std::string>{});
  if (std::find(own.begin(), own.end(), name) != own.end()) return;
  std::vector<std::string> usable = own;
  for (const PlaceholderRow& candidate : kPlaceholders) {
    if ((candidate.places & place) != 0) usable.emplace_back(candidate.name);
  }
  if (row == kPlaceholders.end()) {
    if (!scope.of_toolchain) return;  // it may be the missing kind's
    node.complain(Rule::placeholder_unknown, {name, did_you_mean(name, usable)});
  } else if ((row->places & place) == 0) {
    node.complain(Rule::placeholder_elsewhere, {name, "known: " + join(usable, ", ")});
  } else if (row->list && node.text() != "{" + name + "}") {
    node.complain(Rule::placeholder_not_alone, {name});
  } else if (name == "number" && !scope.numbered) {
    node.complain(Rule::placeholder_of_names, {});
  } else if (name == "host_cxx" && !scope.host_compiler) {
    node.complain(Rule::host_cxx_without_host, {});
  }
}

}  // namespace

std::vector<std::string> placeholders_of(std::string_view text) {
  std::vector<std::string> names;
  for (;;) {
    const auto open = text.find('{');
    const auto close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) return names;
    names.emplace_back(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

void check_template(const Node& node, TemplatePlace place, const TemplateScope& scope) {
  if (!node.is_text()) return;
  const std::string text = node.text();
  if (!braces_match(text)) return node.complain(Rule::placeholder_unclosed, {text});
  for (const std::string& name : placeholders_of(text)) {
    check_placeholder(node, name, place, scope);
  }
}

}  // namespace dsbuild::manifest
