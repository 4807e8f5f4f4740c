#include <link.h>

#include <chrono>

#include "base/process.h"
#include "base/system.h"
#include "toy_bundle.h"

using Catch::Contains;

namespace {

// Runs a program with this process's environment and the given variables.
dsbuild::ProcessResult run(std::vector<std::string> argv, dsbuild::Environment more = {}) {
  dsbuild::Command command;
  command.argv = std::move(argv);
  command.environment = std::move(more);
  command.environment.try_emplace("PATH", std::getenv("PATH"));
  command.limit = std::chrono::seconds(60);
  return dsbuild::PosixProcessRunner().run(command);
}

}  // namespace

TEST_CASE("a program loads libdsops, runs an op on several threads, unloads all and goes on") {
  ToyBundle files;
  const dsbuild::ProcessResult result =
      run({DSOPS_USE_LIBRARY, DSOPS_LIBRARY, files.add_all().path});
  INFO(result.err);
  CHECK(result.describe() == "exit status 0");
  CHECK_THAT(result.out, Contains("level "));
}

TEST_CASE("libdsops finds the bundle that it lies in") {
  ToyBundle files;
  files.add_all();
  const std::filesystem::path library = files.path / "lib" / DSOPS_TOY_TRIPLE / "libdsops.so";
  std::filesystem::copy_file(DSOPS_LIBRARY, library);
  const dsbuild::ProcessResult result = run({DSOPS_USE_LIBRARY, library});
  INFO(result.err);
  CHECK(result.ok());
  std::filesystem::remove_all(files.path / "images");
  const dsbuild::ProcessResult without = run({DSOPS_USE_LIBRARY, library});
  CHECK(without.exit_code == 1);
  CHECK_THAT(without.err, Contains("toy: the bundle has no images for cpu (it has: none)"));
}

#if !DSOPS_SANITIZED

TEST_CASE("the first call is there 10 ms after the program began") {
  ToyBundle files;
  files.add_all();
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const dsbuild::ProcessResult result = run({DSOPS_USE_LIBRARY, DSOPS_LIBRARY, files.path});
    REQUIRE(result.ok());
    best = std::min(best, std::stod(result.out.substr(result.out.find(", ") + 2)));
  }
  INFO("the best of 20 took " << best << " ms");
  CHECK(best < 10);
}

TEST_CASE("libdsops exports its own functions only and needs the C library only") {
  const dsbuild::ProcessResult symbols =
      run({"/usr/bin/nm", "-D", "--defined-only", DSOPS_LIBRARY});
  if (!symbols.failure.empty()) {
    WARN("skipped: " << symbols.failure << " (package binutils)");
    return;
  }
  std::istringstream lines(symbols.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    INFO(line);
    CHECK(line.find(" T dsops_") != std::string::npos);
  }
  CHECK(count >= 19);
  const dsbuild::ProcessResult dynamic = run({"/usr/bin/readelf", "-d", DSOPS_LIBRARY});
  std::istringstream entries(dynamic.out);
  for (std::string line; std::getline(entries, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    INFO(line);
    CHECK((line.find("[libc.so.6]") != std::string::npos ||
           line.find("[ld-linux-") != std::string::npos));
  }
}

#ifdef DSOPS_QEMU
TEST_CASE("on an emulated Nehalem the image of v2 runs, on a Haswell that of v3") {
  ToyBundle files;
  files.add_all();
  for (const auto& [model, level] : {std::pair{"Nehalem", "level 2"}, {"Haswell", "level 3"}}) {
    const dsbuild::ProcessResult result =
        run({DSOPS_QEMU, "-cpu", model, DSOPS_USE_LIBRARY, DSOPS_LIBRARY, files.path});
    INFO(result.err);
    CHECK(result.ok());
    CHECK_THAT(result.out, Contains(level));
  }
}

TEST_CASE("on an emulated Nehalem a bundle of v3 images is refused, never run") {
  ToyBundle files;
  files.add_op().add("x86-64-v3.so", "images/toy/cpu/x86-64-v3.so");
  const dsbuild::ProcessResult result =
      run({DSOPS_QEMU, "-cpu", "Nehalem", DSOPS_USE_LIBRARY, DSOPS_LIBRARY, files.path});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("fits a CPU of x86-64-v2: it has x86-64-v3.so"));
}
#endif

#endif
