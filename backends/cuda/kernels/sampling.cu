// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/sampling.cu: filter_logits, sample and repetition_penalty.
//
// A block for each row. Nothing is sorted: of top_k and top_p it looks for the logit at the border,
// digit by digit of its key, by what there is of each digit: a count, or masses (sampling.h), whose
// sums do not depend on the order. Of the logits that are equal to that one it then looks for the
// last token that stays. The weights of a draw are added up in order by one warp.
#include "common/indices.h"
#include "common/sampling.h"
#include "draw.h"
#include "keys.h"
#include "report.h"

namespace tenon::cuda::sampling_unit {
namespace {

namespace common = tenon::backends;

// ---- Filters ------------------------------------------------------------------------------------

inline constexpr char kNoLogit[] =
    "row %i of the logits has one that is not a logit, %g: logits are finite, or -inf for tokens "
    "that are out (rows are counted over all axes but the last)";
inline constexpr char kNothingLeft[] =
    "row %i of the logits has nothing left to draw: one of them must be finite (rows are counted "
    "over all axes but the last)";
inline constexpr char kTooLarge[] =
    "row %i of the logits is infinite when divided by the temperature (rows are counted over all "
    "axes but the last)";

template <class T>
struct Task {
  const T* logits;  // [rows, n]
  T* filtered;      // [rows, n]; NULL: tokens are drawn
  int64_t* tokens;  // [rows]
  double* z;        // [rows, n]; sums of weights when a token is drawn
  double* weights;  // [rows, n]
  int64_t n;
  common::Filters filters;
  tenon_rng rng;
  Refusal no_logit;
  Refusal nothing_left;
  Refusal too_large;
};

// One row, and how its block's threads go through it.
struct Row {
  double* z;
  double* weights;
  int64_t n;

  template <class Body>
  __device__ void each(const Body& body) const {
    for (int64_t k = threadIdx.x; k < n; k += blockDim.x) body(k);
  }
  // The sum of what(k) over all tokens, for all threads.
  template <class What>
  __device__ uint64_t sum(const What& what) const {
    uint64_t own = 0;
    each([&](int64_t k) { own += what(k); });
    return join_group(own, Plus());
  }
  __device__ void drop(int64_t k) const {
    z[k] = -INFINITY;
    weights[k] = 0.0;
  }
};

template <class T>
__device__ double load_row(const Task<T>& t, const Row& row, int64_t number) {
  const T* const logits = t.logits + number * t.n;
  double largest = -INFINITY;
  row.each([&](int64_t k) {
    const T x = logits[k];
    const auto given = static_cast<double>(widen(x));
    double z = given;
    if (!t.filters.is_greedy()) {
      z = static_cast<double>(widen(narrow<T>(given / t.filters.temperature)));
    }
    if (!(given < INFINITY)) {
      refuse_real(t.no_logit, number, given);
    } else if (z == INFINITY) {
      refuse(t.too_large, number, 0);
    }
    row.z[k] = z;
    row.weights[k] = 0.0;
    largest = fmax(largest, z);
  });
  largest = join_group(largest, LargerOf());
  if (threadIdx.x == 0 && largest == -INFINITY) refuse(t.nothing_left, number, 0);
  return largest;
}

// A key that has less than a limit above it.
struct Border {
  uint64_t key;
  uint64_t above;
};

inline constexpr int kDigitBits = 8;
inline constexpr uint32_t kDigits = 1U << kDigitBits;

// The least such key: digit by digit from the highest one on, of the tokens whose keys begin as it.
template <class Measure>
__device__ Border border_of(const Row& row, uint64_t limit, const Measure& measure) {
  __shared__ unsigned long long sums[kDigits];
  __shared__ Border found;
  Border border{0, 0};
  for (int shift = 64 - kDigitBits; shift >= 0; shift -= kDigitBits) {
    for (uint32_t d = threadIdx.x; d < kDigits; d += blockDim.x) sums[d] = 0;
    __syncthreads();
    row.each([&](int64_t k) {
      const uint64_t digits = (key_of(row.z[k]) ^ border.key) >> shift;
      if (digits < kDigits) atomicAdd(&sums[digits], measure(k));
    });
    __syncthreads();
    if (threadIdx.x == 0) {
      uint32_t digit = kDigits - 1;
      for (; digit > 0 && border.above + sums[digit] < limit; --digit) border.above += sums[digit];
      found = {border.key | static_cast<uint64_t>(digit) << shift, border.above};
    }
    __syncthreads();
    border = found;
  }
  return border;
}

// Tokens stay while less than `limit` comes before them, in the order of descending logits and
// then of places.
template <class Measure>
__device__ void keep(const Row& row, uint64_t limit, const Measure& measure) {
  if (row.n == 1) return;  // the first always stays
  const Border border = border_of(row, limit, measure);
  const auto is_at_border = [&](int64_t k) { return key_of(row.z[k]) == border.key; };
  const uint64_t equal = row.sum([&](int64_t k) { return is_at_border(k) ? 1 : 0; });
  const uint64_t mass = row.sum([&](int64_t k) { return is_at_border(k) ? measure(k) : 0ULL; });
  int64_t last = row.n;
  if (mass > 0) {
    const uint64_t each = mass / equal;
    const uint64_t stay = (limit - border.above + each - 1) / each;
    int64_t begin = 0;
    while (stay < equal && begin < last) {
      const int64_t middle = begin + (last - begin) / 2;
      const uint64_t up_to =
          row.sum([&](int64_t k) { return is_at_border(k) && k <= middle ? 1 : 0; });
      if (up_to >= stay) {
        last = middle;
      } else {
        begin = middle + 1;
      }
    }
  }
  row.each([&](int64_t k) {
    const uint64_t key = key_of(row.z[k]);
    if (key < border.key || (key == border.key && k > last)) row.drop(k);
  });
  __syncthreads();
}

__device__ inline void filter(const Row& row, const common::Filters& filters, double largest) {
  const uint64_t top_k = filters.is_greedy() ? 1 : filters.top_k;
  if (top_k < static_cast<uint64_t>(row.n)) keep(row, top_k, [](int64_t) { return 1ULL; });
  row.each([&](int64_t k) { row.weights[k] = common::weight_of(row.z[k] - largest); });
  __syncthreads();
  if (filters.top_p < 1.0) {
    const common::Masses masses(static_cast<uint64_t>(row.n));
    const auto mass = [&](int64_t k) -> unsigned long long { return masses.of(row.weights[k]); };
    keep(row, common::Masses::limit(filters.top_p, row.sum(mass)), mass);
  }
  row.each([&](int64_t k) {
    if (row.weights[k] < filters.min_p) row.drop(k);
  });
  __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(kBlock) filter_rows(Task<T> t) {
  const int64_t number = blockIdx.x;
  const Row row{t.z + number * t.n, t.weights + number * t.n, t.n};
  const double largest = load_row(t, row, number);
  // What is refused is not looked at any further: all threads see the same.
  if (!(largest > -INFINITY && largest < INFINITY)) return;
  __syncthreads();
  filter(row, t.filters, largest);
  if (t.filtered) {
    row.each([&](int64_t k) { t.filtered[number * t.n + k] = narrow<T>(row.z[k]); });
  } else if (threadIdx.x < kWarp) {
    const auto weight = [&](int64_t k) { return row.weights[k]; };
    add_up(row.z, 0, t.n, weight);
    if (threadIdx.x == 0) {
      t.tokens[number] = draw(t.rng, static_cast<uint64_t>(number), row.z, t.n, weight);
    }
  }
}

uint64_t scratch(const sdk::Args& args) {
  return 2 * sizeof(double) * static_cast<uint64_t>(sdk::count_of(args.shape(0)));
}

template <class T>
void enqueue_rows(const sdk::Launch& l, Task<T> t) {
  const auto shape = l.shape(0);
  const int64_t rows = sdk::count_of(shape.first(shape.size() - 1));
  if (rows > std::numeric_limits<int32_t>::max()) {
    throw sdk::Failure{TENON_E_UNSUPPORTED, "too many rows for a kernel of tenon.cuda", "logits",
                       "fewer than 2^31", std::to_string(rows)};
  }
  if (rows == 0) return;
  t.logits = l.data<const T>(0);
  t.n = shape.back();
  t.z = reinterpret_cast<double*>(l.scratch().data());
  t.weights = t.z + rows * t.n;
  t.filters = common::filters_of(l.attrs);
  t.no_logit = refusal(l, kNoLogit, {}, 0);
  t.nothing_left = refusal(l, kNothingLeft, {}, 0);
  t.too_large = refusal(l, kTooLarge, {}, 0);
  // Of all rows that are wrong the first is told, whatever is wrong with it.
  t.nothing_left.launch = t.too_large.launch = t.no_logit.launch;
  const uint32_t threads = group_for(t.n, 8, kBlock);
  enqueue(l, &filter_rows<T>, {static_cast<uint32_t>(rows)}, {threads}, 0, t);
}

void filter_logits(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() {
    Task<T> t{};
    t.filtered = l.out_data<T>();
    enqueue_rows(l, t);
  });
}

void sample(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() {
    Task<T> t{};
    t.tokens = l.out_data<int64_t>();
    t.rng = l.rng();
    enqueue_rows(l, t);
  });
}

// ---- repetition_penalty -------------------------------------------------------------------------

inline constexpr char kNoToken[] =
    "tokens%p is %d, outside the %n logits of a row (a token below 0 is padding)";

template <class T>
__global__ void __launch_bounds__(kBlock) copy_logits(int64_t count, const T* x, T* y) {
  const int64_t i = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i < count) y[i] = x[i];
}

// A thread for each token. Those of one token write the same: of x, not of y.
template <class T, class I>
__global__ void __launch_bounds__(kBlock)
    penalise(int64_t count, int64_t length, int64_t n, double penalty, const T* x, const I* tokens,
             T* y, Refusal no_token) {
  const int64_t i = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i >= count) return;
  const auto token = static_cast<int64_t>(tokens[i]);
  if (token < 0) return;
  if (token >= n) return refuse(no_token, i, token);
  const int64_t at = i / length * n + token;
  const auto value = static_cast<double>(widen(x[at]));
  y[at] = narrow<T>(value < 0.0 ? value * penalty : value / penalty);
}

template <class T, class I>
void enqueue_penalty(const sdk::Launch& l) {
  const int64_t elements = sdk::count_of(l.shape(0));
  const int64_t tokens = sdk::count_of(l.shape(1));
  const T* const x = l.data<const T>(0);
  T* const y = l.out_data<T>();
  if (elements > 0) {
    enqueue(l, &copy_logits<T>, {blocks_for(elements, kBlock)}, {kBlock}, 0, elements, x, y);
  }
  if (tokens == 0) return;
  const int64_t n = l.shape(0)[1];
  enqueue(l, &penalise<T, I>, {blocks_for(tokens, kBlock)}, {kBlock}, 0, tokens, l.shape(1)[1], n,
          l.attrs.real(0), x, l.data<const I>(1), y, refusal(l, kNoToken, l.shape(1), n));
}

void repetition_penalty(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() {
    sdk::dispatch_dtype<sdk::TypeList<int32_t, int64_t>>(
        l.view(1).dtype, [&]<class I>() { enqueue_penalty<T, I>(l); });
  });
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule slots[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule penalty_slots[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                             sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.filter_logits", slots, sdk::kFloats, sdk::launch_fn<filter_logits>,
           {.n_attrs = common::kFilteringAttributes, .workspace = sdk::workspace_fn<scratch>}),
    kernel("tenon.sample", slots, sdk::kFloats, sdk::launch_fn<sample>,
           {.n_attrs = common::kFilteringAttributes, .workspace = sdk::workspace_fn<scratch>}),
    kernel("tenon.repetition_penalty", penalty_slots, common::kFloatsByIndex,
           sdk::launch_fn<repetition_penalty>, {.n_attrs = 1, .n_variables = 2}),
};

}  // namespace
}  // namespace tenon::cuda::sampling_unit

TENON_UNIT(sampling) = {.kernels = tenon::cuda::sampling_unit::kernels};
