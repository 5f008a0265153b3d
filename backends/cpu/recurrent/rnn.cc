// SPDX-License-Identifier: Apache-2.0
// backends/cpu/recurrent/rnn.cc: rnn_steps, h = f(x + h w_hh^T) for each step, and rnn_steps_grad,
// ds = dh f'(s), dh = ds w_hh back through time.
//
// The canonical arithmetic of plugins/ops/recurrent/rnn_steps.cc and rnn_steps_grad.cc, cut as in
// lstm.cc.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "recurrent/rnn.cc"
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
enum GradInput : uint32_t { kResult, kGradHidden, kDy, kDh, kGradLengths };
enum Attribute : uint32_t { kActivation, kReverse, kBatchFirst, kAttributes };
enum Output : uint32_t { kY, kLastH };
enum GradOutput : uint32_t { kDgates, kDh0 };

// As tenon.relu: NaN and -0 stay as they are.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V relu(D d, V x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
}

template <class C>
struct Activate {
  const C* own;
  const C* bias;  // or no data
  const C* product;
  C* h;
  bool is_relu;

  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    auto s = at.load(d, own);
    if (bias) s = hn::Add(s, at.load(d, bias));
    s = hn::Add(s, at.load(d, product));
    at.store(d, is_relu ? relu(d, s) : math::Tanh()(s), h);
  }
};

template <class C>
struct Slope {
  const C* y;
  const C* dh;
  C* dgates;
  bool is_relu;

  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    const auto value = at.load(d, y);
    const auto g = at.load(d, dh);
    const auto ds = is_relu ? hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), g)
                            : recurrent::tanh_slope(d, g, value);
    at.store(d, ds, dgates);
  }
};

template <class T>
struct Needed {
  using C = Number<T>;

  Needed(const sdk::Args& args, int64_t batch, C* memory) : scratch(memory) {
    const recurrent::Stored<T> w_hh(args.view(kHidden));
    hidden = {w_hh.transposed(), scratch};
    bias = scratch.take(w_hh.columns);
    h = {scratch, batch, w_hh.columns};
    products = {scratch, batch, w_hh.columns};
    own_room = {scratch, batch, w_hh.columns};
  }

  recurrent::Scratch<C> scratch;
  recurrent::Weight<T> hidden;
  C* bias;
  recurrent::Matrix<C> h, products, own_room;
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
        is_relu_(l.attrs.text(kActivation) == "relu"),
        gates_(l.view(kGates), walk.time_axis),
        y_(l.out(kY), walk.time_axis),
        bias_(recurrent::sum_biases<T>(cut::rows_of(l, kBiasIh, 0), cut::rows_of(l, kBiasHh, 0),
                                       m_.bias, m_.own_room.data)) {
    m_.hidden.pack(l);
  }

  void run() const {
    l_.parallel_for(walk_.batch, cut::rows_together(walk_.batch), [&](int64_t begin, int64_t end) {
      const Rows h0 = cut::rows_of(l_, kH0, 0);
      const Rows h_n(l_.out(kLastH), 0);
      for (int64_t b = begin; b < end; ++b) {
        recurrent::load_state<T>(h0, b, m_.h.row(b), y_.columns);
      }
      for (int64_t i = 0; i < walk_.steps; ++i) step(walk_.time_of(i), begin, end);
      for (int64_t b = begin; b < end; ++b) recurrent::put<T>(h_n, 0, b, m_.h.row(b));
    });
  }

 private:
  void step(int64_t time, int64_t begin, int64_t end) const {
    recurrent::multiply(l_, is_whole_, begin, end, m_.h, m_.hidden, m_.products);
    for (int64_t b = begin; b < end; ++b) {
      if (!walk_.is_live(b, time)) {
        recurrent::put_zeros<T>(y_, time, b);
        continue;
      }
      const C* own = recurrent::get<T>(gates_, time, b, m_.own_room.row(b));
      recurrent::for_vectors<C>(y_.columns,
                                Activate<C>{own, bias_, m_.products.row(b), m_.h.row(b), is_relu_});
      recurrent::put<T>(y_, time, b, m_.h.row(b));
    }
  }

  const sdk::Launch& l_;
  const Walk& walk_;
  const bool is_whole_;
  const Needed<T> m_;
  const bool is_relu_;
  const Rows gates_, y_;
  const C* bias_;
};

template <class T>
struct MemoryBack {
  using C = Number<T>;

  MemoryBack(const sdk::Args& args, int64_t batch, C* memory) : scratch(memory) {
    const recurrent::Stored<T> w_hh(args.view(kGradHidden));
    hidden = {w_hh, scratch};
    dh = {scratch, batch, w_hh.columns};
    products = {scratch, batch, w_hh.columns};
    dgates = {scratch, batch, w_hh.columns};
    y_room = {scratch, batch, w_hh.columns};
    dy_room = {scratch, batch, w_hh.columns};
  }

  recurrent::Scratch<C> scratch;
  recurrent::Weight<T> hidden;
  recurrent::Matrix<C> dh, products, dgates, y_room, dy_room;
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
        is_relu_(l.attrs.text(kActivation) == "relu"),
        y_(l.view(kResult), walk.time_axis),
        dy_(cut::rows_of(l, kDy, walk.time_axis)),
        dgates_(l.out(kDgates), walk.time_axis) {
    m_.hidden.pack(l);
  }

  void run() const {
    l_.parallel_for(walk_.batch, cut::rows_together(walk_.batch), [&](int64_t begin, int64_t end) {
      const Rows dh = cut::rows_of(l_, kDh, 0);
      const Rows dh0 = cut::out_rows(l_, kDh0, 0);
      for (int64_t b = begin; b < end; ++b) {
        recurrent::load_state<T>(dh, b, m_.dh.row(b), y_.columns);
        std::fill_n(m_.dgates.row(b), y_.columns, C{0});
      }
      for (int64_t i = walk_.steps - 1; i >= 0; --i) step(walk_.time_of(i), begin, end);
      for (int64_t b = begin; b < end; ++b) recurrent::put<T>(dh0, 0, b, m_.dh.row(b));
    });
  }

 private:
  void step(int64_t time, int64_t begin, int64_t end) const {
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) {
        row(time, b);
      } else {
        recurrent::put_zeros<T>(dgates_, time, b);
      }
    }
    recurrent::multiply(l_, is_whole_, begin, end, m_.dgates, m_.hidden, m_.products);
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) std::copy_n(m_.products.row(b), y_.columns, m_.dh.row(b));
    }
  }

  void row(int64_t time, int64_t b) const {
    if (dy_.data) {
      const C* dy = recurrent::get<T>(dy_, time, b, m_.dy_room.row(b));
      recurrent::for_vectors<C>(y_.columns, recurrent::AddRow<C>{dy, m_.dh.row(b)});
    }
    const C* y = recurrent::get<T>(y_, time, b, m_.y_room.row(b));
    recurrent::for_vectors<C>(y_.columns, Slope<C>{y, m_.dh.row(b), m_.dgates.row(b), is_relu_});
    recurrent::put<T>(dgates_, time, b, m_.dgates.row(b));
  }

  const sdk::Launch& l_;
  const Walk& walk_;
  const bool is_whole_;
  const MemoryBack<T> m_;
  const bool is_relu_;
  const Rows y_, dy_, dgates_;
};

constexpr tenon_slot_rule in = backends::any_in();
constexpr tenon_slot_rule out = backends::any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, in, out, out};
constexpr tenon_slot_rule grad_slots[] = {in, in, in, in, in, out, out};

struct ForwardOp {
  template <class T>
  using Steps = Forward<T>;
  template <class T>
  using Memory = Needed<T>;
  static constexpr uint32_t kSequence = kGates;
  static constexpr uint32_t kLengths = Input::kLengths;
  static constexpr uint32_t kReverse = Attribute::kReverse;
  static constexpr uint32_t kBatchFirst = Attribute::kBatchFirst;
};
struct BackwardOp {
  template <class T>
  using Steps = Backward<T>;
  template <class T>
  using Memory = MemoryBack<T>;
  static constexpr uint32_t kSequence = kResult;
  static constexpr uint32_t kLengths = kGradLengths;
  static constexpr uint32_t kReverse = Attribute::kReverse;
  static constexpr uint32_t kBatchFirst = Attribute::kBatchFirst;
};
constexpr tenon_kernel_desc kernels[] = {
    recurrent::StepsOp<ForwardOp>::kernel("tenon.rnn_steps", slots, kAttributes),
    recurrent::StepsOp<BackwardOp>::kernel("tenon.rnn_steps_grad", grad_slots, kAttributes),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> rnn_steps_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(rnn) = {.chosen_kernels = TENON_CPU_CHOOSE(rnn_steps_kernels)};
#endif
