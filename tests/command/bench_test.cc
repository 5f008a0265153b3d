// SPDX-License-Identifier: Apache-2.0
// tests/command/bench_test.cc: bench: whom it measures, what it compares, what it refuses. Nothing
// here depends on how fast anything is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAreArray;

Done bench(std::vector<std::string> arguments) {
  // With the plain kernels alone it is known who wins.
  arguments.insert(arguments.begin(),
                   {"--exclude", "tenon.cpu", "--exclude", "tenon.cuda", "bench"});
  arguments.insert(arguments.end(), {"--min-time", "0.001"});
  return run_command(arguments);
}

// Providers of matmul that wrap a library, best first, as far as they were built.
std::vector<std::string> wrapped_providers() {
  std::vector<std::string> built;
  for (const char* id : {"tenon.openblas", "tenon.onednn"}) {
    if (std::filesystem::exists(std::string(plugin_dir()) + "/" + id)) built.emplace_back(id);
  }
  return built;
}

std::vector<std::string> plugins_in(const json& list) {
  std::vector<std::string> ids;
  for (const json& each : list) ids.push_back(each.at("plugin"));
  return ids;
}

TEST(CommandBench, JsonHasEveryFact) {
  const Done done = bench({"tenon.add", "f32[64], f32[64]", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  const json answer = done.json();
  EXPECT_EQ(answer.at("op"), "tenon.add");
  EXPECT_EQ(answer.at("sample"), "f32[64], f32[64]");
  EXPECT_EQ(answer.at("arithmetic"), "canonical");
  EXPECT_EQ(answer.at("default"), "tenon.ref");
  EXPECT_EQ(answer.at("baseline"), "tenon.ref");
  EXPECT_GE(answer.at("threads"), 1);
  EXPECT_GT(answer.at("seed"), 0);
  EXPECT_EQ(answer.at("min_time_s"), 0.001);
  EXPECT_EQ(answer.at("work"), json({{"unit", "bytes"}, {"per_call", 3.0 * 64 * 4}}));
  EXPECT_EQ(answer.at("skipped"), json::array());
  ASSERT_THAT(plugins_in(answer.at("providers")), Contains("tenon.ref"));
  const json& ref = answer.at("providers")[0];
  EXPECT_GT(ref.at("median_s"), 0.0);
  EXPECT_LE(ref.at("best_s"), ref.at("median_s"));
  EXPECT_GE(ref.at("calls"), 5);
  EXPECT_GT(ref.at("rate"), 0.0);
  EXPECT_EQ(ref.at("speed_ratio"), 1.0);
  EXPECT_EQ(ref.at("staged_operands"), 0);
  EXPECT_THAT(ref.at("flags"), Contains("canonical"));
  EXPECT_EQ(ref.at("difference").at("differing_elements"), 0);
}

TEST(CommandBench, TextNamesWhoAndHow) {
  const Done done = bench({"tenon.matmul", "f32[8,9], f32[9,5]", "--plugins", "tenon.ref"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("tenon.matmul of f32[8,9], f32[9,5], canonical arithmetic"));
  EXPECT_THAT(done.out, HasSubstr("chosen without a pin: tenon.ref"));
  EXPECT_THAT(done.out, AllOf(HasSubstr("median "), HasSubstr("best "), HasSubstr("GFLOP/s")));
  EXPECT_THAT(done.out, Not(HasSubstr("tenon.openblas")));
  EXPECT_THAT(bench({"tenon.neg", "f32[8]"}).out, HasSubstr(" GB/s"));
}

TEST(CommandBench, WorkOfAProductIsItsMultiplicationsAndAdditions) {
  const json answer = bench({"tenon.matmul", "f64[3,8,9], f64[9,5]", "--json"}).json();
  EXPECT_EQ(answer.at("work"), json({{"unit", "flop"}, {"per_call", 2.0 * 3 * 8 * 9 * 5}}));
}

TEST(CommandBench, MeasuresEveryProviderAndComparesThem) {
  const std::vector<std::string> wrapped = wrapped_providers();
  if (wrapped.empty()) GTEST_SKIP() << "no library was found: there is one provider";
  for (const auto& [arithmetic, chosen] :
       {std::pair<const char*, std::string>("canonical", "tenon.ref"), {"fast", wrapped[0]}}) {
    const json answer =
        bench({"tenon.matmul", "f32[40,300], f32[300,50]", "--arithmetic", arithmetic, "--json"})
            .json();
    EXPECT_EQ(answer.at("default"), chosen);
    EXPECT_EQ(answer.at("baseline"), chosen);
    std::vector<std::string> all = wrapped;
    all.emplace_back("tenon.ref");
    EXPECT_THAT(plugins_in(answer.at("providers")), UnorderedElementsAreArray(all));
    for (const json& each : answer.at("providers")) {
      const json& difference = each.at("difference");
      EXPECT_EQ(difference.at("not_finite_on_one_side"), 0);
      if (each.at("plugin") == chosen) {
        EXPECT_EQ(difference.at("differing_elements"), 0);
      } else {
        // f32 sums and sums in double of 300 products cannot all round alike.
        EXPECT_GT(difference.at("differing_elements"), 0);
        EXPECT_GT(difference.at("largest"), 0.0);
        EXPECT_LT(difference.at("largest").get<double>(),
                  1e-4 * difference.at("largest_value").get<double>());
      }
    }
  }
}

TEST(CommandBench, SaysWhyAProviderCannotRunTheCall) {
  const std::vector<std::string> wrapped = wrapped_providers();
  if (wrapped.empty()) GTEST_SKIP() << "no library was found: there is one provider";
  const Done done = bench({"tenon.matmul", "i32[4,4], i32[4,4]", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  const json answer = done.json();
  EXPECT_THAT(plugins_in(answer.at("skipped")), IsSupersetOf(wrapped));
  EXPECT_THAT(answer.at("skipped")[0].at("reason").get<std::string>(),
              HasSubstr("has no row for dtypes (i32)"));
  EXPECT_EQ(answer.at("work").at("unit"), "bytes") << "integers make no floating-point operations";
  const Done only = bench({"tenon.matmul", "i32[4,4], i32[4,4]", "--plugins", wrapped[0]});
  EXPECT_EQ(only.status, 1);
  EXPECT_THAT(only.err, AllOf(HasSubstr("no provider can run this call of tenon.matmul"),
                              HasSubstr("has no row for dtypes (i32)")));
}

TEST(CommandBench, RandomOpsAndOpsThatWriteTheirOperands) {
  EXPECT_EQ(bench({"tenon.uniform", "| shape=[1000], low=0.0, high=1.0"}).status, 0);
  const Done done = bench({"tenon.rows_add", "f32[5,4], i64[2]{1,3}, f32[2,4]", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(bench({"tenon.concat", "[f32[2], f32[3]] | axis=0"}).status, 0);
}

// An op that nobody has a kernel for; and one that is not a composition.
TEST(CommandBench, MeasuresCompositions) {
  const Done done = bench({"tenon.mse_loss", "f32[64], f32[64]", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  const json answer = done.json();
  EXPECT_EQ(answer.at("default"), "composition");
  EXPECT_EQ(answer.at("baseline"), "composition");
  ASSERT_EQ(plugins_in(answer.at("providers")), std::vector<std::string>{"composition"});
  const json& provider = answer.at("providers")[0];
  EXPECT_GT(provider.at("median_s"), 0.0);
  EXPECT_GE(provider.at("launched").size(), 1u);
  EXPECT_EQ(provider.at("difference").at("differing_elements"), 0);
  EXPECT_THAT(bench({"tenon.mse_loss", "f32[64], f32[64]"}).out, HasSubstr("    runs tenon."));
  const Done none = bench({"tenon.add", "f32[4], f32[4]", "--plugins", "composition"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("composition: it is not a composition of other ops"));
}

TEST(CommandBench, RefusesWhatItCannotMeasure) {
  const Done view = bench({"tenon.transpose", "f32[2,3]"});
  EXPECT_EQ(view.status, 1);
  EXPECT_THAT(view.err, HasSubstr("with a view: no kernel runs, nothing to measure"));
  const Done shapes = bench({"tenon.matmul", "f32[2,3], f32[4,5]"});
  EXPECT_EQ(shapes.status, 1);
  EXPECT_THAT(shapes.err, HasSubstr("inner sizes 3 and 4 differ"));
  const Done op = bench({"tenon.nosuch", "f32[2]"});
  EXPECT_EQ(op.status, 1);
  EXPECT_THAT(op.err, HasSubstr("tenon.nosuch"));
}

TEST(CommandBench, RefusesWrongCommandLines) {
  EXPECT_EQ(run_command({"bench"}).status, 2);
  EXPECT_EQ(run_command({"bench", "tenon.add"}).status, 2);
  const Done sample = bench({"tenon.add", "f32[2,"});
  EXPECT_EQ(sample.status, 2);
  EXPECT_THAT(sample.err, HasSubstr("column"));
  const Done plugin = bench({"tenon.add", "f32[2], f32[2]", "--plugins", "acme.nosuch"});
  EXPECT_EQ(plugin.status, 2);
  EXPECT_THAT(plugin.err, HasSubstr("no plugin \"acme.nosuch\" has kernels for tenon.add; these "
                                    "have: tenon.ref"));
  const Done arithmetic = bench({"tenon.add", "f32[2], f32[2]", "--arithmetic", "sloppy"});
  EXPECT_EQ(arithmetic.status, 2);
  EXPECT_THAT(arithmetic.err, HasSubstr("--arithmetic"));
  EXPECT_EQ(run_command({"bench", "tenon.neg", "f32[2]", "--min-time", "-1"}).status, 2);
}

}  // namespace
}  // namespace tenon::tests
