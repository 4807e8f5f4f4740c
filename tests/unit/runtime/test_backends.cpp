#include <cstring>

#include "toy_bundle.h"

using Catch::Contains;
using dsops::value;

namespace {

const dsops_backend& backend(const char* name) {
  const dsops_backend* found = nullptr;
  REQUIRE(dsops_backend_find(name, &found) == DSOPS_OK);
  return *found;
}

}  // namespace

TEST_CASE("every backend's table is complete, and names and device types are unique") {
  for (std::int32_t i = 0; i < dsops_backend_count(); ++i) {
    const dsops_backend& b = *dsops_backend_at(i);
    INFO(b.name);
    CHECK(b.struct_size == sizeof b);
    CHECK(b.abi_major == DSOPS_ABI_MAJOR);
    CHECK(&backend(b.name) == &b);
    for (std::int32_t k = 0; k < i; ++k) CHECK(dsops_backend_at(k)->device_type != b.device_type);
    void* members[(sizeof b - offsetof(dsops_backend, device_count)) / sizeof(void*)];
    std::memcpy(members, reinterpret_cast<const char*>(&b) + offsetof(dsops_backend, device_count),
                sizeof members);
    for (void* member : members) CHECK(member != nullptr);
  }
  CHECK(dsops_backend_at(-1) == nullptr);
  CHECK(dsops_backend_at(dsops_backend_count()) == nullptr);
  const dsops_backend* found = nullptr;
  CHECK(dsops_backend_find("xpu", &found) == DSOPS_NOT_FOUND);
  CHECK_THAT(dsops_last_error(), Contains("no backend xpu (there are: cuda, rocm, cpu, emu"));
}

TEST_CASE("every function of cuda and rocm answers that it is not in this version") {
  for (const char* name : {"cuda", "rocm"}) {
    const dsops_backend& b = backend(name);
    const std::string text = std::string(name) + ": not in this version of libdsops";
    std::int32_t count = 0;
    void* memory = nullptr;
    dsops_image* image = nullptr;
    CHECK(b.device_count(&count) == DSOPS_UNSUPPORTED);
    CHECK(dsops_last_error() == text);
    CHECK(b.memory_alloc(0, 1, &memory) == DSOPS_UNSUPPORTED);
    CHECK(b.image_load(0, "/", &image) == DSOPS_UNSUPPORTED);
    CHECK(b.launch(nullptr, nullptr) == DSOPS_UNSUPPORTED);
    CHECK(dsops_last_error() == text);
  }
}

TEST_CASE("memory of the host's backends is aligned, copied and given back") {
  for (const char* name : {"cpu", "emu"}) {
    const dsops_backend& b = backend(name);
    std::uint64_t free_bytes = 0, total = 0;
    REQUIRE(b.memory_info(0, &free_bytes, &total) == DSOPS_OK);
    CHECK(free_bytes <= total);
    CHECK(total > 0);
    for (const std::size_t bytes : {0UL, 1UL, 100UL, 1UL << 20}) {
      void* memory = nullptr;
      REQUIRE(b.memory_alloc(0, bytes, &memory) == DSOPS_OK);
      CHECK(reinterpret_cast<std::uintptr_t>(memory) % 64 == 0);
      const std::vector<char> from(bytes, 'a');
      std::vector<char> to(bytes, 'b');
      CHECK(b.memory_copy(0, memory, from.data(), bytes, DSOPS_HOST_TO_DEVICE, nullptr) == 0);
      CHECK(b.memory_copy(0, to.data(), memory, bytes, DSOPS_DEVICE_TO_HOST, nullptr) == 0);
      CHECK(to == from);
      CHECK(b.memory_free(0, memory) == DSOPS_OK);
    }
    void* memory = nullptr;
    CHECK(b.memory_alloc(0, SIZE_MAX, &memory) == DSOPS_RUNTIME);
    CHECK_THAT(dsops_last_error(), Contains("no memory for 18446744073709551615 bytes"));
    CHECK(b.memory_alloc(1, 1, &memory) == DSOPS_INVALID);
    CHECK_THAT(dsops_last_error(), Contains("device 1: the host is device 0"));
    CHECK(b.memory_alloc(0, 1, nullptr) == DSOPS_INVALID);
    CHECK(b.memory_copy(0, &total, &free_bytes, 8, 4, nullptr) == DSOPS_INVALID);
    CHECK(b.memory_free(0, nullptr) == DSOPS_OK);
  }
}

TEST_CASE("streams and events of the host's backends tell the time between two points") {
  const dsops_backend& b = backend("cpu");
  dsops_stream *stream = nullptr, *other = nullptr;
  dsops_event *begin = nullptr, *end = nullptr;
  REQUIRE(b.stream_create(0, &stream) == DSOPS_OK);
  REQUIRE(b.stream_create(0, &other) == DSOPS_OK);
  CHECK(stream != other);
  REQUIRE(b.event_create(0, &begin) == DSOPS_OK);
  REQUIRE(b.event_create(0, &end) == DSOPS_OK);
  double seconds = -1;
  CHECK(b.event_elapsed(0, begin, end, &seconds) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("never recorded"));
  CHECK(b.event_record(0, begin, stream) == DSOPS_OK);
  usleep(2000);
  CHECK(b.event_record(0, end, stream) == DSOPS_OK);
  CHECK(b.stream_wait(0, other, end) == DSOPS_OK);
  CHECK(b.event_synchronize(0, end) == DSOPS_OK);
  CHECK(b.event_elapsed(0, begin, end, &seconds) == DSOPS_OK);
  CHECK(seconds >= 0.002);
  CHECK(seconds < 10);
  CHECK(b.stream_synchronize(0, stream) == DSOPS_OK);
  CHECK(b.synchronize(0) == DSOPS_OK);
  CHECK(b.event_destroy(0, begin) == DSOPS_OK);
  CHECK(b.event_destroy(0, end) == DSOPS_OK);
  CHECK(b.stream_destroy(0, stream) == DSOPS_OK);
  CHECK(b.stream_destroy(0, other) == DSOPS_OK);
}

TEST_CASE("device properties say what the device is") {
  for (const char* name : {"cpu", "emu"}) {
    dsops_device_properties properties = {};
    properties.struct_size = sizeof properties;
    REQUIRE(backend(name).device_properties(0, &properties) == DSOPS_OK);
    CHECK((properties.dtypes & DSOPS_BF16) != 0);
    CHECK(properties.total_memory > 0);
    CHECK(properties.compute_units >= 1);
    CHECK(properties.arch[0] != '\0');
    CHECK(backend(name).device_properties(3, &properties) == DSOPS_INVALID);
  }
}

TEST_CASE("a library that is no backend for this libdsops is refused") {
  struct Row {
    const char* file;
    std::int32_t status;
    const char* text;
  };
  const Row rows[] = {
      {"backend_old.so", DSOPS_UNSUPPORTED, "made for dsops ABI 0, this libdsops has ABI 1"},
      {"backend_cpu.so", DSOPS_INVALID, "backend cpu (device type 2000) is there already: cpu (1)"},
      {"toy.so", DSOPS_INVALID, "exports no dsops_backend_v1, so it is no backend"},
      {"absent.so", DSOPS_RUNTIME, "absent.so"},
  };
  for (const Row& row : rows) {
    CHECK(dsops_backend_load((kToyFiles / row.file).c_str()) == row.status);
    CHECK_THAT(dsops_last_error(), Contains(row.text));
  }
}
