// SPDX-License-Identifier: Apache-2.0
// core/data/transform.h: a plugin's transform object, as a public handle. Knows no transform.
#pragma once

#include <tenon/ext/draft/transforms.h>

#include <span>

#include "core/data/options.h"
#include "core/runtime/kind_object.h"

namespace tenon::data {

class Transform : public KindObject<tenon_transform_desc> {
 public:
  // Checks the options against the description, and makes the plugin's object.
  Transform(Context& context, const registry::Entry& kind, std::span<const NamedValue> values);
  ~Transform();

  // Shape and dtype of one sample afterwards.
  tenon_meta infer(Context& context, const tenon_meta& sample) const;
  // A field of a batch, [n, ...] in host memory, transformed.
  tensor::Ref call(Context& context, const tenon_batch& batch, tensor::Tensor& field) const;

 private:
  void run(Context& context, const tenon_batch& batch, const tensor::Tensor& from,
           tensor::Tensor& to) const;

  void* object_ = nullptr;
};

}  // namespace tenon::data
