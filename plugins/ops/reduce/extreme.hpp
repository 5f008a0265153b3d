// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/extreme.hpp: what max, min, argmax and argmin share.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// The reduction's usual shape, but an axis of size 0 has no `word` ("maximum").
inline void infer_extreme(const sdk::Args& args, std::span<tenon_meta> out, const char* word) {
  const std::span<const int64_t> shape = args.shape(0);
  const auto reduced = reduced_axes(args.attrs[0], shape.size());
  Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced[i]) {
      result.push(shape[i]);
      continue;
    }
    if (shape[i] == 0) {
      throw sdk::Failure{TENON_E_SHAPE,
                         "axis " + std::to_string(i) + " has no " + word + ": its size is 0", "x",
                         "a size of 1 or more along each reduced axis", sdk::shape_text(shape)};
    }
    if (args.attrs.flag(1)) result.push(1);
  }
  sdk::set_shape(out[0], result.span());
}

// dy shared equally among the elements that are equal to the result.
inline void vjp_extreme(sdk::Vjp& v) {
  const sdk::Value x = v.in(0);
  const sdk::Value axes = v.attr(0);
  const tenon_meta meta = v.in_meta(0);
  const Dims kept = kept_shape(shape_of(meta), axes);
  tenon_tensor* tied = v.call("tenon.eq", {x, reshape(v, v.out(), kept)});
  tenon_tensor* ones = v.call("tenon.cast", {tied}, {sdk::Value::dtype(meta.dtype)});
  tenon_tensor* ties = v.call("tenon.sum", {ones}, {axes, true});
  tenon_tensor* picked = v.call("tenon.where", {tied, reshape(v, v.dy(), kept), 0});
  v.grad(0, v.call("tenon.div", {picked, ties}));
}

// The shape of places along attribute 0, an axis or none; of nothing there is no `word`
// ("largest").
inline void infer_place(const sdk::Args& args, std::span<tenon_meta> out, const char* word) {
  const std::span<const int64_t> shape = args.shape(0);
  const bool keep = args.attrs.flag(1);
  Dims result;
  bool empty = sdk::count_of(shape) == 0;
  if (args.attrs.given(0)) {
    const auto axis = static_cast<size_t>(axis_of(args.attrs.integer(0), shape.size(), "axis"));
    empty = shape[axis] == 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i != axis) result.push(shape[i]);
      if (i == axis && keep) result.push(1);
    }
  } else {
    for (size_t i = 0; keep && i < shape.size(); ++i) result.push(1);
  }
  if (empty) {
    throw sdk::Failure{TENON_E_SHAPE, std::string("there is no ") + word + " element among 0", "x",
                       "one element or more to choose from", sdk::shape_text(shape)};
  }
  sdk::set_shape(out[0], result.span());
}

}  // namespace tenon::rules
