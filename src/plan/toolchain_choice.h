// Which toolchain builds what: the first one that can, or why none can.
// Knows toolchains and recipes; nothing of ops, of requests or of commands.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "manifest/catalog.h"
#include "plan/plan.h"
#include "plan/reasons.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// What a toolchain must be able to do.
struct Want {
  const manifest::Accelerator* accelerator = nullptr;
  std::string form;  ///< of the image; kObjectForm: objects (of the host: and libraries);
                     ///< kExtensionForm: those of extensions
  std::string arch;  ///< canonical name; empty: any
  bool vendor_headers = false;  ///< the sources are not freestanding
  /// What the op and the kernel set need of the toolchain; null: nothing.
  std::array<const VersionRange*, 2> versions{};
  const probe::Torch* torch = nullptr;  ///< whose extensions it is for; null: none
  bool any_release = false;  ///< another major release than what that torch was built with is taken
};

inline constexpr const char* kObjectForm = "object";

/// A toolchain and the recipe to use it by, or the reason why there is none.
struct Choice {
  const probe::Toolchain* toolchain = nullptr;
  const manifest::ToolchainRecipe* recipe = nullptr;
  const probe::Toolchain* host_compiler = nullptr;  ///< when the recipe calls one
  std::optional<Reason> reason;                     ///< when there is no toolchain
  bool demanded = false;  ///< the user named the toolchain that can't do it

  explicit operator bool() const { return toolchain != nullptr; }
};

/// Chooses and remembers. The catalog and the machine must outlive it.
class ToolchainChooser {
 public:
  ToolchainChooser(const manifest::Catalog& catalog, const probe::Machine& machine);

  /// Recipes in order; in a kind the machine's order, kinds in the order in which descriptors probe
  /// them. A toolchain that the user demanded is the only one for its accelerator: nothing falls
  /// back from it. For a torch, one of the release that it was built with comes first. One demanded
  /// by the flag is stronger than one demanded by a variable. The reference stays good until
  /// `exclude` is called.
  const Choice& choose(const Want& want);

  /// The toolchain is not to be used for the accelerator any more, and why.
  void exclude(const std::string& accelerator, const std::string& toolchain, Reason reason);

  /// Sentences on what was not chosen as one would expect, each once.
  std::vector<std::string> notes() const;

 private:
  struct Candidate {
    const probe::Toolchain* toolchain;
    const manifest::ToolchainRecipe* recipe;
  };
  /// Accelerator, form, arch, vendor headers, texts of the version ranges and of the torch.
  using Key = std::tuple<std::string, std::string, std::string, bool, std::string>;

  const std::vector<Candidate>& candidates(const manifest::Accelerator& accelerator);
  std::vector<Candidate> sort_for(const Want& want);
  Choice make_choice(const Want& want);
  /// What keeps the candidate from doing it; nothing: `host_compiler` is set where one is called.
  std::optional<Reason> find_miss(const Want& want, const Candidate& candidate,
                                  const probe::Toolchain*& host_compiler);
  std::optional<Reason> find_host_compiler(const probe::Toolchain& toolchain,
                                           const probe::Toolchain*& host_compiler);
  Reason unusable(const probe::Toolchain& toolchain, const std::string& hint) const;
  Reason absent(const Want& want) const;
  Reason barred(const Want& want, const std::vector<Candidate>& all) const;
  void note_torch(const Want& want, const probe::Toolchain& toolchain);
  void note_fallback(const manifest::Accelerator& accelerator, const Candidate& from,
                     const Candidate& to);

  const manifest::Catalog& catalog_;
  const probe::Machine& machine_;
  std::map<std::string, std::vector<Candidate>> candidates_;
  std::map<Key, Choice> choices_;
  std::map<std::pair<std::string, std::string>, Reason> excluded_;
  std::map<std::string, std::string> notes_;
};

/// An accelerator's toolchain when no op is known: of images, or, where none are made, of
/// extensions.
const Choice& choose_usual(const manifest::Accelerator& accelerator, ToolchainChooser& chooser);

/// "nvcc-13.0.88 at /usr/local/cuda-13.0".
std::string describe(const probe::Toolchain& toolchain);

/// Whether it compiles for the arch.
bool offers(const probe::Toolchain& toolchain, const std::string& arch);

}  // namespace dsbuild::plan
