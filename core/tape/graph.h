// SPDX-License-Identifier: Apache-2.0
// core/tape/graph.h: the recorded graph of one context.
//
// A Node is one recorded op call. It holds its input nodes (or leaves), the tensors its rule
// declared as needed, and what all calls of its class share: copies of the attributes, the metadata
// of inputs and outputs. It never holds the tensors it made: a saved output is storage and metadata
// only, so there are no cycles.
//
// Node counts are not atomic: only the owning context's thread touches them. A tensor released on
// any thread leaves its link in the graph's drop list, which the owner empties at its next call.
// Destruction is iterative.
#pragma once

#include <tenon/gradients.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/count.h"
#include "core/base/kept.h"
#include "core/registry/registry.h"
#include "core/registry/values.h"
#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::tape {

using tensor::Ref;
using tensor::Tensor;

struct Node;
struct Graph;

// A program's function that sees gradients on their way.
struct Hook {
  ~Hook() {
    if (release) release(user);
  }
  uint64_t id = 0;
  tenon_hook_fn call = nullptr;
  void* user = nullptr;
  bool dense_only = false;  // not called for a gradient of rows, which stays so
  void (*release)(void* user) = nullptr;
};
using Hooks = std::vector<std::shared_ptr<Hook>>;

// What a program wants to see of the gradient of one output of a node.
struct Watch {
  Hooks hooks;
  bool keeps = false;  // its sum over backwards, in `kept`
  Ref kept;
};

// Some rows of a gradient, by their numbers.
struct RowGrad {
  Ref indices{};
  Ref values{};
};

// The gradient of a leaf, dense or as rows.
struct Gradient {
  bool any() const { return dense || rows.indices; }
  Ref dense{};
  RowGrad rows{};
};

// A tensor's place in a graph. Owned by the tensor; a leaf has no node.
struct Link : tensor::GraphLink {
  Link();

  bool requires_grad = false;
  Node* node = nullptr;  // counted reference; belongs to `graph`
  uint32_t output = 0;
  Graph* graph = nullptr;  // counted if node is set
  // A view's gradient goes through its base as it was: writing to the base ends it.
  bool is_view = false;
  uint64_t version = 0;
  // A leaf's. Guarded by `mutex`, because contexts may share leaves.
  std::mutex mutex;
  Gradient grad;
  std::unique_ptr<Hooks> hooks;  // of a leaf
  Link* next_dropped = nullptr;
};

// Where the gradient of one input tensor goes: to another node, to a leaf, or nowhere.
struct Edge {
  Node* node = nullptr;  // counted
  uint32_t output = 0;
  Ref leaf;
  bool wanted() const { return node != nullptr || leaf; }
};

// A tensor or number kept for the rule. `tensor` has no link; the engine attaches one when a rule
// reads it under create_graph.
struct Saved {
  bool kept = false;
  tenon_value number{};  // weak scalar, or NONE
  Ref tensor;
  uint64_t version = 0;
};

// One input tensor or number of a recorded call.
struct OperandRole {
  uint32_t input = 0;    // of the schema
  bool follows = false;  // a gradient goes to it
  bool saved = false;    // the rule reads it
};

// What all recorded calls of one class have in common; the dispatcher keeps those of calls it has
// seen. Counted by the owner's thread alone.
struct Signature : NoCopy {
  Signature() = default;
  [[gnu::cold]] ~Signature();

  uint32_t refs = 1;
  const registry::Op* op = nullptr;
  const registry::VjpRule* rule = nullptr;  // NULL: backward fails with the op's name
  tenon_vjp_need needs{};                   // for the inputs that want gradients
  registry::ValueStore attrs;
  std::vector<uint32_t> input_begin;    // [n_inputs + 1] into what follows and a node's edges
  std::vector<OperandRole> operands;    // one per input tensor or number
  std::vector<tenon_meta> input_metas;  // likewise
  std::vector<tenon_meta> output_metas;
  uint64_t linked = 0;    // outputs that take part in the graph
  Node* spare = nullptr;  // ended nodes of this class, with empty arrays; linked through `next`

  uint32_t n_outputs() const { return static_cast<uint32_t>(output_metas.size()); }
  // "x", or "tensors[1]" for the second of a list.
  [[gnu::cold]] std::string operand_name(uint32_t flat) const;
  void retain() noexcept { ++refs; }
  void release() noexcept {
    if (--refs == 0) delete this;
  }
};

// The arrays lie after the node in its own block.
struct Node {
  uint32_t refs = 1;
  uint16_t queued = 0;    // by which of the context's running walks, counted from 1
  bool freed = false;     // saved values were released by a backward without retain
  bool captured = false;  // a step that was captured has been through it
  uint64_t sequence = 0;
  Signature* of = nullptr;  // counted
  const std::string* scope = nullptr;
  Graph* graph = nullptr;  // counted
  std::span<Edge> edges;   // one per input tensor
  std::span<Saved> saved_inputs;
  std::span<Saved> saved_outputs;
  std::span<Ref> grads;                         // of the outputs, while a backward runs
  std::unique_ptr<std::vector<Watch>> watches;  // one per output, if there are any
  Node* previous = nullptr;
  Node* next = nullptr;
};

struct Graph final : Kept {
  explicit Graph(Runtime& of) : runtime(of) { of.retain(); }

  std::atomic<int64_t> refs{1};
  base::SpinLock mutex;  // guards writes to dropped and closed
  std::atomic<Link*> dropped{nullptr};
  std::atomic<bool> closed{false};  // other contexts' threads ask
  Runtime& runtime;
  uint64_t sequence = 0;
  int64_t live_nodes = 0;
  Node* first = nullptr;  // all nodes, for closing
  tensor::Fresh seed;     // of the latest backward's own seed: one element
  const Device* seed_device = nullptr;
  Link* spare_links = nullptr;  // for the owner's thread alone; linked through next_dropped

  void retain() noexcept { base::add(refs, 1); }
  void release() noexcept;
  void end() noexcept override;  // the context goes; tensors that are linked to it may stay
};

inline Graph& graph_of(const Context& context) { return static_cast<Graph&>(*context.graph); }

// Empties the drop list. Owner thread only.
void drain(Graph& graph) noexcept;
// Ends the graph: destroys all nodes. Owner thread only.
void close(Graph& graph) noexcept;
// Gives up a tensor's link. Any thread.
void drop(tensor::GraphLink* link) noexcept;

// A node with empty edges; holds `of`.
Node* create_node(Graph& graph, Signature& of);
void release_node(Node* node) noexcept;  // iterative

// NULL if it has none.
inline Link* find_link(const Tensor& tensor) noexcept {
  return static_cast<Link*>(tensor.link.load(std::memory_order_acquire));
}
// Does a gradient flow through this tensor? False for a tensor whose graph has closed.
inline bool requires_grad(const Tensor& tensor) noexcept {
  const Link* link = find_link(tensor);
  if (!link) return false;
  if (!link->node) return link->requires_grad;
  return !link->graph->closed;
}
bool is_leaf(const Tensor& tensor) noexcept;
// The tensor's link, made if it has none.
Link& link_of(Tensor& tensor);
// Each gets what the other one has. Any thread.
inline void exchange(Link& link, Gradient& other) noexcept {
  const std::lock_guard lock(link.mutex);
  std::swap(link.grad.dense, other.dense);
  std::swap(link.grad.rows.indices, other.rows.indices);
  std::swap(link.grad.rows.values, other.rows.values);
}
// What a leaf with this link, or none, holds just now. Any thread.
Gradient gradient_of(Link* link) noexcept;
// A link without a meaning yet. Owner thread only.
Link* create_link(Graph& graph);
// Makes `tensor` output `output` of `node`, replacing whatever it was.
void attach(Tensor& tensor, Node& node, uint32_t output, bool is_view);
// With a link of create_link's.
void attach(Tensor& tensor, Node& node, uint32_t output, bool is_view, Link* fresh) noexcept;
// The leaf's hooks as they are now.
Hooks hooks_of(const Tensor& leaf);
// `tensor` belongs to another context's graph.
[[noreturn, gnu::cold]] void fail_owner(const Tensor& tensor, const char* operand);
// The edge that leads to `tensor`; empty if it requires no grad. Throws GRAPH_OWNER if it
// belongs to another context's graph.
Edge edge_to(Tensor& tensor, const Graph& graph);
void release_saved(Node& node) noexcept;

}  // namespace tenon::tape
