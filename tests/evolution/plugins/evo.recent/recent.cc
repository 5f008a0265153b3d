// SPDX-License-Identifier: Apache-2.0
// tests/evolution/plugins/evo.recent/recent.cc: kernels that know all that evo.ops can do. Its id
// sorts behind evo.old, so that it serves only what evo.old cannot.
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;

void scale(const sdk::Launch& l) {
  const auto bias = static_cast<float>(l.attrs.real(0));
  const int64_t n = sdk::count_of(l.shape(0));
  for (int64_t i = 0; i < n; ++i) l.out_data<float>()[i] = 2 * l.data<float>(0)[i] + bias;
}
void gate(const sdk::Launch& l) {
  const int64_t n = sdk::count_of(l.shape(0));
  for (int64_t i = 0; i < n; ++i) {
    const float x = l.data<float>(0)[i];
    l.out_data<float>()[i] = x * x;
    if (l.wants_out(1)) l.out_data<float>(1)[i] = 2 * x;
  }
}
void grown(const sdk::Launch& l) {
  const auto power = static_cast<float>(l.attrs.integer(0));
  const int64_t n = sdk::count_of(l.shape(0));
  for (int64_t i = 0; i < n; ++i) {
    const float y = 3 * power * l.data<float>(0)[i] + (l.given(1) ? l.data<float>(1)[i] : 0);
    l.out_data<float>()[i] = y;
    if (l.wants_out(1)) l.out_data<float>(1)[i] = 2 * y;
  }
}

constexpr tenon_slot_rule in = sdk::contiguous_in();
constexpr tenon_slot_rule out = sdk::contiguous_out();
constexpr tenon_slot_rule scale_slots[] = {in, out};
constexpr tenon_slot_rule gate_slots[] = {in, out, out};
constexpr tenon_slot_rule grown_slots[] = {in, in, out, out};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                   uint32_t n_attrs) {
  return sdk::kernel({.op = op,
                      .device = "cpu",
                      .slots = slots,
                      .rows = rows,
                      .n_attrs = n_attrs,
                      .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
                      .launch = sdk::launch_fn<Run>});
}
constexpr tenon_kernel_desc kernels[] = {kernel<scale>("evo.scale", scale_slots, 1),
                                         kernel<gate>("evo.gate", gate_slots, 0),
                                         kernel<grown>("evo.grown", grown_slots, 1)};

}  // namespace

TENON_UNIT(recent) = {.kernels = kernels};
