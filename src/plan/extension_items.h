// A python_extension's op -> items: which torch, which parts count, which archs and level.
// Knows what the module becomes; nothing of commands.
#pragma once

#include "plan/draft.h"

namespace dsbuild::plan {

/// Adds the op's items to the draft: one module for each accelerator that the torch serves and each
/// level of host code.
void make_extension_items(Draft& draft, const manifest::Op& op);

/// Whether a part's source is compiled by the accelerator's compiler, not by the host's.
bool is_device_source(const Item& item, const manifest::Accelerator& host,
                      const std::filesystem::path& source);

}  // namespace dsbuild::plan
