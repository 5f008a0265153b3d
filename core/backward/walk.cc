// SPDX-License-Identifier: Apache-2.0
// core/backward/walk.cc: the backward walk, node by node.
#include "core/backward/walk.h"

#include <algorithm>
#include <cstring>

#include "core/backward/rows.h"
#include "core/dispatch/call_cache.h"
#include "core/dispatch/gradients.h"
#include "core/dispatch/roles.h"
#include "core/launch/moves.h"
#include "core/registry/values.h"
#include "core/runtime/callback.h"

namespace tenon::backward {

namespace {

// Gives up one reference at the end of a scope.
struct Hold {
  Node* node;
  ~Hold() {
    if (node) tape::release_node(node);
  }
};

[[noreturn]] void fail_without_rule(const Node& node) {
  const registry::VjpRule* rule = node.of->op->best_rule();
  const std::string too_old =
      rule ? dispatch::rule_too_old(*rule, node.of->op->schema, node.of->input_begin,
                                    node.of->attrs.values())
           : "";
  if (!too_old.empty()) {
    fail_with(TENON_E_GRAD, node.of->op->name, rule->plugin->id,
              "the backward rule of " + node.of->op->name + " " + too_old, {},
              "a rule that knows all that the call uses, or a composition", "an older rule",
              "leave that out of the call, or update plugin " + rule->plugin->id);
  }
  fail_with(TENON_E_GRAD, node.of->op->name, {}, node.of->op->name + " has no backward rule", {},
            "an op with a rule or a composition", "neither",
            "detach its inputs, or load a plugin that adds a rule");
}

// A number 1 of the root's shape, which has one element.
Ref one_like(Context& context, const Tensor& root) {
  if (!device_of(root).host_memory() || !dispatch::may_reuse_calls(context)) {
    return Ref(
        launch::full(context, device_of(root), root.dtype(), root.shape(), registry::int_value(1)));
  }
  // Equal seeds have equal forms, so that the calls they go through are found again.
  tape::Graph& graph = tape::graph_of(context);
  tensor::Fresh& like = graph.seed;
  if (like.dtype != root.dtype() || like.rank != root.view.rank ||
      graph.seed_device != &device_of(root)) {
    like = tensor::fresh_like(tensor::meta_of(root));
    graph.seed_device = &device_of(root);
  }
  Ref one(Tensor::create(device_of(root), like));
  const uint64_t bits = registry::scalar_bits(registry::int_value(1), root.dtype());
  std::memcpy(one->view.data, &bits, root.element_size());
  return one;
}

bool earlier(const Node* a, const Node* b) { return a->sequence < b->sequence; }

[[noreturn, gnu::cold]] void fail_freed(const Node& node) {
  fail_with(
      TENON_E_GRAPH_FREED, node.of->op->name, {},
      "backward ran through " + node.of->op->name + " a second time, and its saved values are gone",
      {}, "one backward, or TENON_BACKWARD_RETAIN on all but the last", "a second backward",
      "pass TENON_BACKWARD_RETAIN to the first backward");
}

[[noreturn, gnu::cold]] void fail_once(const Node& node) {
  fail_with(TENON_E_GRAD, node.of->op->name, node.of->rule->plugin->id,
            "the backward rule of " + node.of->op->name + " cannot itself be differentiated", {},
            "a rule with TENON_VJP_TWICE", "a rule without it");
}

std::string root_name(size_t index) { return "root " + std::to_string(index); }

[[noreturn, gnu::cold]] void fail_without_graph(const Tensor& root, size_t index) {
  const std::string name = root_name(index);
  fail(TENON_E_GRAD, name + " has no graph: nothing it was computed from requires a gradient", name,
       "a tensor computed from one that requires a gradient", tensor::describe(root),
       "call tenon_tensor_set_requires_grad on the parameters before the forward");
}

[[noreturn, gnu::cold]] void fail_seed(const Tensor& given, const Tensor& root, size_t index) {
  fail(TENON_E_SHAPE, "the seed of " + root_name(index) + " must be like the root",
       "seed " + std::to_string(index), tensor::describe(root), tensor::describe(given));
}

[[noreturn, gnu::cold]] void fail_not_scalar(const Tensor& root, size_t index) {
  const std::string name = root_name(index);
  fail(TENON_E_GRAD, name + " is not a scalar, so its gradient needs a seed", name,
       "one element, or a seed", tensor::describe(root), "sum it, or pass a seed of its shape");
}

[[noreturn]] void fail_inside(const Node& node) {
  fail_with(TENON_E_STATE, node.of->op->name, {},
            "a hook has started a backward through " + node.of->op->name +
                ", which the backward that called the hook is walking",
            {}, "another graph", "the graph that is being walked",
            "start it after the backward, or from a detached copy");
}

}  // namespace

void Walk::push(Node& node) {
  if (node.queued == number_) return;
  if (node.queued) fail_inside(node);
  heap_.push_back(&node);
  node.queued = number_;
  ++node.refs;
  std::push_heap(heap_.begin(), heap_.end(), earlier);
}

void Walk::accumulate(Ref& into, Ref grad) {
  if (!into) {
    into = std::move(grad);  // the first is moved, not added
  } else if (!create_ && only_ours(context_, *into)) {
    dispatch::add_into(context_, *into, *grad);
  } else {
    into = Ref(dispatch::add(context_, *into, *grad));
  }
}

void Walk::seed(Tensor& root, Tensor* given, size_t index) {
  if (!tape::requires_grad(root)) fail_without_graph(root, index);
  if (given && !tensor::alike(*given, root)) fail_seed(*given, root, index);
  if (!given && root.elements() != 1) fail_not_scalar(root, index);
  Ref grad = given ? Ref::shared(given) : one_like(context_, root);
  const Edge edge = tape::edge_to(root, tape::graph_of(context_));
  const Hold hold{edge.node};
  if (edge.leaf) {
    accumulate(leaves_.at(root).dense, std::move(grad));
    return;
  }
  push(*edge.node);
  accumulate(edge.node->grads[edge.output], std::move(grad));
}

void Walk::watch(Tensor& input) {
  const Edge edge = tape::edge_to(input, tape::graph_of(context_));
  const Hold hold{edge.node};
  const auto [entry, fresh] = watched_.try_emplace(&input);
  if (!fresh) return;
  entry->second.node = edge.node;
  entry->second.output = edge.output;
  if (edge.node) ++edge.node->refs;
  // Nodes are older than what was computed from them.
  const uint64_t made = edge.node ? edge.node->sequence : 0;
  oldest_ = watched_.size() == 1 ? made : std::min(oldest_, made);
}

// The gradient in the input's own shape; broadcasting is undone by the SUM_TO role.
Ref Walk::fitted(const Node& node, uint32_t flat, Ref grad) const {
  const tenon_meta& meta = node.of->input_metas[flat];
  const tensor::DimSpan shape = tensor::shape_of(meta);
  if (std::equal(shape.begin(), shape.end(), grad->shape().begin(), grad->shape().end())) {
    return grad;
  }
  return Ref(dispatch::sum_to(context_, *grad, shape));
}

void Walk::send(const Node& node, uint32_t flat, VjpFrame& frame) {
  const Edge& edge = node.edges[flat];
  Ref dense = std::move(frame.grads[flat]);
  RowGrad rows = frame.rows.empty() ? RowGrad() : std::move(frame.rows[flat]);
  if (rows.indices) {
    if (edge.leaf) {
      leaves_.at(*edge.leaf).rows.push_back(std::move(rows));
    } else {
      Ref made = densify(context_, node.of->input_metas[flat], rows);
      if (dense) accumulate(made, std::move(dense));
      dense = std::move(made);
    }
  }
  if (!dense) return;
  dense = fitted(node, flat, std::move(dense));
  if (edge.leaf) {
    accumulate(leaves_.at(*edge.leaf).dense, std::move(dense));
    return;
  }
  push(*edge.node);
  accumulate(edge.node->grads[edge.output], std::move(dense));
}

void Walk::step(Node& node) {
  if (node.freed) fail_freed(node);
  if (!node.of->rule) fail_without_rule(node);
  // The rule's plugin is asked where the rule is called.
  const registry::Op& op = *node.of->op;
  if (op.plugin != node.of->rule->plugin) require_active(*op.plugin, op.name);
  if (create_ && !(node.of->rule->desc.flags & TENON_VJP_TWICE)) fail_once(node);
  VjpFrame frame(context_, node, create_);
  frame.grads.resize(node.edges.size());
  {
    // A rule is judged by the gradients it returns: they have names.
    const auto site = check_site(context_, true, [] { return std::string(); });
    CallbackScope call(context_, CallbackState::Vjp, node.of->rule->plugin, node.of->op);
    call.subject = &frame;
    const GradMode mode(context_, create_);
    const DefaultDevice here(context_, node.of->output_metas[0].device);
    call.run("backward rule", [&](tenon_call* handed) {
      return node.of->rule->desc.vjp(handed, node.of->rule->desc.user);
    });
    if (site) frame.check_finite(site->maker);
  }
  frame.owned.clear();
  const GradMode mode(context_, create_);
  for (uint32_t i = 0; i < node.edges.size(); ++i) {
    if (!node.edges[i].wanted()) continue;
    const auto site = check_site(
        context_, false, [&] { return "while gradients of " + frame.name_of(i) + " were summed"; });
    send(node, i, frame);
  }
}

void Walk::run() {
  look_for_hooks();
  while (!heap_.empty()) {
    context_.check_interrupt();
    std::pop_heap(heap_.begin(), heap_.end(), earlier);
    Node* node = heap_.back();
    heap_.pop_back();
    struct Held {
      Node& node;
      ~Held() { forget(node); }
    } held{*node};
    if (node->watches) look_at(*node);
    for (auto& [tensor, watched] : watched_) {
      if (watched.node == node) watched.grad = node->grads[watched.output];
    }
    if (node->sequence <= oldest_) continue;
    step(*node);
    if (!retain_) tape::release_saved(*node);
    if (hooked_.empty()) continue;
    for (const Edge& edge : node->edges) {
      const auto leaf = hooked_.find(edge.leaf.get());
      if (leaf != hooked_.end() && --leaf->second == 0) end_leaf(*edge.leaf);
    }
  }
  // What no rule has sent a gradient to, or only some of those that could.
  for (const auto& [leaf, left] : hooked_) {
    if (left != 0) end_leaf(*leaf);
  }
}

Ref Walk::taken(Tensor& input) {
  if (LeafGrad* const entry = leaves_.find(input)) {
    fold(*entry);
    return entry->dense;
  }
  const auto watched = watched_.find(&input);
  return watched == watched_.end() ? Ref() : watched->second.grad;
}

}  // namespace tenon::backward
