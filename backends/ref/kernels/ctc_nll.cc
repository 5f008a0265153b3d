// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/ctc_nll.cc: the loss of sequences without an alignment, and its gradient.
//
//   a[t,s] = logsumexp(a[t-1,s], a[t-1,s-1], a[t-1,s-2] if it may skip) + x[t,z[s]]
//   b[t,s] = logsumexp of b[t+1,r] + x[t+1,z[r]], r = s, s+1 and s+2 if it may skip
//   y = -logsumexp(a[T-1,S-1], a[T-1,S-2])
//   dx[t,c] = -dy sum of exp(a[t,s] + b[t,s] + y) over the states s that emit c
// with states z = blank, label 0, blank, ..., blank, S of them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/alignments.h"
#include "kernels/ref.h"

namespace tenon::ref {
namespace {

using namespace backends;

template <class W>
inline constexpr W kNever = -std::numeric_limits<W>::infinity();

template <class W>
W log_sum(W p, W q, W r) {
  const W most = std::max({p, q, r});
  const W by = std::isfinite(most) ? most : W{0};
  return by + std::log(std::exp(p - by) + std::exp(q - by) + std::exp(r - by));
}

// One sequence with its tables of logarithms, a row for each frame.
template <class T, class W = Wider<T>>
struct Lattice {
  const Alignments& all;
  Labelling sequence;
  const char* log_probs;
  int64_t frame_step, class_step;
  W* a;
  W* b;

  int64_t states() const { return sequence.states(); }
  W& at(W* table, int64_t t, int64_t s) const { return table[t * states() + s]; }
  W emitted(int64_t t, int64_t s) const {
    const int64_t c = all.state_class(sequence, s);
    return static_cast<W>(sdk::load<T>(log_probs + t * frame_step + c * class_step));
  }
  W before(int64_t t, int64_t s) const { return s >= 0 ? at(a, t, s) : kNever<W>; }
  W after(int64_t t, int64_t s) const {
    return s < states() ? at(b, t, s) + emitted(t, s) : kNever<W>;
  }

  void fill_a() const {
    for (int64_t t = 0; t < sequence.frames; ++t) {
      for (int64_t s = 0; s < states(); ++s) {
        W reached = s <= 1 ? W{0} : kNever<W>;
        if (t > 0) {
          const W skipped = all.may_skip(sequence, s) ? before(t - 1, s - 2) : kNever<W>;
          reached = log_sum(before(t - 1, s), before(t - 1, s - 1), skipped);
        }
        at(a, t, s) = reached + emitted(t, s);
      }
    }
  }
  void fill_b() const {
    for (int64_t t = sequence.frames; t-- > 0;) {
      for (int64_t s = 0; s < states(); ++s) {
        at(b, t, s) = s + 2 >= states() ? W{0} : kNever<W>;
        if (t + 1 == sequence.frames) continue;
        const bool skips = s + 2 < states() && all.may_skip(sequence, s + 2);
        const W skipped = skips ? after(t + 1, s + 2) : kNever<W>;
        at(b, t, s) = log_sum(after(t + 1, s), after(t + 1, s + 1), skipped);
      }
    }
  }
  W loss() const {
    const int64_t last = sequence.frames - 1;
    if (last < 0) return states() == 1 ? W{0} : -kNever<W>;
    return -log_sum(before(last, states() - 1), before(last, states() - 2), kNever<W>);
  }
};

template <class T>
Lattice<T> lattice_of(const sdk::Launch& l, uint32_t slot, const Alignments& all, int64_t n,
                      const Labelling& sequence) {
  const sdk::Strided x = sdk::strided(l.view(slot));
  auto* tables = reinterpret_cast<Wider<T>*>(l.scratch().data());
  return {all,
          sequence,
          x.data + n * x.step[1],
          x.step[0],
          x.step[2],
          tables,
          tables + sequence.frames * sequence.states()};
}

// Two tables of the most labels that a sequence can have.
template <uint32_t kSlot>
uint64_t workspace(const sdk::Args& args) {
  const auto frames = static_cast<uint64_t>(args.shape(kSlot)[0]);
  const auto labels = static_cast<uint64_t>(args.shape(kSlot + 1).back());
  return frames * (2 * labels + 1) * 2 * sizeof(long double);
}

void forward(const sdk::Launch& l) {
  const Alignments all(l, 0);
  const sdk::Strided out = sdk::strided(l.out());
  sdk::dispatch_dtype<AlignmentTypes>(l.out().dtype, [&]<class T>() {
    all.for_each_sequence([&](int64_t n, const Labelling& sequence) {
      const Lattice<T> lattice = lattice_of<T>(l, 0, all, n, sequence);
      lattice.fill_a();
      auto loss = lattice.loss();
      if (l.attrs.flag(kZeroInfinity) && std::isinf(loss) && loss > 0) loss = 0;
      sdk::store(out.data + n * out.step[0], static_cast<T>(loss));
    });
  });
}

// The gradient of one sequence, whose numbers begin at `out`.
template <class T>
void put_gradient(const Lattice<T>& lattice, T dy, Wider<T> loss, const sdk::Strided& out) {
  using W = Wider<T>;
  for (int64_t t = 0; t < lattice.sequence.frames; ++t) {
    char* row = out.data + t * out.step[0];
    // A sum for each class in wide numbers, however often it is among the labels.
    for (int64_t s = 0; s < lattice.states(); ++s) {
      const int64_t c = lattice.all.state_class(lattice.sequence, s);
      W sum = 0;
      for (int64_t r = 0; r < lattice.states(); ++r) {
        if (lattice.all.state_class(lattice.sequence, r) != c) continue;
        sum -= dy * std::exp(lattice.at(lattice.a, t, r) + lattice.at(lattice.b, t, r) + loss);
      }
      sdk::store(row + c * out.step[2], static_cast<T>(sum));
    }
  }
}

void backward(const sdk::Launch& l) {
  const Alignments all(l, 1);
  const tenon_view& y = l.out();
  const sdk::Strided dy = sdk::strided(l.view(0));
  sdk::dispatch_dtype<AlignmentTypes>(y.dtype, [&]<class T>() {
    sdk::walk<1>(sdk::shape_of(y), {sdk::strided(y)}, [](const sdk::Run<1>& run) {
      for (int64_t i = 0; i < run.count; ++i) sdk::store(run.data[0] + i * run.step[0], T{0});
    });
    all.for_each_sequence([&](int64_t n, const Labelling& sequence) {
      const Lattice<T> lattice = lattice_of<T>(l, 1, all, n, sequence);
      lattice.fill_a();
      lattice.fill_b();
      const auto loss = lattice.loss();
      if (l.attrs.flag(kZeroInfinity) && std::isinf(loss) && loss > 0) return;
      sdk::Strided out = sdk::strided(y);
      out.data += n * out.step[1];
      put_gradient<T>(lattice, sdk::load<T>(dy.data + n * dy.step[0]), loss, out);
    });
  });
}

constexpr tenon_slot_rule forward_slots[] = {
    sdk::strided_in(), sdk::strided_in(), sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule backward_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                              sdk::strided_in(), sdk::strided_in(),
                                              sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.ctc_nll", forward_slots, kAlignmentDtypes, kAlignmentAttributes,
           sdk::launch_fn<forward>,
           {.flags = kOracle, .workspace = sdk::workspace_fn<workspace<0>>}),
    kernel("tenon.ctc_nll_grad", backward_slots, kAlignmentDtypes, kAlignmentAttributes,
           sdk::launch_fn<backward>,
           {.flags = kOracle, .workspace = sdk::workspace_fn<workspace<1>>}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(ctc_nll) = {.kernels = tenon::ref::kernels};
