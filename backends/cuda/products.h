// SPDX-License-Identifier: Apache-2.0
// backends/cuda/products.h: launches of matmul and linear that are one product of cuBLASLt: what
// the kernels of its providers share.
//
// cuBLASLt reads matrices whose rows or columns are packed, in batches a constant step apart.
#pragma once

#include <tenon/sdk/plugin/matmul.hpp>

#include <optional>

#include "blas.h"
#include "launch.h"

namespace tenon::cuda {

// nullopt if it is not one product.
std::optional<Product> describe_matmul(const sdk::Args& l);
std::optional<Product> describe_linear(const sdk::Args& l);
using Describe = std::optional<Product> (*)(const sdk::Args&);

inline constexpr tenon_slot_rule kMatmulSlots[] = {any_in(), any_in(), any_out()};
inline constexpr tenon_slot_rule kLinearSlots[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                                   sdk::contiguous_in(), sdk::contiguous_out()};

template <Describe describe>
uint64_t workspace_of(const sdk::Args& l) {
  const auto product = describe(l);
  return product ? blas_workspace(*product) : 0;
}

// The predicate of kernels that have no other way.
tenon_status accept_product(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts,
                            Describe describe);
template <Describe describe>
tenon_status is_one_product(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  return accept_product(call, args, out_accepts, describe);
}

// False if cuBLASLt refuses the operands where they lie.
bool run_matmul(const BlasPlan& plan, const sdk::Launch& l);
bool run_linear(const BlasPlan& plan, const sdk::Launch& l);
// Of a kernel whose prepared object is a BlasPlan, or nothing.
void release_plan(void* self, void* prepared);

}  // namespace tenon::cuda
