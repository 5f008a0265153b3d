// SPDX-License-Identifier: Apache-2.0
// plugins/layers/positions.cc: positions, a row of a table for each position of a sequence.
//
// y[b,t] = x[b,t] + weight[t]. Source: learned as in A. Radford and others, "Improving Language
// Understanding by Generative Pre-Training", 2018; sinusoidal as in A. Vaswani and others,
// "Attention Is All You Need", 2017, 3.5.
#include "counted.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kRows, kWidth, kKind, kBase, kInit, kGain, kDtype };
enum Input : uint32_t { kX, kLengths };

bool is_learned(const sdk::Attrs& options) {
  const std::string_view kind = options.text(kKind);
  if (kind == "learned") return true;
  if (kind == "sinusoidal") return false;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "kind is not one that positions has", "kind",
                     "learned or sinusoidal", std::string(kind)};
}

void describe(sdk::Describe& d) {
  const int64_t rows = d.size(kRows, "rows");
  const int64_t width = d.size(kWidth, "width");
  const tenon_dtype dtype = d.options.dtype(kDtype);
  if (is_learned(d.options)) {
    d.parameter("weight", {rows, width},
                sdk::initialiser_by_name(d.options.text(kInit), {rows, width},
                                         d.options.real(kGain), "init"),
                dtype);
  } else {
    d.buffer("weight", {rows, width},
             {.op = "tenon.sinusoidal_positions", .attrs = {{"base", d.options.real(kBase)}}},
             dtype);
  }
  layers::add_count(d);
}

void need_sequences(sdk::Forward& f) {
  const tenon_meta meta = f.meta(f.in(kX).tensor());
  const std::span<const int64_t> shape = layers::shape_of(meta);
  const int64_t rows = f.options.integer(kRows), width = f.options.integer(kWidth);
  if ((meta.rank != 2 && meta.rank != 3) || shape.back() != width) {
    throw sdk::Failure{TENON_E_SHAPE, "x must have rows of the layer's width", "x",
                       "[B,T," + std::to_string(width) + "] or [T," + std::to_string(width) + "]",
                       sdk::shape_text(shape)};
  }
  const int64_t steps = shape[shape.size() - 2];
  if (steps <= rows) return;
  throw sdk::Failure{TENON_E_SHAPE, "the sequence has more rows than the layer has positions", "x",
                     "at most " + std::to_string(rows) + " rows", std::to_string(steps)};
}

// The rows of the table for those of x.
sdk::Value rows_of(sdk::Forward& f) {
  const sdk::Value x = f.in(kX), weight = f.tensor("weight");
  const tenon_meta meta = f.meta(x.tensor());
  if (!f.training) {
    const sdk::Value count = f.tensor(layers::kCount);
    if (count.is_tensor()) {
      const sdk::Value batched =
          meta.rank == 3 ? x
                         : sdk::Value(layers::reshaped(f, x, {1, meta.shape[0], meta.shape[1]}));
      const layers::Next next = layers::continued(f, count, batched, f.in(kLengths));
      const sdk::Value rows = f.call("tenon.embedding", {weight, next.positions});
      return meta.rank == 3 ? rows
                            : sdk::Value(layers::reshaped(f, rows, {meta.shape[0], meta.shape[1]}));
    }
  }
  return f.call("tenon.slice", {weight}, {0, 0, meta.shape[meta.rank - 2]});
}

void forward(sdk::Forward& f) {
  need_sequences(f);
  f.set(0, f.call("tenon.add", {f.in(kX), rows_of(f)}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("rows", TENON_VALUE_I64, "the longest sequence"),
    sdk::required_option("width", TENON_VALUE_I64, "size of the last dimension of x and y"),
    sdk::option("kind", sdk::text_value("learned"),
                "learned, or sinusoidal: a buffer of `tenon.sinusoidal_positions`"),
    sdk::option("base", 10000.0, "of the sinusoids' rates"),
    sdk::option("init", sdk::text_value("normal"),
                "of a learned table: xavier_uniform, xavier_normal, kaiming_uniform, "
                "kaiming_normal, uniform, normal, truncated_normal, orthogonal or constant"),
    layers::kGainOption,
    layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3,4] | rows=5, width=4, dtype=f64"),
    sdk::layer_sample("f64[3,2] | rows=3, width=2, init=\"uniform\", gain=0.02, dtype=f64"),
    sdk::layer_sample("f64[2,3,6] | rows=4, width=6, kind=\"sinusoidal\", dtype=f64"),
    sdk::layer_sample("f64[1,2,5] | rows=4, width=5, kind=\"sinusoidal\", base=100.0, dtype=f64"),
    sdk::layer_sample("f64[2,0,4] | rows=5, width=4, dtype=f64"),
    sdk::layer_sample("f16[2,3,4] | rows=5, width=4, dtype=f16"),
    sdk::layer_refused("f32[1,2,4] | rows=0, width=4", TENON_E_ATTRIBUTE,
                       "rows must be at least 1"),
    sdk::layer_refused("f32[1,2,4] | rows=4, width=0", TENON_E_ATTRIBUTE,
                       "width must be at least 1"),
    sdk::layer_refused("f32[1,2,4] | rows=4, width=4, kind=\"rotary\"", TENON_E_ATTRIBUTE,
                       "kind is not one that positions has"),
    sdk::layer_refused("f32[1,5,4] | rows=4, width=4", TENON_E_SHAPE,
                       "more rows than the layer has positions"),
    sdk::layer_refused("f32[1,2,3] | rows=4, width=4", TENON_E_SHAPE, "the layer's width"),
    sdk::layer_refused("f32[4] | rows=4, width=4", TENON_E_SHAPE, "the layer's width"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.positions",
     .doc = R"(Tells rows of sequences apart by their positions: a row of a table is added to each.

    x [B,T,width] or [T,width], weight [rows,width] -> y as x, y[b,t] = x[b,t] + weight[t]

T is at most `rows`. A `learned` table is a parameter, drawn as `init` says (normal with standard
deviation `gain`); a `sinusoidal` one is the buffer that `tenon.sinusoidal_positions` gives.

In evaluation the layer can count what it has seen (`tenon_layer_set_cache`, the buffer
`cache_count`, i64 [batch]): rows of `x` are then the next positions of their sequences, and the
input `lengths`, i64 [B], which may be absent, says how many of them count.

Sources: Radford and others, "Improving Language Understanding by Generative Pre-Training", 2018;
Vaswani and others, "Attention Is All You Need", 2017, section 3.5.)",
     .options = options,
     .samples = samples,
     .max_inputs = 2,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(positions) = {.layers = kLayers};
