// SPDX-License-Identifier: Apache-2.0
// core/runtime/kind_object.h: what objects that programs hold have in common.
#pragma once

#include "core/base/no_copy.h"
#include "core/registry/registry.h"
#include "core/runtime/context.h"
#include "core/runtime/runtime.h"

namespace tenon {

// Holds its runtime until all of the object is gone.
class OfRuntime : public NoCopy {
 public:
  Runtime* runtime() const { return runtime_; }

 protected:
  explicit OfRuntime(Runtime& runtime) : runtime_(&runtime) { runtime.retain(); }
  ~OfRuntime() { runtime_->release(); }

  Runtime* const runtime_;
};

// Of an entry of the kind with this descriptor.
template <class Desc>
class KindObject : public OfRuntime {
 public:
  const registry::Entry& kind() const { return *kind_; }

 protected:
  KindObject(Context& context, const registry::Entry& kind)
      : OfRuntime(*context.runtime), kind_(&kind) {}
  const Desc& desc() const { return kind_->as<Desc>(); }

  const registry::Entry* const kind_;
};

}  // namespace tenon
