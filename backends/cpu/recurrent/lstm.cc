// SPDX-License-Identifier: Apache-2.0
// backends/cpu/recurrent/lstm.cc: lstm_steps, s = x + h w_hh^T, c = sigmoid(s_f) c + sigmoid(s_i)
// tanh(s_g), h = sigmoid(s_o) tanh(c) for each step.
//
// The canonical arithmetic of plugins/ops/recurrent/lstm_steps.cc. w_hh is packed once; a thread
// takes some rows of the batch through all steps: the product of their states, then their gates, a
// row at a time.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "recurrent/lstm.cc"
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

enum Input : uint32_t { kGates, kHidden, kH0, kC0, kBiasIh, kBiasHh, kProjection, kLengths };
enum Attribute : uint32_t { kReverse, kBatchFirst, kAttributes };
enum Output : uint32_t { kY, kLastH, kLastC, kKept, kCells };

// A row of one kind of gate, from what the step's input and the state before make of it. Each kind
// is a pass of its own: the constants of one function fit in the registers.
template <class C, class Function>
struct Gate {
  const C* own;
  const C* bias;  // or no data
  const C* product;
  C* gate;

  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    auto s = at.load(d, own);
    if (bias) s = hn::Add(s, at.load(d, bias));
    at.store(d, Function()(hn::Add(s, at.load(d, product))), gate);
  }
};

// What the gates of one row make of its cells.
template <class C>
struct Cells {
  const C* gates;
  int64_t hidden;
  C* cells;
  C* c;
  C* u;  // o tanh(c)

  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    const auto gate = [&](int64_t i) HWY_ATTR { return at.load(d, gates + i * hidden); };
    const auto cell = hn::Add(hn::Mul(gate(1), at.load(d, c)), hn::Mul(gate(0), gate(2)));
    at.store(d, cell, cells);
    at.store(d, cell, c);
    at.store(d, hn::Mul(gate(3), math::Tanh()(cell)), u);
  }
};

template <class T>
struct Needed {
  using C = Number<T>;

  Needed(const sdk::Args& args, int64_t batch, C* memory) : scratch(memory) {
    const tenon_view& w_hh = args.view(kHidden);
    const int64_t gates = w_hh.shape[0];
    const int64_t width = gates / 4;
    hidden = {recurrent::Stored<T>(w_hh).transposed(), scratch};
    if (args.given(kProjection)) {
      projection = {recurrent::Stored<T>(args.view(kProjection)).transposed(), scratch};
      u = {scratch, batch, width};
      projected = {scratch, batch, w_hh.shape[1]};
    }
    bias = scratch.take(gates);
    h = {scratch, batch, w_hh.shape[1]};
    c = {scratch, batch, width};
    products = {scratch, batch, gates};
    gates_room = {scratch, batch, gates};
    kept_room = {scratch, batch, gates};
    cells_room = {scratch, batch, width};
  }

  recurrent::Scratch<C> scratch;
  recurrent::Weight<T> hidden, projection;
  C* bias;
  recurrent::Matrix<C> h, c, products, u, projected;
  recurrent::Matrix<C> gates_room, kept_room, cells_room;
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
        width_(l.shape(kHidden)[0] / 4),
        gates_(l.view(kGates), walk.time_axis),
        y_(l.out(kY), walk.time_axis),
        kept_(cut::out_rows(l, kKept, walk.time_axis)),
        cells_(cut::out_rows(l, kCells, walk.time_axis)) {
    const Rows b_ih = cut::rows_of(l, kBiasIh, 0);
    const Rows b_hh = cut::rows_of(l, kBiasHh, 0);
    bias_ = recurrent::sum_biases<T>(b_ih, b_hh, m_.bias, m_.products.data);
    m_.hidden.pack(l);
    if (projects()) m_.projection.pack(l);
  }

  void run() const {
    l_.parallel_for(walk_.batch, cut::rows_together(walk_.batch), [&](int64_t begin, int64_t end) {
      load(begin, end);
      for (int64_t i = 0; i < walk_.steps; ++i) step(walk_.time_of(i), begin, end);
      store(begin, end);
    });
  }

 private:
  bool projects() const { return l_.given(kProjection); }

  void load(int64_t begin, int64_t end) const {
    const Rows h0 = cut::rows_of(l_, kH0, 0);
    const Rows c0 = cut::rows_of(l_, kC0, 0);
    for (int64_t b = begin; b < end; ++b) {
      recurrent::load_state<T>(h0, b, m_.h.row(b), y_.columns);
      recurrent::load_state<T>(c0, b, m_.c.row(b), width_);
      if (projects()) std::fill_n(m_.u.row(b), width_, C{0});
    }
  }

  void store(int64_t begin, int64_t end) const {
    const Rows h_n(l_.out(kLastH), 0);
    const Rows c_n(l_.out(kLastC), 0);
    for (int64_t b = begin; b < end; ++b) {
      recurrent::put<T>(h_n, 0, b, m_.h.row(b));
      recurrent::put<T>(c_n, 0, b, m_.c.row(b));
    }
  }

  void step(int64_t time, int64_t begin, int64_t end) const {
    recurrent::multiply(l_, is_whole_, begin, end, m_.h, m_.hidden, m_.products);
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) gates(time, b);
    }
    if (projects()) project(time, begin, end);
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) {
        recurrent::put<T>(y_, time, b, m_.h.row(b));
        continue;
      }
      recurrent::put_zeros<T>(y_, time, b);
      recurrent::put_zeros<T>(kept_, time, b);
      recurrent::put_zeros<T>(cells_, time, b);
    }
  }

  void gates(int64_t time, int64_t b) const {
    C* const kept = recurrent::place<T>(kept_, time, b, m_.kept_room.row(b));
    C* const cells = recurrent::place<T>(cells_, time, b, m_.cells_room.row(b));
    const C* const own = recurrent::get<T>(gates_, time, b, m_.gates_room.row(b));
    const C* const product = m_.products.row(b);
    const auto pass = [&]<class Function>(Function, int64_t gate, int64_t count) HWY_ATTR {
      const int64_t from = gate * width_;
      const C* const bias = bias_ ? bias_ + from : nullptr;
      recurrent::for_vectors<C>(count * width_,
                                Gate<C, Function>{own + from, bias, product + from, kept + from});
    };
    pass(math::Sigmoid(), 0, 2);
    pass(math::Tanh(), 2, 1);
    pass(math::Sigmoid(), 3, 1);
    recurrent::for_vectors<C>(
        width_, Cells<C>{kept, width_, cells, m_.c.row(b), projects() ? m_.u.row(b) : m_.h.row(b)});
    recurrent::put<T>(kept_, time, b, kept);
    recurrent::put<T>(cells_, time, b, cells);
  }

  void project(int64_t time, int64_t begin, int64_t end) const {
    recurrent::multiply(l_, is_whole_, begin, end, m_.u, m_.projection, m_.projected);
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) std::copy_n(m_.projected.row(b), y_.columns, m_.h.row(b));
    }
  }

  const sdk::Launch& l_;
  const Walk& walk_;
  const bool is_whole_;
  const Needed<T> m_;
  const int64_t width_;
  const Rows gates_, y_, kept_, cells_;
  const C* bias_;
};

constexpr tenon_slot_rule in = backends::any_in();
constexpr tenon_slot_rule out = backends::any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, in, in, in, out, out, out, out, out};

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
    recurrent::StepsOp<Op>::kernel("tenon.lstm_steps", slots, kAttributes)};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> lstm_steps_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(lstm) = {.chosen_kernels = TENON_CPU_CHOOSE(lstm_steps_kernels)};
#endif
