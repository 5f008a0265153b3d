// SPDX-License-Identifier: Apache-2.0
// tests/layers/samples_test.cc: every registered layer by its own samples: forward, gradients
// against difference quotients, strided inputs, state out of one and into another.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <tenon/sdk/sample_value.hpp>

#include <random>

#include "tests/layers/layers_support.h"

namespace tenon::tests {
namespace {

using Json = nlohmann::json;
constexpr uint64_t kSeed = 20240;

class LayerSamples : public Layers {
 protected:
  Json query() {
    tenon_text* text = nullptr;
    must(tenon_runtime_query(context, "layers", TENON_NUL, &text));
    const char* data = nullptr;
    EXPECT_EQ(tenon_text_get(text, &data, nullptr), TENON_OK);
    Json all = Json::parse(data);
    tenon_text_release(text);
    return all;
  }

  // Calls take(layer's name, sample) for each that must work, or for each that must not.
  template <class Take>
  void each(bool working, Take&& take) {
    for (const Json& entry : query()) {
      for (const Json& sample : entry.at("samples")) {
        if ((sample.at("expect") == TENON_OK) != working) continue;
        SCOPED_TRACE(entry.at("name").get<std::string>() + ": " +
                     sample.at("text").get<std::string>());
        take(entry.at("name").get<std::string>(), sample);
      }
    }
  }

  tenon_status make(const std::string& name, const sdk::Sample& sample, tenon_layer** out) {
    std::vector<Option> options;
    for (const auto& [option, value] : sample.attrs) {
      options.emplace_back(option, sdk::sample_attribute(value));
    }
    return create(name.c_str(), options, out);
  }
  Layer made(const std::string& name, const sdk::Sample& sample) {
    tenon_layer* out = nullptr;
    must(make(name, sample, &out));
    return Layer(out);
  }

  Tensor input(const sdk::SampleTensor& described) {
    std::vector<double> values;
    std::uniform_real_distribution<double> drawn(described.low, described.high);
    for (int64_t i = 0; i < described.element_count(); ++i) {
      if (!described.explicit_values) {
        values.push_back(drawn(random));
        continue;
      }
      std::visit([&](auto number) { values.push_back(static_cast<double>(number)); },
                 described.values[static_cast<size_t>(i)]);
    }
    const Tensor wide = tensor(described.dims, values);
    return call("tenon.cast", {one(wide.get())},
                {{"dtype", dtype_value(sdk::sample_dtype(described.dtype))}});
  }
  std::vector<Tensor> inputs(const sdk::Sample& sample) {
    random.seed(kSeed);
    std::vector<Tensor> list;
    for (const sdk::SampleInput& each : sample.inputs) list.push_back(input(each.tensor));
    return list;
  }
  tenon_status run_all(const Layer& layer, const std::vector<Tensor>& inputs, tenon_tensor** out) {
    std::vector<tenon_value> values;
    for (const Tensor& each : inputs) values.push_back(one(each.get()));
    seed(kSeed);  // the same random numbers in each call
    return tenon_layer_call(context, layer.get(), values.data(),
                            static_cast<uint32_t>(values.size()), out, 1);
  }
  Tensor output(const Layer& layer, const std::vector<Tensor>& inputs) {
    tenon_tensor* out = nullptr;
    must(run_all(layer, inputs, &out));
    return Tensor(out);
  }
  // A number that each element of the output moves in its own way.
  Tensor score(const Layer& layer, const std::vector<Tensor>& inputs) {
    const Tensor y = output(layer, inputs);
    const tenon_view view = view_of(y.get());
    std::vector<double> weights(bytes_of(y.get()).size() / sizeof(double));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = std::cos(1.0 + static_cast<double>(i));
    const Tensor w = tensor(Shape(view.shape, view.shape + view.rank), weights);
    const Tensor product = call("tenon.mul", {one(y.get()), one(w.get())});
    return call("tenon.sum", {one(product.get())});
  }

  // d score / d element of `x`, by moving it.
  std::vector<double> quotients(tenon_tensor* x, const Layer& layer,
                                const std::vector<Tensor>& inputs) {
    const std::vector<double> at = values_of<double>(x);
    std::vector<double> slopes;
    const auto moved = [&](size_t i, double by) {
      std::vector<double> values = at;
      values[i] += by;
      must(tenon_tensor_set_data(context, x, values.data(), values.size() * sizeof(double)));
      return values_of<double>(score(layer, inputs).get())[0];
    };
    constexpr double h = 1e-5;
    must(tenon_grad_begin(context, TENON_GRAD_DISABLED));
    for (size_t i = 0; i < at.size(); ++i) slopes.push_back((moved(i, h) - moved(i, -h)) / (2 * h));
    must(tenon_tensor_set_data(context, x, at.data(), at.size() * sizeof(double)));
    must(tenon_grad_end(context));
    return slopes;
  }
  std::vector<double> grad_of(tenon_tensor* x) {
    tenon_tensor* grad = nullptr;
    const tenon_status status = tenon_tensor_get_grad(context, x, &grad);
    if (status == TENON_E_ROWS) return dense_grad_of(x);
    must(status);
    return grad ? values_of<double>(grad) : std::vector<double>(values_of<double>(x).size(), 0.0);
  }
  std::vector<double> dense_grad_of(tenon_tensor* x) {
    tenon_tensor* indices = nullptr;
    tenon_tensor* rows = nullptr;
    must(tenon_tensor_get_grad_rows(context, x, &indices, &rows));
    std::vector<double> dense(values_of<double>(x).size(), 0.0);
    const auto width = dense.size() / static_cast<size_t>(view_of(x).shape[0]);
    const std::vector<int64_t> places = values_of<int64_t>(indices);
    const std::vector<double> values = values_of<double>(rows);
    for (size_t i = 0; i < values.size(); ++i) {
      dense[static_cast<size_t>(places[i / width]) * width + i % width] += values[i];
    }
    return dense;
  }

  std::mt19937_64 random;
};

TEST_F(LayerSamples, EveryLayerHasBothKinds) {
  const Json all = query();
  std::vector<std::string> names;
  for (const Json& entry : all) {
    names.push_back(entry.at("name"));
    size_t working = 0;
    for (const Json& sample : entry.at("samples")) working += sample.at("expect") == TENON_OK;
    EXPECT_GT(working, 0u) << names.back();
    EXPECT_GT(entry.at("samples").size(), working) << names.back() << ": nothing is refused";
    EXPECT_FALSE(entry.at("doc").get<std::string>().empty()) << names.back();
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"tenon.linear", "tenon.sequential"}));
}

TEST_F(LayerSamples, WrongOnesAreRefusedInWords) {
  int64_t refused_ones = 0;
  each(false, [&](const std::string& name, const Json& sample) {
    const sdk::Sample parsed = sdk::parse_sample(sample.at("text").get<std::string>());
    tenon_layer* out = nullptr;
    tenon_status status = make(name, parsed, &out);
    const Layer layer(out);
    if (status == TENON_OK) {
      tenon_tensor* y = nullptr;
      status = run_all(layer, inputs(parsed), &y);
      const Tensor kept(y);
    }
    const std::string words = refused(status, sample.at("expect").get<tenon_status>());
    EXPECT_THAT(words, testing::HasSubstr(sample.at("fragment").get<std::string>()));
    ++refused_ones;
  });
  EXPECT_GT(refused_ones, 20);
}

// In f64, in training and in evaluation: parameters and floating inputs.
TEST_F(LayerSamples, GradientsAreDifferenceQuotients) {
  int64_t checked = 0;
  each(true, [&](const std::string& name, const Json& sample) {
    const sdk::Sample parsed = sdk::parse_sample(sample.at("text").get<std::string>());
    for (const bool training : {true, false}) {
      SCOPED_TRACE(training ? "training" : "evaluation");
      const Layer layer = made(name, parsed);
      const std::vector<Tensor> given = inputs(parsed);
      std::vector<tenon_tensor*> moved = parameters(layer);
      bool all_f64 = view_of(output(layer, given).get()).dtype == TENON_DTYPE_F64;
      for (const tenon_tensor* each : moved) all_f64 &= view_of(each).dtype == TENON_DTYPE_F64;
      if (!all_f64) return;
      set_training(layer, training);
      for (const Tensor& each : given) {
        if (view_of(each.get()).dtype != TENON_DTYPE_F64) continue;
        must(tenon_tensor_set_requires_grad(context, each.get(), 1));
        moved.push_back(each.get());
      }
      if (moved.empty()) return;
      backward(score(layer, given));
      for (tenon_tensor* each : moved) {
        const std::vector<double> found = grad_of(each);
        const std::vector<double> expected = quotients(each, layer, given);
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i) {
          EXPECT_NEAR(found[i], expected[i], 1e-7 * (1 + std::abs(expected[i]))) << "element " << i;
        }
        checked += static_cast<int64_t>(found.size());
      }
    }
  });
  EXPECT_GT(checked, 100);
}

// The same values with gaps and reversed dimensions in memory give the same bits.
TEST_F(LayerSamples, StridesOfInputsChangeNothing) {
  each(true, [&](const std::string& name, const Json& sample) {
    const sdk::Sample parsed = sdk::parse_sample(sample.at("text").get<std::string>());
    const Layer plain = made(name, parsed);
    const std::vector<Tensor> given = inputs(parsed);
    std::vector<Tensor> strided;
    for (const Tensor& each : given) {
      const tenon_view view = view_of(each.get());
      std::vector<int64_t> strides(static_cast<size_t>(view.rank));
      int64_t stride = 2;
      for (size_t i = 0; i < strides.size(); ++i) {
        strides[i] = stride;
        stride *= std::max<int64_t>(view.shape[i], 1) + 1;
      }
      tenon_tensor* room = nullptr;
      must(tenon_tensor_create(context, view.dtype, nullptr, 1, &stride, &room));
      const Tensor base(room);
      tenon_tensor* out = nullptr;
      must(tenon_tensor_create_view(context, room, view.rank, view.shape, strides.data(), 0, &out));
      const std::string bytes = bytes_of(each.get());
      must(tenon_tensor_set_data(context, out, bytes.data(), bytes.size()));
      strided.emplace_back(out);
    }
    const std::string expected = bytes_of(output(plain, given).get());
    EXPECT_EQ(bytes_of(output(plain, strided).get()), expected);
  });
}

TEST_F(LayerSamples, StateOfOneMakesAnotherEqual) {
  each(true, [&](const std::string& name, const Json& sample) {
    const sdk::Sample parsed = sdk::parse_sample(sample.at("text").get<std::string>());
    const std::vector<Tensor> given = inputs(parsed);
    seed(1);
    const Layer first = made(name, parsed);
    seed(2);
    const Layer second = made(name, parsed);
    output(first, given);  // moves what training moves
    ASSERT_EQ(names(first), names(second));
    for (const State& state : states(first)) {
      must(tenon_layer_set_tensor(context, second.get(), state.name.data(), state.name.size(),
                                  state.tensor));
      tenon_tensor* found = nullptr;
      must(tenon_layer_find_tensor(context, second.get(), state.name.data(), state.name.size(),
                                   &found));
      EXPECT_EQ(bytes_of(found), bytes_of(state.tensor)) << state.name;
      EXPECT_NE(found, state.tensor);
    }
    set_training(first, false);
    set_training(second, false);
    EXPECT_EQ(bytes_of(output(first, given).get()), bytes_of(output(second, given).get()));
  });
}

// The same seed gives the same parameters, another one others (but for constants).
TEST_F(LayerSamples, SeedsDecideInitialValues) {
  each(true, [&](const std::string& name, const Json& sample) {
    const sdk::Sample parsed = sdk::parse_sample(sample.at("text").get<std::string>());
    seed(7);
    const Layer first = made(name, parsed);
    seed(7);
    const Layer second = made(name, parsed);
    const std::vector<State> a = states(first);
    const std::vector<State> b = states(second);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(bytes_of(a[i].tensor), bytes_of(b[i].tensor)) << a[i].name;
      tenon_tensor_info info{};
      info.struct_size = sizeof info;
      must(tenon_tensor_get_info(context, a[i].tensor, &info));
      EXPECT_TRUE(info.flags & TENON_TENSOR_LEAF) << a[i].name;
      EXPECT_EQ((info.flags & TENON_TENSOR_REQUIRES_GRAD) == 0, a[i].buffer) << a[i].name;
    }
  });
}

}  // namespace
}  // namespace tenon::tests
