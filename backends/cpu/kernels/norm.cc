// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/norm.cc: layer_norm, rms_norm. Formulas and arithmetic: norm-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;
using namespace rows::norm;

// y = h w + b for a row of each in x; what the rows share is read once.
template <class C, Off kOff, size_t... R>
HWY_INLINE void write_rows(const C* const (&x)[sizeof...(R)], const C* weight, const C* bias,
                           C* const (&y)[sizeof...(R)], int64_t n,
                           const Normalised<C, kOff> (&h)[sizeof...(R)],
                           std::index_sequence<R...>) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto shifted = [&](const auto& normalised, auto v, auto w, auto b) HWY_ATTR {
    const auto scaled = hn::Mul(normalised(d, v), w);
    return kOff != Off::Nothing ? hn::Add(scaled, b) : scaled;
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto w = hn::LoadU(d, weight + i);
    const auto b = hn::LoadU(d, bias + i);
    (hn::StoreU(shifted(h[R], hn::LoadU(d, x[R] + i), w, b), d, y[R] + i), ...);
  }
  if (i == n) return;
  const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
  const auto w = hn::MaskedLoad(some, d, weight + i);
  const auto b = hn::MaskedLoad(some, d, bias + i);
  (hn::BlendedStore(shifted(h[R], hn::MaskedLoad(some, d, x[R] + i), w, b), some, d, y[R] + i),
   ...);
}

// The weights and the bias of a row, which all rows share.
template <class T, bool Centred>
struct Shared {
  explicit Shared(const sdk::Launch& l)
      : weight(l, 1, Number<T>{1}),
        // Leaves a zero's sign as it is.
        bias(l, Centred ? 2 : l.launch().n_inputs, -Number<T>{}) {}

  Row<T> weight, bias;
};

// As many rows as there are R, packed: their sums do not wait for one another.
template <class C, bool Centred, size_t... R>
HWY_NOINLINE void forward_packed(const C* in, C* out, int64_t columns, double eps,
                                 Shared<C, Centred>& shared, std::index_sequence<R...> rows) {
  constexpr size_t kRows = sizeof...(R);
  const C* x[kRows] = {in + static_cast<int64_t>(R) * columns...};
  C* y[kRows] = {out + static_cast<int64_t>(R) * columns...};
  const auto count = static_cast<C>(columns);
  Moments<C> found[kRows] = {};
  if constexpr (Centred) {
    const auto sums = sums_of<C>(columns, Itself<C>{x[R]}...);
    ((found[R].centre.mean = sums[R] / count), ...);
  }
  constexpr Off kFirst = Centred ? Off::Mean : Off::Nothing;
  const auto squares = sums_of<C>(columns, Square<C, kFirst>{x[R], found[R].centre}...);
  ((found[R].square = squares[R] / count), ...);
  const Statistics<C> known[kRows] = {known_of_packed<C, Centred>(found[R], x[R], columns, eps)...};
  once_or_twice<Centred>(((known[R].centre.rest != C{}) || ...), [&](auto off) HWY_ATTR {
    const Normalised<C, off> h[kRows] = {{known[R]}...};
    for (int64_t i = 0; i < columns; i += kTile) {
      const int64_t n = std::min(kTile, columns - i);
      const C* from[kRows] = {x[R] + i...};
      C* to[kRows] = {y[R] + i...};
      write_rows<C, off>(from, shared.weight.get(i, n), shared.bias.get(i, n), to, n, h, rows);
    }
  });
}

template <class T, bool Centred>
void forward_row(const char* in, char* out, int64_t columns, double eps,
                 Shared<T, Centred>& shared) {
  using C = Number<T>;
  HWY_ALIGN C room[kTile];
  Row<T> x(in);
  const Statistics<C> known = statistics<T, Centred>(x, columns, eps);
  once_or_twice<Centred>(known.centre.rest != C{}, [&](auto off) HWY_ATTR {
    const Normalised<C, off> h[] = {{known}};
    for (int64_t i = 0; i < columns; i += kTile) {
      const int64_t n = std::min(kTile, columns - i);
      char* to = out + i * int64_t{sizeof(T)};
      const C* from[] = {x.get(i, n)};
      C* const y[] = {place_numbers<T>(to, sizeof(T), n, room)};
      write_rows<C, off>(from, shared.weight.get(i, n), shared.bias.get(i, n), y, n, h,
                         std::index_sequence<0>());
      put_numbers<T>(y[0], n, to, sizeof(T));
    }
  });
}

template <class T, bool Centred>
void forward_rows(const sdk::Launch& l, int64_t begin, int64_t end) {
  const int64_t columns = Extent(l, 0).columns;
  const int64_t bytes = columns * int64_t{sizeof(T)};
  const double eps = l.attrs.real(kEps);
  Shared<T, Centred> shared(l);
  const char* in = l.data<char>(0);
  char* out = l.out_data<char>();
  int64_t r = begin;
  if constexpr (is_stored_as_number<T>) {
    const auto packed = [&](auto rows) HWY_ATTR {
      constexpr auto kRows = static_cast<int64_t>(rows.size());
      for (; r + kRows <= end; r += kRows) {
        forward_packed<T, Centred>(reinterpret_cast<const T*>(in + r * bytes),
                                   reinterpret_cast<T*>(out + r * bytes), columns, eps, shared,
                                   rows);
      }
    };
    if constexpr (kManyRegisters) packed(std::make_index_sequence<2>());
    packed(std::make_index_sequence<1>());
  }
  for (; r < end; ++r) {
    forward_row<T, Centred>(in + r * bytes, out + r * bytes, columns, eps, shared);
  }
}

template <bool Centred>
void forward(const sdk::Launch& l) {
  const Extent extent(l, 0);
  if (extent.columns == 0) return;
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    l.parallel_for(extent.rows, grain_of(extent.columns), [&](int64_t begin, int64_t end) HWY_ATTR {
      forward_rows<T, Centred>(l, begin, end);
    });
  });
}

constexpr tenon_slot_rule in = sdk::contiguous_in();
constexpr tenon_slot_rule out = sdk::contiguous_out();
constexpr tenon_slot_rule layer_slots[] = {in, in, in, out};
constexpr tenon_slot_rule rms_slots[] = {in, in, out};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.layer_norm", layer_slots, sdk::launch_fn<forward<true>>),
    kernel("tenon.rms_norm", rms_slots, sdk::launch_fn<forward<false>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> norm_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(norm) = {.chosen_kernels = TENON_CPU_CHOOSE(norm_kernels)};
#endif
