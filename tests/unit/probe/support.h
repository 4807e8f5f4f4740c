// What the tests of the probe share: the built-in catalog, one probe of a fake machine, and how to
// pick from its result.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machines/fake_root.h"
#include "manifest/read.h"
#include "probe/probe.h"
#include "unit/probe/counting_runner.h"

namespace dsbuild::probe::tests {

using machines::FakeRoot;

/// The descriptors and ops of this repository.
const manifest::Catalog& built_in_catalog();

/// One probe of a fake machine; tools are run.
struct FakeProbe {
  const FakeRoot& root;
  Environment environment{{"PATH", "/usr/bin:/bin"}};
  ProbeOptions options;
  CountingRunner runner;

  explicit FakeProbe(const FakeRoot& fake) : root(fake) { options.same_host = false; }
  Machine run() {
    return probe_machine(root.system(environment), runner, built_in_catalog(), options);
  }
};

/// The toolchains of a kind, in the machine's order.
std::vector<Toolchain> of_kind(const Machine& machine, std::string_view kind);

/// The only toolchain of a kind; fails the test when there are more.
Toolchain only(const Machine& machine, std::string_view kind);

/// A value of the toolchain; without it what the toolchain lacks, so that the failed check says
/// why.
std::string value(const Toolchain& toolchain, const std::string& name);

std::vector<std::string> paths(const std::vector<Toolchain>& toolchains);

}  // namespace dsbuild::probe::tests
