// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/ops_odd.cc: ops that break a rule each, and ops without a kernel or a
// gradient.
#include "kernels.hpp"
#include "ops.hpp"

namespace {

using namespace acme;

// ---- Kernels

template <class T>
int64_t elements(const Launch& l) {
  return sdk::count_of(sdk::shape_of(l.out()));
}

// Claims every layout, and takes all memory for contiguous.
void liar(const Launch& l) {
  for (int64_t i = 0; i < elements<float>(l); ++i) l.out_data<float>()[i] = l.data<float>(0)[i];
}
// Leaves its last element as it was.
void lazy(const Launch& l) {
  for (int64_t i = 0; i + 1 < elements<float>(l); ++i) l.out_data<float>()[i] = l.data<float>(0)[i];
}
// Writes one element too many.
void rude(const Launch& l) {
  for (int64_t i = 0; i < elements<float>(l); ++i) l.out_data<float>()[i] = l.data<float>(0)[i];
  l.out_data<float>()[elements<float>(l)] = 1;
}
// Writes to its input.
void greedy(const Launch& l) {
  for (int64_t i = 0; i < elements<float>(l); ++i) l.out_data<float>()[i] = l.data<float>(0)[i];
  l.data<float>(0)[0] = 7;
}
// Calls function(user), both given as numbers, in the middle of a launch.
void hook(const Launch& l) {
  const auto function = reinterpret_cast<void (*)(void*)>(l.attrs.integer(0));
  function(reinterpret_cast<void*>(l.attrs.integer(1)));
  acme::copy(l);
}
// The same in each of a hundred pieces of parallel work.
void hooks(const Launch& l) {
  const auto function = reinterpret_cast<void (*)(void*)>(l.attrs.integer(0));
  acme::copy(l);
  l.parallel_for(100, 1,
                 [&](int64_t, int64_t) { function(reinterpret_cast<void*>(l.attrs.integer(1))); });
}
void fails(const Launch&) {
  throw sdk::Failure{TENON_E_DATA, "it fails, always", "x", "mercy", "none", "do not call it"};
}
tenon_status at_most_four(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  *out_accepts = sdk::count_of(sdk::Args(args).shape(0)) <= 4;
  if (acme::sees_data(sdk::Args(args))) {
    *out_accepts = 0;
    call->base->fail(call, TENON_E_PLUGIN, "`predicate` was shown data", TENON_NUL);
  } else if (!*out_accepts) {
    call->base->fail(call, TENON_E_UNSUPPORTED, "more than four elements", TENON_NUL);
  }
  return TENON_OK;
}

// ---- Rules

void identity_vjp(sdk::Vjp& v) { v.grad(0, v.dy()); }
void nosy_vjp(sdk::Vjp& v) { v.grad(0, v.in(0)); }
void badgrad_vjp(sdk::Vjp& v) { v.grad(0, v.call("acme.sum", {v.dy()})); }

// x^2 + x
void composed(sdk::Compose& c) {
  c.set(0, c.call("acme.add", {c.call("acme.mul", {c.in(0), c.in(0)}), c.in(0)}));
}
void outer(sdk::Compose& c) {
  try {
    c.set(0, c.call("acme.fails", {c.in(0)}));
  } catch (const sdk::HostFailed&) {
    throw sdk::Failure{TENON_E_DATA, "the inner op failed", "x"};
  }
}

constexpr tenon_op_desc map(std::string_view name, std::string_view schema,
                            tenon_compose_fn compose = nullptr,
                            uint32_t flags = TENON_OP_ELEMENTWISE) {
  return sdk::op({.name = name,
                  .schema = schema,
                  .doc = kDoc,
                  .shape = TENON_SHAPE_SAME_AS_0,
                  .flags = flags,
                  .compose = compose});
}

constexpr tenon_op_desc ops[] = {
    map("acme.liar", "liar(x: f32[...]) -> f32[...]"),
    map("acme.lazy", "lazy(x: f32[...]) -> f32[...]"),
    map("acme.rude", "rude(x: f32[...]) -> f32[...]"),
    map("acme.greedy", "greedy(x: f32[...]) -> f32[...]"),
    map("acme.unsafe", "unsafe(x: T[...]) -> T[...]"),
    map("acme.nosy", "nosy(x: T[...]) -> T[...] where T: float"),
    map("acme.badgrad", "badgrad(x: T[...]) -> T[...] where T: float"),
    map("acme.norule", "norule(x: T[...]) -> T[...] where T: float"),
    map("acme.once", "once(x: T[...]) -> T[...] where T: float"),
    map("acme.picky", "picky(x: T[...]) -> T[...] where T: float"),
    map("acme.fails", "fails(x: T[...]) -> T[...]"),
    map("acme.nokernel", "nokernel(x: T[...]) -> T[...]"),
    map("acme.composed", "composed(x: T[...]) -> T[...] where T: float", sdk::compose_fn<composed>),
    map("acme.outer", "outer(x: T[...]) -> T[...]", sdk::compose_fn<outer>),
    map("acme.hook", "hook(x: T[...], *, function: int, user: int) -> T[...]", nullptr,
        TENON_OP_ELEMENTWISE | TENON_OP_EFFECT),
    map("acme.hooks", "hooks(x: T[...], *, function: int, user: int) -> T[...]"),
    map("acme.watch", "watch(x: T[...], *, counters: int=0) -> T[...] where T: float"),
};

constexpr tenon_slot_rule anything[] = {sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernel(std::string_view op,
                                   tenon_status (*launch)(tenon_call*, const tenon_launch*),
                                   std::span<const tenon_slot_rule> slots = kFlat,
                                   std::span<const tenon_dtype> rows = {}) {
  return sdk::kernel({.op = op,
                      .device = "toy",
                      .slots = slots,
                      .rows = rows,
                      .n_variables = rows.empty() ? 0u : 1u,
                      .flags = kGood,
                      .launch = launch});
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("acme.liar", sdk::launch_fn<liar>, anything),
    kernel("acme.lazy", sdk::launch_fn<lazy>),
    kernel("acme.rude", sdk::launch_fn<rude>),
    kernel("acme.greedy", sdk::launch_fn<greedy>),
    sdk::kernel({.op = "acme.unsafe",
                 .device = "toy",
                 .slots = anything,
                 .rows = sdk::kAllDtypes,
                 .flags = TENON_KERNEL_CANONICAL,
                 .launch = sdk::launch_fn<acme::copy>}),
    kernel("acme.nosy", sdk::launch_fn<acme::copy>, anything, sdk::kFloats),
    kernel("acme.badgrad", sdk::launch_fn<acme::copy>, anything, sdk::kFloats),
    kernel("acme.norule", sdk::launch_fn<acme::copy>, anything, sdk::kFloats),
    kernel("acme.once", sdk::launch_fn<acme::copy>, anything, sdk::kFloats),
    kernel("acme.fails", sdk::launch_fn<fails>, anything, sdk::kAllDtypes),
    sdk::kernel({.op = "acme.picky",
                 .device = "toy",
                 .slots = anything,
                 .rows = sdk::kFloats,
                 .flags = kGood,
                 .launch = sdk::launch_fn<acme::copy>,
                 .predicate = at_most_four}),
    sdk::kernel({.op = "acme.hook",
                 .device = "toy",
                 .slots = anything,
                 .rows = sdk::kAllDtypes,
                 .n_attrs = 2,
                 .flags = kGood,
                 .launch = sdk::launch_fn<hook>}),
    sdk::kernel({.op = "acme.hooks",
                 .device = "toy",
                 .slots = anything,
                 .rows = sdk::kAllDtypes,
                 .n_attrs = 2,
                 .flags = kGood,
                 .launch = sdk::launch_fn<hooks>}),
    sdk::kernel({.op = "acme.watch",
                 .device = "toy",
                 .slots = anything,
                 .rows = sdk::kFloats,
                 .n_attrs = 1,
                 .flags = kGood,
                 .launch = sdk::launch_fn<acme::copy>}),
};

constexpr tenon_vjp_need nothing[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "acme.unsafe", .needs = nothing, .vjp = sdk::vjp_fn<identity_vjp>}),
    sdk::vjp({.op = "acme.nosy", .needs = nothing, .vjp = sdk::vjp_fn<nosy_vjp>}),
    sdk::vjp({.op = "acme.badgrad", .needs = nothing, .vjp = sdk::vjp_fn<badgrad_vjp>}),
    sdk::vjp(
        {.op = "acme.watch", .needs = nothing, .vjp = sdk::vjp_fn<identity_vjp>, .n_attrs = 1}),
    sdk::vjp({.op = "acme.once", .needs = nothing, .vjp = sdk::vjp_fn<identity_vjp>, .flags = 0}),
};

}  // namespace

TENON_UNIT(ops_odd) = {.ops = ops, .vjps = vjps, .kernels = kernels};
