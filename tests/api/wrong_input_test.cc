// SPDX-License-Identifier: Apache-2.0
// tests/api/wrong_input_test.cc: every exported function, called wrongly in every way that the
// table knows, returns the expected status, fills the error record and changes nothing.
#include <algorithm>
#include <cstring>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

Rows all_rows() {
  Rows rows;
  add_runtime_rows(rows);
  add_tensor_rows(rows);
  add_gradient_rows(rows);
  add_op_rows(rows);
  add_training_rows(rows);
  add_archive_rows(rows);
  add_layer_rows(rows);
  add_loader_rows(rows);
  add_tokenizer_rows(rows);
  add_process_rows(rows);
  add_history_rows(rows);
  add_entry_rows(rows);
  return rows;
}

tenon_stats stats_of(tenon_context* cx) {
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(tenon_runtime_get_stats(cx, &stats), TENON_OK);
  return stats;
}

void expect_same_counts(const tenon_stats& before, const tenon_stats& after) {
  EXPECT_EQ(before.tensors, after.tensors);
  EXPECT_EQ(before.storages, after.storages);
  EXPECT_EQ(before.nodes, after.nodes);
  EXPECT_EQ(before.plans, after.plans);
  EXPECT_EQ(before.bytes_live, after.bytes_live);
}

// A failure that no row expects, so that a record that was not written is noticed.
constexpr tenon_status kMarker = TENON_E_INTERRUPTED;
void put_marker(World& w) {
  EXPECT_EQ(tenon_context_interrupt(w.cx), TENON_OK);
  const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
  tenon_tensor* out = nullptr;
  EXPECT_EQ(tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &out, 1), kMarker);
}

void check_record(World& w, const Row& row) {
  tenon_error error{};
  error.struct_size = sizeof error;
  ASSERT_EQ(tenon_context_get_error(w.cx, &error), TENON_OK);
  if (row.expected == TENON_OK || !row.record) {
    EXPECT_EQ(error.status, kMarker) << "a record was written: " << error.message;
    return;
  }
  EXPECT_EQ(error.status, row.expected) << error.message;
  EXPECT_GT(std::strlen(error.message), 8u);
  for (const char* field : {error.message, error.op, error.operand, error.expected, error.found,
                            error.plugin, error.scope, error.hint}) {
    ASSERT_NE(field, nullptr);
  }
}

TEST(WrongInput, IsRefusedAndChangesNothing) {
  World w;
  const Rows rows = all_rows();
  // Once without looking: caches and constants that are made on first use stay.
  for (const Row& row : rows) {
    row.call(w);
    w.reset_outs();
  }
  float contents[6] = {};
  ASSERT_EQ(tenon_tensor_get_data(w.cx, w.t, contents, sizeof contents), TENON_OK);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.function + ": " + row.what);
    put_marker(w);
    const tenon_stats before = stats_of(w.cx);
    const tenon_status status = row.call(w);
    EXPECT_EQ(status, row.expected)
        << tenon_status_get_name(status) << " instead of " << tenon_status_get_name(row.expected);
    check_record(w, row);
    EXPECT_TRUE(w.outs_untouched()) << "an output was written";
    expect_same_counts(before, stats_of(w.cx));
    float now[6] = {};
    ASSERT_EQ(tenon_tensor_get_data(w.cx, w.t, now, sizeof now), TENON_OK);
    EXPECT_TRUE(std::equal(std::begin(contents), std::end(contents), std::begin(now)))
        << "a tensor was written";
    for (const float value : w.memory) EXPECT_EQ(value, 0) << "the caller's memory was written";
    w.reset_outs();
  }
  EXPECT_GT(rows.size(), 300u);
}

TEST(WrongInput, CoversEveryExportedFunction) {
  std::set<std::string> covered;
  for (const Row& row : all_rows()) covered.insert(row.function);
  EXPECT_EQ(covered, exported_functions());
}

// A context, and everything of it, after its runtime was released.
TEST(WrongInput, AReleasedRuntimeRefusesItsContexts) {
  World w;
  tenon_runtime* runtime = w.own.runtime;
  w.own.runtime = nullptr;
  tenon_runtime_release(runtime);
  const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
  tenon_tensor* out = nullptr;
  EXPECT_EQ(tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &out, 1), TENON_E_RUNTIME);
  EXPECT_EQ(out, nullptr);
  tenon_diag diag{};
  tenon_context* context = nullptr;
  EXPECT_EQ(tenon_context_create(runtime, &diag, &context), TENON_E_HANDLE);
  EXPECT_EQ(context, nullptr);
}

// Unset, or a recorded error changes nothing that follows: the same calls still work afterwards.
TEST(WrongInput, LeavesEverythingUsable) {
  World w;
  for (const Row& row : all_rows()) {
    row.call(w);
    w.reset_outs();
  }
  const tenon_value inputs[] = {value_of(w.t), value_of(1.0)};
  tenon_tensor* out = nullptr;
  ASSERT_EQ(tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &out, 1), TENON_OK);
  float values[6] = {};
  EXPECT_EQ(tenon_tensor_get_data(w.cx, out, values, sizeof values), TENON_OK);
  EXPECT_EQ(values[5], 7);
  tenon_tensor_release(out);
  EXPECT_EQ(tenon_plan_run(w.cx, w.own.plan), TENON_OK);
  EXPECT_EQ(tenon_backward_run(w.cx, &w.computed, &w.t, 1, 0), TENON_OK);
  EXPECT_EQ(tenon_optimizer_run(w.cx, w.own.optimizer, TENON_OPTIMIZER_CLEAR_GRAD), TENON_OK);
  int64_t length = 0;
  EXPECT_EQ(tenon_dataset_get_length(w.cx, w.own.dataset, &length), TENON_OK);
  EXPECT_EQ(length, 359);
}

}  // namespace
}  // namespace tenon::tests
