// SPDX-License-Identifier: Apache-2.0
// core/dispatch/invocation.cc: one op call between the caller's values and the kernel.
#include "core/dispatch/invocation.h"

#include <utility>

namespace tenon::dispatch {

uint32_t Invocation::input_of(uint32_t index) const {
  uint32_t input = 0;
  while (begin[input + 1] <= index) ++input;
  return input;
}

void fail_operand(const Invocation& call, uint32_t input, tenon_status status, std::string message,
                  std::string expected, std::string found, std::string hint) {
  const std::string& name = call.schema.inputs[input].name;
  throw Error{.status = status,
              .message = call.op.name + ": operand \"" + name + "\": " + std::move(message),
              .op = call.op.name,
              .operand = name,
              .expected = std::move(expected),
              .found = std::move(found),
              .hint = std::move(hint)};
}

InputBlock::InputBlock(const Invocation& call) {
  for (uint32_t begin : call.begin) slot_begin_.push_back(begin);
  for (uint32_t i = 0; i < call.n_outputs(); ++i) slot_begin_.push_back(call.begin.back());
  for (uint32_t i = 0; i < call.operands.size(); ++i) views_.push_back(call.view_of(i, false));
  launch_.slot_begin = slot_begin_.data();
  launch_.views = views_.data();
  launch_.attrs = call.attrs.data();
  launch_.n_slots = call.n_inputs() + call.n_outputs();
  launch_.n_inputs = call.n_inputs();
  launch_.n_attrs = static_cast<uint32_t>(call.attrs.size());
}

tenon_view Invocation::view_of(uint32_t index, bool with_data) const {
  const Operand& operand = operands[index];
  if (operand.tensor) {
    tenon_view view = operand.tensor->view;
    if (!with_data) view.data = nullptr;
    if (dry) view.dtype = type_of(schema.inputs[input_of(index)].type);
    return view;
  }
  tenon_view view{};
  view.data = const_cast<uint64_t*>(&operand.scalar_bits);
  view.dtype = type_of(schema.inputs[input_of(index)].type);
  view.device = device->id;
  view.flags = TENON_VIEW_HOST_SCALAR | TENON_VIEW_READ_ONLY;
  return view;
}

}  // namespace tenon::dispatch
