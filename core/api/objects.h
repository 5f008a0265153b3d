// SPDX-License-Identifier: Apache-2.0
// core/api/objects.h: handles of objects that others may hold too: an optimizer that a checkpoint
// knows, a dataset that a loader reads.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

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

template <class Handle, class Slab, class Slot, class Object>
Handle* give_object(std::shared_ptr<Object> Slot::*member,
                    std::type_identity_t<std::shared_ptr<Object>> object) {
  Slot* slot = Slab::instance().create();
  slot->*member = std::move(object);
  return static_cast<Handle*>(Slab::to_handle(slot));
}

// The object goes with its last holder, when the slot is free for another one already.
template <class Slab, class Slot, class Object>
void release_object(const void* handle, std::shared_ptr<Object> Slot::*member) {
  Slot* slot = Slab::from_handle(handle);
  if (!slot) return;
  const std::shared_ptr<Object> object = std::move(slot->*member);
  Slab::instance().destroy(slot);
}

template <class Slab, class Slot, class Object>
const std::shared_ptr<Object>& require_object(const Context& context, const void* handle,
                                              std::shared_ptr<Object> Slot::*member,
                                              const char* what) {
  const std::shared_ptr<Object>& object = require_slot<Slab>(handle, what).*member;
  if (object->runtime() == context.runtime) return object;
  throw Error{.status = TENON_E_RUNTIME,
              .message = "the " + std::string(what) + " belongs to another runtime",
              .operand = what};
}

inline const auto& require_optimizer(const Context& context, tenon_optimizer* handle) {
  return require_object<optim::OptimizerSlab>(context, handle, &optim::OptimizerSlot::optimizer,
                                              "optimizer");
}
inline const auto& require_schedule(const Context& context, tenon_schedule* handle) {
  return require_object<optim::ScheduleSlab>(context, handle, &optim::ScheduleSlot::schedule,
                                             "schedule");
}
inline const auto& require_dataset(const Context& context, tenon_dataset* handle) {
  return require_object<data::DatasetSlab>(context, handle, &data::DatasetSlot::dataset, "dataset");
}
inline const auto& require_transform(const Context& context, tenon_transform* handle) {
  return require_object<data::TransformSlab>(context, handle, &data::TransformSlot::transform,
                                             "transform");
}
inline const auto& require_tokenizer(const Context& context, tenon_tokenizer* handle) {
  return require_object<data::TokenizerSlab>(context, handle, &data::TokenizerSlot::tokenizer,
                                             "tokenizer");
}
inline tenon_tokenizer* give_tokenizer(std::shared_ptr<const data::Tokenizer> made) {
  return give_object<tenon_tokenizer, data::TokenizerSlab>(&data::TokenizerSlot::tokenizer,
                                                           std::move(made));
}
// Of a registered name, its file's bytes (checked by the caller) and its options.
inline tenon_tokenizer* make_tokenizer(Context& context, std::string_view name, const void* file,
                                       uint64_t file_length, const tenon_string* names,
                                       const tenon_value* values, uint32_t n_values) {
  const auto options = read_named(names, values, n_values);
  const registry::Entry& kind = context.runtime->plugins.require_entry<tenon_tokenizer_desc>(name);
  const std::span bytes(static_cast<const char*>(file), static_cast<size_t>(file_length));
  return give_tokenizer(std::make_shared<const data::Tokenizer>(context, kind, bytes, options));
}
inline const auto& require_group(const Context& context, tenon_group* handle) {
  return require_object<processes::GroupSlab>(context, handle, &processes::GroupSlot::group,
                                              "group");
}
inline const auto& require_loader(const Context& context, tenon_loader* handle) {
  return require_object<data::LoaderSlab>(context, handle, &data::LoaderSlot::loader, "loader");
}
inline const auto& require_layer(const Context& context, tenon_layer* handle,
                                 const char* what = "layer") {
  return require_object<layers::LayerSlab>(context, handle, &layers::LayerSlot::layer, what);
}

// An optimizer by its registered name.
inline tenon_optimizer* make_optimizer(Context& context, std::string_view name,
                                       std::vector<optim::GivenGroup> groups,
                                       std::span<const optim::NamedValue> values,
                                       optim::Given form) {
  const auto& kind = context.runtime->plugins.require_entry<tenon_optimizer_desc>(name);
  return give_object<tenon_optimizer, optim::OptimizerSlab>(
      &optim::OptimizerSlot::optimizer,
      std::make_shared<optim::Optimizer>(context, kind, std::move(groups), values, form));
}

}  // namespace tenon::api
