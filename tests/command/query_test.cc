// SPDX-License-Identifier: Apache-2.0
// tests/command/query_test.cc: the library after the command: tenon_runtime_query and
// tenon_op_explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/paths.h"

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

// The topics there are, as the error about an unknown one lists them.
std::set<std::string> topics_in(const std::string& message) {
  std::set<std::string> topics;
  std::istringstream listed(message.substr(message.find("topics are ") + 11));
  for (std::string topic; std::getline(listed >> std::ws, topic, ',');) topics.insert(topic);
  return topics;
}

std::string header(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void add_matches(std::set<std::string>& to, const std::string& text, const std::regex& quoted) {
  for (std::sregex_iterator each(text.begin(), text.end(), quoted), end; each != end; ++each) {
    to.insert((*each)[1]);
  }
}

// The quoted names in the comment of tenon_runtime_query, and what headers of kinds say of theirs.
std::set<std::string> topics_of_headers() {
  const std::filesystem::path folder = std::string(source_dir()) + "/c_api/include/tenon";
  std::string text = header(folder / "runtime.h");
  text = text.substr(0, text.find("tenon_runtime_query("));
  std::set<std::string> topics;
  add_matches(topics, text.substr(text.rfind("// What the runtime knows")),
              std::regex("\"(\\w+)\""));
  for (const auto& draft : std::filesystem::directory_iterator(folder / "ext/draft")) {
    add_matches(topics, header(draft), std::regex("runtime query \"(\\w+)\""));
  }
  return topics;
}

TEST_F(RuntimeQuery, EveryTopicIsListedAndIsJson) {
  tenon_text* text = nullptr;
  EXPECT_EQ(tenon_runtime_query(context_, "nosuch", TENON_NUL, &text), TENON_E_NOT_FOUND);
  EXPECT_EQ(text, nullptr);
  EXPECT_THAT(error(), HasSubstr("\"nosuch\""));
  const std::set<std::string> topics = topics_in(error());
  EXPECT_EQ(topics, topics_of_headers());
  for (const std::string& topic : topics) {
    const bool whole = topic == "stats" || topic == "environment";
    EXPECT_EQ(query(topic.c_str()).is_array(), !whole) << topic;
  }
}

TEST_F(RuntimeQuery, KindsHaveATopicEach) {
  const json kinds = query("kinds");
  const json plugins = query("plugins");
  ASSERT_FALSE(kinds.empty());
  for (const json& kind : kinds) {
    const std::string topic = kind.at("topic");
    EXPECT_EQ(kind.at("interface"), "tenon." + topic + "/1");
    std::set<std::string> named;
    std::set<std::string> listed;
    for (const json& entry : query(topic.c_str())) {
      EXPECT_NE(entry.at("doc"), "") << entry.dump();
      named.insert(entry.at("name"));
    }
    for (const json& plugin : plugins) {
      for (const std::string name : plugin.at(topic)) listed.insert(name);
    }
    EXPECT_FALSE(named.empty()) << topic;
    EXPECT_EQ(named, listed) << topic;
  }
}

std::string operand_text(const json& operand) {
  std::string text = operand.value("aux", false) ? "aux " : "";
  const std::string name = operand.at("name");
  if (!name.empty()) text += name + (operand.value("mutated", false) ? "!: " : ": ");
  text += operand.at("dtype").get<std::string>();
  if (operand.at("dims").is_array()) {
    std::string dims;
    for (const std::string dim : operand.at("dims")) dims += (dims.empty() ? "" : ",") + dim;
    text += "[" + dims + "]";
  }
  text += operand.value("list", false) ? "*" : "";
  return text + (operand.value("optional", false) ? "?" : "");
}

std::string attribute_text(const json& attribute) {
  const std::string initial = attribute.at("default_text");
  return attribute.at("name").get<std::string>() + ": " + attribute.at("type").get<std::string>() +
         (attribute.at("optional") ? "?" : "") + (initial.empty() ? "" : "=" + initial);
}

// The schema text, but for what type variables may be, put together again.
std::string schema_of(const json& op) {
  const std::string full = op.at("name");
  std::string inside;
  const auto add = [&](const std::string& item) { inside += (inside.empty() ? "" : ", ") + item; };
  for (const json& input : op.at("inputs")) add(operand_text(input));
  if (!op.at("attributes").empty()) add("*");
  for (const json& attribute : op.at("attributes")) add(attribute_text(attribute));
  const std::string head = full.substr(full.rfind('.') + 1) + "(" + inside + ") -> ";
  inside.clear();
  for (const json& output : op.at("outputs")) add(operand_text(output));
  return head + (op.at("outputs").size() == 1 ? inside : "(" + inside + ")");
}

// A plugin may write 1 for 1.0; the data has one spelling.
std::string plain(const std::string& schema) {
  return std::regex_replace(schema, std::regex("\\.0(?=[,)])"), "");
}

TEST_F(RuntimeQuery, OpsSayTheirSchemaAsData) {
  const json ops = query("ops");
  ASSERT_GT(ops.size(), 100u);
  for (const json& op : ops) {
    const std::string schema = op.at("schema");
    EXPECT_EQ(plain(schema_of(op)), plain(schema.substr(0, schema.find(" where "))));
    for (const json& variable : op.at("variables")) {
      EXPECT_FALSE(variable.at("dtypes").empty()) << op.at("name");
    }
    for (const json& attribute : op.at("attributes")) {
      const bool absent = attribute.at("required") || attribute.at("optional");
      EXPECT_TRUE(absent || !attribute.at("default").is_null()) << op.at("name");
    }
  }
}

TEST_F(RuntimeQuery, RulesSayWhatTheyNeed) {
  const json mul = query("ops/tenon.mul");
  const json& needs = mul.at("vjp_needs");
  ASSERT_EQ(needs.size(), 2u) << mul;
  EXPECT_EQ(needs[0].at("input"), "a");
  EXPECT_EQ(needs[0].at("inputs"), json({"b"}));
  EXPECT_EQ(needs[1].at("inputs"), json({"a"}));
  EXPECT_EQ(query("ops/tenon.exp").at("vjp_needs")[0].at("outputs"), json({"output 0"}));
  const json take = query("ops/tenon.take").at("vjp_needs");
  EXPECT_TRUE(take[0].at("differentiable")) << take;
  EXPECT_FALSE(take[1].at("differentiable")) << take;
}

TEST_F(RuntimeQuery, OneOpIsToldWithoutTheOthers) {
  const json add = query("ops/tenon.add");
  EXPECT_EQ(add.at("name"), "tenon.add");
  EXPECT_EQ(query("ops/tenon.add@1"), add);
  EXPECT_EQ(query("stats").at("libraries_opened"), 1);
  tenon_text* text = nullptr;
  EXPECT_EQ(tenon_runtime_query(context_, "ops/tenon.ad", TENON_NUL, &text), TENON_E_NOT_FOUND);
  EXPECT_THAT(error(), HasSubstr("op \"tenon.ad\" is not available"));
  EXPECT_EQ(tenon_runtime_query(context_, "ops/tenon.add@7", TENON_NUL, &text), TENON_E_NOT_FOUND);
  EXPECT_THAT(error(), HasSubstr("no revision 7"));
  EXPECT_EQ(tenon_runtime_query(context_, "ops/tenon.add@x", TENON_NUL, &text), TENON_E_ARGUMENT);
  EXPECT_THAT(error(), HasSubstr("a revision is a number; found \"x\""));
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
