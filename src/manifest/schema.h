// Checks a document against a JSON Schema and tells of each problem once, at its own place, with
// what to write. Knows JSON Schema; no format of ours is written down here.
#pragma once

#include <memory>

#include "base/json_fwd.h"
#include "manifest/node.h"

namespace dsbuild::manifest {

/// A schema made ready to check many documents.
class Schema {
 public:
  explicit Schema(Json schema);
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  /// Tells the document's diagnostics of everything that the schema forbids.
  void check(const Document& document) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsbuild::manifest
