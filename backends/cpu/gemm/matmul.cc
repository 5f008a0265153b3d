// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/matmul.cc: matmul of floats, c[m,n] = sum over k of a[m,k] b[k,n], and linear,
// the same with a weight that lies as [n,k] and a bias.
//
// The canonical arithmetic of plugins/ops/linalg/matmul.cc: acc = fma(a_k, b_k, acc), k ascending;
// 64 lanes where a matrix of the result has fewer than 16 elements (lanes-inl.h). f32 and f64 are
// computed in place (product-inl.h), f16 and bf16 as f32 (narrow-inl.h). Linear of these is
// composed, so that a plugin with instructions for their products serves it, too.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gemm/matmul.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gemm/narrow-inl.h"
#include "gemm/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using gemm::Problem;

bool empty(const Problem& p) { return p.m() == 0 || p.n() == 0 || p.batches() == 0; }

// The problem as it is computed; true if by lanes.
bool read(const sdk::Args& args, Problem& p, bool turned = false) {
  sdk::read_matmul(args, p, turned);
  if (empty(p) || by_lanes(p)) return true;
  gemm::fold_batches(p);
  gemm::choose_direction(p);
  return false;
}

template <class T>
void run_typed(const sdk::Launch& l, const Problem& p, bool lanes) {
  const T* const a = l.data<const T>(p.swapped ? 1 : 0);
  const T* const b = l.data<const T>(p.swapped ? 0 : 1);
  if constexpr (is_16_bit_float<T>) {
    multiply_narrow(l, p, a, b, l.out_data<T>(), lanes);
  } else {
    const bool needs_scratch = !lanes && !needs_no_plan<T>(p);
    T* const scratch = needs_scratch ? reinterpret_cast<T*>(l.scratch().data()) : nullptr;
    multiply(l, p, Operands<T>{a, b, l.out_data<T>(), scratch}, lanes);
  }
}

void matmul(const sdk::Launch& l) {
  Problem p;
  const bool lanes = read(l, p);
  if (empty(p)) return;
  if (l.out().dtype == TENON_DTYPE_F32) return run_typed<float>(l, p, lanes);
  if (l.out().dtype == TENON_DTYPE_F64) return run_typed<double>(l, p, lanes);
  if (l.out().dtype == TENON_DTYPE_F16) return run_typed<sdk::F16>(l, p, lanes);
  run_typed<sdk::BF16>(l, p, lanes);
}

// Adds the bias to each row of y, rounded by itself: rows that are in a cache.
template <class T>
void add_bias(const sdk::Launch& l) {
  const sdk::Strided y = sdk::strided(l.out());
  sdk::Strided bias{static_cast<char*>(l.view(2).data), {}};
  bias.step[static_cast<size_t>(l.out().rank - 1)] = l.view(2).strides[0] * int64_t{sizeof(T)};
  sdk::walk_parallel<2>(l, sdk::shape_of(l.out()), {y, bias}, [](const sdk::Run<2>& run) HWY_ATTR {
    const hn::ScalableTag<T> d;
    int64_t i = 0;
    if (run.step[0] == sizeof(T) && run.step[1] == sizeof(T)) {
      T* const to = reinterpret_cast<T*>(run.data[0]);
      const T* const from = reinterpret_cast<const T*>(run.data[1]);
      for (; i + kLanes<T> <= run.count; i += kLanes<T>) {
        hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
      }
    }
    for (; i < run.count; ++i) {
      char* const to = run.data[0] + i * run.step[0];
      sdk::store(to, sdk::load<T>(to) + sdk::load<T>(run.data[1] + i * run.step[1]));
    }
  });
}

template <class T>
void linear_typed(const sdk::Launch& l) {
  Problem p;
  const bool lanes = read(l, p, true);
  if (empty(p)) return;
  run_typed<T>(l, p, lanes);
  if (l.given(2)) add_bias<T>(l);
}

void linear(const sdk::Launch& l) {
  if (l.out().dtype == TENON_DTYPE_F32) return linear_typed<float>(l);
  linear_typed<double>(l);
}

// Others are passes of their own, which their ops' kernels make.
tenon_status has_no_activation(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  *out_accepts = sdk::Args(args).attrs.text(0) == "none";
  if (*out_accepts) return TENON_OK;
  constexpr std::string_view reason = "there is an activation";
  return call->base->fail(call, TENON_E_ATTRIBUTE, reason.data(), reason.size());
}

template <bool turned>
uint64_t workspace(const sdk::Args& args) {
  Problem p;
  const bool lanes = read(args, p, turned);
  if (empty(p)) return 0;
  const tenon_dtype dtype = args.out().dtype;
  if (dtype == TENON_DTYPE_F16 || dtype == TENON_DTYPE_BF16) return narrow_bytes(p, lanes);
  if (lanes) return 0;
  const int64_t elements = dtype == TENON_DTYPE_F32 ? scratch_of<float>(p) : scratch_of<double>(p);
  return static_cast<uint64_t>(elements) * (dtype == TENON_DTYPE_F32 ? 4 : 8);
}

constexpr tenon_slot_rule slots[] = {backends::any_in(), backends::any_in(), backends::any_out()};
constexpr tenon_slot_rule linear_slots[] = {backends::any_in(), backends::any_in(),
                                            backends::any_in(), backends::any_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64, TENON_DTYPE_F16,
                                TENON_DTYPE_BF16};
constexpr std::span<const tenon_dtype> wide_rows = std::span(rows).first(2);

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.matmul", slots, rows, 0, sdk::launch_fn<matmul>,
           {.workspace = sdk::workspace_fn<workspace<false>>}),
    kernel("tenon.linear", linear_slots, wide_rows, 1, sdk::launch_fn<linear>,
           {.workspace = sdk::workspace_fn<workspace<true>>, .predicate = has_no_activation}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> matmul_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(matmul) = {.chosen_kernels = TENON_CPU_CHOOSE(matmul_kernels)};
#endif
