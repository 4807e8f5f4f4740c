#include "bundle/python_host.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

/// What comes from us begins so; whatever else is printed while packages are imported is noise.
constexpr std::string_view kMark = "dsbuild-answer:";

/// importlib.util.find_spec imports no package of that name itself.
constexpr const char* kAsk = R"py(
import importlib.machinery, importlib.metadata, importlib.util, json, os, sys

def folder(name):
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    return os.path.realpath(places[0]) if places else ""

def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""

print("dsbuild-answer:" + json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "suffixes": importlib.machinery.EXTENSION_SUFFIXES,
    "torch": folder("torch"), "package": folder("deepspeed"), "package_version": version("deepspeed")}))
)py";

/// Each module is imported in a fork of a process that has torch: a crash is that module's own, and
/// two modules that can't live together don't hide each other. Whether there is a device is asked
/// last, because a context of CUDA's doesn't survive a fork.
constexpr const char* kTry = R"py(
import ctypes, importlib.util, json, os, signal, sys, types

task = json.loads(sys.argv[1])
import torch

def load(module, shared):
    spec = importlib.util.spec_from_file_location(module["name"], module["file"])
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    if shared:
        ctypes.CDLL(module["file"], mode=ctypes.RTLD_GLOBAL)

def attempt(module, others):
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        why = ""
        try:
            for op in module["after"]:
                load(others[op], True)
            load(module, False)
        except BaseException as error:
            why = "%s: %s" % (type(error).__name__, error)
        os.write(theirs, why.encode()[:4096])
        os._exit(0)
    os.close(theirs)
    said = os.fdopen(ours, "rb").read().decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "the import was killed by " + signal.Signals(os.WTERMSIG(status)).name
    return said

def two(version):
    return ".".join(str(version).split("+")[0].split(".")[:2]) if version else "0.0"

def torch_info():
    nccl, bf16 = "0.0", False
    try:
        nccl = "%d.%d" % tuple(torch.cuda.nccl.version()[:2])
    except Exception:
        pass
    try:
        bf16 = bool(torch.cuda.is_available() and torch.cuda.is_bf16_supported())
    except Exception:
        pass
    return {"version": two(torch.__version__), "bf16_support": bf16, "cuda_version": two(torch.version.cuda),
            "nccl_version": nccl, "hip_version": two(torch.version.hip)}

others = {module["op"]: module for module in task["modules"]}
answer = {"failures": {}, "record": "", "record_failure": ""}
for module in task["modules"]:
    why = attempt(module, others)
    if why:
        answer["failures"][module["op"]] = why
if not answer["failures"]:
    answer["record"] = task["record"] + "torch_info=%r\n" % torch_info()
    record = types.ModuleType("deepspeed.git_version_info_installed")
    try:
        exec(compile(answer["record"], "git_version_info_installed.py", "exec"), record.__dict__)
        sys.modules[record.__name__] = record
        import deepspeed
        from deepspeed.git_version_info import accelerator_name, git_branch, git_hash, installed_ops, torch_info, version
        if not all(installed_ops.get(module["op"]) for module in task["modules"]):
            raise ImportError("deepspeed doesn't read the record")
    except BaseException as error:
        answer["record_failure"] = "%s: %s" % (type(error).__name__, error)
print("dsbuild-answer:" + json.dumps(answer))
)py";

fs::path interpreter_of(const fs::path& python) {
  std::error_code error;
  if (!fs::is_directory(python, error)) return python;
  for (const char* name : {"bin/python3", "bin/python"}) {
    if (fs::exists(python / name, error)) return python / name;
  }
  throw Error(ExitCode::bad_input, "there is no bin/python3 in it", python.string(),
              "name an interpreter or the folder of an environment with --python");
}

ProcessResult run_python(ProcessRunner& processes, const Environment& environment,
                         std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.environment = environment;
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  // With -c, Python imports from the current folder first: a checkout of DeepSpeed might be there.
  command.folder = "/";
  command.limit = std::chrono::minutes(10);
  return processes.run(command);
}

std::string last_line(const std::string& text) {
  std::string last;
  for (std::string& line : split_lines(text)) {
    if (!trim(line).empty()) last = std::move(line);
  }
  return last;
}

std::optional<Json> find_answer(const std::string& out) {
  for (const std::string& line : split_lines(out)) {
    const auto at = line.find(kMark);
    if (at == std::string::npos) continue;
    Json json = Json::parse(line.substr(at + kMark.size()), nullptr, false);
    if (json.is_object()) return json;
  }
  return std::nullopt;
}

std::string failure_of(const ProcessResult& result) {
  const std::string line = last_line(result.err);
  return line.empty() ? result.describe() : line;
}

}  // namespace

PythonHost find_python_host(ProcessRunner& processes, const Environment& environment,
                            const fs::path& python) {
  PythonHost host;
  host.interpreter = interpreter_of(python);
  const ProcessResult result =
      run_python(processes, environment, {host.interpreter.string(), "-c", kAsk});
  const auto answer = result.ok() ? find_answer(result.out) : std::nullopt;
  if (!answer) {
    throw Error(ExitCode::bad_input, "this Python gives no answer: " + failure_of(result),
                host.interpreter.string(), "name another one with --python");
  }
  host.version = Version::parse(answer->value("version", "")).value_or(Version{});
  host.suffixes = answer->value("suffixes", std::vector<std::string>());
  host.torch = answer->value("torch", "");
  host.package = answer->value("package", "");
  host.package_version = Version::parse(answer->value("package_version", ""));
  for (const auto& [name, folder] :
       {std::pair("deepspeed", host.package), std::pair("torch", host.torch)}) {
    if (!folder.empty()) continue;
    throw Error(ExitCode::bad_input, fmt::format("this Python has no {}", name),
                host.interpreter.string(),
                fmt::format("name one that has with --python, or: {} -m pip install {}",
                            host.interpreter.string(), name));
  }
  return host;
}

ModuleTrial try_modules(ProcessRunner& processes, const Environment& environment,
                        const PythonHost& host, const std::vector<TriedModule>& modules,
                        const std::string& record) {
  Json list = Json::array();
  for (const TriedModule& module : modules) {
    list.push_back({{"op", module.op},
                    {"name", module.name},
                    {"file", module.file.string()},
                    {"after", module.after}});
  }
  const std::string task = Json({{"modules", list}, {"record", record}}).dump();
  const ProcessResult result =
      run_python(processes, environment, {host.interpreter.string(), "-c", kTry, task});
  ModuleTrial trial;
  const auto answer = result.ok() ? find_answer(result.out) : std::nullopt;
  if (!answer) {
    trial.record_failure = failure_of(result);
    return trial;
  }
  trial.failures = answer->value("failures", trial.failures);
  trial.record = answer->value("record", "");
  trial.record_failure = answer->value("record_failure", "");
  return trial;
}

}  // namespace dsbuild::bundle
