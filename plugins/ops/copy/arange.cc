// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/arange.cc: arange, evenly spaced numbers below a bound.
//
// y[i] = start + i step, for as long as that is before stop. Source: array-api `arange`.
#include <cmath>

#include "integers.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.arange";

constexpr std::string_view doc =
    R"(The numbers `start`, `start + step`, `start + 2 step`, ... that lie before `stop`, which is
left out: `ceil((stop - start) / step)` of them, and none where `step` leads away from `stop`.
Numbers that an integer dtype does not hold are refused.

No gradient: there is no tensor input.

Source: Python array API standard, `arange`. The dtype is always stated; the standard's default is
the default integer dtype where all three are integers, else the default float dtype.

Canonical arithmetic: where `start`, `stop` and `step` are integers, everything is exact. Else their
number is `ceil((stop - start) / step)`, and an element `start + i * step`, in f64. Either is
converted to the dtype as `tenon.cast` converts it.)";

enum Attribute : uint32_t { kStart, kStop, kStep };

[[noreturn]] void refuse(const char* what, const char* attribute, const char* expected,
                         const std::string& found) {
  throw sdk::Failure{TENON_E_ATTRIBUTE, what, attribute, expected, found};
}

int64_t whole_count(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) refuse("step is zero", "step", "any number but 0", "0");
  if (step > 0 ? start >= stop : start <= stop) return 0;
  // Distances and -step may be no int64_t, but always a uint64_t.
  const auto from = static_cast<uint64_t>(start);
  const auto to = static_cast<uint64_t>(stop);
  const uint64_t distance = step > 0 ? to - from : from - to;
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = (distance - 1) / stride + 1;
  return static_cast<int64_t>(std::min(count, static_cast<uint64_t>(INT64_MAX)));
}

int64_t real_count(double start, double stop, double step) {
  if (step == 0) refuse("step is zero", "step", "any number but 0", "0");
  const double count = std::ceil((stop - start) / step);
  if (!std::isfinite(count)) {
    refuse("the number of elements is not finite", "stop", "finite numbers",
           std::to_string(start) + " to " + std::to_string(stop) + " by " + std::to_string(step));
  }
  if (count < 1) return 0;
  return count < 9.2e18 ? static_cast<int64_t>(count) : INT64_MAX;
}

// All lie between the first and the last of them.
void need_fit(const sdk::Attrs& a, bool real, int64_t count, tenon_dtype dtype) {
  if (count == 0) return;
  rules::need_fit(a[kStart], dtype, "start");
  const int64_t steps = count - 1;
  if (real) {
    const double last = a.real(kStart) + static_cast<double>(steps) * a.real(kStep);
    return rules::need_fit(sdk::Value(last), dtype, "stop");
  }
  // It lies between the two, whatever the distance to it wraps to.
  const uint64_t way = static_cast<uint64_t>(steps) * static_cast<uint64_t>(a.integer(kStep));
  const auto last = static_cast<int64_t>(static_cast<uint64_t>(a.integer(kStart)) + way);
  rules::need_fit(sdk::Value(last), dtype, "stop");
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const sdk::Attrs& a = args.attrs;
  const bool real = a[kStart].tag == TENON_VALUE_F64 || a[kStop].tag == TENON_VALUE_F64 ||
                    a[kStep].tag == TENON_VALUE_F64;
  const int64_t count = real ? real_count(a.real(kStart), a.real(kStop), a.real(kStep))
                             : whole_count(a.integer(kStart), a.integer(kStop), a.integer(kStep));
  sdk::set_shape(out[0], rules::checked_shape({&count, 1}, "stop").span());
  need_fit(a, real, count, out[0].dtype);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "arange(*, start: number=0, stop: number, step: number=1, dtype: D) -> "
                       "D[...] where D: number",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| stop=5, dtype=i64"),
    sdk::sample(name, "| start=2, stop=10, step=3, dtype=f32"),
    sdk::sample(name, "| start=5, stop=-5, step=-2, dtype=i32"),
    sdk::sample(name, "| start=0.5, stop=3, step=0.25, dtype=f64"),
    sdk::sample(name, "| start=1, stop=0.0, step=-0.1, dtype=f32"),
    sdk::sample(name, "| stop=2.5, dtype=i32"),
    sdk::sample(name, "| start=-1.5, stop=2, step=0.5, dtype=i8"),
    sdk::sample(name, "| stop=0.3, step=0.1, dtype=f64"),
    sdk::sample(name, "| start=5, stop=2, dtype=i64"),
    sdk::sample(name, "| start=5, stop=5, dtype=i64"),
    sdk::sample(name, "| stop=1, dtype=f16"),
    sdk::sample(name, "| start=9223372036854775800, stop=9223372036854775807, dtype=i64"),
    sdk::sample(name,
                "| start=-9223372036854775808, stop=9223372036854775807, "
                "step=4611686018427387904, dtype=i64"),
    sdk::sample(name,
                "| start=9223372036854775807, stop=-9223372036854775808, "
                "step=-9223372036854775808, dtype=f64"),
    sdk::sample(name, "| start=250, stop=256, dtype=u8"),
    sdk::sample(name, "| start=127, stop=-129, step=-85, dtype=i8"),
    sdk::sample(name, "| start=300, stop=300, dtype=u8"),
    sdk::sample(name, "| start=65500, stop=65560, step=10, dtype=f16"),
    sdk::sample(name, "| start=9007199254740991, stop=9007199254740995, dtype=f64"),
    sdk::sample(name, "| start=1e-45, stop=5e-45, step=1e-45, dtype=f32"),
    sdk::sample(name, "| start=true, stop=3, dtype=bf16"),
    sdk::refused(name, "| stop=5, step=0, dtype=i64", TENON_E_ATTRIBUTE, "step is zero"),
    sdk::refused(name, "| stop=5, step=0.0, dtype=i64", TENON_E_ATTRIBUTE, "step is zero"),
    sdk::refused(name, "| stop=inf, dtype=f32", TENON_E_ATTRIBUTE, "not finite"),
    sdk::refused(name, "| stop=5, step=nan, dtype=f32", TENON_E_ATTRIBUTE, "not finite"),
    sdk::refused(name, "| start=-9223372036854775808, stop=9223372036854775807, dtype=i64",
                 TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "| start=250, stop=260, dtype=u8", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| start=-1, stop=2, dtype=u8", TENON_E_ATTRIBUTE, "\"start\""),
    sdk::refused(name, "| start=0.5, stop=200, step=64, dtype=i8", TENON_E_ATTRIBUTE, "\"stop\""),
    sdk::refused(name, "| stop=1e300, dtype=f32", TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "| stop=5, dtype=bool", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "| stop=5", TENON_E_ATTRIBUTE, "dtype"),
    sdk::refused(name, "| dtype=i64", TENON_E_ATTRIBUTE, "stop"),
    sdk::refused(name, "f32[2] | stop=5, dtype=f32", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(arange) = {.ops = ops, .samples = samples};
