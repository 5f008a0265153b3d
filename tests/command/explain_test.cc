// SPDX-License-Identifier: Apache-2.0
// tests/command/explain_test.cc: explain: an entry of any kind, by name; the pages of all kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/kinds.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Noun and plural of each kind but ops.
std::vector<std::pair<std::string, std::string>> entry_kinds() {
  std::vector<std::pair<std::string, std::string>> kinds;
#define TENON_TEST_KIND(noun, plural) kinds.emplace_back(#noun, #plural);
  TENON_KINDS(TENON_TEST_KIND)
#undef TENON_TEST_KIND
  return kinds;
}

// The names of a kind that the tree's own plugins list.
std::vector<std::string> names_of(const std::string& plural) {
  std::set<std::string> names;
  const json listed = run_command({"list", "--json"}).json();
  for (const json& plugin : listed.at("plugins")) {
    for (const json& name : plugin.at(plural)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// What the public headers export.
std::set<std::string> exported() {
  std::set<std::string> names;
  const std::filesystem::path folder = std::string(source_dir()) + "/c_api/include/tenon";
  const std::regex function("\\b(tenon_\\w+)\\(");
  for (const auto& header : std::filesystem::recursive_directory_iterator(folder)) {
    if (header.path().extension() != ".h") continue;
    const std::string text = contents_of(header.path());
    for (std::sregex_iterator each(text.begin(), text.end(), function), end; each != end; ++each) {
      names.insert((*each)[1]);
    }
  }
  return names;
}

void expect_in_words(const std::string& text, const json& said) {
  const json options = said.value("options", said.value("hypers", json::array()));
  for (const json& option : options) {
    EXPECT_THAT(text, HasSubstr("\n  " + option.at("name").get<std::string>() + ": " +
                                option.at("type").get<std::string>()));
    EXPECT_THAT(text, HasSubstr(option.at("doc").get<std::string>()));
  }
  for (const json& state : said.value("states", json::array())) {
    EXPECT_THAT(text, HasSubstr("\n  " + state.at("name").get<std::string>() + ": shape "));
  }
}

void expect_calls(const json& said, const std::set<std::string>& functions) {
  const std::string name = said.at("name");
  const std::string in_c = said.at("in_c");
  EXPECT_THAT(in_c, HasSubstr("\"" + name + "\""));
  EXPECT_EQ(functions.count(in_c.substr(0, in_c.find('('))), 1u) << in_c;
  const std::string in_python = said.at("in_python");
  if (!in_python.empty()) {
    EXPECT_THAT(in_python, AllOf(StartsWith("tenon."), HasSubstr(name.substr(name.find('.') + 1))));
  }
}

// One entry of each kind in words, all of them as JSON.
TEST(CommandExplain, KnowsEveryKind) {
  const std::set<std::string> functions = exported();
  for (const auto& [noun, plural] : entry_kinds()) {
    const std::vector<std::string> names = names_of(plural);
    ASSERT_FALSE(names.empty()) << noun;
    SCOPED_TRACE(noun + " " + names[0]);
    const Done words = run_command({"explain", names[0], "--kind", noun});
    EXPECT_EQ(words.status, 0) << words.err;
    EXPECT_THAT(words.out, StartsWith(names[0] + ": "));
    EXPECT_THAT(words.out, HasSubstr(" " + noun + ", of "));
    EXPECT_THAT(words.out, HasSubstr("\nin C\n  tenon_"));
    const Done done = run_command({"explain", names[0], "--kind", plural, "--json"});
    ASSERT_EQ(done.json().size(), 1u) << done.out;
    const json said = done.json()[0];
    EXPECT_EQ(said.at("kind"), noun);
    EXPECT_EQ(said.at("name"), names[0]);
    EXPECT_THAT(words.out, HasSubstr(said.at("doc").get<std::string>()));
    expect_in_words(words.out, said);
    expect_calls(said, functions);
  }
}

TEST(CommandExplain, TellsRangesDefaultsAndStates) {
  const Done done = run_command({"explain", "adam"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, StartsWith("tenon.adam: an optimizer, of tenon.optim\n"));
  EXPECT_THAT(done.out,
              HasSubstr("  lr: float = 0.001, at least 0, may change between runs of a plan\n"));
  EXPECT_THAT(done.out, HasSubstr("  beta1: float = 0.9, 0 to 0.99"));
  EXPECT_THAT(done.out,
              HasSubstr("  exp_avg: shape like parameter, dtype like parameter, starts at 0\n"));
  EXPECT_THAT(done.out, HasSubstr("\nthe op of a step\n  tenon.adam_step\n"));
  EXPECT_THAT(done.out, HasSubstr("\nin Python\n  tenon.optim.adam(params)\n"));
  EXPECT_THAT(run_command({"explain", "cosine"}).out,
              AllOf(HasSubstr("  period: int, required, 1 to "),
                    HasSubstr("tenon.schedules.cosine(base_value, period=...)")));
  EXPECT_THAT(run_command({"explain", "npz"}).out, HasSubstr("\nendings of files\n  .npz\n"));
  EXPECT_THAT(run_command({"explain", "crop"}).out,
              HasSubstr("u8[3,5] | height=1, width=1: refused, TENON_E_SHAPE: dimensions\n"));
}

// Samples that plugins state apart are shown, too; of many the first.
TEST(CommandExplain, ShowsSamplesOfOpsAndOptimizers) {
  for (const auto& [name, kind] : {std::pair{"tenon.adam", "optimizer"}, {"tenon.sum", "op"}}) {
    const Done done = run_command({"explain", name, "--kind", kind, "--json"});
    const json samples = done.json().at(0).at("samples");
    ASSERT_GE(samples.size(), 2u) << name;
    const std::string words = run_command({"explain", name, "--kind", kind}).out;
    EXPECT_THAT(words, HasSubstr("\nsamples\n  " + samples[0].at("text").get<std::string>()));
    const bool more = samples.size() > 20;
    EXPECT_EQ(words.find("  and " + std::to_string(samples.size() - 20) + " more\n") != words.npos,
              more);
  }
}

// "an op and a layer": both are shown, or the one that is meant.
TEST(CommandExplain, ShowsAllKindsThatHaveAName) {
  const Done both = run_command({"explain", "tenon.linear"});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, AllOf(HasSubstr("tenon.linear: an op, revision 1, of tenon.ops\n"),
                              HasSubstr("tenon.linear: a layer, of tenon.layers\n")));
  EXPECT_EQ(run_command({"explain", "tenon.linear", "--json"}).json().size(), 2u);
  const Done layer = run_command({"explain", "tenon.linear", "--kind", "layer"});
  EXPECT_THAT(layer.out, Not(HasSubstr("an op")));
  const Done unclear = run_command({"explain", "linear", "f32[2,3] | inputs=3, outputs=4"});
  EXPECT_EQ(unclear.status, 2);
  EXPECT_THAT(unclear.err, HasSubstr("is an op and a layer: say --kind op or --kind layer"));
}

TEST(CommandExplain, ListsTheTensorsOfALayer) {
  const Done first = run_command({"explain", "batch_norm"});
  EXPECT_THAT(first.out, HasSubstr("\n  running_mean: f64[3], buffer\n"));
  const std::vector<std::string> given = {"explain", "linear", "| inputs=3, outputs=4", "--kind",
                                          "layer"};
  EXPECT_EQ(run_command(given).out,
            "tenon.linear\ntensors of \"| inputs=3, outputs=4\"\n  weight: f32[4,3], parameter\n"
            "  bias: f32[4], parameter\n");
  std::vector<std::string> as_json = given;
  as_json.emplace_back("--json");
  const json tensors = run_command(as_json).json().at("tensors");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0],
            json({{"name", "weight"}, {"dtype", "f32"}, {"shape", {4, 3}}, {"buffer", false}}));
  const Done refused = run_command({"explain", "linear", "| inputs=3", "--kind", "layer"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("\"outputs\" is required"));
  const Done other = run_command({"explain", "adam", "f32[3]"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("tenon.adam is an optimizer; a sample is for ops and layers"));
  EXPECT_EQ(run_command({"explain", "linear", "nonsense", "--kind", "layer"}).status, 2);
}

TEST(CommandExplain, AnswersAMisspeltNameWithTheNearestOfAllKinds) {
  const std::map<std::string, std::string> near = {
      {"adm", "\"tenon.add\" (op), \"tenon.adam\" (optimizer)"},
      {"cosin", "\"tenon.cosine\" (schedule)"},
      {"cropp", "\"tenon.crop\" (transform)"},
      {"linaer", "\"tenon.linear\" (op, layer)"},
      {"acme.npz", "\"tenon.npz\" (format)"}};
  for (const auto& [name, words] : near) {
    const Done done = run_command({"explain", name});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("did you mean " + words + "? Else put")) << name;
  }
  const Done kind = run_command({"explain", "adam", "--kind", "optimiser"});
  EXPECT_EQ(kind.status, 1);
  EXPECT_THAT(kind.err, HasSubstr("did you mean \"optimizer\"?"));
  EXPECT_THAT(run_command({"explain", "adam", "--kind", "layer"}).err,
              HasSubstr("layer \"tenon.adam\" is not available"));
  EXPECT_EQ(run_command({"explain"}).status, 2);
}

// A page a kind with all its entries and options, and an index.
TEST(CommandExplain, WritesAPageForEachKind) {
  const TemporaryFolder folder;
  const Done done = run_command({"explain", "--pages", folder.path("kinds"), "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.json().at("pages"), entry_kinds().size() + 1);
  const std::string index = contents_of(folder.path("kinds/README.md"));
  for (const auto& [noun, plural] : entry_kinds()) {
    const std::string page = contents_of(folder.path("kinds/" + plural + ".md"));
    EXPECT_THAT(index, HasSubstr("](" + plural + ".md)"));
    for (const std::string& name : names_of(plural)) {
      EXPECT_THAT(page, HasSubstr("\n## " + name + "\n")) << noun;
      EXPECT_THAT(index, HasSubstr("[" + name + "](" + plural + ".md#")) << noun;
    }
  }
  EXPECT_THAT(contents_of(folder.path("kinds/optimizers.md")),
              HasSubstr("| `lr` | `float` | `0.001` | at least 0 | learning rate. Dynamic |"));
  EXPECT_EQ(run_command({"explain", "adam", "--pages", folder.path("kinds")}).status, 2);
  EXPECT_EQ(run_command({"explain", "--pages", "/proc/nowhere"}).status, 1);
}

}  // namespace
}  // namespace tenon::tests
