// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/sums.cc: ops of one operand to one number, one with two
// results, and one that writes its operand.
#include <algorithm>

#include "faults.h"

namespace {

using namespace witness;

void infer(const sdk::Args&, std::span<tenon_meta> out) {
  for (tenon_meta& each : out) each.rank = 0;
}

void infer_ends(const sdk::Args& args, std::span<tenon_meta> out) {
  if (sdk::count_of(args.shape(0)) == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "of no elements there is no least", "x"};
  }
  infer(args, out);
}

double sum_of(const tenon_view& x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += get(x, i);
  return sum;
}

void sum_and_constant(const sdk::Launch& l) {
  put(l.out(), 0, sum_of(l.view(0), elements(l.view(0))) + (is_wrong() ? 1e-3 : 0));
}

void sum_but_last(const sdk::Launch& l) {
  put(l.out(), 0, sum_of(l.view(0), elements(l.view(0)) - (is_wrong() ? 1 : 0)));
}

void mean_of_too_few(const sdk::Launch& l) {
  const int64_t n = elements(l.view(0));
  put(l.out(), 0, sum_of(l.view(0), n) / static_cast<double>(is_wrong() ? n - 1 : n));
}

// Right in f64.
void sum_in_f32(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  if (!is_wrong() || x.dtype == TENON_DTYPE_F64) return put(l.out(), 0, sum_of(x, elements(x)));
  float sum = 1024;
  for (int64_t i = 0; i < elements(x); ++i) sum += static_cast<float>(get(x, i));
  put(l.out(), 0, static_cast<double>(sum - 1024));
}

void ends(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  double least = get(x, 0), largest = least;
  for (int64_t i = 1; i < elements(x); ++i) {
    least = std::min(least, get(x, i));
    largest = std::max(largest, get(x, i));
  }
  put(l.out(0), 0, least);
  put(l.out(1), 0, is_wrong() ? least : largest);
}

void add_to(const sdk::Launch& l) {
  for (int64_t i = 0; i < elements(l.view(0)); ++i) {
    const double y = get(l.view(1), i);
    put(l.view(0), i, get(l.view(0), i) + (is_wrong() ? -y : y));
  }
}

constexpr tenon_op_desc sum_op(std::string_view name, std::string_view schema) {
  return sdk::op({.name = name,
                  .schema = schema,
                  .doc = "An op of one operand.",
                  .infer = sdk::infer_fn<infer>});
}
constexpr tenon_op_desc ops[] = {
    sum_op("test.witness.sum_and_constant", "sum_and_constant(x: T[...]) -> T[] where T: f32|f64"),
    sum_op("test.witness.sum_but_last", "sum_but_last(x: T[...]) -> T[] where T: f32|f64"),
    sum_op("test.witness.mean_of_too_few", "mean_of_too_few(x: T[...]) -> T[] where T: f32|f64"),
    sum_op("test.witness.sum_in_f32", "sum_in_f32(x: T[...]) -> T[] where T: f32|f64"),
    sdk::op({.name = "test.witness.ends",
             .schema = "ends(x: T[...]) -> (least: T[], largest: T[]) where T: f32|f64",
             .doc = "The least and the largest element.",
             .infer = sdk::infer_fn<infer_ends>}),
    sdk::op({.name = "test.witness.add_to",
             .schema = "add_to(x!: T[N], y: T[N]) -> () where T: f32|f64",
             .doc = "`x += y`.",
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule two_slots[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out()};
constexpr tenon_slot_rule written_slots[] = {sdk::strided_inout(), sdk::strided_in()};
constexpr tenon_kernel_desc kernels[] = {
    kernel<sum_and_constant>("test.witness.sum_and_constant", slots),
    kernel<sum_but_last>("test.witness.sum_but_last", slots),
    kernel<mean_of_too_few>("test.witness.mean_of_too_few", slots),
    kernel<sum_in_f32>("test.witness.sum_in_f32", slots),
    kernel<ends>("test.witness.ends", two_slots),
    kernel<add_to>("test.witness.add_to", written_slots)};

template <size_t... I>
constexpr auto samples_of(std::index_sequence<I...>) {
  return std::array{
      sdk::sample({kernels[I].op.data, kernels[I].op.length}, "f64[2,3](-3,3)")...,
      sdk::sample({kernels[I].op.data, kernels[I].op.length}, "f32[5](-3,3)")...,
      sdk::refused({kernels[I].op.data, kernels[I].op.length}, "bool[3]", TENON_E_DTYPE, "bool")...,
      sdk::sample("test.witness.add_to", "f64[4](-3,3), f64[4](-3,3)"),
      sdk::refused("test.witness.add_to", "f64[3], f64[2]", TENON_E_SHAPE, "N")};
}
constexpr auto samples = samples_of(std::make_index_sequence<5>());

// Sums of f64 numbers are not exact.
template <size_t... I>
constexpr auto tolerances_of(std::index_sequence<I...>) {
  return std::array{sdk::tolerance({{kernels[I].op.data, kernels[I].op.length},
                                    TENON_DTYPE_F64,
                                    0,
                                    1e-15,
                                    "each addition is rounded"})...};
}
constexpr auto tolerances = tolerances_of(std::make_index_sequence<4>());

}  // namespace

TENON_UNIT(sums) = {.ops = ops, .kernels = kernels, .samples = samples, .tolerances = tolerances};
