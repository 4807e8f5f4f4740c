#include "plan/arch_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::ArchScheme;
using manifest::Catalog;

constexpr std::string_view kSeparators = ";, \t\r\n\f\v";

struct Keyword {
  std::string_view word;
  ArchWish::Kind kind;
};
constexpr std::array<Keyword, 3> kKeywords{{
    {"all", ArchWish::Kind::all},
    {"all-major", ArchWish::Kind::all_major},
    {kNativeArch, ArchWish::Kind::native},
}};

const Keyword* find_keyword(std::string_view token) {
  const std::string word = to_lower(token);
  const auto row = std::find_if(kKeywords.begin(), kKeywords.end(),
                                [&](const Keyword& k) { return k.word == word; });
  return row == kKeywords.end() ? nullptr : &*row;
}

bool keyword_fits(const Keyword& keyword, const Accelerator& accelerator) {
  switch (keyword.kind) {
    case ArchWish::Kind::all_major:
      return accelerator.archs.scheme == ArchScheme::capability;
    case ArchWish::Kind::native:
      return has_native(accelerator);
    default:
      return true;
  }
}

/// CMake's CUDAARCHS says `-real` for an image alone and `-virtual` for portable code alone; a
/// prefix such as `compute_` says the latter, too.
/// https://cmake.org/cmake/help/latest/prop_tgt/CUDA_ARCHITECTURES.html
std::optional<ArchWish> parse_arch(const Accelerator& accelerator, std::string_view token,
                                   const std::string& machine) {
  auto arch = manifest::parse_arch_name(accelerator, token, machine);
  if (!arch) return std::nullopt;
  const std::string lower = to_lower(token);
  ArchWish wish;
  if (arch->portable) {
    wish.portable = ArchWish::Portable::always;
    wish.image = lower.ends_with("+" + accelerator.portable_form);
  } else if (lower.ends_with("-real")) {
    wish.portable = ArchWish::Portable::never;
  }
  arch->portable = false;
  wish.arch = std::move(*arch);
  return wish;
}

/// "9.0, sm_90, 9.0a, 9.0+PTX, all, all-major or cuda:native".
std::string accepted_forms(const Accelerator& accelerator, const std::string& machine) {
  const manifest::ArchRules& rules = accelerator.archs;
  std::vector<std::string> forms;
  if (rules.scheme == ArchScheme::names) {
    for (const auto& arch : named_archs(accelerator, machine)) forms.push_back(arch.name);
  } else if (rules.scheme == ArchScheme::target) {
    forms.insert(forms.end(), rules.defaults.begin(), rules.defaults.end());
  } else {
    if (rules.bare) forms = {"9.0", "90"};
    for (const std::string& prefix : rules.prefixes) forms.push_back(prefix + "90");
    for (const char suffix : rules.suffixes) forms.push_back(forms.front() + suffix);
    if (!accelerator.portable_form.empty())
      forms.push_back(forms.front() + "+" + accelerator.portable_form);
  }
  for (const Keyword& keyword : kKeywords) {
    if (!keyword_fits(keyword, accelerator)) continue;
    forms.push_back(keyword.kind == ArchWish::Kind::native ? accelerator.name + ":native"
                                                           : std::string(keyword.word));
  }
  return join(forms, ", ");
}

/// Reads the tokens of one setting into wishes.
class ListReader {
 public:
  ListReader(const Setting& setting, const Catalog& catalog, const std::string& machine,
             Diagnostics& diagnostics)
      : setting_(setting), catalog_(catalog), machine_(machine), diagnostics_(diagnostics) {}

  /// `owner`: the accelerator whose variable this is, or null for --arch.
  std::map<std::string, ArchWishes> read(const Accelerator* owner) {
    for (const std::string& token : split(setting_.value, kSeparators)) {
      // "cuda:9.0"; "gfx90a:xnack-" has a colon, too, but no accelerator before it.
      const auto colon = token.find(':');
      const Accelerator* named =
          colon == std::string::npos ? nullptr : catalog_.find_accelerator(token.substr(0, colon));
      if (owner != nullptr && named != nullptr && named != owner) {
        fail(token, fmt::format("is an arch of {}, not of {}", named->name, owner->name),
             "write it in --arch");
      } else if (named != nullptr || owner != nullptr) {
        const std::string_view rest =
            named != nullptr ? std::string_view(token).substr(colon + 1) : std::string_view(token);
        read_for(named != nullptr ? *named : *owner, token, rest);
      } else {
        read_free(token);
      }
    }
    for (auto& [name, wishes] : result_) {
      wishes.origin = setting_.origin;
      wishes.from_variable = owner != nullptr;
    }
    return std::move(result_);
  }

 private:
  void fail(const std::string& token, const std::string& what, const std::string& hint) {
    diagnostics_.error(setting_.origin, "", "'" + token + "' " + what, hint);
  }

  void add(const Accelerator& accelerator, ArchWish wish, bool names_accelerator) {
    ArchWishes& wishes = result_[accelerator.name];
    wishes.wishes.push_back(std::move(wish));
    wishes.names_accelerator = wishes.names_accelerator || names_accelerator;
  }

  /// A list of the source tree's by that name, if it has archs of the accelerator.
  const std::vector<manifest::NamedArchs>* find_list(const Accelerator& accelerator,
                                                     std::string_view name) const {
    if (!catalog_.tree) return nullptr;
    const auto list = catalog_.tree->archs.find(std::string(name));
    if (list == catalog_.tree->archs.end()) return nullptr;
    const bool any = std::any_of(
        list->second.begin(), list->second.end(),
        [&](const manifest::NamedArchs& row) { return row.archs.contains(accelerator.name); });
    return any ? &list->second : nullptr;
  }

  bool add_list(const Accelerator& accelerator, std::string_view name) {
    ArchWish wish;
    wish.kind = ArchWish::Kind::listed;
    wish.list = find_list(accelerator, name);
    if (wish.list == nullptr) return false;
    add(accelerator, std::move(wish), true);
    return true;
  }

  /// What --arch takes for the accelerator, the tree's lists with it.
  std::string forms_of(const Accelerator& accelerator) const {
    std::string forms = accepted_forms(accelerator, machine_);
    if (!catalog_.tree) return forms;
    for (const auto& [name, rows] : catalog_.tree->archs) {
      if (find_list(accelerator, name) != nullptr) forms += ", " + accelerator.name + ":" + name;
    }
    return forms;
  }

  void read_for(const Accelerator& accelerator, const std::string& token, std::string_view rest) {
    if (add_list(accelerator, rest)) return;
    if (const Keyword* keyword = find_keyword(rest);
        keyword && keyword_fits(*keyword, accelerator)) {
      ArchWish wish;
      wish.kind = keyword->kind;
      return add(accelerator, std::move(wish), true);
    }
    auto wish = parse_arch(accelerator, rest, machine_);
    if (wish) return add(accelerator, std::move(*wish), true);
    fail(token, "is no arch of " + accelerator.name, "write for example " + forms_of(accelerator));
  }

  void read_free(const std::string& token) {
    if (const Keyword* keyword = find_keyword(token)) return read_keyword(token, *keyword);
    bool is_list = false;
    for (const auto& [name, accelerator] : catalog_.accelerators)
      is_list = add_list(accelerator, token) || is_list;
    if (is_list) return;
    std::vector<std::pair<const Accelerator*, ArchWish>> found;
    for (const auto& [name, accelerator] : catalog_.accelerators) {
      if (auto wish = parse_arch(accelerator, token, machine_)) {
        found.emplace_back(&accelerator, std::move(*wish));
      }
    }
    if (found.size() == 1) return add(*found[0].first, std::move(found[0].second), true);
    if (found.empty()) return fail_unknown(token);
    std::vector<std::string> names;
    for (const auto& [accelerator, wish] : found) names.push_back(accelerator->name);
    fail(token, "is an arch of " + join(names, " and "), "write " + names.front() + ":" + token);
  }

  void read_keyword(const std::string& token, const Keyword& keyword) {
    if (keyword.kind == ArchWish::Kind::native) {
      std::vector<std::string> forms;
      for (const auto& [name, accelerator] : catalog_.accelerators) {
        if (has_native(accelerator)) forms.push_back(name + ":native");
      }
      return fail(token, "needs its accelerator", "write " + join(forms, ", "));
    }
    for (const auto& [name, accelerator] : catalog_.accelerators) {
      if (!keyword_fits(keyword, accelerator)) continue;
      ArchWish wish;
      wish.kind = keyword.kind;
      add(accelerator, std::move(wish), false);
    }
  }

  void fail_unknown(const std::string& token) {
    std::vector<std::string> hints;
    for (const auto& [name, accelerator] : catalog_.accelerators) {
      if (!accelerator.unbuilt.empty()) continue;  // no arch of it leads to anything
      hints.push_back(name + ": " + forms_of(accelerator));
    }
    fail(token, "is no arch of any accelerator", "write for example, for " + join(hints, "; for "));
  }

  const Setting& setting_;
  const Catalog& catalog_;
  const std::string& machine_;
  Diagnostics& diagnostics_;
  std::map<std::string, ArchWishes> result_;
};

}  // namespace

std::vector<manifest::ArchName> named_archs(const Accelerator& accelerator,
                                            const std::string& machine) {
  std::vector<manifest::ArchName> archs;
  for (const auto& [key, names] : accelerator.archs.names) {
    if (key != machine && key != "*") continue;
    for (const std::string& name : names) {
      if (accelerator.archs.native_is_host && name == kNativeArch) continue;
      if (auto arch = manifest::parse_arch_name(accelerator, name, machine)) {
        archs.push_back(std::move(*arch));
      }
    }
  }
  return archs;
}

bool has_native(const Accelerator& accelerator) {
  return accelerator.unbuilt.empty() &&
         (accelerator.archs.native_is_host || !accelerator.pci.empty());
}

std::map<std::string, ArchWishes> parse_arch_settings(const std::vector<Setting>& settings,
                                                      const Catalog& catalog,
                                                      const std::string& machine,
                                                      Diagnostics& diagnostics) {
  const auto is_variable = [&](const std::string& origin) {
    return std::any_of(catalog.accelerators.begin(), catalog.accelerators.end(),
                       [&](const auto& a) {
                         const auto& list = a.second.archs.settings;
                         return std::find(list.begin(), list.end(), origin) != list.end();
                       });
  };
  std::map<std::string, ArchWishes> all;
  for (const Setting& setting : settings) {
    if (is_variable(setting.origin)) continue;
    for (auto& [name, wishes] : ListReader(setting, catalog, machine, diagnostics).read(nullptr)) {
      ArchWishes& into = all[name];
      into.wishes.insert(into.wishes.end(), wishes.wishes.begin(), wishes.wishes.end());
      into.origin = wishes.origin;
      into.names_accelerator = into.names_accelerator || wishes.names_accelerator;
    }
  }
  for (const auto& [name, accelerator] : catalog.accelerators) {
    for (const std::string& variable : accelerator.archs.settings) {
      if (all.contains(name)) break;
      for (const Setting& setting : settings) {
        if (setting.origin != variable) continue;
        all.merge(ListReader(setting, catalog, machine, diagnostics).read(&accelerator));
      }
    }
  }
  return all;
}

}  // namespace dsbuild::plan
