// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/softmax_cross_entropy.cu: the fused loss and its gradient.
//
//   loss   = - 1/R sum over valid rows n of log_softmax(logits[n])[target[n]]
//   grad   = (p[n, c] - [c == target[n]]) dy / R    in valid rows, else 0
// with p[n, c] = exp(logits[n, c] - top[n]) top_prob[n], top and top_prob being what the forward
// keeps of a row: its largest logit and the probability of that.
// R is the number of rows whose target is not ignore_index. Without any, loss and gradient are 0.
//
// One launch each. Forward: a group of threads for each row, which is read once; the last block to
// end adds up what the others have left in scratch. Small work, where even that costs more than the
// rest, is done by one block. Backward: each block counts the valid rows itself if they are few,
// else the first block to run does and tells the others.
#include "lines.h"
#include "report.h"
#include "take_turns.h"

namespace tenon::cuda::softmax_cross_entropy_unit {
namespace {

enum Attribute : uint32_t { kIgnoreIndex, kAttributes };

inline constexpr char kForwardWords[] =
    "tenon.softmax_cross_entropy: target%p is %d, which is not a class and not ignore_index: the "
    "logits have %n columns, one for each class";
inline constexpr char kBackwardWords[] =
    "tenon.softmax_cross_entropy_grad: target%p is %d, which is not a class and not ignore_index: "
    "the logits have %n columns, one for each class";

// The rows' class numbers.
struct Targets {
  const int64_t* data;
  int64_t step;
  int64_t ignored;
  int64_t classes;
  uint32_t rows;

  __device__ int64_t at(uint32_t row) const { return data[static_cast<int64_t>(row) * step]; }
  __device__ bool counts(uint32_t row) const { return at(row) != ignored; }
  __device__ bool is_class(int64_t target) const { return target >= 0 && target < classes; }
};

Targets targets_of(const sdk::Launch& l, const tenon_view& target, const tenon_view& logits) {
  return {static_cast<const int64_t*>(target.data), target.strides[0],
          l.attrs.integer(kIgnoreIndex), logits.shape[1], static_cast<uint32_t>(logits.shape[0])};
}

// One number for each row; may be absent.
template <class T>
struct Column {
  T* data;
  int64_t step;

  template <class C>
  __device__ void put(uint32_t row, C value) const {
    if (data) data[static_cast<int64_t>(row) * step] = cuda::narrow<T>(value);
  }
  __device__ Arithmetic<std::remove_const_t<T>> get(uint32_t row) const {
    return widen(data[static_cast<int64_t>(row) * step]);
  }
};

template <class T>
Column<T> column_of(const tenon_view& view) {
  return {static_cast<T*>(view.data), view.strides[0]};
}

// Rows of [rows, classes].
template <class T>
struct Matrix {
  T* data;
  int64_t row_step;
  int64_t step;
  bool packed;

  __device__ Line<T> row(uint32_t number, int64_t classes) const {
    return {data + static_cast<int64_t>(number) * row_step, step, static_cast<uint32_t>(classes),
            packed};
  }
};

template <class T>
bool is_packable_matrix(const tenon_view& view) {
  constexpr int64_t V = 16 / sizeof(T);
  return view.strides[1] == 1 && view.strides[0] % V == 0 && view.shape[1] % V == 0 &&
         reinterpret_cast<uintptr_t>(view.data) % 16 == 0;
}

template <class T>
Matrix<T> matrix_of(const tenon_view& view, bool packed) {
  return {static_cast<T*>(view.data), view.strides[0], view.strides[1], packed};
}

// ---- Forward ------------------------------------------------------------------------------------

// Of some rows: the sum of their terms, and how many count.
template <class C>
struct Loss {
  C sum;
  int32_t counted;
  int32_t padding;
};
struct JoinLosses {
  template <class C>
  __device__ Loss<C> operator()(const Loss<C>& a, const Loss<C>& b) const {
    return {a.sum + b.sum, a.counted + b.counted, 0};
  }
};

template <class T>
struct ForwardTask {
  Matrix<const T> logits;
  Targets targets;
  Refusal refusal;
  T* loss;
  Column<T> top;
  Column<T> top_prob;
  Loss<Arithmetic<T>>* parts;  // of each block; NULL: there is one
  Turns* turns;
};

template <class T, class C>
__device__ void put_loss(T* to, const Loss<C>& loss) {
  *to = cuda::narrow<T>(loss.counted > 0 ? loss.sum / static_cast<C>(loss.counted) : C(0));
}

// What one row adds to the loss; of the group's first thread.
template <class T>
__device__ Loss<Arithmetic<T>> loss_of_row(const ForwardTask<T>& t, uint32_t row,
                                           const PowerSum<Arithmetic<T>>& known) {
  using C = Arithmetic<T>;
  // x - most is NaN if most is infinite. Which of two zeros is found is chance, so the sign is
  // dropped.
  const C sum = known.is_bounded() ? known.sum : C(NAN);
  t.top.put(row, std::isnan(sum) ? sum : known.most + C(0));
  t.top_prob.put(row, C(1) / sum);
  const int64_t target = t.targets.at(row);
  if (target == t.targets.ignored) return {};
  if (!t.targets.is_class(target)) {
    refuse(t.refusal, row, target);
    return {};
  }
  const C x = widen(t.logits.data[row * t.logits.row_step + target * t.logits.step]);
  return {log_of(sum) - (x - known.most), 1, 0};
}

// Those of the groups joined one after another, for the block's first thread.
template <class C>
__device__ Loss<C> join_groups(const Loss<C>& own) {
  Loss<C>* const shared = dynamic_shared<Loss<C>>();
  __syncthreads();  // the memory may have been used
  if (threadIdx.x == 0) shared[threadIdx.y] = own;
  __syncthreads();
  Loss<C> all = shared[0];
  for (uint32_t y = 1; y < blockDim.y; ++y) all = JoinLosses()(all, shared[y]);
  return all;
}

// blockDim.x threads for each row, blockDim.y rows for each block at a time.
template <class T>
__global__ void __launch_bounds__(kMaxThreads) cross_entropy(ForwardTask<T> t) {
  using Losses = Loss<Arithmetic<T>>;
  const bool one = threadIdx.x == 0 && threadIdx.y == 0;
  Losses own{};
  for (uint32_t first = blockIdx.x * blockDim.y; first < t.targets.rows;
       first += gridDim.x * blockDim.y) {
    const uint32_t row = first + threadIdx.y;
    const bool active = row < t.targets.rows;
    const auto line = t.logits.row(active ? row : first, active ? t.targets.classes : 0);
    const auto known = join_group(powers_of(line, threadIdx.x, blockDim.x), JoinPowers());
    if (active && threadIdx.x == 0) own = JoinLosses()(own, loss_of_row(t, row, known));
  }
  own = join_groups(own);
  if (t.parts) {
    if (one) t.parts[blockIdx.x] = own;
    if (!is_last_block(*t.turns)) return;
    own = {};
    const uint32_t threads = blockDim.x * blockDim.y;
    for (uint32_t i = threadIdx.y * blockDim.x + threadIdx.x; i < gridDim.x; i += threads) {
      own = JoinLosses()(own, t.parts[i]);
    }
    own = join_groups(join_group(own, JoinLosses()));
  }
  if (one) put_loss(t.loss, own);
}

// Does one block do it all?
bool is_small(const tenon_view& logits) {
  return logits.shape[0] <= 256 && logits.shape[0] * logits.shape[1] <= 32768;
}

// Threads for each row, and rows that a block has at a time; few rows get many threads each.
Extent block_of(const tenon_view& logits) {
  const int64_t rows = logits.shape[0];
  const bool small = is_small(logits);
  const uint32_t most = small || rows < 1024 ? kMaxThreads : kBlock;
  const uint32_t group = group_for(logits.shape[1], 16, most);
  const uint32_t at_a_time =
      small ? std::min(static_cast<uint32_t>(rows), kMaxThreads / group) : groups_for(group, rows);
  return {group, std::max(1U, at_a_time)};
}

// More do not keep a GPU busier, and the last has their parts to add up.
inline constexpr uint32_t kMaxBlocks = 2048;

uint32_t forward_blocks(const tenon_view& logits) {
  if (is_small(logits)) return 1;
  return std::min(kMaxBlocks, blocks_for(logits.shape[0], block_of(logits).y));
}

uint64_t scratch(const sdk::Args& args) {
  const uint32_t blocks = forward_blocks(args.view(0));
  return blocks > 1 ? blocks * sizeof(Loss<double>) : 0;
}

void check_sizes(const tenon_view& logits) {
  if (logits.shape[0] < kMaxElements && logits.shape[1] < kMaxElements) return;
  throw sdk::Failure{TENON_E_UNSUPPORTED, "there are too many rows or classes for tenon.cuda",
                     "logits", "fewer than " + std::to_string(kMaxElements) + " of each",
                     std::to_string(std::max(logits.shape[0], logits.shape[1]))};
}

template <class T>
void enqueue_forward(const sdk::Launch& l) {
  const tenon_view& logits = l.view(0);
  ForwardTask<T> t{};
  t.logits = matrix_of<const T>(logits, is_packable_matrix<T>(logits));
  t.targets = targets_of(l, l.view(1), logits);
  t.refusal = refusal(l, kForwardWords, shape_of(l.view(1)), logits.shape[1]);
  t.loss = static_cast<T*>(l.out().data);
  if (l.wants_out(1)) t.top = column_of<T>(l.out(1));
  if (l.wants_out(2)) t.top_prob = column_of<T>(l.out(2));
  const uint32_t blocks = forward_blocks(logits);
  if (blocks > 1) {
    t.parts = reinterpret_cast<Loss<Arithmetic<T>>*>(l.scratch().data());
    t.turns = turns_of(l);
  }
  const Extent block = block_of(logits);
  const auto shared = static_cast<uint32_t>(block.y * sizeof(Loss<Arithmetic<T>>));
  enqueue(l, &cross_entropy<T>, {blocks}, block, shared, t);
}

void forward(const sdk::Launch& l) {
  check_sizes(l.view(0));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() { enqueue_forward<T>(l); });
}

// ---- Backward -----------------------------------------------------------------------------------

template <class T>
struct BackwardTask {
  Matrix<const T> logits;
  Matrix<T> grad;
  Targets targets;
  Refusal refusal;
  Source<T> dy;
  Column<const T> top;
  Column<const T> top_prob;
  Turns* turns;  // NULL: each block counts
};

// Rows that count, among all; all threads of the block take part and get it.
__device__ int32_t count_rows(const Targets& targets) {
  const uint32_t thread = threadIdx.y * blockDim.x + threadIdx.x;
  const uint32_t threads = blockDim.x * blockDim.y;
  int32_t counted = 0;
  for (uint32_t first = 0; first < targets.rows; first += threads) {
    const uint32_t row = first + thread;
    counted += __syncthreads_count(row < targets.rows && targets.counts(row));
  }
  return counted;
}

// One row, by a group.
template <class T>
__device__ void write_row(const BackwardTask<T>& t, uint32_t row, int32_t counted) {
  using C = Arithmetic<T>;
  constexpr int N = 8;
  const int64_t target = t.targets.at(row);
  const bool counts = target != t.targets.ignored;
  if (counts && !t.targets.is_class(target) && threadIdx.x == 0) refuse(t.refusal, row, target);
  const C scale = widen(load_one(t.dy, 0)) / static_cast<C>(max(counted, 1));
  const C top = t.top.get(row);
  const C top_prob = t.top_prob.get(row);
  const auto from = t.logits.row(row, t.targets.classes);
  const auto to = t.grad.row(row, t.targets.classes);
  for (uint32_t round = 0; uint64_t{round} * N * blockDim.x < from.count; ++round) {
    C x[N];
    load_line<N, T>(from, round, threadIdx.x, blockDim.x, C(0), x);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const uint32_t i = place_in_line(from, round * N + k, threadIdx.x, blockDim.x);
      const C power = exp_of(x[k] - top);
      x[k] = i == target ? (power * top_prob - C(1)) * scale : power * (scale * top_prob);
      if (!counts) x[k] = 0;
    }
    store_line<N, T>(to, round, threadIdx.x, blockDim.x, x);
  }
}

// A group for each row.
template <class T>
__global__ void __launch_bounds__(kMaxThreads / 2) cross_entropy_grad(BackwardTask<T> t) {
  const auto count = [&] { return static_cast<uint32_t>(count_rows(t.targets)); };
  const uint32_t counted = t.turns ? told_by_first_block(*t.turns, count) : count();
  const uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row < t.targets.rows) write_row(t, row, static_cast<int32_t>(counted));
  if (t.turns) is_last_block(*t.turns);  // clears them
}

inline constexpr int64_t kFewRows = 2048;

template <class T>
void enqueue_backward(const sdk::Launch& l) {
  const tenon_view& logits = l.view(1);
  const bool packed = is_packable_matrix<T>(logits) && is_packable_matrix<T>(l.out());
  BackwardTask<T> t{};
  t.logits = matrix_of<const T>(logits, packed);
  t.grad = matrix_of<T>(l.out(), packed);
  t.targets = targets_of(l, l.view(4), logits);
  t.refusal = refusal(l, kBackwardWords, shape_of(l.view(4)), logits.shape[1]);
  t.dy = source_of<T>(l.view(0));
  t.top = column_of<const T>(l.view(2));
  t.top_prob = column_of<const T>(l.view(3));
  if (logits.shape[0] > kFewRows) t.turns = turns_of(l);
  const uint32_t group =
      group_for(logits.shape[1], 16, logits.shape[0] < 1024 ? kMaxThreads / 2 : kBlock);
  const Extent block{group, groups_for(group, logits.shape[0])};
  enqueue(l, &cross_entropy_grad<T>, {blocks_for(logits.shape[0], block.y)}, block, 0, t);
}

void backward(const sdk::Launch& l) {
  check_sizes(l.view(1));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(1).dtype, [&]<class T>() { enqueue_backward<T>(l); });
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule forward_slots[] = {any_in(), any_in(), any_out(), any_out(), any_out()};
constexpr tenon_slot_rule backward_slots[] = {element_in(), any_in(), any_in(),
                                              any_in(),     any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.softmax_cross_entropy", forward_slots, sdk::kFloats, sdk::launch_fn<forward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<scratch>}),
    kernel("tenon.softmax_cross_entropy_grad", backward_slots, sdk::kFloats,
           sdk::launch_fn<backward>, {.n_attrs = kAttributes}),
};

}  // namespace
}  // namespace tenon::cuda::softmax_cross_entropy_unit

TENON_UNIT(softmax_cross_entropy) = {.kernels = tenon::cuda::softmax_cross_entropy_unit::kernels};
