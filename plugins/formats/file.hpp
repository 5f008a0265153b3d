// SPDX-License-Identifier: Apache-2.0
// plugins/formats/file.hpp: what the formats share: refusals, checked sizes, a list of entries.
#pragma once

#include <tenon/sdk/plugin.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::formats {

inline constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
static_assert(kLittle, "the formats here hold little-endian numbers, which are mapped as they are");

[[noreturn]] inline void refuse(tenon_status status, const std::string& what, std::string expected,
                                std::string found, const char* hint) {
  std::string text = what;
  if (!expected.empty()) text += ": expected " + expected + ", found " + found;
  throw sdk::Failure{status, std::move(text), "", std::move(expected), std::move(found), hint};
}

// The file is wrong.
[[noreturn]] inline void refuse_data(const std::string& what, std::string expected = {},
                                     std::string found = {}) {
  refuse(TENON_E_DATA, what, std::move(expected), std::move(found),
         "the file is damaged or of another format; fetch or write it again");
}

// The file may be right, but holds what Tenon does not have; or Tenon, what the file cannot.
[[noreturn]] inline void refuse_unsupported(const std::string& what, std::string expected = {},
                                            std::string found = {}) {
  refuse(TENON_E_UNSUPPORTED, what, std::move(expected), std::move(found),
         "convert the tensor first");
}

inline std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

// `what` at the front of the refusals.
inline void set_shape(tenon_meta& meta, const std::vector<uint64_t>& shape,
                      const std::string& what) {
  if (shape.size() > TENON_MAX_RANK) {
    refuse_unsupported(what + " has too many dimensions",
                       "at most " + std::to_string(TENON_MAX_RANK), std::to_string(shape.size()));
  }
  meta.rank = static_cast<int32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > INT64_MAX) refuse_data(what + " has a size above 2^63");
    meta.shape[i] = static_cast<int64_t>(shape[i]);
  }
}

// Also where a size is 0, the others must multiply to what can be counted.
inline uint64_t checked_bytes(const tenon_meta& meta, const std::string& what) {
  uint64_t bytes = sdk::size_of(meta.dtype);
  bool empty = false;
  for (int32_t i = 0; i < meta.rank; ++i) {
    const auto size = static_cast<uint64_t>(meta.shape[i]);
    empty |= size == 0;
    if (size != 0 && bytes > INT64_MAX / size) {
      refuse_data(what + " has sizes that multiply to too many bytes", "less than 2^63 bytes",
                  sdk::shape_text({meta.shape, static_cast<size_t>(meta.rank)}));
    }
    if (size != 0) bytes *= size;
  }
  return empty ? 0 : bytes;
}

inline std::string_view view(const tenon_string& text) { return {text.data, text.length}; }
inline std::string tensor_words(std::string_view name) {
  return "tensor \"" + std::string(name) + "\"";
}

// What `read` makes of a file; formats that unpack derive from it. Names stay where they are.
struct Contents {
  virtual ~Contents() = default;
  std::deque<std::string> names;
  std::vector<tenon_format_entry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;

  static tenon_status count(tenon_call*, void* object, uint32_t* out_entries,
                            uint32_t* out_metadata) {
    const auto& self = *static_cast<const Contents*>(object);
    *out_entries = static_cast<uint32_t>(self.entries.size());
    *out_metadata = static_cast<uint32_t>(self.metadata.size());
    return TENON_OK;
  }
  static tenon_status entry(tenon_call*, void* object, uint32_t index, tenon_format_entry* out) {
    *out = static_cast<const Contents*>(object)->entries[index];
    return TENON_OK;
  }
  static tenon_status pair(tenon_call*, void* object, uint32_t index, tenon_format_pair* out) {
    const auto& [key, value] = static_cast<const Contents*>(object)->metadata[index];
    *out = {sdk::str(key), sdk::str(value)};
    return TENON_OK;
  }
  static void release(void* object) { delete static_cast<Contents*>(object); }
};

// What `layout` makes: pieces in order; those of kind BYTES may be made when they are asked for.
struct Pieces {
  virtual ~Pieces() = default;
  virtual tenon_format_piece next() = 0;
  virtual void written(const void*, uint64_t) {}

  static tenon_status piece(tenon_call* call, void* layout, tenon_format_piece* out) {
    return sdk::guarded(call, [&] { *out = static_cast<Pieces*>(layout)->next(); });
  }
  static tenon_status show(tenon_call* call, void* layout, const void* bytes, uint64_t length) {
    return sdk::guarded(call, [&] { static_cast<Pieces*>(layout)->written(bytes, length); });
  }
  static void release(void* layout) { delete static_cast<Pieces*>(layout); }
};

// A head, then tensors without anything between them.
struct HeadAndTensors : Pieces {
  std::string head;
  std::vector<uint32_t> order;  // entries
  size_t at = 0;

  tenon_format_piece next() override {
    const size_t step = at++;
    if (step == 0) return {head.data(), head.size(), TENON_PIECE_BYTES, 0};
    if (step > order.size()) return {nullptr, 0, TENON_PIECE_END, 0};
    return {nullptr, 0, TENON_PIECE_TENSOR, order[step - 1]};
  }
};

}  // namespace tenon::formats
