// SPDX-License-Identifier: Apache-2.0
// core/inspect/graph.cc: a recorded graph as JSON. docs/autograd.md says what stands where.
#include "core/inspect/graph.h"

#include <algorithm>
#include <unordered_set>

#include "core/inspect/print.h"
#include "core/json/writer.h"
#include "core/registry/values.h"

namespace tenon::inspect {

namespace {

constexpr int64_t kFew = 8;

int64_t index_of(const std::vector<Node*>& nodes, const Node* node) {
  return std::ranges::lower_bound(nodes, node->sequence, {}, &Node::sequence) - nodes.begin();
}

const char* word_of(Kept kept) {
  return kept == Kept::Yes ? "kept" : kept == Kept::Freed ? "freed" : "no";
}

// The members of an object, as write_node and write_leaf.
void write_origin(json::Writer& out, const Origin& from) {
  if (from.node >= 0) {
    out.member("node", from.node);
    out.member("output", from.output);
  } else if (from.leaf >= 0) {
    out.member("leaf", from.leaf);
  }
}

void write_saved(Context& context, json::Writer& out, const Node& node, const Saved& saved) {
  const Kept state = kept(node, saved);
  out.member("saved", word_of(state));
  if (state != Kept::Yes) return;
  out.member("value", saved.tensor ? few_values(context, *saved.tensor)
                                   : registry::value_text(saved.number));
}

void write_node(Context& context, json::Writer& out, const Recorded& graph, size_t id) {
  const Node& node = *graph.nodes[id];
  const Signature& of = *node.of;
  out.member("id", id);
  out.member("op", of.op->name);
  out.member("revision", of.op->desc.revision);
  out.member("plugin", of.op->plugin->id);
  out.member("rule", of.rule ? of.rule->plugin->id : "");
  out.member("sequence", node.sequence);
  out.member("scope", node.scope ? *node.scope : "");
  out.member("freed", node.freed);
  out.name("attributes");
  out.begin_object();
  for (size_t i = 0; i < of.attrs.values().size() && i < of.op->schema.attrs.size(); ++i) {
    out.member(of.op->schema.attrs[i].name, registry::value_text(of.attrs.values()[i]));
  }
  out.end_object();
  out.objects("inputs", static_cast<uint32_t>(node.edges.size()), [&](uint32_t i) {
    out.member("name", of.operand_name(i));
    out.member("dtype", tensor::name_of(of.input_metas[i].dtype));
    out.member("shape", tensor::shape_of(of.input_metas[i]));
    out.name("from");
    out.begin_object();
    write_origin(out, graph.origin_of(node.edges[i]));
    out.end_object();
    write_saved(context, out, node, node.saved_inputs[i]);
  });
  out.objects("outputs", of.n_outputs(), [&](uint32_t i) {
    out.member("name", of.op->schema.output_name(i));
    out.member("dtype", tensor::name_of(of.output_metas[i].dtype));
    out.member("shape", tensor::shape_of(of.output_metas[i]));
    write_saved(context, out, node, node.saved_outputs[i]);
    out.member("hooks", hooks_at(node, i));
    if (const Ref* grad = kept_gradient(node, i)) {
      out.member("gradient", few_values(context, **grad));
    }
  });
}

void write_leaf(Context& context, json::Writer& out, size_t id, const Tensor& leaf) {
  const tape::Gradient grad = tape::gradient_of(tape::find_link(leaf));
  out.member("id", id);
  out.member("dtype", tensor::name_of(leaf.dtype()));
  out.member("shape", leaf.shape());
  out.member("device", device_of(leaf).name());
  out.member("value", few_values(context, leaf));
  out.member("hooks", tape::hooks_of(leaf).size());
  if (grad.dense) out.member("gradient", few_values(context, *grad.dense));
  if (grad.rows.values) out.member("gradient_rows", grad.rows.values->shape()[0]);
}

}  // namespace

Origin Recorded::origin_of(const Edge& edge) const {
  if (edge.node) return {.node = index_of(nodes, edge.node), .output = edge.output};
  if (edge.leaf) return {.leaf = leaf_ids.at(edge.leaf.get())};
  return {};
}

Recorded recorded(Context& context, std::span<Tensor* const> roots) {
  Recorded found;
  std::unordered_set<const Node*> seen;
  std::vector<Edge> starts;
  const auto meet = [&](Node* node) {
    if (node && seen.insert(node).second) found.nodes.push_back(node);
  };
  for (Tensor* root : roots) {
    Edge edge = edge_to(*root, tape::graph_of(context));
    if (edge.node) release_node(edge.node);  // the root holds it
    meet(edge.node);
    starts.push_back(std::move(edge));
  }
  for (size_t i = 0; i < found.nodes.size(); ++i) {
    for (const Edge& edge : found.nodes[i]->edges) meet(edge.node);
  }
  std::ranges::sort(found.nodes, {}, &Node::sequence);
  const auto note = [&](const Edge& edge) {
    const auto id = static_cast<int64_t>(found.leaves.size());
    if (!edge.leaf || !found.leaf_ids.emplace(edge.leaf.get(), id).second) return;
    found.leaves.push_back(edge.leaf);
  };
  for (const Node* node : found.nodes) {
    for (const Edge& edge : node->edges) note(edge);
  }
  for (const Edge& edge : starts) {
    note(edge);
    found.roots.push_back(found.origin_of(edge));
  }
  return found;
}

std::string few_values(Context& context, const Tensor& tensor) {
  if (tensor.elements() > kFew || context.capturing) return "";
  std::string text = inspect::to_text(context, tensor, 0);
  // "tensor([1., 2.], shape=[2], ...": the words after the values may stand on a line of their own.
  text.resize(text.rfind(',', text.find("shape=")));
  text.erase(0, std::string_view("tensor(").size());
  std::string line;
  for (const char c : text) {
    if (c == '\n' || (c == ' ' && !line.empty() && (line.back() == ' ' || line.back() == '['))) {
      continue;
    }
    line += c;
  }
  return line;
}

Kept kept(const Node& node, const Saved& saved) {
  if (!saved.kept) return Kept::No;
  const bool number = saved.number.tag != TENON_VALUE_NONE;
  return saved.tensor || number || !node.freed ? Kept::Yes : Kept::Freed;
}

size_t hooks_at(const Node& node, uint32_t output) {
  return node.watches ? (*node.watches)[output].hooks.size() : 0;
}

const Ref* kept_gradient(const Node& node, uint32_t output) {
  if (!node.watches || !(*node.watches)[output].kept) return nullptr;
  return &(*node.watches)[output].kept;
}

std::string graph_json(Context& context, const Recorded& graph) {
  json::Writer out(1);
  out.begin_object();
  out.objects("roots", graph.roots, [&](const Origin& root) { write_origin(out, root); });
  out.objects("nodes", graph.nodes.size(), [&](size_t i) { write_node(context, out, graph, i); });
  out.objects("leaves", graph.leaves.size(),
              [&](size_t i) { write_leaf(context, out, i, *graph.leaves[i]); });
  out.end_object();
  return out.take();
}

}  // namespace tenon::inspect
