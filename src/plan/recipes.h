// Descriptor templates -> steps. Knows placeholders and how steps follow one another;
// nothing of which toolchain or arch is right.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifest/arch_name.h"
#include "manifest/catalog.h"
#include "plan/plan.h"
#include "plan/toolchain_choice.h"

namespace dsbuild::plan {

/// Where outputs lie, as plans write it.
inline constexpr const char* kBuildFolder = "{build}/";

/// The flag that chooses a language standard.
inline constexpr const char* kStandardFlag = "-std=";

/// What placeholders stand for. A lookup goes to `base` for what isn't here. Names must outlive it.
class Values {
 public:
  explicit Values(const Values* base = nullptr) : base_(base) {}

  void set(std::string_view name, std::string text) { texts_.emplace_back(name, std::move(text)); }
  /// The words must outlive this.
  void set_list(std::string_view name, const std::vector<std::string>& words) {
    lists_.emplace_back(name, &words);
  }
  void set_list(std::string_view name, std::vector<std::string>&& words) = delete;
  const std::string* find(std::string_view name) const;
  const std::vector<std::string>* find_list(std::string_view name) const;

 private:
  const Values* base_;
  std::vector<std::pair<std::string_view, std::string>> texts_;
  std::vector<std::pair<std::string_view, const std::vector<std::string>*>> lists_;
};

/// Placeholders that `values` has are replaced; others ({build}, {src}: the emitter's) stay.
std::string expand_text(const std::string& text, const Values& values);

/// A word that is one list placeholder becomes the list's words; a list without words vanishes.
std::vector<std::string> expand_words(const std::vector<std::string>& words, const Values& values);

/// An arch of a fat object, and the form that it has there.
struct FatArch {
  std::string form;
  manifest::ArchName arch;
};

/// What the steps of one entry share.
struct StepGroup {
  const Choice* choice = nullptr;
  const Environment* user = nullptr;  ///< Request::environment
  std::string folder;                 ///< "{build}/obj/transformer/cuda/sm_90"
  std::string about;                  ///< for people, after a step's file: "transformer sm_90"
  std::string label;                  ///< for people, in place of the artifact's file: "cubin"
  std::string
      standard;  ///< the language standard of all compiles ("-std=c++17"); empty: the recipe's
  std::vector<FatArch> archs;        ///< what `for` words are repeated for
  std::vector<std::string> exports;  ///< what a link exports; empty: all that is visible
  const Values* values = nullptr;
};

/// Whether the step is for such a source.
bool takes(const manifest::StepTemplate& step, const std::string& source);

/// Steps of one template after the other; each takes what the one before made, the first one
/// `inputs`. When `artifact` is not empty it is the path of the last step's output, else templates
/// name all files, which lie in the group's folder.
std::vector<Step> make_steps(const std::vector<manifest::StepTemplate>& templates,
                             const std::vector<std::string>& inputs, const std::string& artifact,
                             const StepGroup& group);

/// First outputs, in order.
std::vector<std::string> outputs_of(const std::vector<Step>& steps);

/// Values of the toolchain: its own, its version, its host compiler.
Values make_toolchain_values(const Choice& choice);

}  // namespace dsbuild::plan
