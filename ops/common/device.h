// Knows: how each compiler spells what a kernel needs (ids, barrier, exchange, shared memory), and
// the number formats. Does not know: mathematics (math.h), any op, any vendor's header.
#pragma once

#include <stdint.h>

// What this file is compiled for. One of:
//   DSOPS_FOR_EMU   g++ or clang, -DDSOPS_EMU: blocks and threads emulated on the CPU
//   DSOPS_FOR_AMD   clang -x hip for gfx*, no ROCm needed
//   DSOPS_FOR_CUDA  nvcc, or clang -x cuda with no toolkit
//   DSOPS_FOR_CPU   anything else: a CPU image, or the host library of an op
#if defined(DSOPS_EMU)
#define DSOPS_FOR_EMU 1
#include "dsops/emu.h"
#elif defined(__HIP__)
#define DSOPS_FOR_AMD 1
#elif defined(__CUDACC__) || defined(__CUDA__)
#define DSOPS_FOR_CUDA 1
#else
#define DSOPS_FOR_CPU 1
#endif

#define DSOPS_EXPORT extern "C" __attribute__((visibility("default")))

// A function that kernels of every target may call. Internal linkage on CPUs: no image can see
// another's copy, compiled for another level. Not so on GPUs: nvcc puts a hash of the source's path
// in the name of an internal function's shared memory, which shows in PTX. nvcc and clang take the
// GNU spelling of CUDA's keywords.
#if defined(DSOPS_FOR_AMD) || defined(DSOPS_FOR_CUDA)
#define DSOPS_FN inline __attribute__((always_inline, device))
#else
#define DSOPS_FN static inline __attribute__((always_inline, unused))
#endif

// A kernel for GPUs and `emu`: DSOPS_KERNEL(name, Args, threads) { ... }. In the body, `args` is a
// `const Args&` (or a value); `threads` is the number of threads per block that op.cpp launches.
#if defined(DSOPS_FOR_EMU)
#define DSOPS_KERNEL(name, Args, threads)      \
  static void name##_thread(const Args& args); \
  DSOPS_EXPORT void name(const Args* args) {   \
    name##_thread(*args);                      \
  }                                            \
  static void name##_thread(const Args& args)
#elif defined(DSOPS_FOR_AMD) || defined(DSOPS_FOR_CUDA)
#define DSOPS_KERNEL(name, Args, threads)                                               \
  extern "C" __attribute__((global)) __attribute__((launch_bounds(threads))) void name( \
      const Args args)
#endif

// A kernel for CPUs: DSOPS_CPU_KERNEL(name, Args) { ... }. In the body, `args` is a `const Args&`
// and the items to do are `begin` to `end` (not included).
#if defined(DSOPS_FOR_CPU)
#define DSOPS_CPU_KERNEL(name, Args)                                      \
  static void name##_range(const Args& args, int64_t begin, int64_t end); \
  DSOPS_EXPORT void name(const Args* args, int64_t begin, int64_t end) {  \
    name##_range(*args, begin, end);                                      \
  }                                                                       \
  static void name##_range(const Args& args, int64_t begin, int64_t end)
#endif

// What a `native` CPU image needs of the CPU: the runtime reads it after dlopen. (Weak: every
// source of the image may carry it.)
#if defined(DSOPS_FOR_CPU) && defined(DSOPS_IMAGE_FEATURES)
DSOPS_EXPORT __attribute__((weak)) const char dsops_image_features[];
const char dsops_image_features[] = DSOPS_IMAGE_FEATURES;
#endif

// Before a loop. DSOPS_INDEPENDENT: no iteration reads what another one writes, though the pointers
// may be equal, so a CPU compiler may vectorise it. DSOPS_UNROLL: by 4 on a GPU, so that the loads
// of four iterations are on their way at once.
#if defined(__clang__)
#define DSOPS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DSOPS_INDEPENDENT _Pragma("GCC ivdep")
#endif
#if defined(DSOPS_FOR_EMU)
#define DSOPS_UNROLL
#else
#define DSOPS_UNROLL _Pragma("unroll 4")
#endif

// Shared memory of a block: DSOPS_SHARED float name[64];
#if defined(DSOPS_FOR_EMU)
#define DSOPS_SHARED static thread_local
#elif defined(DSOPS_FOR_AMD) || defined(DSOPS_FOR_CUDA)
#define DSOPS_SHARED static __attribute__((shared))
#endif

namespace dsops {

// ---- numbers: every target ----

// Lanes of a reduction, whatever the width of a vector or of a wavefront: the same tree everywhere.
constexpr int kLanes = 64;

// Names of the 16-bit formats: IEEE 754 binary16, and the upper half of binary32.
struct fp16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};

DSOPS_FN uint32_t bits_of(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

DSOPS_FN float float_of(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

// x, or the one quiet NaN where x is any NaN: targets differ in the sign and payload they make
// (x86 ffc00000, AMD 7fc00000, NVIDIA 7fffffff), so each kernel stores floats through this.
DSOPS_FN float canonical(float x) {
  return x == x ? x : float_of(0x7fc00000u);
}

DSOPS_FN float to_float(bf16 x) {
  return float_of(static_cast<uint32_t>(x.bits) << 16);
}

// All 65,536 values are exact. A subnormal m * 2^-24 is made as (2^-14 + m * 2^-24) - 2^-14: both
// are normal floats, so the result is right with flush-to-zero on as well.
DSOPS_FN float to_float(fp16 x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(x.bits & 0x7fffu) << 13;
  const uint32_t normal = magnitude + ((127u - 15u) << 23);
  const uint32_t special = magnitude | 0x7f800000u;  // infinity and NaN keep their payload
  const uint32_t subnormal = bits_of(float_of(magnitude + (113u << 23)) - float_of(113u << 23));
  const uint32_t finite = magnitude < (1u << 23) ? subnormal : normal;
  return float_of((magnitude < (31u << 23) ? finite : special) | sign);
}

// Rounding to 16 bits is to nearest, ties to even; subnormals are kept; each NaN becomes the
// positive quiet one (7fc0, 7e00, as canonical's 7fc00000); too large becomes infinity.
DSOPS_FN bf16 to_bf16(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return bf16{static_cast<uint16_t>(x == x ? rounded : 0x7fc0u)};
}

// Below 2^-14 the sum with 0.5 leaves the subnormal's 10 bits, rounded by the addition itself, at
// the end of the mantissa (0.5 has ulp 2^-24); above, the rounding is done on the bits.
DSOPS_FN fp16 to_fp16(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  const uint32_t normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
  const uint32_t number = magnitude < 0x477ff000u ? finite : 0x7c00u;  // 65520: rounds to infinity
  return fp16{static_cast<uint16_t>(x == x ? number | sign : 0x7e00u)};
}

// Kernels read and write each format through these, and calculate in float.
DSOPS_FN float load(const float* at) {
  return *at;
}
DSOPS_FN float load(const bf16* at) {
  return to_float(*at);
}
DSOPS_FN float load(const fp16* at) {
  return to_float(*at);
}
DSOPS_FN void store(float* at, float x) {
  *at = canonical(x);
}
DSOPS_FN void store(bf16* at, float x) {
  *at = to_bf16(x);
}
DSOPS_FN void store(fp16* at, float x) {
  *at = to_fp16(x);
}

// Square root, correctly rounded (the compile flags forbid the approximate ones).
DSOPS_FN float sqrt_f32(float x) {
#if defined(DSOPS_FOR_CUDA)
  float root;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#else
  return __builtin_sqrtf(x);
#endif
}

// ---- threads: GPUs and emu ----

#if defined(DSOPS_FOR_EMU)

// The GPU thread that runs now. The fibers of a block share one OS thread, hence one `self`.
static thread_local dsops_emu_thread* self;

}  // namespace dsops

DSOPS_EXPORT void dsops_emu_enter(dsops_emu_thread* thread) {
  dsops::self = thread;
}

namespace dsops {

DSOPS_FN int thread_id() {
  return self->thread_index;
}
DSOPS_FN int64_t block_id() {
  return self->block_index;
}
DSOPS_FN void barrier() {
  self->barrier(self);
}

#elif defined(DSOPS_FOR_AMD)

DSOPS_FN int thread_id() {
  return static_cast<int>(__builtin_amdgcn_workitem_id_x());
}
DSOPS_FN int64_t block_id() {
  return __builtin_amdgcn_workgroup_id_x();
}

DSOPS_FN void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#elif defined(DSOPS_FOR_CUDA)

DSOPS_FN int thread_id() {
  int id;
  asm("mov.u32 %0, %%tid.x;" : "=r"(id));
  return id;
}

DSOPS_FN int64_t block_id() {
  unsigned id;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(id));
  return id;
}

DSOPS_FN void barrier() {
  __syncthreads();
}

#endif

#if defined(DSOPS_FOR_CPU)

// Sum over the lanes, by the tree of the other targets: 32 and 32 are folded in halves five times,
// then come together. Overwrites `lanes`.
DSOPS_FN float sum_lanes(float (&lanes)[kLanes]) {
  for (int step = kLanes / 4; step > 0; step /= 2) {
    for (int lane = 0; lane < step; ++lane) {
      lanes[lane] += lanes[lane + step];
      lanes[lane + kLanes / 2] += lanes[lane + kLanes / 2 + step];
    }
  }
  return lanes[0] + lanes[kLanes / 2];
}

#else

// The value of the thread whose number differs in the bits of `mask` (under 32). Each thread of
// the 32 must come here.
DSOPS_FN float exchange(float x, int mask) {
#if defined(DSOPS_FOR_EMU)
  const int source = (thread_id() & 31) ^ mask;
  return float_of(static_cast<uint32_t>(self->exchange(self, bits_of(x), source, 32)));
#elif defined(DSOPS_FOR_AMD)
  const unsigned lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  const int source_byte = static_cast<int>((lane ^ static_cast<unsigned>(mask)) * 4);
  return float_of(static_cast<uint32_t>(
      __builtin_amdgcn_ds_bpermute(source_byte, static_cast<int>(bits_of(x)))));
#else
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=f"(other)
               : "f"(x), "r"(mask));
  return other;
#endif
}

// Sum of x over each 64 threads of the block, the same in each of them. Every thread of the block
// must come here, and the block must be a multiple of 64. The halves meet in shared memory on every
// target, so that a wavefront of 32 and one of 64 do the same.
DSOPS_FN float sum_lanes(float x) {
  DSOPS_SHARED float halves[32];
  for (int mask = kLanes / 4; mask > 0; mask /= 2) x += exchange(x, mask);
  const int half = thread_id() / 32;
  barrier();
  if (thread_id() % 32 == 0) halves[half] = x;
  barrier();
  return halves[half & ~1] + halves[half | 1];
}

// Does write(i, compute(i)) for i = begin, begin + kStep, ... below end: four at a time, all
// computed before the first is written, so that the loads of four elements are on their way at once
// though the compiler must think that what is written may be what is read next.
template <int kStep, typename Compute, typename Write>
DSOPS_FN void each_element(int64_t begin, int64_t end, Compute compute, Write write) {
  constexpr int kBatch = 4;
  for (; begin + (kBatch - 1) * kStep < end; begin += kBatch * kStep) {
    decltype(compute(begin)) values[kBatch];
    DSOPS_UNROLL
    for (int j = 0; j < kBatch; ++j) values[j] = compute(begin + j * kStep);
    DSOPS_UNROLL
    for (int j = 0; j < kBatch; ++j) write(begin + j * kStep, values[j]);
  }
  for (; begin < end; begin += kStep) write(begin, compute(begin));
}

#endif

}  // namespace dsops
