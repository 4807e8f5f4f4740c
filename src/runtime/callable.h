// Knows what a dsops_callable is: the tables of an op library in this library's own form.
// Does not know where the library came from, nor how a call is checked or run.
#pragma once

#include <string>
#include <vector>

#include "dsops/dsops.h"

namespace dsops::runtime {
struct Op;
}

/// A function of an op. `function` and `arguments` are copies of the op library's rows, with the
/// members that it does not have as zero.
struct dsops_callable {
  dsops::runtime::Op* op = nullptr;
  std::string label;  ///< "cpu_adam.adam"
  dsops_function function = {};
  std::vector<dsops_argument> arguments;
};
