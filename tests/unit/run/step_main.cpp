// The step launcher alone, for tests.
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "run/part.h"
#include "run/step.h"

int main(int argc, char** argv) {
  try {
    const bool step = std::filesystem::path(argv[0]).filename() == "step";
    const auto code = step ? std::nullopt : dsbuild::run::run_part(argc, argv);
    if (code) return *code;
    return argc == 2 ? dsbuild::run::run_step(argv[1]) : 2;
  } catch (const dsbuild::Error& error) {
    std::fprintf(stderr, "%s: %s; %s\n", error.where.c_str(), error.message.c_str(),
                 error.hint.c_str());
    return static_cast<int>(error.code);
  }
}
