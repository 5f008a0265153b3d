// SPDX-License-Identifier: Apache-2.0
// plugins/sentencepiece/wire.hpp: the wire format of protocol buffers, as far as a model needs it.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::sentencepiece {

[[noreturn]] inline void refuse_file(const std::string& what, const std::string& expected = {},
                                     const std::string& found = {}) {
  throw sdk::Failure{TENON_E_DATA, "the model is damaged: " + what,        "file", expected,
                     found,        "get the file again, or train it again"};
}

enum class Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  uint32_t number;
  Wire wire;
  uint64_t number_value;   // of kVarint and of the fixed ones
  std::string_view bytes;  // of kBytes
};

// Unlike the library, this refuses a known field of another type.
inline uint64_t varint_of(const Field& field) {
  if (field.wire != Wire::kVarint) refuse_file("a number has another type");
  return field.number_value;
}
inline std::string_view bytes_of(const Field& field) {
  if (field.wire != Wire::kBytes) refuse_file("a text has another type");
  return field.bytes;
}
inline float float_of(const Field& field) {
  if (field.wire != Wire::kFixed32) refuse_file("a score has another type");
  return std::bit_cast<float>(static_cast<uint32_t>(field.number_value));
}

// The fields of one message, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  bool empty() const { return rest_.empty(); }

  Field next() {
    const uint64_t tag = take_varint();
    Field field{static_cast<uint32_t>(tag >> 3), static_cast<Wire>(tag & 7), 0, {}};
    if (tag > UINT32_MAX || field.number == 0) refuse_file("a field has no number");
    switch (field.wire) {
      case Wire::kVarint:
        field.number_value = take_varint();
        break;
      case Wire::kFixed64:
        field.number_value = take_fixed(8);
        break;
      case Wire::kFixed32:
        field.number_value = take_fixed(4);
        break;
      case Wire::kBytes:
        field.bytes = take(take_varint());
        break;
      default:
        refuse_file("a field has a type that there is not");
    }
    return field;
  }

 private:
  std::string_view take(uint64_t length) {
    if (length > rest_.size()) refuse_file("it is cut off, or a length is wrong");
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(length));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  uint64_t take_fixed(size_t bytes) {
    uint64_t number = 0;
    const std::string_view taken = take(bytes);
    for (size_t i = 0; i < bytes; ++i) {
      number |= uint64_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    }
    return number;
  }
  uint64_t take_varint() {
    uint64_t number = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      number |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
    refuse_file("a number has too many digits");
  }

  std::string_view rest_;
};

// Writes one message.
class Message {
 public:
  void number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
  }
  void bytes(uint32_t field, std::string_view value) {
    varint(uint64_t{field} << 3 | static_cast<uint64_t>(Wire::kBytes));
    varint(value.size());
    out_ += value;
  }
  void real(uint32_t field, float value) {
    varint(uint64_t{field} << 3 | static_cast<uint64_t>(Wire::kFixed32));
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) out_ += static_cast<char>(bits >> shift);
  }
  const std::string& text() const { return out_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

}  // namespace tenon::sentencepiece
