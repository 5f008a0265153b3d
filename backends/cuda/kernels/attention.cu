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
    weigh(t, query, x);
    __syncthreads();
    if (row < t.size.rows()) combine(t, query, x, t.v, t.size.width, out);
  });
}

template <class T>
constexpr bool kOnTensorCores = sizeof(T) == 2;

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
      const TileCut cut(task.size);
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
    bytes = kOnTensorCores<T> ? TileCut(size).scratch_bytes
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
