// How long a plan and its Ninja text take, and how that grows: 20 images per op. One line of JSON
// per size: the medians of runs in turns, in seconds.
//   bench_plan FILE     writes the largest build.ninja there, for others to read

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "base/files.h"
#include "ninja/emit.h"
#include "unit/plan/workbench.h"

namespace {

using namespace dsbuild;

constexpr int kTurns = 15;

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

/// What one size took so far.
struct Size {
  int ops = 0;
  manifest::Catalog catalog = make_ops(ops);
  std::size_t images = 0;
  std::size_t steps = 0;
  std::vector<double> planning;
  std::vector<double> writing;
};

template <typename F>
double seconds_of(F&& run) {
  const auto started = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::size_t count_images(const plan::Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.entries.begin(), plan.entries.end(), [](const plan::Entry& entry) {
        return entry.state == plan::EntryState::planned && !entry.is_host_library();
      }));
}

/// One turn; returns build.ninja.
std::string measure(Size& size, const probe::Machine& machine) {
  plan::Made made;
  ninja::BuildFiles files;
  size.planning.push_back(
      seconds_of([&] { made = plan::plan_for(plan::Wishes(), size.catalog, machine); }));
  size.writing.push_back(
      seconds_of([&] { files = ninja::render_build_files(made.plan, "/build"); }));
  size.images = count_images(made.plan);
  size.steps = made.plan.steps.size();
  return files.at("build.ninja");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "bench_plan FILE\n"), 2;
  const probe::Machine machine = make_bench_machine();
  std::array<Size, 2> sizes{{{.ops = 125}, {.ops = 500}}};
  for (int turn = 0; turn < kTurns; ++turn) {
    for (Size& size : sizes) write_file(argv[1], measure(size, machine));
  }
  for (const Size& size : sizes) {
    if (size.images != 20u * static_cast<unsigned>(size.ops)) {
      return fmt::print(stderr, "bench_plan: {} images for {} ops\n", size.images, size.ops), 1;
    }
    fmt::print(
        "{{\"ops\": {}, \"images\": {}, \"steps\": {}, \"plan\": {:.4f}, \"ninja\": {:.4f}}}\n",
        size.ops, size.images, size.steps, median(size.planning), median(size.writing));
  }
}
