// SPDX-License-Identifier: Apache-2.0
// backends/cpu/vectors.h: what kernels are written with, for each target: Highway, and what kernels
// share. It takes seconds to read, so it is a precompiled header; each_target.h then goes through
// the targets once more for each kernel file. A header with code for a target stands here and
// nowhere else, or it would be read for one target alone. What only gemm/matmul.cc needs is not
// here: that file is read for each target together with all of its headers, by foreach_target.h.

#include "cpu.h"

// clang-format off: after targets.h
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>

#include "kernels/abreast-inl.h"
#include "kernels/function-inl.h"
#include "kernels/math_activations-inl.h"
#include "kernels/math_circular-inl.h"
#include "kernels/math_erf_inverse-inl.h"
#include "kernels/math_gamma-inl.h"
#include "kernels/math_hyperbolic-inl.h"
#include "kernels/math_powers-inl.h"
#include "kernels/norm-inl.h"
#include "kernels/optim-inl.h"
#include "kernels/random_words-inl.h"
#include "kernels/reduce-inl.h"
#include "kernels/softmax-inl.h"
