// SPDX-License-Identifier: Apache-2.0
// backends/cpu/recurrent/gru.cc: gru_steps, r, z = sigmoid(x + h w_hh^T), n = tanh(x_n + r (h
// w_n^T)) or tanh(x_n + (r h) w_n^T), h = n + z (h - n) for each step.
//
// The canonical arithmetic of plugins/ops/recurrent/gru_steps.cc, cut as in lstm.cc. Without
// reset_after a step has two products, that of r h after the gate r.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "recurrent/gru.cc"
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

enum Input : uint32_t { kGates, kHidden, kH0, kBiasIh, kBiasHh, kLengths };
enum Attribute : uint32_t { kReverse, kBatchFirst, kResetAfter, kAttributes };
enum Output : uint32_t { kY, kLastH, kKept };

// What one row is made of. `products` has the columns of the gates, without reset_after those of r
// and z alone; those of n come later, in `of_n`.
template <class C>
struct Row {
  const C* own;
  const C* own_bias;      // or no data
  const C* product_bias;  // or no data
  const C* products;
  const C* of_n;
  int64_t hidden;
  C* kept;
  C* h;

  template <class D, class At>
  HWY_INLINE hn::Vec<D> input(D d, At at, int64_t gate) const {
    const auto x = at.load(d, own + gate * hidden);
    return own_bias ? hn::Add(x, at.load(d, own_bias + gate * hidden)) : x;
  }
  template <class D, class At>
  HWY_INLINE hn::Vec<D> product(D d, At at, int64_t gate) const {
    const auto p = at.load(d, products + gate * hidden);
    return product_bias ? hn::Add(p, at.load(d, product_bias + gate * hidden)) : p;
  }
  // r and z, which are kept.
  template <class D, class At>
  HWY_INLINE hn::Vec<D> gate(D d, At at, int64_t number) const {
    const auto y = math::Sigmoid()(hn::Add(input(d, at, number), product(d, at, number)));
    at.store(d, y, kept + number * hidden);
    return y;
  }
  template <class D, class V = hn::Vec<D>, class At>
  HWY_INLINE void finish(D d, At at, V z, V of_tanh) const {
    const V n = math::Tanh()(hn::Add(input(d, at, 2), of_tanh));
    at.store(d, n, kept + 2 * hidden);
    at.store(d, hn::Add(n, hn::Mul(z, hn::Sub(at.load(d, h), n))), h);
  }
};

template <class C>
struct ResetAfter : Row<C> {
  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    const auto r = this->gate(d, at, 0);
    const auto z = this->gate(d, at, 1);
    const auto q = this->product(d, at, 2);
    at.store(d, q, this->kept + 3 * this->hidden);
    this->finish(d, at, z, hn::Mul(r, q));
  }
};

template <class C>
struct ResetBefore : Row<C> {
  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    const auto r = this->gate(d, at, 0);
    this->gate(d, at, 1);
    at.store(d, hn::Mul(r, at.load(d, this->h)), this->kept + 3 * this->hidden);
  }
};

template <class C>
struct AfterReset : Row<C> {
  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    this->finish(d, at, at.load(d, this->kept + this->hidden), at.load(d, this->of_n));
  }
};

template <class T>
struct Needed {
  using C = Number<T>;

  Needed(const sdk::Args& args, int64_t batch, C* memory) : scratch(memory) {
    const recurrent::Stored<T> w_hh(args.view(kHidden));
    const int64_t width = w_hh.columns;
    const bool after = args.attrs.flag(kResetAfter);
    hidden = {w_hh.part(0, (after ? 3 : 2) * width).transposed(), scratch};
    if (!after) {
      of_n = {w_hh.part(2 * width, width).transposed(), scratch};
      n_products = {scratch, batch, width};
    }
    for (C*& each : bias) each = scratch.take(3 * width);
    h = {scratch, batch, width};
    products = {scratch, batch, 3 * width};
    kept = {scratch, batch, 4 * width};
    own_room = {scratch, batch, 3 * width};
  }

  recurrent::Scratch<C> scratch;
  recurrent::Weight<T> hidden, of_n;
  C* bias[2];
  recurrent::Matrix<C> h, products, n_products, kept, own_room;
};

template <class T>
class Forward {
 public:
  using C = Number<T>;

  Forward(const sdk::Launch& l, const Walk& walk)
      : l_(l),
        walk_(walk),
        is_whole_(cut::is_together(walk.batch)),
        m_(l, walk.batch, reinterpret_cast<C*>(l.scratch().data())),
        after_(l.attrs.flag(kResetAfter)),
        width_(l.shape(kHidden)[1]),
        gates_(l.view(kGates), walk.time_axis),
        y_(l.out(kY), walk.time_axis),
        kept_(cut::out_rows(l, kKept, walk.time_axis)) {
    const Rows b_ih = cut::rows_of(l, kBiasIh, 0);
    const Rows b_hh = cut::rows_of(l, kBiasHh, 0);
    C* const room = m_.own_room.data;
    own_bias_ = recurrent::sum_biases<T>(b_ih, after_ ? Rows() : b_hh, m_.bias[0], room);
    if (after_) product_bias_ = recurrent::sum_biases<T>(b_hh, Rows(), m_.bias[1], room);
    m_.hidden.pack(l);
    if (!after_) m_.of_n.pack(l);
  }

  void run() const {
    l_.parallel_for(walk_.batch, cut::rows_together(walk_.batch), [&](int64_t begin, int64_t end) {
      const Rows h0 = cut::rows_of(l_, kH0, 0);
      const Rows h_n(l_.out(kLastH), 0);
      for (int64_t b = begin; b < end; ++b) {
        recurrent::load_state<T>(h0, b, m_.h.row(b), width_);
        std::fill_n(m_.kept.row(b), 4 * width_, C{0});
      }
      for (int64_t i = 0; i < walk_.steps; ++i) step(walk_.time_of(i), begin, end);
      for (int64_t b = begin; b < end; ++b) recurrent::put<T>(h_n, 0, b, m_.h.row(b));
    });
  }

 private:
  void step(int64_t time, int64_t begin, int64_t end) const {
    recurrent::multiply(l_, is_whole_, begin, end, m_.h, m_.hidden, m_.products);
    if (after_) {
      each_live<ResetAfter<C>>(time, begin, end);
    } else {
      each_live<ResetBefore<C>>(time, begin, end);
      recurrent::multiply(l_, is_whole_, begin, end, m_.kept.data + 3 * width_, m_.kept.step,
                          m_.of_n, m_.n_products);
      each_live<AfterReset<C>>(time, begin, end);
    }
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) {
        recurrent::put<T>(y_, time, b, m_.h.row(b));
        recurrent::put<T>(kept_, time, b, m_.kept.row(b));
      } else {
        recurrent::put_zeros<T>(y_, time, b);
        recurrent::put_zeros<T>(kept_, time, b);
      }
    }
  }

  template <class Unit>
  void each_live(int64_t time, int64_t begin, int64_t end) const {
    for (int64_t b = begin; b < end; ++b) {
      if (!walk_.is_live(b, time)) continue;
      const Row<C> row{recurrent::get<T>(gates_, time, b, m_.own_room.row(b)),
                       own_bias_,
                       product_bias_,
                       m_.products.row(b),
                       after_ ? nullptr : m_.n_products.row(b),
                       width_,
                       m_.kept.row(b),
                       m_.h.row(b)};
      recurrent::for_vectors<C>(width_, Unit{row});
    }
  }

  const sdk::Launch& l_;
  const Walk& walk_;
  const bool is_whole_;
  const Needed<T> m_;
  const bool after_;
  const int64_t width_;
  const Rows gates_, y_, kept_;
  const C* own_bias_ = nullptr;
  const C* product_bias_ = nullptr;
};

constexpr tenon_slot_rule in = backends::any_in();
constexpr tenon_slot_rule out = backends::any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, in, out, out, out};

struct Op {
  template <class T>
  using Steps = Forward<T>;
  template <class T>
  using Memory = Needed<T>;
  static constexpr uint32_t kSequence = kGates;
  static constexpr uint32_t kLengths = Input::kLengths;
  static constexpr uint32_t kReverse = Attribute::kReverse;
  static constexpr uint32_t kBatchFirst = Attribute::kBatchFirst;
};
constexpr tenon_kernel_desc kernels[] = {
    recurrent::StepsOp<Op>::kernel("tenon.gru_steps", slots, kAttributes)};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> gru_steps_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(gru) = {.chosen_kernels = TENON_CPU_CHOOSE(gru_steps_kernels)};
#endif
