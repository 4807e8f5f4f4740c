#include "toy_bundle.h"

using Catch::Contains;
using Catch::StartsWith;
using dsops::value;

namespace {

// A bundle with the toy op, and memory for arguments that are right until a test spoils them.
class Toy {
 public:
  Toy() : opened_(files_.add_all().path) {}

  std::string refusal(std::int32_t status, const char* function,
                      std::initializer_list<dsops_value> args, std::int32_t device = 0) {
    const dsops_exec exec = exec_on(device);
    CHECK(call(opened_.find(function), args, &exec) == status);
    return dsops_last_error();
  }
  void accept(const char* function, std::initializer_list<dsops_value> args) {
    const std::int32_t status = call(opened_.find(function), args);
    INFO(dsops_last_error());
    CHECK(status == DSOPS_OK);
  }

 private:
  ToyBundle files_;
  OpenBundle opened_;
};

struct Memory {
  std::vector<float> ys = std::vector<float>(64, 1.0F), xs = std::vector<float>(64, 2.0F);
  Vector<float> y{ys}, x{xs};
};

}  // namespace

TEST_CASE("arguments that are left out take their defaults, those without are asked for") {
  Toy toy;
  Memory m;
  toy.accept("axpy", {value(&m.y.tensor), value(&m.x.tensor)});
  CHECK(m.ys[0] == 3);
  toy.accept("axpy", {value(&m.y.tensor), value(&m.x.tensor), dsops::none()});
  CHECK(m.ys[0] == 5);
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor)}) ==
        "toy.axpy: argument `x`: expected a tensor, got nothing");
  CHECK(toy.refusal(DSOPS_INVALID, "axpy",
                    {value(&m.y.tensor), value(&m.x.tensor), value(1.0), value(1.0)}) ==
        "toy.axpy: expected at most 3 arguments, got 4");
}

TEST_CASE("a value of another kind is refused, and nothing is converted silently") {
  Toy toy;
  Memory m;
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(&m.x.tensor), value(1)}) ==
        "toy.axpy: argument `alpha`: expected a float, got an integer");
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(true)}) ==
        "toy.axpy: argument `x`: expected a tensor, got a boolean");
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), {77, 0, {.i64 = 0}}}) ==
        "toy.axpy: argument `x`: expected a tensor, got a value of an unknown kind");
  const DLTensor* nowhere = nullptr;
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(nowhere)}) ==
        "toy.axpy: argument `x`: expected a tensor, got a null pointer");
}

TEST_CASE("floats must be finite") {
  Toy toy;
  Memory m;
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    CHECK_THAT(
        toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(&m.x.tensor), value(wrong)}),
        StartsWith("toy.axpy: argument `alpha`: expected a finite number, got "));
  }
}

TEST_CASE("a dtype that the function does not take is refused by name") {
  Toy toy;
  Memory m;
  m.x.tensor.dtype = {DSOPS_CODE_BFLOAT, 16, 1};
  CHECK(toy.refusal(DSOPS_UNSUPPORTED, "axpy", {value(&m.y.tensor), value(&m.x.tensor)}) ==
        "toy.axpy: argument `x`: expected float32, got bfloat16");
  m.x.tensor.dtype = {DSOPS_CODE_FLOAT, 32, 4};
  CHECK(toy.refusal(DSOPS_UNSUPPORTED, "axpy", {value(&m.y.tensor), value(&m.x.tensor)}) ==
        "toy.axpy: argument `x`: expected float32, got code 2, 32 bits, 4 lanes");
}

TEST_CASE("a wrong tensor of a list is named by its index") {
  Toy toy;
  Memory a, b;
  b.x.tensor.dtype = {DSOPS_CODE_FLOAT, 64, 1};
  const DLTensor* ys[] = {&a.y.tensor, &b.y.tensor};
  const DLTensor* xs[] = {&a.x.tensor, &a.x.tensor, &b.x.tensor};
  const dsops_tensor_list y_list = {sizeof(dsops_tensor_list), 0, 2, ys};
  dsops_tensor_list x_list = {sizeof(dsops_tensor_list), 0, 3, xs};
  CHECK(toy.refusal(DSOPS_UNSUPPORTED, "lists", {value(&y_list), value(&x_list)}) ==
        "toy.lists: argument `xs[2]`: expected float32, float16 or bfloat16, got float64");
  x_list.count = 2;
  toy.accept("lists", {value(&y_list), value(&x_list)});
  xs[1] = nullptr;
  CHECK(toy.refusal(DSOPS_INVALID, "lists", {value(&y_list), value(&x_list)}) ==
        "toy.lists: argument `xs[1]`: expected a tensor, got a null pointer");
  xs[1] = ys[0];
  CHECK(toy.refusal(DSOPS_INVALID, "lists", {value(&y_list), value(&x_list)}) ==
        "toy.lists: argument `xs[1]`: its memory overlaps that of `ys[0]`");
  x_list.count = -1;
  CHECK_THAT(toy.refusal(DSOPS_INVALID, "lists", {value(&y_list), value(&x_list)}),
             Contains("`xs`: expected a list of tensors, got a null pointer"));
  const dsops_tensor_list empty = {sizeof(dsops_tensor_list), 0, 0, nullptr};
  toy.accept("lists", {value(&empty), value(&empty)});
}

TEST_CASE("read-only memory is taken for what is read and refused for what is written") {
  Toy toy;
  Memory m;
  dsops_value y = value(&m.y.tensor), x = value(&m.x.tensor);
  x.flags = DSOPS_READ_ONLY;
  toy.accept("axpy", {y, x});
  y.flags = DSOPS_READ_ONLY;
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {y, x}) ==
        "toy.axpy: argument `y`: expected memory to write to, got read-only");
}

TEST_CASE("memory of another device is refused by the name of both") {
  Toy toy;
  Memory m;
  m.x.tensor.device = {DSOPS_DEVICE_CUDA, 0};
  CHECK(toy.refusal(DSOPS_UNSUPPORTED, "axpy", {value(&m.y.tensor), value(&m.x.tensor)}) ==
        "toy.axpy: argument `x`: expected memory that cpu reaches, got cuda memory");
  CHECK(toy.refusal(DSOPS_UNSUPPORTED, "axpy", {value(&m.y.tensor), value(&m.x.tensor)},
                    DSOPS_DEVICE_EMU) ==
        "toy.axpy: argument `x`: expected memory that emu reaches, got cuda memory");
  m.x.tensor.device = {DSOPS_DEVICE_CUDA_HOST, 1};
  toy.accept("axpy", {value(&m.y.tensor), value(&m.x.tensor)});
  m.x.tensor.device = {DSOPS_DEVICE_CPU, 1};
  CHECK_THAT(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(&m.x.tensor)}),
             Contains("`x`: expected memory of device 0, got device 1"));
}

TEST_CASE("strides must be those of compact memory, where there is more than one element to step") {
  Toy toy;
  Memory m;
  std::int64_t shape[] = {8, 1, 8}, compact[] = {8, 999, 1}, transposed[] = {1, 8, 8};
  for (DLTensor* tensor : {&m.y.tensor, &m.x.tensor}) {
    tensor->ndim = 3;
    tensor->shape = shape;
    tensor->strides = compact;
  }
  toy.accept("axpy", {value(&m.y.tensor), value(&m.x.tensor)});
  m.x.tensor.strides = transposed;
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(&m.x.tensor)}) ==
        "toy.axpy: argument `x`: expected contiguous memory, got shape [8, 1, 8] with strides "
        "[1, 8, 8]");
}

TEST_CASE("shapes that can't be are refused, empty tensors and scalars are not") {
  Toy toy;
  Memory m;
  const auto refuse_x = [&] {
    return toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(&m.x.tensor)});
  };
  std::int64_t huge[] = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  m.x.tensor.ndim = 2;
  m.x.tensor.shape = huge;
  CHECK_THAT(refuse_x(), Contains("expected lengths of 0 or more whose product fits, got ["));
  huge[0] = -1;
  CHECK_THAT(refuse_x(), Contains("got [-1, 1099511627776]"));
  m.x.tensor.shape = nullptr;
  CHECK_THAT(refuse_x(), Contains("has no shape"));
  m.x.tensor.ndim = -2;
  CHECK_THAT(refuse_x(), Contains("ndim is -2"));
  m.x.tensor.ndim = 1;
  m.x.tensor.shape = &m.x.length;
  m.x.tensor.data = nullptr;
  CHECK_THAT(refuse_x(), Contains("has elements but no memory"));

  std::int64_t nothing[] = {1, 0, std::int64_t{1} << 62};
  for (DLTensor* tensor : {&m.y.tensor, &m.x.tensor}) {
    tensor->ndim = 3;
    tensor->shape = nothing;
    tensor->data = nullptr;
  }
  toy.accept("axpy", {value(&m.y.tensor), value(&m.x.tensor)});
  for (DLTensor* tensor : {&m.y.tensor, &m.x.tensor}) tensor->ndim = 0;
  m.y.tensor.data = m.ys.data();
  m.x.tensor.data = m.xs.data();
  m.ys[0] = 1;
  toy.accept("axpy", {value(&m.y.tensor), value(&m.x.tensor)});
  CHECK(m.ys[0] == 3);
  CHECK(m.ys[1] == 1);
}

TEST_CASE("byte_offset counts, for the elements and for their alignment") {
  Toy toy;
  Memory m;
  m.x.length = m.y.length = 10;
  m.x.tensor.byte_offset = 40;
  m.xs[10] = 100;
  toy.accept("axpy", {value(&m.y.tensor), value(&m.x.tensor)});
  CHECK(m.ys[0] == 101);
  m.x.tensor.byte_offset = 42;
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(&m.x.tensor)}) ==
        "toy.axpy: argument `x`: expected memory aligned to its elements of 4 bytes, got an "
        "address 2 past that");
}

TEST_CASE("memory that is written overlaps no other argument but where the table allows it") {
  Toy toy;
  Memory m;
  CHECK(toy.refusal(DSOPS_INVALID, "axpy", {value(&m.y.tensor), value(&m.y.tensor)}) ==
        "toy.axpy: argument `x`: its memory overlaps that of `y`");
  toy.accept("scale", {value(&m.x.tensor), value(&m.x.tensor), value(2.0)});
  CHECK(m.xs[0] == 4);
  Vector<float> part(m.xs);
  part.length = 32;
  CHECK_THAT(
      toy.refusal(DSOPS_INVALID, "scale", {value(&m.x.tensor), value(&part.tensor), value(2.0)}),
      Contains("`out`: its memory overlaps that of `x`"));
}
