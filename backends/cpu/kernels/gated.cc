// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/gated.cc: glu, swiglu, geglu and their gradients.
//
//   y = f(gate) other;  dother = dy f(gate),  dgate = (dy other) f'(gate)
// The axis of x holds two halves: the gate is the second for glu (f the sigmoid) and the first for
// swiglu (silu) and geglu (gelu). Each operation is rounded by itself. Elements are independent,
// and halves are read and written where they are: any layout is a choice of strides.

#include "common/halves.h"
#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gated.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;
enum Attribute : uint32_t { kAxis, kApproximate };

// f(gate), and g f'(gate).
template <class V>
struct Gated {
  V value;
  V slope;
};

// sigmoid(gate) and 1 less that, from one exponential that is known to more digits.
template <class V>
struct Shares {
  V share;
  V rest;
};
template <class V>
HWY_INLINE V rounded(const math::Scaled<V>& x) {
  return math::scale(hn::Add(x.part.rounded, x.part.lost), x.by);
}
template <class V>
HWY_INLINE Shares<V> shares(V gate) {
  const V t = math::at_most(hn::Abs(gate), math::kShareEnd<V>);
  const auto e = math::long_exp(math::exactly(hn::Neg(t)));
  const auto negative = math::is_negative(gate);
  return {rounded(math::logistic(e.by, e.part, negative)),
          rounded(math::logistic(e.by, e.part, hn::Not(negative)))};
}

struct Sigmoid {
  static constexpr size_t kGate = 1;
  template <class V>
  HWY_INLINE V value(V gate) const {
    return math::Sigmoid()(gate);
  }
  template <class V>
  HWY_INLINE Gated<V> both(V gate, V g) const {
    const Shares<V> at = shares(gate);
    return {at.share, hn::Mul(g, hn::Mul(at.share, at.rest))};
  }
};

// The exponential of silu is that of the shares, which the compiler sees.
struct Silu {
  static constexpr size_t kGate = 0;
  template <class V>
  HWY_INLINE V value(V gate) const {
    return math::Silu()(gate);
  }
  template <class V>
  HWY_INLINE Gated<V> both(V gate, V g) const {
    const V value = math::Silu()(gate);
    const Shares<V> at = shares(gate);
    return {value, hn::Mul(g, hn::Add(at.share, hn::Mul(value, at.rest)))};
  }
};

template <bool kTanh>
struct Gelu {
  static constexpr size_t kGate = 0;
  template <class V>
  HWY_INLINE V value(V gate) const {
    return math::Gelu<kTanh>()(gate);
  }
  template <class V>
  HWY_INLINE Gated<V> both(V gate, V g) const {
    return {math::Gelu<kTanh>()(gate), math::GeluGrad<kTanh>()(g, gate)};
  }
};

// What becomes of vectors x of packed operands: kOut results y of kIn operands.
template <class F>
struct Forward {
  static constexpr size_t kOut = 1, kIn = 2;
  template <class V>
  static HWY_INLINE void apply(const V (&x)[kIn], V (&y)[kOut]) {
    y[0] = hn::Mul(F().value(x[0]), x[1]);
  }
};
template <class F>
struct Backward {
  static constexpr size_t kOut = 2, kIn = 3;
  template <class V>
  static HWY_INLINE void apply(const V (&x)[kIn], V (&y)[kOut]) {
    const V dy = x[0];
    const Gated<V> gate = F().both(x[1], hn::Mul(dy, x[2]));
    y[0] = gate.slope;
    y[1] = hn::Mul(dy, gate.value);
  }
};

template <class Rule, class C>
HWY_INLINE void apply_packed(C* const* y, const C* const* x, int64_t count) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> in[Rule::kIn], out[Rule::kOut];
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (size_t k = 0; k < Rule::kIn; ++k) in[k] = hn::LoadU(d, x[k] + i);
    Rule::apply(in, out);
    for (size_t k = 0; k < Rule::kOut; ++k) hn::StoreU(out[k], d, y[k] + i);
  }
  if (i == count) return;
  const auto tail = hn::FirstN(d, static_cast<size_t>(count - i));
  for (size_t k = 0; k < Rule::kIn; ++k) in[k] = hn::MaskedLoad(tail, d, x[k] + i);
  Rule::apply(in, out);
  for (size_t k = 0; k < Rule::kOut; ++k) hn::BlendedStore(out[k], tail, d, y[k] + i);
}

// How elements of some dtype become numbers C, and numbers these elements.
template <class C>
struct Access {
  const C* (*get)(const char* from, int64_t step, int64_t count, C* room);
  C* (*place)(char* to, int64_t step, int64_t count, C* room);
  void (*put)(const C* from, int64_t count, char* to, int64_t step);
};

// Elements along one dimension: results first, then operands.
template <class Rule, class C>
HWY_NOINLINE void apply_run(const sdk::Run<Rule::kOut + Rule::kIn>& run, const Access<C>& access) {
  constexpr size_t kOut = Rule::kOut, kIn = Rule::kIn;
  HWY_ALIGN C room[kOut + kIn][kTile];
  for (int64_t begin = 0; begin < run.count; begin += kTile) {
    const int64_t n = std::min(kTile, run.count - begin);
    const auto address = [&](size_t o) { return run.data[o] + begin * run.step[o]; };
    C* y[kOut];
    const C* x[kIn];
    for (size_t k = 0; k < kOut; ++k) y[k] = access.place(address(k), run.step[k], n, room[k]);
    for (size_t k = 0; k < kIn; ++k) {
      x[k] = access.get(address(kOut + k), run.step[kOut + k], n, room[kOut + k]);
    }
    apply_packed<Rule>(y, x, n);
    for (size_t k = 0; k < kOut; ++k) access.put(y[k], n, address(k), run.step[k]);
  }
}

template <class Rule>
void apply(const sdk::Launch& l, std::span<const int64_t> shape,
           const std::array<sdk::Strided, Rule::kOut + Rule::kIn>& operands) {
  constexpr size_t N = Rule::kOut + Rule::kIn;
  const Geometry<N> geometry(shape, operands);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    const Access<Number<T>> access{get_numbers<T>, place_numbers<T>, put_numbers<T>};
    sdk::walk_parallel(l, geometry.shape(), geometry.operands(),
                       [&](const sdk::Run<N>& run) HWY_ATTR { apply_run<Rule>(run, access); });
  });
}

template <class F>
void forward(const sdk::Launch& l) {
  const auto half = backends::halves_of(l.view(0), l.attrs.integer(kAxis));
  apply<Forward<F>>(l, sdk::shape_of(l.out()),
                    {sdk::strided(l.out()), half[F::kGate], half[1 - F::kGate]});
}

template <class F>
void backward(const sdk::Launch& l) {
  const int64_t axis = l.attrs.integer(kAxis);
  const auto half = backends::halves_of(l.view(1), axis);
  const auto to = backends::halves_of(l.out(), axis);
  apply<Backward<F>>(l, l.shape(0),
                     {to[F::kGate], to[1 - F::kGate], sdk::strided(l.view(0)), half[F::kGate],
                      half[1 - F::kGate]});
}

// The op's shape rule has seen to it that there are only two ways.
template <void (*Erf)(const sdk::Launch&), void (*Tanh)(const sdk::Launch&)>
void either(const sdk::Launch& l) {
  l.attrs.text(kApproximate) == "tanh" ? Tanh(l) : Erf(l);
}

constexpr tenon_slot_rule forward_slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule backward_slots[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc gated(std::string_view op, std::span<const tenon_slot_rule> slots,
                                  uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, sdk::kFloats, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    gated("tenon.glu", forward_slots, 1, sdk::launch_fn<forward<Sigmoid>>),
    gated("tenon.glu_grad", backward_slots, 1, sdk::launch_fn<backward<Sigmoid>>),
    gated("tenon.swiglu", forward_slots, 1, sdk::launch_fn<forward<Silu>>),
    gated("tenon.swiglu_grad", backward_slots, 1, sdk::launch_fn<backward<Silu>>),
    gated("tenon.geglu", forward_slots, 2,
          sdk::launch_fn<either<forward<Gelu<false>>, forward<Gelu<true>>>>),
    gated("tenon.geglu_grad", backward_slots, 2,
          sdk::launch_fn<either<backward<Gelu<false>>, backward<Gelu<true>>>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> gated_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(gated) = {.chosen_kernels = TENON_CPU_CHOOSE(gated_kernels)};
#endif
