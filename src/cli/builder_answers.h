// What an extension's plan says in the words of DeepSpeed's op builders: where its module goes, its
// sources, folders and flags, and whether it can be built. Knows the plan; touches nothing.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "manifest/catalog.h"
#include "plan/plan.h"
#include "report/document.h"

namespace dsbuild::cli {

/// The answers for one accelerator. Paths below the source tree are relative to it; a word that
/// several compiles have is there once.
struct BuilderAnswers {
  std::string accelerator;
  std::string variant;                     ///< the host code's level, where there are several
  std::string absolute_name;               ///< of the module
  std::vector<std::string> sources;        ///< empty: there is nothing native
  std::vector<std::string> include_paths;  ///< the op's own
  std::vector<std::string> cxx_args;       ///< of the host's compiler
  std::vector<std::string> nvcc_args;      ///< of the accelerator's compiler, whichever that is
  std::vector<std::string> extra_ldflags;
  bool is_compatible = false;  ///< it is built here, or there is nothing to build
  std::string reason;          ///< why not, or what it is instead
};

/// One for each of the op's entries in the plan.
std::vector<BuilderAnswers> find_builder_answers(const plan::Plan& plan,
                                                 const manifest::Catalog& catalog,
                                                 const manifest::Op& op);

Json to_json(const std::vector<BuilderAnswers>& answers);
std::vector<report::Section> describe_answers(const std::vector<BuilderAnswers>& answers);

}  // namespace dsbuild::cli
