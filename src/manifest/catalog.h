// What a catalog holds: ops and accelerators as their files describe them, checked and typed.
// Knows nothing of the machine, of requests or of how things are built.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "manifest/step_template.h"

namespace dsbuild::manifest {

// ---- accelerators ------------------------------------------------------------------------------

/// How an accelerator's archs are named and ordered.
enum class ArchScheme {
  names,       ///< a list in order: x86-64-v2, x86-64-v3
  capability,  ///< numbers with a suffix: sm_90a is (9, 0, "a")
  target,      ///< a processor with features: gfx90a:xnack-
};

/// The arch language of one accelerator.
struct ArchRules {
  ArchScheme scheme = ArchScheme::names;
  /// names: the archs in order, by host machine ("x86_64"); "*" serves every machine.
  std::map<std::string, std::vector<std::string>> names;
  /// capability and target: spellings of the prefix; the first one makes the canonical name.
  std::vector<std::string> prefixes;
  std::string suffixes;               ///< capability: letters that may follow the number ("af")
  std::vector<std::string> features;  ///< target: what may follow, each with + or - ("xnack")
  bool bare = false;  ///< capability: a number without prefix means this accelerator
  /// What is built when nobody says, unless `default_offered`: those of all host machines together,
  /// without "native".
  std::vector<std::string> defaults;
  /// Built when nobody says: every unsuffixed arch of the toolchain, and the portable form of the
  /// newest.
  bool default_offered = false;
  /// names: what the host code of a python_extension is compiled for when nobody says, by machine.
  std::map<std::string, std::string> extension;
  /// What "native" means: the archs of the devices found, or, when `native_is_host`, the arch
  /// "native", which binds the bundle to this host.
  bool native_is_host = false;
  /// Environment variables that restrict this accelerator's archs, the strongest first.
  std::vector<std::string> settings;
};

/// A range of PCI device ids and the arch of the chips that bear them.
struct PciRange {
  unsigned first = 0;
  unsigned last = 0;
  std::string arch;  ///< empty: the chip is known, its arch is not
  std::string chip;
};

/// PCI devices that belong to an accelerator.
struct PciRule {
  unsigned vendor = 0;
  std::vector<unsigned> classes;  ///< the upper 16 bits of the class code (0x0302); empty: any
  std::vector<PciRange> devices;  ///< empty: any device id, arch unknown
  bool only_listed = false;       ///< other ids of the vendor are no devices of this kind
};

/// A sign, besides the PCI bus, that devices of an accelerator are here.
struct DetectRule {
  enum class Kind {
    file,     ///< a path exists ('*' stands for any name); with `regex`, a line of it matches
    tool,     ///< a command is on PATH
    library,  ///< a shared library lies where the loader looks, or in `folders`; never loaded
    python,   ///< a Python package is installed
  } kind = Kind::file;
  std::string name;                  ///< the path, command, soname or package
  std::string regex;                 ///< file: first group is told
  std::vector<std::string> folders;  ///< library: where to look besides
};

/// What a program that uses the accelerator must know of it.
struct RuntimeFacts {
  std::vector<std::string> torch;          ///< device types: "xpu"
  std::vector<std::string> communication;  ///< backends of torch.distributed, the best first
  std::string visible_devices;             ///< the variable that chooses devices; may be empty
  std::vector<std::string> exports;        ///< prefixes of variables that other nodes must get
  std::vector<std::string> dtypes;         ///< that its devices may have: "bf16"
};

/// How a driver tells its version, and what that is good for.
struct DriverRule {
  std::string file;
  std::string regex;  ///< first group: the driver's version
  /// A driver's version -> the toolkit release whose images it is the first to run, by number.
  std::map<Version, Version> runs;
};

/// How a toolchain's part of a python_extension is built.
struct ExtensionRecipe {
  std::optional<StepTemplate> header;  ///< a header -> its precompiled form (host accelerator)
  std::vector<StepTemplate> object;    ///< a source -> an object
  std::optional<StepTemplate> link;    ///< host accelerator only
  /// A foreign source with one of its suffixes, or a header that it includes -> the same in what
  /// the toolchain compiles.
  std::optional<StepTemplate> translation;
  std::optional<StepTemplate> device_link;  ///< all its objects of a module -> one more object
  bool host_sources = false;                ///< it compiles the host sources of such an op, too
  /// Macro -> its value -> how the names of the archs begin that it has this value for.
  std::map<std::string, std::map<std::string, std::vector<std::string>>> macros;
  std::vector<std::string> host_flags;  ///< for host sources of an op that uses this toolchain
  std::vector<std::string> link_flags;  ///< what its objects add to the link
};

/// How toolchains of some kinds build for an accelerator.
struct ToolchainRecipe {
  std::map<std::string, VersionRange> kinds;  ///< toolchain kind ("gcc") -> versions that will do
  std::map<std::string, std::vector<StepTemplate>>
      images;  ///< form ("cubin") -> steps of one image
  std::optional<StepTemplate>
      object;                        ///< a source of a host library or shared_library -> an object
  std::optional<StepTemplate> link;  ///< objects -> a shared library (host accelerator only)
  std::vector<std::string> host_flags;  ///< for host sources of a library with its objects
  std::vector<std::string> link_flags;  ///< what its objects add to the link
  std::optional<ExtensionRecipe> extension;
  std::map<std::string, std::map<std::string, std::string>>
      needs;  ///< form -> {"driver": ">={major}.0"}
  std::shared_ptr<const Subprograms>
      subprograms;  ///< of steps that compile for several archs at once
  bool host_compiler =
      false;         ///< it calls a host compiler: `{host_cxx}`, within the toolchain's limits
  std::string hint;  ///< what to install when no such toolchain is found
};

/// A part of a toolkit: a folder that holds a file.
struct ToolkitPart {
  std::vector<std::string> places;  ///< below the toolkit's folder, the best first ("lib/{triple}")
  std::string file;                 ///< in one of them; '*' stands for any part of a name
  bool common = false;    ///< others have such a file too: it alone is no sign of a toolkit
  bool optional = false;  ///< a toolkit is whole without it; its placeholder is empty then
};

/// Files of a toolkit, one for each arch that it compiles for.
struct ToolkitArchs {
  std::string part;    ///< the ToolkitPart in whose folder they lie
  std::string file;    ///< what its `*` stands for is the end of an arch's name
  std::string prefix;  ///< the beginning
};

/// A file that tells a toolkit's version: the first group of each pattern is one part of it.
struct VersionFile {
  std::string file;  ///< below the toolkit's folder
  std::vector<std::string> regexes;
};

/// A compiler that needs more than itself: a folder with parts, found whole or in part.
struct ToolkitRule {
  /// Where toolkits lie ("/opt/toolkit-*", "{TOOLKIT_ROOT}/latest", "{python}/toolkit_wheel").
  std::vector<std::string> folders;
  std::vector<VersionFile> versions;         ///< asked in this order, before the command
  std::map<std::string, ToolkitPart> parts;  ///< placeholder that becomes the part's folder -> part
  std::optional<ToolkitArchs> archs;         ///< empty: the command tells its archs, or takes all
};

/// A toolchain that a command's own answers describe; others have a prober of their own in C++.
struct ToolchainProbe {
  std::string kind;
  std::string prober;  ///< a row of probe's table ("cuda_toolkit"); empty: the fields below
  std::vector<std::string> gives;     ///< placeholders that its toolchains fill
  std::string tool;                   ///< the placeholder that becomes the command's path ("cxx")
  std::vector<std::string> commands;  ///< names to look for on PATH
  bool versioned = false;             ///< also look for NAME-<number> beside each
  std::vector<std::string>
      env;  ///< variables that name the command or its folder: an explicit choice
  std::vector<std::string> folders;  ///< where to look besides PATH ("/opt/toolkit/bin")
  std::vector<std::string> version_argv;
  std::string version_regex;            ///< first group: the version
  bool newest = false;                  ///< prefer the newest; else the first one found
  std::vector<std::string> archs_argv;  ///< empty: it takes every arch of the accelerator
  std::string archs_regex;              ///< first group of each match: an arch
  std::map<std::string, std::string>
      beside;  ///< placeholder -> file that must lie in the real command's folder
  std::optional<ToolkitRule> toolkit;
};

/// A kind of device with its way to detect and compile for it: one descriptor file.
struct Accelerator {
  std::string name;
  std::string summary;
  std::vector<std::string> aliases;
  bool host = false;  ///< its toolchains also make the host libraries of ops
  ArchRules archs;
  std::vector<PciRule> pci;
  std::vector<DetectRule> detect;
  std::vector<std::string> imitates;  ///< accelerators whose libraries and tools it counterfeits
  int rank = 1000;                    ///< the lower is looked for first
  RuntimeFacts runtime;
  std::optional<DriverRule> driver;
  std::string unbuilt;  ///< why nothing is compiled for it; empty: `toolchains` say how
  std::vector<std::string> suffixes;  ///< of its sources (".cu")
  std::string flags;                  ///< the key of its compiler flags in manifests ("nvcc")
  std::string image_form;             ///< the form of an arch's image ("cubin", "so")
  std::string portable_form;          ///< a form that later devices load too ("ptx"); may be empty
  std::vector<ToolchainProbe> probes;
  std::vector<ToolchainRecipe> toolchains;  ///< the best first
  std::string canary_name;  ///< a tiny source that each toolchain must compile first
  std::string canary;
  std::string canary_kernel;  ///< the symbol that its image must hold
  std::filesystem::path file;
};

// ---- ops ---------------------------------------------------------------------------------------

enum class OpKind { library, shared_library, python_extension };
std::string_view kind_name(OpKind kind);  ///< "library", …

struct LibraryNeed {
  std::string name;    ///< as in -lNAME
  std::string symbol;  ///< must link
};

/// What must be there, besides a toolchain. Headers, libraries and OpenMP are tried with the final
/// compiler and flags.
struct Needs {
  std::map<std::string, VersionRange> toolchains;  ///< accelerator -> version of its toolchain
  std::map<std::string, VersionRange> packages;    ///< pkg-config name -> version
  std::vector<std::string> headers;
  std::vector<LibraryNeed> libraries;
  std::vector<std::string> commands;
  std::vector<std::string> machines;  ///< host machines ("x86_64"); empty: any
  bool openmp = false;
  // Of a python_extension.
  std::optional<VersionRange> torch, python;
  std::map<std::string, VersionRange> python_packages;  ///< beside that torch
  std::vector<std::string> folders;                     ///< names of SourceTree::folders
};

/// What a compile gets from the manifest, besides its sources.
struct CompileOptions {
  std::vector<std::filesystem::path> include;             ///< absolute
  std::map<std::string, std::string> defines;             ///< NAME -> value ("" for a bare -DNAME)
  std::map<std::string, std::vector<std::string>> flags;  ///< tool ("cxx", "nvcc", "link") -> flags
};

/// Which archs of an accelerator a kernel source is for: all, from one on, or a list.
struct ArchFilter {
  enum class Kind { any, at_least, list } kind = Kind::any;
  std::vector<std::string> archs;  ///< canonical names; one for at_least
};

/// Sources that become images, one per arch and instance.
struct KernelSet {
  std::string name;  ///< told apart in file names; empty when the op has one set per accelerator
  std::vector<std::filesystem::path> sources;                 ///< absolute
  std::map<std::string, ArchFilter> on;                       ///< accelerator -> archs
  std::map<std::string, std::vector<std::string>> instances;  ///< macro -> its values
  std::vector<std::string> exports;  ///< kernels that each image must hold; empty: at least one
  bool freestanding = true;
  CompileOptions options;
  Needs needs;
};

/// When a part of a python_extension counts: all of it must hold. What it asks of the source tree
/// is decided when the manifest is read.
struct Conditions {
  std::optional<VersionRange> torch, python, toolkit;
};

/// Sources of a python_extension for some accelerators of torch.
struct ExtensionPart {
  std::map<std::string, ArchFilter> on;
  Conditions when;
  std::vector<std::filesystem::path> binding;  ///< hold the module's init: they get its name
  std::vector<std::filesystem::path> sources;  ///< the others; absolute
  bool unity = false;                          ///< one compile takes all sources of a compiler
  std::string python;                          ///< what it is, when there is nothing native in it
  CompileOptions options;
  std::vector<std::string> libraries;
  Needs needs;
  // What the sources themselves say, once read_sources.h has read them.
  std::set<std::filesystem::path> torch_sources;  ///< that read torch/extension.h
  /// Source -> the files of the op's folder that it includes; where one may have to be translated.
  std::map<std::filesystem::path, std::vector<std::filesystem::path>> headers;
  std::set<std::string> macros;  ///< of ExtensionRecipe::macros, those that its sources name
  std::map<std::filesystem::path, std::uint64_t> sizes;  ///< of its sources, in bytes
};

/// Accelerators and their archs: of the host accelerator the level of the host code, of others all
/// archs of the build.
using Feature = std::map<std::string, ArchFilter>;

struct Op {
  std::string name;
  OpKind kind = OpKind::library;
  std::string summary;
  std::vector<std::filesystem::path> host_sources;  ///< absolute
  CompileOptions host_options;
  std::vector<KernelSet> kernels;
  CompileOptions options;              ///< for every compile of the op
  std::vector<std::string> libraries;  ///< linked: -lNAME
  std::vector<std::string> exports;    ///< shared_library: symbols that it must export
  Needs needs;
  // Of a python_extension.
  std::string module;              ///< dotted: "deepspeed.ops.adam.cpu_adam_op"
  std::string variable;            ///< that asks for it or leaves it out; may be empty
  std::vector<std::string> after;  ///< ops whose modules must be loaded before
  std::vector<ExtensionPart> parts;
  std::map<std::string, Feature> features;  ///< macro -> where it is defined
  bool stable_abi = false;                  ///< it uses torch's stable ABI alone
  std::filesystem::path file;               ///< the manifest
  std::filesystem::path folder;             ///< where its sources lie
  std::filesystem::path root;               ///< the catalog root it came from
};

// ---- source trees ------------------------------------------------------------------------------

/// A folder that is not ours and that ops need: CUTLASS, a vendor's toolkit.
struct FolderRule {
  std::vector<std::string> variables;        ///< that may name it, the strongest first
  std::vector<std::string> packages;         ///< that may hold it, below site-packages
  std::vector<std::string> places;           ///< looked at last; absolute
  std::map<std::string, std::string> words;  ///< of the first variable: "none", "packages"
  std::string marker;                        ///< a file below it
  VersionFile version;                       ///< empty: it has no version
  std::optional<VersionRange> range;
  std::vector<std::string> include;    ///< below it
  std::vector<std::string> libraries;  ///< folders of libraries below it
  std::string hint;                    ///< where it comes from
};

/// Archs of an accelerator, where the toolkit is so.
struct NamedArchs {
  std::map<std::string, std::vector<std::string>> archs;  ///< accelerator -> archs
  Conditions when;
};

/// An environment variable that who builds the tree knows.
struct TreeVariable {
  enum class Does { all_ops, flags, nothing } does = Does::nothing;
  std::map<std::string, std::vector<std::string>> flags;  ///< by tool; "{count}" is its value
  std::string meaning;
};

/// A tree of sources that is not ours, as its tree.json describes it and where it was found.
struct SourceTree {
  std::string name;
  std::string summary;
  std::filesystem::path file;  ///< its tree.json
  std::filesystem::path root;
  std::optional<Version> version;
  std::map<std::string, std::string> moved;          ///< "csrc" -> "deepspeed/ops/csrc"
  std::map<std::string, VersionRange> accelerators;  ///< that only some versions know
  std::map<std::string, TreeVariable> variables;
  std::map<std::string, std::vector<NamedArchs>> archs;  ///< lists that --arch takes by name
  std::map<std::string, FolderRule> folders;
  std::vector<std::string> sources;           ///< globs of what some op should use
  std::map<std::string, std::string> unused;  ///< a source that no op uses -> why

  /// Where a file lies that a checkout calls so, and how a checkout calls what lies in this tree.
  std::filesystem::path find(const std::filesystem::path& path) const;
  std::string name_of(const std::filesystem::path& path) const;
};

// ---- the whole ---------------------------------------------------------------------------------

/// All ops and accelerators of all roots, by name.
struct Catalog {
  std::vector<std::filesystem::path> roots;  ///< the built-in one first
  std::map<std::string, Op> ops;
  std::map<std::string, Accelerator> accelerators;
  std::optional<SourceTree> tree;  ///< whose ops these are; empty: they are those of the roots
  std::optional<Op> runtime;       ///< libdsops itself, built into every bundle

  /// By name or alias; null when there is none.
  const Accelerator* find_accelerator(std::string_view name) const;
  /// The accelerator whose toolchains make host libraries.
  const Accelerator& host() const;
};

}  // namespace dsbuild::manifest
