// What only a report tells of a host, as sections: frameworks, libraries, limits. Knows how each is
// told, not how it is found.
#pragma once

#include "probe/survey.h"
#include "report/document.h"

namespace dsbuild::report {

/// One row per framework and Python environment; of DeepSpeed also the ops that it claims, and
/// those of them that have no file.
Section frameworks_section(const probe::Survey& survey);
/// Those that are here; below, those that aren't, with the package that brings each.
Section libraries_section(const probe::Survey& survey);
/// Shared memory, folders that builds write into, ulimits.
Section limits_section(const probe::Survey& survey);

}  // namespace dsbuild::report
