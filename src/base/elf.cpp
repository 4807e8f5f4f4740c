#include "base/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "base/descriptor.h"
#include "base/elf_device.h"
#include "base/version.h"

namespace dsbuild {
namespace {

/// PTX is text and is read whole; what is larger is no kernel of anyone's.
constexpr std::size_t kPtxLimit = 256u << 20;

struct MachineRow {
  unsigned machine;
  std::string_view name;  // as uname says it
};

constexpr auto kMachines = std::to_array<MachineRow>({
    {EM_X86_64, "x86_64"},
    {EM_AARCH64, "aarch64"},
    {EM_PPC64, "ppc64le"},
    {EM_RISCV, "riscv64"},
    {EM_S390, "s390x"},
    {EM_LOONGARCH, "loongarch64"},
});

// STO_CUDA_ENTRY, in st_other: set for __global__ functions by every ptxas from 11.8 to 13.5.
constexpr unsigned char kCudaEntry = 0x10;

/// One section: what libelf knows of it, and its bytes when they were asked for.
struct Section {
  Elf_Scn* handle = nullptr;
  GElf_Shdr header{};
  std::string name;
};

std::string_view bytes_of(const Section& section) {
  if (section.header.sh_type == SHT_NOBITS) return {};
  const Elf_Data* data = elf_rawdata(section.handle, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

/// Reads one open file; throws the problem as a string, which read_elf catches.
class Reader {
 public:
  Reader(int fd, std::uint64_t file_size) : file_size_(file_size) {
    elf_version(EV_CURRENT);
    elf_.reset(elf_begin(fd, ELF_C_READ, nullptr));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) throw std::string("not an ELF file");
    if (gelf_getehdr(elf_.get(), &header_) == nullptr) {
      throw std::string("truncated: the ELF header is not whole");
    }
    read_sections();
    check_segments();
  }

  ElfFacts facts() const {
    ElfFacts facts;
    const ElfHeader header{header_.e_machine, header_.e_ident[EI_ABIVERSION], header_.e_flags};
    facts.device = header.machine == EM_CUDA || header.machine == EM_AMDGPU;
    facts.target = target_of(header);
    read_symbols(facts);
    read_dynamic(facts);
    facts.embedded = parse_fatbin(bytes_of(find(".nv_fatbin")));
    return facts;
  }

 private:
  void check_inside(std::uint64_t offset, std::uint64_t size, const std::string& what) const {
    if (offset > file_size_ || size > file_size_ - offset) {
      throw fmt::format("truncated: {} ends at byte {}, the file at {}", what, offset + size,
                        file_size_);
    }
  }

  void read_sections() {
    check_inside(header_.e_shoff, std::uint64_t{header_.e_shnum} * header_.e_shentsize,
                 "the section table");
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) throw std::string("no section names");
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;) {
      Section section{scn, {}, {}};
      if (gelf_getshdr(scn, &section.header) == nullptr) throw std::string("a bad section header");
      const char* name = elf_strptr(elf_.get(), names, section.header.sh_name);
      section.name = name == nullptr ? "" : name;
      if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL) {
        check_inside(section.header.sh_offset, section.header.sh_size, "section " + section.name);
      }
      sections_.push_back(std::move(section));
    }
    if (sections_.empty()) throw std::string("it has no sections");
  }

  void check_segments() const {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0) throw std::string("a bad program header table");
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment{};
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) {
        throw std::string("truncated: the program header table is not whole");
      }
      check_inside(segment.p_offset, segment.p_filesz, fmt::format("segment {}", i));
    }
  }

  const Section& find(std::string_view name) const {
    static const Section none{nullptr, {.sh_type = SHT_NOBITS}, {}};
    for (const Section& section : sections_) {
      if (section.name == name) return section;
    }
    return none;
  }

  const Section* find_type(unsigned type) const {
    for (const Section& section : sections_) {
      if (section.header.sh_type == type) return &section;
    }
    return nullptr;
  }

  std::string target_of(const ElfHeader& header) const {
    if (header.machine == EM_AMDGPU) return amdgpu_target(header);
    if (header.machine == EM_CUDA) {
      return cuda_target(header, bytes_of(find(".nv.compat")), bytes_of(find(".note.nv.tkinfo")));
    }
    for (const MachineRow& row : kMachines) {
      if (row.machine == header.machine) return std::string(row.name);
    }
    return fmt::format("machine {}", header.machine);
  }

  std::string text(std::size_t strings, std::size_t offset) const {
    const char* found = elf_strptr(elf_.get(), strings, offset);
    return found == nullptr ? std::string() : found;
  }

  /// Version index -> "GLIBC_2.14", from .gnu.version_r.
  std::map<unsigned, std::string> needed_versions() const {
    std::map<unsigned, std::string> versions;
    const Section* section = find_type(SHT_GNU_verneed);
    Elf_Data* data = section == nullptr ? nullptr : elf_getdata(section->handle, nullptr);
    if (data == nullptr) return versions;
    GElf_Verneed need{};
    std::size_t at = 0;
    // The links of both lists are offsets; a limit keeps a file whose links are a ring from
    // holding us.
    for (std::size_t i = 0; i < data->d_size && gelf_getverneed(data, as_int(at), &need); ++i) {
      GElf_Vernaux aux{};
      std::size_t aux_at = at + need.vn_aux;
      for (unsigned k = 0; k < need.vn_cnt && gelf_getvernaux(data, as_int(aux_at), &aux); ++k) {
        versions[aux.vna_other] = text(section->header.sh_link, aux.vna_name);
        if (aux.vna_next == 0) break;
        aux_at += aux.vna_next;
      }
      if (need.vn_next == 0) break;
      at += need.vn_next;
    }
    return versions;
  }

  static int as_int(std::size_t offset) {
    return offset > 0x7fffffff ? -1 : static_cast<int>(offset);
  }

  void read_symbols(ElfFacts& facts) const {
    // Objects and cubins have no dynamic table.
    const Section* table = find_type(SHT_DYNSYM);
    if (table == nullptr) table = find_type(SHT_SYMTAB);
    Elf_Data* data = table == nullptr ? nullptr : elf_getdata(table->handle, nullptr);
    if (data == nullptr) return;
    const auto versions = needed_versions();
    const Section* version_table = find_type(SHT_GNU_versym);
    Elf_Data* version_data =
        version_table == nullptr ? nullptr : elf_getdata(version_table->handle, nullptr);
    std::set<std::string> exported;
    GElf_Sym symbol{};
    for (int i = 1; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      const unsigned binding = GELF_ST_BIND(symbol.st_info);
      const unsigned visibility = GELF_ST_VISIBILITY(symbol.st_other);
      std::string name = text(table->header.sh_link, symbol.st_name);
      if (binding == STB_LOCAL || name.empty()) continue;
      if (symbol.st_shndx == SHN_UNDEF) {
        if (binding == STB_WEAK) continue;
        GElf_Versym version = 0;
        if (version_data != nullptr) gelf_getversym(version_data, i, &version);
        const auto found = versions.find(version & 0x7fffu);
        if (found != versions.end()) name += "@" + found->second;
        facts.undefined.push_back(std::move(name));
      } else if (visibility == STV_DEFAULT || visibility == STV_PROTECTED) {
        if (header_.e_machine == EM_CUDA && (symbol.st_other & kCudaEntry) != 0 &&
            GELF_ST_TYPE(symbol.st_info) == STT_FUNC) {
          facts.kernels.push_back(name);
        }
        exported.insert(std::move(name));
      }
    }
    facts.exported.assign(exported.begin(), exported.end());
    // A kernel of AMD is a function with a descriptor of its name beside it
    // (https://llvm.org/docs/AMDGPUUsage.html#code-object-v3-kernel-descriptor).
    if (header_.e_machine == EM_AMDGPU) {
      for (const std::string& name : facts.exported) {
        if (exported.count(name + ".kd") != 0) facts.kernels.push_back(name);
      }
    }
    std::sort(facts.kernels.begin(), facts.kernels.end());
    std::sort(facts.undefined.begin(), facts.undefined.end());
    facts.glibc = newest_glibc(versions);
  }

  static std::string newest_glibc(const std::map<unsigned, std::string>& versions) {
    constexpr std::string_view kPrefix = "GLIBC_";
    std::optional<Version> newest;
    for (const auto& [index, name] : versions) {
      if (!name.starts_with(kPrefix)) continue;
      const auto version = Version::parse(name.substr(kPrefix.size()));  // GLIBC_PRIVATE has none
      if (version && (!newest || *newest < *version)) newest = version;
    }
    return newest ? newest->number() : "";
  }

  void read_dynamic(ElfFacts& facts) const {
    const Section* section = find_type(SHT_DYNAMIC);
    Elf_Data* data = section == nullptr ? nullptr : elf_getdata(section->handle, nullptr);
    if (data == nullptr) return;
    GElf_Dyn entry{};
    for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
      const auto value = [&] { return text(section->header.sh_link, entry.d_un.d_val); };
      if (entry.d_tag == DT_NEEDED) facts.needed.push_back(value());
      if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) facts.runpath = value();
    }
  }

  std::unique_ptr<Elf, int (*)(Elf*)> elf_{nullptr, &elf_end};
  std::uint64_t file_size_;
  GElf_Ehdr header_{};
  std::vector<Section> sections_;
};

ElfFacts problem(std::string text) {
  ElfFacts facts;
  facts.problem = std::move(text);
  return facts;
}

}  // namespace

ElfFacts read_elf(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return problem(std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return problem(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return problem("not a regular file");
  if (status.st_size == 0) return problem("the file is empty");
  try {
    return Reader(file.number(), static_cast<std::uint64_t>(status.st_size)).facts();
  } catch (const std::string& what) {
    return problem(what);
  }
}

ElfFacts read_image(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4> magic{};
  in.read(magic.data(), magic.size());
  const std::string_view start(magic.data(), static_cast<std::size_t>(in.gcount()));
  if (start.empty() || start.substr(0, 2) == std::string_view("\x7f"
                                                              "E")) {
    return read_elf(path);
  }
  std::string text(start);
  std::array<char, 1 << 16> buffer{};
  while (text.size() < kPtxLimit && (in.read(buffer.data(), buffer.size()) || in.gcount() > 0)) {
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  return parse_ptx(text);
}

}  // namespace dsbuild
