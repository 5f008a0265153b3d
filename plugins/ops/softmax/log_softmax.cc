// SPDX-License-Identifier: Apache-2.0
// plugins/ops/softmax/log_softmax.cc: log_softmax, the logarithm of softmax along an axis.
//
// y = (x - m) - log(sum exp(x - m)), m = max x;  dx = dy - exp(y) sum(dy).
// Source: as softmax.
#include "softmax/along_axis.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.log_softmax";

constexpr std::string_view doc =
    R"(The logarithm of `tenon.softmax` along `axis`, without taking the logarithm of small
numbers: `y = (x - m) - log(sum(exp(x - m)))`, with `m` the largest element.

Gradient: `dx = dy - exp(y) * sum(dy)`, the sum along `axis`.

Source: PyTorch, `log_softmax`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: the differences, `exp`
and `log` as in `tenon.exp` and `tenon.log`, the sum in the order of `tenon.sum`; rounded
to T at the end.)";

void compose(sdk::Compose& c) {
  tenon_tensor* differences = rules::shifted(c);
  tenon_tensor* powers = c.call("tenon.exp", {differences});
  tenon_tensor* total = rules::sum_over(c, powers, c.attrs.integer(0));
  rules::set_rounded(c, c.call("tenon.sub", {differences, c.call("tenon.log", {total})}));
}

void vjp(sdk::Vjp& v) {
  tenon_tensor* total = rules::sum_over(v, v.dy(), v.attr(0).as.i64);
  tenon_tensor* softmax = v.call("tenon.exp", {v.out()});
  v.grad(0, v.call("tenon.sub", {v.dy(), v.call("tenon.mul", {softmax, total})}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "log_softmax(x: T[...], *, axis: int=-1) -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<rules::infer_along_axis>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr auto samples = rules::softmax_samples(name);

constexpr auto tolerances = rules::softmax_tolerances(name);

}  // namespace

TENON_UNIT(log_softmax) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
