// SPDX-License-Identifier: Apache-2.0
// tests/processes/overlap_test.cc: a trace shows that gradients travel while the backward still
// runs.
#include <tenon/ext/draft/data_parallel.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;

constexpr int kWide = 8;

// Stops the backward until a transfer has been made since `before`, or for as long as it takes to
// be sure that none will be: without overlap none is.
struct Waiting {
  Process& p;
  tenon_group* group;
  int64_t before = 0;
  bool seen = false;

  static tenon_status run(tenon_context* /*context*/, tenon_tensor* /*gradient*/,
                          tenon_tensor** /*out*/, void* user) {
    auto& waiting = *static_cast<Waiting*>(user);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!waiting.seen && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      waiting.seen = waiting.p.info(waiting.group).transfers > waiting.before;
    }
    return TENON_OK;
  }
};

// Two layers; `hidden` is what the first one gives.
struct Layers {
  explicit Layers(Process& process) : p(process) {
    for (int seed = 0; seed < 2; ++seed) {
      params.push_back(p.floats({kWide, kWide}, noise(seed, kWide * kWide, 0.5F)));
      EXPECT_EQ(tenon_tensor_set_requires_grad(p.context, params.back(), 1), TENON_OK);
    }
  }
  tenon_tensor* loss(int step) {
    tenon_tensor* const x = p.floats({2, kWide}, noise(10 + step, 2 * kWide, 1));
    hidden = p.call("tenon.matmul", {x, params[0]}, {});
    tenon_tensor* y = p.call("tenon.matmul", {p.call("tenon.tanh", {hidden}, {}), params[1]}, {});
    return p.call("tenon.mean", {p.call("tenon.mul", {y, y}, {})}, {});
  }

  Process& p;
  std::vector<tenon_tensor*> params;
  tenon_tensor* hidden = nullptr;
};

json recorded(Process& p) {
  tenon_text* text = nullptr;
  EXPECT_EQ(tenon_trace_end(p.context, &text), TENON_OK) << p.error().message;
  const char* data = nullptr;
  uint64_t length = 0;
  EXPECT_EQ(tenon_text_get(text, &data, &length), TENON_OK);
  const json trace = json::parse(std::string(data, length));
  tenon_text_release(text);
  return trace.at("traceEvents");
}

std::vector<json> named(const json& events, const std::string& name) {
  std::vector<json> found;
  for (const json& event : events) {
    if (event.at("name") == name) found.push_back(event);
  }
  return found;
}

double end_of(const json& event) {
  return event.at("ts").get<double>() + event.at("dur").get<double>();
}

void check_trace(const json& events, int rank) {
  const std::vector<json> backward = named(events, "backward");
  const std::vector<json> sums = named(events, "all_reduce");
  const std::vector<json> agreed = named(events, "agree");
  ASSERT_EQ(backward.size(), 1u);
  ASSERT_EQ(sums.size(), 2u);  // a bucket each
  ASSERT_GE(agreed.size(), 2u);
  EXPECT_GT(sums[0].at("ts"), backward[0].at("ts"));
  EXPECT_LT(end_of(sums[0]), end_of(backward[0]));
  EXPECT_EQ(sums[0].at("cat"), "transfer");
  EXPECT_NE(sums[0].at("tid"), backward[0].at("tid"));
  EXPECT_GE(sums[0].at("args").at("bytes"), kWide * kWide * 4);
  EXPECT_EQ(sums[1].at("args").at("transfer").get<int64_t>(),
            sums[0].at("args").at("transfer").get<int64_t>() + 1);
  EXPECT_GE(agreed[0].at("ts"), sums[0].at("ts"));
  EXPECT_LE(end_of(agreed[0]), end_of(sums[0]));
  const std::vector<json> thread = named(events, "thread_name");
  ASSERT_EQ(thread.size(), 1u);
  EXPECT_EQ(thread[0].at("tid"), sums[0].at("tid"));
  EXPECT_EQ(thread[0].at("args").at("name"), "test.shm");
  EXPECT_EQ(named(events, "process_name")[0].at("args").at("name"),
            "rank " + std::to_string(rank) + " of 2");
}

TEST(OverlapThreads, TheFirstBucketLeavesBeforeTheBackwardEnds) {
  in_processes(2, [](int rank) {
    Process p;
    Waiting waiting{p, p.join()};
    Layers layers(p);
    const tenon_data_parallel_options options = {sizeof options, 0, 0, 1, nullptr, 0, 0};
    tenon_data_parallel* parallel = nullptr;
    ASSERT_EQ(tenon_data_parallel_create(p.context, waiting.group, layers.params.data(), 2,
                                         &options, &parallel),
              TENON_OK)
        << p.error().message;
    for (int step = 0; step < 3; ++step) {
      ASSERT_EQ(tenon_data_parallel_begin(p.context, parallel, 0), TENON_OK) << p.error().message;
      tenon_tensor* const loss = layers.loss(step * 2 + rank);
      if (step == 2) {  // buckets are in their order
        uint64_t hook = 0;
        ASSERT_EQ(
            tenon_hook_begin(p.context, layers.hidden, Waiting::run, &waiting, nullptr, &hook),
            TENON_OK)
            << p.error().message;
        waiting.before = p.info(waiting.group).transfers;
        ASSERT_EQ(tenon_trace_begin(p.context), TENON_OK) << p.error().message;
      }
      ASSERT_EQ(tenon_data_parallel_end(p.context, parallel, loss), TENON_OK) << p.error().message;
      for (tenon_tensor* param : layers.params) {
        ASSERT_EQ(tenon_tensor_set_grad(p.context, param, nullptr), TENON_OK);
      }
    }
    EXPECT_TRUE(waiting.seen);
    check_trace(recorded(p), rank);
    tenon_data_parallel_release(parallel);
  });
}

}  // namespace
}  // namespace tenon::tests
