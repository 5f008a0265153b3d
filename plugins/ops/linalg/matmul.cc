// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/matmul.cc: matmul, products of matrices, with batches.
//
// y[..., m, n] = sum over k of a[..., m, k] b[..., k, n];
// da = dy b^T, db = a^T dy, where a vector a is a row and a vector b a column.
// Source: array-api `matmul`, NumPy's `matmul` rules.
#include <algorithm>
#include <utility>

#include "linalg/matrices.hpp"
#include "linalg/products.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.matmul";

constexpr std::string_view doc =
    R"(The matrix product over the last two dimensions: `y[m,n] = sum_k a[m,k] b[k,n]`. Leading
dimensions are batches and broadcast together. A 1-D `a` is one row, a 1-D `b` one column,
and that dimension is missing from the result.

Gradient: `da = dy b^T`, `db = a^T dy`, summed over broadcast batches.

Source: Python array API standard, `matmul`.

Canonical arithmetic: `acc = fma(a_k, b_k, acc)` with `k` ascending, in f32 for f16, bf16
and f32 and in f64 for f64, rounded to T at the end. Where the result has fewer than 16
elements per matrix: 64 virtual lanes, of which lane `l` so sums `k = l, l+64, ...`; then lane
`l + 32` is added to lane `l`, then `l + 16`, `l + 8`, `l + 4`, `l + 2` and `l + 1`. Integers
wrap modulo 2^bits.)";

void refuse(const char* operand, std::string what, std::string expected,
            std::span<const int64_t> found, const char* hint = "") {
  throw sdk::Failure{TENON_E_SHAPE,       std::move(what),        operand,
                     std::move(expected), sdk::shape_text(found), hint};
}

// A dimension of 1 put in before the last `after` dimensions.
void insert_one(rules::Dims& shape, size_t after) {
  shape.push(1);
  for (size_t i = shape.count() - 1; i + after + 1 > shape.count(); --i) {
    std::swap(shape[i], shape[i - 1]);
  }
}

tenon_tensor* matrix(sdk::Vjp& v, sdk::Value vector, std::array<int64_t, 2> shape) {
  return rules::reshape(v, vector, rules::Dims(shape));
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> a = args.shape(0);
  const std::span<const int64_t> b = args.shape(1);
  if (a.empty()) refuse("a", "a has no dimensions", "[K] or [...,M,K]", a, "use mul for numbers");
  if (b.empty()) refuse("b", "b has no dimensions", "[K] or [...,K,N]", b, "use mul for numbers");
  const int64_t inner = a.back();
  const int64_t b_inner = b[b.size() == 1 ? 0 : b.size() - 2];
  if (inner != b_inner) {
    refuse(
        "b",
        "the inner sizes " + std::to_string(inner) + " and " + std::to_string(b_inner) + " differ",
        b.size() == 1 ? "[" + std::to_string(inner) + "]" : "[...," + std::to_string(inner) + ",N]",
        b);
  }
  const auto a_batch = a.first(a.size() < 2 ? 0 : a.size() - 2);
  const auto b_batch = b.first(b.size() < 2 ? 0 : b.size() - 2);
  rules::Dims result = tenon::matrices::common_batch(a_batch, b_batch, b);
  if (a.size() > 1) result.push(a[a.size() - 2]);
  if (b.size() > 1) result.push(b.back());
  sdk::set_shape(out[0], result.span());
}

tenon_tensor* transposed(sdk::Vjp& v, sdk::Value x) {
  return v.call("tenon.transpose", {x}, {-2, -1});
}

// The shape without dimension `from_end` (1 is the last).
rules::Dims without(const tenon_meta& meta, int32_t from_end) {
  rules::Dims rest;
  for (int32_t i = 0; i < meta.rank; ++i) {
    if (i != meta.rank - from_end) rest.push(meta.shape[i]);
  }
  return rest;
}

// An operand of rank 1 joins as a matrix, and its dimension of 1 leaves its gradient again. A
// gradient that batches of the other operand enlarged is summed by the engine.
void vjp(sdk::Vjp& v) {
  const tenon_meta a_meta = v.in_meta(0);
  const tenon_meta b_meta = v.in_meta(1);
  const bool row = a_meta.rank == 1;
  const bool column = b_meta.rank == 1;
  rules::Dims dy_shape(v.out_meta());
  if (row) insert_one(dy_shape, column ? 0 : 1);
  if (column) insert_one(dy_shape, 0);
  const sdk::Value dy = row || column ? rules::reshape(v, v.dy(), dy_shape) : v.dy();
  if (v.wants(0)) {
    // b^T is one row for a column, [N,K] for [K,N].
    sdk::Value b = column ? matrix(v, v.in(1), {1, b_meta.shape[0]}) : transposed(v, v.in(1));
    tenon_tensor* da = v.call(name, {dy, b});
    v.grad(0, row ? rules::reshape(v, da, without(v.meta(da), 2)) : da);
  }
  if (!v.wants(1)) return;
  if (b_meta.rank == 2 && a_meta.rank > 2) {
    // One product over all rows of the batch instead of one for each matrix, summed.
    v.grad(1, v.call(name, {transposed(v, rules::flat_rows(v, v.in(0))), rules::flat_rows(v, dy)}));
    return;
  }
  sdk::Value a = row ? matrix(v, v.in(0), {a_meta.shape[0], 1}) : transposed(v, v.in(0));
  tenon_tensor* db = v.call(name, {a, dy});
  v.grad(1, column ? rules::reshape(v, db, without(v.meta(db), 1)) : db);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "matmul(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1),
               .input_metas = sdk::bit(0) | sdk::bit(1),
               .output_metas = sdk::bit(0)}),
    sdk::need({.inputs = sdk::bit(0),
               .input_metas = sdk::bit(0) | sdk::bit(1),
               .output_metas = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[3,4]"),
    sdk::sample(name, "f64[3], f64[3]"),
    sdk::sample(name, "f64[3], f64[3,4]"),
    sdk::sample(name, "f64[2,3], f64[3]"),
    sdk::sample(name, "f64[5,2,3], f64[3,4]"),
    sdk::sample(name, "f64[2,3], f64[5,3,4]"),
    sdk::sample(name, "f64[5,2,3], f64[5,3,4]"),
    sdk::sample(name, "f64[2,1,2,3], f64[4,3,1]"),
    sdk::sample(name, "f64[3], f64[5,3,4]"),
    sdk::sample(name, "f64[5,2,3], f64[3]"),
    sdk::sample(name, "f64[1,1], f64[1,1]"),
    sdk::sample(name, "f64[2,0], f64[0,3]"),
    sdk::sample(name, "f64[0,3], f64[3,2]"),
    sdk::sample(name, "f64[0,2,3], f64[3,4]"),
    sdk::sample(name, "f32[17,65], f32[65,33]"),
    sdk::sample(name, "f16[2,40](0,1), f16[40,3](0,1)"),
    sdk::sample(name, "f32[2,3], f64[3,2]"),
    sdk::sample(name, "i32[2,2]{2147483647,1,-5,3}, i32[2,2]{2,0,1,-1}"),
    sdk::sample(name, "i64[2,2]{9223372036854775807,1,-5,3}, i64[2,1]{2,-1}"),
    sdk::sample(name, "u8[2,3], u8[3,2]"),
    sdk::sample(
        name, "f32[2,2]{3.4028235e38,0.0,1e-45,1.1754944e-38}, f32[2,2]{1.0,3.4028235e38,2.0,0.0}"),
    sdk::sample(name,
                "f64[2,2]{1.7976931348623157e308,0.0,5e-324,2.2250738585072014e-308}, "
                "f64[2,2]{1.0,0.5,2.0,0.0}"),
    sdk::sample(name, "f16[2,2]{65504.0,0.0,6e-8,6.1035e-5}, f16[2,2]{1.0,65504.0,2.0,0.0}"),
    sdk::sample(name, "bf16[2,2]{3.39e38,0.0,9.2e-41,1.1755e-38}, bf16[2,2]{1.0,0.5,2.0,0.0}"),
    sdk::sample(name, "f32[3,2]{inf,1.0,nan,1.0,inf,-inf}, f32[2,2]{1.0,0.0,1.0,2.0}"),
    sdk::refused(name, "f32[3,4], f32[3,5]", TENON_E_SHAPE, "inner sizes 4 and 3 differ"),
    sdk::refused(name, "f32[3], f32[4]", TENON_E_SHAPE, "inner sizes 3 and 4 differ"),
    sdk::refused(name, "f32[2,2,3], f32[5,3,2]", TENON_E_SHAPE, "batch dimensions"),
    sdk::refused(name, "f32[2,2], 2.0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[], f32[2,2]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "bool[2,2], bool[2,2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2,2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(matmul) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
