// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_runtime_support.cc: right calls of the library, the runtime and the context.
#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/memory.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/api/fault_sweep_support.h"
#include "tests/support/paths.h"
#include "tests/support/program_plugin.h"

namespace tenon::tests {
namespace {

tenon_status query(FaultWorld& w, const char* topic) {
  return tenon_runtime_query(w.cx, topic, TENON_NUL, &w.outs.text);
}

const std::string& small_folder() {
  static const std::string folder = std::string(test_plugin_dir()) + "/api/test.small";
  return folder;
}

// A runtime that sees the one small plugin and has opened nothing. `lock`: an allow-list, or "".
tenon_status create_small(tenon_runtime** out_runtime, const std::string& lock = {}) {
  static const tenon_string path = {small_folder().data(), small_folder().size()};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = 1;
  options.policy = lock.empty() ? TENON_POLICY_OWNED : TENON_POLICY_ALLOWLIST;
  options.allowlist = {lock.data(), lock.size()};
  return tenon_runtime_create(&options, nullptr, out_runtime);
}

void begin_small(FaultWorld& w, const std::string& lock = {}) {
  EXPECT_EQ(create_small(&w.fresh_runtime, lock), TENON_OK);
  EXPECT_EQ(tenon_context_create(w.fresh_runtime, nullptr, &w.fresh), TENON_OK);
}

// The lock file that permits the small plugin as it is.
std::string small_lock(FaultWorld& w) {
  std::string path = testing::TempDir() + "tenon-small-" + std::to_string(getpid());
  begin_small(w);
  EXPECT_EQ(tenon_runtime_query(w.fresh, "hashes", TENON_NUL, &w.outs.text), TENON_OK);
  const char* text = nullptr;
  EXPECT_EQ(tenon_text_get(w.outs.text, &text, nullptr), TENON_OK);
  std::ofstream(path) << nlohmann::json{{"lock", 1}, {"plugins", nlohmann::json::parse(text)}};
  w.drop_outs();
  w.end_fresh();
  return path;
}

}  // namespace

FaultRows query_faults() {
  FaultRows rows;
  for (const char* topic :
       {"plugins", "devices", "ops", "optimizers", "schedules", "datasets", "layers", "samples",
        "paths", "hashes", "stats", "environment", "log"}) {
    sweep(rows, "tenon_runtime_query", topic, [topic](FaultWorld& w) { return query(w, topic); });
  }
  return rows;
}

// long: a table of calls
FaultRows runtime_faults() {
  FaultRows rows;
  sweep(rows, "tenon_version_get", "all", [](FaultWorld&) {
    uint32_t numbers[4] = {};
    tenon_version_get(&numbers[0], &numbers[1], &numbers[2], &numbers[3]);
    return TENON_OK;
  });
  sweep(rows, "tenon_status_get_name", "a status", [](FaultWorld&) {
    return tenon_status_get_name(TENON_E_SHAPE) ? TENON_OK : TENON_E_INTERNAL;
  });
  sweep(rows, "tenon_text_get", "a text", [](FaultWorld& w) {
    const char* data = nullptr;
    uint64_t length = 0;
    return tenon_text_get(w.own.text, &data, &length);
  });
  sweep(
      rows, "tenon_text_release", "a text",
      [](FaultWorld& w) {
        tenon_text_release(w.outs.text);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); }, [](FaultWorld& w) { query(w, "stats"); });
  sweep(
      rows, "tenon_runtime_set_pin", "a pin",
      [](FaultWorld& w) {
        return tenon_runtime_set_pin(w.cx, "tenon.add", TENON_NUL, "tenon.ref", TENON_NUL);
      },
      [](FaultWorld& w) { tenon_runtime_set_pin(w.cx, "tenon.add", TENON_NUL, "", 0); });
  sweep(
      rows, "tenon_runtime_set_memory_limit", "a limit",
      [](FaultWorld& w) { return tenon_runtime_set_memory_limit(w.cx, 1 << 30); },
      [](FaultWorld& w) { tenon_runtime_set_memory_limit(w.cx, 0); });
  sweep(
      rows, "tenon_runtime_set_threads", "one",
      [](FaultWorld& w) { return tenon_runtime_set_threads(w.cx, 1); },
      [](FaultWorld& w) { tenon_runtime_set_threads(w.cx, 0); });
  sweep(rows, "tenon_runtime_set_threads", "as many as there are",
        [](FaultWorld& w) { return tenon_runtime_set_threads(w.cx, 0); });
  sweep(rows, "tenon_runtime_release_cache", "all",
        [](FaultWorld& w) { return tenon_runtime_release_cache(w.cx, nullptr, nullptr); });
  sweep(rows, "tenon_runtime_get_stats", "all",
        [](FaultWorld& w) { return tenon_runtime_get_stats(w.cx, &w.outs.stats); });
  sweep(rows, "tenon_device_find", "host memory",
        [](FaultWorld& w) { return tenon_device_find(w.cx, "", 0, 0, &w.outs.device); });
  sweep(rows, "tenon_device_wait", "one",
        [](FaultWorld& w) { return tenon_device_wait(w.cx, &w.device); });
  sweep(rows, "tenon_device_wait", "all",
        [](FaultWorld& w) { return tenon_device_wait(w.cx, nullptr); });
  sweep(
      rows, "tenon_trace_begin", "a trace", [](FaultWorld& w) { return tenon_trace_begin(w.cx); },
      [](FaultWorld& w) { tenon_trace_end(w.cx, &w.outs.text); });
  sweep(
      rows, "tenon_trace_end", "a recording",
      [](FaultWorld& w) { return tenon_trace_end(w.cx, &w.outs.text); }, {},
      [](FaultWorld& w) {
        // After a failed end the recording goes on.
        const tenon_status begun = tenon_trace_begin(w.cx);
        EXPECT_TRUE(begun == TENON_OK || begun == TENON_E_STATE);
        const tenon_value inputs[] = {value_of(w.across), value_of(w.across)};
        tenon_tensor* made = nullptr;
        EXPECT_EQ(tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &made, 1), TENON_OK);
        tenon_tensor_release(made);
      });
  return rows;
}

// long: a table of calls
FaultRows context_faults() {
  FaultRows rows;
  static std::string label;
  sweep(rows, "tenon_context_create", "a context", [](FaultWorld& w) {
    return tenon_context_create(w.own.runtime, nullptr, &w.outs.context);
  });
  sweep(
      rows, "tenon_context_release", "a context",
      [](FaultWorld& w) {
        tenon_context_release(w.outs.context);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [](FaultWorld& w) {
        EXPECT_EQ(tenon_context_create(w.own.runtime, nullptr, &w.outs.context), TENON_OK);
      });
  sweep(rows, "tenon_context_get_error", "a record",
        [](FaultWorld& w) { return tenon_context_get_error(w.cx, &w.outs.error); });
  sweep(rows, "tenon_context_interrupt", "another context",
        [](FaultWorld& w) { return tenon_context_interrupt(w.other.cx); });
  sweep(rows, "tenon_context_set_seed", "a seed",
        [](FaultWorld& w) { return tenon_context_set_seed(w.cx, 7, 1); });
  sweep(rows, "tenon_context_get_seed", "all", [](FaultWorld& w) {
    return tenon_context_get_seed(w.cx, &w.outs.numbers[0], &w.outs.numbers[1], &w.outs.numbers[2]);
  });
  sweep(rows, "tenon_context_set_counter", "a counter",
        [](FaultWorld& w) { return tenon_context_set_counter(w.cx, 3); });
  sweep(rows, "tenon_context_set_arithmetic", "canonical", [](FaultWorld& w) {
    return tenon_context_set_arithmetic(w.cx, TENON_ARITHMETIC_CANONICAL);
  });
  sweep(
      rows, "tenon_context_set_device", "a device",
      [](FaultWorld& w) { return tenon_context_set_device(w.cx, &w.device); },
      [](FaultWorld& w) { tenon_context_set_device(w.cx, nullptr); });
  sweep(
      rows, "tenon_scope_begin", "a new label",
      [](FaultWorld& w) { return tenon_scope_begin(w.cx, label.data(), label.size()); },
      [](FaultWorld& w) { tenon_scope_end(w.cx); },
      [](FaultWorld&) {
        static int number = 0;
        label = "a label that is longer than a short string " + std::to_string(number++);
      });
  sweep(
      rows, "tenon_scope_end", "a label", [](FaultWorld& w) { return tenon_scope_end(w.cx); }, {},
      [](FaultWorld& w) { tenon_scope_begin(w.cx, "label", TENON_NUL); });
  sweep(
      rows, "tenon_serial_begin", "a scope", [](FaultWorld& w) { return tenon_serial_begin(w.cx); },
      [](FaultWorld& w) { tenon_serial_end(w.cx); });
  sweep(
      rows, "tenon_serial_end", "a scope", [](FaultWorld& w) { return tenon_serial_end(w.cx); }, {},
      [](FaultWorld& w) { tenon_serial_begin(w.cx); });
  sweep(
      rows, "tenon_grad_begin", "disabled",
      [](FaultWorld& w) { return tenon_grad_begin(w.cx, TENON_GRAD_DISABLED); },
      [](FaultWorld& w) { tenon_grad_end(w.cx); });
  sweep(
      rows, "tenon_grad_end", "disabled", [](FaultWorld& w) { return tenon_grad_end(w.cx); }, {},
      [](FaultWorld& w) { tenon_grad_begin(w.cx, TENON_GRAD_DISABLED); });
  sweep(
      rows, "tenon_check_begin", "finite",
      [](FaultWorld& w) { return tenon_check_begin(w.cx, TENON_CHECK_FINITE); },
      [](FaultWorld& w) { tenon_check_end(w.cx); });
  sweep(
      rows, "tenon_check_end", "finite", [](FaultWorld& w) { return tenon_check_end(w.cx); }, {},
      [](FaultWorld& w) { tenon_check_begin(w.cx, TENON_CHECK_FINITE); });
  return rows;
}

namespace {

// A call in a context whose runtime has opened nothing yet.
void sweep_opening(FaultRows& rows, const std::string& function, const std::string& what,
                   std::function<tenon_status(FaultWorld&)> call) {
  sweep(rows, function, what, std::move(call), {}, [](FaultWorld& w) {
    w.end_fresh();
    begin_small(w);
  });
}

}  // namespace

// long: a table of calls
// A runtime with an allow-list, and a plugin of it.
FaultRows allow_list_faults() {
  FaultRows rows;
  static std::string lock;
  sweep(
      rows, "tenon_runtime_create", "an allow-list",
      [](FaultWorld& w) { return create_small(&w.outs.runtime, lock); },
      [](FaultWorld&) { std::remove(lock.c_str()); }, [](FaultWorld& w) { lock = small_lock(w); });
  sweep(
      rows, "tenon_op_find", "opens a sealed copy",
      [](FaultWorld& w) { return tenon_op_find(w.fresh, "small.copy", TENON_NUL, 0, &w.outs.op); },
      {},
      [](FaultWorld& w) {
        w.end_fresh();
        const std::string path = small_lock(w);
        begin_small(w, path);
        std::remove(path.c_str());
      });
  return rows;
}

FaultRows opening_faults() {
  FaultRows rows;
  sweep(rows, "tenon_runtime_create", "one plugin",
        [](FaultWorld& w) { return create_small(&w.outs.runtime); });
  sweep(
      rows, "tenon_runtime_release", "one plugin",
      [](FaultWorld& w) {
        tenon_runtime_release(w.outs.runtime);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [](FaultWorld& w) { EXPECT_EQ(create_small(&w.outs.runtime), TENON_OK); });
  sweep_opening(rows, "tenon_op_find", "opens its plugin", [](FaultWorld& w) {
    return tenon_op_find(w.fresh, "small.copy", TENON_NUL, 0, &w.outs.op);
  });
  sweep_opening(rows, "tenon_device_find", "opens its plugin", [](FaultWorld& w) {
    return tenon_device_find(w.fresh, "small", TENON_NUL, 0, &w.outs.device);
  });
  sweep_opening(rows, "tenon_tensor_create", "opens its backend", [](FaultWorld& w) {
    const int64_t shape[] = {2, 3};
    return tenon_tensor_create(w.fresh, TENON_DTYPE_F32, nullptr, 2, shape, &w.outs.tensors[0]);
  });
  sweep_opening(rows, "tenon_dataset_create", "opens its plugin", [](FaultWorld& w) {
    return tenon_dataset_create(w.fresh, "small.counts", TENON_NUL, nullptr, nullptr, 0,
                                &w.outs.dataset);
  });
  sweep_opening(rows, "tenon_optimizer_create", "opens its plugin", [](FaultWorld& w) {
    return tenon_optimizer_create(w.fresh, "small.sgd", TENON_NUL, nullptr, 0, nullptr, nullptr, 0,
                                  &w.outs.optimizer);
  });
  sweep_opening(rows, "tenon_runtime_query", "opens all", [](FaultWorld& w) {
    return tenon_runtime_query(w.fresh, "samples", TENON_NUL, &w.outs.text);
  });
  sweep_opening(rows, "tenon_plugin_deactivate", "unopened", [](FaultWorld& w) {
    return tenon_plugin_deactivate(w.fresh, "test.small", TENON_NUL);
  });
  sweep(
      rows, "tenon_plugin_deactivate", "open",
      [](FaultWorld& w) { return tenon_plugin_deactivate(w.fresh, "test.small", TENON_NUL); }, {},
      [](FaultWorld& w) {
        w.end_fresh();
        begin_small(w);
        const int64_t shape[] = {2, 3};
        tenon_tensor* made = nullptr;
        EXPECT_EQ(tenon_tensor_create(w.fresh, TENON_DTYPE_F32, nullptr, 2, shape, &made),
                  TENON_OK);
        tenon_tensor_release(made);
      });
  sweep(
      rows, "tenon_plugin_load", "an op with a rule",
      [](FaultWorld& w) { return tenon_plugin_load(w.fresh, program::query); }, {},
      [](FaultWorld& w) {
        w.end_fresh();
        begin_small(w);
      });
  return rows;
}

}  // namespace tenon::tests
