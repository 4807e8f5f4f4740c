#include "plan/recipes.h"

#include <algorithm>

#include "base/text.h"
#include "plan/step_environment.h"

namespace dsbuild::plan {
namespace {

using manifest::ArgTemplate;
using manifest::StepTemplate;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string stem_of(const std::string& path) {
  const std::string_view name = name_of(path);
  return std::string(name.substr(0, name.rfind('.')));
}

void add_word(const std::string& word, const Values& values, std::vector<std::string>& words) {
  const bool alone = word.size() > 2 && word.front() == '{' && word.back() == '}';
  const std::vector<std::string>* list =
      alone ? values.find_list(std::string_view(word).substr(1, word.size() - 2)) : nullptr;
  if (list != nullptr) {
    words.insert(words.end(), list->begin(), list->end());
  } else {
    words.push_back(expand_text(word, values));
  }
}

bool uses(const StepTemplate& step, std::string_view placeholder) {
  return std::any_of(step.argv.begin(), step.argv.end(), [&](const ArgTemplate& word) {
    return word.text.find(placeholder) != std::string::npos;
  });
}

std::vector<std::string> expand_argv(const StepTemplate& step, const Values& values,
                                     const StepGroup& group) {
  std::vector<std::string> argv;
  for (const ArgTemplate& word : step.argv) {
    if (word.for_archs.empty()) {
      add_word(word.text, values, argv);
      continue;
    }
    for (const FatArch& fat : group.archs) {
      if (fat.form != word.for_form) continue;
      Values of_arch(&values);
      of_arch.set("arch", fat.arch.name);
      of_arch.set("number", manifest::arch_number_text(fat.arch));
      for (const std::string& item : word.for_archs) add_word(item, of_arch, argv);
    }
  }
  return argv;
}

/// Whether one command compiles for all archs.
bool is_for_archs(const StepTemplate& step) {
  return std::any_of(step.argv.begin(), step.argv.end(),
                     [](const ArgTemplate& word) { return !word.for_form.empty(); });
}

/// The scans of a step, each with a depfile of its own beside `out`.
std::vector<Scan> make_scans(const StepTemplate& step, const std::string& out, const Values& values,
                             const StepGroup& group) {
  std::vector<Scan> scans;
  for (const ArgTemplate& scan : step.scans) {
    for (const FatArch& fat : group.archs) {
      if (fat.form != scan.for_form) continue;
      const std::string depfile = out + "." + fat.arch.name + ".d";
      Values of_arch(&values);
      of_arch.set("arch", fat.arch.name);
      of_arch.set("number", manifest::arch_number_text(fat.arch));
      of_arch.set("depfile", depfile);
      scans.push_back({expand_words(scan.for_archs, of_arch), depfile});
    }
  }
  return scans;
}

/// A version script in ld's syntax: https://sourceware.org/binutils/docs/ld/VERSION.html
std::string render_exports(const std::vector<std::string>& symbols) {
  if (symbols.empty()) return "{ global: *; };\n";
  return "{\n  global: " + join(symbols, "; ") + ";\n  local: *;\n};\n";
}

/// One standard for all: the first word that chooses one gets it, others vanish.
void set_standard(std::vector<std::string>& argv, const std::string& standard) {
  const auto chooses = [](const std::string& word) { return word.starts_with(kStandardFlag); };
  const auto first = std::find_if(argv.begin(), argv.end(), chooses);
  if (first == argv.end() || standard.empty()) return;
  *first = standard;
  argv.erase(std::remove_if(first + 1, argv.end(), chooses), argv.end());
}

Step make_step(const StepTemplate& recipe, const std::vector<std::string>& inputs,
               const std::string& artifact, const StepGroup& group) {
  Values values(group.values);
  values.set("stem", stem_of(inputs.front()));
  const std::string out =
      artifact.empty() ? group.folder + "/" + expand_text(recipe.out, values) : artifact;
  Step step;
  if (recipe.depfile) step.depfile = out + ".d";
  values.set_list("in", inputs);
  values.set("out", out);
  values.set("depfile", step.depfile);
  const std::string exports = group.folder + "/exports.map";
  values.set("exports", exports);

  step.id = out.starts_with(kBuildFolder) ? out.substr(std::string_view(kBuildFolder).size()) : out;
  step.what = (artifact.empty() ? std::string(name_of(out)) : group.label) + " " + group.about;
  step.argv = expand_argv(recipe, values, group);
  set_standard(step.argv, group.standard);
  step.scans = make_scans(recipe, out, values, group);
  for (Scan& scan : step.scans) set_standard(scan.argv, group.standard);
  step.inputs_only = recipe.inputs_only;
  if (uses(recipe, "{exports}")) step.files[exports] = render_exports(group.exports);
  step.inputs = inputs;
  step.outputs = {out};
  const Choice& choice = *group.choice;
  if (choice.recipe != nullptr && is_for_archs(recipe))
    step.subprograms = choice.recipe->subprograms;
  step.toolchain = choice.toolchain->id;
  step.toolchain_identity = choice.toolchain->identity;
  std::vector<std::string> folders{folder_of(step.argv.front())};
  if (choice.host_compiler != nullptr) {
    folders.push_back(folder_of(choice.host_compiler->path));
    step.toolchain_identity += "+" + choice.host_compiler->identity;
  }
  std::erase_if(folders, [](const std::string& folder) { return !folder.starts_with('/'); });
  step.environment = make_step_environment(*group.user, folders);
  return step;
}

}  // namespace

const std::string* Values::find(std::string_view name) const {
  for (const auto& [key, text] : texts_) {
    if (key == name) return &text;
  }
  return base_ == nullptr ? nullptr : base_->find(name);
}

const std::vector<std::string>* Values::find_list(std::string_view name) const {
  for (const auto& [key, words] : lists_) {
    if (key == name) return words;
  }
  return base_ == nullptr ? nullptr : base_->find_list(name);
}

std::string expand_text(const std::string& text, const Values& values) {
  std::string expanded;
  std::size_t done = 0;
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos; ++open) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    const std::string* value =
        values.find(std::string_view(text).substr(open + 1, close - open - 1));
    if (value == nullptr) continue;
    expanded.append(text, done, open - done).append(*value);
    done = close + 1;
    open = close;
  }
  return expanded.append(text, done);
}

std::vector<std::string> expand_words(const std::vector<std::string>& words, const Values& values) {
  std::vector<std::string> expanded;
  for (const std::string& word : words) add_word(word, values, expanded);
  return expanded;
}

bool takes(const StepTemplate& step, const std::string& source) {
  return step.suffixes.empty() ||
         std::any_of(step.suffixes.begin(), step.suffixes.end(),
                     [&](const std::string& suffix) { return source.ends_with(suffix); });
}

std::vector<Step> make_steps(const std::vector<StepTemplate>& templates,
                             const std::vector<std::string>& inputs, const std::string& artifact,
                             const StepGroup& group) {
  std::vector<Step> steps;
  std::vector<std::string> current = inputs;
  for (const StepTemplate& recipe : templates) {
    const std::string& out = &recipe == &templates.back() ? artifact : std::string();
    std::vector<std::string> outputs;
    const auto add = [&](const std::vector<std::string>& in) {
      steps.push_back(make_step(recipe, in, out, group));
      outputs.push_back(steps.back().outputs.front());
    };
    if (recipe.each_source) {
      for (const std::string& source : current) {
        if (takes(recipe, source)) {
          add({source});
        } else {
          outputs.push_back(source);
        }
      }
    } else {
      add(current);
    }
    current = std::move(outputs);
  }
  return steps;
}

std::vector<std::string> outputs_of(const std::vector<Step>& steps) {
  std::vector<std::string> outputs;
  for (const Step& step : steps) outputs.push_back(step.outputs.front());
  return outputs;
}

Values make_toolchain_values(const Choice& choice) {
  Values values;
  for (const auto& [name, value] : choice.toolchain->values) values.set(name, value);
  const Version& version = *choice.toolchain->version;
  values.set("version", version.number());
  values.set("major", std::to_string(version.part(0)));
  values.set("minor", std::to_string(version.part(1)));
  if (choice.host_compiler != nullptr) values.set("host_cxx", choice.host_compiler->path);
  return values;
}

}  // namespace dsbuild::plan
