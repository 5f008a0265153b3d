// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/linspace.cc: linspace, a given number of evenly spaced numbers.
//
// y[i] = start + i step, step = (stop - start) / (num - 1). Source: array-api `linspace`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.linspace";

constexpr std::string_view doc =
    R"(`num` evenly spaced numbers from `start` to `stop`. With `endpoint` the last one is `stop`,
else the one that would come after the last. One number alone is `start`.

No gradient: there is no tensor input.

Source: Python array API standard, `linspace`; the order of its operations is that of NumPy.

Canonical arithmetic: in f64 `step = (stop - start) / (num - 1)`, or `/ num` without `endpoint`, and
`y[i] = start + i * step`; the first is `start` itself, and with `endpoint` the last of several is
`stop` itself. Each is rounded to the dtype once.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t num = args.attrs.integer(2);
  sdk::set_shape(out[0], rules::checked_shape({&num, 1}, "num").span());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "linspace(*, start: number, stop: number, num: int, endpoint: bool=true, "
                       "dtype: D=f32) -> D[...] where D: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| start=0, stop=1, num=5"),
    sdk::sample(name, "| start=-1.5, stop=2.5, num=4, dtype=f64"),
    sdk::sample(name, "| start=0, stop=1, num=7, endpoint=false, dtype=f64"),
    sdk::sample(name, "| start=3, stop=-3, num=6, endpoint=false"),
    sdk::sample(name, "| start=0, stop=0.3, num=4, dtype=f64"),
    sdk::sample(name, "| start=2, stop=5, num=1"),
    sdk::sample(name, "| start=2, stop=5, num=1, endpoint=false"),
    sdk::sample(name, "| start=2, stop=5, num=2, dtype=f16"),
    sdk::sample(name, "| start=2, stop=5, num=0"),
    sdk::sample(name, "| start=1.5, stop=1.5, num=3, dtype=bf16"),
    sdk::sample(name, "| start=0, stop=70000, num=5, dtype=f16"),
    sdk::sample(name, "| start=0, stop=1e-44, num=8"),
    sdk::sample(name, "| start=-1e308, stop=1e308, num=3, dtype=f64"),
    sdk::sample(name, "| start=0, stop=inf, num=3"),
    sdk::sample(name, "| start=nan, stop=1, num=3"),
    sdk::sample(name, "| start=9223372036854775807, stop=0, num=3, dtype=f64"),
    sdk::refused(name, "| start=0, stop=1, num=-1", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| start=0, stop=1, num=9223372036854775807", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "| start=0, stop=1, num=5, dtype=i64", TENON_E_DTYPE, "i64"),
    sdk::refused(name, "| start=0, stop=1", TENON_E_ATTRIBUTE, "num"),
    sdk::refused(name, "| start=0, num=5", TENON_E_ATTRIBUTE, "stop"),
    sdk::refused(name, "| start=0, stop=1, num=5.0", TENON_E_ATTRIBUTE, "num"),
    sdk::refused(name, "f32[2] | start=0, stop=1, num=5", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(linspace) = {.ops = ops, .samples = samples};
