// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/to.cc: to, the same elements on a device.
//
// y = x, on {kind, index};  dx = dy, on the device of x. Source: PyTorch's `Tensor.to`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.to";

constexpr std::string_view doc = R"(The same elements on the device `{kind, index}`: `y = x`.

`kind` and `index` are those of a `tenon_device`, which `tenon_device_find` gives; `kind=0` means
host memory. The result is row-major and always has memory of its own, also where `x` is on that
device already: whether a write to it shows in `x` never depends on where `x` was.

A copy to a device whose backend has pinned memory does not wait, a copy to the host does. A copy
between devices cannot be captured.

Gradient: `dx = dy`, moved back to the device of `x`.

Source: PyTorch, `Tensor.to`.

Canonical arithmetic: none; bits are copied, NaN payloads included.)";

void vjp(sdk::Vjp& v) {
  const tenon_device home = v.in_meta(0).device;
  v.grad(0, v.call(name, {v.dy()}, {int64_t{home.kind}, int64_t{home.index}}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "to(x: T[...], *, kind: int, index: int) -> T[...]",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_TRANSFER | TENON_OP_LINEAR})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3] | kind=0, index=0"),
    sdk::sample(name, "f64[2,1,3,2] | kind=0, index=0"),
    sdk::sample(name, "f64[] | kind=0, index=0"),
    sdk::sample(name, "i64[2,0,3] | kind=0, index=0"),
    sdk::sample(name, "f64[1,5,1] | kind=0, index=0"),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,nan,1e-45} | kind=0, index=0"),
    sdk::sample(name, "f64[3]{1.7976931348623157e308,2.3e-308,5e-324} | kind=0, index=0"),
    sdk::sample(name, "f16[3]{65504.0,6.1035e-5,6e-8} | kind=0, index=0"),
    sdk::sample(name, "bf16[3]{3.39e38,1.1755e-38,9.2e-41} | kind=0, index=0"),
    sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807} | kind=0, index=0"),
    sdk::sample(name, "u8[3] | kind=0, index=0"),
    sdk::sample(name, "bool[7] | kind=0, index=0"),
    sdk::sample(name, "2.5 | kind=0, index=0"),
    sdk::refused(name, "| kind=0, index=0", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2] | kind=0", TENON_E_ATTRIBUTE, "index"),
    sdk::refused(name, "f32[2] | kind=0.5, index=0", TENON_E_ATTRIBUTE, "kind"),
    sdk::refused(name, "f32[2] | kind=0, index=7", TENON_E_DEVICE, ":7 does not exist"),
    sdk::refused(name, "f32[2] | kind=-1, index=0", TENON_E_DEVICE, "no device kind"),
    sdk::refused(name, "f32[2] | kind=4000000000, index=0", TENON_E_DEVICE, "no device kind"),
};

}  // namespace

TENON_UNIT(to) = {.ops = ops, .vjps = vjps, .samples = samples};
