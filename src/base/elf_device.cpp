#include "base/elf_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"

namespace dsbuild {
namespace {

struct MachRow {
  unsigned mach;
  std::string_view name;
};

// EF_AMDGPU_MACH: https://llvm.org/docs/AMDGPUUsage.html#amdgpu-ef-amdgpu-mach-table
constexpr auto kAmdgpuMachs = std::to_array<MachRow>({
    {0x20, "gfx600"},          {0x21, "gfx601"},          {0x22, "gfx700"},
    {0x23, "gfx701"},          {0x24, "gfx702"},          {0x25, "gfx703"},
    {0x26, "gfx704"},          {0x28, "gfx801"},          {0x29, "gfx802"},
    {0x2a, "gfx803"},          {0x2b, "gfx810"},          {0x2c, "gfx900"},
    {0x2d, "gfx902"},          {0x2e, "gfx904"},          {0x2f, "gfx906"},
    {0x30, "gfx908"},          {0x31, "gfx909"},          {0x32, "gfx90c"},
    {0x33, "gfx1010"},         {0x34, "gfx1011"},         {0x35, "gfx1012"},
    {0x36, "gfx1030"},         {0x37, "gfx1031"},         {0x38, "gfx1032"},
    {0x39, "gfx1033"},         {0x3a, "gfx602"},          {0x3b, "gfx705"},
    {0x3c, "gfx805"},          {0x3d, "gfx1035"},         {0x3e, "gfx1034"},
    {0x3f, "gfx90a"},          {0x40, "gfx940"},          {0x41, "gfx1100"},
    {0x42, "gfx1013"},         {0x43, "gfx1150"},         {0x44, "gfx1103"},
    {0x45, "gfx1036"},         {0x46, "gfx1101"},         {0x47, "gfx1102"},
    {0x48, "gfx1200"},         {0x49, "gfx1250"},         {0x4a, "gfx1151"},
    {0x4b, "gfx941"},          {0x4c, "gfx942"},          {0x4e, "gfx1201"},
    {0x4f, "gfx950"},          {0x50, "gfx1310"},         {0x51, "gfx9-generic"},
    {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"}, {0x54, "gfx11-generic"},
    {0x55, "gfx1152"},         {0x57, "gfx1154"},         {0x58, "gfx1153"},
    {0x59, "gfx12-generic"},   {0x5a, "gfx1251"},         {0x5b, "gfx12-5-generic"},
    {0x5c, "gfx1172"},         {0x5d, "gfx1170"},         {0x5e, "gfx1171"},
    {0x5f, "gfx9-4-generic"},  {0x62, "gfx11-7-generic"}, {0x63, "gfx13-generic"},
});

/// A feature's two bits: 0 not supported, 1 any, 2 off, 3 on
/// (https://llvm.org/docs/AMDGPUUsage.html#amdgpu-elf-header-e-flags-table-v4-onwards).
std::string_view feature_sign(unsigned bits) {
  return bits == 3 ? "+" : bits == 2 ? "-" : "";
}

constexpr unsigned kAmdgpuAbiV4 = 2;  // ELFABIVERSION_AMDGPU_HSA_V4: the first with two bits each

template <typename T>
T read_number(std::string_view bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && sizeof value <= bytes.size() - offset) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

/// The value of a one-byte attribute of .nv.compat; 0 when it isn't there. Attributes are a format
/// (1 to 3: a value of 16 bits follows; 4: its size, then so many bytes), an id and a value.
unsigned compat_attribute(std::string_view compat, unsigned id) {
  constexpr unsigned kSized = 4;
  for (std::size_t at = 0; at + 4 <= compat.size();) {
    const auto format = read_number<std::uint8_t>(compat, at);
    const auto value = read_number<std::uint16_t>(compat, at + 2);
    if (format == 0) break;
    if (format != kSized && read_number<std::uint8_t>(compat, at + 1) == id) return value & 0xff;
    at += 4 + (format == kSized ? value : 0u);
  }
  return 0;
}

/// Whether the tool's own options, kept in .note.nv.tkinfo, name this arch.
bool tool_was_asked_for(std::string_view tkinfo, const std::string& arch) {
  const std::string option = "-arch " + arch;
  for (auto at = tkinfo.find(option); at != std::string_view::npos;
       at = tkinfo.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    if (end >= tkinfo.size() || tkinfo[end] == ' ' || tkinfo[end] == '\0') return true;
  }
  return false;
}

}  // namespace

std::string amdgpu_target(const ElfHeader& header) {
  const unsigned mach = header.flags & 0xff;
  const auto row = std::find_if(kAmdgpuMachs.begin(), kAmdgpuMachs.end(),
                                [&](const MachRow& r) { return r.mach == mach; });
  if (row == kAmdgpuMachs.end()) return fmt::format("gfx with machine number {:#x}", mach);
  std::string target(row->name);
  if (header.abi_version < kAmdgpuAbiV4) return target;
  const auto sramecc = feature_sign(header.flags >> 10 & 3);
  const auto xnack = feature_sign(header.flags >> 8 & 3);
  if (!sramecc.empty()) target += fmt::format(":sramecc{}", sramecc);
  if (!xnack.empty()) target += fmt::format(":xnack{}", xnack);
  return target;
}

// Read off cubins of ptxas 11.8, 12.8, 12.9, 13.0 and 13.5 (docs/bundle.md); the flags' names are
// those of llvm/include/llvm/BinaryFormat/ELF.h (EF_CUDA_SM, EF_CUDA_ACCELERATORS).
std::string cuda_target(const ElfHeader& header, std::string_view compat, std::string_view tkinfo) {
  constexpr unsigned kSecondLayout = 8;
  constexpr unsigned kIsaClass = 9;  // .nv.compat's attribute that ptxas 13 has for "a"
  const bool second = header.abi_version >= kSecondLayout;
  std::string target =
      fmt::format("sm_{}", second ? header.flags >> 8 & 0xff : header.flags & 0xff);
  const bool accelerated =
      second ? (header.flags & 0x8) != 0 || compat_attribute(compat, kIsaClass) == 1
             : (header.flags & 0x800) != 0;
  if (accelerated) return target + "a";
  if (tool_was_asked_for(tkinfo, target + "f")) return target + "f";
  return target;
}

// A container is a header of 16 bytes (magic, version, its size, size of what follows) and entries,
// each a header and its bytes. Found by reading the output of nvcc 13.0.
std::vector<EmbeddedImage> parse_fatbin(std::string_view section) {
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  constexpr unsigned kPtx = 1;
  constexpr unsigned kElf = 2;
  std::vector<EmbeddedImage> images;
  for (;;) {
    // Objects are aligned to 8 bytes when they are linked into one section.
    while (section.size() >= 8 && read_number<std::uint64_t>(section, 0) == 0) {
      section.remove_prefix(8);
    }
    if (read_number<std::uint32_t>(section, 0) != kMagic) return images;
    const auto start = read_number<std::uint16_t>(section, 6);
    const auto size = read_number<std::uint64_t>(section, 8);
    if (start < 16 || start > section.size() || size > section.size() - start) return images;
    std::string_view entries = section.substr(start, size);
    section.remove_prefix(start + size);
    while (entries.size() >= 48) {
      const auto kind = read_number<std::uint16_t>(entries, 0);
      const auto header = read_number<std::uint32_t>(entries, 4);
      const auto bytes = read_number<std::uint64_t>(entries, 8);
      const auto flags = read_number<std::uint64_t>(entries, 40);
      if (header > entries.size() || bytes > entries.size() - header || header < 48) return images;
      const std::string_view suffix = (flags & 0x100000) != 0   ? "a"
                                      : (flags & 0x200000) != 0 ? "f"
                                                                : "";
      if (kind == kPtx || kind == kElf) {
        images.push_back({kind == kPtx ? "ptx" : "cubin",
                          fmt::format("sm_{}{}", read_number<std::uint32_t>(entries, 28), suffix)});
      }
      entries.remove_prefix(header + bytes);
    }
  }
}

}  // namespace dsbuild
