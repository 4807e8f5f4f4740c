// The name Json for headers that only pass one on. Its definition, slow to compile, is in json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace dsbuild {

/// Keys are sorted, so equal values dump to equal bytes.
using Json = nlohmann::json;

}  // namespace dsbuild
