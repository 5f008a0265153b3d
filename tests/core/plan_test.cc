// SPDX-License-Identifier: Apache-2.0
// tests/core/plan_test.cc: a captured step replays as if it had been run again.
#include <algorithm>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;

// Two layers, one of whose weights is a transposed view.
struct Model {
  Model(const Session& session, const tenon_device& where) : cx(session) {
    Values a(12);
    Values b(8);
    for (size_t i = 0; i < a.size(); ++i) a[i] = 0.05f * static_cast<float>(i) - 0.3f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = 0.4f - 0.1f * static_cast<float>(i);
    const Tensor base = cx.tensor<float>({4, 3}, a, &where);
    w1 = cx.leaf(cx.view(base, {3, 4}, {1, 3}, 0));
    w2 = cx.leaf(cx.tensor<float>({4, 2}, b, &where));
    sgd = cx.optimizer({w1.get(), w2.get()}, {{"lr", Value(0.125)}, {"decay", Value(0.01)}});
  }
  // Returns the loss.
  Tensor step(const Tensor& x, const Tensor& target) const {
    cx.begin_scope("step");
    Tensor y = cx.call("acme.tanh", {arg(cx.call("acme.matmul2", {arg(x), arg(w1)}))});
    y = cx.call("acme.matmul2", {arg(y), arg(w2)});
    Tensor loss = cx.call("acme.strict", {arg(y), arg(target)});
    loss = cx.call("acme.sum", {arg(cx.call("acme.square", {arg(loss)}))});
    cx.backward(loss);
    cx.step(sgd);
    cx.end_scope();
    return loss;
  }
  std::vector<Values> values() const {
    std::vector<Values> out = {cx.values(w1), cx.values(w2)};
    for (uint32_t i = 0; i < 2; ++i) out.push_back(cx.values(cx.state(sgd, i, "velocity")));
    return out;
  }
  int64_t steps() const { return cx.values<int64_t>(cx.state(sgd, 0, "step"))[0]; }

  const Session& cx;
  Tensor w1, w2;
  Optimizer sgd;
};

using Plans = Toy;

Tensor batch(const Session& cx, int number, const tenon_device& where) {
  Values values(6);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] =
        0.1f * static_cast<float>(static_cast<int>(i) - 3) + 0.01f * static_cast<float>(number);
  }
  return cx.tensor<float>({2, 3}, values, &where);
}

Tensor target(const Session& cx, int number, const tenon_device& where) {
  return cx.tensor<float>({2, 2}, Values(4, 0.25f * static_cast<float>(number % 3)), &where);
}

void replays_as_eager(const Session& cx, const tenon_device& where) {
  const Model eager(cx, where);
  const Model captured(cx, where);
  std::vector<Tensor> xs;
  std::vector<Tensor> targets;
  for (int i = 0; i < 7; ++i) {
    xs.push_back(batch(cx, i, where));
    targets.push_back(target(cx, i, where));
  }
  cx.begin_capture({xs[0].get(), targets[0].get()});
  const Tensor loss = captured.step(xs[0], targets[0]);
  const Plan plan = cx.end_capture();
  EXPECT_EQ(cx.values(eager.step(xs[0], targets[0])), cx.values(loss));
  EXPECT_EQ(captured.values(), eager.values());
  for (int i = 1; i < 200; ++i) {
    SCOPED_TRACE(i);
    const size_t n = static_cast<size_t>(i) % xs.size();
    if (i == 50 || i == 120) {
      const Value rate(1.0 / i);
      cx.set_hyper(eager.sgd, "lr", rate);
      cx.set_hyper(captured.sgd, "lr", rate);
    }
    const Tensor expected = eager.step(xs[n], targets[n]);
    const uint64_t before = cx.stats().allocations;
    cx.set(plan, 0, xs[n]);
    cx.set(plan, 1, targets[n]);
    cx.run(plan);
    EXPECT_EQ(cx.stats().allocations, before);
    ASSERT_EQ(cx.values(loss), cx.values(expected));
    ASSERT_EQ(captured.values(), eager.values());
  }
  EXPECT_EQ(captured.steps(), 200);
}

TEST_F(Plans, ReplayGivesEagersBits) { replays_as_eager(cx, cx.device("toy")); }
TEST_F(Plans, ReplayGivesEagersBitsOnOtherMemory) { replays_as_eager(cx, cx.device("far")); }

TEST_F(Plans, TheListingNamesEveryLaunch) {
  const Model model(cx, cx.device("toy"));
  const Tensor x = batch(cx, 0, cx.device("toy"));
  const Tensor y = target(cx, 0, cx.device("toy"));
  model.step(x, y);
  const uint64_t before = cx.stats().launches;
  cx.begin_capture();
  const Tensor loss = model.step(x, y);
  const Plan plan = cx.end_capture();
  const uint64_t captured = cx.stats().launches - before;
  const std::string text = cx.listing(plan);
  EXPECT_THAT(text, HasSubstr("\n" + std::to_string(captured - 1) + "  "));
  EXPECT_THAT(text, testing::Not(HasSubstr("\n" + std::to_string(captured) + "  ")));
  EXPECT_THAT(text, HasSubstr(std::to_string(captured) + " launches"));
  for (const char* op : {"acme.matmul2", "acme.tanh", "acme.strict", "acme.square", "acme.sum",
                         "acme.mul", "acme.sgd_step"}) {
    EXPECT_THAT(text, HasSubstr(std::string(op) + "  acme.toy"));
  }
  EXPECT_THAT(text, HasSubstr("f32[2,3] f32[3,4] -> f32[2,4]  step"));
  const uint64_t start = cx.stats().launches;
  cx.run(plan);
  EXPECT_EQ(cx.stats().launches - start, captured);
}

// The plan holds the memory of gradients, which must not look as if somebody else did. Only the
// backward's seed is one launch more: a replay has to write it again.
TEST_F(Plans, ACaptureCopiesNoGradient) {
  const Model model(cx, cx.device("toy"));
  const Tensor x = batch(cx, 0, cx.device("toy"));
  const Tensor y = target(cx, 0, cx.device("toy"));
  model.step(x, y);
  auto launched = [&, before = cx.stats().launches]() mutable {
    return cx.stats().launches - std::exchange(before, cx.stats().launches);
  };
  model.step(x, y);
  const uint64_t eager = launched();
  cx.begin_capture();
  const Tensor loss = model.step(x, y);
  const Plan plan = cx.end_capture();
  EXPECT_EQ(launched(), eager + 1);
  cx.run(plan);
  EXPECT_EQ(launched(), eager + 1);
}

TEST_F(Plans, AnUnsafeKernelIsRefusedByName) {
  const Tensor x = cx.floats({2}, {1, 2});
  cx.call("acme.unsafe", {arg(x)});
  cx.begin_capture();
  cx.call("acme.neg", {arg(x)});
  const Failure f = cx.refused(TENON_E_CAPTURE, cx.try_call("acme.unsafe", {arg(x)}));
  EXPECT_EQ(f.op, "acme.unsafe");
  EXPECT_EQ(f.plugin, "acme.toy");
  EXPECT_THAT(f.message, HasSubstr("not capture-safe"));
  tenon_plan* plan = nullptr;
  const Failure end = cx.refused(TENON_E_CAPTURE, tenon_capture_end(cx.get(), &plan));
  EXPECT_EQ(end.op, "acme.unsafe");
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(cx.stats().plans, 0);
  // The context works on, and may capture again.
  EXPECT_EQ(cx.values(cx.call("acme.unsafe", {arg(x)})), (Values{1, 2}));
  cx.begin_capture();
  const Tensor y = cx.call("acme.neg", {arg(x)});
  EXPECT_NE(cx.end_capture(), nullptr);
}

TEST_F(Plans, TheHostReadsNothingWhileCapturing) {
  const Tensor x = cx.floats({1}, {1});
  const Tensor far = cx.on(cx.device("far"), x);
  cx.begin_capture();
  const Tensor y = cx.call("acme.neg", {arg(x)});
  float data = 0;
  cx.refused(TENON_E_CAPTURE, tenon_tensor_get_data(cx.get(), y.get(), &data, sizeof data));
  cx.refused(TENON_E_CAPTURE, tenon_tensor_set_data(cx.get(), y.get(), &data, sizeof data));
  tenon_value item{};
  cx.refused(TENON_E_CAPTURE, tenon_tensor_get_item(cx.get(), y.get(), &item));
  tenon_text* text = nullptr;
  cx.refused(TENON_E_CAPTURE, tenon_tensor_get_text(cx.get(), y.get(), 0, &text));
  cx.refused(TENON_E_CAPTURE, tenon_context_set_seed(cx.get(), 1, 0));
  tenon_tensor* copy = nullptr;
  const tenon_device toy = cx.device("toy");
  cx.refused(TENON_E_CAPTURE, tenon_tensor_create_copy(cx.get(), far.get(), &toy, &copy));
  const Plan plan = cx.end_capture();
  EXPECT_EQ(cx.values(y), Values{-1.0f});
}

// The decay is an attribute of the launch: a plan cannot follow it.
TEST_F(Plans, AHyperParameterThatChangesMakesThemStale) {
  const Model model(cx, cx.device("toy"));
  const Tensor x = batch(cx, 0, cx.device("toy"));
  const Tensor y = target(cx, 0, cx.device("toy"));
  cx.begin_capture();
  model.step(x, y);
  const Plan plan = cx.end_capture();
  EXPECT_THAT(cx.listing(plan),
              testing::EndsWith("\nfrozen: hyper-parameter \"decay\" of acme.sgd = 0.01\n"));
  cx.run(plan);
  const std::vector<Values> values = model.values();
  cx.set_hyper(model.sgd, "decay", Value(0.5));
  const Failure f = cx.refused(TENON_E_STATE, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(f.message,
            "the plan was captured with hyper-parameter \"decay\" of acme.sgd = 0.01, which is 0.5 "
            "now");
  EXPECT_EQ(f.expected, "0.01");
  EXPECT_EQ(f.found, "0.5");
  EXPECT_EQ(f.hint, "capture the step again, or set it back");
  EXPECT_EQ(model.values(), values);
  cx.set_hyper(model.sgd, "decay", Value(0.01));
  cx.set_hyper(model.sgd, "lr", Value(0.5));  // a tensor that launches read
  cx.run(plan);
  EXPECT_NE(model.values(), values);
}

TEST_F(Plans, RandomNumbersGoOnAsInEager) {
  for (const char* kind : {"toy", "far"}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    cx.must(tenon_context_set_device(cx.get(), &where));
    const Shape five = {5};
    const auto draw = [&] { return cx.call("acme.noise", {}, {ints(five)}); };
    const auto counter = [&] {
      uint64_t out = 0;
      cx.must(tenon_context_get_seed(cx.get(), nullptr, nullptr, &out));
      return out;
    };
    cx.must(tenon_context_set_seed(cx.get(), 42, 3));
    std::vector<Values> expected;
    for (int i = 0; i < 8; ++i) expected.push_back(cx.values(draw()));
    EXPECT_EQ(counter(), 16u);
    EXPECT_NE(expected[0], expected[1]);

    cx.must(tenon_context_set_seed(cx.get(), 42, 3));
    EXPECT_EQ(cx.values(draw()), expected[0]);
    cx.begin_capture();
    const Tensor a = draw();
    const Tensor b = draw();
    const Plan plan = cx.end_capture();
    for (size_t i = 1; i < 7; i += 2) {
      if (i > 1) cx.run(plan);
      EXPECT_EQ(cx.values(a), expected[i]);
      EXPECT_EQ(cx.values(b), expected[i + 1]);
      EXPECT_EQ(counter(), 2 * (i + 2));
    }
    EXPECT_EQ(cx.values(draw()), expected[7]);
    cx.must(tenon_context_set_counter(cx.get(), 2));
    cx.run(plan);
    EXPECT_EQ(cx.values(a), expected[1]);
  }
}

TEST_F(Plans, ScratchAndPreparedObjectsAreReplayed) {
  for (const char* kind : {"toy", "far"}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    const Tensor x = cx.tensor<float>({5}, {1, 2, 3, 4, 5}, &where);
    cx.begin_capture({x.get()});
    const Tensor y = cx.call("acme.reverse", {arg(x)});
    const Plan plan = cx.end_capture();
    cx.set(plan, 0, cx.tensor<float>({5}, {10, 20, 30, 40, 50}, &where));
    cx.run(plan);
    EXPECT_EQ(cx.values(y), (Values{50, 40, 30, 20, 10}));
  }
}

TEST_F(Plans, ScratchIsThatOfTheLargestLaunch) {
  const int64_t n = 1 << 18;
  const uint64_t bytes = 4 * n;
  for (const char* kind : {"toy", "far"}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    const Tensor a = cx.tensor<float>({3}, {1, 2, 3}, &where);
    const Tensor x = cx.on(where, cx.counting({n}));
    const Tensor c = cx.tensor<float>({2}, {1, 2}, &where);
    const uint64_t before = cx.stats().bytes_live;
    cx.begin_capture({x.get()});
    const Tensor first = cx.call("acme.reverse", {arg(a)});
    const Tensor y = cx.call("acme.reverse", {arg(x)});
    const Tensor last = cx.call("acme.reverse", {arg(c)});
    const Plan plan = cx.end_capture();
    // A replay that wrote after the end of too little would end the process.
    ASSERT_GE(cx.stats().bytes_live, before + 2 * bytes) << "the result and the scratch";
    ASSERT_LT(cx.stats().bytes_live, before + 3 * bytes) << "one scratch for all";
    cx.set(plan, 0, cx.on(where, cx.call("acme.neg", {arg(cx.counting({n}))})));
    cx.run(plan);
    const Values values = cx.values(y);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(values[static_cast<size_t>(i)], -float(n - i));
    EXPECT_EQ(cx.values(first), (Values{3, 2, 1}));
    EXPECT_EQ(cx.values(last), (Values{2, 1}));
  }
}

TEST_F(Plans, NumbersAreCopiedIntoThePlan) {
  const Tensor x = cx.floats({2}, {1, 2});
  cx.begin_capture({x.get()});
  const Tensor y = cx.call("acme.mul", {arg(x), 3.0});
  const Tensor z = cx.call("acme.strict", {arg(x), 0.5});
  const Plan plan = cx.end_capture();
  cx.set(plan, 0, cx.floats({2}, {10, 20}));
  cx.run(plan);
  EXPECT_EQ(cx.values(y), (Values{30, 60}));
  EXPECT_EQ(cx.values(z), (Values{9, 19}));
}

TEST_F(Plans, ReplayAdvancesTheVersionsOfWhatItWrites) {
  const Tensor w = cx.leaf(cx.floats({2}, {1, 2}));
  const Optimizer sgd = cx.optimizer({w.get()});
  cx.begin_capture();
  cx.backward(cx.call("acme.sum", {arg(cx.call("acme.square", {arg(w)}))}));
  cx.step(sgd);
  const Plan plan = cx.end_capture();
  const Tensor y = cx.call("acme.sum", {arg(cx.call("acme.square", {arg(w)}))});
  const uint64_t version = cx.info(w).version;
  cx.run(plan);
  EXPECT_GT(cx.info(w).version, version);
  const Failure f = cx.refused(TENON_E_VERSION, cx.try_backward(y));
  EXPECT_THAT(f.message, HasSubstr("acme.square"));
  EXPECT_THAT(f.message, HasSubstr("acme.sgd_step"));
}

TEST_F(Plans, OutliveTheirTensorsAndAreOutlivedByThem) {
  const tenon_stats before = cx.stats();
  {
    Tensor x = cx.floats({2}, {1, 2});
    cx.begin_capture({x.get()});
    Tensor y = cx.call("acme.neg", {arg(cx.call("acme.square", {arg(x)}))});
    Plan plan = cx.end_capture();
    EXPECT_EQ(cx.stats().plans, 1);
    x.reset();
    y.reset();
    cx.run(plan);
    plan.reset();
    EXPECT_EQ(cx.stats().plans, 0);
  }
  {
    const Tensor x = cx.floats({2}, {1, 2});
    cx.begin_capture();
    const Tensor y = cx.call("acme.neg", {arg(x)});
    cx.end_capture();
    EXPECT_EQ(cx.values(y), (Values{-1, -2}));
  }
  const tenon_stats after = cx.stats();
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
  EXPECT_EQ(after.bytes_live, before.bytes_live);
}

TEST_F(Plans, CapturesDoNotNest) {
  tenon_plan* plan = nullptr;
  cx.refused(TENON_E_STATE, tenon_capture_end(cx.get(), &plan));
  const Tensor x = cx.floats({2}, {1, 2});
  cx.begin_capture();
  const Tensor y = cx.call("acme.neg", {arg(x)});
  const Plan first = cx.end_capture();
  cx.begin_capture();
  cx.refused(TENON_E_STATE, tenon_capture_begin(cx.get(), nullptr, 0));
  cx.refused(TENON_E_CAPTURE, tenon_plan_run(cx.get(), first.get()));
  const Plan second = cx.end_capture();
  cx.run(second);
  cx.run(first);
  // A context may end in the middle of a capture.
  Session other(runtime);
  other.begin_capture();
  const Tensor z = other.call("acme.neg", {arg(x)});
  other.handle.reset();
  EXPECT_EQ(cx.values(z), (Values{-1, -2}));
}

TEST_F(Plans, AFailingLaunchEndsTheReplay) {
  const Tensor table = cx.floats({2, 1}, {1, 2});
  const Tensor rows = cx.tensor<int64_t>({1}, {1});
  const Tensor values = cx.floats({1, 1}, {5});
  const Tensor first = cx.floats({1}, {1});
  cx.begin_capture({rows.get()});
  cx.apply("acme.neg", {arg(first)}, {}, {first.get()});
  cx.run("acme.rows_add", {arg(table), arg(rows), arg(values)});
  const Plan plan = cx.end_capture();
  cx.set(plan, 0, cx.tensor<int64_t>({1}, {7}));
  const uint64_t version = cx.info(first).version;
  const Failure f = cx.refused(TENON_E_DATA, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(f.op, "acme.rows_add");
  EXPECT_EQ(f.found, "7");
  EXPECT_EQ(cx.values(first), Values{1.0f});
  EXPECT_GT(cx.info(first).version, version);
  cx.set(plan, 0, rows);
  cx.run(plan);
  EXPECT_EQ(cx.values(table), (Values{1, 12}));
}

}  // namespace
}  // namespace tenon::tests
