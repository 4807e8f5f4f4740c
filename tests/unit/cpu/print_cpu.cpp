// Knows how to print the CPU of this process in one line; run under qemu-user by CTest.
// Does not know which line is right.
#include <cstdio>

#include "cpu/cpu.h"

int main() {
  using namespace dsbuild::cpu;
  const Cpu cpu = find_cpu();
  const Level* level = best_level(cpu.isa, cpu.usable);
  std::printf("%.*s [%s] %s\n", level == nullptr ? 4 : static_cast<int>(level->name.size()),
              level == nullptr ? "none" : level->name.data(), cpu.brand.c_str(),
              render_features(cpu.usable).c_str());
  return 0;
}
