// SPDX-License-Identifier: Apache-2.0
// core/backward/vjp.cc: what a backward rule reads and returns.
#include "core/backward/vjp.h"

#include <algorithm>

#include "core/launch/finite.h"
#include "core/launch/moves.h"
#include "core/registry/values.h"

namespace tenon::backward {

namespace {

[[noreturn]] void fail_rule(const Node& node, const std::string& message,
                            const std::string& operand, const std::string& expected = {},
                            const std::string& found = {}) {
  fail_with(TENON_E_VJP, node.of->op->name, node.of->rule ? node.of->rule->plugin->id : "",
            "backward rule of " + node.of->op->name + ": " + message, operand, expected, found);
}

std::string input_name(const Node& node, uint32_t input) {
  const auto& inputs = node.of->op->schema.inputs;
  return input < inputs.size() ? inputs[input].name : "input " + std::to_string(input);
}

std::string scope_text(const std::string* scope) {
  return !scope || scope->empty() ? "" : " (in " + *scope + ")";
}

}  // namespace

bool VjpFrame::wants(uint32_t input) const {
  if (input + 1 >= node.of->input_begin.size()) return false;
  for (uint32_t i = node.of->input_begin[input]; i < node.of->input_begin[input + 1]; ++i) {
    if (node.edges[i].wanted()) return true;
  }
  return false;
}

uint32_t VjpFrame::count_of(uint32_t input) const {
  const std::vector<uint32_t>& begin = node.of->input_begin;
  return input + 1 < begin.size() ? begin[input + 1] - begin[input] : 0;
}

void VjpFrame::require(uint64_t tenon_vjp_need::*mask, uint32_t index, const char* what) const {
  if (index < 64 && (node.of->needs.*mask >> index & 1)) return;
  fail_rule(node,
            "reads " + std::string(what) + " " + std::to_string(index) +
                ", which its needs do not declare",
            std::string(what) + " " + std::to_string(index), "a declared need",
            "an undeclared read");
}

Tensor* VjpFrame::unpack(const Saved& saved, const Edge* edge, uint32_t output) {
  Tensor& tensor = *saved.tensor;
  const uint64_t now = tensor.storage->version.load(std::memory_order_relaxed);
  if (now != saved.version) {
    const std::string* writer = tensor.storage->writer.load(std::memory_order_relaxed);
    const std::string* where = tensor.storage->writer_scope.load(std::memory_order_relaxed);
    fail_with(TENON_E_VERSION, node.of->op->name, {},
              "a tensor that " + node.of->op->name + scope_text(node.scope) +
                  " saved for backward was overwritten by " + (writer ? *writer : "a host write") +
                  scope_text(where),
              edge ? "saved input" : "saved output", "version " + std::to_string(saved.version),
              "version " + std::to_string(now),
              "write to a copy, or run backward before the write");
  }
  if (!create_graph) return &tensor;
  if (edge && edge->leaf) return edge->leaf.get();
  Node* origin = edge ? edge->node : &node;
  if (!origin) return &tensor;
  owned.push_back(Ref(tensor.alias()));
  tape::attach(*owned.back(), *origin, edge ? edge->output : output, false);
  return owned.back().get();
}

tenon_value VjpFrame::input(uint32_t index) {
  require(&tenon_vjp_need::inputs, index, "input");
  if (index + 1 >= node.of->input_begin.size()) return {};
  const uint32_t begin = node.of->input_begin[index];
  const uint32_t end = node.of->input_begin[index + 1];
  if (node.of->op->schema.inputs[index].list) {
    auto& list = lists.emplace_back();
    for (uint32_t i = begin; i < end; ++i) {
      list.push_back(tensor::handle(unpack(node.saved_inputs[i], &node.edges[i], 0)));
    }
    return registry::tensors_value(list.data(), list.size());
  }
  if (begin == end) return {};
  const Saved& saved = node.saved_inputs[begin];
  if (!saved.tensor) return saved.number;
  return registry::tensor_value(*unpack(saved, &node.edges[begin], 0));
}

tenon_value VjpFrame::output(uint32_t index) {
  require(&tenon_vjp_need::outputs, index, "output");
  tenon_value value{};
  if (index >= node.saved_outputs.size() || !node.saved_outputs[index].kept) return value;
  return registry::tensor_value(*unpack(node.saved_outputs[index], nullptr, index));
}

tenon_meta VjpFrame::input_meta(uint32_t index, uint32_t item) const {
  require(&tenon_vjp_need::input_metas, index, "metadata of input");
  if (item >= count_of(index)) {
    fail_rule(node, "asks for an operand that was not given", input_name(node, index));
  }
  return node.of->input_metas[node.of->input_begin[index] + item];
}

tenon_meta VjpFrame::output_meta(uint32_t index) const {
  require(&tenon_vjp_need::output_metas, index, "metadata of output");
  if (index >= node.of->output_metas.size()) {
    fail_rule(node, "asks for an output that does not exist", "output " + std::to_string(index));
  }
  return node.of->output_metas[index];
}

tenon_value VjpFrame::output_grad(uint32_t index) {
  tenon_value value{};
  if (index >= node.of->n_outputs()) {
    fail_rule(node, "asks for the gradient of an output that does not exist",
              "output " + std::to_string(index));
  }
  Tensor* grad = node.grads[index].get();
  if (!grad) {
    if (node.of->rule->desc.flags & TENON_VJP_ACCEPTS_ABSENT) return value;
    const tenon_meta& meta = node.of->output_metas[index];
    owned.push_back(Ref(launch::full(context, context.runtime->device(meta.device), meta.dtype,
                                     tensor::shape_of(meta), registry::int_value(0))));
    grad = owned.back().get();
  }
  return registry::tensor_value(*grad);
}

void VjpFrame::set_grad(uint32_t input, uint32_t item, Tensor* grad) {
  if (item >= count_of(input)) {
    fail_rule(node, "sets the gradient of an operand that was not given", input_name(node, input));
  }
  if (!grad) {
    fail_rule(node, "set the gradient of input \"" + input_name(node, input) + "\" to NULL",
              input_name(node, input), "a tensor, or no call at all, which means zero", "NULL");
  }
  const uint32_t flat = node.of->input_begin[input] + item;
  if (!node.edges[flat].wanted()) return;
  const tenon_meta& meta = node.of->input_metas[flat];
  tensor::Dims merged{};
  int32_t rank = 0;
  const tensor::DimSpan shape = tensor::shape_of(meta);
  const bool fits =
      tensor::broadcast_shapes(shape, grad->shape(), merged, rank) &&
      std::equal(grad->shape().begin(), grad->shape().end(), merged.begin(), merged.begin() + rank);
  if (!fits || grad->dtype() != meta.dtype || grad->view.device.kind != meta.device.kind ||
      grad->view.device.index != meta.device.index) {
    fail_rule(node,
              "returned a gradient of the wrong " +
                  std::string(!fits                         ? "shape"
                              : grad->dtype() != meta.dtype ? "dtype"
                                                            : "device") +
                  " for input \"" + input_name(node, input) + "\"",
              input_name(node, input), tensor::describe(meta), tensor::describe(*grad));
  }
  grads[flat] = Ref::shared(grad);
}

std::string VjpFrame::name_of(uint32_t flat) const {
  return "input \"" + node.of->operand_name(flat) + "\" of " + node.of->op->name;
}

void VjpFrame::check_finite(const std::string& maker) const {
  const auto bad = [this](const Ref& tensor) {
    if (!tensor) return std::string();
    return launch::first_bad(context, device_of(*tensor), tensor->view);
  };
  for (uint32_t i = 0; i < grads.size(); ++i) {
    const Ref grad = grads[i] || rows.empty() ? grads[i] : rows[i].values;
    const std::string found = bad(grad);
    if (found.empty()) continue;
    std::string already;
    for (uint32_t output = 0; output < node.grads.size() && already.empty(); ++output) {
      const std::string seed = bad(node.grads[output]);
      if (!seed.empty()) {
        already = "the gradient of its output " + std::to_string(output) + " held " + seed;
      }
    }
    for (uint32_t k = 0; k < node.saved_inputs.size() && already.empty(); ++k) {
      const std::string saved = bad(node.saved_inputs[k].tensor);
      if (!saved.empty()) already = name_of(k) + " held " + saved;
    }
    const std::string where = name_of(i);
    std::string message = "backward of " + node.of->op->name;
    message += ": the gradient of " + where;
    message += " holds " + found;
    message += " at step " + std::to_string(context.sequence) + scope_text(node.scope) + "; ";
    message += already.empty() ? "what it was computed from was finite" : already;
    if (!already.empty()) message += " already: it came from outside";
    if (!maker.empty()) message += "; first made by " + maker;
    fail_with(TENON_E_CHECK, node.of->op->name, node.of->rule->plugin->id, std::move(message),
              where.substr(7, where.find('"', 7) - 7), "finite gradients",
              found + " of " + tensor::describe(*grad));
  }
}

void VjpFrame::add_rows(uint32_t input, Tensor& indices, Tensor& values) {
  if (count_of(input) == 0) {
    fail_rule(node, "sets rows of an operand that was not given", input_name(node, input));
  }
  const uint32_t flat = node.of->input_begin[input];
  if (!node.edges[flat].wanted()) return;
  // Rows are not recorded. A rule that can be differentiated gives a dense gradient instead.
  if (create_graph) {
    fail_with(TENON_E_GRAD, node.of->op->name, node.of->rule->plugin->id,
              "rows of a gradient cannot themselves be differentiated", input_name(node, input),
              "a dense gradient under create_graph", "rows");
  }
  const tenon_meta& meta = node.of->input_metas[flat];
  bool fits = indices.dtype() == TENON_DTYPE_I64 && indices.view.rank == 1 && meta.rank >= 1 &&
              values.view.rank == meta.rank && values.shape_[0] == indices.shape_[0] &&
              values.dtype() == meta.dtype;
  for (int32_t i = 1; fits && i < meta.rank; ++i) fits = values.shape_[i] == meta.shape[i];
  if (!fits) {
    fail_rule(node, "returned rows that do not fit input \"" + input_name(node, input) + "\"",
              input_name(node, input), "i64[R] and rows of " + tensor::describe(meta),
              tensor::describe(indices) + " and " + tensor::describe(values));
  }
  rows.resize(grads.size());
  rows[flat] = {Ref::shared(&indices), Ref::shared(&values)};
}

}  // namespace tenon::backward
