// The libraries that are looked for, one row each: their files, their version, who brings them, and
// what is linked when one is tried. Knows no folder.
#pragma once

#include <array>

namespace dsbuild::probe {

/// A library that ops need: its header, the files of its library (the one for linking first), the
/// header and the macros that tell its version, and who brings it.
struct LibraryRow {
  const char* name;
  const char* header;
  std::array<const char*, 2> libraries;  ///< null: headers alone
  const char* version_header;
  std::array<const char*, 3> macros;  ///< null: its headers tell no version
  const char* package;
  const char* symbol;   ///< that is linked when it is tried; null: it has none that C could name
  const char* toolkit;  ///< the kind of toolchain whose headers its own include, or null
};

inline constexpr std::array<LibraryRow, 10> kLibraries{{
    {"libaio",
     "libaio.h",
     {"libaio.so", "libaio.so.1"},
     nullptr,
     {},
     "libaio-dev",
     "io_setup",
     nullptr},
    {"liburing",
     "liburing.h",
     {"liburing.so", "liburing.so.2"},
     "liburing/io_uring_version.h",
     {"IO_URING_VERSION_MAJOR", "IO_URING_VERSION_MINOR"},
     "liburing-dev",
     "io_uring_queue_init",
     nullptr},
    {"cufile",
     "cufile.h",
     {"libcufile.so", "libcufile.so.0"},
     nullptr,
     {},
     "libcufile-dev of NVIDIA",
     "cuFileDriverOpen",
     "nvcc"},
    {"CUTLASS",
     "cutlass/cutlass.h",
     {},
     "cutlass/version.h",
     {"CUTLASS_MAJOR", "CUTLASS_MINOR", "CUTLASS_PATCH"},
     "github.com/NVIDIA/cutlass, named by CUTLASS_PATH",
     nullptr,
     "nvcc"},
    {"NCCL",
     "nccl.h",
     {"libnccl.so", "libnccl.so.2"},
     "nccl.h",
     {"NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"},
     "libnccl-dev of NVIDIA",
     "ncclGetVersion",
     "nvcc"},
    {"RCCL",
     "rccl/rccl.h",
     {"librccl.so", "librccl.so.1"},
     "rccl/rccl.h",
     {"NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"},
     "librccl-dev",
     "ncclGetVersion",
     "hipcc"},
    {"oneCCL",
     "oneapi/ccl.hpp",
     {"libccl.so", "libccl.so.1"},
     "oneapi/ccl/config.h",
     {"CCL_MAJOR_VERSION", "CCL_MINOR_VERSION", "CCL_UPDATE_VERSION"},
     "intel-oneapi-ccl-devel of Intel",
     nullptr,
     nullptr},
    {"MPI",
     "mpi.h",
     {"libmpi.so", "libmpi.so.40"},
     "mpi.h",
     {"OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION"},
     "libopenmpi-dev",
     "MPI_Init",
     nullptr},
    {"OpenMP",
     "omp.h",
     {"libgomp.so", "libgomp.so.1"},
     nullptr,
     {},
     "g++",
     "omp_get_max_threads",
     nullptr},
    {"TBB",
     "tbb/tbb.h",
     {"libtbb.so", "libtbb.so.12"},
     "oneapi/tbb/version.h",
     {"TBB_VERSION_MAJOR", "TBB_VERSION_MINOR", "TBB_VERSION_PATCH"},
     "libtbb-dev",
     "TBB_runtime_interface_version",
     nullptr},
}};

}  // namespace dsbuild::probe
