// SPDX-License-Identifier: Apache-2.0
// plugins/formats/file.hpp: what the formats share: a list of entries, pieces in order.
#pragma once

#include <tenon/sdk/plugin/files.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::formats {

inline constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
static_assert(kLittle, "the formats here hold little-endian numbers, which are mapped as they are");

using sdk::files::bytes_text;
using sdk::files::checked_product;
using sdk::files::refuse;
using sdk::files::refuse_data;
using sdk::files::refuse_unsupported;
using sdk::files::set_shape;

inline std::string_view view(const tenon_string& text) { return {text.data, text.length}; }
inline std::string tensor_words(std::string_view name) {
  return "tensor \"" + std::string(name) + "\"";
}

// What `read` makes of a file; formats that unpack derive from it. Names stay where they are.
struct Contents {
  virtual ~Contents() = default;
  std::deque<std::string> names;
  std::vector<tenon_format_entry> entries;
  std::map<uint32_t, std::string> foreign;  // what those entries are that Tenon cannot hold
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
  static tenon_status words(tenon_call*, void* object, uint32_t index, tenon_string* out) {
    *out = sdk::str(static_cast<const Contents*>(object)->foreign.at(index));
    return TENON_OK;
  }
  static void release(void* object) { delete static_cast<Contents*>(object); }

  // Nothing in `what`: a tensor that Tenon can hold.
  void add(tenon_format_entry entry, std::string name, std::string what) {
    names.push_back(std::move(name));
    entry.name = sdk::str(names.back());
    if (!what.empty()) {
      entry.flags |= TENON_FORMAT_FOREIGN;
      foreign.emplace(static_cast<uint32_t>(entries.size()), std::move(what));
    }
    entries.push_back(entry);
  }
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
