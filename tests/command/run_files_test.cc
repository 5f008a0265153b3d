// SPDX-License-Identifier: Apache-2.0
// tests/command/run_files_test.cc: inspect on checkpoints: the parts of a run, and what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/loaders.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/tenon.h>
#include <fstream>

#include <functional>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

tenon_value int_value(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}

tenon_string str(const char* text) { return {text, TENON_NUL}; }

class RunFiles : public testing::Test {
 protected:
  void SetUp() override {
    tenon_diag diag{};
    ASSERT_EQ(tenon_runtime_create(nullptr, &diag, &runtime_), TENON_OK) << diag.message;
    ASSERT_EQ(tenon_context_create(runtime_, &diag, &cx_), TENON_OK) << diag.message;
  }
  void TearDown() override {
    tenon_context_release(cx_);
    tenon_runtime_release(runtime_);
  }
  void must(tenon_status status) {
    tenon_error error{};
    error.struct_size = sizeof error;
    tenon_context_get_error(cx_, &error);
    ASSERT_EQ(status, TENON_OK) << error.message;
  }

  // A linear layer from 3 to 2, in a container if it is to be.
  tenon_layer* make_layer() {
    const tenon_string names[] = {str("inputs"), str("outputs")};
    const tenon_value values[] = {int_value(3), int_value(2)};
    tenon_layer* linear = nullptr;
    must(tenon_layer_create(cx_, "tenon.linear", TENON_NUL, nullptr, names, values, 2, &linear));
    return linear;
  }
  // `steps` steps with gradients of ones.
  void train(tenon_layer* layer, tenon_optimizer* optimizer, int steps) {
    const int64_t shape[] = {4, 3};
    for (int i = 0; i < steps; ++i) {
      tenon_tensor* x = nullptr;
      must(tenon_tensor_create(cx_, TENON_DTYPE_F32, nullptr, 2, shape, &x));
      tenon_value input{TENON_VALUE_TENSOR, 0, {}};
      input.as.tensor = x;
      tenon_tensor* y = nullptr;
      must(tenon_layer_call(cx_, layer, &input, 1, &y, 1));
      const tenon_op* sum = nullptr;
      must(tenon_op_find(cx_, "tenon.sum", TENON_NUL, 0, &sum));
      input.as.tensor = y;
      tenon_tensor* loss = nullptr;
      must(tenon_op_call(cx_, sum, &input, 1, nullptr, 0, &loss, 1));
      must(tenon_backward_run(cx_, &loss, nullptr, 1, 0));
      must(tenon_optimizer_run(cx_, optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
      for (tenon_tensor* tensor : {x, y, loss}) tenon_tensor_release(tensor);
    }
  }
  // A run with a part of every sort.
  void save_run(const std::string& path, int steps) {
    tenon_layer* layer = make_layer();
    tenon_optimizer* optimizer = nullptr;
    must(tenon_optimizer_create_for_layer(cx_, "tenon.sgd", TENON_NUL, layer, nullptr, nullptr, 0,
                                          &optimizer));
    tenon_optimizer* adam = nullptr;
    must(tenon_optimizer_create_for_layer(cx_, "tenon.nadam", TENON_NUL, layer, nullptr, nullptr, 0,
                                          &adam));
    train(layer, adam, steps);
    const tenon_string period = str("period");
    const tenon_value ten = int_value(10);
    tenon_schedule* schedule = nullptr;
    must(tenon_schedule_create(cx_, "tenon.cosine", TENON_NUL, 0.1, &period, &ten, 1, &schedule));
    tenon_loader* loader = nullptr;
    must(tenon_loader_create_numbers(cx_, 100, 10, 5, TENON_LOADER_SHUFFLE, &loader));
    const std::vector<int64_t> lengths(100, 7);
    must(tenon_loader_set_buckets(cx_, loader, 3, lengths.data()));
    must(tenon_loader_begin(cx_, loader, 2, 30));
    tenon_checkpoint* run = nullptr;
    must(tenon_checkpoint_create(cx_, &run));
    must(tenon_checkpoint_set_loader(cx_, run, "loader", TENON_NUL, loader));
    must(tenon_checkpoint_set_layer(cx_, run, "model", TENON_NUL, layer));
    must(tenon_checkpoint_set_optimizer(cx_, run, "optimizer.0", TENON_NUL, adam));
    must(tenon_checkpoint_set_optimizer(cx_, run, "optimizer.1", TENON_NUL, optimizer));
    must(tenon_checkpoint_set_schedule(cx_, run, "rate", TENON_NUL, schedule));
    const tenon_value step = int_value(steps);
    must(tenon_checkpoint_set_value(cx_, run, "step", TENON_NUL, &step));
    must(tenon_checkpoint_save(cx_, run, path.data(), path.size()));
    tenon_checkpoint_release(run);
    tenon_loader_release(loader);
    tenon_schedule_release(schedule);
    tenon_optimizer_release(adam);
    tenon_optimizer_release(optimizer);
    tenon_layer_release(layer);
  }
  // A file with these texts, and tensors f32[2] of these names.
  std::string write(const std::string& path, const std::map<std::string, std::string>& texts,
                    const std::vector<std::string>& tensors = {}) {
    tenon_archive* archive = nullptr;
    must(tenon_archive_create(cx_, &archive));
    for (const auto& [key, text] : texts) {
      must(tenon_archive_set_metadata(cx_, archive, key.data(), key.size(), text.data(),
                                      text.size()));
    }
    const int64_t shape[] = {2};
    for (const std::string& name : tensors) {
      tenon_tensor* tensor = nullptr;
      must(tenon_tensor_create(cx_, TENON_DTYPE_F32, nullptr, 1, shape, &tensor));
      must(tenon_archive_set_tensor(cx_, archive, name.data(), name.size(), tensor));
      tenon_tensor_release(tensor);
    }
    must(tenon_file_set(cx_, path.data(), path.size(), nullptr, 0, archive));
    tenon_archive_release(archive);
    return path;
  }

  tenon_runtime* runtime_ = nullptr;
  tenon_context* cx_ = nullptr;
};

json part_of(const json& answer, const std::string& kind, const std::string& name) {
  for (const json& part : answer.at("parts")) {
    if (part.at("kind") == kind && part.at("name") == name) return part;
  }
  ADD_FAILURE() << "no " << kind << " " << name << " in " << answer.at("parts").dump(1);
  return json::object();
}

TEST_F(RunFiles, ACheckpointIsShownInItsParts) {
  const TemporaryFolder folder;
  const std::string path = folder.write("run.safetensors", "");
  save_run(path, 3);
  const Done done = run_command({"inspect", path, "--json"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const json answer = done.json();
  EXPECT_EQ(answer.at("kind"), "checkpoint");
  EXPECT_EQ(answer.at("findings"), json::array());
  EXPECT_EQ(answer.at("format"), "tenon.safetensors");
  const json model = part_of(answer, "layer", "model");
  ASSERT_EQ(model.at("tensors").size(), 2u);
  EXPECT_EQ(model.at("tensors")[0].at("shape").size() + model.at("tensors")[1].at("shape").size(),
            3u);
  const json adam = part_of(answer, "optimizer", "optimizer.0");
  EXPECT_EQ(adam.at("may_be"), json({"tenon.nadam"}));
  EXPECT_EQ(adam.at("parameters"), 2);
  EXPECT_EQ(adam.at("steps"), 3);
  EXPECT_TRUE(adam.at("hypers").contains("lr"));
  const json sgd = part_of(answer, "optimizer", "optimizer.1");
  EXPECT_EQ(sgd.at("may_be"), json({"tenon.sgd"}));
  EXPECT_EQ(sgd.at("parameters"), 0);
  EXPECT_FALSE(sgd.contains("steps"));
  const json rate = part_of(answer, "schedule", "rate");
  EXPECT_THAT(rate.at("may_be").get<std::vector<std::string>>(), testing::Contains("tenon.cosine"));
  EXPECT_EQ(rate.at("states"), json({{"step", "0"}}));
  EXPECT_EQ(part_of(answer, "value", "step").at("text"), "3");
  const json loader = part_of(answer, "loader", "loader");
  EXPECT_EQ(loader.at("seed"), "5");
  EXPECT_EQ(loader.at("epoch"), "2");
  EXPECT_EQ(loader.at("position"), "30");
  EXPECT_EQ(loader.at("pool"), "3");
  EXPECT_EQ(loader.at("batch"), "10");
  EXPECT_TRUE(part_of(answer, "random numbers", "rng").contains("counter"));
  const Done words = run_command({"inspect", path});
  EXPECT_THAT(
      words.out,
      AllOf(HasSubstr("run.safetensors: checkpoint\n"),
            HasSubstr("\n  layer model: 2 tensors\n    weight: f32[2,3]\n    bias: f32[2]\n"),
            HasSubstr("\n  optimizer optimizer.0: tenon.nadam, 2 parameters with states, "
                      "3 steps; "),
            HasSubstr("\n  value step: 3\n"), HasSubstr("\n  random numbers: ")));
}

TEST_F(RunFiles, AnOptimizerWithGroupsIsOnePart) {
  const TemporaryFolder folder;
  const std::string path = folder.write("run.safetensors", "");
  tenon_layer* layer = make_layer();
  std::vector<tenon_tensor*> params(2);
  for (uint32_t i = 0; i < 2; ++i) {
    must(tenon_layer_get_parameter(cx_, layer, i, nullptr, &params[i]));
  }
  const tenon_string rate = str("lr");
  tenon_value low{TENON_VALUE_F64, 0, {}};
  low.as.f64 = 0.25;
  const tenon_optimizer_group first{
      sizeof(tenon_optimizer_group), 0, &params[0], nullptr, nullptr, 1, 0};
  const tenon_optimizer_group second{
      sizeof(tenon_optimizer_group), 0, &params[1], &rate, &low, 1, 1};
  const tenon_optimizer_group* groups[] = {&first, &second};
  tenon_optimizer* adam = nullptr;
  must(tenon_optimizer_create_groups(cx_, "tenon.nadam", TENON_NUL, groups, 2, nullptr, nullptr, 0,
                                     &adam));
  train(layer, adam, 2);
  tenon_checkpoint* run = nullptr;
  must(tenon_checkpoint_create(cx_, &run));
  must(tenon_checkpoint_set_optimizer(cx_, run, "adam", TENON_NUL, adam));
  must(tenon_checkpoint_save(cx_, run, path.data(), path.size()));
  tenon_checkpoint_release(run);
  tenon_optimizer_release(adam);
  tenon_layer_release(layer);

  const Done done = run_command({"inspect", path, "--json"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const json answer = done.json();
  EXPECT_EQ(answer.at("findings"), json::array());
  EXPECT_EQ(answer.at("parts").size(), 2u) << answer.at("parts").dump(1);  // and random numbers
  const json part = part_of(answer, "optimizer", "adam");
  EXPECT_EQ(part.at("may_be"), json({"tenon.nadam"}));
  EXPECT_EQ(part.at("parameters"), 2);
  EXPECT_EQ(part.at("steps"), 2);
  EXPECT_EQ(part.at("groups"), "1 1");
  EXPECT_EQ(part.at("hypers").at("group.1.lr"), "0.25");
  EXPECT_TRUE(part.at("hypers").contains("group.0.lr"));
  EXPECT_FALSE(part.at("hypers").contains("group.sizes"));
  EXPECT_THAT(run_command({"inspect", path}).out,
              AllOf(HasSubstr("\n  optimizer adam: tenon.nadam, 2 parameters with states, 2 steps, "
                              "groups of 1 1; "),
                    HasSubstr("group.1.lr 0.25")));
}

TEST_F(RunFiles, LoadersAndTensorsOfTheirOwn) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> random = {
      {"rng.seed", "1"}, {"rng.stream", "0"}, {"rng.counter", "7"}};
  std::map<std::string, std::string> texts = random;
  texts.insert({{"data.seed", "5"}, {"data.epoch", "2"}, {"data.position", "64"}});
  texts.insert({{"note.best", "a text"}});
  const std::string path = write(folder.path("run.safetensors"), texts, {"ema"});
  const json answer = run_command({"inspect", path, "--json"}).json();
  const json loader = part_of(answer, "loader", "data");
  EXPECT_EQ(loader.at("epoch"), "2");
  EXPECT_EQ(loader.at("position"), "64");
  EXPECT_EQ(part_of(answer, "tensor", "ema").at("shape"), json({2}));
  EXPECT_EQ(part_of(answer, "value", "note.best").at("text"), "a text");
  EXPECT_THAT(run_command({"inspect", path}).out,
              HasSubstr("\n  loader data: epoch 2, position 64, seed 5\n"));
}

TEST_F(RunFiles, WhatNoCheckpointHoldsIsNamed) {
  const TemporaryFolder folder;
  const std::string path = write(folder.path("run.safetensors"),
                                 {{"rng.seed", "one"},
                                  {"rng.stream", "0"},
                                  {"rng.hue", "3"},
                                  {"data.seed", "5"},
                                  {"data.epoch", ""},
                                  {"data.position", "1"},
                                  {"opt.lr", "0.1"}},
                                 {"opt.0.momentum_of_a_plugin"});
  const Done done = run_command({"inspect", path, "--json"});
  EXPECT_EQ(done.status, 1);
  const std::string findings = done.json().at("findings").dump();
  for (const char* words :
       {"rng.seed is \\\"one\\\", not a whole number", "rng.counter is missing",
        "rng.hue belongs to no random numbers", "data.epoch is \\\"\\\", not a whole number",
        "opt: no optimizer of the registry has these names"}) {
    EXPECT_THAT(findings, HasSubstr(words));
  }
  EXPECT_EQ(done.json().at("findings").size(), 5u) << findings;
  EXPECT_THAT(run_command({"inspect", path}).out,
              AllOf(HasSubstr("  wrong: rng.counter is missing\n"),
                    HasSubstr("optimizer opt: of a plugin that is not there, 1 parameter")));
}

// Cut short anywhere it is a finding or unknown, and never a checkpoint that is in order.
TEST_F(RunFiles, ADamagedFileIsNoCrash) {
  const TemporaryFolder folder;
  const std::string path = folder.write("run.safetensors", "");
  save_run(path, 1);
  const uintmax_t size = std::filesystem::file_size(path);
  for (const uintmax_t left : {size - 1, size / 2, uintmax_t{100}, uintmax_t{8}, uintmax_t{1}}) {
    std::filesystem::resize_file(path, left);
    const Done done = run_command({"inspect", path, "--json"});
    EXPECT_EQ(done.status, 1) << left;
    EXPECT_FALSE(done.json().at("findings").empty()) << left;
  }
}

// The listing of a plan with two launches.
TEST_F(RunFiles, TheListingOfAPlan) {
  const TemporaryFolder folder;
  const int64_t shape[] = {2, 3};
  tenon_tensor* x = nullptr;
  must(tenon_tensor_create(cx_, TENON_DTYPE_F32, nullptr, 2, shape, &x));
  const tenon_op* exp = nullptr;
  must(tenon_op_find(cx_, "tenon.exp", TENON_NUL, 0, &exp));
  must(tenon_capture_begin(cx_, &x, 1));
  tenon_value input{TENON_VALUE_TENSOR, 0, {}};
  tenon_tensor* made[2] = {};
  for (int i = 0; i < 2; ++i) {
    input.as.tensor = i == 0 ? x : made[0];
    must(tenon_op_call(cx_, exp, &input, 1, nullptr, 0, &made[i], 1));
  }
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(cx_, &plan));
  tenon_text* text = nullptr;
  must(tenon_plan_get_text(cx_, plan, &text));
  const char* data = nullptr;
  must(tenon_text_get(text, &data, nullptr));
  const std::string listing = data;
  for (tenon_tensor* tensor : {x, made[0], made[1]}) tenon_tensor_release(tensor);
  tenon_text_release(text);
  tenon_plan_release(plan);

  const Done good = run_command({"inspect", folder.write("step.plan", listing), "--json"});
  EXPECT_EQ(good.status, 0) << good.out;
  EXPECT_EQ(good.json().at("kind"), "plan");
  EXPECT_EQ(good.json().at("launches"), 2);
  EXPECT_EQ(good.json().at("inputs"), 1);
  EXPECT_EQ(good.json().at("ops"), json({{"tenon.exp", 2}}));
  EXPECT_THAT(run_command({"inspect", folder.path("step.plan")}).out,
              AllOf(HasSubstr("step.plan: plan\n  launches 2, storages "),
                    HasSubstr("\n  ops: tenon.exp 2\n")));
  const auto wrong = [&](const std::string& given, const std::string& words) {
    const Done done = run_command({"inspect", folder.write("wrong", given)});
    EXPECT_EQ(done.status, 1) << done.out;
    EXPECT_THAT(done.out, AllOf(HasSubstr("wrong: plan\n"), HasSubstr("  wrong: " + words)));
  };
  wrong(listing.substr(0, listing.find("\n1  ") + 1), "line 1 says 2 launches, the file lists 1");
  wrong("plan: many launches\n", "line 1: \"plan: N launches");
  wrong(listing + "arena of cpu:0: much\n", "line 4: \"arena of DEVICE: N bytes for N temporaries");
  const std::string arena =
      "arena of cpu:0: 128 bytes for 1 temporaries; 128 are in use at once, 128 in all\n";
  for (const char* line :
       {"  launches 1 to 0: 64 bytes at 0\n", "  launches 0 to 2: 64 bytes at 0\n",
        "  launches 0 to 1: 64 bytes at 128\n", "  nonsense\n"}) {
    wrong(listing + arena + line, "line 5: \"launches N to N: N bytes at N\", inside the arena");
  }
  wrong(listing + "  launches 0 to 1: 64 bytes at 0\n", "line 4: ");
  wrong(listing.substr(0, listing.find('\n') + 1) + "0  nonsense\n",
        "line 2: launch 0 with its op and plugin is expected; found \"0  nonsense\"");
}

// A plan with temporaries, as text and as a picture.
TEST_F(RunFiles, APlanIsDrawn) {
  const TemporaryFolder folder;
  const std::string listing =
      "plan: 3 launches, 2 storages, 1 inputs\n"
      "0  tenon.neg  tenon.cpu  f32[2] -> f32[2]\n"
      "1  tenon.exp  tenon.cpu  f32[2] -> f32[2]  a<b\n"
      "2  tenon.exp  tenon.cpu  f32[2] -> f32[2]\n"
      "arena of cpu:0: 2048 bytes for 2 temporaries; 2048 are in use at once, 2048 in all\n"
      "  launches 0 to 1: 1024 bytes at 0\n"
      "  launches 1 to 2: 1024 bytes at 1024\n"
      "frozen: hyper-parameter \"eps\" of tenon.adam = 1e-08\n";
  const std::string file = folder.write("step.plan", listing);
  const std::string picture = folder.path("step.svg");
  const Done done = run_command({"plan", file, "-o", picture});
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("step.plan: 3 launches\n       2  tenon.exp\n       1  "
                                        "tenon.neg\n"),
                              HasSubstr("arena of cpu:0: 2 KiB for 2 temporaries; 2 KiB in use at "
                                        "once, 2 KiB without sharing\n"),
                              HasSubstr("frozen: hyper-parameter \"eps\" of tenon.adam = 1e-08\n"),
                              HasSubstr("picture in " + picture)));
  std::ifstream drawn(picture);
  const std::string svg((std::istreambuf_iterator<char>(drawn)), {});
  EXPECT_THAT(svg, AllOf(testing::StartsWith("<svg "), testing::EndsWith("</svg>\n"),
                         HasSubstr("<title>tenon.neg, 1 KiB, launches 0 to 1</title>"),
                         HasSubstr("<title>tenon.exp, 1 KiB, launches 1 to 2</title>")));
  const Done data = run_command({"plan", file, "--json"});
  EXPECT_EQ(data.json().at("arenas").at(0).at("bytes"), 2048);
  EXPECT_EQ(data.json().at("frozen").size(), 1u);

  const Done absent = run_command({"plan", folder.path("absent")});
  EXPECT_NE(absent.status, 0);
  EXPECT_THAT(absent.out + absent.err, HasSubstr("is no plan's listing"));
  const Done unwritable = run_command({"plan", file, "-o", folder.path("none/step.svg")});
  EXPECT_NE(unwritable.status, 0);
  EXPECT_THAT(unwritable.out + unwritable.err, HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace tenon::tests
