// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/elementwise.hpp: what ops of one value from one value share: the descriptor,
// samples for every dtype, and gradients that are zero.
#pragma once

#include <array>

#include "ends.hpp"
#include "rules.hpp"

namespace tenon::unary {

constexpr tenon_op_desc op(std::string_view name, std::string_view schema, std::string_view doc) {
  return sdk::op({.name = name,
                  .schema = schema,
                  .doc = doc,
                  .shape = TENON_SHAPE_SAME_AS_0,
                  .flags = TENON_OP_ELEMENTWISE});
}

// Good samples of `texts`, and calls with too few and too many operands. An op's own come first:
// what they say of ranges is where it has values and slopes.
template <size_t N>
constexpr std::array<tenon_sample, N + 2> with_refused(
    std::string_view name, const std::array<std::string_view, N>& texts) {
  std::array<tenon_sample, N + 2> all{};
  for (size_t i = 0; i < N; ++i) all[i] = sdk::sample(name, texts[i]);
  all[N] = sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands");
  all[N + 1] = sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands");
  return all;
}

// Of an op on floats, to which integers are promoted.
template <class... Own>
constexpr auto float_samples(std::string_view name, const Own&... own) {
  return with_refused(name, std::array{std::string_view(own)..., std::string_view("f64[0,3]"),
                                       std::string_view("i32[3]"), ends::kF32, ends::kF64,
                                       ends::kF16, ends::kBf16, ends::kSpecial});
}

// Of an op on integers and floats, or on every dtype.
template <class... Own>
constexpr auto number_samples(std::string_view name, const Own&... own) {
  return with_refused(
      name, std::array{std::string_view(own)..., std::string_view("f64[0,3]"), ends::kF32,
                       ends::kF64, ends::kF16, ends::kBf16, ends::kSpecial, ends::kI64, ends::kI32,
                       ends::kI16, ends::kI8, ends::kU8});
}

template <size_t N, size_t M>
constexpr auto joined(const std::array<tenon_sample, N>& a, const std::array<tenon_sample, M>& b) {
  std::array<tenon_sample, N + M> all{};
  for (size_t i = 0; i < N; ++i) all[i] = a[i];
  for (size_t i = 0; i < M; ++i) all[N + i] = b[i];
  return all;
}

// What refuses bool.
constexpr auto refused_bool(std::string_view name) {
  return std::array{sdk::refused(name, "bool[3]", TENON_E_DTYPE, "bool")};
}

// Of an op that gives integers. No huge ones, whose steps no difference can see.
constexpr auto rounding_samples(std::string_view name) {
  constexpr std::array<std::string_view, 19> texts{
      "f64[2,3](-20,20)",
      "f64[2,1,3,2](-3,3)",
      "f64[](0.6,0.9)",
      "f64[1,5,1](-9,9)",
      "f64[0,3]",
      "f32[8]{0.5,-0.5,1.5,2.5,-2.5,0.49999997,8388607.5,-8388609.0}",
      "f32[6]{1.1754944e-38,-1.1754944e-38,1e-45,-1e-45,1.0000001,0.99999994}",
      "f64[4]{0.49999999999999994,-0.2,-3.7,5e-324}",
      "f16[6]{0.5,-0.4,1023.5,2047.0,-1.5,2.5}",
      "bf16[6]{127.5,-128.5,1.1755e-38,-9.2e-41,1.008,0.5}",
      "f32[3]{-0.9,0.9,-1.1}",
      ends::kF64,
      ends::kF16,
      ends::kSpecial,
      ends::kI64,
      ends::kI32,
      ends::kI16,
      ends::kI8,
      ends::kU8};
  return joined(with_refused(name, texts), refused_bool(name));
}

// The gradient of a function whose slope is 0 wherever it has one.
inline void no_slope(sdk::Vjp& v) { v.grad(0, v.call("tenon.where", {true, 0, v.dy()})); }

inline constexpr tenon_vjp_need kNothing[1] = {};
inline constexpr tenon_vjp_need kInput[] = {sdk::need({.inputs = sdk::bit(0)})};
inline constexpr tenon_vjp_need kOutput[] = {sdk::need({.outputs = sdk::bit(0)})};

template <void (*Rule)(sdk::Vjp&)>
constexpr tenon_vjp_desc vjp(std::string_view op, std::span<const tenon_vjp_need> needs,
                             uint32_t n_attrs = 0) {
  return sdk::vjp({.op = op, .needs = needs, .vjp = sdk::vjp_fn<Rule>, .n_attrs = n_attrs});
}

}  // namespace tenon::unary
