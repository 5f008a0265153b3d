// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention.cu: attention, y = softmax(q k^T) v over the keys a query sees.
//
// The arithmetic of plugins/ops/attention/attention.cc, with the sums of softmax as this backend
// has them: a group of threads for each row of queries, which share its keys and then the columns
// of its result. Of 16 bits, tensor cores make the products.
#include "attention_tiles.h"

namespace tenon::cuda::attention_unit {
namespace {

using namespace attention;

template <class T>
__global__ void __launch_bounds__(kBlock)
    attend(Task<T> t, Operand<T> out, Arithmetic<T>* scratch) {
  Arithmetic<T>* const x = row_memory(scratch, t.size.keys);
  each_row(t.size.rows(), [&](int64_t row) {
    const Query<T> query = t.query(row);
    const Softmax<Arithmetic<T>> softmax =
        raise(t, query, x, [&](int64_t j) { return t.score(query, j); });
    each_own(query.range, [&](int64_t j) { x[j] *= softmax.share; });
    __syncthreads();
    if (row < t.size.rows()) combine(t, query, x, t.v, t.size.width, out);
  });
}

// A block for 16 rows of a head.
template <class T>
__global__ void __launch_bounds__(kTileWarps* kWarp)
    attend_tiles(Task<T> t, Operand<T> out, float* scratch) {
  const TileMemory m;
  const int64_t pitch = TileCut::pitch(t.size.keys);
  float* const x =
      scratch ? scratch + int64_t{blockIdx.x} * kTile * pitch : reinterpret_cast<float*>(m.after());
  for (int64_t number = blockIdx.x; number < TileCut::tiles(t.size); number += gridDim.x) {
    const RowTile rows(t, number);
    raise_tiles(t, rows, m, x, pitch,
                [&](const Query<T>&, int32_t row, const Softmax<float>& softmax) {
                  if (threadIdx.x == 0) m.shares[row] = softmax.share;
                });
    bool done = false;
    if constexpr (kHasTiles) {
      const Factor<T> values(t.v, rows.batch, t.group_of(rows.head), 0, rows.seen, t.size.width);
      done = __syncthreads_and(combine_tiles(rows, x, pitch, values, out, m)) != 0;
    }
    if (!done) {
      each_row_of_tile(t, rows, [&](const Query<T>& query, int32_t row) {
        float* const weights = x + row * pitch;
        each_own(query.range, [&](int64_t j) { weights[j] *= m.shares[row]; });
        __syncwarp();
        if (row < rows.count) combine(t, query, weights, t.v, t.size.width, out);
      });
    }
    __syncthreads();  // the memory is used again
  }
}

void run(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using C = Arithmetic<T>;
    const auto task = task_of<T>(l, kQuery);
    if (sdk::count_of(shape_of(l.out())) == 0) return;
    const auto out = operand_of<T>(l.out());
    const auto scratch_of = [&](const auto& cut) {
      return cut.scratch_bytes > 0 ? reinterpret_cast<C*>(l.scratch().data()) : nullptr;
    };
    if constexpr (kOnTensorCores<T>) {
      const TileCut cut(task.size, 1);
      enqueue(l, &attend_tiles<T>, {cut.blocks}, {kWarp, kTileWarps}, cut.shared_bytes, task, out,
              scratch_of(cut));
    } else {
      const Cut cut(task.size, sizeof(C));
      enqueue(l, &attend<T>, {cut.blocks}, {cut.group, cut.groups}, cut.shared_bytes, task, out,
              scratch_of(cut));
    }
  });
}

uint64_t workspace(const sdk::Args& args) {
  const Sizes size(args, kQuery);
  uint64_t bytes = 0;
  sdk::dispatch_dtype<sdk::FloatTypes>(args.out().dtype, [&]<class T>() {
    bytes = kOnTensorCores<T> ? TileCut(size, 1).scratch_bytes
                              : Cut(size, sizeof(Arithmetic<T>)).scratch_bytes;
  });
  return bytes;
}

constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_in(), any_in(),
                                     any_in(), any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.attention", slots, sdk::kFloats, sdk::launch_fn<run>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace
}  // namespace tenon::cuda::attention_unit

TENON_UNIT(attention) = {.kernels = tenon::cuda::attention_unit::kernels};
