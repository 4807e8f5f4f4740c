#include "ninja/writer.h"

#include "base/error.h"

namespace dsbuild::ninja {
namespace {

void refuse_line_break(std::string_view text) {
  const auto has = [text](char c) { return text.find(c) != std::string_view::npos; };
  if (!has('\n') && !has('\r') && !has('\0')) return;
  throw Error(ExitCode::bad_input, "Ninja can't express a line break or a NUL byte",
              std::string(text), "rename the file or folder");
}

}  // namespace

std::string escape_path(std::string_view path) {
  refuse_line_break(path);
  std::string escaped;
  escaped.reserve(path.size());
  for (const char c : path) {
    if (c == '|') {
      escaped += "${bar}";  // has no escape of its own; a variable's value is not looked into
      continue;
    }
    if (c == '$' || c == ' ' || c == ':') escaped += '$';
    escaped += c;
  }
  return escaped;
}

std::string escape_value(std::string_view value) {
  refuse_line_break(value);
  std::string escaped;
  escaped.reserve(value.size());
  for (const char c : value) {
    if (c == '$' || (c == ' ' && escaped.empty())) escaped += '$';  // leading spaces are dropped
    escaped += c;
  }
  return escaped;
}

Writer::Writer() : text_("ninja_required_version = 1.10\nbar = |\n") {}

void Writer::comment(std::string_view line) {
  refuse_line_break(line);
  text_.append("# ").append(line) += '\n';
}

void Writer::rule(std::string_view name, const Variables& variables) {
  text_.append("rule ").append(name) += '\n';
  for (const auto& [variable, value] : variables) {
    text_.append("  ").append(variable).append(" = ").append(value) += '\n';
  }
}

void Writer::build(const std::vector<std::string>& outputs, std::string_view rule,
                   const std::vector<std::string>& inputs, const Variables& variables) {
  text_ += "build";
  for (const std::string& output : outputs) text_.append(" ").append(escape_path(output));
  text_.append(": ").append(rule);
  for (const std::string& input : inputs) text_.append(" ").append(escape_path(input));
  text_ += '\n';
  for (const auto& [variable, value] : variables) {
    if (value.empty()) continue;
    text_.append("  ").append(variable).append(" = ").append(escape_value(value)) += '\n';
  }
}

}  // namespace dsbuild::ninja
