// What an ELF file says of itself, and the same for PTX text: symbols, needs, the device it is for.
// Knows the formats, not who wants what in them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild {

/// One image inside a host library that carries device code for several archs.
struct EmbeddedImage {
  std::string form;    ///< "cubin" or "ptx"
  std::string target;  ///< "sm_90a"

  bool operator==(const EmbeddedImage&) const = default;
};

/// Facts of one library, object, cubin or code object.
struct ElfFacts {
  std::string problem;  ///< why the file could not be read; the rest is then empty
  std::string target;   ///< "x86_64", "aarch64", "sm_90a", "gfx90a:xnack-", or "machine 42"
  bool device = false;  ///< code for a device: `target` names its arch
  std::vector<std::string> exported;   ///< defined global and weak dynamic symbols (all globals for
                                       ///< objects and device code), sorted
  std::vector<std::string> undefined;  ///< symbols that must come from elsewhere (weak ones need
                                       ///< not), with their version ("memcpy@GLIBC_2.14"), sorted
  std::vector<std::string> kernels;    ///< device code: entry points, sorted
  std::vector<std::string> needed;     ///< DT_NEEDED, in order
  std::string runpath;                 ///< DT_RUNPATH or DT_RPATH
  std::string glibc;  ///< the newest GLIBC_ version it asks for ("2.14"); empty: none
  std::vector<EmbeddedImage> embedded;  ///< host libraries: device images inside, in order
};

/// Never throws: a file that is missing, truncated or no ELF comes back with `problem`.
ElfFacts read_elf(const std::filesystem::path& path);

/// The same of PTX: `.target` and `.entry` names.
ElfFacts parse_ptx(std::string_view text);

/// By the file's content: ELF or PTX.
ElfFacts read_image(const std::filesystem::path& path);

}  // namespace dsbuild
