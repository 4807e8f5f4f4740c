#include "cpu/cpu.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/text.h"
#include "probe/sources.h"

namespace dsbuild::probe {
namespace {

using Text = Fact<std::string>;
using Names = Fact<std::vector<std::string>>;

/// Linux's name of a feature where it isn't the one of src/cpu
/// (arch/x86/include/asm/cpufeatures.h).
struct AliasRow {
  std::string_view linux_name;
  std::string_view name;
};
constexpr std::array<AliasRow, 7> kAliases{{
    {"pni", "sse3"},
    {"pclmulqdq", "pclmul"},
    {"lahf_lm", "lahf_sahf"},
    {"abm", "lzcnt"},
    {"sha_ni", "sha"},
    {"avx512vbmi", "avx512_vbmi"},
    {"avx512ifma", "avx512_ifma"},
}};

/// The fields of the first processor in /proc/cpuinfo, "" for a field that it lacks.
std::string cpuinfo_field(std::string_view cpuinfo, std::string_view name) {
  for (const std::string& line : split_lines(cpuinfo)) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || trim(std::string_view(line).substr(0, colon)) != name) {
      continue;
    }
    return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

Names names_of(cpu::FeatureSet set, const std::string& source) {
  std::vector<std::string> list;
  for (const std::string_view name : cpu::names(set)) list.emplace_back(name);
  return Names::known(std::move(list), source);
}

Text level_of(cpu::Isa isa, cpu::FeatureSet usable, const std::string& source) {
  if (const cpu::Level* level = cpu::best_level(isa, usable)) {
    return Text::known(std::string(level->name), source);
  }
  return Text::missing("it lacks features of the lowest level", source);
}

Cpu ask_cpu() {
  const cpu::Cpu found = cpu::find_cpu();
  const std::string source = found.isa == cpu::Isa::aarch64 ? "HWCAP" : "CPUID";
  Cpu result;
  result.model = !found.brand.empty() ? Text::known(found.brand, source)
                 : !found.vendor.empty()
                     ? Text::known(fmt::format("{} family {} model {}", trim(found.vendor),
                                               found.family, found.model),
                                   source)
                     : Text::missing("the CPU doesn't name itself", source);
  if (found.isa == cpu::Isa::other) {
    result.features = Names::missing("no table of features for this kind of CPU");
    result.level = Text::missing("no table of levels for this kind of CPU");
  } else {
    result.features = names_of(found.usable, source);
    result.level = level_of(found.isa, found.usable, source);
  }
  return result;
}

/// Linux lists there only what it lets programs use.
Cpu read_cpuinfo(const System& system) {
  const std::string file = "/proc/cpuinfo";
  const std::string cpuinfo = system.read_file(file).value_or("");
  Cpu result;
  const std::string model = cpuinfo_field(cpuinfo, "model name");
  result.model = model.empty() ? Text::missing("no model name", file) : Text::known(model, file);
  // x86 says "flags", aarch64 "Features".
  std::string flags = cpuinfo_field(cpuinfo, "flags");
  const cpu::Isa isa = flags.empty() ? cpu::Isa::aarch64 : cpu::Isa::x86_64;
  if (flags.empty()) flags = cpuinfo_field(cpuinfo, "Features");
  if (flags.empty()) {
    result.features = Names::missing("neither flags nor Features", file);
    result.level = Text::missing("the features are unknown", file);
    return result;
  }
  std::vector<std::string> words = split(flags, " \t");
  for (std::string& word : words) {
    for (const AliasRow& row : kAliases) {
      if (isa == cpu::Isa::x86_64 && word == row.linux_name) word = row.name;
    }
  }
  const cpu::FeatureSet usable = cpu::parse_features(isa, join(words, " ")).set;
  result.features = names_of(usable, file);
  result.level = level_of(isa, usable, file);
  return result;
}

}  // namespace

Cpu find_cpu(const System& system, bool same_host) {
  return same_host ? ask_cpu() : read_cpuinfo(system);
}

}  // namespace dsbuild::probe
