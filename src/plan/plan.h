// The plan: every (op, accelerator, arch) with either the steps that make it or the reason it is
// skipped. A plain value that can be written as JSON. Knows nothing of Ninja, of processes or of
// terminals.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/json_fwd.h"
#include "base/system.h"
#include "manifest/step_template.h"
#include "plan/reasons.h"
#include "plan/request.h"

namespace dsbuild::plan {

/// A command that is run after a step's own and tells what else that read, in a depfile of its own.
struct Scan {
  std::vector<std::string> argv;
  std::string depfile;

  bool operator==(const Scan&) const = default;
};

/// One command; one edge of the Ninja file. Paths begin with `{src}`, `{root1}`…, `{build}` or are
/// absolute.
struct Step {
  std::string id;    ///< unique: its first output without `{build}/`
  std::string what;  ///< for people: "cubin transformer sm_90"
  std::vector<std::string> argv;
  Environment environment;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, std::string> files;  ///< that the command reads and dsbuild writes: text
  std::string depfile;                       ///< empty: none
  std::vector<Scan> scans;                   ///< that complete the depfile
  bool inputs_only = false;                  ///< it reads its inputs and nothing else
  std::size_t sources = 1;                   ///< that its compile takes together, its first inputs
  std::string toolchain;                     ///< Toolchain::id
  std::string toolchain_identity;            ///< part of the step's hash
  std::vector<std::string> kernels;          ///< symbols that the (ELF or PTX) output must hold
  bool any_kernel = false;                   ///< it must hold at least one kernel
  /// A guess at how long it takes, in bytes of source that its compiler goes through.
  std::uint64_t weight = 0;
  /// Of a compiler that runs programs for each arch.
  std::shared_ptr<const manifest::Subprograms> subprograms;
  /// How a header that its argv includes may be precompiled, by whichever step comes first.
  std::shared_ptr<const Step> header;
};

/// Form of the library that carries an op's host code, and of libdsops.
inline constexpr const char* kLibraryForm = "library";
/// Form of the module of a python_extension, and of what a toolchain makes for one.
inline constexpr const char* kExtensionForm = "extension";

enum class EntryState { planned, skipped };

/// What becomes one file of the bundle, or why it doesn't.
struct Entry {
  std::string op;
  std::string accelerator;
  std::string arch;     ///< canonical name; empty for a library, and when all archs are out
  std::string form;     ///< "so", "cubin", "ptx", "hsaco"; kLibraryForm for a host library
  std::string variant;  ///< kernel set and instance: "HEAD_DIM-64"; usually empty
  EntryState state = EntryState::skipped;
  bool required = false;            ///< the user named it
  std::optional<Reason> reason;     ///< when skipped
  std::string toolchain;            ///< Toolchain::id
  std::string artifact;             ///< its path in the bundle, when planned
  std::vector<std::string> archs;   ///< of device code inside: "sm_90", "sm_90+ptx"; else empty
  std::vector<std::string> steps;   ///< Step::id, in order; the last one makes the artifact
  std::vector<std::string> trials;  ///< Trial::key of what is tried before the real steps
  std::map<std::string, std::string> needs;  ///< to be loaded: {"driver": ">=13.0"}

  /// The library that carries an op's host code; it follows from the op's images.
  bool is_host_library() const { return form == kLibraryForm; }
  bool is_extension() const { return form == kExtensionForm; }
};

/// A small compile that is tried before the real steps: a canary of a toolchain, or something that
/// an op needs.
struct Trial {
  std::string key;          ///< toolchain identity and content: equal keys give equal answers
  std::string what;         ///< "canary of nvcc-13.0.88", "header cutlass/cutlass.h (for …)"
  std::string need;         ///< what of an op is tried, "header cutlass/cutlass.h"; else empty
  std::string source_name;  ///< "canary.cu"
  std::string source;       ///< its text
  std::vector<Step> steps;  ///< run in order in a folder of their own, `{build}` being that folder
  std::string hint;         ///< what to do when it fails
};

/// The setting that lists variables which compilers would obey and don't get.
inline constexpr const char* kNotPassedOn = "not passed on";

struct Plan {
  std::vector<Setting> settings;   ///< effective ones with origin; sorted by name
  std::vector<Entry> entries;      ///< by op, accelerator, arch as a number, form, variant
  std::vector<Step> steps;         ///< by id
  std::vector<Trial> trials;       ///< by key
  std::vector<std::string> notes;  ///< sentences for the first lines of a build
  std::map<std::string, std::string> paths;  ///< "src" -> the built-in root, …; not in the JSON
  std::string triple;                        ///< host triple of the bundle
  bool host_bound = false;                   ///< something is built for "native"
  std::vector<std::string> host_features;    ///< of this CPU, when host_bound

  /// The gravest exit code that required-but-skipped entries ask for; ok when there are none.
  ExitCode verdict() const;
};

/// After steps failed: their entries are skipped with that reason, and images whose host library is
/// lost with it. False when nothing is left that could be published.
bool skip_failed(Plan& plan, const std::vector<std::string>& failed_steps);

/// Hash of what decides a step's output: argv, environment (but where temporary files go),
/// toolchain identity, and what is checked in the output. A change of it means a rebuild.
std::string step_hash(const Step& step);

Json to_json(const Plan& plan);

}  // namespace dsbuild::plan
