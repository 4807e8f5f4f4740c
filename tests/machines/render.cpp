#include "machines/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "base/text.h"
#include "machines/machines.h"

namespace dsbuild::machines {
namespace {

using probe::Machine;
using probe::Toolchain;

void render_loader(const probe::Host& host, FakeRoot& root) {
  const std::string machine = host.machine ? *host.machine : "";
  if (machine.empty()) return;
  root.file(machine == "x86_64"    ? "/lib64/ld-linux-x86-64.so.2"
            : machine == "aarch64" ? "/lib/ld-linux-aarch64.so.1"
                                   : "/lib64/ld64.so.2");
  if (!host.libc || !host.triple || !host.libc->starts_with("glibc ")) return;
  root.file(fmt::format("/lib/{}/libc.so.6", *host.triple),
            fmt::format("\x7f"
                        "ELF GNU C Library (Debian GLIBC) stable release version {}.\n",
                        host.libc->substr(6)));
}

void render_host(const probe::Host& host, FakeRoot& root) {
  if (host.os) root.file("/etc/os-release", fmt::format("PRETTY_NAME=\"{}\"\n", *host.os));
  if (host.kernel) root.file("/proc/sys/kernel/osrelease", *host.kernel + "\n");
  if (host.memory) {
    root.file("/proc/meminfo", fmt::format("MemTotal: {:>15} kB\n", *host.memory / 1024));
  }
  if (host.cpus) {
    root.file("/sys/devices/system/cpu/online",
              *host.cpus == 1 ? "0\n" : fmt::format("0-{}\n", *host.cpus - 1));
  }
  render_loader(host, root);
}

/// Linux's names of features on x86 where they aren't src/cpu's, in the levels up to v4.
constexpr std::array<std::array<std::string_view, 2>, 4> kLinuxNames{{
    {"sse3", "pni"},
    {"pclmul", "pclmulqdq"},
    {"lahf_sahf", "lahf_lm"},
    {"lzcnt", "abm"},
}};

void render_cpu(const Machine& machine, FakeRoot& root) {
  const probe::Cpu& cpu = machine.cpu;
  const bool arm = machine.host.machine && *machine.host.machine == "aarch64";
  std::string text = "processor\t: 0\n";
  if (cpu.model) text += fmt::format("model name\t: {}\n", *cpu.model);
  if (cpu.features) {
    std::vector<std::string> names = *cpu.features;
    for (std::string& name : names) {
      const auto row = std::find_if(kLinuxNames.begin(), kLinuxNames.end(),
                                    [&](const auto& candidate) { return candidate[0] == name; });
      if (!arm && row != kLinuxNames.end()) name = (*row)[1];
    }
    text += fmt::format("{}\t: {}\n", arm ? "Features" : "flags", join(names, " "));
  }
  if (cpu.model || cpu.features) root.file("/proc/cpuinfo", text);
}

/// "sm_90a" says nothing that "sm_90" doesn't: add_cuda knows which numbers have suffixes.
std::vector<std::string> arch_numbers(const std::vector<std::string>& archs) {
  std::vector<std::string> numbers;
  for (const std::string& arch : archs) {
    const std::string number = arch.substr(arch.find('_') + 1);
    if (number.find_first_not_of("0123456789") == std::string::npos) numbers.push_back(number);
  }
  return numbers;
}

/// The number behind "<16".
int upper_bound(const Toolchain& toolchain, const std::string& compiler, int otherwise) {
  const auto range = toolchain.host_limits.find(compiler);
  if (range == toolchain.host_limits.end()) return otherwise;
  return Version::parse(range->second.text().substr(1))->major_part();
}

CudaToolkit make_toolkit(const Toolchain& toolchain) {
  CudaToolkit toolkit;
  const std::filesystem::path nvcc = toolchain.path;
  toolkit.folder = nvcc.parent_path().parent_path().string();
  toolkit.release = fmt::format("{}.{}", toolchain.version->part(0), toolchain.version->part(1));
  toolkit.patch = std::to_string(toolchain.version->part(2));
  if (!toolchain.archs.empty()) toolkit.archs = arch_numbers(toolchain.archs);
  toolkit.last_gcc = upper_bound(toolchain, "gcc", toolkit.last_gcc + 1) - 1;
  toolkit.first_clang = upper_bound(toolchain, "clang", toolkit.first_clang);
  return toolkit;
}

void render_toolchain(const Machine& machine, const Toolchain& toolchain, FakeRoot& root) {
  if (toolchain.state == probe::ToolchainState::absent) return;
  if (!toolchain.version || toolchain.state == probe::ToolchainState::partial)
    throw std::runtime_error("can't render a partial toolchain: " + toolchain.id);
  const std::string version = toolchain.version->number();
  if (toolchain.kind == "gcc") {
    add_gcc(root, toolchain.path, version);
  } else if (toolchain.kind == "clang") {
    const probe::Tool* lld = machine.find_tool("ld.lld");
    add_clang(root, toolchain.path, version, lld != nullptr && lld->path);
  } else if (toolchain.kind == "nvcc") {
    add_cuda(root, make_toolkit(toolchain));
  } else {
    throw std::runtime_error("can't render a toolchain of the kind " + toolchain.kind);
  }
}

}  // namespace

void render(const Machine& machine, FakeRoot& root, const SurfaceFaults& faults) {
  root.folder("/sys").folder("/proc").folder("/etc");
  render_host(machine.host, root);
  render_cpu(machine, root);
  for (const Toolchain& toolchain : machine.toolchains) render_toolchain(machine, toolchain, root);
  for (const probe::Tool& tool : machine.tools) {
    if (tool.path && tool.version)
      add_printing_tool(root, *tool.path, fmt::format("{} {}", tool.name, tool.version->number()));
  }
  render_devices(machine, root, faults);
}

}  // namespace dsbuild::machines
