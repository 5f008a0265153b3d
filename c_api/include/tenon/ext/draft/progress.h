// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/progress.h: how a run goes, for programs: the history of its numbers, their
// picture, event files of TensorBoard, and a line that says how far it is; draft.
//
//   tenon_history_create(context, &history);
//   ... tenon_history_set(context, history, "loss", TENON_NUL, step, loss);
//   tenon_history_save(context, history, "loss.svg", TENON_NUL, "Digits", TENON_NUL, "step",
//                      TENON_NUL);
//   tenon_history_release(history);
//
//   tenon_progress_create(context, "epoch 1/5", TENON_NUL, samples, 0, &progress);
//   ... tenon_progress_run(context, progress, done, "loss", TENON_NUL, loss);
//   tenon_progress_release(progress);
//
// The conventions of tenon.h hold here too: texts are UTF-8 (a pointer and a length in bytes, or
// TENON_NUL), else TENON_E_ARGUMENT; a call that fails changes nothing. Each object is used by one
// thread at a time. since    0.1 (draft), all of it
#ifndef TENON_EXT_DRAFT_PROGRESS_H
#define TENON_EXT_DRAFT_PROGRESS_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- The history --------------------------------------------------------------------------------

// Named series of points: a step, which counts whatever the program counts, and a value. There may
// be any number of series, and of points in each.
typedef struct tenon_history tenon_history;

// Creates a history without any series.
// memory   *out_history is the caller's; tenon_history_release
// threads  [one thread per context]          state  [any], as all functions here
TENON_EXPORT tenon_status tenon_history_create(tenon_context* context, tenon_history** out_history);

// Ends a history; its event file stays. Legal with NULL and on any thread.
TENON_EXPORT void tenon_history_release(tenon_history* history);

// Adds a point to the end of the series `name`, which begins with its first point. Steps may come
// in any order and may repeat; the value may be a NaN or an infinity.
// errors   TENON_E_ARGUMENT (the name is empty), TENON_E_IO (the event file could not be written:
//          the point is neither there nor in the history)
TENON_EXPORT tenon_status tenon_history_set(tenon_context* context, tenon_history* history,
                                            const char* name, uint64_t name_length, int64_t step,
                                            double value);

// Point `index` of the series `name`, in the order in which they were added, from 0; either pointer
// may be NULL.
// errors   TENON_E_NOT_FOUND (past the last; no such series: names some that there are)
TENON_EXPORT tenon_status tenon_history_get(tenon_context* context, tenon_history* history,
                                            const char* name, uint64_t name_length, uint64_t index,
                                            int64_t* out_step, double* out_value);

// From now on each point goes to an event file of TensorBoard too: a new file in `folder`, which is
// made if it is not there (`tensorboard --logdir` finds it). Called again, it begins another file.
// A record is the system's when tenon_history_set returns, so that a run that is killed loses none;
// one that could not be written whole (the disk is full) is taken back. TensorBoard keeps f32.
// format   TFRecords, that is {u64 length, u32 masked CRC-32C of it, the bytes, u32 masked CRC-32C
//          of them}, little-endian, of protocol buffers `Event` (TensorFlow, core/util/event.proto)
// errors   TENON_E_ARGUMENT (the folder's name is empty or has a zero byte), TENON_E_IO (in the
//          words of the system); then points go where they went before
TENON_EXPORT tenon_status tenon_history_set_events(tenon_context* context, tenon_history* history,
                                                   const char* folder, uint64_t folder_length);

// All series as one text. Topics:
//   json   {"series":[{"name":"loss","steps":[1,2],"values":[0.5,null]}]}; a NaN or an infinity is
//          null
//   csv    a line "series,step,value", then one for each point, series after series; "nan", "inf"
//          and "-inf" are written out
//   svg    the picture of tenon_history_save, without a title, its axis called "step"
// memory   *out_text is the caller's; tenon_text_release
// errors   TENON_E_NOT_FOUND (no such topic)
TENON_EXPORT tenon_status tenon_history_query(tenon_context* context, tenon_history* history,
                                              const char* topic, uint64_t topic_length,
                                              tenon_text** out_text);

// Writes a picture (SVG) with a line for each series, broken at values that are not finite; `title`
// and `axis`, the name of the x axis, may be empty. The file `path` holds all of it or, on any
// failure, what it held before: it is written as tenon_file_set does (archives.h).
// errors   TENON_E_ARGUMENT (the path is empty or has a zero byte), TENON_E_IO (in the words of the
//          system)
TENON_EXPORT tenon_status tenon_history_save(tenon_context* context, tenon_history* history,
                                             const char* path, uint64_t path_length,
                                             const char* title, uint64_t title_length,
                                             const char* axis, uint64_t axis_length);

// ---- The line -----------------------------------------------------------------------------------

// One line on standard error (descriptor 2) that overwrites itself: how far the run is, a number,
// the rate of the whole run and the time that is left.
typedef struct tenon_progress tenon_progress;

// Writes the line even if standard error is not a terminal; else nothing is written there.
#define TENON_PROGRESS_ALWAYS 1u

// Begins a line; its time starts here, and nothing is written yet.
// label    stands at the front, copied; may be empty
// total    how many units the run has; 0: not known, so that neither share nor time left is shown
// memory   *out_progress is the caller's; tenon_progress_release
// errors   TENON_E_ARGUMENT (a negative total, unknown flags)
TENON_EXPORT tenon_status tenon_progress_create(tenon_context* context, const char* label,
                                                uint64_t label_length, int64_t total,
                                                uint32_t flags, tenon_progress** out_progress);

// Says that `done` units are done, as often as the program likes: the line is written at most ten
// times a second, and one that cannot be written is left out.
// name     of the number `value`, "loss"; empty: no number is shown
// errors   TENON_E_ARGUMENT (`done` is negative)
TENON_EXPORT tenon_status tenon_progress_run(tenon_context* context, tenon_progress* progress,
                                             int64_t done, const char* name, uint64_t name_length,
                                             double value);

// Ends the line and clears it, if there is one. Legal with NULL and on any thread.
TENON_EXPORT void tenon_progress_release(tenon_progress* progress);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_PROGRESS_H
