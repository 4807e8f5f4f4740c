// Compiled only: the fake's calls and types are those of NVIDIA's header.
#include <cuda.h>

#include "cuda_types.h"
#include "same_shape.h"

using namespace fake::cuda;

#define CALL(name, ...)                                                   \
  static_assert(guard::kSame<decltype(&name), CUresult (*)(__VA_ARGS__)>, \
                #name " has other arguments in NVIDIA's header");
#include "cuda_calls.h"

static_assert(sizeof(CUresult) == sizeof(int) && sizeof(CUdevice) == sizeof(int));
static_assert(sizeof(Uuid) == sizeof(CUuuid));
static_assert(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID == bus);
static_assert(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID == device);
static_assert(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID == domain);
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == major);
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR == minor);
static_assert(CUDA_ERROR_INVALID_VALUE == 1 && CUDA_ERROR_NOT_INITIALIZED == 3);
static_assert(CUDA_ERROR_STUB_LIBRARY == 34);
static_assert(CUDA_ERROR_NO_DEVICE == 100 && CUDA_ERROR_INVALID_DEVICE == 101);
