#include <catch2/catch.hpp>

#include "run/build.h"

namespace dsbuild::run {
namespace {

TEST_CASE("G02: jobs leave a tenth of the memory, at least 2 GiB, in reserve", "[jobs]") {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  struct Row {
    std::int64_t cpus;
    std::int64_t memory;
    int jobs;
  };
  for (const Row& row : {
           Row{256, 8 * kGiB, 6}, Row{256, 32 * kGiB, 28}, Row{256, 64 * kGiB, 57},
           Row{2048, 880 * kGiB, 792}, Row{4, 64 * kGiB, 4},  // CPUs decide
           Row{4, 3 * kGiB, 1},                               // 1 GiB is left
           Row{4, 1 * kGiB, 1},                               // less than the reserve: still one
           Row{4, 0, 4},                                      // unknown memory is no limit
           Row{0, 64 * kGiB, 1},                              // unknown CPUs: one
           Row{8, 8'000'000'000, 5},                          // 7.45 GiB, as an "8 GB" host has
       }) {
    INFO(row.cpus << " CPUs, " << row.memory << " bytes");
    CHECK(default_jobs(row.cpus, row.memory) == row.jobs);
  }
}

}  // namespace
}  // namespace dsbuild::run
