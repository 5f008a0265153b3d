// SPDX-License-Identifier: Apache-2.0
// backends/cuda/launch.h: launching kernels from a kernel's `launch`, and describing kernels.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <span>
#include <utility>

#include "common/slots.h"
#include "driver.h"

namespace tenon::cuda {

inline constexpr std::string_view kDevice = "cuda";
inline constexpr uint32_t kUsual = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_INDEX_64;

// Threads of a block where a kernel has no reason for another number.
inline constexpr uint32_t kBlock = 256;
// Elements that one launch numbers with 32 bits; larger work is cut by the host.
inline constexpr int64_t kMaxElements = int64_t{1} << 30;

constexpr uint32_t blocks_for(int64_t work, int64_t per_block) {
  return static_cast<uint32_t>((work + per_block - 1) / per_block);
}

// Throws if `code` is a failure of enqueueing. Kernels that fault are noticed by a later wait.
void check_launch(Code code);

// Parameters that a kernel may have.
inline constexpr size_t kMaxParameters = 24;

// A kernel without the types of its parameters.
struct AnyKernel {
  const void* function;
  void (*invoke)(const void* kernel, void** arguments);  // see Launching
};
// One argument of a launch, which is copied when it is enqueued.
struct Argument {
  void* address;
  uint32_t bytes;
};

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

template <class... P>
AnyKernel any_kernel(void (*kernel)(P...)) {
#if defined(__CUDACC__)
  return {reinterpret_cast<const void*>(kernel), nullptr};
#else
  return {reinterpret_cast<const void*>(kernel), &invoke<P...>};
#endif
}
template <class T>
Argument argument(T& value) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are arguments too.
  return {&value, static_cast<uint32_t>(sizeof(T))};
}

// Enqueues `kernel` on the launch's stream, with an argument for each of its parameters.
void enqueue(const sdk::Launch& l, const AnyKernel& kernel, Extent grid, Extent block,
             uint32_t shared_bytes, std::span<const Argument> arguments);

// Arguments are converted to the kernel's parameters.
template <class... P>
void enqueue(const sdk::Launch& l, void (*kernel)(P...), Extent grid, Extent block,
             uint32_t shared_bytes, std::type_identity_t<P>... arguments) {
  static_assert(sizeof...(P) <= kMaxParameters);
  const Argument all[] = {argument(arguments)...};
  enqueue(l, any_kernel(kernel), grid, block, shared_bytes, all);
}

// ---- Slots --------------------------------------------------------------------------------------

using backends::any_in;
using backends::any_inout;
using backends::any_out;
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
