// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention.h: what the kernels of attention share: which keys a query sees,
// scores, and how rows are shared by threads.
//
// Lengths and starts lie on the device. A launch of its own checks them; kernels that read them
// take numbers outside the keys as the nearest that are not, so that nothing else is read.
#pragma once

#include "common/sight_rule.h"
#include "groups.h"
#include "index_check.h"

namespace tenon::cuda {

using backends::Range;
using backends::Sequence;
using backends::Sight;

namespace attention {

// ---- Sequences ----------------------------------------------------------------------------------

inline constexpr char kLengthWords[] =
    "lengths%p is %d, outside the keys: a number of at least 0 and below %n is expected";
inline constexpr char kStartWords[] =
    "start%p is %d, outside the keys: a number of at least 0 and below %n is expected, so that "
    "start + queries is at most the number of keys";

// One number for each sequence, from 0 to `limit`; may be absent.
struct Numbers {
  const int64_t* data;
  int64_t step;
  int64_t limit;

  __device__ int64_t at(int64_t batch, int64_t absent) const {
    if (!data) return absent;
    const int64_t number = data[batch * step];
    return number < 0 ? 0 : number > limit ? limit : number;
  }
};

struct Sequences {
  Numbers lengths, starts;

  __device__ Sequence operator[](int64_t batch) const {
    return {lengths.at(batch, lengths.limit), starts.at(batch, 0)};
  }
};

// Checks the numbers, too.
static Numbers numbers_of(const sdk::Launch& l, uint32_t slot, int64_t limit, const char* words) {
  if (!l.given(slot)) return {nullptr, 0, limit};
  const tenon_view& view = l.view(slot);
  check_all(l, view, list_of(l, view, 1, limit + 1, words));
  return {static_cast<const int64_t*>(view.data), view.strides[0], limit};
}

static Sequences sequences_of(const sdk::Launch& l, uint32_t lengths, uint32_t start,
                              int64_t queries, int64_t keys) {
  return {numbers_of(l, lengths, keys, kLengthWords),
          numbers_of(l, start, keys - queries, kStartWords)};
}

}  // namespace attention
}  // namespace tenon::cuda
