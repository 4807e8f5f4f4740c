#include "runtime/op_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/failure.h"

namespace dsops::runtime {
namespace {

// Row i of an array whose rows may be longer or shorter than ours.
template <typename Row>
Row read_row(const Row* rows, std::uint32_t i) {
  const std::uint32_t size = rows->struct_size;
  Row row = {};
  std::memcpy(&row, reinterpret_cast<const char*>(rows) + std::size_t{size} * i,
              std::min<std::size_t>(size, sizeof row));
  row.struct_size = sizeof row;
  return row;
}

// Whether each row has the members of ABI 1.0, whose last one ends at `least`.
template <typename Row>
bool has_rows(const Row* rows, std::uint32_t count, std::size_t least) {
  return count == 0 || (rows != nullptr && rows->struct_size >= least);
}

constexpr std::uint32_t kKinds[] = {DSOPS_INT,    DSOPS_BOOL,   DSOPS_FLOAT,      DSOPS_HANDLE,
                                    DSOPS_TENSOR, DSOPS_STRING, DSOPS_TENSOR_LIST};

// What is wrong with an argument row; nullptr if nothing is.
const char* find_problem(const dsops_argument& row) {
  if (row.name == nullptr) return "has no name";
  if (std::find(std::begin(kKinds), std::end(kKinds), row.kind) == std::end(kKinds)) {
    return "has an unknown kind";
  }
  const bool tensors = row.kind == DSOPS_TENSOR || row.kind == DSOPS_TENSOR_LIST;
  if (tensors && row.dtypes == 0) return "allows no dtype";
  if (row.direction < DSOPS_IN || row.direction > DSOPS_INOUT) return "has an unknown direction";
  const std::uint32_t fallback = row.default_value.kind;
  if (fallback != DSOPS_NONE && fallback != row.kind) return "has a default of another kind";
  return nullptr;
}

std::int32_t read_function(const std::string& path, const dsops_function& row, OpLibrary& library) {
  const char* op = library.op.name;
  if (row.name == nullptr || row.call == nullptr ||
      !has_rows(row.arguments, row.argument_count, sizeof(dsops_argument))) {
    return fail(DSOPS_INVALID, "%s: a function of %s lacks a name, a call or arguments",
                path.c_str(), op);
  }
  auto callable = std::make_unique<dsops_callable>();
  callable->function = row;
  callable->label = std::string(op) + "." + row.name;
  for (std::uint32_t i = 0; i < row.argument_count; ++i) {
    const dsops_argument argument = read_row(row.arguments, i);
    if (const char* problem = find_problem(argument)) {
      return fail(DSOPS_INVALID, "%s: argument %u of %s %s", path.c_str(), i,
                  callable->label.c_str(), problem);
    }
    callable->arguments.push_back(argument);
  }
  callable->function.arguments = callable->arguments.data();
  library.functions.push_back(callable->function);
  library.callables.push_back(std::move(callable));
  return DSOPS_OK;
}

std::int32_t read_op(const std::string& path, const dsops_op& row, OpLibrary& library) {
  if (!has_rows(row.functions, row.function_count, sizeof(dsops_function))) {
    return fail(DSOPS_INVALID, "%s: the functions of %s are incomplete", path.c_str(), row.name);
  }
  library.op = row;
  for (std::uint32_t i = 0; i < row.function_count; ++i) {
    const dsops_function function = read_row(row.functions, i);
    if (const std::int32_t status = read_function(path, function, library)) return status;
  }
  library.op.functions = library.functions.data();
  return DSOPS_OK;
}

std::int32_t read_library(const std::string& path, const std::string& name,
                          const dsops_library* table, OpLibrary& library) {
  if (table == nullptr || table->struct_size < sizeof(dsops_library)) {
    return fail(DSOPS_INVALID, "%s: dsops_library_v1 returned no table", path.c_str());
  }
  if (table->abi_major != DSOPS_ABI_MAJOR) {
    return fail(DSOPS_UNSUPPORTED, "%s: made for dsops ABI %u, this libdsops has ABI %d",
                path.c_str(), table->abi_major, DSOPS_ABI_MAJOR);
  }
  if (!has_rows(table->ops, table->op_count, sizeof(dsops_op))) {
    return fail(DSOPS_INVALID, "%s: its ops are incomplete", path.c_str());
  }
  for (std::uint32_t i = 0; i < table->op_count; ++i) {
    const dsops_op op = read_row(table->ops, i);
    if (op.name != nullptr && op.name == name) return read_op(path, op, library);
  }
  return fail(DSOPS_NOT_FOUND, "%s: holds no op of the name %s", path.c_str(), name.c_str());
}

}  // namespace

OpLibrary::~OpLibrary() {
  if (library != nullptr) dlclose(library);
}

std::int32_t load_op_library(const std::string& path, const std::string& name,
                             std::unique_ptr<OpLibrary>& out) {
  auto loaded = std::make_unique<OpLibrary>();
  loaded->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded->library == nullptr) return fail(DSOPS_RUNTIME, "%s", dlerror());
  const auto function =
      reinterpret_cast<dsops_library_v1_function>(dlsym(loaded->library, "dsops_library_v1"));
  if (function == nullptr) {
    return fail(DSOPS_INVALID, "%s: exports no dsops_library_v1, so it is no op library",
                path.c_str());
  }
  const std::int32_t status = read_library(path, name, function(), *loaded);
  if (status == DSOPS_OK) out = std::move(loaded);
  return status;
}

}  // namespace dsops::runtime
