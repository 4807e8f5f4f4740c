// How long a plan and its Ninja text take, and how that grows: 20 images per op. One line of JSON
// per size: the fastest of a few runs, in seconds of CPU time (one thread, and nothing waits).

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "ninja/emit.h"
#include "unit/plan/workbench.h"

namespace {

using namespace dsbuild;

constexpr int kRuns = 5;

/// `count` ops like "axpy": 3 CPU levels, 12 cubins and PTX, 3 code objects, emu.
manifest::Catalog make_ops(int count) {
  manifest::Catalog catalog = plan::make_catalog();
  const manifest::Op axpy = catalog.ops.at("axpy");
  catalog.ops.clear();
  for (int i = 0; i < count; ++i) {
    manifest::Op op = axpy;
    op.name = fmt::format("op_{}", i);
    catalog.ops.emplace(op.name, std::move(op));
  }
  return catalog;
}

probe::Machine make_bench_machine() {
  probe::Machine machine = plan::make_full_machine();
  machine.toolchains.back() = plan::make_clang_amdgpu("19.1.4", {"gfx90a", "gfx942", "gfx1100"});
  return machine;
}

template <typename F>
double seconds_of(F&& run) {
  const std::clock_t start = std::clock();
  run();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void measure(int ops) {
  const manifest::Catalog catalog = make_ops(ops);
  const probe::Machine machine = make_bench_machine();
  double planning = 1e9;
  double writing = 1e9;
  std::size_t images = 0;
  std::size_t steps = 0;
  for (int i = 0; i < kRuns; ++i) {
    plan::Made made;
    planning = std::min(
        planning, seconds_of([&] { made = plan::plan_for(plan::Wishes(), catalog, machine); }));
    writing =
        std::min(writing, seconds_of([&] { ninja::render_build_files(made.plan, "/build"); }));
    steps = made.plan.steps.size();
    images = static_cast<std::size_t>(
        std::count_if(made.plan.entries.begin(), made.plan.entries.end(), [](const auto& entry) {
          return entry.state == plan::EntryState::planned && !entry.is_host_library();
        }));
  }
  fmt::print(
      "{{\"ops\": {}, \"images\": {}, \"steps\": {}, \"plan\": {:.4f}, \"ninja\": {:.4f}}}\n", ops,
      images, steps, planning, writing);
}

}  // namespace

int main() {
  for (const int ops : {62, 125, 250, 500}) measure(ops);
}
