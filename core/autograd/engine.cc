// SPDX-License-Identifier: Apache-2.0
// core/autograd/engine.cc: the backward walk.
//
// A node's consumers were all recorded after it, so taking nodes by falling sequence number meets
// every consumer first: each node runs once, with its gradients complete. The walk is a loop over a
// heap; nothing recurses. Leaves change only after the whole walk has succeeded.
#include "core/autograd/engine.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/autograd/leaves.h"
#include "core/autograd/rows.h"
#include "core/autograd/vjp.h"
#include "core/dispatch/call.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/finite.h"
#include "core/dispatch/route.h"
#include "core/dispatch/values.h"

namespace tenon::autograd {

namespace {

struct Watched {
  Node* node = nullptr;  // counted
  uint32_t output = 0;
  Ref grad;
};

// Gives up one reference at the end of a scope.
struct Hold {
  Node* node;
  ~Hold() {
    if (node) release_node(node);
  }
};

// What becomes of one leaf's gradient once those of all leaves are complete.
struct Change {
  Link* link = nullptr;
  Ref grad;      // the new gradient
  Ref sum;       // or: what the gradient there is becomes, in its own memory
  RowGrad rows;  // or: the new gradient as rows
};

bool earlier(const Node* a, const Node* b) { return a->sequence < b->sequence; }

bool only_ours(const Tensor& tensor) {
  return tensor.refs.load() == 1 && tensor.storage->refs.load() == 1 && !tensor.storage->external &&
         tensor::is_dense(tensor.shape(), tensor.strides());
}

[[noreturn]] void fail_without_rule(const Node& node) {
  const registry::VjpRule* rule = node.of->op->best_rule();
  const std::string too_old =
      rule ? rule_too_old(*rule, node.of->op->schema, node.of->input_begin, node.of->attrs.values())
           : "";
  if (!too_old.empty()) {
    throw Error{.status = TENON_E_GRAD,
                .message = "the backward rule of " + node.of->op->name + " " + too_old,
                .op = node.of->op->name,
                .expected = "a rule that knows all that the call uses, or a composition",
                .found = "an older rule",
                .plugin = rule->plugin->id,
                .hint = "leave that out of the call, or update plugin " + rule->plugin->id};
  }
  throw Error{.status = TENON_E_GRAD,
              .message = node.of->op->name + " has no backward rule",
              .op = node.of->op->name,
              .expected = "an op with a rule or a composition",
              .found = "neither",
              .hint = "detach its inputs, or load a plugin that adds a rule"};
}

// A number 1 of the root's shape, which has one element.
Ref one_like(Context& context, const Tensor& root) {
  if (!root.device().host_memory() || !dispatch::may_take_routes(context)) {
    return Ref(
        dispatch::full(context, root.device(), root.dtype(), root.shape(), dispatch::int_value(1)));
  }
  Ref one(Tensor::create(root.device(), root.dtype(), root.shape()));
  const uint64_t bits = dispatch::scalar_bits(dispatch::int_value(1), root.dtype());
  std::memcpy(one->view.data, &bits, root.element_size());
  return one;
}

class Walk {
 public:
  Walk(Context& context, uint32_t flags)
      : context_(context),
        create_((flags & TENON_BACKWARD_CREATE_GRAPH) != 0),
        retain_((flags & TENON_BACKWARD_RETAIN) != 0 || create_) {}
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  ~Walk() {
    // After an error nodes still wait; they must not keep gradients for a later backward.
    for (Node* node : heap_) forget(*node);
    for (auto& [tensor, watched] : watched_) {
      if (watched.node) release_node(watched.node);
    }
  }

  void seed(Tensor& root, Tensor* given, size_t index);
  void watch(Tensor& input);
  void run();
  void commit();
  Ref taken(Tensor& input);

 private:
  static void forget(Node& node) {
    node.queued = false;
    for (Ref& grad : node.grads) grad = Ref();
    release_node(&node);
  }

  void push(Node& node) {
    if (node.queued) return;
    heap_.push_back(&node);
    node.queued = true;
    ++node.refs;
    std::push_heap(heap_.begin(), heap_.end(), earlier);
  }

  // `into += grad`, in place where nobody else looks.
  void accumulate(Ref& into, Ref grad) {
    if (!into) {
      into = std::move(grad);  // the first is moved, not added
    } else if (!create_ && only_ours(*into)) {
      dispatch::add_into(context_, *into, *grad);
    } else {
      into = Ref(dispatch::add(context_, *into, *grad));
    }
  }

  Ref fitted(const Node& node, uint32_t flat, Ref grad) const;
  void send(const Node& node, uint32_t flat, Ref dense, RowGrad rows);
  void step(Node& node);
  Change change_dense(Link& link, LeafGrad& entry);
  Change change_rows(Link& link, LeafGrad& entry);
  Change change(Link& link, LeafGrad& entry);
  void publish(Change& change);
  bool keeps_rows(const Tensor& leaf) const {
    return leaf.device().host_memory() && !context_.capturing && !create_;
  }

  Context& context_;
  const bool create_;
  const bool retain_;
  dispatch::Small<Node*, 32> heap_;  // counted
  Leaves leaves_;
  std::unordered_map<Tensor*, Watched> watched_;
};

void Walk::seed(Tensor& root, Tensor* given, size_t index) {
  const std::string name = "root " + std::to_string(index);
  if (!requires_grad(root)) {
    throw Error{.status = TENON_E_GRAD,
                .message = name + " has no graph: nothing it was computed from requires a gradient",
                .operand = name,
                .expected = "a tensor computed from one that requires a gradient",
                .found = tensor::describe(root),
                .hint = "call tenon_tensor_set_requires_grad on the parameters before the forward"};
  }
  Ref grad;
  if (given) {
    if (!std::equal(given->shape().begin(), given->shape().end(), root.shape().begin(),
                    root.shape().end()) ||
        given->dtype() != root.dtype() || &given->device() != &root.device()) {
      throw Error{.status = TENON_E_SHAPE,
                  .message = "the seed of " + name + " must be like the root",
                  .operand = "seed " + std::to_string(index),
                  .expected = tensor::describe(root),
                  .found = tensor::describe(*given)};
    }
    grad = Ref::shared(given);
  } else {
    if (root.elements() != 1) {
      throw Error{.status = TENON_E_GRAD,
                  .message = name + " is not a scalar, so its gradient needs a seed",
                  .operand = name,
                  .expected = "one element, or a seed",
                  .found = tensor::describe(root),
                  .hint = "sum it, or pass a seed of its shape"};
    }
    grad = one_like(context_, root);
  }
  const Edge edge = edge_to(root, *context_.graph);
  const Hold hold{edge.node};
  if (edge.leaf) {
    accumulate(leaves_.at(root).dense, std::move(grad));
    return;
  }
  push(*edge.node);
  accumulate(edge.node->grads[edge.output], std::move(grad));
}

void Walk::watch(Tensor& input) {
  const Edge edge = edge_to(input, *context_.graph);
  const Hold hold{edge.node};
  const auto [entry, fresh] = watched_.try_emplace(&input);
  if (!fresh) return;
  entry->second.node = edge.node;
  entry->second.output = edge.output;
  if (edge.node) ++edge.node->refs;
}

// The gradient in the input's own shape; broadcasting is undone by the SUM_TO role.
Ref Walk::fitted(const Node& node, uint32_t flat, Ref grad) const {
  const tenon_meta& meta = node.of->input_metas[flat];
  const tensor::DimSpan shape(meta.shape, static_cast<size_t>(meta.rank));
  if (std::equal(shape.begin(), shape.end(), grad->shape().begin(), grad->shape().end())) {
    return grad;
  }
  return Ref(dispatch::sum_to(context_, *grad, shape));
}

void Walk::send(const Node& node, uint32_t flat, Ref dense, RowGrad rows) {
  const Edge& edge = node.edges[flat];
  if (rows.indices) {
    if (edge.leaf && keeps_rows(*edge.leaf)) {
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
  if (node.freed) {
    throw Error{.status = TENON_E_GRAPH_FREED,
                .message = "backward ran through " + node.of->op->name +
                           " a second time, and its saved values are gone",
                .op = node.of->op->name,
                .expected = "one backward, or TENON_BACKWARD_RETAIN on all but the last",
                .found = "a second backward",
                .hint = "pass TENON_BACKWARD_RETAIN to the first backward"};
  }
  if (!node.of->rule) fail_without_rule(node);
  if (create_ && !(node.of->rule->desc.flags & TENON_VJP_TWICE)) {
    throw Error{
        .status = TENON_E_GRAD,
        .message = "the backward rule of " + node.of->op->name + " cannot itself be differentiated",
        .op = node.of->op->name,
        .expected = "a rule with TENON_VJP_TWICE",
        .found = "a rule without it",
        .plugin = node.of->rule->plugin->id};
  }
  VjpFrame frame(context_, node, create_);
  frame.grads.resize(node.edges.size());
  const bool finite = (context_.runtime->config.checks & kCheckFinite) != 0;
  {
    // A rule is judged by the gradients it returns: they have names.
    std::optional<dispatch::CheckSite> site;
    if (finite) site.emplace(context_, "", true);
    dispatch::Call call(context_, dispatch::CallState::Vjp, node.of->rule->plugin, node.of->op);
    call.frame = &frame;
    const GradMode mode(context_, create_);
    call.run("backward rule", [&](tenon_call* handed) {
      return node.of->rule->desc.vjp(handed, node.of->rule->desc.user);
    });
    if (finite) frame.check_finite(site->maker);
  }
  frame.owned.clear();
  const GradMode mode(context_, create_);
  for (uint32_t i = 0; i < node.edges.size(); ++i) {
    if (node.edges[i].wanted()) {
      std::optional<dispatch::CheckSite> site;
      if (finite) {
        site.emplace(context_, "while gradients of " + frame.name_of(i) + " were summed", false);
      }
      send(node, i, std::move(frame.grads[i]),
           frame.rows.empty() ? RowGrad() : std::move(frame.rows[i]));
    }
  }
}

void Walk::run() {
  while (!heap_.empty()) {
    context_.check_interrupt();
    std::pop_heap(heap_.begin(), heap_.end(), earlier);
    Node* node = heap_.back();
    heap_.pop_back();
    struct Held {
      Node& node;
      ~Held() { forget(node); }
    } held{*node};
    for (auto& [tensor, watched] : watched_) {
      if (watched.node == node) watched.grad = node->grads[watched.output];
    }
    step(*node);
    if (!retain_) release_saved(*node);
  }
}

Change Walk::change_dense(Link& link, LeafGrad& entry) {
  // Copied where its memory is shared with other gradients, a seed, or a plan.
  if (!only_ours(*entry.dense) && !create_) {
    entry.dense = Ref(dispatch::copy(context_, *entry.dense));
  }
  for (const RowGrad& rows : entry.rows) add_rows_into(context_, *entry.dense, rows);
  entry.rows.clear();
  if (link.row_indices) {
    add_rows_into(context_, *entry.dense, {link.row_indices, link.row_values});
  }
  Change change{&link, {}, {}, {}};
  if (!link.grad) {
    change.grad = std::move(entry.dense);
  } else if (create_) {
    change.grad = Ref(dispatch::add(context_, *link.grad, *entry.dense));
  } else if (context_.capture) {
    // A replay has to add into the gradient's own memory.
    dispatch::add_into(context_, *link.grad, *entry.dense);
    change.grad = link.grad;
  } else {
    dispatch::add_into(context_, *entry.dense, *link.grad);
    change.sum = std::move(entry.dense);
  }
  return change;
}

Change Walk::change_rows(Link& link, LeafGrad& entry) {
  Change change{&link, {}, {}, {}};
  if (link.grad) {
    change.sum = Ref(dispatch::copy(context_, *link.grad));
    for (const RowGrad& rows : entry.rows) add_rows_into(context_, *change.sum, rows);
    return change;
  }
  std::vector<RowGrad> parts;
  if (link.row_indices) parts.push_back({link.row_indices, link.row_values});
  for (RowGrad& rows : entry.rows) parts.push_back(std::move(rows));
  change.rows = coalesce(context_, tensor::meta_of(*entry.leaf), parts);
  return change;
}

Change Walk::change(Link& link, LeafGrad& entry) {
  if (entry.dense) return change_dense(link, entry);
  if (!entry.rows.empty()) return change_rows(link, entry);
  return {};
}

// Cannot fail but for a gradient that lies on a device or is not row-major: the copy is a launch.
void Walk::publish(Change& change) {
  if (!change.link) return;
  Link& link = *change.link;
  if (!change.sum) {
    link.grad = std::move(change.grad);
    link.row_indices = std::move(change.rows.indices);
    link.row_values = std::move(change.rows.values);
    return;
  }
  Tensor& grad = *link.grad;
  if (!grad.device().host_memory() || !grad.contiguous() || !change.sum->contiguous()) {
    return dispatch::copy_into(context_, *change.sum, grad);
  }
  std::memcpy(grad.view.data, change.sum->view.data,
              static_cast<size_t>(grad.elements()) * grad.element_size());
  grad.storage->written(context_.runtime->registry.role(TENON_ROLE_ADD), context_.scope_path());
}

// Leaves change together: where one of the sums fails, none of them has.
void Walk::commit() {
  const GradMode mode(context_, create_);
  dispatch::Small<Link*, 16> links;
  for (size_t i = 0; i < leaves_.size(); ++i) links.push_back(&link_of(*leaves_[i].leaf));
  dispatch::Small<Change, 16> changes;
  changes.reserve(links.size());
  std::optional<dispatch::CheckSite> site;
  if (context_.runtime->config.checks & kCheckFinite) {
    site.emplace(context_, "while gradients of leaves were summed", false);
  }
  // Contexts may share leaves, so all of them lock in one order; one thread alone need not.
  dispatch::Small<std::unique_lock<std::mutex>, 16> locks;
  if (!memory::single_threaded()) {
    dispatch::Small<Link*, 16> ordered = links;
    std::sort(ordered.begin(), ordered.end(), std::less<>());
    for (Link* link : ordered) locks.emplace_back(link->mutex);
  }
  for (size_t i = 0; i < links.size(); ++i) changes.push_back(change(*links[i], leaves_[i]));
  for (Change& each : changes) publish(each);
}

Ref Walk::taken(Tensor& input) {
  if (LeafGrad* const entry = leaves_.find(input)) {
    for (const RowGrad& rows : entry->rows) {
      accumulate(entry->dense, densify(context_, tensor::meta_of(input), rows));
    }
    entry->rows.clear();
    return entry->dense;
  }
  const auto watched = watched_.find(&input);
  return watched == watched_.end() ? Ref() : watched->second.grad;
}

void check_flags(uint32_t flags) {
  constexpr uint32_t known = TENON_BACKWARD_RETAIN | TENON_BACKWARD_CREATE_GRAPH;
  if (flags & ~known) {
    throw Error{.status = TENON_E_ARGUMENT,
                .message = "unknown backward flags",
                .operand = "flags",
                .found = std::to_string(flags & ~known)};
  }
}

void seed_all(Walk& walk, std::span<Tensor* const> roots, std::span<Tensor* const> seeds) {
  for (size_t i = 0; i < roots.size(); ++i) {
    walk.seed(*roots[i], i < seeds.size() ? seeds[i] : nullptr, i);
  }
}

}  // namespace

void backward(Context& context, std::span<Tensor* const> roots, std::span<Tensor* const> seeds,
              uint32_t flags) {
  check_flags(flags);
  Walk walk(context, flags);
  {
    const GradMode off(context, false);
    seed_all(walk, roots, seeds);
  }
  walk.run();
  walk.commit();
}

std::vector<Ref> gradient(Context& context, std::span<Tensor* const> roots,
                          std::span<Tensor* const> seeds, std::span<Tensor* const> inputs,
                          uint32_t flags) {
  check_flags(flags);
  Walk walk(context, flags);
  for (Tensor* input : inputs) {
    if (!requires_grad(*input)) {
      throw Error{.status = TENON_E_GRAD,
                  .message = "an input does not require a gradient",
                  .operand = "inputs",
                  .expected = "tensors that require a gradient",
                  .found = tensor::describe(*input)};
    }
    walk.watch(*input);
  }
  {
    const GradMode off(context, false);
    seed_all(walk, roots, seeds);
  }
  walk.run();
  const GradMode mode(context, (flags & TENON_BACKWARD_CREATE_GRAPH) != 0);
  std::vector<Ref> out;
  for (Tensor* input : inputs) out.push_back(walk.taken(*input));
  return out;
}

}  // namespace tenon::autograd
