#include "probe/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/error.h"
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

/// Calls sources, from several threads too. What one throws is a line of `problems` and costs
/// nobody else anything; an interrupt passes, and so does NotKept, which is no failure.
class Attempts {
 public:
  explicit Attempts(std::vector<std::string>& problems) : problems_(problems) {}

  void operator()(std::string_view source, const std::function<void()>& look) {
    try {
      look();
    } catch (const Error& error) {
      if (error.code == ExitCode::interrupted) throw;
      add(source, error);
    } catch (const std::exception& error) {
      add(source, error);
    }
  }

 private:
  void add(std::string_view source, const std::exception& error) {
    const std::lock_guard lock(mutex_);
    problems_.push_back(fmt::format("{}: the probe failed: {}", source, error.what()));
  }

  std::vector<std::string>& problems_;
  std::mutex mutex_;
};

template <typename... Facts>
void give_reason(Facts&... facts) {
  const auto give = [](auto& fact) {
    if (!fact && fact.reason.empty()) fact.reason = "the probe failed";
  };
  (give(facts), ...);
}

/// No fact is missing without a reason, those of a source that failed neither.
void give_reasons(Machine& machine) {
  if (machine.problems.empty()) return;
  Host& host = machine.host;
  give_reason(host.os, host.kernel, host.libc, host.machine, host.triple, host.memory, host.cpus);
  give_reason(machine.cpu.model, machine.cpu.features, machine.cpu.level);
  for (Device& device : machine.devices) {
    give_reason(device.arch, device.name, device.driver, device.driver_version, device.memory,
                device.numa_node);
  }
  give_reason(machine.accelerators.chosen);
}

}  // namespace

Pythons find_pythons(const System& system, const ProbeOptions& options) {
  Pythons pythons;
  Attempts attempt(pythons.problems);
  attempt("PATH", [&] { pythons.path = find_path_folders(system); });
  attempt("Python packages",
          [&] { pythons.packages = find_python_packages(system, pythons.path, options); });
  if (options.torches) {
    attempt("torches", [&] { pythons.torches = find_torches(system, options, pythons.packages); });
  }
  return pythons;
}

Machine probe_machine(const System& system, ProcessRunner& processes,
                      const manifest::Catalog& catalog, const ProbeOptions& options,
                      const Pythons* known) {
  AnswerCache answers(system, processes, options.cache_folder);
  Machine machine;
  Pythons found;
  if (known == nullptr) found = find_pythons(system, options);
  const Pythons& pythons = known == nullptr ? found : *known;
  machine.problems = pythons.problems;
  Attempts attempt(machine.problems);
  attempt("host", [&] { machine.host = find_host(system, options.same_host); });
  const Scene scene{system,
                    answers,
                    catalog,
                    options,
                    pythons,
                    machine.host.machine.value.value_or(""),
                    machine.host.triple.value.value_or("")};

  std::vector<KindJob> jobs = make_jobs(catalog);
  std::vector<std::function<void()>> tasks;
  const auto add_task = [&](std::string_view source, const std::function<void()>& look) {
    tasks.push_back([&attempt, source, look] { attempt(source, look); });
  };
  for (KindJob& job : jobs) tasks.push_back([&] { job.found = find_kind(scene, job); });
  add_task("tools", [&] { machine.tools = find_tools(scene); });
  add_task("packages", [&] { machine.packages = find_packages(scene); });
  if (options.torches)
    add_task("torches", [&] { machine.torches = find_torches_with_packages(scene); });
  add_task("devices", [&] { machine.devices = find_devices(system, catalog); });
  add_task("cpu", [&] { machine.cpu = find_cpu(system, options.same_host); });
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
  attempt("drivers", [&] { add_driver_facts(system, catalog, machine.devices); });
  attempt("folders", [&] { machine.folders = find_folders(scene, machine); });
  stop_if_interrupted();  // it looked like tools that don't answer

  for (KindJob& job : jobs) {
    std::move(job.found.begin(), job.found.end(), std::back_inserter(machine.toolchains));
  }
  name_toolchains(machine.toolchains);
  if (options.survey)
    attempt("survey", [&] { machine.survey = find_survey(scene, machine.toolchains); });
  attempt("accelerators", [&] { machine.accelerators = find_accelerators(scene, machine); });
  if (options.try_libraries && machine.survey)
    attempt("libraries", [&] { try_libraries(scene, machine); });
  if (options.survey)
    attempt("visible devices", [&] { machine.visible = find_visible_devices(system, machine); });
  give_reasons(machine);
  return machine;
}

}  // namespace dsbuild::probe
