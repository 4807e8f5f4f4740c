#include "manifest/words.h"

#include <charconv>
#include <system_error>

#include "manifest/arch_name.h"

namespace dsbuild::manifest {

void check_shape(const Node& node, const Shape& shape) {
  if (node.is_text()) check_shape(node, node.text(), shape);
}

void check_shape(const Node& node, const std::string& key, const Shape& shape) {
  if (has_shape(key, shape)) return;
  node.complain(Rule::not_a_name, {key, std::string(shape.what), std::string(shape.example)});
}

std::string example_arch(const Accelerator& accelerator) {
  const ArchRules& rules = accelerator.archs;
  switch (rules.scheme) {
    case ArchScheme::names:
      for (const auto& [machine, names] : rules.names) {
        if (!names.empty()) return names.back() == "native" ? names.front() : names.back();
      }
      return "*";
    case ArchScheme::capability:
      return rules.bare || rules.prefixes.empty() ? "9.0" : rules.prefixes.front() + "90";
    case ArchScheme::target:
      return (rules.prefixes.empty() ? "" : rules.prefixes.front()) + "90a";
  }
  return {};
}

void check_arch(const Node& node, const Accelerator& accelerator, std::string_view machine) {
  if (!node.is_text() || parse_arch_name(accelerator, node.text(), machine)) return;
  node.complain(Rule::not_an_arch, {node.text(), accelerator.name, example_arch(accelerator)});
}

void read_range(const Node& node, const std::string& key,
                std::map<std::string, VersionRange>& ranges) {
  if (!node.is_text()) return;
  std::string problem;
  if (auto range = VersionRange::parse(node.text(), &problem)) {
    ranges.emplace(key, std::move(*range));
  } else {
    node.complain(Rule::bad_range, {node.text(), problem});
  }
}

unsigned read_hex(const Node& node) {
  const std::string text = node.text();
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const bool prefixed = text.starts_with("0x") && text.size() <= 6;
  const auto result = std::from_chars(text.data() + (prefixed ? 2 : 0), end, value, 16);
  if (node.is_text() && (!prefixed || result.ec != std::errc() || result.ptr != end)) {
    node.complain(Rule::not_a_name, {text, "PCI number", "0x10de"});
  }
  return value;
}

}  // namespace dsbuild::manifest
