// SPDX-License-Identifier: Apache-2.0
// plugins/data/npy_header.hpp: reads what a .npy file says about its array.
//
// The format (NumPy Enhancement Proposal 1; numpy.lib.format):
//
//   6 bytes    93 'N' 'U' 'M' 'P' 'Y'
//   2 bytes    version: 1.0, 2.0 or 3.0
//   2 bytes    length of the header, little-endian; 4 bytes from version 2.0 on
//   header     {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }, spaces, a newline
//   the rest   elements, the last index fastest
//
// The header is a Python dictionary: here its three keys are taken in any order, with the spaces
// Python allows, and nothing else.
#pragma once

#include <tenon/sdk/base.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data {

struct NpyHeader {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  bool big_endian = false;
  std::vector<int64_t> shape;
  uint64_t bytes = 0;  // of all elements
};

// Reads the dictionary. Throws Failure with the words alone.
class NpyHeaderParser {
 public:
  explicit NpyHeaderParser(std::string_view text) : rest_(text) {}

  NpyHeader parse() {
    expect('{');
    bool seen[3] = {};
    while (!take('}')) {
      const std::string key = take_text();
      expect(':');
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0 || seen[which]) refuse("each of descr, fortran_order and shape once");
      seen[which] = true;
      if (which == 0) take_dtype();
      if (which == 1) take_order();
      if (which == 2) take_shape();
      if (!take(',') && !(skip(), rest_.starts_with('}'))) refuse("',' or '}'");
    }
    skip();
    if (!rest_.empty() || !seen[0] || !seen[1] || !seen[2]) {
      refuse("descr, fortran_order and shape, and nothing behind them");
    }
    count_bytes();
    return header_;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw sdk::Failure{.status = TENON_E_DATA,
                       .what = "its header cannot be read",
                       .expected = expected,
                       .found = "something else with " + std::to_string(rest_.size()) +
                                " bytes of the header left"};
  }
  void skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool take(char sign) {
    skip();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char sign) {
    if (!take(sign)) refuse(std::string("'") + sign + "'");
  }
  bool take_word(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string take_text() {
    skip();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    const size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : rest_.npos;
    if (end == rest_.npos) refuse("a text in quotes");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  void take_dtype() {
    const std::string name = take_text();
    struct Known {
      std::string_view name;
      tenon_dtype dtype;
    };
    constexpr Known known[] = {
        {"b1", TENON_DTYPE_BOOL}, {"u1", TENON_DTYPE_U8},  {"i1", TENON_DTYPE_I8},
        {"i2", TENON_DTYPE_I16},  {"i4", TENON_DTYPE_I32}, {"i8", TENON_DTYPE_I64},
        {"f2", TENON_DTYPE_F16},  {"f4", TENON_DTYPE_F32}, {"f8", TENON_DTYPE_F64}};
    const bool has_order = name.size() == 3 && std::string_view("<>|=").find(name[0]) != rest_.npos;
    for (const Known& each : known) {
      if (has_order && each.name == std::string_view(name).substr(1)) header_.dtype = each.dtype;
    }
    if (header_.dtype == TENON_DTYPE_NONE) {
      throw sdk::Failure{.status = TENON_E_DATA,
                         .what = "its elements have a type that Tenon does not have",
                         .expected = "b1, u1, i1, i2, i4, i8, f2, f4 or f8 behind '<', '>' or '|'",
                         .found = "'" + printable(name) + "'"};
    }
    header_.big_endian = name[0] == '>';
  }

  static std::string printable(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, 40)) out += c >= 0x20 && c < 0x7F ? c : '?';
    return out;
  }

  void take_order() {
    if (take_word("False")) return;
    if (!take_word("True")) refuse("True or False");
    throw sdk::Failure{.status = TENON_E_DATA,
                       .what = "its first index is the fastest",
                       .expected = "fortran_order False, as numpy.ascontiguousarray gives it",
                       .found = "True"};
  }

  void take_shape() {
    expect('(');
    while (!take(')')) {
      skip();
      int64_t size = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) refuse("a size");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      header_.shape.push_back(size);
      if (header_.shape.size() > TENON_MAX_RANK) refuse("at most 8 dimensions");
      if (!take(',') && !(skip(), rest_.starts_with(')'))) refuse("',' or ')'");
    }
  }

  void count_bytes() {
    constexpr uint64_t most = uint64_t{1} << 62;
    header_.bytes = sdk::size_of(header_.dtype);
    for (const int64_t size : header_.shape) {
      if (size != 0 && header_.bytes > most / static_cast<uint64_t>(size)) {
        throw sdk::Failure{.status = TENON_E_DATA,
                           .what = "its sizes multiply to too many bytes",
                           .expected = "at most " + std::to_string(most) + " bytes",
                           .found = sdk::shape_text(header_.shape)};
      }
      header_.bytes *= static_cast<uint64_t>(size);
    }
  }

  std::string_view rest_;
  NpyHeader header_;
};

}  // namespace tenon::data
