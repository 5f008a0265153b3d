// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/norm_grad.cc: the gradients of layer_norm and rms_norm. Formulas and
// arithmetic: norm-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm_grad.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;
using namespace rows::norm;

// g - first, g = dy w, where x is dy: of equal numbers the mean is exact then.
template <class C>
struct Slope {
  const C* x;
  const C* weight;
  C first;
  Slope map_from(int64_t i) const { return {x, weight + i, first}; }

  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i) const {
    return hn::Sub(hn::Mul(dy, hn::LoadU(d, weight + i)), hn::Set(d, first));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i, int64_t n) const {
    const V apart = hn::Sub(hn::Mul(dy, load_first(d, weight + i, n)), hn::Set(d, first));
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), apart);
  }
};

// (g - mean) h, where x is dy
template <class C, Off kOff>
struct Along {
  const C* x;
  const C* weight;
  const C* row;
  C mean;  // of g
  Normalised<C, kOff> h;
  Along map_from(int64_t i) const { return {x, weight + i, row + i, mean, h}; }

  template <class D, class V>
  HWY_INLINE V product(D d, V dy, V w, V v) const {
    V g = hn::Mul(dy, w);
    if constexpr (kOff != Off::Nothing) g = hn::Sub(g, hn::Set(d, mean));
    return hn::Mul(g, h(d, v));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i) const {
    return product(d, dy, hn::LoadU(d, weight + i), hn::LoadU(d, row + i));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i, int64_t n) const {
    const V whole = product(d, dy, load_first(d, weight + i, n), load_first(d, row + i, n));
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), whole);
  }
};

template <class C, Off kOff>
struct RowGradient {
  Normalised<C, kOff> h;
  C mean;   // of g
  C along;  // mean of (g - mean) h

  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, V weight, V x) const {
    V g = hn::Mul(dy, weight);
    if constexpr (kOff != Off::Nothing) g = hn::Sub(g, hn::Set(d, mean));
    const V rest = hn::Sub(g, hn::Mul(h(d, x), hn::Set(d, along)));
    return hn::Mul(hn::Set(d, h.known.scale), rest);
  }
};

template <class C, class F>
HWY_INLINE void write_gradient(const C* dy, const C* weight, const C* x, C* dx, int64_t n, F f) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(f(d, hn::LoadU(d, dy + i), hn::LoadU(d, weight + i), hn::LoadU(d, x + i)), d,
               dx + i);
  }
  if (i == n) return;
  const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
  hn::BlendedStore(f(d, hn::MaskedLoad(some, d, dy + i), hn::MaskedLoad(some, d, weight + i),
                     hn::MaskedLoad(some, d, x + i)),
                   some, d, dx + i);
}

template <class T, Off kOff>
RowGradient<Number<T>, kOff> tiled_gradient(Row<T>& dy, Row<T>& weight, Row<T>& x, int64_t columns,
                                            const Statistics<Number<T>>& known) {
  using C = Number<T>;
  const Normalised<C, kOff> h{known};
  const auto count = static_cast<C>(columns);
  C mean{};
  if constexpr (kOff != Off::Nothing) {
    const C first = dy.get(0, 1)[0] * weight.get(0, 1)[0];
    const C sum = sum_mapped<C>(columns, kTile, [&](int64_t i, int64_t n) HWY_ATTR {
      return Slope<C>{dy.get(i, n), weight.get(i, n), first};
    });
    mean = first + sum / count;
  }
  const C along =
      sum_mapped<C>(columns, kTile,
                    [&](int64_t i, int64_t n) HWY_ATTR {
                      return Along<C, kOff>{dy.get(i, n), weight.get(i, n), x.get(i, n), mean, h};
                    }) /
      count;
  return {h, mean, along};
}

// A gradient for each R of packed rows one after the other: each pass sums all that it can, and
// the sums of one row do not wait for another's.
template <class C, bool Centred, size_t... R>
HWY_NOINLINE void packed_gradients(const C* dy, const C* weight, const C* x, C* dx, int64_t columns,
                                   double eps, Statistics<C>* known, std::index_sequence<R...>) {
  constexpr size_t kRows = sizeof...(R);
  const auto count = static_cast<C>(columns);
  const C* const slopes[kRows] = {dy + static_cast<int64_t>(R) * columns...};
  const C* const row[kRows] = {x + static_cast<int64_t>(R) * columns...};
  Moments<C> found[kRows] = {};
  C slope_mean[kRows] = {};
  if constexpr (Centred) {
    const C first[kRows] = {slopes[R][0] * weight[0]...};
    const auto sums =
        sums_of<C>(columns, Itself<C>{row[R]}..., Slope<C>{slopes[R], weight, first[R]}...);
    ((found[R].centre.mean = sums[R] / count, slope_mean[R] = first[R] + sums[kRows + R] / count),
     ...);
  }
  constexpr Off kFirst = Centred ? Off::Mean : Off::Nothing;
  const auto squares = sums_of<C>(columns, Square<C, kFirst>{row[R], found[R].centre}...);
  ((found[R].square = squares[R] / count), ...);
  ((known[R] = known_of_packed<C, Centred>(found[R], row[R], columns, eps)), ...);
  once_or_twice<Centred>(((known[R].centre.rest != C{}) || ...), [&](auto off) HWY_ATTR {
    const Normalised<C, off> h[kRows] = {{known[R]}...};
    const auto along =
        sums_of<C>(columns, Along<C, off>{slopes[R], weight, row[R], slope_mean[R], h[R]}...);
    (write_gradient(slopes[R], weight, row[R], dx + static_cast<int64_t>(R) * columns, columns,
                    RowGradient<C, off>{h[R], slope_mean[R], along[R] / count}),
     ...);
  });
}

// Rows of any dtype, or without weights for all columns at once.
template <class T, bool Centred>
void tiled_rows(const sdk::Launch& l, Row<T>& weight, int64_t begin, int64_t end,
                Statistics<Number<T>>* known) {
  using C = Number<T>;
  const int64_t columns = Extent(l, 1).columns;
  Row<T> dy(nullptr), x(nullptr);
  HWY_ALIGN C room[kTile];
  for (int64_t r = begin; r < end; ++r) {
    dy.move_to(l.data<T>(0) + r * columns);
    x.move_to(l.data<T>(1) + r * columns);
    known[r] = statistics<T, Centred>(x, columns, l.attrs.real(kEps));
    char* out = l.out_data<char>() + r * columns * int64_t{sizeof(T)};
    once_or_twice<Centred>(known[r].centre.rest != C{}, [&](auto off) HWY_ATTR {
      const auto f = tiled_gradient<T, off>(dy, weight, x, columns, known[r]);
      for (int64_t i = 0; i < columns; i += kTile) {
        const int64_t n = std::min(kTile, columns - i);
        char* to = out + i * int64_t{sizeof(T)};
        C* dx = place_numbers<T>(to, sizeof(T), n, room);
        write_gradient(dy.get(i, n), weight.get(i, n), x.get(i, n), dx, n, f);
        put_numbers<T>(dx, n, to, sizeof(T));
      }
    });
  }
}

template <class T, bool Centred>
void backward_rows(const sdk::Launch& l, int64_t begin, int64_t end, Statistics<Number<T>>* known) {
  const int64_t columns = Extent(l, 1).columns;
  Row<T> weight(l, 2, Number<T>{1});
  if constexpr (is_stored_as_number<T>) {
    if (weight.is_given() || columns <= kTile) {
      int64_t r = begin;
      const auto packed = [&](auto rows) HWY_ATTR {
        constexpr auto kRows = static_cast<int64_t>(rows.size());
        for (; r + kRows <= end; r += kRows) {
          packed_gradients<T, Centred>(l.data<T>(0) + r * columns, weight.get(0, columns),
                                       l.data<T>(1) + r * columns, l.out_data<T>() + r * columns,
                                       columns, l.attrs.real(kEps), known + r, rows);
        }
      };
      if constexpr (kManyRegisters) packed(std::make_index_sequence<2>());
      packed(std::make_index_sequence<1>());
      return;
    }
  }
  tiled_rows<T, Centred>(l, weight, begin, end, known);
}

// Adds dy h of a row for each R to `dweight`, dy to `dbias`, one row after another.
template <class C, bool Centred, size_t... R>
HWY_INLINE void add_parameters(const C* const (&dy)[sizeof...(R)],
                               const C* const (&x)[sizeof...(R)], int64_t n,
                               const Statistics<C>* known, C* dweight, C* dbias,
                               std::index_sequence<R...>) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr Off kOff = Centred ? Off::MeanAndRest : Off::Nothing;
  const Normalised<C, kOff> h[] = {{known[R]}...};
  const auto add = [&](int64_t i, const auto& load) HWY_ATTR {
    auto weight = hn::Load(d, dweight + i);
    auto bias = hn::Load(d, dbias + i);
    const auto add_row = [&](const C* slopes, const C* row, const auto& normalised) HWY_ATTR {
      const auto slope = load(slopes + i);
      weight = hn::Add(weight, hn::Mul(slope, normalised(d, load(row + i))));
      if constexpr (Centred) bias = hn::Add(bias, slope);
    };
    (add_row(dy[R], x[R], h[R]), ...);
    hn::Store(weight, d, dweight + i);
    if constexpr (Centred) hn::Store(bias, d, dbias + i);
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    add(i, [&](const C* p) HWY_ATTR { return hn::LoadU(d, p); });
  }
  if (i == n) return;  // the sums are whole vectors
  add(i, [&](const C* p) HWY_ATTR { return load_first(d, p, n - i); });
}

// The operands of the parameters' gradients; a gradient that is not wanted has no address.
template <class T>
struct Parameters {
  const T* dy;
  const T* x;
  const Statistics<Number<T>>* known;
  T* dweight;
  T* dbias;
  int64_t rows;
  int64_t columns;
};

// Columns [begin, begin + n).
template <class T, bool Centred>
void parameter_columns(const Parameters<T>& p, int64_t begin, int64_t n) {
  using C = Number<T>;
  constexpr int64_t kAtOnce = 4;
  HWY_ALIGN C dy_room[kAtOnce][kColumns];
  HWY_ALIGN C x_room[kAtOnce][kColumns];
  ColumnSums<C> dweight, dbias;
  const auto at = [&](const T* operand, int64_t r, C* room) HWY_ATTR {
    const T* from = operand + r * p.columns + begin;
    return get_numbers<T>(reinterpret_cast<const char*>(from), sizeof(T), n, room);
  };
  const auto add = [&]<size_t... R>(int64_t r, C * weight, C * bias, std::index_sequence<R...> rows)
      HWY_ATTR {
    const C* dy[] = {at(p.dy, r + static_cast<int64_t>(R), dy_room[R])...};
    const C* x[] = {at(p.x, r + static_cast<int64_t>(R), x_room[R])...};
    add_parameters<C, Centred>(dy, x, n, p.known + r, weight, bias, rows);
  };
  int64_t r = 0;
  while (r < p.rows) {
    const int64_t block = std::min(kRowBlock, p.rows - r);
    dweight.add(block, [&](C* weight, int64_t) HWY_ATTR {
      dbias.add(block, [&](C* bias, int64_t) HWY_ATTR {
        const int64_t end = r + block;
        for (; r + kAtOnce <= end; r += kAtOnce) {
          add(r, weight, bias, std::make_index_sequence<kAtOnce>());
        }
        for (; r < end; ++r) add(r, weight, bias, std::index_sequence<0>());
      });
    });
  }
  const auto put = [&](C* sums, T* to) HWY_ATTR {
    if (to) put_numbers<T>(sums, n, reinterpret_cast<char*>(to + begin), sizeof(T));
  };
  put(dweight.total(), p.dweight);
  if constexpr (Centred) put(dbias.total(), p.dbias);
}

// A single column is a line, whose order of additions is another.
template <class T, bool Centred>
void parameter_line(const Parameters<T>& p, Number<T>* terms) {
  using C = Number<T>;
  const auto sum = [&](T* to, auto&& term) HWY_ATTR {
    if (!to) return;
    for (int64_t r = 0; r < p.rows; ++r) terms[r] = term(r);
    put_number<T>(reinterpret_cast<char*>(to), sum_packed(terms, p.rows));
  };
  sum(p.dweight, [&](int64_t r) HWY_ATTR {
    const auto x = static_cast<C>(p.x[r]);
    const C centred = Centred ? p.known[r].centre(x) : x;
    return static_cast<C>(p.dy[r]) * (centred * p.known[r].scale);
  });
  if constexpr (Centred) sum(p.dbias, [&](int64_t r) HWY_ATTR { return static_cast<C>(p.dy[r]); });
}

// What is known of every row, then a number for each.
uint64_t workspace(const sdk::Args& args) {
  return static_cast<uint64_t>(Extent(args, 1).rows) * 4 * sizeof(double);
}

template <class T, bool Centred>
void backward_typed(const sdk::Launch& l) {
  using C = Number<T>;
  const Extent extent(l, 1);
  auto* known = reinterpret_cast<Statistics<C>*>(l.scratch().data());
  l.parallel_for(extent.rows, grain_of(extent.columns), [&](int64_t begin, int64_t end) HWY_ATTR {
    backward_rows<T, Centred>(l, begin, end, known);
  });
  const bool has_bias = Centred && l.wants_out(2);
  const Parameters<T> p{l.data<T>(0),
                        l.data<T>(1),
                        known,
                        l.wants_out(1) ? l.out_data<T>(1) : nullptr,
                        has_bias ? l.out_data<T>(2) : nullptr,
                        extent.rows,
                        extent.columns};
  if (!p.dweight && !p.dbias) return;
  if (extent.columns == 1) {
    return parameter_line<T, Centred>(p, reinterpret_cast<C*>(known + extent.rows));
  }
  const int64_t grain = std::min(kColumns, std::max<int64_t>(kColumns / 2, grain_of(extent.rows)));
  l.parallel_for(extent.columns, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (; begin < end; begin += kColumns) {
      parameter_columns<T, Centred>(p, begin, std::min(kColumns, end - begin));
    }
  });
}

template <bool Centred>
void backward(const sdk::Launch& l) {
  if (Extent(l, 1).columns == 0) return;
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() HWY_ATTR { backward_typed<T, Centred>(l); });
}

constexpr tenon_slot_rule in = sdk::contiguous_in();
constexpr tenon_slot_rule out = sdk::contiguous_out();
constexpr tenon_slot_rule layer_slots[] = {in, in, in, out, out, out};
constexpr tenon_slot_rule rms_slots[] = {in, in, in, out, out};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.layer_norm_grad", layer_slots, sdk::launch_fn<backward<true>>,
           sdk::workspace_fn<workspace>),
    kernel("tenon.rms_norm_grad", rms_slots, sdk::launch_fn<backward<false>>,
           sdk::workspace_fn<workspace>),
};

}  // namespace

std::span<const tenon_kernel_desc> norm_grad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(norm_grad) = {.chosen_kernels = TENON_CPU_CHOOSE(norm_grad_kernels)};
#endif
