// SPDX-License-Identifier: Apache-2.0
// plugins/ops/position/rope.cc: rope, pairs of elements rotated by an angle of their row's
// position.
//
// y0 = x0 c - x1 s,  y1 = x1 c + x0 s, (c, s) = (cos, sin)[position];  dx is dy rotated back.
// Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021; ONNX
// `RotaryEmbedding`.
#include <algorithm>

#include "index/along.hpp"
#include "reduce/back.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.rope";

constexpr std::string_view doc =
    R"(Rotary position embedding. The first `2R` elements of each row of `x`, which is what its last
dimension holds, are `R` pairs; each is rotated by the angle whose cosine and sine the tables have
for the row's position: `y0 = x0 * c - x1 * s`, `y1 = x1 * c + x0 * s`. What is left of the row
passes through (partial rotary). `tenon.rope_tables` makes tables.

`layout` says which elements are a pair: with "halves" (GPT-NeoX, Llama) element `i` and element
`i + R`, with "pairs" (GPT-J, ONNX's `interleaved`) the neighbours `2i` and `2i + 1`.

The position of row `t` is `offset + t`, as while a model generates from a cache of `offset` rows;
or what `positions` says, `[T]` for all, or `[B,T]` for each `B` of the first dimension of `x`.
`inverse` rotates back: the sine is negated.

Gradient: `dx` is `dy` rotated back. `dcos = dy0 * x0 + dy1 * x1` and `dsin = dy1 * x0 - dy0 * x1`,
which `inverse` negates, summed over all rows of a position, in f32 for f16 and bf16. `positions`
has none.

Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021; ONNX
operator `RotaryEmbedding`; Hugging Face Transformers, `apply_rotary_pos_emb`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: each product and each sum is
rounded and none fused; rounded to T at the end. What passes through is moved bit for bit.)";

enum Input : uint32_t { kX, kCos, kSin, kPositions };
enum Attribute : uint32_t { kLayout, kOffset, kInverse, kAttributes };

bool by_pairs(std::string_view layout) {
  if (layout == "pairs") return true;
  if (layout == "halves") return false;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "layout names no way to pair elements", "layout",
                     "\"halves\" or \"pairs\"", "\"" + std::string(layout) + "\""};
}

void need_tables(const sdk::Args& args) {
  rules::need_rank(args, kCos, "cos", 2, "[P,R]");
  rules::need_rank(args, kSin, "sin", 2, "[P,R]");
  const std::span<const int64_t> x = args.shape(kX);
  if (x.size() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "x must have rows of elements", "x",
                       "at least 2 dimensions, [...,T,D]", sdk::shape_text(x)};
  }
  const int64_t turned = 2 * args.shape(kCos)[1];
  if (turned <= x.back()) return;
  throw sdk::Failure{TENON_E_SHAPE,
                     "the tables rotate " + std::to_string(turned) +
                         " elements of a row, which has " + std::to_string(x.back()),
                     "cos",
                     "at most " + std::to_string(x.back() / 2) + " columns",
                     sdk::shape_text(args.shape(kCos)),
                     "a column of the tables is for a pair of elements"};
}

// Positions that count from `offset`.
void need_rows(const sdk::Args& args) {
  const int64_t offset = args.attrs.integer(kOffset);
  if (offset < 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "offset must not be negative", "offset", "0 or more",
                       std::to_string(offset)};
  }
  const std::span<const int64_t> x = args.shape(kX);
  const int64_t rows = x[x.size() - 2], known = args.shape(kCos)[0];
  if (offset <= known && rows <= known - offset) return;
  throw sdk::Failure{TENON_E_SHAPE,
                     "the tables have " + std::to_string(known) + " positions, too few for " +
                         std::to_string(rows) + " rows from position " + std::to_string(offset),
                     "x",
                     "offset + T <= " + std::to_string(known),
                     sdk::shape_text(x) + " with offset=" + std::to_string(offset),
                     "make tables for more positions"};
}

void need_positions(const sdk::Args& args) {
  const std::span<const int64_t> x = args.shape(kX);
  const std::span<const int64_t> given = args.shape(kPositions);
  const int64_t rows = x[x.size() - 2];
  const bool one = given.size() == 1 && given[0] == rows;
  const bool each = given.size() == 2 && x.size() > 2 && given[0] == x[0] && given[1] == rows;
  if (!one && !each) {
    std::string expected = sdk::shape_text({&rows, 1});
    if (x.size() > 2) expected += " or " + sdk::shape_text(std::array{x[0], rows});
    throw sdk::Failure{TENON_E_SHAPE, "positions must have one number for each row of x",
                       "positions", expected, sdk::shape_text(given)};
  }
  if (args.attrs.integer(kOffset) == 0) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     "offset has no meaning beside positions",
                     "offset",
                     "0",
                     std::to_string(args.attrs.integer(kOffset)),
                     "add it to positions"};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  by_pairs(args.attrs.text(kLayout));
  need_tables(args);
  args.given(kPositions) ? need_positions(args) : need_rows(args);
  sdk::set_shape(out[0], args.shape(kX));
}

// ---- Gradient -----------------------------------------------------------------------------------

sdk::Value positions_of(sdk::Vjp& v) {
  return v.in_count(kPositions) > 0 ? v.in(kPositions) : sdk::Value();
}

// The first or second elements of all pairs of rows; 16-bit floats as f32.
sdk::Value elements(sdk::Vjp& v, sdk::Value rows, int64_t number) {
  const int64_t pairs = v.in_meta(kCos).shape[1];
  const bool neighbours = by_pairs(v.attr(kLayout).as.string);
  const int64_t first = neighbours ? number : number * pairs;
  const int64_t end = neighbours ? 2 * pairs : first + pairs;
  return rules::wide(v, v.call("tenon.slice", {rows}, {-1, first, end, neighbours ? 2 : 1}));
}

// Of each row a gradient of its position's line of a table: added up, [P,R].
tenon_tensor* summed_by_position(sdk::Vjp& v, sdk::Value lines) {
  const rules::Dims table(v.in_meta(kCos));
  const rules::Dims shape(v.meta(lines.tensor()));
  const sdk::Value positions = positions_of(v);
  const rules::Dims named =
      positions.is_none() ? rules::Dims() : rules::Dims(v.in_meta(kPositions));
  rules::Dims axes;
  for (size_t d = named.count() == 2 ? 1 : 0; d + 2 < shape.count(); ++d) {
    axes.push(static_cast<int64_t>(d));
  }
  if (axes.count() > 0) lines = v.call("tenon.sum", {lines}, {axes.value()});
  if (positions.is_none()) {
    return v.call("tenon.slice_put", {lines}, {table.value(), 0, v.attr(kOffset), 1});
  }
  rules::Dims flat, column;
  flat.push(sdk::count_of(named.span()));
  flat.push(table[1]);
  column.push(flat[0]);
  column.push(1);
  const sdk::Value rows = rules::expand(v, rules::reshape(v, positions, column), flat);
  return rules::scattered_sum(v, table, rows, rules::reshape(v, lines, flat), 0);
}

void set_table_gradient(sdk::Vjp& v, uint32_t input, tenon_tensor* lines) {
  tenon_tensor* sum = summed_by_position(v, lines);
  const tenon_dtype dtype = v.in_meta(input).dtype;
  if (v.meta(sum).dtype != dtype) sum = v.call("tenon.cast", {sum}, {sdk::Value::dtype(dtype)});
  v.grad(input, sum);
}

void vjp(sdk::Vjp& v) {
  const bool inverse = v.attr(kInverse).as.i64 != 0;
  if (v.wants(kX)) {
    v.grad(kX, v.call(name, {v.dy(), v.in(kCos), v.in(kSin), positions_of(v)},
                      {v.attr(kLayout), v.attr(kOffset), !inverse}));
  }
  if (!v.wants(kCos) && !v.wants(kSin)) return;
  const sdk::Value x0 = elements(v, v.in(kX), 0), x1 = elements(v, v.in(kX), 1);
  const sdk::Value dy0 = elements(v, v.dy(), 0), dy1 = elements(v, v.dy(), 1);
  if (v.wants(kCos)) {
    set_table_gradient(
        v, kCos,
        v.call("tenon.add", {v.call("tenon.mul", {dy0, x0}), v.call("tenon.mul", {dy1, x1})}));
  }
  if (v.wants(kSin)) {
    const sdk::Value forward = v.call("tenon.mul", {dy1, x0});
    const sdk::Value back = v.call("tenon.mul", {dy0, x1});
    set_table_gradient(
        v, kSin,
        inverse ? v.call("tenon.sub", {back, forward}) : v.call("tenon.sub", {forward, back}));
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rope(x: T[...], cos: T[P,R], sin: T[P,R], positions: i64[...N]?, *, "
                       "layout: str=\"halves\", offset: int=0, inverse: bool=false) -> T[...] "
                       "where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr uint32_t tables = sdk::bit(kCos) | sdk::bit(kSin);
constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = tables | sdk::bit(kPositions)}),
    sdk::need({.inputs = sdk::bit(kX) | sdk::bit(kPositions),
               .input_metas = tables | sdk::bit(kPositions)}),
    sdk::need({.inputs = sdk::bit(kX) | sdk::bit(kPositions),
               .input_metas = tables | sdk::bit(kPositions)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = kAttributes,
                                             .non_differentiable = sdk::bit(kPositions)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,4], f64[3,2], f64[3,2]"),
    sdk::sample(name, "f64[3,4], f64[3,2], f64[3,2] | layout=\"pairs\""),
    sdk::sample(name, "f64[2,3,7], f64[5,2], f64[5,2] | offset=2"),
    sdk::sample(name, "f64[2,3,7], f64[5,3], f64[5,3] | layout=\"pairs\", offset=1, inverse=true"),
    sdk::sample(name, "f64[2,2,3,4], f64[4,2], f64[4,2] | inverse=true"),
    sdk::sample(name, "f64[3,4], f64[5,2], f64[5,2], i64[3]{4,0,4}"),
    sdk::sample(name, "f64[2,2,3,6], f64[5,2], f64[5,2], i64[3]{1,4,0} | layout=\"pairs\""),
    sdk::sample(name, "f64[2,3,4], f64[5,2], f64[5,2], i64[2,3]{4,0,1,1,3,2}"),
    sdk::sample(name,
                "f64[2,2,1,2,5], f64[3,2], f64[3,2], i64[2,2]{2,0,1,1} | layout=\"pairs\", "
                "inverse=true"),
    sdk::sample(name, "f64[1,2], f64[1,1], f64[1,1]"),
    sdk::sample(name, "f64[2,3], f64[2,0], f64[2,0]"),
    sdk::sample(name, "f64[0,4], f64[3,2], f64[3,2] | offset=3"),
    sdk::sample(name, "f64[2,0,4], f64[3,2], f64[3,2], i64[0]"),
    sdk::sample(name, "f64[0,2,4], f64[3,2], f64[3,2], i64[0,2]"),
    sdk::sample(name, "f64[2,0], f64[2,0], f64[2,0]"),
    sdk::sample(name, "f32[2,2,70], f32[2,33], f32[2,33]"),
    sdk::sample(name, "f32[2,2,70], f32[2,33], f32[2,33] | layout=\"pairs\""),
    sdk::sample(name, "f16[2,3,10], f16[3,4], f16[3,4]"),
    sdk::sample(name, "bf16[2,3,10], bf16[3,4], bf16[3,4] | layout=\"pairs\""),
    sdk::sample(name,
                "f32[2,4]{0.0,-0.0,inf,1.0,nan,1e-45,1.0,-inf}, "
                "f32[2,1]{1.0,0.5}, f32[2,1]{0.0,1.0}"),
    sdk::sample(name,
                "f32[1,5]{3.4028235e38,1.1754944e-38,3.4028235e38,1e-45,nan}, "
                "f32[1,2]{1.0,0.5}, f32[1,2]{0.5,1.0}"),
    sdk::sample(name,
                "f64[1,4]{1.7976931348623157e308,5e-324,1.0,2.2250738585072014e-308}, "
                "f64[1,2]{1.0,0.5}, f64[1,2]{0.5,1.0} | layout=\"pairs\""),
    sdk::sample(name,
                "f16[1,4]{65504.0,6e-8,65504.0,6.1035e-5}, f16[1,2]{1.0,0.5}, "
                "f16[1,2]{0.5,1.0}"),
    sdk::sample(name,
                "bf16[1,4]{3.39e38,9.2e-41,3.39e38,1.1755e-38}, bf16[1,2]{1.0,0.5}, "
                "bf16[1,2]{0.5,1.0}"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2], i64[3]{0,5,1}", TENON_E_DATA,
                 "positions[1] is 5, outside the 5 it may name"),
    sdk::refused(name, "f32[1,2,4], f32[5,2], f32[5,2], i64[1,2]{0,-1}", TENON_E_DATA,
                 "positions[0,1] is -1, outside the 5 it may name"),
    sdk::refused(name, "f32[3,4], f32[2,2], f32[2,2]", TENON_E_SHAPE,
                 "the tables have 2 positions, too few for 3 rows from position 0"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2] | offset=3", TENON_E_SHAPE,
                 "the tables have 5 positions"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2] | offset=-1", TENON_E_ATTRIBUTE,
                 "offset must not be negative"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2], i64[3]{0,1,2} | offset=1", TENON_E_ATTRIBUTE,
                 "offset has no meaning"),
    sdk::refused(name, "f32[3,4], f32[5,3], f32[5,3]", TENON_E_SHAPE, "the tables rotate 6"),
    sdk::refused(name, "f32[4], f32[5,2], f32[5,2]", TENON_E_SHAPE, "rows of elements"),
    sdk::refused(name, "f32[3,4], f32[5], f32[5]", TENON_E_SHAPE, "cos"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,1]", TENON_E_SHAPE, "sin"),
    sdk::refused(name, "f32[3,4], 1.0, 0.0", TENON_E_SHAPE, "cos"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2], i64[2]{0,1}", TENON_E_SHAPE,
                 "positions must have one number"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2], i64[3,3]", TENON_E_SHAPE,
                 "positions must have one number"),
    sdk::refused(name, "f32[2,3,4], f32[5,2], f32[5,2], 1", TENON_E_SHAPE,
                 "positions must have one number"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2] | layout=\"half\"", TENON_E_ATTRIBUTE,
                 "layout names no way"),
    sdk::refused(name, "f32[3,4], f64[5,2], f64[5,2]", TENON_E_DTYPE, "cos"),
    sdk::refused(name, "f32[3,4], f32[5,2], f32[5,2], i32[3]", TENON_E_DTYPE, "positions"),
    sdk::refused(name, "i32[3,4], i32[5,2], i32[5,2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[3,4], f32[5,2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(rope) = {.ops = ops, .vjps = vjps, .samples = samples};
