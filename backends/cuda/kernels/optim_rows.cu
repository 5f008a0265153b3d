// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_rows.cu: the check of the rows that step ops are given: they must
// exist, ascend and be given once. All lists are checked before a parameter is changed.
#include "optim.h"
#include "report.h"

namespace tenon::cuda::optim {
namespace {

struct Lists {
  static constexpr uint32_t kMaxItems = 100;
  struct One {
    const int64_t* number;
    int64_t stride;
    int64_t count;
    int64_t rows;  // of the parameter
  } list[kMaxItems];
};
static_assert(sizeof(Lists) <= kTableBytes);

constexpr char kWords[] =
    "indices: row %d at place %i, of a parameter of %n rows: rows must exist and ascend without "
    "duplicates";

// A block has the list of one parameter.
__global__ void __launch_bounds__(kBlock)
    check(const __grid_constant__ Lists lists, Refusal refusal, uint32_t* bad) {
  const Lists::One& list = lists.list[blockIdx.x];
  bool wrong = false;
  for (int64_t r = threadIdx.x; r < list.count; r += kBlock) {
    const int64_t row = list.number[r * list.stride];
    const int64_t before = r > 0 ? list.number[(r - 1) * list.stride] : int64_t{-1};
    if (row > before && row < list.rows) continue;
    wrong = true;
    refusal.limit = list.rows;
    refuse(refusal, r, row);
  }
  wrong = __syncthreads_or(wrong) != 0;
  if (threadIdx.x == 0) bad[blockIdx.x] = wrong;
}

}  // namespace

void check_rows(const sdk::Launch& l, uint32_t* bad) {
  using S = sdk::StepSlots<true, 0>;
  const uint32_t n = l.count(S::kParams);
  for (uint32_t first = 0; first < n; first += Lists::kMaxItems) {
    const uint32_t count = std::min(Lists::kMaxItems, n - first);
    Lists lists{};
    for (uint32_t i = 0; i < count; ++i) {
      const tenon_view& indices = l.view(S::kIndices, first + i);
      lists.list[i] = {static_cast<const int64_t*>(indices.data), indices.strides[0],
                       indices.shape[0], l.shape(S::kParams, first + i)[0]};
    }
    enqueue(l, &check, {count}, {kBlock}, 0, lists, refusal(l, kWords, {}, 0), bad + first);
  }
}

}  // namespace tenon::cuda::optim
