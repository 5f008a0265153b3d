// SPDX-License-Identifier: Apache-2.0
// tests/conformance/layout_test.cc: an op gives the same bits whatever the memory layout of what it
// reads and writes, and writes nothing else.
//
// Each test runs on the plugins as shipped, under check mode "layout" (guarded shadow copies), and
// with plugin test.strict, whose kernels declare only CONTIGUOUS, so that staging meets every op.
#include <algorithm>
#include <cstring>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

class ConformanceLayout : public testing::TestWithParam<Session::Kind> {
 protected:
  Session session{GetParam()};
  // What the shipped plugins give for row-major operands.
  Session plain{Session::Plain};

  Outcome expected(const Case& each) {
    const NoGrad off(plain);
    return run(plain, each, Bound(plain, each));
  }

  // Calls body(case) until an op fails; then goes on with the next op.
  template <class Body>
  void for_each_case(Body body) {
    const tenon_stats before = session.stats();
    std::string failed;
    for (const Case& each : good_cases()) {
      if (each.op == failed) continue;
      SCOPED_TRACE(each.label);
      body(each);
      if (HasFailure() && failures_ != failure_count()) {
        failures_ = failure_count();
        failed = each.op;
      }
    }
    const tenon_stats after = session.stats();
    // Contexts keep small constants; tensors of a call never stay.
    EXPECT_EQ(after.tensors, before.tensors);
    EXPECT_EQ(after.nodes, before.nodes);
  }

  std::vector<Layout> uniform(const Case& each, Layout layout) {
    return std::vector<Layout>(each.arrays.size(), layout);
  }

  // With the values that operands of layouts that overlap themselves have; what is written does
  // not overlap itself.
  Case tie(const Case& each, std::vector<Layout>& layouts) {
    Case tied = each;
    for (size_t i = 0; i < each.arrays.size(); ++i) {
      if (each.mutated[i]) layouts[i] = Layout::RowMajor;
      tied.arrays[i] = Placed(session, each.arrays[i], layouts[i]).read();
    }
    return tied;
  }
  bool refuses_data(const Case& each) {
    const NoGrad off(plain);
    const Bound bound(plain, each);
    std::vector<Tensor> made;
    return call(plain, each, bound.inputs(), each.n_outputs, made) == TENON_E_DATA;
  }

 private:
  static int failure_count() {
    return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
  }
  int failures_ = 0;
};

TEST_P(ConformanceLayout, OfInputs) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    const Outcome wanted = expected(each);
    const auto check = [&](const std::vector<Layout>& layouts, const std::string& words) {
      const Bound bound(session, each, each.arrays, layouts);
      const Outcome found = run(session, each, bound);
      expect_same(wanted.outputs, found.outputs, words + ": output");
      expect_same(wanted.operands, found.operands, words + ": operand afterwards");
      for (const auto& placed : bound.tensors()) {
        EXPECT_TRUE(placed->outside_untouched()) << words << ": bytes outside an operand changed";
      }
    };
    for (const Layout layout : kLayouts) check(uniform(each, layout), name_of(layout));
    for (size_t shift = 0; each.arrays.size() > 1 && shift < std::size(kLayouts); ++shift) {
      std::vector<Layout> layouts;
      for (size_t i = 0; i < each.arrays.size(); ++i) {
        layouts.push_back(kLayouts[(i + shift) % std::size(kLayouts)]);
      }
      check(layouts, "mixed " + std::to_string(shift));
    }
  });
}

TEST_P(ConformanceLayout, UnmarkedInputsAreNotWritten) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    const Outcome found = run(session, each, Bound(session, each));
    for (size_t i = 0; i < each.arrays.size(); ++i) {
      if (each.mutated[i]) continue;
      EXPECT_EQ(found.operands[i], each.arrays[i]) << "operand " << i;
    }
  });
}

// Zero strides, and rows that overlap in part. The reference reads the same values row-major.
TEST_P(ConformanceLayout, OfInputsThatOverlapThemselves) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    for (const Layout layout : kOverlapping) {
      std::vector<Layout> layouts = uniform(each, layout);
      Case tied = tie(each, layouts);
      if (refuses_data(tied)) {  // row numbers that must differ
        for (size_t i = 0; i < each.arrays.size(); ++i) {
          if (!is_float(each.arrays[i].dtype)) layouts[i] = Layout::RowMajor;
        }
        tied = tie(each, layouts);
      }
      const Outcome wanted = expected(tied);
      const Bound bound(session, tied, tied.arrays, layouts);
      const Outcome found = run(session, tied, bound);
      expect_same(wanted.outputs, found.outputs, std::string(name_of(layout)) + ": output");
      expect_same(wanted.operands, found.operands, std::string(name_of(layout)) + ": operand");
    }
  });
}

// Two operands that share part of their memory.
TEST_P(ConformanceLayout, OfInputsThatOverlapEachOther) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    if (each.arrays.size() < 2 || each.arrays[0].dtype != each.arrays[1].dtype) return;
    const bool lists = std::any_of(each.sample.inputs.begin(), each.sample.inputs.end(),
                                   [](const auto& input) { return !input.list.empty(); });
    if (lists || each.mutates()) return;
    const size_t size = size_of(each.arrays[0].dtype);
    Array all = each.arrays[0];
    all.bytes.insert(all.bytes.end(), each.arrays[1].bytes.begin(), each.arrays[1].bytes.end());
    all.shape = {static_cast<int64_t>(all.bytes.size() / size)};
    const Placed memory(session, all, Layout::RowMajor);
    const size_t shift = each.arrays[0].count() > 1 ? 1 : 0;
    Case shared = each;
    const auto share = [&all](Array& array, size_t at) {
      std::copy_n(all.bytes.begin() + static_cast<ptrdiff_t>(at), array.bytes.size(),
                  array.bytes.begin());
    };
    share(shared.arrays[0], 0);
    share(shared.arrays[1], shift * size);
    Bound bound(session, shared);
    Tensor views[2];
    for (size_t i = 0; i < 2; ++i) {
      const Shape& shape = shared.arrays[i].shape;
      tenon_tensor* view = nullptr;
      session.must(tenon_tensor_create_view(session, memory.get(),
                                            static_cast<int32_t>(shape.size()), shape.data(),
                                            strides_of(shape, Layout::RowMajor).first.data(),
                                            static_cast<int64_t>(i * shift), &view));
      views[i].reset(view);
      bound.replace(i, view);
    }
    const Outcome found = run(session, shared, bound);
    expect_same(expected(shared).outputs, found.outputs, "output");
  });
}

TEST_P(ConformanceLayout, OfOutputs) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    const Outcome wanted = expected(each);
    if (wanted.outputs.empty()) return;
    for (const Layout layout : kLayouts) {
      const Bound bound(session, each);
      std::vector<std::unique_ptr<Placed>> outputs;
      std::vector<tenon_tensor*> handles;
      for (Array blank : wanted.outputs) {
        std::fill(blank.bytes.begin(), blank.bytes.end(), static_cast<unsigned char>(0x7C));
        outputs.push_back(std::make_unique<Placed>(session, blank, layout));
        handles.push_back(outputs.back()->get());
      }
      session.must(tenon_context_set_counter(session, 0));
      session.must(apply(session, each, bound.inputs(), handles));
      std::vector<Array> found;
      for (const auto& output : outputs) {
        found.push_back(output->read());
        EXPECT_TRUE(output->outside_untouched())
            << name_of(layout) << ": bytes outside the output changed";
      }
      expect_same(wanted.outputs, found, std::string(name_of(layout)) + ": output");
    }
  });
}

TEST_P(ConformanceLayout, AnOutputThatOverlapsItselfIsRefused) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    const Outcome wanted = expected(each);
    if (wanted.outputs.empty() || wanted.outputs[0].count() < 2) return;
    const Bound bound(session, each);
    Array blank = wanted.outputs[0];
    std::fill(blank.bytes.begin(), blank.bytes.end(), static_cast<unsigned char>(0x11));
    const Placed spread(session, blank, Layout::Spread);
    std::vector<tenon_tensor*> handles = {spread.get()};
    std::vector<std::unique_ptr<Placed>> rest;
    for (size_t i = 1; i < wanted.outputs.size(); ++i) {
      rest.push_back(std::make_unique<Placed>(session, wanted.outputs[i], Layout::RowMajor));
      handles.push_back(rest.back()->get());
    }
    EXPECT_EQ(apply(session, each, bound.inputs(), handles), TENON_E_ALIAS) << session.failure();
    EXPECT_EQ(session.error().op, each.op);
    EXPECT_STRNE(session.error().operand, "");
    EXPECT_EQ(spread.read(), blank);
  });
}

// The output is one of the inputs: the same handle.
TEST_P(ConformanceLayout, InPlace) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    const Outcome wanted = expected(each);
    if (wanted.outputs.empty()) return;
    for (size_t i = 0; i < each.arrays.size(); ++i) {
      const Array& input = each.arrays[i];
      if (input.shape != wanted.outputs[0].shape || input.dtype != wanted.outputs[0].dtype)
        continue;
      for (const Layout layout : kLayouts) {
        const Bound bound(session, each, each.arrays, uniform(each, layout));
        tenon_tensor* target = bound.tensors()[i]->get();
        session.must(tenon_context_set_counter(session, 0));
        session.must(apply(session, each, bound.inputs(), {&target, 1}));
        const std::string words = std::string(name_of(layout)) + ": operand " + std::to_string(i);
        expect_same({wanted.outputs[0]}, {bound.tensors()[i]->read()}, words);
        for (size_t k = 0; k < each.arrays.size(); ++k) {
          EXPECT_TRUE(bound.tensors()[k]->outside_untouched()) << words;
          if (k != i && !each.mutated[k]) {
            EXPECT_EQ(bound.tensors()[k]->read(), each.arrays[k]) << words;
          }
        }
      }
    }
  });
}

// The output lies one element beside an input: as if all inputs had been read first.
TEST_P(ConformanceLayout, OutputsThatOverlapInputsInPart) {
  for_each_case([&](const Case& each) {
    const NoGrad off(session);
    const Outcome wanted = expected(each);
    if (wanted.outputs.empty() || each.mutates()) return;
    const Array& result = wanted.outputs[0];
    for (size_t i = 0; i < each.arrays.size(); ++i) {
      const Array& input = each.arrays[i];
      if (input.dtype != result.dtype || input.count() == 0 || result.count() == 0) continue;
      for (const int64_t output_at : {0, 1}) {
        Array all{
            input.dtype, {static_cast<int64_t>(std::max(input.count(), result.count()) + 1)}, {}};
        all.bytes.assign(all.count() * size_of(all.dtype), 0);
        const Placed memory(session, all, Layout::RowMajor);
        Bound bound(session, each);
        Tensor made[2];
        for (const bool is_output : {false, true}) {
          const Shape& shape = is_output ? result.shape : input.shape;
          tenon_tensor* view = nullptr;
          session.must(tenon_tensor_create_view(session, memory.get(),
                                                static_cast<int32_t>(shape.size()), shape.data(),
                                                strides_of(shape, Layout::RowMajor).first.data(),
                                                is_output ? output_at : 1 - output_at, &view));
          made[is_output ? 1 : 0].reset(view);
        }
        session.must(
            tenon_tensor_set_data(session, made[0].get(), input.bytes.data(), input.bytes.size()));
        bound.replace(i, made[0].get());
        tenon_tensor* target = made[1].get();
        session.must(tenon_context_set_counter(session, 0));
        session.must(apply(session, each, bound.inputs(), {&target, 1}));
        expect_same({result}, {contents_of(session, target)},
                    "output at " + std::to_string(output_at) + ": operand " + std::to_string(i));
      }
    }
  });
}

// Recording for a backward changes no bit.
TEST_P(ConformanceLayout, Recorded) {
  for_each_case([&](const Case& each) {
    if (each.mutates()) return;
    const Outcome wanted = expected(each);
    const Bound bound(session, each, each.arrays, uniform(each, Layout::Stepped));
    for (const auto& placed : bound.tensors()) {
      if (is_float(placed->read().dtype)) {
        session.must(tenon_tensor_set_requires_grad(session, placed->get(), 1));
      }
    }
    const Outcome found = run(session, each, bound);
    expect_same(wanted.outputs, found.outputs, "output");
    // Without the aux outputs, which the recording may still need itself.
    std::vector<Tensor> made;
    session.must(tenon_context_set_counter(session, 0));
    session.must(call(session, each, bound.inputs(), each.n_plain_outputs, made));
    for (size_t i = 0; i < made.size(); ++i) {
      EXPECT_EQ(contents_of(session, made[i].get()), wanted.outputs[i]);
    }
  });
}

std::string kind_name(const testing::TestParamInfo<Session::Kind>& info) {
  return info.param == Session::Plain     ? "Plain"
         : info.param == Session::Checked ? "Checked"
                                          : "Strict";
}

INSTANTIATE_TEST_SUITE_P(On, ConformanceLayout,
                         testing::Values(Session::Plain, Session::Checked, Session::Strict),
                         kind_name);

// The strict plugin's kernels are those that run, for every op that has kernels.
TEST(ConformanceStrict, ItsKernelsAreChosen) {
  const Session session(Session::Strict);
  const NoGrad off(session);
  int kernels = 0;
  for (const Case& each : good_cases()) {
    SCOPED_TRACE(each.label);
    const tenon_op* op = session.find(each.op);
    const Bound bound(session, each);
    std::vector<tenon_value> attrs;
    session.must(attributes(session, op, each.sample, attrs));
    tenon_text* text = nullptr;
    session.must(tenon_op_explain(session, op, bound.inputs().data(),
                                  static_cast<uint32_t>(bound.inputs().size()), attrs.data(),
                                  static_cast<uint32_t>(attrs.size()), &text));
    const char* data = nullptr;
    ASSERT_EQ(tenon_text_get(text, &data, nullptr), TENON_OK);
    const Json chosen = Json::parse(data).at("chosen");
    tenon_text_release(text);
    if (!chosen.is_object()) continue;
    ++kernels;
    EXPECT_EQ(chosen.at("plugin"), "test.strict") << chosen;
  }
  EXPECT_GT(kernels, 100);
}

}  // namespace
}  // namespace tenon::tests
