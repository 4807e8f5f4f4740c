#include "runtime/check.h"

#include <cmath>

#include "runtime/failure.h"
#include "runtime/overlap.h"
#include "runtime/tensor.h"

namespace dsops::runtime {
namespace {

const char* kind_name(std::uint32_t kind) {
  switch (kind) {
    case DSOPS_NONE:
      return "nothing";
    case DSOPS_INT:
      return "an integer";
    case DSOPS_BOOL:
      return "a boolean";
    case DSOPS_FLOAT:
      return "a float";
    case DSOPS_HANDLE:
      return "a handle";
    case DSOPS_TENSOR:
      return "a tensor";
    case DSOPS_STRING:
      return "a string";
    case DSOPS_TENSOR_LIST:
      return "a list of tensors";
    default:
      return "a value of an unknown kind";
  }
}

// Place of a tensor: an argument, and its index if the argument is a list.
struct Place {
  const CallArguments& call;
  std::size_t argument;
  std::int64_t index;

  const dsops_argument& row() const { return call.callable.arguments[argument]; }
  std::string text() const {
    std::string name = row().name;
    if (row().kind == DSOPS_TENSOR_LIST) {
      name.append("[").append(std::to_string(index)).append("]");
    }
    return name;
  }
};

std::int32_t refuse(const CallArguments& call, std::int32_t status, const std::string& argument,
                    const std::string& problem) {
  return fail(status, "%s: argument `%s`: %s", call.callable.label.c_str(), argument.c_str(),
              problem.c_str());
}

std::int32_t refuse(const Place& place, std::int32_t status, const std::string& problem) {
  return refuse(place.call, status, place.text(), problem);
}

bool is_tensor_kind(std::uint32_t kind) {
  return kind == DSOPS_TENSOR || kind == DSOPS_TENSOR_LIST;
}

// Kinds whose value is a pointer must point somewhere.
bool points_nowhere(const dsops_value& value) {
  switch (value.kind) {
    case DSOPS_TENSOR:
      return value.as.tensor == nullptr;
    case DSOPS_STRING:
      return value.as.string == nullptr;
    case DSOPS_TENSOR_LIST:
      return value.as.list == nullptr || value.as.list->count < 0 ||
             (value.as.list->count > 0 && value.as.list->tensors == nullptr);
    default:
      return false;
  }
}

std::int32_t check_value(const CallArguments& call, std::size_t i) {
  const dsops_argument& row = call.callable.arguments[i];
  const dsops_value& value = call.values[i];
  if (value.kind == DSOPS_NONE) {
    if ((row.flags & DSOPS_ARG_OPTIONAL) != 0) return DSOPS_OK;
    return refuse(call, DSOPS_INVALID, row.name,
                  std::string("expected ") + kind_name(row.kind) + ", got nothing");
  }
  if (value.kind != row.kind) {
    return refuse(
        call, DSOPS_INVALID, row.name,
        std::string("expected ") + kind_name(row.kind) + ", got " + kind_name(value.kind));
  }
  if (points_nowhere(value)) {
    return refuse(call, DSOPS_INVALID, row.name,
                  std::string("expected ") + kind_name(row.kind) + ", got a null pointer");
  }
  if (value.kind == DSOPS_FLOAT && !std::isfinite(value.as.f64)) {
    return refuse(call, DSOPS_INVALID, row.name,
                  "expected a finite number, got " + std::to_string(value.as.f64));
  }
  return DSOPS_OK;
}

// Calls visit(place, tensor) for each tensor until one returns a failure.
template <typename Visit>
std::int32_t for_each_tensor(const CallArguments& call, Visit visit) {
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const dsops_value& value = call.values[i];
    if (value.kind == DSOPS_TENSOR) {
      if (const std::int32_t status = visit(Place{call, i, 0}, value.as.tensor)) return status;
    } else if (value.kind == DSOPS_TENSOR_LIST) {
      for (std::int64_t k = 0; k < value.as.list->count; ++k) {
        const DLTensor* tensor = value.as.list->tensors[k];
        if (const std::int32_t status = visit(Place{call, i, k}, tensor)) return status;
      }
    }
  }
  return DSOPS_OK;
}

std::int32_t check_layout(const Place& place, const DLTensor& tensor) {
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    return refuse(place, DSOPS_INVALID, "has no shape");
  }
  const std::int64_t bytes = tensor_bytes(tensor);
  if (bytes < 0) {
    return refuse(place, DSOPS_INVALID,
                  tensor.ndim < 0 ? "ndim is " + std::to_string(tensor.ndim)
                                  : "expected lengths of 0 or more whose product fits, got " +
                                        shape_text(tensor.shape, tensor.ndim));
  }
  if (!is_contiguous(tensor)) {
    return refuse(place, DSOPS_INVALID,
                  "expected contiguous memory, got shape " + shape_text(tensor.shape, tensor.ndim) +
                      " with strides " + shape_text(tensor.strides, tensor.ndim));
  }
  if (bytes == 0) return DSOPS_OK;
  if (tensor.data == nullptr) return refuse(place, DSOPS_INVALID, "has elements but no memory");
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  if (const unsigned size = tensor.dtype.bits / 8; address % size != 0) {
    return refuse(place, DSOPS_INVALID,
                  "expected memory aligned to its elements of " + std::to_string(size) +
                      " bytes, got an address " + std::to_string(address % size) + " past that");
  }
  return DSOPS_OK;
}

std::int32_t check_device(const Place& place, const DLTensor& tensor, const dsops_exec& exec) {
  const auto type = static_cast<std::int32_t>(tensor.device.device_type);
  if (type < 0 || type > 31 || (exec.backend->memory_types >> type & 1) == 0) {
    return refuse(place, DSOPS_UNSUPPORTED,
                  std::string("expected memory that ") + exec.backend->name + " reaches, got " +
                      device_name(type) + " memory");
  }
  if (type == exec.backend->device_type && tensor.device.device_id != exec.device_id) {
    return refuse(place, DSOPS_INVALID,
                  "expected memory of device " + std::to_string(exec.device_id) + ", got device " +
                      std::to_string(tensor.device.device_id));
  }
  return DSOPS_OK;
}

std::int32_t check_tensor(const Place& place, const DLTensor* tensor, const dsops_exec& exec) {
  if (tensor == nullptr)
    return refuse(place, DSOPS_INVALID, "expected a tensor, got a null pointer");
  const dsops_argument& row = place.row();
  if ((row.dtypes & dtype_bit(tensor->dtype)) == 0) {
    return refuse(place, DSOPS_UNSUPPORTED,
                  "expected " + dtype_names(row.dtypes) + ", got " + dtype_name(tensor->dtype));
  }
  if (const std::int32_t status = check_device(place, *tensor, exec)) return status;
  return check_layout(place, *tensor);
}

bool is_written(const dsops_argument& row) {
  return (row.direction & DSOPS_OUT) != 0;
}

std::int32_t check_overlaps(const CallArguments& call) {
  std::vector<Span> spans;
  std::vector<Place> places;
  for_each_tensor(call, [&](const Place& place, const DLTensor* tensor) {
    const std::int64_t bytes = tensor_bytes(*tensor);
    if (bytes == 0) return std::int32_t{DSOPS_OK};
    const std::uint64_t begin =
        reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->byte_offset;
    spans.push_back({begin, begin + static_cast<std::uint64_t>(bytes), is_written(place.row()),
                     (place.row().flags & DSOPS_ARG_MAY_ALIAS) != 0, places.size()});
    places.push_back(place);
    return std::int32_t{DSOPS_OK};
  });
  const Overlap found = find_overlap(spans);
  if (!found.exists) return DSOPS_OK;
  return refuse(places[found.second], DSOPS_INVALID,
                "its memory overlaps that of `" + places[found.first].text() + "`");
}

}  // namespace

std::int32_t take_arguments(const CallArguments& call, const dsops_value* given,
                            std::uint32_t count) {
  if (count > call.values.size()) {
    return fail(DSOPS_INVALID, "%s: expected at most %zu arguments, got %u",
                call.callable.label.c_str(), call.values.size(), count);
  }
  if (count > 0 && given == nullptr) {
    return fail(DSOPS_INVALID, "%s: args is NULL", call.callable.label.c_str());
  }
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const bool left_out = i >= count || given[i].kind == DSOPS_NONE;
    call.values[i] = left_out ? call.callable.arguments[i].default_value : given[i];
    if (const std::int32_t status = check_value(call, i)) return status;
  }
  return DSOPS_OK;
}

const DLTensor* first_tensor(const CallArguments& call) {
  const DLTensor* first = nullptr;
  for_each_tensor(call, [&](const Place&, const DLTensor* tensor) {
    first = tensor;
    return first == nullptr ? DSOPS_OK : DSOPS_INVALID;  // any failure stops the walk
  });
  return first;
}

std::int32_t check_tensors(const CallArguments& call, const dsops_exec& exec) {
  bool writes = false;
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const dsops_argument& row = call.callable.arguments[i];
    if (!is_tensor_kind(call.values[i].kind) || !is_written(row)) continue;
    writes = true;
    if ((call.values[i].flags & DSOPS_READ_ONLY) != 0) {
      return refuse(call, DSOPS_INVALID, row.name, "expected memory to write to, got read-only");
    }
  }
  const std::int32_t status =
      for_each_tensor(call, [&](const Place& place, const DLTensor* tensor) {
        return check_tensor(place, tensor, exec);
      });
  return status != DSOPS_OK || !writes ? status : check_overlaps(call);
}

}  // namespace dsops::runtime
