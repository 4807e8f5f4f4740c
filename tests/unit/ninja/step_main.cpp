// Runs one step file as `./step FILE` of a build folder must, and checks nothing.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/process.h"
#include "plan/step_file.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto step = dsbuild::plan::parse_step_file(text);
  if (!step) return 3;
  for (const std::filesystem::path output : step->outputs) {
    if (output.has_parent_path()) std::filesystem::create_directories(output.parent_path());
  }
  dsbuild::Command command;
  command.argv = step->argv;
  command.environment = step->environment;
  command.limit = {};
  const dsbuild::ProcessResult result = dsbuild::PosixProcessRunner().run(command);
  std::cerr << result.out << result.err << result.failure;
  return result.ok() ? 0 : 1;
}
