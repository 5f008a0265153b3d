// SPDX-License-Identifier: Apache-2.0
// core/base/fnv.h: a hash of bytes for comparing, FNV-1a of 64 bits. Source: G. Fowler, L. C. Noll,
// K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm", RFC 9923.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::base {

constexpr uint64_t kFnvBegin = 0xcbf29ce484222325U;

// Goes on from the hash of what comes before.
inline uint64_t fnv(const void* data, size_t bytes, uint64_t hash = kFnvBegin) noexcept {
  const auto* const each = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ each[i]) * 0x100000001b3U;
  return hash;
}

}  // namespace tenon::base
