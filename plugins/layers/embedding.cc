// SPDX-License-Identifier: Apache-2.0
// plugins/layers/embedding.cc: embedding, a table of rows and a look-up.
//
// y[i] = weight[x[i]], the op tenon.embedding. Initial values as torch.nn.Embedding's: normal.
#include "options.hpp"

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kRows, kWidth, kInit, kGain, kDtype };

void describe(sdk::Describe& d) {
  const int64_t rows = d.size(kRows, "rows");
  const int64_t width = d.size(kWidth, "width");
  d.parameter(
      "weight", {rows, width},
      sdk::initialiser_by_name(d.options.text(kInit), {rows, width}, d.options.real(kGain), "init"),
      d.options.dtype(kDtype));
}

void forward(sdk::Forward& f) {
  f.set(0, f.call("tenon.embedding", {f.tensor("weight"), f.in(0)}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("rows", TENON_VALUE_I64, "how many there are: indices are below it"),
    sdk::required_option("width", TENON_VALUE_I64, "size of the last dimension of y"),
    sdk::option("init", sdk::text_value("normal"),
                "xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, uniform, normal, "
                "truncated_normal, orthogonal or constant"),
    tenon::layers::kGainOption, tenon::layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("i64[3]{4,0,4} | rows=5, width=2, dtype=f64"),
    sdk::layer_sample("i32[2,2]{0,1,2,1} | rows=3, width=4, init=\"uniform\", dtype=f64"),
    sdk::layer_sample("i64[0] | rows=1, width=1, dtype=f64"),
    sdk::layer_sample("i64[2]{1,0} | rows=2, width=3, dtype=f16"),
    sdk::layer_refused("i64[1]{0} | rows=0, width=2", TENON_E_ATTRIBUTE, "rows must be at least 1"),
    sdk::layer_refused("i64[1]{0} | rows=2, width=2, init=\"\"", TENON_E_ATTRIBUTE,
                       "init is not an initialiser"),
    sdk::layer_refused("f32[2] | rows=3, width=2", TENON_E_DTYPE, "indices"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.embedding",
     .doc = R"(A table whose rows are looked up: `y[i] = weight[x[i]]`, the op `tenon.embedding`.

    x: i32 or i64 [...], weight [rows,width] -> y [...,width]

Initial values: normal with standard deviation 1, as `torch.nn.Embedding`, or those that `init`
names. The gradient of the weight is held as rows.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(embedding) = {.layers = kLayers};
