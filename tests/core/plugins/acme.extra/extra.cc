// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.extra/extra.cc: a provider for the toy device and its ops, to be
// deactivated. Its kernel for acme.watch gives twice the input, which tells it from acme.toy's, and
// so does its rule; `counters`, an address, counts what it has prepared and launched.
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <atomic>

namespace {

namespace sdk = tenon::sdk;

struct Counters {
  std::atomic<int> prepared;  // live objects
  std::atomic<int> launched;
};

Counters* counters_of(const tenon_launch* args) {
  return reinterpret_cast<Counters*>(args->attrs[0].as.i64);
}

tenon_status prepare(tenon_call*, const tenon_launch* args, void** out_prepared) {
  Counters* counters = counters_of(args);
  if (counters) ++counters->prepared;
  *out_prepared = counters;
  return TENON_OK;
}

void release_prepared(void*, void* prepared) { --static_cast<Counters*>(prepared)->prepared; }

void twice(const sdk::Launch& l) {
  if (auto* counters = static_cast<Counters*>(l.launch().prepared)) ++counters->launched;
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    sdk::elementwise<T, T>(l, [](T x) { return sdk::narrow<T>(C(x) + C(x)); });
  });
}

void twice_vjp(sdk::Vjp& v) { v.grad(0, v.call("acme.add", {v.dy(), v.dy()})); }

void infer_same(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], args.shape(0));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "acme.extra_only",
             .schema = "extra_only(x: T[...]) -> T[...] where T: float",
             .doc = "x + x, by an op and a kernel that only this plugin has.",
             .infer = sdk::infer_fn<infer_same>})};

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};
constexpr uint32_t good = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE;
constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "acme.watch",
                 .device = "toy",
                 .slots = slots,
                 .rows = sdk::kFloats,
                 .n_attrs = 1,
                 .flags = good,
                 .priority = 5,
                 .launch = sdk::launch_fn<twice>,
                 .prepare = prepare,
                 .release_prepared = release_prepared}),
    sdk::kernel({.op = "acme.extra_only",
                 .device = "toy",
                 .slots = slots,
                 .rows = sdk::kFloats,
                 .flags = good,
                 .launch = sdk::launch_fn<twice>}),
};

constexpr tenon_vjp_need nothing[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "acme.watch",
              .needs = nothing,
              .vjp = sdk::vjp_fn<twice_vjp>,
              .n_attrs = 1,
              .priority = 5}),
    sdk::vjp({.op = "acme.extra_only", .needs = nothing, .vjp = sdk::vjp_fn<twice_vjp>}),
};

}  // namespace

TENON_UNIT(extra) = {.ops = ops, .vjps = vjps, .kernels = kernels};
