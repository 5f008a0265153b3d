// SPDX-License-Identifier: Apache-2.0
// tests/api/runtime_rows_support.cc: wrong calls of library, texts, runtime, context, devices.
#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/memory.h>
#include <tenon/ext/draft/op_log.h>
#include <tenon/ext/draft/ownership.h>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

// The status, with `record` of the row false: these report into a tenon_diag.
void add_diag(Rows& rows, const std::string& function, const std::string& what,
              tenon_status expected, const std::function<tenon_status(World&, tenon_diag*)>& call) {
  rows.push_back({function, what, expected,
                  [call](World& w) {
                    tenon_diag diag{};
                    const tenon_status status = call(w, &diag);
                    EXPECT_EQ(diag.status, status);
                    EXPECT_GT(diag.length, 0);
                    EXPECT_EQ(call(w, nullptr), status) << "without diag";
                    return status;
                  },
                  false});
}

tenon_runtime_options options_of() {
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  return options;
}

void add_creation(Rows& rows) {
  const auto runtime = [&](const std::string& what, auto change) {
    add_diag(rows, "tenon_runtime_create", what, TENON_E_ARGUMENT,
             [change](World& w, tenon_diag* diag) {
               tenon_runtime_options options = options_of();
               change(options);
               return tenon_runtime_create(&options, diag, &w.outs.runtime);
             });
  };
  runtime("struct_size 0", [](auto& o) { o.struct_size = 0; });
  constexpr uint32_t kKnown = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  for (const uint32_t flag : unknown_flags(kKnown)) {
    runtime("unknown flag " + std::to_string(flag), [flag](auto& o) { o.flags = flag; });
  }
  runtime("unknown policy", [](auto& o) { o.policy = 99; });
  runtime("allow-list policy without a list", [](auto& o) { o.policy = TENON_POLICY_ALLOWLIST; });
  runtime("an allow-list without the policy", [](auto& o) { o.allowlist = {"list", TENON_NUL}; });
  runtime("NULL allow-list with a length", [](auto& o) { o.allowlist = {nullptr, 3}; });
  runtime("negative threads", [](auto& o) { o.threads = -1; });
  runtime("too many threads", [](auto& o) { o.threads = INT32_MAX; });
  runtime("NULL paths with a count", [](auto& o) { o.n_paths = 2; });
  runtime("NULL exclude with a count", [](auto& o) { o.n_exclude = 2; });
  runtime("unknown check mode", [](auto& o) { o.check = {"everything", TENON_NUL}; });
  runtime("NULL check with a length", [](auto& o) { o.check = {nullptr, 3}; });
  add_diag(rows, "tenon_runtime_create", "an allow-list that does not exist", TENON_E_IO,
           [](World& w, tenon_diag* diag) {
             tenon_runtime_options options = options_of();
             options.policy = TENON_POLICY_ALLOWLIST;
             options.allowlist = {"/nowhere/list", TENON_NUL};
             return tenon_runtime_create(&options, diag, &w.outs.runtime);
           });
  add_diag(rows, "tenon_runtime_create", "NULL out", TENON_E_ARGUMENT,
           [](World&, tenon_diag* diag) {
             const tenon_runtime_options options = options_of();
             return tenon_runtime_create(&options, diag, nullptr);
           });
  add_diag(rows, "tenon_context_create", "NULL runtime", TENON_E_HANDLE,
           [](World& w, tenon_diag* diag) {
             return tenon_context_create(nullptr, diag, &w.outs.context);
           });
  add_diag(rows, "tenon_context_create", "released runtime", TENON_E_HANDLE,
           [](World& w, tenon_diag* diag) {
             return tenon_context_create(static_cast<tenon_runtime*>(w.released(Kind::Runtime)),
                                         diag, &w.outs.context);
           });
  add_diag(rows, "tenon_context_create", "a tensor as runtime", TENON_E_HANDLE,
           [](World& w, tenon_diag* diag) {
             return tenon_context_create(static_cast<tenon_runtime*>(w.another(Kind::Runtime)),
                                         diag, &w.outs.context);
           });
  add_diag(rows, "tenon_context_create", "NULL out", TENON_E_ARGUMENT,
           [](World& w, tenon_diag* diag) {
             return tenon_context_create(w.own.runtime, diag, nullptr);
           });
}

// Void functions: nothing to return, and nothing may happen.
template <class T>
void add_release(Rows& rows, const std::string& function, Kind kind, void (*release)(T*)) {
  const auto row = [&](const char* what, const std::function<void*(World&)>& which) {
    rows.push_back({function, what, TENON_OK,
                    [release, which](World& w) {
                      release(static_cast<T*>(which(w)));
                      return TENON_OK;
                    },
                    false});
  };
  row("NULL", [](World&) { return nullptr; });
  row("released before", [kind](World& w) { return w.released(kind); });
  row("another kind", [kind](World& w) { return w.another(kind); });
}

void add_ownership(Rows& rows) {
  const auto row = [&](const char* what, const std::function<void*(World&)>& which) {
    rows.push_back({"tenon_tensor_is_alone", what, TENON_OK,
                    [which](World& w) {
                      EXPECT_EQ(tenon_tensor_is_alone(static_cast<tenon_tensor*>(which(w))), 0u);
                      return TENON_OK;
                    },
                    false});
    rows.push_back({"tenon_tensor_is_held_by", what, TENON_OK,
                    [which](World& w) {
                      auto* const tensor = static_cast<tenon_tensor*>(which(w));
                      EXPECT_EQ(tenon_tensor_is_held_by(tensor, 0), 0u);
                      EXPECT_EQ(tenon_tensor_is_held_by(tensor, UINT32_MAX), 0u);
                      return TENON_OK;
                    },
                    false});
  };
  row("NULL", [](World&) { return nullptr; });
  row("released before", [](World& w) { return w.released(Kind::Tensor); });
  row("another kind", [](World& w) { return w.another(Kind::Tensor); });
}

void add_library(Rows& rows) {
  rows.push_back({"tenon_version_get", "all NULL", TENON_OK,
                  [](World&) {
                    tenon_version_get(nullptr, nullptr, nullptr, nullptr);
                    return TENON_OK;
                  },
                  false});
  rows.push_back(
      {"tenon_status_get_name", "unknown statuses", TENON_OK,
       [](World&) {
         for (const tenon_status status : {-1, TENON_E_PEER + 1, 1000, INT32_MIN, INT32_MAX}) {
           EXPECT_STREQ(tenon_status_get_name(status), "unknown status");
         }
         return TENON_OK;
       },
       false});
  const auto text = [&](const char* what, const std::function<void*(World&)>& which) {
    rows.push_back({"tenon_text_get", what, TENON_E_HANDLE,
                    [which](World& w) {
                      return tenon_text_get(static_cast<const tenon_text*>(which(w)), &w.outs.name,
                                            &w.outs.numbers[0]);
                    },
                    false});
  };
  text("NULL", [](World&) { return nullptr; });
  text("released", [](World& w) { return w.released(Kind::Text); });
  text("a tensor", [](World& w) { return w.another(Kind::Text); });
  add_release(rows, "tenon_text_release", Kind::Text, tenon_text_release);
  add_release(rows, "tenon_runtime_release", Kind::Runtime, tenon_runtime_release);
  add_release(rows, "tenon_context_release", Kind::Context, tenon_context_release);
  add_release(rows, "tenon_tensor_release", Kind::Tensor, tenon_tensor_release);
  add_release(rows, "tenon_plan_release", Kind::Plan, tenon_plan_release);
  add_release(rows, "tenon_optimizer_release", Kind::Optimizer, tenon_optimizer_release);
  add_release(rows, "tenon_schedule_release", Kind::Schedule, tenon_schedule_release);
  add_release(rows, "tenon_dataset_release", Kind::Dataset, tenon_dataset_release);
  add_release(rows, "tenon_archive_release", Kind::Archive, tenon_archive_release);
  add_release(rows, "tenon_history_release", Kind::History, tenon_history_release);
  add_release(rows, "tenon_progress_release", Kind::Progress, tenon_progress_release);
}

// long: a table of calls
void add_runtime(Rows& rows) {
  add_contexts(rows, "tenon_runtime_query", [](World& w, tenon_context* cx) {
    return tenon_runtime_query(cx, "ops", TENON_NUL, &w.outs.text);
  });
  add(rows, "tenon_runtime_query", "unknown topic", TENON_E_NOT_FOUND,
      [](World& w) { return tenon_runtime_query(w.cx, "weather", TENON_NUL, &w.outs.text); });
  add(rows, "tenon_runtime_query", "NULL topic", TENON_E_ARGUMENT,
      [](World& w) { return tenon_runtime_query(w.cx, nullptr, 5, &w.outs.text); });
  add(rows, "tenon_runtime_query", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_runtime_query(w.cx, "ops", TENON_NUL, nullptr); });
  add_contexts(rows, "tenon_runtime_set_pin", [](World&, tenon_context* cx) {
    return tenon_runtime_set_pin(cx, "tenon.add", TENON_NUL, "tenon.ref", TENON_NUL);
  });
  add(rows, "tenon_runtime_set_pin", "unknown plugin", TENON_E_NOT_FOUND, [](World& w) {
    return tenon_runtime_set_pin(w.cx, "tenon.add", TENON_NUL, "tenon.nobody", TENON_NUL);
  });
  add(rows, "tenon_runtime_set_pin", "unknown op", TENON_E_NOT_FOUND, [](World& w) {
    return tenon_runtime_set_pin(w.cx, "tenon.nothing", TENON_NUL, "tenon.ref", TENON_NUL);
  });
  add(rows, "tenon_runtime_set_pin", "NULL op with a length", TENON_E_ARGUMENT,
      [](World& w) { return tenon_runtime_set_pin(w.cx, nullptr, 4, "tenon.ref", TENON_NUL); });
  add_contexts(rows, "tenon_plugin_deactivate", [](World&, tenon_context* cx) {
    return tenon_plugin_deactivate(cx, "tenon.nobody", TENON_NUL);
  });
  add(rows, "tenon_plugin_deactivate", "unknown plugin", TENON_E_NOT_FOUND,
      [](World& w) { return tenon_plugin_deactivate(w.cx, "tenon.nobody", TENON_NUL); });
  add(rows, "tenon_plugin_deactivate", "NULL id with a length", TENON_E_ARGUMENT,
      [](World& w) { return tenon_plugin_deactivate(w.cx, nullptr, 3); });
  add_contexts(rows, "tenon_plugin_load", [](World&, tenon_context* cx) {
    return tenon_plugin_load(cx, [](auto...) { return TENON_OK; });
  });
  add(rows, "tenon_plugin_load", "NULL query", TENON_E_ARGUMENT,
      [](World& w) { return tenon_plugin_load(w.cx, nullptr); });
  add(rows, "tenon_plugin_load", "a query that fills in nothing", TENON_E_PLUGIN,
      [](World& w) { return tenon_plugin_load(w.cx, [](auto...) { return TENON_OK; }); });
  add_contexts(rows, "tenon_runtime_set_memory_limit",
               [](World&, tenon_context* cx) { return tenon_runtime_set_memory_limit(cx, 1); });
  add_contexts(rows, "tenon_runtime_set_threads",
               [](World&, tenon_context* cx) { return tenon_runtime_set_threads(cx, 1); });
  for (const int32_t threads : {-1, INT32_MIN, INT32_MAX}) {
    add(rows, "tenon_runtime_set_threads", std::to_string(threads) + " threads", TENON_E_ARGUMENT,
        [threads](World& w) { return tenon_runtime_set_threads(w.cx, threads); });
  }
  add_contexts(rows, "tenon_runtime_release_cache", [](World&, tenon_context* cx) {
    return tenon_runtime_release_cache(cx, nullptr, nullptr);
  });
  add(rows, "tenon_runtime_release_cache", "unknown device", TENON_E_DEVICE, [](World& w) {
    const tenon_device nowhere = {4711, 0};
    uint64_t bytes = 7;
    const tenon_status status = tenon_runtime_release_cache(w.cx, &nowhere, &bytes);
    EXPECT_EQ(bytes, 7u);
    return status;
  });
  add_contexts(rows, "tenon_runtime_get_stats", [](World& w, tenon_context* cx) {
    return tenon_runtime_get_stats(cx, &w.outs.stats);
  });
  add(rows, "tenon_runtime_get_stats", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_runtime_get_stats(w.cx, nullptr); });
  add(rows, "tenon_runtime_get_stats", "struct_size 0", TENON_E_ARGUMENT, [](World& w) {
    tenon_stats stats{};
    const tenon_status status = tenon_runtime_get_stats(w.cx, &stats);
    EXPECT_EQ(stats.tensors, 0);
    return status;
  });
}

void add_context(Rows& rows) {
  add_contexts(rows, "tenon_context_get_error", [](World& w, tenon_context* cx) {
    return tenon_context_get_error(cx, &w.outs.error);
  });
  // Reading the record does not replace it.
  rows.push_back({"tenon_context_get_error", "NULL out", TENON_E_ARGUMENT,
                  [](World& w) { return tenon_context_get_error(w.cx, nullptr); }, false});
  rows.push_back({"tenon_context_get_error", "struct_size 0", TENON_E_ARGUMENT,
                  [](World& w) {
                    tenon_error error{};
                    return tenon_context_get_error(w.cx, &error);
                  },
                  false});
  add_contexts(rows, "tenon_context_interrupt",
               [](World&, tenon_context* cx) { return tenon_context_interrupt(cx); });
  add_contexts(rows, "tenon_context_set_seed",
               [](World&, tenon_context* cx) { return tenon_context_set_seed(cx, 1, 2); });
  add_contexts(rows, "tenon_context_get_seed", [](World& w, tenon_context* cx) {
    return tenon_context_get_seed(cx, &w.outs.numbers[0], &w.outs.numbers[1], &w.outs.numbers[2]);
  });
  add_contexts(rows, "tenon_context_set_counter",
               [](World&, tenon_context* cx) { return tenon_context_set_counter(cx, 9); });
  add_contexts(rows, "tenon_context_set_arithmetic", [](World&, tenon_context* cx) {
    return tenon_context_set_arithmetic(cx, TENON_ARITHMETIC_FAST);
  });
  add(rows, "tenon_context_set_arithmetic", "unknown", TENON_E_ARGUMENT,
      [](World& w) { return tenon_context_set_arithmetic(w.cx, 2); });
  add_contexts(rows, "tenon_context_set_device",
               [](World&, tenon_context* cx) { return tenon_context_set_device(cx, nullptr); });
  add(rows, "tenon_context_set_device", "unknown kind", TENON_E_DEVICE, [](World& w) {
    const tenon_device device{999, 0};
    return tenon_context_set_device(w.cx, &device);
  });
}

void add_device(Rows& rows) {
  add_contexts(rows, "tenon_device_find", [](World& w, tenon_context* cx) {
    return tenon_device_find(cx, "", 0, 0, &w.outs.device);
  });
  add(rows, "tenon_device_find", "unknown kind", TENON_E_NOT_FOUND,
      [](World& w) { return tenon_device_find(w.cx, "abacus", TENON_NUL, 0, &w.outs.device); });
  for (const int32_t index : {-1, 1, INT32_MAX, INT32_MIN}) {
    add(rows, "tenon_device_find", "index " + std::to_string(index), TENON_E_DEVICE,
        [index](World& w) { return tenon_device_find(w.cx, "", 0, index, &w.outs.device); });
  }
  add(rows, "tenon_device_find", "NULL kind with a length", TENON_E_ARGUMENT,
      [](World& w) { return tenon_device_find(w.cx, nullptr, 3, 0, &w.outs.device); });
  add(rows, "tenon_device_find", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_device_find(w.cx, "", 0, 0, nullptr); });
  add_contexts(rows, "tenon_device_wait",
               [](World&, tenon_context* cx) { return tenon_device_wait(cx, nullptr); });
  add(rows, "tenon_device_wait", "unknown kind", TENON_E_DEVICE, [](World& w) {
    const tenon_device device{0, 0};
    return tenon_device_wait(w.cx, &device);
  });
}

void add_nesting(Rows& rows) {
  add_contexts(rows, "tenon_scope_begin",
               [](World&, tenon_context* cx) { return tenon_scope_begin(cx, "a", 1); });
  add(rows, "tenon_scope_begin", "NULL label", TENON_E_ARGUMENT,
      [](World& w) { return tenon_scope_begin(w.cx, nullptr, 2); });
  add_contexts(rows, "tenon_scope_end",
               [](World&, tenon_context* cx) { return tenon_scope_end(cx); });
  add(rows, "tenon_scope_end", "without begin", TENON_E_STATE,
      [](World& w) { return tenon_scope_end(w.cx); });
  add_contexts(rows, "tenon_serial_begin",
               [](World&, tenon_context* cx) { return tenon_serial_begin(cx); });
  add_contexts(rows, "tenon_serial_end",
               [](World&, tenon_context* cx) { return tenon_serial_end(cx); });
  add(rows, "tenon_serial_end", "without begin", TENON_E_STATE,
      [](World& w) { return tenon_serial_end(w.cx); });
  add_contexts(rows, "tenon_grad_begin",
               [](World&, tenon_context* cx) { return tenon_grad_begin(cx, TENON_GRAD_DISABLED); });
  add(rows, "tenon_grad_begin", "unknown mode", TENON_E_ARGUMENT,
      [](World& w) { return tenon_grad_begin(w.cx, 3); });
  add_contexts(rows, "tenon_grad_end",
               [](World&, tenon_context* cx) { return tenon_grad_end(cx); });
  add(rows, "tenon_grad_end", "without begin", TENON_E_STATE,
      [](World& w) { return tenon_grad_end(w.cx); });
  add_contexts(rows, "tenon_check_begin",
               [](World&, tenon_context* cx) { return tenon_check_begin(cx, TENON_CHECK_FINITE); });
  add(rows, "tenon_check_begin", "unknown mode", TENON_E_ARGUMENT,
      [](World& w) { return tenon_check_begin(w.cx, 2); });
  add_contexts(rows, "tenon_check_end",
               [](World&, tenon_context* cx) { return tenon_check_end(cx); });
  add(rows, "tenon_check_end", "without begin", TENON_E_STATE,
      [](World& w) { return tenon_check_end(w.cx); });
  add_contexts(rows, "tenon_op_log_begin",
               [](World&, tenon_context* cx) { return tenon_op_log_begin(cx, nullptr, nullptr); });
  add(rows, "tenon_op_log_begin", "twice", TENON_E_STATE, [](World& w) {
    EXPECT_EQ(tenon_op_log_begin(w.cx, nullptr, nullptr), TENON_OK);
    const tenon_status status = tenon_op_log_begin(w.cx, nullptr, nullptr);
    EXPECT_EQ(tenon_op_log_end(w.cx), TENON_OK);
    return status;
  });
  add_contexts(rows, "tenon_op_log_end",
               [](World&, tenon_context* cx) { return tenon_op_log_end(cx); });
  add(rows, "tenon_op_log_end", "without begin", TENON_E_STATE,
      [](World& w) { return tenon_op_log_end(w.cx); });
  add_contexts(rows, "tenon_trace_begin",
               [](World&, tenon_context* cx) { return tenon_trace_begin(cx); });
  add(rows, "tenon_trace_begin", "twice", TENON_E_STATE, [](World& w) {
    EXPECT_EQ(tenon_trace_begin(w.cx), TENON_OK);
    const tenon_status status = tenon_trace_begin(w.cx);
    tenon_text* text = nullptr;
    EXPECT_EQ(tenon_trace_end(w.cx, &text), TENON_OK);
    tenon_text_release(text);
    return status;
  });
  add_contexts(rows, "tenon_trace_end",
               [](World& w, tenon_context* cx) { return tenon_trace_end(cx, &w.outs.text); });
  add(rows, "tenon_trace_end", "without begin", TENON_E_STATE,
      [](World& w) { return tenon_trace_end(w.cx, &w.outs.text); });
  add(rows, "tenon_trace_end", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_trace_end(w.cx, nullptr); });
}

}  // namespace

void add_runtime_rows(Rows& rows) {
  add_library(rows);
  add_ownership(rows);
  add_creation(rows);
  add_runtime(rows);
  add_context(rows);
  add_device(rows);
  add_nesting(rows);
}

}  // namespace tenon::tests
