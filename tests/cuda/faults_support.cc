// SPDX-License-Identifier: Apache-2.0
// tests/cuda/faults_support.cc: the work that is done while a call fails.
#include "tests/cuda/faults_support.h"

#include <cstring>

#include "backends/cuda/device.h"
#include "emulator/control.h"
#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

namespace emulated = cuda::emulated;

// Calls one after another; after the first that fails the others are left out.
class Steps {
 public:
  explicit Steps(const Session& session) : session_(session) {}

  bool good() const { return out_.status == TENON_OK; }
  bool take(tenon_status status) {
    if (!good() || status == TENON_OK) return good();
    out_.status = status;
    out_.words = session_.error().message;
    return false;
  }
  void find_device() {
    out_.found_device = take(tenon_device_find(session_, "cuda", TENON_NUL, 0, &cuda_));
  }
  Tensor call(const char* op, const std::vector<tenon_value>& inputs,
              const std::vector<tenon_value>& attrs = {}) {
    tenon_tensor* out = nullptr;
    const tenon_op* found = nullptr;
    if (good() && take(tenon_op_find(session_, op, TENON_NUL, 0, &found))) {
      take(tenon_op_call(session_, found, inputs.data(), static_cast<uint32_t>(inputs.size()),
                         attrs.data(), static_cast<uint32_t>(attrs.size()), &out, 1));
    }
    return Tensor(out);
  }
  Tensor create(const Shape& shape, const std::vector<float>& data) {
    tenon_tensor* out = nullptr;
    if (good()) {
      take(tenon_tensor_create_from(session_, TENON_DTYPE_F32, &cuda_,
                                    static_cast<int32_t>(shape.size()), shape.data(), data.data(),
                                    data.size() * sizeof(float), &out));
    }
    return Tensor(out);
  }
  void read(const Tensor& x) {
    tenon_value value{};
    if (good() && take(tenon_tensor_get_item(session_, x.get(), &value))) {
      out_.values.push_back(value.as.f64);
    }
  }
  void wait() {
    if (good()) take(tenon_device_wait(session_, &cuda_));
  }
  Attempt attempt() const { return out_; }

 private:
  const Session& session_;
  tenon_device cuda_{};
  Attempt out_;
};

void learn(const Session& session, Steps& steps) {
  const Tensor x = steps.create({2, 2}, {1, 2, 3, 4});
  const Tensor w = steps.create({2, 2}, {1, 0, 0, 1});
  if (!steps.good() || !steps.take(tenon_tensor_set_requires_grad(session, w.get(), 1))) return;
  const Tensor product = steps.call("tenon.matmul", {tensor_value(x.get()), tensor_value(w.get())});
  const Tensor bent = steps.call("tenon.relu", {tensor_value(product.get())});
  const Tensor sum = steps.call("tenon.sum", {tensor_value(bent.get())});
  tenon_tensor* root = sum.get();
  if (steps.good()) steps.take(tenon_backward_run(session, &root, nullptr, 1, 0));
  steps.read(sum);
  tenon_tensor* gradient = nullptr;
  if (steps.good() && steps.take(tenon_tensor_get_grad(session, w.get(), &gradient))) {
    steps.read(steps.call("tenon.sum", {tensor_value(gradient)}));
  }
}

// Through cuBLASLt alone: with an epilogue, and in batches. In f64, as it is not asked for small
// products of f32.
void multiply(Steps& steps) {
  const auto cast = [&](const Tensor& from, tenon_dtype to) {
    return steps.call("tenon.cast", {tensor_value(from.get())}, {dtype_value(to)});
  };
  const auto create = [&](const Shape& shape, const std::vector<float>& numbers) {
    return cast(steps.create(shape, numbers), TENON_DTYPE_F64);
  };
  const auto read_sum = [&](const Tensor& of) {
    steps.read(cast(steps.call("tenon.sum", {tensor_value(of.get())}), TENON_DTYPE_F32));
  };
  const Tensor x = create({2, 2}, {1, 2, 3, 4});
  const Tensor bias = create({2}, {1, -9});
  const Tensor bent = steps.call(
      "tenon.linear", {tensor_value(x.get()), tensor_value(x.get()), tensor_value(bias.get())},
      {text_value("relu")});
  read_sum(bent);
  const Tensor batch = create({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor products =
      steps.call("tenon.matmul", {tensor_value(batch.get()), tensor_value(batch.get())});
  read_sum(products);
}

void replay(const Session& session, Steps& steps) {
  const Tensor x = steps.create({2, 2}, {1, 2, 3, 4});
  if (!steps.good() || !steps.take(tenon_capture_begin(session, nullptr, 0))) return;
  const Tensor squares = steps.call("tenon.mul", {tensor_value(x.get()), tensor_value(x.get())});
  tenon_plan* plan = nullptr;
  const tenon_status ended = tenon_capture_end(session, &plan);
  steps.take(ended);
  for (int run = 0; run < 3 && steps.good(); ++run) steps.take(tenon_plan_run(session, plan));
  steps.read(steps.call("tenon.sum", {tensor_value(squares.get())}));
  tenon_plan_release(plan);
}

Attempt train_in(const Session& session) {
  Steps steps(session);
  steps.find_device();
  multiply(steps);
  learn(session, steps);
  replay(session, steps);
  steps.wait();
  return steps.attempt();
}

Attempts train() {
  const Session session(CudaSession::folders(), 1, nullptr, CudaSession::kExcluded);
  Attempts out;
  out.first = train_in(session);
  if (out.first.status == TENON_OK) return out;
  // What failed in work that was under way is told once, by a wait.
  Steps told(session);
  told.find_device();
  told.wait();
  out.again = train_in(session);
  return out;
}

// Why there is no device is asked of the driver too.
Attempts find_nothing() {
  constexpr int32_t kNoDevice = 100;
  emulated::inject("device_count", kNoDevice, 0, 1);
  return train();
}

// ---- The backend's table --------------------------------------------------------------------

struct Numbers {
  void* on_device = nullptr;
  void* sent = nullptr;   // pinned: the copy from there is done when the stream gets to it
  void* first = nullptr;  // streams
  void* second = nullptr;
  void* event = nullptr;
};

// Four numbers go to the device on one stream and come back on another that waits for an event.
void cross_streams(cuda::State& state, Numbers& n, Attempt& out) {
  const tenon_backend_table& table = cuda::backend_table;
  constexpr float kSent[] = {1, 2, 3, 4};
  float received[4] = {};
  tenon_diag diag{};
  const auto take = [&](tenon_status status) {
    if (out.status == TENON_OK) out.status = status;
    return out.status == TENON_OK;
  };
  const auto fill = [&] { return std::memcpy(n.sent, kSent, sizeof kSent) != nullptr; };
  int32_t count = 0;
  out.found_device = take(table.device_count(&state, &count, &diag)) && count > 0;
  if (out.found_device && take(table.stream_create(&state, 0, &n.first)) &&
      take(table.stream_create(&state, 0, &n.second)) &&
      take(table.event_create(&state, 0, &n.event)) &&
      take(table.alloc(&state, 0, sizeof kSent, &n.on_device)) &&
      take(cuda::pinned_table.alloc(&state, sizeof kSent, &n.sent)) && fill() &&
      take(table.copy(&state, 0, n.first, TENON_COPY_TO_DEVICE, n.on_device, n.sent,
                      sizeof kSent)) &&
      take(table.event_record(&state, 0, n.event, n.first)) &&
      take(table.event_wait(&state, 0, n.event, n.second)) &&
      take(table.copy(&state, 0, n.second, TENON_COPY_TO_HOST, received, n.on_device,
                      sizeof received)) &&
      take(table.stream_wait(&state, 0, n.second, &diag))) {
    out.values.assign(std::begin(received), std::end(received));
  }
  // Functions without words of their own leave them to Tenon.
  out.words = diag.length > 0 ? diag.message : tenon_status_get_name(out.status);
}

void give_back(cuda::State& state, const Numbers& n) {
  const tenon_backend_table& table = cuda::backend_table;
  if (n.sent) cuda::pinned_table.free(&state, n.sent, 4 * sizeof(float));
  if (n.on_device) table.free(&state, 0, n.on_device, 4 * sizeof(float));
  if (n.event) table.event_release(&state, 0, n.event);
  if (n.second) table.stream_release(&state, 0, n.second);
  if (n.first) table.stream_release(&state, 0, n.first);
}

Attempts use_table() {
  cuda::State state({"test.tables", "1.0.0", "Apache-2.0", {}});
  const auto once = [&] {
    Attempt out;
    Numbers numbers;
    emulated::defer(true);
    cross_streams(state, numbers, out);
    emulated::defer(false);
    give_back(state, numbers);
    return out;
  };
  Attempts out;
  out.first = once();
  if (out.first.values.empty()) out.again = once();
  return out;
}

}  // namespace

const std::vector<Scenario> kScenarios = {
    {"training", train}, {"no device", find_nothing}, {"table", use_table}};

}  // namespace tenon::tests
