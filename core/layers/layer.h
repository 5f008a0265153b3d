// SPDX-License-Identifier: Apache-2.0
// core/layers/layer.h: a layer object: the tensors and children that a plugin's description named,
// and the forward pass it brought. Knows no layer. Layers are trees: each has one place.
#pragma once

#include <tenon/ext/draft/layers.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/options.h"
#include "core/plan/frozen.h"
#include "core/registry/values.h"
#include "core/runtime/callback.h"
#include "core/runtime/context.h"

namespace tenon::layers {

using data::NamedValue;
using tensor::Ref;
using tensor::Tensor;

class Layer;
using Shared = std::shared_ptr<Layer>;

// Layers one in another, so that no walk over them runs out of stack.
inline constexpr uint32_t kMaxDepth = 64;

// A tensor of a layer or of one that is in it.
struct Named {
  std::string name;  // "0.weight"
  Tensor* tensor = nullptr;
  bool buffer = false;
};

// A layer that is in another one.
struct Below {
  std::string name;  // "0.1"
  const Layer* layer = nullptr;
};

class Layer final : public CallbackSubject {
 public:
  // This layer's own tensors first, and each layer before those in it.
  struct Lists {
    std::vector<Named> tensors;
    std::vector<const Named*> parameters;  // of `tensors`, each tensor once
    std::vector<Below> below;
  };

  // Runs the description. above: layers around this one.
  Layer(Context& context, const registry::Entry& kind, Device& device,
        std::span<const NamedValue> options, uint32_t above);
  ~Layer() override;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  std::vector<Ref> call(Context& context, std::span<const tenon_value> inputs, uint32_t n_outputs);
  void set_training(bool training);
  // With all in it, gradients of parameters too; if it throws, nothing has moved.
  void set_device(Context& context, Device& device);
  // From the program: only a container takes it.
  void set_child(std::string_view name, const Shared& child);
  // All tensors of this layer and below. Valid until a child is added below.
  const std::vector<Named>& tensors() { return lists().tensors; }
  // Without buffers, and a tensor with several names once. Valid as long.
  const std::vector<const Named*>& parameters() { return lists().parameters; }
  // All layers in this one. Valid as long.
  const std::vector<Below>& below() { return lists().below; }
  Tensor& find_tensor(std::string_view name);
  void set_tensor(Context& context, std::string_view name, const Tensor& values);
  // The tensor itself, in place of the one there is.
  void share_tensor(std::string_view name, Tensor& tensor);

  Runtime* runtime() const { return runtime_; }
  const registry::Entry& kind() const { return *kind_; }

  // ---- For a plugin's callbacks
  void add_tensor(Context& context, const tenon_layer_tensor_spec& spec);
  void add_child(Context& context, std::string_view name, std::string_view kind,
                 std::span<const NamedValue> options);
  Tensor* own_tensor(std::string_view name) const;  // NULL if there is none
  void set_buffer(Context& context, std::string_view name, const Tensor& values);
  uint32_t child_count() const { return static_cast<uint32_t>(children_.size()); }
  std::vector<Ref> call_child(Context& context, uint32_t index, std::span<const tenon_value> inputs,
                              uint32_t n_outputs);

 private:
  struct Child {
    std::string name;
    Shared layer;
  };
  [[noreturn]] void fail(tenon_status status, const std::string& what, std::string operand,
                         std::string expected, std::string found, std::string hint = "") const;
  void check_name(std::string_view name) const;
  void check_like(std::string_view name, const Tensor& target, const Tensor& values) const;
  void check_shared(const Named& place, const Tensor& tensor) const;
  bool holds(const Layer& other) const;
  uint32_t height() const;     // layers below and with this one, one in another
  uint64_t additions() const;  // here and below
  void lower_to(uint32_t above);
  void gather(const std::string& prefix, Lists& out) const;
  void place(Device& device) noexcept;
  const Lists& lists();

  Runtime* runtime_;
  const registry::Entry* kind_;
  Device* device_;
  registry::ValueStore options_;
  std::vector<std::pair<Named, Ref>> own_;
  std::vector<Child> children_;
  bool training_ = true;
  // Whether it trains, and how often a tensor was replaced; from its first captured call on.
  std::shared_ptr<plan::Frozen> frozen_;
  uint64_t replaced_ = 0;
  uint32_t above_;
  std::atomic<bool> held_{false};      // by a container or the layer that described it
  uint64_t added_ = 0;                 // children, and tensors in place of others
  uint64_t listed_at_ = ~uint64_t{0};  // additions() when `lists_` were made
  Lists lists_;
};

struct LayerSlot : base::SlotHeader {
  Shared layer;
};
using LayerSlab = base::Slab<LayerSlot, kLayerKind>;

}  // namespace tenon::layers
