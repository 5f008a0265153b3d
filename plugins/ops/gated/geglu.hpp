// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/geglu.hpp: the gate of geglu, written in ops, and its attribute.
#pragma once

#include "gated/halves.hpp"
#include "unary/gelu.hpp"

namespace tenon::gated {

enum GegluAttribute : uint32_t { kApproximate = kAxis + 1, kGegluAttributes };

struct Geglu {
  static constexpr bool kGateFirst = true;
  static tenon_tensor* value(sdk::Compose& c, sdk::Value gate) {
    return c.call("tenon.gelu", {gate}, {c.attrs[kApproximate]});
  }
  static tenon_tensor* slope(sdk::Compose& c, sdk::Value g, sdk::Value gate, sdk::Value) {
    return c.call("tenon.gelu_grad", {g, gate}, {c.attrs[kApproximate]});
  }
};

template <void (*Infer)(const sdk::Args&, std::span<tenon_meta>)>
void infer_geglu(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::by_tanh(args.attrs.text(kApproximate));
  Infer(args, out);
}

}  // namespace tenon::gated
