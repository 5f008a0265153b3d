// SPDX-License-Identifier: Apache-2.0
// tests/cpp/training_test.cc: gradients, plans, layers, optimizers, loaders, contexts in C++.
#include <gtest/gtest.h>
#include <tenon/tenon.hpp>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/cpp/part.h"
#include "tests/support/paths.h"

namespace tn = tenon;
using tenon::Tensor;

namespace {

std::vector<float> numbers(const Tensor& x) { return x.to_vector<float>(); }

template <class Call>
tenon_status status_of(Call call) {
  try {
    call();
  } catch (const tn::Error& error) {
    return error.status();
  }
  return TENON_OK;
}

// ---- Gradients ----------------------------------------------------------------------------------

TEST(CppGradients, ReachLeaves) {
  Tensor x = tn::tensor({1.0, 2.0, 3.0}).set_requires_grad();
  EXPECT_FALSE(x.grad().defined());
  const Tensor y = tn::sum(x * x * x);
  y.backward({.retain_graph = true});
  EXPECT_EQ(numbers(x.grad()), (std::vector<float>{3, 12, 27}));
  y.backward(tn::tensor(2.0));
  EXPECT_EQ(numbers(x.grad()), (std::vector<float>{9, 36, 81}));
  x.set_grad();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(status_of([&] { y.backward(); }), TENON_E_GRAPH_FREED);
  tn::backward({tn::sum(x), tn::sum(x * x)}, {tn::tensor(10.0), Tensor()});
  EXPECT_EQ(numbers(x.grad()), (std::vector<float>{12, 14, 16}));
  EXPECT_EQ(status_of([&] { tn::backward({y, y}, {y}); }), TENON_E_ARGUMENT);
  {
    const tn::NoGrad none;
    EXPECT_FALSE((x * x).requires_grad());
    const tn::EnableGrad again;
    EXPECT_TRUE((x * x).requires_grad());
  }
  EXPECT_TRUE((x * x).requires_grad());
  EXPECT_NE(tn::draw(x * x, "dot").find("tenon.mul"), std::string::npos);
}

TEST(CppGradients, AreReturned) {
  Tensor x = tn::tensor({1.0, 2.0}).set_requires_grad();
  Tensor other = tn::tensor({1.0}).set_requires_grad();
  const std::vector<Tensor> first =
      tn::grad(tn::sum(x * x * x), {x, other}, {.create_graph = true});
  EXPECT_EQ(numbers(first[0]), (std::vector<float>{3, 12}));
  EXPECT_FALSE(first[1].defined());
  EXPECT_EQ(numbers(tn::grad(first[0], x, {.seeds = tn::ones({2})})[0]),
            (std::vector<float>{6, 12}));
  EXPECT_FALSE(x.grad().defined());

  const auto square = [](std::span<const Tensor> in) { return tn::sum(in[0] * in[1]); };
  const auto [value, grads] = tn::value_and_grad(square, {x, other});
  EXPECT_EQ(value.item(), 3);
  EXPECT_EQ(numbers(grads[0]), (std::vector<float>{1, 1}));
  EXPECT_EQ(numbers(grads[1]), (std::vector<float>{3}));
}

TEST(CppGradients, WhatAFunctionThrowsArrives) {
  const auto wrong = [](std::span<const Tensor>) -> Tensor { throw std::out_of_range("mine"); };
  EXPECT_THROW(tn::value_and_grad(wrong, tn::ones({2})), std::out_of_range);
  const auto shapes = [](std::span<const Tensor> in) { return in[0] + tn::ones({3}); };
  EXPECT_EQ(status_of([&] { tn::value_and_grad(shapes, tn::ones({2})); }), TENON_E_SHAPE);
  // And a later failure is its own.
  EXPECT_EQ(status_of([] { tn::ones({2}) + tn::ones({3}); }), TENON_E_SHAPE);

  Tensor x = tn::ones({2}).set_requires_grad();
  tn::Hook hook(x, [](const Tensor&) -> Tensor { throw std::out_of_range("mine"); });
  EXPECT_THROW(tn::sum(x).backward(), std::out_of_range);
  hook.end();
  int seen = 0;
  tn::Hook doubles(x, [&seen](const Tensor& gradient) { return ++seen, gradient * 2; });
  tn::sum(x).backward();
  EXPECT_EQ(numbers(x.grad()), (std::vector<float>{2, 2}));
  EXPECT_EQ(seen, 1);
}

// ---- Plans --------------------------------------------------------------------------------------

TEST(CppPlans, RunAgainWithOtherInputs) {
  Tensor x = tn::ones({4}), weight = tn::full({4}, 3.0).set_requires_grad();
  tn::Optimizer sgd = tn::optim::sgd({weight}, {.lr = 0.5});
  Tensor loss;
  const tn::Plan plan = tn::capture({x}, [&] {
    loss = tn::sum(weight * x);
    loss.backward();
    sgd.step();
  });
  EXPECT_EQ(loss.item(), 12);
  EXPECT_EQ(numbers(weight)[0], 2.5f);
  plan(tn::full({4}, 2.0));
  EXPECT_EQ(loss.item(), 20);
  EXPECT_EQ(numbers(weight)[0], 1.5f);
  EXPECT_NE(plan.text().find("tenon.mul"), std::string::npos);
  EXPECT_EQ(status_of([&] { plan(tn::ones({5})); }), TENON_E_PLAN_SHAPE);
}

TEST(CppPlans, AreMadeForEachKindOfInputs) {
  int runs = 0;
  tn::Captured doubled([&](const Tensor& x) { return ++runs, x * 2; });
  const Tensor first = doubled(tn::ones({2}));
  EXPECT_EQ(numbers(first), (std::vector<float>{2, 2}));
  EXPECT_EQ(numbers(doubled(tn::full({2}, 3.0))), (std::vector<float>{6, 6}));
  EXPECT_EQ(numbers(first), (std::vector<float>{6, 6}));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(doubled(tn::ones({3})).size(), 3);
  EXPECT_EQ(doubled(tn::tensor({1, 2})).dtype(), tn::int64);
  doubled.set_mode(1);
  doubled(tn::ones({2}));
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(doubled.n_plans(), 4u);
  tn::Captured part([](const Tensor& x, const Tensor&) { return x[0]; });
  part(tn::ones({2}), tn::ones({2}));
  EXPECT_EQ(part(tn::full({2}, 5.0), tn::ones({2})).item(), 5);
  tn::Captured both([](const Tensor& x) { return std::pair(x + 1, x[0]); });
  both(tn::ones({2}));
  const auto [more, element] = both(tn::full({2}, 5.0));
  EXPECT_EQ(numbers(more), (std::vector<float>{6, 6}));
  EXPECT_EQ(element.item(), 5);
  tn::Captured several([](const Tensor& x) { return std::vector<Tensor>{x * 2, x * 3}; });
  several(tn::ones({2}));
  EXPECT_EQ(numbers(several(tn::full({2}, 2.0)).at(1)), (std::vector<float>{6, 6}));
  EXPECT_EQ(both.n_plans() + several.n_plans(), 2u);
  Tensor sum = tn::zeros({2});
  tn::Captured adds([&](const Tensor& x) { sum += x; });
  for (int i = 0; i < 3; ++i) adds(tn::ones({2}));
  EXPECT_EQ(numbers(sum), (std::vector<float>{3, 3}));
}

TEST(CppPlans, ACaptureThatFailsIsDropped) {
  Tensor x = tn::ones({4});
  EXPECT_EQ(status_of([&] { tn::capture({x}, [&] { tn::sum(x).item(); }); }), TENON_E_CAPTURE);
  EXPECT_THROW(tn::capture({x}, [] { throw std::out_of_range("mine"); }), std::out_of_range);
  EXPECT_EQ(tn::sum(x).item(), 4);  // nothing is captured any more
  tn::Capture scope(x);
  const Tensor y = x * 2;
  const tn::Plan plan = scope.end();
  x.set({0}, 5);
  plan.run();
  EXPECT_EQ(numbers(y)[0], 10);
}

// ---- Layers and optimizers ----------------------------------------------------------------------

TEST(CppLayers, ArePartsOfLayers) {
  tn::seed(3);
  tn::Layer body = tn::nn::linear({.inputs = 4, .outputs = 3});
  tn::Layer model = tn::nn::sequential({body, tn::nn::batch_norm({.features = 3})});
  model.append(tn::Layer("tenon.dropout", {{"p", 0.5}}), "drop");
  EXPECT_EQ(model(tn::ones({2, 4})).shape(), tn::Shape({2, 3}));
  EXPECT_EQ(model.parameters().size(), 4u);
  const auto state = model.state_dict();
  EXPECT_EQ(state[0].name, "0.weight");
  EXPECT_FALSE(state.back().is_parameter);
  EXPECT_EQ(model.get("0.bias").handle(), body.get("bias").handle());

  tn::Layer other = tn::nn::sequential(
      {tn::nn::linear({.inputs = 4, .outputs = 3}), tn::nn::batch_norm({.features = 3})});
  other.load_state_dict(state);
  model.eval(), other.eval();
  const Tensor x = tn::rand({2, 4});
  EXPECT_EQ(numbers(model(x)), numbers(other(x)));

  // What does not fit changes nothing.
  const auto before = numbers(other.get("0.bias"));
  const auto refused = [&](const char* name, const Tensor& values) {
    const tn::NamedTensor given[] = {{"0.bias", tn::ones({3}), true}, {name, values, true}};
    return status_of([&] { other.load_state_dict(given); });
  };
  EXPECT_EQ(refused("0.weight", tn::ones({4, 3})), TENON_E_SHAPE);
  EXPECT_EQ(refused("0.weight", tn::ones({3, 4}, tn::float64)), TENON_E_DTYPE);
  EXPECT_EQ(refused("weight", tn::ones({3, 4})), TENON_E_NOT_FOUND);
  EXPECT_EQ(numbers(other.get("0.bias")), before);

  tn::Layer lstm = tn::nn::lstm({.inputs = 4, .hidden = 3, .bias = false});
  EXPECT_EQ(lstm.n_outputs(), 3u);
  EXPECT_EQ(lstm.all(tn::ones({5, 2, 4}))[1].shape(), tn::Shape({1, 2, 3}));
  EXPECT_EQ(status_of([&] { lstm(tn::ones({5, 2, 4})); }), TENON_E_ARGUMENT);
  EXPECT_EQ(status_of([] { tn::Layer("tenon.linear", {{"inputs", 1}}); }), TENON_E_ATTRIBUTE);
}

TEST(CppLayers, AreSavedAndTied) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tenon_cpp_" + std::to_string(getpid()) + ".npz");
  tn::Layer a = tn::nn::linear({.inputs = 2, .outputs = 2}), b = tn::nn::linear({2, 2});
  a.save(path.string());
  b.load(path.string());
  EXPECT_EQ(numbers(a.get("weight")), numbers(b.get("weight")));
  b.share("weight", a.get("weight"));
  EXPECT_EQ(a.get("weight").handle(), b.get("weight").handle());
  tn::save(path.string(), a.state_dict());
  const std::vector<tn::NamedTensor> found = tn::load(path.string(), true);
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "weight");
  std::filesystem::remove(path);
  EXPECT_EQ(status_of([&] { tn::load(path.string()); }), TENON_E_IO);
}

TEST(CppFiles, ListWhatTenonCannotHold) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("tenon_cpp_" + std::to_string(getpid()) + ".safetensors");
  const std::string header = R"({"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},)"
                             R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})";
  std::ofstream(path) << static_cast<char>(header.size()) << std::string(7, '\0') << header
                      << "xyz";
  const tn::Archive archive(path.string());
  const std::vector<tn::Listed> listed = archive.list();
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].foreign, "F8_E4M3");
  EXPECT_EQ(listed[0].shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(listed[1].foreign, "");
  EXPECT_EQ(listed[1].dtype, tn::uint8);
  EXPECT_EQ(numbers(archive.get_bytes("a").astype(tn::float32)), (std::vector<float>{'x', 'y'}));
  EXPECT_EQ(numbers(archive.get("b").astype(tn::float32)), (std::vector<float>{'z'}));
  EXPECT_EQ(status_of([&] { archive.get("a"); }), TENON_E_UNSUPPORTED);
  EXPECT_EQ(status_of([&] { tn::load(path.string()); }), TENON_E_UNSUPPORTED);
  std::filesystem::remove(path);
}

TEST(CppOptimizers, HaveGroupsAndState) {
  Tensor slow = tn::ones({2}).set_requires_grad(), fast = tn::ones({2}).set_requires_grad();
  tn::Optimizer sgd("tenon.sgd", std::vector<tn::Group>{{{slow}, {{"lr", 0.1}}}, {{fast}}},
                    {{"lr", 1.0}, {"momentum", 0.9}});
  EXPECT_EQ(sgd.get(0, "lr"), 0.1);
  EXPECT_EQ(sgd.get("momentum"), 0.9);
  EXPECT_EQ(status_of([&] { sgd.get("lr"); }), TENON_E_STATE);
  EXPECT_FALSE(sgd.state(0, "momentum_buffer").defined());
  tn::sum(slow + fast).backward();
  sgd.step(false);
  EXPECT_TRUE(slow.grad().defined());
  EXPECT_EQ(numbers(fast), (std::vector<float>{0, 0}));
  EXPECT_EQ(numbers(sgd.state(0, "momentum_buffer")), (std::vector<float>{1, 1}));
  sgd.set(1, "lr", 0.5);
  EXPECT_EQ(sgd.get(1, "lr"), 0.5);
  EXPECT_EQ(status_of([&] { sgd.set("lr", -1); }), TENON_E_ATTRIBUTE);

  tn::sum(3 * fast).backward();  // 1 + 3, and 1 of the other
  EXPECT_NEAR(tn::clip_grad_norm(std::vector{slow, fast, tn::ones({1})}, 1.0).item(), 34.0 / 5.831,
              1e-2);
  EXPECT_NEAR(numbers(fast.grad())[0], 4 / 5.831, 1e-3);

  tn::Schedule falls = tn::schedules::step(1.0, {.period = 1, .factor = 0.5});
  EXPECT_EQ(falls.next(), 1.0);
  EXPECT_EQ(falls.next(), 0.5);
  EXPECT_EQ(status_of([] { tn::schedules::step(1.0, {.period = 0}); }), TENON_E_ATTRIBUTE);
}

// ---- Data ---------------------------------------------------------------------------------------

tn::Dataset digits() {
  const std::string stem = std::string(tn::tests::data_dir()) + "/digits/train-";
  return tn::data::idx(
      {.images = stem + "images-idx3-ubyte", .labels = stem + "labels-idx1-ubyte"});
}

// Two epochs as a program in C reads them, without workers: the numbers of all batches.
std::vector<float> epochs_in_c(const tn::Dataset& set) {
  tenon_context* context = tn::detail::state().handle;
  tenon_loader* loader = nullptr;
  std::vector<float> found;
  EXPECT_EQ(tenon_loader_create(context, set.handle(), 100, 7, TENON_LOADER_SHUFFLE, &loader), 0);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(tenon_loader_begin(context, loader, epoch, 0), 0);
    tenon_tensor* fields[2];
    for (int64_t n = 1; tenon_loader_run(context, loader, fields, 2, &n) == TENON_OK && n > 0;) {
      const Tensor images = Tensor::adopt(fields[0]), labels = Tensor::adopt(fields[1]);
      for (const float each : numbers(images.astype(tn::float32))) found.push_back(each);
      for (const float each : numbers(labels.astype(tn::float32))) found.push_back(each);
    }
  }
  tenon_loader_release(loader);
  return found;
}

TEST(CppLoaders, GiveTheBatchesOfCWithFourWorkers) {
  const tn::Dataset set = digits();
  tn::Loader loader(set, 100, {.shuffle = true, .seed = 7, .workers = 4});
  std::vector<float> found;
  for (const auto& [images, labels] : loader.batches<2>()) {
    for (const float each : numbers(images.astype(tn::float32))) found.push_back(each);
    for (const float each : numbers(labels.astype(tn::float32))) found.push_back(each);
  }
  for (const tn::Batch& batch : loader) {
    EXPECT_EQ(batch[0].shape(0), batch.size());
    for (const Tensor& field : batch.fields()) {
      for (const float each : numbers(field.astype(tn::float32))) found.push_back(each);
    }
  }
  EXPECT_EQ(loader.epoch(), 1);
  EXPECT_EQ(found, epochs_in_c(set));
}

TEST(CppLoaders, PutSamplesOfSimilarLengthTogether) {
  const std::vector<std::int64_t> lengths = {9, 1, 8, 2, 7, 3, 6, 4};
  tn::Loader loader(8, 2, {.buckets = 4, .lengths = lengths});
  std::vector<float> found;
  for (const tn::Batch& batch : loader) {
    for (const float each : numbers(batch[0].astype(tn::float32))) found.push_back(each);
  }
  EXPECT_EQ(found, std::vector<float>({1, 3, 5, 7, 6, 4, 2, 0}));
  EXPECT_EQ(loader.info().pool, 4);
  EXPECT_EQ(status_of([&] { tn::Loader(9, 2, {.buckets = 4, .lengths = lengths}); }),
            TENON_E_ARGUMENT);
  EXPECT_EQ(status_of([] { tn::Loader(8, 2, {.buckets = 4}); }), TENON_E_ARGUMENT);
  EXPECT_EQ(status_of([] { digits().lengths(); }), TENON_E_UNSUPPORTED);
}

TEST(CppLoaders, AreRangesWithAPlace) {
  const tn::Dataset set = digits();
  EXPECT_EQ(set.fields()[0].shape, tn::Shape({8, 8}));
  EXPECT_EQ(set.fields()[1].dtype, tn::int64);
  EXPECT_EQ(set.take({3, 1})[1].shape(), tn::Shape({2}));
  tn::Loader loader(set, 100, {.drop_last = true, .transforms = {tn::data::flatten()}});
  EXPECT_EQ(loader.length(), set.size());
  EXPECT_EQ(loader.fields()[0].shape, tn::Shape({64}));
  EXPECT_EQ(std::ranges::distance(loader), set.size() / 100);
  loader.start(0, set.size() - 250);
  EXPECT_EQ(std::ranges::distance(loader), 2);
  loader.start(0);
  auto place = loader.begin();
  for (int i = 0; i < 3; ++i, ++place) EXPECT_EQ(place->size(), 100);
  EXPECT_EQ(loader.position(), 300);
  EXPECT_EQ(status_of([&] { loader.batches<3>(); }), TENON_E_ARGUMENT);
  EXPECT_EQ(status_of([&] { loader.start(0, -1); }), TENON_E_ARGUMENT);
  EXPECT_EQ(status_of([&] { set.take({-1}); }), TENON_E_ARGUMENT);
  tn::Loader own(10, 4);
  tn::Batch batch;
  EXPECT_TRUE(own.next(batch));
  EXPECT_EQ(batch[0].to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(CppCheckpoints, GoOnWhereARunWas) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tenon_cpp_" + std::to_string(getpid()) + ".run"))
          .string();
  Tensor weight = tn::ones({2});
  tn::Checkpoint run;
  run.set("weight", weight).set("steps", 5).set("name", "first");
  EXPECT_FALSE(run.resume(path));
  run.save(path);
  weight *= 3;
  run.set("steps", 6);
  EXPECT_TRUE(run.resume(path));
  EXPECT_EQ(numbers(weight), (std::vector<float>{1, 1}));
  EXPECT_EQ(run.get("steps"), 5);
  EXPECT_EQ(run.get_text("name"), "first");
  std::filesystem::remove(path);
}

TEST(CppTokenizers, EncodeAndDecode) {
  const tn::Tokenizer bytes("tenon.bytes");
  EXPECT_EQ(bytes.encode("Az").to_vector<std::int64_t>(), (std::vector<std::int64_t>{65, 122}));
  EXPECT_EQ(bytes.decode(tn::tensor({104, 105})), "hi");
  EXPECT_EQ(bytes.info().size, 256);
  EXPECT_EQ(bytes.find("A"), 65);
  EXPECT_EQ(bytes.token(66), "B");
  const std::vector<std::string> texts = {"ab", "c"};
  const auto [tokens, mask] = bytes.encode_batch(texts, {.pad = 0, .pad_left = true});
  EXPECT_EQ(tokens.to_vector<std::int64_t>(), (std::vector<std::int64_t>{97, 98, 0, 99}));
  EXPECT_EQ(tn::sum(mask).item(), 3);
  EXPECT_EQ(status_of([&] { (void)bytes.decode(tn::tensor({999})); }), TENON_E_DATA);
  EXPECT_EQ(status_of([] { tn::Tokenizer::load("nowhere.pairs"); }), TENON_E_IO);
}

TEST(CppHistory, KeepsNumbers) {
  tn::History history;
  history.add("loss", 1, 0.5);
  EXPECT_EQ(history.text("csv"), "series,step,value\nloss,1,0.5\n");
  EXPECT_EQ(status_of([&] { history.add("", 1, 0.5); }), TENON_E_ARGUMENT);
  tn::Progress progress("epoch", 10);
  progress.show(5, "loss", 0.5);
  EXPECT_EQ(status_of([&] { progress.show(-1); }), TENON_E_ARGUMENT);
}

// ---- Contexts and runtimes ----------------------------------------------------------------------

TEST(CppContexts, AreOfOneRuntimeUnlessTheProgramSaysOtherwise) {
  const Tensor here = tn::ones({2});
  const auto threads = tn::stats().tensors;
  {
    tn::Context own;  // of the shared runtime
    const tn::Use scope(own);
    EXPECT_EQ(numbers(here + 1), (std::vector<float>{2, 2}));
    EXPECT_GE(tn::stats().tensors, threads);
  }
  tn::Runtime apart({.threads = 1});
  tn::Context context(apart);
  Tensor there;
  {
    const tn::Use scope(context);
    EXPECT_EQ(tn::stats().tensors, 0);
    there = tn::ones({2}) + 1;  // ops are found in this runtime
    EXPECT_EQ(numbers(there), (std::vector<float>{2, 2}));
  }
  EXPECT_EQ(status_of([&] { here + there; }), TENON_E_RUNTIME);
  EXPECT_EQ(status_of([&] { apart.share(); }), TENON_E_STATE);
}

TEST(CppContexts, PartsThatAreCompiledApartUseOneRuntime) {
  EXPECT_EQ(part_runtime(), tn::Runtime::shared().handle());
  EXPECT_EQ(numbers(Tensor::adopt(part_tensor(3)) + tn::ones({2})), (std::vector<float>{4, 4}));
}

// What a program in C has made is shared, if nothing was before.
TEST(CppContextsDeathTest, ARuntimeOfOthersIsShared) {
  const auto child = [] {
    tenon_runtime* made = nullptr;
    program_open(&made);
    tn::Runtime::borrow(made).share();
    const bool shared = tn::Runtime::shared().handle() == made && part_runtime() == made;
    const bool computes = tn::sum(Tensor::adopt(part_tensor(3))).item() == 6;
    std::_Exit(shared && computes ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST(CppContexts, WorkBesideAProgramInC) {
  tenon_runtime* runtime = nullptr;
  const tn::Context context = tn::Context::borrow(program_open(&runtime));
  {
    const tn::Use scope(context);
    const Tensor x = Tensor::share(program_ones()).set_requires_grad();
    const Tensor y = tn::sum(x * 3);
    program_backward(y.handle());  // C walks the graph that C++ recorded
    EXPECT_EQ(numbers(x.grad()), (std::vector<float>{3, 3}));
    const Tensor sum = Tensor::share(program_add(x.handle(), y.handle()));
    EXPECT_EQ(numbers(sum), (std::vector<float>{7, 7}));
    EXPECT_EQ(tn::stats().tensors, 4);  // these and a gradient: all in the runtime of C
  }
  program_close();
}

TEST(CppContexts, HaveDevicesThatAreFoundAtRunTime) {
  const tn::Runtime runtime(
      {.plugin_paths = {std::string(tn::tests::build_dir()) + "/sim_plugins"}});
  const tn::Context context(runtime);
  const tn::Use scope(context);
  const tn::Device sim = "sim";
  const Tensor x = tn::ones({2, 3}).to(sim);
  EXPECT_EQ(x.device(), sim);
  EXPECT_EQ(tn::sum(x + 1).item(), 12);
  EXPECT_EQ(status_of([&] { (void)x.host<const float, 2>(); }), TENON_E_DEVICE);
  EXPECT_EQ(((x + 1).to("cpu").host<const float, 2>()(1, 2)), 2);
  EXPECT_EQ(status_of([&] { x + tn::ones({2, 3}); }), TENON_E_DEVICE);
  tn::set_device(sim);
  EXPECT_EQ(Tensor::empty({2}).device(), sim);
  tn::wait(sim);
}

TEST(CppContextsThreads, EachThreadHasItsOwn) {
  const Tensor x = tn::full({1000}, 2.0);
  const auto handle = tn::detail::state().handle;
  std::array<std::vector<float>, 4> found;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      const tn::Serial alone;
      tn::seed(9, i);
      EXPECT_NE(tn::detail::state().handle, handle);
      Tensor weight = tn::rand({1000}).set_requires_grad();
      for (int step = 0; step < 20; ++step) {
        weight.set_grad();
        tn::sum(weight * x).backward();
      }
      found[i] = numbers(weight * weight.grad());
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_NE(found[0], found[1]);
  tn::seed(9, 1);
  EXPECT_EQ(numbers(tn::rand({1000}) * 2), found[1]);
}

TEST(CppContexts, HaveModes) {
  {
    const tn::GuardFinite guard;
    EXPECT_EQ(status_of([] { tn::log(tn::zeros({2})); }), TENON_E_CHECK);
  }
  tn::log(tn::zeros({2}));
  tn::Profile recording;
  tn::ones({2}) + 1;
  EXPECT_NE(recording.end().find("traceEvents"), std::string::npos);
  tn::seed(4);
  const auto first = numbers(tn::randn({3}));
  tn::seed(4);
  EXPECT_EQ(numbers(tn::randn({3})), first);
  EXPECT_NE(tn::query("devices").find("cpu"), std::string::npos);
  tn::set_fast_arithmetic(true);
  tn::set_fast_arithmetic(false);
  tn::set_threads(1);
  tn::set_threads(0);
  tn::wait("cpu");
  (void)tn::release_cache();
}

}  // namespace
