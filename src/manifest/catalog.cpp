#include "manifest/catalog.h"

#include <algorithm>

#include "base/error.h"

namespace dsbuild::manifest {

std::string_view kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::library:
      return "library";
    case OpKind::shared_library:
      return "shared_library";
    case OpKind::python_extension:
      return "python_extension";
  }
  return {};
}

const Accelerator* Catalog::find_accelerator(std::string_view name) const {
  for (const auto& [own, accelerator] : accelerators) {
    const auto& aliases = accelerator.aliases;
    if (own == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
      return &accelerator;
    }
  }
  return nullptr;
}

const Accelerator& Catalog::host() const {
  for (const auto& [name, accelerator] : accelerators) {
    if (accelerator.host) return accelerator;
  }
  throw Error(ExitCode::bad_input, "no accelerator descriptor says \"host\": true", {},
              "install dsbuild again, or mend manifests/accelerators");
}

}  // namespace dsbuild::manifest
