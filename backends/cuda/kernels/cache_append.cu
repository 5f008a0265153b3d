// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/cache_append.cu: cache_append:
// cache[b,...,start[b] + t,:] = rows[b,...,t,:].
//
// b is told by a third operand, whose "stride" is 1 along its dimension.
#include "index_check.h"

namespace tenon::cuda::cache_append_unit {
namespace {

enum Slot : uint32_t { kCache, kRows, kStart };
enum Operand : uint32_t { kTo, kFrom, kBatch, kOperands };

constexpr char kWords[] =
    "start%p is %d, outside the cache: a number of at least 0 and below %n is expected, so that "
    "start + positions of rows is at most those of the cache";

struct Starts {
  const int64_t* data;
  int64_t step;
  int64_t count;
  int64_t limit;

  // Of those that a thread of a block looks at.
  __device__ bool has_wrong() const {
    bool wrong = false;
    for (int64_t b = threadIdx.x; b < count; b += kBlock) {
      const int64_t start = data[b * step];
      wrong = wrong || start < 0 || start > limit;
    }
    return wrong;
  }
};

template <class T>
__global__ void __launch_bounds__(kBlock) put(Geometry<kOperands> g, int64_t batch, Starts starts,
                                              int64_t position_stride, T* cache, const T* rows) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  // Nothing is written if one start is refused, whichever sequence it is of.
  const bool is_refused = __syncthreads_or(starts.has_wrong()) != 0;
  if (is_refused || number >= g.count) return;
  int64_t at[kOperands];
  g.offsets(number, at);
  const int64_t start = starts.data[(batch + at[kBatch]) * starts.step];
  cache[at[kTo] + start * position_stride] = rows[at[kFrom]];
}

void cache_append(const sdk::Launch& l) {
  const tenon_view& cache = l.view(kCache);
  const tenon_view& rows = l.view(kRows);
  const tenon_view& start = l.view(kStart);
  const int32_t axis = cache.rank - 2;
  const int64_t limit = cache.shape[axis] - rows.shape[axis];
  check_all(l, start, list_of(l, start, 1, limit + 1, kWords));
  const Starts starts{static_cast<const int64_t*>(start.data), start.strides[0], start.shape[0],
                      limit};
  Layout<kOperands> layout;
  for (int32_t d = 0; d < rows.rank; ++d) {
    layout.push(rows.shape[d], {cache.strides[d], rows.strides[d], d == 0 ? 1 : 0});
  }
  sdk::dispatch_size(cache.dtype, [&]<class T>() {
    for_parts<kOperands>(
        layout, {}, [&](const Layout<kOperands>& part, const std::array<int64_t, kOperands>& at) {
          enqueue(l, &put<T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(),
                  at[kBatch], starts, cache.strides[axis], static_cast<T*>(cache.data) + at[kTo],
                  static_cast<const T*>(rows.data) + at[kFrom]);
        });
  });
}

constexpr tenon_slot_rule slots[] = {any_inout(), any_in(), any_in()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cache_append", slots, sdk::kAllDtypes, sdk::launch_fn<cache_append>, {}),
};

}  // namespace
}  // namespace tenon::cuda::cache_append_unit

TENON_UNIT(cache_append) = {.kernels = tenon::cuda::cache_append_unit::kernels};
