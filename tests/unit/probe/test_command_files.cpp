#include <catch2/catch.hpp>

#include "machines/fake_root.h"
#include "probe/toolchains/command_files.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using dsbuild::machines::FakeRoot;

TEST_CASE("the program that a wrapper script starts is read from its exec line") {
  const auto target = [](const char* text) { return parse_exec_target(text).string(); };
  CHECK(target("#!/bin/sh\nexec /usr/local/cuda-13.0/bin/nvcc \"$@\"\n") ==
        "/usr/local/cuda-13.0/bin/nvcc");
  CHECK(target("#!/bin/bash\n# a note\n  exec \"/opt/my tools\" \"$@\"\n") == "");
  CHECK(target("#!/bin/sh\nexec '/opt/bin/g++' \"$@\"\n") == "/opt/bin/g++");
  CHECK(target("#!/bin/sh\nexec nvcc \"$@\"\n") == "");
  CHECK(target("#!/bin/sh\nexec $HOME/bin/nvcc\n") == "");
  CHECK(target("#!/bin/sh\necho exec /bin/true\n") == "");
  CHECK(target("") == "");
}

TEST_CASE("a tool is known by its name between triple and version") {
  CHECK(names_tool("g++", "g++"));
  CHECK(names_tool("g++-12", "g++"));
  CHECK(names_tool("x86_64-linux-gnu-g++-12", "g++"));
  CHECK(names_tool("clang++-19.1", "clang++"));
  CHECK_FALSE(names_tool("clang++", "g++"));
  CHECK_FALSE(names_tool("clang++-14", "g++"));
  CHECK_FALSE(names_tool("g++-12-extra", "g++"));
  CHECK_FALSE(names_tool("g++-", "g++"));
}

TEST_CASE("links and wrappers of the same name are followed to what runs") {
  FakeRoot root;
  root.program("/opt/gcc/bin/x86_64-linux-gnu-g++-12", "a real program");
  root.link("/usr/bin/g++-12", "/opt/gcc/bin/x86_64-linux-gnu-g++-12");
  root.link("/usr/bin/g++", "g++-12");
  root.program("/usr/local/bin/g++", "#!/bin/sh\nexec /usr/bin/g++ \"$@\"\n");
  const PosixSystem system = root.system();

  CHECK(find_command_files(system, "/usr/bin/g++").real == "/opt/gcc/bin/x86_64-linux-gnu-g++-12");
  const CommandFiles wrapped = find_command_files(system, "/usr/local/bin/g++");
  CHECK(wrapped.real == "/opt/gcc/bin/x86_64-linux-gnu-g++-12");
  CHECK(wrapped.files == std::vector<std::filesystem::path>{
                             "/usr/local/bin/g++", "/opt/gcc/bin/x86_64-linux-gnu-g++-12"});
}

TEST_CASE("a script that starts another kind of program is itself what runs, and depends on it") {
  FakeRoot root;
  root.program("/opt/python3", "a real program");
  root.program("/usr/bin/one", "#!/bin/sh\nexec /opt/python3 /one.py\n");
  const CommandFiles files = find_command_files(root.system(), "/usr/bin/one");
  CHECK(files.real == "/usr/bin/one");
  CHECK(files.files == std::vector<std::filesystem::path>{"/usr/bin/one", "/opt/python3"});
}

TEST_CASE("links and scripts that lead in circles end") {
  FakeRoot root;
  root.link("/usr/bin/a", "b");
  root.link("/usr/bin/b", "a");
  root.program("/usr/bin/c", "#!/bin/sh\nexec /usr/bin/c\n");
  root.program("/opt/d", "#!/bin/sh\nexec /opt/x/d\n");
  root.program("/opt/x/d", "#!/bin/sh\nexec /opt/d\n");
  const PosixSystem system = root.system();
  CHECK(find_command_files(system, "/usr/bin/a").files.empty());
  CHECK(find_command_files(system, "/usr/bin/a").real == "/usr/bin/a");
  CHECK(find_command_files(system, "/usr/bin/c").files.size() == 1);
  CHECK(find_command_files(system, "/opt/d").real == "/opt/x/d");
}

TEST_CASE("an identity changes with a file's state and with what else is told") {
  FakeRoot root;
  root.file("/a", "text");
  const PosixSystem system = root.system();
  const std::string first = make_identity(system, {"/a", "/missing"}, "1");
  CHECK(first == make_identity(system, {"/a", "/missing"}, "1"));
  CHECK(first != make_identity(system, {"/a", "/missing"}, "2"));
  CHECK(first != make_identity(system, {"/a"}, "1"));
  root.touch("/a");
  CHECK(first != make_identity(system, {"/a", "/missing"}, "1"));
}
