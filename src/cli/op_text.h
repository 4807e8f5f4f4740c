// An op as its manifest describes it, for people and as JSON.
// Knows the catalog's structs; nothing of any machine.
#pragma once

#include "base/json_fwd.h"
#include "manifest/catalog.h"
#include "report/document.h"

namespace dsbuild::cli {

report::Document describe_op(const manifest::Op& op);
Json op_to_json(const manifest::Op& op);

}  // namespace dsbuild::cli
