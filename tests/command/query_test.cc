// SPDX-License-Identifier: Apache-2.0
// tests/command/query_test.cc: the library behind the command: tenon_runtime_query and
// tenon_op_explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include <nlohmann/json.hpp>

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RuntimeQuery : public testing::Test {
 protected:
  void SetUp() override {
    tenon_diag diag{};
    ASSERT_EQ(tenon_runtime_create(nullptr, &diag, &runtime_), TENON_OK) << diag.message;
    ASSERT_EQ(tenon_context_create(runtime_, &diag, &context_), TENON_OK) << diag.message;
  }
  void TearDown() override {
    tenon_context_release(context_);
    tenon_runtime_release(runtime_);
  }

  static json take(tenon_text* text) {
    const char* data = nullptr;
    EXPECT_EQ(tenon_text_get(text, &data, nullptr), TENON_OK);
    json parsed = json::parse(data, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << data;
    tenon_text_release(text);
    return parsed;
  }
  json query(const char* topic) {
    tenon_text* text = nullptr;
    EXPECT_EQ(tenon_runtime_query(context_, topic, TENON_NUL, &text), TENON_OK) << topic;
    return text ? take(text) : json();
  }
  std::string error() {
    tenon_error record{};
    record.struct_size = sizeof record;
    EXPECT_EQ(tenon_context_get_error(context_, &record), TENON_OK);
    return record.message;
  }
  tenon_stats stats() {
    tenon_stats stats{};
    stats.struct_size = sizeof stats;
    EXPECT_EQ(tenon_runtime_get_stats(context_, &stats), TENON_OK);
    return stats;
  }

  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
};

// Asked of the core's own hashing; the manifests hold what the command has computed.
TEST_F(RuntimeQuery, HashesAreThoseOfTheManifests) {
  const json hashes = query("hashes");
  const json plugins = query("plugins");
  ASSERT_EQ(hashes.size(), plugins.size());
  ASSERT_FALSE(hashes.empty());
  for (size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(hashes[i].at("id"), plugins[i].at("id"));
    EXPECT_EQ(hashes[i].at("sha256"), plugins[i].at("sha256")) << hashes[i];
    EXPECT_EQ(hashes[i].at("problem"), "");
  }
}

TEST_F(RuntimeQuery, EveryTopicIsJson) {
  for (const char* topic : {"plugins", "devices", "ops", "optimizers", "schedules", "datasets",
                            "layers", "samples", "paths", "log"}) {
    EXPECT_TRUE(query(topic).is_array()) << topic;
  }
  EXPECT_TRUE(query("stats").is_object());
  EXPECT_TRUE(query("environment").is_object());
}

TEST_F(RuntimeQuery, UnknownTopicsAreRefusedWithTheKnownOnes) {
  tenon_text* text = nullptr;
  EXPECT_EQ(tenon_runtime_query(context_, "nosuch", TENON_NUL, &text), TENON_E_NOT_FOUND);
  EXPECT_EQ(text, nullptr);
  EXPECT_THAT(error(), HasSubstr("\"nosuch\""));
  EXPECT_THAT(error(), HasSubstr("plugins, devices, ops, optimizers, schedules, datasets, formats, "
                                 "layers, samples, tolerances, optimizer_samples, paths"));
}

TEST_F(RuntimeQuery, ListingPluginsOpensNoLibrary) {
  query("plugins");
  query("paths");
  EXPECT_EQ(query("stats").at("libraries_opened"), 0);
  query("ops");
  EXPECT_GT(query("stats").at("libraries_opened"), 0);
}

TEST_F(RuntimeQuery, OptimizersAndDatasetsHaveTheirOptions) {
  const json optimizers = query("optimizers");
  ASSERT_FALSE(optimizers.empty());
  for (const json& optimizer : optimizers) {
    EXPECT_FALSE(optimizer.at("hypers").empty()) << optimizer.dump();
    EXPECT_NE(optimizer.at("doc"), "") << optimizer.dump();
    for (const json& hyper : optimizer.at("hypers")) {
      EXPECT_LE(hyper.at("minimum"), hyper.at("default")) << hyper.dump();
    }
  }
  const json schedules = query("schedules");
  ASSERT_FALSE(schedules.empty());
  for (const json& schedule : schedules) {
    EXPECT_NE(schedule.at("doc"), "") << schedule.dump();
    EXPECT_EQ(schedule.at("states").at(0).at("name"), "step") << schedule.dump();
  }
  const json datasets = query("datasets");
  ASSERT_FALSE(datasets.empty());
  for (const json& dataset : datasets) EXPECT_FALSE(dataset.at("options").empty());
}

TEST_F(RuntimeQuery, ExplainRunsAndAllocatesNothing) {
  const tenon_op* op = nullptr;
  ASSERT_EQ(tenon_op_find(context_, "tenon.add", TENON_NUL, 0, &op), TENON_OK) << error();
  const int64_t shape[2] = {2, 3};
  tenon_value inputs[2] = {};
  const tenon_dtype dtypes[2] = {TENON_DTYPE_I32, TENON_DTYPE_F32};
  tenon_tensor* tensors[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(tenon_tensor_create(context_, dtypes[i], nullptr, 2, shape, &tensors[i]), TENON_OK);
    inputs[i].tag = TENON_VALUE_TENSOR;
    inputs[i].as.tensor = tensors[i];
  }
  ASSERT_EQ(tenon_tensor_set_requires_grad(context_, tensors[1], 1), TENON_OK) << error();
  const tenon_stats before = stats();
  tenon_text* text = nullptr;
  ASSERT_EQ(tenon_op_explain(context_, op, inputs, 2, nullptr, 0, &text), TENON_OK) << error();
  const json answer = take(text);
  EXPECT_EQ(answer.at("casts").size(), 1u);
  EXPECT_EQ(answer.at("outputs")[0].at("dtype"), "f32");
  const tenon_stats after = stats();
  EXPECT_EQ(after.launches, before.launches);
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.nodes, before.nodes);
  for (tenon_tensor* tensor : tensors) tenon_tensor_release(tensor);
}

}  // namespace
}  // namespace tenon::tests
