// SPDX-License-Identifier: Apache-2.0
// core/base/poison.h: tells the address sanitizer which memory of ours may not be touched, since
// what is kept for reuse is never handed back to the system. Nothing without the sanitizer.
#pragma once

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_POISON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TENON_POISON 1
#endif
#ifdef TENON_POISON
#include <sanitizer/asan_interface.h>
#endif

namespace tenon::base {

inline void forbid([[maybe_unused]] void* begin, [[maybe_unused]] size_t bytes) noexcept {
#ifdef TENON_POISON
  ASAN_POISON_MEMORY_REGION(begin, bytes);
#endif
}

inline void allow([[maybe_unused]] void* begin, [[maybe_unused]] size_t bytes) noexcept {
#ifdef TENON_POISON
  ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
#endif
}

}  // namespace tenon::base
