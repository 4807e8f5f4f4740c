#include "plan/translation.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "plan/recipes.h"

namespace dsbuild::plan {
namespace {

namespace fs = std::filesystem;

using manifest::StepTemplate;

constexpr const char* kScripts = "packaging/python";  // below the built-in root
constexpr std::size_t kFolderDigits = 12;

const StepTemplate& template_of(const Item& item) {
  return *item.choice.recipe->extension->translation;
}

class Translator {
 public:
  Translator(const Draft& draft, const Item& item, const StepGroup& group)
      : item_(item), group_(group), values_(group.values), root_(item.op->folder) {
    tools_ = draft.paths.name(draft.catalog.roots.front() / kScripts);
    values_.set("torch", item.torch->path);
    values_.set("torch_python", *item.torch->interpreter);
    values_.set("tools", tools_);
    group_.values = &values_;
    group_.folder = find_folder(draft);
    group_.standard.clear();
  }

  Step make(const fs::path& file, const std::string& name) const {
    Values values(&values_);
    values.set("path", file.lexically_relative(root_).string());
    StepGroup group = group_;
    group.values = &values;
    // Headers are translated as sources are; the suffixes say which sources bring that about.
    StepTemplate of_any_file = template_of(item_);
    of_any_file.suffixes.clear();
    Step step = std::move(make_steps({of_any_file}, {name}, "", group).front());
    step.toolchain_identity += "+" + item_.torch->identity;
    // A change of the script is a change of what it makes.
    for (const std::string& word : step.argv) {
      if (word.starts_with(tools_ + "/")) step.inputs.push_back(word);
    }
    return step;
  }

  const std::string& folder() const { return group_.folder; }

 private:
  /// Told by what makes the files, so that ops share them.
  std::string find_folder(const Draft& draft) const {
    Hasher hasher;
    hasher.field("root", draft.paths.name(root_))
        .field("toolchain", item_.choice.toolchain->identity)
        .field("torch", item_.torch->identity);
    for (const manifest::ArgTemplate& word : template_of(item_).argv)
      hasher.field("word", expand_text(word.text, values_));
    return std::string(kBuildFolder) + "obj/translated/" + hasher.hex().substr(0, kFolderDigits);
  }

  const Item& item_;
  StepGroup group_;
  Values values_;
  fs::path root_;
  std::string tools_;
};

}  // namespace

bool is_translated(const Item& item, const fs::path& source) {
  const auto& recipe = item.choice.recipe->extension;
  return recipe && recipe->translation && takes(*recipe->translation, source.native());
}

Translation translate(const Draft& draft, const Item& item, const manifest::ExtensionPart& part,
                      const fs::path& source, const StepGroup& group) {
  const Translator translator(draft, item, group);
  Translation made;
  made.folder = translator.folder();
  const auto add = [&](const fs::path& file) {
    made.steps.push_back(translator.make(file, draft.paths.name(file)));
    return made.steps.back().outputs.front();
  };
  made.source = add(source);
  const auto headers = part.headers.find(source);
  if (headers == part.headers.end()) return made;
  for (const fs::path& header : headers->second) made.headers.push_back(add(header));
  return made;
}

void put_translations_first(const std::string& folder, PartWords& words) {
  const std::string original = "-I" + words.source_root;
  std::vector<std::string> includes;
  for (std::string& word : words.includes) {
    if (lies_in(word, original)) includes.push_back("-I" + folder + word.substr(original.size()));
    includes.push_back(std::move(word));
  }
  words.includes = std::move(includes);
}

}  // namespace dsbuild::plan
