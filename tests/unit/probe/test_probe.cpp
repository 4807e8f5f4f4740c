#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "base/error.h"
#include "base/json.h"
#include "machines/machines.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;

namespace {

/// A machine with something of everything.
void add_everything(FakeRoot& root) {
  machines::add_host(root);
  machines::add_gcc(root, "/usr/bin/g++", "12.2.0");
  machines::add_gcc(root, "/usr/bin/g++-9", "9.5.0");
  machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
  machines::add_cuda(root, {});
  machines::add_printing_tool(root, "/usr/bin/ninja", "1.11.1");
  machines::add_printing_tool(root, "/usr/bin/git", "git version 2");
  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
}

/// The fake machine, in which whoever looks below one folder gets an exception that nobody expects.
class FaultySystem final : public System {
 public:
  FaultySystem(const FakeRoot& root, std::string below, std::function<void()> fault)
      : real_(root.system({{"PATH", "/usr/bin:/bin"}, {"VIRTUAL_ENV", "/venv"}})),
        below_(std::move(below)),
        fault_(std::move(fault)) {}

  std::optional<std::string> read_start(const std::filesystem::path& path,
                                        std::uint64_t bytes) const override {
    fail_below(path);
    return real_.read_start(path, bytes);
  }
  std::vector<std::string> list_folder(const std::filesystem::path& path) const override {
    fail_below(path);
    return real_.list_folder(path);
  }
  std::optional<FileStatus> status(const std::filesystem::path& path) const override {
    return real_.status(path);
  }
  std::optional<std::filesystem::path> resolve(const std::filesystem::path& path) const override {
    return real_.resolve(path);
  }
  bool is_link(const std::filesystem::path& path) const override { return real_.is_link(path); }
  std::filesystem::path host_path(const std::filesystem::path& path) const override {
    return real_.host_path(path);
  }
  const Environment& environment() const override { return real_.environment(); }

 private:
  void fail_below(const std::filesystem::path& path) const {
    if (path.string().starts_with(below_)) fault_();
  }

  PosixSystem real_;
  std::string below_;
  std::function<void()> fault_;
};

struct FaultCase {
  const char* below;
  std::vector<std::string> sources;  ///< that fail
};

}  // namespace

TEST_CASE("an empty root gives a whole machine of reasons") {
  const FakeRoot root;
  FakeProbe probe(root);
  const Machine machine = probe.run();
  CHECK(machine.devices.empty());
  REQUIRE(machine.toolchains.size() >= 5);
  for (const Toolchain& toolchain : machine.toolchains) {
    INFO(toolchain.kind);
    CHECK(toolchain.state == ToolchainState::absent);
    CHECK_FALSE(toolchain.version.reason.empty());
    CHECK(toolchain.id == toolchain.kind);
  }
  CHECK_FALSE(machine.find_tool("ninja")->path);
  CHECK(probe.runner.count() == 0);
}

TEST_CASE("toolchains come by kind, and the order is the same each time") {
  FakeRoot root;
  add_everything(root);
  FakeProbe probe(root);
  const std::string first = dump_json(to_json(probe.run()));
  for (int i = 0; i < 5; ++i) CHECK(dump_json(to_json(probe.run())) == first);
  std::vector<std::string> kinds;
  for (const Toolchain& toolchain : probe.run().toolchains) kinds.push_back(toolchain.kind);
  CHECK(std::is_sorted(kinds.begin(), kinds.end()));
}

TEST_CASE("a second probe starts nothing and finds the same") {
  FakeRoot root;
  add_everything(root);
  FakeProbe probe(root);
  probe.options.cache_folder = root.scratch();
  const std::string cold = dump_json(to_json(probe.run()));
  CHECK(probe.runner.count() > 0);
  probe.runner.clear();
  const std::string warm = dump_json(to_json(probe.run()));
  CHECK(probe.runner.count() == 0);
  CHECK(warm == cold);
}

TEST_CASE("a changed tool is asked again, and only it") {
  FakeRoot root;
  add_everything(root);
  FakeProbe probe(root);
  probe.options.cache_folder = root.scratch();
  probe.run();
  probe.runner.clear();
  machines::add_gcc(root, "/usr/bin/g++", "12.3.0");
  CHECK(of_kind(probe.run(), "gcc")[0].version->number() == "12.3.0");
  CHECK(probe.runner.count() == 1);
}

TEST_CASE("one source that fails is that source's reason, and nobody else's") {
  FakeRoot root;
  add_everything(root);
  manifest::Catalog catalog = built_in_catalog();
  for (manifest::ToolchainProbe& probe : catalog.accelerators.at("cpu").probes) {
    if (probe.kind == "gcc") probe.version_regex = "([";
  }
  catalog.accelerators.at("cuda").probes.push_back({.kind = "other", .prober = "of_tomorrow"});
  CountingRunner runner;
  ProbeOptions options;
  options.same_host = false;
  const PosixSystem system = root.system();
  const Machine machine = probe_machine(system, runner, catalog, options);
  CHECK(only(machine, "gcc").version.reason.find("the probe failed: ") == 0);
  CHECK(only(machine, "other").version.reason == "this dsbuild has no prober 'of_tomorrow'");
  CHECK(only(machine, "clang").state == ToolchainState::complete);
  CHECK(only(machine, "nvcc").state == ToolchainState::complete);
}

TEST_CASE("L02: whatever source of the probe fails, the others are asked and its failure is told") {
  FakeRoot root;
  add_everything(root);
  root.program("/venv/bin/python3", "")
      .file("/venv/pyvenv.cfg", "version = 3.11.2\n")
      .file("/venv/lib/python3.11/site-packages/torch/version.py", "__version__ = '2.15.0'\n")
      .file("/proc/cpuinfo", "flags : sse2\n");
  const auto fault = GENERATE(values<FaultCase>({
      {"/etc/os-release", {"host"}},
      {"/proc/meminfo", {"host"}},
      {"/proc/cpuinfo", {"cpu"}},
      {"/sys/bus/pci/devices/0000:17:00.0/vendor", {"devices"}},
      {"/sys", {"devices"}},
      {"/proc", {"host", "cpu"}},
      {"/venv/lib/python3.11/site-packages/torch", {"torches"}},
      {"/venv", {}},
  }));
  INFO(fault.below);
  ProbeOptions options;
  options.same_host = false;
  options.torches = true;
  options.survey = true;
  CountingRunner runner;
  const FaultySystem system(root, fault.below, [] { throw std::runtime_error("an odd thing"); });
  const Machine machine = probe_machine(system, runner, built_in_catalog(), options);
  CHECK_FALSE(machine.problems.empty());
  std::string all;
  for (const std::string& problem : machine.problems) {
    CHECK_THAT(problem, Catch::EndsWith(": the probe failed: an odd thing"));
    all += problem + "\n";
  }
  for (const std::string& source : fault.sources)
    CHECK_THAT(all, Catch::Contains(source + ": the probe failed"));
  CHECK(of_kind(machine, "gcc")[0].state == ToolchainState::complete);
  CHECK(of_kind(machine, "gcc")[0].version->number() == "12.2.0");
  CHECK(of_kind(machine, "clang")[0].state == ToolchainState::complete);
  CHECK(machine.find_tool("ninja")->version->number() == "1.11.1");
  CHECK((machine.host.os || !machine.host.os.reason.empty()));
  CHECK((machine.cpu.level || !machine.cpu.level.reason.empty()));
}

TEST_CASE("L02: an interrupt is no failure of a source: it ends the probe") {
  FakeRoot root;
  add_everything(root);
  const FaultySystem system(root, "/proc",
                            [] { throw Error(ExitCode::interrupted, "interrupted"); });
  CountingRunner runner;
  ProbeOptions options;
  options.same_host = false;
  CHECK_THROWS_AS(probe_machine(system, runner, built_in_catalog(), options), Error);
}

TEST_CASE("an accelerator that nobody knows is probed by its descriptor alone") {
  FakeRoot root;
  machines::add_host(root);
  root.tool("/opt/acme/bin/acmecc",
            "case \"$*\" in\n--version) echo 'acmecc 2.10.1';;\n"
            "--list-targets) printf 'target: bh\\ntarget: wh\\ntarget: zz\\n';;\nesac\n");
  root.program("/opt/acme/bin/acmeld", "");
  manifest::Catalog catalog;
  manifest::Accelerator& acme = catalog.accelerators["acme"];
  acme.name = "acme";
  acme.archs.names["*"] = {"wh", "bh"};
  acme.probes = {{.kind = "acmecc",
                  .tool = "acmecc",
                  .commands = {"acmecc"},
                  .env = {"ACME_HOME"},
                  .version_argv = {"--version"},
                  .version_regex = "acmecc ([0-9.]+)",
                  .archs_argv = {"--list-targets"},
                  .archs_regex = "^target: (\\w+)$",
                  .beside = {{"ld", "acmeld"}}}};
  CountingRunner runner;
  ProbeOptions options;
  options.same_host = false;
  const PosixSystem system = root.system({{"PATH", "/usr/bin:/bin"}, {"ACME_HOME", "/opt/acme"}});
  const Toolchain toolchain = only(probe_machine(system, runner, catalog, options), "acmecc");
  CHECK(toolchain.state == ToolchainState::complete);
  CHECK(toolchain.id == "acmecc-2.10.1");
  CHECK(toolchain.demanded);
  CHECK(toolchain.origin == "ACME_HOME");
  CHECK(toolchain.archs == std::vector<std::string>{"wh", "bh"});
  CHECK(value(toolchain, "ld") == "/opt/acme/bin/acmeld");
}

TEST_CASE("in JSON every fact has a value or a reason") {
  FakeRoot root;
  add_everything(root);
  FakeProbe probe(root);
  const Machine machine = probe.run();
  REQUIRE(machine.devices.size() == 1);
  const Json json = to_json(machine);
  CHECK(json["host"]["memory"]["value"] == 64 * (std::int64_t{1} << 30));
  CHECK(json["host"]["memory"]["source"] == "/proc/meminfo");
  CHECK(json["host"]["os"]["value"] == "Debian GNU/Linux 12");
  CHECK(json["cpu"]["level"].contains("reason"));
  CHECK(json["devices"][0]["arch"]["value"] == "sm_90");
  bool nvcc = false;
  for (const Json& toolchain : json["toolchains"]) {
    if (toolchain["kind"] != "nvcc") continue;
    nvcc = true;
    CHECK(toolchain["state"] == "complete");
    CHECK(toolchain["version"]["value"] == "13.0.88");
    CHECK(toolchain["host_limits"]["gcc"] == "<16");
  }
  CHECK(nvcc);
  for (const Json& toolchain : json["toolchains"]) {
    CHECK(toolchain["version"].contains("value") != toolchain["version"].contains("reason"));
  }
}
