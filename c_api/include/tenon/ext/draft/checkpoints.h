// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/checkpoints.h: a training run in one file, from which it goes on with the bits it
// would have had; for programs; draft. The conventions are those of tenon/tenon.h.
//
//   tenon_checkpoint_create(context, &run);
//   tenon_checkpoint_set_layer(context, run, "model", TENON_NUL, model);
//   tenon_checkpoint_set_optimizer(context, run, "optimizer.0", TENON_NUL, optimizer);
//   tenon_checkpoint_set_loader(context, run, "loader", TENON_NUL, loader);
//   tenon_checkpoint_load(context, run, "run.safetensors", TENON_NUL, TENON_CHECKPOINT_IF_THERE,
//                         &resumed);
//   ... tenon_checkpoint_save(context, run, "run.safetensors", TENON_NUL);  // as often as you like
//
// A checkpoint is told once what a run consists of, each part by a name of its own; it saves and
// loads all of it, and the seed, stream and counter of the context's random numbers. The file is a
// safetensors file, whatever its name, that other programs and archives.h read: tensors are
// "model.0.weight" and "optimizer.0.3.exp_avg" (a state of parameter 3), and metadata holds numbers
// as text, "loader.epoch" or "rng.counter".
//
// A checkpoint is used by one thread at a time.
// since    draft 2, all of it
#ifndef TENON_EXT_DRAFT_CHECKPOINTS_H
#define TENON_EXT_DRAFT_CHECKPOINTS_H

#include <tenon/ext/draft/loaders.h>
#include <tenon/kinds.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_checkpoint tenon_checkpoint;

// A checkpoint without parts.
TENON_EXPORT tenon_status tenon_checkpoint_create(tenon_context* context,
                                                  tenon_checkpoint** out_checkpoint);

// Legal with NULL and on any thread.
TENON_EXPORT void tenon_checkpoint_release(tenon_checkpoint* checkpoint);

// Adds a part, or replaces the one of this name.
//   a layer      all its parameters and buffers, and those of the layers in it
//   an optimizer all states there are, and its hyper-parameters, by group if there is more than one
//   a schedule   its states
//   a loader     epoch and position; its seed, how many samples its dataset has and whether it
//                shuffles must be as in the file, and with buckets its pool and the size of its
//                batches. With another share than the file's it goes on where all processes were
//   a tensor     its values
//   a value      TENON_VALUE_I64, F64, BOOL or STRING; copied
// memory   holds the part, which the caller may release
// errors   TENON_E_ARGUMENT (the name is empty, not UTF-8, "rng", or in conflict with another: "a"
//          with "a.b"; a value of another type, or not UTF-8), TENON_E_HANDLE, TENON_E_RUNTIME
TENON_EXPORT tenon_status tenon_checkpoint_set_layer(tenon_context* context,
                                                     tenon_checkpoint* checkpoint, const char* name,
                                                     uint64_t name_length, tenon_layer* layer);
TENON_EXPORT tenon_status tenon_checkpoint_set_optimizer(tenon_context* context,
                                                         tenon_checkpoint* checkpoint,
                                                         const char* name, uint64_t name_length,
                                                         tenon_optimizer* optimizer);
TENON_EXPORT tenon_status tenon_checkpoint_set_schedule(tenon_context* context,
                                                        tenon_checkpoint* checkpoint,
                                                        const char* name, uint64_t name_length,
                                                        tenon_schedule* schedule);
TENON_EXPORT tenon_status tenon_checkpoint_set_loader(tenon_context* context,
                                                      tenon_checkpoint* checkpoint,
                                                      const char* name, uint64_t name_length,
                                                      tenon_loader* loader);
TENON_EXPORT tenon_status tenon_checkpoint_set_tensor(tenon_context* context,
                                                      tenon_checkpoint* checkpoint,
                                                      const char* name, uint64_t name_length,
                                                      tenon_tensor* tensor);
TENON_EXPORT tenon_status tenon_checkpoint_set_value(tenon_context* context,
                                                     tenon_checkpoint* checkpoint, const char* name,
                                                     uint64_t name_length,
                                                     const tenon_value* value);

// The value as it was set last, or loaded since. A text is borrowed until the value changes.
// errors   TENON_E_NOT_FOUND (names the values there are)
TENON_EXPORT tenon_status tenon_checkpoint_get_value(tenon_context* context,
                                                     tenon_checkpoint* checkpoint, const char* name,
                                                     uint64_t name_length, tenon_value* out_value);

// Makes the file hold the run as it is now: all of it or, on any failure, even of the machine, what
// it held before.
// errors   TENON_E_IO (the disk is full, the folder cannot be written, another one writes it),
//          TENON_E_NOT_FOUND (no plugin with tenon.safetensors), TENON_E_CAPTURE
TENON_EXPORT tenon_status tenon_checkpoint_save(tenon_context* context,
                                                tenon_checkpoint* checkpoint, const char* path,
                                                uint64_t path_length);

#define TENON_CHECKPOINT_IF_THERE 1u  // without a file nothing is loaded, and that is no error

// Puts every part back as it was when the file was saved. All of the file is checked before
// anything is changed: each part must be there, with the same names, shapes and dtypes, and a layer
// or an optimizer may not have more in the file than it has here. What has made no step when it was
// saved has none afterwards. outputs  *out_loaded is 1; 0 if there was no file; may be NULL errors
// TENON_E_DATA (what is missing, left over, or different, by name; a number that is none;
//          a loader with another order), TENON_E_ATTRIBUTE (a hyper-parameter out of its range),
//          TENON_E_ALIAS (a tensor to be loaded is read-only or expanded), TENON_E_IO,
//          TENON_E_NOT_FOUND (no plugin with tenon.safetensors), TENON_E_CAPTURE. Nothing is
//          changed then.
TENON_EXPORT tenon_status tenon_checkpoint_load(tenon_context* context,
                                                tenon_checkpoint* checkpoint, const char* path,
                                                uint64_t path_length, uint32_t flags,
                                                uint32_t* out_loaded);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_CHECKPOINTS_H
