// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/ctc_nll.cc: the loss of sequences without an alignment, and its gradient.
//
//   a'[s] = l(a[s], a[s-1], a[s-2] if it may skip) + x[t,z[s]] frame after frame
//   l(p, q, r) = m + log((exp(p - m) + exp(q - m)) + exp(r - m)), m = max(p, q, r) if finite, else
//   0 y = -l(a[S-1], a[S-2], -inf) dx[t,c] = 0 - dy exp((a[t,s] + b[t,s]) + y) - ... for the states
//   s that emit c
// with states z = blank, label 0, blank, ..., blank, S of them. b is a of the reversed states and
// frames before x is added, so one loop serves both. States of a frame do not depend on each other:
// they are lanes of vectors, and no bit depends on how many there are. Sequences are pieces of
// work.

#include "vectors.h"

#include "common/alignments.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ctc_nll.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace backends;

template <class C>
inline constexpr C kNever = -std::numeric_limits<C>::infinity();

template <class V>
HWY_INLINE V log_sum(V p, V q, V r) {
  V most = hn::Max(hn::Max(p, q), r);
  most = hn::IfThenElseZero(hn::IsFinite(most), most);
  const auto power = [&](V v) HWY_ATTR { return math::Exp()(hn::Sub(v, most)); };
  return hn::Add(most, math::Log()(hn::Add(hn::Add(power(p), power(q)), power(r))));
}

// States past the last, up to a whole vector, are computed too and not looked at: states depend on
// earlier ones alone.
constexpr int64_t kPast = 16;
constexpr int64_t kBefore = 2;  // states -2 and -1
constexpr int64_t width_of(int64_t states) { return kBefore + states + kPast; }

// Numbers for each state in scratch memory.
template <class C>
struct Room {
  C* now;      // a, after states -2 and -1
  C* next;     // the same of the next frame
  C* reached;  // a before x is added
  C* emitted;  // x
  C* skips;    // 1 if a state may follow the last but one, else 0
  int64_t* classes;
  C* rows;  // a of each frame, for the gradient

  static constexpr int64_t kLines = 6;

  // Of a sequence, after `column` states of others.
  Room(char* scratch, int64_t lines, int64_t column, const Labelling& sequence) {
    const int64_t width = width_of(sequence.states());
    auto* place = reinterpret_cast<double*>(scratch) + lines * column;
    const auto line = [&] { return reinterpret_cast<C*>(std::exchange(place, place + width)); };
    now = line() + kBefore;
    next = line() + kBefore;
    reached = line();
    emitted = line();
    skips = line();
    classes = reinterpret_cast<int64_t*>(line());
    rows = reinterpret_cast<C*>(place);
  }
};

// Scratch for every sequence's room: as many states as its labels among all of them allow.
uint64_t scratch_bytes(const sdk::Args& args, uint32_t slot, int64_t lines) {
  const int64_t labels = sdk::count_of(args.shape(slot + 1));
  const int64_t states = 2 * labels + args.shape(slot)[1] * width_of(1);
  return static_cast<uint64_t>(states * lines) * sizeof(double);
}
int64_t column_of(int64_t n, const Labelling& sequence) {
  return 2 * sequence.first + n * width_of(1);
}

// One sequence, walked from its first frame or from its last.
template <class C>
class Walk {
 public:
  Walk(const Alignments& all, const Labelling& sequence, const sdk::Strided& x, int64_t n,
       const Room<C>& room)
      : all_(all), sequence_(sequence), x_(x), room_(room) {
    x_.data += n * x.step[1];
  }

  // Sets what holds of the states; those of a reversed walk are numbered from the last.
  void begin(bool is_reversed) {
    const int64_t states = sequence_.states();
    for (int64_t s = 0; s < states; ++s) {
      const int64_t own = is_reversed ? states - 1 - s : s;
      room_.classes[s] = all_.state_class(sequence_, own);
      // A state follows -1 before the first frame alone, where no other state is.
      const bool may = s < 2 || all_.may_skip(sequence_, is_reversed ? own + 2 : own);
      room_.skips[s] = static_cast<C>(may && s % 2 == 1);
    }
    std::fill(room_.skips + states, room_.skips + states + kPast, C{0});
    std::fill(room_.emitted, room_.emitted + states + kPast, C{0});
    for (C* line : {room_.now, room_.next}) {
      std::fill(line - kBefore, line + states + kPast, kNever<C>);
    }
    room_.now[-1] = 0;
  }

  // Takes frame `t`; afterwards `reached` is of that frame and `now` too.
  void step(int64_t t) {
    const char* row = x_.data + t * x_.step[0];
    const int64_t states = sequence_.states();
    for (int64_t s = 0; s < states; ++s)
      room_.emitted[s] = sdk::load<C>(row + room_.classes[s] * x_.step[2]);
    const hn::ScalableTag<C> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto never = hn::Set(d, kNever<C>);
    for (int64_t s = 0; s < states; s += lanes) {
      const auto skips = hn::Gt(hn::LoadU(d, room_.skips + s), hn::Zero(d));
      const auto skipped = hn::IfThenElse(skips, hn::LoadU(d, room_.now + s - 2), never);
      const auto reached =
          log_sum(hn::LoadU(d, room_.now + s), hn::LoadU(d, room_.now + s - 1), skipped);
      hn::StoreU(reached, d, room_.reached + s);
      hn::StoreU(hn::Add(reached, hn::LoadU(d, room_.emitted + s)), d, room_.next + s);
    }
    std::swap(room_.now, room_.next);
    room_.now[-1] = kNever<C>;
  }

  // After the last frame of a walk that is not reversed.
  C loss() const {
    const hn::ScalableTag<C> d;
    const C* last = room_.now + sequence_.states() - 1;
    const auto found = log_sum(hn::Set(d, last[0]), hn::Set(d, last[-1]), hn::Set(d, kNever<C>));
    return -hn::GetLane(found);
  }

  // Walks all frames and keeps a of each, the last state first.
  void keep_rows() {
    begin(false);
    const int64_t states = sequence_.states();
    for (int64_t t = 0; t < sequence_.frames; ++t) {
      step(t);
      std::reverse_copy(room_.now, room_.now + states, room_.rows + t * width_of(states));
    }
  }

  // Subtracts the shares of frame t from a row of classes, after step(t) of a reversed walk.
  void subtract_shares(int64_t t, C loss, C dy, char* row, int64_t step) {
    const hn::ScalableTag<C> d;
    const int64_t states = sequence_.states();
    const C* a = room_.rows + t * width_of(states);
    for (int64_t s = 0; s < states; s += static_cast<int64_t>(hn::Lanes(d))) {
      const auto both = hn::Add(hn::LoadU(d, a + s), hn::LoadU(d, room_.reached + s));
      const auto share = math::Exp()(hn::Add(both, hn::Set(d, loss)));
      hn::StoreU(hn::Mul(hn::Set(d, dy), share), d, room_.emitted + s);
    }
    for (int64_t s = 0; s < states; ++s) {
      char* to = row + room_.classes[s] * step;
      sdk::store(to, sdk::load<C>(to) - room_.emitted[s]);
    }
  }

 private:
  const Alignments& all_;
  const Labelling& sequence_;
  sdk::Strided x_;
  Room<C> room_;
};

// Work for a thread: sequences of so many states and frames.
int64_t grain_of_sequences(const sdk::Launch& l, uint32_t slot) {
  const auto batch = std::max<int64_t>(l.shape(slot)[1], 1);
  const int64_t states = 1 + 2 * sdk::count_of(l.shape(slot + 1)) / batch;
  return std::max<int64_t>(1, 4096 / (states * std::max<int64_t>(l.shape(slot)[0], 1)));
}

void forward(const sdk::Launch& l) {
  const Alignments all(l, 0);
  const sdk::Strided x = sdk::strided(l.view(0)), out = sdk::strided(l.out());
  const bool zero_infinity = l.attrs.flag(kZeroInfinity);
  auto* scratch = reinterpret_cast<char*>(l.scratch().data());
  sdk::dispatch_dtype<AlignmentTypes>(l.out().dtype, [&]<class C>() HWY_ATTR {
    l.parallel_for(
        l.shape(0)[1], grain_of_sequences(l, 0), [&](int64_t first, int64_t end) HWY_ATTR {
          all.for_sequences(first, end, [&](int64_t n, const Labelling& sequence) HWY_ATTR {
            const Room<C> room(scratch, Room<C>::kLines, column_of(n, sequence), sequence);
            Walk<C> walk(all, sequence, x, n, room);
            walk.begin(false);
            for (int64_t t = 0; t < sequence.frames; ++t) walk.step(t);
            const C loss = walk.loss();
            const bool impossible = loss == -kNever<C>;
            sdk::store(out.data + n * out.step[0], impossible && zero_infinity ? C{0} : loss);
          });
        });
  });
}
uint64_t forward_workspace(const sdk::Args& args) {
  return scratch_bytes(args, 0, Room<double>::kLines);
}

template <class C>
struct Backward {
  sdk::Strided dy, x, out;
  int64_t frames, classes;
  bool zero_infinity;

  explicit Backward(const sdk::Launch& l)
      : dy(sdk::strided(l.view(0))),
        x(sdk::strided(l.view(1))),
        out(sdk::strided(l.out())),
        frames(l.shape(1)[0]),
        classes(l.shape(1)[2]),
        zero_infinity(l.attrs.flag(kZeroInfinity)) {}

  char* row(int64_t t, int64_t n) const { return out.data + t * out.step[0] + n * out.step[1]; }
  void put_zeros(int64_t n) const {
    for (int64_t t = 0; t < frames; ++t) {
      for (int64_t c = 0; c < classes; ++c) sdk::store(row(t, n) + c * out.step[2], C{0});
    }
  }
  void sequence(const Alignments& all, const Labelling& sequence, int64_t n,
                const Room<C>& room) const {
    put_zeros(n);
    Walk<C> walk(all, sequence, x, n, room);
    walk.keep_rows();
    const C loss = walk.loss();
    if (zero_infinity && loss == -kNever<C>) return;
    const C slope = sdk::load<C>(dy.data + n * dy.step[0]);
    walk.begin(true);
    for (int64_t t = sequence.frames; t-- > 0;) {
      walk.step(t);
      walk.subtract_shares(t, loss, slope, row(t, n), out.step[2]);
    }
  }
};

int64_t backward_lines(const sdk::Args& args) { return Room<double>::kLines + args.shape(1)[0]; }

void backward(const sdk::Launch& l) {
  const Alignments all(l, 1);
  auto* scratch = reinterpret_cast<char*>(l.scratch().data());
  sdk::dispatch_dtype<AlignmentTypes>(l.out().dtype, [&]<class C>() HWY_ATTR {
    const Backward<C> each(l);
    l.parallel_for(
        l.shape(1)[1], grain_of_sequences(l, 1), [&](int64_t first, int64_t end) HWY_ATTR {
          all.for_sequences(first, end, [&](int64_t n, const Labelling& sequence) HWY_ATTR {
            const Room<C> room(scratch, backward_lines(l), column_of(n, sequence), sequence);
            each.sequence(all, sequence, n, room);
          });
        });
  });
}
uint64_t backward_workspace(const sdk::Args& args) {
  return scratch_bytes(args, 1, backward_lines(args));
}

constexpr tenon_slot_rule forward_slots[] = {any_in(), any_in(), any_in(), any_in(), any_out()};
constexpr tenon_slot_rule backward_slots[] = {any_in(), any_in(), any_in(),
                                              any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.ctc_nll", forward_slots, kAlignmentDtypes, kAlignmentAttributes,
           sdk::launch_fn<forward>, {.workspace = sdk::workspace_fn<forward_workspace>}),
    kernel("tenon.ctc_nll_grad", backward_slots, kAlignmentDtypes, kAlignmentAttributes,
           sdk::launch_fn<backward>, {.workspace = sdk::workspace_fn<backward_workspace>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> ctc_nll_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(ctc_nll) = {.chosen_kernels = TENON_CPU_CHOOSE(ctc_nll_kernels)};
#endif
