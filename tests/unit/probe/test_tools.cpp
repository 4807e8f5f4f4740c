#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "probe/answer_cache.h"
#include "probe/sources.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;

namespace {

Tool ninja_of(const FakeRoot& root, const char* path = "/usr/bin:/bin") {
  FakeProbe probe(root);
  probe.environment["PATH"] = path;
  const Machine machine = probe.run();
  REQUIRE(machine.find_tool("ninja") != nullptr);
  return *machine.find_tool("ninja");
}

/// What the probe finds for an op with such needs.
struct Needing {
  manifest::Catalog catalog;
  ProbeOptions options;
  CountingRunner runner;
  Environment environment{{"PATH", "/usr/bin:/bin"}};

  explicit Needing(const manifest::Needs& needs) {
    catalog.ops["op"].needs = needs;
    manifest::KernelSet kernels;
    kernels.needs.commands = {"kernel-generator"};
    catalog.ops["op"].kernels = {kernels};
    options.same_host = false;
  }
  Machine run(const FakeRoot& root) {
    return probe_machine(root.system(environment), runner, catalog, options);
  }
};

}  // namespace

TEST_CASE("ninja is the program that prints a version") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/ninja", "1.11.1");
  const Tool ninja = ninja_of(root);
  CHECK(*ninja.path == "/usr/bin/ninja");
  CHECK(ninja.version->number() == "1.11.1");
}

TEST_CASE("another program named ninja is refused with what it said, and the next one is taken") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/sbin/ninja", "ninja: privilege escalation monitor", 1);
  const Tool refused = ninja_of(root, "/usr/sbin:/usr/bin:/bin");
  CHECK_FALSE(refused.path);
  CHECK(refused.path.reason ==
        "/usr/sbin/ninja is another program: exit status 1: ninja: privilege escalation monitor");
  machines::add_printing_tool(root, "/usr/bin/ninja", "1.13.2.git.kitware");
  CHECK(*ninja_of(root, "/usr/sbin:/usr/bin:/bin").path == "/usr/bin/ninja");
}

TEST_CASE("a ninja before 1.10 is refused, ninja-build is ninja too") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/ninja", "1.8.2");
  CHECK(ninja_of(root).path.reason == "/usr/bin/ninja is 1.8.2, needed is >=1.10");
  machines::add_printing_tool(root, "/usr/bin/ninja-build", "1.10.0");
  CHECK(*ninja_of(root).path == "/usr/bin/ninja-build");
}

TEST_CASE("without ninja the reason says so") {
  const FakeRoot root;
  CHECK(ninja_of(root).path.reason == "no ninja on PATH");
}

TEST_CASE("commands that ops need are looked up, git always, none is started") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/git", "git version 2.39");
  machines::add_printing_tool(root, "/usr/bin/protoc", "libprotoc 3");
  manifest::Needs needs;
  needs.commands = {"protoc", "bison"};
  Needing needing(needs);
  const Machine machine = needing.run(root);
  CHECK(*machine.find_tool("git")->path == "/usr/bin/git");
  CHECK(*machine.find_tool("protoc")->path == "/usr/bin/protoc");
  CHECK(machine.find_tool("bison")->path.reason == "no bison on PATH");
  CHECK(machine.find_tool("kernel-generator") != nullptr);
  CHECK(machine.find_tool("gcc") == nullptr);
  CHECK(needing.runner.count() == 0);
}

TEST_CASE("a package's version is read from its .pc file, variables replaced") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/usr/lib/x86_64-linux-gnu/pkgconfig/liburing.pc",
            "prefix=/usr\nName: liburing\nVersion: 2.3\nLibs: -luring\n");
  root.file("/usr/share/pkgconfig/varied.pc",
            "major=3\nfull=${major}.4\nName: v\nVersion: ${full}.1\n");
  root.file("/usr/share/pkgconfig/endless.pc", "a=${a}\nVersion: ${a}\n");
  root.file("/opt/pc/liburing.pc", "Version: 2.9\n");
  manifest::Needs needs;
  for (const char* name : {"liburing", "varied", "endless", "absent"}) {
    needs.packages.emplace(name, *VersionRange::parse(">=1"));
  }
  Needing needing(needs);
  Machine machine = needing.run(root);
  CHECK(machine.packages.at("liburing")->number() == "2.3");
  CHECK(machine.packages.at("liburing").source ==
        "/usr/lib/x86_64-linux-gnu/pkgconfig/liburing.pc");
  CHECK(machine.packages.at("varied")->number() == "3.4.1");
  CHECK(machine.packages.at("endless").reason == "no Version field that is a number");
  CHECK(machine.packages.at("absent").reason.find("no absent.pc in /usr/local/lib/") == 0);

  needing.environment["PKG_CONFIG_PATH"] = "relative:/opt/pc";
  machine = needing.run(root);
  CHECK(machine.packages.at("liburing")->number() == "2.9");
  needing.environment.erase("PKG_CONFIG_PATH");
  needing.environment["PKG_CONFIG_LIBDIR"] = "/opt/pc";
  machine = needing.run(root);
  CHECK(machine.packages.at("liburing")->number() == "2.9");
  CHECK(machine.packages.at("varied").reason == "no varied.pc in /opt/pc");
}
