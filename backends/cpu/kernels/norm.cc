// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/norm.cc: layer_norm, rms_norm and their gradients.
//
//   h  = (x - m) s      m = mean x (0 for rms_norm),  s = 1 / sqrt(mean (x - m)^2 + eps)
//   y  = h w + b
//   dx = s ((g - mean g) - h mean(g h)),  g = dy w      (without mean g for rms_norm)
//   dw = sum dy h,  db = sum dy                         over all rows
// x is R rows of N elements, and the means are over a row. Each operation is rounded by itself, and
// every sum is in the order of tenon.sum: over a row by lanes, over rows in blocks.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm.cc"
#include <cmath>

#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/lanes-inl.h"
#include "kernels/reduction.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

enum Attribute : uint32_t { kDims, kEps, kAttributes };

template <class C>
struct Statistics {
  C mean;
  C scale;
};

// Row-major operands: R rows of N elements.
struct Extent {
  int64_t rows;
  int64_t columns;

  Extent(const sdk::Args& args, uint32_t x) {
    const auto shape = args.shape(x);
    const auto dims = static_cast<size_t>(args.attrs.integer(kDims));
    rows = sdk::count_of(shape.first(shape.size() - dims));
    columns = sdk::count_of(shape.last(dims));
  }
};

// The numbers of a row, or one number that stands for all of them.
template <class T>
class Row {
 public:
  using C = Number<T>;

  explicit Row(const void* data) : data_(static_cast<const char*>(data)) {}
  // Of the operand in `slot`, or `number` where it is absent.
  Row(const sdk::Launch& l, uint32_t slot, C number)
      : data_(slot < l.launch().n_inputs && l.given(slot) ? l.data<char>(slot) : nullptr) {
    if (!data_) std::fill(room_, room_ + kTile, number);
  }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  void move_to(const void* data) { data_ = static_cast<const char*>(data); }
  // Elements [i, i + n), at most kTile of them.
  const C* get(int64_t i, int64_t n) {
    if (!data_) return room_;
    return get_numbers<T>(data_ + i * int64_t{sizeof(T)}, sizeof(T), n, room_);
  }

 private:
  const char* data_;
  HWY_ALIGN C room_[kTile];
};

// ---- Sums over a row: what is added, as sum_mapped asks for it ----------------------------------

template <class C>
struct Itself {
  const C* x;
  Itself map_from(int64_t) const { return *this; }

  template <class D, class V>
  HWY_INLINE V operator()(D, V v, size_t, int64_t = 0) const {
    return v;
  }
};

// (x - mean)^2
template <class C>
struct Square {
  const C* x;
  C mean;
  Square map_from(int64_t) const { return *this; }

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t) const {
    const V difference = hn::Sub(v, hn::Set(d, mean));
    return hn::Mul(difference, difference);
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t i, int64_t n) const {
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), (*this)(d, v, i));
  }
};

// g = dy w, where x is dy
template <class C>
struct Slope {
  const C* x;
  const C* weight;
  Slope map_from(int64_t i) const { return {x, weight + i}; }

  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i) const {
    return hn::Mul(dy, hn::LoadU(d, weight + i));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i, int64_t n) const {
    const V product = hn::Mul(dy, load_first(d, weight + i, n));
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), product);
  }
};

template <class C, bool Centred>
struct Normalised {
  Statistics<C> known;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    if constexpr (Centred) v = hn::Sub(v, hn::Set(d, known.mean));
    return hn::Mul(v, hn::Set(d, known.scale));
  }
};

// (g - mean) h, where x is dy
template <class C, bool Centred>
struct Along {
  const C* x;
  const C* weight;
  const C* row;
  C mean;  // of g
  Normalised<C, Centred> h;
  Along map_from(int64_t i) const { return {x, weight + i, row + i, mean, h}; }

  template <class D, class V>
  HWY_INLINE V product(D d, V dy, V w, V v) const {
    V g = hn::Mul(dy, w);
    if constexpr (Centred) g = hn::Sub(g, hn::Set(d, mean));
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

template <class T, bool Centred>
HWY_NOINLINE Statistics<Number<T>> statistics(Row<T>& x, int64_t columns, double eps) {
  using C = Number<T>;
  const auto count = static_cast<C>(columns);
  C mean{};
  if constexpr (Centred) {
    mean = sum_mapped<C>(columns, kTile,
                         [&](int64_t i, int64_t n) HWY_ATTR { return Itself<C>{x.get(i, n)}; }) /
           count;
  }
  const C squares = sum_mapped<C>(columns, kTile, [&](int64_t i, int64_t n) HWY_ATTR {
    return Square<C>{x.get(i, n), mean};
  });
  return {mean, C{1} / std::sqrt(squares / count + static_cast<C>(eps))};
}

// ---- Forward ------------------------------------------------------------------------------------

template <class C, bool Centred>
HWY_INLINE void write_row(const C* x, const C* weight, const C* bias, C* y, int64_t n,
                          Normalised<C, Centred> h) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto shifted = [&](auto v, auto w, auto b) HWY_ATTR {
    const auto scaled = hn::Mul(h(d, v), w);
    return Centred ? hn::Add(scaled, b) : scaled;
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(shifted(hn::LoadU(d, x + i), hn::LoadU(d, weight + i), hn::LoadU(d, bias + i)), d,
               y + i);
  }
  if (i == n) return;
  const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
  hn::BlendedStore(shifted(hn::MaskedLoad(some, d, x + i), hn::MaskedLoad(some, d, weight + i),
                           hn::MaskedLoad(some, d, bias + i)),
                   some, d, y + i);
}

// Asks for a row that is used next. Not for what the first caches hold, nor for more than these do.
void fetch_row(const char* row, int64_t bytes, int64_t rows) {
  constexpr int64_t kLeast = int64_t{1} << 20;
  constexpr int64_t kMost = int64_t{1} << 14;
  if (bytes > kMost || bytes * rows < kLeast) return;
  for (int64_t i = 0; i < bytes; i += 64) hwy::Prefetch(row + i);
}

template <class T, bool Centred>
void forward_rows(const sdk::Launch& l, int64_t begin, int64_t end) {
  using C = Number<T>;
  const Extent extent(l, 0);
  const int64_t columns = extent.columns;
  const int64_t bytes = columns * int64_t{sizeof(T)};
  Row<T> x(nullptr), weight(l, 1, C{1});
  Row<T> bias(l, Centred ? 2 : l.launch().n_inputs, -C{});  // leaves a zero's sign as it is
  HWY_ALIGN C room[kTile];
  for (int64_t r = begin; r < end; ++r) {
    const char* in = l.data<char>(0) + r * bytes;
    char* out = l.out_data<char>() + r * bytes;
    x.move_to(in);
    if (r + 1 < end) {
      fetch_row(in + bytes, bytes, extent.rows);
      fetch_row(out + bytes, bytes, extent.rows);
    }
    const Normalised<C, Centred> h{statistics<T, Centred>(x, columns, l.attrs.real(kEps))};
    for (int64_t i = 0; i < columns; i += kTile) {
      const int64_t n = std::min(kTile, columns - i);
      char* to = out + i * int64_t{sizeof(T)};
      C* y = place_numbers<T>(to, sizeof(T), n, room);
      write_row(x.get(i, n), weight.get(i, n), bias.get(i, n), y, n, h);
      put_numbers<T>(y, n, to, sizeof(T));
    }
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

// ---- Backward -----------------------------------------------------------------------------------

template <class C, bool Centred>
struct RowGradient {
  Normalised<C, Centred> h;
  C mean;   // of g
  C along;  // mean of (g - mean) h

  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, V weight, V x) const {
    V g = hn::Mul(dy, weight);
    if constexpr (Centred) g = hn::Sub(g, hn::Set(d, mean));
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

template <class T, bool Centred>
RowGradient<Number<T>, Centred> row_gradient(Row<T>& dy, Row<T>& weight, Row<T>& x, int64_t columns,
                                             const Statistics<Number<T>>& known) {
  using C = Number<T>;
  const Normalised<C, Centred> h{known};
  const auto count = static_cast<C>(columns);
  C mean{};
  if constexpr (Centred) {
    mean = sum_mapped<C>(columns, kTile,
                         [&](int64_t i, int64_t n) HWY_ATTR {
                           return Slope<C>{dy.get(i, n), weight.get(i, n)};
                         }) /
           count;
  }
  const C along =
      sum_mapped<C>(
          columns, kTile,
          [&](int64_t i, int64_t n) HWY_ATTR {
            return Along<C, Centred>{dy.get(i, n), weight.get(i, n), x.get(i, n), mean, h};
          }) /
      count;
  return {h, mean, along};
}

template <class T, bool Centred>
void backward_rows(const sdk::Launch& l, int64_t begin, int64_t end,
                   Statistics<Number<T>>* statistics_of_rows) {
  using C = Number<T>;
  const int64_t columns = Extent(l, 1).columns;
  Row<T> dy(nullptr), x(nullptr), weight(l, 2, C{1});
  HWY_ALIGN C room[kTile];
  for (int64_t r = begin; r < end; ++r) {
    dy.move_to(l.data<T>(0) + r * columns);
    x.move_to(l.data<T>(1) + r * columns);
    const Statistics<C> known = statistics<T, Centred>(x, columns, l.attrs.real(kEps));
    statistics_of_rows[r] = known;
    const auto f = row_gradient<T, Centred>(dy, weight, x, columns, known);
    char* out = l.out_data<char>() + r * columns * int64_t{sizeof(T)};
    for (int64_t i = 0; i < columns; i += kTile) {
      const int64_t n = std::min(kTile, columns - i);
      char* to = out + i * int64_t{sizeof(T)};
      C* dx = place_numbers<T>(to, sizeof(T), n, room);
      write_gradient(dy.get(i, n), weight.get(i, n), x.get(i, n), dx, n, f);
      put_numbers<T>(dx, n, to, sizeof(T));
    }
  }
}

// Adds dy h of one row to `dweight`, dy to `dbias`. Sums are whole vectors.
template <class C, bool Centred>
HWY_INLINE void add_parameters(const C* dy, const C* x, int64_t n, Normalised<C, Centred> h,
                               C* dweight, C* dbias) {
  const hn::ScalableTag<C> d;
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto slope = load_first(d, dy + i, n - i);
    const auto product = hn::Mul(slope, h(d, load_first(d, x + i, n - i)));
    hn::Store(hn::Add(hn::Load(d, dweight + i), product), d, dweight + i);
    if constexpr (Centred) hn::Store(hn::Add(hn::Load(d, dbias + i), slope), d, dbias + i);
  }
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
  HWY_ALIGN C dy_room[kColumns];
  HWY_ALIGN C x_room[kColumns];
  ColumnSums<C> dweight, dbias;
  const auto at = [&](const T* operand, int64_t r, C* room) HWY_ATTR {
    const T* from = operand + r * p.columns + begin;
    return get_numbers<T>(reinterpret_cast<const char*>(from), sizeof(T), n, room);
  };
  int64_t r = 0;
  while (r < p.rows) {
    const int64_t block = std::min(kRowBlock, p.rows - r);
    dweight.add(block, [&](C* weight, int64_t) HWY_ATTR {
      dbias.add(block, [&](C* bias, int64_t) HWY_ATTR {
        for (const int64_t end = r + block; r < end; ++r) {
          add_parameters<C, Centred>(at(p.dy, r, dy_room), at(p.x, r, x_room), n, {p.known[r]},
                                     weight, bias);
        }
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
    const C centred = Centred ? x - p.known[r].mean : x;
    return static_cast<C>(p.dy[r]) * (centred * p.known[r].scale);
  });
  if constexpr (Centred) sum(p.dbias, [&](int64_t r) HWY_ATTR { return static_cast<C>(p.dy[r]); });
}

// Mean and scale of every row, then a number for each.
uint64_t workspace(const sdk::Args& args) {
  return static_cast<uint64_t>(Extent(args, 1).rows) * 3 * sizeof(double);
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
constexpr tenon_slot_rule layer_slots[] = {in, in, in, out};
constexpr tenon_slot_rule layer_grad_slots[] = {in, in, in, out, out, out};
constexpr tenon_slot_rule rms_slots[] = {in, in, out};
constexpr tenon_slot_rule rms_grad_slots[] = {in, in, in, out, out};

constexpr tenon_kernel_desc norm(std::string_view op, std::span<const tenon_slot_rule> slots,
                                 tenon_status (*launch)(tenon_call*, const tenon_launch*),
                                 tenon_status (*scratch)(tenon_call*, const tenon_launch*,
                                                         uint64_t*) = nullptr) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = sdk::kFloats,
                      .n_attrs = kAttributes,
                      .flags = kCanonical,
                      .priority = kPriority,
                      .launch = launch,
                      .workspace = scratch});
}

constexpr tenon_kernel_desc kernels[] = {
    norm("tenon.layer_norm", layer_slots, sdk::launch_fn<forward<true>>),
    norm("tenon.layer_norm_grad", layer_grad_slots, sdk::launch_fn<backward<true>>,
         sdk::workspace_fn<workspace>),
    norm("tenon.rms_norm", rms_slots, sdk::launch_fn<forward<false>>),
    norm("tenon.rms_norm_grad", rms_grad_slots, sdk::launch_fn<backward<false>>,
         sdk::workspace_fn<workspace>),
};

}  // namespace

std::span<const tenon_kernel_desc> norm_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(norm) = {.chosen_kernels = TENON_CPU_CHOOSE(norm_kernels)};
#endif
