// check_machine DSBUILD FAKES FILE...: renders each machine and compares what dsbuild says of it
// with what the file gives, what it expects, and its golden text. A folder instead of a file: every
// golden text in it must have its machine. UPDATE_GOLDEN=1 rewrites the texts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "machines/json_match.h"
#include "machines/machine_case.h"

namespace fs = std::filesystem;

namespace {

using namespace dsbuild;
using namespace dsbuild::machines;

/// A golden text is as wide as dsbuild's tables where no terminal says otherwise.
constexpr std::size_t kWidth = 80;

/// The first line of `now` that isn't as it was.
std::string first_difference(const std::string& before, const std::string& now) {
  const std::vector<std::string> old_lines = split_lines(before);
  const std::vector<std::string> lines = split_lines(now);
  const auto at = std::mismatch(lines.begin(), lines.end(), old_lines.begin(), old_lines.end());
  return at.first == lines.end() ? "(its end)" : *at.first;
}

/// One run, in the scratch folder. What it may print of our own folders is the same everywhere:
/// the process and its children find them below their current folder.
ProcessResult run_report(const MachineCase& machine, const FakeRoot& root,
                         const std::string& dsbuild, const std::string& format) {
  Command command;
  command.argv = {dsbuild,     "report",   "--sysroot", root.host_path("/").string(),
                  "--devices", "--format", format};
  command.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}, {"NO_COLOR", "1"}};
  for (const auto& [name, value] : machine.environment) command.environment[name] = value;
  command.environment["DSBUILD_CACHE_DIR"] = "/proc/self/cwd/cache-" + format;
  command.environment["DSBUILD_PROBE_LIB_DIR"] = "/proc/self/cwd/lib";
  command.environment["DSBUILD_FAKE_MACHINE"] = machine.file.string();
  command.folder = root.scratch();
  command.limit = std::chrono::seconds(60);
  return PosixProcessRunner().run(command);
}

class Checker {
 public:
  Checker(std::string dsbuild, fs::path fakes)
      : dsbuild_(std::move(dsbuild)), fakes_(std::move(fakes)) {}

  void check_machine(const fs::path& file) {
    file_ = file;
    const MachineCase machine = read_machine_case(file);
    FakeRoot root;
    render(machine, root, fakes_, root.scratch() / "lib");
    // A library that hangs does so once for both.
    auto text =
        std::async(std::launch::async, [&] { return run_report(machine, root, dsbuild_, "text"); });
    const ProcessResult json = run_report(machine, root, dsbuild_, "json");
    check_json(machine, json);
    check_text(machine, text.get(), root.host_path("/").parent_path().string());
  }

  /// Texts that no machine makes any more.
  void check_goldens(const fs::path& folder) {
    file_ = folder;
    for (const auto& entry : fs::directory_iterator(folder / "golden")) {
      if (!fs::exists(folder / (entry.path().stem().string() + ".json")))
        fail(entry.path().string(), "no machine has this text");
    }
  }

  void fail(const std::string& where, const std::string& what) {
    fmt::print(stderr, "{}: {}: {}\n", file_.string(), where, what);
    ++failures_;
  }
  int failures() const { return failures_; }

 private:
  bool check_exit(const ProcessResult& result) {
    if (!result.ok()) fail("dsbuild report", result.describe() + "\n" + result.err);
    return result.ok();
  }

  void check_json(const MachineCase& machine, const ProcessResult& result) {
    if (!check_exit(result)) return;
    const Json report = Json::parse(result.out);
    std::vector<std::string> expected;
    for (const auto& [pointer, value] : machine.expect) {
      expected.push_back(pointer);
      tell(check_expectation(report, pointer, value));
    }
    tell(find_mismatches(machine.given, report.at("machine"), expected, "/machine"));
  }

  void check_text(const MachineCase& machine, const ProcessResult& result, const std::string& top) {
    if (!check_exit(result)) return;
    if (result.out.find(top) != std::string::npos)
      fail("the text", "names the folder that the machine was rendered in");
    for (const std::string& line : split_lines(result.out)) {
      // A word that is wider than its place, such as a path, is kept whole.
      const bool one_word = trim(line).find(' ') == std::string_view::npos;
      if (line.size() > kWidth && !one_word) fail("the text", "is wider than 80 columns: " + line);
    }
    const fs::path golden = machine.file.parent_path() / "golden" / (machine.name + ".txt");
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      write_file(golden, result.out);
    } else if (read_file(golden) != result.out) {
      fail(golden.string(), "UPDATE_GOLDEN=1 would write it otherwise, from the line: " +
                                first_difference(read_file(golden).value_or(""), result.out));
    }
  }

  void tell(const std::vector<Mismatch>& mismatches) {
    for (const Mismatch& mismatch : mismatches) fail(mismatch.pointer, mismatch.text);
  }

  std::string dsbuild_;
  fs::path fakes_;
  fs::path file_;
  int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("check_machine DSBUILD FAKES FILE...\n", stderr);
    return 2;
  }
  Checker checker(fs::absolute(argv[1]).string(), fs::absolute(argv[2]));
  for (int i = 3; i < argc; ++i) {
    try {
      fs::is_directory(argv[i]) ? checker.check_goldens(argv[i]) : checker.check_machine(argv[i]);
    } catch (const std::exception& error) {
      checker.fail(argv[i], error.what());
    }
  }
  return checker.failures() == 0 ? 0 : 1;
}
