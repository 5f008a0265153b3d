// SPDX-License-Identifier: Apache-2.0
// tests/layers/refusals_test.cc: layers whose description is refused, and callbacks that ask the
// host for what it does not give; each with its words.
#include <gmock/gmock.h>
#include <tenon/sdk/plugin/layer.hpp>

#include <functional>

#include "tests/layers/layers_support.h"
#include "tests/support/program_query.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

// The layer test.odd of a plugin that is part of this program; a test says what it does.
std::function<void(sdk::Describe&)> on_describe;
std::function<void(sdk::Forward&)> on_forward;
tenon_call* running = nullptr;  // of the latest callback

tenon_status forward(tenon_call* call, const tenon_value* values, const tenon_value* inputs,
                     uint32_t n_inputs, uint32_t flags) {
  running = call;
  return sdk::guarded(call, [&] {
    sdk::Forward f(call, values, inputs, n_inputs, flags);
    on_forward(f);
  });
}

tenon_status describe(tenon_call* call, const tenon_value* values) {
  running = call;
  return sdk::guarded(call, [&] {
    sdk::Describe d(call, values);
    on_describe(d);
  });
}

struct Odd {
  static sdk::About about() { return {"test.odd", "1.0.0", "Apache-2.0", {}}; }
  static inline tenon_layer_option options[2];
  static inline tenon_layer_sample samples[1];
  static inline tenon_layer_desc desc;
  static inline const tenon_layer_desc* descs[] = {&desc};
  static inline tenon_layers_table layers;

  static void reset() {
    options[0] = sdk::option("size", 3, "a size");
    options[1] = sdk::required_option("label", TENON_VALUE_STRING, "a text");
    samples[0] = sdk::layer_sample("f32[2] | label=\"a\"");
    desc = sdk::layer({.name = "test.odd",
                       .doc = "A layer for tests.",
                       .options = options,
                       .samples = samples,
                       .describe = describe,
                       .forward = forward});
    layers = {sizeof(tenon_layers_table), 1, descs};
  }
};

tenon_status query_odd(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_status status = query_in_program<Odd>(host, out, diag);
  out->get_interface = [](void*, const char* id, uint64_t length) -> const void* {
    return std::string_view(id, length) == TENON_INTERFACE_LAYERS ? &Odd::layers : nullptr;
  };
  return status;
}

class LayerRefusals : public Layers {
 protected:
  void SetUp() override {
    Layers::SetUp();
    Odd::reset();
    on_describe = [](sdk::Describe&) {};
    on_forward = [](sdk::Forward& f) { f.set(0, f.in(0)); };
  }
  tenon_status load() { return tenon_plugin_load(context, query_odd); }
  tenon_status odd(tenon_layer** out) { return create("test.odd", {{"label", text("a")}}, out); }
  // The words of a description that is refused.
  void describe_refused(std::function<void(sdk::Describe&)> what, tenon_status expected,
                        const char* words) {
    on_describe = std::move(what);
    tenon_layer* out = nullptr;
    EXPECT_THAT(refused(odd(&out), expected), HasSubstr(words));
    EXPECT_EQ(out, nullptr);
  }
  void forward_refused(std::function<void(sdk::Forward&)> what, tenon_status expected,
                       const char* words) {
    on_forward = std::move(what);
    tenon_layer* out = nullptr;
    must(odd(&out));
    const Layer layer(out);
    const Tensor x = tensor<float>({2}, {1, 2});
    const tenon_value input = one(x.get());
    tenon_tensor* y = nullptr;
    EXPECT_THAT(refused(tenon_layer_call(context, out, &input, 1, &y, 1), expected),
                HasSubstr(words));
    EXPECT_EQ(y, nullptr);
  }
};

TEST_F(LayerRefusals, DescriptionsAreChecked) {
  struct Case {
    const char* words;
    std::function<void()> spoil;
  };
  const std::vector<Case> cases = {
      {"unknown flags 2", [] { Odd::desc.flags = 2; }},
      {"reserved 1", [] { Odd::desc.reserved = 1; }},
      {"`describe` is NULL", [] { Odd::desc.describe = nullptr; }},
      {"`forward` is NULL", [] { Odd::desc.forward = nullptr; }},
      {"`options` is NULL", [] { Odd::desc.options = nullptr; }},
      {"`samples` is NULL", [] { Odd::desc.samples = nullptr; }},
      {"n_options is 65", [] { Odd::desc.n_options = 65; }},
      {"not of the form vendor.name", [] { Odd::desc.name = sdk::str("odd"); }},
      {"struct_size is 8", [] { Odd::desc.struct_size = 8; }},
      {"2 to 1 inputs", [] { Odd::desc.min_inputs = 2; }},
      {"1 to 65 inputs", [] { Odd::desc.max_inputs = 65; }},
      {"has 0 outputs", [] { Odd::desc.n_outputs = 0; }},
      {"stands there twice", [] { Odd::options[1].name = sdk::str("size"); }},
      {"not one of [a-z0-9_]", [] { Odd::options[0].name = sdk::str("Size"); }},
      {"has tag 1", [] { Odd::options[0].tag = TENON_VALUE_TENSOR; }},
      {"`required` is 2", [] { Odd::options[1].required = 2; }},
      {"a required option has none", [] { Odd::options[0].required = 1; }},
      {"`initial` has tag 4", [] { Odd::options[0].initial = sdk::Value(1.5); }},
      {"unknown flags 1", [] { Odd::samples[0].flags = 1; }},
      {"is to be refused", [] { Odd::samples[0].expect = TENON_E_SHAPE; }},
      {"is to work", [] { Odd::samples[0].fragment = sdk::str("a"); }},
      {"entry 0 is NULL", [] { Odd::descs[0] = nullptr; }},
      {"table tenon.layers/1: struct_size", [] { Odd::layers.struct_size = 4; }},
  };
  for (const Case& each : cases) {
    Odd::reset();
    Odd::descs[0] = &Odd::desc;
    each.spoil();
    const std::string words = refused(load(), TENON_E_PLUGIN);
    if (std::string_view(each.words).starts_with("entry")) {
      EXPECT_THAT(words, HasSubstr("NULL"));
    } else {
      EXPECT_THAT(words, HasSubstr(each.words));
    }
  }
  Odd::reset();
  Odd::descs[0] = &Odd::desc;
  Odd::desc.name = sdk::str("tenon.linear");
  EXPECT_THAT(refused(load(), TENON_E_PLUGIN), HasSubstr("layer \"tenon.linear\" is offered"));
  Odd::reset();
  must(load());
  tenon_layer* out = nullptr;
  must(odd(&out));
  tenon_layer_release(out);
}

TEST_F(LayerRefusals, ADeactivatedPluginMakesNoLayers) {
  must(load());
  tenon_layer* made = nullptr;
  must(odd(&made));
  const Layer layer(made);
  must(tenon_plugin_deactivate(context, "test.odd", TENON_NUL));
  tenon_layer* out = nullptr;
  refused(odd(&out), TENON_E_NOT_FOUND);
  const Tensor x = tensor<float>({2}, {1, 2});
  const tenon_value input = one(x.get());
  tenon_tensor* y = nullptr;
  EXPECT_THAT(refused(tenon_layer_call(context, made, &input, 1, &y, 1), TENON_E_PLUGIN),
              HasSubstr("deactivated"));
}

TEST_F(LayerRefusals, TensorsThatCannotBe) {
  must(load());
  const auto with = [](std::string_view name, std::initializer_list<int64_t> shape,
                       const sdk::Initialiser& initial, tenon_dtype dtype) {
    const std::vector<int64_t> sizes(shape);
    return [=](sdk::Describe& d) { d.parameter(name, sizes, initial, dtype); };
  };
  const sdk::Initialiser zero = sdk::constant(0);
  constexpr tenon_dtype f32 = TENON_DTYPE_F32;
  describe_refused(with("My weight", {2}, zero, f32), TENON_E_ARGUMENT, "is malformed");
  describe_refused(with("w", {2}, zero, TENON_DTYPE_I64), TENON_E_DTYPE, "parameter can have");
  describe_refused(with("w", {2}, zero, 77), TENON_E_PLUGIN, "parameter can have");
  describe_refused(with("w", {-2}, zero, f32), TENON_E_SHAPE, "negative");
  describe_refused(with("w", {1, 1, 1, 1, 1, 1, 1, 1, 1}, zero, f32), TENON_E_SHAPE,
                   "too many dimensions");
  describe_refused(with("w", {2}, {"tenon.relu", {}}, f32), TENON_E_PLUGIN, "has inputs");
  describe_refused(with("w", {2}, {"tenon.permutation", {}}, f32), TENON_E_PLUGIN,
                   "has no attribute \"shape\"");
  describe_refused(with("w", {2}, {"tenon.full", {{"amount", 1}}}, f32), TENON_E_PLUGIN,
                   "has no attribute \"amount\"");
  describe_refused(with("w", {2}, {"tenon.nothing", {}}, f32), TENON_E_NOT_FOUND, "tenon.nothing");
  describe_refused(with("w", {2}, sdk::uniform(1, 0), f32), TENON_E_ATTRIBUTE, "bound no interval");
  describe_refused(
      [&](sdk::Describe& d) {
        d.buffer("w", {2}, zero, f32);
        d.parameter("w", {2}, zero, f32);
      },
      TENON_E_ARGUMENT, "the name \"w\" is taken");
  const auto spec_refused = [&](auto&& spoil, const char* words) {
    describe_refused(
        [&](sdk::Describe&) {
          tenon_layer_tensor_spec spec{};
          spec.struct_size = sizeof spec;
          spec.name = sdk::str("w");
          spec.op = sdk::str("tenon.full");
          spec.dtype = f32;
          spoil(spec);
          sdk::check(sdk::detail::layers_of(running).add_tensor(running, &spec));
        },
        TENON_E_PLUGIN, words);
  };
  using Spec = tenon_layer_tensor_spec;
  spec_refused([](Spec& spec) { spec.flags = 8; }, "unknown flags");
  spec_refused([](Spec& spec) { spec.reserved = 1; }, "unknown flags");
  spec_refused([](Spec& spec) { spec.rank = 9; }, "has rank 9");
  spec_refused([](Spec& spec) { spec.rank = -1; }, "has rank -1");
  spec_refused([](Spec& spec) { spec.n_attrs = 1; }, "gives NULL");
  spec_refused([](Spec& spec) { spec.struct_size = 16; }, "struct_size is 16");
}

TEST_F(LayerRefusals, ChildrenThatCannotBe) {
  must(load());
  const auto child = [](std::string_view name, std::string_view layer,
                        const std::vector<sdk::Named>& values) {
    return [=](sdk::Describe& d) { d.child(name, layer, values); };
  };
  describe_refused(child("a", "tenon.nothing", {}), TENON_E_NOT_FOUND, "tenon.nothing");
  describe_refused(child("a.b", "tenon.dropout", {}), TENON_E_ARGUMENT, "is malformed");
  describe_refused(child("a", "tenon.linear", {}), TENON_E_ATTRIBUTE, "\"inputs\" is required");
  describe_refused(child("a", "tenon.dropout", {{"q", 1.0}}), TENON_E_ATTRIBUTE,
                   "\"q\" is unknown");
  // A layer that is made of itself.
  describe_refused(child("a", "test.odd", {{"label", sdk::text_value("a")}}), TENON_E_PLUGIN,
                   "too many layers one in another");
}

TEST_F(LayerRefusals, ForwardsThatGoWrong) {
  must(load());
  on_describe = [](sdk::Describe& d) {
    d.parameter("w", {2}, sdk::constant(1), TENON_DTYPE_F32);
    d.buffer("seen", {2}, sdk::constant(0), TENON_DTYPE_F32);
    d.child("inner", "tenon.dropout", {});
  };
  forward_refused([](sdk::Forward&) {}, TENON_E_PLUGIN, "set no output 0");
  forward_refused([](sdk::Forward& f) { f.set(1, f.in(0)); }, TENON_E_ARGUMENT, "output 1");
  forward_refused([](sdk::Forward& f) { f.set_buffer("w", f.in(0)); }, TENON_E_PLUGIN,
                  "not a buffer");
  forward_refused([](sdk::Forward& f) { f.set_buffer("none", f.in(0)); }, TENON_E_PLUGIN,
                  "not a buffer");
  forward_refused(
      [](sdk::Forward& f) {
        const int64_t turned[] = {2, 1};
        f.set_buffer("seen",
                     f.call("tenon.reshape", {f.in(0)}, {std::span<const int64_t>(turned)}));
      },
      TENON_E_SHAPE, "\"seen\"");
  forward_refused([](sdk::Forward& f) { f.call_child(1, f.in(0)); }, TENON_E_ARGUMENT,
                  "a child it does not have");
  forward_refused([](sdk::Forward& f) { f.set(0, f.call("tenon.nothing", {f.in(0)})); },
                  TENON_E_NOT_FOUND, "tenon.nothing");
  forward_refused(
      [](sdk::Forward&) {
        throw sdk::Failure{TENON_E_DATA, "no more", "x", "more", "none"};
      },
      TENON_E_DATA, "test.odd: no more");
  on_forward = [](sdk::Forward& f) {
    EXPECT_EQ(f.child_count(), 1u);
    EXPECT_TRUE(f.tensor("none").is_none());
    EXPECT_EQ(f.options.integer(0), 3);
    f.set(0, f.call("tenon.mul", {f.call_child(0, f.in(0)), f.tensor("w")}));
  };
  tenon_layer* out = nullptr;
  must(odd(&out));
  const Layer layer(out);
  set_training(layer, false);
  EXPECT_EQ(values_of<float>(run(layer, tensor<float>({2}, {1, 2}).get()).get()),
            (std::vector<float>{1, 2}));
}

// What belongs to `describe` is refused in `forward`, and the other way round.
TEST_F(LayerRefusals, FunctionsOfTheOtherCallback) {
  must(load());
  describe_refused(
      [](sdk::Describe&) {
        tenon_tensor* found = nullptr;
        sdk::check(sdk::detail::layers_of(running).get_tensor(running, "w", TENON_NUL, &found));
      },
      TENON_E_STATE, "get_tensor may not be called while in state infer");
  on_describe = [](sdk::Describe&) {};
  forward_refused(
      [](sdk::Forward&) {
        const tenon_layer_tensor_spec spec{};
        sdk::check(sdk::detail::layers_of(running).add_tensor(running, &spec));
      },
      TENON_E_STATE, "add_tensor may not be called while in state compose");
}

}  // namespace
}  // namespace tenon::tests
