// SPDX-License-Identifier: Apache-2.0
// core/base/kept.h: what a floor above keeps for an object of a floor below, which knows no more of
// it than that it goes when the object goes.
#pragma once

#include <memory>

#include "core/base/no_copy.h"

namespace tenon {

struct Kept : NoCopy {
  Kept() = default;
  // The object goes. What others hold too may live on.
  virtual void end() noexcept { delete this; }

 protected:
  virtual ~Kept() = default;
};

struct EndKept {
  void operator()(Kept* kept) const noexcept { kept->end(); }
};
using Keep = std::unique_ptr<Kept, EndKept>;

}  // namespace tenon
