#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;
using machines::add_clang;
using machines::add_gcc;
using machines::add_printing_tool;
using Paths = std::vector<std::string>;

TEST_CASE("a compiler on PATH is complete, with version, values and identity") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  FakeProbe probe(root);
  const Toolchain gcc = only(probe.run(), "gcc");
  CHECK(gcc.id == "gcc-12.2.0");
  CHECK(gcc.path == "/usr/bin/g++");
  CHECK(gcc.state == ToolchainState::complete);
  CHECK(gcc.missing.empty());
  CHECK(gcc.version->number() == "12.2.0");
  CHECK(gcc.version.source == "/usr/bin/g++ -dumpfullversion -dumpversion");
  CHECK(gcc.all_archs);
  CHECK(value(gcc, "cxx") == "/usr/bin/g++");
  CHECK(value(gcc, "major") == "12");
  CHECK(value(gcc, "minor") == "2");
  CHECK(gcc.origin == "PATH");
  CHECK_FALSE(gcc.demanded);
  CHECK(gcc.identity.size() == 64);
}

TEST_CASE("an identity changes when the compiler does") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  FakeProbe probe(root);
  const std::string first = only(probe.run(), "gcc").identity;
  CHECK(first == only(probe.run(), "gcc").identity);
  root.touch("/usr/bin/g++");
  CHECK(first != only(probe.run(), "gcc").identity);
}

TEST_CASE("numbered compilers come by number: g++-12 before g++-9, after the plain g++") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++-9", "9.5.0");
  add_gcc(root, "/usr/bin/g++-12", "12.2.0");
  add_gcc(root, "/usr/local/bin/g++-10", "10.2.1");
  FakeProbe probe(root);
  probe.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";
  SECTION("without a plain one") {
    CHECK(paths(of_kind(probe.run(), "gcc")) ==
          Paths{"/usr/bin/g++-12", "/usr/local/bin/g++-10", "/usr/bin/g++-9"});
  }
  SECTION("with a plain one that is older") {
    add_gcc(root, "/usr/bin/g++", "11.4.0");
    CHECK(paths(of_kind(probe.run(), "gcc")).front() == "/usr/bin/g++");
  }
}

TEST_CASE("one compiler that is reached by several links is one toolchain") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/x86_64-linux-gnu-g++-12", "12.2.0");
  root.link("/usr/bin/g++-12", "x86_64-linux-gnu-g++-12");
  root.link("/usr/bin/g++", "g++-12");
  root.link("/bin", "usr/bin");
  FakeProbe probe(root);
  CHECK(only(probe.run(), "gcc").path == "/usr/bin/g++");
}

TEST_CASE("two different compilers of one version have different ids") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  add_gcc(root, "/opt/bin/g++", "12.2.0");
  FakeProbe probe(root);
  probe.environment["PATH"] = "/usr/bin:/opt/bin:/bin";
  const auto found = of_kind(probe.run(), "gcc");
  REQUIRE(found.size() == 2);
  CHECK(found[0].id == "gcc-12.2.0");
  CHECK(found[1].id == "gcc-12.2.0#2");
}

TEST_CASE("links that loop and entries that can't run are passed over") {
  FakeRoot root;
  root.link("/usr/bin/g++", "g++-12").link("/usr/bin/g++-12", "g++");
  root.file("/usr/bin/g++-11", "no x bit");
  root.folder("/usr/bin/g++-10");
  add_gcc(root, "/usr/bin/g++-9", "9.5.0");
  FakeProbe probe(root);
  CHECK(only(probe.run(), "gcc").path == "/usr/bin/g++-9");
}

TEST_CASE("CXX chooses the compiler, whatever way it names it") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  add_gcc(root, "/opt/gcc/bin/g++-11", "11.4.0");
  add_clang(root, "/usr/bin/clang++", "19.1.7");
  root.link("/usr/bin/c++", "/etc/alternatives/c++")
      .link("/etc/alternatives/c++", "/usr/bin/clang++");
  FakeProbe probe(root);
  const auto chosen = [&](const char* value) {
    probe.environment["CXX"] = value;
    std::string found;
    for (const Toolchain& toolchain : probe.run().toolchains) {
      if (toolchain.demanded)
        found += toolchain.kind + " " + toolchain.path + " " + toolchain.origin;
    }
    return found;
  };
  CHECK(chosen("/opt/gcc/bin/g++-11") == "gcc /opt/gcc/bin/g++-11 CXX");
  CHECK(chosen("/opt/gcc") == "gcc /opt/gcc/bin/g++-11 CXX");
  CHECK(chosen("g++") == "gcc /usr/bin/g++ CXX");
  CHECK(chosen("clang++") == "clang /usr/bin/clang++ CXX");
  CHECK(chosen("/usr/bin/c++") == "clang /usr/bin/c++ CXX");
  CHECK(chosen("ccache g++") == "gcc /usr/bin/g++ CXX");
  CHECK(chosen("  ") == "");
  CHECK(chosen("") == "");
}

TEST_CASE("the demanded compiler comes first, the others of its kind stay in the list") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  add_gcc(root, "/usr/bin/g++-11", "11.4.0");
  FakeProbe probe(root);
  probe.environment["CXX"] = "g++-11";
  CHECK(paths(of_kind(probe.run(), "gcc")) == Paths{"/usr/bin/g++-11", "/usr/bin/g++"});
}

TEST_CASE("a CXX that is no compiler stays as an absent, demanded one with the reason") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  add_clang(root, "/usr/bin/clang++", "19.1.7");
  root.program("/opt/bin/icpx", "#!/bin/sh\n");
  FakeProbe probe(root);
  const auto refused = [&](const char* value) {
    probe.environment["CXX"] = value;
    Toolchain found;
    for (const Toolchain& toolchain : probe.run().toolchains) {
      if (!toolchain.demanded) continue;
      CHECK(found.kind.empty());
      found = toolchain;
    }
    CHECK(found.state == ToolchainState::absent);
    CHECK(found.origin == "CXX");
    return found.kind + ": " + found.version.reason;
  };
  CHECK(refused("/opt/gcc/bin/g++") == "gcc: CXX=/opt/gcc/bin/g++: no such command");
  CHECK(refused("clang++-99") == "clang: CXX=clang++-99: no such command");
  CHECK(refused("/nowhere/icpx") == "gcc: CXX=/nowhere/icpx: no such command");
  CHECK(refused("./g++") == "gcc: CXX=./g++: no such command");
  CHECK(refused("g++ -m32") ==
        "gcc: CXX='g++ -m32' is more than a command: write the command alone, flags belong into "
        "manifests");
  CHECK(refused("/opt/bin/icpx") ==
        "gcc: CXX=/opt/bin/icpx is no g++ or clang++; if it is one by another name, say --toolkit "
        "gcc=/opt/bin/icpx");
}

TEST_CASE("the flag --toolkit chooses by file or folder, and CXX no longer counts for that kind") {
  FakeRoot root;
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  add_gcc(root, "/opt/gcc/bin/my-compiler", "11.4.0");
  add_gcc(root, "/opt/old/bin/g++", "10.1.0");
  FakeProbe probe(root);
  probe.environment["CXX"] = "g++";
  SECTION("a file of any name") {
    probe.options.toolkits["gcc"] = "/opt/gcc/bin/my-compiler";
    const auto found = of_kind(probe.run(), "gcc");
    CHECK(found[0].path == "/opt/gcc/bin/my-compiler");
    CHECK(found[0].origin == "--toolkit");
    CHECK(found[0].demanded);
    CHECK_FALSE(found[1].demanded);
  }
  SECTION("a folder") {
    probe.options.toolkits["gcc"] = "/opt/old";
    CHECK(of_kind(probe.run(), "gcc")[0].path == "/opt/old/bin/g++");
  }
  SECTION("a folder without one") {
    probe.options.toolkits["gcc"] = "/opt";
    const Toolchain first = of_kind(probe.run(), "gcc")[0];
    CHECK(first.state == ToolchainState::absent);
    CHECK(first.version.reason == "--toolkit gcc=/opt holds no g++");
  }
}

TEST_CASE("a compiler cache's link on PATH leads to the compiler behind it") {
  FakeRoot root;
  add_printing_tool(root, "/usr/bin/ccache", "ccache version 4.7.5");
  root.link("/usr/lib/ccache/g++", "../../bin/ccache");
  root.link("/usr/lib/ccache/clang++", "../../bin/ccache");
  add_gcc(root, "/usr/bin/g++", "12.2.0");
  FakeProbe probe(root);
  probe.environment["PATH"] = "/usr/lib/ccache:/usr/bin:/bin";
  const Machine machine = probe.run();
  CHECK(only(machine, "gcc").path == "/usr/bin/g++");
  CHECK(only(machine, "clang").state == ToolchainState::absent);
}

TEST_CASE("a compiler that says something odd is partial, with what it said") {
  FakeRoot root;
  FakeProbe probe(root);
  const auto missing = [&] {
    const Toolchain gcc = only(probe.run(), "gcc");
    CHECK(gcc.state == ToolchainState::partial);
    CHECK_FALSE(gcc.version);
    REQUIRE(gcc.missing.size() == 1);
    return gcc.missing[0];
  };
  SECTION("another program") {
    add_printing_tool(root, "/usr/bin/g++", "\nGNU plus plus, the card game");
    CHECK(missing() == "version not understood: GNU plus plus, the card game");
  }
  SECTION("nothing") {
    root.tool("/usr/bin/g++", "");
    CHECK(missing() == "version not understood: it said nothing");
  }
  SECTION("a failure") {
    add_printing_tool(root, "/usr/bin/g++", "12.2.0", 3);
    CHECK(missing() == "version not understood: exit status 3: 12.2.0");
  }
  SECTION("a crash") {
    root.tool("/usr/bin/g++", "kill -SEGV $$\n");
    CHECK(missing().find("killed by signal 11") != std::string::npos);
  }
  SECTION("a hang") {
    root.tool("/usr/bin/g++", "sleep 60\n");
    probe.runner.shorten_limit(std::chrono::milliseconds(200));
    CHECK(missing() == "version not understood: no answer within its time limit");
  }
  SECTION("one endless line") {
    root.tool("/usr/bin/g++", "head -c 3000000 /dev/zero | tr '\\0' '1'\n");
    CHECK(missing().find("version not understood: 1111") == 0);
  }
  SECTION("bytes that are no text") {
    root.tool("/usr/bin/g++", "printf '\\001\\377g\\n'\n");
    CHECK(missing() == "version not understood: ??g");
  }
  SECTION("no program at all") {
    root.program("/usr/bin/g++", "\177ELF");
    CHECK(missing().find("Exec format error") != std::string::npos);
  }
}

TEST_CASE("lines before the version don't matter") {
  FakeRoot root;
  add_printing_tool(root, "/usr/bin/clang++", "warning: something\nUbuntu clang version 15.0.7-1");
  FakeProbe probe(root);
  CHECK(only(probe.run(), "clang").version->number() == "15.0.7");
}

TEST_CASE("of clangs for gfx the newest whole one is chosen") {
  FakeRoot root;
  add_clang(root, "/usr/lib/llvm-14/bin/clang", "14.0.6");
  add_clang(root, "/usr/lib/llvm-19/bin/clang", "19.1.7");
  add_clang(root, "/usr/lib/llvm-20/bin/clang", "20.1.0", false);
  root.link("/usr/bin/clang++", "../lib/llvm-14/bin/clang");
  root.link("/usr/bin/clang++-14", "../lib/llvm-14/bin/clang");
  root.link("/usr/bin/clang++-19", "../lib/llvm-19/bin/clang");
  root.link("/usr/bin/clang++-20", "../lib/llvm-20/bin/clang");
  FakeProbe probe(root);
  const auto found = of_kind(probe.run(), "clang-amdgpu");
  REQUIRE(paths(found) == Paths{"/usr/bin/clang++-19", "/usr/bin/clang++", "/usr/bin/clang++-20"});
  CHECK(value(found[0], "lld") == "/usr/lib/llvm-19/bin/ld.lld");
  CHECK_FALSE(found[0].all_archs);
  SECTION("a clang without its lld is partial") {
    CHECK(found[2].state == ToolchainState::partial);
    CHECK(found[2].missing == Paths{"ld.lld in /usr/lib/llvm-20/bin"});
  }
  SECTION("its archs are in numeric order") {
    CHECK(found[1].archs == Paths{"gfx906", "gfx908", "gfx90a", "gfx1030"});
  }
}

TEST_CASE("a clang that lists no gfx target is partial, and still a host compiler") {
  FakeRoot root;
  root.tool("/usr/bin/clang++", "echo 'clang version 18.1.0'\n");
  root.program("/usr/bin/ld.lld", "");
  FakeProbe probe(root);
  const Machine machine = probe.run();
  CHECK(only(machine, "clang").state == ToolchainState::complete);
  const Toolchain amd = only(machine, "clang-amdgpu");
  CHECK(amd.state == ToolchainState::partial);
  REQUIRE(amd.missing.size() == 1);
  CHECK(amd.missing[0].find("archs of rocm (") == 0);
}

TEST_CASE("a descriptor's own folders are looked at after PATH") {
  FakeRoot root;
  add_clang(root, "/opt/rocm/llvm/bin/amdclang++", "18.0.0");
  FakeProbe probe(root);
  const Toolchain amd = only(probe.run(), "clang-amdgpu");
  CHECK(amd.path == "/opt/rocm/llvm/bin/amdclang++");
  CHECK(amd.origin == "/opt/rocm/llvm/bin");
}
