// SPDX-License-Identifier: Apache-2.0
// tests/evolution/libcxx/throws.cc: plugin evo.libcxx, compiled by clang against libc++: an op
// whose kernel uses the C++ library and throws, in several ways, when it is asked to.
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <map>
#include <stdexcept>

#ifndef _LIBCPP_VERSION
#error "this plugin is there to be built against libc++"
#endif

namespace {

namespace sdk = tenon::sdk;

// y = x + the number of letters of `words`, counted through a map.
void letters(const sdk::Launch& l) {
  const std::string words(l.attrs.text(0));
  if (words == "runtime_error") throw std::runtime_error("thrown by libc++: " + words);
  if (words == "bad_alloc") throw std::bad_alloc();
  if (words == "failure")
    throw sdk::Failure{TENON_E_SHAPE, "a failure of libc++", "x", "more", "less"};
  if (words == "int") throw 7;
  std::map<char, std::vector<size_t>> places;
  for (size_t i = 0; i < words.size(); ++i) places[words[i]].push_back(i);
  float count = 0;
  for (const auto& [letter, where] : places) count += static_cast<float>(where.size());
  const int64_t n = sdk::count_of(l.shape(0));
  for (int64_t i = 0; i < n; ++i) l.out_data<float>()[i] = l.data<float>(0)[i] + count;
}

// With `words` of "inner" the rule calls an op that fails, and lets that failure through.
void vjp(sdk::Vjp& v) {
  const tenon_value words = v.attr(0);
  if (std::string(words.as.string, words.count) == "inner") v.call("tenon.matmul", {v.dy()});
  v.grad(0, v.dy());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "evo.letters",
             .schema = "letters(x: T[...], *, words: str=\"\") -> T[...] where T: float",
             .doc = "y = x + length of words",
             .shape = TENON_SHAPE_SAME_AS_0})};
constexpr tenon_slot_rule slots[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32};
constexpr tenon_kernel_desc kernels[] = {sdk::kernel({.op = "evo.letters",
                                                      .device = "cpu",
                                                      .slots = slots,
                                                      .rows = rows,
                                                      .n_attrs = 1,
                                                      .flags = TENON_KERNEL_CANONICAL,
                                                      .launch = sdk::launch_fn<letters>})};
constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "evo.letters", .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr sdk::Unit unit = {.ops = ops, .vjps = vjps, .kernels = kernels};
constexpr const sdk::Unit* units[] = {&unit};

struct Data {
  static sdk::About about() { return {"evo.libcxx", "0.1.0", "Apache-2.0", units}; }
};

}  // namespace

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  return sdk::query<Data>(host, out, diag);
}
