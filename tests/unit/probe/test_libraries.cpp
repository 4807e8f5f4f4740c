#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "probe/host/limits.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;

namespace {

Library library_of(const Machine& machine, const std::string& name) {
  REQUIRE(machine.survey);
  for (const Library& library : machine.survey->libraries) {
    if (library.name == name) return library;
  }
  FAIL("no library " << name);
  return {};
}

}  // namespace

TEST_CASE("libraries are found in system folders and wheels, versions are numbers of headers") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/usr/include/tbb/tbb.h");
  root.file("/usr/include/oneapi/tbb/version.h",
            "#define TBB_VERSION_MAJOR 2021\n# define TBB_VERSION_MINOR 8\n"
            "#define TBB_VERSION_PATCH 0\n");
  root.file("/usr/lib/x86_64-linux-gnu/libtbb.so");
  root.file("/usr/lib/x86_64-linux-gnu/libaio.so.1");
  const std::string nccl = "/venv/lib/python3.11/site-packages/nvidia/nccl/";
  root.file(nccl + "include/nccl.h",
            "#define NCCL_MAJOR 2\n#define NCCL_MINOR 27\n#define NCCL_PATCH 5\n");
  root.file(nccl + "lib/libnccl.so.2");
  root.file("/usr/include/mpi.h", "#define OMPI_MAJOR_VERSION\n");
  FakeProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  probe.options.survey = true;
  const Machine machine = probe.run();
  CHECK(library_of(machine, "TBB").complete());
  CHECK(library_of(machine, "TBB").version->number() == "2021.8.0");
  CHECK(library_of(machine, "NCCL").version->number() == "2.27.5");
  CHECK(*library_of(machine, "NCCL").library == nccl + "lib/libnccl.so.2");
  CHECK_FALSE(library_of(machine, "libaio").complete());
  CHECK(*library_of(machine, "libaio").library == "/usr/lib/x86_64-linux-gnu/libaio.so.1");
  CHECK(library_of(machine, "libaio").header.reason == "no libaio.h");
  CHECK(library_of(machine, "libaio").package == "libaio-dev");
  CHECK(library_of(machine, "MPI").version.reason == "no number of OMPI_MAJOR_VERSION");
  CHECK_FALSE(library_of(machine, "RCCL").complete());
}

TEST_CASE("a library is usable when the host's compiler links with it, and not asked for twice") {
  FakeRoot root;
  machines::add_host(root);
  root.tool("/usr/bin/g++",
            "case \"$*\" in\n"
            "  *-dumpfullversion*) echo 12.2.0 ;;\n"
            "  *libaio.cpp*) echo 'libaio.cpp:1:10: fatal error: bits/x.h: No such file' >&2\n"
            "    exit 1 ;;\n"
            "esac\n");
  root.file("/usr/include/libaio.h").file("/usr/lib/x86_64-linux-gnu/libaio.so");
  root.file("/usr/include/liburing.h").file("/usr/lib/x86_64-linux-gnu/liburing.so.2");
  root.file("/usr/include/mpi.h");
  FakeProbe probe(root);
  probe.options.survey = true;
  probe.options.cache_folder = root.scratch();
  CHECK(library_of(probe.run(), "liburing").usable.reason.empty());  // nobody asked
  probe.options.try_libraries = true;
  CHECK(library_of(probe.run(), "liburing").usable.reason ==
        "not tried: the root is not the running machine's");
  probe.options.same_host = true;
  const Machine machine = probe.run();
  CHECK(*library_of(machine, "liburing").usable == "gcc-12.2.0");
  CHECK(library_of(machine, "libaio").usable.reason ==
        "not with gcc-12.2.0: fatal error: bits/x.h: No such file");
  CHECK(library_of(machine, "MPI").usable.reason == "not tried: not all of it is there");
  CHECK(library_of(machine, "NCCL").usable.reason == "not tried: not all of it is there");
  const std::string log = root.log();
  CHECK(log.find("-l:liburing.so.2") != std::string::npos);
  CHECK(log.find("-o /dev/null") != std::string::npos);
  const auto lines = [&root](const char* name) {
    std::size_t count = 0;
    const std::string text = root.log();
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) ++count;
    return count;
  };
  const auto good = lines("-l:liburing.so.2");
  const auto bad = lines("-l:libaio.so");
  CHECK(*library_of(probe.run(), "liburing").usable == "gcc-12.2.0");
  CHECK(lines("-l:liburing.so.2") == good);
  CHECK(lines("-l:libaio.so") == bad + 1);  // it may have been mended in a way that no file shows
  root.touch("/usr/lib/x86_64-linux-gnu/liburing.so.2");
  CHECK(*library_of(probe.run(), "liburing").usable == "gcc-12.2.0");
  CHECK(lines("-l:liburing.so.2") == good + 1);
}

TEST_CASE("the version is read out of each build helper's own line") {
  struct Row {
    const char* name;
    const char* line;
    const char* version;
  };
  // As Debian 12's packages print them.
  const Row row =
      GENERATE(Row{"ccache", "ccache version 4.7.5", "4.7.5"},
               Row{"sccache", "sccache 0.4.0-pre.6", "0.4.0"},
               Row{"distcc", "distcc 3.4 x86_64-pc-linux-gnu\n  (protocols 1, 2 and 3)", "3.4"},
               Row{"icecc", "ICECC 1.4.0", "1.4.0"},
               Row{"mold", "mold 1.10.1 (compatible with GNU ld)", "1.10.1"},
               Row{"ld.lld", "Debian LLD 14.0.6 (compatible with GNU linkers)", "14.0.6"});
  FakeRoot root;
  machines::add_printing_tool(root, std::string("/usr/bin/") + row.name, row.line);
  FakeProbe probe(root);
  probe.options.survey = true;
  CHECK(probe.run().find_tool(row.name)->version->number() == row.version);
}

TEST_CASE("build helpers tell their versions once, and only for a survey") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/ccache", "ccache version 4.8\nFeatures: 1 2");
  machines::add_printing_tool(root, "/usr/bin/ld.lld-19", "Debian LLD 19.1.7 (compatible)");
  FakeProbe probe(root);
  CHECK(probe.run().find_tool("ccache") == nullptr);
  probe.options.survey = true;
  probe.options.cache_folder = root.scratch();
  Machine machine = probe.run();
  CHECK(machine.find_tool("ccache")->version->number() == "4.8");
  CHECK(machine.find_tool("ld.lld")->version->number() == "19.1.7");
  CHECK(*machine.find_tool("ld.lld")->path == "/usr/bin/ld.lld-19");
  CHECK(machine.find_tool("mold")->path.reason == "no mold on PATH");
  const auto asked = probe.runner.count();
  machine = probe.run();
  CHECK(machine.find_tool("ccache")->version->number() == "4.8");
  CHECK(probe.runner.count() == asked);
}

TEST_CASE("limits are the running machine's, and unknown for another root") {
  FakeRoot root;
  FakeProbe probe(root);
  probe.options.survey = true;
  const Limits other = probe.run().survey->limits;
  REQUIRE_FALSE(other.folders.empty());
  CHECK_FALSE(other.folders[0].size);
  CHECK(other.ulimits.at("stack").reason == "the root is not the running machine's");
  CHECK(find_file_system(0x6969)->network);
  CHECK_FALSE(find_file_system(0xEF53)->network);
  CHECK(find_file_system(1) == nullptr);
}
