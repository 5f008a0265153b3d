// SPDX-License-Identifier: Apache-2.0
// tenon/client/objects.h: datasets, loaders, layers, optimizers and whatever else a training run is
// made of, by name; part of tenon/client.h, which programs include.
#ifndef TENON_CLIENT_OBJECTS_H
#define TENON_CLIENT_OBJECTS_H

#include <tenon/client/region.h>
#include <tenon/client/values.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Objects of the registry, by name, with options ---------------------------------------------

typedef struct tn_lists {
  tenon_string names[TN_MAX_NAMED];
  tenon_value values[TN_MAX_NAMED];
} tn_lists;
static inline tn_lists tn_lists_of(tn_client* c, tn_named named) {
  tn_lists lists;
  memset(&lists, 0, sizeof lists);
  if (named.n > TN_MAX_NAMED) tn_check(c, TENON_E_UNSUPPORTED);
  for (uint32_t i = 0; i < named.n; ++i) {
    lists.names[i].data = named.options[i].name;
    lists.names[i].length = TENON_NUL;
    lists.values[i] = named.options[i].value;
  }
  return lists;
}

static inline tenon_dataset* tn_dataset(tn_client* c, const char* name, tn_named named) {
  const tn_lists lists = tn_lists_of(c, named);
  tenon_dataset* made = NULL;
  tn_check(c, tenon_dataset_create(c->context, name, TENON_NUL, lists.names, lists.values, named.n,
                                   &made));
  return (tenon_dataset*)tn_hold(c, TN_DATASET, made);
}
static inline tenon_transform* tn_transform(tn_client* c, const char* name, tn_named named) {
  const tn_lists lists = tn_lists_of(c, named);
  tenon_transform* made = NULL;
  tn_check(c, tenon_transform_create(c->context, name, TENON_NUL, lists.names, lists.values,
                                     named.n, &made));
  return (tenon_transform*)tn_hold(c, TN_TRANSFORM, made);
}
// On the context's device.
static inline tenon_layer* tn_layer(tn_client* c, const char* name, tn_named named) {
  const tn_lists lists = tn_lists_of(c, named);
  tenon_layer* made = NULL;
  tn_check(c, tenon_layer_create(c->context, name, TENON_NUL, NULL, lists.names, lists.values,
                                 named.n, &made));
  return (tenon_layer*)tn_hold(c, TN_LAYER, made);
}
// Adds a layer to a container, which holds it from then on.
static inline void tn_add(tn_client* c, tenon_layer* container, const char* name, tn_named named) {
  tn_check(c, tenon_layer_set_child(c->context, container, "", 0, tn_layer(c, name, named)));
}
// Of one input and one output.
static inline tenon_tensor* tn_forward(tn_client* c, tenon_layer* layer, tenon_tensor* x) {
  const tenon_value input = tn_value(x);
  tenon_tensor* out = NULL;
  tn_check(c, tenon_layer_call(c->context, layer, &input, 1, &out, 1));
  return tn_keep(c, out);
}
// Over all parameters of the layer.
static inline tenon_optimizer* tn_optimizer(tn_client* c, const char* name, tenon_layer* layer,
                                            tn_named named) {
  const tn_lists lists = tn_lists_of(c, named);
  tenon_optimizer* made = NULL;
  tn_check(c, tenon_optimizer_create_for_layer(c->context, name, TENON_NUL, layer, lists.names,
                                               lists.values, named.n, &made));
  return (tenon_optimizer*)tn_hold(c, TN_OPTIMIZER, made);
}
static inline tenon_schedule* tn_schedule(tn_client* c, const char* name, double base_value,
                                          tn_named named) {
  const tn_lists lists = tn_lists_of(c, named);
  tenon_schedule* made = NULL;
  tn_check(c, tenon_schedule_create(c->context, name, TENON_NUL, base_value, lists.names,
                                    lists.values, named.n, &made));
  return (tenon_schedule*)tn_hold(c, TN_SCHEDULE, made);
}

// Updates the parameters by their gradients, and drops these.
static inline void tn_step(tn_client* c, tenon_optimizer* optimizer) {
  tn_check(c, tenon_optimizer_run(c->context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
}
// A hyper-parameter, from the next step on.
static inline void tn_set(tn_client* c, tenon_optimizer* optimizer, const char* name,
                          tenon_value value) {
  tn_check(c, tenon_optimizer_set(c->context, optimizer, name, TENON_NUL, &value));
}
// The value of the schedule's next step.
static inline double tn_advance(tn_client* c, tenon_schedule* schedule) {
  double value = 0;
  tn_check(c, tenon_schedule_run(c->context, schedule, NULL, &value));
  return value;
}

// ---- Batches ------------------------------------------------------------------------------------

static inline tenon_loader* tn_loader(tn_client* c, tenon_dataset* dataset, int64_t batch,
                                      uint64_t seed, uint32_t flags, uint32_t n_workers) {
  tenon_loader* made = NULL;
  tn_check(c, tenon_loader_create(c->context, dataset, batch, seed, flags, &made));
  tn_hold(c, TN_LOADER, made);
  tn_check(c, tenon_loader_set_workers(c->context, made, n_workers));
  return made;
}
// What is done with field 0 of each batch, one after the other.
static inline void tn_transforms(tn_client* c, tenon_loader* loader,
                                 tenon_transform* const* transforms, uint32_t n) {
  const uint32_t fields[TENON_LOADER_TRANSFORMS] = {0};
  if (n > TENON_LOADER_TRANSFORMS) tn_check(c, TENON_E_UNSUPPORTED);
  tn_check(c, tenon_loader_set_transforms(c->context, loader, transforms, fields, n));
}
static inline tenon_loader_info tn_place(tn_client* c, tenon_loader* loader) {
  tenon_loader_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  tn_check(c, tenon_loader_get_info(c->context, loader, &info));
  return info;
}

// The next batch of a loader into fields[n_fields], which the region releases; 0 at the end of the
// epoch.
static inline int64_t tn_next(tn_client* c, tenon_loader* loader, tenon_tensor** fields,
                              uint32_t n_fields) {
  int64_t n = 0;
  tn_check(c, tenon_loader_run(c->context, loader, fields, n_fields, &n));
  for (uint32_t i = 0; n > 0 && i < n_fields; ++i) tn_keep(c, fields[i]);
  return n;
}

// ---- Text as tokens, and back: docs/data.md has the kinds ---------------------------------------

// Of a text or of nothing, as its options say.
static inline tenon_tokenizer* tn_tokenizer(tn_client* c, const char* name, tn_named named) {
  const tn_lists lists = tn_lists_of(c, named);
  tenon_tokenizer* made = NULL;
  tn_check(c, tenon_tokenizer_create(c->context, name, TENON_NUL, NULL, 0, lists.names,
                                     lists.values, named.n, &made));
  return (tenon_tokenizer*)tn_hold(c, TN_TOKENIZER, made);
}
// Of a file, by the ending of its name.
static inline tenon_tokenizer* tn_load_tokenizer(tn_client* c, const char* path, tn_named named) {
  const tn_lists lists = tn_lists_of(c, named);
  tenon_tokenizer* made = NULL;
  tn_check(c, tenon_tokenizer_load(c->context, path, TENON_NUL, NULL, 0, lists.names, lists.values,
                                   named.n, &made));
  return (tenon_tokenizer*)tn_hold(c, TN_TOKENIZER, made);
}
static inline tenon_tokenizer_info tn_vocabulary(tn_client* c, tenon_tokenizer* tokenizer) {
  tenon_tokenizer_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  tn_check(c, tenon_tokenizer_get_info(c->context, tokenizer, &info));
  return info;
}
// i64[tokens]; flags: TENON_TOKENIZER_ADD_SPECIAL, READ_SPECIAL.
static inline tenon_tensor* tn_encode(tn_client* c, tenon_tokenizer* tokenizer, const char* text,
                                      uint32_t flags) {
  tenon_tensor* tokens = NULL;
  tn_check(c, tenon_tokenizer_call(c->context, tokenizer, text, TENON_NUL, flags, 0, &tokens));
  return tn_keep(c, tokens);
}
// i64[n,T], filled up by the tokenizer's own token or `pad` (-1: its own). *out_mask is bool[n,T],
// true where a token is a text's; it may be NULL. limit 0: none.
static inline tenon_tensor* tn_encode_batch(tn_client* c, tenon_tokenizer* tokenizer,
                                            const char* const* texts, uint32_t n, uint32_t flags,
                                            int64_t limit, int64_t pad, tenon_tensor** out_mask) {
  tenon_string* list = (tenon_string*)calloc((size_t)n + 1, sizeof *list);
  if (!list) tn_check(c, TENON_E_MEMORY);
  for (uint32_t i = 0; i < n; ++i) {
    list[i].data = texts[i];
    list[i].length = TENON_NUL;
  }
  tenon_tensor* tokens = NULL;
  tn_check(c, tenon_tokenizer_call_batch(c->context, tokenizer, list, n, flags, limit, pad, &tokens,
                                         out_mask));
  free(list);
  if (out_mask) tn_keep(c, *out_mask);
  return tn_keep(c, tokens);
}
// The text of tokens [n], which the region releases.
static inline const char* tn_decode(tn_client* c, tenon_tokenizer* tokenizer, tenon_tensor* tokens,
                                    uint32_t flags) {
  tenon_text* text = NULL;
  const char* data = NULL;
  tn_check(c, tenon_tokenizer_get_text(c->context, tokenizer, tokens, flags, &text));
  tn_hold(c, TN_WORDS, text);
  tenon_text_get(text, &data, NULL);
  return data;
}

// ---- A run in a file, its curve and its line ----------------------------------------------------

static inline tenon_checkpoint* tn_checkpoint(tn_client* c) {
  tenon_checkpoint* made = NULL;
  tn_check(c, tenon_checkpoint_create(c->context, &made));
  return (tenon_checkpoint*)tn_hold(c, TN_CHECKPOINT, made);
}
static inline void tn_save(tn_client* c, tenon_checkpoint* run, const char* path) {
  tn_check(c, tenon_checkpoint_save(c->context, run, path, TENON_NUL));
}
// Puts back what was saved; 0 if there is no such file.
static inline int tn_resume(tn_client* c, tenon_checkpoint* run, const char* path) {
  uint32_t loaded = 0;
  tn_check(c, tenon_checkpoint_load(c->context, run, path, TENON_NUL, TENON_CHECKPOINT_IF_THERE,
                                    &loaded));
  return loaded != 0;
}

static inline tenon_history* tn_history(tn_client* c) {
  tenon_history* made = NULL;
  tn_check(c, tenon_history_create(c->context, &made));
  return (tenon_history*)tn_hold(c, TN_HISTORY, made);
}
// Adds a point to a series.
static inline void tn_note(tn_client* c, tenon_history* history, const char* series, int64_t step,
                           double value) {
  tn_check(c, tenon_history_set(c->context, history, series, TENON_NUL, step, value));
}
// Draws all series, as an SVG.
static inline void tn_draw(tn_client* c, tenon_history* history, const char* path,
                           const char* title, const char* axis) {
  tn_check(c, tenon_history_save(c->context, history, path, TENON_NUL, title, TENON_NUL, axis,
                                 TENON_NUL));
}

// Cleared at the end of the region.
static inline tenon_progress* tn_progress(tn_client* c, const char* label, int64_t total) {
  tenon_progress* made = NULL;
  tn_check(c, tenon_progress_create(c->context, label, TENON_NUL, total, 0, &made));
  return (tenon_progress*)tn_hold(c, TN_PROGRESS, made);
}
static inline void tn_show(tn_client* c, tenon_progress* progress, int64_t done, const char* name,
                           double value) {
  tn_check(c, tenon_progress_run(c->context, progress, done, name, TENON_NUL, value));
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_CLIENT_OBJECTS_H
