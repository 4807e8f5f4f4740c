#include "unit/manifest/sample.h"

#include "manifest/accelerator.h"

namespace dsbuild::manifest::test {

Accelerator read_sample(std::string_view text) {
  Diagnostics diagnostics;
  const Document document{"sample.json", Json::parse(text), &diagnostics};
  Accelerator accelerator = read_accelerator(Node(document));
  REQUIRE(diagnostics.all().empty());
  return accelerator;
}

}  // namespace dsbuild::manifest::test
