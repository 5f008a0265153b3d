// SPDX-License-Identifier: Apache-2.0
// core/json/reader.cc: a tree from the events of nlohmann's parser.
#include "core/json/reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/json/writer.h"

namespace tenon::json {

namespace {

using Events = nlohmann::json;

constexpr size_t kMaxDepth = 16;

// What nlohmann's parser calls; every function says whether to go on.
class Builder {
 public:
  explicit Builder(int32_t status) : status_(status) {}

  bool null() { return add({}); }
  bool boolean(bool flag) { return add({Kind::Bool, flag, flag ? "true" : "false", {}, {}}); }
  bool number_integer(int64_t number) {
    return add({Kind::Number, 0, std::to_string(number), {}, {}});
  }
  bool number_unsigned(uint64_t number) {
    return add({Kind::Unsigned, number, std::to_string(number), {}, {}});
  }
  bool number_float(double number, const std::string&) {
    Value value{Kind::Number, 0, {}, {}, {}};
    append_number(value.text, number);
    return add(std::move(value));
  }
  bool string(std::string& text) { return add({Kind::String, 0, std::move(text), {}, {}}); }
  bool binary(Events::binary_t&) { return false; }  // no JSON text holds any
  bool start_object(size_t) { return open(Kind::Object); }
  bool start_array(size_t) { return open(Kind::List); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (!open_.back().seen.insert(name).second) {
      std::string words = "field ";
      append_quoted(words, name.substr(0, 60), true);
      throw Error{status_, words + " stands there twice"};
    }
    open_.back().value.names.push_back(std::move(name));
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string what = error.what();
    what.resize(std::min(what.find("; last read: "), what.size()));  // bytes of the file
    const size_t tag = what.find("] ");
    throw Error{status_,
                "is not JSON: " + (tag == std::string::npos ? what : what.substr(tag + 2))};
  }

  Value take() { return std::move(root_); }

 private:
  bool add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().value.items.push_back(std::move(value));
    }
    return true;
  }

  bool open(Kind kind) {
    if (open_.size() == kMaxDepth) {
      throw Error{status_, "brackets are nested deeper than " + std::to_string(kMaxDepth)};
    }
    open_.push_back({{kind, 0, {}, {}, {}}, {}});
    return true;
  }

  bool close() {
    Value whole = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(whole));
  }

  struct Open {
    Value value;
    std::set<std::string> seen;  // names of an object
  };

  const tenon_status status_;
  Value root_;
  std::vector<Open> open_;  // innermost last
};

}  // namespace

const Value& Value::member(std::string_view name) const {
  static const Value none;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? none : items[static_cast<size_t>(found - names.begin())];
}

Value parse(std::string_view text, int32_t status) {
  Builder builder(status);
  Events::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace tenon::json
