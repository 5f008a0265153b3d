// SPDX-License-Identifier: Apache-2.0
// core/layers/layer.h: a layer object: the tensors and children that a plugin's description named,
// and the forward pass it brought. Knows no layer. Layers are trees: each has one place.
#pragma once

#include <tenon/ext/draft/layers.h>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/options.h"
#include "core/plan/frozen.h"
#include "core/registry/values.h"
#include "core/runtime/callback.h"
#include "core/runtime/kind_object.h"

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
  bool cache = false;  // a buffer, too
};

// A cache that a layer's description names. It is there while tenon_layer_set_cache has made it.
struct CacheSpec {
  std::string name;
  tenon_dtype dtype = TENON_DTYPE_NONE;
  std::vector<int64_t> shape;  // TENON_LAYER_CACHE_BATCH and _POSITIONS in it
};

// A layer that is in another one.
struct Below {
  std::string name;  // "0.1"
  const Layer* layer = nullptr;
};

class Layer final : public CallbackSubject, public KindObject<tenon_layer_desc> {
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

  std::vector<Ref> call(Context& context, std::span<const tenon_value> inputs, uint32_t n_outputs);
  void set_training(bool training);
  // With all in it, gradients of parameters too; if it throws, nothing has moved.
  void set_device(Context& context, Device& device);
  // Room for what layers here and below keep of sequences; positions 0: none.
  void set_cache(Context& context, int64_t batch, int64_t positions);
  void crop_cache(Context& context, int64_t count);
  // What caches hold was made with the weights there are now: both were read from one file.
  void trust_cache() noexcept;
  // From the program: only a container takes it.
  void set_child(std::string_view name, const Shared& child);
  // All tensors of this layer and below. Valid until a child is added below.
  const std::vector<Named>& tensors() { return lists().tensors; }
  // Without buffers, and a tensor with several names once. Valid as long.
  const std::vector<const Named*>& parameters() { return lists().parameters; }
  // All layers in this one. Valid as long.
  const std::vector<Below>& below() { return lists().below; }
  // A step that is captured looks at these.
  void note_parts(Context& context) {
    if (context.capture) freeze_all_parts(context);
  }
  Tensor& find_tensor(std::string_view name);
  void set_tensor(Context& context, std::string_view name, const Tensor& values);
  // The tensor itself, in place of the one there is.
  void share_tensor(std::string_view name, Tensor& tensor);

  // ---- For a plugin's callbacks
  void add_tensor(Context& context, const tenon_layer_tensor_spec& spec);
  void add_child(Context& context, std::string_view name, std::string_view kind,
                 std::span<const NamedValue> options);
  Tensor* own_tensor(std::string_view name) const;  // NULL if there is none
  // The same for forward, which may use a cache only if what it holds is right.
  Tensor* use_tensor(Context& context, std::string_view name) const;
  void set_buffer(Context& context, std::string_view name, Tensor& values);
  uint32_t child_count() const { return static_cast<uint32_t>(children_.size()); }
  std::vector<Ref> call_child(Context& context, uint32_t index, std::span<const tenon_value> inputs,
                              uint32_t n_outputs);

 private:
  struct Child {
    std::string name;
    Shared layer;
  };
  using OwnTensors = std::vector<std::pair<Named, Ref>>;
  std::vector<Ref> run(Context& context, std::span<const tenon_value> inputs, uint32_t n_outputs);
  OwnTensors make_caches(Context& context, int64_t batch, int64_t positions) const;
  bool uses_cache() const;
  void check_weights(Context& context);
  bool weights_are_as_weighed();
  template <class Visit>
  uint64_t weigh(const Visit& visit);
  std::vector<Tensor*> cache_counts();
  int64_t held_positions(Context& context);
  void collect_caching(std::vector<Layer*>& out);
  const std::pair<Named, Ref>* find_own(std::string_view name) const;  // NULL if there is none
  [[noreturn]] void fail(tenon_status status, const std::string& what, std::string operand,
                         std::string expected, std::string found, std::string hint = "") const;
  void check_name(std::string_view name) const;
  void check_like(std::string_view name, const Tensor& target, const Tensor& values) const;
  void check_shared(const Named& place, const Tensor& tensor) const;
  std::string child_names() const;
  [[gnu::cold]] void freeze(Context& context);
  [[gnu::cold]] void freeze_parts(Context& context);
  [[gnu::cold]] void freeze_all_parts(Context& context);
  bool holds(const Layer& other) const;
  uint32_t height() const;     // layers below and with this one, one in another
  uint64_t additions() const;  // here and below
  void lower_to(uint32_t above);
  void gather(const std::string& prefix, Lists& out) const;
  void place(Device& device) noexcept;
  const Lists& lists();

  Device* device_;
  registry::ValueStore options_;
  OwnTensors own_;
  std::vector<CacheSpec> caches_;
  std::vector<Child> children_;
  bool training_ = true;
  enum Taken : size_t { kTraining, kCache };
  enum TakenPart : size_t { kReplaced, kChildren };
  // Whether it trains, and whether a call would use a cache; from its first captured call on.
  std::shared_ptr<plan::Frozen> frozen_;
  // How often a tensor was replaced, and a container's children; from when a captured step first
  // called it or looked at what is in it.
  std::shared_ptr<plan::Frozen> parts_;
  uint64_t replaced_ = 0;
  // What stood for the weights here and below at the last call from the program that used a cache.
  std::optional<uint64_t> weighed_;
  uint32_t above_;
  std::atomic<bool> held_{false};      // by a container or the layer that described it
  uint64_t added_ = 0;                 // children, and tensors in place of others
  uint64_t listed_at_ = ~uint64_t{0};  // additions() when `lists_` were made
  Lists lists_;
};

// The call of a layer by the program, which others in it are part of.
class OutermostCall : NoCopy {
 public:
  OutermostCall(Context& context, Layer& called)
      : layer(called), running_(context.layer_call, this) {}

  Layer& layer;
  bool weights_checked = false;
  std::vector<std::pair<Ref, Ref>> counts;  // of caches, and what they are once it has succeeded

 private:
  const Swapped<OutermostCall*> running_;
};

}  // namespace tenon::layers
