// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/format_fuzz.h: what the fuzz targets of file formats share: any bytes are read or
// refused in words; what is read lies inside the file; what is unpacked is as long as it says.
#pragma once

#include <tenon/ext/draft/formats.h>
#include <tenon/plugin.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon::fuzz {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

// A host that hears failures and nothing else.
inline tenon_status failed(tenon_status status, std::string_view words) {
  const bool known = status == TENON_E_DATA || status == TENON_E_UNSUPPORTED;
  require(known && !words.empty());
  return status;
}
inline const tenon_host_call kHostCall = {
    sizeof(tenon_host_call), 0,
    [](tenon_call*, tenon_status status, const char* words, uint64_t) {
      return failed(status, words);
    },
    [](tenon_call*, tenon_status status, const char* words, const char*, const char*, const char*,
       const char*) { return failed(status, words); },
    [](tenon_call*, uint32_t, const char*, uint64_t) {}};

inline void fuzz_format(const tenon_format_desc& format, const uint8_t* data, size_t size) {
  constexpr uint64_t kMaxUnpacked = uint64_t{1} << 24;
  tenon_call call{};
  call.base = &kHostCall;
  void* object = nullptr;
  // Exactly as long as the file, so that a byte too far is seen.
  const std::vector<uint8_t> bytes(data, data + size);
  if (format.read(&call, bytes.data(), size, &object) != TENON_OK) return;
  uint32_t entries = 0;
  uint32_t texts = 0;
  require(format.count(&call, object, &entries, &texts) == TENON_OK);
  for (uint32_t i = 0; i < entries; ++i) {
    tenon_format_entry entry{};
    require(format.entry(&call, object, i, &entry) == TENON_OK);
    require(entry.meta.rank >= 0 && entry.meta.rank <= TENON_MAX_RANK);
    if ((entry.flags & TENON_FORMAT_FOREIGN) != 0) {
      tenon_string words{};
      require(format.foreign(&call, object, i, &words) == TENON_OK && words.length != 0);
      require(entry.meta.dtype == TENON_DTYPE_NONE);
    } else {
      uint64_t count = (entry.meta.dtype >> 8 & 0xff) / 8;
      for (int32_t d = 0; d < entry.meta.rank; ++d)
        count *= static_cast<uint64_t>(entry.meta.shape[d]);
      require(count == entry.bytes);
    }
    if ((entry.flags & TENON_FORMAT_PACKED) == 0) {
      require(entry.offset <= size && entry.bytes <= size - entry.offset);
    } else if (entry.bytes <= kMaxUnpacked) {
      std::vector<uint8_t> memory(entry.bytes);
      format.unpack(&call, object, i, memory.data(), entry.bytes);
    }
  }
  for (uint32_t i = 0; i < texts; ++i) {
    tenon_format_pair pair{};
    require(format.metadata(&call, object, i, &pair) == TENON_OK);
  }
  format.release(object);
}

}  // namespace tenon::fuzz
