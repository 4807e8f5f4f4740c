// Compares what a test gives with what a program said, where the test gives only a part. Knows
// JSON and how lists of named things are told apart, no key's meaning.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace dsbuild::machines {

/// Where a problem lies, as in an `expect` key, and what is wrong there.
struct Mismatch {
  std::string pointer;
  std::string text;
};

/// The value at an RFC 6901 pointer; null: there is none. In a list of objects a token is an index
/// or the element's own name: its address, id, name or kind, or "op@accelerator".
const Json* find_pointer(const Json& json, const std::string& pointer);

/// Every key of `expected` must be in `actual` with an equal value. A fact that has a value is
/// equal where its value is and, if given, its source. Lists of named things are matched by name,
/// others by index; a list of devices must be complete. Pointers in `elsewhere` and what lies below
/// them are left out.
std::vector<Mismatch> find_mismatches(const Json& expected, const Json& actual,
                                      const std::vector<std::string>& elsewhere,
                                      const std::string& pointer = "");

/// One `expect` entry: the value at the pointer must be equal, or, where `expected` is
/// {"says": TEXT}, a string with this text in it.
std::vector<Mismatch> check_expectation(const Json& report, const std::string& pointer,
                                        const Json& expected);

}  // namespace dsbuild::machines
