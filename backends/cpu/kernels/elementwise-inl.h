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
// The dispatcher has merged dimensions already, so what matters is one dimension of packed
// operands: that is tested first and nothing else is done for it. element_walk.h brings the rest
// here. Every lane is computed alike wherever it stands: layout, tails and cuts do not change bits.
//
// F::kStreams: does F do so little that storing past the caches pays? An output may be exactly one
// of the inputs.

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

template <class F, class To, class... From>
class Elementwise {
  static constexpr uint32_t kInputs = sizeof...(From);
  using D = hn::ScalableTag<typename Widest<To, From...>::Type>;
  using Inputs = std::index_sequence_for<From...>;

 public:
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args, F f) {
    return launch_inputs(call, args, f, Inputs());
  }

 private:
  // A function of its own: what another dtype needs on the stack would cost this one, too.
  template <size_t... I>
  static HWY_NOINLINE tenon_status launch_inputs(tenon_call* call, const tenon_launch* args, F f,
                                                 std::index_sequence<I...>) {
    const sdk::Args operands(args);
    const tenon_view& out = operands.out();
    if (HWY_LIKELY(is_packed(out) && (is_packed(operands.view(I)) && ...) &&
                   out.shape[0] <= sdk::kElementwiseGrain)) {
      loop<0, false>(f, static_cast<char*>(out.data), out.shape[0],
                     Source<From, D, false>{static_cast<const char*>(operands.view(I).data)}...);
      return TENON_OK;
    }
    return run_elementwise(call, args, kLoops, &f);
  }
  static HWY_INLINE bool is_packed(const tenon_view& view) {
    return view.rank == 1 && view.strides[0] == 1;
  }

  // Bit k of kSame: input k is one element for all.
  template <unsigned kSame>
  static void packed(const void* f, char* const* at, int64_t count, bool past_caches) {
    packed_inputs<kSame>(*static_cast<const F*>(f), at, count, past_caches, Inputs());
  }
  template <unsigned kSame, size_t... I>
  static HWY_INLINE void packed_inputs(const F& f, char* const* at, int64_t count,
                                       [[maybe_unused]] bool past_caches,
                                       std::index_sequence<I...>) {
    if constexpr (F::kStreams && kSame == 0) {
      if (past_caches) {
        return loop<0, true>(f, at[0], count, Source<From, D, false>{at[1 + I]}...);
      }
    }
    loop<kSame, false>(f, at[0], count, Source<From, D, (kSame >> I & 1) != 0>{at[1 + I]}...);
  }

  template <unsigned kSame, bool kStream, class... Sources>
  static HWY_INLINE void loop(const F& f, char* out, int64_t count, const Sources&... in) {
    constexpr D d;
    constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(d));
    int64_t i = kStream ? stream_aligned(f, out, count, in...) : 0;
    for (; i + lanes <= count; i += lanes) {
      store<To>(d, f(d, in.at(d, i)...), out + i * int64_t{sizeof(To)});
    }
    if (i == count) return;
    const auto rest = static_cast<size_t>(count - i);
    store_first<To>(d, f(d, in.first(d, i, rest)...), out + i * int64_t{sizeof(To)}, rest);
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

  static constexpr ElementLoops kLoops = {
      packed<0>,
      {kInputs == 2 ? packed<1 & ((1 << kInputs) - 1)> : nullptr,
       kInputs == 2 ? packed<2 & ((1 << kInputs) - 1)> : nullptr},
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
