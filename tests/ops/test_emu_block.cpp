// The emulator of GPU blocks, with kernels written as those of ops/ are.
#define DSOPS_EMU
#include <catch2/catch.hpp>
#include <cfenv>
#include <vector>

#include "common/device.h"
#include "runtime/emu_block.h"

namespace {

using dsops::runtime::EmuBlock;
using dsops::runtime::EmuLaunch;
using dsops::runtime::Fiber;

// Runs every block; the first problem, or "".
template <typename Args>
std::string run(void (*kernel)(const Args*), const Args& args, std::int64_t blocks,
                std::int32_t threads) {
  EmuBlock block;
  const EmuLaunch launch{reinterpret_cast<dsops_emu_kernel>(kernel), &dsops_emu_enter, &args,
                         blocks, threads};
  for (std::int64_t i = 0; i < blocks; ++i) {
    if (const std::string problem = block.run(launch, i); !problem.empty()) return problem;
  }
  return "";
}

struct Output {
  float* out;
  int size;
};

}  // namespace

DSOPS_KERNEL(kernel_count, Output, 64) {
  args.out[dsops::block_id() * args.size + dsops::thread_id()] += 1;
}

DSOPS_KERNEL(kernel_reverse, Output, 64) {
  DSOPS_SHARED float held[1024];
  const int i = dsops::thread_id();
  held[i] = static_cast<float>(i);
  dsops::barrier();
  args.out[i] = held[args.size - 1 - i];
}

DSOPS_KERNEL(kernel_sum, Output, 64) {
  const int i = dsops::thread_id();
  args.out[i] = dsops::sum_lanes(args.out[i]);
}

DSOPS_KERNEL(kernel_exchange, Output, 64) {
  const int i = dsops::thread_id();
  args.out[i] = dsops::exchange(static_cast<float>(i), args.size);
}

// Threads from `size` on never come to the barrier.
DSOPS_KERNEL(kernel_leave_before_barrier, Output, 64) {
  if (dsops::thread_id() < args.size) dsops::barrier();
}

DSOPS_KERNEL(kernel_mixed_waits, Output, 64) {
  if (dsops::thread_id() == 0) dsops::barrier();
  args.out[0] = dsops::exchange(1.0f, 1);
}

TEST_CASE("each thread of each block runs once") {
  std::vector<float> out(5 * 64);
  CHECK(run(&kernel_count, {out.data(), 64}, 5, 64) == "");
  CHECK(out == std::vector<float>(5 * 64, 1.0f));
}

TEST_CASE("after a barrier each thread sees what all wrote to shared memory before it") {
  for (const int threads : {1, 2, 64, 1000, 1024}) {
    std::vector<float> out(static_cast<std::size_t>(threads));
    CHECK(run(&kernel_reverse, {out.data(), threads}, 1, threads) == "");
    for (int i = 0; i < threads; ++i) REQUIRE(out[i] == static_cast<float>(threads - 1 - i));
  }
}

TEST_CASE("exchange gives each thread the value of the lane whose number differs in the mask") {
  for (const int mask : {1, 2, 4, 8, 16, 31}) {
    std::vector<float> out(96);
    CHECK(run(&kernel_exchange, {out.data(), mask}, 1, 96) == "");
    for (int i = 0; i < 96; ++i) REQUIRE(out[i] == static_cast<float>(i ^ mask));
  }
}

TEST_CASE("sum_lanes adds each 64 lanes by one tree: five folds in each half, then the halves") {
  for (const int threads : {64, 128, 1024}) {
    std::vector<float> in(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i) in[i] = 1.0f / static_cast<float>(3 * i + 1) - 0.01f;
    std::vector<float> out = in;
    CHECK(run(&kernel_sum, {out.data(), threads}, 1, threads) == "");
    for (int group = 0; group < threads; group += 64) {
      std::vector<float> tree(in.begin() + group, in.begin() + group + 64);
      for (int step = 16; step > 0; step /= 2) {
        for (int i = 0; i < step; ++i) {
          tree[i] += tree[i + step];
          tree[i + 32] += tree[i + 32 + step];
        }
      }
      for (int i = 0; i < 64; ++i) REQUIRE(out[group + i] == tree[0] + tree[32]);
    }
  }
}

TEST_CASE("threads that can never go on are an error that says who waits for what") {
  std::vector<float> out(64);
  CHECK(run(&kernel_leave_before_barrier, {out.data(), 40}, 2, 64) ==
        "block 0: of 64 threads 40 wait at a barrier, 0 wait in an exchange, 24 have ended; every "
        "thread of the block (or of the group) must come to the same one");
  // Group 1 is complete and goes on; group 0 lacks thread 0.
  CHECK(run(&kernel_mixed_waits, {out.data(), 64}, 1, 64) ==
        "block 0: of 64 threads 1 wait at a barrier, 31 wait in an exchange, 32 have ended; every "
        "thread of the block (or of the group) must come to the same one");
  // A last group that is not whole: lane 31 of 33 has no partner.
  CHECK(run(&kernel_exchange, {out.data(), 16}, 1, 40).find("8 wait in an exchange") !=
        std::string::npos);
}

TEST_CASE("a block runs rightly after one that was given up") {
  std::vector<float> out(64);
  const Output args{out.data(), 64};
  const Output wrong{out.data(), 40};
  EmuBlock block;
  const auto entry = [](auto* kernel) { return reinterpret_cast<dsops_emu_kernel>(kernel); };
  CHECK(block.run({entry(&kernel_leave_before_barrier), &dsops_emu_enter, &wrong, 1, 64}, 0) != "");
  CHECK(block.run({entry(&kernel_reverse), &dsops_emu_enter, &args, 1, 64}, 0) == "");
  CHECK(out[0] == 63.0f);
}

TEST_CASE("a fiber keeps its own floating-point rounding mode and leaves its caller's") {
  Fiber fiber;
  REQUIRE(fiber.make_stack(64 * 1024));
  static Fiber* self = nullptr;
  static int seen = 0;
  self = &fiber;
  fiber.start(
      [](void*) {
        std::fesetround(FE_UPWARD);
        self->suspend();
        seen = std::fegetround();
        std::fesetround(FE_TONEAREST);
      },
      nullptr);
  fiber.resume();
  CHECK(std::fegetround() == FE_TONEAREST);
  fiber.resume();
  CHECK(seen == FE_UPWARD);
  CHECK(fiber.done());
}
