// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/gru_steps.cu: gru_steps, and back through time from what it kept.
//
//   r = sigmoid(x_r + h w_r^T),  z = sigmoid(x_z + h w_z^T),  h' = n + z (h - n)
//   n = tanh(x_n + r (h w_n^T)), without reset_after tanh(x_n + (r h) w_n^T)
// The arithmetic of plugins/ops/recurrent/gru_steps.cc and gru_steps_grad.cc. A step is a launch,
// without reset_after two: then n needs r of all units.
#include "recurrent.h"

namespace tenon::cuda::gru_steps_unit {
namespace {

using namespace recurrent;

enum Input : uint32_t { kGates, kHidden, kH0, kBiasIh, kBiasHh, kLengths };
enum GradInput : uint32_t { kOfKept, kStates, kOfHidden, kDy, kDh, kOfLengths, kDkept };
enum Attribute : uint32_t { kReverse, kBatchFirst, kResetAfter, kAttributes };
enum Output : uint32_t { kY, kLastH, kKept };
enum GradOutput : uint32_t { kDgates, kDh0, kDproducts };
enum Gate : int { kR, kZ, kN, kQ, kKeptGates };  // q: the product of n, or r h
inline constexpr int kPerUnit = 3;

Walk read_walk(const sdk::Launch& l, uint32_t sequence, uint32_t lengths) {
  return walk_of(l, sequence, lengths, l.attrs.flag(kReverse), l.attrs.flag(kBatchFirst));
}

// ---- Forward ------------------------------------------------------------------------------------

template <class T>
struct Task {
  using C = Arithmetic<T>;
  Walk walk;
  int64_t hidden;
  Rows<const T> gates;
  Weight<T> w_hh;
  Bias<T> own_bias, product_bias;
  Rows<T> y, kept;
  C* h[2];  // before and after a step, in turn
  C* q;     // without reset_after: r h and z
  C* z;

  __device__ C input(int64_t time, const Place& p, int gate) const {
    const int64_t column = gate * hidden + p.u;
    return own_bias.added_to(widen(gates.at(time, p.b, column)), column);
  }
  __device__ C product(C sum, const Place& p, int gate) const {
    return product_bias.added_to(sum, gate * hidden + p.u);
  }
  __device__ void keep(int64_t time, const Place& p, int gate, C x) const {
    put(kept, time, p.b, gate * hidden + p.u, x);
  }
  // The state after the step.
  __device__ void finish(int64_t time, const Place& p, int64_t number, C z_value, C n) const {
    const int64_t at = p.b * hidden + p.u;
    const C y_value = n + z_value * (h[number % 2][at] - n);
    keep(time, p, kN, n);
    put(y, time, p.b, p.u, y_value);
    h[1 - number % 2][at] = y_value;
  }
  // Of a sequence that has ended.
  __device__ void pass(int64_t time, const Place& p, int64_t number) const {
    const int64_t at = p.b * hidden + p.u;
    for (int g = 0; g < kKeptGates; ++g) keep(time, p, g, C{0});
    put(y, time, p.b, p.u, C{0});
    h[1 - number % 2][at] = h[number % 2][at];
  }
};

template <class T>
__global__ void __launch_bounds__(kBlock) step(Task<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.walk.time_of(number), hidden = t.hidden;
  const Place p = place_of(t.walk.batch, hidden);
  C sums[kPerUnit];
  multiply(p, t.walk.batch, hidden, t.h[number % 2], hidden, t.w_hh, hidden, hidden, sums);
  if (!p.inside) return;
  if (!t.walk.is_live(p.b, time)) return t.pass(time, p, number);
  const C r = sigmoid(t.input(time, p, kR) + t.product(sums[kR], p, kR));
  const C z = sigmoid(t.input(time, p, kZ) + t.product(sums[kZ], p, kZ));
  const C q = t.product(sums[kN], p, kN);
  t.keep(time, p, kR, r);
  t.keep(time, p, kZ, z);
  t.keep(time, p, kQ, q);
  t.finish(time, p, number, z, tanh_of(t.input(time, p, kN) + r * q));
}

template <class T>
__global__ void __launch_bounds__(kBlock) reset(Task<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.walk.time_of(number), hidden = t.hidden;
  const Place p = place_of(t.walk.batch, hidden);
  C sums[2];
  multiply(p, t.walk.batch, hidden, t.h[number % 2], hidden, t.w_hh, hidden, hidden, sums);
  if (!p.inside || !t.walk.is_live(p.b, time)) return;
  const int64_t at = p.b * hidden + p.u;
  const C r = sigmoid(t.input(time, p, kR) + sums[kR]);
  t.z[at] = sigmoid(t.input(time, p, kZ) + sums[kZ]);
  t.q[at] = r * t.h[number % 2][at];
  t.keep(time, p, kR, r);
  t.keep(time, p, kZ, t.z[at]);
  t.keep(time, p, kQ, t.q[at]);
}
template <class T>
__global__ void __launch_bounds__(kBlock)
    step_after_reset(Task<T> t, Weight<T> w_n, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.walk.time_of(number), hidden = t.hidden;
  const Place p = place_of(t.walk.batch, hidden);
  C sums[1];
  multiply(p, t.walk.batch, hidden, t.q, hidden, w_n, 0, hidden, sums);
  if (!p.inside) return;
  if (!t.walk.is_live(p.b, time)) return t.pass(time, p, number);
  t.finish(time, p, number, t.z[p.b * hidden + p.u], tanh_of(t.input(time, p, kN) + sums[0]));
}

template <class T>
void forward_of(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  Task<T> t{};
  t.walk = read_walk(l, kGates, kLengths);
  const int64_t batch = t.walk.batch;
  const bool after = l.attrs.flag(kResetAfter);
  t.hidden = l.shape(kHidden)[1];
  t.gates = in_rows<T>(l, kGates, t.walk.axis);
  t.w_hh = lines_of<T>(l.view(kHidden));
  t.own_bias = bias_of<T>(l, kBiasIh, after ? kNoSlot : kBiasHh);
  if (after) t.product_bias = bias_of<T>(l, kBiasHh, kNoSlot);
  t.y = out_rows<T>(l, kY, t.walk.axis);
  t.kept = out_rows<T>(l, kKept, t.walk.axis);
  Scratch<C> scratch{reinterpret_cast<C*>(l.scratch().data())};
  for (C** each : {&t.h[0], &t.h[1], &t.q, &t.z}) *each = scratch.take(batch * t.hidden);
  load<T>(l, t.h[0], kH0, batch, t.hidden);
  for (int64_t i = 0; i < t.walk.steps; ++i) {
    if (after) {
      each_unit(l, batch, t.hidden, &step<T>, t, i);
      continue;
    }
    each_unit(l, batch, t.hidden, &reset<T>, t, i);
    each_unit(l, batch, t.hidden, &step_after_reset<T>, t, t.w_hh.from(kN * t.hidden), i);
  }
  store<T>(l, kLastH, t.h[t.walk.steps % 2], batch, t.hidden);
}

void forward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out(kY).dtype, [&]<class T>() { forward_of<T>(l); });
}
uint64_t forward_workspace(const sdk::Args& args) {
  const int64_t states =
      4 * batch_of(args, kGates, args.attrs.flag(kBatchFirst)) * args.shape(kHidden)[1];
  return static_cast<uint64_t>(states) * sizeof(double);
}

// ---- Backward -----------------------------------------------------------------------------------

// `back.made` are the gradients of the products of r, z and n. Without reset_after that of n is a
// product of its own, and dh has a part before the others.
template <class T>
struct BackTask {
  using C = Arithmetic<T>;
  Back<T> back;
  Rows<const T> kept, states, dy, dkept;
  Rows<T> dgates, dproducts;
  Weight<T> w_n;

  __device__ C gate(int64_t time, const Place& p, int number) const {
    return widen(kept.at(time, p.b, number * back.state + p.u));
  }
  __device__ C with_kept(C x, int64_t time, const Place& p, int number) const {
    if (!dkept.data) return x;
    return x + widen(dkept.at(time, p.b, number * back.state + p.u));
  }
  // The gradient of a gate's sum, and what of it goes through the product.
  __device__ void give(int64_t time, const Place& p, int64_t step, int gate, C of_gate,
                       C of_product) const {
    const int64_t column = gate * back.state + p.u;
    back.made_by(step, p)[column] = of_product;
    put(dgates, time, p.b, column, of_gate);
    put(dproducts, time, p.b, column, of_product);
  }
  __device__ void give_none(int64_t time, const Place& p) const {
    for (int g = 0; g < kPerUnit; ++g) {
      put(dgates, time, p.b, g * back.state + p.u, C{0});
      put(dproducts, time, p.b, g * back.state + p.u, C{0});
    }
  }
};

// The gradients of z and n; dh keeps its share. Returns that of n's sum.
template <class T, class C = Arithmetic<T>>
__device__ __forceinline__ C begin_back(const BackTask<T>& t, const Place& p, int64_t number, C g) {
  const int64_t time = t.back.walk.time_of(number);
  if (t.dy.data) g += widen(t.dy.at(time, p.b, p.u));
  const C z = t.gate(time, p, kZ), n = t.gate(time, p, kN);
  const C before = widen(t.states.at(time, p.b, p.u));
  const C dz = t.with_kept(g * (before - n), time, p, kZ);
  const C dn = t.with_kept(g * (C{1} - z), time, p, kN);
  const C ds_z = sigmoid_slope(dz, z);
  t.give(time, p, number, kZ, ds_z, ds_z);
  t.back.own(p) = g * z;
  return tanh_slope(dn, n);
}
template <class T, class C = Arithmetic<T>>
__device__ __forceinline__ void end_back(const BackTask<T>& t, const Place& p, int64_t number,
                                         C dr) {
  const int64_t time = t.back.walk.time_of(number);
  const C ds_r = sigmoid_slope(t.with_kept(dr, time, p, kR), t.gate(time, p, kR));
  t.give(time, p, number, kR, ds_r, ds_r);
}

template <class T>
__global__ void __launch_bounds__(kBlock) step_back(BackTask<T> t, bool after, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.back.walk.time_of(number);
  const Place p = place_of(t.back.walk.batch, t.back.state);
  const C dh = t.back.left_by_later(p, number, true);
  if (!p.inside) return;
  if (!t.back.walk.is_live(p.b, time)) {
    t.back.own(p) = dh;
    return t.give_none(time, p);
  }
  const C ds_n = begin_back(t, p, number, dh);
  if (!after) return t.give(time, p, number, kN, ds_n, ds_n);
  t.give(time, p, number, kN, ds_n, t.with_kept(ds_n * t.gate(time, p, kR), time, p, kQ));
  end_back(t, p, number, ds_n * t.gate(time, p, kQ));
}
template <class T>
__global__ void __launch_bounds__(kBlock) reset_back(BackTask<T> t, int64_t number) {
  using C = Arithmetic<T>;
  const int64_t time = t.back.walk.time_of(number), hidden = t.back.state;
  const Place p = place_of(t.back.walk.batch, hidden);
  C sums[1];
  multiply(p, t.back.walk.batch, hidden, t.back.made[number % 2] + kN * hidden, t.back.made_step,
           t.w_n, 0, hidden, sums);
  if (!p.inside || !t.back.walk.is_live(p.b, time)) return;
  const C dq = t.with_kept(sums[0], time, p, kQ);
  end_back(t, p, number, dq * static_cast<C>(widen(t.states.at(time, p.b, p.u))));
  t.back.own(p) += dq * t.gate(time, p, kR);
}

template <class T>
void backward_of(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  BackTask<T> t{};
  t.back.walk = read_walk(l, kOfKept, kOfLengths);
  const int64_t batch = t.back.walk.batch, axis = t.back.walk.axis;
  const int64_t hidden = t.back.state = l.shape(kOfHidden)[1];
  const bool after = l.attrs.flag(kResetAfter);
  const Weight<T> rows = lines_of<T>(l.view(kOfHidden));
  t.back.w = columns_of<T>(l.view(kOfHidden));
  t.w_n = t.back.w;
  t.w_n.data += kN * hidden * rows.line;
  t.back.depth = (after ? 3 : 2) * hidden;
  t.back.made_step = kPerUnit * hidden;
  t.kept = in_rows<T>(l, kOfKept, axis);
  t.states = in_rows<T>(l, kStates, axis);
  t.dy = in_rows<T>(l, kDy, axis);
  t.dkept = in_rows<T>(l, kDkept, axis);
  t.dgates = out_rows<T>(l, kDgates, axis);
  t.dproducts = out_rows<T>(l, kDproducts, axis);
  Scratch<C> scratch{reinterpret_cast<C*>(l.scratch().data())};
  for (C*& made : t.back.made) made = scratch.take(batch * t.back.made_step);
  t.back.dh = scratch.take(batch * hidden);
  load<T>(l, t.back.dh, kDh, batch, hidden);
  for (int64_t i = t.back.walk.steps - 1; i >= 0; --i) {
    each_unit(l, batch, hidden, &step_back<T>, t, after, i);
    if (!after) each_unit(l, batch, hidden, &reset_back<T>, t, i);
  }
  store_first(l, kDh0, t.back, true);
}

void backward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(kOfKept).dtype,
                                       [&]<class T>() { backward_of<T>(l); });
}
uint64_t backward_workspace(const sdk::Args& args) {
  const int64_t states = (2 * kPerUnit + 1) *
                         batch_of(args, kOfKept, args.attrs.flag(kBatchFirst)) *
                         args.shape(kOfHidden)[1];
  return static_cast<uint64_t>(states) * sizeof(double);
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule in = any_in();
constexpr tenon_slot_rule out = any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, in, out, out, out};
constexpr tenon_slot_rule grad_slots[] = {in, in, in, in, in, in, in, out, out, out};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.gru_steps", slots, sdk::kFloats, sdk::launch_fn<forward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<forward_workspace>}),
    kernel("tenon.gru_steps_grad", grad_slots, sdk::kFloats, sdk::launch_fn<backward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<backward_workspace>}),
};

}  // namespace
}  // namespace tenon::cuda::gru_steps_unit

TENON_UNIT(gru_steps) = {.kernels = tenon::cuda::gru_steps_unit::kernels};
