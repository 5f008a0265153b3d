// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/gated.cu: glu, swiglu, geglu and their gradients.
//
//   y = f(gate) other;  dother = dy f(gate),  dgate = (dy other) f'(gate)
// The axis of x holds two halves: the gate is the second for glu (f the sigmoid) and the first for
// swiglu (silu) and geglu (gelu). A thread has an element of either half, or 16 bytes of each where
// they lie together.
#include "gelu.h"
#include "shares.h"

namespace tenon::cuda::gated_unit {
namespace {

enum Attribute : uint32_t { kAxis, kApproximate };

// f(gate), and g f'(gate).
template <class C>
struct Gated {
  C value;
  C slope;
};

// sigmoid(x) and 1 less that, from one exponential; and x sigmoid(x).
template <class C>
struct Shares {
  C share;
  C rest;
  C silu;
};
template <class T, class C>
__device__ __forceinline__ Shares<C> shares(C x) {
  const bool left = x < 0;
  if constexpr (sizeof(T) == 2) {
    const float e = expf(-std::fabs(x));
    const float near = 1.0F / (1.0F + e), far = e / (1.0F + e);
    const float share = left ? far : near;
    return {share, left ? near : far, x * share};
  } else {
    const C t = at_most(std::fabs(x), kShareEnd<C>);
    const Scaled<C> e = long_exp(-t);
    const Scaled<C> share = logistic(e, left);
    return {value_of(share), value_of(logistic(e, !left)), share_of(x, t, share)};
  }
}

// What a function of function.h gives, with the digits that T needs.
template <class T, class F, class C, class... More>
__device__ __forceinline__ C called(C x, More... more) {
  if constexpr (sizeof(T) == 2) {
    return F::brief(x, more...);
  } else if constexpr (sizeof(T) == 4) {
    return F::single(x, more...);
  } else {
    return F::full(x, more...);
  }
}

struct SigmoidGate {
  static constexpr bool kFirst = false;
  template <class T, class C>
  __device__ static C value(C gate) {
    return called<T, Sigmoid>(gate);
  }
  template <class T, class C>
  __device__ static Gated<C> both(C gate, C g) {
    const Shares<C> at = shares<T>(gate);
    return {at.share, g * (at.share * at.rest)};
  }
};

struct SiluGate {
  static constexpr bool kFirst = true;
  template <class T, class C>
  __device__ static C value(C gate) {
    return called<T, Silu>(gate);
  }
  template <class T, class C>
  __device__ static Gated<C> both(C gate, C g) {
    const Shares<C> at = shares<T>(gate);
    return {at.silu, g * (at.share + at.silu * at.rest)};
  }
};

template <bool by_tanh>
struct GeluGate {
  static constexpr bool kFirst = true;
  template <class T, class C>
  __device__ static C value(C gate) {
    return called<T, Gelu<by_tanh>>(gate);
  }
  template <class T, class C>
  __device__ static Gated<C> both(C gate, C g) {
    return {value<T>(gate), called<T, GeluGrad<by_tanh>>(g, gate)};
  }
};

// ---- Kernels ------------------------------------------------------------------------------------

template <int N, class T>
__device__ __forceinline__ Pack<T, N> load_from(const T* data) {
  return *reinterpret_cast<const Pack<T, N>*>(data);
}
template <int N, class T>
__device__ __forceinline__ void store_to(T* data, const Pack<T, N>& pack) {
  *reinterpret_cast<Pack<T, N>*>(data) = pack;
}

// Operands: y, the first half of x; `apart` elements from it is the second.
template <class F, int N, class T>
__global__ void __launch_bounds__(kBlock) forward(Geometry<2> g, T* y, const T* x, int64_t apart) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[2];
  g.offsets(number, at);
  const Pack<T, N> first = load_from<N>(x + at[1]), second = load_from<N>(x + at[1] + apart);
  Pack<T, N> out;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const auto gate = widen((F::kFirst ? first : second).at[i]);
    const auto other = widen((F::kFirst ? second : first).at[i]);
    out.at[i] = cuda::narrow<T>(F::template value<T>(gate) * other);
  }
  store_to<N>(y + at[0], out);
}

// Operands: the first half of dx, dy, the first half of x.
template <class F, int N, class T>
__global__ void __launch_bounds__(kBlock)
    backward(Geometry<3> g, T* dx, const T* dy, const T* x, int64_t dx_apart, int64_t apart) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[3];
  g.offsets(number, at);
  const Pack<T, N> slopes = load_from<N>(dy + at[1]);
  const Pack<T, N> first = load_from<N>(x + at[2]), second = load_from<N>(x + at[2] + apart);
  Pack<T, N> dgate, dother;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const auto slope = widen(slopes.at[i]);
    const auto gate = widen((F::kFirst ? first : second).at[i]);
    const auto other = widen((F::kFirst ? second : first).at[i]);
    const auto both = F::template both<T>(gate, slope * other);
    dgate.at[i] = cuda::narrow<T>(both.slope);
    dother.at[i] = cuda::narrow<T>(slope * both.value);
  }
  store_to<N>(dx + at[0], F::kFirst ? dgate : dother);
  store_to<N>(dx + at[0] + dx_apart, F::kFirst ? dother : dgate);
}

// ---- Launches -----------------------------------------------------------------------------------

// From the first half of an operand to the second.
int64_t apart(const tenon_view& view, int64_t axis) {
  const int32_t d = sdk::normal_axis(axis, view.rank, "axis");
  return view.shape[d] / 2 * view.strides[d];
}

// Makes packs of n neighbours the elements of a layout, if sizes, strides and what else is told, in
// elements, allow it.
template <int K>
bool pack(Layout<K>& layout, int64_t n, std::initializer_list<int64_t> others) {
  if (layout.rank == 0) return false;
  const int32_t last = layout.rank - 1;
  bool fits = layout.shape[last] % n == 0;
  for (const int64_t other : others) fits &= other % n == 0;
  for (size_t o = 0; o < K; ++o) {
    fits &= layout.stride[o][last] == 1;
    for (int32_t d = 0; d < last; ++d) fits &= layout.stride[o][d] % n == 0;
  }
  if (!fits) return false;
  layout.shape[last] /= n;
  for (size_t o = 0; o < K; ++o) layout.stride[o][last] = n;
  return true;
}

template <class T>
int64_t place_of(const void* data) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) / sizeof(T));
}

template <class F, int N, class T>
void run_forward(const sdk::Launch& l, const Layout<2>& layout, int64_t x_apart) {
  for_parts<2>(layout, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& at) {
    enqueue(l, &forward<F, N, T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(),
            static_cast<T*>(l.out().data) + at[0], static_cast<const T*>(l.view(0).data) + at[1],
            x_apart);
  });
}

template <class F>
void forward_launch(const sdk::Launch& l) {
  const tenon_view &x = l.view(0), &y = l.out();
  const int64_t x_apart = apart(x, l.attrs.integer(kAxis));
  sdk::dispatch_dtype<sdk::FloatTypes>(y.dtype, [&]<class T>() {
    constexpr int kPack = 16 / sizeof(T);
    Layout<2> layout = layout_of<2>(shape_of(y), {&y, &x});
    if (pack<2>(layout, kPack, {x_apart, place_of<T>(y.data), place_of<T>(x.data)})) {
      run_forward<F, kPack, T>(l, layout, x_apart);
    } else {
      run_forward<F, 1, T>(l, layout, x_apart);
    }
  });
}

template <class F, int N, class T>
void run_backward(const sdk::Launch& l, const Layout<3>& layout, int64_t dx_apart,
                  int64_t x_apart) {
  for_parts<3>(layout, {}, [&](const Layout<3>& part, const std::array<int64_t, 3>& at) {
    enqueue(l, &backward<F, N, T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(),
            static_cast<T*>(l.out().data) + at[0], static_cast<const T*>(l.view(0).data) + at[1],
            static_cast<const T*>(l.view(1).data) + at[2], dx_apart, x_apart);
  });
}

template <class F>
void backward_launch(const sdk::Launch& l) {
  const tenon_view &dy = l.view(0), &x = l.view(1), &dx = l.out();
  const int64_t axis = l.attrs.integer(kAxis);
  const int64_t x_apart = apart(x, axis), dx_apart = apart(dx, axis);
  sdk::dispatch_dtype<sdk::FloatTypes>(dx.dtype, [&]<class T>() {
    constexpr int kPack = 16 / sizeof(T);
    Layout<3> layout = layout_of<3>(shape_of(dy), {&dx, &dy, &x});
    if (pack<3>(
            layout, kPack,
            {x_apart, dx_apart, place_of<T>(dx.data), place_of<T>(dy.data), place_of<T>(x.data)})) {
      run_backward<F, kPack, T>(l, layout, dx_apart, x_apart);
    } else {
      run_backward<F, 1, T>(l, layout, dx_apart, x_apart);
    }
  });
}

// The op's shape rule has seen to it that there are only two ways.
void geglu(const sdk::Launch& l) {
  if (l.attrs.text(kApproximate) == "tanh") return forward_launch<GeluGate<true>>(l);
  forward_launch<GeluGate<false>>(l);
}
void geglu_grad(const sdk::Launch& l) {
  if (l.attrs.text(kApproximate) == "tanh") return backward_launch<GeluGate<true>>(l);
  backward_launch<GeluGate<false>>(l);
}

constexpr tenon_slot_rule forward_slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule backward_slots[] = {any_in(), any_in(), any_out()};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc gated(std::string_view op, std::span<const tenon_slot_rule> slots,
                                  uint32_t n_attrs) {
  return kernel(op, slots, sdk::kFloats, sdk::launch_fn<Run>, {.n_attrs = n_attrs});
}

constexpr tenon_kernel_desc kernels[] = {
    gated<forward_launch<SigmoidGate>>("tenon.glu", forward_slots, 1),
    gated<backward_launch<SigmoidGate>>("tenon.glu_grad", backward_slots, 1),
    gated<forward_launch<SiluGate>>("tenon.swiglu", forward_slots, 1),
    gated<backward_launch<SiluGate>>("tenon.swiglu_grad", backward_slots, 1),
    gated<geglu>("tenon.geglu", forward_slots, 2),
    gated<geglu_grad>("tenon.geglu_grad", backward_slots, 2),
};

}  // namespace
}  // namespace tenon::cuda::gated_unit

TENON_UNIT(gated) = {.kernels = tenon::cuda::gated_unit::kernels};
