// SPDX-License-Identifier: Apache-2.0
// plugins/layers/transformer_block.cc: transformer_block, attention and a feed-forward layer, each
// with a norm and a residual.
//
//   x = x + drop(attention(norm1(x))),  y = x + drop(ff(norm2(x)))           norm_first
//   x = norm1(x + drop(attention(x))),  y = norm2(x + drop(ff(x)))           else
//   ff(x) = linear2(drop(activation(linear1(x))))
//
// Source: A. Vaswani and others, "Attention Is All You Need", 2017; R. Xiong and others, "On Layer
// Normalization in the Transformer Architecture", 2020; as torch.nn.TransformerEncoderLayer.
#include "heads.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t {
  kWidth,
  kHeads,
  kHidden,
  kActivation,
  kNorm,
  kNormFirst,
  kEps,
  kBias,
  kDropout,
  kKvHeads,
  kHeadWidth,
  kPacked,
  kCausal,
  kWindow,
  kSoftCap,
  kQkNorm,
  kPositions,
  kRopeBase,
  kRopeLayout,
  kDtype
};
enum Input : uint32_t { kX, kMask, kLengths };
enum Child : uint32_t { kAttention, kLinear1, kLinear2, kNorm1, kNorm2 };

// Units whose operand holds two halves.
bool is_gated(std::string_view activation) {
  const std::string name = layers::full_name(activation);
  return name == "tenon.swiglu" || name == "tenon.geglu" || name == "tenon.glu";
}

void add_norm(sdk::Describe& d, std::string_view name, bool rms) {
  const int64_t sizes[] = {d.options.integer(kWidth)};
  const sdk::Named values[] = {{"sizes", std::span<const int64_t>(sizes)},
                               {"eps", d.options.real(kEps)},
                               {"dtype", sdk::Value::dtype(d.options.dtype(kDtype))},
                               {"bias", d.options.flag(kBias)}};
  d.child(name, rms ? "tenon.rms_norm" : "tenon.layer_norm", std::span(values, rms ? 3 : 4));
}

void add_linear(sdk::Describe& d, std::string_view name, int64_t inputs, int64_t outputs) {
  layers::add_linear(d, name, inputs, outputs, d.options[kBias], d.options[kDtype]);
}

void add_attention(sdk::Describe& d) {
  const sdk::Attrs& o = d.options;
  const sdk::Named values[] = {{"width", o[kWidth]},        {"heads", o[kHeads]},
                               {"kv_heads", o[kKvHeads]},   {"head_width", o[kHeadWidth]},
                               {"bias", o[kBias]},          {"packed", o[kPacked]},
                               {"causal", o[kCausal]},      {"window", o[kWindow]},
                               {"soft_cap", o[kSoftCap]},   {"dropout", o[kDropout]},
                               {"qk_norm", o[kQkNorm]},     {"positions", o[kPositions]},
                               {"rope_base", o[kRopeBase]}, {"rope_layout", o[kRopeLayout]},
                               {"dtype", o[kDtype]}};
  d.child("self_attn", "tenon.multi_head_attention", values);
}

void describe(sdk::Describe& d) {
  const std::string_view norm = d.options.text(kNorm);
  if (norm != "layer" && norm != "rms") {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "norm names no norm", "norm", "\"layer\" or \"rms\"",
                       "\"" + std::string(norm) + "\""};
  }
  const std::string_view activation = d.options.text(kActivation);
  d.need_op(layers::full_name(activation));
  const int64_t hidden = d.size(kHidden, "hidden");
  const int64_t width = d.size(kWidth, "width");
  add_attention(d);
  add_linear(d, "linear1", width, is_gated(activation) ? 2 * hidden : hidden);
  add_linear(d, "linear2", hidden, width);
  add_norm(d, "norm1", norm == "rms");
  add_norm(d, "norm2", norm == "rms");
}

sdk::Value dropped(sdk::Forward& f, sdk::Value x) {
  const double p = f.training ? f.options.real(kDropout) : 0.0;
  return p == 0 ? x : sdk::Value(f.call("tenon.dropout", {x}, {p}));
}

sdk::Value attended(sdk::Forward& f, sdk::Value x) {
  return dropped(f, f.call_child(kAttention, {x, sdk::Value(), f.in(kMask), f.in(kLengths)}));
}

sdk::Value fed_forward(sdk::Forward& f, sdk::Value x) {
  sdk::Value hidden = f.call_child(kLinear1, x);
  hidden = f.call(layers::full_name(f.options.text(kActivation)), {hidden});
  return dropped(f, f.call_child(kLinear2, dropped(f, hidden)));
}

void forward(sdk::Forward& f) {
  const sdk::Value x = f.in(kX);
  const auto add = [&](sdk::Value a, sdk::Value b) { return f.call("tenon.add", {a, b}); };
  if (f.options.flag(kNormFirst)) {
    const sdk::Value middle = add(x, attended(f, f.call_child(kNorm1, x)));
    return f.set(0, add(middle, fed_forward(f, f.call_child(kNorm2, middle))));
  }
  const sdk::Value middle = f.call_child(kNorm1, add(x, attended(f, x)));
  f.set(0, f.call_child(kNorm2, add(middle, fed_forward(f, middle))));
}

constexpr tenon_layer_option options[] = {
    layers::kWidthOption,
    layers::kHeadsOption,
    sdk::required_option("hidden", TENON_VALUE_I64, "size of what the activation gives"),
    sdk::option("activation", sdk::text_value("gelu"),
                "an op of one tensor, as \"relu\", or a gated one: \"swiglu\", \"geglu\", \"glu\""),
    sdk::option("norm", sdk::text_value("layer"), "\"layer\" or \"rms\""),
    sdk::option("norm_first", true, "is each part's norm before it? Else it is after the residual"),
    sdk::option("eps", 1e-5, "of the norms"),
    sdk::option("bias", true, "have matrices and layer norms a bias?"),
    sdk::option("dropout", 0.0,
                "probability, in training, for weights of attention and for what "
                "each part and the activation give"),
    layers::kKvHeadsOption,
    layers::kHeadWidthOption,
    layers::kPackedOption,
    layers::kCausalOption,
    layers::kWindowOption,
    layers::kSoftCapOption,
    layers::kQkNormOption,
    layers::kPositionsOption,
    layers::kRopeBaseOption,
    layers::kRopeLayoutOption,
    layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[1,3,4] | width=4, heads=2, hidden=5, dtype=f64"),
    sdk::layer_sample("f64[2,2,4] | width=4, heads=2, hidden=3, norm_first=false, "
                      "activation=\"tanh\", dtype=f64"),
    sdk::layer_sample("f64[1,3,4] | width=4, heads=2, kv_heads=1, hidden=3, norm=\"rms\", "
                      "activation=\"swiglu\", packed=false, qk_norm=true, positions=4, "
                      "causal=true, dtype=f64"),
    sdk::layer_sample("f64[3,4] | width=4, heads=1, hidden=2, activation=\"geglu\", bias=false, "
                      "window=2, dtype=f64"),
    sdk::layer_sample("f64[2,3,4], bool[3,3], i64[2]{3,1} | width=4, heads=1, hidden=2, dtype=f64"),
    sdk::layer_sample("f64[1,2,4], bool[2,2]{true,false,true,true} | width=4, heads=1, hidden=2, "
                      "activation=\"tanh\", dtype=f64"),
    sdk::layer_sample("f32[1,3,4] | width=4, heads=2, hidden=5, dropout=0.5"),
    sdk::layer_sample("bf16[1,2,4] | width=4, heads=2, hidden=5, dtype=bf16"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=2, hidden=0", TENON_E_ATTRIBUTE,
                       "hidden must be at least 1"),
    sdk::layer_refused("f32[1,3,4] | width=0, heads=2, hidden=2", TENON_E_ATTRIBUTE,
                       "width must be at least 1"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=3, hidden=2", TENON_E_ATTRIBUTE,
                       "heads does not divide width"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=2, hidden=2, norm=\"batch\"", TENON_E_ATTRIBUTE,
                       "norm names no norm"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=2, hidden=2, activation=\"no_such_op\"",
                       TENON_E_NOT_FOUND, "no_such_op"),
    sdk::layer_refused("f32[1,3,5] | width=4, heads=2, hidden=2, norm_first=false", TENON_E_SHAPE,
                       "x must have rows"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.transformer_block",
     .doc = R"(One layer of a transformer: attention of several heads, then a layer of hidden units,
each with a norm and `x` added to what it gives.

    x [B,T,width] or [T,width] -> y as x
    norm_first:  x = x + attention(norm1(x));  y = x + ff(norm2(x))
    else:        x = norm1(x + attention(x));  y = norm2(x + ff(x))
    ff(x) = linear2(activation(linear1(x)))

Inputs after `x`, each of which may be absent: `mask` and `lengths`, as in
`tenon.multi_head_attention`, whose options these are as well. A gated `activation`, "swiglu",
"geglu" or "glu", doubles the rows of linear1: those of the gate come first, for "glu" last. Names
of tensors are those of `torch.nn.TransformerEncoderLayer`: self_attn, linear1, linear2, norm1,
norm2; a decoder without memory is this with `causal`.

Source: Vaswani and others, "Attention Is All You Need", 2017; Xiong and others, "On Layer
Normalization in the Transformer Architecture", 2020; Shazeer, "GLU Variants Improve Transformer",
2020.)",
     .options = options,
     .samples = samples,
     .max_inputs = 3,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(transformer_block) = {.layers = kLayers};
