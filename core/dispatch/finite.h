// SPDX-License-Identifier: Apache-2.0
// core/dispatch/finite.h: TENON_CHECK=finite: the first NaN or infinity, by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/api/context.h"
#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

struct Item;

// What a launch is part of, for the words. Stands in the context while it lives.
class CheckSite {
 public:
  // deferred  launches are not judged one by one; the first that makes a NaN or an infinity is kept
  CheckSite(Context& context, std::string where, bool deferred);
  ~CheckSite();
  CheckSite(const CheckSite&) = delete;
  CheckSite& operator=(const CheckSite&) = delete;

  Context& context;
  const std::string where;  // "in a step of optimizer tenon.sgd"
  const bool deferred;
  std::string maker;  // "tenon.div", the first

 private:
  CheckSite* outer_;
};

// One launch. Looks at the inputs first, because an op may write over them.
class FiniteCheck {
 public:
  // scope  where the launch was recorded; `plan_run` and `position` count from 1 where a plan runs
  // items  of the launch's views, whose tensors have the shapes that the caller knows; may be empty
  FiniteCheck(Context& context, const registry::Op& op, const registry::Kernel& kernel,
              Device& device, const tenon_launch& launch, std::span<const Item> items,
              const std::string& scope, uint64_t plan_run = 0, uint64_t position = 0);

  // After the launch: throws TENON_E_CHECK for the first written operand that holds a NaN or an
  // infinity.
  void judge() const;

 private:
  std::string operand_name(uint32_t slot, uint32_t view) const;
  std::string step() const;
  const tenon_view& view_of(uint32_t index) const;

  Context& context_;
  const registry::Op& op_;
  const registry::Kernel& kernel_;
  Device& device_;
  const tenon_launch& launch_;
  const std::span<const Item> items_;
  const std::string& scope_;
  const uint64_t plan_run_;
  const uint64_t position_;
  std::string bad_input_;  // name of the first that held one, and where
};

// "inf at [0,2]" for the first NaN or infinity of a tensor of floats, else "". A tensor of another
// device is copied.
std::string first_bad(Context& context, Device& device, const tenon_view& view);

}  // namespace tenon::dispatch
