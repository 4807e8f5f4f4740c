// What the makers of items share, whatever the op's kind. Knows the draft; no kind.
#pragma once

#include <string>
#include <vector>

#include "plan/draft.h"

namespace dsbuild::plan {

/// What filters take, all together: ">=sm_80 or sm_90a".
std::string describe(const std::vector<const manifest::ArchFilter*>& filters);

class ItemMaker {
 public:
  ItemMaker(Draft& draft, const manifest::Op& op) : draft_(draft), op_(op) {}

 protected:
  Item new_item(const manifest::Accelerator& accelerator, const std::string& form) const;
  /// One item for all that the op would have for the accelerator.
  void skip_whole(const manifest::Accelerator& accelerator, Reason reason, bool demanded = false);
  /// `taken`: what the op's sources are for, ">=sm_80".
  void skip_target(const manifest::Accelerator& accelerator, const Target& target,
                   const std::string& taken);
  /// An arch that the compiler of the whole library doesn't know.
  void skip_fat_arch(const Item& library, const Target& target, const manifest::ArchName& arch);
  /// Planned by its choice, or skipped: with the choice's reason, or because nothing is known to
  /// compile host code for on this machine, which each item needs.
  bool plan(Item& item) const;

  /// Which of the accelerator's toolchains will do; null when any will.
  static const VersionRange* toolchain_need(const manifest::Needs& needs,
                                            const manifest::Accelerator& accelerator);
  Reason no_kernel(const manifest::Accelerator& accelerator,
                   const std::vector<std::string>& own) const;
  Reason not_requested(const std::string& accelerator) const;
  const Targets& targets_of(const manifest::Accelerator& accelerator);
  std::optional<manifest::ArchName> arch_of(const manifest::ArchFilter& filter,
                                            const manifest::Accelerator& accelerator,
                                            const Target& target) const;
  /// "sm_90", "sm_90+ptx": each once.
  static void list_arch(const Target& target, const manifest::ArchName& arch, Item& item);

  Draft& draft_;
  const manifest::Op& op_;
};

}  // namespace dsbuild::plan
