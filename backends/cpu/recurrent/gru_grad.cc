// SPDX-License-Identifier: Apache-2.0
// backends/cpu/recurrent/gru_grad.cc: gru_steps_grad, back through time from what gru_steps kept
// and the states that each step found.
//
// The canonical arithmetic of plugins/ops/recurrent/gru_steps_grad.cc, cut as in lstm.cc.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "recurrent/gru_grad.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/slots.h"
#include "recurrent/frame-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace recurrent = cpu::HWY_NAMESPACE::recurrent;
namespace cut = cpu::recurrent;
using cut::Rows;
using cut::Walk;

enum Input : uint32_t { kKept, kStates, kHidden, kDy, kDh, kLengths, kDkept };
enum Attribute : uint32_t { kReverse, kBatchFirst, kResetAfter, kAttributes };
enum Output : uint32_t { kDgates, kDh0, kDproducts };

// One row: `dh` is the gradient of its state, then the share of it that goes past the products.
template <class C>
struct Row {
  const C* kept;
  const C* before;
  const C* dkept;    // or no data
  const C* product;  // without reset_after, what the product with w_n leaves
  int64_t hidden;
  C* dh;
  C* dgates;
  C* dproducts;

  template <class D, class At>
  HWY_INLINE hn::Vec<D> gate(D d, At at, int64_t number) const {
    return at.load(d, kept + number * hidden);
  }
  template <class D, class V = hn::Vec<D>, class At>
  HWY_INLINE V with_kept(D d, At at, V v, int64_t number) const {
    return dkept ? hn::Add(v, at.load(d, dkept + number * hidden)) : v;
  }
  // The gradients of z and n; returns that of n.
  template <class D, class At>
  HWY_INLINE hn::Vec<D> begin(D d, At at) const {
    const auto g = at.load(d, dh);
    const auto z = gate(d, at, 1);
    const auto n = gate(d, at, 2);
    const auto dz = with_kept(d, at, hn::Mul(g, hn::Sub(at.load(d, before), n)), 1);
    const auto dn = with_kept(d, at, hn::Mul(g, hn::Sub(hn::Set(d, 1), z)), 2);
    const auto ds_n = recurrent::tanh_slope(d, dn, n);
    const auto ds_z = recurrent::sigmoid_slope(d, dz, z);
    at.store(d, ds_z, dgates + hidden);
    at.store(d, ds_n, dgates + 2 * hidden);
    at.store(d, ds_z, dproducts + hidden);
    at.store(d, hn::Mul(g, z), dh);
    return ds_n;
  }
  template <class D, class V = hn::Vec<D>, class At>
  HWY_INLINE void reset(D d, At at, V dr, V r) const {
    const V ds_r = recurrent::sigmoid_slope(d, with_kept(d, at, dr, 0), r);
    at.store(d, ds_r, dgates);
    at.store(d, ds_r, dproducts);
  }
};

template <class C>
struct ResetAfter : Row<C> {
  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    const auto ds_n = this->begin(d, at);
    const auto r = this->gate(d, at, 0);
    const auto dq = this->with_kept(d, at, hn::Mul(ds_n, r), 3);
    at.store(d, dq, this->dproducts + 2 * this->hidden);
    this->reset(d, at, hn::Mul(ds_n, this->gate(d, at, 3)), r);
  }
};

// The gradient of n, whose product with w_n comes next.
template <class C>
struct ResetBefore : Row<C> {
  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    at.store(d, this->begin(d, at), this->dproducts + 2 * this->hidden);
  }
};

template <class C>
struct AfterReset : Row<C> {
  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    const auto r = this->gate(d, at, 0);
    const auto dq = this->with_kept(d, at, at.load(d, this->product), 3);
    this->reset(d, at, hn::Mul(dq, at.load(d, this->before)), r);
    at.store(d, hn::Add(at.load(d, this->dh), hn::Mul(dq, r)), this->dh);
  }
};

template <class T>
struct Needed {
  using C = Number<T>;

  Needed(const sdk::Args& args, int64_t batch, C* memory) : scratch(memory) {
    const recurrent::Stored<T> w_hh(args.view(kHidden));
    const int64_t width = w_hh.columns;
    const bool after = args.attrs.flag(kResetAfter);
    hidden = {w_hh.part(0, (after ? 3 : 2) * width), scratch};
    if (!after) {
      of_n = {w_hh.part(2 * width, width), scratch};
      dq = {scratch, batch, width};
    }
    dh = {scratch, batch, width};
    products = {scratch, batch, width};
    dgates = {scratch, batch, 3 * width};
    dproducts = {scratch, batch, 3 * width};
    kept_room = {scratch, batch, 4 * width};
    dkept_room = {scratch, batch, 4 * width};
    before_room = {scratch, batch, width};
    dy_room = {scratch, batch, width};
  }

  recurrent::Scratch<C> scratch;
  recurrent::Weight<T> hidden, of_n;
  recurrent::Matrix<C> dh, products, dq, dgates, dproducts;
  recurrent::Matrix<C> kept_room, dkept_room, before_room, dy_room;
};

template <class T>
class Backward {
 public:
  using C = Number<T>;

  Backward(const sdk::Launch& l, const Walk& walk)
      : l_(l),
        walk_(walk),
        is_whole_(cut::is_together(walk.batch)),
        m_(l, walk.batch, reinterpret_cast<C*>(l.scratch().data())),
        after_(l.attrs.flag(kResetAfter)),
        width_(l.shape(kHidden)[1]),
        kept_(l.view(kKept), walk.time_axis),
        states_(l.view(kStates), walk.time_axis),
        dy_(cut::rows_of(l, kDy, walk.time_axis)),
        dkept_(cut::rows_of(l, kDkept, walk.time_axis)),
        dgates_(l.out(kDgates), walk.time_axis),
        dproducts_(cut::out_rows(l, kDproducts, walk.time_axis)) {
    m_.hidden.pack(l);
    if (!after_) m_.of_n.pack(l);
  }

  void run() const {
    l_.parallel_for(walk_.batch, cut::rows_together(walk_.batch), [&](int64_t begin, int64_t end) {
      const Rows dh = cut::rows_of(l_, kDh, 0);
      const Rows dh0 = cut::out_rows(l_, kDh0, 0);
      for (int64_t b = begin; b < end; ++b) {
        recurrent::load_state<T>(dh, b, m_.dh.row(b), width_);
        std::fill_n(m_.dproducts.row(b), 3 * width_, C{0});
      }
      for (int64_t i = walk_.steps - 1; i >= 0; --i) step(walk_.time_of(i), begin, end);
      for (int64_t b = begin; b < end; ++b) recurrent::put<T>(dh0, 0, b, m_.dh.row(b));
    });
  }

 private:
  void step(int64_t time, int64_t begin, int64_t end) const {
    for (int64_t b = begin; b < end; ++b) {
      if (!walk_.is_live(b, time) || !dy_.data) continue;
      const C* dy = recurrent::get<T>(dy_, time, b, m_.dy_room.row(b));
      recurrent::for_vectors<C>(width_, recurrent::AddRow<C>{dy, m_.dh.row(b)});
    }
    const auto multiply = [&](int64_t column, const recurrent::Weight<T>& w,
                              const recurrent::Matrix<C>& to) {
      recurrent::multiply(l_, is_whole_, begin, end, m_.dproducts.data + column, m_.dproducts.step,
                          w, to);
    };
    if (after_) {
      each_live<ResetAfter<C>>(time, begin, end);
    } else {
      each_live<ResetBefore<C>>(time, begin, end);
      multiply(2 * width_, m_.of_n, m_.dq);
      each_live<AfterReset<C>>(time, begin, end);
    }
    multiply(0, m_.hidden, m_.products);
    for (int64_t b = begin; b < end; ++b) finish(time, b);
  }

  void finish(int64_t time, int64_t b) const {
    if (!walk_.is_live(b, time)) {
      recurrent::put_zeros<T>(dgates_, time, b);
      recurrent::put_zeros<T>(dproducts_, time, b);
      return;
    }
    recurrent::for_vectors<C>(width_, recurrent::AddRow<C>{m_.products.row(b), m_.dh.row(b)});
    recurrent::put<T>(dgates_, time, b, m_.dgates.row(b));
    recurrent::put<T>(dproducts_, time, b, m_.dproducts.row(b));
  }

  template <class Unit>
  void each_live(int64_t time, int64_t begin, int64_t end) const {
    for (int64_t b = begin; b < end; ++b) {
      if (!walk_.is_live(b, time)) continue;
      Row<C> row{};
      row.kept = recurrent::get<T>(kept_, time, b, m_.kept_room.row(b));
      row.before = recurrent::get<T>(states_, time, b, m_.before_room.row(b));
      if (dkept_.data) row.dkept = recurrent::get<T>(dkept_, time, b, m_.dkept_room.row(b));
      if (!after_) row.product = m_.dq.row(b);
      row.hidden = width_;
      row.dh = m_.dh.row(b);
      row.dgates = m_.dgates.row(b);
      row.dproducts = m_.dproducts.row(b);
      recurrent::for_vectors<C>(width_, Unit{row});
    }
  }

  const sdk::Launch& l_;
  const Walk& walk_;
  const bool is_whole_;
  const Needed<T> m_;
  const bool after_;
  const int64_t width_;
  const Rows kept_, states_, dy_, dkept_, dgates_, dproducts_;
};

constexpr tenon_slot_rule in = backends::any_in();
constexpr tenon_slot_rule out = backends::any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, in, in, out, out, out};

struct Op {
  template <class T>
  using Steps = Backward<T>;
  template <class T>
  using Memory = Needed<T>;
  static constexpr uint32_t kSequence = kKept;
  static constexpr uint32_t kLengths = Input::kLengths;
  static constexpr uint32_t kReverse = Attribute::kReverse;
  static constexpr uint32_t kBatchFirst = Attribute::kBatchFirst;
};
constexpr tenon_kernel_desc kernels[] = {
    recurrent::StepsOp<Op>::kernel("tenon.gru_steps_grad", slots, kAttributes)};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> gru_steps_grad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(gru_grad) = {.chosen_kernels = TENON_CPU_CHOOSE(gru_steps_grad_kernels)};
#endif
