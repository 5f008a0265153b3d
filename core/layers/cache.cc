// SPDX-License-Identifier: Apache-2.0
// core/layers/cache.cc: what layers keep of sequences they have seen: room for it, cropping it, and
// that it is never used with other weights than it was made with.
#include <algorithm>

#include "core/launch/moves.h"
#include "core/layers/layer.h"

namespace tenon::layers {

namespace {

uint64_t mixed(uint64_t sum, uint64_t number) {
  sum = (sum ^ number) * 0x9e3779b97f4a7c15u;
  return sum ^ (sum >> 29);
}

bool is_count(const Named& named) {
  return named.cache && named.tensor->dtype() == TENON_DTYPE_I64;
}

[[noreturn, gnu::cold]] void fail_number(const char* function, const char* operand,
                                         const char* expected, int64_t found) {
  fail(TENON_E_ARGUMENT, std::string(function) + ": " + operand + " is out of range", operand,
       expected, std::to_string(found));
}

std::vector<int64_t> dims_of(const CacheSpec& spec, int64_t batch, int64_t positions) {
  std::vector<int64_t> dims = spec.shape;
  std::ranges::replace(dims, TENON_LAYER_CACHE_BATCH, batch);
  std::ranges::replace(dims, TENON_LAYER_CACHE_POSITIONS, positions);
  return dims;
}

Ref host_copy(Context& context, const Tensor& count) {
  return launch::copy_to(context, count, context.runtime->host_device());
}
std::span<int64_t> numbers_of(const Tensor& host) {
  return {static_cast<int64_t*>(host.view.data), static_cast<size_t>(host.elements())};
}

}  // namespace

void Layer::collect_caching(std::vector<Layer*>& out) {
  if (!caches_.empty()) out.push_back(this);
  for (const Child& child : children_) child.layer->collect_caching(out);
}

Layer::OwnTensors Layer::make_caches(Context& context, int64_t batch, int64_t positions) const {
  OwnTensors made;
  if (positions == 0) return made;
  for (const CacheSpec& spec : caches_) {
    const std::vector<int64_t> dims = dims_of(spec, batch, positions);
    tensor::checked_count(dims, tensor::size_of(spec.dtype));
    Ref zeros(Tensor::create(*device_, spec.dtype, dims));
    launch::fill(context, *zeros, tenon_value{TENON_VALUE_I64, 0, {}});
    made.push_back({{spec.name, zeros.get(), true, true}, zeros});
  }
  return made;
}

void Layer::set_cache(Context& context, int64_t batch, int64_t positions) {
  constexpr const char* function = "tenon_layer_set_cache";
  if (positions < 0) fail_number(function, "positions", "0 or more", positions);
  if (batch < 1 && positions > 0) fail_number(function, "batch", "at least 1", batch);
  std::vector<Layer*> caching;
  collect_caching(caching);
  if (caching.empty()) {
    fail(TENON_E_UNSUPPORTED, "no layer in it keeps anything of a sequence", "layer",
         "a layer with attention", kind_->name);
  }
  std::vector<OwnTensors> made;
  for (const Layer* each : caching) made.push_back(each->make_caches(context, batch, positions));
  for (size_t i = 0; i < caching.size(); ++i) {
    OwnTensors& own = caching[i]->own_;
    own.reserve(own.size() + made[i].size());
  }
  for (size_t i = 0; i < caching.size(); ++i) {
    std::erase_if(caching[i]->own_, [](const auto& entry) { return entry.first.cache; });
    std::ranges::move(made[i], std::back_inserter(caching[i]->own_));
    ++caching[i]->added_;
    if (caching[i]->frozen_)
      caching[i]->frozen_->set(kCache, caching[i]->uses_cache() ? "true" : "false");
  }
}

// A captured call did not, and would not be refused in time.
bool Layer::uses_cache() const {
  return !training_ &&
         std::ranges::any_of(own_, [](const auto& entry) { return entry.first.cache; });
}

std::vector<Tensor*> Layer::cache_counts() {
  std::vector<Tensor*> counts;
  for (const Named& each : tensors()) {
    if (is_count(each)) counts.push_back(each.tensor);
  }
  return counts;
}

void Layer::crop_cache(Context& context, int64_t count) {
  if (count < 0) fail_number("tenon_layer_crop_cache", "count", "0 or more", count);
  const std::vector<Tensor*> counts = cache_counts();
  if (counts.empty()) {
    fail(TENON_E_STATE, "the layer has no caches", "layer", "caches", "none",
         "tenon_layer_set_cache gives it some");
  }
  const GradMode off(context, false);
  std::vector<Ref> cropped;
  for (const Tensor* each : counts) {
    cropped.push_back(host_copy(context, *each));
    for (int64_t& held : numbers_of(*cropped.back())) held = std::min(held, count);
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    launch::copy_into(context, *cropped[i], *counts[i]);
    counts[i]->storage->written(nullptr, context.scope_path());
  }
}

// ---- What a cache was made with -----------------------------------------------------------------

// A number for all weights here and below as they are. visit(layer, number) for each layer.
template <class Visit>
uint64_t Layer::weigh(const Visit& visit) {
  uint64_t sum = own_.size();
  for (const auto& [named, tensor] : own_) {
    if (named.cache) continue;
    const tensor::Storage& storage = *tensor->storage;
    sum = mixed(sum, reinterpret_cast<uintptr_t>(&storage));
    sum = mixed(sum, storage.version.load(std::memory_order_relaxed));
  }
  for (const Child& child : children_) sum = mixed(sum, child.layer->weigh(visit));
  visit(*this, sum);
  return sum;
}

bool Layer::weights_are_as_weighed() {
  bool same = true;
  weigh([&](const Layer& layer, uint64_t now) {
    same = same && layer.weighed_.value_or(now) == now;
  });
  return same;
}

void Layer::trust_cache() noexcept {
  weighed_.reset();
  for (const Child& child : children_) child.layer->trust_cache();
}

int64_t Layer::held_positions(Context& context) {
  int64_t most = 0;
  for (const Tensor* each : cache_counts()) {
    const Ref here = host_copy(context, *each);
    for (const int64_t held : numbers_of(*here)) most = std::max(most, held);
  }
  return most;
}

void Layer::check_weights(Context& context) {
  // The number of the layer that is called stands for all below.
  if (weighed_ == weigh([](const Layer&, uint64_t) {})) return;
  if (!weights_are_as_weighed()) {
    const int64_t held = held_positions(context);
    if (held != 0) {
      fail(TENON_E_STATE, "its caches were filled with weights that have changed since", "layer",
           "empty caches, or the weights of before",
           std::to_string(held) + " positions seen with other weights",
           "tenon_layer_crop_cache with count 0 empties the caches");
    }
  }
  weigh([](Layer& layer, uint64_t now) { layer.weighed_ = now; });
}

Tensor* Layer::use_tensor(Context& context, std::string_view name) const {
  const auto* const found = find_own(name);
  if (!found) return nullptr;
  OutermostCall& outermost = *context.layer_call;
  if (!found->first.cache || outermost.weights_checked) return found->second.get();
  const char* const hint = "tenon_layer_set_cache with 0 positions takes the cache away";
  if (context.capture) {
    fail(TENON_E_CAPTURE, "a layer with a cache cannot be captured", "layer", "no cache",
         "one in evaluation", hint);
  }
  if (context.grad_enabled()) {
    fail(TENON_E_GRAD, "a layer with a cache is called while gradients are recorded", "layer",
         "gradients off (tenon_grad_begin), or a layer in training", "gradients on", hint);
  }
  outermost.layer.check_weights(context);
  outermost.weights_checked = true;
  return found->second.get();
}

}  // namespace tenon::layers
