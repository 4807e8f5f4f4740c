#include "plan/compile_words.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "plan/recipes.h"

namespace dsbuild::plan {
namespace {

namespace fs = std::filesystem;

using manifest::CompileOptions;

// Below a catalog root.
constexpr const char* kOpsFolder = "ops";
constexpr const char* kRuntimeHeaders = "src/runtime/include";

/// 17 of "-std=c++17", 98 being older than all: the years turn over in 2011.
int standard_year(std::string_view word) {
  word.remove_prefix(std::min(word.size(), word.rfind('+') + 1));
  int year = 0;
  std::from_chars(word.data(), word.data() + word.size(), year);
  return year >= 90 ? year - 100 : year;
}

void collect_standards(const std::vector<manifest::StepTemplate>& steps,
                       std::set<std::string>& standards) {
  for (const manifest::StepTemplate& step : steps) {
    for (const manifest::ArgTemplate& word : step.argv) {
      if (word.text.starts_with(kStandardFlag)) standards.insert(word.text);
    }
  }
}

std::set<std::string> manifest_standards(const manifest::Op& op) {
  std::set<std::string> standards;
  const auto collect = [&standards](const CompileOptions& options) {
    for (const auto& [tool, flags] : options.flags) {
      for (const std::string& flag : flags) {
        if (flag.starts_with(kStandardFlag)) standards.insert(flag);
      }
    }
  };
  collect(op.options);
  collect(op.host_options);
  for (const manifest::KernelSet& set : op.kernels) collect(set.options);
  return standards;
}

std::set<std::string> recipe_standards(const manifest::Op& op, const manifest::Catalog& catalog) {
  std::set<std::string> standards;
  const auto collect_objects = [&standards](const manifest::Accelerator& accelerator) {
    for (const auto& recipe : accelerator.toolchains) {
      if (recipe.object) collect_standards({*recipe.object}, standards);
    }
  };
  if (!op.host_sources.empty()) collect_objects(catalog.host());
  for (const manifest::KernelSet& set : op.kernels) {
    for (const auto& [name, filter] : set.on) {
      const manifest::Accelerator* accelerator = catalog.find_accelerator(name);
      if (accelerator == nullptr) continue;
      if (op.kind == manifest::OpKind::shared_library) {
        collect_objects(*accelerator);
        continue;
      }
      for (const auto& recipe : accelerator->toolchains) {
        for (const auto& [form, steps] : recipe.images) collect_standards(steps, standards);
      }
    }
  }
  return standards;
}

}  // namespace

std::vector<std::string> define_words(const OptionLayers& layers,
                                      const std::map<std::string, std::string>& instance) {
  std::map<std::string, std::string> defines;
  const auto add = [&defines](const std::map<std::string, std::string>& more) {
    for (const auto& [name, value] : more) defines[name] = value;
  };
  for (const CompileOptions* layer : layers) add(layer->defines);
  add(instance);
  std::vector<std::string> words;
  for (const auto& [name, value] : defines) {
    words.push_back("-D" + name + (value.empty() ? "" : "=" + value));
  }
  return words;
}

std::vector<std::string> include_words(const OptionLayers& layers, const manifest::Op& op,
                                       const manifest::Catalog& catalog, const SourcePaths& paths,
                                       bool common) {
  std::vector<std::string> words;
  const auto add = [&](const fs::path& folder) {
    std::string word = "-I" + paths.name(folder);
    if (std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(std::move(word));
  };
  for (const CompileOptions* layer : layers) {
    for (const fs::path& folder : layer->include) add(folder);
  }
  add(op.folder);
  if (common) {
    if (!op.root.empty()) add(op.root / kOpsFolder);
    add(catalog.roots.front() / kOpsFolder);
    add(catalog.roots.front() / kRuntimeHeaders);
  }
  return words;
}

std::vector<std::string> flag_words(const OptionLayers& layers, const std::string& tool) {
  std::vector<std::string> words;
  for (const CompileOptions* layer : layers) {
    const auto flags = layer->flags.find(tool);
    if (flags != layer->flags.end())
      words.insert(words.end(), flags->second.begin(), flags->second.end());
  }
  return words;
}

std::string find_standard(const manifest::Op& op, const manifest::Catalog& catalog,
                          Diagnostics& diagnostics) {
  const std::set<std::string> said = manifest_standards(op);
  if (said.size() > 1) {
    diagnostics.error(op.file.string(), "/flags",
                      "the op asks for " + *said.begin() + " and for " + *said.rbegin(),
                      "host and device code of an op are compiled with one language standard: "
                      "write the same for every tool");
  }
  if (!said.empty()) return *said.begin();
  const std::set<std::string> used = recipe_standards(op, catalog);
  const auto lowest = std::min_element(used.begin(), used.end(), [](const auto& a, const auto& b) {
    return standard_year(a) < standard_year(b);
  });
  return lowest == used.end() ? "" : *lowest;
}

}  // namespace dsbuild::plan
