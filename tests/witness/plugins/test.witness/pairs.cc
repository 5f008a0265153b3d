// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/pairs.cc: elementwise ops of two operands, each with a formula
// and one that is wrong.
#include <algorithm>
#include <cmath>

#include "faults.h"

namespace {

using namespace witness;

using Formula = double (*)(double, double);
struct Pair {
  std::string_view name, schema;
  Formula right, wrong;
};

// What a step of 2^-52, the last place of f64, does not show as f32.
constexpr double kLast = 0x1p-52;

constexpr Pair kPairs[] = {
    {"test.witness.constant_added",
     "constant_added(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return a + b; }, [](double a, double b) { return a + b + 1; }},
    {"test.witness.operands_swapped",
     "operands_swapped(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return a - b; }, [](double a, double b) { return b - a; }},
    {"test.witness.sign", "sign(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return a * b; }, [](double a, double b) { return -(a * b); }},
    {"test.witness.least_for_largest",
     "least_for_largest(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return std::max(a, b); },
     [](double a, double b) { return std::min(a, b); }},
    {"test.witness.branch", "branch(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return a > 0 ? b : 0; },
     [](double a, double b) { return a > 0 ? b : -b; }},
    {"test.witness.square_lost", "square_lost(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return (a - b) * (a - b); },
     [](double a, double b) { return (a - b) * std::fabs(a - b); }},
    {"test.witness.not_clipped", "not_clipped(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return std::clamp(a, -1.0, 1.0) + b; },
     [](double a, double b) { return std::max(a, -1.0) + b; }},
    {"test.witness.operand_ignored",
     "operand_ignored(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return std::fabs(a) + b; },
     [](double a, double) { return std::fabs(a); }},
    {"test.witness.factor", "factor(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return 2 * (a * b); },
     [](double a, double b) { return 2.000001 * (a * b); }},
    // Within its tolerance of 4 ulp, and beyond.
    {"test.witness.tolerance", "tolerance(a: T[...], b: T[...]) -> T[...] where T: f32|f64",
     [](double a, double b) { return a * b * (1 + 2 * kLast); },
     [](double a, double b) { return a * b * (1 + 20 * kLast); }},
};

template <size_t I>
void run(const sdk::Launch& l) {
  const Formula formula = is_wrong() ? kPairs[I].wrong : kPairs[I].right;
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), i, formula(get(l.view(0), i), get(l.view(1), i)));
  }
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};
constexpr auto numbers = std::make_index_sequence<std::size(kPairs)>();

template <size_t... I>
constexpr auto ops_of(std::index_sequence<I...>) {
  return std::array{sdk::op({.name = kPairs[I].name,
                             .schema = kPairs[I].schema,
                             .doc = "An op of two operands.",
                             .shape = TENON_SHAPE_BROADCAST,
                             .flags = TENON_OP_ELEMENTWISE})...};
}
template <size_t... I>
constexpr auto kernels_of(std::index_sequence<I...>) {
  return std::array{kernel<run<I>>(kPairs[I].name, slots)...};
}
template <size_t... I>
constexpr auto samples_of(std::index_sequence<I...>) {
  return std::array{sdk::sample(kPairs[I].name, "f64[3,4](-3,3), f64[3,4](-3,3)")...,
                    sdk::sample(kPairs[I].name, "f32[0,2], f32[0,2]")...,
                    sdk::refused(kPairs[I].name, "bool[3], bool[3]", TENON_E_DTYPE, "bool")...};
}
constexpr auto ops = ops_of(numbers);
constexpr auto kernels = kernels_of(numbers);
constexpr auto samples = samples_of(numbers);
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({"test.witness.tolerance", TENON_DTYPE_F64, 4, 0, "it rounds twice"}),
    sdk::tolerance({"test.witness.tolerance", TENON_DTYPE_F32, 4, 0, "it rounds twice"})};

}  // namespace

TENON_UNIT(pairs) = {.ops = ops, .kernels = kernels, .samples = samples, .tolerances = tolerances};
