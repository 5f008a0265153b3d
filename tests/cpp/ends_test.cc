// SPDX-License-Identifier: Apache-2.0
// tests/cpp/ends_test.cc: what calls do after the end of a runtime, a context, a thread, and while
// the program ends: in destructors of static and thread_local objects and in exit handlers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <tenon/tenon.hpp>
#include <thread>

namespace {

namespace tn = tenon;
using testing::ExitedWithCode;

// What a call does: "5", or the words of its error and the hint.
std::string outcome(const char* name = "tenon.add") {
  try {
    return std::to_string(static_cast<int>(tn::call(name, {tn::full({}, 2.0), 3.0}).item()));
  } catch (const tn::Error& error) {
    return std::string(error.status_name()) + " " + error.what() + "; " + error.hint();
  }
}
void tell(const char* when) { std::cerr << when << ": " << outcome() << "\n"; }

struct Teller {
  const char* when;
  ~Teller() { tell(when); }
};

constexpr const char* kOwnEnded =
    "TENON_E_STATE Context: the thread's own: expected one that is there, found one that has "
    "ended; the thread or the program is ending: call earlier, or use a context of yours\n";
constexpr const char* kRuntimeEnded =
    "TENON_E_STATE Runtime::shared: runtime: expected the one of the process, found it has ended, "
    "with the program; call before main returns, or share a runtime that lives longer\n";

constexpr const char* kReleased =
    "TENON_E_RUNTIME the runtime was released; its contexts can only be released; \n";

std::string line(const char* when, const std::string& words) { return when + (": " + words); }

// A process of its own; not a child in which threads are missing.
class CppEndsDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CppEndsDeathTest, OfTheProgramIsToldToDestructorsAndHandlers) {
  const auto child = [] {
    std::atexit([] { tell("early handler"); });
    static const Teller early{"early static"};
    tell("before");
    std::atexit([] { tell("late handler"); });
    static const Teller late{"late static"};
    std::exit(0);
  };
  EXPECT_EXIT(child(), ExitedWithCode(0),
              line("before", "5\n") + line("late static", kOwnEnded) +
                  line("late handler", kOwnEnded) + line("early static", kOwnEnded) +
                  line("early handler", kOwnEnded));
}

TEST_F(CppEndsDeathTest, OfAThreadIsToldToDestructorsAfterIt) {
  const auto child = [] {
    const auto work = [] {
      thread_local const Teller early{"early"};
      (void)early.when;
      tell("before");
      thread_local const Teller late{"late"};
      (void)late.when;
    };
    std::thread(work).join();
    work();  // and in the thread that ends the program
    std::exit(0);
  };
  const std::string once = line("before", "5\n") + line("late", "5\n") + line("early", kOwnEnded);
  EXPECT_EXIT(child(), ExitedWithCode(0), once + once);
}

// Another thread has computed; its runtime has ended before a static object that is older.
TEST_F(CppEndsDeathTest, OfTheRuntimeIsToldToAThreadThatComesLate) {
  const auto child = [] {
    static const Teller early{"early"};
    std::thread([] { tell("thread"); }).join();
    static const Teller late{"late"};
    std::exit(0);
  };
  EXPECT_EXIT(child(), ExitedWithCode(0),
              line("thread", "5\n") + line("late", "5\n") + line("early", kReleased));
  const auto other = [] {
    static const Teller early{"early"};
    std::thread([] { tell("thread"); }).join();
    std::exit(0);
  };
  EXPECT_EXIT(other(), ExitedWithCode(0), line("thread", "5\n") + line("early", kRuntimeEnded));
}

TEST_F(CppEndsDeathTest, AFirstCallMayComeAtTheEnd) {
  const auto child = [] {
    static const Teller teller{"static"};
    std::atexit([] { tell("handler"); });
    std::exit(0);
  };
  EXPECT_EXIT(child(), ExitedWithCode(0), line("handler", "5\n") + line("static", kReleased));
}

// A runtime of the program's own goes on with the plugins that it has, though they have ended, and
// opens none of them any more.
TEST_F(CppEndsDeathTest, AContextThatIsThereServesToTheEnd) {
  const auto child = [](bool opened) {
    struct Saver {
      std::optional<tn::Runtime> runtime;
      std::optional<tn::Context> context;
      ~Saver() {
        const tn::Use scope(*context);
        tell("static");
      }
    };
    static Saver saver;
    saver.runtime.emplace();
    saver.context.emplace(*saver.runtime);
    tell("before");
    if (opened) {
      const tn::Use scope(*saver.context);
      tell("own");
    }
    std::exit(0);
  };
  EXPECT_EXIT(child(true), ExitedWithCode(0),
              line("before", "5\n") + line("own", "5\n") + line("static", "5\n"));
  EXPECT_EXIT(child(false), ExitedWithCode(0),
              line("before", "5\n") + line("static",
                                           "TENON_E_PLUGIN op \"tenon.full\" .*"
                                           "is not opened again: the program is ending"));
}

// Threads that compute to the end are told; the process ends as it would without them.
TEST_F(CppEndsDeathTest, OfTheProgramIsToldToThreadsThatRun) {
  const auto child = [] {
    static std::atomic<int> started{0};
    for (int i = 0; i < 3; ++i) {
      std::thread([] {
        try {
          const tn::Tensor x = tn::ones({200, 200}).set_requires_grad();
          while (true) {
            tn::sum(tn::matmul(x, x)).backward();
            ++started;
          }
        } catch (const tn::Error& error) {
          if (error.status() != TENON_E_RUNTIME) std::abort();
          while (true) std::this_thread::yield();
        }
      }).detach();
    }
    while (started < 9) std::this_thread::yield();
    std::exit(0);
  };
  for (int i = 0; i < 5; ++i) EXPECT_EXIT(child(), ExitedWithCode(0), "");
}

// Objects that are older than the first call, and end after the runtime and its plugins.
TEST_F(CppEndsDeathTest, WhatIsLeftIsReleased) {
  const auto child = [] {
    struct Kept {
      std::optional<tn::Context> context;
      std::optional<tn::NoGrad> mode;
      std::optional<tn::Scope> label;
      std::optional<tn::Profile> profile;
      std::optional<tn::Capture> capture;
      std::optional<tn::Use> use;
      tn::Tensor tensor, loss;
      std::optional<tn::Layer> layer;
      std::optional<tn::Optimizer> optimizer;
      std::optional<tn::Loader> loader;
      std::optional<tn::Plan> plan;
      std::optional<tn::History> history;
      std::optional<tn::Progress> progress;
      std::optional<tn::Hook> hook;
      ~Kept() { tell("kept"); }
    };
    static const Teller oldest{"oldest"};
    static Kept kept;
    kept.tensor = tn::full({64, 2}, 1.0).set_requires_grad();
    kept.hook.emplace(kept.tensor, [](const tn::Tensor& gradient) { return gradient * 2; });
    kept.loss = tn::sum(kept.tensor * 2);
    kept.layer.emplace(tn::nn::linear({.inputs = 2, .outputs = 1}));
    kept.optimizer.emplace(tn::optim::sgd(*kept.layer, {.lr = 0.1}));
    kept.plan.emplace(tn::capture({}, [] { tn::ones({2}) + 1; }));
    kept.loader.emplace(1'000'000, 4, tn::LoaderOptions{.workers = 2});
    EXPECT_NE(kept.loader->begin(), kept.loader->end());
    kept.history.emplace();
    kept.progress.emplace("epoch", 3);
    kept.context.emplace();
    kept.mode.emplace();
    kept.label.emplace("label");
    kept.profile.emplace();
    kept.capture.emplace();
    kept.use.emplace(*kept.context);
    tell("before");
    std::exit(0);
  };
  EXPECT_EXIT(child(), ExitedWithCode(0),
              line("before", "5\n") + line("kept", kReleased) + line("oldest", kOwnEnded));
}

TEST(CppEnds, OfAContextIsTold) {
  std::optional<tn::Context> context(std::in_place);
  tn::Tensor made;
  {
    const tn::Use scope(*context);
    made = tn::full({}, 4.0);
    const tn::NoGrad mode;
    context.reset();
    EXPECT_EQ(outcome(),
              "TENON_E_HANDLE Context: context: expected one that is there, found one that has "
              "ended; keep it for as long as a tenon::Use of it");
  }
  EXPECT_EQ(outcome(), "5");
  EXPECT_EQ((made + 1).item(), 5);
}

TEST(CppEnds, OfAThreadLeavesItsTensors) {
  tn::Tensor made;
  std::thread([&] { made = tn::full({}, 4.0); }).join();
  EXPECT_EQ((made + 1).item(), 5);
}

TEST(CppEnds, OfARuntimeIsTold) {
  std::optional<tn::Runtime> runtime(std::in_place, tn::RuntimeOptions{.threads = 1});
  const tn::Context context(*runtime);
  const tn::Use scope(context);
  const tn::Tensor made = tn::full({2}, 4.0);
  const auto view = made.host<const float, 1>();
  runtime.reset();
  EXPECT_THAT(outcome(), testing::StartsWith("TENON_E_RUNTIME "));
  EXPECT_EQ(view(1), 4);
}

TEST(CppEnds, AContextThatWasMovedFromIsNone) {
  tn::Context context;
  const tn::Context taken = std::move(context);
  const auto use = [&] { const tn::Use scope(context); };  // NOLINT(bugprone-use-after-move)
  try {
    use();
    FAIL() << "nothing was refused";
  } catch (const tn::Error& error) {
    EXPECT_EQ(error.status(), TENON_E_STATE);
    EXPECT_STREQ(error.what(),
                 "Context: context: expected one that is there, found one that was moved from");
    EXPECT_EQ(error.hint(), "use the one that it was moved to");
  }
  EXPECT_EQ(context.handle(), nullptr);
  context.interrupt();
  const tn::Use scope(taken);
  EXPECT_EQ(outcome(), "5");
}

}  // namespace
