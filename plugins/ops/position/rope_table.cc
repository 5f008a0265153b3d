// SPDX-License-Identifier: Apache-2.0
// plugins/ops/position/rope_table.cc: rope_table, one of the two tables of rope_tables, in the form
// in which layers take initial values.
//
// angle[p,i] = p scale base^(-i/R);  y = cos angle or sin angle.
// Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.
#include "position/angles.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace position = tenon::position;
constexpr std::string_view name = "tenon.rope_table";

constexpr std::string_view doc =
    R"(The cosines, or with `part="sin"` the sines, of `angle[p,i] = p * scale * base^(-i/R)`, with
`shape = [P, R]`: one of the two tables that `tenon.rope_tables` makes, by the attributes `shape`
and `dtype` that layers give to what makes their tensors.

No gradient: there is no tensor input.

Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.

Canonical arithmetic: that of `tenon.rope_tables`.)";

enum Attribute : uint32_t { kShape, kPart, kBase, kScale, kDtype };

bool is_sine(std::string_view part) {
  if (part == "sin") return true;
  if (part == "cos") return false;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "part names no table", "part", "\"cos\" or \"sin\"",
                     "\"" + std::string(part) + "\""};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  is_sine(args.attrs.text(kPart));
  position::need_base(args.attrs.real(kBase));
  position::need_scale(args.attrs.real(kScale));
  sdk::set_shape(out[0], position::table_shape(args, kShape).span());
}

void compose(sdk::Compose& c) {
  const int64_t positions = c.attrs.ints(kShape)[0], pairs = c.attrs.ints(kShape)[1];
  tenon_tensor* angles =
      position::angles(c, positions, pairs, 2 * pairs, c.attrs.real(kBase), c.attrs.real(kScale));
  tenon_tensor* table = c.call(is_sine(c.attrs.text(kPart)) ? "tenon.sin" : "tenon.cos", {angles});
  position::set_rounded(c, 0, table, c.attrs.dtype(kDtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rope_table(*, shape: int[2], part: str=\"cos\", base: float=10000, scale: "
                       "float=1, dtype: D=f32) -> D[P,R] where D: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[4,3]"),
    sdk::sample(name, "| shape=[5,4], part=\"sin\", dtype=f64"),
    sdk::sample(name, "| shape=[5,2], part=\"sin\", base=100.0, scale=0.25, dtype=f64"),
    sdk::sample(name, "| shape=[0,2], dtype=f32"),
    sdk::sample(name, "| shape=[9,3], dtype=f16"),
    sdk::sample(name, "| shape=[9,3], part=\"sin\", dtype=bf16"),
    sdk::refused(name, "| shape=[4,2], part=\"tan\"", TENON_E_ATTRIBUTE, "part names no table"),
    sdk::refused(name, "| shape=[4,0]", TENON_E_SHAPE, "shape must have columns"),
    sdk::refused(name, "| shape=[-1,4]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[4,2], base=0.0", TENON_E_ATTRIBUTE, "base must be"),
    sdk::refused(name, "| shape=[4,2], scale=inf", TENON_E_ATTRIBUTE, "scale must be finite"),
    sdk::refused(name, "| shape=[4,2], dtype=i32", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "f32[2] | shape=[4,2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "An angle is rounded, and what that changes counts against 1, the largest result.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 1e-12}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(rope_table) = {.ops = ops, .samples = samples, .tolerances = tolerances};
