// SPDX-License-Identifier: Apache-2.0
// core/json/writer.h: writes JSON text from front to back. Nothing is built up beside the text, so
// that running out of memory is one std::bad_alloc and no destructor needs any.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon::json {

// `text` in quotes. What is not UTF-8 becomes U+FFFD; `ascii`: all that is not ASCII as \uXXXX.
void append_quoted(std::string& out, std::string_view text, bool ascii = false);
bool is_utf8(std::string_view text);
// For people, and readers in C, to whom a zero byte is the end: bytes that are not UTF-8 and
// controls, but for tabs and ends of lines, as \xff.
std::string readable(std::string_view text);
// The shortest digits that read back as the same number, "1.0", "1e-08"; null for NaN and
// infinities, which JSON does not have.
void append_number(std::string& out, double value);

// The caller opens and closes what belongs together; at most 64 levels.
class Writer {
 public:
  // indent  spaces for each level, with every entry on a line of its own; 0: all in one line
  explicit Writer(uint32_t indent = 0) : indent_(indent) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_list() { begin('['); }
  void end_list() { end(']'); }
  // Between begin_object and end_object: names the value that is written next.
  void name(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool flag) { raw(flag ? "true" : "false"); }
  void value(double number);
  void value(std::nullptr_t) { raw("null"); }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void value(Integer number) { raw(std::to_string(number)); }
  template <class Item>
  void value(const std::vector<Item>& items) {
    value(std::span<const Item>(items));
  }
  template <class Item>
  void value(std::span<Item> items) {
    begin_list();
    for (const auto& item : items) value(item);
    end_list();
  }

  template <class Value>
  void member(std::string_view name_of_it, const Value& content) {
    name(name_of_it);
    value(content);
  }

  // A list of what `part`, a function or a member of an item, gives for each.
  template <class Items, class Part>
  void list(std::string_view name_of_it, const Items& items, const Part& part) {
    name(name_of_it);
    begin_list();
    for (const auto& item : items) value(std::invoke(part, item));
    end_list();
  }

  // A list of objects; `write(item)` writes the members of each. Of a number of them, write(index).
  template <class Items, class Write>
  void objects(const Items& items, const Write& write) {
    const auto object = [&](const auto& item) {
      begin_object();
      write(item);
      end_object();
    };
    begin_list();
    if constexpr (std::is_integral_v<Items>) {
      for (Items i = 0; i < items; ++i) object(i);
    } else {
      for (const auto& item : items) object(item);
    }
    end_list();
  }
  template <class Items, class Write>
  void objects(std::string_view name_of_it, const Items& items, const Write& write) {
    name(name_of_it);
    objects(items, write);
  }

  std::string take() { return std::move(text_); }

 private:
  void begin(char bracket);
  void end(char bracket);
  void raw(std::string_view token);
  void before_entry();
  void new_line();

  std::string text_;
  uint32_t indent_;
  uint32_t depth_ = 0;
  uint64_t filled_ = 0;  // bit d: the object or list at depth d has an entry
  bool named_ = false;   // a name was written, its value was not
};

}  // namespace tenon::json
