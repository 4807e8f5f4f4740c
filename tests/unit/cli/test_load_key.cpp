#include "cli/load_key.h"

#include <catch2/catch.hpp>

using namespace dsbuild;
using cli::make_load_key;

namespace {

plan::Plan plan_for(const char* level) {
  plan::Plan plan;
  plan::Entry entry;
  entry.op = "op";
  entry.accelerator = "cpu";
  entry.state = plan::EntryState::planned;
  entry.toolchain = "gcc-12.2.0";
  entry.needs["cpu"] = level;
  plan.entries = {entry};
  plan::Step step;
  step.id = "a.o";
  step.argv = {"g++", std::string("-march=") + level};
  plan.steps = {step};
  plan.paths = {{"src", "/root"}, {"build", "/build"}};
  return plan;
}

}  // namespace

TEST_CASE(
    "O01: what a build is for has a folder of its own, whose name the build folder isn't in") {
  probe::Torch torch;
  torch.id = "torch-2.15.0";
  torch.site = "/env";
  torch.identity = "1";
  const cli::LoadKey key = make_load_key("op", plan_for("x86-64-v3"), &torch);
  CHECK_THAT(key.folder, Catch::StartsWith("op-cpu-"));
  plan::Plan elsewhere = plan_for("x86-64-v3");
  elsewhere.paths["build"] = "/elsewhere";
  CHECK(make_load_key("op", elsewhere, &torch).folder == key.folder);
  CHECK(make_load_key("op", plan_for("x86-64-v4"), &torch).folder != key.folder);
  probe::Torch other = torch;
  other.identity = "2";
  CHECK(make_load_key("op", plan_for("x86-64-v3"), &other).folder != key.folder);
  CHECK(cli::describe_key(key) == "for cpu (x86-64-v3) and torch-2.15.0 in /env");
}

TEST_CASE("O01: another build is told by the words in which it differs") {
  probe::Torch torch;
  torch.id = "torch-2.15.0";
  torch.site = "/env";
  const auto wanted = make_load_key("op", plan_for("x86-64-v3"), &torch).words;
  torch.id = "torch-2.14.0";
  const auto other = make_load_key("op", plan_for("x86-64-v4"), &torch).words;
  CHECK(cli::describe_difference(other, wanted) ==
        std::vector<std::string>{"archs x86-64-v4 instead of x86-64-v3",
                                 "torch torch-2.14.0 in /env instead of torch-2.15.0 in /env"});
  CHECK(cli::describe_difference(wanted, wanted) == std::vector<std::string>{"other commands"});
  CHECK(cli::describe_difference({}, wanted).size() == wanted.size());
}
