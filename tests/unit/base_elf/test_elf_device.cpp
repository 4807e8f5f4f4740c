// The device that an image is for: by headers that were read off real ones, and by this machine's
// compilers.
#include <algorithm>
#include <array>
#include <sstream>

#include "base/elf.h"
#include "base/elf_device.h"
#include "base/text.h"
#include "support/temp_folder.h"

namespace dsbuild {
namespace {

using test::TempFolder;

struct CudaRow {
  const char* ptxas;
  unsigned abi_version;
  std::uint32_t flags;
  unsigned compat;    // the value of .nv.compat's attribute 9
  const char* asked;  // -arch in .note.nv.tkinfo
  const char* target;
};

// Read off cubins that these versions of ptxas made.
constexpr auto kCubins = std::to_array<CudaRow>({
    {"11.8", 7, 0x00230523, 0, "", "sm_35"},
    {"11.8", 7, 0x00500550, 0, "", "sm_80"},
    {"12.8", 7, 0x005a055a, 0, "", "sm_90"},
    {"12.8", 7, 0x005a0d5a, 0, "", "sm_90a"},
    {"12.8", 8, 0x06006402, 0, "sm_100", "sm_100"},
    {"12.8", 8, 0x0600640a, 0, "sm_100a", "sm_100a"},
    {"12.9", 8, 0x06006402, 0, "sm_100f", "sm_100f"},
    {"12.9", 8, 0x0600670a, 0, "sm_103a", "sm_103a"},
    {"13.0", 8, 0x06004b04, 0, "sm_75", "sm_75"},
    {"13.0", 8, 0x06005a04, 0, "sm_90", "sm_90"},
    {"13.0", 8, 0x06005a04, 1, "sm_90a", "sm_90a"},
    {"13.0", 8, 0x06007802, 0, "sm_120f", "sm_120f"},
    {"13.5", 8, 0x06006402, 1, "sm_100a", "sm_100a"},
});

TEST_CASE("the layouts of every ptxas since 11.8 are told apart", "[elf][cuda]") {
  for (const CudaRow& row : kCubins) {
    INFO(row.ptxas << " " << row.target);
    // A sized attribute before the one that counts, as ptxas 13 may write them in any order.
    const std::string compat = std::string("\x04\x0b\x08\x00", 4) + std::string(8, '\x09') +
                               std::string("\x02\x09", 2) + static_cast<char>(row.compat) + '\0';
    const std::string tkinfo = std::string("ptxas\0-arch ", 12) + row.asked + " -m 64 ";
    CHECK(cuda_target({190, row.abi_version, row.flags}, compat, tkinfo) == row.target);
  }
}

TEST_CASE("a suffix that another arch was asked with is not taken over", "[elf][cuda]") {
  CHECK(cuda_target({190, 8, 0x06006402}, {}, "-arch sm_100 -m 64") == "sm_100");
  CHECK(cuda_target({190, 8, 0x06006402}, {}, "-arch sm_100foo") == "sm_100");
  CHECK(cuda_target({190, 8, 0x06006402}, {}, "-arch sm_103f") == "sm_100");
}

TEST_CASE("features of AMD code stand only where the code insists on them", "[elf][amdgpu]") {
  CHECK(amdgpu_target({224, 3, 0x53f}) == "gfx90a");
  CHECK(amdgpu_target({224, 3, 0x63f}) == "gfx90a:xnack-");
  CHECK(amdgpu_target({224, 3, 0xb3f}) == "gfx90a:sramecc-:xnack+");
  CHECK(amdgpu_target({224, 3, 0x54c}) == "gfx942");
  CHECK(amdgpu_target({224, 4, 0x01000054}) == "gfx11-generic");
  CHECK(amdgpu_target({224, 3, 0xff}) == "gfx with machine number 0xff");
}

constexpr std::string_view kCuda = R"(
extern "C" __global__ void zeta(float* x) { x[threadIdx.x] *= 2; }
__device__ __noinline__ float helper(float a) { return a * a; }
extern "C" __global__ void alpha(float* x) { x[threadIdx.x] = helper(x[threadIdx.x]); }
)";

TEST_CASE("every arch that this nvcc offers is read back from its cubin", "[elf][cuda]") {
  const auto nvcc = test::find_tool({"nvcc"});
  if (!nvcc) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  const TempFolder folder;
  test::write_text(folder / "k.cu", kCuda);
  std::vector<std::string> archs;
  for (const std::string& code :
       split(test::run_tool({*nvcc, "--list-gpu-code"}, folder.path), " \n")) {
    archs.push_back(code);
  }
  // The suffixed forms of the newest and of Hopper, where this nvcc knows them.
  const std::string help = test::run_tool({*nvcc, "--help"}, folder.path);
  for (const char* arch : {"sm_90a", "sm_100a", "sm_100f", "sm_120a", "sm_120f"}) {
    if (help.find("'" + std::string(arch) + "'") != std::string::npos) archs.emplace_back(arch);
  }
  // From PTX of the oldest arch, so that its front end runs once: ptxas makes the cubins.
  test::run_tool({*nvcc, "-ptx", "k.cu", "-o", "k.ptx"}, folder.path);
  for (const std::string& arch : archs) {
    INFO(arch);
    test::run_tool({*nvcc, "-cubin", "-arch=" + arch, "k.ptx", "-o", "k.cubin"}, folder.path);
    const ElfFacts facts = read_image(folder / "k.cubin");
    CHECK(facts.problem.empty());
    CHECK(facts.device);
    CHECK(facts.target == arch);
    CHECK(facts.kernels == std::vector<std::string>{"alpha", "zeta"});
    CHECK(facts.undefined.empty());
  }
}

TEST_CASE("PTX of this nvcc tells its target and kernels", "[ptx][cuda]") {
  const auto nvcc = test::find_tool({"nvcc"});
  if (!nvcc) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  const TempFolder folder;
  test::write_text(folder / "k.cu", kCuda);
  test::run_tool({*nvcc, "-ptx", "-arch=compute_90a", "k.cu", "-o", "k.ptx"}, folder.path);
  const ElfFacts facts = read_image(folder / "k.ptx");
  CHECK(facts.target == "sm_90a");
  CHECK(facts.kernels == std::vector<std::string>{"alpha", "zeta"});
}

TEST_CASE("a library with device code for several archs tells each of them", "[elf][cuda]") {
  const auto nvcc = test::find_tool({"nvcc"});
  if (!nvcc) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  const TempFolder folder;
  test::write_text(folder / "k.cu", kCuda);
  test::run_tool({*nvcc, "-c", "-Xcompiler", "-fPIC", "-gencode", "arch=compute_80,code=sm_80",
                  "-gencode", "arch=compute_90a,code=sm_90a", "-gencode",
                  "arch=compute_90,code=compute_90", "k.cu", "-o", "k.o"},
                 folder.path);
  const ElfFacts facts = read_elf(folder / "k.o");
  CHECK_FALSE(facts.device);
  CHECK(facts.embedded ==
        std::vector<EmbeddedImage>{{"cubin", "sm_80"}, {"cubin", "sm_90a"}, {"ptx", "sm_90"}});
}

TEST_CASE("every gfx target that this clang offers is read back from its code object",
          "[elf][amdgpu]") {
  const auto clang = test::find_tool({"clang++-19", "clang++-18", "clang++-17", "clang++-16"});
  const auto lld = test::find_tool({"ld.lld-19", "ld.lld-18", "ld.lld-17", "ld.lld-16", "ld.lld"});
  if (!clang || !lld) {
    WARN("skipped: no clang with lld for gfx targets on this machine");
    return;
  }
  const TempFolder folder;
  test::write_text(folder / "k.cu", R"(
#define GLOBAL extern "C" __attribute__((global))
GLOBAL void zeta(float* x) { x[__builtin_amdgcn_workitem_id_x()] *= 2; }
GLOBAL void alpha(float* x) { x[__builtin_amdgcn_workitem_id_x()] *= x[0]; }
)");
  // `--print-supported-cpus` answers on stderr in some versions; the list is short enough to try.
  for (const char* target :
       {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx90a:xnack-", "gfx90a:sramecc-:xnack+", "gfx942",
        "gfx942:sramecc+:xnack-", "gfx1010", "gfx1030", "gfx1036", "gfx1100", "gfx1101", "gfx1103",
        "gfx1150", "gfx11-generic", "gfx9-generic"}) {
    INFO(target);
    std::vector<std::string> argv{*clang,
                                  "-x",
                                  "hip",
                                  "--offload-arch=" + std::string(target),
                                  "--cuda-device-only",
                                  "--no-gpu-bundle-output",
                                  "-nogpulib",
                                  "-nogpuinc",
                                  "-O1",
                                  "-fuse-cuid=none",
                                  "-c",
                                  "k.cu",
                                  "-o",
                                  "k.o"};
    // Generic targets exist from code object version 6 on.
    if (std::string(target).ends_with("generic"))
      argv.insert(argv.begin() + 1, "-mcode-object-version=6");
    test::run_tool(argv, folder.path);
    const ElfFacts facts = read_image(folder / "k.o");
    CHECK(facts.problem.empty());
    CHECK(facts.device);
    CHECK(facts.target == target);
    CHECK(facts.kernels == std::vector<std::string>{"alpha", "zeta"});
  }
}

}  // namespace
}  // namespace dsbuild
