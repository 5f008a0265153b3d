// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/slopes.cc: y = a * a * b, right always, with gradients that
// are wrong.
#include "faults.h"

namespace {

using namespace witness;

struct Slope {
  std::string_view name, schema;
  double factor;  // of both gradients, where they are wrong
  bool swapped;
};

constexpr Slope kSlopes[] = {
    {"test.witness.slope_sign", "slope_sign(a: T[...], b: T[...]) -> T[...] where T: f32|f64", -1,
     false},
    // 30 times what the kit lets pass.
    {"test.witness.slope_close", "slope_close(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     1.00003, false},
    {"test.witness.slope_swapped", "slope_swapped(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     1, true},
};

void run(const sdk::Launch& l) {
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    const double a = get(l.view(0), i);
    put(l.out(), i, a * a * get(l.view(1), i));
  }
}

template <size_t I>
void vjp(sdk::Vjp& v) {
  const double factor = is_wrong() ? kSlopes[I].factor : 1;
  const bool swapped = is_wrong() && kSlopes[I].swapped;
  const sdk::Value dy = v.call("tenon.mul", {v.dy(), factor});
  const sdk::Value a = v.call("tenon.mul", {dy, v.in(0)});
  v.grad(swapped ? 1 : 0, v.call("tenon.mul", {v.call("tenon.mul", {a, 2.0}), v.in(1)}));
  v.grad(swapped ? 0 : 1, v.call("tenon.mul", {a, v.in(0)}));
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};
constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)})};
constexpr auto numbers = std::make_index_sequence<std::size(kSlopes)>();

template <size_t... I>
constexpr auto ops_of(std::index_sequence<I...>) {
  return std::array{sdk::op({.name = kSlopes[I].name,
                             .schema = kSlopes[I].schema,
                             .doc = "`y = a * a * b`.",
                             .shape = TENON_SHAPE_BROADCAST,
                             .flags = TENON_OP_ELEMENTWISE})...};
}
template <size_t... I>
constexpr auto kernels_of(std::index_sequence<I...>) {
  return std::array{kernel<run>(kSlopes[I].name, slots)...};
}
template <size_t... I>
constexpr auto vjps_of(std::index_sequence<I...>) {
  return std::array{
      sdk::vjp({.op = kSlopes[I].name, .needs = needs, .vjp = sdk::vjp_fn<vjp<I>>})...};
}
template <size_t... I>
constexpr auto samples_of(std::index_sequence<I...>) {
  return std::array{sdk::sample(kSlopes[I].name, "f64[2,2](-3,3), f64[2,2](-3,3)")...,
                    sdk::refused(kSlopes[I].name, "bool[3], bool[3]", TENON_E_DTYPE, "bool")...};
}
constexpr auto ops = ops_of(numbers);
constexpr auto kernels = kernels_of(numbers);
constexpr auto vjps = vjps_of(numbers);
constexpr auto samples = samples_of(numbers);
// One multiplication more than is rounded in the golden file's numbers.
template <size_t... I>
constexpr auto tolerances_of(std::index_sequence<I...>) {
  return std::array{
      sdk::tolerance({kSlopes[I].name, TENON_DTYPE_F64, 2, 0, "two products, each rounded"})...};
}
constexpr auto tolerances = tolerances_of(numbers);

}  // namespace

TENON_UNIT(slopes) = {
    .ops = ops, .vjps = vjps, .kernels = kernels, .samples = samples, .tolerances = tolerances};
