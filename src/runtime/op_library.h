// Knows how to load an op's host library and to read its table, whatever minor version it has.
// Does not know bundles, images or calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/callable.h"

namespace dsops::runtime {

/// A loaded op. The strings of the tables are the library's; the tables are copies.
struct OpLibrary {
  ~OpLibrary();

  void* library = nullptr;
  dsops_op op = {};  ///< its functions are those of `callables`
  std::vector<dsops_function> functions;
  std::vector<std::unique_ptr<dsops_callable>> callables;
};

/// Loads the library of op `name` from `path`. Fails for a file that can't be loaded, that is no op
/// library, that is of another ABI, that holds no such op, or whose table is not complete.
std::int32_t load_op_library(const std::string& path, const std::string& name,
                             std::unique_ptr<OpLibrary>& out);

}  // namespace dsops::runtime
