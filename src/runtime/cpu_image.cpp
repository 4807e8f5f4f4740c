#include "runtime/cpu_image.h"

#include "runtime/failure.h"
#include "runtime/system.h"

namespace dsops::runtime {
namespace {

using dsbuild::cpu::FeatureSet;
using dsbuild::cpu::Level;

constexpr const char* kCapVariable = "DSOPS_MAX_CPU_LEVEL";

std::string level_names(dsbuild::cpu::Isa isa) {
  std::vector<std::string> names;
  for (const Level& level : dsbuild::cpu::levels()) {
    if (level.isa == isa) names.emplace_back(level.name);
  }
  return join(names);
}

// Why native.so can't be used here; "" if it can.
std::string check_native(const CpuTarget& target, const ImageFile& file) {
  const auto* text = static_cast<const char*>(find_symbol(file, "dsops_image_features"));
  if (text == nullptr) return "native.so does not say which features it needs";
  const dsbuild::cpu::ParsedFeatures needed = dsbuild::cpu::parse_features(target.isa, text);
  std::string missing = dsbuild::cpu::render_features(needed.set & ~target.usable);
  for (std::string_view name : needed.unknown) {
    if (!missing.empty()) missing += ' ';
    missing += name;
  }
  return missing.empty() ? "" : "native.so needs " + missing;
}

}  // namespace

std::int32_t find_cpu_target(CpuTarget& out) {
  const dsbuild::cpu::Cpu cpu = dsbuild::cpu::find_cpu();
  out.isa = cpu.isa;
  out.usable = cpu.usable;
  out.brand = cpu.brand;
  if (const char* name = find_variable(kCapVariable)) {
    const Level* level = dsbuild::cpu::find_level(name);
    if (level == nullptr || level->isa != cpu.isa) {
      return fail(DSOPS_INVALID, "%s: expected one of %s, got \"%s\"", kCapVariable,
                  level_names(cpu.isa).c_str(), name);
    }
    out.usable &= level->needs;
  }
  const Level* best = dsbuild::cpu::best_level(out.isa, out.usable);
  out.arch = best == nullptr ? "" : std::string(best->name);
  return DSOPS_OK;
}

std::int32_t load_cpu_image(const CpuTarget& target, const char* folder, ImageFile** out) {
  const std::string prefix = std::string(folder) + "/";
  std::string refused;
  if (const std::string native = prefix + "native.so"; file_exists(native)) {
    ImageFile* file = nullptr;
    if (const std::int32_t status = load_image_file(native, &file)) return status;
    refused = check_native(target, *file);
    if (refused.empty()) {
      *out = file;
      return DSOPS_OK;
    }
    unload_image_file(as_image(file));
  }
  const auto levels = dsbuild::cpu::levels();
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    if (level->isa != target.isa || (level->needs & ~target.usable) != 0) continue;
    const std::string path = prefix + std::string(level->name) + ".so";
    if (file_exists(path)) return load_image_file(path, out);
  }
  const char* limit =
      find_variable(kCapVariable) == nullptr ? "" : ", the most that DSOPS_MAX_CPU_LEVEL allows";
  return fail(DSOPS_UNSUPPORTED, "no CPU image of %s fits a CPU of %s%s: it has %s%s%s", folder,
              target.arch.c_str(), limit, join(list_folder(folder)).c_str(),
              refused.empty() ? "" : "; ", refused.c_str());
}

}  // namespace dsops::runtime
