// SPDX-License-Identifier: Apache-2.0
// plugins/formats/npy.cc: the format tenon.npy: one array in a file of NumPy's. See
// tenon/sdk/plugin/npy.hpp.
#include <memory>

#include "npy_array.hpp"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::formats;
using sdk::str;

// The file has no name for it.
constexpr const char* kName = "data";

struct Npy : Contents {
  NpyHeader header;
  const char* data = nullptr;
};

tenon_status read(tenon_call* call, const void* bytes, uint64_t length, void** out_object) {
  return sdk::guarded(call, [&] {
    auto npy = std::make_unique<Npy>();
    NpyHeader& header = npy->header;
    header = NpyParser({static_cast<const char*>(bytes), length}, "the array").describe();
    if (!header.is_sized) header.data_bytes = length - header.data_begin;
    if (length - header.data_begin != header.data_bytes) {
      refuse_data(length - header.data_begin < header.data_bytes ? "the array is too short"
                                                                 : "bytes follow the array",
                  bytes_text(header.data_bytes) + " of elements",
                  bytes_text(length - header.data_begin));
    }
    npy->data = static_cast<const char*>(bytes) + header.data_begin;
    tenon_format_entry entry{};
    entry.meta = header.meta;
    entry.bytes = header.data_bytes;
    entry.flags = npy_flags(header);
    if (header.swap) {
      entry.flags |= TENON_FORMAT_PACKED;
    } else {
      entry.offset = header.data_begin;
    }
    npy->add(entry, kName, header.foreign);
    *out_object = static_cast<Contents*>(npy.release());
  });
}

tenon_status unpack(tenon_call*, void* object, uint32_t, void* destination, uint64_t bytes) {
  const auto& npy = *static_cast<const Npy*>(static_cast<const Contents*>(object));
  if (bytes != 0) std::memcpy(destination, npy.data, bytes);
  swap_elements(destination, bytes, sdk::size_of(npy.header.meta.dtype));
  return TENON_OK;
}

tenon_status layout(tenon_call* call, const tenon_format_content* content, void** out_layout) {
  return sdk::guarded(call, [&] {
    if (content->n_entries != 1) {
      refuse_unsupported("an npy file holds one tensor", "1 tensor",
                         std::to_string(content->n_entries), "write npz or safetensors");
    }
    if (content->n_metadata != 0) {
      refuse_unsupported("an npy file holds no metadata", "no key",
                         "the key \"" + std::string(view(content->metadata[0].key)) + "\"",
                         "write safetensors, or leave the metadata out");
    }
    auto pieces = std::make_unique<HeadAndTensors>();
    const tenon_format_entry& entry = content->entries[0];
    pieces->head = npy_prefix(entry.meta, tensor_words(view(entry.name)));
    pieces->order = {0};
    *out_layout = static_cast<Pieces*>(pieces.release());
  });
}

constexpr tenon_format_desc kFormats[] = {
    {sizeof(tenon_format_desc), 0, str("tenon.npy"),
     str("One array in a file of NumPy's, versions 1 to 3; its tensor is named `data`. Mapped "
         "without a copy; column-major arrays keep their order as strides, big-endian ones are "
         "copied. Elements that Tenon has not (u2, c8, texts, records) are given as bytes. Any "
         "name will do for the one tensor that is written."),
     str(".npy"), read, Contents::release, Contents::count, Contents::entry, Contents::pair, unpack,
     layout, Pieces::piece, nullptr, Pieces::release, Contents::words}};

}  // namespace

TENON_UNIT(npy) = {.formats = kFormats};
