// SPDX-License-Identifier: Apache-2.0
// backends/cpu/recurrent/lstm_grad.cc: lstm_steps_grad, back through time from the gates and cells
// that lstm_steps kept.
//
// The canonical arithmetic of plugins/ops/recurrent/lstm_steps_grad.cc, cut as in lstm.cc: a thread
// takes some rows of the batch through all steps, the gates' gradients a row at a time, then their
// product with w_hh.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "recurrent/lstm_grad.cc"
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

enum Input : uint32_t {
  kKept,
  kCells,
  kHidden,
  kDy,
  kDh,
  kDc,
  kC0,
  kProjection,
  kLengths,
  kDkept,
  kDcells
};
enum Attribute : uint32_t { kReverse, kBatchFirst, kAttributes };
enum Output : uint32_t { kDgates, kDh0, kDc0, kDstates };

// The gradients of one row's gates. `du` is that of o tanh(c).
template <class C>
struct GatesBack {
  const C* kept;
  const C* cells;
  const C* before;
  const C* du;
  const C* dkept;   // or no data
  const C* dcells;  // or no data
  int64_t hidden;
  C* dc;
  C* dgates;

  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    const auto with_kept = [&](auto v, int64_t gate) HWY_ATTR {
      return dkept ? hn::Add(v, at.load(d, dkept + gate * hidden)) : v;
    };
    const auto i = at.load(d, kept);
    const auto f = at.load(d, kept + hidden);
    const auto g = at.load(d, kept + 2 * hidden);
    const auto o = at.load(d, kept + 3 * hidden);
    const auto u = at.load(d, du);
    const auto bent = math::Tanh()(at.load(d, cells));
    auto c = hn::Add(at.load(d, dc), recurrent::tanh_slope(d, hn::Mul(u, o), bent));
    if (dcells) c = hn::Add(c, at.load(d, dcells));
    const auto di = with_kept(hn::Mul(c, g), 0);
    const auto df = with_kept(hn::Mul(c, at.load(d, before)), 1);
    const auto dg = with_kept(hn::Mul(c, i), 2);
    const auto d_o = with_kept(hn::Mul(u, bent), 3);
    at.store(d, hn::Mul(c, f), dc);
    at.store(d, recurrent::sigmoid_slope(d, di, i), dgates);
    at.store(d, recurrent::sigmoid_slope(d, df, f), dgates + hidden);
    at.store(d, recurrent::tanh_slope(d, dg, g), dgates + 2 * hidden);
    at.store(d, recurrent::sigmoid_slope(d, d_o, o), dgates + 3 * hidden);
  }
};

template <class T>
struct Needed {
  using C = Number<T>;

  Needed(const sdk::Args& args, int64_t batch, C* memory) : scratch(memory) {
    const tenon_view& w_hh = args.view(kHidden);
    const int64_t gates = w_hh.shape[0];
    const int64_t width = gates / 4;
    hidden = {recurrent::Stored<T>(w_hh), scratch};
    if (args.given(kProjection)) {
      projection = {recurrent::Stored<T>(args.view(kProjection)), scratch};
      du = {scratch, batch, width};
    }
    dh = {scratch, batch, w_hh.shape[1]};
    dc = {scratch, batch, width};
    products = {scratch, batch, w_hh.shape[1]};
    dgates = {scratch, batch, gates};
    kept_room = {scratch, batch, gates};
    dkept_room = {scratch, batch, gates};
    cells_room = {scratch, batch, width};
    before_room = {scratch, batch, width};
    dcells_room = {scratch, batch, width};
    dy_room = {scratch, batch, w_hh.shape[1]};
  }

  recurrent::Scratch<C> scratch;
  recurrent::Weight<T> hidden, projection;
  recurrent::Matrix<C> dh, dc, products, du, dgates;
  recurrent::Matrix<C> kept_room, dkept_room, cells_room, before_room, dcells_room, dy_room;
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
        width_(l.shape(kHidden)[0] / 4),
        state_(l.shape(kHidden)[1]),
        kept_(l.view(kKept), walk.time_axis),
        cells_(l.view(kCells), walk.time_axis),
        dy_(cut::rows_of(l, kDy, walk.time_axis)),
        c0_(cut::rows_of(l, kC0, 0)),
        dkept_(cut::rows_of(l, kDkept, walk.time_axis)),
        dcells_(cut::rows_of(l, kDcells, walk.time_axis)),
        dgates_(l.out(kDgates), walk.time_axis),
        dstates_(cut::out_rows(l, kDstates, walk.time_axis)) {
    m_.hidden.pack(l);
    if (projects()) m_.projection.pack(l);
  }

  void run() const {
    l_.parallel_for(walk_.batch, cut::rows_together(walk_.batch), [&](int64_t begin, int64_t end) {
      load(begin, end);
      for (int64_t i = walk_.steps - 1; i >= 0; --i) step(i, begin, end);
      store(begin, end);
    });
  }

 private:
  bool projects() const { return l_.given(kProjection); }

  void load(int64_t begin, int64_t end) const {
    const Rows dh = cut::rows_of(l_, kDh, 0);
    const Rows dc = cut::rows_of(l_, kDc, 0);
    for (int64_t b = begin; b < end; ++b) {
      recurrent::load_state<T>(dh, b, m_.dh.row(b), state_);
      recurrent::load_state<T>(dc, b, m_.dc.row(b), width_);
      std::fill_n(m_.dgates.row(b), 4 * width_, C{0});
    }
  }

  void store(int64_t begin, int64_t end) const {
    const Rows dh0 = cut::out_rows(l_, kDh0, 0);
    const Rows dc0 = cut::out_rows(l_, kDc0, 0);
    for (int64_t b = begin; b < end; ++b) {
      recurrent::put<T>(dh0, 0, b, m_.dh.row(b));
      recurrent::put<T>(dc0, 0, b, m_.dc.row(b));
    }
  }

  void step(int64_t i, int64_t begin, int64_t end) const {
    const int64_t time = walk_.time_of(i);
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) begin_row(time, b);
    }
    if (projects()) {
      recurrent::multiply(l_, is_whole_, begin, end, m_.dh, m_.projection, m_.du);
    }
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) {
        gates(i, b);
      } else {
        recurrent::put_zeros<T>(dgates_, time, b);
        recurrent::put_zeros<T>(dstates_, time, b);
      }
    }
    if (i == 0 && !l_.wants_out(kDh0)) return;
    recurrent::multiply(l_, is_whole_, begin, end, m_.dgates, m_.hidden, m_.products);
    for (int64_t b = begin; b < end; ++b) {
      if (walk_.is_live(b, time)) std::copy_n(m_.products.row(b), state_, m_.dh.row(b));
    }
  }

  // The gradient of the row's state, from its result and from later steps.
  void begin_row(int64_t time, int64_t b) const {
    if (dy_.data) {
      const C* dy = recurrent::get<T>(dy_, time, b, m_.dy_room.row(b));
      recurrent::for_vectors<C>(state_, recurrent::AddRow<C>{dy, m_.dh.row(b)});
    }
    recurrent::put<T>(dstates_, time, b, m_.dh.row(b));
  }

  // What the step before has left in the cell.
  const C* before(int64_t i, int64_t b) const {
    const int64_t time = walk_.time_of(i);
    C* const room = m_.before_room.row(b);
    if (!walk_.begins(b, time)) {
      return recurrent::get<T>(cells_, walk_.time_of(i - 1), b, room);
    }
    if (c0_.data) return recurrent::get<T>(c0_, 0, b, room);
    std::fill_n(room, width_, C{0});
    return room;
  }

  void gates(int64_t i, int64_t b) const {
    const int64_t time = walk_.time_of(i);
    GatesBack<C> row{};
    row.kept = recurrent::get<T>(kept_, time, b, m_.kept_room.row(b));
    row.cells = recurrent::get<T>(cells_, time, b, m_.cells_room.row(b));
    row.before = before(i, b);
    row.du = projects() ? m_.du.row(b) : m_.dh.row(b);
    if (dkept_.data) row.dkept = recurrent::get<T>(dkept_, time, b, m_.dkept_room.row(b));
    if (dcells_.data) row.dcells = recurrent::get<T>(dcells_, time, b, m_.dcells_room.row(b));
    row.hidden = width_;
    row.dc = m_.dc.row(b);
    row.dgates = m_.dgates.row(b);
    recurrent::for_vectors<C>(width_, row);
    recurrent::put<T>(dgates_, time, b, row.dgates);
  }

  const sdk::Launch& l_;
  const Walk& walk_;
  const bool is_whole_;
  const Needed<T> m_;
  const int64_t width_, state_;
  const Rows kept_, cells_, dy_, c0_, dkept_, dcells_, dgates_, dstates_;
};

constexpr tenon_slot_rule in = backends::any_in();
constexpr tenon_slot_rule out = backends::any_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in,  in,  in,  in, in,
                                     in, in, in, out, out, out, out};

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
    recurrent::StepsOp<Op>::kernel("tenon.lstm_steps_grad", slots, kAttributes)};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> lstm_steps_grad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(lstm_grad) = {.chosen_kernels = TENON_CPU_CHOOSE(lstm_steps_grad_kernels)};
#endif
