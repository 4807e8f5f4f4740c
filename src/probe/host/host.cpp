#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "probe/host/cgroup.h"
#include "probe/sources.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using Text = Fact<std::string>;
using Number = Fact<std::int64_t>;

/// Where each machine's C library puts its dynamic loader (the ABI fixes it): tells the machine and
/// the C library of a root by one file. https://sourceware.org/glibc/wiki/ABIList
struct LoaderRow {
  std::string_view path;
  std::string_view machine;  ///< as uname says
  std::string_view libc;
};
constexpr std::array<LoaderRow, 7> kLoaders{{
    {"/lib64/ld-linux-x86-64.so.2", "x86_64", "glibc"},
    {"/lib/ld-linux-aarch64.so.1", "aarch64", "glibc"},
    {"/lib64/ld64.so.2", "ppc64le", "glibc"},
    {"/lib/ld-linux-riscv64-lp64d.so.1", "riscv64", "glibc"},
    {"/lib/ld-musl-x86_64.so.1", "x86_64", "musl"},
    {"/lib/ld-musl-aarch64.so.1", "aarch64", "musl"},
    {"/lib/ld-musl-riscv64.so.1", "riscv64", "musl"},
}};

const LoaderRow* find_loader(const System& system) {
  const auto row = std::find_if(kLoaders.begin(), kLoaders.end(),
                                [&](const LoaderRow& r) { return system.exists(r.path); });
  return row == kLoaders.end() ? nullptr : &*row;
}

/// https://www.freedesktop.org/software/systemd/man/os-release.html
Text find_os(const System& system) {
  for (const char* file : {"/etc/os-release", "/usr/lib/os-release"}) {
    for (const std::string& line : split_lines(system.read_file(file).value_or(""))) {
      if (!line.starts_with("PRETTY_NAME=")) continue;
      std::string name = line.substr(line.find('=') + 1);
      if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'')) {
        name = name.substr(1, name.size() - 2);
      }
      return Text::known(name, file);
    }
  }
  return Text::missing("no PRETTY_NAME in /etc/os-release or /usr/lib/os-release");
}

Text find_kernel(const System& system) {
  const char* file = "/proc/sys/kernel/osrelease";
  const auto text = system.read_file(file);
  if (!text) return Text::missing("can't be read", file);
  return Text::known(std::string(trim(*text)), file);
}

Text find_machine(const System& system, bool same_host) {
  if (same_host) {
    utsname name{};
    if (::uname(&name) == 0) return Text::known(name.machine, "uname");
  }
  if (const LoaderRow* loader = find_loader(system)) {
    return Text::known(std::string(loader->machine), std::string(loader->path));
  }
  return Text::missing("no dynamic loader is where the C library of a known machine has it");
}

/// Debian's multiarch name, https://wiki.debian.org/Multiarch/Tuples.
std::string multiarch_name(std::string_view machine, std::string_view libc) {
  return fmt::format("{}-linux-{}", machine == "ppc64le" ? "powerpc64le" : machine, libc);
}

/// glibc names its version in its own text: "GNU C Library (...) stable release version 2.36."
std::optional<std::string> parse_glibc_version(std::string_view library) {
  constexpr std::string_view kBefore = "stable release version ";
  const auto at = library.find(kBefore);
  if (at == std::string_view::npos) return std::nullopt;
  library.remove_prefix(at + kBefore.size());
  const auto end = library.find_first_not_of("0123456789.");
  std::string version(library.substr(0, end));
  while (version.ends_with('.')) version.pop_back();
  return version;
}

Text find_libc(const System& system, bool same_host) {
  const LoaderRow* loader = find_loader(system);
  if (loader != nullptr && loader->libc != "glibc") {
    return Text::known(std::string(loader->libc), std::string(loader->path));
  }
  if (same_host) {
    return Text::known("glibc " + std::string(::gnu_get_libc_version()), "the C library");
  }
  if (loader == nullptr) return Text::missing("no dynamic loader of a known C library");
  const std::string multiarch = "/lib/" + multiarch_name(loader->machine, "gnu") + "/libc.so.6";
  for (const std::string& file :
       {multiarch, std::string("/lib64/libc.so.6"), std::string("/lib/libc.so.6")}) {
    const auto version = parse_glibc_version(system.read_file(file).value_or(""));
    if (version) return Text::known("glibc " + *version, file);
  }
  return Text::known("glibc", std::string(loader->path));
}

Text make_triple(const Host& host) {
  if (!host.machine) return Text::missing("the machine is unknown");
  const bool musl = host.libc && host.libc->starts_with("musl");
  return Text::known(multiarch_name(*host.machine, musl ? "musl" : "gnu"),
                     musl ? host.libc.source : host.machine.source);
}

Number find_memory(const System& system) {
  const char* file = "/proc/meminfo";
  Number memory = Number::missing("no MemTotal", file);
  for (const std::string& line : split_lines(system.read_file(file).value_or(""))) {
    const auto words = split(line, " ");
    std::int64_t kibibytes = 0;
    if (words.size() < 2 || words[0] != "MemTotal:") continue;
    const std::string& text = words[1];
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), kibibytes);
    if (parsed.ec == std::errc()) memory = Number::known(kibibytes * 1024, file);
  }
  const auto limit = find_memory_limit(system);
  if (limit && (!memory || limit->value < static_cast<double>(*memory))) {
    memory = Number::known(static_cast<std::int64_t>(limit->value), limit->file);
  }
  return memory;
}

/// CPUs in this process's affinity mask, however many the kernel knows; 0 when it doesn't say.
std::int64_t count_affinity() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cpus));
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    const bool ok = ::sched_getaffinity(0, size, set) == 0;
    const std::int64_t count = ok ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (ok) return count;
  }
  return 0;
}

/// "0-3,8" is 5.
std::int64_t parse_cpu_list(std::string_view text) {
  std::int64_t count = 0;
  for (const std::string& range : split(text, ",\n")) {
    const auto bounds = split(range, "-");
    std::int64_t first = 0;
    std::int64_t last = 0;
    const auto read = [](const std::string& word, std::int64_t& number) {
      return std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc();
    };
    if (bounds.empty() || !read(bounds.front(), first) || !read(bounds.back(), last)) continue;
    count += std::max<std::int64_t>(0, last - first + 1);
  }
  return count;
}

Number find_cpus(const System& system, bool same_host) {
  const std::string file = "/sys/devices/system/cpu/online";
  const std::int64_t count =
      same_host ? count_affinity() : parse_cpu_list(system.read_file(file).value_or(""));
  Number cpus = count > 0 ? Number::known(count, same_host ? "affinity" : file)
                          : Number::missing("neither an affinity mask nor a list of CPUs", file);
  const auto quota = find_cpu_limit(system);
  // Half a CPU more than one keeps two threads busier than one thread would be.
  if (quota && (!cpus || std::ceil(quota->value) < static_cast<double>(*cpus))) {
    cpus = Number::known(static_cast<std::int64_t>(std::ceil(quota->value)), quota->file);
  }
  return cpus;
}

}  // namespace

Host find_host(const System& system, bool same_host) {
  Host host;
  host.os = find_os(system);
  host.kernel = find_kernel(system);
  host.libc = find_libc(system, same_host);
  host.machine = find_machine(system, same_host);
  host.triple = make_triple(host);
  host.memory = find_memory(system);
  host.cpus = find_cpus(system, same_host);
  return host;
}

}  // namespace dsbuild::probe
