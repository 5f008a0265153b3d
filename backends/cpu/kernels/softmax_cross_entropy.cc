// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/softmax_cross_entropy.cc: the fused loss and its gradient.
//
//   term   = -log_softmax(logits[n])[target[n]] in counted rows, else 0
//   loss   = sum of terms in the order of tenon.sum / R
//   grad   = (exp(log_probs[n, c]) - [c == target[n]]) * (dy / R) in counted rows, else 0
// R is the number of rows whose target is not ignore_index. Without any, loss and gradient are 0.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax_cross_entropy.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

enum Attribute : uint32_t { kIgnoreIndex, kAttributes };

// Class numbers of the rows, checked before anything is written.
class Targets {
 public:
  Targets(const tenon_view& target, int64_t classes, int64_t ignore)
      : operand_(sdk::strided(target)), ignore_(ignore) {
    for (int64_t n = 0; n < target.shape[0]; ++n) {
      if (!valid(n)) continue;
      ++count_;
      if ((*this)[n] < 0 || (*this)[n] >= classes) refuse(n, classes);
    }
  }
  int64_t operator[](int64_t n) const {
    return sdk::load<int64_t>(operand_.data + n * operand_.step[0]);
  }
  bool valid(int64_t n) const { return (*this)[n] != ignore_; }
  int64_t count() const { return count_; }

 private:
  [[noreturn]] void refuse(int64_t n, int64_t classes) const {
    const std::string found = std::to_string((*this)[n]);
    throw sdk::Failure{
        TENON_E_DATA,
        "target[" + std::to_string(n) + "] is " + found +
            ", which is no class and not ignore_index",
        "target",
        "0 <= class < " + std::to_string(classes) + ", or " + std::to_string(ignore_),
        found,
        "the logits have one column for each class"};
  }

  sdk::Strided operand_;
  int64_t ignore_;
  int64_t count_ = 0;
};

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
  bool is_flat() const {
    return step() == int64_t{sizeof(T)} && operand.step[0] == columns.count() * step();
  }
  Line<T> line(int64_t n) const { return {columns, row(n)}; }
  Number<T> number(int64_t n, int64_t c) const {
    return static_cast<Number<T>>(sdk::load<T>(element(n, c)));
  }

  sdk::Strided operand;
  Geometry<1> columns;
  int64_t bytes;
};

// Elements that are fetched ahead of a row, which is where the next one lies. Not for small inputs,
// which the caches hold.
template <class T>
int64_t fetched_ahead(const Matrix<T>& m, int64_t n, int64_t end) {
  if (n + 1 >= end || m.bytes < softmax::kFetchBytes) return 0;
  return m.operand.step[0] / int64_t{sizeof(T)};
}

// A row that one vector holds: the same operations without loops. Gives the row's term, and leaves
// its log-probabilities at `out` where that is wanted.
template <class C>
HWY_INLINE C forward_short(const C* row, int64_t classes, int64_t target, C* out) {
  const hn::ScalableTag<C> d;
  const auto some = hn::FirstN(d, static_cast<size_t>(classes));
  const auto x = hn::MaskedLoad(some, d, row);
  const auto least = hn::Set(d, -std::numeric_limits<C>::infinity());
  const auto difference = hn::Sub(x, hn::MaxOfLanes(d, hn::IfThenElse(some, x, least)));
  const auto powers = hn::IfThenElseZero(some, math::Exp()(difference));
  const auto log_sum = math::Log()(hn::Set(d, fold_lanes(d, powers)));
  HWY_ALIGN C log_probs[hn::MaxLanes(d)];
  hn::Store(hn::Sub(difference, log_sum), d, log_probs);
  if (out) hn::BlendedStore(hn::Sub(difference, log_sum), some, d, out);
  return -log_probs[target];
}

template <class T>
bool is_short(const Matrix<T>& m, int64_t classes) {
  return is_stored_as_number<T> && m.step() == int64_t{sizeof(T)} &&
         classes <= static_cast<int64_t>(hn::Lanes(hn::ScalableTag<Number<T>>()));
}

template <class T>
void forward_rows(const sdk::Launch& l, const Targets& targets, Number<T>* terms) {
  using C = Number<T>;
  const Matrix<T> logits(l.view(0));
  const int64_t classes = l.view(0).shape[1];
  const bool keeps = l.wants_out(1);
  const Matrix<T> log_probs(keeps ? l.out(1) : l.view(0));
  const bool streamed = log_probs.bytes >= softmax::kStreamBytes;
  const bool is_short_row = is_short(logits, classes) && is_short(log_probs, classes);
  l.parallel_for(l.view(0).shape[0], grain_of(classes), [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t n = begin; n < end; ++n) {
      if (is_short_row) {
        const bool counts = targets.valid(n);
        const C term = forward_short(reinterpret_cast<const C*>(logits.row(n)), classes,
                                     counts ? targets[n] : 0,
                                     keeps ? reinterpret_cast<C*>(log_probs.row(n)) : nullptr);
        terms[n] = counts ? term : C{};
        continue;
      }
      const Line<T> line = logits.line(n);
      const C most = softmax::largest(line, classes);
      const C sum = softmax::sum_of_powers<T, false>(line, classes, most, nullptr,
                                                     fetched_ahead(logits, n, end));
      const softmax::LogProbability<C> f{most, softmax::log_of(sum)};
      terms[n] = targets.valid(n) ? -f.of(logits.number(n, targets[n])) : C{};
      if (keeps) {
        softmax::map_line(line, log_probs.row(n), log_probs.step(), classes, streamed, f);
      }
    }
  });
}

void forward(const sdk::Launch& l) {
  const tenon_view& logits = l.view(0);
  const int64_t rows = logits.shape[0];
  const Targets targets(l.view(1), logits.shape[1], l.attrs.integer(kIgnoreIndex));
  sdk::dispatch_dtype<sdk::FloatTypes>(logits.dtype, [&]<class T>() HWY_ATTR {
    using C = Number<T>;
    auto* terms = reinterpret_cast<C*>(l.scratch().data());
    forward_rows<T>(l, targets, terms);
    const C sum = sum_packed(terms, rows);
    const C loss = targets.count() ? sum / static_cast<C>(targets.count()) : C{};
    put_number<T>(static_cast<char*>(l.out().data), loss);
  });
}

// A term for each row.
uint64_t forward_workspace(const sdk::Args& args) {
  return static_cast<uint64_t>(args.shape(0)[0]) * sizeof(double);
}

template <class C>
struct ScaledPower {
  C scale;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V log_probability) const {
    return hn::Mul(math::Exp()(log_probability), hn::Set(d, scale));
  }
  // Where the class is the target.
  C of_target(C log_probability) const {
    const hn::ScalableTag<C> d;
    const auto power = math::Exp()(hn::Set(d, log_probability));
    return (hn::GetLane(power) - C{1}) * scale;
  }
};

struct Zero {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V) const {
    return hn::Zero(d);
  }
};

// All rows of packed operands at once, then what is different in some places.
template <class T>
void backward_flat(const Matrix<T>& log_probs, const Matrix<T>& out, const Targets& targets,
                   const ScaledPower<Number<T>>& f, int64_t begin, int64_t end) {
  const int64_t classes = out.columns.count();
  auto* to = reinterpret_cast<T*>(out.row(begin));
  const int64_t count = (end - begin) * classes;
  const auto* from = reinterpret_cast<const T*>(log_probs.row(begin));
  if (out.bytes >= softmax::kStreamBytes) {
    softmax::map_streamed(from, to, count, f);
  } else {
    softmax::map_packed(from, to, count, f);
  }
  for (int64_t n = begin; n < end; ++n) {
    T* row = to + (n - begin) * classes;
    if (targets.valid(n)) {
      row[targets[n]] = f.of_target(log_probs.number(n, targets[n]));
    } else {
      std::fill(row, row + classes, T{});
    }
  }
}

template <class T>
void backward_rows(const sdk::Launch& l, const Targets& targets) {
  using C = Number<T>;
  const Matrix<T> log_probs(l.view(1));
  const Matrix<T> out(l.out());
  const int64_t classes = l.view(1).shape[1];
  const auto dy = static_cast<C>(sdk::load<T>(l.view(0).data));
  const ScaledPower<C> f{dy / static_cast<C>(std::max<int64_t>(targets.count(), 1))};
  const bool streamed = out.bytes >= softmax::kStreamBytes;
  const bool is_flat = log_probs.is_flat() && out.is_flat();
  l.parallel_for(l.view(1).shape[0], grain_of(classes), [&](int64_t begin, int64_t end) HWY_ATTR {
    if constexpr (is_stored_as_number<T>) {
      if (is_flat) return backward_flat<T>(log_probs, out, targets, f, begin, end);
    }
    for (int64_t n = begin; n < end; ++n) {
      const Line<T> line = log_probs.line(n);
      if (!targets.valid(n)) {
        softmax::map_line(line, out.row(n), out.step(), classes, streamed, Zero());
        continue;
      }
      softmax::map_line(line, out.row(n), out.step(), classes, streamed, f);
      const C log_prob = log_probs.number(n, targets[n]);
      put_number<T>(out.element(n, targets[n]), f.of_target(log_prob));
    }
  });
}

void backward(const sdk::Launch& l) {
  const tenon_view& log_probs = l.view(1);
  const Targets targets(l.view(2), log_probs.shape[1], l.attrs.integer(kIgnoreIndex));
  sdk::dispatch_dtype<sdk::FloatTypes>(log_probs.dtype,
                                       [&]<class T>() HWY_ATTR { backward_rows<T>(l, targets); });
}

constexpr tenon_slot_rule forward_slots[] = {any_in(), any_in(), any_out(), any_out()};
constexpr tenon_slot_rule backward_slots[] = {any_in(TENON_SLOT_HOST_SCALAR), any_in(), any_in(),
                                              any_out()};

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.softmax_cross_entropy",
                 .device = kDevice,
                 .slots = forward_slots,
                 .rows = sdk::kFloats,
                 .n_attrs = kAttributes,
                 .flags = kCanonical,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<forward>,
                 .workspace = sdk::workspace_fn<forward_workspace>}),
    sdk::kernel({.op = "tenon.softmax_cross_entropy_grad",
                 .device = kDevice,
                 .slots = backward_slots,
                 .rows = sdk::kFloats,
                 .n_attrs = kAttributes,
                 .flags = kCanonical,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<backward>}),
};

}  // namespace

std::span<const tenon_kernel_desc> softmax_cross_entropy_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(softmax_cross_entropy) = {
    .chosen_kernels = TENON_CPU_CHOOSE(softmax_cross_entropy_kernels)};
#endif
