// argv in, exit code out. The only catch.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/command_line.h"
#include "probe/devices/ask_sources.h"
#include "run/part.h"
#include "run/step.h"

namespace {

int fail(dsbuild::ExitCode code, const std::string& message, const std::string& where,
         const std::string& hint) {
  std::string text = "dsbuild: " + (where.empty() ? "" : where + ": ") + message + "\n";
  if (!hint.empty()) text += "  " + hint + "\n";
  std::fputs(text.c_str(), stderr);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // In a build folder `step` is a link to this program: Ninja starts it once per step.
    if (argc >= 2 && std::filesystem::path(argv[0]).filename() == "step") {
      return dsbuild::run::run_step(argv[1]);
    }
    // A compiler that such a step runs may run links to this program, in place of its own.
    if (const auto code = dsbuild::run::run_part(argc, argv)) return *code;
    // How the program asks a vendor's library: `dsbuild __probe SOURCE LIBRARY`.
    if (argc == 4 && std::string(argv[1]) == "__probe") {
      return dsbuild::probe::run_source(argv[2], argv[3]);
    }
    const dsbuild::InterruptWatch watch;
    return static_cast<int>(dsbuild::cli::run_command_line(argc, argv));
  } catch (const dsbuild::Error& error) {
    return fail(error.code, error.message, error.where, error.hint);
  } catch (const std::exception& error) {
    return fail(dsbuild::ExitCode::step_failed, error.what(), "internal error",
                "this is a bug of dsbuild: please report it with the command line");
  }
}
