/* Knows the memory layout of DLPack tensors, the form in which every array reaches an op.
 * Does not know ownership, Python capsules or what an op does with a tensor. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Our own declarations, layout-compatible with DLPack 1.x (https://dmlc.github.io/dlpack/latest/).
 * A program that also uses the official <dlpack/dlpack.h> includes that one first. */
#ifndef DLPACK_DLPACK_H_

/** Where a tensor's memory is. */
typedef struct DLDevice {
  int32_t device_type; /**< a DSOPS_DEVICE_ code */
  int32_t device_id;   /**< number of the device, 0 for host memory */
} DLDevice;

/** Type of one element. */
typedef struct DLDataType {
  uint8_t code;   /**< a DSOPS_CODE_ value */
  uint8_t bits;   /**< bits of one element: 8, 16, 32, 64 */
  uint16_t lanes; /**< 1; vectors are refused */
} DLDataType;

/** A borrowed view of an array; whoever made it owns data, shape and strides. */
typedef struct DLTensor {
  void* data;           /**< first byte of the allocation; NULL only if there are no elements */
  DLDevice device;      /**< where data lies */
  int32_t ndim;         /**< number of dimensions; 0 is a scalar */
  DLDataType dtype;     /**< element type */
  int64_t* shape;       /**< ndim lengths, in elements; may be NULL if ndim is 0 */
  int64_t* strides;     /**< ndim steps, in elements; NULL means compact and row-major */
  uint64_t byte_offset; /**< bytes from data to the first element */
} DLTensor;

#endif

/** Device codes: DLPack's own up to 999, ours from 1000. */
enum {
  DSOPS_DEVICE_AUTO = 0, /**< only in dsops_exec: take the device of the first tensor */
  DSOPS_DEVICE_CPU = 1,
  DSOPS_DEVICE_CUDA = 2,
  DSOPS_DEVICE_CUDA_HOST = 3, /**< pinned host memory */
  DSOPS_DEVICE_ROCM = 10,
  DSOPS_DEVICE_ROCM_HOST = 11, /**< pinned host memory */
  DSOPS_DEVICE_CUDA_MANAGED = 13,
  DSOPS_DEVICE_EMU = 1000 /**< GPU kernels emulated on the CPU; its tensors are host memory */
};

/** Values of DLDataType.code. */
enum {
  DSOPS_CODE_INT = 0,
  DSOPS_CODE_UINT = 1,
  DSOPS_CODE_FLOAT = 2,
  DSOPS_CODE_BFLOAT = 4,
  DSOPS_CODE_BOOL = 6
};

static_assert(sizeof(DLDevice) == 8, "DLPack: DLDevice has 8 bytes");
static_assert(sizeof(DLDataType) == 4, "DLPack: DLDataType has 4 bytes");
static_assert(sizeof(DLTensor) == 48, "DLPack: DLTensor has 48 bytes");
static_assert(offsetof(DLTensor, dtype) == 20, "DLPack: dtype is at byte 20");
static_assert(offsetof(DLTensor, byte_offset) == 40, "DLPack: byte_offset is at byte 40");

#ifdef __cplusplus
}
#endif
