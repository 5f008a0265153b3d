// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/rnn_steps.cu: rnn_steps, h = f(x + h w_hh^T), and back through time.
//
// The arithmetic of plugins/ops/recurrent/rnn_steps.cc and rnn_steps_grad.cc. A step is a launch.
#include "recurrent.h"

namespace tenon::cuda::rnn_steps_unit {
namespace {

using namespace recurrent;

enum Input : uint32_t { kGates, kHidden, kH0, kBiasIh, kBiasHh, kLengths };
enum GradInput : uint32_t { kResult, kOfHidden, kDy, kDh, kOfLengths };
enum Attribute : uint32_t { kActivation, kReverse, kBatchFirst, kAttributes };
enum Output : uint32_t { kY, kLastH };
enum GradOutput : uint32_t { kDgates, kDh0 };

Walk read_walk(const sdk::Launch& l, uint32_t sequence, uint32_t lengths) {
  return walk_of(l, sequence, lengths, l.attrs.flag(kReverse), l.attrs.flag(kBatchFirst));
}

// ---- Forward ------------------------------------------------------------------------------------

template <class T>
struct Task {
  using C = Arithmetic<T>;
  Walk walk;
  int64_t hidden;
  bool relu;
  Rows<const T> gates;
  Weight<T> w_hh;
  Bias<T> bias;
  Rows<T> y;
  C* h[2];  // before and after a step, in turn
};

template <class T>
__global__ void __launch_bounds__(kBlock) step(Task<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.walk.time_of(number);
  const Place p = place_of(t.walk.batch, t.hidden);
  const C* const before = t.h[number % 2];
  C sums[1];
  multiply(p, t.walk.batch, t.hidden, before, t.hidden, t.w_hh, 0, t.hidden, sums);
  if (!p.inside) return;
  const int64_t at = p.b * t.hidden + p.u;
  C& own = t.h[1 - number % 2][at];
  if (!t.walk.is_live(p.b, time)) {
    own = before[at];
    put(t.y, time, p.b, p.u, C{0});
    return;
  }
  const C s = t.bias.added_to(widen(t.gates.at(time, p.b, p.u)), p.u) + sums[0];
  own = t.relu ? (s < 0 ? C{0} : s) : tanh_of(s);
  put(t.y, time, p.b, p.u, own);
}

template <class T>
void forward_of(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  Task<T> t{};
  t.walk = read_walk(l, kGates, kLengths);
  t.hidden = l.shape(kHidden)[1];
  t.relu = l.attrs.text(kActivation) == "relu";
  t.gates = in_rows<T>(l, kGates, t.walk.axis);
  t.w_hh = lines_of<T>(l.view(kHidden));
  t.bias = bias_of<T>(l, kBiasIh, kBiasHh);
  t.y = out_rows<T>(l, kY, t.walk.axis);
  const int64_t batch = t.walk.batch;
  Scratch<C> scratch{reinterpret_cast<C*>(l.scratch().data())};
  for (C*& h : t.h) h = scratch.take(batch * t.hidden);
  load<T>(l, t.h[0], kH0, batch, t.hidden);
  for (int64_t i = 0; i < t.walk.steps; ++i) each_unit(l, batch, t.hidden, &step<T>, t, i);
  store<T>(l, kLastH, t.h[t.walk.steps % 2], batch, t.hidden);
}

void forward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out(kY).dtype, [&]<class T>() { forward_of<T>(l); });
}
uint64_t forward_workspace(const sdk::Args& args) {
  const int64_t states =
      2 * batch_of(args, kGates, args.attrs.flag(kBatchFirst)) * args.shape(kHidden)[1];
  return static_cast<uint64_t>(states) * sizeof(double);
}

// ---- Backward -----------------------------------------------------------------------------------

template <class T>
struct BackTask {
  Back<T> back;
  bool relu;
  Rows<const T> y, dy;
  Rows<T> dgates;
};

template <class T>
__global__ void __launch_bounds__(kBlock) step_back(BackTask<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.back.walk.time_of(number);
  const Place p = place_of(t.back.walk.batch, t.back.state);
  C dh = t.back.left_by_later(p, number, false);
  if (!p.inside) return;
  if (!t.back.walk.is_live(p.b, time)) {
    t.back.own(p) = dh;
    put(t.dgates, time, p.b, p.u, C{0});
    return;
  }
  if (t.dy.data) dh += widen(t.dy.at(time, p.b, p.u));
  const C y = widen(t.y.at(time, p.b, p.u));
  const C ds = t.relu ? (y > 0 ? dh : C{0}) : tanh_slope(dh, y);
  t.back.made_by(number, p)[p.u] = ds;
  put(t.dgates, time, p.b, p.u, ds);
}

template <class T>
void backward_of(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  BackTask<T> t{};
  t.back.walk = read_walk(l, kResult, kOfLengths);
  const int64_t batch = t.back.walk.batch, axis = t.back.walk.axis;
  t.back.state = t.back.depth = t.back.made_step = l.shape(kOfHidden)[1];
  t.back.w = columns_of<T>(l.view(kOfHidden));
  t.relu = l.attrs.text(kActivation) == "relu";
  t.y = in_rows<T>(l, kResult, axis);
  t.dy = in_rows<T>(l, kDy, axis);
  t.dgates = out_rows<T>(l, kDgates, axis);
  Scratch<C> scratch{reinterpret_cast<C*>(l.scratch().data())};
  for (C*& made : t.back.made) made = scratch.take(batch * t.back.made_step);
  t.back.dh = scratch.take(batch * t.back.state);
  load<T>(l, t.back.dh, kDh, batch, t.back.state);
  for (int64_t i = t.back.walk.steps - 1; i >= 0; --i) {
    each_unit(l, batch, t.back.state, &step_back<T>, t, i);
  }
  store_first(l, kDh0, t.back, false);
}

void backward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(kResult).dtype,
                                       [&]<class T>() { backward_of<T>(l); });
}
uint64_t backward_workspace(const sdk::Args& args) {
  const int64_t states =
      3 * batch_of(args, kResult, args.attrs.flag(kBatchFirst)) * args.shape(kOfHidden)[1];
  return static_cast<uint64_t>(states) * sizeof(double);
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule in = any_in();
constexpr tenon_slot_rule out = any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, in, out, out};
constexpr tenon_slot_rule grad_slots[] = {in, in, in, in, in, out, out};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.rnn_steps", slots, sdk::kFloats, sdk::launch_fn<forward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<forward_workspace>}),
    kernel("tenon.rnn_steps_grad", grad_slots, sdk::kFloats, sdk::launch_fn<backward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<backward_workspace>}),
};

}  // namespace
}  // namespace tenon::cuda::rnn_steps_unit

TENON_UNIT(rnn_steps) = {.kernels = tenon::cuda::rnn_steps_unit::kernels};
