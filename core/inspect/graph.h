// SPDX-License-Identifier: Apache-2.0
// core/inspect/graph.h: what a graph has recorded, for people and programs.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/runtime/context.h"
#include "core/tape/graph.h"

namespace tenon::inspect {

using tape::Edge;
using tape::Node;
using tape::Saved;
using tape::Signature;
using tensor::Ref;
using tensor::Tensor;

// Where a value comes from: output `output` of node `node`, or leaf `leaf`; neither: no gradient
// goes there.
struct Origin {
  int64_t node = -1;
  uint32_t output = 0;
  int64_t leaf = -1;
};

struct Recorded {
  std::vector<Node*> nodes;  // by age, the oldest first
  std::vector<Ref> leaves;   // in the order the nodes name them
  std::vector<Origin> roots;
  std::unordered_map<const Tensor*, int64_t> leaf_ids;
  Origin origin_of(const Edge& edge) const;
};

// All that `roots` were computed from. Nothing of it may end before the result does.
Recorded recorded(Context& context, std::span<Tensor* const> roots);

// A few values as "[1., 2., 3.]"; "" for tensors of more than 8 elements.
std::string few_values(Context& context, const Tensor& tensor);
enum class Kept : uint8_t { No, Yes, Freed };
Kept kept(const Node& node, const Saved& saved);
size_t hooks_at(const Node& node, uint32_t output);
const Ref* kept_gradient(const Node& node, uint32_t output);
// A topic of tenon_graph_query.
std::string graph_json(Context& context, const Recorded& graph);

}  // namespace tenon::inspect
