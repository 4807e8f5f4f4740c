#include "machines/machines.h"

#include <fmt/format.h>

#include "base/version.h"

namespace dsbuild::machines {
namespace {

/// A branch of a tool's `case "$*"`: what it prints when a word is among its arguments.
std::string answer(std::string_view word, std::string_view text) {
  return fmt::format("  *{}*) cat <<'END'\n{}END\n  ;;\n", word, text);
}

std::string cases(const std::string& branches, std::string_view name) {
  return fmt::format("case \" $* \" in\n{}  *) echo '{}: what?' >&2; exit 1 ;;\nesac\n", branches,
                     name);
}

std::string release_text(std::string_view name, const CudaToolkit& toolkit) {
  return fmt::format("{}\nBuilt on some day\nCuda compilation tools, release {}, V{}.{}\n", name,
                     toolkit.release, toolkit.release, toolkit.patch);
}

/// Numbers and the forms with a suffix that NVIDIA has for them: 90 has 90a, 100 and later a and f.
std::vector<std::string> with_suffixes(const std::vector<std::string>& archs) {
  std::vector<std::string> all;
  for (const std::string& arch : archs) {
    all.push_back(arch);
    const int number = Version::parse(arch)->major_part();
    if (number >= 90) all.push_back(arch + "a");
    if (number >= 100) all.push_back(arch + "f");
  }
  return all;
}

/// The paragraph of a help text about one option, with its list of values as both tools print it.
std::string option_text(std::string_view option, const std::vector<std::string>& archs) {
  std::string text =
      fmt::format("\n{} <arch>    (-arch)\n        Names a class of GPU's code, such ", option);
  text += "as sm_50.\n        Allowed values for this option:  'native'";
  std::size_t column = 60;
  for (const char* prefix : {"compute_", "lto_", "sm_"}) {
    for (const std::string& arch : archs) {
      const std::string value = fmt::format(",'{}{}'", prefix, arch);
      if (column + value.size() > 88) {
        text += ",\n        ";
        text += value.substr(1);
        column = 8;
      } else {
        text += value;
      }
      column += value.size();
    }
  }
  return text + ".\n        Default value:  'sm_75'.\n\n--next-option\n        Something else.\n";
}

constexpr std::string_view kOldGfx = "gfx906 gfx908 gfx90a gfx1030";
constexpr std::string_view kNewGfx =
    "gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1101 gfx1200 gfx1201 gfx9-generic "
    "gfx11-generic";
constexpr std::string_view kOldSm = "sm_20 sm_35 sm_60 sm_70 sm_75 sm_80 sm_86";
constexpr std::string_view kNewSm =
    "sm_20 sm_35 sm_60 sm_70 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a";

/// As clang prints it, to standard error.
std::string cpu_list(std::string_view target, std::string_view names) {
  std::string text = fmt::format(
      "  *{}*) cat >&2 <<'END'\nTarget: {}\nAvailable CPUs for this target:\n\n", target, target);
  std::size_t start = 0;
  while (start < names.size()) {
    const std::size_t end = std::min(names.find(' ', start), names.size());
    text += fmt::format("\t{}\n", names.substr(start, end - start));
    start = end + 1;
  }
  return text + "\nUse -mcpu or -mtune to specify the target's processor.\nEND\n  ;;\n";
}

}  // namespace

const std::vector<std::string> kArchs130{"75", "80",  "86",  "87",  "88",  "89",
                                         "90", "100", "110", "103", "120", "121"};
const std::vector<std::string> kArchs110{"35", "37", "50", "52", "53", "60",
                                         "61", "62", "70", "72", "75", "80"};

void add_host(FakeRoot& root, std::string_view machine) {
  root.file("/etc/os-release", "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
  root.file("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  root.file("/proc/meminfo", "MemTotal:       67108864 kB\nMemFree:         1024 kB\n");
  root.file("/sys/devices/system/cpu/online", "0-15\n");
  root.file(machine == "x86_64"    ? "/lib64/ld-linux-x86-64.so.2"
            : machine == "aarch64" ? "/lib/ld-linux-aarch64.so.1"
                                   : "/lib64/ld64.so.2");
}

void add_gcc(FakeRoot& root, std::string_view path, std::string_view version) {
  const std::string full = fmt::format(
      "g++ (Debian {}-1) {}\nCopyright (C) Free Software Foundation\n", version, version);
  root.tool(path, cases(answer("-dumpfullversion", fmt::format("{}\n", version)) +
                            answer("--version", full),
                        "g++"));
}

void add_clang(FakeRoot& root, std::string_view path, std::string_view version, bool lld) {
  const bool modern = Version::parse(version)->major_part() >= 16;
  const std::string text =
      fmt::format("Debian clang version {}\nTarget: x86_64-pc-linux-gnu\n", version);
  root.tool(path, cases(answer("--version", text) + cpu_list("amdgcn", modern ? kNewGfx : kOldGfx) +
                            cpu_list("nvptx64", modern ? kNewSm : kOldSm),
                        "clang"));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (lld) root.program(folder + "/ld.lld", "not really\n");
}

void add_nvcc(FakeRoot& root, std::string_view path, const CudaToolkit& toolkit) {
  std::string list;
  for (const std::string& arch : toolkit.archs) list += fmt::format("compute_{}\n", arch);
  root.tool(
      path,
      cases(answer("--version", release_text("nvcc: NVIDIA (R) Cuda compiler driver", toolkit)) +
                answer("--list-gpu-arch", list) +
                answer("--help", option_text("--gpu-architecture", with_suffixes(toolkit.archs))),
            "nvcc"));
}

void add_ptxas(FakeRoot& root, std::string_view path, const CudaToolkit& toolkit) {
  root.tool(path,
            cases(answer("--version",
                         release_text("ptxas: NVIDIA (R) Ptx optimizing assembler", toolkit)) +
                      answer("--help", option_text("--gpu-name", with_suffixes(toolkit.archs))),
                  "ptxas"));
}

void add_cuda(FakeRoot& root, const CudaToolkit& toolkit) {
  const std::string& folder = toolkit.folder;
  const std::string include = folder + "/" + toolkit.include;
  const auto release = *Version::parse(toolkit.release);
  add_nvcc(root, folder + "/bin/nvcc", toolkit);
  add_ptxas(root, folder + "/bin/ptxas", toolkit);
  root.program(folder + "/nvvm/bin/cicc", "not really\n");
  root.file(include + "/cuda_runtime.h");
  root.file(include + "/cuda.h", fmt::format("#define CUDA_VERSION {}\n",
                                             1000 * release.part(0) + 10 * release.part(1)));
  root.file(
      include + "/crt/host_config.h",
      fmt::format("#if defined(__GNUC__)\n#if __GNUC__ > {}\n#error -- unsupported GNU version!\n"
                  "#endif\n#if (__clang_major__ >= {}) || (__clang_major__ < 3)\n#error\n#endif\n",
                  toolkit.last_gcc, toolkit.first_clang));
  root.file(folder + "/" + toolkit.lib + "/libcudart_static.a");
  root.file(folder + "/" + toolkit.lib + "/libcudart.so");
  if (toolkit.version_json) {
    root.file(folder + "/version.json",
              fmt::format("{{\"cuda\": {{\"name\": \"CUDA SDK\", \"version\": \"{}.{}\"}}}}\n",
                          toolkit.release, toolkit.patch));
  }
}

void add_printing_tool(FakeRoot& root, std::string_view path, std::string_view text, int status) {
  root.tool(path, fmt::format("cat <<'END'\n{}\nEND\nexit {}\n", text, status));
}

void add_pci(FakeRoot& root, std::string_view address, std::string_view vendor,
             std::string_view device, std::string_view device_class) {
  // sysfs has links to /sys/devices there.
  const std::string real = fmt::format("/sys/devices/pci0000:00/{}", address);
  root.file(real + "/vendor", fmt::format("{}\n", vendor));
  root.file(real + "/device", fmt::format("{}\n", device));
  root.file(real + "/class", fmt::format("{}\n", device_class));
  root.link(fmt::format("/sys/bus/pci/devices/{}", address),
            fmt::format("../../../devices/pci0000:00/{}", address));
}

}  // namespace dsbuild::machines
