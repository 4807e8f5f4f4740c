#include "probe/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/interrupt.h"
#include "probe/answer_cache.h"
#include "probe/folders.h"
#include "probe/scene.h"
#include "probe/sources.h"
#include "probe/toolchains/toolchains.h"

namespace dsbuild::probe {
namespace {

using Prober = std::vector<Toolchain> (*)(const Scene&, const manifest::Accelerator&,
                                          const manifest::ToolchainProbe&);

/// Toolchains that a descriptor can't describe; "" is what it can.
struct ProberRow {
  std::string_view name;
  Prober find;
};
constexpr std::array<ProberRow, 3> kProbers{{
    {"", find_command_toolchains},
    {"cuda_toolkit", find_cuda_toolkits},
    {"clang_ptxas", find_clang_ptxas},
}};

/// One kind of toolchain, and what was found of it.
struct KindJob {
  const manifest::Accelerator* accelerator = nullptr;
  const manifest::ToolchainProbe* probe = nullptr;
  std::vector<Toolchain> found;
};

std::vector<KindJob> make_jobs(const manifest::Catalog& catalog) {
  std::vector<KindJob> jobs;
  for (const auto& [name, accelerator] : catalog.accelerators) {
    for (const manifest::ToolchainProbe& probe : accelerator.probes) {
      jobs.push_back({&accelerator, &probe, {}});
    }
  }
  // In the order of the report, whatever the order in which they end.
  std::stable_sort(jobs.begin(), jobs.end(), [](const KindJob& a, const KindJob& b) {
    return a.probe->kind < b.probe->kind;
  });
  return jobs;
}

/// Whatever goes wrong in one source is that source's reason, and nobody else's.
std::vector<Toolchain> find_kind(const Scene& scene, const KindJob& job) {
  std::string problem = fmt::format("this dsbuild has no prober '{}'", job.probe->prober);
  for (const ProberRow& row : kProbers) {
    if (row.name != job.probe->prober) continue;
    try {
      return row.find(scene, *job.accelerator, *job.probe);
    } catch (const std::exception& error) {
      problem = fmt::format("the probe failed: {}", error.what());
    }
  }
  return {make_absent(job.probe->kind, {}, problem, {}, false)};
}

}  // namespace

Pythons find_pythons(const System& system, const ProbeOptions& options) {
  Pythons pythons;
  pythons.path = find_path_folders(system);
  pythons.packages = find_python_packages(system, pythons.path, options);
  if (options.torches) pythons.torches = find_torches(system, options, pythons.packages);
  return pythons;
}

Machine probe_machine(const System& system, ProcessRunner& processes,
                      const manifest::Catalog& catalog, const ProbeOptions& options,
                      const Pythons* known) {
  AnswerCache answers(system, processes, options.cache_folder);
  Machine machine;
  machine.host = find_host(system, options.same_host);
  Pythons found;
  if (known == nullptr) found = find_pythons(system, options);
  const Scene scene{system,
                    answers,
                    catalog,
                    options,
                    known == nullptr ? found : *known,
                    machine.host.machine.value.value_or(""),
                    machine.host.triple.value.value_or("")};

  std::vector<KindJob> jobs = make_jobs(catalog);
  std::vector<std::function<void()>> tasks;
  for (KindJob& job : jobs) tasks.push_back([&] { job.found = find_kind(scene, job); });
  tasks.push_back([&] { machine.tools = find_tools(scene); });
  tasks.push_back([&] { machine.packages = find_packages(scene); });
  if (options.torches)
    tasks.push_back([&] { machine.torches = find_torches_with_packages(scene); });
  tasks.push_back([&] {
    machine.devices = find_devices(system, catalog);
    add_driver_facts(system, catalog, machine.devices);
  });
  tasks.push_back([&] { machine.cpu = find_cpu(system, options.same_host); });
  std::vector<std::function<void()>> asking;  // those that have to start tools
  answers.allow_tools(false);
  for (const auto& task : tasks) {
    try {
      task();
    } catch (const NotKept&) {
      asking.push_back(task);
    }
  }
  answers.allow_tools(true);
  if (!asking.empty()) for_each(scene, asking.size(), [&](std::size_t i) { asking[i](); });
  machine.folders = find_folders(scene, machine);
  stop_if_interrupted();  // it looked like tools that don't answer

  for (KindJob& job : jobs) {
    std::move(job.found.begin(), job.found.end(), std::back_inserter(machine.toolchains));
  }
  name_toolchains(machine.toolchains);
  if (options.survey) machine.survey = find_survey(scene, machine.toolchains);
  machine.accelerators = find_accelerators(scene, machine);
  if (options.try_libraries && machine.survey) try_libraries(scene, machine);
  if (options.survey) machine.visible = find_visible_devices(system, machine);
  return machine;
}

}  // namespace dsbuild::probe
