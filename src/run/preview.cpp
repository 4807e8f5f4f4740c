#include "run/preview.h"

#include "run/ninja_output.h"

namespace fs = std::filesystem;

namespace dsbuild::run {

Preview::Preview(ProcessRunner& processes, const fs::path& folder) {
  std::error_code error;
  const fs::path ninja = fs::read_symlink(folder / kNinjaLink, error);
  if (error) return;
  Command command;
  command.argv = {ninja.string(), "-n"};
  command.environment = ninja_environment();
  command.folder = folder;
  dry_run_ =
      std::async(std::launch::async, [&processes, command] { return processes.run(command); });
}

bool Preview::nothing_to_do() {
  if (!dry_run_.valid()) return false;
  const ProcessResult result = dry_run_.get();
  NinjaOutput output([](std::string_view) {});
  output.add(result.out);
  // A warning is for the run whose output is shown.
  return result.ok() && result.err.empty() && output.nothing_to_do();
}

}  // namespace dsbuild::run
