// Commands as descriptors write them, and what the step cache must know of a compiler that runs
// other programs. Knows no program by name.
#pragma once

#include <string>
#include <vector>

namespace dsbuild::manifest {

/// One word of a command line, or several: see `for_archs`.
struct ArgTemplate {
  std::string text;  ///< with placeholders; a word that is one list placeholder ("{flags}") becomes
                     ///< its items
  /// When not empty, the words are repeated for each arch of the entry that has this form, `text`
  /// is unused.
  std::string for_form;
  std::vector<std::string> for_archs;
};

/// One command that makes one file. docs/manifests.md lists the placeholders.
struct StepTemplate {
  bool each_source =
      false;  ///< once per source, `{in}` being that source; else once, with all outputs before it
  /// Only for sources with one of these suffixes (".cu"), which it translates; the others go to the
  /// next step as they are. Empty: for all.
  std::vector<std::string> suffixes;
  std::vector<ArgTemplate> argv;
  std::string out;       ///< the file's name, with placeholders
  bool depfile = false;  ///< the command writes `{depfile}` in make syntax
  /// Commands that write what it leaves out of it, one for each arch of the entry.
  std::vector<ArgTemplate> scans;
  bool inputs_only = false;  ///< it reads `{in}` and nothing else
};

/// The programs that a compiler runs itself, once for each arch, and how it can be made to run
/// stand-ins for them, which know the results of earlier runs.
struct Subprograms {
  std::vector<std::string> names;
  std::string config;      ///< the file beside the compiler by which it finds them
  std::string own_folder;  ///< what stands in that file for the compiler's own folder; may be empty
  std::vector<std::string> lines;  ///< added to a copy of it; "{stand_ins}": the stand-ins' folder
  /// Identifiers in what these programs read that differ with the archs and mean the same (a
  /// regular expression); may be empty.
  std::string identifiers;

  bool operator==(const Subprograms&) const = default;
};

}  // namespace dsbuild::manifest
