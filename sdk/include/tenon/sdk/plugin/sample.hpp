// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/sample.hpp: sample calls of an op written as text (grammar sample/1).
//
//   f32[2,3](-2,2), i64[3]{0,2,1}, none, 2.5, [f32[2], f32[2]] | axes=[0], keepdims=true
//
// inputs, then after '|' the attributes by name. docs/schema.md has the written grammar. A sample
// says what the operands are, not their bytes: whoever runs it draws uniform values from a seed of
// its own. Standard library only; parse_sample throws std::runtime_error on bad text.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tenon::sdk {

inline constexpr int64_t max_sample_elements = int64_t{1} << 28;
inline constexpr size_t max_sample_rank = 8;

// A number as written: 2 is int64_t, 2.5 and 2e0 and inf are double.
using SampleScalar = std::variant<bool, int64_t, double>;

// A tensor to be made. With `explicit_values`, `values` are its elements in row-major order, each
// bool, int64_t or double as its dtype is; else elements are drawn uniformly from [low, high), for
// bool from {false, true}.
struct SampleTensor {
  std::string dtype;  // one of the ten dtype names
  std::vector<int64_t> dims;
  double low = -1.0;
  double high = 1.0;
  bool explicit_values = false;
  std::vector<SampleScalar> values;

  int64_t element_count() const {
    int64_t count = 1;
    for (const int64_t extent : dims) count *= extent;
    return count;
  }
};

struct SampleInput {
  enum class Kind : uint8_t { None, Tensor, Scalar, List };
  Kind kind = Kind::None;
  SampleTensor tensor;             // Tensor
  SampleScalar scalar;             // Scalar: a weak scalar
  std::vector<SampleTensor> list;  // List
};

struct SampleDtype {
  std::string name;
};

// none is std::monostate.
using SampleValue = std::variant<std::monostate, bool, int64_t, double, std::string,
                                 std::vector<int64_t>, std::vector<double>, SampleDtype>;

struct Sample {
  std::vector<SampleInput> inputs;
  std::vector<std::pair<std::string, SampleValue>> attrs;
};

namespace detail {

enum class SampleKind : uint8_t { Bool, Int, Float };

struct SampleDtypeRow {
  std::string_view name;
  SampleKind kind;
  int64_t least;     // integers and bool
  int64_t greatest;  // integers and bool
};

inline constexpr std::array<SampleDtypeRow, 10> sample_dtypes = {{
    {"bool", SampleKind::Bool, 0, 1},
    {"u8", SampleKind::Int, 0, UINT8_MAX},
    {"i8", SampleKind::Int, INT8_MIN, INT8_MAX},
    {"i16", SampleKind::Int, INT16_MIN, INT16_MAX},
    {"i32", SampleKind::Int, INT32_MIN, INT32_MAX},
    {"i64", SampleKind::Int, INT64_MIN, INT64_MAX},
    {"f16", SampleKind::Float, 0, 0},
    {"bf16", SampleKind::Float, 0, 0},
    {"f32", SampleKind::Float, 0, 0},
    {"f64", SampleKind::Float, 0, 0},
}};

inline const SampleDtypeRow* find_sample_dtype(std::string_view name) {
  const auto found = std::find_if(sample_dtypes.begin(), sample_dtypes.end(),
                                  [&](const SampleDtypeRow& row) { return row.name == name; });
  return found == sample_dtypes.end() ? nullptr : &*found;
}

class SampleParser {
 public:
  explicit SampleParser(std::string_view text) : text_(text) {}

  Sample parse() {
    Sample sample;
    if (peek() != '|' && !at_end()) {
      do sample.inputs.push_back(parse_input());
      while (accept(','));
    }
    if (accept('|')) {
      do parse_attr(sample);
      while (accept(','));
    }
    if (!at_end()) fail(at_, "',', '|' or the end of the text");
    return sample;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool is_word(char c) { return is_word_start(c) || is_digit(c); }
  static bool is_printable(char c) { return c >= ' ' && c <= '~'; }

  [[noreturn]] void fail(size_t at, const std::string& expected) const {
    std::string found = "the end of the text";
    if (at < text_.size()) {
      found = is_printable(text_[at])
                  ? '\'' + std::string(1, text_[at]) + '\''
                  : "byte " + std::to_string(static_cast<unsigned char>(text_[at]));
    }
    throw std::runtime_error("sample column " + std::to_string(at + 1) + ": expected " + expected +
                             ", found " + found + '\n' + excerpt(at));
  }

  std::string excerpt(size_t at) const {
    const size_t begin = at > 60 ? at - 60 : 0;
    std::string line(text_.substr(begin, 120));
    for (char& c : line) c = is_printable(c) ? c : ' ';
    return "  " + line + '\n' + std::string(at - begin + 2, ' ') + '^';
  }

  // Where the next token starts.
  size_t here() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
    return at_;
  }

  bool at_end() { return here() == text_.size(); }
  char peek() { return at_end() ? '\0' : text_[at_]; }

  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const char* where) {
    if (!accept(c)) fail(at_, '\'' + std::string(1, c) + "' " + where);
  }

  std::string_view read_word(const char* what) {
    if (!is_word_start(peek())) fail(at_, what);
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // true | false | inf | -inf | nan | integer | float; empty, nothing consumed, for anything else.
  std::optional<SampleScalar> accept_scalar() {
    const size_t begin = here();
    if (is_word_start(peek())) {
      const std::string_view word = read_word("a word");
      if (word == "true" || word == "false") return SampleScalar(word == "true");
      if (word == "inf") return SampleScalar(std::numeric_limits<double>::infinity());
      if (word == "nan") return SampleScalar(std::numeric_limits<double>::quiet_NaN());
      at_ = begin;
      return std::nullopt;
    }
    if (text_.substr(at_, 4) == "-inf" && !(at_ + 4 < text_.size() && is_word(text_[at_ + 4]))) {
      at_ += 4;
      return SampleScalar(-std::numeric_limits<double>::infinity());
    }
    const size_t digits = begin + (peek() == '-' ? 1 : 0);
    if (digits >= text_.size() || !is_digit(text_[digits])) return std::nullopt;
    return read_number(begin);
  }

  SampleScalar read_number(size_t begin) {
    at_ = begin + 1;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' || in_exponent())) ++at_;
    const std::string_view number = text_.substr(begin, at_ - begin);
    const char* const end = number.data() + number.size();
    if (number.find_first_of(".eE") == number.npos) {
      int64_t value = 0;
      const auto result = std::from_chars(number.data(), end, value);
      if (result.ec != std::errc() || result.ptr != end) fail(begin, "an integer of 64 bits");
      return value;
    }
    double value = 0.0;
    const auto result = std::from_chars(number.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) fail(begin, "a number a double can hold");
    return value;
  }

  // At the sign of "1e-3".
  bool in_exponent() const {
    return (text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] | 32) == 'e';
  }

  SampleInput parse_input() {
    static constexpr const char* expected =
        "an input (a dtype with dimensions, a number, true, false, none or a list)";
    SampleInput input;
    if (accept('[')) {
      input.kind = SampleInput::Kind::List;
      if (accept(']')) return input;
      do input.list.push_back(parse_tensor("a tensor"));
      while (accept(','));
      expect(']', "or ',' after a tensor of a list");
      return input;
    }
    if (const std::optional<SampleScalar> scalar = accept_scalar()) {
      input.kind = SampleInput::Kind::Scalar;
      input.scalar = *scalar;
      return input;
    }
    const size_t begin = at_;
    if (read_word(expected) == "none") return input;
    at_ = begin;
    input.kind = SampleInput::Kind::Tensor;
    input.tensor = parse_tensor(expected);
    return input;
  }

  SampleTensor parse_tensor(const char* expected) {
    SampleTensor tensor;
    const size_t begin = here();
    const SampleDtypeRow* dtype = find_sample_dtype(read_word(expected));
    if (dtype == nullptr) fail(begin, expected);
    tensor.dtype = dtype->name;
    expect('[', "and the dimensions after a dtype ('[]' for rank 0)");
    if (!accept(']')) {
      do parse_extent(tensor);
      while (accept(','));
      expect(']', "or ',' after a dimension");
    }
    if (dtype->kind != SampleKind::Float) {
      tensor.low = dtype->least < 0 ? -5.0 : 0.0;
      tensor.high = dtype->kind == SampleKind::Bool ? 2.0 : 6.0;
    }
    if (accept('(')) {
      parse_range(*dtype, tensor);
    } else if (accept('{')) {
      parse_values(*dtype, tensor);
    }
    return tensor;
  }

  void parse_extent(SampleTensor& tensor) {
    const size_t begin = here();
    const std::optional<SampleScalar> scalar = accept_scalar();
    const int64_t* extent = scalar ? std::get_if<int64_t>(&*scalar) : nullptr;
    if (extent == nullptr || *extent < 0) fail(begin, "an extent of 0 or more");
    if (tensor.dims.size() == max_sample_rank)
      fail(begin, "']': a tensor has at most 8 dimensions");
    const int64_t others = std::max<int64_t>(1, tensor.element_count());
    if (*extent > max_sample_elements / others) fail(begin, "fewer elements in one sample");
    tensor.dims.push_back(*extent);
  }

  void parse_range(const SampleDtypeRow& dtype, SampleTensor& tensor) {
    const size_t begin = at_;
    if (dtype.kind == SampleKind::Bool) fail(begin, "no range after a bool tensor");
    tensor.low = read_bound(dtype);
    expect(',', "between the bounds of a range");
    tensor.high = read_bound(dtype);
    if (!(tensor.low < tensor.high)) fail(begin, "a range (low,high) with low below high");
    expect(')', "after a range");
  }

  double read_bound(const SampleDtypeRow& dtype) {
    const size_t begin = here();
    const SampleScalar scalar = accept_scalar().value_or(false);
    if (dtype.kind == SampleKind::Float) {
      const int64_t* whole = std::get_if<int64_t>(&scalar);
      const double* real = std::get_if<double>(&scalar);
      const bool finite = whole != nullptr || (real != nullptr && *real - *real == 0.0);
      if (!finite) fail(begin, "a finite bound");
      return whole != nullptr ? static_cast<double>(*whole) : *real;
    }
    const int64_t* bound = std::get_if<int64_t>(&scalar);
    // The upper bound is outside the range, so it may lie one above the greatest value.
    if (bound == nullptr || *bound < dtype.least ||
        (*bound > dtype.greatest && *bound - 1 > dtype.greatest)) {
      fail(begin, "an integer bound the dtype can hold");
    }
    return static_cast<double>(*bound);
  }

  void parse_values(const SampleDtypeRow& dtype, SampleTensor& tensor) {
    const size_t begin = at_;
    tensor.explicit_values = true;
    if (!accept('}')) {
      do tensor.values.push_back(read_element(dtype));
      while (accept(','));
      expect('}', "or ',' after a value");
    }
    if (static_cast<int64_t>(tensor.values.size()) != tensor.element_count()) {
      fail(begin, std::to_string(tensor.element_count()) + " values, as the dimensions say (" +
                      std::to_string(tensor.values.size()) + " are given)");
    }
  }

  // A value in the kind of the dtype.
  SampleScalar read_element(const SampleDtypeRow& dtype) {
    const size_t begin = here();
    const std::optional<SampleScalar> scalar = accept_scalar();
    if (!scalar) fail(begin, "a value");
    if (const bool* truth = std::get_if<bool>(&*scalar)) {
      if (dtype.kind != SampleKind::Bool) fail(begin, "a number: the tensor is not bool");
      return *truth;
    }
    if (const double* real = std::get_if<double>(&*scalar)) {
      if (dtype.kind != SampleKind::Float) fail(begin, "an integer: the tensor is not a float");
      return *real;
    }
    const int64_t whole = std::get<int64_t>(*scalar);
    if (dtype.kind == SampleKind::Float) return static_cast<double>(whole);
    if (whole < dtype.least || whole > dtype.greatest) fail(begin, "a value the dtype can hold");
    return dtype.kind == SampleKind::Bool ? SampleScalar(whole == 1) : SampleScalar(whole);
  }

  void parse_attr(Sample& sample) {
    const size_t begin = here();
    std::string name(read_word("an attribute's name"));
    const bool taken = std::any_of(sample.attrs.begin(), sample.attrs.end(),
                                   [&](const auto& attr) { return attr.first == name; });
    if (taken) fail(begin, "each attribute once ('" + name + "' is given twice)");
    expect('=', "after an attribute's name");
    sample.attrs.emplace_back(std::move(name), parse_value());
  }

  SampleValue parse_value() {
    if (peek() == '"') return read_string();
    if (accept('[')) return read_numbers();
    if (const std::optional<SampleScalar> scalar = accept_scalar()) {
      return std::visit([](const auto& value) { return SampleValue(value); }, *scalar);
    }
    const size_t begin = at_;
    const std::string_view word = read_word("a value");
    if (word == "none") return std::monostate{};
    if (find_sample_dtype(word) == nullptr) fail(begin, "none, true, false or a dtype");
    return SampleDtype{std::string(word)};
  }

  // Integers, if all of them are.
  SampleValue read_numbers() {
    std::vector<int64_t> ints;
    std::vector<double> floats;
    if (accept(']')) return ints;
    do {
      const size_t begin = here();
      const std::optional<SampleScalar> scalar = accept_scalar();
      if (!scalar || std::holds_alternative<bool>(*scalar)) fail(begin, "a number");
      const int64_t* integer = std::get_if<int64_t>(&*scalar);
      if (integer) ints.push_back(*integer);
      floats.push_back(integer ? static_cast<double>(*integer) : std::get<double>(*scalar));
    } while (accept(','));
    expect(']', "or ',' after a number");
    if (ints.size() == floats.size()) return ints;
    return floats;
  }

  std::string read_string() {
    expect('"', "of a string");
    std::string value;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\') {
        const std::string_view names = "nt\"\\";
        const size_t known = at_ < text_.size() ? names.find(text_[at_]) : names.npos;
        if (known == names.npos) fail(at_, "one of \\\" \\\\ \\n \\t");
        c = "\n\t\"\\"[known];
        ++at_;
      }
      value += c;
    }
    if (at_ == text_.size()) fail(at_, "'\"' at the end of a string");
    ++at_;
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace detail

// Throws std::runtime_error: the column (1-based, in bytes), what was expected, what was found.
inline Sample parse_sample(std::string_view text) { return detail::SampleParser(text).parse(); }

}  // namespace tenon::sdk
