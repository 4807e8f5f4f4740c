#include "run/part.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/system.h"
#include "base/text.h"
#include "plan/step_file.h"
#include "run/launch.h"
#include "run/part_cache.h"
#include "run/parts.h"
#include "run/step_cache.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

constexpr int kNotFound = 127;  // as shells say it
constexpr int kBySignal = 128;

/// The program that this one stands in for: the first of that name on PATH that isn't us.
std::string find_program(const std::string& name) {
  const char* folders = std::getenv("PATH");
  for (const std::string& folder : split(folders != nullptr ? folders : "", ":")) {
    const fs::path path = fs::path(folder) / name;
    std::error_code error;
    if (::access(path.c_str(), X_OK) == 0 && !fs::equivalent(path, "/proc/self/exe", error)) {
      return path;
    }
  }
  return {};
}

/// Instead of us, as if we had never been.
int become(const std::string& program, char** argv) {
  ::unsetenv(kPartVariable);
  ::unsetenv(kCacheVariable);
  ::execv(program.c_str(), argv);
  std::fprintf(stderr, "can't start %s: %s\n", program.c_str(), std::strerror(errno));
  return kNotFound;
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int run_program(PartCache& cache, const std::string& program, const std::vector<std::string>& words,
                const fs::path& notes) {
  plan::StepFile command;
  command.argv = words;
  command.argv.insert(command.argv.begin(), program);
  command.environment = current_environment();
  command.environment.erase(kPartVariable);
  command.environment.erase(kCacheVariable);
  // In memory: it is handed on when the program has ended, and kept.
  const Descriptor said(::memfd_create("said", MFD_CLOEXEC));
  const LaunchResult result = launch(command, said.number(), -1);
  const std::string text = read_file(fmt::format("/proc/self/fd/{}", said.number())).value_or("");
  say(text);
  if (result.ok()) cache.keep(text);
  write_note(notes, result.ok() ? kPartMade : kPartFailed, cache.name());
  if (!result.failure.empty()) return kNotFound;
  return result.signal != 0 ? kBySignal + result.signal : result.exit_code;
}

}  // namespace

std::optional<int> run_part(int argc, char** argv) {
  const char* file = std::getenv(kPartVariable);
  if (file == nullptr || argc < 1) return std::nullopt;
  const std::string name = fs::path(argv[0]).filename();
  const auto text = read_file(file);
  const auto step = text ? plan::parse_step_file(*text) : std::nullopt;
  const bool known =
      step && std::find(step->subprograms.names.begin(), step->subprograms.names.end(), name) !=
                  step->subprograms.names.end();
  if (step && !known) return std::nullopt;
  const std::string program = find_program(name);
  if (program.empty()) {
    say(name + ": not found\n");
    return kNotFound;
  }
  if (!known) return become(program, argv);
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    PartCache cache(find_cache_place(), *step, name, words);
    if (!cache.usable()) return become(program, argv);
    const fs::path notes = notes_path(fs::current_path(), *step);
    const auto said = cache.take();
    if (!said) return run_program(cache, program, words, notes);
    say(*said);
    write_note(notes, kPartTaken, name);
    return 0;
  } catch (const std::exception&) {
    return become(program, argv);
  }
}

}  // namespace dsbuild::run
