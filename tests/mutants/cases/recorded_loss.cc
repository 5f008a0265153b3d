// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/recorded_loss.cc: takes another way where a backward wants aux outputs:
// forgets there that ignored rows do not count.
//
// cause: recorded-differs
// op: tenon.softmax_cross_entropy
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

// log_softmax of one row: (x - most) - log_sum.
struct Row {
  Row(const tenon_view& x, int64_t n) {
    const int64_t classes = x.shape[1];
    for (int64_t c = 0; c < classes; ++c) {
      const double each = get(x, place(x, n * classes + c));
      if (most < each || std::isnan(each)) most = each;
    }
    for (int64_t c = 0; c < classes; ++c) {
      sum += std::exp(get(x, place(x, n * classes + c)) - most);
    }
  }
  double log_probability(double x) const { return (x - most) - std::log(sum); }

  double most = -HUGE_VAL;
  double sum = 0;
};

void loss(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const int64_t classes = x.shape[1];
  const int64_t ignored = l.attrs.integer(0);
  const bool recorded = l.wants_out(1) || l.wants_out(2);
  double sum = 0;
  int64_t counted = 0;
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    const auto target = sdk::load<int64_t>(address(l.view(1), place(l.view(1), n)));
    if (target != ignored && (target < 0 || target >= classes)) {
      throw sdk::Failure{TENON_E_DATA, "target names no class", "target"};
    }
    const Row row(x, n);
    if (target != ignored) sum -= row.log_probability(get(x, place(x, n * classes + target)));
    if (target != ignored || (kMutant && recorded)) ++counted;
    if (l.wants_out(1)) put(l.out(1), place(l.out(1), n), std::isnan(row.sum) ? row.sum : row.most);
    if (l.wants_out(2)) put(l.out(2), place(l.out(2), n), 1 / row.sum);
  }
  put(l.out(), 0, counted == 0 ? 0.0 : sum / static_cast<double>(counted));
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out(),
                                     sdk::strided_out(), sdk::strided_out()};
constexpr tenon_kernel_desc kernels[] = {kernel<loss>("tenon.softmax_cross_entropy", slots, 1)};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
