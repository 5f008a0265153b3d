// SPDX-License-Identifier: Apache-2.0
// tests/layouts/layouts_test.cc: the layouts INNER_CONTIGUOUS and DENSE and the role ACCUM: a
// kernel is handed what it declares and nothing else, results are right whatever the caller hands
// in, and an operand that fits is handed on as it is.
#include <set>

#include "tests/command/command_support.h"
#include "tests/layouts/layouts_support.h"

namespace tenon::tests {
namespace {

// ---- Which operands fit, read off kernels.h -----------------------------------------------------

bool in_order(const Layout& l, const std::vector<size_t>& innermost_first) {
  int64_t expected = 1;
  for (const size_t d : innermost_first) {
    if (l.shape[d] != 1 && l.strides[d] != expected) return false;
    expected *= l.shape[d];
  }
  return true;
}

// No gaps, in one of all orders.
bool dense(const Layout& l) {
  std::vector<size_t> order(l.shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    if (in_order(l, order)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}
bool contiguous(const Layout& l) {
  std::vector<size_t> order(l.shape.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  return in_order(l, order);
}
bool any_stride(const Layout& l, int64_t least) {
  for (size_t d = 0; d < l.shape.size(); ++d) {
    if (l.shape[d] > 1 && l.strides[d] < least) return false;
  }
  return true;
}
bool last_is_one(const Layout& l) {
  return l.shape.empty() || l.shape.back() <= 1 || l.strides.back() == 1;
}
bool inner(const Layout& l) { return last_is_one(l) && any_stride(l, 1); }
bool anything(const Layout&) { return true; }

using Fits = bool (*)(const Layout&);
struct Case {
  const char* op;
  Fits input;
  Fits output;
  float factor;  // output = factor * input
};
constexpr Case kCases[] = {{"test.negate_inner", inner, inner, -1},
                           {"test.negate_inner_any", last_is_one, last_is_one, -1},
                           {"test.negate_dense", dense, dense, -1},
                           {"test.double", anything, contiguous, 2},
                           {"test.double_inner", anything, inner, 2},
                           {"test.double_dense", anything, dense, 2},
                           {"test.double_any", anything, anything, 2}};
// Elementwise ops: what their kernels see is collapsed, so what fits cannot be read off one
// operand.
constexpr Case kEach[] = {{"test.negate_inner_each", nullptr, nullptr, -1},
                          {"test.negate_dense_each", nullptr, nullptr, -1},
                          {"test.double_each", nullptr, nullptr, 2}};

std::vector<float> times(std::vector<float> values, float factor) {
  for (float& value : values) value *= factor;
  return values;
}

// Under each check mode that changes how kernels are launched.
class Layouts : public testing::TestWithParam<const char*> {
 protected:
  bool checked() const { return *GetParam() != 0; }
  const void* data(const Tensor& tensor) {
    tenon_view view{};
    cx.must(tenon_tensor_get_view(cx.get(), tensor.get(), &view));
    return view.data;
  }

  // An operand that fits is not copied, and one that does not is. A check launches on copies.
  void expect_handed(const Case& c, Fits fits, const SeenView& seen_view, const Laid& laid) {
    if (!fits || checked() || laid.layout.count() == 0) return;
    EXPECT_EQ(seen_view.data == data(laid.view), fits(laid.layout)) << c.op;
  }

  void run_onto(const Case& c, const Layout& from, const Layout& to) {
    SCOPED_TRACE(std::string(c.op) + " of " + from.text() + " to " + to.text());
    const Laid x(cx, from, -2);
    const Laid out(cx, to, 1000);
    seen = {};
    cx.apply(c.op, {arg(x.view)}, {address(seen)}, {out.view.get()});
    out.expect_written(cx, times(x.elements(), c.factor));
    ASSERT_EQ(cx.values(x.base), x.values);
    EXPECT_GE(seen.launches, 1);
    expect_handed(c, c.input, seen.views[0], x);
    expect_handed(c, c.output, seen.views[1], out);
  }

  Seen seen;
  RuntimeHandle runtime = make_layouts_runtime(GetParam());
  Session cx{runtime};
};

template <class List, class Body>
void for_each_case(const List& list, Body body) {
  for (const Case& c : list) body(c);
}

TEST_P(Layouts, OfEveryInput) {
  const auto run = [&](const Case& c) {
    for (const Shape& shape : kShapes) {
      for (const Layout& layout : layouts_of(shape)) {
        SCOPED_TRACE(std::string(c.op) + " of " + layout.text());
        const Laid x(cx, layout, -2);
        for (int time = 0; time < 2; ++time) {  // resolved, and found in the cache of calls
          seen = {};
          const Tensor y = cx.call(c.op, {arg(x.view)}, {address(seen)});
          ASSERT_EQ(cx.values(y), times(x.elements(), c.factor));
          expect_handed(c, c.input, seen.views[0], x);
        }
      }
    }
  };
  for_each_case(kCases, run);
  for_each_case(kEach, run);
}

TEST_P(Layouts, OfEveryOutput) {
  const auto run = [&](const Case& c) {
    for (const Shape& shape : kShapes) {
      const std::vector<Layout> all = layouts_of(shape);
      for (const Layout& layout : all) {
        if (layout.writable) run_onto(c, all[0], layout);
      }
    }
  };
  for_each_case(kCases, run);
  for_each_case(kEach, run);
}

TEST_P(Layouts, OfPairsByChance) {
  constexpr uint32_t kSeed = 20261125;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const auto run = [&](const Case& c) {
    for (const Shape& shape : kShapes) {
      const std::vector<Layout> all = layouts_of(shape);
      for (int i = 0; i < 30; ++i) {
        const Layout& from = all[random() % all.size()];
        const Layout& to = all[random() % all.size()];
        if (to.writable) run_onto(c, from, to);
      }
    }
  };
  for_each_case(kCases, run);
  for_each_case(kEach, run);
}

// As if all had been read first: also where an output that is added to begins at zero.
TEST_P(Layouts, OutputsThatOverlapTheInput) {
  const Layout windows[] = {{{3, 4}, {4, 1}, 0},    {{3, 4}, {4, 1}, 1}, {{3, 4}, {4, 1}, 4},
                            {{3, 4}, {1, 3}, 2},    {{3, 4}, {1, 3}, 0}, {{3, 4}, {8, 2}, 0},
                            {{3, 4}, {-4, -1}, 12}, {{3, 4}, {5, 1}, 3}};
  const auto run = [&](const Case& c) {
    for (const Layout& from : windows) {
      for (const Layout& to : windows) {
        SCOPED_TRACE(std::string(c.op) + " of " + from.text() + " to " + to.text());
        Laid x(cx, from, -2);
        const std::vector<float> expected = times(x.elements(), c.factor);
        const Tensor out = cx.view(x.base, to.shape, to.strides, to.offset);
        cx.apply(c.op, {arg(x.view)}, {address(seen)}, {out.get()});
        x.layout = to;
        x.expect_written(cx, expected);
      }
      // In place: the very same handle.
      SCOPED_TRACE(std::string(c.op) + " in place " + from.text());
      const Laid x(cx, from, -2);
      cx.apply(c.op, {arg(x.view)}, {address(seen)}, {x.view.get()});
      x.expect_written(cx, times(x.elements(), c.factor));
    }
  };
  for_each_case(kCases, run);
  for_each_case(kEach, run);
}

TEST_P(Layouts, OutputsThatOverlapThemselvesAreRefused) {
  const auto run = [&](const Case& c) {
    for (const Shape& shape : kShapes) {
      const std::vector<Layout> all = layouts_of(shape);
      for (const Layout& layout : all) {
        const std::vector<size_t> places = layout.places();
        if (std::set(places.begin(), places.end()).size() == places.size()) continue;
        SCOPED_TRACE(std::string(c.op) + " to " + layout.text());
        const Laid x(cx, all[0], -2);
        const Laid out(cx, layout, 1000);
        seen = {};
        cx.refused(TENON_E_ALIAS,
                   cx.try_apply(c.op, {arg(x.view)}, {address(seen)}, {out.view.get()}));
        EXPECT_EQ(seen.launches, 0);
        EXPECT_EQ(cx.values(out.base), out.values);
      }
    }
  };
  for_each_case(kCases, run);
  for_each_case(kEach, run);
}

// What a plan replays begins at zero each time, too.
TEST_P(Layouts, ReplayedFromAPlan) {
  const auto run = [&](const Case& c) {
    SCOPED_TRACE(c.op);
    const Layout from{{3, 4}, {1, 3}, 2}, to{{3, 4}, {10, 2}, 5};
    const Laid x(cx, from, -2);
    const Laid out(cx, to, 1000);
    cx.begin_capture();
    Tensor y = cx.call(c.op, {arg(x.view)});
    cx.apply(c.op, {arg(x.view)}, {}, {out.view.get()});
    const Plan plan = cx.end_capture();
    for (int i = 0; i < 3; ++i) {
      cx.run(plan);
      EXPECT_EQ(cx.values(y), times(x.elements(), c.factor));
      out.expect_written(cx, times(x.elements(), c.factor));
    }
  };
  for_each_case(kCases, run);
  for_each_case(kEach, run);
}

INSTANTIATE_TEST_SUITE_P(, Layouts, testing::Values("", "layout"),
                         [](const auto& mode) { return *mode.param ? "Checked" : "Plain"; });

// ---- What must run although nobody looks --------------------------------------------------------

class EffectOps : public Layouts {
 protected:
  std::vector<int64_t> tags() const {
    return {effects.tags, effects.tags + std::min(effects.count, Effects::kCapacity)};
  }
  void act(int64_t tag, const Tensor& x) {
    cx.call("test.effect", {arg(x)}, {address(effects), Value(tag)});
  }
  void act_alone(int64_t tag, const Tensor& x) {
    cx.run("test.effect_alone", {arg(x)}, {address(effects), Value(tag)});
  }
  // Once for each call that is meant; a check may launch on copies before.
  void expect_tags(const std::vector<int64_t>& expected) {
    std::vector<int64_t> found = tags();
    if (checked()) found.erase(std::unique(found.begin(), found.end()), found.end());
    EXPECT_EQ(found, expected);
    effects = {};
  }
  Effects effects;
};

TEST_P(EffectOps, RunWhenTheirOutputIsNotUsed) {
  const Tensor x = cx.floats({2, 3}, {1, 2, 3, 4, 5, 6});
  for (int64_t tag = 1; tag <= 4; ++tag) act(tag, x);  // resolved, and resolved before
  act_alone(5, x);
  act_alone(6, x);
  act(7, x);
  expect_tags({1, 2, 3, 4, 5, 6, 7});
  const NoGrad none(cx);
  act(8, x);
  act_alone(9, x);
  expect_tags({8, 9});
}

// Nothing to compute, and something to do.
TEST_P(EffectOps, RunForOperandsWithoutElements) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}}) {
    const Tensor x = cx.floats(shape, {});
    act(1, x);
    act(2, x);
    act_alone(3, x);
    act_alone(4, x);
    expect_tags({1, 2, 3, 4});
  }
}

TEST_P(EffectOps, AreReplayedInTheirOrder) {
  const Tensor x = cx.floats({2, 3}, {1, 2, 3, 4, 5, 6});
  cx.begin_capture();
  act(1, x);
  cx.call("tenon.neg", {arg(x)});
  act_alone(2, x);
  act(3, x);
  act(1, x);
  const Plan plan = cx.end_capture();
  expect_tags({1, 2, 3, 1});
  for (int i = 0; i < 3; ++i) {
    cx.run(plan);
    expect_tags({1, 2, 3, 1});
  }
}

INSTANTIATE_TEST_SUITE_P(, EffectOps, testing::Values("", "layout"),
                         [](const auto& mode) { return *mode.param ? "Checked" : "Plain"; });

// ---- The kit ------------------------------------------------------------------------------------

TEST(LayoutsKit, Agrees) {
  const TemporaryFolder folder;
  const std::string file = folder.path("report.json");
  const Done done = run_command({"verify", "--strict", "--level", "1", "--json", file,
                                 test_plugin_dir() + std::string("/layouts/test.layouts")});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  const nlohmann::json report = read_json(file);
  EXPECT_EQ(report.at("skipped"), 0);
  // Effects alone have no right results.
  for (const nlohmann::json& entry : report.at("plugins").at(0).at("uncovered")) {
    EXPECT_THAT(entry.at("op").get<std::string>(), testing::StartsWith("test.effect"));
  }
}

}  // namespace
}  // namespace tenon::tests
