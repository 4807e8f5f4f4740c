#include "base/diagnostics.h"

#include <catch2/catch.hpp>

using namespace dsbuild;

TEST_CASE("a problem is one line: file, place, what, and what to write", "[diagnostics]") {
  CHECK(render_diagnostic({Severity::error, "op.json", "/kind", "wrong", "write library"}) ==
        "op.json: /kind: wrong; write library");
  CHECK(render_diagnostic({Severity::warning, "op.json", "", "odd", ""}) ==
        "op.json: warning: odd");
  CHECK(render_diagnostic({Severity::error, "", "3:1", "wrong", ""}) == "3:1: wrong");
  CHECK(render_diagnostic({Severity::error, "", "", "wrong", "mend it"}) == "wrong; mend it");
}

TEST_CASE("problems stay in order, and warnings are no errors", "[diagnostics]") {
  Diagnostics diagnostics;
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.warning("a", "", "first");
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.error("b", "/x", "second", "hint");
  CHECK(diagnostics.has_errors());
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].severity == Severity::warning);
  CHECK(diagnostics.all()[1] == Diagnostic{Severity::error, "b", "/x", "second", "hint"});
}
