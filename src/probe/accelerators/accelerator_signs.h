// Signs that an accelerator is here, as a descriptor's detection rules name them: files, commands,
// libraries, Python packages. Looks for files only; knows no accelerator.
#pragma once

#include <optional>
#include <string>

#include "manifest/catalog.h"
#include "probe/scene.h"

namespace dsbuild::probe {

/// What was found, to be told ("file /proc/driver/x/version (570.1)"), or nothing.
std::optional<std::string> find_sign(const Scene& scene, const manifest::DetectRule& rule);

/// What the rule looks for: "the command x-smi".
std::string describe_sign(const manifest::DetectRule& rule);

}  // namespace dsbuild::probe
