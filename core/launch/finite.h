// SPDX-License-Identifier: Apache-2.0
// core/launch/finite.h: TENON_CHECK=finite: the first NaN or infinity, by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/launch/launch.h"

namespace tenon::launch {

class FiniteCheck final : public LaunchCheck {
 public:
  std::unique_ptr<Judge> begin(Context& context, const Launching& launching) override;
};

// "inf at [0,2]" for the first NaN or infinity of a tensor of floats, else "". A tensor of another
// device is copied.
std::string first_bad(Context& context, Device& device, const tenon_view& view);

}  // namespace tenon::launch
