// SPDX-License-Identifier: Apache-2.0
// tests/autograd/graph_query_test.cc: what was recorded, as JSON and as pictures, before a backward
// and after.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/autograd/autograd_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class GraphQuery : public Autograd {
 protected:
  void SetUp() override {
    Autograd::SetUp();
    x = leaf({1, 2});
    must(tenon_scope_begin(context, "layer<1>", TENON_NUL));
    square = times(x, x);
    must(tenon_scope_end(context));
    y = sum(square);
  }
  void TearDown() override {
    x.reset();
    square.reset();
    y.reset();
    Autograd::TearDown();
  }
  std::string graph(const char* topic) {
    tenon_tensor* const roots[] = {y.get()};
    tenon_text* out = nullptr;
    must(tenon_graph_query(context, roots, 1, topic, TENON_NUL, &out));
    const char* data = nullptr;
    uint64_t length = 0;
    must(tenon_text_get(out, &data, &length));
    std::string words(data, length);
    tenon_text_release(out);
    return words;
  }

  Tensor x, square, y;
};

TEST_F(GraphQuery, NamesNodesOperandsAndWhatIsSaved) {
  const nlohmann::json json = nlohmann::json::parse(graph("json"));
  ASSERT_EQ(json["nodes"].size(), 2U);
  ASSERT_EQ(json["leaves"].size(), 1U);
  const auto& mul = json["nodes"][0];
  EXPECT_EQ(mul["op"], "tenon.mul");
  EXPECT_EQ(mul["scope"], "layer<1>");
  EXPECT_EQ(mul["freed"], false);
  EXPECT_EQ(mul["inputs"][0]["name"], "a");
  EXPECT_EQ(mul["inputs"][0]["from"]["leaf"], 0);
  EXPECT_EQ(mul["inputs"][0]["saved"], "kept");
  EXPECT_EQ(mul["inputs"][0]["value"], "[1., 2.]");
  EXPECT_EQ(mul["inputs"][1]["shape"], nlohmann::json::array({2}));
  const auto& total = json["nodes"][1];
  EXPECT_EQ(total["op"], "tenon.sum");
  EXPECT_EQ(total["inputs"][0]["from"]["node"], 0);
  EXPECT_EQ(total["inputs"][0]["saved"], "no");
  EXPECT_EQ(total["attributes"]["keepdims"], "false");
  EXPECT_EQ(json["roots"][0]["node"], 1);
  EXPECT_EQ(json["leaves"][0]["value"], "[1., 2.]");
  EXPECT_FALSE(json["leaves"][0].contains("gradient"));
}

TEST_F(GraphQuery, ShowsGradientsAndFreedValuesAfterABackward) {
  must(tenon_tensor_set_retain_grad(context, square.get(), 1));
  Callback& seen = noting("square");
  begin_hook(square, seen);
  must(backward(y));
  const nlohmann::json json = nlohmann::json::parse(graph("json"));
  const auto& mul = json["nodes"][0];
  EXPECT_EQ(mul["freed"], true);
  EXPECT_EQ(mul["inputs"][0]["saved"], "freed");
  EXPECT_EQ(mul["outputs"][0]["gradient"], "[1., 1.]");
  EXPECT_EQ(mul["outputs"][0]["hooks"], 1);
  EXPECT_EQ(json["leaves"][0]["gradient"], "[2., 4.]");
  const std::string dot = graph("dot");
  EXPECT_THAT(dot, HasSubstr("freed a"));
  EXPECT_THAT(dot, HasSubstr("gradient = [1., 1.]"));
  EXPECT_THAT(dot, HasSubstr("1 hook"));
}

TEST_F(GraphQuery, DrawsForGraphviz) {
  const std::string dot = graph("dot");
  EXPECT_THAT(dot, HasSubstr("digraph recorded {"));
  EXPECT_THAT(dot, HasSubstr("tenon.sum (root)"));
  EXPECT_THAT(dot, HasSubstr("saved a = [1., 2.]"));
  EXPECT_THAT(dot, HasSubstr("b0 -> b1 [label=\"a\"]"));
}

// Every element that opens closes, and words of the program cannot break out of theirs.
TEST_F(GraphQuery, DrawsAPictureThatIsXml) {
  const std::string svg = graph("svg");
  EXPECT_THAT(svg, HasSubstr("layer&lt;1&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("layer<1>")));
  std::vector<std::string> open;
  for (size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const bool closes = svg[at + 1] == '/';
    const size_t begin = at + 1 + closes;
    const std::string name = svg.substr(begin, svg.find_first_of(" />", begin) - begin);
    if (!closes) {
      if (svg[end - 1] != '/') open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty());
    EXPECT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  EXPECT_NE(svg.find("<path d="), std::string::npos);
}

TEST_F(GraphQuery, LeavesOutTheOldestOfManyNodes) {
  Tensor chain = times(x, x);
  for (int i = 0; i < 1000; ++i) chain = call("tenon.neg", {one(chain.get())});
  y = std::move(chain);
  EXPECT_THAT(graph("svg"), HasSubstr("601 older nodes are left out"));
  EXPECT_EQ(nlohmann::json::parse(graph("json"))["nodes"].size(), 1001U);
}

// How far right and down a leaf's box and the root's begin, in a picture.
std::pair<std::vector<int>, std::vector<int>> places(const std::string& svg) {
  std::pair<std::vector<int>, std::vector<int>> found;
  const std::string mark = "<rect x=\"";
  for (size_t at = svg.find(mark); at != svg.npos; at = svg.find(mark, at + 1)) {
    found.first.push_back(std::stoi(svg.substr(at + mark.size())));
    found.second.push_back(std::stoi(svg.substr(svg.find(" y=\"", at) + 4)));
  }
  return found;
}

TEST_F(GraphQuery, DrawsFromTopToBottomOrFromLeftToRight) {
  EXPECT_EQ(graph("dot/TB"), graph("dot"));
  EXPECT_EQ(graph("svg/TB"), graph("svg"));
  EXPECT_THAT(graph("dot"), Not(HasSubstr("rankdir")));
  EXPECT_THAT(graph("dot/LR"), HasSubstr("rankdir=LR;"));
  // A leaf, what is computed from it, and the root: each beyond the one before.
  const auto [x_down, y_down] = places(graph("svg"));
  const auto [x_right, y_right] = places(graph("svg/LR"));
  ASSERT_EQ(x_down.size(), 3u);
  ASSERT_EQ(x_right.size(), 3u);
  EXPECT_THAT(std::is_sorted(y_down.begin(), y_down.end(), std::less_equal()), true);
  EXPECT_THAT(std::is_sorted(x_right.begin(), x_right.end(), std::less_equal()), true);
  EXPECT_LT(y_right[2], y_down[2]);
}

TEST_F(GraphQuery, KnowsItsTopicsAndRootsWithoutGraph) {
  tenon_tensor* const roots[] = {x.get()};
  tenon_text* out = nullptr;
  const std::string words =
      refused(tenon_graph_query(context, roots, 1, "png", TENON_NUL, &out), TENON_E_NOT_FOUND);
  EXPECT_THAT(words, HasSubstr("json, dot or svg"));
  for (const char* topic : {"json/LR", "dot/BT", "dot/", "svg/LR/TB", "dotLR", ""}) {
    SCOPED_TRACE(topic);
    refused(tenon_graph_query(context, roots, 1, topic, TENON_NUL, &out), TENON_E_NOT_FOUND);
  }
  must(tenon_graph_query(context, roots, 1, "json", TENON_NUL, &out));
  const char* data = nullptr;
  must(tenon_text_get(out, &data, nullptr));
  EXPECT_EQ(nlohmann::json::parse(data)["roots"][0]["leaf"], 0);
  tenon_text_release(out);
}

}  // namespace
}  // namespace tenon::tests
