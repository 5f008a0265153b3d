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
  fail_in(call.op.name, status, "operand \"" + name + "\": " + std::move(message), name,
          std::move(expected), std::move(found), std::move(hint));
}

InputBlock::InputBlock(const Invocation& call) {
  slot_begin.assign(call.begin.begin(), call.begin.end());
  slot_begin.resize(call.begin.size() + call.n_outputs(), call.begin.back());
  for (uint32_t i = 0; i < call.operands.size(); ++i) views.push_back(call.view_of(i));
  launch.slot_begin = slot_begin.data();
  launch.views = views.data();
  launch.attrs = call.attrs.data();
  launch.n_slots = call.n_inputs() + call.n_outputs();
  launch.n_inputs = call.n_inputs();
  launch.n_attrs = static_cast<uint32_t>(call.attrs.size());
}

bool is_view(const Invocation& call, tenon_view_result& result) {
  if (!call.op.desc.view || call.n_outputs() != 1) return false;
  if (call.operands.empty() || !call.operands[0].tensor) return false;
  ask_rule(call, "view", [&](tenon_call* handed, const tenon_launch* inputs) {
    return call.op.desc.view(handed, inputs, &result);
  });
  return result.copy_needed == 0;
}

tenon_view Invocation::view_of(uint32_t index) const {
  const Operand& operand = operands[index];
  if (operand.tensor) {
    tenon_view view = operand.tensor->view;
    view.data = nullptr;
    view.dtype = type_of(schema.inputs[input_of(index)].type);
    return view;
  }
  tenon_view view{};
  view.data = const_cast<uint64_t*>(&numbers[index]);
  view.dtype = type_of(schema.inputs[input_of(index)].type);
  view.device = device->id;
  view.flags = TENON_VIEW_HOST_SCALAR | TENON_VIEW_READ_ONLY;
  return view;
}

}  // namespace tenon::dispatch
