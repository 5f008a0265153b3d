// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/library.h: NCCL and the CUDA driver, opened at the first use and never closed.
//
// TENON_NCCL_LIBRARY and TENON_NCCL_DRIVER name other files than libnccl.so.2 and libcuda.so.1.
#pragma once

#include <string>

#include "vendor.h"

namespace tenon::nccl {

struct Nccl {
#define TENON_NCCL_MEMBER(member, name, result, parameters) result(*member) parameters = nullptr;
  TENON_NCCL_FUNCTIONS(TENON_NCCL_MEMBER)
};

struct Driver {
  TENON_NCCL_DRIVER_FUNCTIONS(TENON_NCCL_MEMBER)
#undef TENON_NCCL_MEMBER
};

// Throw sdk::Failure, TENON_E_NOT_FOUND, which says what brings the library, where it is not there,
// lacks a function, or is too old.
const Nccl& nccl();
const Driver& driver();

// What a code means: throws TENON_E_DEVICE for one that is no success.
void check(Code code, const char* function);
// "2.18.3"
std::string version_text(int version);

}  // namespace tenon::nccl
