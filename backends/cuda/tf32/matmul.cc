// SPDX-License-Identifier: Apache-2.0
// backends/cuda/tf32/matmul.cc: matmul and linear of f32 by cuBLASLt in TF32.
//
// Of a factor, f32's exponent and 10 bits of the fraction are used; sums, bias and activation are
// in f32. So a program asks for these kernels by pinning this plugin: their priority is below that
// of tenon.cuda's, which compute in f32. Source: NVIDIA, cuBLAS 13 documentation,
// CUBLAS_COMPUTE_32F_FAST_TF32.
#include <tenon/sdk/plugin/op.hpp>

#include "driver.h"
#include "products.h"
#include "tf32/provider.h"

namespace tenon::cuda::tf32 {
namespace {

constexpr int32_t kPriority = -1;

template <Describe describe>
tenon_status prepare(tenon_call* call, const tenon_launch* args, void** out) {
  return sdk::guarded(call, [&] {
    const sdk::Args l(args);
    auto product = describe(l);
    std::unique_ptr<BlasPlan> plan;
    if (product) {
      product->precision = Precision::kTf32;
      check_launch(driver().use(product->device));
      plan = prepare_product(*product, static_cast<State*>(call->self)->handle(product->device));
    }
    if (!plan) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "cuBLASLt has no way to compute this product in TF32",
                         "x", "sizes that cuBLASLt takes", sdk::shape_text(l.shape(0))};
    }
    *out = plan.release();
  });
}

template <bool (*run)(const BlasPlan&, const sdk::Launch&)>
void launch(const sdk::Launch& l) {
  check_launch(driver().use(l.out().device.index));
  if (run(*static_cast<const BlasPlan*>(l.launch().prepared), l)) return;
  throw sdk::Failure{TENON_E_UNSUPPORTED, "cuBLASLt refused this product in TF32 as it was started",
                     "x", "operands that cuBLASLt takes where they lie", ""};
}

constexpr tenon_dtype rows[] = {TENON_DTYPE_F32};

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.matmul",
                 .device = kDevice,
                 .slots = kMatmulSlots,
                 .rows = rows,
                 .flags = kUsual,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<launch<run_matmul>>,
                 .workspace = sdk::workspace_fn<workspace_of<describe_matmul>>,
                 .predicate = is_one_product<describe_matmul>,
                 .prepare = prepare<describe_matmul>,
                 .release_prepared = release_plan}),
    sdk::kernel({.op = "tenon.linear",
                 .device = kDevice,
                 .slots = kLinearSlots,
                 .rows = rows,
                 .n_attrs = 1,
                 .flags = kUsual,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<launch<run_linear>>,
                 .workspace = sdk::workspace_fn<workspace_of<describe_linear>>,
                 .predicate = is_one_product<describe_linear>,
                 .prepare = prepare<describe_linear>,
                 .release_prepared = release_plan})};

// A factor loses up to 2^-10 of itself, and one below 2^-126 up to 2^-136, which is 2^13 ulp. Where
// products cancel: as many times that as matmul's own tolerance is of an f32's rounding.
constexpr std::string_view why =
    "Factors lose all but 10 bits of their fraction; where large products cancel, what was lost "
    "stays.";
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({"tenon.matmul", TENON_DTYPE_F32, 16384, 0.125, why}),
    sdk::tolerance({"tenon.linear", TENON_DTYPE_F32, 16384, 0.125, why})};

}  // namespace
}  // namespace tenon::cuda::tf32

TENON_UNIT(matmul) = {.kernels = tenon::cuda::tf32::kernels,
                      .tolerances = tenon::cuda::tf32::tolerances};
