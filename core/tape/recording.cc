// SPDX-License-Identifier: Apache-2.0
// core/tape/recording.cc: one node for one recorded call.
#include "core/tape/recording.h"

#include <utility>

namespace tenon::tape {

namespace {

Saved save(Tensor& tensor) {
  Saved saved;
  saved.kept = true;
  saved.tensor = Ref(tensor.alias());
  saved.version = tensor.storage->version.load(std::memory_order_relaxed);
  return saved;
}

}  // namespace

void Recording::begin(Context& context, Signature& of, std::span<const Operand> operands) {
  node_ = create_node(graph_of(context), of);
  Node& node = *node_;
  node.scope = context.scope_path();
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandRole& role = of.operands[i];
    Tensor* const tensor = operands[i].tensor;
    if (role.follows) node.edges[i] = edge_to(*tensor, graph_of(context));
    if (!role.saved) continue;
    if (tensor) {
      node.saved_inputs[i] = save(*tensor);
    } else {
      node.saved_inputs[i].kept = true;
      node.saved_inputs[i].number = *operands[i].number;
    }
  }
}

void Recording::reserve(std::span<Tensor* const> outputs) {
  if (!node_) return;
  Node& node = *node_;
  const Signature& of = *node.of;
  // Backwards, so that end() meets them in order.
  for (size_t i = outputs.size(); i-- > 0;) {
    if (!outputs[i]) continue;
    if (of.needs.outputs >> i & 1) node.saved_outputs[i] = save(*outputs[i]);
    if (!(of.linked >> i & 1)) continue;
    Link* const link = create_link(*node.graph);
    link->next_dropped = links_;
    links_ = link;
  }
}

void Recording::end(std::span<Tensor* const> outputs, bool is_view) noexcept {
  if (!node_) return;
  Node& node = *node_;
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    Saved& saved = node.saved_outputs[i];
    if (saved.kept) saved.version = outputs[i]->storage->version.load(std::memory_order_relaxed);
    if (!(node.of->linked >> i & 1)) continue;
    Link* const link = std::exchange(links_, links_->next_dropped);
    link->next_dropped = nullptr;
    attach(*outputs[i], node, i, is_view, link);
  }
}

Recording::~Recording() {
  while (links_) delete std::exchange(links_, links_->next_dropped);
  if (node_) release_node(node_);
}

}  // namespace tenon::tape
