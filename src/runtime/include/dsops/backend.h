/* Knows the table of functions by which ops and programs reach any device: dsops_backend.
 * Does not know any accelerator, nor how a backend finds its driver. */
#pragma once

#include "dsops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The backend's own: the kernels of an op loaded for a device, what dsops_exec.stream points to,
 * and a point on a stream. */
typedef struct dsops_image dsops_image;
typedef struct dsops_stream dsops_stream;
typedef struct dsops_event dsops_event;

/** What the runtime offers to ops and backends, which link nothing. */
typedef struct dsops_host {
  uint32_t struct_size;
  /** Sets the text of dsops_last_error() for this thread and returns status. With exec the text
   * begins with "op.function: "; exec is NULL outside a call. */
  int32_t (*fail)(const dsops_exec* exec, int32_t status, const char* format, ...)
      DSOPS_PRINTF(3, 4);
  /** Runs body for each range on exec's threads: its parallel_for, or the runtime's pool. */
  void (*parallel_for)(const dsops_exec* exec, int64_t ranges,
                       void (*body)(void* context, int64_t range), void* context);
} dsops_host;

/** Facts of one device. The caller sets struct_size; the backend fills what it knows, 0 or "" is
 * unknown. */
typedef struct dsops_device_properties {
  uint32_t struct_size;
  uint32_t dtypes;       /**< element types that its ops can compute with, DSOPS_F32 | ... */
  uint64_t total_memory; /**< bytes */
  int32_t compute_units; /**< multiprocessors, compute units or logical CPUs this process may use */
  int32_t max_threads_per_block; /**< 0 if the backend has no blocks */
  char name[128];                /**< as the vendor calls it */
  char arch[64];                 /**< compile target: "x86-64-v3", "sm_90", "gfx942" */
} dsops_device_properties;

/** Direction of a copy. */
enum { DSOPS_HOST_TO_DEVICE = 1, DSOPS_DEVICE_TO_HOST = 2, DSOPS_DEVICE_TO_DEVICE = 3 };

/** One launch of one kernel, the same form for every backend.
 * CPU: [0, items) is split in contiguous ranges of whole blocks of items_per_block; the kernel is
 *   void NAME(const ARGS*, int64_t begin, int64_t end), called once per range.
 * GPU and emu: ceil(items / items_per_block) blocks of threads_per_block run NAME(ARGS). */
typedef struct dsops_launch {
  uint32_t struct_size;
  int32_t items_per_block;   /**< at least 1 */
  int32_t threads_per_block; /**< 1 to 1024; ignored by cpu */
  uint32_t reserved;         /**< 0 */
  const char* kernel;        /**< name of the extern "C" kernel in the image */
  const void* args; /**< one plain struct, copied before launch returns if it is needed longer */
  size_t args_size; /**< bytes at args */
  int64_t items;    /**< work items; 0 launches nothing and is no error */
  int64_t grain;    /**< cpu: fewest items worth a thread of their own; 0: items_per_block */
} dsops_launch;

/** A kind of device. Every function returns a status and sets a text through host->fail when it is
 * not DSOPS_OK; none is NULL: what a backend can't do answers DSOPS_UNSUPPORTED. All are safe to
 * call from any thread. */
typedef struct dsops_backend {
  uint32_t struct_size;
  uint16_t abi_major; /**< DSOPS_ABI_MAJOR */
  uint16_t abi_minor;
  const char* name;      /**< accelerator, and the folder of its images: images/<op>/<name>/ */
  int32_t device_type;   /**< code by which dsops_exec names it */
  uint32_t memory_types; /**< 1u << code for each DLPack device code that its kernels can reach */
  const char* visible_devices_variable; /**< environment variable that hides devices; NULL: none */
  const char* communication_library;    /**< "gloo", "nccl"; NULL: none */

  int32_t (*device_count)(int32_t* count);
  int32_t (*device_properties)(int32_t device, dsops_device_properties* out);

  /* Memory of a device. bytes 0 gives a pointer that can be freed. */
  int32_t (*memory_info)(int32_t device, uint64_t* free_bytes, uint64_t* total_bytes);
  int32_t (*memory_alloc)(int32_t device, size_t bytes, void** out);
  int32_t (*memory_free)(int32_t device, void* memory);
  /** Ordered on stream; the memory must stay until the stream has come there. */
  int32_t (*memory_copy)(int32_t device, void* to, const void* from, size_t bytes,
                         int32_t direction, dsops_stream* stream);

  /* Streams and events. NULL is the default stream. */
  int32_t (*stream_create)(int32_t device, dsops_stream** out);
  int32_t (*stream_destroy)(int32_t device, dsops_stream* stream);
  int32_t (*stream_synchronize)(int32_t device, dsops_stream* stream);
  int32_t (*stream_wait)(int32_t device, dsops_stream* stream, dsops_event* event);
  int32_t (*event_create)(int32_t device, dsops_event** out);
  int32_t (*event_destroy)(int32_t device, dsops_event* event);
  int32_t (*event_record)(int32_t device, dsops_event* event, dsops_stream* stream);
  int32_t (*event_synchronize)(int32_t device, dsops_event* event);
  /** Seconds between two recorded events that are both reached. */
  int32_t (*event_elapsed)(int32_t device, dsops_event* begin, dsops_event* end, double* seconds);
  int32_t (*synchronize)(int32_t device);

  /** Loads the image in `folder` (images/<op>/<name>) that fits the device best. The text of a
   * failure says which images were looked at and why none fits. */
  int32_t (*image_load)(int32_t device, const char* folder, dsops_image** out);
  int32_t (*image_unload)(dsops_image* image);
  /** Runs a kernel of exec->image on exec's device and stream. */
  int32_t (*launch)(const dsops_exec* exec, const dsops_launch* launch);
} dsops_backend;

/** The only symbol of a backend library, dsops_backend_v1. host stays valid. NULL: it can't work
 * here, after host->fail. */
typedef const dsops_backend* (*dsops_backend_v1_function)(const dsops_host* host);

#ifdef __cplusplus
}
#endif
