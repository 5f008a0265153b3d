// SPDX-License-Identifier: Apache-2.0
// backends/cuda/launch.h: launching kernels from a kernel's `launch`, and describing kernels.
#pragma once

#include <tenon/sdk/kernel.hpp>
#include <tenon/sdk/plugin.hpp>

#include <tuple>
#include <utility>

#include "driver.h"

namespace tenon::cuda {

inline constexpr std::string_view kDevice = "cuda";
inline constexpr uint32_t kUsual =
    TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_NO_HOST_SYNC | TENON_KERNEL_INDEX_64;

// Threads of a block where a kernel has no reason for another number.
inline constexpr uint32_t kBlock = 256;
// Elements that one launch numbers with 32 bits; larger work is cut by the host.
inline constexpr int64_t kMostElements = int64_t{1} << 30;

constexpr uint32_t blocks_for(int64_t work, int64_t per_block) {
  return static_cast<uint32_t>((work + per_block - 1) / per_block);
}

// Throws where `code` is a failure of enqueueing. Kernels that fault are noticed by a later wait.
void check_launch(Code code);

#if !defined(__CUDACC__)
template <class... P, size_t... I>
void invoke_with(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_reference_t<P>*>(arguments[I])...);
}
template <class... P>
void invoke(const void* kernel, void** arguments) {
  using Function = void (*)(P...);
  invoke_with(reinterpret_cast<Function>(const_cast<void*>(kernel)), arguments,
              std::index_sequence_for<P...>());
}
#endif

// Enqueues `kernel` on the launch's stream. Arguments are converted to the kernel's parameters.
template <class... P>
void enqueue(const sdk::Launch& l, void (*kernel)(P...), Extent grid, Extent block,
             uint32_t shared_bytes, std::type_identity_t<P>... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  void* addresses[] = {static_cast<void*>(&arguments)...};
  const uint32_t bytes[] = {static_cast<uint32_t>(sizeof(P))...};
  Launching launching{};
  launching.kernel = reinterpret_cast<const void*>(kernel);
#if !defined(__CUDACC__)
  launching.invoke = &invoke<P...>;
#endif
  launching.grid = grid;
  launching.block = block;
  launching.shared_bytes = shared_bytes;
  launching.stream = l.stream();
  launching.arguments = addresses;
  launching.argument_bytes = bytes;
  launching.n_arguments = sizeof...(P);
  check_launch(driver().launch(&launching));
}

// ---- Slots --------------------------------------------------------------------------------------

// Any layout, addresses aligned to the element.
constexpr tenon_slot_rule any_in(uint32_t more_flags = 0) {
  return sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_STRIDED,
                   TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE | more_flags);
}
constexpr tenon_slot_rule any_out() {
  return sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE);
}
constexpr tenon_slot_rule any_inout() {
  return sdk::slot(TENON_SLOT_INOUT, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE);
}
// Of elementwise ops: numbers are taken as they are.
constexpr tenon_slot_rule element_in() { return any_in(TENON_SLOT_HOST_SCALAR); }

inline constexpr tenon_slot_rule kUnarySlots[] = {element_in(), any_out()};
inline constexpr tenon_slot_rule kBinarySlots[] = {element_in(), element_in(), any_out()};
inline constexpr tenon_slot_rule kTernarySlots[] = {element_in(), element_in(), element_in(),
                                                    any_out()};

// ---- Descriptors --------------------------------------------------------------------------------

using LaunchFn = tenon_status (*)(tenon_call*, const tenon_launch*);
using WorkspaceFn = tenon_status (*)(tenon_call*, const tenon_launch*, uint64_t*);

struct KernelMore {
  uint32_t n_attrs = 0;
  uint32_t n_variables = 1;
  WorkspaceFn workspace = nullptr;
  uint32_t flags = kUsual;
};

constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                   std::span<const tenon_dtype> rows, LaunchFn launch,
                                   const KernelMore& more = {}) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = rows,
                      .n_variables = more.n_variables,
                      .n_attrs = more.n_attrs,
                      .flags = more.flags,
                      .launch = launch,
                      .workspace = more.workspace});
}

}  // namespace tenon::cuda
