#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "probe/sources.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using dsbuild::machines::FakeRoot;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

Host host_of(const FakeRoot& root) {
  return find_host(root.system(), false);
}

}  // namespace

TEST_CASE("a host's facts come from its files") {
  FakeRoot root;
  machines::add_host(root);
  root.file(
      "/lib/x86_64-linux-gnu/libc.so.6",
      "\177ELF...GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\nCopyright");
  const Host host = host_of(root);
  CHECK(*host.os == "Debian GNU/Linux 12");
  CHECK(*host.kernel == "6.1.0-18-amd64");
  CHECK(*host.machine == "x86_64");
  CHECK(*host.libc == "glibc 2.36");
  CHECK(host.libc.source == "/lib/x86_64-linux-gnu/libc.so.6");
  CHECK(*host.triple == "x86_64-linux-gnu");
  CHECK(*host.memory == 64 * kGiB);
  CHECK(host.memory.source == "/proc/meminfo");
  CHECK(*host.cpus == 16);
}

TEST_CASE("nothing of an empty root is a guess: each fact has its reason") {
  const FakeRoot root;
  const Host host = host_of(root);
  for (const auto* fact : {&host.os, &host.kernel, &host.libc, &host.machine, &host.triple}) {
    CHECK_FALSE(*fact);
    CHECK_FALSE(fact->reason.empty());
  }
  CHECK_FALSE(host.memory);
  CHECK_FALSE(host.memory.reason.empty());
  CHECK_FALSE(host.cpus);
  CHECK_FALSE(host.cpus.reason.empty());
}

TEST_CASE("the dynamic loader tells machine, C library and triple") {
  const auto triple = [](const char* loader) {
    FakeRoot root;
    root.file(loader);
    return host_of(root).triple.value.value_or("");
  };
  CHECK(triple("/lib64/ld-linux-x86-64.so.2") == "x86_64-linux-gnu");
  CHECK(triple("/lib/ld-linux-aarch64.so.1") == "aarch64-linux-gnu");
  CHECK(triple("/lib64/ld64.so.2") == "powerpc64le-linux-gnu");
  CHECK(triple("/lib/ld-musl-x86_64.so.1") == "x86_64-linux-musl");
  CHECK(triple("/lib/ld-musl-aarch64.so.1") == "aarch64-linux-musl");
}

TEST_CASE("the largest number of cgroup version 1 means no limit") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/proc/self/cgroup", "4:memory:/job\n1:cpu,cpuacct:/job\n0::/\n");
  root.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  root.file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const Host host = host_of(root);
  CHECK(*host.memory == 64 * kGiB);
  CHECK(*host.cpus == 16);
}

TEST_CASE("cgroup version 1 limits of the process's own group count") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/proc/self/cgroup", "4:memory:/job\n1:cpu,cpuacct:/job\n0::/\n");
  root.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "8589934592\n");
  root.file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
  root.file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  const Host host = host_of(root);
  CHECK(*host.memory == 8 * kGiB);
  CHECK(host.memory.source == "/sys/fs/cgroup/memory/job/memory.limit_in_bytes");
  CHECK(*host.cpus == 3);
}

TEST_CASE("cgroup version 2 limits count, those of outer groups too") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/proc/self/cgroup", "0::/pod/container\n");
  root.file("/sys/fs/cgroup/pod/memory.max", "4294967296\n");
  root.file("/sys/fs/cgroup/pod/container/memory.max", "max\n");
  root.file("/sys/fs/cgroup/pod/cpu.max", "max 100000\n");
  root.file("/sys/fs/cgroup/pod/container/cpu.max", "200000 100000\n");
  const Host host = host_of(root);
  CHECK(*host.memory == 4 * kGiB);
  CHECK(host.memory.source == "/sys/fs/cgroup/pod/memory.max");
  CHECK(*host.cpus == 2);
  CHECK(host.cpus.source == "/sys/fs/cgroup/pod/container/cpu.max");
}

TEST_CASE("a container whose group's path is the host's reads the limits at its mount") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/proc/self/cgroup", "0::/system.slice/docker-0123.scope\n");
  root.file("/sys/fs/cgroup/memory.max", "2147483648\n");
  root.file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  const Host host = host_of(root);
  CHECK(*host.memory == 2 * kGiB);
  CHECK(*host.cpus == 1);
}

TEST_CASE("a limit above the machine's memory, and nonsense, change nothing") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/proc/self/cgroup", "garbage\n0::/../..\n::\n");
  root.file("/sys/fs/cgroup/memory.max", "1099511627776\n");
  root.file("/sys/fs/cgroup/cpu.max", "what ever\n");
  root.file("/sys/devices/system/cpu/online", "0-3,8,10-11,x\n");
  const Host host = host_of(root);
  CHECK(*host.memory == 64 * kGiB);
  CHECK(*host.cpus == 7);
}

TEST_CASE("this host has every fact") {
  const Host host = find_host(PosixSystem("/"), true);
  CHECK(host.kernel);
  CHECK(host.machine);
  CHECK(host.triple);
  CHECK(*host.memory > 0);
  CHECK(*host.cpus > 0);
}
