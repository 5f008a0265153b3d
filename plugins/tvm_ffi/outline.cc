// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/outline.cc: see outline.hpp; the grammar is "schema/1" of docs/schema.md.
#include "outline.hpp"

#include <algorithm>

namespace tenon::tvm_ffi {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Each function that reads something returns false, or an empty string, if it is not there.
class Reader {
 public:
  Reader(std::string_view text, Outline& out) : text_(text), out_(out) {}

  bool whole() {
    out_.name = word();
    while (take('.')) out_.name = word();
    if (out_.name.empty() || !take('(') || !parameters() || !take('-') || !take('>')) return false;
    if (!outputs()) return false;
    name_outputs();
    space();
    return at_ == text_.size() || text_.substr(at_).starts_with("where");
  }

 private:
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  bool take(char mark) {
    space();
    if (at_ == text_.size() || text_[at_] != mark) return false;
    ++at_;
    return true;
  }
  std::string word() {
    space();
    const size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && is_digit(text_[at_])))) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  // What lies between brackets; `open` was taken.
  bool rest_of_brackets(std::string* inside = nullptr) {
    const size_t begin = at_;
    for (int depth = 1; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (depth != 0) continue;
      if (inside) *inside = text_.substr(begin, at_ - begin);
      ++at_;
      return true;
    }
    return false;
  }
  bool type() {
    const std::string name = word();
    if (name.empty()) return false;
    add_variable(name);
    return !take('[') || rest_of_brackets();
  }
  void add_variable(const std::string& name) {
    if (name[0] < 'A' || name[0] > 'Z') return;
    if (std::ranges::count(out_.variables, name) == 0) out_.variables.push_back(name);
  }

  bool parameters() {
    if (take(')')) return true;
    do {
      if (take('*')) return take(',') && attributes();
      Input input;
      input.name = word();
      input.written = take('!');
      if (input.name.empty() || !take(':') || !type()) return false;
      input.list = take('*');
      input.optional = take('?');
      out_.inputs.push_back(std::move(input));
    } while (take(','));
    return take(')');
  }
  bool attributes() {
    do {
      Attribute attribute;
      attribute.name = word();
      if (attribute.name.empty() || !take(':')) return false;
      attribute.kind = word();
      if (attribute.kind.empty()) return false;
      add_variable(attribute.kind);
      std::string length;
      if (take('[')) {
        if (!rest_of_brackets(&length)) return false;
        attribute.kind += "[" + length + "]";
      }
      take('?');
      if (take('=')) skip_default();
      out_.attributes.push_back(std::move(attribute));
    } while (take(','));
    return take(')');
  }
  void skip_default() {
    bool quoted = false;
    for (int depth = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quoted && c == '\\') {
        at_ += at_ + 1 < text_.size() ? 1 : 0;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted) {
        if (depth == 0 && (c == ',' || c == ')')) return;
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      }
    }
  }

  bool outputs() {
    if (!take('(')) return output();
    if (take(')')) return true;
    do {
      if (!output()) return false;
    } while (take(','));
    return take(')');
  }
  bool output() {
    Output output;
    size_t begin = at_;
    std::string first = word();
    if (first == "aux") {
      output.aux = true;
      begin = at_;
      first = word();
    }
    if (take(':')) {
      output.name = first;
    } else {
      at_ = begin;
    }
    out_.outputs.push_back(std::move(output));
    return type();
  }
  void name_outputs() {
    for (size_t i = 0; i < out_.outputs.size(); ++i) {
      if (!out_.outputs[i].name.empty()) continue;
      out_.outputs[i].name = out_.outputs.size() == 1 ? "out" : "out" + std::to_string(i);
    }
  }

  std::string_view text_;
  Outline& out_;
  size_t at_ = 0;
};

}  // namespace

bool read_outline(std::string_view schema, Outline& out) {
  out = {};
  return Reader(schema, out).whole();
}

}  // namespace tenon::tvm_ffi
