#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "toy_bundle.h"

using Catch::Contains;
using dsops::value;

#if DSOPS_SANITIZED
// The leak checker crashes on the thread-local storage of a library that was closed while a thread
// that had used it lives on: the emu images, whose shared memory that is, and the pool's threads.
// So it must not look there, where the C library keeps what it runs at the end of a thread.
extern "C" const char* __lsan_default_options() {
  return "use_tls=0";
}
extern "C" const char* __lsan_default_suppressions() {
  return "leak:__cxa_thread_atexit_impl";
}
#endif

TEST_CASE("axpy has the same bits on cpu and emu, for any number of threads and any length") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  dsops_callable* axpy = opened.find("axpy");
  for (const std::size_t n : {1UL, 63UL, 64UL, 65UL, 1000UL}) {
    std::vector<float> xs(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      xs[i] = 1.0F / static_cast<float>(i + 1);
      expected[i] = 3.0F + 0.1F * xs[i];
    }
    for (const std::int32_t device : {DSOPS_DEVICE_CPU, DSOPS_DEVICE_EMU}) {
      for (const std::int32_t threads : {0, 1, 2, 3, 7}) {
        std::vector<float> ys(n, 3.0F);
        const Vector y(ys), x(xs);
        const dsops_exec exec = exec_on(device, threads);
        REQUIRE(call(axpy, {value(&y.tensor), value(&x.tensor), value(0.1)}, &exec) == DSOPS_OK);
        CHECK(ys == expected);
      }
    }
  }
}

TEST_CASE("an op gets its arguments, the resolved number of threads and the device") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  dsops_callable* report = opened.find("report");
  std::vector<double> out(7);
  std::vector<float> more(1);
  const Vector tensor(out);
  const Vector extra(more);
  REQUIRE(call(report, {value(&tensor.tensor), value(7)}) == DSOPS_OK);
  CHECK(out[0] == 7);
  CHECK(out[1] == 1);
  CHECK(out[2] == 0.5);
  CHECK(static_cast<int>(out[3]) == DSOPS_NONE);
  CHECK(out[4] >= 1);
  CHECK(static_cast<int>(out[5]) == DSOPS_DEVICE_CPU);
  CHECK(out[6] == 1);
  const dsops_exec exec = exec_on(DSOPS_DEVICE_EMU, 5);
  REQUIRE(call(report,
               {value(&tensor.tensor), value(8), value(false), value(2.5), value(&extra.tensor)},
               &exec) == DSOPS_OK);
  CHECK(out == std::vector<double>{8, 0, 2.5, DSOPS_TENSOR, 5, DSOPS_DEVICE_EMU, 1});
}

TEST_CASE("an op's own failure reaches the caller with the name of op and function") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<float> ys(4), xs(5);
  const Vector y(ys), x(xs);
  CHECK(call(opened.find("axpy"), {value(&y.tensor), value(&x.tensor)}) == DSOPS_INVALID);
  CHECK(dsops_last_error() ==
        std::string("toy.axpy: argument `x`: expected the 4 elements of `y`, got 5"));
  CHECK(call(opened.find("missing"), {value(&y.tensor)}) == DSOPS_NOT_FOUND);
  CHECK_THAT(dsops_last_error(), Contains("toy.missing: kernel toy_missing is not in ") &&
                                     Contains("/images/toy/cpu/"));
}

TEST_CASE("the error text belongs to the thread") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<float> ys(4), xs(5);
  const Vector y(ys), x(xs);
  CHECK(call(opened.find("axpy"), {value(&y.tensor), value(&x.tensor)}) == DSOPS_INVALID);
  std::thread([] { CHECK(dsops_last_error() == std::string()); }).join();
  CHECK_THAT(dsops_last_error(), Contains("toy.axpy"));
}

TEST_CASE("a kernel whose threads can't all come to a barrier fails on emu with the count") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<float> ys(640);
  const Vector y(ys);
  for (const std::int32_t threads : {1, 4}) {
    const dsops_exec exec = exec_on(DSOPS_DEVICE_EMU, threads);
    CHECK(call(opened.find("stall"), {value(&y.tensor)}, &exec) == DSOPS_RUNTIME);
    CHECK_THAT(dsops_last_error(),
               Contains("toy.stall: toy_stall: block 0: of 64 threads 1 wait at a barrier"));
  }
}

TEST_CASE("a workspace that is needed is asked for by its size") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  dsops_callable* scratch = opened.find("scratch");
  std::vector<float> ys(100), memory(100);
  const Vector y(ys);
  const dsops_value args[] = {value(&y.tensor)};
  std::size_t bytes = 0;
  REQUIRE(dsops_workspace_size(scratch, nullptr, args, 1, &bytes) == DSOPS_OK);
  CHECK(bytes == 400);
  dsops_exec exec = DSOPS_EXEC_INIT;
  exec.workspace = memory.data();
  exec.workspace_size = 399;
  CHECK(dsops_call(scratch, &exec, args, 1) == DSOPS_WORKSPACE);
  CHECK(dsops_last_error() ==
        std::string("toy.scratch: expected a workspace of 400 bytes, got 399"));
  exec.workspace_size = 400;
  CHECK(dsops_call(scratch, &exec, args, 1) == DSOPS_OK);
  CHECK(memory[99] == 7);
  REQUIRE(dsops_workspace_size(opened.find("level"), nullptr, args, 1, &bytes) == DSOPS_OK);
  CHECK(bytes == 0);
}

TEST_CASE("the caller's parallel_for runs the ranges instead of the runtime's threads") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<float> ys(640, 1.0F), xs(640, 2.0F);
  const Vector y(ys), x(xs);
  std::vector<std::int64_t> asked;
  dsops_exec exec = exec_on(DSOPS_DEVICE_CPU, 4);
  exec.parallel_for_context = &asked;
  exec.parallel_for = [](void* context, std::int64_t ranges, void (*body)(void*, std::int64_t),
                         void* body_context) {
    static_cast<std::vector<std::int64_t>*>(context)->push_back(ranges);
    for (std::int64_t i = ranges - 1; i >= 0; --i) body(body_context, i);
  };
  REQUIRE(call(opened.find("axpy"), {value(&y.tensor), value(&x.tensor)}, &exec) == DSOPS_OK);
  CHECK(ys == std::vector<float>(640, 3.0F));
  CHECK(asked == std::vector<std::int64_t>{4});
}

TEST_CASE("many threads call one function at once, the first calls among them") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      dsops_callable* axpy = nullptr;
      wrong += dsops_find(opened.bundle, "toy", "axpy", &axpy) == DSOPS_OK ? 0 : 1;
      std::vector<float> ys(1000, 1.0F), xs(1000, static_cast<float>(t));
      const Vector y(ys), x(xs);
      const dsops_exec exec = exec_on(t % 2 == 0 ? DSOPS_DEVICE_CPU : DSOPS_DEVICE_EMU, 3);
      for (int i = 0; i < 20; ++i) {
        wrong += call(axpy, {value(&y.tensor), value(&x.tensor)}, &exec) == DSOPS_OK ? 0 : 1;
      }
      wrong += ys == std::vector<float>(1000, 1.0F + 20.0F * static_cast<float>(t)) ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("an exec of an older caller is taken, one that makes no sense is not") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<double> out(7);
  const Vector tensor(out);
  dsops_exec exec = exec_on(DSOPS_DEVICE_EMU, 2);
  exec.struct_size = offsetof(dsops_exec, host);
  CHECK(call(opened.find("report"), {value(&tensor.tensor), value(1)}, &exec) == DSOPS_OK);
  CHECK(out[4] == 2);
  CHECK(out[6] == 1);
  exec.struct_size = 0;
  CHECK(call(opened.find("report"), {value(&tensor.tensor), value(1)}, &exec) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("struct_size is 0: begin with DSOPS_EXEC_INIT"));
  exec = exec_on(DSOPS_DEVICE_EMU);
  exec.device_id = 1;
  CHECK(call(opened.find("report"), {value(&tensor.tensor), value(1)}, &exec) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("device 1: the host is device 0, the only one"));
  exec = exec_on(DSOPS_DEVICE_CPU, -1);
  CHECK(call(opened.find("report"), {value(&tensor.tensor), value(1)}, &exec) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("exec.num_threads: expected 0 or more, got -1"));
}

#if defined(__x86_64__)
TEST_CASE("a program that flushes subnormals to zero gets the same bits, and keeps its mode") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  const unsigned before = _mm_getcsr();
  for (const std::int32_t device : {DSOPS_DEVICE_CPU, DSOPS_DEVICE_EMU}) {
    std::vector<float> ys(64);
    const Vector y(ys);
    const dsops_exec exec = exec_on(device, 1);
    _mm_setcsr(before | 0x8040);  // flush results and inputs
    const std::int32_t status = call(opened.find("subnormal"), {value(&y.tensor)}, &exec);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK(status == DSOPS_OK);
    CHECK((after & 0x8040) == 0x8040);
    CHECK(ys[0] == 5.877472e-39F);
    CHECK(ys[0] > 0);
  }
}
#endif

TEST_CASE("NULL where something must be given is a failure, not a crash") {
  std::size_t bytes = 0;
  const dsops_op* op = nullptr;
  dsops_callable* callable = nullptr;
  CHECK(dsops_bundle_open("x", nullptr) == DSOPS_INVALID);
  CHECK(dsops_bundle_op(nullptr, "toy", &op) == DSOPS_INVALID);
  CHECK(dsops_find(nullptr, "toy", "axpy", &callable) == DSOPS_INVALID);
  CHECK(dsops_call(nullptr, nullptr, nullptr, 0) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("dsops_call: callable is NULL"));
  CHECK(dsops_workspace_size(nullptr, nullptr, nullptr, 0, &bytes) == DSOPS_INVALID);
  CHECK(dsops_get_accelerator(nullptr) == DSOPS_INVALID);
  CHECK(dsops_backend_find(nullptr, nullptr) == DSOPS_INVALID);
  CHECK(dsops_backend_load(nullptr) == DSOPS_INVALID);
  CHECK(dsops_describe(nullptr) == nullptr);
  CHECK(dsops_bundle_path(nullptr) == nullptr);
  CHECK(dsops_bundle_op_count(nullptr) == 0);
  dsops_bundle_close(nullptr);
  ToyBundle files;
  const OpenBundle opened(files.add_op().path);
  CHECK(dsops_bundle_op(opened.bundle, nullptr, &op) == DSOPS_NOT_FOUND);
  CHECK(dsops_find(opened.bundle, "toy", nullptr, &callable) == DSOPS_INVALID);
  CHECK(dsops_call(opened.find("axpy"), nullptr, nullptr, 2) == DSOPS_INVALID);
}

TEST_CASE("each status has a name of its own") {
  for (std::int32_t a = DSOPS_NOT_FOUND; a <= DSOPS_OK; ++a) {
    CHECK(dsops_status_name(a) != std::string("unknown status"));
    for (std::int32_t b = a + 1; b <= DSOPS_OK; ++b) {
      CHECK(dsops_status_name(a) != std::string(dsops_status_name(b)));
    }
  }
  CHECK(dsops_status_name(1) == std::string("unknown status"));
  CHECK(dsops_abi_version() == 0x10000);
}
