// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/memory.h: host allocations of this process that fail on demand. The
// executable's own malloc and its like stand before the C library's, for plugins too.
#pragma once

#include <cstdint>

namespace tenon::verify {

// False in builds with a sanitizer, which brings an allocator of its own.
bool can_fail_allocations();

// From now on the allocation number `index` of the calling thread fails, counted from 0.
void fail_allocation(int64_t index);
// Ends that; true if an allocation has failed.
bool stop_failing();

}  // namespace tenon::verify
