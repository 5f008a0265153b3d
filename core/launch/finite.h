// SPDX-License-Identifier: Apache-2.0
// core/launch/finite.h: TENON_CHECK=finite: the first NaN or infinity, by name.
#pragma once

#include <string>

#include "core/launch/block.h"
#include "core/runtime/context.h"

namespace tenon::launch {

// One launch. Looks at the inputs first, because an op may write over them.
class FiniteJudge {
 public:
  FiniteJudge(Context& context, const Launching& what);
  // Throws for the first written operand that holds a NaN or an infinity.
  void judge() const;

 private:
  std::string operand_name(uint32_t slot, uint32_t view) const;
  std::string step() const;
  const tenon_view& view_of(uint32_t index) const;

  Context& context_;
  const Launching& what_;
  std::string bad_input_;  // name of the first that held one, and where
};

// "inf at [0,2]" for the first NaN or infinity of a tensor of floats, else "". Memory of another
// device is copied.
std::string first_bad(Context& context, Device& device, const tenon_view& view);

}  // namespace tenon::launch
