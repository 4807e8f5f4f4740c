#include "unit/plan/workbench.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "manifest/read.h"

namespace dsbuild::plan {
namespace {

manifest::Catalog read_bench() {
  const std::filesystem::path source = DSBUILD_SOURCE_DIR;
  Diagnostics diagnostics;
  manifest::CatalogSources sources;
  sources.built_in = source;
  sources.roots = {source / "tests/golden/root"};
  manifest::Catalog catalog = manifest::read_catalog(PosixSystem(), sources, diagnostics);
  std::string problems;
  for (const Diagnostic& diagnostic : diagnostics.all())
    problems += render_diagnostic(diagnostic) + "\n";
  if (diagnostics.has_errors()) throw std::runtime_error(problems);
  // The ops that dsbuild ships come and go; these tests have their own.
  std::erase_if(catalog.ops, [&](const auto& op) { return op.second.root == source; });
  catalog.runtime.reset();
  return catalog;
}

probe::Toolchain make_toolchain(const std::string& kind, const std::string& version,
                                const std::string& path) {
  probe::Toolchain toolchain;
  toolchain.id = kind + "-" + version;
  toolchain.kind = kind;
  toolchain.path = path;
  toolchain.state = probe::ToolchainState::complete;
  toolchain.version = Fact<Version>::known(*Version::parse(version), path + " --version");
  toolchain.origin = "PATH";
  toolchain.identity = "identity of " + toolchain.id;
  return toolchain;
}

bool is_image(const Entry& entry, std::string_view op, std::string_view accelerator) {
  return entry.op == op && entry.accelerator == accelerator && !entry.is_host_library();
}

}  // namespace

manifest::Catalog make_catalog() {
  static const manifest::Catalog catalog = read_bench();
  return catalog;
}

manifest::Catalog catalog_of(std::vector<manifest::Op> ops) {
  manifest::Catalog catalog = make_catalog();
  catalog.ops.clear();
  for (manifest::Op& op : ops) catalog.ops.emplace(op.name, std::move(op));
  return catalog;
}

probe::Machine make_machine(const std::string& host_machine) {
  probe::Machine machine;
  const auto known = [](const std::string& text) { return Fact<std::string>::known(text, "test"); };
  machine.host.machine = known(host_machine);
  machine.host.triple = known(host_machine + "-linux-gnu");
  machine.cpu.features = Fact<std::vector<std::string>>::known({"avx", "avx2", "sse4_2"}, "test");
  machine.cpu.level = known("x86-64-v3");
  return machine;
}

probe::Toolchain make_gcc(const std::string& version, const std::string& path) {
  probe::Toolchain gcc = make_toolchain("gcc", version, path);
  gcc.all_archs = true;
  gcc.values = {{"cxx", path}};
  return gcc;
}

probe::Toolchain make_clang(const std::string& version, const std::string& path) {
  probe::Toolchain clang = make_toolchain("clang", version, path);
  clang.all_archs = true;
  clang.values = {{"cxx", path}};
  return clang;
}

probe::Toolchain make_nvcc(const std::string& version, const std::string& toolkit,
                           const std::vector<std::string>& archs) {
  probe::Toolchain nvcc = make_toolchain("nvcc", version, toolkit + "/bin/nvcc");
  nvcc.archs = archs;
  nvcc.values = {{"nvcc", nvcc.path},
                 {"ptxas", toolkit + "/bin/ptxas"},
                 {"cudart", "cudart"},
                 {"toolkit", toolkit},
                 {"toolkit_include", toolkit + "/include"},
                 {"toolkit_lib", toolkit + "/lib64"}};
  nvcc.host_limits.emplace("gcc", *VersionRange::parse("<16"));
  nvcc.host_limits.emplace("clang", *VersionRange::parse(">=3.3, <21"));
  return nvcc;
}

probe::Toolchain make_clang_ptxas(const std::string& clang, const std::string& ptxas,
                                  const std::vector<std::string>& archs) {
  probe::Toolchain both = make_toolchain("clang-ptxas", clang, "/usr/bin/clang++-19");
  both.archs = archs;
  both.values = {{"cxx", both.path},       {"ptxas", "/opt/ptxas/bin/ptxas"},
                 {"ptx", "ptx78"},         {"ptx_release", "11.8"},
                 {"ptxas_version", ptxas}, {"ptxas_major", ptxas.substr(0, ptxas.find('.'))}};
  return both;
}

probe::Toolchain make_clang_amdgpu(const std::string& version,
                                   const std::vector<std::string>& archs) {
  probe::Toolchain clang = make_toolchain("clang-amdgpu", version, "/usr/bin/clang++-19");
  clang.archs = archs;
  clang.values = {{"cxx", clang.path}, {"lld", "/usr/lib/llvm-19/bin/ld.lld"}};
  return clang;
}

probe::Toolchain make_absent(const std::string& kind, const std::string& reason) {
  probe::Toolchain toolchain;
  toolchain.id = kind;
  toolchain.kind = kind;
  toolchain.version = Fact<Version>::missing(reason);
  toolchain.origin = "PATH";
  return toolchain;
}

probe::Torch make_torch(const std::string& version, const std::string& accelerator,
                        const std::string& release) {
  const auto known = [](const std::string& text) { return Fact<std::string>::known(text, ""); };
  const auto number = [](const std::string& text) {
    return Fact<Version>::known(*Version::parse(text), "version.py");
  };
  probe::Torch torch;
  torch.id = "torch-" + version;
  torch.site = "/venv/lib/python3.11/site-packages";
  torch.path = torch.site + "/torch";
  torch.origin = "PATH";
  torch.version = number(version);
  torch.python = number("3.11");
  torch.interpreter = known("/venv/bin/python3");
  torch.python_include = known("/usr/include/python3.11");
  torch.extension_suffix = known(".cpython-311.so");
  torch.cxx11_abi = known("1");
  torch.includes = {torch.path + "/include"};
  torch.defines = {"TORCH_API_INCLUDE_EXTENSION_H"};
  torch.lib = torch.path + "/lib";
  torch.libraries["cpu"] = {"c10", "torch"};
  torch.cuda = torch.hip = torch.xpu = Fact<Version>::missing("a build for CPU only", "version.py");
  torch.standard = 20;
  torch.identity = "identity of " + torch.id;
  if (accelerator.empty()) return torch;
  torch.libraries[accelerator] = {"c10", "torch", "torch_" + accelerator};
  (accelerator == "rocm"  ? torch.hip
   : accelerator == "xpu" ? torch.xpu
                          : torch.cuda) = number(release);
  return torch;
}

probe::Device make_device(const std::string& accelerator, const std::string& address,
                          const std::string& arch) {
  probe::Device device;
  device.accelerator = accelerator;
  device.address = address;
  device.id = "10de:2330";
  device.arch = arch.empty() ? Fact<std::string>::missing("the table has no such id")
                             : Fact<std::string>::known(arch, "pci");
  return device;
}

std::vector<std::string> cuda13_archs() {
  return {"sm_75",   "sm_80",   "sm_86",   "sm_87",   "sm_88",   "sm_89",   "sm_90",  "sm_90a",
          "sm_100",  "sm_100a", "sm_100f", "sm_103",  "sm_103a", "sm_103f", "sm_110", "sm_110a",
          "sm_110f", "sm_120",  "sm_120a", "sm_120f", "sm_121",  "sm_121a", "sm_121f"};
}

probe::Machine make_full_machine() {
  probe::Machine machine = make_machine();
  machine.toolchains = {
      make_gcc("12.2.0"), make_nvcc("13.0.88", "/usr/local/cuda-13.0", cuda13_archs()),
      make_clang_amdgpu(
          "19.1.4", {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1101", "gfx1200", "gfx1201"})};
  return machine;
}

probe::Machine cuda_machine() {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0"), make_clang("19.1.4", "/usr/bin/clang++-19"),
                        make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs()),
                        make_clang_ptxas("19.1.4", "12.4", {"sm_80", "sm_90", "sm_90a"})};
  return machine;
}

const Trial* find_trial(const Plan& plan, std::string_view what) {
  for (const Trial& trial : plan.trials) {
    if (trial.what.find(what) != std::string::npos) return &trial;
  }
  return nullptr;
}

void answer(probe::Machine& machine, const Plan& plan, std::string_view what, bool ok,
            const std::string& message) {
  const Trial* trial = find_trial(plan, what);
  if (trial == nullptr) throw std::runtime_error("no trial " + std::string(what));
  machine.trials[trial->key] = {ok, message};
}

std::vector<std::string> Made::planned(std::string_view op, std::string_view accelerator) const {
  std::vector<std::string> archs;
  for (const Entry& entry : plan.entries) {
    if (!is_image(entry, op, accelerator) || entry.state != EntryState::planned) continue;
    const std::string arch = entry.form == "ptx" ? entry.arch + "+ptx" : entry.arch;
    if (std::find(archs.begin(), archs.end(), arch) == archs.end()) archs.push_back(arch);
  }
  return archs;
}

const Entry* Made::skipped(std::string_view op, std::string_view accelerator,
                           std::string_view arch) const {
  for (const Entry& entry : plan.entries) {
    if (is_image(entry, op, accelerator) && entry.arch == arch &&
        entry.state == EntryState::skipped)
      return &entry;
  }
  return nullptr;
}

const Entry* Made::find(std::string_view op, std::string_view accelerator, std::string_view arch,
                        std::string_view form) const {
  for (const Entry& entry : plan.entries) {
    if (entry.op == op && entry.accelerator == accelerator && entry.arch == arch &&
        entry.form == form)
      return &entry;
  }
  return nullptr;
}

const Step& Made::step(std::string_view id) const {
  for (const Step& step : plan.steps) {
    if (step.id == id) return step;
  }
  throw std::runtime_error("no step " + std::string(id));
}

std::string Made::notes() const {
  return join(plan.notes, "\n");
}

std::string Made::problems() const {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all())
    text += render_diagnostic(diagnostic) + "\n";
  return text;
}

Made plan_for(const Wishes& wishes, const manifest::Catalog& catalog,
              const probe::Machine& machine) {
  Request request;
  request.ops = wishes.ops;
  request.accelerators = wishes.accelerators;
  if (!wishes.accelerators.empty()) request.accelerators_origin = wishes.accelerators_origin;
  if (!wishes.arch.empty()) request.archs.push_back({"arch", wishes.arch, "--arch"});
  request.archs.insert(request.archs.end(), wishes.variables.begin(), wishes.variables.end());
  request.environment = wishes.environment;
  request.unity = wishes.unity;
  Made made;
  made.plan = make_plan(request, catalog, machine, made.diagnostics);
  return made;
}

bool has_word(const std::vector<std::string>& words, std::string_view part) {
  return std::find(words.begin(), words.end(), part) != words.end();
}

}  // namespace dsbuild::plan
