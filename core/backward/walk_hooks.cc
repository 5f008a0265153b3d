// SPDX-License-Identifier: Apache-2.0
// core/backward/walk_hooks.cc: what a program sees of gradients during a backward.
#include <algorithm>
#include <unordered_set>

#include "core/backward/walk.h"
#include "core/base/error.h"
#include "core/dispatch/roles.h"

namespace tenon::backward {

// Tells a capture where the walk leads. Counts the edges to leaves with hooks: the last one's
// gradient makes a leaf's complete.
void Walk::look_for_hooks() {
  StepCapture* const capture = capture_of(context_);
  if (!capture && !context_.runtime->leaf_hooks.load(std::memory_order_relaxed)) return;
  std::vector<Node*> waiting(heap_.begin(), heap_.end());
  std::unordered_set<const Node*> seen(waiting.begin(), waiting.end());
  std::unordered_map<const Tensor*, bool> known;
  const auto note = [&](Tensor& leaf, size_t edges) {
    const auto [entry, fresh] = known.try_emplace(&leaf, false);
    if (fresh && capture) capture->leads_to(leaf);
    if (fresh) entry->second = !tape::hooks_of(leaf).empty();
    if (entry->second) hooked_[&leaf] += edges;
  };
  for (size_t i = 0; i < leaves_.size(); ++i) note(*leaves_[i].leaf, 0);
  while (!waiting.empty()) {
    Node* const node = waiting.back();
    waiting.pop_back();
    if (node->sequence <= oldest_) continue;
    if (capture) node->captured = true;
    for (const Edge& edge : node->edges) {
      if (edge.leaf) note(*edge.leaf, 1);
      if (edge.node && seen.insert(edge.node).second) waiting.push_back(edge.node);
    }
  }
  // A root that is a leaf, and nothing else leads to it.
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const auto leaf = hooked_.find(leaves_[i].leaf.get());
    if (leaf != hooked_.end() && leaf->second == 0) end_leaf(*leaf->first);
  }
}

void Walk::call_hooks(const Hooks& hooks, Ref& grad, const std::string& where) {
  if (!hooks.empty() && context_.capturing) {
    fail(TENON_E_CAPTURE, "the gradient of " + where + " has a hook, which a replay would not call",
         {}, {}, {}, "end the hook before the capture, or capture the forward alone");
  }
  for (const std::shared_ptr<tape::Hook>& hook : hooks) {
    const GradMode mode(context_, create_);
    tenon_tensor* given = nullptr;
    const uint64_t failures = context_.error.stored;
    tenon_status status = TENON_OK;
    {
      const Lent lent(context_);
      status = hook->call(context_.handle, tensor::handle(grad.get()), &given, hook->user);
    }
    Tensor* const made = tensor::from_handle(given);
    Ref replacement(made);
    if (status != TENON_OK) {
      Error error{.status = status,
                  .message = "a hook on the gradient of " + where + " has returned " +
                             tenon_status_get_name(status)};
      if (context_.error.stored != failures) error.causes = {context_.error.error.message};
      throw error;
    }
    if (!given) continue;
    if (!made || made->owner != context_.runtime || !tensor::alike(*made, *grad)) {
      fail(TENON_E_SHAPE, "a hook must return a gradient like the one of " + where, "*out_gradient",
           tensor::describe(*grad), made ? tensor::describe(*made) : "no live tensor");
    }
    grad = std::move(replacement);
  }
}

// Before the node's rule runs: the gradients of its outputs are complete.
void Walk::look_at(Node& node) {
  for (size_t i = 0; i < node.grads.size(); ++i) {
    Ref& grad = node.grads[i];
    if (!grad) continue;
    // A hook may end hooks, itself too.
    const Hooks hooks = (*node.watches)[i].hooks;
    call_hooks(hooks, grad, "output " + std::to_string(i) + " of " + node.of->op->name);
    if (!(*node.watches)[i].keeps) continue;
    const GradMode mode(context_, create_);
    Ref& kept = (*node.watches)[i].kept;
    kept = kept ? Ref(dispatch::add(context_, *kept, *grad)) : grad;
  }
}

void Walk::end_leaf(const Tensor& leaf) {
  LeafGrad* const entry = leaves_.find(leaf);
  if (!entry) return;
  const Hooks hooks = tape::hooks_of(leaf);
  const bool stays = std::ranges::all_of(hooks, [](const auto& hook) { return hook->dense_only; });
  if (!entry->dense && stays) return;
  fold(*entry);
  if (entry->dense) call_hooks(hooks, entry->dense, "the leaf " + tensor::describe(leaf));
}

}  // namespace tenon::backward
