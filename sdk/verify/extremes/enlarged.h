// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/enlarged.h: sample calls with larger operands, so that there is work to split
// among threads, or more than 32 bits can count.
#pragma once

#include <optional>
#include <vector>

#include "case/sample_call.h"

namespace tenon::verify {

// `array` with other dimensions; its elements follow one another again and again.
Array tiled(const Array& array, const Shape& shape);

// The call with every dimension above 1 of every tensor so many times as large that the largest
// operand or output has about `elements`, and none more. Nothing if no dimension can grow or the
// op refuses such operands.
std::optional<SampleCall> enlarged(const Session& session, const SampleCall& call,
                                   const tenon_device& device, size_t elements);

}  // namespace tenon::verify
