// SPDX-License-Identifier: Apache-2.0
// tests/checks/threads_test.cc: TENON_CHECK=threads names plugin, callback and function of whoever
// calls the host when or where it must not, whatever the callback then returns.
#include <atomic>
#include <thread>

#include "tests/checks/checks_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

struct Misuse {
  int64_t how;
  const char* callback;
  const char* function;
  const char* where;
};

class CheckThreads : public testing::Test {
 protected:
  tenon_status misuse(int64_t how, int64_t function = 0, int64_t user = 0) {
    return cx.try_call("test.misuse", {arg(x)}, {Value(how), Value(function), Value(user)}, y);
  }
  void expect_named(const Failure& f, const Misuse& m) {
    EXPECT_EQ(f.plugin, "test.misuse");
    EXPECT_EQ(f.op, "test.misuse");
    EXPECT_EQ(f.operand, m.callback);
    EXPECT_EQ(f.message, std::string("plugin test.misuse: its ") + m.callback +
                             " of test.misuse called " + m.function + " " + m.where);
    EXPECT_EQ(f.found, std::string(m.function) + " " + m.where);
  }
  RuntimeHandle runtime = make_checked("threads", 2);
  Session cx{runtime};
  Tensor x = cx.floats({2}, {1, 2});
  Tensor y;
};

TEST_F(CheckThreads, ASwallowedMisuseIsFound) {
  const Misuse misuses[] = {{1, "kernel", "dispatch.call", "in state launch"},
                            {2, "kernel", "log", "from inside of parallel_for"},
                            {3, "kernel", "log", "from another thread than the one it runs on"},
                            {9, "infer", "threads.parallel_for", "in state infer"},
                            {10, "infer", "memory.scratch", "in state infer"}};
  for (const Misuse& m : misuses) {
    SCOPED_TRACE(m.how);
    y = nullptr;
    expect_named(cx.refused(TENON_E_CHECK, misuse(m.how)), m);
    EXPECT_EQ(y, nullptr);
    cx.must(misuse(0));  // and is over
  }
}

TEST_F(CheckThreads, ARuleIsFoundToo) {
  const Tensor leaf = cx.leaf(cx.floats({2}, {1, 2}));
  const Tensor out = cx.call("test.misuse", {arg(leaf)}, {Value(int64_t{13})});
  expect_named(cx.refused(TENON_E_CHECK, cx.try_backward(out, 0, x.get())),
               {13, "backward rule", "threads.parallel_for", "in state vjp"});
  EXPECT_EQ(cx.grad(leaf), nullptr);
}

TEST_F(CheckThreads, ACallKeptBeyondItsCallbackIsFound) {
  cx.must(misuse(4));
  // The callback that uses the old one fails: nothing else has run since.
  expect_named(cx.refused(TENON_E_CHECK, misuse(5)), {5, "kernel", "log", "after it had returned"});
  cx.must(misuse(0));
}

TEST_F(CheckThreads, AProgramsFunctionCalledFromACallbackIsFound) {
  struct Inner {
    tenon_context* context;
    tenon_status status;
  } inner{cx.get(), TENON_OK};
  const auto function = +[](void* user) {
    Inner& in = *static_cast<Inner*>(user);
    in.status = tenon_scope_begin(in.context, "x", 1);
  };
  const tenon_status status =
      misuse(7, reinterpret_cast<int64_t>(function), reinterpret_cast<int64_t>(&inner));
  EXPECT_EQ(inner.status, TENON_E_STATE);
  expect_named(cx.refused(TENON_E_CHECK, status),
               {7, "kernel", "tenon_scope_begin", "of tenon.h, which is for programs"});
}

// Two threads, one context: the second is told, and the first is not disturbed.
TEST_F(CheckThreads, AContextUsedByTwoThreadsAtOnceIsFound) {
  struct Meeting {
    tenon_context* context;
    tenon_status status = TENON_OK;
    tenon_error error{};
  } meeting{cx.get()};
  const auto function = +[](void* user) {
    Meeting& m = *static_cast<Meeting*>(user);
    std::thread([&m] {
      m.status = tenon_tensor_get_data(m.context, nullptr, nullptr, 0);
      m.error.struct_size = sizeof m.error;
      EXPECT_EQ(tenon_context_get_error(m.context, &m.error), TENON_OK);
    }).join();
  };
  cx.must(misuse(7, reinterpret_cast<int64_t>(function), reinterpret_cast<int64_t>(&meeting)));
  EXPECT_EQ(cx.values(y), (std::vector<float>{1, 2}));
  EXPECT_EQ(meeting.status, TENON_E_CHECK);
  EXPECT_EQ(meeting.error.status, TENON_E_CHECK);
  EXPECT_STREQ(meeting.error.message,
               "two threads use one context at once: tenon_tensor_get_data was called while "
               "tenon_op_call runs in another thread");
  EXPECT_STREQ(meeting.error.operand, "context");
  EXPECT_THAT(meeting.error.hint, HasSubstr("one context for each thread"));
}

TEST_F(CheckThreads, LetsGoodPluginsPass) {
  const Tensor w = cx.leaf(cx.counting({40, 30}));
  const Tensor in = cx.counting({20, 40});
  const Tensor out = cx.call("tenon.softmax", {arg(cx.call("tenon.matmul", {arg(in), arg(w)}))});
  cx.backward(cx.call("tenon.sum", {arg(out)}));
  EXPECT_NE(cx.grad(w), nullptr);
  // One after the other, contexts may change threads.
  std::thread([&] { cx.call("tenon.add", {arg(x), arg(x)}); }).join();
  cx.call("tenon.add", {arg(x), arg(x)});
}

// Without the mode a wrong state is the callback's own affair.
TEST(CheckThreadsOff, LeavesSwallowedMisuseAlone) {
  const RuntimeHandle runtime = make_checked("");
  const Session cx(runtime);
  const Tensor x = cx.floats({2}, {1, 2});
  EXPECT_EQ(cx.values(cx.call("test.misuse", {arg(x)}, {Value(int64_t{1})})),
            (std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
