// SPDX-License-Identifier: Apache-2.0
// plugins/layers/multi_head_attention.cc: multi_head_attention, queries, keys and values of rows,
// attention of each head, and a matrix over what the heads give.
//
//   q = x Wq^T + bq,  k = m Wk^T + bk,  v = m Wv^T + bv,  m = memory or x
//   y = concat over heads of attention(q_h, k_g, v_g) Wo^T + bo
//
// Source: A. Vaswani and others, "Attention Is All You Need", 2017; as
// torch.nn.MultiheadAttention(batch_first=True).
#include "counted.hpp"
#include "heads.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;
using layers::reshaped;

enum Option : uint32_t {
  kWidth,
  kHeads,
  kKvHeads,
  kHeadWidth,
  kMemoryWidth,
  kBias,
  kPacked,
  kCausal,
  kWindow,
  kSoftCap,
  kDropout,
  kQkNorm,
  kQkEps,
  kPositions,
  kRopeBase,
  kRopeLayout,
  kDtype
};
enum Input : uint32_t { kX, kMemory, kMask, kLengths };

// What the options say, with 0 replaced.
struct Sizes {
  explicit Sizes(const sdk::Attrs& o)
      : width(o.integer(kWidth)),
        heads(o.integer(kHeads)),
        kv_heads(o.integer(kKvHeads) ? o.integer(kKvHeads) : heads),
        head(o.integer(kHeadWidth) ? o.integer(kHeadWidth) : width / std::max(heads, int64_t{1})),
        memory(o.integer(kMemoryWidth) ? o.integer(kMemoryWidth) : width) {}

  int64_t q() const { return heads * head; }
  int64_t kv() const { return kv_heads * head; }

  int64_t width, heads, kv_heads, head, memory;
};

void check_sizes(const sdk::Describe& d, const Sizes& s) {
  d.size(kWidth, "width");
  d.size(kHeads, "heads");
  const auto refuse = [](const char* what, const char* option, std::string expected,
                         int64_t found) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, what, option, std::move(expected), std::to_string(found)};
  };
  if (s.kv_heads < 1 || s.heads % s.kv_heads != 0) {
    refuse("kv_heads does not divide heads", "kv_heads", "a divisor of " + std::to_string(s.heads),
           s.kv_heads);
  }
  if (d.options.integer(kHeadWidth) == 0 && s.width % s.heads != 0) {
    refuse("heads does not divide width, and head_width is not given", "heads",
           "a divisor of " + std::to_string(s.width), s.heads);
  }
  if (s.head < 1) refuse("head_width must be at least 1", "head_width", "1 or more", s.head);
  if (s.memory < 1) {
    refuse("memory_width must be at least 1", "memory_width", "1 or more, or 0 for width",
           s.memory);
  }
  const int64_t positions = d.options.integer(kPositions);
  if (positions < 0) refuse("positions is negative", "positions", "0 or more", positions);
  if (positions > 0 && s.head % 2 != 0) {
    refuse("heads of an odd size have no pairs to rotate", "head_width", "an even number", s.head);
  }
  if (d.options.integer(kWindow) < 0) {
    refuse("window is negative", "window", "0 or more", d.options.integer(kWindow));
  }
  if (d.options.flag(kPacked) && s.memory != s.width) {
    refuse("one matrix cannot read rows of two sizes", "memory_width",
           std::to_string(s.width) + ", or packed=false", s.memory);
  }
}

void add_projection(sdk::Describe& d, std::string_view name, int64_t inputs, int64_t outputs) {
  layers::add_linear(d, name, inputs, outputs, d.options[kBias], d.options[kDtype]);
}

// Buffers: the tables are not trained. Those of 16-bit layers are rounded as their heads are.
void add_tables(sdk::Describe& d, const Sizes& s) {
  const int64_t positions = d.options.integer(kPositions);
  if (positions == 0) return;
  for (const std::string_view part : {"cos", "sin"}) {
    const sdk::Initialiser table{
        "tenon.rope_table", {{"part", sdk::text_value(part)}, {"base", d.options.real(kRopeBase)}}};
    d.buffer(part == "cos" ? "rope_cos" : "rope_sin", {positions, s.head / 2}, table,
             d.options.dtype(kDtype));
  }
}

// Keys as attention reads them: rotated.
void add_caches(sdk::Describe& d, const Sizes& s) {
  const auto room = {TENON_LAYER_CACHE_BATCH, s.kv_heads, TENON_LAYER_CACHE_POSITIONS, s.head};
  d.cache("key_cache", room, d.options.dtype(kDtype));
  d.cache("value_cache", room, d.options.dtype(kDtype));
  layers::add_count(d);
}

void describe(sdk::Describe& d) {
  const Sizes s(d.options);
  check_sizes(d, s);
  layers::need_probability(d.options.real(kDropout), "dropout");
  const tenon_dtype dtype = d.options.dtype(kDtype);
  if (d.options.flag(kPacked)) {
    const int64_t rows = s.q() + 2 * s.kv();
    d.parameter("in_proj_weight", {rows, s.width},
                sdk::uniform_of(sdk::xavier_deviation({s.width, rows}, 1)), dtype);
    if (d.options.flag(kBias)) d.parameter("in_proj_bias", {rows}, sdk::constant(0), dtype);
  } else {
    add_projection(d, "q_proj", s.width, s.q());
    add_projection(d, "k_proj", s.memory, s.kv());
    add_projection(d, "v_proj", s.memory, s.kv());
  }
  add_projection(d, "out_proj", s.q(), s.width);
  if (d.options.flag(kQkNorm)) {
    const int64_t sizes[] = {s.head};
    const sdk::Named values[] = {{"sizes", std::span<const int64_t>(sizes)},
                                 {"eps", d.options.real(kQkEps)},
                                 {"dtype", sdk::Value::dtype(dtype)}};
    d.child("q_norm", "tenon.rms_norm", values);
    d.child("k_norm", "tenon.rms_norm", values);
  }
  add_tables(d, s);
  add_caches(d, s);
}

// Children by their number.
struct Children {
  explicit Children(const sdk::Attrs& o) : out(o.flag(kPacked) ? 0 : 3) {}
  static constexpr uint32_t kQ = 0, kK = 1, kV = 2;
  uint32_t out;
  uint32_t q_norm() const { return out + 1; }
  uint32_t k_norm() const { return out + 2; }
};

// [B,T,heads*head] as [B,T,heads,head].
tenon_tensor* as_heads(sdk::Forward& f, sdk::Value x, int64_t heads, int64_t head) {
  const tenon_meta meta = f.meta(x.tensor());
  return reshaped(f, x, {meta.shape[0], meta.shape[1], heads, head});
}
tenon_tensor* heads_first(sdk::Forward& f, sdk::Value x) {
  constexpr int64_t order[] = {0, 2, 1, 3};
  return f.call("tenon.permute", {x}, {std::span<const int64_t>(order)});
}

struct Projected {
  sdk::Value q, k, v;
};

// Rows [from, from + count) of the packed matrix, or of its bias.
tenon_tensor* rows_of(sdk::Forward& f, sdk::Value x, int64_t from, int64_t count) {
  return f.call("tenon.slice", {x}, {0, from, from + count});
}

Projected project_packed(sdk::Forward& f, const Sizes& s, sdk::Value x, sdk::Value memory) {
  const sdk::Value weight = f.tensor("in_proj_weight");
  const sdk::Value bias = f.tensor("in_proj_bias");
  const int64_t sizes[] = {s.q(), s.kv(), s.kv()};
  const auto piece = [&](sdk::Value all, int64_t index) {
    return f.call("tenon.split", {all}, {std::span<const int64_t>(sizes), index, -1});
  };
  if (memory.is_none()) {
    tenon_tensor* all = f.call("tenon.linear", {x, weight, bias});
    return {piece(all, 0), piece(all, 1), piece(all, 2)};
  }
  const auto part = [&](sdk::Value from, int64_t first, int64_t count) {
    const sdk::Value own_bias = bias.is_none() ? bias : rows_of(f, bias, first, count);
    return f.call("tenon.linear", {from, rows_of(f, weight, first, count), own_bias});
  };
  tenon_tensor* both = part(memory, s.q(), 2 * s.kv());
  const auto half = [&](int64_t i) { return f.call("tenon.chunk", {both}, {2, i, -1}); };
  return {part(x, 0, s.q()), half(0), half(1)};
}

Projected project(sdk::Forward& f, const Sizes& s, sdk::Value x, sdk::Value memory) {
  if (f.options.flag(kPacked)) return project_packed(f, s, x, memory);
  const sdk::Value m = memory.is_none() ? x : memory;
  return {f.call_child(Children::kQ, x), f.call_child(Children::kK, m),
          f.call_child(Children::kV, m)};
}

// Where the rows of a call stand in their sequences, and which keys attention reads. Without a
// cache: from 0, and those of the call.
struct Places {
  sdk::Value mask{}, lengths{};
  sdk::Value start{}, positions{};  // with a cache: [B] and [B,T]
};

// A head of queries or keys as attention takes it.
sdk::Value prepared(sdk::Forward& f, const Sizes& s, sdk::Value x, int64_t heads, uint32_t norm,
                    const Places& places) {
  sdk::Value y = as_heads(f, x, heads, s.head);
  if (f.options.flag(kQkNorm)) y = f.call_child(norm, y);
  y = heads_first(f, y);
  if (f.options.integer(kPositions) == 0) return y;
  return f.call("tenon.rope", {y, f.tensor("rope_cos"), f.tensor("rope_sin"), places.positions},
                {f.options[kRopeLayout]});
}

// Keys and values go into the caches, and are then all that the caches hold.
void append(sdk::Forward& f, Projected& p, const Places& places) {
  const auto kept = [&](const char* name, sdk::Value rows) {
    const sdk::Value cache = f.tensor(name);
    f.call_many("tenon.cache_append", std::array{cache, rows, places.start}, {}, {});
    return cache;
  };
  p.k = kept("key_cache", p.k);
  p.v = kept("value_cache", p.v);
}

Places places_of(sdk::Forward& f, sdk::Value x) {
  if (!f.training && f.in(kMemory).is_none()) {
    const sdk::Value count = f.tensor(layers::kCount);
    if (count.is_tensor()) {
      const layers::Next next = layers::continued(f, count, x, f.in(kLengths));
      return {.mask = f.in(kMask),
              .lengths = next.lengths,
              .start = count,
              .positions = next.positions};
    }
  }
  return {.mask = f.in(kMask), .lengths = f.in(kLengths)};
}

tenon_tensor* attended(sdk::Forward& f, const Projected& p, const Places& places) {
  const sdk::Value none;
  const sdk::Value causal = f.options[kCausal], window = f.options[kWindow];
  const sdk::Value cap = f.options[kSoftCap];
  const double dropout = f.training ? f.options.real(kDropout) : 0.0;
  if (dropout == 0) {
    return f.call("tenon.attention",
                  {p.q, p.k, p.v, places.mask, none, places.lengths, places.start},
                  {causal, window, none, cap});
  }
  sdk::Value weights =
      f.call("tenon.attention_weights", {p.q, p.k, places.mask, none, places.lengths},
             {causal, window, none, cap});
  weights = f.call("tenon.dropout", {weights}, {dropout});
  const tenon_meta meta = f.meta(weights.tensor());
  const tenon_meta v = f.meta(p.v.tensor());
  const int64_t rows = meta.shape[1] / v.shape[1] * meta.shape[2];
  tenon_tensor* y =
      f.call("tenon.matmul",
             {reshaped(f, weights, {meta.shape[0], v.shape[1], rows, meta.shape[3]}), p.v});
  return reshaped(f, y, {meta.shape[0], meta.shape[1], meta.shape[2], v.shape[3]});
}

void need_rows(sdk::Forward& f, sdk::Value x, const char* operand, int64_t width) {
  const tenon_meta meta = f.meta(x.tensor());
  const std::span<const int64_t> shape = layers::shape_of(meta);
  if ((meta.rank == 2 || meta.rank == 3) && shape.back() == width) return;
  throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " must have rows of the layer's width",
                     operand,
                     "[B,T," + std::to_string(width) + "] or [T," + std::to_string(width) + "]",
                     sdk::shape_text(shape)};
}

// One sequence as a batch of one.
sdk::Value batched(sdk::Forward& f, sdk::Value x) {
  const tenon_meta meta = f.meta(x.tensor());
  return meta.rank == 3 ? x : sdk::Value(reshaped(f, x, {1, meta.shape[0], meta.shape[1]}));
}

void forward(sdk::Forward& f) {
  const Sizes s(f.options);
  need_rows(f, f.in(kX), "x", s.width);
  sdk::Value memory = f.in(kMemory);
  if (memory.is_tensor()) {
    need_rows(f, memory, "memory", s.memory);
    memory = batched(f, memory);
  }
  const sdk::Value x = batched(f, f.in(kX));
  const Children children(f.options);
  const Places places = places_of(f, x);
  Projected p = project(f, s, x, memory);
  p.q = prepared(f, s, p.q, s.heads, children.q_norm(), places);
  p.k = prepared(f, s, p.k, s.kv_heads, children.k_norm(), places);
  p.v = heads_first(f, as_heads(f, p.v, s.kv_heads, s.head));
  if (places.start.is_tensor()) append(f, p, places);
  tenon_tensor* heads = heads_first(f, attended(f, p, places));
  const tenon_meta meta = f.meta(f.in(kX).tensor());
  const int64_t rows[] = {meta.shape[0], meta.rank == 3 ? meta.shape[1] : s.q(), s.q()};
  const std::span<const int64_t> shape(rows, static_cast<size_t>(meta.rank));
  f.set(0, f.call_child(children.out, f.call("tenon.reshape", {heads}, {shape})));
}

constexpr tenon_layer_option options[] = {
    layers::kWidthOption,
    layers::kHeadsOption,
    layers::kKvHeadsOption,
    layers::kHeadWidthOption,
    sdk::option("memory_width", 0, "size of the last dimension of memory; 0: width"),
    sdk::option("bias", true, "have all matrices a bias?"),
    layers::kPackedOption,
    layers::kCausalOption,
    layers::kWindowOption,
    layers::kSoftCapOption,
    sdk::option("dropout", 0.0, "probability that a weight becomes 0 in training"),
    layers::kQkNormOption,
    sdk::option("qk_eps", 1e-5, "of qk_norm"),
    layers::kPositionsOption,
    layers::kRopeBaseOption,
    layers::kRopeLayoutOption,
    layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[1,3,4] | width=4, heads=2, dtype=f64"),
    sdk::layer_sample("f64[3,4] | width=4, heads=2, causal=true, bias=false, dtype=f64"),
    sdk::layer_sample("f64[2,3,4] | width=4, heads=2, kv_heads=1, packed=false, qk_norm=true, "
                      "positions=5, causal=true, dtype=f64"),
    sdk::layer_sample("f64[1,2,4], f64[1,3,4] | width=4, heads=2, dtype=f64"),
    sdk::layer_sample("f64[1,2,4], f64[1,3,5] | width=4, heads=2, memory_width=5, packed=false, "
                      "dtype=f64"),
    sdk::layer_sample("f64[1,3,4], f64[1,3,4], bool[3,3]{true,false,true,true,true,false,true,true,"
                      "true} | width=4, heads=1, dtype=f64"),
    sdk::layer_sample("f64[2,2,4], f64[2,3,4], bool[1,1,2,3], i64[2]{2,3} | width=4, heads=1, "
                      "head_width=3, "
                      "soft_cap=2.0, dtype=f64"),
    sdk::layer_sample("f64[1,4,4] | width=4, heads=1, window=2, rope_layout=\"pairs\", "
                      "positions=4, dtype=f64"),
    sdk::layer_sample("f32[1,3,4] | width=4, heads=2, dropout=0.5"),
    sdk::layer_sample("bf16[1,3,4] | width=4, heads=2, dtype=bf16"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=3", TENON_E_ATTRIBUTE,
                       "heads does not divide width"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=4, kv_heads=3", TENON_E_ATTRIBUTE,
                       "kv_heads does not divide heads"),
    sdk::layer_refused("f32[1,3,4] | width=0, heads=1", TENON_E_ATTRIBUTE,
                       "width must be at least 1"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=0", TENON_E_ATTRIBUTE,
                       "heads must be at least 1"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=1, head_width=-1", TENON_E_ATTRIBUTE,
                       "head_width must be at least 1"),
    sdk::layer_refused("f32[1,3,4] | width=3, heads=1, positions=4", TENON_E_ATTRIBUTE,
                       "odd size have no pairs"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=1, positions=-4", TENON_E_ATTRIBUTE,
                       "positions is negative"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=1, window=-1", TENON_E_ATTRIBUTE,
                       "window is negative"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=1, memory_width=-2, packed=false",
                       TENON_E_ATTRIBUTE, "memory_width must be at least 1"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=1, memory_width=5", TENON_E_ATTRIBUTE,
                       "one matrix cannot read rows of two sizes"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=1, dropout=2.0", TENON_E_ATTRIBUTE,
                       "dropout is not a probability"),
    sdk::layer_refused("f32[1,3,5] | width=4, heads=1", TENON_E_SHAPE, "x must have rows"),
    sdk::layer_refused("f32[4] | width=4, heads=1", TENON_E_SHAPE, "x must have rows"),
    sdk::layer_refused("f32[1,3,4], f32[1,3,5] | width=4, heads=1", TENON_E_SHAPE,
                       "memory must have rows"),
    sdk::layer_refused("f32[1,3,4] | width=4, heads=1, positions=2", TENON_E_SHAPE,
                       "the tables have 2 positions"),
    sdk::layer_refused("f32[1,3,4], f32[1,3,4], bool[3,3], i64[1]{4} | width=4, heads=1",
                       TENON_E_DATA, "lengths[0] is 4"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.multi_head_attention",
     .doc = R"(Attention of several heads, between matrices that make queries, keys and values of
rows and one that joins what the heads give: the op `tenon.attention`.

    x [B,T,width] or [T,width], memory [B,M,memory_width] -> y as x

Inputs after `x`, each of which may be absent: `memory`, whose rows are the keys and values (cross
attention; without it those of `x`), `mask`, a bool that stretches to [B,heads,T,M] and is true at
keys that are seen, `lengths`, i64 [B], how many keys a sequence has. `kv_heads` below `heads` is
grouped attention. With `positions` q and k are rotated by `tenon.rope`; the tables are the buffers
`rope_cos` and `rope_sin`, [positions,head_width/2].

Rows of `x` that are seen in evaluation can be kept (`tenon_layer_set_cache`): the buffers
`key_cache` and `value_cache`, [batch,kv_heads,positions,head_width], and `cache_count`, i64
[batch]. A call then continues the sequences: rows of `x` are their next positions, `lengths` says
how many of them count, and `mask` is for all positions of the cache, M. Give `causal` with it.

With `packed` the tensors are those of `torch.nn.MultiheadAttention`: in_proj_weight, in_proj_bias,
out_proj.weight, out_proj.bias. Without it q_proj, k_proj and v_proj are layers of their own. With
`qk_norm` heads of q and k go through q_norm and k_norm (`tenon.rms_norm`) before they are rotated.

Initial values: in_proj_weight uniform as Xavier's, in_proj_bias 0, others as `tenon.linear`'s. In
training weights are dropped out with probability `dropout`, which keeps them all: memory is then
quadratic in T.

Source: Vaswani and others, "Attention Is All You Need", 2017;
`torch.nn.MultiheadAttention(batch_first=True)`.)",
     .options = options,
     .samples = samples,
     .max_inputs = 4,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(multi_head_attention) = {.layers = kLayers};
