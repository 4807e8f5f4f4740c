// What a bundle was made from, as a make rule: for a Makefile or Ninja file that calls dsbuild.
// Knows the plan's inputs and asks Ninja for the headers.
#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"

namespace dsbuild::cli {

/// `OUT/bundle.json: every source, header and manifest`, OUT as the user wrote it.
std::string render_depfile(Context& context, const plan::Plan& plan,
                           const manifest::Catalog& catalog, const std::filesystem::path& out,
                           const std::filesystem::path& build_folder,
                           const std::filesystem::path& ninja);

}  // namespace dsbuild::cli
