#include "unit/probe/support.h"

#include <catch2/catch.hpp>

#include "base/text.h"

namespace dsbuild::probe::tests {

const manifest::Catalog& built_in_catalog() {
  static const manifest::Catalog kCatalog = [] {
    Diagnostics diagnostics;
    manifest::CatalogSources sources;
    sources.built_in = DSBUILD_SOURCE_DIR;
    return manifest::read_catalog(PosixSystem(), sources, diagnostics);
  }();
  REQUIRE(kCatalog.accelerators.size() >= 4);
  return kCatalog;
}

std::vector<Toolchain> of_kind(const Machine& machine, std::string_view kind) {
  std::vector<Toolchain> found;
  for (const Toolchain& toolchain : machine.toolchains) {
    if (toolchain.kind == kind) found.push_back(toolchain);
  }
  return found;
}

Toolchain only(const Machine& machine, std::string_view kind) {
  const auto found = of_kind(machine, kind);
  REQUIRE(found.size() == 1);
  return found.front();
}

std::string value(const Toolchain& toolchain, const std::string& name) {
  const auto found = toolchain.values.find(name);
  if (found != toolchain.values.end()) return found->second;
  return "no " + name + ", missing: " + join(toolchain.missing, ", ") + toolchain.version.reason;
}

std::vector<std::string> paths(const std::vector<Toolchain>& toolchains) {
  std::vector<std::string> list;
  for (const Toolchain& toolchain : toolchains) list.push_back(toolchain.path);
  return list;
}

}  // namespace dsbuild::probe::tests
