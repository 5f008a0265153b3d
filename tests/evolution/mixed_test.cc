// SPDX-License-Identifier: Apache-2.0
// tests/evolution/mixed_test.cc: one process, plugins in C, in Rust, in C++ with libstdc++, and in
// C++ with libc++ by another compiler. All compute, and what any of them throws becomes an error
// record.
#include <dlfcn.h>

#include "tests/evolution/evolution_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Mixed, APluginInCLoadsBesideTheOthers) {
  Session s({test_plugin("museum.op")});
  const Tensor x = s.parameter({1, -2});
  const std::vector<Tensor> y =
      s.call("tenon.neg", {value_of(s.call("museum.twice", {value_of(x)})[0])});
  EXPECT_THAT(s.floats(y[0].get()), ElementsAre(-2, 4));
  s.backward(y[0]);
  EXPECT_THAT(s.grad(x), ElementsAre(-2, -2));
}

#ifdef TENON_TESTS_LIBCXX

tenon_value words(std::string_view text) {
  tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(text.size()), {}};
  value.as.string = text.data();
  return value;
}

class Libcxx : public testing::Test {
 protected:
  std::string thrown(std::string_view how, tenon_status expected) {
    std::vector<Tensor> none(1);
    return s.refusal(s.try_call("evo.letters", {value_of(x)}, {words(how)}, none), expected);
  }
  // Thrown and caught by plugins of the other C++ library.
  std::string thrown_by_libstdcxx() {
    std::vector<Tensor> none(1);
    const Tensor longer = s.tensor({1, 2, 3});
    return s.refusal(s.try_call("tenon.matmul", {value_of(x), value_of(longer)}, {}, none),
                     TENON_E_SHAPE);
  }
  Session s{{test_plugin("evo.libcxx"), test_plugin("museum.op")}};
  Tensor x = s.parameter({1, -2});
};

TEST_F(Libcxx, ComputesBesideTheOthers) {
  const Tensor twice = std::move(s.call("museum.twice", {value_of(x)})[0]);
  const std::vector<Tensor> y = s.call("evo.letters", {value_of(twice)}, {words("seven..")});
  EXPECT_THAT(s.floats(s.call("tenon.neg", {value_of(y[0])})[0].get()), ElementsAre(-9, -3));
  s.backward(y[0]);
  EXPECT_THAT(s.grad(x), ElementsAre(2, 2));
  // Both C++ libraries are in this process.
  for (const char* library : {"libc++.so.1", "libstdc++.so.6"}) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    EXPECT_NE(handle, nullptr) << library;
    if (handle) dlclose(handle);
  }
}

#ifdef TENON_TESTS_RUST

tenon_value dtype(tenon_dtype type) {
  tenon_value value{TENON_VALUE_DTYPE, 0, {}};
  value.as.dtype = type;
  return value;
}

TEST(Mixed, FourLanguageRuntimesComputeInOneGraph) {
  Session s({test_plugin("evo.libcxx"), test_plugin("museum.op"),
             std::string(test_plugin_dir()) + "/templates/test.rust_panics"});
  const Tensor x = s.parameter({1, -2});
  const Tensor in_c = std::move(s.call("museum.twice", {value_of(x)})[0]);
  const Tensor wide =
      std::move(s.call("tenon.cast", {value_of(in_c)}, {dtype(TENON_DTYPE_F64)})[0]);
  const Tensor in_rust = std::move(s.call("test.rust_panics", {value_of(wide)})[0]);
  const Tensor narrow =
      std::move(s.call("tenon.cast", {value_of(in_rust)}, {dtype(TENON_DTYPE_F32)})[0]);
  const Tensor libcxx = std::move(s.call("evo.letters", {value_of(narrow)}, {words("seven..")})[0]);
  const std::vector<Tensor> y = s.call("tenon.neg", {value_of(libcxx)});
  EXPECT_THAT(s.floats(y[0].get()), ElementsAre(-9, -3));
  s.backward(y[0]);
  EXPECT_THAT(s.grad(x), ElementsAre(-2, -2));
  std::vector<Tensor> none(1);
  EXPECT_THAT(s.refusal(s.try_call("test.rust_panics", {value_of(wide)}, {words("launch")}, none),
                        TENON_E_PLUGIN),
              HasSubstr("boom in launch"));
}

#endif  // TENON_TESTS_RUST

TEST_F(Libcxx, WhatItThrowsBecomesAnErrorRecord) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(thrown("runtime_error", TENON_E_PLUGIN),
                HasSubstr("thrown by libc++: runtime_error"));
    const std::string record = thrown("failure", TENON_E_SHAPE);
    EXPECT_THAT(record, HasSubstr("a failure of libc++"));
    EXPECT_THAT(record, HasSubstr("\nmore\nless\nevo.libcxx\n"));
    EXPECT_THAT(thrown("int", TENON_E_PLUGIN), HasSubstr("unknown exception in a plugin"));
    EXPECT_THAT(thrown_by_libstdcxx(), HasSubstr("tenon.matmul"));
    thrown("bad_alloc", TENON_E_MEMORY);
  }
}

TEST_F(Libcxx, AFailureInsideAnotherLibraryPassesThrough) {
  const std::vector<Tensor> y = s.call("evo.letters", {value_of(x)}, {words("inner")});
  const Tensor seed = s.tensor({1, 1});
  tenon_tensor* const root = y[0].get();
  tenon_tensor* const seeds = seed.get();
  EXPECT_THAT(s.refusal(tenon_backward_run(s.context, &root, &seeds, 1, 0), TENON_E_ARGUMENT),
              HasSubstr("tenon.matmul"));
  EXPECT_TRUE(s.grad(x).empty());
}

#endif  // TENON_TESTS_LIBCXX

}  // namespace
}  // namespace tenon::tests
