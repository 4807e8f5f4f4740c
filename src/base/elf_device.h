// Which device an ELF file's header, and two sections of CUDA's, say that it is for.
// Knows the two vendors' encodings; reads no file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/elf.h"

namespace dsbuild {

/// The parts of an ELF header that name its target.
struct ElfHeader {
  unsigned machine = 0;
  unsigned abi_version = 0;  ///< e_ident[EI_ABIVERSION]
  std::uint32_t flags = 0;
};

/// "gfx90a:sramecc+:xnack-": features in the order of LLVM, and only those that the code insists
/// on.
std::string amdgpu_target(const ElfHeader& header);

/// "sm_90a". `compat` and `tkinfo` are the content of .nv.compat and .note.nv.tkinfo (may be
/// empty): the header alone does not tell a suffix (docs/bundle.md has the table that was
/// measured).
std::string cuda_target(const ElfHeader& header, std::string_view compat, std::string_view tkinfo);

/// The images in a section .nv_fatbin, in order; ends where the bytes make no sense any more.
std::vector<EmbeddedImage> parse_fatbin(std::string_view section);

}  // namespace dsbuild
