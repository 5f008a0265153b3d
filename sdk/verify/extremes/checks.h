// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/checks.h: what is asked of a call and its backward where little
// is usual: no elements, very many, threads, failing memory. One function a question, which
// enumerates its cases and tells the recorder of every one.
#pragma once

#include "process/work.h"

namespace tenon::verify {

// emptied.cc: sizes of 0 in place of those of the samples, forward and backward.
void check_emptied(Work& work);
// repeats.cc: same bits again and with other numbers of threads, nothing left over.
void check_repeats(Work& work);
// states.cc: callbacks keep to their call states.
void check_states(Work& work);
// memory.cc: every allocation fails once.
void check_memory(Work& work);
// huge.cc: more than 2^31 elements.
void check_huge(Work& work);

}  // namespace tenon::verify
