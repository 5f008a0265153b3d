// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/optim.h: how a step op walks its lists: whole parameters, or rows of them.
//
// An update rule is a template over C, the type it computes in, built for one step of a parameter:
//
//   template <class C> struct Rule {
//     static constexpr size_t kStates = 1;                  // states it reads and writes
//     explicit Rule(const sdk::Step& step);
//     void operator()(C& p, C g, std::array<C, kStates>& s) const;   // one element
//   };
#pragma once

#include <tenon/sdk/plugin/step.hpp>
#include <tenon/sdk/plugin/step_scalars.hpp>

#include "kernels/rows.h"

namespace tenon::ref::optim {

// p, g, then the states: operands of one shape. Elements are independent, so threads change no bit.
template <class T, class U, class Rule>
void update(const sdk::Launch& l, std::span<const int64_t> shape,
            const std::array<sdk::Strided, 2 + Rule::kStates>& operands, const Rule& rule) {
  using C = sdk::Compute<T>;
  sdk::walk_parallel(l, shape, operands, [&](const auto& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const auto address = [&](size_t k) { return run.data[k] + i * run.step[k]; };
      C p = static_cast<C>(sdk::load<T>(address(0)));
      std::array<C, Rule::kStates> s;
      for (size_t k = 0; k < s.size(); ++k) s[k] = static_cast<C>(sdk::load<U>(address(2 + k)));
      rule(p, static_cast<C>(sdk::load<T>(address(1))), s);
      sdk::store(address(0), sdk::narrow<T>(p));
      for (size_t k = 0; k < s.size(); ++k) sdk::store(address(2 + k), sdk::narrow<U>(s[k]));
    }
  });
}

inline int64_t row_number(const tenon_view& indices, int64_t r) {
  return sdk::load<int64_t>(static_cast<char*>(indices.data) +
                            r * indices.strides[0] * int64_t{sizeof(int64_t)});
}

// Rows must exist, ascend and be given once: all lists are checked before anything is written.
inline void check_rows(const sdk::Launch& l) {
  for (uint32_t item = 0; item < l.count(1); ++item) {
    const int64_t rows = l.shape(0, item)[0];
    const tenon_view& indices = l.view(1, item);
    int64_t before = -1;
    for (int64_t r = 0; r < indices.shape[0]; ++r) {
      const int64_t row = row_number(indices, r);
      if (row > before && row < rows) {
        before = row;
        continue;
      }
      const bool exists = row >= 0 && row < rows;
      const std::string entry = "indices[" + std::to_string(item) + "]";
      throw sdk::Failure{
          TENON_E_DATA,
          entry + (exists ? " must ascend without duplicates: row " + std::to_string(row) +
                                " follows row " + std::to_string(before)
                          : " names row " + std::to_string(row) + " of a parameter of " +
                                std::to_string(rows) + " rows"),
          entry,
          exists ? "a row above " + std::to_string(before)
                 : "rows from 0 to " + std::to_string(rows - 1),
          std::to_string(row)};
    }
  }
}

template <bool rows, class T, class U, class Rule>
void update_parameter(const sdk::Launch& l, uint32_t item,
                      const std::array<sdk::Strided, 2 + Rule::kStates>& operands,
                      const Rule& rule) {
  const std::span<const int64_t> shape = l.shape(0, item);
  if constexpr (!rows) {
    update<T, U>(l, shape, operands, rule);
  } else {
    const tenon_view& indices = l.view(1, item);
    for (int64_t r = 0; r < indices.shape[0]; ++r) {
      const int64_t row = row_number(indices, r);
      auto one = operands;
      for (size_t k = 0; k < one.size(); ++k) one[k] = row_of(operands[k], k == 1 ? r : row);
      update<T, U>(l, shape.subspan(1), one, rule);
    }
  }
}

// One step of every parameter. `n_states` counts the op's lists of states; the rule uses the first
// of them.
template <bool rows, uint32_t n_states, template <class> class Rule>
void step(const sdk::Launch& l) {
  using S = sdk::StepSlots<rows, n_states>;
  if constexpr (rows) check_rows(l);
  sdk::each_step<rows, n_states>(l, [&]<class T, class U>(const sdk::Step& step) {
    using R = Rule<sdk::Compute<T>>;
    std::array<sdk::Strided, 2 + R::kStates> operands{sdk::strided(l.view(S::kParams, step.item)),
                                                      sdk::strided(l.view(S::kGrads, step.item))};
    for (uint32_t k = 0; k < R::kStates; ++k) {
      operands[2 + k] = sdk::strided(l.view(S::kStates + k, step.item));
    }
    update_parameter<rows, T, U>(l, step.item, operands, R(step));
  });
}

template <bool rows, uint32_t n_states>
inline constexpr auto kRules = sdk::StepSlots<rows, n_states>::rules(sdk::strided_inout(),
                                                                     sdk::strided_in(),
                                                                     element_in());

template <bool rows, uint32_t n_states>
constexpr tenon_kernel_desc kernel(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return ref::kernel(op, kRules<rows, n_states>, sdk::kStepRows, n_attrs, launch,
                     {.n_variables = 2});
}

}  // namespace tenon::ref::optim
