// Puts a finished folder in the place of an older one, at once.
// Knows folders and renames; nothing of what is in them.
#pragma once

#include <filesystem>

namespace dsbuild::bundle {

/// `fresh` becomes `place`; what was there stands under the name `fresh` afterwards, or is gone.
/// Both are on one file system. At every moment one of the two stands whole at `place`, where the
/// file system can exchange folders (`may_exchange` false: as if it could not; then for a moment
/// nothing stands there). Throws Error(file_system), with the old one still in place.
void replace_folder(const std::filesystem::path& fresh, const std::filesystem::path& place,
                    bool may_exchange = true);

}  // namespace dsbuild::bundle
