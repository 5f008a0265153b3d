// SPDX-License-Identifier: Apache-2.0
// tests/stranger/c/scale.c: the layer acme.scale: y = x * weight, one weight for each feature.
#include <unit.h>

enum { FEATURES, INITIAL, OPTIONS };

static const tenon_host_layers* layers_of(tenon_call* call) {
  return call->host->get_interface(call->host, TENON_HOST_LAYERS, TENON_NUL);
}

static tenon_status no_layers(tenon_call* call) {
  return call->base->fail(call, TENON_E_UNSUPPORTED, "the host knows no layers", TENON_NUL);
}

// What the layer holds. The host makes the tensors and draws their initial values.
static tenon_status describe(tenon_call* call, const tenon_value* values) {
  const tenon_host_layers* host = layers_of(call);
  if (!host) return no_layers(call);
  if (values[FEATURES].as.i64 < 1) {
    return call->base->fail_detail(call, TENON_E_ATTRIBUTE, "features must be at least 1",
                                   "features", "at least 1", NULL, NULL);
  }
  const tenon_string attr = TEXT("value");
  const tenon_layer_tensor_spec spec = {.struct_size = sizeof spec,
                                        .name = TEXT("weight"),
                                        .op = TEXT("tenon.full"),
                                        .attr_names = &attr,
                                        .attr_values = &values[INITIAL],
                                        .n_attrs = 1,
                                        .rank = 1,
                                        .shape = {values[FEATURES].as.i64},
                                        .dtype = TENON_DTYPE_F64};
  return host->add_tensor(call, &spec);
}

static tenon_status forward(tenon_call* call, const tenon_value* values, const tenon_value* inputs,
                            uint32_t n_inputs, uint32_t flags) {
  (void)values, (void)n_inputs, (void)flags;
  const tenon_host_layers* host = layers_of(call);
  if (!host) return no_layers(call);
  const tenon_op* mul = call->dispatch->find(call, "tenon.mul", TENON_NUL);
  if (!mul) return TENON_E_NOT_FOUND;
  tenon_tensor* y = NULL;
  tenon_value pair[2] = {inputs[0], {.tag = TENON_VALUE_TENSOR}};
  tenon_status status = host->get_tensor(call, "weight", TENON_NUL, &pair[1].as.tensor);
  if (status == TENON_OK) status = call->dispatch->call(call, mul, pair, 2, NULL, 0, &y, 1);
  return status == TENON_OK ? call->dispatch->set_output(call, 0, y) : status;
}

static const tenon_layer_option options[OPTIONS] = {
    {.name = TEXT("features"),
     .doc = TEXT("size of the last dimension of x"),
     .tag = TENON_VALUE_I64,
     .required = 1},
    {.name = TEXT("initial"),
     .doc = TEXT("every weight at first"),
     .tag = TENON_VALUE_F64,
     .initial = {.tag = TENON_VALUE_F64, .as.f64 = 1}},
};

static const tenon_layer_sample samples[] = {
    {.text = TEXT("f64[2,3] | features=3")},
    {.text = TEXT("f64[3] | features=3, initial=0.5")},
    {.text = TEXT("f64[2,3]"),
     .fragment = TEXT("\"features\" is required"),
     .expect = TENON_E_ATTRIBUTE},
    {.text = TEXT("f64[2,3] | features=0"),
     .fragment = TEXT("features must be at least 1"),
     .expect = TENON_E_ATTRIBUTE},
    {.text = TEXT("f64[2,3] | features=2"), .fragment = TEXT("[2]"), .expect = TENON_E_SHAPE},
};

static const tenon_layer_desc layers[] = {{
    .struct_size = sizeof(tenon_layer_desc),
    .name = TEXT("acme.scale"),
    .doc = TEXT("`y = x * weight`: one weight for each feature, the last dimension of x."),
    .options = options,
    .samples = samples,
    .n_options = OPTIONS,
    .n_samples = COUNT(samples),
    .min_inputs = 1,
    .max_inputs = 1,
    .n_outputs = 1,
    .describe = describe,
    .forward = forward,
}};

const unit scale_unit = {.layers = layers, .n_layers = COUNT(layers)};
