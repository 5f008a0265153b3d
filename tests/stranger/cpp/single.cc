// SPDX-License-Identifier: Apache-2.0
// tests/stranger/cpp/single.cc: the format acme.single: one tensor of f32 or f64 in a file.
//
//   bytes 0-7 "ACMEONE1", 8-11 the dtype, 12-15 the rank, then 8 bytes for each dimension, then the
//   elements row by row; numbers as this machine stores them
#include <tenon/sdk/plugin/plugin.hpp>

#include <cstring>
#include <limits>

namespace {

namespace sdk = tenon::sdk;

constexpr std::string_view magic = "ACMEONE1";
constexpr uint64_t head_bytes = 16;

bool can_hold(tenon_dtype dtype) { return dtype == TENON_DTYPE_F32 || dtype == TENON_DTYPE_F64; }

[[noreturn]] void refuse(tenon_status status, const char* words, const char* expected) {
  throw sdk::Failure{status, words, "", expected};
}

template <class T>
T number_at(std::span<const char> bytes, uint64_t place) {
  T number;
  std::memcpy(&number, &bytes[place], sizeof number);
  return number;
}

// ---- Reading ------------------------------------------------------------------------------------

// Nothing in the bytes is believed before it was compared with their number.
tenon_format_entry described(std::span<const char> bytes) {
  if (bytes.size() < head_bytes || std::string_view(bytes.data(), magic.size()) != magic) {
    refuse(TENON_E_DATA, "it is not a file of acme.single", "ACMEONE1 at its begin");
  }
  tenon_format_entry entry{};
  entry.name = sdk::str("tensor");
  entry.meta.dtype = number_at<uint32_t>(bytes, 8);
  if (!can_hold(entry.meta.dtype)) refuse(TENON_E_DATA, "unknown dtype", "f32 or f64");
  const auto rank = number_at<uint32_t>(bytes, 12);
  if (rank > TENON_MAX_RANK || bytes.size() - head_bytes < rank * sizeof(int64_t)) {
    refuse(TENON_E_DATA, "the shape is not whole", "at most 8 dimensions");
  }
  entry.meta.rank = static_cast<int32_t>(rank);
  entry.offset = head_bytes + rank * sizeof(int64_t);
  uint64_t size = sdk::size_of(entry.meta.dtype);
  bool empty = false;
  for (uint32_t d = 0; d < rank; ++d) {
    const auto extent = number_at<int64_t>(bytes, head_bytes + d * sizeof(int64_t));
    const auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / size;
    if (extent < 0 || static_cast<uint64_t>(extent) > most) {
      refuse(TENON_E_DATA, "a dimension that cannot be", "0 or more");
    }
    entry.meta.shape[d] = extent;
    empty = empty || extent == 0;
    if (extent > 0) size *= static_cast<uint64_t>(extent);
  }
  entry.bytes = empty ? 0 : size;
  if (entry.bytes != bytes.size() - entry.offset) {
    refuse(TENON_E_DATA, "the file has another length than its shape says", "");
  }
  return entry;
}

tenon_status read(tenon_call* call, const void* bytes, uint64_t length, void** out_object) {
  return sdk::guarded(call, [&] {
    *out_object = new tenon_format_entry(described({static_cast<const char*>(bytes), length}));
  });
}

void release(void* object) { delete static_cast<tenon_format_entry*>(object); }

tenon_status count(tenon_call*, void*, uint32_t* out_entries, uint32_t* out_metadata) {
  *out_entries = 1;
  *out_metadata = 0;
  return TENON_OK;
}

tenon_status entry(tenon_call*, void* object, uint32_t, tenon_format_entry* out_entry) {
  *out_entry = *static_cast<const tenon_format_entry*>(object);
  return TENON_OK;
}

tenon_status metadata(tenon_call* call, void*, uint32_t, tenon_format_pair*) {
  return sdk::guarded(call, [] { refuse(TENON_E_NOT_FOUND, "there is no metadata", ""); });
}

// ---- Writing ------------------------------------------------------------------------------------

struct Pieces {
  std::string head;
  uint32_t next = 0;
};

tenon_status layout(tenon_call* call, const tenon_format_content* content, void** out_layout) {
  return sdk::guarded(call, [&] {
    if (content->n_entries != 1) {
      refuse(TENON_E_UNSUPPORTED, "a file of acme.single holds one tensor", "1 tensor");
    }
    if (content->n_metadata != 0) {
      refuse(TENON_E_UNSUPPORTED, "a file of acme.single has no metadata", "no key");
    }
    const tenon_meta& meta = content->entries[0].meta;
    if (!can_hold(meta.dtype)) {
      refuse(TENON_E_UNSUPPORTED, "acme.single cannot hold this dtype", "f32 or f64");
    }
    auto pieces = std::make_unique<Pieces>();
    const auto append = [&](const void* data, size_t bytes) {
      pieces->head.append(static_cast<const char*>(data), bytes);
    };
    append(magic.data(), magic.size());
    append(&meta.dtype, sizeof meta.dtype);
    append(&meta.rank, sizeof meta.rank);
    append(meta.shape, static_cast<size_t>(meta.rank) * sizeof(int64_t));
    *out_layout = pieces.release();
  });
}

tenon_status piece(tenon_call*, void* layout, tenon_format_piece* out_piece) {
  Pieces& pieces = *static_cast<Pieces*>(layout);
  const uint32_t at = pieces.next++;
  *out_piece = {nullptr, 0, at == 1 ? TENON_PIECE_TENSOR : TENON_PIECE_END, 0};
  if (at == 0) *out_piece = {pieces.head.data(), pieces.head.size(), TENON_PIECE_BYTES, 0};
  return TENON_OK;
}

void release_layout(void* layout) { delete static_cast<Pieces*>(layout); }

constexpr tenon_format_desc formats[] = {
    {sizeof(tenon_format_desc), 0, sdk::str("acme.single"),
     sdk::str("One tensor of f32 or f64, behind a head of 16 bytes and its shape."),
     sdk::str(".acme"), read, release, count, entry, metadata, nullptr, layout, piece, nullptr,
     release_layout}};

}  // namespace

TENON_UNIT(single) = {.formats = formats};
