// A build folder with steps of the test's own, run by the real Ninja and the real launcher.
// Knows the form of build.ninja that the launcher serves, not the one that writes it for dsbuild.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/step_file.h"
#include "run/build.h"
#include "support/temp_folder.h"

namespace dsbuild::run {

/// Keeps all that it is told.
class RecordingProgress final : public Progress {
 public:
  void start(std::size_t total_steps) override { total = total_steps; }
  void set_total(std::size_t total_steps) override { total = total_steps; }
  void step_started(std::string_view what) override {
    started.emplace_back(what);
    if (on_started) on_started();
  }
  void step_finished(std::string_view what, double, bool ok) override {
    finished.emplace_back(std::string(ok ? "" : "FAILED ") + std::string(what));
    totals.push_back(total);
  }
  void tick() override {}
  void line(std::string_view text) override { lines.emplace_back(text); }
  void stop() override { stopped = true; }

  std::size_t total = 0;
  std::vector<std::size_t> totals;  ///< the total that was known at each end
  std::vector<std::string> started;
  std::vector<std::string> finished;
  std::vector<std::string> lines;
  bool stopped = false;
  std::function<void()> on_started;
};

class Workshop {
 public:
  Workshop() : folder(temp / "build") {
    const auto found = test::find_tool({"ninja"});
    REQUIRE(found);
    ninja = *found;
    options.folder = folder;
    options.launcher = STEP_PROGRAM;
    options.ninja = ninja;
    options.jobs = 2;
  }

  /// A step whose command is a shell script; `$1` is the first output, `$2` on are the inputs.
  plan::Step& add(const std::string& output, const std::string& script,
                  const std::vector<std::string>& inputs = {}) {
    plan::Step step;
    step.id = output;
    step.what = "make " + output;
    step.argv = {"/bin/sh", "-c", script, "sh", output};
    step.argv.insert(step.argv.end(), inputs.begin(), inputs.end());
    step.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
    step.inputs = inputs;
    step.outputs = {output};
    plan.steps.push_back(std::move(step));
    return plan.steps.back();
  }

  static plan::StepFile step_file(const plan::Step& step) {
    plan::StepFile file;
    file.id = step.id;
    file.what = step.what;
    file.argv = step.argv;
    file.environment = step.environment;
    file.outputs = step.outputs;
    file.depfile = step.depfile;
    file.kernels = step.kernels;
    file.any_kernel = step.any_kernel;
    file.scans = step.scans;
    file.hash = plan::step_hash(step);
    file.inputs = step.inputs;
    file.inputs_only = step.inputs_only;
    if (step.subprograms) file.subprograms = *step.subprograms;
    file.toolchain_identity = step.toolchain_identity;
    return file;
  }

  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    std::string text =
        "rule step\n  command = ./step $file #$hash\n  description = $what\n"
        "rule step_with_depfile\n  command = ./step $file #$hash\n  description = $what\n"
        "  depfile = $dep\n  deps = gcc\n";
    for (const plan::Step& step : plan.steps) {
      const std::string file = "steps/" + step.id + ".argv";
      files[file] = plan::render_step_file(step_file(step));
      text += "build " + step.outputs.front() + ": step" +
              (step.depfile.empty() ? "" : "_with_depfile");
      for (const std::string& input : step.inputs) text += " " + input;
      text += "\n  file = " + file + "\n  hash = " + plan::step_hash(step).substr(0, 16) +
              "\n  what = " + step.what + "\n";
      if (!step.depfile.empty()) text += "  dep = " + step.depfile + "\n";
    }
    files["build.ninja"] = text;
    return files;
  }

  BuildOutcome build() {
    progress = RecordingProgress();
    return run_build(plan, files(), options, progress);
  }

  /// Ninja alone, as a user might run it.
  ProcessResult run_ninja() const {
    Command command;
    command.argv = {ninja};
    command.environment = {{"PATH", "/usr/bin:/bin"}};
    command.folder = folder;
    return PosixProcessRunner().run(command);
  }

  bool has(const std::string& name) const { return std::filesystem::exists(folder / name); }
  std::string text(const std::string& name) const { return test::read_text(folder / name); }

  test::TempFolder temp;
  std::filesystem::path folder;
  std::string ninja;
  plan::Plan plan;
  BuildOptions options;
  RecordingProgress progress;
};

}  // namespace dsbuild::run
