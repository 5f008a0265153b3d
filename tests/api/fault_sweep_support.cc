// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_sweep_support.cc: the objects that the swept calls work on.
#include "tests/api/fault_sweep_support.h"

#include <cstring>

namespace tenon::tests {

namespace {

constexpr int64_t kShape[] = {2, 3};
constexpr float kNumbers[] = {1, 2, 3, 4, 5, 6};

tenon_tensor* leaf(tenon_context* cx, const tenon_device* device, int64_t rows) {
  const float numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const int64_t shape[] = {rows, 3};
  tenon_tensor* made = nullptr;
  EXPECT_EQ(tenon_tensor_create_from(cx, TENON_DTYPE_F32, device, 2, shape, numbers,
                                     static_cast<uint64_t>(rows) * 3 * sizeof(float), &made),
            TENON_OK);
  EXPECT_EQ(tenon_tensor_set_requires_grad(cx, made, 1), TENON_OK);
  return made;
}

// Whether a call has replaced the pattern that the outs are filled with.
template <class T>
bool written(T* out) {
  T* pattern = nullptr;
  std::memset(static_cast<void*>(&pattern), 0x5A, sizeof(void*));
  return out != nullptr && out != pattern;
}

}  // namespace

const tenon_op* FaultWorld::op(const char* name) {
  const tenon_op* found = nullptr;
  EXPECT_EQ(tenon_op_find(cx, name, TENON_NUL, 0, &found), TENON_OK) << name;
  return found;
}

FaultWorld::FaultWorld() {
  second = leaf(cx, nullptr, 2);
  table = leaf(cx, nullptr, 4);
  const int64_t numbers[] = {2, 0};
  const int64_t two = 2;
  EXPECT_EQ(tenon_tensor_create_from(cx, TENON_DTYPE_I64, nullptr, 1, &two, numbers, sizeof numbers,
                                     &rows),
            TENON_OK);
  const tenon_value look_up[] = {value_of(table), value_of(rows)};
  EXPECT_EQ(tenon_op_call(cx, op("tenon.embedding"), look_up, 2, nullptr, 0, &looked_up, 1),
            TENON_OK);
  const tenon_value factors[] = {value_of(own.parameter), value_of(second)};
  EXPECT_EQ(tenon_op_call(cx, op("tenon.mul"), factors, 2, nullptr, 0, &both, 1), TENON_OK);
  const int64_t turned[] = {3, 2};
  const int64_t strides[] = {1, 3};
  EXPECT_EQ(tenon_tensor_create_view(cx, t, 2, turned, strides, 0, &across), TENON_OK);
  EXPECT_EQ(tenon_device_find(cx, "sim", TENON_NUL, 0, &device), TENON_OK);
  EXPECT_EQ(tenon_tensor_create_from(cx, TENON_DTYPE_F32, &device, 2, kShape, kNumbers,
                                     sizeof kNumbers, &remote),
            TENON_OK);
  remote_leaf = leaf(cx, &device, 2);
  reset_outs();
}

FaultWorld::~FaultWorld() {
  end_fresh();
  for (tenon_tensor* tensor : {second, table, rows, looked_up, both, across, remote, remote_leaf}) {
    tenon_tensor_release(tensor);
  }
}

void FaultWorld::end_fresh() {
  tenon_context_release(fresh);
  tenon_runtime_release(fresh_runtime);
  fresh = nullptr;
  fresh_runtime = nullptr;
}

void FaultWorld::drop_outs() {
  tenon_tensor_release(spare);
  spare = nullptr;
  for (tenon_tensor* tensor : outs.tensors) {
    if (written(tensor)) tenon_tensor_release(tensor);
  }
  if (written(outs.text)) tenon_text_release(outs.text);
  if (written(outs.plan)) tenon_plan_release(outs.plan);
  if (written(outs.optimizer)) tenon_optimizer_release(outs.optimizer);
  if (written(outs.schedule)) tenon_schedule_release(outs.schedule);
  if (written(outs.dataset)) tenon_dataset_release(outs.dataset);
  if (written(outs.archive)) tenon_archive_release(outs.archive);
  if (written(outs.layer)) tenon_layer_release(outs.layer);
  if (written(outs.transform)) tenon_transform_release(outs.transform);
  if (written(outs.tokenizer)) tenon_tokenizer_release(outs.tokenizer);
  if (written(outs.loader)) tenon_loader_release(outs.loader);
  if (written(outs.parallel)) tenon_data_parallel_release(outs.parallel);
  if (written(outs.transfer)) tenon_transfer_release(outs.transfer);
  if (written(outs.group)) tenon_group_release(outs.group);
  if (written(outs.checkpoint)) tenon_checkpoint_release(outs.checkpoint);
  if (written(outs.history)) tenon_history_release(outs.history);
  if (written(outs.progress)) tenon_progress_release(outs.progress);
  if (written(outs.context)) tenon_context_release(outs.context);
  if (written(outs.runtime)) tenon_runtime_release(outs.runtime);
  reset_outs();
}

}  // namespace tenon::tests
