// Bytes per second of cpu_adam, and of the plainest loop with the same streams (reads p, g, m, v;
// writes p, m, v: 4 reads, 3 writes, as STREAM counts them), in turns, on the same memory: the
// medians, as one line of JSON.
//   bench_adam BUNDLE THREADS
#include <dsops/dsops.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t kCount = 1 << 24;
constexpr int kTurns = 41;
// Arrays a power of two apart would fall into the same sets of the caches.
constexpr std::int64_t kDistance = kCount + (4096 + 192) / sizeof(float);
constexpr double kBytes = 7.0 * sizeof(float) * kCount;

using Arrays = std::array<float*, 4>;  // params, grads, exp_avgs, exp_avg_sqs

void check(std::int32_t status) {
  if (status == DSOPS_OK) return;
  std::fprintf(stderr, "bench_adam: %s\n", dsops_last_error());
  std::exit(1);
}

void stream(const Arrays& arrays, std::int64_t begin, std::int64_t end) {
  float* __restrict p = arrays[0];
  const float* __restrict g = arrays[1];
  float* __restrict m = arrays[2];
  float* __restrict v = arrays[3];
  for (std::int64_t i = begin; i < end; ++i) {
    m[i] += 0.5f * g[i];
    v[i] += 0.25f * g[i];
    p[i] += 0.125f * g[i];
  }
}

void on_threads(int threads, const std::function<void(std::int64_t, std::int64_t)>& work) {
  std::vector<std::jthread> crew;
  for (int t = 1; t < threads; ++t) {
    crew.emplace_back(work, kCount * t / threads, kCount * (t + 1) / threads);
  }
  work(0, kCount / threads);
}

double seconds_of(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One Adam step of the bundle's cpu_adam.
class Adam {
 public:
  Adam(const char* path, const Arrays& arrays, int threads) {
    check(dsops_bundle_open(path, &bundle_));
    check(dsops_find(bundle_, "cpu_adam", "adam", &adam_));
    exec_.num_threads = threads;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      tensors_[i] = {
          arrays[i], {DSOPS_DEVICE_CPU, 0}, 1, {DSOPS_CODE_FLOAT, 32, 1}, &count_, nullptr, 0};
      pointers_[i] = &tensors_[i];
      lists_[i] = {sizeof lists_[i], 0, 1, &pointers_[i]};
      args_[i] = {DSOPS_TENSOR_LIST, 0, {.list = &lists_[i]}};
    }
    args_[4] = {DSOPS_INT, 0, {.i64 = 1}};
  }
  ~Adam() { dsops_bundle_close(bundle_); }
  Adam(const Adam&) = delete;
  Adam& operator=(const Adam&) = delete;

  void step() { check(dsops_call(adam_, &exec_, args_.data(), args_.size())); }

 private:
  dsops_bundle* bundle_ = nullptr;
  dsops_callable* adam_ = nullptr;
  dsops_exec exec_ = DSOPS_EXEC_INIT;
  std::int64_t count_ = kCount;
  std::array<DLTensor, 4> tensors_{};
  std::array<const DLTensor*, 4> pointers_{};
  std::array<dsops_tensor_list, 4> lists_{};
  std::array<dsops_value, 5> args_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "bench_adam BUNDLE THREADS\n"), 2;
  const int threads = std::atoi(argv[2]);
  // Not touched here: memory lies near the thread that is the first to write it.
  const std::unique_ptr<float, decltype(&std::free)> memory(
      static_cast<float*>(std::aligned_alloc(64, 4 * kDistance * sizeof(float))), &std::free);
  Arrays arrays{};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays[i] = memory.get() + static_cast<std::int64_t>(i) * kDistance;
  }
  on_threads(threads, [&](std::int64_t begin, std::int64_t end) {
    for (float* array : arrays) std::fill(array + begin, array + end, 0.01f);
  });
  Adam adam(argv[1], arrays, threads);
  std::vector<double> of_adam;
  std::vector<double> of_stream;
  for (int i = 0; i < kTurns; ++i) {
    of_adam.push_back(seconds_of([&] { adam.step(); }));
    of_stream.push_back(seconds_of([&] {
      on_threads(threads,
                 [&](std::int64_t begin, std::int64_t end) { stream(arrays, begin, end); });
    }));
  }
  std::printf("{\"adam\": %.3f, \"stream\": %.3f}\n", kBytes / median(of_adam) / 1e9,
              kBytes / median(of_stream) / 1e9);
}
