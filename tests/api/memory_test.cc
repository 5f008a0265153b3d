// SPDX-License-Identifier: Apache-2.0
// tests/api/memory_test.cc: when memory runs out, calls return TENON_E_MEMORY or succeed, and
// nothing crashes or is lost.
#include <alloca.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

tenon_stats stats_of(tenon_context* cx) {
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(tenon_runtime_get_stats(cx, &stats), TENON_OK);
  return stats;
}

// The device's limit, at every point of a training step.
TEST(Memory, TheLimitIsKeptAndLosesNothing) {
  World w;
  const tenon_stats before = stats_of(w.cx);
  int refused = 0;
  for (uint64_t spare = 0; spare < 64 << 10; spare += 256) {
    ASSERT_EQ(tenon_runtime_set_memory_limit(w.cx, before.bytes_live + 1 + spare), TENON_OK);
    const int64_t shape[] = {64, 64};
    tenon_tensor* tensor = nullptr;
    tenon_tensor* product = nullptr;
    tenon_status status = tenon_tensor_create(w.cx, TENON_DTYPE_F32, nullptr, 2, shape, &tensor);
    if (status == TENON_OK) {
      const tenon_value inputs[] = {value_of(tensor), value_of(1.0)};
      status = tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &product, 1);
    }
    if (status != TENON_OK) {
      ++refused;
      EXPECT_EQ(status, TENON_E_MEMORY);
      EXPECT_EQ(product, nullptr);
      tenon_error error{};
      error.struct_size = sizeof error;
      ASSERT_EQ(tenon_context_get_error(w.cx, &error), TENON_OK);
      EXPECT_NE(std::strstr(error.message, "out of memory"), nullptr) << error.message;
    }
    EXPECT_LE(stats_of(w.cx).bytes_live, before.bytes_live + 1 + spare);
    tenon_tensor_release(product);
    tenon_tensor_release(tensor);
    EXPECT_EQ(stats_of(w.cx).tensors, before.tensors);
    EXPECT_EQ(stats_of(w.cx).storages, before.storages);
    EXPECT_EQ(stats_of(w.cx).bytes_live, before.bytes_live);
  }
  EXPECT_GT(refused, 1);
  EXPECT_LT(refused, 250) << "the last rounds have room for both tensors";
  ASSERT_EQ(tenon_runtime_set_memory_limit(w.cx, 0), TENON_OK);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

uint64_t address_space() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// All memory the process may still have, in blocks that are given back one by one.
struct Hog {
  struct Block {
    Block* next;
  };
  Block* blocks = nullptr;
  void take(size_t size) {
    while (void* memory = std::malloc(size)) {
      Block* block = static_cast<Block*>(memory);
      block->next = blocks;
      blocks = block;
    }
  }
  void give(int count) {
    for (; blocks && count > 0; --count) {
      Block* next = blocks->next;
      std::free(blocks);
      blocks = next;
    }
  }
};

Hog hog;

using Calls = std::vector<std::function<tenon_status(World&)>>;

// long: a table of calls
Calls calls() {
  Calls list;
  list.push_back([](World& w) {
    const int64_t shape[] = {3, 5};
    tenon_tensor* made = nullptr;
    const tenon_status status =
        tenon_tensor_create(w.cx, TENON_DTYPE_F32, nullptr, 2, shape, &made);
    tenon_tensor_release(made);
    return status;
  });
  list.push_back([](World& w) {
    const tenon_value inputs[] = {value_of(w.own.parameter), value_of(w.t)};
    tenon_tensor* made = nullptr;
    const tenon_status status = tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &made, 1);
    tenon_tensor_release(made);
    return status;
  });
  list.push_back([](World& w) {
    return tenon_backward_run(w.cx, &w.computed, &w.t, 1, TENON_BACKWARD_RETAIN);
  });
  list.push_back([](World& w) {
    const tenon_status status = tenon_optimizer_run(w.cx, w.own.optimizer, 0);
    return status == TENON_E_GRAD ? TENON_OK : status;  // no gradient yet
  });
  list.push_back([](World& w) {
    tenon_text* text = nullptr;
    const tenon_status status = tenon_tensor_get_text(w.cx, w.t, TENON_TEXT_INFO, &text);
    tenon_text_release(text);
    return status;
  });
  list.push_back([](World& w) {
    tenon_status status = tenon_capture_begin(w.cx, &w.t, 1);
    if (status != TENON_OK) return status;
    const tenon_value inputs[] = {value_of(w.t), value_of(2.0)};
    tenon_tensor* made = nullptr;
    status = tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &made, 1);
    tenon_plan* plan = nullptr;
    tenon_status ended = tenon_capture_end(w.cx, &plan);
    // The capture goes on as long as there is no memory to end it with.
    for (; ended == TENON_E_MEMORY && hog.blocks; hog.give(1)) {
      if (status == TENON_OK) status = ended;
      ended = tenon_capture_end(w.cx, &plan);
    }
    tenon_plan_release(plan);
    tenon_tensor_release(made);
    return status != TENON_OK ? status : ended;
  });
  list.push_back([](World& w) {
    tenon_context* context = nullptr;
    const tenon_status status = tenon_context_create(w.own.runtime, nullptr, &context);
    tenon_context_release(context);
    return status;
  });
  list.push_back([](World& w) {
    const int64_t indices[] = {1, 2};
    tenon_tensor* field = nullptr;
    const tenon_status status = tenon_dataset_call(w.cx, w.own.dataset, indices, 2, &field, 1);
    tenon_tensor_release(field);
    return status;
  });
  list.push_back([](World& w) {
    tenon_text* text = nullptr;
    const tenon_status status = tenon_runtime_query(w.cx, "devices", TENON_NUL, &text);
    tenon_text_release(text);
    return status;
  });
  list.push_back([](World& w) {
    const tenon_value inputs[] = {value_of(w.own.parameter), value_of(w.t)};
    tenon_text* text = nullptr;
    const tenon_status status = tenon_op_explain(w.cx, w.own.add, inputs, 2, nullptr, 0, &text);
    tenon_text_release(text);
    return status;
  });
  // A wrong call, whose words need memory as well.
  list.push_back([](World& w) {
    const tenon_value inputs[] = {value_of(w.t), value_of(w.wide)};
    tenon_tensor* made = nullptr;
    const tenon_status status = tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &made, 1);
    return status == TENON_E_SHAPE ? TENON_OK : status;
  });
  return list;
}

// In a process of its own. 0: as it should be; else what went wrong.
int exhaust() {
  // Stack that must not be asked for later.
  volatile char* stack = static_cast<volatile char*>(alloca(512 << 10));
  for (int i = 0; i < 512 << 10; i += 1024) stack[i] = 1;
  World w;
  const Calls list = calls();
  for (int round = 0; round < 3; ++round) {
    for (const auto& each : list) {
      if (each(w) != TENON_OK) return 1;
    }
  }
  rlimit limit{};
  limit.rlim_cur = address_space() + (1 << 20);
  limit.rlim_max = RLIM_INFINITY;
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  for (size_t size = 1 << 20; size >= sizeof(Hog::Block); size /= 2) hog.take(size);
  int refused = 0;
  int accepted = 0;
  for (int round = 0; round < 4000 && hog.blocks; ++round) {
    for (const auto& each : list) {
      const tenon_status status = each(w);
      if (status != TENON_OK && status != TENON_E_MEMORY) return 3;
      ++(status == TENON_OK ? accepted : refused);
    }
    hog.give(1 + round / 8);
  }
  hog.give(1 << 30);
  for (const auto& each : list) {
    if (each(w) != TENON_OK) return 4;
  }
  if (refused == 0) return 5;
  return accepted == 0 ? 6 : 0;
}

TEST(Memory, RunningOutOnTheHostIsAStatus) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const int result = exhaust();
    _exit(testing::Test::HasFailure() ? 7 : result);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

#endif

}  // namespace
}  // namespace tenon::tests
