// SPDX-License-Identifier: Apache-2.0
// plugins/formats/npy_array.hpp: NumPy's arrays, in a file of their own or one of many in an
// archive.
#pragma once

#include <tenon/sdk/plugin/npy.hpp>

#include "file.hpp"

namespace tenon::formats {

using sdk::files::kMaxNpyPrefixBytes;
using sdk::files::kNpyMagic;
using sdk::files::npy_prefix;
using sdk::files::NpyHeader;
using sdk::files::NpyParser;
using sdk::files::swap_elements;

inline uint32_t npy_flags(const NpyHeader& header) {
  return header.column_major && header.meta.rank > 1 ? TENON_FORMAT_COLUMN_MAJOR : 0;
}

}  // namespace tenon::formats
