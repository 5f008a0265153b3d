// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/case.h: one thing that is tried: an op, a sample, dtypes, layouts, a form, a
// backend.
//
// Its text repeats it: `tenon verify PLUGIN --case 'tenon.add:2:f64>f16:transposed,offset,
// contiguous:out:cpu'`. Parts are separated by ':'; an empty dtype part is the sample as written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "case/layout.h"

namespace tenon::verify {

enum class Form : uint8_t {
  Declared,  // what the op or plugin says of itself; nothing is run
  Error,     // an error sample
  Returned,  // tenon_op_call
  Out,       // tenon_op_call_into into outputs of any layout
  InPlace,   // tenon_op_call_into with an output that is an input
  Recorded,  // inputs want gradients
  Replayed,  // captured, operands changed, run again
  Guarded,   // check mode layout: shadow copies, guards and patterns around what the kernel sees
  Strict,    // check mode threads: call states
  Composed,  // the op's composition in place of its kernel
  Repeated,  // many times: same bits, nothing left over
  Threads,   // other numbers of threads: same bits
  Gradient,  // backward against central differences, and the inner-product identity
  Backward,  // backward with layouts of operands and incoming gradients, for subsets of inputs
  Poisoned,  // backward after what a rule does not declare has been overwritten
  Twice,     // the gradient of the gradient
  Memory,    // every allocation fails once
  Huge,      // more than 2^31 elements
  Trace,     // an optimizer's run against its reference
  Resume,    // an optimizer's run saved and resumed; a layer's state put into another
};
inline constexpr size_t kFormCount = 20;
std::string_view name_of(Form form);  // "in-place"
std::optional<Form> form_named(std::string_view name);

struct Case {
  std::string op;        // or the optimizer, or the layer
  uint32_t sample = 0;   // among the op's samples, in the order of the registry
  std::string from, to;  // every tensor of dtype `from` is one of `to`; both empty: as written
  // One for each tensor operand (lists one by one), then one for each output or incoming gradient.
  std::vector<Layout> layouts;
  Form form = Form::Returned;
  std::string backend;  // device kind
  // What else tells cases of one form apart, in letters, digits, '-', '+': "in0", "only1".
  std::string detail;

  std::string text() const;
  bool operator==(const Case&) const = default;
};
// Throws Failure with what is wrong.
Case parse_case(std::string_view text);

}  // namespace tenon::verify
