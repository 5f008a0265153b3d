// SPDX-License-Identifier: Apache-2.0
// tests/api/history_rows_support.cc: wrong calls of histories and progress lines.
#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

constexpr char kNoUtf8[] = "\xff";

// `call` with every wrong context and every wrong history.
void add_both(Rows& rows, const char* function,
              const std::function<tenon_status(World&, tenon_context*, tenon_history*)>& call) {
  add_contexts(rows, function,
               [call](World& w, tenon_context* cx) { return call(w, cx, w.own.history); });
  add_handles(rows, function, Kind::History, [call](World& w, void* handle) {
    return call(w, w.cx, static_cast<tenon_history*>(handle));
  });
}

void add_points(Rows& rows) {
  add_contexts(rows, "tenon_history_create", [](World& w, tenon_context* cx) {
    return tenon_history_create(cx, &w.outs.history);
  });
  add(rows, "tenon_history_create", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_history_create(w.cx, nullptr); });
  add_both(rows, "tenon_history_set", [](World&, tenon_context* cx, tenon_history* to) {
    return tenon_history_set(cx, to, "loss", TENON_NUL, 1, 1);
  });
  const auto get = [](World& w, tenon_context* cx, tenon_history* from, const char* name,
                      uint64_t length, uint64_t index) {
    return tenon_history_get(cx, from, name, length, index, &w.outs.length, &w.outs.number);
  };
  add_both(rows, "tenon_history_get", [get](World& w, tenon_context* cx, tenon_history* from) {
    return get(w, cx, from, "loss", 4, 0);
  });
  for (const auto& [what, name, length] : {std::tuple{"NULL", (const char*)nullptr, uint64_t{3}},
                                           {"NULL and empty", nullptr, uint64_t{0}},
                                           {"empty", "", uint64_t{0}},
                                           {"not UTF-8", kNoUtf8, uint64_t{1}}}) {
    add(rows, "tenon_history_set", std::string("name: ") + what, TENON_E_ARGUMENT,
        [given = name, n = length](World& w) {
          return tenon_history_set(w.cx, w.own.history, given, n, 0, 0);
        });
    add(rows, "tenon_history_get", std::string("name: ") + what, TENON_E_ARGUMENT,
        [get, given = name, n = length](World& w) {
          return get(w, w.cx, w.own.history, given, n, 0);
        });
  }
  add(rows, "tenon_history_get", "no such series", TENON_E_NOT_FOUND,
      [get](World& w) { return get(w, w.cx, w.own.history, "gain", 4, 0); });
  for (const uint64_t index : {uint64_t{1}, UINT64_MAX}) {
    add(rows, "tenon_history_get", "index " + std::to_string(index), TENON_E_NOT_FOUND,
        [get, index](World& w) { return get(w, w.cx, w.own.history, "loss", 4, index); });
  }
}

void add_texts(Rows& rows) {
  add_both(rows, "tenon_history_query", [](World& w, tenon_context* cx, tenon_history* from) {
    return tenon_history_query(cx, from, "json", 4, &w.outs.text);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* topic) {
    add(rows, "tenon_history_query", what, expected, [topic](World& w) {
      return tenon_history_query(w.cx, w.own.history, topic, TENON_NUL, &w.outs.text);
    });
  };
  wrong("unknown topic", TENON_E_NOT_FOUND, "weather");
  wrong("empty topic", TENON_E_NOT_FOUND, "");
  wrong("topic that is not UTF-8", TENON_E_ARGUMENT, kNoUtf8);
  wrong("NULL topic", TENON_E_ARGUMENT, nullptr);
  add(rows, "tenon_history_query", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_history_query(w.cx, w.own.history, "json", 4, nullptr); });
}

void add_files(Rows& rows) {
  add_both(rows, "tenon_history_set_events", [](World&, tenon_context* cx, tenon_history* to) {
    return tenon_history_set_events(cx, to, "/dev/null/at/all", TENON_NUL);
  });
  const auto save = [](tenon_context* cx, tenon_history* from, const char* path,
                       const char* title = "t", const char* axis = "a") {
    return tenon_history_save(cx, from, path, TENON_NUL, title, TENON_NUL, axis, TENON_NUL);
  };
  add_both(rows, "tenon_history_save", [save](World&, tenon_context* cx, tenon_history* from) {
    return save(cx, from, "/nowhere/at/all.svg");
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* path) {
    add(rows, "tenon_history_set_events", what, expected, [path](World& w) {
      return tenon_history_set_events(w.cx, w.own.history, path, TENON_NUL);
    });
    add(rows, "tenon_history_save", what, expected,
        [save, path](World& w) { return save(w.cx, w.own.history, path); });
  };
  wrong("no folder", TENON_E_IO, "/dev/null/at/all");
  wrong("a device", TENON_E_IO, "/dev/full");
  wrong("no path", TENON_E_ARGUMENT, "");
  wrong("NULL path", TENON_E_ARGUMENT, nullptr);
  add(rows, "tenon_history_save", "a folder", TENON_E_IO,
      [save](World& w) { return save(w.cx, w.own.history, "/"); });
  add(rows, "tenon_history_save", "zero byte in the path", TENON_E_ARGUMENT, [](World& w) {
    return tenon_history_save(w.cx, w.own.history, "/a\0b", 4, nullptr, 0, nullptr, 0);
  });
  add(rows, "tenon_history_set_events", "zero byte in the path", TENON_E_ARGUMENT,
      [](World& w) { return tenon_history_set_events(w.cx, w.own.history, "/tmp\0b", 6); });
  add(rows, "tenon_history_save", "title that is not UTF-8", TENON_E_ARGUMENT,
      [save](World& w) { return save(w.cx, w.own.history, "/nowhere/a", kNoUtf8); });
  add(rows, "tenon_history_save", "axis that is not UTF-8", TENON_E_ARGUMENT,
      [save](World& w) { return save(w.cx, w.own.history, "/nowhere/a", "t", kNoUtf8); });
  add(rows, "tenon_history_save", "NULL title", TENON_E_ARGUMENT,
      [save](World& w) { return save(w.cx, w.own.history, "/nowhere/a", nullptr); });
}

void add_lines(Rows& rows) {
  const auto create = [](World& w, tenon_context* cx, const char* label, int64_t total,
                         uint32_t flags) {
    return tenon_progress_create(cx, label, TENON_NUL, total, flags, &w.outs.progress);
  };
  const auto run = [](tenon_context* cx, void* line, int64_t done, const char* name) {
    return tenon_progress_run(cx, static_cast<tenon_progress*>(line), done, name, TENON_NUL, 0);
  };
  add_contexts(rows, "tenon_progress_create",
               [create](World& w, tenon_context* cx) { return create(w, cx, "x", 0, 0); });
  add_unknown_flags(rows, "tenon_progress_create", TENON_PROGRESS_ALWAYS,
                    [create](World& w, uint32_t flags) { return create(w, w.cx, "x", 0, flags); });
  for (const auto& [what, label, total] : {std::tuple{"NULL label", (const char*)nullptr, 0},
                                           {"label that is not UTF-8", kNoUtf8, 0},
                                           {"negative total", "x", -1}}) {
    add(rows, "tenon_progress_create", what, TENON_E_ARGUMENT,
        [create, given = label, n = total](World& w) { return create(w, w.cx, given, n, 0); });
  }
  add(rows, "tenon_progress_create", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_progress_create(w.cx, "x", 1, 0, 0, nullptr); });
  add_contexts(rows, "tenon_progress_run",
               [run](World& w, tenon_context* cx) { return run(cx, w.own.progress, 1, "loss"); });
  add_handles(rows, "tenon_progress_run", Kind::Progress,
              [run](World& w, void* handle) { return run(w.cx, handle, 1, "loss"); });
  for (const auto& [what, done, name] : {std::tuple{"NULL name", 1, (const char*)nullptr},
                                         {"name that is not UTF-8", 1, kNoUtf8},
                                         {"negative count", -1, "loss"}}) {
    add(rows, "tenon_progress_run", what, TENON_E_ARGUMENT,
        [run, n = done, given = name](World& w) { return run(w.cx, w.own.progress, n, given); });
  }
}

}  // namespace

void add_history_rows(Rows& rows) {
  add_points(rows);
  add_texts(rows);
  add_files(rows);
  add_lines(rows);
}

}  // namespace tenon::tests
