// SPDX-License-Identifier: Apache-2.0
// core/api/history_api.cc: public functions of a history and of a progress line.
#include <tenon/ext/draft/progress.h>

#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/history/history.h"
#include "core/history/progress.h"
#include "core/json/writer.h"

using namespace tenon;
using namespace tenon::api;
using history::History;
using history::Progress;

namespace {

constexpr Handles<tenon_history, History, kHistoryKind> kHistories("history");
constexpr Handles<tenon_progress, Progress, kProgressKind> kProgresses("progress");

History& require_history(const Context& context, tenon_history* handle) {
  History& history = *kHistories.require_any(handle);
  if (history.runtime() != context.runtime) fail_foreign("history");
  return history;
}

Progress& require_progress(const Context& context, tenon_progress* handle) {
  Progress& progress = *kProgresses.require_any(handle);
  if (progress.runtime() != context.runtime) fail_foreign("progress");
  return progress;
}

// of  whose text it is, for the message: "history"
std::string_view require_words(const char* data, uint64_t length, const char* name,
                               const std::string& of) {
  const std::string_view text = require_text(data, length, name);
  if (json::is_utf8(text)) return text;
  fail(TENON_E_ARGUMENT, of + ": the " + name + " is not UTF-8", name, "UTF-8 text", "other bytes",
       "convert the text to UTF-8");
}

std::string_view require_series(const char* name, uint64_t length) {
  require_pointer(name, "name");
  const std::string_view text = require_words(name, length, "name", "history");
  if (!text.empty()) return text;
  fail(TENON_E_ARGUMENT, "history: the name of the series is empty", "name",
       "the name of a series, such as \"loss\"", "an empty text", "give the series a name");
}

int64_t require_units(int64_t units, const char* name) {
  if (units >= 0) return units;
  fail(TENON_E_ARGUMENT, std::string("progress: ") + name + " is negative", name, "0 or more",
       std::to_string(units), "a total of 0 is one that is not known");
}

}  // namespace

tenon_status tenon_history_create(tenon_context* context, tenon_history** out_history) {
  return guard_out(context, out_history, "out_history", [&](Context& cx) {
    return kHistories.give(std::make_shared<History>(*cx.runtime));
  });
}

void tenon_history_release(tenon_history* handle) { kHistories.release(handle); }

tenon_status tenon_history_set(tenon_context* context, tenon_history* history, const char* name,
                               uint64_t name_length, int64_t step, double value) {
  return guard(context, [&](Context& cx) {
    require_history(cx, history).add(require_series(name, name_length), step, value);
  });
}

tenon_status tenon_history_get(tenon_context* context, tenon_history* history, const char* name,
                               uint64_t name_length, uint64_t index, int64_t* out_step,
                               double* out_value) {
  return guard(context, [&](Context& cx) {
    const History& from = require_history(cx, history);
    const history::Point& point = from.point(require_series(name, name_length), index);
    if (out_step) *out_step = point.step;
    if (out_value) *out_value = point.value;
  });
}

tenon_status tenon_history_set_events(tenon_context* context, tenon_history* history,
                                      const char* folder, uint64_t folder_length) {
  return guard(context, [&](Context& cx) {
    require_history(cx, history).write_events(require_path(folder, folder_length, "folder"));
  });
}

tenon_status tenon_history_query(tenon_context* context, tenon_history* history, const char* topic,
                                 uint64_t topic_length, tenon_text** out_text) {
  return guard_out(context, out_text, "out_text", [&](Context& cx) {
    require_pointer(topic, "topic");
    const History& from = require_history(cx, history);
    return make_text(
        [&] { return from.query(require_words(topic, topic_length, "topic", "history")); });
  });
}

tenon_status tenon_history_save(tenon_context* context, tenon_history* history, const char* path,
                                uint64_t path_length, const char* title, uint64_t title_length,
                                const char* axis, uint64_t axis_length) {
  return guard(context, [&](Context& cx) {
    const History& from = require_history(cx, history);
    from.save(require_path(path, path_length),
              require_words(title, title_length, "title", "history"),
              require_words(axis, axis_length, "axis", "history"));
  });
}

tenon_status tenon_progress_create(tenon_context* context, const char* label, uint64_t label_length,
                                   int64_t total, uint32_t flags, tenon_progress** out_progress) {
  return guard_out(context, out_progress, "out_progress", [&](Context& cx) {
    refuse_flags(flags, TENON_PROGRESS_ALWAYS);
    const std::string_view words = require_words(label, label_length, "label", "progress");
    auto made = std::make_shared<Progress>(*cx.runtime, words, require_units(total, "total"),
                                           (flags & TENON_PROGRESS_ALWAYS) != 0);
    return kProgresses.give(std::move(made));
  });
}

tenon_status tenon_progress_run(tenon_context* context, tenon_progress* progress, int64_t done,
                                const char* name, uint64_t name_length, double value) {
  return guard(context, [&](Context& cx) {
    Progress& line = require_progress(cx, progress);
    line.run(require_units(done, "done"), require_words(name, name_length, "name", "progress"),
             value);
  });
}

void tenon_progress_release(tenon_progress* handle) { kProgresses.release(handle); }
