// Op libraries that the runtime must read or refuse, one per value of TOY_ODD.
#include <dsops/op.h>

namespace {

using namespace dsops;

std::int32_t answer(const dsops_exec*, const dsops_value* args) {
  *data<float>(*args[0].as.tensor) = static_cast<float>(args[1].as.f64);
  return DSOPS_OK;
}

#if TOY_ODD == 1  // From a later minor version: all rows have a member that this one does not know.
template <typename Row>
struct Longer {
  Row row;
  const char* more;
};
constexpr Longer<dsops_argument> kArguments[] = {
    {tensor("out", DSOPS_OUT, DSOPS_F32, "[1]", nullptr), "?"},
    {real("number", nullptr, value(42.0)), "?"}};
constexpr Longer<dsops_argument> sized(Longer<dsops_argument> row) {
  row.row.struct_size = sizeof row;
  return row;
}
constexpr Longer<dsops_argument> kRows[] = {sized(kArguments[0]), sized(kArguments[1])};
const Longer<dsops_function> kFunctions[] = {
    {{sizeof(Longer<dsops_function>), 2, "one", "First.", &kRows[0].row, &answer, nullptr}, "?"},
    {{sizeof(Longer<dsops_function>), 2, "two", "Second.", &kRows[0].row, &answer, nullptr}, "?"}};
const Longer<dsops_op> kOps[] = {
    {{sizeof(Longer<dsops_op>), 0, "other", "1.0.0", "Not the one", nullptr}, "?"},
    {{sizeof(Longer<dsops_op>), 2, "toy", "1.0.0", "From later", &kFunctions[0].row}, "?"}};
const dsops_library kLibrary = {sizeof(dsops_library), 1, 9, 2, 0, &kOps[0].row};
#else
constexpr dsops_argument kArguments[] = {
#if TOY_ODD == 4
    tensor("out", DSOPS_OUT, 0, "[1]", nullptr),
#else
    tensor("out", DSOPS_OUT, DSOPS_F32, "[1]", nullptr),
#endif
    real("number", nullptr)};
constexpr dsops_function kFunctions[] = {function("one", "First.", kArguments, &answer)};
constexpr dsops_op kOp = op(TOY_ODD == 3 ? "another" : "toy", "1.0.0", "Odd", kFunctions);
constexpr dsops_library kLibrary = {
    sizeof(dsops_library), TOY_ODD == 2 ? 2 : DSOPS_ABI_MAJOR, 0, 1, 0, &kOp};
#endif

}  // namespace

#if TOY_ODD != 5  // 5 exports nothing
extern "C" DSOPS_API const dsops_library* dsops_library_v1(void) {
  return &kLibrary;
}
#else
extern "C" DSOPS_API int no_op_library;
int no_op_library = sizeof kLibrary;
#endif
