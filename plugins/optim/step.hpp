// SPDX-License-Identifier: Apache-2.0
// plugins/optim/step.hpp: what every update rule shares: checks of its operands and its error
// samples.
//
// A step op works on lists: entry i of every list belongs to parameter i. The schema sees each
// entry alone, so that lists fit each other is checked here.
#pragma once

#include <tenon/sdk/op.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace tenon::optim {

// What an entry of a list must look like beside its parameter.
enum class Form : uint8_t {
  Like,       // the parameter's shape
  PerRow,     // [...,M,1] beside [...,M,N]; below rank 2 the parameter's shape
  PerColumn,  // [...,1,N] beside [...,M,N]; below rank 2 rank 0
  Scalar,     // rank 0, which the schema checks
  Indices,    // [R]: numbers of rows
  Values,     // [R, ...]: that many rows of the parameter
};

struct ListSlot {
  const char* name;
  Form form;
};

inline constexpr double kLargest = std::numeric_limits<double>::max();
inline constexpr double kBelowOne = 1.0 - std::numeric_limits<double>::epsilon() / 2;

inline std::string entry_name(const ListSlot& slot, uint32_t item) {
  return std::string(slot.name) + "[" + std::to_string(item) + "]";
}

[[noreturn]] inline void refuse_shape(const ListSlot& slot, uint32_t item, std::string expected,
                                      std::span<const int64_t> found) {
  const std::string entry = entry_name(slot, item);
  throw sdk::Failure{
      TENON_E_SHAPE,
      entry + " has the wrong shape: expected " + expected + ", found " + sdk::shape_text(found),
      entry,
      std::move(expected),
      sdk::shape_text(found),
      "entry i of every list belongs to parameter i"};
}

// Rows are slices along dimension 0, so values are [R] followed by the parameter's other
// dimensions.
inline void check_values(const sdk::Args& args, const ListSlot& slot, uint32_t number,
                         uint32_t item) {
  const std::span<const int64_t> parameter = args.shape(0, item);
  const std::span<const int64_t> indices = args.shape(number - 1, item);
  const std::span<const int64_t> values = args.shape(number, item);
  if (parameter.empty()) {
    throw sdk::Failure{TENON_E_SHAPE, "a parameter of rank 0 has no rows",
                       "params",      "a parameter of rank 1 or more",
                       "[]",          "use the op for dense gradients"};
  }
  std::vector<int64_t> expected(parameter.begin(), parameter.end());
  expected[0] = indices[0];
  if (!std::equal(values.begin(), values.end(), expected.begin(), expected.end())) {
    refuse_shape(slot, item, sdk::shape_text(expected), values);
  }
}

// Of a state with one number for each row, or each column, of its parameter.
inline void check_factor(const sdk::Args& args, const ListSlot& slot, uint32_t number,
                         uint32_t item) {
  const std::span<const int64_t> parameter = args.shape(0, item);
  const std::span<const int64_t> found = args.shape(number, item);
  std::vector<int64_t> expected(parameter.begin(), parameter.end());
  const size_t rank = expected.size();
  if (rank >= 2) {
    expected[slot.form == Form::PerRow ? rank - 1 : rank - 2] = 1;
  } else if (slot.form == Form::PerColumn) {
    expected.clear();
  }
  if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end())) {
    refuse_shape(slot, item, sdk::shape_text(expected), found);
  }
}

inline void check_entry(const sdk::Args& args, std::span<const ListSlot> slots, uint32_t number,
                        uint32_t item) {
  const std::span<const int64_t> parameter = args.shape(0, item);
  const std::span<const int64_t> found = args.shape(number, item);
  switch (slots[number].form) {
    case Form::Like:
      if (!std::equal(found.begin(), found.end(), parameter.begin(), parameter.end())) {
        refuse_shape(slots[number], item, sdk::shape_text(parameter), found);
      }
      break;
    case Form::PerRow:
    case Form::PerColumn:
      check_factor(args, slots[number], number, item);
      break;
    case Form::Indices:
      if (found.size() != 1) refuse_shape(slots[number], item, "one dimension", found);
      break;
    case Form::Values:
      check_values(args, slots[number], number, item);
      break;
    case Form::Scalar:
      break;
  }
}

// slots[i] describes input i; input 0 is the list of parameters, and Values comes after Indices.
inline void check_lists(const sdk::Args& args, std::span<const ListSlot> slots) {
  const uint32_t n = args.count(0);
  for (uint32_t number = 1; number < slots.size(); ++number) {
    if (args.count(number) != n) {
      const std::string found = std::to_string(args.count(number));
      throw sdk::Failure{TENON_E_ARGUMENT,
                         std::string(slots[number].name) + " has " + found + " tensors for " +
                             std::to_string(n) + " parameters",
                         slots[number].name,
                         std::to_string(n) + " tensors",
                         found + " tensors",
                         "give one entry for each parameter"};
    }
  }
  for (uint32_t item = 0; item < n; ++item) {
    for (uint32_t number = 1; number < slots.size(); ++number) {
      check_entry(args, slots, number, item);
    }
  }
}

// The lists of the op on rows, from those of the op on whole parameters.
template <size_t n>
constexpr std::array<ListSlot, n + 1> rows_of(const ListSlot (&step)[n]) {
  std::array<ListSlot, n + 1> rows{};
  rows[0] = step[0];
  rows[1] = {"indices", Form::Indices};
  rows[2] = {"values", Form::Values};
  for (size_t i = 2; i < n; ++i) rows[i + 1] = step[i];
  return rows;
}

// The `infer` of a step op: `check` sees to the attributes.
template <const auto& slots, void (*check)(const sdk::Args&)>
void infer(const sdk::Args& args, std::span<tenon_meta>) {
  check_lists(args, slots);
  check(args);
}

// NaN is out of every range.
inline void check_range(const sdk::Args& args, uint32_t index, const char* name, double minimum,
                        double maximum, const char* words) {
  const double value = args.attrs.real(index);
  if (value >= minimum && value <= maximum) return;
  const std::string found = std::to_string(value);
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     std::string(name) + " must be " + words + ", found " + found, name, words,
                     found};
}

// A step's results: of the op on whole parameters and of the one on rows.
constexpr std::array<tenon_tolerance, 8> step_tolerances(std::string_view step_op,
                                                         std::string_view rows_op) {
  constexpr std::string_view reason =
      "A step rounds up to ten times, and while t is small 1 - beta^t keeps few of its digits.";
  constexpr sdk::FloatRooms rooms = {
      .f16 = {1, 2e-6}, .bf16 = {1, 2e-6}, .f32 = {4, 2e-6}, .f64 = {4, 1e-13}};
  std::array<tenon_tolerance, 8> both{};
  std::ranges::copy(sdk::float_tolerances(step_op, reason, rooms), both.begin());
  std::ranges::copy(sdk::float_tolerances(rows_op, reason, rooms), both.begin() + 4);
  return both;
}

}  // namespace tenon::optim
