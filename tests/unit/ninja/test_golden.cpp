#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "ninja/emit.h"
#include "support/temp_folder.h"
#include "unit/plan/workbench.h"

namespace fs = std::filesystem;

namespace dsbuild::ninja {
namespace {

/// What is compared with tests/golden/<name>/: UPDATE_GOLDEN=1 in the environment writes it anew.
struct Case {
  std::string name;
  plan::Wishes wishes;
  probe::Machine machine;
  bool json = false;
};

/// The first line that differs, and how to go on; empty when none does.
std::string difference(const fs::path& path, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) write_file_if_changed(path, text);
  const std::vector<std::string> wanted = split_lines(test::read_text(path));
  const std::vector<std::string> made = split_lines(text);
  const auto [w, m] = std::mismatch(wanted.begin(), wanted.end(), made.begin(), made.end());
  if (w == wanted.end() && m == made.end()) return {};
  return path.string() + ":" + std::to_string(w - wanted.begin() + 1) + ": wanted\n" +
         (w == wanted.end() ? "its end" : *w) + "\nmade\n" + (m == made.end() ? "its end" : *m) +
         "\nUPDATE_GOLDEN=1 in the environment writes it anew\n";
}

std::string entry_line(const plan::Entry& entry) {
  std::string line = entry.op + " " + entry.accelerator;
  for (const std::string* part : {&entry.arch, &entry.form, &entry.variant}) {
    if (!part->empty()) line += " " + *part;
  }
  if (entry.state == plan::EntryState::skipped) {
    return line + ": " + (entry.required ? "required, " : "") +
           std::string(plan::reason_row(entry.reason->code).id) + ": " + entry.reason->text + " (" +
           entry.reason->hint + ")\n";
  }
  line += ": " + entry.toolchain + " makes " + entry.artifact;
  if (!entry.archs.empty()) line += " for " + join(entry.archs, " ");
  for (const auto& [name, value] : entry.needs) line += "; needs " + name + " " + value;
  return line + "\n";
}

std::string step_lines(const plan::Step& step) {
  std::string text = step.id + ": " + step.what;
  if (!step.kernels.empty()) text += "; must hold " + join(step.kernels, " ");
  if (step.any_kernel) text += "; must hold a kernel";
  text += "\n  env";
  for (const auto& [name, value] : step.environment) text += " " + name + "=" + value;
  return text + "\n  " + shell_join(step.argv) + "\n";
}

/// The plan as a person reads it: JSON has a line for each word of each command.
std::string plan_text(const plan::Plan& plan) {
  std::string text = "verdict " + std::to_string(static_cast<int>(plan.verdict())) + "\n\nnotes\n";
  for (const std::string& note : plan.notes) text += note + "\n";
  text += "\nsettings\n";
  for (const plan::Setting& setting : plan.settings)
    text += setting.name + " = " + setting.value + " <- " + setting.origin + "\n";
  text += "\nentries\n";
  for (const plan::Entry& entry : plan.entries) text += entry_line(entry);
  text += "\nsteps\n";
  for (const plan::Step& step : plan.steps) text += step_lines(step);
  text += "\ntrials\n";
  std::vector<std::string> trials;
  for (const plan::Trial& trial : plan.trials) {
    std::string lines = trial.what + " [" + trial.source_name + "]\n";
    for (const plan::Step& step : trial.steps) lines += "  " + shell_join(step.argv) + "\n";
    trials.push_back(std::move(lines));
  }
  std::sort(trials.begin(), trials.end());
  return text + join(trials, "");
}

/// The plan's problems, and what its texts differ in from the golden ones.
std::string differences(const Case& one) {
  plan::Made made = plan::plan_for(one.wishes, plan::make_catalog(), one.machine);
  const fs::path folder = fs::path(DSBUILD_SOURCE_DIR) / "tests/golden" / one.name;
  std::string text = made.problems() + difference(folder / "plan.txt", plan_text(made.plan));
  if (one.json) text += difference(folder / "plan.json", dump_json(plan::to_json(made.plan)));
  made.plan.paths = {{"src", "/dsbuild"}, {"root1", "/my ops"}};
  return text + difference(folder / "build.ninja",
                           render_build_files(made.plan, "/build").at("build.ninja"));
}

probe::Machine two_toolkits() {
  probe::Machine machine = plan::make_machine();
  machine.toolchains = {
      plan::make_gcc("12.2.0"),
      plan::make_nvcc("13.0.88", "/usr/local/cuda-13.0", plan::cuda13_archs()),
      plan::make_nvcc("11.8.89", "/usr/local/cuda-11.8", {"sm_50", "sm_70", "sm_75", "sm_80"})};
  return machine;
}

probe::Machine gcc_only() {
  probe::Machine machine = plan::make_machine();
  machine.toolchains = {plan::make_gcc("12.2.0"), plan::make_absent("nvcc", "no nvcc on PATH"),
                        plan::make_absent("clang-amdgpu", "no clang++ on PATH")};
  return machine;
}

TEST_CASE("golden: image baking with nvcc 13 and clang 19, nothing named", "[golden]") {
  CHECK(differences({"baking", {{"axpy"}, {}, "", {}}, plan::make_full_machine()}) == "");
}

TEST_CASE("golden: all ops where there is only gcc", "[golden]") {
  CHECK(differences({"gcc_only", {}, gcc_only()}) == "");
}

TEST_CASE("golden: two toolkits, each for the archs that it has", "[golden]") {
  CHECK(differences({"two_toolkits", {{"axpy"}, {"cuda"}, "7.0;8.0;12.0", {}}, two_toolkits()}) ==
        "");
}

TEST_CASE("golden: native without a device", "[golden]") {
  CHECK(differences({"native_without_device",
                     {{"axpy"}, {}, "cuda:native", {}},
                     plan::make_full_machine()}) == "");
}

TEST_CASE("golden: a mix of archs on the command line, with instances and vendor headers",
          "[golden]") {
  CHECK(differences({"arch_mix",
                     {{"attn"}, {}, "9.0+PTX; sm_100a,gfx942 x86-64-v3", {}},
                     plan::make_full_machine()}) == "");
}

TEST_CASE("golden: a shared library with device code for two archs", "[golden]") {
  CHECK(differences({"shared_library",
                     {{"legacy"}, {}, "", {{"arch", "8.0 9.0+PTX", "TORCH_CUDA_ARCH_LIST"}}},
                     plan::make_full_machine(),
                     true}) == "");
}

}  // namespace
}  // namespace dsbuild::ninja
