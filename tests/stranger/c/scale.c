// SPDX-License-Identifier: Apache-2.0
// tests/stranger/c/scale.c: the layer acme.scale: y = x * weight, one weight for each feature.
#include <tenon/sdk/plugin.h>

enum { FEATURES, INITIAL, OPTIONS };

// What the layer holds. The host makes the tensors and draws their initial values.
static tenon_status describe(tenon_call* call, const tenon_value* values) {
  if (values[FEATURES].as.i64 < 1) {
    const tn_details details = {"features", "at least 1", NULL, NULL};
    return tn_fail_details(call, TENON_E_ATTRIBUTE, details, "features must be at least 1");
  }
  const tn_option value = {"value", values[INITIAL]};
  const tn_named attrs = {&value, 1};
  return tn_add_parameter(call, "weight", &values[FEATURES].as.i64, 1, TENON_DTYPE_F64,
                          "tenon.full", attrs);
}

static tenon_status forward(tenon_call* call, const tenon_value* values, const tenon_value* inputs,
                            uint32_t n_inputs, uint32_t flags) {
  (void)values, (void)n_inputs, (void)flags;
  tn_rule r = tn_rule_of(call);
  tn_rule_set(&r, 0, tn_rule_call2(&r, "tenon.mul", inputs[0], tn_rule_tensor(&r, "weight")));
  return r.status;
}

static const tenon_layer_option options[OPTIONS] = {
    {.name = TN_TEXT("features"),
     .doc = TN_TEXT("size of the last dimension of x"),
     .tag = TENON_VALUE_I64,
     .required = 1},
    {.name = TN_TEXT("initial"),
     .doc = TN_TEXT("every weight at first"),
     .tag = TENON_VALUE_F64,
     .initial = {.tag = TENON_VALUE_F64, .as.f64 = 1}},
};

static const tenon_layer_sample samples[] = {
    {.text = TN_TEXT("f64[2,3] | features=3")},
    {.text = TN_TEXT("f64[3] | features=3, initial=0.5")},
    {.text = TN_TEXT("f64[2,3]"),
     .fragment = TN_TEXT("\"features\" is required"),
     .expect = TENON_E_ATTRIBUTE},
    {.text = TN_TEXT("f64[2,3] | features=0"),
     .fragment = TN_TEXT("features must be at least 1"),
     .expect = TENON_E_ATTRIBUTE},
    {.text = TN_TEXT("f64[2,3] | features=2"), .fragment = TN_TEXT("[2]"), .expect = TENON_E_SHAPE},
};

static const tenon_layer_desc layers[] = {{
    .struct_size = sizeof(tenon_layer_desc),
    .name = TN_TEXT("acme.scale"),
    .doc = TN_TEXT("`y = x * weight`: one weight for each feature, the last dimension of x."),
    .options = options,
    .samples = samples,
    .n_options = OPTIONS,
    .n_samples = TN_COUNT(samples),
    .min_inputs = 1,
    .max_inputs = 1,
    .n_outputs = 1,
    .describe = describe,
    .forward = forward,
}};

TN_UNIT(scale) = {.layers = TN_LIST(layers)};
