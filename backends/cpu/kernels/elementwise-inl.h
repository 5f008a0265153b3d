// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/elementwise-inl.h: out[i] = f(in0[i], in1[i], ...) over operands of any
// layout.
//
//   struct Add {
//     template <class D, class V>
//     HWY_INLINE V operator()(D, V a, V b) const { return hn::Add(a, b); }
//   };
//   ... = Elementwise<Add, float, float, float>::launch(call, args, Add());
//
// Here are loops over packed operands; element_walk.h brings all others to them. Every lane is
// computed alike wherever it stands: layout, tails and cuts do not change bits.
//
// F::kStreams: does F do so little that storing past the caches pays? Otherwise it is long, and
// stands in as few places as may be. An output may be exactly one of the inputs.

#if defined(TENON_CPU_ELEMENTWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_ELEMENTWISE_INL_H
#undef TENON_CPU_ELEMENTWISE_INL_H
#else
#define TENON_CPU_ELEMENTWISE_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/element_walk.h"
#include "kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The type of the widest lanes among these.
template <class First, class... Rest>
struct Widest {
  using Other = typename Widest<Rest...>::Type;
  using Type = std::conditional_t<(sizeof(Number<First>) >= sizeof(Other)), Number<First>, Other>;
};
template <class Last>
struct Widest<Last> {
  using Type = Number<Last>;
};

// Where an operand's vectors come from: one after the other, or one for all.
template <class T, class D, bool kSame>
struct Source {
  const char* from;
  HWY_INLINE auto at(D d, int64_t i) const { return load<T>(d, from + i * int64_t{sizeof(T)}); }
  HWY_INLINE auto first(D d, int64_t i, size_t count) const {
    return load_first<T>(d, from + i * int64_t{sizeof(T)}, count);
  }
};
template <class T, class D>
struct Source<T, D, true> {
  HWY_INLINE Source(const char* from) : value(load_same<T>(D(), from)) {}
  decltype(load_same<T>(D(), nullptr)) value;
  HWY_INLINE auto at(D, int64_t) const { return value; }
  HWY_INLINE auto first(D, int64_t, size_t) const { return value; }
};

// Of a long F, what is left of a line: one copy for all dtypes that are computed alike.
template <class F, class D, class... V>
HWY_NOINLINE auto call_last(const F& f, D d, V... in) {
  return f(d, in...);
}

// 16-bit floats to f32 and back, in whole vectors of `wide`.
template <class T>
HWY_NOINLINE void widen_elements(const char* from, int64_t count, float* wide) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Store(load<T>(d, from + i * int64_t{sizeof(T)}), d, wide + i);
  }
  if (i == count) return;
  const auto rest = static_cast<size_t>(count - i);
  hn::Store(load_first<T>(d, from + i * int64_t{sizeof(T)}, rest), d, wide + i);
}
template <class T>
HWY_NOINLINE void narrow_elements(const float* wide, int64_t count, char* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    store<T>(d, hn::Load(d, wide + i), to + i * int64_t{sizeof(T)});
  }
  if (i == count) return;
  store_first<T>(d, hn::Load(d, wide + i), to + i * int64_t{sizeof(T)},
                 static_cast<size_t>(count - i));
}

template <class F, class To, class... From>
class Elementwise {
  static constexpr uint32_t kInputs = sizeof...(From);
  using D = hn::ScalableTag<typename Widest<To, From...>::Type>;
  using Inputs = std::index_sequence_for<From...>;

  // A long F of 16-bit floats: tiles of them become f32, for which it is compiled anyway.
  static constexpr bool kWidens =
      !F::kStreams && is_16_bit_float<To> && (is_16_bit_float<From> && ...);
  template <class>
  using Wide = float;
  template <class, class, class...>
  friend class Elementwise;

 public:
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args, F f) {
    return run_elementwise(call, args, kLoops, &f);
  }

 private:
  // Bit k of kSame: input k is one element for all.
  template <unsigned kSame>
  static HWY_NOINLINE void packed(const void* f, char* const* at, int64_t count, bool past_caches) {
    if constexpr (kWidens) {
      widened<kSame>(f, at, count, Inputs());
    } else {
      packed_inputs<kSame>(*static_cast<const F*>(f), at, count, past_caches, Inputs());
    }
  }
  template <unsigned kSame, size_t... I>
  static HWY_INLINE void packed_inputs(const F& f, char* const* at, int64_t count,
                                       [[maybe_unused]] bool past_caches,
                                       std::index_sequence<I...>) {
    int64_t i = 0;
    if constexpr (F::kStreams && kSame == 0) {
      if (past_caches) i = stream_aligned(f, at[0], count, Source<From, D, false>{at[1 + I]}...);
    }
    loop(f, at[0], i, count, Source<From, D, (kSame >> I & 1) != 0>{at[1 + I]}...);
  }

  template <unsigned kSame, size_t... I>
  static HWY_INLINE void widened(const void* f, char* const* at, int64_t count,
                                 std::index_sequence<I...>) {
    constexpr int64_t kTile = 1024;
    HWY_ALIGN float rooms[1 + kInputs][kTile];
    char* const tile[] = {reinterpret_cast<char*>(rooms[0]),
                          reinterpret_cast<char*>(rooms[1 + I])...};
    for (int64_t i = 0; i < count; i += kTile) {
      const int64_t n = std::min(kTile, count - i);
      ((kSame >> I & 1
            ? widen_elements<From>(at[1 + I], 1, rooms[1 + I])
            : widen_elements<From>(at[1 + I] + i * int64_t{sizeof(From)}, n, rooms[1 + I])),
       ...);
      Elementwise<F, float, Wide<From>...>::template packed<kSame>(f, tile, n, false);
      narrow_elements<To>(rooms[0], n, at[0] + i * int64_t{sizeof(To)});
    }
  }

  // Elements [i, count).
  template <class... Sources>
  static HWY_INLINE void loop(const F& f, char* out, int64_t i, int64_t count,
                              const Sources&... in) {
    constexpr D d;
    constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(d));
    for (; i + lanes <= count; i += lanes) {
      store<To>(d, f(d, in.at(d, i)...), out + i * int64_t{sizeof(To)});
    }
    if (i == count) return;
    const auto rest = static_cast<size_t>(count - i);
    char* const last = out + i * int64_t{sizeof(To)};
    if constexpr (F::kStreams) {
      store_first<To>(d, f(d, in.first(d, i, rest)...), last, rest);
    } else {
      store_first<To>(d, call_last(f, d, in.first(d, i, rest)...), last, rest);
    }
  }

  // Where a whole number of elements leads to an aligned vector: up to there, and from there on all
  // whole vectors past the caches. Returns how many elements that were.
  template <class... Sources>
  static HWY_INLINE int64_t stream_aligned(const F& f, char* out, int64_t count,
                                           const Sources&... in) {
    constexpr D d;
    constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(d));
    constexpr uintptr_t vector = hn::MaxLanes(d) * sizeof(To);
    const uintptr_t before = (0 - reinterpret_cast<uintptr_t>(out)) % vector;
    if (before % sizeof(To) != 0) return 0;
    auto i = std::min(count, static_cast<int64_t>(before / sizeof(To)));
    if (i != 0) store_first<To>(d, f(d, in.first(d, 0, size_t(i))...), out, size_t(i));
    for (; i + lanes <= count; i += lanes) {
      stream<To>(d, f(d, in.at(d, i)...), out + i * int64_t{sizeof(To)});
    }
    hwy::FlushStream();
    return i;
  }

  // One number beside many is common in floats; of others it is spread over tiles.
  static constexpr bool kHasSame = kInputs == 2 && (sdk::is_float_type<From> && ...);
  static constexpr ElementLoops kLoops = {packed<0>,
                                          {kHasSame ? packed < kHasSame ? 1 : 0 > : nullptr,
                                           kHasSame ? packed<kHasSame ? 2 : 0> : nullptr},
                                          1 + kInputs,
                                          {sizeof(To), sizeof(From)...}};
};

// ---- Kernels of many dtypes ---------------------------------------------------------------------

constexpr tenon_kernel_desc elementwise(std::string_view op, std::span<const tenon_slot_rule> slots,
                                        std::span<const tenon_dtype> rows, LaunchFn launch,
                                        uint32_t n_attrs = 0, uint32_t n_variables = 1) {
  return kernel(op, slots, rows, n_attrs, launch, {.n_variables = n_variables});
}

// Calls K<T>::launch for the type among T... whose dtype is `dtype`; the first is found first.
template <template <class> class K, class... T>
HWY_INLINE tenon_status launch_as(sdk::TypeList<T...>, tenon_dtype dtype, tenon_call* call,
                                  const tenon_launch* args) {
  tenon_status status = TENON_E_DTYPE;
  const bool found =
      ((dtype == sdk::dtype_of<T>() ? (status = K<T>::launch(call, args), true) : false) || ...);
  if (HWY_LIKELY(found)) return status;
  return call->base->fail(call, TENON_E_DTYPE, "a kernel was given a dtype that it does not list",
                          TENON_NUL);
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_ELEMENTWISE_INL_H
