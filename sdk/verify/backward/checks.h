// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/checks.h: what is asked of gradients, one function a question. Each
// enumerates its cases and tells the recorder of every one.
#pragma once

#include "process/work.h"

namespace tenon::verify {

// gradients.cc: central differences, the inner-product identity, layouts, subsets, poisoned values.
void check_gradients(Work& work);
// twice.cc: the backward graph's own gradients.
void check_twice(Work& work);

}  // namespace tenon::verify
