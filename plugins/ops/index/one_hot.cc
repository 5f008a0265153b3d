// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/one_hot.cc: one_hot, a row of zeros with a one for each index.
//
// y[i..., c] = 1 where c = indices[i...], else 0. Source: PyTorch's `one_hot`.
#include "index/along.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.one_hot";

constexpr std::string_view doc =
    R"(`y[i..., c]` is 1 where `c = indices[i...]`, else 0; the result has one more dimension, of
`classes` elements. An index outside `[0, classes)` is refused.

No gradient: the inputs are integers.

Source: PyTorch, `one_hot`; a dtype to choose as in JAX's `one_hot`.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_index_tensor(args, 0);
  const int64_t classes = args.attrs.integer(0);
  if (classes < 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "classes is negative", "classes", "0 or more",
                       std::to_string(classes)};
  }
  rules::Dims shape(args.shape(0));
  shape.push(classes);
  sdk::set_shape(out[0], shape.span());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "one_hot(indices: I[...], *, classes: int, dtype: D=i64) -> D[...] "
                       "where I: i32|i64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "i64[4]{0,2,1,2} | classes=3"),
    sdk::sample(name, "i32[2,2]{0,2,1,2} | classes=4, dtype=f32"),
    sdk::sample(name, "i64[1,2,1,2]{0,1,1,0} | classes=2, dtype=bool"),
    sdk::sample(name, "i64[]{1} | classes=2"),
    sdk::sample(name, "i64[1]{0} | classes=1"),
    sdk::sample(name, "i64[0] | classes=3"),
    sdk::sample(name, "i64[0] | classes=0"),
    sdk::sample(name, "i32[3]{39,0,17} | classes=40, dtype=u8"),
    sdk::refused(name, "i64[2]{0,3} | classes=3", TENON_E_DATA, "indices[1] is 3"),
    sdk::refused(name, "i32[1]{-1} | classes=3", TENON_E_DATA, "indices[0] is -1"),
    sdk::refused(name, "i64[2] | classes=-1", TENON_E_ATTRIBUTE, "negative"),
    sdk::refused(name, "i64[2]", TENON_E_ATTRIBUTE, "classes"),
    sdk::refused(name, "1 | classes=3", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "f32[2] | classes=3", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "i64[1,1,1,1,1,1,1,1]{0} | classes=1", TENON_E_SHAPE, "more than 8"),
};

}  // namespace

TENON_UNIT(one_hot) = {.ops = ops, .samples = samples};
