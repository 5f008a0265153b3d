// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/checks.h: what is asked of a call, one function a question. Each
// enumerates its cases and tells the recorder of every one.
#pragma once

#include "process/work.h"

namespace tenon::verify {

// declared.cc: documentation, samples, error samples; every declared dtype row is reached.
void check_declared(Work& work);
// errors.cc: what must be refused is, with the status and the words.
void check_errors(Work& work);
// values.cc: row-major results against the other kernel, golden files, the composition.
void check_values(Work& work);
// forms.cc: layouts of inputs and outputs in every form against the row-major results.
void check_forms(Work& work);

}  // namespace tenon::verify
