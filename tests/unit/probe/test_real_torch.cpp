// What files say of the real torches of `scripts/peers`, against what those say when they are
// asked. Skipped where there are none.
#include <catch2/catch.hpp>

#include <filesystem>

#include "base/json.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

namespace fs = std::filesystem;

/// The environments that scripts/peers made here.
std::vector<std::string> find_peers() {
  const PosixSystem system;
  const fs::path home = system.env("HOME").value_or("/nowhere");
  const fs::path cache = system.env("XDG_CACHE_HOME").value_or((home / ".cache").string());
  std::vector<std::string> found;
  for (const char* name : {"dsbuild-peers", "dsbuild-peers-old"}) {
    if (fs::exists(cache / name / "bin/ds_report")) found.push_back((cache / name).string());
  }
  return found;
}

/// Imports it, in a process of its own.
Json ask_torch(const std::string& prefix) {
  Command command;
  command.argv = {prefix + "/bin/python3", DSBUILD_SOURCE_DIR "/tests/support/ask_torch.py"};
  command.environment = current_environment();
  command.limit = std::chrono::minutes(2);
  PosixProcessRunner runner;
  const ProcessResult result = runner.run(command);
  INFO(result.err);
  REQUIRE(result.ok());
  return Json::parse(result.out);
}

Torch read_by_file(const std::string& prefix) {
  ProbeOptions options;
  options.torches = true;
  options.python = prefix;
  PosixProcessRunner runner;
  const Machine machine = probe_machine(PosixSystem(), runner, built_in_catalog(), options);
  REQUIRE_FALSE(machine.torches.empty());
  return machine.torches.front();
}

/// Of those that exist: 2.6 passes one that doesn't.
Json real_paths(const Json& paths) {
  Json real = Json::array();
  for (const Json& path : paths) {
    const fs::path folder = path.get<std::string>();
    if (fs::exists(folder)) real.push_back(fs::canonical(folder).string());
  }
  return real;
}

Json text_of(const Fact<Version>& version) {
  return version ? Json(version->text) : Json();
}

TEST_CASE("what files say of a real torch is what it says itself") {
  const auto peers = find_peers();
  if (peers.empty()) WARN("skipped: scripts/peers was not run here");
  for (const std::string& prefix : peers) {
    INFO(prefix);
    const Json asked = ask_torch(prefix);
    const Torch torch = read_by_file(prefix);
    CHECK(torch.version->text == asked["version"]);
    CHECK(text_of(torch.cuda) == asked["cuda"]);
    CHECK(text_of(torch.hip) == asked["hip"]);
    CHECK(*torch.cxx11_abi == asked["cxx11_abi"]);
    CHECK(torch.python->number() == asked["python"]);
    CHECK(*torch.interpreter == prefix + "/bin/python3");
    CHECK(*torch.python_include == asked["python_include"]);
    CHECK(*torch.extension_suffix == asked["extension_suffix"]);
    CHECK(real_paths(torch.includes) == real_paths(asked["includes"]));
    CHECK(real_paths({torch.lib}) == real_paths({asked["lib"]}));
    CHECK(Json(torch.libraries.at("cpu")) == asked["libraries"]);
    CHECK("-std=c++" + std::to_string(torch.standard) == asked["standard"]);
    auto defines = torch.defines;
    std::sort(defines.begin(), defines.end());
    CHECK(Json(defines) == asked["defines"]);
  }
}

}  // namespace
}  // namespace dsbuild::probe::tests
