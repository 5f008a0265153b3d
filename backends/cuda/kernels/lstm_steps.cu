// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/lstm_steps.cu: lstm_steps, and back through time from what it kept.
//
//   s = x + h w_hh^T,  c = sigmoid(s_f) c + sigmoid(s_i) tanh(s_g),  h = sigmoid(s_o) tanh(c)
// The arithmetic of plugins/ops/recurrent/lstm_steps.cc and lstm_steps_grad.cc. A step is a launch,
// with a projection of h two.
#include "recurrent.h"

namespace tenon::cuda::lstm_steps_unit {
namespace {

using namespace recurrent;

enum Input : uint32_t { kGates, kHidden, kH0, kC0, kBiasIh, kBiasHh, kProjection, kLengths };
enum Output : uint32_t { kY, kLastH, kLastC, kKept, kCells };
enum GradInput : uint32_t {
  kOfKept,
  kOfCells,
  kOfHidden,
  kDy,
  kDh,
  kDc,
  kOfC0,
  kOfProjection,
  kOfLengths,
  kDkept,
  kDcells
};
enum GradOutput : uint32_t { kDgates, kDh0, kDc0, kDstates };
enum Attribute : uint32_t { kReverse, kBatchFirst, kAttributes };
inline constexpr int kPerUnit = 4;

// ---- Forward ------------------------------------------------------------------------------------

template <class T>
struct Task {
  using C = Arithmetic<T>;
  Walk walk;
  int64_t hidden, state;
  Rows<const T> gates;
  Weight<T> w_hh, projection;  // without data: h is not projected
  Bias<T> bias;
  Rows<T> y, kept, cells;
  C* h[2];  // before and after a step, in turn
  C* c;
  C* u;  // o tanh(c), to be projected
};

template <class T>
__global__ void __launch_bounds__(kBlock) step(Task<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.walk.time_of(number), hidden = t.hidden;
  const Place p = place_of(t.walk.batch, hidden);
  const C* const before = t.h[number % 2];
  C sums[kPerUnit];
  multiply(p, t.walk.batch, hidden, before, t.state, t.w_hh, hidden, t.state, sums);
  if (!p.inside) return;
  C* const own = (t.projection.data ? t.u : t.h[1 - number % 2]) + p.b * hidden + p.u;
  if (!t.walk.is_live(p.b, time)) {
    for (int g = 0; g < kPerUnit; ++g) put(t.kept, time, p.b, g * hidden + p.u, C{0});
    put(t.cells, time, p.b, p.u, C{0});
    if (t.projection.data) return;
    put(t.y, time, p.b, p.u, C{0});
    *own = before[p.b * hidden + p.u];
    return;
  }
  C value[kPerUnit];
  for (int g = 0; g < kPerUnit; ++g) {
    const int64_t column = g * hidden + p.u;
    const C s = t.bias.added_to(widen(t.gates.at(time, p.b, column)), column) + sums[g];
    value[g] = g == 2 ? tanh_of(s) : sigmoid(s);
    put(t.kept, time, p.b, column, value[g]);
  }
  C& cell = t.c[p.b * hidden + p.u];
  cell = value[1] * cell + value[0] * value[2];
  put(t.cells, time, p.b, p.u, cell);
  *own = value[3] * tanh_of(cell);
  if (!t.projection.data) put(t.y, time, p.b, p.u, *own);
}

template <class T>
__global__ void __launch_bounds__(kBlock) project(Task<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.walk.time_of(number);
  const Place p = place_of(t.walk.batch, t.state);
  C sums[1];
  multiply(p, t.walk.batch, t.state, t.u, t.hidden, t.projection, 0, t.hidden, sums);
  if (!p.inside) return;
  const bool live = t.walk.is_live(p.b, time);
  const int64_t at = p.b * t.state + p.u;
  t.h[1 - number % 2][at] = live ? sums[0] : t.h[number % 2][at];
  put(t.y, time, p.b, p.u, live ? sums[0] : C{0});
}

template <class T>
void forward_of(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  Task<T> t{};
  t.walk = walk_of(l, kGates, kLengths, l.attrs.flag(kReverse), l.attrs.flag(kBatchFirst));
  const int64_t batch = t.walk.batch, axis = t.walk.axis;
  t.hidden = l.shape(kHidden)[0] / kPerUnit;
  t.state = l.shape(kHidden)[1];
  t.gates = in_rows<T>(l, kGates, axis);
  t.w_hh = lines_of<T>(l.view(kHidden));
  if (l.given(kProjection)) t.projection = lines_of<T>(l.view(kProjection));
  t.bias = bias_of<T>(l, kBiasIh, kBiasHh);
  t.y = out_rows<T>(l, kY, axis);
  t.kept = out_rows<T>(l, kKept, axis);
  t.cells = out_rows<T>(l, kCells, axis);
  Scratch<C> scratch{reinterpret_cast<C*>(l.scratch().data())};
  for (C*& h : t.h) h = scratch.take(batch * t.state);
  t.c = scratch.take(batch * t.hidden);
  t.u = scratch.take(batch * t.hidden);
  load<T>(l, t.h[0], kH0, batch, t.state);
  load<T>(l, t.c, kC0, batch, t.hidden);
  for (int64_t i = 0; i < t.walk.steps; ++i) {
    each_unit(l, batch, t.hidden, &step<T>, t, i);
    if (t.projection.data) each_unit(l, batch, t.state, &project<T>, t, i);
  }
  store<T>(l, kLastH, t.h[t.walk.steps % 2], batch, t.state);
  store<T>(l, kLastC, t.c, batch, t.hidden);
}

void forward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out(kY).dtype, [&]<class T>() { forward_of<T>(l); });
}
uint64_t forward_workspace(const sdk::Args& args) {
  const int64_t batch = batch_of(args, kGates, args.attrs.flag(kBatchFirst));
  const std::span<const int64_t> w_hh = args.shape(kHidden);
  return static_cast<uint64_t>(batch * (2 * w_hh[1] + 2 * (w_hh[0] / kPerUnit))) * sizeof(double);
}

// ---- Backward -----------------------------------------------------------------------------------

template <class T>
struct BackTask {
  using C = Arithmetic<T>;
  Back<T> back;
  int64_t hidden;
  Rows<const T> kept, cells, dy, c0, dkept, dcells;
  Weight<T> projection;
  Rows<T> dgates, dstates;
  C* dc;
};

// What the step before has left in the cell.
template <class T, class C = Arithmetic<T>>
__device__ __forceinline__ C cell_before(const BackTask<T>& t, const Place& p, int64_t number) {
  if (!t.back.walk.begins(p.b, t.back.walk.time_of(number))) {
    return widen(t.cells.at(t.back.walk.time_of(number - 1), p.b, p.u));
  }
  return t.c0.data ? static_cast<C>(widen(t.c0.at(0, p.b, p.u))) : C{0};
}

// `u` is the gradient of o tanh(c).
template <class T, class C = Arithmetic<T>>
__device__ __forceinline__ void gates_back(const BackTask<T>& t, const Place& p, int64_t number,
                                           C u) {
  const int64_t time = t.back.walk.time_of(number), hidden = t.hidden;
  C value[kPerUnit];
  for (int g = 0; g < kPerUnit; ++g) value[g] = widen(t.kept.at(time, p.b, g * hidden + p.u));
  const C i = value[0], f = value[1], g = value[2], o = value[3];
  const C bent = tanh_of(static_cast<C>(widen(t.cells.at(time, p.b, p.u))));
  C& dc = t.dc[p.b * hidden + p.u];
  C c = dc + tanh_slope(u * o, bent);
  if (t.dcells.data) c += widen(t.dcells.at(time, p.b, p.u));
  C gradient[kPerUnit] = {c * g, c * cell_before(t, p, number), c * i, u * bent};
  for (int k = 0; k < kPerUnit; ++k) {
    const int64_t column = k * hidden + p.u;
    if (t.dkept.data) gradient[k] += widen(t.dkept.at(time, p.b, column));
    const C ds = k == 2 ? tanh_slope(gradient[k], g) : sigmoid_slope(gradient[k], value[k]);
    t.back.made_by(number, p)[column] = ds;
    put(t.dgates, time, p.b, column, ds);
  }
  dc = c * f;
}

template <class T>
__device__ __forceinline__ void no_gates(const BackTask<T>& t, const Place& p, int64_t time) {
  for (int g = 0; g < kPerUnit; ++g) {
    put(t.dgates, time, p.b, g * t.hidden + p.u, Arithmetic<T>(0));
  }
}

// The gradient of h in a step, which is kept for the steps before.
template <class T, class C = Arithmetic<T>>
__device__ __forceinline__ C gradient_of_h(const BackTask<T>& t, const Place& p, int64_t number,
                                           bool live) {
  const int64_t time = t.back.walk.time_of(number);
  C dh = t.back.left_by_later(p, number, false);
  if (!p.inside) return dh;
  if (live && t.dy.data) dh += widen(t.dy.at(time, p.b, p.u));
  t.back.own(p) = dh;
  put(t.dstates, time, p.b, p.u, live ? dh : C{0});
  return dh;
}

template <class T>
__global__ void __launch_bounds__(kBlock) step_back(BackTask<T> t, int64_t number) {
  const Place p = place_of(t.back.walk.batch, t.hidden);
  const int64_t time = t.back.walk.time_of(number);
  const bool live = p.inside && t.back.walk.is_live(p.b, time);
  const Arithmetic<T> dh = gradient_of_h(t, p, number, live);
  if (!p.inside) return;
  if (live) {
    gates_back(t, p, number, dh);
  } else {
    no_gates(t, p, time);
  }
}

template <class T>
__global__ void __launch_bounds__(kBlock) states_back(BackTask<T> t, int64_t number) {
  const Place p = place_of(t.back.walk.batch, t.back.state);
  gradient_of_h(t, p, number, p.inside && t.back.walk.is_live(p.b, t.back.walk.time_of(number)));
}
template <class T>
__global__ void __launch_bounds__(kBlock) projected_back(BackTask<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const Place p = place_of(t.back.walk.batch, t.hidden);
  const int64_t time = t.back.walk.time_of(number);
  C sums[1];
  multiply(p, t.back.walk.batch, t.hidden, t.back.dh, t.back.state, t.projection, 0, t.back.state,
           sums);
  if (!p.inside) return;
  if (t.back.walk.is_live(p.b, time)) {
    gates_back(t, p, number, sums[0]);
  } else {
    no_gates(t, p, time);
  }
}

template <class T>
void backward_of(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  BackTask<T> t{};
  t.back.walk = walk_of(l, kOfKept, kOfLengths, l.attrs.flag(kReverse), l.attrs.flag(kBatchFirst));
  const int64_t batch = t.back.walk.batch, axis = t.back.walk.axis, steps = t.back.walk.steps;
  t.hidden = l.shape(kOfHidden)[0] / kPerUnit;
  t.back.state = l.shape(kOfHidden)[1];
  t.kept = in_rows<T>(l, kOfKept, axis);
  t.cells = in_rows<T>(l, kOfCells, axis);
  t.dy = in_rows<T>(l, kDy, axis);
  t.c0 = in_rows<T>(l, kOfC0, axis);
  t.dkept = in_rows<T>(l, kDkept, axis);
  t.dcells = in_rows<T>(l, kDcells, axis);
  t.back.w = columns_of<T>(l.view(kOfHidden));
  t.back.depth = t.back.made_step = kPerUnit * t.hidden;
  const bool projects = l.given(kOfProjection);
  if (projects) t.projection = columns_of<T>(l.view(kOfProjection));
  t.dgates = out_rows<T>(l, kDgates, axis);
  t.dstates = out_rows<T>(l, kDstates, axis);
  Scratch<C> scratch{reinterpret_cast<C*>(l.scratch().data())};
  for (C*& made : t.back.made) made = scratch.take(batch * t.back.made_step);
  t.back.dh = scratch.take(batch * t.back.state);
  t.dc = scratch.take(batch * t.hidden);
  load<T>(l, t.back.dh, kDh, batch, t.back.state);
  load<T>(l, t.dc, kDc, batch, t.hidden);
  for (int64_t i = steps - 1; i >= 0; --i) {
    if (!projects) {
      each_unit(l, batch, t.hidden, &step_back<T>, t, i);
      continue;
    }
    each_unit(l, batch, t.back.state, &states_back<T>, t, i);
    each_unit(l, batch, t.hidden, &projected_back<T>, t, i);
  }
  store_first(l, kDh0, t.back, false);
  store<T>(l, kDc0, t.dc, batch, t.hidden);
}

void backward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(kOfKept).dtype,
                                       [&]<class T>() { backward_of<T>(l); });
}
uint64_t backward_workspace(const sdk::Args& args) {
  const int64_t batch = batch_of(args, kOfKept, args.attrs.flag(kBatchFirst));
  const std::span<const int64_t> w_hh = args.shape(kOfHidden);
  const int64_t row = 2 * w_hh[0] + w_hh[1] + w_hh[0] / kPerUnit;
  return static_cast<uint64_t>(batch * row) * sizeof(double);
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule in = any_in();
constexpr tenon_slot_rule out = any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, in, in, in, out, out, out, out, out};
constexpr tenon_slot_rule grad_slots[] = {in, in, in, in,  in,  in,  in, in,
                                          in, in, in, out, out, out, out};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.lstm_steps", slots, sdk::kFloats, sdk::launch_fn<forward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<forward_workspace>}),
    kernel("tenon.lstm_steps_grad", grad_slots, sdk::kFloats, sdk::launch_fn<backward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<backward_workspace>}),
};

}  // namespace
}  // namespace tenon::cuda::lstm_steps_unit

TENON_UNIT(lstm_steps) = {.kernels = tenon::cuda::lstm_steps_unit::kernels};
