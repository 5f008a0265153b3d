// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/npy.hpp: the header of NumPy's array files, read and written.
//
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html:
//
//   6 bytes    \x93NUMPY
//   2 bytes    version: 1.0, 2.0 or 3.0
//   2 bytes    N, little-endian; 4 bytes from version 2.0 on
//   N bytes    {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } and spaces, then \n
//   the rest   elements
//
// What NumPy under Python 2 wrote is read, too: u'descr', (2L, 3L), a line end of \r\n.
#pragma once

#include <tenon/sdk/plugin/files.hpp>
#include <tenon/sdk/plugin/utf8.hpp>

#include <charconv>
#include <cstring>
#include <optional>
#include <set>

namespace tenon::sdk::files {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "lengths and elements are read as they lie");

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";
// NumPy itself believes no longer one of a file it does not trust.
inline constexpr uint64_t kMaxNpyHeaderBytes = 10'000;
inline constexpr uint64_t kMaxNpyPrefixBytes = kMaxNpyHeaderBytes + 12;

struct NpyHeader {
  tenon_meta meta{};
  std::string foreign;   // what the elements are, if Tenon has no such; then meta.dtype is none
  bool is_sized = true;  // of foreign ones: whether `data_bytes` is known
  bool column_major = false;
  bool swap = false;  // elements are big-endian
  uint64_t data_begin = 0;
  uint64_t data_bytes = 0;
};

class NpyParser {
 public:
  // `text` is the front of the array's bytes: all of the header, and anything after it.
  NpyParser(std::string_view text, std::string what) : text_(text), what_(std::move(what)) {}

  // An array that Tenon can hold.
  NpyHeader read() {
    NpyHeader found = describe();
    if (found.foreign.empty()) return found;
    refuse_unsupported(what_ + " has elements that Tenon has not",
                       "b1 u1 i1 i2 i4 i8 f2 f4 f8 in at most 8 dimensions", found.foreign);
  }

  // Any array.
  NpyHeader describe() {
    if (!text_.starts_with(kNpyMagic)) refuse_data(what_ + " does not begin as npy files do");
    if (text_.size() < 8) refuse_data(what_ + " ends within its header");
    const auto major = static_cast<unsigned char>(text_[6]);
    is_utf8_ = major == 3;
    const auto minor = static_cast<unsigned char>(text_[7]);
    if (major < 1 || major > 3 || minor != 0) {
      refuse_unsupported(what_ + " has an unknown version", "1.0, 2.0 or 3.0",
                         std::to_string(major) + "." + std::to_string(minor));
    }
    const uint64_t begin = major == 1 ? 10 : 12;
    if (text_.size() < begin) refuse_data(what_ + " ends within its header");
    uint32_t length = 0;
    std::memcpy(&length, text_.data() + 8, begin - 8);
    if (length > kMaxNpyHeaderBytes) {
      refuse_data(what_ + " has a header that is too long",
                  "at most " + bytes_text(kMaxNpyHeaderBytes), bytes_text(length));
    }
    if (text_.size() - begin < length) refuse_data(what_ + " ends within its header");
    header_.data_begin = begin + length;
    text_ = text_.substr(begin, length);
    read_members();
    finish();
    return header_;
  }

 private:
  [[noreturn]] void refuse_text(const std::string& expected) const {
    refuse_data(what_ + " has a wrong header", expected,
                at_ < text_.size() ? "'" + std::string(text_.substr(at_, 16)) + "'" : "its end");
  }
  char next() {
    constexpr std::string_view kSpaces = " \n\t\r";
    while (at_ < text_.size() && kSpaces.find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (next() != wanted || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) refuse_text(std::string("'") + wanted + "'");
  }
  std::string string() {
    if (next() == 'u') ++at_;
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') refuse_text("a text in quotes");
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) refuse_text("a text in quotes");
    std::string found(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return found;
  }
  bool flag() {
    next();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    refuse_text("True or False");
  }
  uint64_t number() {
    next();
    uint64_t value = 0;
    const size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<uint64_t>(text_[at_] - '0');
      if (value > (UINT64_MAX - digit) / 10) refuse_text("a size below 2^63");
      value = value * 10 + digit;
    }
    if (at_ == begin) refuse_text("a size");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }
  std::vector<uint64_t> shape() {
    std::vector<uint64_t> sizes;
    expect('(');
    while (!take(')')) {
      sizes.push_back(number());
      if (take(',')) continue;
      // One number in brackets alone is not a tuple.
      if (sizes.size() < 2) refuse_text("','");
      expect(')');
      break;
    }
    return sizes;
  }

  void read_members() {
    std::set<std::string> seen;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      if (!seen.insert(key).second) refuse_data(what_ + " has the member '" + key + "' twice");
      expect(':');
      if (key == "descr") {
        next();
        const size_t begin = at_;
        if (text_.substr(at_).starts_with('[')) {
          item_bytes_ = records(kMaxDepth);
        } else {
          set_dtype(string());
        }
        descr_ = text_.substr(begin, at_ - begin);
      } else if (key == "fortran_order") {
        header_.column_major = flag();
      } else if (key == "shape") {
        shape_ = shape();
      } else {
        refuse_data(what_ + " has an unknown member", "descr, fortran_order and shape", key);
      }
      if (take(',')) continue;
      expect('}');
      break;
    }
    next();
    if (at_ != text_.size()) refuse_text("nothing more");
    if (seen.size() != 3) {
      refuse_data(what_ + " lacks a member of its header", "descr, fortran_order and shape",
                  std::to_string(seen.size()) + " of them");
    }
  }

  // [('name', '<f4'), (('title', 'name'), '<i8', (2, 3)), ('', [...])]: the bytes of one, if known.
  std::optional<uint64_t> records(int depth) {
    if (depth == 0) refuse_text("records that lie less deep");
    std::optional<uint64_t> all = 0;
    expect('[');
    while (!take(']')) {
      expect('(');
      if (take('(')) {
        string(), expect(','), string(), expect(')');
      } else {
        string();
      }
      expect(',');
      std::optional<uint64_t> item = next() == '[' ? records(depth - 1) : bytes_of_descr(string());
      if (take(',') && next() != ')') {
        for (const uint64_t size : next() == '(' ? shape() : std::vector{number()}) {
          item = times(item, size);
        }
      }
      expect(')');
      all = all && item && *item <= INT64_MAX - *all ? std::optional(*all + *item) : std::nullopt;
      if (take(',')) continue;
      expect(']');
      break;
    }
    return all;
  }

  static std::optional<uint64_t> times(std::optional<uint64_t> bytes, uint64_t size) {
    if (!bytes || (size != 0 && *bytes > INT64_MAX / size)) return std::nullopt;
    return *bytes * size;
  }

  static std::string_view without_order(std::string_view descr) {
    constexpr std::string_view kOrders = "<>|=";
    const bool has_order = !descr.empty() && kOrders.find(descr[0]) != std::string_view::npos;
    return descr.substr(has_order ? 1 : 0);
  }

  // Of a letter and a number: "<c8" has 8, "<U3" has 12.
  static std::optional<uint64_t> bytes_of_descr(std::string_view descr) {
    descr = without_order(descr);
    constexpr std::string_view kLetters = "biufcSaUVMm";
    if (descr.empty() || kLetters.find(descr[0]) == std::string_view::npos) return std::nullopt;
    const char* const begin = descr.data() + 1;
    const char* const end = descr.data() + descr.size();
    uint32_t bytes = 0;
    const auto [behind, error] = std::from_chars(begin, end, bytes);
    const bool unit = behind != end && *behind == '[';  // "<M8[ns]"
    if (error != std::errc() || (behind != end && !unit)) return std::nullopt;
    return uint64_t{bytes} * (descr[0] == 'U' ? 4 : 1);
  }

  void set_dtype(const std::string& descr);

  void finish() {
    const bool fits = shape_.size() <= TENON_MAX_RANK;
    if (fits) set_shape(header_.meta, shape_, what_);
    if (fits && header_.meta.dtype != TENON_DTYPE_NONE) {
      header_.data_bytes = checked_product(size_of(header_.meta.dtype), shape_, what_);
      return;
    }
    header_.foreign = descr_words();
    if (!fits) header_.foreign += " of " + std::to_string(shape_.size()) + " dimensions";
    header_.meta.dtype = TENON_DTYPE_NONE;
    header_.swap = false;
    std::optional<uint64_t> bytes = item_bytes_;
    for (const uint64_t size : shape_) bytes = times(bytes, size);
    header_.is_sized = bytes.has_value();
    header_.data_bytes = bytes.value_or(0);
  }

  // As UTF-8: headers are that from version 3 on, and Latin-1 before.
  std::string descr_words() const {
    if (is_utf8_) {
      if (utf8_until(descr_) != descr_.size())
        refuse_data(what_ + " has a header that is not UTF-8");
      return std::string(descr_);
    }
    std::string words;
    for (const char byte : descr_) words += utf8_of(static_cast<unsigned char>(byte));
    return words;
  }

  static constexpr int kMaxDepth = 32;

  std::string_view text_;
  std::string what_;
  bool is_utf8_ = false;
  size_t at_ = 0;
  std::string_view descr_;  // as it stands there
  std::vector<uint64_t> shape_;
  std::optional<uint64_t> item_bytes_;
  NpyHeader header_;
};

struct NpyDtype {
  std::string_view code;  // without the byte order
  tenon_dtype dtype;
};
inline constexpr NpyDtype kNpyDtypes[] = {
    {"b1", TENON_DTYPE_BOOL}, {"u1", TENON_DTYPE_U8},  {"i1", TENON_DTYPE_I8},
    {"i2", TENON_DTYPE_I16},  {"i4", TENON_DTYPE_I32}, {"i8", TENON_DTYPE_I64},
    {"f2", TENON_DTYPE_F16},  {"f4", TENON_DTYPE_F32}, {"f8", TENON_DTYPE_F64}};

// Without an order, or with "|", NumPy takes a number for one of the machine's.
inline void NpyParser::set_dtype(const std::string& descr) {
  item_bytes_ = bytes_of_descr(descr);
  for (const NpyDtype& entry : kNpyDtypes) {
    if (entry.code != without_order(descr)) continue;
    header_.meta.dtype = entry.dtype;
    header_.swap = descr.starts_with('>') && size_of(entry.dtype) > 1;
  }
}

// The bytes before the elements of a row-major array.
inline std::string npy_prefix(const tenon_meta& meta, const std::string& what) {
  std::string descr;
  for (const NpyDtype& entry : kNpyDtypes) {
    if (entry.dtype == meta.dtype) {
      descr = (size_of(meta.dtype) > 1 ? "<" : "|") + std::string(entry.code);
    }
  }
  if (descr.empty()) {
    refuse_unsupported(what + " is bf16, which NumPy's files cannot hold", "another dtype", "bf16");
  }
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int32_t i = 0; i < meta.rank; ++i) {
    text += (i ? ", " : "") + std::to_string(meta.shape[i]);
  }
  text += meta.rank == 1 ? ",), }" : "), }";
  // Elements begin at a multiple of 64, as NumPy's do.
  const size_t padding = (64 - (10 + text.size() + 1) % 64) % 64;
  text.append(padding, ' ');
  text += '\n';
  const auto length = static_cast<uint16_t>(text.size());
  std::string prefix(kNpyMagic);
  prefix += {1, 0};
  prefix.append(reinterpret_cast<const char*>(&length), sizeof length);
  return prefix + text;
}

// Turns the bytes of each element round.
inline void swap_elements(void* data, uint64_t bytes, uint32_t size) {
  if (size < 2) return;
  auto* at = static_cast<unsigned char*>(data);
  for (auto* const end = at + bytes; at != end; at += size) {
    for (uint32_t i = 0; i < size / 2; ++i) std::swap(at[i], at[size - 1 - i]);
  }
}

}  // namespace tenon::sdk::files
