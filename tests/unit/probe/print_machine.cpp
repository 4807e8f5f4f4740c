// Prints the machine that the probe finds, or with `--time N` how long a cold probe and N warm ones
// take and how many tools each starts: print_machine CATALOG-ROOT CACHE-FOLDER [--time N].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "base/json.h"
#include "manifest/read.h"
#include "probe/probe.h"
#include "unit/probe/counting_runner.h"

using namespace dsbuild;
using Clock = std::chrono::steady_clock;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const PosixSystem system;
  Diagnostics diagnostics;
  manifest::CatalogSources sources;
  sources.built_in = argv[1];
  const manifest::Catalog catalog = manifest::read_catalog(system, sources, diagnostics);
  for (const Diagnostic& problem : diagnostics.all()) {
    std::fprintf(stderr, "%s\n", render_diagnostic(problem).c_str());
  }
  probe::ProbeOptions options;
  options.cache_folder = argv[2];
  probe::tests::CountingRunner runner;
  if (argc == 3) {
    std::fputs(dump_json(to_json(probe_machine(system, runner, catalog, options))).c_str(), stdout);
    return 0;
  }
  std::filesystem::remove_all(options.cache_folder);
  for (int i = 0; i <= std::atoi(argv[4]); ++i) {
    runner.clear();
    const auto start = Clock::now();
    const std::clock_t cpu_start = std::clock();
    const probe::Machine machine = probe_machine(system, runner, catalog, options);
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    const double cpu = 1e3 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    std::printf("%s: %.2f ms (%.2f ms of CPU), %zu tools started, %zu toolchains\n",
                i == 0 ? "cold" : "warm", took.count(), cpu, runner.count(),
                machine.toolchains.size());
  }
}
