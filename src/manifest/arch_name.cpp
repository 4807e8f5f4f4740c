#include "manifest/arch_name.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/text.h"

namespace dsbuild::manifest {
namespace {

constexpr std::string_view kMachineName = "{machine}";
constexpr std::string_view kFamily = "-generic";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Digits only, no sign, no leading zero before another digit; at most four.
std::optional<int> parse_number(std::string_view text) {
  if (text.empty() || text.size() > 4 || !std::all_of(text.begin(), text.end(), is_digit)) {
    return std::nullopt;
  }
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<int> parse_hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

bool consume_suffix(std::string_view& text, std::string_view suffix) {
  if (suffix.empty() || !text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// ---- names -------------------------------------------------------------------------------------

bool is_machine_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
  });
}

/// Whether `entry` of a list of names is meant by `spelling`; the canonical name then.
std::optional<std::string> match_name(const std::string& entry, std::string_view spelling,
                                      std::string_view machine) {
  if (entry != kMachineName) {
    return entry == spelling ? std::optional(entry) : std::nullopt;
  }
  if (machine.empty()) {
    const bool fits = spelling == kMachineName || is_machine_word(spelling);
    return fits ? std::optional<std::string>(spelling) : std::nullopt;
  }
  const bool fits = spelling == kMachineName || spelling == machine;
  return fits ? std::optional<std::string>(machine) : std::nullopt;
}

std::optional<ArchName> parse_name(const ArchRules& rules, std::string_view spelling,
                                   std::string_view machine) {
  for (const auto& [key, names] : rules.names) {
    if (!machine.empty() && key != machine && key != "*") continue;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (auto name = match_name(names[i], spelling, machine)) {
        return ArchName{std::move(*name), {static_cast<int>(i)}, {}, false};
      }
    }
  }
  return std::nullopt;
}

// ---- capability --------------------------------------------------------------------------------

/// "9.0", "90", "12.1", "121": the minor is one digit, as in every sm_ name.
std::optional<std::vector<int>> parse_capability(std::string_view text, bool dot_allowed) {
  const auto dot = text.find('.');
  if (dot != std::string_view::npos && !dot_allowed) return std::nullopt;
  if (text.size() < 2) return std::nullopt;
  const std::string_view minor = text.substr(text.size() - 1);
  const std::string_view major =
      text.substr(0, dot == std::string_view::npos ? text.size() - 1 : dot);
  if (dot != std::string_view::npos && text.size() != dot + 2) return std::nullopt;
  const auto first = parse_number(major);
  const auto second = parse_number(minor);
  if (!first || !second || *first == 0) return std::nullopt;
  return std::vector<int>{*first, *second};
}

/// CMake's CUDAARCHS adds `-real` and `-virtual`:
/// https://cmake.org/cmake/help/latest/prop_tgt/CUDA_ARCHITECTURES.html
std::optional<ArchName> parse_capability_name(const Accelerator& accelerator, std::string text) {
  const ArchRules& rules = accelerator.archs;
  if (rules.prefixes.empty()) return std::nullopt;  // the check of the descriptor tells of it
  text = to_lower(text);
  std::string_view rest = text;
  ArchName arch;
  if (!accelerator.portable_form.empty()) {
    arch.portable =
        consume_suffix(rest, "+" + accelerator.portable_form) || consume_suffix(rest, "-virtual");
    if (!arch.portable) consume_suffix(rest, "-real");
  }
  bool prefixed = false;
  for (std::size_t i = 0; i < rules.prefixes.size() && !prefixed; ++i) {
    prefixed = rest.starts_with(rules.prefixes[i]);
    if (!prefixed) continue;
    rest.remove_prefix(rules.prefixes[i].size());
    arch.portable = arch.portable || (i > 0 && !accelerator.portable_form.empty());
  }
  if (!prefixed && !rules.bare) return std::nullopt;
  if (!rest.empty() && !is_digit(rest.back())) {
    if (rules.suffixes.find(rest.back()) == std::string::npos) return std::nullopt;
    arch.suffix = rest.back();
    rest.remove_suffix(1);
  }
  const auto number = parse_capability(rest, !prefixed);
  if (!number) return std::nullopt;
  arch.number = *number;
  arch.name = rules.prefixes.front() + arch_number_text(arch);
  return arch;
}

// ---- target ------------------------------------------------------------------------------------

/// "90a" is 9, 0, 10: the last two digits are hexadecimal, minor version and stepping.
/// "9-4-generic" and "11-generic" name a family.
/// https://llvm.org/docs/AMDGPUUsage.html#processors
bool parse_processor(std::string_view text, ArchName& arch) {
  if (consume_suffix(text, kFamily)) {
    arch.suffix = kFamily;
    for (const std::string& part : split(text, "-")) {
      const auto number = parse_number(part);
      if (!number) return false;
      arch.number.push_back(*number);
    }
    return !text.starts_with('-') && !text.ends_with('-') && !arch.number.empty() &&
           arch.number.size() <= 2 && text.find("--") == std::string_view::npos;
  }
  if (text.size() < 3) return false;
  const auto major = parse_number(text.substr(0, text.size() - 2));
  const auto minor = parse_hex_digit(text[text.size() - 2]);
  const auto stepping = parse_hex_digit(text[text.size() - 1]);
  if (!major || !minor || !stepping) return false;
  arch.number = {*major, *minor, *stepping};
  return *major > 0;
}

/// ":xnack-:sramecc+" to ":sramecc+:xnack-": the canonical form is in alphabetic order, each
/// feature once. https://llvm.org/docs/AMDGPUUsage.html#target-id
std::optional<std::string> parse_features(const ArchRules& rules, std::string_view text) {
  std::vector<std::string> features;
  while (!text.empty()) {
    const std::string_view feature = text.substr(1, text.find(':', 1) - 1);
    text.remove_prefix(1 + feature.size());
    if (!feature.ends_with('+') && !feature.ends_with('-')) return std::nullopt;
    const std::string name(feature.substr(0, feature.size() - 1));
    const auto same = [&](const std::string& other) {
      return std::string_view(other).substr(0, other.size() - 1) == name;
    };
    if (std::find(rules.features.begin(), rules.features.end(), name) == rules.features.end() ||
        std::any_of(features.begin(), features.end(), same)) {
      return std::nullopt;
    }
    features.emplace_back(feature);
  }
  std::sort(features.begin(), features.end());
  std::string canonical;
  for (const std::string& feature : features) canonical += ":" + feature;
  return canonical;
}

std::optional<ArchName> parse_target_name(const ArchRules& rules, std::string_view spelling) {
  const auto prefix = std::find_if(rules.prefixes.begin(), rules.prefixes.end(),
                                   [&](const std::string& p) { return spelling.starts_with(p); });
  if (prefix == rules.prefixes.end()) return std::nullopt;
  const std::string_view rest = spelling.substr(prefix->size());
  const std::string_view processor = rest.substr(0, rest.find(':'));
  ArchName arch;
  if (!parse_processor(processor, arch)) return std::nullopt;
  const auto features = parse_features(rules, rest.substr(processor.size()));
  if (!features) return std::nullopt;
  arch.suffix += *features;
  arch.name = rules.prefixes.front() + std::string(processor) + *features;
  return arch;
}

/// Whether what is right for `listed` is right for `requested`: the same number, and each feature
/// of `listed`.
bool covers(const ArchName& listed, const ArchName& requested) {
  if (listed.number != requested.number) return false;
  if (listed.suffix == requested.suffix || listed.suffix.empty()) return true;
  const std::vector<std::string> wanted = split(listed.suffix, ":");
  const std::vector<std::string> given = split(requested.suffix, ":");
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& feature) {
    return std::find(given.begin(), given.end(), feature) != given.end();
  });
}

std::vector<ArchName> parse_list(const Accelerator& accelerator,
                                 const std::vector<std::string>& names, std::string_view machine) {
  std::vector<ArchName> archs;
  for (const std::string& name : names) {
    if (auto arch = parse_arch_name(accelerator, name, machine)) archs.push_back(std::move(*arch));
  }
  return archs;
}

}  // namespace

std::optional<ArchName> parse_arch_name(const Accelerator& accelerator, std::string_view spelling,
                                        std::string_view machine) {
  switch (accelerator.archs.scheme) {
    case ArchScheme::names:
      return parse_name(accelerator.archs, spelling, machine);
    case ArchScheme::capability:
      return parse_capability_name(accelerator, std::string(spelling));
    case ArchScheme::target:
      return parse_target_name(accelerator.archs, spelling);
  }
  return std::nullopt;
}

bool arch_less(const ArchName& a, const ArchName& b) {
  return std::tie(a.number, a.suffix) < std::tie(b.number, b.suffix);
}

std::string arch_number_text(const ArchName& arch) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const bool family = arch.suffix.starts_with(kFamily);
  std::string text;
  for (std::size_t i = 0; i < arch.number.size(); ++i) {
    const int part = arch.number[i];
    if (family && i > 0) text += '-';
    text += family || i == 0 ? std::to_string(part)
                             : std::string(1, kDigits[static_cast<std::size_t>(part)]);
  }
  return text + arch.suffix;
}

std::optional<ArchName> apply_filter(const Accelerator& accelerator, const ArchFilter& filter,
                                     const ArchName& requested, std::string_view machine) {
  if (filter.kind == ArchFilter::Kind::any) return requested;
  const std::vector<ArchName> listed = parse_list(accelerator, filter.archs, machine);
  if (filter.kind == ArchFilter::Kind::at_least) {
    const bool taken = !listed.empty() && requested.number >= listed.front().number;
    return taken ? std::optional(requested) : std::nullopt;
  }
  for (const ArchName& arch : listed) {
    if (covers(arch, requested)) return requested;
  }
  if (accelerator.archs.scheme != ArchScheme::capability || !requested.suffix.empty()) {
    return std::nullopt;
  }
  for (ArchName arch : listed) {
    if (arch.number != requested.number) continue;
    arch.portable = requested.portable;
    return arch;
  }
  return std::nullopt;
}

bool filters_overlap(const Accelerator& accelerator, const ArchFilter& a, const ArchFilter& b) {
  const auto both = [&](const ArchName& arch, std::string_view machine) {
    return apply_filter(accelerator, a, arch, machine) &&
           apply_filter(accelerator, b, arch, machine);
  };
  if (accelerator.archs.scheme == ArchScheme::names) {
    for (const auto& [key, names] : accelerator.archs.names) {
      const std::string machine = key == "*" ? "" : key;
      for (const ArchName& arch : parse_list(accelerator, names, machine)) {
        if (both(arch, machine)) return true;
      }
    }
    return false;
  }
  // Numbers go on for ever, so two bounds meet; else what both take is in one of the lists.
  if (a.kind != ArchFilter::Kind::list && b.kind != ArchFilter::Kind::list) return true;
  for (const ArchFilter* filter : {&a, &b}) {
    if (filter->kind != ArchFilter::Kind::list) continue;
    for (const ArchName& arch : parse_list(accelerator, filter->archs, {})) {
      if (both(arch, {})) return true;
    }
  }
  return false;
}

}  // namespace dsbuild::manifest
