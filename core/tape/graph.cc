// SPDX-License-Identifier: Apache-2.0
// core/tape/graph.cc: nodes, links and their ends.
#include "core/tape/graph.h"

#include <new>
#include <utility>

namespace tenon::tape {

Link::Link() : GraphLink(&tape::drop) {}

void Graph::end() noexcept {
  close(*this);
  release();
}

void Graph::release() noexcept {
  if (base::add(refs, -1) != 1) return;
  Runtime& owner = runtime;
  delete this;
  owner.release();
}

namespace {

template <class T>
std::span<T> take_array(char*& from, size_t count) {
  T* const first = reinterpret_cast<T*>(from);
  for (size_t i = 0; i < count; ++i) ::new (first + i) T;
  from += count * sizeof(T);
  return {first, count};
}

template <class T>
void end_array(std::span<T> all) noexcept {
  for (T& each : all) each.~T();
}

void free_memory(Node* node) noexcept {
  end_array(node->edges);
  end_array(node->saved_inputs);
  end_array(node->saved_outputs);
  end_array(node->grads);
  node->~Node();
  ::operator delete(node);
}

// Ends a node: with what it held gone, it is the next of its class.
void free_node(Node* node) noexcept {
  Graph& graph = *node->graph;
  for (Edge& edge : node->edges) {
    edge.node = nullptr;
    edge.leaf.reset();
  }
  for (const std::span<Saved> all : {node->saved_inputs, node->saved_outputs}) {
    for (Saved& saved : all) {
      saved.kept = false;
      saved.tensor.reset();
    }
  }
  for (Ref& grad : node->grads) grad.reset();
  node->watches.reset();
  Signature* const of = node->of;
  node->next = of->spare;
  of->spare = node;
  of->release();
  graph.release();
}

void free_link(Graph& graph, Link* link) noexcept {
  link->~Link();
  Link* spare = ::new (link) Link;
  spare->next_dropped = graph.spare_links;
  graph.spare_links = spare;
}

void free_spare_links(Graph& graph) noexcept {
  while (Link* link = graph.spare_links) {
    graph.spare_links = link->next_dropped;
    delete link;
  }
}

Node* make_node(const Signature& of) {
  static_assert(sizeof(Node) % alignof(Edge) == 0 && alignof(Edge) == alignof(Saved) &&
                alignof(Saved) == alignof(Ref));
  const size_t operands = of.operands.size();
  const size_t outputs = of.output_metas.size();
  void* const memory = ::operator new(sizeof(Node) + operands * (sizeof(Edge) + sizeof(Saved)) +
                                      outputs * (sizeof(Saved) + sizeof(Ref)));
  Node* node = ::new (memory) Node;
  char* behind = static_cast<char*>(memory) + sizeof(Node);
  node->edges = take_array<Edge>(behind, operands);
  node->saved_inputs = take_array<Saved>(behind, operands);
  node->saved_outputs = take_array<Saved>(behind, outputs);
  node->grads = take_array<Ref>(behind, outputs);
  return node;
}

void unlink(Node* node) noexcept {
  Graph& graph = *node->graph;
  if (node->previous) node->previous->next = node->next;
  if (node->next) node->next->previous = node->previous;
  if (graph.first == node) graph.first = node->next;
  node->previous = nullptr;
  node->next = nullptr;
  --graph.live_nodes;
}

}  // namespace

Signature::~Signature() {
  while (Node* node = spare) {
    spare = node->next;
    free_memory(node);
  }
}

std::string Signature::operand_name(uint32_t flat) const {
  const uint32_t input = operands[flat].input;
  return op->schema.operand_name(input, flat - input_begin[input]);
}

Node* create_node(Graph& graph, Signature& of) {
  Node* node = of.spare;
  if (node) {
    of.spare = node->next;
    node->refs = 1;
    node->freed = false;
    node->captured = false;
  } else {
    node = make_node(of);
  }
  node->of = &of;
  of.retain();
  node->graph = &graph;
  graph.retain();
  node->sequence = ++graph.sequence;
  node->previous = nullptr;
  node->next = graph.first;
  if (graph.first) graph.first->previous = node;
  graph.first = node;
  ++graph.live_nodes;
  return node;
}

Link* create_link(Graph& graph) {
  Link* spare = graph.spare_links;
  if (!spare) return new Link;
  graph.spare_links = std::exchange(spare->next_dropped, nullptr);
  return spare;
}

void release_node(Node* node) noexcept {
  // Nodes whose count fell to zero wait in a chain through `next`, which unlinking has freed.
  Node* waiting = nullptr;
  const auto drop_one = [&waiting](Node* dropped) {
    if (!dropped || --dropped->refs != 0) return;
    unlink(dropped);
    dropped->next = waiting;
    waiting = dropped;
  };
  drop_one(node);
  while (waiting) {
    Node* dead = waiting;
    waiting = dead->next;
    for (Edge& edge : dead->edges) drop_one(edge.node);
    free_node(dead);
  }
}

void release_saved(Node& node) noexcept {
  node.freed = true;
  for (Saved& saved : node.saved_inputs) saved.tensor.reset();
  for (Saved& saved : node.saved_outputs) saved.tensor.reset();
}

void drain(Graph& graph) noexcept {
  // A link's release can queue others (a leaf's gradient with history), hence the loop.
  while (graph.dropped.load(std::memory_order_acquire)) {
    Link* list = nullptr;
    {
      const std::lock_guard lock(graph.mutex);
      list = graph.dropped.exchange(nullptr, std::memory_order_acq_rel);
    }
    while (list) {
      Link* link = list;
      list = link->next_dropped;
      release_node(link->node);
      free_link(graph, link);
      graph.release();
    }
  }
}

void close(Graph& graph) noexcept {
  drain(graph);
  {
    std::lock_guard lock(graph.mutex);
    graph.closed = true;
  }
  drain(graph);
  // What is left is held by tensors that outlive the context: their links see `closed`.
  while (graph.first) {
    Node* node = graph.first;
    unlink(node);
    free_node(node);
  }
  free_spare_links(graph);
}

// Apart, so that the links of results, which only wait for their graph's owner, need no registers
// for it.
[[gnu::noinline]] static void destroy(Link* link) noexcept { delete link; }

void drop(tensor::GraphLink* given) noexcept {
  Link* const link = static_cast<Link*>(given);
  if (!link->node) return destroy(link);
  Graph* graph = link->graph;
  bool closed = false;
  {
    std::lock_guard lock(graph->mutex);
    closed = graph->closed;
    if (!closed) {
      link->next_dropped = graph->dropped.load(std::memory_order_relaxed);
      graph->dropped.store(link, std::memory_order_release);
    }
  }
  if (!closed) return;
  destroy(link);  // the node went with the context
  graph->release();
}

bool is_leaf(const Tensor& tensor) noexcept {
  const Link* link = find_link(tensor);
  return !link || !link->node || link->graph->closed;
}

Link& link_of(Tensor& tensor) {
  if (Link* link = find_link(tensor)) return *link;
  auto made = std::make_unique<Link>();
  tensor::GraphLink* expected = nullptr;
  if (tensor.link.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return static_cast<Link&>(*expected);
}

void attach(Tensor& tensor, Node& node, uint32_t output, bool is_view) {
  attach(tensor, node, output, is_view, create_link(*node.graph));
}

void attach(Tensor& tensor, Node& node, uint32_t output, bool is_view, Link* link) noexcept {
  link->requires_grad = true;
  link->node = &node;
  link->output = output;
  link->graph = node.graph;
  link->is_view = is_view;
  link->version = tensor.storage->version.load(std::memory_order_relaxed);
  ++node.refs;
  node.graph->retain();
  // A tensor nobody else can know yet needs no exchange.
  if (!tensor.link.load(std::memory_order_relaxed) && base::single_threaded()) {
    return tensor.link.store(link, std::memory_order_release);
  }
  tensor::GraphLink* before = tensor.link.exchange(link, std::memory_order_acq_rel);
  if (before) drop(before);
}

Gradient gradient_of(Link* link) noexcept {
  if (!link) return {};
  const std::lock_guard lock(link->mutex);
  return link->grad;
}

Hooks hooks_of(const Tensor& leaf) {
  Link* const link = find_link(leaf);
  if (!link) return {};
  const std::lock_guard lock(link->mutex);
  return link->hooks ? *link->hooks : Hooks();
}

void fail_owner(const Tensor& tensor, const char* operand) {
  const Link& link = *find_link(tensor);
  fail(TENON_E_GRAPH_OWNER, "the tensor's graph was recorded by another context", operand,
       "a leaf, or a tensor made in this context",
       tensor::describe(tensor) + " made by " + link.node->of->op->name,
       "detach it, or use it in the context that made it");
}

Edge edge_to(Tensor& tensor, const Graph& graph) {
  Edge edge;
  if (!requires_grad(tensor)) return edge;
  const Link* link = find_link(tensor);
  if (!link->node) {
    edge.leaf = Ref::shared(&tensor);
    return edge;
  }
  if (link->graph != &graph) {
    fail_owner(tensor, "");
  }
  if (link->is_view && link->version != tensor.storage->version.load(std::memory_order_relaxed)) {
    const std::string* writer = tensor.storage->writer.load(std::memory_order_relaxed);
    fail(TENON_E_VERSION,
         "the view made by " + link->node->of->op->name +
             " cannot be differentiated any more: its base was overwritten" +
             (writer ? " by " + *writer : ""),
         {}, "version " + std::to_string(link->version),
         "version " + std::to_string(tensor.storage->version.load(std::memory_order_relaxed)),
         "make the view again after the write");
  }
  edge.node = link->node;
  edge.output = link->output;
  ++edge.node->refs;
  return edge;
}

}  // namespace tenon::tape
