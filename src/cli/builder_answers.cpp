#include "cli/builder_answers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/json.h"
#include "base/text.h"

namespace dsbuild::cli {
namespace {

/// Words that say what is compiled to where, not how; and how many words more belong to each.
struct PlumbingRow {
  std::string_view word;
  std::size_t more;
};
constexpr std::array<PlumbingRow, 12> kPlumbing{{{"-c", 0},
                                                 {"-o", 1},
                                                 {"-MD", 0},
                                                 {"-MF", 1},
                                                 {"-x", 1},
                                                 {"-include", 1},
                                                 {"-ccbin", 1},
                                                 {"-isystem", 1},
                                                 {"-objtemp", 0},
                                                 {"-shared", 0},
                                                 {"-s", 0},
                                                 {"-Xcompiler", 1}}};

void add_once(const std::string& word, std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

class AnswerReader {
 public:
  AnswerReader(const plan::Plan& plan, const manifest::Catalog& catalog, const manifest::Op& op)
      : op_(op) {
    for (const plan::Step& step : plan.steps) steps_[step.id] = &step;
    if (!catalog.tree) return;
    tree_ = &*catalog.tree;
    for (const auto& [name, folder] : plan.paths) {
      if (folder == tree_->root.string()) root_ = "{" + name + "}";
    }
  }

  BuilderAnswers read(const plan::Entry& entry) const {
    BuilderAnswers answers;
    answers.accelerator = entry.accelerator;
    answers.variant = entry.variant;
    answers.absolute_name = op_.module;
    answers.is_compatible = entry.state == plan::EntryState::planned;
    if (entry.reason) {
      answers.reason = plan::with_hint(*entry.reason);
      answers.is_compatible = entry.reason->code == plan::ReasonCode::nothing_native;
    }
    if (entry.steps.empty()) {
      read_manifest(answers);
      return answers;
    }
    const plan::Step& link = *steps_.at(entry.steps.back());
    for (const std::string& id : entry.steps) {
      const plan::Step& step = *steps_.at(id);
      if (&step == &link) {
        read_link(step, answers);
      } else {
        read_compile(step, step.argv.front() == link.argv.front(), answers);
      }
    }
    return answers;
  }

 private:
  /// As it is called in a checkout.
  std::string tree_path(const std::string& path) const {
    if (root_.empty() || !lies_in(path, root_)) return path;
    return name_of(tree_->root.string() + path.substr(root_.size()));
  }
  std::string name_of(const std::filesystem::path& path) const {
    const bool inside = tree_ != nullptr && lies_in(path.string(), tree_->root.string());
    return inside ? tree_->name_of(path) : path.string();
  }

  /// What is not built has sources and folders all the same.
  void read_manifest(BuilderAnswers& answers) const {
    const auto add = [&](const std::filesystem::path& path, std::vector<std::string>& words) {
      add_once(name_of(path), words);
    };
    for (const manifest::ExtensionPart& part : op_.parts) {
      if (!part.on.contains(answers.accelerator) || !part.python.empty()) continue;
      for (const auto& source : part.binding) add(source, answers.sources);
      for (const auto& source : part.sources) add(source, answers.sources);
      for (const auto& folder : op_.options.include) add(folder, answers.include_paths);
      for (const auto& folder : part.options.include) add(folder, answers.include_paths);
    }
  }

  /// Those that say how: the command without its program and its plumbing.
  static std::vector<std::string> telling_words(const plan::Step& step) {
    std::vector<std::string> words;
    for (std::size_t i = 1; i < step.argv.size(); ++i) {
      const std::string& word = step.argv[i];
      const auto row = std::find_if(kPlumbing.begin(), kPlumbing.end(),
                                    [&](const PlumbingRow& r) { return r.word == word; });
      if (row != kPlumbing.end()) {
        i += row->more;
      } else if (word == "-gencode" && i + 1 < step.argv.size()) {
        words.push_back(word + "=" + step.argv[++i]);
      } else {
        words.push_back(word);
      }
    }
    return words;
  }

  void read_compile(const plan::Step& step, bool host, BuilderAnswers& answers) const {
    const std::string& source = step.inputs.front();
    for (std::size_t i = 0; i < step.sources; ++i)
      add_once(tree_path(step.inputs[i]), answers.sources);
    std::vector<std::string>& args = host ? answers.cxx_args : answers.nvcc_args;
    for (const std::string& word : telling_words(step)) {
      if (word.starts_with("-I")) {
        add_once(tree_path(word.substr(2)), answers.include_paths);
      } else if (word != source && !word.starts_with("-DTORCH_EXTENSION_NAME=")) {
        add_once(word, args);
      }
    }
  }

  void read_link(const plan::Step& step, BuilderAnswers& answers) const {
    for (const std::string& word : telling_words(step)) {
      if (word.starts_with('-')) add_once(word, answers.extra_ldflags);
    }
  }

  const manifest::Op& op_;
  std::map<std::string_view, const plan::Step*> steps_;
  const manifest::SourceTree* tree_ = nullptr;
  std::string root_;  ///< what the plan calls its root: "{root1}"
};

}  // namespace

std::vector<BuilderAnswers> find_builder_answers(const plan::Plan& plan,
                                                 const manifest::Catalog& catalog,
                                                 const manifest::Op& op) {
  const AnswerReader reader(plan, catalog, op);
  std::vector<BuilderAnswers> all;
  for (const plan::Entry& entry : plan.entries) {
    const bool left_out =
        entry.reason && entry.reason->code == plan::ReasonCode::accelerator_not_requested;
    // An arch that is left out of a module is no module of its own.
    const bool whole = entry.is_extension() ? entry.arch.empty() : true;
    if (entry.op == op.name && !left_out && whole) all.push_back(reader.read(entry));
  }
  return all;
}

Json to_json(const std::vector<BuilderAnswers>& answers) {
  Json list = Json::array();
  for (const BuilderAnswers& one : answers) {
    list.push_back({{"accelerator", one.accelerator},
                    {"variant", one.variant},
                    {"absolute_name", one.absolute_name},
                    {"sources", one.sources},
                    {"include_paths", one.include_paths},
                    {"cxx_args", one.cxx_args},
                    {"nvcc_args", one.nvcc_args},
                    {"extra_ldflags", one.extra_ldflags},
                    {"is_compatible", one.is_compatible},
                    {"reason", one.reason}});
  }
  return list;
}

std::vector<report::Section> describe_answers(const std::vector<BuilderAnswers>& answers) {
  std::vector<report::Section> sections;
  for (const BuilderAnswers& one : answers) {
    report::Section section{
        one.accelerator + (one.variant.empty() ? "" : " " + one.variant), {}, {}, {}};
    const auto add = [&section](std::string name, const std::vector<std::string>& words) {
      if (!words.empty()) section.rows.push_back({{std::move(name)}, {shell_join(words)}});
    };
    add("absolute_name", {one.absolute_name});
    add("sources", one.sources);
    add("include_paths", one.include_paths);
    add("cxx_args", one.cxx_args);
    add("nvcc_args", one.nvcc_args);
    add("extra_ldflags", one.extra_ldflags);
    section.rows.push_back({{"is_compatible"}, {one.is_compatible ? "yes" : "no"}});
    if (!one.reason.empty()) section.rows.push_back({{"reason"}, {one.reason}});
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace dsbuild::cli
