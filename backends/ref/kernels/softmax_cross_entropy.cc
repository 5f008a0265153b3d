// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/softmax_cross_entropy.cc: the fused loss and its gradient.
//
//   loss   = - 1/R sum over valid rows n of log_softmax(logits[n])[target[n]]
//   grad   = (p[n, c] - [c == target[n]]) dy / R    in valid rows, else 0
// with p[n, c] = exp(logits[n, c] - top[n]) top_prob[n], top and top_prob being what the forward
// keeps of a row: its largest logit and the probability of that.
// R is the number of rows whose target is not ignore_index. Without any, loss and gradient are 0.

#include "common/indices.h"
#include "kernels/softmax.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kIgnoreIndex, kAttributes };

using backends::Targets;

Line row(const tenon_view& view, int64_t n) {
  const sdk::Strided s = sdk::strided(view);
  return {s.data + n * s.step[0], s.step[1]};
}

// An operand with one number for each row.
Line column(const tenon_view& view) {
  const sdk::Strided s = sdk::strided(view);
  return {s.data, s.step[0]};
}

void forward(const sdk::Launch& l) {
  const tenon_view& logits = l.view(0);
  const int64_t rows = logits.shape[0];
  const int64_t classes = logits.shape[1];
  const Targets targets(l.view(1), classes, l.attrs.integer(kIgnoreIndex));
  sdk::dispatch_dtype<sdk::FloatTypes>(logits.dtype, [&]<class T>() {
    double sum = 0.0;
    for (int64_t n = 0; n < rows && classes > 0; ++n) {
      const Line in = row(logits, n);
      const Normaliser norm = normaliser<T>(in, classes);
      if (targets.valid(n)) sum -= norm.log_probability(in.get<T>(targets[n]));
      // A sum of NaN says that the row has no probabilities, whatever its largest element. Which of
      // two zeros is found is chance, so the sign is dropped.
      const double top = std::isnan(norm.sum) ? norm.sum : norm.largest + 0.0;
      if (l.wants_out(1)) column(l.out(1)).put<T>(n, top);
      if (l.wants_out(2)) column(l.out(2)).put<T>(n, 1.0 / norm.sum);
    }
    const double loss = targets.count() ? sum / static_cast<double>(targets.count()) : 0.0;
    sdk::store(l.out().data, sdk::narrow<T>(loss));
  });
}

void backward(const sdk::Launch& l) {
  const tenon_view& logits = l.view(1);
  const int64_t classes = logits.shape[1];
  const Line top = column(l.view(2));
  const Line top_prob = column(l.view(3));
  const Targets targets(l.view(4), classes, l.attrs.integer(kIgnoreIndex));
  sdk::dispatch_dtype<sdk::FloatTypes>(logits.dtype, [&]<class T>() {
    const auto dy = static_cast<double>(sdk::load<T>(l.view(0).data));
    const double scale = dy / static_cast<double>(std::max<int64_t>(targets.count(), 1));
    for (int64_t n = 0; n < logits.shape[0]; ++n) {
      const Line in = row(logits, n);
      const Line out = row(l.out(), n);
      for (int64_t c = 0; c < classes; ++c) {
        const double p = std::exp(in.get<T>(c) - top.get<T>(n)) * top_prob.get<T>(n);
        const double hit = c == targets[n] ? 1.0 : 0.0;
        out.put<T>(c, targets.valid(n) ? (p - hit) * scale : 0.0);
      }
    }
  });
}

constexpr tenon_slot_rule forward_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                             sdk::strided_out(), sdk::strided_out(),
                                             sdk::strided_out()};
constexpr tenon_slot_rule backward_slots[] = {element_in(),      sdk::strided_in(),
                                              sdk::strided_in(), sdk::strided_in(),
                                              sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.softmax_cross_entropy", forward_slots, sdk::kFloats, kAttributes,
           sdk::launch_fn<forward>, {.flags = kOracle}),
    kernel("tenon.softmax_cross_entropy_grad", backward_slots, sdk::kFloats, kAttributes,
           sdk::launch_fn<backward>, {.flags = kOracle}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(softmax_cross_entropy) = {.kernels = tenon::ref::kernels};
