// SPDX-License-Identifier: Apache-2.0
// core/dispatch/outputs.cc: what a call's outputs must be, and the words if they are not.
#include "core/dispatch/outputs.h"

#include <tenon/ext/draft/optimizers.h>

#include <algorithm>

#include "core/tape/graph.h"

namespace tenon::dispatch {

std::string output_name(const Invocation& call, size_t index) {
  const std::string& name = call.schema.outputs[index].name;
  if (!name.empty()) return name;
  return call.schema.outputs.size() == 1 ? "out" : "out" + std::to_string(index);
}

void check_output_count(const Invocation& call, size_t given) {
  const size_t least = static_cast<size_t>(call.schema.plain_outputs());
  const size_t most = call.schema.outputs.size();
  if (given >= least && given <= most) return;
  fail_in(
      call.op.name, TENON_E_ARGUMENT, "wrong number of outputs", {},
      least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most),
      std::to_string(given));
}

namespace {

[[noreturn]] void fail_output(const Invocation& call, size_t index, tenon_status status,
                              const std::string& message, const std::string& expected,
                              const std::string& found, const std::string& hint = {}) {
  fail_in(call.op.name, status, "output \"" + output_name(call, index) + "\" " + message,
          output_name(call, index), expected, found, hint);
}

}  // namespace

void check_given_output(const Invocation& call, size_t index, const Tensor& out) {
  const tenon_meta& meta = call.outputs[index];
  if (!std::ranges::equal(tensor::shape_of(meta), out.shape())) {
    fail_output(call, index, TENON_E_SHAPE, "has the wrong shape", tensor::describe(meta),
                tensor::describe(out), "outputs are never resized");
  }
  if (out.dtype() != meta.dtype) {
    fail_output(call, index, TENON_E_DTYPE, "has the wrong dtype", tensor::describe(meta),
                tensor::describe(out));
  }
  if (&device_of(out) != call.output_device) {
    fail_output(call, index, TENON_E_DEVICE, "is on another device", call.output_device->name(),
                device_of(out).name());
  }
  if (const auto why = tensor::why_read_only(out)) {
    fail_output(call, index, TENON_E_ALIAS, why->what, why->expected, why->found, why->hint);
  }
}

void check_mutated(const Invocation& call, bool recording) {
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    if (!call.schema.inputs[input].mutated) continue;
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      const Tensor& tensor = *call.operands[i].tensor;
      if (const auto why = tensor::why_read_only(tensor)) {
        fail_operand(call, input, TENON_E_ALIAS, "is written, and " + why->what, why->expected,
                     why->found, why->hint);
      }
      if (call.op.has(TENON_OP_WRITES_GRADIENTS) && tape::requires_grad(tensor) &&
          tape::is_leaf(tensor)) {
        fail_operand(call, input, TENON_E_GRAD,
                     "is a parameter, and the op writes gradients: it would change the parameter",
                     "gradients", "a leaf that requires one, " + tensor::describe(tensor),
                     "give what tenon_tensor_get_grad gives of each");
      }
      // Without a rule, what the operand becomes would be lost to the gradient.
      if (recording && (!call.rule || tape::requires_grad(tensor))) {
        fail_operand(call, input, TENON_E_GRAD, "is written while it requires a gradient",
                     "a tensor without gradient", tensor::describe(tensor),
                     "wrap the call in tenon_grad_begin(TENON_GRAD_DISABLED)");
      }
    }
  }
}

bool is_in_place(const Invocation& call, const Tensor& out) {
  return std::ranges::find(call.operands, &out, &Operand::tensor) != call.operands.end();
}

void check_grad_outputs(const Invocation& call, std::span<Tensor* const> outputs, bool recording) {
  if (!call.cx.grad_enabled()) return;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& out = *outputs[i];
    const bool flows = tape::requires_grad(out);
    if (flows && tape::is_leaf(out)) {
      fail_output(call, i, TENON_E_GRAD, "is a leaf that requires a gradient",
                  "a tensor that is not a leaf, or no gradient mode", tensor::describe(out),
                  "wrap the write in tenon_grad_begin(TENON_GRAD_DISABLED)");
    }
    const tape::Link* link = tape::find_link(out);
    if (flows && link->is_view) {
      fail_output(call, i, TENON_E_GRAD, "is a view that a gradient flows through",
                  "a tensor with memory of its own", tensor::describe(out),
                  "write to a copy, or detach it");
    }
    if ((recording || flows) && !is_in_place(call, out)) {
      fail_output(call, i, TENON_E_GRAD, "is given while an input requires a gradient",
                  "a returned output, or one of the inputs (in place)", tensor::describe(out),
                  "use tenon_op_call, or disable gradients");
    }
  }
}

}  // namespace tenon::dispatch
