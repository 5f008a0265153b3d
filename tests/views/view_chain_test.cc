// SPDX-License-Identifier: Apache-2.0
// tests/views/view_chain_test.cc: chains of view ops are what a gather of single elements says, in
// what they show, in what is written through them and in their gradients.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>

#include "tests/views/view_steps.h"
#include "tests/views/views_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Doubles = std::vector<double>;

constexpr int kChains = 300;

// A view and what it should be: its element i is `base`'s element places[i], and was the first
// base's element origins[i].
struct Chain {
  Tensor base;
  Doubles contents;  // of the base
  Tensor view;
  Shape shape;
  std::vector<int64_t> places;
  std::vector<int64_t> origins;
  bool repeats = false;  // some view on the way shows an element twice
  std::string text;

  Doubles expected() const {
    Doubles values;
    for (const int64_t place : places) values.push_back(contents[static_cast<size_t>(place)]);
    return values;
  }
  bool has_every_place_once() const {
    return std::set<int64_t>(places.begin(), places.end()).size() == places.size();
  }
};

class ViewChains : public Shipped {
 protected:
  // Printed where a test fails; TENON_TEST_SEED gives it again.
  const uint64_t seed = fresh_seed();
  Random random{seed};

  Chain start(bool wants_gradient) {
    Chain chain;
    for (int64_t rank = random.in(0, 4); rank > 0; --rank) chain.shape.push_back(random.in(1, 4));
    chain.base = cx.counting<double>(chain.shape);
    if (wants_gradient) chain.base = cx.leaf(std::move(chain.base));
    chain.contents = cx.values<double>(chain.base);
    chain.places.resize(chain.contents.size());
    std::iota(chain.places.begin(), chain.places.end(), 0);
    chain.origins = chain.places;
    chain.text = "seed " + std::to_string(seed) + ": " + sdk::shape_text(chain.shape);
    return chain;
  }

  tenon_status try_step(const Tensor& x, std::string_view op, const Step& step, Tensor& out) {
    const Value input = arg(x);
    tenon_tensor* made = nullptr;
    const tenon_status status = tenon_op_call(cx.get(), cx.op(op), &input, 1, step.attrs.data(),
                                              static_cast<uint32_t>(step.attrs.size()), &made, 1);
    out.reset(made);
    return status;
  }
  // The same handle once more.
  static Tensor same(const Tensor& tensor) {
    EXPECT_EQ(tenon_tensor_retain(tensor.get()), TENON_OK);
    return Tensor(tensor.get());
  }
  bool shares_memory(const Tensor& a, const Tensor& b) {
    return cx.info(a).storage == cx.info(b).storage;
  }

  // tenon.view where it refuses: with the strides in its words, and tenon.reshape has to copy.
  void check_refusal(const Tensor& x, const Step& step, tenon_status status, Tensor& copy) {
    const Failure failure = cx.refused(TENON_E_LAYOUT, status);
    EXPECT_THAT(failure.message, HasSubstr(sdk::shape_text(cx.strides(x.get()))));
    EXPECT_THAT(failure.hint, HasSubstr("tenon.reshape"));
    cx.must(try_step(x, "tenon.reshape", step, copy));
    EXPECT_FALSE(shares_memory(x, copy));
  }

  void take(Chain& chain, Step& step) {
    const Tensor& x = chain.view ? chain.view : chain.base;
    Tensor next;
    const tenon_status status = try_step(x, step.op, step, next);
    if (step.op == "tenon.view" && status != TENON_OK) {
      check_refusal(x, step, status, next);
    } else {
      cx.must(status);
    }
    ASSERT_TRUE(next);
    const bool copied = !shares_memory(x, next);
    if (step.op == "tenon.reshape") {
      Tensor whole;
      EXPECT_EQ(try_step(x, "tenon.view", step, whole) != TENON_OK, copied);
    } else if (step.op != "tenon.flatten" && step.op != "tenon.view") {
      EXPECT_FALSE(copied) << "a view op has copied";
    }
    const auto follow = [&step](std::vector<int64_t>& list) {
      std::vector<int64_t> picked;
      for (const int64_t from : step.from) picked.push_back(list[static_cast<size_t>(from)]);
      list = std::move(picked);
    };
    follow(chain.places);
    follow(chain.origins);
    chain.shape = step.shape;
    chain.repeats = !copied && (chain.repeats || !chain.has_every_place_once());
    if (copied) {
      chain.contents = chain.expected();
      std::iota(chain.places.begin(), chain.places.end(), 0);
      chain.base = same(next);
    }
    chain.view = std::move(next);
  }

  // One to six random steps; each is looked at.
  void extend(Chain& chain) {
    std::vector<std::pair<std::string, MakeStep>> makers(view_steps().begin(), view_steps().end());
    const int64_t length = random.in(1, 6);
    for (int64_t done = 0; done < length;) {
      const auto& [op, make] = makers[static_cast<size_t>(random.axis(makers.size()))];
      Step step;
      step.op = op;
      if (!make(random, chain.shape, step)) continue;
      chain.text += "\n  " + op + step.text;
      SCOPED_TRACE(chain.text);
      take(chain, step);
      if (HasFatalFailure() || !chain.view) return;
      EXPECT_EQ(cx.shape(chain.view), chain.shape);
      EXPECT_EQ(cx.values<double>(chain.view), chain.expected());
      ++done;
    }
  }
  Chain make_chain() {
    Chain chain = start(false);
    extend(chain);
    return chain;
  }
};

TEST_F(ViewChains, KnowEveryViewOpOfTheRegistry) {
  tenon_text* made = nullptr;
  cx.must(tenon_runtime_query(cx.get(), "ops", TENON_NUL, &made));
  const Text text(made);
  const char* data = nullptr;
  uint64_t length = 0;
  cx.must(tenon_text_get(made, &data, &length));
  std::set<std::string> registered;
  const auto ops = nlohmann::json::parse(std::string(data, length));
  for (const auto& op : ops) {
    const auto flags = op["flags"].get<std::vector<std::string>>();
    if (std::count(flags.begin(), flags.end(), "view") != 0) registered.insert(op["name"]);
  }
  std::set<std::string> known;
  for (const auto& [name, make] : view_steps()) known.insert(name);
  EXPECT_EQ(known, registered);
}

TEST_F(ViewChains, ShowTheElementsThatAGatherShows) {
  for (int i = 0; i < kChains && !HasFailure(); ++i) {
    const Chain chain = make_chain();
    SCOPED_TRACE(chain.text);
    // A kernel reads through the strides, another dtype goes through a cast.
    const Tensor halves = cx.call("tenon.mul", {arg(chain.view), 0.5});
    Doubles wanted = chain.expected();
    for (double& value : wanted) value /= 2;
    EXPECT_EQ(cx.values<double>(halves), wanted);
    const Tensor narrow = cx.call("tenon.cast", {arg(chain.view)}, {Value::dtype(TENON_DTYPE_I16)});
    const auto found = cx.values<int16_t>(narrow);
    EXPECT_EQ(Doubles(found.begin(), found.end()), chain.expected());
  }
}

TEST_F(ViewChains, AreWrittenThroughToTheBase) {
  int written = 0;
  for (int i = 0; i < kChains && !HasFailure(); ++i) {
    Chain chain = make_chain();
    SCOPED_TRACE(chain.text);
    const uint64_t version = cx.info(chain.base).version;
    if (chain.repeats) {  // or is a part of what does
      const Failure refusal = cx.refused(
          TENON_E_ALIAS, cx.try_apply("tenon.neg", {arg(chain.view)}, {}, {chain.view.get()}));
      EXPECT_THAT(refusal.message, HasSubstr("overlaps itself"));
      EXPECT_EQ(refusal.operand, "out");
      EXPECT_EQ(cx.values<double>(chain.base), chain.contents);
      EXPECT_EQ(cx.info(chain.base).version, version);
      continue;
    }
    if (chain.places.empty()) continue;
    ++written;
    // From elsewhere, in place, and from the same elements in another order, which are read first.
    const Tensor other = cx.counting<double>(chain.shape);
    cx.apply("tenon.add", {arg(other), 1000.0}, {}, {chain.view.get()});
    for (size_t k = 0; k < chain.places.size(); ++k) {
      chain.contents[static_cast<size_t>(chain.places[k])] = 1001.0 + static_cast<double>(k);
    }
    EXPECT_EQ(cx.values<double>(chain.base), chain.contents);
    EXPECT_GT(cx.info(chain.base).version, version);
    EXPECT_EQ(cx.info(chain.base).version, cx.info(chain.view).version);
    cx.apply("tenon.mul", {arg(chain.view), 2.0}, {}, {chain.view.get()});
    for (const int64_t place : chain.places) chain.contents[static_cast<size_t>(place)] *= 2;
    EXPECT_EQ(cx.values<double>(chain.base), chain.contents);
    const uint64_t before = cx.info(chain.base).version;
    const Tensor flipped = cx.call("tenon.flip", {arg(chain.view)});
    cx.apply("tenon.neg", {arg(flipped)}, {}, {chain.view.get()});
    Doubles values = chain.expected();
    std::reverse(values.begin(), values.end());
    for (size_t k = 0; k < values.size(); ++k) {
      chain.contents[static_cast<size_t>(chain.places[k])] = -values[k];
    }
    EXPECT_EQ(cx.values<double>(chain.base), chain.contents);
    EXPECT_GT(cx.info(chain.base).version, before);
  }
  EXPECT_GT(written, kChains / 4) << "seed " << seed;
}

TEST_F(ViewChains, GiveEachElementItsGradient) {
  for (int i = 0; i < kChains && !HasFailure(); ++i) {
    Chain chain = start(true);
    const Tensor leaf = same(chain.base);
    extend(chain);
    SCOPED_TRACE(chain.text);
    if (chain.places.empty()) continue;
    const Tensor weights = cx.counting<double>(chain.shape);
    tenon_tensor* const roots[] = {chain.view.get()};
    tenon_tensor* const seeds[] = {weights.get()};
    tenon_tensor* const inputs[] = {leaf.get()};
    tenon_tensor* made = nullptr;
    cx.must(tenon_gradient_call(cx.get(), roots, seeds, 1, inputs, 1, 0, &made));
    const Tensor gradient(made);
    Doubles wanted(static_cast<size_t>(cx.info(leaf).elements), 0);
    for (size_t k = 0; k < chain.origins.size(); ++k) {
      wanted[static_cast<size_t>(chain.origins[k])] += static_cast<double>(k + 1);
    }
    EXPECT_EQ(cx.values<double>(gradient), wanted);
  }
}

}  // namespace
}  // namespace tenon::tests
