// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/scan.cu: cumsum, cumprod and linear_recurrence along an axis.
//
//   cumsum              y_i = y_{i-1} + x_i
//   cumprod             y_i = y_{i-1} x_i
//   linear_recurrence   y_i = a_i y_{i-1} + b_i, y_0 = b_0
// In double, carried on unrounded; integers wrap.
//
// Each is a scan of steps y -> a y + b under composition, which is associative: cumsum has only b,
// cumprod only a. A block takes a line in tiles of 4 elements a thread: a thread composes its own,
// warps and then the block scan what threads have, and the line's steps so far are carried on to
// the next tile. If there are few lines they are cut into pieces for several blocks: a first
// launch composes each piece, and each block composes the pieces before its own. Lines whose
// neighbours in memory belong to other lines, and short ones, are a thread's each: a warp then
// reads neighbours, or all of a few cache lines.
//
// Source: G. Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4.
#include <tenon/sdk/plugin/narrow.hpp>

#include "reduce.h"

namespace tenon::cuda::scan_unit {
namespace {

enum Attribute : uint32_t { kAxis, kReverse, kExclusive };

inline constexpr int kEach = 4;  // elements of a thread
inline constexpr uint32_t kTile = kBlock * kEach;
inline constexpr int kOperands = 3;  // output, inputs

// ---- Steps --------------------------------------------------------------------------------------

// What is read (In), composed (State) and written (Out). compose(a, b): first a, then b. `value` is
// what the steps so far make of nothing.
template <class T>
struct Sum {
  using In = T;
  using Out = sdk::WideNumber<T>;
  using State = sdk::Wide<T>;
  static constexpr bool kSecondInput = false;

  __device__ State identity() const { return 0; }
  __device__ State step(T x, T, bool) const { return static_cast<State>(widen(x)); }
  __device__ State operator()(State a, State b) const { return a + b; }
  __device__ sdk::Wide<T> value(State state) const { return state; }
};

template <class T>
struct Product {
  using In = T;
  using Out = sdk::WideNumber<T>;
  using State = sdk::Wide<T>;
  static constexpr bool kSecondInput = false;

  __device__ State identity() const { return 1; }
  __device__ State step(T x, T, bool) const { return static_cast<State>(widen(x)); }
  __device__ State operator()(State a, State b) const { return a * b; }
  __device__ sdk::Wide<T> value(State state) const { return state; }
};

template <class T>
struct Recurrence {
  using In = T;
  using Out = T;
  struct State {
    double a;
    double b;
  };
  static constexpr bool kSecondInput = true;

  __device__ State identity() const { return {1.0, 0.0}; }
  // The first a is never read: nothing comes before it.
  __device__ State step(T a, T b, bool first) const {
    return {first ? 0.0 : static_cast<double>(widen(a)), static_cast<double>(widen(b))};
  }
  // An a of 0 forgets what came before, infinities included only where it is the line's first.
  __device__ State operator()(const State& x, const State& y) const {
    return {x.a * y.a, y.a * x.b + y.b};
  }
  __device__ double value(const State& state) const { return state.b; }
};

// ---- On the device ------------------------------------------------------------------------------

template <class Op>
struct ScanTask {
  Geometry<kOperands> lines;
  int64_t step[kOperands];  // along the axis, in the scan's direction
  typename Op::Out* out;
  const typename Op::In* in[2];
  uint32_t count;   // of a line
  uint32_t pieces;  // of a line
  uint32_t piece;   // elements of one, a multiple of kTile
  bool exclusive;
  typename Op::State* composed;  // [lines, pieces]
};

// A line's elements.
template <class Op>
struct ScanLine {
  using In = typename Op::In;
  using Out = typename Op::Out;
  Out* out;
  const In* in[2];

  __device__ ScanLine(const ScanTask<Op>& t, uint32_t number) {
    int64_t at[kOperands];
    t.lines.offsets(number, at);
    out = t.out + at[0];
    in[0] = t.in[0] + at[1];
    in[1] = Op::kSecondInput ? t.in[1] + at[2] : nullptr;
  }
  __device__ typename Op::State step(const ScanTask<Op>& t, const Op& op, uint32_t i) const {
    const In x = in[0][static_cast<int64_t>(i) * t.step[1]];
    const In y = Op::kSecondInput ? in[1][static_cast<int64_t>(i) * t.step[2]] : In();
    return op.step(x, y, i == 0);
  }
  __device__ void put(const ScanTask<Op>& t, uint32_t i, sdk::Wide<In> value) const {
    out[static_cast<int64_t>(i) * t.step[0]] = cuda::narrow<Out>(value);
  }
};

// A thread for each line, one element after another.
template <class Op>
__global__ void __launch_bounds__(kBlock) scan_in_threads(ScanTask<Op> t, Op op) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= t.lines.count) return;
  const ScanLine<Op> line(t, number);
  typename Op::State state = op.identity();
  for (uint32_t i = 0; i < t.count; ++i) {
    const auto before = op.value(state);
    state = op(state, line.step(t, op, i));
    line.put(t, i, t.exclusive ? before : op.value(state));
  }
}

// What the lanes before have composed; lane 0 gets the identity. `own` becomes that and its own.
template <class Op>
__device__ typename Op::State scan_warp(typename Op::State& own, const Op& op) {
  using State = typename Op::State;
  const uint32_t lane = threadIdx.x % kWarp;
  for (uint32_t delta = 1; delta < kWarp; delta *= 2) {
    const State before = shuffle_from(own, static_cast<int>(lane - min(lane, delta)));
    if (lane >= delta) own = op(before, own);
  }
  const State before = shuffle_from(own, static_cast<int>(lane - min(lane, 1U)));
  return lane == 0 ? op.identity() : before;
}

// What the threads of the block before have composed, and what all have.
template <class Op>
__device__ typename Op::State scan_block(typename Op::State own, const Op& op,
                                         typename Op::State& all) {
  using State = typename Op::State;
  __shared__ State warps[kBlock / kWarp];
  State before = scan_warp(own, op);
  if (threadIdx.x % kWarp == kWarp - 1) warps[threadIdx.x / kWarp] = own;
  __syncthreads();
  all = op.identity();
  State earlier = all;
  for (uint32_t w = 0; w < kBlock / kWarp; ++w) {
    if (w == threadIdx.x / kWarp) earlier = all;
    all = op(all, warps[w]);
  }
  __syncthreads();  // the table is used again
  return op(earlier, before);
}

// blockIdx.x: the piece; blockIdx.y, ...: the line. Only composes (kCompose), or writes.
template <class Op, bool kCompose>
__global__ void __launch_bounds__(kBlock) scan_in_blocks(ScanTask<Op> t, Op op) {
  using State = typename Op::State;
  const uint32_t number = blockIdx.x / t.pieces;
  const uint32_t piece = blockIdx.x % t.pieces;
  const ScanLine<Op> line(t, number);
  const uint32_t begin = piece * t.piece;
  const uint32_t end = min(begin + t.piece, t.count);
  State carried = op.identity();
  for (uint32_t p = 0; !kCompose && p < piece; ++p) {
    carried = op(carried, t.composed[static_cast<int64_t>(number) * t.pieces + p]);
  }
  for (uint32_t tile = begin; tile < end; tile += kTile) {
    const uint32_t first = tile + threadIdx.x * kEach;
    State steps[kEach];
    State own = op.identity();
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      steps[k] = first + k < end ? line.step(t, op, first + k) : op.identity();
      own = op(own, steps[k]);
    }
    State all;
    State state = op(carried, scan_block(own, op, all));
    carried = op(carried, all);
#pragma unroll
    for (int k = 0; !kCompose && k < kEach; ++k) {
      const auto before = op.value(state);
      state = op(state, steps[k]);
      if (first + k < end) line.put(t, first + k, t.exclusive ? before : op.value(state));
    }
  }
  if (kCompose && threadIdx.x == 0) {
    t.composed[static_cast<int64_t>(number) * t.pieces + piece] = carried;
  }
}

// ---- On the host --------------------------------------------------------------------------------

struct Scan {
  Layout<kOperands> lines;
  int64_t step[kOperands] = {};
  int64_t first[kOperands] = {};  // where the scan begins
  uint32_t count = 0;
  uint32_t pieces = 1;
  uint32_t piece = 0;
  bool in_threads = false;

  Scan(const sdk::Args& args, bool second_input) {
    const tenon_view& out = args.out();
    const tenon_view* const views[kOperands] = {&out, &args.view(0),
                                                &args.view(second_input ? 1 : 0)};
    const int32_t axis = sdk::normal_axis(args.attrs.integer(kAxis), out.rank, "axis");
    if (out.shape[axis] >= kMaxElements) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "the axis is too long for a kernel of tenon.cuda",
                         "x", "fewer than " + std::to_string(kMaxElements) + " elements",
                         std::to_string(out.shape[axis])};
    }
    count = static_cast<uint32_t>(out.shape[axis]);
    Layout<kOperands> others;
    for (int32_t d = 0; d < out.rank; ++d) {
      const std::array<int64_t, kOperands> strides{views[0]->strides[d], views[1]->strides[d],
                                                   views[2]->strides[d]};
      if (d != axis) others.push(out.shape[d], strides);
      for (size_t o = 0; d == axis && o < kOperands; ++o) step[o] = strides[o];
    }
    lines = joined_dimensions<kOperands>(others, true, 1);
    if (args.attrs.flag(kReverse)) {
      for (int64_t& s : step) s = -s;
      for (size_t o = 0; o < kOperands; ++o) first[o] = -step[o] * (int64_t{count} - 1);
    }
    share();
  }

  // By shapes and strides alone.
  void share() {
    const int64_t n = lines.count();
    const int32_t last = lines.rank - 1;
    const bool columns =
        last >= 0 && lines.shape[last] >= 16 && std::abs(lines.stride[1][last]) < std::abs(step[1]);
    in_threads = count <= 16 || (columns && (n >= 4096 || count <= 256));
    piece = blocks_for(count, kTile) * kTile;
    if (in_threads || n == 0 || n >= 256) return;
    // At least 4 tiles a piece, and few enough pieces that each block reads all before its own.
    const auto wanted = static_cast<uint32_t>(std::max<int64_t>(1, 512 / n));
    pieces = std::min({wanted, 256U, std::max(1U, count / (4 * kTile))});
    piece = blocks_for(blocks_for(count, pieces), kTile) * kTile;
    pieces = std::max(1U, blocks_for(count, piece == 0 ? 1 : piece));
  }

  uint64_t scratch(uint64_t state) const {
    return pieces > 1 ? static_cast<uint64_t>(lines.count()) * pieces * state : 0;
  }
};

template <class Op>
void scan(const sdk::Launch& l, const Scan& s, bool exclusive) {
  using In = typename Op::In;
  if (s.count == 0) return;
  const Op op;
  for_parts<kOperands>(
      s.lines, {}, [&](const Layout<kOperands>& part, const std::array<int64_t, kOperands>& at) {
        ScanTask<Op> t{};
        t.lines = part.geometry();
        for (int o = 0; o < kOperands; ++o) t.step[o] = s.step[o];
        t.out = l.out_data<typename Op::Out>() + at[0] + s.first[0];
        t.in[0] = l.data<const In>(0) + at[1] + s.first[1];
        if (Op::kSecondInput) t.in[1] = l.data<const In>(1) + at[2] + s.first[2];
        t.count = s.count;
        t.pieces = s.pieces;
        t.piece = s.piece;
        t.exclusive = exclusive;
        t.composed = reinterpret_cast<typename Op::State*>(l.scratch().data());
        if (s.in_threads) {
          enqueue(l, &scan_in_threads<Op>, {blocks_for(t.lines.count, kBlock)}, {kBlock}, 0, t, op);
          return;
        }
        const Extent grid{t.lines.count * t.pieces};
        if (t.pieces > 1) enqueue(l, &scan_in_blocks<Op, true>, grid, {kBlock}, 0, t, op);
        enqueue(l, &scan_in_blocks<Op, false>, grid, {kBlock}, 0, t, op);
      });
}

template <template <class> class Op>
void cumulative(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype,
                      [&]<class T>() { scan<Op<T>>(l, Scan(l, false), l.attrs.flag(kExclusive)); });
}

void linear_recurrence(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(
      l.out().dtype, [&]<class T>() { scan<Recurrence<T>>(l, Scan(l, true), false); });
}

// ---- Descriptors --------------------------------------------------------------------------------

template <bool kSecondInput>
uint64_t scratch(const sdk::Args& args) {
  return Scan(args, kSecondInput).scratch(2 * sizeof(double));
}

constexpr tenon_slot_rule one_input[] = {any_in(TENON_SLOT_NARROW), any_out()};
constexpr tenon_slot_rule two_inputs[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cumsum", one_input, sdk::kWideNumbers, sdk::launch_fn<cumulative<Sum>>,
           {.n_attrs = 3, .workspace = sdk::workspace_fn<scratch<false>>}),
    kernel("tenon.cumprod", one_input, sdk::kWideNumbers, sdk::launch_fn<cumulative<Product>>,
           {.n_attrs = 3, .workspace = sdk::workspace_fn<scratch<false>>}),
    kernel("tenon.linear_recurrence", two_inputs, sdk::kFloats, sdk::launch_fn<linear_recurrence>,
           {.n_attrs = 2, .workspace = sdk::workspace_fn<scratch<true>>}),
};

}  // namespace
}  // namespace tenon::cuda::scan_unit

TENON_UNIT(scan) = {.kernels = tenon::cuda::scan_unit::kernels};
