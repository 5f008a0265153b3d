// SPDX-License-Identifier: Apache-2.0
// tests/cuda/faults_test.cc: every function of the driver fails at every early call, with each kind
// of code: what was asked fails with words or goes on, and afterwards nothing is left.
#include <algorithm>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

constexpr const char* kCalls[] = {
    "versions",       "device_count", "facts",        "use",           "alloc",
    "free",           "pinned_alloc", "pinned_free",  "copy",          "stream_create",
    "stream_release", "stream_wait",  "event_create", "event_release", "event_record",
    "event_wait",     "event_query",  "launch",       "allow_shared",  "capture_begin",
    "capture_end",    "graph_run",    "graph_release"};
constexpr const char* kLive[] = {"blocks", "pinned", "streams", "events", "graphs"};
constexpr int64_t kMostCalls = 12;  // of one function that are let fail
constexpr int32_t kInvalidValue = 1;
constexpr int32_t kOutOfMemory = 2;
constexpr int32_t kIllegalAddress = 700;

// Calls one after another; after the first that fails the others are left out.
class Steps {
 public:
  explicit Steps(const Session& session) : session_(session) {}

  tenon_status status() const { return status_; }
  bool take(tenon_status status) {
    if (status_ == TENON_OK) status_ = status;
    return status_ == TENON_OK;
  }
  Tensor call(const char* op, const std::vector<tenon_value>& inputs) {
    tenon_tensor* out = nullptr;
    const tenon_op* found = nullptr;
    if (status_ == TENON_OK && take(tenon_op_find(session_, op, TENON_NUL, 0, &found))) {
      take(tenon_op_call(session_, found, inputs.data(), static_cast<uint32_t>(inputs.size()),
                         nullptr, 0, &out, 1));
    }
    return Tensor(out);
  }
  Tensor create(const tenon_device& device, const std::vector<float>& data) {
    tenon_tensor* out = nullptr;
    const int64_t shape[] = {2, static_cast<int64_t>(data.size()) / 2};
    if (status_ == TENON_OK) {
      take(tenon_tensor_create_from(session_, TENON_DTYPE_F32, &device, 2, shape, data.data(),
                                    data.size() * sizeof(float), &out));
    }
    return Tensor(out);
  }

 private:
  const Session& session_;
  tenon_status status_ = TENON_OK;
};

// A training step, and one that is captured and replayed.
tenon_status train_a_little(const Session& session) {
  Steps steps(session);
  tenon_device cuda{};
  if (!steps.take(tenon_device_find(session, "cuda", TENON_NUL, 0, &cuda))) return steps.status();
  const Tensor x = steps.create(cuda, {1, 2, 3, 4});
  const Tensor w = steps.create(cuda, {1, 0, 0, 1});
  if (!w || !steps.take(tenon_tensor_set_requires_grad(session, w.get(), 1))) {
    return steps.status();
  }
  const Tensor product = steps.call("tenon.matmul", {tensor_value(x.get()), tensor_value(w.get())});
  const Tensor bent = steps.call("tenon.relu", {tensor_value(product.get())});
  const Tensor sum = steps.call("tenon.sum", {tensor_value(bent.get())});
  tenon_tensor* root = sum.get();
  if (root && steps.take(tenon_backward_run(session, &root, nullptr, 1, 0))) {
    tenon_value value{};
    steps.take(tenon_tensor_get_item(session, root, &value));
  }
  if (steps.status() != TENON_OK || !steps.take(tenon_capture_begin(session, nullptr, 0))) {
    return steps.status();
  }
  const Tensor again = steps.call("tenon.mul", {tensor_value(x.get()), tensor_value(x.get())});
  tenon_plan* plan = nullptr;
  steps.take(tenon_capture_end(session, &plan));
  if (plan) {
    steps.take(tenon_plan_run(session, plan));
    steps.take(tenon_plan_run(session, plan));
  }
  if (plan) tenon_plan_release(plan);
  steps.take(tenon_device_run(session, &cuda));
  return steps.status();
}

std::vector<int64_t> alive(const CudaSession& observer) {
  std::vector<int64_t> counts;
  for (const char* what : kLive) counts.push_back(observer.counted(what));
  return counts;
}

// Does that call do what the program asked for? Then its failure is never passed over. Later
// launches are for a graph, without which a plan runs as well.
bool does_work(std::string_view call, int64_t after) {
  return call == "copy" || call == "graph_run" || (call == "launch" && after < 4);
}

void run_with_fault(const CudaSession& observer, const char* call, int32_t code, int64_t after,
                    const std::vector<int64_t>& before) {
  SCOPED_TRACE(std::string(call) + " fails with " + std::to_string(code) + " after " +
               std::to_string(after));
  observer.fail(call, code, after);
  {
    const Session session(CudaSession::folders(), 1, nullptr, CudaSession::kExcluded);
    const tenon_status status = train_a_little(session);
    EXPECT_TRUE(status != TENON_OK || !does_work(call, after));
    if (status != TENON_OK) {
      EXPECT_NE(session.error().status, TENON_OK);
      EXPECT_GT(std::string_view(session.error().message).size(), 10U);
      EXPECT_TRUE(status == TENON_E_MEMORY || status == TENON_E_DEVICE ||
                  status == TENON_E_DEVICE_LOST)
          << session.failure();
    }
  }
  observer.reset_driver();
  EXPECT_EQ(alive(observer), before);
}

TEST(CudaFaults, NothingIsLeftWhateverFails) {
  const CudaSession observer;
  const std::vector<int64_t> before = alive(observer);
  std::vector<int64_t> calls;
  for (const char* call : kCalls) calls.push_back(-observer.counted(call));
  {
    const Session session(CudaSession::folders(), 1, nullptr, CudaSession::kExcluded);
    ASSERT_EQ(train_a_little(session), TENON_OK) << session.failure();
  }
  EXPECT_EQ(alive(observer), before);
  for (size_t i = 0; i < calls.size(); ++i) calls[i] += observer.counted(kCalls[i]);
  for (size_t i = 0; i < calls.size(); ++i) {
    for (int64_t after = 0; after < std::min(calls[i], kMostCalls); ++after) {
      for (const int32_t code : {kInvalidValue, kOutOfMemory, kIllegalAddress}) {
        run_with_fault(observer, kCalls[i], code, after, before);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::tests
