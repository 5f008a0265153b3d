// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/softmax_cross_entropy.cc: the fused loss and its gradient.
//
//   term     = -log_softmax(logits[n])[target[n]] in counted rows, else 0
//   loss     = sum of terms in the order of tenon.sum / R
//   top      = max(logits[n]),  top_prob = 1 / sum(exp(logits[n] - top)), the latter two are kept
//   grad     = exp(logits[n, c] - top) (dy/R top_prob), at the target (p - 1) (dy/R) with
//              p = exp(logits[n, c] - top) top_prob, in counted rows, else 0
// R is the number of rows whose target is not ignore_index. Without any, loss and gradient are 0.
//
// Nothing of the logits' size is written but the gradient: a second exp costs less than to store
// and to read powers if these leave the caches.

#include "vectors.h"

#include "common/indices.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax_cross_entropy.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

enum Attribute : uint32_t { kIgnoreIndex, kAttributes };

using backends::Targets;

// The rows of a [N,C] operand.
template <class T>
struct Matrix {
  explicit Matrix(const tenon_view& view) : operand(sdk::strided(view)) {
    columns.push(view.shape[1], {operand.step[1]});
    bytes = view.shape[0] * view.shape[1] * int64_t{sizeof(T)};
  }
  char* row(int64_t n) const { return operand.data + n * operand.step[0]; }
  char* element(int64_t n, int64_t c) const { return row(n) + c * operand.step[1]; }
  int64_t step() const { return operand.step[1]; }
  Line<T> line(int64_t n) const { return {columns, row(n)}; }
  Number<T> number(int64_t n, int64_t c) const {
    return static_cast<Number<T>>(sdk::load<T>(element(n, c)));
  }

  sdk::Strided operand;
  Geometry<1> columns;
  int64_t bytes;
};

// What is known of each row, in scratch memory.
template <class C>
struct Numbers {
  C* top;
  C* sum;   // of powers, then top_prob
  C* term;  // the target's logit, then what the row adds to the loss

  Numbers(const sdk::Launch& l, int64_t rows)
      : top(reinterpret_cast<C*>(l.scratch().data())), sum(top + rows), term(sum + rows) {}
};

// Rows of so few classes are taken side by side, a vector for each class.
constexpr int64_t kShort = 16;

template <class T>
bool is_short(const Matrix<T>& m) {
  // Their distances fit the indices of a gather.
  return is_stored_as_number<T> && m.step() == int64_t{sizeof(T)} && m.columns.count() <= kShort &&
         std::abs(m.operand.step[0]) <= int64_t{1} << 24;
}

// Adds the later half of 2 * Half numbers to the first, until one is left. Those from `count` on
// are 0.
template <size_t Half, class D, class V>
HWY_INLINE V fold(D d, V* powers, int64_t count) {
  for (size_t c = 0; c < Half; ++c) {
    if (static_cast<int64_t>(c + Half) >= count) break;
    powers[c] = hn::Add(powers[c], powers[c + Half]);
  }
  if constexpr (Half == 1) {
    return powers[0];
  } else {
    return fold<Half / 2>(d, powers, count);
  }
}

// Up to one vector of rows, of which the last is repeated.
template <class T, class C = Number<T>>
HWY_INLINE void reduce_short(const Matrix<T>& logits, int64_t begin, int64_t n, C* top, C* sum) {
  const hn::ScalableTag<C> d;
  const hn::RebindToSigned<decltype(d)> di;
  using I = hn::TFromD<decltype(di)>;
  const int64_t classes = logits.columns.count();
  const int64_t step = logits.operand.step[0] / int64_t{sizeof(C)};
  HWY_ALIGN I places[hn::MaxLanes(d)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    places[i] = static_cast<I>(std::min(static_cast<int64_t>(i), n - 1) * step);
  }
  const auto index = hn::Load(di, places);
  const auto* x = reinterpret_cast<const C*>(logits.row(begin));
  hn::Vec<decltype(d)> powers[kShort];
  auto most = hn::Set(d, -std::numeric_limits<C>::infinity());
  for (int64_t c = 0; c < classes; ++c) {
    powers[c] = hn::GatherIndex(d, x + c, index);
    most = hn::Max(most, powers[c]);
  }
  for (int64_t c = 0; c < classes; ++c) powers[c] = math::Exp()(hn::Sub(powers[c], most));
  const auto some = hn::FirstN(d, static_cast<size_t>(n));
  hn::BlendedStore(fold<kShort / 2>(d, powers, classes), some, d, sum);
  hn::BlendedStore(most, some, d, top);
}

// The largest element and the sum of powers of rows [begin, end).
template <class T>
void reduce_rows(const Matrix<T>& logits, int64_t begin, int64_t end, Numbers<Number<T>> to) {
  if constexpr (is_stored_as_number<T>) {
    if (is_short(logits)) {
      const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
      for (int64_t n = begin; n < end; n += lanes) {
        reduce_short(logits, n, std::min(lanes, end - n), to.top + n, to.sum + n);
      }
      return;
    }
  }
  const int64_t classes = logits.columns.count();
  if constexpr (is_stored_as_number<T>) {
    if (logits.step() == int64_t{sizeof(T)}) {
      const auto row = [&](int64_t n) { return reinterpret_cast<const T*>(logits.row(n)); };
      to.top[begin] = softmax::largest_packed(row(begin), classes);
      for (int64_t n = begin; n < end; ++n) {
        const int64_t next = std::min(n + 1, end - 1);
        const auto found =
            softmax::sum_of_packed_powers<T, false>(row(n), classes, to.top[n], nullptr, row(next));
        to.sum[n] = found.sum;
        to.top[next] = found.next_most;
      }
      return;
    }
  }
  for (int64_t n = begin; n < end; ++n) {
    const Line<T> line = logits.line(n);
    to.top[n] = softmax::largest(line, classes);
    to.sum[n] = softmax::sum_of_powers(line, classes, to.top[n]);
  }
}

// Terms and what is kept, from what was found. A sum of NaN says that a row has no probabilities,
// whatever its largest element. Which of two zeros is found is chance, so the sign is dropped.
template <class C>
void finish_rows(C* top, C* sum, C* term, int64_t rows) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t n = 0; n < rows; n += lanes) {
    const auto some = hn::FirstN(d, static_cast<size_t>(rows - n));
    const auto put = [&](auto v, C* to) HWY_ATTR { hn::BlendedStore(v, some, d, to + n); };
    const auto most = hn::MaskedLoad(some, d, top + n);
    const auto total = hn::MaskedLoad(some, d, sum + n);
    const auto difference = hn::Sub(hn::MaskedLoad(some, d, term + n), most);
    put(hn::Neg(hn::Sub(difference, math::Log()(total))), term);
    put(hn::IfThenElse(hn::IsNaN(total), total, hn::Add(most, hn::Zero(d))), top);
    put(hn::Div(hn::Set(d, C{1}), total), sum);
  }
}

template <class T>
void put_rows(const sdk::Launch& l, uint32_t slot, Number<T>* numbers, int64_t begin, int64_t n) {
  if (!l.wants_out(slot)) return;
  const sdk::Strided to = sdk::strided(l.out(slot));
  put_numbers<T>(numbers + begin, n, to.data + begin * to.step[0], to.step[0]);
}

template <class T>
void forward_rows(const sdk::Launch& l, const Targets& targets, Numbers<Number<T>> known) {
  using C = Number<T>;
  const Matrix<T> logits(l.view(0));
  const int64_t rows = l.view(0).shape[0];
  l.parallel_for(rows, grain_of(logits.columns.count()), [&](int64_t begin, int64_t end) HWY_ATTR {
    reduce_rows(logits, begin, end, known);
    for (int64_t n = begin; n < end; ++n) {
      known.term[n] = targets.valid(n) ? logits.number(n, targets[n]) : C{};
    }
    finish_rows(known.top + begin, known.sum + begin, known.term + begin, end - begin);
    for (int64_t n = begin; n < end; ++n) {
      if (!targets.valid(n)) known.term[n] = C{};
    }
    put_rows<T>(l, 1, known.top, begin, end - begin);
    put_rows<T>(l, 2, known.sum, begin, end - begin);
  });
}

void forward(const sdk::Launch& l) {
  const tenon_view& logits = l.view(0);
  const int64_t rows = logits.shape[0];
  const Targets targets(l.view(1), logits.shape[1], l.attrs.integer(kIgnoreIndex));
  sdk::dispatch_dtype<sdk::FloatTypes>(logits.dtype, [&]<class T>() HWY_ATTR {
    using C = Number<T>;
    const Numbers<C> known(l, rows);
    forward_rows<T>(l, targets, known);
    const C sum = sum_packed(known.term, rows);
    const C loss = targets.count() ? sum / static_cast<C>(targets.count()) : C{};
    put_number<T>(static_cast<char*>(l.out().data), loss);
  });
}

uint64_t forward_workspace(const sdk::Args& args) {
  return static_cast<uint64_t>(args.shape(0)[0]) * 3 * sizeof(double);
}

template <class C>
struct ScaledPower {
  C top;
  C scale;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(math::Exp()(hn::Sub(x, hn::Set(d, top))), hn::Set(d, scale));
  }
};

struct Zero {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V) const {
    return hn::Zero(d);
  }
};

// The operands of a backward; its output may be the logits themselves.
template <class T>
struct Backward {
  using C = Number<T>;

  Backward(const sdk::Launch& l, const Targets& its_targets)
      : logits(l.view(1)),
        out(l.out()),
        top(sdk::strided(l.view(2))),
        top_prob(sdk::strided(l.view(3))),
        targets(its_targets),
        slope(static_cast<C>(sdk::load<T>(l.view(0).data)) /
              static_cast<C>(std::max<int64_t>(targets.count(), 1))),
        streams(out.bytes >= softmax::kStreamBytes) {}

  template <class F>
  HWY_INLINE void map_row(int64_t n, const F& f) const {
    const int64_t classes = out.columns.count();
    if constexpr (is_stored_as_number<T>) {
      if (!streams && logits.step() == int64_t{sizeof(T)} && out.step() == int64_t{sizeof(T)}) {
        softmax::map_packed(reinterpret_cast<const C*>(logits.row(n)),
                            reinterpret_cast<C*>(out.row(n)), classes, f);
        return;
      }
    }
    softmax::map_line(logits.line(n), out.row(n), out.step(), classes, streams, f);
  }

  void row(int64_t n) const {
    if (!targets.valid(n)) return map_row(n, Zero());
    const hn::ScalableTag<C> d;
    const C most = row_number(top, n);
    const C prob = row_number(top_prob, n);
    const auto at_target = hn::Set(d, logits.number(n, targets[n]) - most);
    const C p = hn::GetLane(math::Exp()(at_target)) * prob;
    map_row(n, ScaledPower<C>{most, slope * prob});
    put_number<T>(out.element(n, targets[n]), (p - C{1}) * slope);
  }

  static C row_number(const sdk::Strided& numbers, int64_t n) {
    return static_cast<C>(sdk::load<T>(numbers.data + n * numbers.step[0]));
  }

  Matrix<T> logits, out;
  sdk::Strided top, top_prob;
  const Targets& targets;
  C slope;  // dy / R
  bool streams;
};

void backward(const sdk::Launch& l) {
  const tenon_view& logits = l.view(1);
  const int64_t classes = logits.shape[1];
  const Targets targets(l.view(4), classes, l.attrs.integer(kIgnoreIndex));
  sdk::dispatch_dtype<sdk::FloatTypes>(logits.dtype, [&]<class T>() HWY_ATTR {
    const Backward<T> rows(l, targets);
    l.parallel_for(logits.shape[0], grain_of(classes), [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t n = begin; n < end; ++n) rows.row(n);
    });
  });
}

constexpr tenon_slot_rule forward_slots[] = {any_in(), any_in(), any_out(), any_out(), any_out()};
constexpr tenon_slot_rule backward_slots[] = {
    any_in(TENON_SLOT_HOST_SCALAR), any_in(), any_in(), any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.softmax_cross_entropy", forward_slots, sdk::kFloats, kAttributes,
           sdk::launch_fn<forward>, {.workspace = sdk::workspace_fn<forward_workspace>}),
    kernel("tenon.softmax_cross_entropy_grad", backward_slots, sdk::kFloats, kAttributes,
           sdk::launch_fn<backward>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> softmax_cross_entropy_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(softmax_cross_entropy) = {
    .chosen_kernels = TENON_CPU_CHOOSE(softmax_cross_entropy_kernels)};
#endif
