// SPDX-License-Identifier: Apache-2.0
// tests/evolution/plugins/evo.old/old.cc: kernels and backward rules built against evo.first. A
// kernel that is handed any other block than the one it was built for says so.
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;

void expect_block(const sdk::Launch& l, uint32_t n_inputs) {
  const tenon_launch& block = l.launch();
  if (block.n_slots == n_inputs + 1 && block.n_inputs == n_inputs && block.n_attrs == 0 &&
      block.slot_begin[block.n_slots] == n_inputs + 1) {
    return;
  }
  throw sdk::Failure{TENON_E_INTERNAL, "an old kernel was handed a newer block"};
}

void scale(const sdk::Launch& l) {
  expect_block(l, 1);
  sdk::elementwise<float, float>(l, [](float x) { return 2 * x; });
}
void join(const sdk::Launch& l) {
  expect_block(l, 2);
  sdk::elementwise<float, float, float>(l, [](float a, float b) { return a * b; });
}
void gate(const sdk::Launch& l) {
  expect_block(l, 1);
  const int64_t n = sdk::count_of(l.shape(0));
  for (int64_t i = 0; i < n; ++i)
    l.out_data<float>()[i] = l.data<float>(0)[i] * l.data<float>(0)[i];
}
void grown(const sdk::Launch& l) {
  expect_block(l, 1);
  const int64_t n = sdk::count_of(l.shape(0));
  for (int64_t i = 0; i < n; ++i) l.out_data<float>()[i] = 3 * l.data<float>(0)[i];
}

constexpr tenon_slot_rule any_1[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule any_2[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule packed_1[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots) {
  return sdk::kernel({.op = op,
                      .device = "cpu",
                      .slots = slots,
                      .rows = rows,
                      .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
                      .launch = sdk::launch_fn<Run>});
}
constexpr tenon_kernel_desc kernels[] = {
    kernel<scale>("evo.scale", any_1), kernel<join>("evo.join", any_2),
    kernel<gate>("evo.gate", packed_1), kernel<grown>("evo.grown", packed_1)};

void scale_vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), 2.0})); }
void join_vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("tenon.mul", {v.dy(), v.in(1)}));
  if (v.wants(1)) v.grad(1, v.call("tenon.mul", {v.dy(), v.in(0)}));
}
void gate_vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.mul", {v.call("tenon.mul", {v.dy(), v.in(0)}), 2.0}));
}
void grown_vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), 3.0})); }

constexpr tenon_vjp_need nothing[1] = {};
constexpr tenon_vjp_need itself[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_need other[] = {sdk::need({.inputs = sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "evo.scale", .needs = nothing, .vjp = sdk::vjp_fn<scale_vjp>}),
    sdk::vjp({.op = "evo.join", .needs = other, .vjp = sdk::vjp_fn<join_vjp>}),
    sdk::vjp({.op = "evo.gate", .needs = itself, .vjp = sdk::vjp_fn<gate_vjp>}),
    sdk::vjp({.op = "evo.grown", .needs = nothing, .vjp = sdk::vjp_fn<grown_vjp>})};

}  // namespace

TENON_UNIT(old) = {.vjps = vjps, .kernels = kernels};
