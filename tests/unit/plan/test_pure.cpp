#include <catch2/catch.hpp>

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <locale>

#include "base/json.h"
#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

Wishes wishes() {
  return {{}, {}, "9.0;8.0,gfx90a", {}};
}

std::string text_of(const Plan& plan) {
  return dump_json(to_json(plan));
}

/// Groups digits, writes a comma for a point.
struct OddNumbers : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\1"; }
};

TEST_CASE("a plan made twice, in another folder and under another locale, is byte-identical",
          "[pure]") {
  const std::string first = text_of(plan_for(wishes(), make_catalog(), make_full_machine()).plan);
  const auto folder = std::filesystem::current_path();
  const std::locale locale = std::locale::global(std::locale(std::locale(), new OddNumbers));
  const std::string c_locale = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "C.UTF-8");
  std::filesystem::current_path("/");
  const std::string second = text_of(plan_for(wishes(), make_catalog(), make_full_machine()).plan);
  std::filesystem::current_path(folder);
  std::setlocale(LC_ALL, c_locale.c_str());
  std::locale::global(locale);
  CHECK(first == second);
  CHECK(first.size() > 10'000);
}

TEST_CASE("the order of names in a request changes nothing", "[pure]") {
  Wishes one = wishes();
  one.ops = {"attn", "axpy", "axpy"};
  one.accelerators = {"rocm", "cuda"};
  Wishes two = one;
  two.ops = {"axpy", "attn"};
  two.accelerators = {"cuda", "hip"};
  two.arch = "gfx90a 80 90";
  CHECK(text_of(plan_for(one, make_catalog(), make_full_machine()).plan) ==
        text_of(plan_for(two, make_catalog(), make_full_machine()).plan));
}

TEST_CASE("entries are ordered by op, accelerator, arch as a number, form and variant", "[pure]") {
  const Made made =
      plan_for({{"attn"}, {"cuda"}, "9.0;10.0;12.1", {}}, make_catalog(), make_full_machine());
  std::vector<std::string> order;
  for (const Entry& entry : made.plan.entries) {
    if (entry.accelerator == "cuda")
      order.push_back(entry.arch + "." + entry.variant + "." + entry.form);
  }
  CHECK(order == std::vector<std::string>{"sm_90.HEAD_DIM-128.cubin", "sm_90.HEAD_DIM-64.cubin",
                                          "sm_90a..cubin", "sm_100.HEAD_DIM-128.cubin",
                                          "sm_100.HEAD_DIM-64.cubin", "sm_121.HEAD_DIM-128.cubin",
                                          "sm_121.HEAD_DIM-64.cubin", "sm_121.HEAD_DIM-128.ptx",
                                          "sm_121.HEAD_DIM-64.ptx"});
  CHECK(std::is_sorted(made.plan.steps.begin(), made.plan.steps.end(),
                       [](const Step& a, const Step& b) { return a.id < b.id; }));
  CHECK(std::is_sorted(made.plan.trials.begin(), made.plan.trials.end(),
                       [](const Trial& a, const Trial& b) { return a.key < b.key; }));
  CHECK(std::is_sorted(made.plan.settings.begin(), made.plan.settings.end(),
                       [](const Setting& a, const Setting& b) { return a.name < b.name; }));
}

TEST_CASE("the plan's JSON holds no path of this machine but those of toolchains", "[pure]") {
  const std::string text = text_of(plan_for(wishes(), make_catalog(), make_full_machine()).plan);
  CHECK(text.find(DSBUILD_SOURCE_DIR) == std::string::npos);
}

}  // namespace
}  // namespace dsbuild::plan
