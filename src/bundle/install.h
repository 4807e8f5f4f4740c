// Puts a bundle's extensions where DeepSpeed looks for its prebuilt ops, and takes them back.
// Nothing is changed before every module was imported and DeepSpeed with the new record, too.
// Knows where DeepSpeed looks; nothing of how extensions are built.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/process.h"
#include "bundle/extension_choice.h"
#include "bundle/installed.h"
#include "bundle/python_host.h"

namespace dsbuild::bundle {

/// What does the work, and for which machine.
struct InstallMeans {
  const System& system;
  ProcessRunner& processes;
  const manifest::Catalog& catalog;
  std::string level;  ///< of the CPU; empty: unknown
  std::function<void(const std::string&)> note;
};

struct InstallRequest {
  std::filesystem::path bundle;
  std::string accelerator;       ///< empty: that of the bundle, if it has one only
  std::vector<std::string> ops;  ///< empty: all
};

/// The accelerator whose extensions are meant; `asked` may also be DeepSpeed's name of it. Throws
/// Error(bad_input) when that isn't clear, Error(bad_artifact) when there are none.
std::string choose_accelerator(const BundleIndex& index, const manifest::Catalog& catalog,
                               const InstallRequest& request);

/// DeepSpeed's name of an accelerator is the device type of torch: ROCm's is CUDA's.
std::string name_for_deepspeed(const manifest::Catalog& catalog, const std::string& accelerator);

struct InstallOutcome {
  std::string accelerator;
  std::vector<Extension> extensions;
  std::vector<BundleGap> gaps;  ///< of the bundle, for that accelerator
  bool changed = false;         ///< false: all of it stood there already
  std::vector<std::string> notes;
};

/// Throws Error(file_system) when nothing can be written there: for asking before a long build.
void check_install_place(const PythonHost& host);

/// Throws Error(bad_input) when it isn't clear for which accelerator, Error(bad_artifact) with
/// every reason why something can't be used there, Error(file_system). Then nothing was changed.
InstallOutcome write_install(const InstallMeans& means, const PythonHost& host,
                             const InstallRequest& request);

struct RemovalOutcome {
  std::vector<TakenBack> files;
  bool was_installed = false;
};

/// Takes back all that was installed there.
RemovalOutcome write_install_removal(const InstallMeans& means, const PythonHost& host);

}  // namespace dsbuild::bundle
