// SPDX-License-Identifier: Apache-2.0
// plugins/ops/position/angles.hpp: what tables of positions share: attributes, and angles that fall
// off by powers of a base.
#pragma once

#include <cmath>

#include "rules.hpp"

namespace tenon::position {

namespace rules = tenon::rules;

inline void need_count(int64_t count, int64_t least, const char* attribute) {
  if (count >= least) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     std::string(attribute) + " must be at least " + std::to_string(least),
                     attribute, std::to_string(least) + " or more", std::to_string(count)};
}

// An attribute that is the shape of a table, [positions, columns].
inline rules::Dims table_shape(const sdk::Args& args, uint32_t attribute) {
  const std::span<const int64_t> shape = args.attrs.ints(attribute);
  if (shape[1] == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "shape must have columns", "shape", "[positions, columns]",
                       sdk::shape_text(shape)};
  }
  return rules::checked_shape(shape, "shape");
}

inline void need_base(double base) {
  if (base > 0 && std::isfinite(base)) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "base must be a number above 0", "base", "0 < base < inf",
                     std::to_string(base)};
}

inline void need_scale(double scale) {
  if (std::isfinite(scale)) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "scale must be finite", "scale", "a finite number",
                     std::to_string(scale)};
}

// first, first + step, ...: `count` numbers in f64.
inline tenon_tensor* numbers(sdk::Compose& c, int64_t first, int64_t step, int64_t count) {
  return c.call("tenon.arange", {},
                {first, first + step * count, step, sdk::Value::dtype(TENON_DTYPE_F64)});
}

inline tenon_tensor* reshaped(sdk::Compose& c, sdk::Value x, std::initializer_list<int64_t> sizes) {
  return rules::reshape(c, x, rules::Dims(std::span(sizes.begin(), sizes.size())));
}

// angle[p,i] = (p scale) base^(-2i/dims), [positions, pairs] in f64.
inline tenon_tensor* angles(sdk::Compose& c, int64_t positions, int64_t pairs, int64_t dims,
                            double base, double scale) {
  tenon_tensor* exponents =
      c.call("tenon.div", {numbers(c, 0, 2, pairs), -static_cast<double>(dims)});
  tenon_tensor* rates = c.call("tenon.pow", {base, exponents});
  tenon_tensor* places = c.call("tenon.mul", {numbers(c, 0, 1, positions), scale});
  return c.call("tenon.mul", {reshaped(c, places, {positions, 1}), reshaped(c, rates, {1, pairs})});
}

// A table computed in f64, rounded once.
inline void set_rounded(sdk::Compose& c, uint32_t output, tenon_tensor* table, tenon_dtype dtype) {
  c.set(output, rules::rounded_to(c, table, dtype));
}

}  // namespace tenon::position
