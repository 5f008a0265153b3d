// SPDX-License-Identifier: Apache-2.0
// core/api/objects.h: handles of objects that others may hold too: an optimizer that a checkpoint
// knows, a dataset that a loader reads.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/api/guard.h"
#include "core/data/dataset.h"
#include "core/data/loader.h"
#include "core/data/tokenizer.h"
#include "core/data/transform.h"
#include "core/layers/layer.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "core/processes/group.h"

namespace tenon::api {

// The handles of one type. Each leads to an object that others may hold too, and that goes with its
// last holder.
template <class Handle, class Object, uint8_t kind>
class Handles {
 public:
  // noun  what messages call an object
  explicit constexpr Handles(const char* noun) : noun_(noun) {}

  Handle* give(std::shared_ptr<Object> object) const {
    Slot* slot = Slab::instance().create();
    slot->object = std::move(object);
    return static_cast<Handle*>(Slab::to_handle(slot));
  }
  // Of any runtime.
  const std::shared_ptr<Object>& require_any(const Handle* handle) const {
    return require_slot<Slab>(handle, noun_).object;
  }
  const std::shared_ptr<Object>& require(const Context& context, const Handle* handle) const {
    const std::shared_ptr<Object>& object = require_any(handle);
    if (object->runtime() == context.runtime) return object;
    fail(TENON_E_RUNTIME, "the " + std::string(noun_) + " belongs to another runtime", noun_);
  }
  // The same, for `doing` what is refused while a step is captured.
  const std::shared_ptr<Object>& require(const Context& context, const Handle* handle,
                                         const char* doing) const {
    const std::shared_ptr<Object>& object = require(context, handle);
    refuse_in_capture(context, doing);
    return object;
  }
  // The slot is free for another one when the object goes.
  void release(const Handle* handle) const {
    Slot* slot = Slab::from_handle(handle);
    if (!slot) return;
    const std::shared_ptr<Object> object = std::move(slot->object);
    Slab::instance().destroy(slot);
  }

 private:
  struct Slot : base::SlotHeader {
    std::shared_ptr<Object> object;
  };
  using Slab = base::Slab<Slot, kind>;
  const char* noun_;
};

inline constexpr Handles<tenon_optimizer, optim::Optimizer, kOptimizerKind> kOptimizers(
    "optimizer");
inline constexpr Handles<tenon_schedule, optim::Schedule, kScheduleKind> kSchedules("schedule");
inline constexpr Handles<tenon_dataset, const data::Dataset, kDatasetKind> kDatasets("dataset");
inline constexpr Handles<tenon_transform, const data::Transform, kTransformKind> kTransforms(
    "transform");
inline constexpr Handles<tenon_tokenizer, const data::Tokenizer, kTokenizerKind> kTokenizers(
    "tokenizer");
inline constexpr Handles<tenon_loader, data::Loader, kLoaderKind> kLoaders("loader");
inline constexpr Handles<tenon_layer, layers::Layer, kLayerKind> kLayers("layer");
inline constexpr Handles<tenon_group, processes::Group, kGroupKind> kGroups("group");

// Of a registered name, its file's bytes (checked by the caller) and its options.
inline tenon_tokenizer* make_tokenizer(Context& context, std::string_view name, const void* file,
                                       uint64_t file_length, const tenon_string* names,
                                       const tenon_value* values, uint32_t n_values) {
  const auto options = read_named(names, values, n_values);
  const registry::Entry& kind = context.runtime->plugins.require_entry<tenon_tokenizer_desc>(name);
  const std::span bytes(static_cast<const char*>(file), static_cast<size_t>(file_length));
  return kTokenizers.give(std::make_shared<const data::Tokenizer>(context, kind, bytes, options));
}
// An optimizer by its registered name.
inline tenon_optimizer* make_optimizer(Context& context, std::string_view name,
                                       std::vector<optim::GivenGroup> groups,
                                       std::span<const optim::NamedValue> values,
                                       optim::Given form) {
  const auto& kind = context.runtime->plugins.require_entry<tenon_optimizer_desc>(name);
  return kOptimizers.give(
      std::make_shared<optim::Optimizer>(context, kind, std::move(groups), values, form));
}

}  // namespace tenon::api
