// SPDX-License-Identifier: Apache-2.0
// plugins/ops/attention/attention_mask.cc: attention_mask, which keys each query sees.
//
// y[b,0,i,j] = j < lengths[b] and p - window < j and (causal ? j <= p : j < p + window), with
// p = start[b] + i. Source: the masks of PyTorch's `scaled_dot_product_attention`; the window of
// I. Beltagy and others, "Longformer", 2020.
#include "attention/queries.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.attention_mask";

constexpr std::string_view doc =
    R"(Which of `keys` keys each of `queries` queries of a sequence sees, as `tenon.attention`
decides it: `[B,1,queries,keys]`, with B the length of `lengths` or `start`, 1 without both. Key
`j` is seen

- if it is one of the sequence: `j < lengths[b]`;
- with `causal`, if it is not after the query: `j <= p`, where query `i` stands at
  `p = start[b] + i`, without `start` at `p = i`;
- with a `window` above 0, if it is one of the `window` keys up to the query: `j > p - window`, and
  without `causal` also `j < p + window`.

A length outside `[0, keys]` is refused, and a start that is negative or after `keys - queries`.

No gradient: the result is a mask.

Source: PyTorch, `scaled_dot_product_attention` (`is_causal`); I. Beltagy and others, "Longformer",
2020 (the window).

Canonical arithmetic: exact.)";

enum Input : uint32_t { kLengths, kStart };
enum Attribute : uint32_t { kQueries, kKeys, kCausal, kWindow };

int64_t size_of(const sdk::Args& args, uint32_t attribute, const char* word) {
  const int64_t size = args.attrs.integer(attribute);
  if (size >= 0) return size;
  throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(word) + " is negative", word, "0 or more",
                     std::to_string(size)};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t sizes[] = {1, 1, size_of(args, kQueries, "queries"), size_of(args, kKeys, "keys")};
  tenon::attention::check_window(args, kWindow);
  rules::Dims shape = rules::checked_shape(sizes, "keys");
  for (const uint32_t slot : {kLengths, kStart}) {
    if (!args.given(slot)) continue;
    rules::need_rank(args, slot, slot == kStart ? "start" : "lengths", 1, "[B]");
    shape[0] = args.shape(slot)[0];
  }
  if (args.given(kStart) && shape[2] > shape[3]) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "there are more queries than keys to start among",
                       "queries", "at most " + std::to_string(shape[3]), std::to_string(shape[2])};
  }
  sdk::set_shape(out[0], shape.span());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "attention_mask(lengths: i64[B]?, start: i64[B]?, *, queries: int, keys: "
                       "int, causal: bool=false, window: int=0) -> bool[B,1,Q,K]",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| queries=3, keys=4"),
    sdk::sample(name, "| queries=3, keys=3, causal=true"),
    sdk::sample(name, "| queries=2, keys=4, causal=true"),
    sdk::sample(name, "| queries=4, keys=2, causal=true"),
    sdk::sample(name, "| queries=5, keys=5, causal=true, window=2"),
    sdk::sample(name, "| queries=5, keys=5, window=2"),
    sdk::sample(name, "| queries=3, keys=3, window=1"),
    sdk::sample(name, "| queries=3, keys=3, window=9"),
    sdk::sample(name, "i64[3]{0,2,4} | queries=2, keys=4"),
    sdk::sample(name, "i64[2]{3,4}, i64[2]{0,2} | queries=2, keys=4, causal=true"),
    sdk::sample(name, "none, i64[2]{1,0} | queries=3, keys=4, causal=true, window=2"),
    sdk::sample(name, "none, i64[1]{3} | queries=2, keys=5"),
    sdk::sample(name, "i64[0] | queries=2, keys=3"),
    sdk::sample(name, "| queries=0, keys=3"),
    sdk::sample(name, "i64[1]{0} | queries=3, keys=0"),
    sdk::refused(name, "i64[2]{1,5} | queries=2, keys=4", TENON_E_DATA, "lengths[1] is 5"),
    sdk::refused(name, "i64[1]{-1} | queries=2, keys=4", TENON_E_DATA, "lengths[0] is -1"),
    sdk::refused(name, "none, i64[2]{2,3} | queries=2, keys=4", TENON_E_DATA, "start[1] is 3"),
    sdk::refused(name, "none, i64[1]{-1} | queries=2, keys=4, causal=true", TENON_E_DATA,
                 "start[0] is -1"),
    sdk::refused(name, "i64[2]{1,1}, i64[3]{0,0,0} | queries=1, keys=4", TENON_E_SHAPE, "start"),
    sdk::refused(name, "2 | queries=1, keys=4", TENON_E_SHAPE, "lengths must have 1 dimension"),
    sdk::refused(name, "none, i64[1]{0} | queries=5, keys=4", TENON_E_ATTRIBUTE,
                 "more queries than keys"),
    sdk::refused(name, "| queries=-1, keys=4", TENON_E_ATTRIBUTE, "queries is negative"),
    sdk::refused(name, "| queries=1, keys=-4", TENON_E_ATTRIBUTE, "keys is negative"),
    sdk::refused(name, "| queries=1, keys=4, window=-1", TENON_E_ATTRIBUTE, "window is negative"),
    sdk::refused(name, "| queries=1073741824, keys=2147483648", TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "| queries=1", TENON_E_ATTRIBUTE, "keys"),
    sdk::refused(name, "f32[2] | queries=1, keys=4", TENON_E_DTYPE, "lengths"),
};

}  // namespace

TENON_UNIT(attention_mask) = {.ops = ops, .samples = samples};
