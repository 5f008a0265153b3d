// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/kernel.hpp: writing a kernel in one short file.
//
//   void square(const sdk::Launch& l) {
//     sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
//       sdk::elementwise<T, T>(l, [](T x) { return sdk::narrow<T>(x * x); });
//     });
//   }
//   constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};
//   constexpr tenon_kernel_desc kernels[] = {
//       sdk::kernel({.op = "acme.square", .device = "cpu", .slots = slots, .rows = sdk::kFloats,
//                    .launch = sdk::launch_fn<square>})};
//   TENON_UNIT(square) = {.kernels = kernels};
//
// loops.hpp has `elementwise` and the loops over strided operands under it.
#pragma once

#include <tenon/sdk/plugin/base.hpp>
#include <tenon/sdk/plugin/dtypes.hpp>

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>

namespace tenon::sdk {

// ---- What a launch sees -------------------------------------------------------------------------

// Operands, attributes and the host services of one launch. Borrowed for the launch.
class Launch : public Args {
 public:
  Launch(tenon_call* call, const tenon_launch* launch) : Args(launch), call_(call) {}

  // Typed element (0, ..., 0) of an operand. Only where the slot's rule excludes UNALIGNED.
  template <class T>
  T* data(uint32_t slot, uint32_t item = 0) const {
    return static_cast<T*>(view(slot, item).data);
  }
  template <class T>
  T* out_data(uint32_t output = 0, uint32_t item = 0) const {
    return static_cast<T*>(out(output, item).data);
  }

  // Calls body(begin, end) for pieces of [0, n), possibly on several threads at once. The cut
  // depends on n and grain alone. `body` may not call the host. What it throws ends the work and is
  // thrown on: that of the lowest piece, for any number of threads.
  template <class Body>
  void parallel_for(int64_t n, int64_t grain, Body body) const {
    if (n <= 0) return;
    if (n <= grain) return body(int64_t{0}, n);
    Pieces<Body> pieces{body};
    const tenon_status status =
        call_->threads->parallel_for(call_, n, grain, Pieces<Body>::run, &pieces);
    if (pieces.thrown) std::rethrow_exception(pieces.thrown);
    check(status);
  }

  // The scratch that the kernel's `workspace` announced, 64-byte aligned.
  std::span<std::byte> scratch() const {
    uint64_t bytes = 0;
    void* memory = call_->memory->scratch(call_, &bytes);
    return {static_cast<std::byte*>(memory), memory ? static_cast<size_t>(bytes) : 0};
  }
  tenon_rng rng() const {
    tenon_rng rng{};
    check(call_->rng->get(call_, &rng));
    return rng;
  }
  void* stream() const { return call_->memory->stream(call_); }
  tenon_call* call() const { return call_; }

 private:
  template <class Body>
  struct Pieces {
    Body& body;
    std::mutex mutex{};
    std::exception_ptr thrown{};  // by piece `lowest`
    int64_t lowest = 0;

    static tenon_status run(void* user, int64_t begin, int64_t end, int64_t chunk) noexcept {
      auto& self = *static_cast<Pieces*>(user);
      try {
        self.body(begin, end);
        return TENON_OK;
      } catch (...) {
        self.keep(chunk);
        return TENON_E_PLUGIN;
      }
    }
    void keep(int64_t chunk) noexcept {
      const std::lock_guard lock(mutex);
      if (thrown && lowest < chunk) return;
      thrown = std::current_exception();
      lowest = chunk;
    }
  };

  tenon_call* call_;
};

// ---- Shims: a C++ function as the C callback ----------------------------------------------------

template <void (*Run)(const Launch&)>
tenon_status launch_fn(tenon_call* call, const tenon_launch* args) {
  return guarded(call, [&] { Run(Launch(call, args)); });
}
template <uint64_t (*Bytes)(const Args&)>
tenon_status workspace_fn(tenon_call* call, const tenon_launch* args, uint64_t* out_bytes) {
  return guarded(call, [&] { *out_bytes = Bytes(Args(args)); });
}

// ---- Slot rules ---------------------------------------------------------------------------------

constexpr tenon_slot_rule slot(uint32_t role, uint32_t layout = TENON_LAYOUT_CONTIGUOUS,
                               uint32_t flags = 0, uint32_t max_rank = 0) {
  return {role, layout, flags, max_rank};
}

// For kernels that keep the default: row-major, aligned, staged by the dispatcher if it is not.
constexpr tenon_slot_rule contiguous_in() { return slot(TENON_SLOT_IN); }
constexpr tenon_slot_rule contiguous_out() { return slot(TENON_SLOT_OUT); }
constexpr tenon_slot_rule contiguous_inout() { return slot(TENON_SLOT_INOUT); }

// For kernels that read any memory the dispatcher can describe, through load() and store().
constexpr tenon_slot_rule strided_in(uint32_t more_flags = 0) {
  return slot(
      TENON_SLOT_IN, TENON_LAYOUT_STRIDED,
      TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE | TENON_SLOT_UNALIGNED | more_flags);
}
constexpr tenon_slot_rule strided_out() {
  return slot(TENON_SLOT_OUT, TENON_LAYOUT_STRIDED,
              TENON_SLOT_NEGATIVE_STRIDE | TENON_SLOT_UNALIGNED);
}
constexpr tenon_slot_rule strided_inout() {
  return slot(TENON_SLOT_INOUT, TENON_LAYOUT_STRIDED,
              TENON_SLOT_NEGATIVE_STRIDE | TENON_SLOT_UNALIGNED);
}

// ---- Dtype rows ---------------------------------------------------------------------------------

// Rows for one type variable are the list itself (kFloats, ...). For two variables, every pair:
//   constexpr auto rows = sdk::pairs(sdk::kFloats, sdk::kIntegers);
template <size_t N, size_t M>
constexpr std::array<tenon_dtype, 2 * N * M> pairs(const tenon_dtype (&first)[N],
                                                   const tenon_dtype (&second)[M]) {
  std::array<tenon_dtype, 2 * N * M> rows{};
  size_t at = 0;
  for (tenon_dtype a : first) {
    for (tenon_dtype b : second) {
      rows[at++] = a;
      rows[at++] = b;
    }
  }
  return rows;
}

// ---- Descriptor ---------------------------------------------------------------------------------

struct KernelParts {
  std::string_view op;
  std::string_view device;
  std::span<const tenon_slot_rule> slots;  // the schema's inputs, then its outputs
  std::span<const tenon_dtype> rows;       // n_variables dtypes for each row
  uint32_t n_variables = 1;
  uint32_t n_attrs = 0;
  uint32_t flags = 0;
  int32_t priority = 0;
  uint32_t revision = 1;
  tenon_status (*launch)(tenon_call*, const tenon_launch*) = nullptr;
  tenon_status (*workspace)(tenon_call*, const tenon_launch*, uint64_t*) = nullptr;
  tenon_status (*predicate)(tenon_call*, const tenon_launch*, uint32_t*) = nullptr;
  tenon_status (*prepare)(tenon_call*, const tenon_launch*, void**) = nullptr;
  void (*release_prepared)(void*, void*) = nullptr;
  void* user = nullptr;
};

constexpr tenon_kernel_desc kernel(const KernelParts& p) {
  const auto n_rows =
      static_cast<uint32_t>(p.n_variables ? p.rows.size() / p.n_variables : size_t{1});
  return {sizeof(tenon_kernel_desc),
          p.flags,
          str(p.op),
          str(p.device),
          p.revision,
          p.priority,
          p.slots.data(),
          p.rows.data(),
          static_cast<uint32_t>(p.slots.size()),
          p.n_attrs,
          n_rows,
          p.n_variables,
          p.workspace,
          p.predicate,
          p.prepare,
          p.release_prepared,
          p.launch,
          p.user};
}

}  // namespace tenon::sdk
