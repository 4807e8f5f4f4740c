#include "manifest/node.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsbuild::manifest {
namespace {

std::string child(const std::string& pointer, std::string_view key) {
  return pointer + "/" + json_pointer_token(key);
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

std::string expand_rule(std::string_view text, std::initializer_list<std::string> arguments) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}' && text[i + 1] >= '0' &&
        static_cast<std::size_t>(text[i + 1] - '0') < arguments.size()) {
      out += arguments.begin()[text[i + 1] - '0'];
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Node Node::at(std::string_view key) const {
  if (is_object()) {
    const auto found = json_->find(key);
    if (found != json_->end()) return {*document_, &*found, child(pointer_, key)};
  }
  return {*document_, nullptr, pointer_};
}

std::vector<Node> Node::items() const {
  std::vector<Node> nodes;
  if (!is_list()) return nodes;
  for (std::size_t i = 0; i < json_->size(); ++i) {
    nodes.push_back({*document_, &(*json_)[i], child(pointer_, std::to_string(i))});
  }
  return nodes;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> nodes;
  if (!is_object()) return nodes;
  for (auto it = json_->begin(); it != json_->end(); ++it) {
    nodes.emplace_back(it.key(), Node(*document_, &it.value(), child(pointer_, it.key())));
  }
  return nodes;
}

std::string Node::text() const {
  if (is_text()) return json_->get<std::string>();
  if (json_ != nullptr && json_->is_number_integer()) return json_->dump();
  return {};
}

bool Node::flag(bool otherwise) const {
  return json_ != nullptr && json_->is_boolean() ? json_->get<bool>() : otherwise;
}

int Node::number(int otherwise) const {
  return json_ != nullptr && json_->is_number_integer() ? json_->get<int>() : otherwise;
}

std::vector<std::string> Node::texts() const {
  std::vector<std::string> list;
  for (const Node& item : items()) {
    if (item.is_text()) list.push_back(item.text());
  }
  return list;
}

void Node::complain(Rule rule, std::initializer_list<std::string> arguments) const {
  const RuleRow& row = rule_row(rule);
  document_->diagnostics->error(document_->file, pointer_, expand_rule(row.message, arguments),
                                expand_rule(row.hint, arguments));
}

void remove_comments(Json& json) {
  if (json.is_object()) {
    json.erase("$schema");
    json.erase("$comment");
  }
  if (json.is_structured()) {
    for (Json& value : json) remove_comments(value);
  }
}

void check_characters(const Node& node) {
  const auto check = [](const Node& where, const std::string& text) {
    const auto found = std::find_if(text.begin(), text.end(), is_control);
    if (found == text.end()) return;
    where.complain(Rule::control_character,
                   {fmt::format("U+{:04X}", static_cast<unsigned char>(*found))});
  };
  if (node.is_text()) check(node, node.text());
  for (const Node& item : node.items()) check_characters(item);
  for (const auto& [key, value] : node.members()) {
    check(value, key);
    check_characters(value);
  }
}

bool may_have_controls(std::string_view json) {
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '\x7f') return true;
    if (json[i] != '\\' || ++i == json.size()) continue;
    if (json[i] != '"' && json[i] != '\\' && json[i] != '/') return true;
  }
  return false;
}

}  // namespace dsbuild::manifest
