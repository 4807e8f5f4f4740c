// A place in a JSON document: typed reading that forgives, because the schema has already told of
// wrong types, and a way to tell of what a schema can't say. Knows no format.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/json.h"
#include "manifest/rules.h"

namespace dsbuild::manifest {

/// What is read, and who is told of its problems.
struct Document {
  std::string file;
  Json json;  ///< without comments
  Diagnostics* diagnostics = nullptr;
  std::string text;  ///< as it was read
};

class Node {
 public:
  /// The whole document, which must outlive its nodes.
  explicit Node(const Document& document) : Node(document, &document.json, {}) {}

  /// False when the key that led here is missing.
  explicit operator bool() const { return json_ != nullptr; }
  const std::string& pointer() const { return pointer_; }
  const std::string& file() const { return document_->file; }

  Node at(std::string_view key) const;
  bool has(std::string_view key) const { return static_cast<bool>(at(key)); }

  std::vector<Node> items() const;                            ///< of a list, else none
  std::vector<std::pair<std::string, Node>> members() const;  ///< of an object, else none
  bool is_text() const { return json_ != nullptr && json_->is_string(); }
  bool is_list() const { return json_ != nullptr && json_->is_array(); }
  bool is_object() const { return json_ != nullptr && json_->is_object(); }
  std::string text() const;  ///< of a text or a whole number, else ""
  bool flag(bool otherwise = false) const;
  int number(int otherwise) const;         ///< a whole number
  std::vector<std::string> texts() const;  ///< the texts among the items

  /// Tells that `rule` is broken here. A hint, when given, stands in for the rule's own.
  void complain(Rule rule, std::initializer_list<std::string> arguments) const;

 private:
  Node(const Document& document, const Json* json, std::string pointer)
      : document_(&document), json_(json), pointer_(std::move(pointer)) {}

  const Document* document_;
  const Json* json_;
  std::string pointer_;
};

/// Removes `$schema` and `$comment`, which every object may have.
void remove_comments(Json& json);

/// Tells of control characters in any text or key.
void check_characters(const Node& node);

/// Whether JSON text could hold one: it must be escaped there, so most texts need no closer look.
bool may_have_controls(std::string_view json);

}  // namespace dsbuild::manifest
