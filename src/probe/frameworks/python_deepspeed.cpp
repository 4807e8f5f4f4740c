#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "probe/frameworks/frameworks.h"
#include "probe/frameworks/python_values.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using Text = Fact<std::string>;

/// Where DeepSpeed imports each prebuilt op from: absolute_name() of its builders, below its own
/// folder, as a path without suffix (the one in inference/v2 lacks a dot there).
/// https://github.com/deepspeedai/DeepSpeed/tree/master/op_builder
struct OpRow {
  std::string_view name;
  std::string_view module;
};
constexpr std::array<OpRow, 28> kOps{{
    {"async_io", "ops/aio/async_io_op"},
    {"cpu_adagrad", "ops/adagrad/cpu_adagrad_op"},
    {"cpu_adam", "ops/adam/cpu_adam_op"},
    {"cpu_lion", "ops/lion/cpu_lion_op"},
    {"cutlass_ops", "inference/v2/kernels/cutlass_ops/cutlass_ops"},
    {"dc", "ops/dc_op"},
    {"deepspeed_ccl_comm", "ops/comm/deepspeed_ccl_comm_op"},
    {"deepspeed_shm_comm", "ops/comm/deepspeed_shm_comm_op"},
    {"evoformer_attn", "ops/evoformer_attn_op"},
    {"flash_attn", "ops/flash_attn_op"},
    {"fp_quantizer", "ops/fp_quantizer/fp_quantizer_op"},
    {"fused_adam", "ops/adam/fused_adam_op"},
    {"fused_lamb", "ops/lamb/fused_lamb_op"},
    {"fused_lion", "ops/lion/fused_lion_op"},
    {"gds", "ops/gds/gds_op"},
    {"inference_core_ops", "inference/v2/kernelsinference_core_ops"},
    {"pack_bits", "ops/pack_bits_op"},
    {"pin_memory", "ops/pin_memory/pin_memory_op"},
    {"quantizer", "ops/quantizer/quantizer_op"},
    {"ragged_device_ops", "inference/v2/kernels/ragged_ops/ragged_device_ops"},
    {"ragged_ops", "inference/v2/ragged_ops"},
    {"random_ltd", "ops/random_ltd_op"},
    {"sparse_attn", "ops/sparse_attention/sparse_attn_op"},
    {"spatial_inference", "ops/spatial/spatial_inference_op"},
    {"stochastic_transformer", "ops/transformer/stochastic_transformer_op"},
    {"transformer", "ops/transformer/transformer_op"},
    {"transformer_inference", "ops/transformer/inference/transformer_inference_op"},
    {"utils", "ops/utils_op"},
}};

/// What it lists where an accelerator has no such op.
bool is_placeholder(std::string_view name) {
  return name == "deepspeed_not_implemented" || name == "not_implemented";
}

/// Suffixes of extension modules: importlib.machinery.EXTENSION_SUFFIXES.
bool is_importable(std::string_view suffix, const Fact<Version>& python) {
  if (suffix == ".so" || suffix == ".abi3.so") return true;
  if (!python || !suffix.starts_with(".cpython-")) return false;
  return suffix.starts_with(fmt::format(".cpython-{}{}-", python->part(0), python->part(1)));
}

Text find_op_file(const System& system, const fs::path& folder, const std::string& name,
                  const Fact<Version>& python) {
  const auto row =
      std::find_if(kOps.begin(), kOps.end(), [&name](const OpRow& op) { return op.name == name; });
  if (row == kOps.end()) return Text::missing("dsbuild doesn't know where its file would be");
  const fs::path module = folder / row->module;
  const std::string stem = module.filename().string();
  std::string others;
  for (const std::string& file : system.list_folder(module.parent_path())) {
    if (!file.starts_with(stem + ".") || !file.ends_with(".so")) continue;
    const fs::path path = module.parent_path() / file;
    if (!is_importable(std::string_view(file).substr(stem.size()), python)) {
      others += (others.empty() ? "" : ", ") + file;
      continue;
    }
    // https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
    if (system.read_start(path, 4) != "\177ELF") {
      return Text::missing("it is no ELF file", path.string());
    }
    return Text::known(path.string(), "file");
  }
  const std::string where = module.string() + ".so";
  if (!others.empty()) return Text::missing("only for another Python: " + others, where);
  return Text::missing("no such file", where);
}

}  // namespace

void read_deepspeed(const System& system, const fs::path& folder, Framework& framework) {
  const std::string file = (folder / "git_version_info_installed.py").string();
  const auto text = system.read_file(file);
  prefer_own_version(text, "version", file, framework);
  for (const char* name : {"git_hash", "git_branch", "accelerator_name"}) {
    framework.details[name] = text ? read_value(*text, name, file)
                                   : Text::missing("not there: ops are built when used", file);
  }
  if (!text) return;
  const Json built_with = parse_python_value(*text, "torch_info").value_or(Json::object());
  const std::array<std::pair<const char*, const char*>, 4> kBuiltWith{{{"torch", "version"},
                                                                       {"cuda", "cuda_version"},
                                                                       {"hip", "hip_version"},
                                                                       {"nccl", "nccl_version"}}};
  for (const auto& [name, key] : kBuiltWith) {
    const bool is_text = built_with.is_object() && built_with.value(key, Json()).is_string();
    // setup.py writes 0.0 for what torch was built without.
    const std::string value = is_text ? built_with[key].get<std::string>() : "0.0";
    framework.details[fmt::format("built_with_{}", name)] =
        value == "0.0" ? Text::missing(fmt::format("built without {}", name), file)
                       : Text::known(value, file);
  }
  const Json ops = parse_python_value(*text, "installed_ops").value_or(Json::object());
  if (!ops.is_object()) return;
  for (const auto& [name, value] : ops.items()) {
    if (is_placeholder(name)) continue;
    // True, or 1 in older ones.
    const bool claimed = value.is_boolean() ? value.get<bool>() : value.is_number() && value != 0;
    framework.ops.push_back({name, claimed, find_op_file(system, folder, name, framework.python)});
  }
}

}  // namespace dsbuild::probe
