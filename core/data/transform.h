// SPDX-License-Identifier: Apache-2.0
// core/data/transform.h: a plugin's transform object, as a public handle. Knows no transform.
#pragma once

#include <tenon/ext/draft/transforms.h>

#include <span>

#include "core/data/callback.h"

namespace tenon::data {

class Transform : public Object<tenon_transform_desc> {
 public:
  Transform(Context& context, const registry::Entry& kind, std::span<const NamedValue> values);

  // Shape and dtype of one sample afterwards.
  tenon_meta infer(Context& context, const tenon_meta& sample) const;
  // A field of a batch, [n, ...] in host memory, transformed.
  tensor::Ref call(Context& context, const tenon_batch& batch, tensor::Tensor& field) const;
};

}  // namespace tenon::data
