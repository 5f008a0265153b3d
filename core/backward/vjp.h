// SPDX-License-Identifier: Apache-2.0
// core/backward/vjp.h: what a backward rule sees while it runs on one node.
#pragma once

#include "core/runtime/callback.h"
#include "core/runtime/context.h"
#include "core/tape/graph.h"

namespace tenon::backward {

using tape::Edge;
using tape::Node;
using tape::RowGrad;
using tape::Saved;
using tensor::Ref;
using tensor::Tensor;

struct VjpFrame final : CallbackSubject {
  VjpFrame(Context& owner, Node& which, bool create)
      : context(owner), node(which), create_graph(create) {}

  bool wants(uint32_t input) const;
  // Saved values; throw Error for undeclared reads and overwritten tensors.
  tenon_value input(uint32_t index);
  tenon_value output(uint32_t index);
  tenon_meta input_meta(uint32_t index, uint32_t item) const;
  tenon_meta output_meta(uint32_t index) const;
  tenon_value output_grad(uint32_t index);
  void set_grad(uint32_t input, uint32_t item, Tensor* grad);
  [[gnu::cold]] void add_rows(uint32_t input, Tensor& indices, Tensor& values);

  // TENON_CHECK=finite: throws for the first gradient that holds a NaN or an infinity. `maker`: the
  // first op inside the rule that made one, or "".
  [[gnu::cold]] void check_finite(const std::string& maker) const;
  // "input \"x\" of tenon.log", for input tensor `flat`.
  [[gnu::cold]] std::string name_of(uint32_t flat) const;

  Context& context;
  Node& node;
  bool create_graph;
  Small<Ref, 4> owned;  // tensors handed to the rule
  std::vector<std::vector<tenon_tensor*>> lists;
  Small<Ref, 4> grads;     // per input tensor
  Small<RowGrad, 4> rows;  // per input tensor; empty while there are none

 private:
  uint32_t count_of(uint32_t input) const;  // operands of it; 0 if there is no such input
  void require(uint64_t tenon_vjp_need::*mask, uint32_t index, const char* what) const;
  Tensor* unpack(const Saved& saved, const Edge* edge, uint32_t output);
};

}  // namespace tenon::backward
