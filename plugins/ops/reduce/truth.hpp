// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/truth.hpp: what any, all and count_nonzero share: questions about elements
// that are not zero.
#pragma once

#include <array>

#include "rules.hpp"

namespace tenon::rules {

// Is `every` element true, or any? Of bools that is `op`, their min or max, which has no answer for
// nothing; others are counted where they lie.
inline void compose_truth(sdk::Compose& c, std::string_view op, bool every) {
  const sdk::Value x = c.in(0);
  const tenon_meta meta = c.meta(x.tensor());
  const int64_t count = reduced_count(shape_of(meta), c.attrs[0]);
  if (meta.dtype == TENON_DTYPE_BOOL && count > 0) {
    c.set(0, c.call(op, {x}, {c.attrs[0], c.attrs[1]}));
    return;
  }
  tenon_tensor* found = c.call("tenon.count_nonzero", {x}, {c.attrs[0], c.attrs[1]});
  c.set(0, every ? c.call("tenon.eq", {found, count}) : c.call("tenon.ne", {found, int64_t{0}}));
}

// Calls of the three.
constexpr auto truth_samples(std::string_view name) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "bool[2,3]"),
      sdk::sample(name, "bool[2,3,4] | axes=[1]"),
      sdk::sample(name, "bool[2,3,4] | axes=[-1,0], keepdims=true"),
      sdk::sample(name, "bool[2,3,1,4] | axes=[1,3]"),
      sdk::sample(name, "f64[2,3] | axes=[]"),
      sdk::sample(name, "bool[] | axes=[]"),
      sdk::sample(name, "bool[]"),
      sdk::sample(name, "bool[3]{false,false,false}"),
      sdk::sample(name, "bool[3]{true,true,true}"),
      sdk::sample(name, "bool[2,2]{false,false,false,true} | axes=[1]"),
      sdk::sample(name, "bool[0]"),
      sdk::sample(name, "bool[2,0,3] | axes=[1]"),
      sdk::sample(name, "bool[2,0,3] | axes=[1], keepdims=true"),
      sdk::sample(name, "bool[2,0,3] | axes=[0]"),
      sdk::sample(name, "f32[2,2]{0.0,-0.0,0.0,1e-45} | axes=[1]"),
      sdk::sample(name, "f32[2,2]{nan,0.0,inf,3.4028235e38} | axes=[1]"),
      sdk::sample(name, "f64[2]{5e-324,1.7976931348623157e308} | axes=[]"),
      sdk::sample(name, "f16[2]{6e-8,65504.0} | axes=[]"),
      sdk::sample(name, "bf16[2]{9.2e-41,3.39e38} | axes=[]"),
      sdk::sample(name, "i64[2,2]{0,0,-9223372036854775808,0} | axes=[1]"),
      sdk::sample(name, "i8[2,2]{0,0,-128,0} | axes=[1]"),
      sdk::sample(name, "u8[4]{0,0,0,128}"),
      sdk::refused(name, "bool[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
      sdk::refused(name, "bool[2,3] | axes=[-3]", TENON_E_ATTRIBUTE, "axes"),
      sdk::refused(name, "bool[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
      sdk::refused(name, "bool[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
      sdk::refused(name, "bool[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
      sdk::refused(name, "bool[2], bool[2]", TENON_E_ARGUMENT, "number of operands"),
  });
}

}  // namespace tenon::rules
