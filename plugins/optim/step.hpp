// SPDX-License-Identifier: Apache-2.0
// plugins/optim/step.hpp: that the lists which a step op is given fit each other.
//
// Entry i of every list belongs to parameter i. The schema sees each entry alone.
#pragma once

#include <tenon/sdk/plugin/op.hpp>

#include <algorithm>
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
  std::string_view name;
  Form form = Form::Like;
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
                         std::string(slots[number].name),
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

// NaN is out of every range.
inline bool is_within(double value, double minimum, double maximum) {
  return value >= minimum && value <= maximum;
}

[[noreturn]] inline void refuse_range(const sdk::Args& args, uint32_t index, std::string_view name,
                                      const std::string& words) {
  const bool is_real = args.attrs[index].tag == TENON_VALUE_F64;
  const std::string attribute(name);
  const std::string found =
      is_real ? std::to_string(args.attrs.real(index)) : std::to_string(args.attrs.integer(index));
  throw sdk::Failure{TENON_E_ATTRIBUTE, attribute + " must be " + words + ", found " + found,
                     attribute, words, found};
}

}  // namespace tenon::optim
