// SPDX-License-Identifier: Apache-2.0
// tests/templates/c/kinds.c: a unit with a schedule, a format, a layer, a transform and a dataset,
// for the plugins test.c_kinds and test.cxx_kinds: it is C and C++ alike. KIND_NAME is the name of
// each.
#include <stdlib.h>
#include <tenon/sdk/plugin.h>

// ---- The schedule: half of the value before -----------------------------------------------------

static tenon_status advance(tenon_call* call, const tenon_value* hypers, double* state,
                            double base_value, const double* metric, double* out_value) {
  (void)call, (void)hypers, (void)metric;
  *out_value = base_value * state[0];
  state[0] /= 2;
  return TENON_OK;
}

static const tenon_schedule_state_desc states[] = {
    {.name = TN_TEXT("share"),
     .doc = TN_TEXT("Of the base value, at the next step."),
     .initial = 1}};
static const tenon_schedule_desc schedules[] = {{.struct_size = sizeof(tenon_schedule_desc),
                                                 .flags = 0,
                                                 .name = TN_TEXT(KIND_NAME),
                                                 .doc = TN_TEXT("Halves the value at each step."),
                                                 .hypers = NULL,
                                                 .states = states,
                                                 .n_hypers = 0,
                                                 .n_states = TN_COUNT(states),
                                                 .advance = advance}};

// ---- The format: all bytes of a file as one tensor ----------------------------------------------

static tenon_status read_file(tenon_call* call, const void* bytes, uint64_t length, void** out) {
  if (length == 0) {
    const tn_details details = {NULL, "at least 1 byte", NULL, NULL};
    return tn_fail_details(call, TENON_E_DATA, details, "%s: an empty file", "kinds");
  }
  if (length == 4 && memcmp(bytes, "lies", 4) == 0) {
    return tn_fail(call, TENON_E_DATA, "kinds: a tensor that does not lie in the file");
  }
  uint64_t* made = (uint64_t*)malloc(sizeof *made);
  if (!made) return tn_out_of_memory(call);
  *made = length;
  *out = made;
  return TENON_OK;
}

static tenon_status count(tenon_call* call, void* object, uint32_t* out_entries,
                          uint32_t* out_metadata) {
  (void)call, (void)object;
  *out_entries = 1;
  *out_metadata = 0;
  return TENON_OK;
}

static tenon_status entry(tenon_call* call, void* object, uint32_t index, tenon_format_entry* out) {
  (void)call, (void)index;
  static const tenon_string name = TN_TEXT("bytes");
  memset(out, 0, sizeof *out);
  out->name = name;
  out->bytes = *(const uint64_t*)object;
  out->meta.shape[0] = (int64_t)out->bytes;
  out->meta.rank = 1;
  out->meta.dtype = TENON_DTYPE_U8;
  return TENON_OK;
}

static tenon_status metadata(tenon_call* call, void* object, uint32_t index,
                             tenon_format_pair* out) {
  (void)object, (void)index, (void)out;
  return tn_fail(call, TENON_E_NOT_FOUND, "kinds: no metadata");
}

static tenon_status layout(tenon_call* call, const tenon_format_content* content, void** out) {
  (void)content, (void)out;
  return tn_fail(call, TENON_E_UNSUPPORTED, "kinds: such files are only read");
}

static tenon_status piece(tenon_call* call, void* object, tenon_format_piece* out) {
  (void)object, (void)out;
  return tn_fail(call, TENON_E_STATE, "kinds: no layout");
}

static const tenon_format_desc formats[] = {{.struct_size = sizeof(tenon_format_desc),
                                             .flags = 0,
                                             .name = TN_TEXT(KIND_NAME),
                                             .doc = TN_TEXT("The bytes of a file."),
                                             .endings = TN_TEXT("." KIND_NAME),
                                             .read = read_file,
                                             .release = free,
                                             .count = count,
                                             .entry = entry,
                                             .metadata = metadata,
                                             .unpack = NULL,
                                             .layout = layout,
                                             .piece = piece,
                                             .written = NULL,
                                             .release_layout = free,
                                             .foreign = NULL}};

// ---- The layer: a child, then a number times its output; counts its calls in training -----------

static tenon_status describe(tenon_call* call, const tenon_value* values) {
  const tn_option two = {"value", tn_float(2)}, zero = {"value", tn_int(0)};
  const tn_option relu = {"op", values[0]};
  const tn_named twos = {&two, 1}, zeros = {&zero, 1}, relus = {&relu, 1};
  tenon_status status =
      tn_add_parameter(call, "scale", NULL, 0, TENON_DTYPE_F64, "tenon.full", twos);
  if (status == TENON_OK) {
    status = tn_add_buffer(call, "calls", NULL, 0, TENON_DTYPE_I64, "tenon.full", zeros);
  }
  return status == TENON_OK ? tn_add_child(call, "child", "tenon.activation", relus) : status;
}

static tenon_status forward(tenon_call* call, const tenon_value* values, const tenon_value* inputs,
                            uint32_t n_inputs, uint32_t flags) {
  (void)values, (void)n_inputs;
  tn_rule r = tn_rule_of(call);
  if (flags & TENON_LAYER_TRAINING) {
    const tenon_value calls = tn_rule_tensor(&r, "calls");
    tn_rule_set_buffer(&r, "calls", tn_rule_call2(&r, "tenon.add", calls, tn_int(1)));
  }
  const tenon_value y = tn_rule_child(&r, 0, inputs[0]);
  const int32_t rank = tn_rule_meta(&r, y).rank;
  if (rank > 1) return tn_fail(call, TENON_E_SHAPE, "kinds: one dimension, found %d", (int)rank);
  // Which is wrong: an output is a tensor.
  if (rank == 0) tn_rule_set(&r, 0, tn_float(1));
  tn_rule_set(&r, 0, tn_rule_call2(&r, "tenon.mul", y, tn_rule_tensor(&r, "scale")));
  return r.status;
}

static const tenon_layer_option options[] = {{.name = TN_TEXT("op"),
                                              .doc = TN_TEXT("what the child does"),
                                              .tag = TENON_VALUE_STRING,
                                              .required = 1,
                                              .initial = {.tag = 0, .count = 0, .as = {0}}}};
static const tenon_layer_desc layers[] = {{.struct_size = sizeof(tenon_layer_desc),
                                           .flags = 0,
                                           .name = TN_TEXT(KIND_NAME),
                                           .doc = TN_TEXT("A number times what a child gives."),
                                           .options = options,
                                           .samples = NULL,
                                           .n_options = TN_COUNT(options),
                                           .n_samples = 0,
                                           .min_inputs = 1,
                                           .max_inputs = 1,
                                           .n_outputs = 1,
                                           .reserved = 0,
                                           .describe = describe,
                                           .forward = forward}};

// ---- The transform: bytes turned round, or as they are ------------------------------------------

static tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  (void)call;
  static const char turns = 1, keeps = 0;
  *out_object = (void*)(tn_is_text(values[0], "keep") ? &keeps : &turns);
  return TENON_OK;
}

static void release(void* object) { (void)object; }

static tenon_status infer(tenon_call* call, void* object, const tenon_meta* sample,
                          tenon_meta* out_sample) {
  (void)object;
  if (sample->dtype != TENON_DTYPE_U8) return tn_fail(call, TENON_E_DTYPE, "kinds: not u8");
  *out_sample = *sample;
  return TENON_OK;
}

static tenon_status run(tenon_call* call, void* object, const tenon_batch* batch,
                        const tenon_view* from, const tenon_view* to) {
  (void)call, (void)batch;
  const uint8_t mask = *(const char*)object ? 255 : 0;
  const uint8_t* in = (const uint8_t*)from->data;
  uint8_t* out = (uint8_t*)to->data;
  for (int64_t i = 0; i < tn_element_count(from); ++i) out[i] = in[i] ^ mask;
  return TENON_OK;
}

static const tenon_transform_option modes[] = {{.name = TN_TEXT("mode"),
                                                .doc = TN_TEXT("turn or keep"),
                                                .tag = TENON_VALUE_STRING,
                                                .required = 1,
                                                .initial = {.tag = 0, .count = 0, .as = {0}}}};
static const tenon_transform_desc transforms[] = {{.struct_size = sizeof(tenon_transform_desc),
                                                   .flags = 0,
                                                   .name = TN_TEXT(KIND_NAME),
                                                   .doc = TN_TEXT("255 - x."),
                                                   .options = modes,
                                                   .samples = NULL,
                                                   .n_options = TN_COUNT(modes),
                                                   .n_samples = 0,
                                                   .create = create,
                                                   .release = release,
                                                   .infer = infer,
                                                   .run = run}};

// ---- The dataset: six samples, each seed, epoch and number in one -------------------------------

static tenon_status open_set(tenon_call* call, const tenon_value* values, void** out_object) {
  (void)call, (void)values;
  static const char one_object = 0;
  *out_object = (void*)&one_object;
  return TENON_OK;
}

static tenon_status length(tenon_call* call, void* object, int64_t* out_length) {
  (void)call, (void)object;
  *out_length = 6;
  return TENON_OK;
}

static tenon_status fields(tenon_call* call, void* object, tenon_dataset_field* out,
                           uint32_t capacity, uint32_t* out_count) {
  (void)call, (void)object;
  static const tenon_string name = TN_TEXT("draw");
  *out_count = 1;
  if (capacity == 0) return TENON_OK;
  memset(out, 0, sizeof *out);
  out->name = name;
  out->sample.dtype = TENON_DTYPE_I64;
  return TENON_OK;
}

static tenon_status get_batch(tenon_call* call, void* object, const tenon_batch* batch,
                              void* const* destinations) {
  (void)call, (void)object;
  int64_t* to = (int64_t*)destinations[0];
  for (int64_t i = 0; i < batch->n; ++i) {
    to[i] = (int64_t)batch->seed * 100 + batch->epoch * 10 + batch->samples[i];
  }
  return TENON_OK;
}

static const tenon_dataset_desc datasets[] = {{.struct_size = sizeof(tenon_dataset_desc),
                                               .flags = 0,
                                               .name = TN_TEXT(KIND_NAME),
                                               .doc = TN_TEXT("Seed, epoch and number."),
                                               .options = NULL,
                                               .n_options = 0,
                                               .reserved = 0,
                                               .create = open_set,
                                               .release = release,
                                               .length = length,
                                               .fields = fields,
                                               .get = NULL,
                                               .lengths = NULL,
                                               .get_batch = get_batch}};

TN_UNIT(kinds) = {.schedules = TN_LIST(schedules),
                  .datasets = TN_LIST(datasets),
                  .layers = TN_LIST(layers),
                  .formats = TN_LIST(formats),
                  .transforms = TN_LIST(transforms)};
