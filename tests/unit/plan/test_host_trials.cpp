#include <catch2/catch.hpp>

#include <algorithm>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

TEST_CASE("F05: a CPU level whose canary failed is skipped alone, and stops a build that named it",
          "[trials]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0")};
  const std::string no = "canary.cpp:10: Error: no such instruction: `vpxord'";
  const auto plan = [&](const std::string& arch) {
    return plan_for({{"axpy"}, {"cpu"}, arch, {}}, make_catalog(), machine);
  };
  const Made before = plan("");
  const Trial* v4 = find_trial(before.plan, "(so for cpu x86-64-v4)");
  REQUIRE(v4);
  CHECK(has_word(v4->steps.front().argv, "-march=x86-64-v4"));
  CHECK(has_word(v4->steps.front().argv, "-DDSBUILD_ARCH_x86_64_v4"));
  CHECK(before.find("axpy", "cpu", "x86-64-v4", "so")->trials == std::vector<std::string>{v4->key});
  answer(machine, before.plan, "(so for cpu x86-64-v4)", false, no);
  const Made made = plan("");
  CHECK(made.planned("axpy", "cpu") == std::vector<std::string>{"x86-64-v2", "x86-64-v3"});
  CHECK(made.plan.verdict() == ExitCode::ok);
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "gcc-12.2.0");
  const Entry* skipped = made.skipped("axpy", "cpu", "x86-64-v4");
  REQUIRE(skipped);
  CHECK(skipped->reason->code == ReasonCode::trial_failed);
  CHECK(skipped->reason->text ==
        "gcc-12.2.0 at /usr/bin/g++ doesn't make code for x86-64-v4: " + no);
  CHECK(plan("x86-64-v4").plan.verdict() == ExitCode::no_toolchain);
  CHECK(plan("x86-64-v3,x86-64-v4").plan.verdict() == ExitCode::no_toolchain);
  CHECK(plan("x86-64-v3").plan.verdict() == ExitCode::ok);
}

TEST_CASE("F04: a compiler that makes other code than the baseline's is passed over", "[trials]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0"), make_clang("19.1.4", "/usr/bin/clang++-19")};
  const auto plan = [&] {
    return plan_for({{"axpy"}, {"cpu"}, "x86-64-v2", {}}, make_catalog(), machine);
  };
  answer(machine, plan().plan, "gcc-12.2.0 (so for cpu x86-64-v2)", false, "#error asked for");
  const Made made = plan();
  CHECK(made.find("axpy", "cpu", "x86-64-v2", "so")->toolchain == "clang-19.1.4");
  CHECK_THAT(made.notes(), Catch::Contains("/usr/bin/g++ failed its canary: #error asked for"));
}

/// An extension with host sources alone, for the CPU and for CUDA.
manifest::Op make_extension(const std::string& name) {
  manifest::Op op;
  op.name = name;
  op.kind = manifest::OpKind::python_extension;
  op.module = "pkg." + name + "_op";
  op.folder = op.root = "/tree";
  manifest::ExtensionPart part;
  part.on["cpu"] = part.on["cuda"] = {};
  part.binding = {"/tree/csrc/" + name + ".cpp"};
  op.parts.push_back(part);
  return op;
}

TEST_CASE("F04: an extension's compiler is tried for the level of its host code, once for all ops",
          "[trials]") {
  probe::Machine machine = cuda_machine();
  machine.torches = {make_torch("2.15.0", "cuda", "13.0")};
  const auto plan = [&](const std::string& arch) {
    return plan_for({{"one", "two"}, {"cuda"}, arch, {}},
                    catalog_of({make_extension("one"), make_extension("two")}), machine);
  };
  const Made before = plan("x86-64-v3,x86-64-v4");
  std::vector<std::string> whats;
  for (const Trial& trial : before.plan.trials) whats.push_back(trial.what);
  std::sort(whats.begin(), whats.end());
  CHECK(whats == std::vector<std::string>{"canary of gcc-12.2.0 (extension for cpu x86-64-v3)",
                                          "canary of gcc-12.2.0 (extension for cpu x86-64-v4)",
                                          "canary of gcc-12.2.0 (library for cpu)"});
  const Trial* v4 = find_trial(before.plan, "x86-64-v4");
  REQUIRE(v4);
  REQUIRE(v4->steps.size() == 1);
  CHECK(has_word(v4->steps.front().argv, "-march=x86-64-v4"));
  CHECK(has_word(v4->steps.front().argv, "-DDSBUILD_ARCH_x86_64_v4"));
  for (const std::string& word : v4->steps.front().argv) {
    INFO(word);
    CHECK(word.find("torch") == std::string::npos);
  }
  answer(machine, before.plan, "x86-64-v4", false, "#error asked for");
  const Made made = plan("x86-64-v3,x86-64-v4");
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
  for (const Entry& entry : made.plan.entries) {
    INFO(entry.op << " " << entry.variant);
    CHECK((entry.state == EntryState::planned) == (entry.variant == "x86-64-v3"));
    if (entry.reason) {
      CHECK(entry.required);
      CHECK(entry.reason->text ==
            "gcc-12.2.0 at /usr/bin/g++ doesn't make code for x86-64-v4: #error asked for");
    }
  }
  CHECK(plan("").plan.verdict() == ExitCode::ok);
}

TEST_CASE("E01: a library is tried with the folders of the real link, the toolkit's among them",
          "[trials]") {
  probe::Machine machine = cuda_machine();
  machine.torches = {make_torch("2.15.0", "cuda", "13.0")};
  manifest::Op shared = make_catalog().ops.at("legacy");
  shared.needs.libraries = {{"cufile", "cuFileDriverOpen"}};
  // As DeepSpeed's gds: host sources alone, and the toolkit is what the op needs.
  manifest::Op extension = make_extension("gds");
  extension.parts.front().on.erase("cpu");
  extension.needs.toolchains.emplace("cuda", *VersionRange::parse(">=11"));
  extension.parts.front().needs.headers = {"cufile.h"};
  extension.parts.front().needs.libraries = shared.needs.libraries;
  extension.options.flags["link"] = {"-fopenmp"};
  for (const manifest::Op& op : {shared, extension}) {
    INFO(op.name);
    const Made made = plan_for({{}, {"cuda"}, "9.0", {}}, catalog_of({op}), machine);
    CHECK(made.plan.verdict() == ExitCode::ok);
    const Trial* library = find_trial(made.plan, "library cufile with cuFileDriverOpen");
    REQUIRE(library);
    const std::vector<std::string>& words = library->steps.back().argv;
    CHECK(has_word(words, "-L/usr/local/cuda/lib64"));
    CHECK(has_word(words, "-lcufile"));
    const auto artifact =
        std::find_if(made.plan.entries.begin(), made.plan.entries.end(),
                     [&](const Entry& entry) { return has_word(entry.trials, library->key); });
    REQUIRE(artifact != made.plan.entries.end());
    const Step& link = made.step(artifact->artifact);
    for (const std::string& word : link.argv) {
      INFO(word);
      const bool folder = word.starts_with("-L") && word.find("torch") == std::string::npos;
      if (folder || word == "-fopenmp") CHECK(has_word(words, word));
    }
  }
  const Made made = plan_for({{}, {"cuda"}, "9.0", {}}, catalog_of({extension}), machine);
  const Trial* header = find_trial(made.plan, "header cufile.h");
  REQUIRE(header);
  CHECK(has_word(header->steps.front().argv, "/usr/local/cuda/include"));
  const Entry* entry = made.find("gds", "cuda", "", kExtensionForm);
  REQUIRE(entry);
  CHECK(has_word(made.step(entry->steps.front()).argv, "/usr/local/cuda/include"));
  CHECK(has_word(made.step(entry->artifact).argv, "-L/usr/local/cuda/lib64"));
}

}  // namespace
}  // namespace dsbuild::plan
