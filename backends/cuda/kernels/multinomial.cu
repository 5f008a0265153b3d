// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/multinomial.cu: multinomial: the first k whose sum of weights up to it is
// above u times the sum of all; sums in double, in order.
//
// The order of the sums is part of the op, so a warp adds up a row element by element: it loads 32
// weights at once, and every lane adds them one after another. With replacement a thread for each
// draw then bisects the sums; without it the row's warp draws, takes the weight away, and adds up
// again from there on.
#include "draw.h"
#include "report.h"

namespace tenon::cuda::multinomial_unit {
namespace {

enum Attribute : uint32_t { kNumSamples, kReplacement, kAttributes };

inline constexpr char kNoWeight[] =
    "tenon.multinomial: row %i of the weights has one that is not a weight, %g: weights are finite "
    "numbers of 0 or more (rows are counted over all axes but the last)";
inline constexpr char kTooFew[] =
    "tenon.multinomial: row %i of the weights has too few above 0: %d, and %n are needed (rows are "
    "counted over all axes but the last)";
inline constexpr char kNoSum[] =
    "tenon.multinomial: row %i of the weights has no finite sum (rows are counted over all axes "
    "but "
    "the last)";

template <class T>
struct Task {
  const T* weights;  // [rows, n]
  double* sums;      // [rows, n]
  double* left;      // [rows, n], weights that were not drawn; NULL with replacement
  int64_t* out;      // [rows, draws]
  int64_t rows;
  int64_t n;
  int64_t draws;
  int64_t needed;
  tenon_rng rng;
  Refusal no_weight;
  Refusal too_few;
  Refusal no_sum;
};

// Without replacement.
template <class T>
__device__ void draw_from_row(const Task<T>& t, int64_t row, double* sums, double* left) {
  const auto weight = [&](int64_t k) { return left[k]; };
  for (int64_t j = 0; j < t.draws; ++j) {
    const auto i = static_cast<uint64_t>(row * t.draws + j);
    const int64_t k = draw(t.rng, i, sums, t.n, weight);
    __syncwarp();
    if (threadIdx.x == 0) {
      t.out[row * t.draws + j] = k;
      left[k] = 0.0;
    }
    __syncwarp();
    if (j + 1 < t.draws) add_up(sums, k / kWarp * kWarp, t.n, weight);
  }
}

// A warp for each row.
template <class T>
__global__ void __launch_bounds__(kBlock) sum_rows(Task<T> t) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= t.rows) return;
  const T* const weights = t.weights + row * t.n;
  double* const sums = t.sums + row * t.n;
  double* const left = t.left ? t.left + row * t.n : nullptr;
  uint32_t positive = 0;
  const double total = add_up(sums, 0, t.n, [&](int64_t k) {
    const auto weight = static_cast<double>(widen(weights[k]));
    if (!(weight >= 0.0 && weight < INFINITY)) refuse_real(t.no_weight, row, weight);
    positive += weight > 0.0;
    if (left) left[k] = weight;
    return weight;
  });
  for (uint32_t apart = kWarp / 2; apart > 0; apart /= 2) {
    positive += __shfl_xor_sync(kAllLanes, positive, static_cast<int>(apart));
  }
  if (threadIdx.x == 0 && positive < t.needed) refuse(t.too_few, row, positive);
  if (threadIdx.x == 0 && total == INFINITY) refuse(t.no_sum, row, 0);
  if (left) draw_from_row(t, row, sums, left);
}

template <class T>
__global__ void __launch_bounds__(kBlock) draw_again(Task<T> t) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= t.rows * t.draws) return;
  const int64_t row = i / t.draws;
  t.out[i] = draw(t.rng, static_cast<uint64_t>(i), t.sums + row * t.n, t.n,
                  [&](int64_t k) { return static_cast<double>(widen(t.weights[row * t.n + k])); });
}

uint64_t scratch(const sdk::Args& args) {
  const auto elements = static_cast<uint64_t>(sdk::count_of(args.shape(0)));
  return elements * sizeof(double) * (args.attrs.flag(kReplacement) ? 1 : 2);
}

template <class T>
void enqueue_draws(const sdk::Launch& l, bool replacement) {
  const auto shape = l.shape(0);
  Task<T> t{};
  t.weights = l.data<const T>(0);
  t.out = l.out_data<int64_t>();
  t.rows = sdk::count_of(shape.first(shape.size() - 1));
  t.n = shape.back();
  t.draws = l.attrs.integer(kNumSamples);
  t.needed = replacement ? 1 : t.draws;
  t.sums = reinterpret_cast<double*>(l.scratch().data());
  if (!replacement) t.left = t.sums + t.rows * t.n;
  t.rng = l.rng();
  t.no_weight = refusal(l, kNoWeight, {}, 0);
  t.too_few = refusal(l, kTooFew, {}, t.needed);
  t.no_sum = refusal(l, kNoSum, {}, 0);
  // Of all rows that are wrong the first is told, whatever is wrong with it.
  t.too_few.launch = t.no_sum.launch = t.no_weight.launch;
  const uint32_t rows = groups_for(kWarp, t.rows);
  enqueue(l, &sum_rows<T>, {blocks_for(t.rows, rows)}, {kWarp, rows}, 0, t);
  if (replacement) {
    enqueue(l, &draw_again<T>, {blocks_for(t.rows * t.draws, kBlock)}, {kBlock}, 0, t);
  }
}

void multinomial(const sdk::Launch& l) {
  if (sdk::count_of(shape_of(l.out())) == 0) return;
  sdk::dispatch_dtype<sdk::FloatTypes>(
      l.view(0).dtype, [&]<class T>() { enqueue_draws<T>(l, l.attrs.flag(kReplacement)); });
}

constexpr tenon_slot_rule slots[] = {sdk::contiguous_in(), sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.multinomial", slots, sdk::kFloats, sdk::launch_fn<multinomial>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<scratch>}),
};

}  // namespace
}  // namespace tenon::cuda::multinomial_unit

TENON_UNIT(multinomial) = {.kernels = tenon::cuda::multinomial_unit::kernels};
