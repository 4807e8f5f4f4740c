// What the user wants, as values with where each came from. Knows no machine and no catalog.
#pragma once

#include <string>
#include <vector>

#include "base/system.h"

namespace dsbuild::plan {

/// One thing the user set, and where: a flag, an environment variable or a default.
struct Setting {
  std::string name;  ///< "arch", "accelerators", "ops"
  std::string value;
  std::string origin;  ///< "--arch", "TORCH_CUDA_ARCH_LIST", "default"
};

struct Request {
  std::vector<std::string> ops;           ///< empty: all of the catalog
  std::vector<std::string> accelerators;  ///< empty: all that can be compiled for
  std::string accelerators_origin;        ///< "--accelerators", "DS_ACCELERATOR" or "--for FILE"
  bool of_machines = false;    ///< they are those of machines (--for): an op need not have kernels
                               ///< for all of them
  std::vector<Setting> archs;  ///< --arch and the list variables, as they were written
  Environment environment;  ///< the user's; steps inherit those of step_environment.h and no others
  bool unity = true;        ///< sources may be compiled together where their op allows it
  bool keep_going =
      false;  ///< build what can be built even if something named can't (exit code stays)
};

}  // namespace dsbuild::plan
