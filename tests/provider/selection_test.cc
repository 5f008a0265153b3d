// SPDX-License-Identifier: Apache-2.0
// tests/provider/selection_test.cc: who computes: policy, pins, exclusion, and what explain says.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/provider/provider_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Operands {
  explicit Operands(const Context& cx, tenon_dtype dtype = TENON_DTYPE_F32) {
    std::mt19937_64 random(kSeed);
    a = placed(cx, dtype, {40, 50}, Layout::RowMajor, random);
    b = placed(cx, dtype, {50, 30}, Layout::RowMajor, random);
  }
  Tensor a, b;
};

std::vector<std::string> who(const Context& cx, const Operands& of) {
  std::vector<std::string> ran = cx.ran([&] { (void)cx.matmul(of.a, of.b); });
  EXPECT_THAT(ran, ElementsAre(cx.chosen(of.a, of.b))) << "explain says otherwise";
  return ran;
}

Json candidate(const Json& explained, const std::string& plugin) {
  for (const Json& each : explained.at("candidates")) {
    if (each.at("plugin") == plugin) return each;
  }
  return nullptr;
}

std::string notes(const Json& explained) { return explained.at("report").dump(); }

using ProviderSelection = Provider;
INSTANTIATE_TEST_SUITE_P(Each, ProviderSelection, testing::ValuesIn(providers()), short_name);

TEST_P(ProviderSelection, CanonicalTakesTheReferenceAndExplainSaysWhy) {
  const Runtime runtime(only());
  const Context cx(runtime);
  const Operands of(cx);
  EXPECT_THAT(who(cx, of), ElementsAre(kReference));
  const Json explained = cx.explain(of.a, of.b);
  EXPECT_EQ(candidate(explained, kReference).at("reason"), "");
  EXPECT_THAT(candidate(explained, id()).at("reason").get<std::string>(),
              HasSubstr("does not give canonical bits: pin it, or choose fast arithmetic"));
}

TEST_P(ProviderSelection, CanonicalBitsAreTheSameWithAndWithoutIt) {
  const Runtime with(only());
  const Runtime without(only({.exclude = {id()}}));
  const Context here(with);
  const Context there(without);
  for (const tenon_dtype dtype : {TENON_DTYPE_F32, TENON_DTYPE_F64, TENON_DTYPE_I32}) {
    const Operands of(here, dtype);
    const Operands same(there, dtype);
    EXPECT_EQ(here.bytes(here.matmul(of.a, of.b).get()),
              there.bytes(there.matmul(same.a, same.b).get()));
  }
}

TEST_P(ProviderSelection, FastTakesTheProvider) {
  const Runtime runtime(only());
  const Context cx(runtime, TENON_ARITHMETIC_FAST);
  for (const tenon_dtype dtype : dtypes()) {
    const Operands of(cx, dtype);
    EXPECT_THAT(who(cx, of), ElementsAre(id()));
    const Json explained = cx.explain(of.a, of.b);
    EXPECT_EQ(explained.at("candidates")[0].at("plugin"), id());
    EXPECT_GT(candidate(explained, id()).at("priority"),
              candidate(explained, kReference).at("priority"));
  }
}

TEST_P(ProviderSelection, DtypesItHasNoRowForGoToTheReference) {
  const Runtime runtime(only());
  const Context cx(runtime, TENON_ARITHMETIC_FAST);
  cx.must(cx.pin("", id()));
  for (const tenon_dtype dtype :
       {TENON_DTYPE_I32, TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F64}) {
    if (std::count(dtypes().begin(), dtypes().end(), dtype)) continue;
    const Operands of(cx, dtype);
    EXPECT_THAT(who(cx, of), ElementsAre(kReference));
    EXPECT_THAT(candidate(cx.explain(of.a, of.b), id()).at("reason").get<std::string>(),
                HasSubstr("has no row for dtypes"));
  }
}

TEST_P(ProviderSelection, APinOfTheOpWinsInBothPolicies) {
  const Runtime runtime(only());
  const Context canonical(runtime);
  const Context fast(runtime, TENON_ARITHMETIC_FAST);
  const Operands of(canonical);
  canonical.must(canonical.pin(kMatmul, id()));
  EXPECT_THAT(who(canonical, of), ElementsAre(id()));
  EXPECT_THAT(who(fast, of), ElementsAre(id()));
  canonical.must(canonical.pin(kMatmul, kReference));
  EXPECT_THAT(who(canonical, of), ElementsAre(kReference));
  EXPECT_THAT(who(fast, of), ElementsAre(kReference));
  canonical.must(canonical.pin(kMatmul, ""));
  EXPECT_THAT(who(canonical, of), ElementsAre(kReference));
  EXPECT_THAT(who(fast, of), ElementsAre(id()));
}

TEST_P(ProviderSelection, APinForAllOpsYieldsToThePinOfOne) {
  const Runtime runtime(only());
  const Context cx(runtime);
  const Operands of(cx);
  cx.must(cx.pin("", id()));
  EXPECT_THAT(who(cx, of), ElementsAre(id()));
  cx.must(cx.pin(kMatmul, kReference));
  EXPECT_THAT(who(cx, of), ElementsAre(kReference));
  cx.must(cx.pin(kMatmul, ""));
  EXPECT_THAT(who(cx, of), ElementsAre(id()));
  cx.must(cx.pin("", ""));
  EXPECT_THAT(who(cx, of), ElementsAre(kReference));
}

TEST_P(ProviderSelection, APinForAllOpsLeavesOtherOpsWorking) {
  const Runtime runtime(only());
  const Context cx(runtime);
  cx.must(cx.pin("", id()));
  const Tensor a = cx.make(TENON_DTYPE_F32, {3}, {1, 2, 3});
  EXPECT_THAT(cx.values(cx.call("tenon.add", {a.get(), a.get()}).get()), ElementsAre(2, 4, 6));
}

TEST_P(ProviderSelection, ExcludedItIsNoCandidate) {
  const Runtime runtime(only({.exclude = {id()}}));
  const Context cx(runtime, TENON_ARITHMETIC_FAST);
  const Operands of(cx);
  EXPECT_THAT(who(cx, of), ElementsAre(kReference));
  EXPECT_TRUE(candidate(cx.explain(of.a, of.b), id()).is_null());
}

TEST_P(ProviderSelection, PinnedWhereItCannotRunExplainSaysSo) {
  const Runtime runtime(only());
  const Context cx(runtime);
  cx.must(cx.pin(kMatmul, id()));
  const Operands of(cx, TENON_DTYPE_I32);
  EXPECT_THAT(notes(cx.explain(of.a, of.b)),
              HasSubstr(std::string(id()) + " is pinned, but its kernels cannot run this call"));
}

TEST_P(ProviderSelection, TwoPoliciesSideBySide) {
  const Runtime runtime(only());
  const Context canonical(runtime);
  const Context fast(runtime, TENON_ARITHMETIC_FAST);
  const Operands of(canonical);
  const std::string first = canonical.bytes(canonical.matmul(of.a, of.b).get());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(who(fast, of), ElementsAre(id()));
    EXPECT_THAT(who(canonical, of), ElementsAre(kReference));
    EXPECT_EQ(canonical.bytes(canonical.matmul(of.a, of.b).get()), first);
  }
  // The policy of one context changes, and only its own.
  canonical.must(tenon_context_set_arithmetic(canonical, TENON_ARITHMETIC_FAST));
  fast.must(tenon_context_set_arithmetic(fast, TENON_ARITHMETIC_CANONICAL));
  EXPECT_THAT(who(canonical, of), ElementsAre(id()));
  EXPECT_THAT(who(fast, of), ElementsAre(kReference));
}

// What holds of pins whichever plugins were built.
TEST(ProviderPin, OfAPluginThatIsNotThereIsRefusedWithAHint) {
  const Runtime runtime;
  const Context cx(runtime);
  EXPECT_EQ(cx.pin(kMatmul, "acme.nosuch"), TENON_E_NOT_FOUND);
  const tenon_error error = cx.error();
  EXPECT_THAT(error.message, HasSubstr("acme.nosuch"));
  EXPECT_THAT(error.hint, HasSubstr("tenon list"));
  const Operands of(cx);
  EXPECT_THAT(who(cx, of), ElementsAre(kReference)) << "a refused pin changes nothing";
}

TEST(ProviderPin, OfAnOpThatIsNotThereIsRefused) {
  const Runtime runtime;
  const Context cx(runtime);
  EXPECT_EQ(cx.pin("acme.nosuch", kReference), TENON_E_NOT_FOUND);
  EXPECT_THAT(cx.error().message, HasSubstr("acme.nosuch"));
}

TEST(ProviderPin, OfAPluginWithoutAKernelForTheOpFallsBackAndExplainSaysSo) {
  const Runtime runtime;
  const Context cx(runtime);
  const Operands of(cx);
  EXPECT_EQ(notes(cx.explain(of.a, of.b)), "[]");
  for (const char* op : {kMatmul, ""}) {
    cx.must(cx.pin(op, "tenon.optim"));
    EXPECT_THAT(who(cx, of), ElementsAre(kReference));
    EXPECT_THAT(notes(cx.explain(of.a, of.b)),
                HasSubstr("tenon.optim is pinned, but has no kernel for this op"));
    cx.must(cx.pin(op, ""));
  }
  EXPECT_EQ(notes(cx.explain(of.a, of.b)), "[]");
}

}  // namespace
}  // namespace tenon::tests
