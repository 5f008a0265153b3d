// SPDX-License-Identifier: Apache-2.0
// tests/life/threads_test.cc: how many threads a runtime works with, changed while it works, and
// scopes in which a context keeps to its own. Runs under ThreadSanitizer in CI.
#include <tenon/plugin.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using Ids = std::set<std::thread::id>;

constexpr int32_t kThreads = 4;

// ---- Op acme.watch: y = x, and a note of which threads worked -----------------------------------

std::mutex mutex;
std::map<std::thread::id, Ids> watched;  // guarded by `mutex`; by the thread that called

tenon_string text(std::string_view words) { return {words.data(), words.size()}; }

tenon_status watch(tenon_call* call, const tenon_launch* args) {
  struct Run {
    std::mutex guard;
    Ids ids;
  } run;
  const tenon_parallel_fn piece = [](void* user, int64_t, int64_t, int64_t) {
    // Long enough for partners to wake.
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    Run& of = *static_cast<Run*>(user);
    const std::lock_guard lock(of.guard);
    of.ids.insert(std::this_thread::get_id());
    return TENON_OK;
  };
  const tenon_status status = call->threads->parallel_for(call, 32, 1, piece, &run);
  if (status != TENON_OK) return status;
  std::memcpy(args->views[1].data, args->views[0].data, sizeof(float));
  const std::lock_guard lock(mutex);
  watched[std::this_thread::get_id()] = run.ids;
  return TENON_OK;
}

const void* get_interface(void*, const char* id, uint64_t length) {
  static constexpr tenon_slot_rule kSlots[] = {{TENON_SLOT_IN, TENON_LAYOUT_CONTIGUOUS, 0, 0},
                                               {TENON_SLOT_OUT, TENON_LAYOUT_CONTIGUOUS, 0, 0}};
  static constexpr tenon_dtype kRows[] = {TENON_DTYPE_F32};
  static tenon_op_desc op{};
  static tenon_kernel_desc kernel{};
  op.struct_size = sizeof op;
  op.name = text("acme.watch");
  op.schema = text("watch(x: T[...]) -> T[...] where T: float");
  op.revision = 1;
  op.shape_rule = TENON_SHAPE_SAME_AS_0;
  kernel.struct_size = sizeof kernel;
  kernel.flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL;
  kernel.op = op.name;
  kernel.device = text("cpu");
  kernel.revision = 1;
  kernel.slots = kSlots;
  kernel.dtype_rows = kRows;
  kernel.n_slots = 2;
  kernel.n_rows = 1;
  kernel.n_variables = 1;
  kernel.launch = watch;
  static const tenon_op_desc* const ops[] = {&op};
  static const tenon_kernel_desc* const kernels[] = {&kernel};
  static const tenon_ops_table ops_table = {sizeof ops_table, 1, ops};
  static const tenon_kernels_table kernels_table = {sizeof kernels_table, 1, kernels};
  const std::string_view name(id, length);
  if (name == "tenon.ops/1") return &ops_table;
  return name == "tenon.kernels/1" ? &kernels_table : nullptr;
}

tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag*) {
  out->built_major = TENON_ABI_MAJOR;
  out->built_minor = TENON_ABI_MINOR;
  out->required_minor = TENON_ABI_MINOR;
  out->fingerprint = host->fingerprint;
  out->id = text("acme.watcher");
  out->version = text("1.0.0");
  out->license = text("Apache-2.0");
  out->init = [](const tenon_host*, void**, tenon_diag*) { return TENON_OK; };
  out->release = [](void*) {};
  out->get_interface = get_interface;
  return TENON_OK;
}

RuntimeHandle make_tree_runtime(int32_t threads) {
  const std::string folder = plugin_dir();
  const tenon_string path{folder.data(), folder.size()};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = threads;
  tenon_diag diag{};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  return RuntimeHandle(runtime);
}

// ---- What the tests ask ------------------------------------------------------------------------

class Watched : public testing::Test {
 protected:
  Watched() { cx.must(tenon_plugin_load(cx.get(), query)); }

  int32_t stated(const Session& session, const char* what = "threads") {
    tenon_text* made = nullptr;
    session.must(tenon_runtime_query(session.get(), "environment", TENON_NUL, &made));
    const Text json(made);
    const char* data = nullptr;
    session.must(tenon_text_get(made, &data, nullptr));
    return nlohmann::json::parse(data)[what];
  }
  void set_threads(int32_t threads) { cx.must(tenon_runtime_set_threads(cx.get(), threads)); }
  Ids last_seen() {
    const std::lock_guard lock(mutex);
    return watched[std::this_thread::get_id()];
  }
  Ids seen(const Session& session) {
    session.call("acme.watch", {arg(session.floats({}, {1}))});
    return last_seen();
  }
  // Where partners were late, as on a busy machine, the caller goes alone for up to a second.
  template <class Work>
  size_t most_seen(size_t enough, Work work) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    size_t most = 0;
    do {
      work();
      most = std::max(most, last_seen().size());
    } while (most < enough && std::chrono::steady_clock::now() < deadline);
    return most;
  }
  size_t most_seen(size_t enough) {
    return most_seen(enough, [this] { seen(cx); });
  }

  RuntimeHandle runtime = make_tree_runtime(kThreads);
  Session cx{runtime};
  const Ids self{std::this_thread::get_id()};
};

using SetThreads = Watched;
using SerialThreads = Watched;

TEST_F(SetThreads, ChangesHowManyWork) {
  EXPECT_EQ(stated(cx), kThreads);
  for (const int32_t threads : {1, 3, 2, 4, 1, 4}) {
    SCOPED_TRACE(threads);
    set_threads(threads);
    EXPECT_EQ(stated(cx), threads);
    EXPECT_EQ(most_seen(static_cast<size_t>(threads)), static_cast<size_t>(threads));
    for (int i = 0; i < 5; ++i) EXPECT_LE(seen(cx).size(), static_cast<size_t>(threads));
  }
}

TEST_F(SetThreads, HoldsForEveryContext) {
  const Session other(runtime);
  set_threads(1);
  EXPECT_EQ(stated(other), 1);
  EXPECT_EQ(seen(other), self);
}

TEST_F(SetThreads, TakesAsManyAsThereAre) {
  const int32_t available = stated(cx, "available_cpus");
  set_threads(1);
  set_threads(0);
  EXPECT_EQ(stated(cx), available);
  const RuntimeHandle one = make_tree_runtime(1);
  const Session session(one);
  EXPECT_EQ(stated(session), 1);
  session.must(tenon_runtime_set_threads(session.get(), available));
  EXPECT_EQ(stated(session), available);
}

TEST_F(SetThreads, RefusesWhatItCannotHave) {
  const int32_t most = std::max(kThreads, stated(cx, "available_cpus"));
  for (const int32_t threads : {-1, most + 1}) {
    const Failure failure =
        cx.refused(TENON_E_ARGUMENT, tenon_runtime_set_threads(cx.get(), threads));
    EXPECT_EQ(failure.operand, "threads");
    EXPECT_EQ(failure.expected, "0 to " + std::to_string(most));
    EXPECT_EQ(failure.found, std::to_string(threads));
  }
  EXPECT_EQ(stated(cx), kThreads);
}

// Large enough to be cut into pieces.
std::vector<float> results(const Session& session) {
  const Tensor x = session.counting<float>({300, 300});
  const Tensor a = session.call("tenon.sin", {arg(x)});
  const Tensor product = session.call("tenon.matmul", {arg(a), arg(a)});
  const Tensor sum = session.call("tenon.sum", {arg(session.call("tenon.exp", {arg(a)}))});
  std::vector<float> out = session.values(product);
  out.push_back(session.values(sum)[0]);
  return out;
}

TEST_F(SetThreads, LeavesEveryBit) {
  set_threads(1);
  const std::vector<float> expected = results(cx);
  for (const int32_t threads : {2, 3, 4}) {
    set_threads(threads);
    EXPECT_TRUE(results(cx) == expected) << threads;
  }
  cx.must(tenon_serial_begin(cx.get()));
  EXPECT_TRUE(results(cx) == expected);
  cx.must(tenon_serial_end(cx.get()));
}

TEST_F(SetThreads, WhileOthersCompute) {
  const std::vector<float> expected = results(cx);
  std::atomic<int> running{3};
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number) {
    threads.emplace_back([&, number] {
      const Session own(runtime);
      for (int round = 0; round < 20; ++round) {
        const bool alone = (round + number) % 3 == 0;
        if (alone) own.must(tenon_serial_begin(own.get()));
        EXPECT_TRUE(results(own) == expected);
        if (alone) own.must(tenon_serial_end(own.get()));
      }
      --running;
    });
  }
  for (int32_t next = 1; running > 0; next = next % kThreads + 1) {
    set_threads(next);
    EXPECT_EQ(stated(cx), next);
    EXPECT_LE(seen(cx).size(), static_cast<size_t>(next));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SerialThreads, KeepToTheCallersAndNest) {
  cx.must(tenon_serial_begin(cx.get()));
  EXPECT_EQ(seen(cx), self);
  cx.must(tenon_serial_begin(cx.get()));
  EXPECT_EQ(seen(cx), self);
  cx.must(tenon_serial_end(cx.get()));
  EXPECT_EQ(seen(cx), self);
  EXPECT_EQ(stated(cx), kThreads) << "the runtime's, not the scope's";
  cx.must(tenon_serial_end(cx.get()));
  EXPECT_GT(most_seen(2), 1u);
  const Failure failure = cx.refused(TENON_E_STATE, tenon_serial_end(cx.get()));
  EXPECT_EQ(failure.message, "tenon_serial_end without tenon_serial_begin");
}

TEST_F(SerialThreads, AreOfOneContext) {
  const Session other(runtime);
  cx.must(tenon_serial_begin(cx.get()));
  EXPECT_GT(most_seen(2, [&] { seen(other); }), 1u);
  EXPECT_EQ(seen(cx), self);
  cx.must(tenon_serial_end(cx.get()));
}

TEST_F(SerialThreads, HoldForRunsOfPlans) {
  cx.begin_capture();
  const Tensor x = cx.floats({}, {1});
  const Tensor y = cx.call("acme.watch", {arg(x)});
  const Plan plan = cx.end_capture();
  cx.must(tenon_serial_begin(cx.get()));
  cx.run(plan);
  EXPECT_EQ(last_seen(), self);
  cx.must(tenon_serial_end(cx.get()));
  EXPECT_GT(most_seen(2, [&] { cx.run(plan); }), 1u);
}

// What a callback has left open ends with it.
TEST_F(SerialThreads, EndWithTheirCallback) {
  const Tensor x = cx.floats({}, {1});
  const auto leaves_open = [](tenon_context* context, tenon_tensor* const* inputs, uint32_t,
                              tenon_tensor** outputs, uint32_t, void*) {
    const tenon_status status = tenon_serial_begin(context);
    if (status != TENON_OK) return status;
    outputs[0] = inputs[0];
    return tenon_tensor_retain(inputs[0]);
  };
  tenon_tensor* const inputs[] = {x.get()};
  tenon_tensor* outputs[] = {nullptr};
  cx.must(tenon_function_call(cx.get(), leaves_open, nullptr, inputs, 1, nullptr, 1, 0, outputs,
                              nullptr));
  const Tensor out(outputs[0]);
  cx.refused(TENON_E_STATE, tenon_serial_end(cx.get()));
}

}  // namespace
}  // namespace tenon::tests
