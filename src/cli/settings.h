// Every environment variable that dsbuild obeys: the one table behind the program, `help settings`
// and the documents. Knows how to read their values, not what is done with them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/system.h"
#include "manifest/catalog.h"

namespace dsbuild::cli {

/// A variable, the flag that says the same, and what it means. A flag beats its variable.
struct SettingRow {
  std::string variable;
  std::string flag;  ///< empty: only the variable
  std::string meaning;
};

/// dsbuild's own rows and those that the catalog's descriptors bring.
std::vector<SettingRow> all_settings(const manifest::Catalog& catalog);

/// Misspelt DSBUILD_* variables, with the nearest name: warnings.
void check_variables(const Environment& environment, Diagnostics& diagnostics);

/// A whole number of at least 1, from `name`. Empty and unset are nothing; anything else is a
/// diagnostic.
std::optional<int> read_count(const std::string& name, const std::string& value,
                              Diagnostics& diagnostics);

}  // namespace dsbuild::cli
