// Items -> steps: which sources, words and files go into which recipe. Knows items and recipes;
// decides nothing about toolchains or archs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/draft.h"

namespace dsbuild::plan {

/// What a manifest adds to the commands of one part of an op. Empty for a canary.
struct PartWords {
  std::vector<std::string> defines;
  std::vector<std::string> includes;
  std::vector<std::string> flags;
  std::vector<std::string> link_flags;
  std::vector<std::string> libraries;
  std::vector<std::string> exports;  ///< of a library; empty: all that is visible
  std::string source_root;           ///< what `{src}` stands for
  std::string standard;              ///< "-std=c++17"; empty: the recipe's
};

PartWords image_words(const Draft& draft, const Item& item);
/// `device`: the toolchain whose objects are in the same library, or null.
PartWords host_words(const Draft& draft, const manifest::Op& op, const Choice* device);
PartWords fat_words(const Draft& draft, const manifest::Op& op, const manifest::KernelSet& set,
                    const manifest::Accelerator& accelerator);

/// What placeholders of every step stand for, besides what the toolchain gives, which the values
/// refer to, as they do to the words.
Values make_values(const Draft& draft, const Values& toolchain, const PartWords& words,
                   const std::string& op);

/// Where and for whom some steps are made.
struct StepPlace {
  std::string folder;  ///< of what lies between: "{build}/obj/adam/cuda/sm_90"
  std::string
      artifact;  ///< path of what the last step makes; empty: named by the recipe, in the folder
  std::string about;  ///< "adam sm_90"
  std::string label;  ///< "cubin"
  std::string op;
};

std::vector<Step> image_steps(const Draft& draft, const Item& item, const PartWords& words,
                              const std::vector<std::string>& sources, const StepPlace& place);
/// `archs`: of device code, none for the host.
std::vector<Step> object_steps(const Draft& draft, const Choice& choice, const PartWords& words,
                               const std::vector<FatArch>& archs,
                               const std::vector<std::string>& sources, const StepPlace& place);
/// `device`: the toolchain whose objects are linked along, or null.
std::vector<Step> link_steps(const Draft& draft, const Choice& host, const Choice* device,
                             const PartWords& words, const std::vector<std::string>& objects,
                             const StepPlace& place);

/// All steps of a planned item, in order; the last one makes the artifact.
std::vector<Step> make_item_steps(const Draft& draft, const Item& item);

/// What loading the item's artifact needs, for the bundle.
std::map<std::string, std::string> find_load_needs(const Draft& draft, const Item& item);

}  // namespace dsbuild::plan
