#include "toy_bundle.h"

namespace {

std::string open_error(const std::filesystem::path& path, std::int32_t status) {
  dsops_bundle* bundle = nullptr;
  CHECK(dsops_bundle_open(path.c_str(), &bundle) == status);
  CHECK(bundle == nullptr);
  return dsops_last_error();
}

std::string op_error(const ToyBundle& files, const char* op, std::int32_t status) {
  const OpenBundle opened(files.path);
  const dsops_op* table = nullptr;
  CHECK(dsops_bundle_op(opened.bundle, op, &table) == status);
  CHECK(table == nullptr);
  return dsops_last_error();
}

}  // namespace

using Catch::Contains;

TEST_CASE("a bundle lists its ops and their accelerators without loading them") {
  ToyBundle files;
  files.add_all().add("odd5.so", "lib/" DSOPS_TOY_TRIPLE "/another.so");
  std::ofstream(files.path / "lib" / DSOPS_TOY_TRIPLE / "libdsops.so") << "not an op";
  std::ofstream(files.path / "lib" / DSOPS_TOY_TRIPLE / "notes.txt") << "not an op";
  const OpenBundle opened(files.path);
  CHECK(dsops_bundle_path(opened.bundle) == std::filesystem::canonical(files.path).string());
  REQUIRE(dsops_bundle_op_count(opened.bundle) == 2);
  CHECK(dsops_bundle_op_name(opened.bundle, 0) == std::string("another"));
  CHECK(dsops_bundle_op_name(opened.bundle, 1) == std::string("toy"));
  CHECK(dsops_bundle_op_name(opened.bundle, 2) == nullptr);
  CHECK(dsops_bundle_op_accelerators(opened.bundle, "toy") == std::string("cpu, emu"));
  CHECK(dsops_bundle_op_accelerators(opened.bundle, "another") == std::string("none"));
  CHECK(dsops_bundle_op_accelerators(opened.bundle, "absent") == nullptr);
}

TEST_CASE("a bundle that is not there, or not for this host, is refused with the path") {
  const TempFolder folder;
  CHECK_THAT(open_error(folder.path / "absent", DSOPS_NOT_FOUND),
             Contains("absent (as given): No such file or directory"));
  CHECK_THAT(open_error(folder.path, DSOPS_NOT_FOUND), Contains("it has no folder lib/"));
  std::filesystem::create_directories(folder.path / "lib" / "s390x-linux-gnu");
  CHECK_THAT(open_error(folder.path, DSOPS_NOT_FOUND), Contains("no bundle for this host"));
  CHECK_THAT(open_error("", DSOPS_INVALID), Contains("path is empty"));
}

TEST_CASE("a triple that names this machine's architecture in another way is found") {
  ToyBundle files;
  files.add_all();
  std::string triple = DSOPS_TOY_TRIPLE;
  triple.replace(triple.find("-linux"), std::string::npos, "-redhat-linux");
  std::filesystem::rename(files.path / "lib" / DSOPS_TOY_TRIPLE, files.path / "lib" / triple);
  const OpenBundle opened(files.path);
  CHECK(dsops_bundle_op_count(opened.bundle) == 1);
}

TEST_CASE("DSOPS_BUNDLE names the bundle where no path is given, and is the only place looked at") {
  ToyBundle files;
  files.add_all();
  dsops_bundle* bundle = nullptr;
  {
    const Variable variable("DSOPS_BUNDLE", files.path.c_str());
    REQUIRE(dsops_bundle_open(nullptr, &bundle) == DSOPS_OK);
    CHECK(dsops_bundle_op_count(bundle) == 1);
    dsops_bundle_close(bundle);
  }
  const Variable variable("DSOPS_BUNDLE", "/nowhere/at/all");
  CHECK(dsops_bundle_open(nullptr, &bundle) == DSOPS_NOT_FOUND);
  CHECK_THAT(dsops_last_error(), Contains("/nowhere/at/all (from DSOPS_BUNDLE)"));
}

TEST_CASE("without path and variable, a libdsops that lies in no bundle says where it looked") {
  const Variable variable("DSOPS_BUNDLE", nullptr);
  dsops_bundle* bundle = nullptr;
  CHECK(dsops_bundle_open(nullptr, &bundle) == DSOPS_NOT_FOUND);
  CHECK_THAT(dsops_last_error(),
             Contains("DSOPS_BUNDLE is not set") && Contains("not in a bundle's lib/<triple>"));
}

TEST_CASE("the table of an op is what its library says") {
  ToyBundle files;
  files.add_op();
  const OpenBundle opened(files.path);
  const dsops_op* op = nullptr;
  REQUIRE(dsops_bundle_op(opened.bundle, "toy", &op) == DSOPS_OK);
  CHECK(op->name == std::string("toy"));
  CHECK(op->version == std::string("1.2.3"));
  CHECK(op->function_count == 9);
  const dsops_function& axpy = op->functions[0];
  CHECK(axpy.name == std::string("axpy"));
  REQUIRE(axpy.argument_count == 3);
  CHECK(axpy.arguments[0].direction == DSOPS_INOUT);
  CHECK(axpy.arguments[2].name == std::string("alpha"));
  CHECK(axpy.arguments[2].default_value.as.f64 == 1.0);
  CHECK(dsops_describe(opened.find("axpy"))->arguments[1].name == std::string("x"));
}

TEST_CASE("an op or a function that is not there is refused with those that are") {
  ToyBundle files;
  files.add_op();
  CHECK_THAT(op_error(files, "tay", DSOPS_NOT_FOUND), Contains("(it has: toy)"));
  const OpenBundle opened(files.path);
  dsops_callable* callable = nullptr;
  CHECK(dsops_find(opened.bundle, "toy", "axpi", &callable) == DSOPS_NOT_FOUND);
  CHECK_THAT(dsops_last_error(), Contains("toy has no function axpi (it has: axpy, scale, "));
}

TEST_CASE("a library from a later minor version works, its longer rows walked by their size") {
  ToyBundle files;
  files.add("odd1.so", "lib/" DSOPS_TOY_TRIPLE "/toy.so");
  files.add("x86-64-v2.so", "images/toy/cpu/x86-64-v2.so");
  const OpenBundle opened(files.path);
  const dsops_function* two = dsops_describe(opened.find("two"));
  CHECK(two->doc == std::string("Second."));
  CHECK(two->struct_size == sizeof(dsops_function));
  REQUIRE(two->argument_count == 2);
  CHECK(two->arguments[1].name == std::string("number"));
  std::vector<float> out(1);
  const Vector tensor(out);
  INFO(dsops_last_error());
  CHECK(call(opened.find("two"), {dsops::value(&tensor.tensor)}) == DSOPS_OK);
  CHECK(out[0] == 42);
}

TEST_CASE("a library that is no op library of this ABI is refused with what is wrong") {
  struct Row {
    const char* file;
    std::int32_t status;
    const char* text;
  };
  const Row rows[] = {
      {"odd2.so", DSOPS_UNSUPPORTED, "made for dsops ABI 2, this libdsops has ABI 1"},
      {"odd3.so", DSOPS_NOT_FOUND, "holds no op of the name toy"},
      {"odd4.so", DSOPS_INVALID, "argument 0 of toy.one allows no dtype"},
      {"odd5.so", DSOPS_INVALID, "exports no dsops_library_v1, so it is no op library"},
  };
  for (const Row& row : rows) {
    INFO(row.file);
    ToyBundle files;
    files.add(row.file, "lib/" DSOPS_TOY_TRIPLE "/toy.so");
    CHECK_THAT(op_error(files, "toy", row.status), Contains(row.text) && Contains("/toy.so"));
  }
  ToyBundle files;
  std::ofstream(files.path / "lib" / DSOPS_TOY_TRIPLE / "toy.so") << "not a library";
  CHECK_THAT(op_error(files, "toy", DSOPS_RUNTIME), Contains("toy.so"));
}
