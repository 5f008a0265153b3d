// SPDX-License-Identifier: Apache-2.0
// tests/templates/c/kinds.c: a unit with a schedule, a format and a layer, for the plugin
// test.c_kinds, which the template's plugin.c puts together.
#include <stdlib.h>

#include "sdk/templates/any/c/plugin/unit.h.in"

static tenon_status refuse(tenon_call* call, tenon_status status, const char* words) {
  return call->base->fail(call, status, words, TENON_NUL);
}

// ---- The schedule: half of the value before -----------------------------------------------------

static tenon_status advance(tenon_call* call, const tenon_value* hypers, double* states,
                            double base_value, const double* metric, double* out_value) {
  (void)call;
  (void)hypers;
  (void)metric;
  *out_value = base_value * states[0];
  states[0] /= 2;
  return TENON_OK;
}

static const tenon_schedule_state_desc states[] = {
    {.name = TEXT("share"), .doc = TEXT("Of the base value, at the next step."), .initial = 1}};
static const tenon_schedule_desc schedules[] = {{.struct_size = sizeof(tenon_schedule_desc),
                                                 .name = TEXT("test.c_kinds"),
                                                 .doc = TEXT("Halves the value at each step."),
                                                 .states = states,
                                                 .n_states = COUNT(states),
                                                 .advance = advance}};

// ---- The format: all bytes of a file as one tensor ----------------------------------------------

static tenon_status read_file(tenon_call* call, const void* bytes, uint64_t length, void** out) {
  (void)bytes;
  if (length == 0) return refuse(call, TENON_E_DATA, "kinds: an empty file");
  uint64_t* made = malloc(sizeof *made);
  if (!made) return refuse(call, TENON_E_MEMORY, "out of memory");
  *made = length;
  *out = made;
  return TENON_OK;
}

static tenon_status count(tenon_call* call, void* object, uint32_t* out_entries,
                          uint32_t* out_metadata) {
  (void)call;
  (void)object;
  *out_entries = 1;
  *out_metadata = 0;
  return TENON_OK;
}

static tenon_status entry(tenon_call* call, void* object, uint32_t index, tenon_format_entry* out) {
  (void)call;
  (void)index;
  const uint64_t length = *(const uint64_t*)object;
  *out =
      (tenon_format_entry){.name = TEXT("bytes"),
                           .meta = {.shape = {(int64_t)length}, .rank = 1, .dtype = TENON_DTYPE_U8},
                           .bytes = length};
  return TENON_OK;
}

static tenon_status metadata(tenon_call* call, void* object, uint32_t index,
                             tenon_format_pair* out) {
  (void)object;
  (void)index;
  (void)out;
  return refuse(call, TENON_E_NOT_FOUND, "kinds: no metadata");
}

static tenon_status layout(tenon_call* call, const tenon_format_content* content, void** out) {
  (void)content;
  (void)out;
  return refuse(call, TENON_E_UNSUPPORTED, "kinds: such files are only read");
}

static tenon_status piece(tenon_call* call, void* object, tenon_format_piece* out) {
  (void)object;
  (void)out;
  return refuse(call, TENON_E_STATE, "kinds: no layout");
}

static const tenon_format_desc formats[] = {{.struct_size = sizeof(tenon_format_desc),
                                             .name = TEXT("test.c_kinds"),
                                             .doc = TEXT("The bytes of a file."),
                                             .endings = TEXT(".c_kinds"),
                                             .read = read_file,
                                             .release = free,
                                             .count = count,
                                             .entry = entry,
                                             .metadata = metadata,
                                             .layout = layout,
                                             .piece = piece,
                                             .release_layout = free}};

// ---- The layer: a number times the input --------------------------------------------------------

static const tenon_host_layers* layers_of(tenon_call* call) {
  return call->host->get_interface(call->host, TENON_HOST_LAYERS, TENON_NUL);
}

static tenon_status describe(tenon_call* call, const tenon_value* values) {
  (void)values;
  const tenon_host_layers* host = layers_of(call);
  if (!host) return refuse(call, TENON_E_UNSUPPORTED, "the host has no layers");
  const tenon_string name = TEXT("value");
  const tenon_value two = {.tag = TENON_VALUE_F64, .as.f64 = 2};
  const tenon_layer_tensor_spec spec = {.struct_size = sizeof spec,
                                        .name = TEXT("scale"),
                                        .op = TEXT("tenon.full"),
                                        .attr_names = &name,
                                        .attr_values = &two,
                                        .n_attrs = 1,
                                        .dtype = TENON_DTYPE_F64};
  return host->add_tensor(call, &spec);
}

static tenon_status forward(tenon_call* call, const tenon_value* values, const tenon_value* inputs,
                            uint32_t n_inputs, uint32_t flags) {
  (void)values;
  (void)n_inputs;
  (void)flags;
  tenon_value factors[] = {inputs[0], {.tag = TENON_VALUE_TENSOR}};
  tenon_status status =
      layers_of(call)->get_tensor(call, "scale", TENON_NUL, &factors[1].as.tensor);
  if (status != TENON_OK) return status;
  const tenon_op* multiply = call->dispatch->find(call, "tenon.mul", TENON_NUL);
  if (!multiply) return TENON_E_NOT_FOUND;
  tenon_tensor* product = NULL;
  status = call->dispatch->call(call, multiply, factors, 2, NULL, 0, &product, 1);
  return status == TENON_OK ? call->dispatch->set_output(call, 0, product) : status;
}

static const tenon_layer_desc layers[] = {{.struct_size = sizeof(tenon_layer_desc),
                                           .name = TEXT("test.c_kinds"),
                                           .doc = TEXT("A number times the input."),
                                           .min_inputs = 1,
                                           .max_inputs = 1,
                                           .n_outputs = 1,
                                           .describe = describe,
                                           .forward = forward}};

extern const unit kinds_unit;
const unit kinds_unit = {.schedules = schedules,
                         .n_schedules = COUNT(schedules),
                         .formats = formats,
                         .n_formats = COUNT(formats),
                         .layers = layers,
                         .n_layers = COUNT(layers)};
