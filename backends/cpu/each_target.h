// SPDX-License-Identifier: Apache-2.0
// backends/cpu/each_target.h: reads HWY_TARGET_INCLUDE for every target but the one that the rest
// of that file is then compiled for. As Highway's foreach_target.h, but vectors.h has been read for
// all targets and is not read again.
#pragma once

#undef HWY_ONCE
#define HWY_ONCE 0
#if (HWY_TARGETS & HWY_AVX3) && HWY_STATIC_TARGET != HWY_AVX3
#undef HWY_TARGET
#define HWY_TARGET HWY_AVX3
#include <hwy/ops/set_macros-inl.h>
#include HWY_TARGET_INCLUDE  // NOLINT(bugprone-suspicious-include): the file itself again
#undef HWY_TARGET
#define HWY_TARGET HWY_STATIC_TARGET
#include <hwy/ops/set_macros-inl.h>
#endif
#undef HWY_ONCE
#define HWY_ONCE 1
