// Compiled only: the fake's calls and types are those of AMD's header.
#include <rocm_smi/rocm_smi.h>

#include "rocm_smi_types.h"
#include "same_shape.h"

using namespace fake::rocm_smi;

#define CALL(name, ...)                                                        \
  static_assert(guard::kSame<decltype(&name), rsmi_status_t (*)(__VA_ARGS__)>, \
                #name " has other arguments in AMD's header");
#include "rocm_smi_calls.h"

static_assert(sizeof(rsmi_status_t) == sizeof(int));
static_assert(static_cast<int>(RSMI_MEM_TYPE_VRAM) == vram);
static_assert(static_cast<int>(RSMI_SW_COMP_DRIVER) == driver);
static_assert(static_cast<int>(RSMI_STATUS_INVALID_ARGS) == invalid_arguments);
static_assert(static_cast<int>(RSMI_STATUS_NOT_SUPPORTED) == not_supported);
static_assert(sizeof(Version) == sizeof(rsmi_version_t));
static_assert(offsetof(Version, build) == offsetof(rsmi_version_t, build));
