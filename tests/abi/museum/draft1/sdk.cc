// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft1/sdk.cc: plugin museum.sdk: the op museum.cube with an attribute, through
// the C++ SDK of its day; its kernel refuses one value by throwing.
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;

void cube(const sdk::Launch& l) {
  const auto factor = static_cast<float>(l.attrs.real(0));
  if (factor == 13) throw sdk::Failure{TENON_E_ATTRIBUTE, "13 brings bad luck", "factor"};
  sdk::elementwise<float, float>(l, [factor](float x) { return factor * x * x * x; });
}

// dx = 3 factor x x dy
void vjp(sdk::Vjp& v) {
  const double factor = sdk::Attrs::number(v.attr(0));
  tenon_tensor* slope = v.call("tenon.mul", {v.call("tenon.mul", {v.in(0), v.in(0)}), 3 * factor});
  v.grad(0, v.call("tenon.mul", {v.dy(), slope}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "museum.cube",
             .schema = "cube(x: T[...], *, factor: float=1.0) -> T[...] where T: float",
             .doc = "y = factor x^3",
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32};
constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "museum.cube",
                 .device = "cpu",
                 .slots = slots,
                 .rows = rows,
                 .n_attrs = 1,
                 .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
                 .launch = sdk::launch_fn<cube>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "museum.cube", .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr sdk::Unit unit = {.ops = ops, .vjps = vjps, .kernels = kernels};
constexpr const sdk::Unit* units[] = {&unit};

struct Data {
  static sdk::About about() { return {"museum.sdk", "0.1.0", "Apache-2.0", units}; }
};

}  // namespace

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  return sdk::query<Data>(host, out, diag);
}
