// What makes numbers.cpp an op: a library without functions. The test calls the images itself.
#include "dsops/dsops.h"

extern "C" __attribute__((visibility("default"))) const dsops_library* dsops_library_v1() {
  static constexpr dsops_library kLibrary{
      sizeof(dsops_library), DSOPS_ABI_MAJOR, DSOPS_ABI_MINOR, 0, 0, nullptr};
  return &kLibrary;
}
