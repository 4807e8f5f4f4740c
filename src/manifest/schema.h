// Checks a document against a JSON Schema and tells of each problem once, at its own place, with
// what to write. Knows JSON Schema; no format of ours is written down here.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "manifest/node.h"

namespace dsbuild::manifest {

/// A schema that is made ready at the first document it must look at: that takes longer than all
/// the rest of reading.
class Schema {
 public:
  /// `file`: where the text comes from.
  Schema(std::string text, std::string file);
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  /// Tells the document's diagnostics of everything that the schema forbids. Nothing is told of one
  /// whose form is known (a digest of both texts); one in which nothing is wrong becomes known.
  /// Throws Error(file_system) when the schema itself is damaged.
  void check(const Document& document, std::set<std::string>& known_forms);

 private:
  struct State;

  std::string text_;
  std::string file_;
  std::string digest_;  ///< of the text, which is longer than most documents
  std::unique_ptr<State> state_;
};

}  // namespace dsbuild::manifest
