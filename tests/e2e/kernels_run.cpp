// Runs each kernel of an image, for CPU, emu or CUDA, on the same inputs, hard ones among them
// (every 16-bit value, subnormals, infinities, NaNs, halfway cases), and prints "kernel hash"
// lines.
//   kernels_run LEVEL|emu|cuda IMAGE KERNEL...     exit 77: it can't run here
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/adam.h"
#include "kernels_gpu.h"
#include "runtime/emu_block.h"
#include "transformer/transformer.h"

namespace {

using namespace dsops;

const Gpu* gpu = nullptr;  // if kernels run there

// Arrays that kernels work on. (Those of a GPU are freed with the process.)
template <typename T>
struct Allocator {
  using value_type = T;
  Allocator() = default;
  template <typename U>
  Allocator(const Allocator<U>&) {}
  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(gpu != nullptr ? gpu->allocate(bytes) : std::malloc(bytes));
  }
  void deallocate(T* memory, std::size_t) {
    if (gpu == nullptr) std::free(memory);
  }
  bool operator==(const Allocator&) const { return true; }
};
template <typename T>
using Array = std::vector<T, Allocator<T>>;

// Numbers that are alike on every machine (xorshift64*, Vigna, https://arxiv.org/abs/1402.6246).
struct Random {
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  std::uint32_t bits() {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return static_cast<std::uint32_t>((state * 0x2545f4914f6cdd1du) >> 32);
  }
  float unit() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }                 // [0, 1)
  float normal() { return (unit() + unit() + unit() + unit() - 2.0f) * 1.7320508f; }  // nearly
};

const std::uint32_t kHard[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff,
    0x3f800000, 0xbf800000, 0x3f808000, 0x3f818000, 0x3f801000, 0x3f803000, 0x33000000, 0x33000001,
    0x477fefff, 0x477ff000, 0x387fe000, 0x387ff000, 0x42b17218, 0xc2aeac50, 0xc2cff1b5, 0x3f317218};

// count floats: ordinary ones, and every `each`th one a hard one or any bit pattern.
Array<float> floats(Random& random, std::size_t count, unsigned each) {
  Array<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t draw = random.bits();
    out[i] = random.normal();
    if (draw % each == 0) out[i] = float_of(kHard[draw / each % std::size(kHard)]);
    if (draw % each == 1) out[i] = float_of(random.bits());
  }
  return out;
}

std::uint64_t hash(const void* data, std::size_t bytes, std::uint64_t seed) {  // FNV-1a
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) seed = (seed ^ at[i]) * 0x100000001b3u;
  return seed;
}
constexpr std::uint64_t kSeed = 0xcbf29ce484222325u;

// Where an image runs: a CPU (a level, or "host"), "emu" or "cuda".
class Image {
 public:
  Image(const std::string& target, const char* path) : emu_(target == "emu") {
    if (target == "cuda") {
      gpu = new Gpu;
      module_ = gpu->load(path);
      return;
    }
    module_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module_ == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
  }

  void run(const std::string& kernel, void* args, std::int64_t items, int threads) const {
    if (gpu != nullptr) return gpu->run(module_, kernel.c_str(), args, items, threads);
    if (emu_) return run_emu(kernel, args, items, threads);
    const auto call = find<void (*)(const void*, std::int64_t, std::int64_t)>(kernel.c_str());
    for (std::int64_t from = 0; from < items; from += 3) {
      call(args, from, from + 3 < items ? from + 3 : items);
    }
  }

 private:
  template <typename Function>
  Function find(const char* name) const {
    void* found = dlsym(module_, name);
    if (found == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
    return reinterpret_cast<Function>(found);
  }

  void run_emu(const std::string& kernel, void* args, std::int64_t items, int threads) const {
    runtime::EmuBlock block;
    const runtime::EmuLaunch launch{find<dsops_emu_kernel>(kernel.c_str()),
                                    find<dsops_emu_enter_function>("dsops_emu_enter"), args, items,
                                    threads};
    for (std::int64_t i = 0; i < items; ++i) {
      const std::string problem = block.run(launch, i);
      if (!problem.empty()) std::fprintf(stderr, "%s\n", problem.c_str()), std::exit(1);
    }
  }

  bool emu_;
  void* module_;
};

std::uint64_t run_adam(const Image& image, const std::string& kernel) {
  std::uint64_t result = kSeed;
  for (const AdamDecay decay : {AdamDecay::none, AdamDecay::decoupled, AdamDecay::l2}) {
    Random random;
    AdamArgs args = {};
    args.decay = decay;
    args.numbers = {0.125f, 0.9f, 0.999f, 0.1f, 0.001f, 1.25e-2f, 3.16f, 1e-8f, 1e-3f};
    std::vector<Array<float>> memory;
    std::int64_t items = 0;
    for (const std::size_t numel : {1u, 4095u, 4096u, 4097u, 12345u}) {
      for (int k = 0; k < 4; ++k) memory.push_back(floats(random, numel + 1, 40));
      // One element past the start: vectors must not need alignment.
      float* at[4];
      for (int k = 0; k < 4; ++k) at[k] = memory[memory.size() - 4 + k].data() + 1;
      args.tensors[args.tensor_count++] = {
          at[0], at[1], at[2], at[3], static_cast<std::int64_t>(numel), items};
      items += adam_items(static_cast<std::int64_t>(numel));
    }
    for (int step = 0; step < 3; ++step) image.run(kernel, &args, items, kAdamThreads);
    for (const auto& m : memory) result = hash(m.data(), m.size() * sizeof(float), result);
  }
  return result;
}

// x of 16 or 32 bits: every 16-bit value once in each 65,536 (as a whole, or as the upper half).
template <typename T>
void fill(Array<T>& out, Random& random, bool all_values) {
  const Array<float> ordinary = floats(random, out.size(), 40);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(i * 40503u & 0xffffu);
    if constexpr (sizeof(T) == 2) {
      store(&out[i], ordinary[i]);
      if (all_values) out[i].bits = static_cast<std::uint16_t>(bits);
    } else {
      out[i] = all_values ? float_of(bits << 16 | (random.bits() & 0xffffu)) : ordinary[i];
    }
  }
}

template <typename T>
std::uint64_t run_transformer(const Image& image, const std::string& kernel) {
  std::uint64_t result = kSeed;
  Random random;
  const bool norm = kernel.rfind("layer_norm", 0) == 0;
  for (const std::int64_t cols : {1, 3, 63, 64, 65, 257, 1024, 2049}) {
    for (const bool all_values : {true, false}) {
      const std::int64_t rows = 65536 / cols + 1 < 80 ? 65536 / cols + 1 : 80;
      Array<T> x(static_cast<std::size_t>(rows * cols)), y(x.size());
      Array<T> weight(static_cast<std::size_t>(cols)), bias(weight.size());
      Array<float> mean(static_cast<std::size_t>(rows)), rstd(mean.size());
      fill(x, random, all_values);
      fill(weight, random, false);
      fill(bias, random, false);
      if (norm) {
        const float first = static_cast<float>(cols < kLanes ? cols : kLanes);
        LayerNormArgs args{x.data(),    weight.data(), bias.data(),
                           y.data(),    mean.data(),   rstd.data(),
                           cols,        1e-5f,         1.0f / static_cast<float>(cols),
                           1.0f / first};
        image.run(kernel, &args, rows, kLayerNormThreads);
      } else {
        const std::int64_t tiles = (cols + kBiasGeluTile - 1) / kBiasGeluTile;
        BiasGeluArgs args{x.data(), bias.data(), y.data(), cols, tiles};
        image.run(kernel, &args, rows * tiles, kBiasGeluThreads);
      }
      result = hash(y.data(), y.size() * sizeof(T), result);
      result = hash(mean.data(), mean.size() * sizeof(float), result);
      result = hash(rstd.data(), rstd.size() * sizeof(float), result);
    }
  }
  return result;
}

bool cpu_has(const std::string& level) {
#if defined(__x86_64__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (level == "x86-64-v3") return v3;
  if (level == "x86-64-v4") {
    return v3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  }
#endif
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) std::fprintf(stderr, "kernels_run LEVEL|emu|cuda IMAGE KERNEL...\n"), std::exit(1);
  if (!cpu_has(words[1])) return Gpu::kSkip;
  const Image image(words[1], words[2]);
  for (int i = 3; i < count; ++i) {
    const std::string kernel = words[i];
    const std::string dtype = kernel.substr(kernel.size() - 4);
    const std::uint64_t result = kernel == "adam_fp32" ? run_adam(image, kernel)
                                 : dtype == "fp32"     ? run_transformer<float>(image, kernel)
                                 : dtype == "bf16"     ? run_transformer<bf16>(image, kernel)
                                                       : run_transformer<fp16>(image, kernel);
    std::printf("%s %016llx\n", kernel.c_str(), static_cast<unsigned long long>(result));
  }
}
