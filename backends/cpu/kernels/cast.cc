// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/cast.cc: cast between the dtypes that vectors convert with one rounding.
// tenon.ref has the other pairs.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cast.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// From numbers to numbers or, for Bool, to masks; storage is read and rounded around it.
template <class To, class From>
struct Cast {
  static constexpr bool kStreams = true;
  using N = Number<From>;
  using M = Number<To>;

  template <class D, class V>
  HWY_INLINE auto operator()(D d, V x) const {
    const hn::Rebind<M, D> to;
    if constexpr (std::is_same_v<To, sdk::Bool>) {
      const auto zero = hn::Eq(x, hn::Zero(hn::DFromV<V>()));
      return hn::Not(zero);
    } else if constexpr (std::is_same_v<M, N>) {
      return x;
    } else if constexpr (std::is_same_v<M, double>) {
      return hn::PromoteTo(to, whole(d, x));
    } else if constexpr (std::is_same_v<M, float>) {
      if constexpr (std::is_same_v<N, double>) {
        return hn::DemoteTo(to, x);
      } else {
        return hn::ConvertTo(to, whole(d, x));
      }
    } else if constexpr (std::is_same_v<N, float>) {
      return truncated(to, x);
    } else if constexpr (sizeof(M) > sizeof(N)) {
      return hn::PromoteTo(to, x);
    } else {
      const hn::RebindToUnsigned<decltype(to)> low;
      const hn::RebindToUnsigned<hn::DFromV<V>> all;
      return hn::BitCast(to, hn::TruncateTo(low, hn::BitCast(all, x)));
    }
  }

 private:
  // f32 and i32 as they are, narrower integers as i32.
  template <class D, class V>
  static HWY_INLINE auto whole(D, V x) {
    if constexpr (sizeof(N) == 4) {
      return x;
    } else {
      return hn::PromoteTo(hn::Rebind<int32_t, D>(), x);
    }
  }
  // Toward zero; past the range its end, NaN gives 0.
  template <class DI, class V>
  static HWY_INLINE auto truncated(DI di, V x) {
    const hn::DFromV<V> d;
    const auto past = hn::RebindMask(di, hn::Ge(x, hn::Set(d, 0x1p31f)));
    const auto number = hn::RebindMask(di, hn::Eq(x, x));
    const auto most = hn::Set(di, std::numeric_limits<int32_t>::max());
    return hn::IfThenElseZero(number, hn::IfThenElse(past, most, hn::ConvertTo(di, x)));
  }
};

template <class From, class To>
struct Pair {};
template <class... P>
struct Pairs {};
using Listed =
    Pairs<Pair<float, sdk::BF16>, Pair<sdk::BF16, float>, Pair<float, sdk::F16>,
          Pair<sdk::F16, float>, Pair<float, double>, Pair<double, float>,
          Pair<sdk::BF16, sdk::F16>, Pair<sdk::F16, sdk::BF16>, Pair<sdk::F16, double>,
          Pair<sdk::BF16, double>, Pair<sdk::Bool, float>, Pair<uint8_t, float>,
          Pair<int8_t, float>, Pair<int16_t, float>, Pair<int32_t, float>, Pair<sdk::Bool, double>,
          Pair<uint8_t, double>, Pair<int32_t, double>, Pair<sdk::Bool, sdk::BF16>,
          Pair<sdk::Bool, sdk::F16>, Pair<float, int32_t>, Pair<int32_t, int64_t>,
          Pair<int64_t, int32_t>, Pair<float, sdk::Bool>, Pair<double, sdk::Bool>,
          Pair<int32_t, sdk::Bool>, Pair<int64_t, sdk::Bool>, Pair<uint8_t, sdk::Bool>>;

template <class... From, class... To>
constexpr std::array<tenon_dtype, 2 * sizeof...(From)> rows_of(Pairs<Pair<From, To>...>) {
  std::array<tenon_dtype, 2 * sizeof...(From)> rows{};
  size_t at = 0;
  ((rows[at++] = sdk::dtype_of<From>(), rows[at++] = sdk::dtype_of<To>()), ...);
  return rows;
}
constexpr auto rows = rows_of(Listed());

template <class... From, class... To>
tenon_status launch_pair(Pairs<Pair<From, To>...>, tenon_call* call, const tenon_launch* args) {
  const sdk::Args operands(args);
  const tenon_dtype from = operands.view(0).dtype;
  const tenon_dtype to = operands.out().dtype;
  tenon_status status = TENON_E_DTYPE;
  const bool found =
      ((from == sdk::dtype_of<From>() && to == sdk::dtype_of<To>()
            ? (status = Elementwise<Cast<To, From>, To, From>::launch(call, args, {}), true)
            : false) ||
       ...);
  if (found) return status;
  return call->base->fail(call, TENON_E_DTYPE, "a kernel was given dtypes that it does not list",
                          TENON_NUL);
}

tenon_status cast(tenon_call* call, const tenon_launch* args) {
  return launch_pair(Listed(), call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.cast", kUnarySlots, rows, cast, 1, 2),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> cast_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(cast) = {.chosen_kernels = TENON_CPU_CHOOSE(cast_kernels)};
#endif
