/* Knows dsops ABI 1: what an op library exports, and what a program calls to open a bundle and run
 * an op. Does not know any op, device or image format; devices are in backend.h, help for op
 * authors in op.h. */
#pragma once

#include "dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Growth: every struct that says struct_size begins with it and only ever grows at its end. A
 * reader ignores what it does not know and takes what is missing as zero. Arrays of such structs
 * are walked by the struct_size of their first element. A change of DSOPS_ABI_MAJOR is another ABI.
 */
#define DSOPS_ABI_MAJOR 1
#define DSOPS_ABI_MINOR 0

#ifndef DSOPS_API
#if defined(__GNUC__)
#define DSOPS_API __attribute__((visibility("default")))
#define DSOPS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DSOPS_API
#define DSOPS_PRINTF(text, first)
#endif
#endif

/** What every call returns. A text that names the cause is in dsops_last_error(). */
enum {
  DSOPS_OK = 0,
  DSOPS_INVALID = -1,     /**< an argument, path or variable is wrong */
  DSOPS_UNSUPPORTED = -2, /**< right, but not for this dtype, device, CPU or version */
  DSOPS_WORKSPACE = -3,   /**< exec.workspace is too small; see dsops_workspace_size() */
  DSOPS_RUNTIME = -4,     /**< the system or a driver failed: no memory, a file can't be loaded */
  DSOPS_NOT_FOUND = -5    /**< no such bundle, op, function, image, kernel or backend */
};

/* Values. */

/** Kind of a value or of an argument. The numbers are those of TVM-FFI where it has the kind. */
enum {
  DSOPS_NONE = 0,         /**< left out: the default is taken */
  DSOPS_INT = 1,          /**< int64 */
  DSOPS_BOOL = 2,         /**< 0 or 1 in i64 */
  DSOPS_FLOAT = 3,        /**< double */
  DSOPS_HANDLE = 4,       /**< a pointer that only the op understands */
  DSOPS_TENSOR = 7,       /**< const DLTensor* */
  DSOPS_STRING = 8,       /**< UTF-8, ends with 0 */
  DSOPS_TENSOR_LIST = 100 /**< const dsops_tensor_list* */
};

/** Bits of dsops_value.flags. */
enum {
  DSOPS_READ_ONLY = 1 /**< the tensor, or some tensor of the list, must not be written to */
};

/** Tensors for one argument. The caller owns the list and all that it points to. */
typedef struct dsops_tensor_list {
  uint32_t struct_size;
  uint32_t reserved;              /**< 0 */
  int64_t count;                  /**< number of tensors; 0 is allowed */
  const DLTensor* const* tensors; /**< count pointers, none NULL */
} dsops_tensor_list;

/** One argument of a call: 16 bytes, never grows. What it points to stays the caller's. */
typedef struct dsops_value {
  uint32_t kind;  /**< DSOPS_NONE ... DSOPS_TENSOR_LIST */
  uint32_t flags; /**< DSOPS_READ_ONLY or 0 */
  union {
    int64_t i64;
    double f64;
    void* handle;
    const char* string;
    const DLTensor* tensor;
    const dsops_tensor_list* list;
  } as;
} dsops_value;

static_assert(sizeof(dsops_value) == 16, "dsops ABI 1: a value has 16 bytes");

/** Runs body(body_context, i) once for each i in [0, ranges), in any order, on any threads, and
 * returns when all have returned. */
typedef void (*dsops_parallel_for)(void* context, int64_t ranges,
                                   void (*body)(void* body_context, int64_t range),
                                   void* body_context);

/** Where and how a call runs. The caller begins with DSOPS_EXEC_INIT and sets what it wants; the
 * runtime hands the op a copy that has the last members too. */
typedef struct dsops_exec {
  uint32_t struct_size;
  int32_t num_threads;   /**< host threads; 0: all CPUs of this process. An op gets 1 or more */
  int32_t device_type;   /**< DSOPS_DEVICE_AUTO or a device code */
  int32_t device_id;     /**< number of the device */
  void* stream;          /**< the device's; NULL: its default stream. An op never waits for it */
  void* workspace;       /**< scratch memory on the device, the caller's */
  size_t workspace_size; /**< bytes at workspace */
  dsops_parallel_for parallel_for; /**< the caller's threads; NULL: the runtime's pool */
  void* parallel_for_context;      /**< given to parallel_for */

  /* Filled by the runtime for the op; what a caller leaves here is ignored. */
  const struct dsops_host* host;         /**< services of the runtime (backend.h) */
  const struct dsops_backend* backend;   /**< the device's table of functions (backend.h) */
  struct dsops_image* image;             /**< the op's kernels, loaded for the device */
  const struct dsops_callable* callable; /**< what is being called, for error texts */
} dsops_exec;

#define DSOPS_EXEC_INIT \
  { sizeof(dsops_exec), 0, DSOPS_DEVICE_AUTO, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL }

/* What an op library exports. */

/** Bits of a set of element types. */
enum {
  DSOPS_F32 = 1 << 0,
  DSOPS_F16 = 1 << 1,
  DSOPS_BF16 = 1 << 2,
  DSOPS_F64 = 1 << 3,
  DSOPS_I8 = 1 << 4,
  DSOPS_I16 = 1 << 5,
  DSOPS_I32 = 1 << 6,
  DSOPS_I64 = 1 << 7,
  DSOPS_U8 = 1 << 8,
  DSOPS_U16 = 1 << 9,
  DSOPS_U32 = 1 << 10,
  DSOPS_U64 = 1 << 11,
  DSOPS_BOOL8 = 1 << 12
};

/** How a function uses a tensor argument. */
enum { DSOPS_IN = 1, DSOPS_OUT = 2, DSOPS_INOUT = 3 };

/** Bits of dsops_argument.flags. */
enum {
  DSOPS_ARG_OPTIONAL = 1, /**< may be left out without a default: the op gets DSOPS_NONE */
  DSOPS_ARG_MAY_ALIAS = 2 /**< written; may be the very memory of one that is only read */
};

/** One argument of a function. Before an op is called the runtime has checked, with this table:
 * kind, dtype, device, contiguity, alignment to the element, that what is written is writable, that
 * no memory that is written overlaps another argument's, and that floats are finite. Shapes and
 * values are the op's to check. */
typedef struct dsops_argument {
  uint32_t struct_size;
  uint32_t kind;             /**< DSOPS_INT ... DSOPS_TENSOR_LIST */
  uint32_t direction;        /**< DSOPS_IN, DSOPS_OUT or DSOPS_INOUT; DSOPS_IN if not a tensor */
  uint32_t flags;            /**< DSOPS_ARG_ bits */
  uint64_t dtypes;           /**< allowed element types, a set of bits; 0 if not a tensor */
  const char* name;          /**< an identifier */
  const char* shape;         /**< shape rule for people, such as "[rows, hidden]"; may be NULL */
  const char* doc;           /**< one sentence, without the final dot; may be NULL */
  dsops_value default_value; /**< taken when the argument is left out; DSOPS_NONE: must be given */
} dsops_argument;

/** One function of an op. */
typedef struct dsops_function {
  uint32_t struct_size;
  uint32_t argument_count;
  const char* name;                /**< an identifier, unique in its op */
  const char* doc;                 /**< first line: a summary; the formula belongs here */
  const dsops_argument* arguments; /**< argument_count of them */
  /** Checks shapes and values, launches, returns a status (from exec->host->fail() if not 0). args
   * has exactly argument_count values, checked, with defaults filled in. Never waits, prints,
   * aborts or throws. */
  int32_t (*call)(const dsops_exec* exec, const dsops_value* args);
  /** Bytes of exec.workspace that call() would need for these args; NULL: none. */
  int32_t (*workspace_size)(const dsops_exec* exec, const dsops_value* args, size_t* bytes);
} dsops_function;

/** An op: a named unit of kernels. */
typedef struct dsops_op {
  uint32_t struct_size;
  uint32_t function_count;
  const char* name;    /**< as in its manifest: "cpu_adam" */
  const char* version; /**< of the op: "1.0.0" */
  const char* summary; /**< one sentence */
  const dsops_function* functions;
} dsops_op;

/** What dsops_library_v1() returns; static data of the library. */
typedef struct dsops_library {
  uint32_t struct_size;
  uint16_t abi_major; /**< DSOPS_ABI_MAJOR as the library was built */
  uint16_t abi_minor;
  uint32_t op_count;
  uint32_t reserved; /**< 0 */
  const dsops_op* ops;
} dsops_library;

/** The only symbol of an op library. Does no work. */
typedef const dsops_library* (*dsops_library_v1_function)(void);

/* What a program calls. */

typedef struct dsops_bundle dsops_bundle;     /**< an open bundle */
typedef struct dsops_callable dsops_callable; /**< a function of an op of an open bundle */

/** The ABI of this libdsops: major * 65536 + minor. */
DSOPS_API uint32_t dsops_abi_version(void);

/** Text of the last call of this thread that did not return DSOPS_OK: op, argument, expected, got.
 * Never NULL; good until this thread's next failing call. */
DSOPS_API const char* dsops_last_error(void);

/** Name of a status, such as "invalid"; "unknown status" for others. Static. */
DSOPS_API const char* dsops_status_name(int32_t status);

/** Opens a bundle folder. path NULL: the folder in DSOPS_BUNDLE; without that variable, the bundle
 * that libdsops lies in. The current folder is never searched. *out is NULL on failure. */
DSOPS_API int32_t dsops_bundle_open(const char* path, dsops_bundle** out);

/** Closes a bundle; its callables and descriptors are invalid then. No call may be running. NULL is
 * allowed. */
DSOPS_API void dsops_bundle_close(dsops_bundle* bundle);

/** Absolute path of the bundle; the bundle's. */
DSOPS_API const char* dsops_bundle_path(const dsops_bundle* bundle);

/** Number of ops, and the name of each in sorted order (the bundle's; NULL out of range). Loads
 * nothing. */
DSOPS_API int32_t dsops_bundle_op_count(const dsops_bundle* bundle);
DSOPS_API const char* dsops_bundle_op_name(const dsops_bundle* bundle, int32_t index);

/** Accelerators that an op has images for: names, sorted, separated by ", "; "none" if
 * there are none. The bundle's; NULL if there is no such op. */
DSOPS_API const char* dsops_bundle_op_accelerators(dsops_bundle* bundle, const char* op);

/** Loads the host library of an op and gives its table. Loads no image. */
DSOPS_API int32_t dsops_bundle_op(dsops_bundle* bundle, const char* op, const dsops_op** out);

/** Finds a function of an op, loading the op's host library if that was not done. The bundle owns
 * *out. */
DSOPS_API int32_t dsops_find(dsops_bundle* bundle, const char* op, const char* function,
                             dsops_callable** out);

/** Table of what a callable is. */
DSOPS_API const dsops_function* dsops_describe(const dsops_callable* callable);

/** Checks the first `count` arguments, takes defaults for the rest, and calls. The first call for a
 * device loads the op's image for it. exec NULL: all defaults. Can be called by many threads at
 * once. */
DSOPS_API int32_t dsops_call(dsops_callable* callable, const dsops_exec* exec,
                             const dsops_value* args, uint32_t count);

/** Bytes of exec.workspace that the same dsops_call() would need. */
DSOPS_API int32_t dsops_workspace_size(dsops_callable* callable, const dsops_exec* exec,
                                       const dsops_value* args, uint32_t count, size_t* bytes);

/** The accelerator of this process and why it was chosen. The caller sets struct_size. */
typedef struct dsops_accelerator {
  uint32_t struct_size;
  int32_t device_type;  /**< for dsops_exec */
  int32_t device_count; /**< devices of it that this process sees */
  const char* name;     /**< "cpu", "emu", ...; static */
  char rule[256];       /**< which rule decided: "DS_ACCELERATOR=emu", or what was tried before */
} dsops_accelerator;

/** DS_ACCELERATOR if it is set (an unknown or unusable name is an error, never another
 * accelerator); else the first backend with a device, in the order of dsops_backend_at(), but emu;
 * cpu if there is none. */
DSOPS_API int32_t dsops_get_accelerator(dsops_accelerator* out);

/** Backends: the built-in ones and those added by dsops_backend_load(). */
DSOPS_API int32_t dsops_backend_count(void);
DSOPS_API const struct dsops_backend* dsops_backend_at(int32_t index); /**< NULL out of range */
DSOPS_API int32_t dsops_backend_find(const char* name, const struct dsops_backend** out);

/** Loads a shared library that exports dsops_backend_v1 (backend.h) and adds its backend. It is
 * never unloaded. */
DSOPS_API int32_t dsops_backend_load(const char* path);

#ifdef __cplusplus
}
#endif
