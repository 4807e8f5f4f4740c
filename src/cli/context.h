// What every subcommand shares: the options before it, where things are, and how to print.
// Knows the terminal and the command line; the work is done in the other modules.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/exit_code.h"
#include "base/json_fwd.h"
#include "base/process.h"
#include "base/system.h"
#include "manifest/read.h"
#include "plan/plan.h"
#include "plan/request.h"
#include "probe/machine.h"
#include "probe/probe.h"
#include "report/document.h"

namespace dsbuild::cli {

/// Text or JSON, which every command that prints facts has, and Markdown of documents.
enum class Format { text, json, markdown };

/// The options of the command line, as they were given. Each command reads those that it offers.
struct Options {
  // where to look
  std::vector<std::string> roots;      ///< --root
  std::vector<std::string> manifests;  ///< --manifest
  std::string source;                  ///< --source
  std::string sysroot = "/";           ///< --sysroot
  std::string cache_dir;               ///< --cache-dir
  std::vector<std::string> toolkits;   ///< --toolkit KIND=PATH
  std::string python;                  ///< --python
  std::string torch;                   ///< --torch
  std::string step_cache;              ///< --cache
  std::string step_cache_size;         ///< --cache-size
  // what to plan
  std::string ops;                    ///< --ops
  std::string accelerators;           ///< --accelerators
  std::string archs;                  ///< --arch
  std::vector<std::string> machines;  ///< --for FILE
  bool no_unity = false;
  bool force = false;  ///< --force
  // how to show
  Format format = Format::text;
  std::string colour = "auto";
};

/// One run of the program.
class Context {
 public:
  Context();

  Options options;

  const System& system() const { return *system_; }
  ProcessRunner& processes() { return processes_; }
  /// No --sysroot leads elsewhere.
  bool looks_at_this_host() const { return sysroot_ == nullptr; }
  /// The running machine's files and variables, whatever --sysroot says.
  const System& host_system() const { return host_system_; }
  const std::filesystem::path& executable() const { return executable_; }
  /// The catalog root that this program came with: share/dsbuild beside the folder of the
  /// executable.
  std::filesystem::path built_in_root() const;
  /// Where what tools answered is kept; empty: nowhere. That it isn't the usual one is noted, once.
  /// Throws Error(file_system) for one that was named and can't be written.
  std::filesystem::path cache_folder();
  /// One of this user alone below the temporary folder; empty when there can be none.
  std::filesystem::path private_folder() const;

  /// To be called once the options are read.
  void apply_options();

  /// What to do about wrong input, once all of it is printed: throw Error(bad_input), or go on with
  /// the rest.
  enum class Problems { refuse, tell };

  manifest::CatalogSources catalog_sources();
  manifest::Catalog read_catalog(Problems problems = Problems::refuse);
  /// Throws Error when --python or --torch names what has no torch.
  probe::Machine probe(const manifest::Catalog& catalog);
  /// Also what only a report tells, whatever is wrong; `try_libraries`: also whether its libraries
  /// work.
  probe::Machine survey(const manifest::Catalog& catalog, bool try_libraries = false);
  /// Asks the vendors' libraries and the drivers' files of the machine's devices, and joins what
  /// they say with what is known.
  void ask_devices(probe::Machine& machine);
  /// From the options and the environment. `machine`: the one that builds.
  plan::Request request(const manifest::Catalog& catalog, const probe::Machine& machine) const;
  /// Reads the sources of the ops that it is about into the catalog, if they weren't.
  plan::Plan plan(const plan::Request& request, manifest::Catalog& catalog,
                  const probe::Machine& machine, Problems problems = Problems::refuse);

  void print(std::string_view text);  ///< to stdout
  /// The one or the other, as --format says.
  void print(const report::Document& document, const Json& json);
  void note(std::string_view line);       ///< to stderr, with a newline
  report::TextStyle style(int fd) const;  ///< colour and width of that stream
  bool terminal(int fd) const;

 private:
  /// XDG's, else that below HOME, else a private one; empty: none.
  std::filesystem::path find_usual_cache_folder();
  probe::ProbeOptions probe_options(const manifest::Catalog& catalog);
  /// The folder that --source names: a path, or a package beside the torch that is chosen.
  std::filesystem::path find_source();
  probe::Machine probe(const manifest::Catalog& catalog, const probe::ProbeOptions& wanted);
  void tell(const Diagnostics& diagnostics, Problems problems, std::string_view what);

  PosixSystem host_system_;
  std::unique_ptr<PosixSystem> sysroot_;
  const System* system_ = nullptr;
  PosixProcessRunner processes_;
  std::filesystem::path executable_;
  std::optional<std::filesystem::path> usual_cache_folder_;  ///< once it was looked for
  std::optional<probe::Pythons> pythons_;  ///< where --source needed them before the catalog
};

}  // namespace dsbuild::cli
