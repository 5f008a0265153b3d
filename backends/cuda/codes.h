// SPDX-License-Identifier: Apache-2.0
// backends/cuda/codes.h: what a code of CUDA's means.
#pragma once

#include <string>

#include "driver.h"

namespace tenon::cuda {

// "cudaErrorIllegalAddress (700): an illegal memory access was encountered"
std::string words_of(Code code);
// Does CUDA answer every later call with it?
bool loses_device(Code code);

}  // namespace tenon::cuda
