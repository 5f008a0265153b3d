// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/diagonal.cc: diagonal, the elements where two places are the same.
//
// y[..., i] = x[..., i - min(offset, 0), ..., i + max(offset, 0), ...];
// dx = zeros with dy put back in its places. Source: array-api `linalg.diagonal`.
#include <algorithm>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.diagonal";

constexpr std::string_view doc =
    R"(The diagonals of the matrices that `axis0` and `axis1` of `x` span, by default the last two:
the elements whose place along `axis1` is that along `axis0` plus `offset`. The two dimensions are
taken out, and the diagonal is the last one of the result; it is empty where `offset` leaves the
matrix. A view: no element moves.

Gradient: `dx` is zero but for the diagonal, which gets `dy`: in a row-major matrix a diagonal is
every (m+1)-th element, so that is `tenon.slice_put` and a reshape.

Source: Python array API standard, `linalg.diagonal`; axes and their names as in NumPy.

Canonical arithmetic: none; bits are moved.)";

struct Diagonal {
  size_t axis0, axis1;
  int64_t row = 0;     // its first place along axis0
  int64_t column = 0;  // and along axis1
  int64_t count = 0;
};

Diagonal diagonal_of(std::span<const int64_t> shape, int64_t offset, int64_t axis0, int64_t axis1) {
  if (shape.size() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "a diagonal needs two dimensions", "x",
                       "at least two dimensions", sdk::shape_text(shape)};
  }
  Diagonal d{static_cast<size_t>(rules::axis_of(axis0, shape.size(), "axis0")),
             static_cast<size_t>(rules::axis_of(axis1, shape.size(), "axis1"))};
  if (d.axis0 == d.axis1) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "axis0 and axis1 are the same axis", "axis1",
                       "two different axes",
                       std::to_string(axis0) + " and " + std::to_string(axis1)};
  }
  const int64_t rows = shape[d.axis0];
  const int64_t columns = shape[d.axis1];
  if (offset <= -rows || offset >= columns) return d;
  d.row = std::max<int64_t>(-offset, 0);
  d.column = std::max<int64_t>(offset, 0);
  d.count = std::min(rows - d.row, columns - d.column);
  if (d.count == 0) d.row = d.column = 0;  // a matrix without elements has no other place
  return d;
}

Diagonal diagonal_of(const sdk::Args& args) {
  return diagonal_of(args.shape(0), args.attrs.integer(0), args.attrs.integer(1),
                     args.attrs.integer(2));
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  const Diagonal d = diagonal_of(args);
  rules::Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != d.axis0 && i != d.axis1) result.push(shape[i]);
  }
  result.push(d.count);
  sdk::set_shape(out[0], result.span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const Diagonal d = diagonal_of(args);
  out.rank = 0;
  for (size_t i = 0; i < static_cast<size_t>(x.rank); ++i) {
    if (i == d.axis0 || i == d.axis1) continue;
    out.shape[out.rank] = x.shape[i];
    out.strides[out.rank++] = x.strides[i];
  }
  out.shape[out.rank] = d.count;
  out.strides[out.rank++] = x.strides[d.axis0] + x.strides[d.axis1];
  out.offset = d.row * x.strides[d.axis0] + d.column * x.strides[d.axis1];
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const Diagonal d =
      diagonal_of(shape.span(), v.attr(0).as.i64, v.attr(1).as.i64, v.attr(2).as.i64);
  const int64_t rows = shape[d.axis0];
  const int64_t columns = shape[d.axis1];
  rules::Dims flat;      // the matrices last, each as one dimension
  rules::Dims matrices;  // and as two
  rules::Dims back;      // where the dimensions of x are among these
  const auto last = static_cast<int64_t>(shape.count()) - 1;
  for (size_t i = 0; i < shape.count(); ++i) {
    const bool stays = i != d.axis0 && i != d.axis1;
    back.push(stays ? static_cast<int64_t>(flat.count()) : i == d.axis0 ? last - 1 : last);
    if (!stays) continue;
    flat.push(shape[i]);
    matrices.push(shape[i]);
  }
  flat.push(rows * columns);
  matrices.push(rows);
  matrices.push(columns);
  const int64_t step = d.count > 1 ? columns + 1 : 1;
  tenon_tensor* dx =
      v.call("tenon.slice_put", {v.dy()}, {flat.value(), -1, d.row * columns + d.column, step});
  v.grad(0, v.call("tenon.permute", {rules::reshape(v, dx, matrices)}, {back.value()}));
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "diagonal(x: T[...], *, offset: int=0, "
                                                    "axis0: int=-2, axis1: int=-1) -> T[...]",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>,
                                          .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 3})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,3]"),
    sdk::sample(name, "f64[2,4] | offset=1"),
    sdk::sample(name, "f64[4,2] | offset=-2"),
    sdk::sample(name, "f64[2,3,4] | offset=-1, axis0=0, axis1=1"),
    sdk::sample(name, "f64[2,3,2,3] | axis0=-1, axis1=0"),
    sdk::sample(name, "f64[2,3] | axis0=1, axis1=0, offset=2"),
    sdk::sample(name, "f64[2,3] | offset=3"),
    sdk::sample(name, "f64[2,3] | offset=-9223372036854775808"),
    sdk::sample(name, "f64[2,3] | offset=9223372036854775807"),
    sdk::sample(name, "f64[1,3]"),
    sdk::sample(name, "f64[1,1]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[0,3] | offset=1"),
    sdk::sample(name, "f64[3,0] | offset=-2"),
    sdk::sample(name, "f64[0,2,2]"),
    sdk::sample(name, "f64[2,0,0]"),
    sdk::sample(name, "f32[2,2,2]{0.0,-0.0,inf,-inf,nan,1e-45,1.0,2.0}"),
    sdk::sample(name, "f64[2,2,2]{1.7976931348623157e308,2.3e-308,0.0,5e-324,nan,-inf,1.0,-0.0}"),
    sdk::sample(name, "f16[2,2,2]{65504.0,6.1035e-5,0.0,6e-8,nan,inf,1.0,-0.0}"),
    sdk::sample(name, "bf16[2,2,2]{3.39e38,1.1755e-38,0.0,9.2e-41,nan,inf,1.0,-0.0}"),
    sdk::sample(name, "i64[2,2,2]{-9223372036854775808,-1,0,1,2,9223372036854775807,3,4}"),
    sdk::sample(name, "bool[2,3]"),
    sdk::refused(name, "f32[3]", TENON_E_SHAPE, "two dimensions"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "two dimensions"),
    sdk::refused(name, "f32[2,3] | axis0=1, axis1=-1", TENON_E_ATTRIBUTE, "the same axis"),
    sdk::refused(name, "f32[2,3] | axis0=2", TENON_E_ATTRIBUTE, "axis0 is out of range"),
    sdk::refused(name, "f32[2,3] | axis1=-3", TENON_E_ATTRIBUTE, "axis1 is out of range"),
    sdk::refused(name, "f32[2,3] | offset=0.5", TENON_E_ATTRIBUTE, "offset"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(diagonal) = {.ops = ops, .vjps = vjps, .samples = samples};
