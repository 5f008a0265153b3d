// SPDX-License-Identifier: Apache-2.0
// core/layers/layer.cc: layer objects: making, calling, naming.
#include "core/layers/layer.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/words.h"
#include "core/launch/moves.h"
#include "core/plan/recorder.h"
#include "core/tape/graph.h"

namespace tenon::layers {

namespace {

const char* truth(bool value) { return value ? "true" : "false"; }

std::string range_text(uint32_t least, uint32_t most) {
  return least == most ? std::to_string(most)
                       : std::to_string(least) + " to " + std::to_string(most);
}

// Not recorded for backward.
void copy_values(Context& context, const Tensor& source, Tensor& target) {
  const GradMode off(context, false);
  launch::copy_into(context, source, target);
  target.storage->written(nullptr, context.scope_path());
}

// A tensor that is to move, and what it and its gradient will be there.
struct Move {
  Tensor* tensor = nullptr;
  Ref values{};
  tape::Gradient gradient{};
};

Move prepare_move(Context& context, Tensor& tensor, Device& device) {
  Move move{.tensor = &tensor, .values = launch::copy_to(context, tensor, device)};
  move.gradient = tape::gradient_of(tape::find_link(tensor));
  for (Ref* part :
       {&move.gradient.dense, &move.gradient.rows.indices, &move.gradient.rows.values}) {
    if (*part) *part = launch::copy_to(context, **part, device);
  }
  return move;
}

void finish_move(Move& move) noexcept {
  static const std::string writer = "tenon_layer_set_device";
  move.tensor->move_to(*move.values, &writer);
  tape::Link* const link = tape::find_link(*move.tensor);
  if (!link) return;
  tape::exchange(*link, move.gradient);
}

// The scope of one child; an error that leaves it remembers it.
class ChildScope : NoCopy {
 public:
  ChildScope(Context& context, const std::string& label) : context_(context) {
    context.push_scope(label);
  }
  ~ChildScope() { context_.scopes.pop_back(); }

 private:
  Context& context_;
};

}  // namespace

Layer::Layer(Context& context, const registry::Entry& kind, Device& device,
             std::span<const NamedValue> options, uint32_t above)
    : KindObject(context, kind),
      device_(&device),
      options_(data::read_options(kind.name, data::options_of(desc()), options)),
      above_(above) {
  CallbackScope call(context, CallbackState::Infer, kind.plugin, nullptr);
  call.subject = this;
  call.run_as(kind.name, "describe", [&](tenon_call* handed) {
    return desc().describe(handed, options_.values().data());
  });
}

Layer::~Layer() {
  for (const Child& child : children_) child.layer->held_ = false;
}

void Layer::fail(tenon_status status, const std::string& what, std::string operand,
                 std::string expected, std::string found, std::string hint) const {
  fail_in(kind_->name, status, what, std::move(operand), std::move(expected), std::move(found),
          std::move(hint));
}

std::vector<Ref> Layer::call(Context& context, std::span<const tenon_value> inputs,
                             uint32_t n_outputs) {
  if (context.layer_call) return run(context, inputs, n_outputs);
  const OutermostCall outermost(context, *this);
  std::vector<Ref> made = run(context, inputs, n_outputs);
  for (const auto& [count, values] : outermost.counts) copy_values(context, *values, *count);
  return made;
}

std::vector<Ref> Layer::run(Context& context, std::span<const tenon_value> inputs,
                            uint32_t n_outputs) {
  require_active(*kind_->plugin, kind_->name);
  if (inputs.size() < desc().min_inputs || inputs.size() > desc().max_inputs) {
    fail(TENON_E_ARGUMENT, "the number of inputs does not fit", "inputs",
         range_text(desc().min_inputs, desc().max_inputs), std::to_string(inputs.size()));
  }
  if (n_outputs != desc().n_outputs) {
    fail(TENON_E_ARGUMENT, "the number of outputs does not fit", "outputs",
         std::to_string(desc().n_outputs), std::to_string(n_outputs));
  }
  if (context.capture) freeze(context);
  CallbackScope call(context, CallbackState::Compose, kind_->plugin, nullptr);
  call.subject = this;
  call.composed.resize(n_outputs);
  const DefaultDevice here(context, device_->id);
  call.run_as(kind_->name, "forward", [&](tenon_call* handed) {
    return desc().forward(handed, options_.values().data(), inputs.data(),
                          static_cast<uint32_t>(inputs.size()),
                          training_ ? TENON_LAYER_TRAINING : 0u);
  });
  for (uint32_t i = 0; i < n_outputs; ++i) {
    if (call.composed[i]) continue;
    fail(TENON_E_PLUGIN, "its forward has set no output " + std::to_string(i),
         "output " + std::to_string(i), "a tensor", "nothing");
  }
  return std::move(call.composed);
}

// ---- What captured steps take over
// ---------------------------------------------------------------

std::string Layer::child_names() const {
  return "(" + base::joined(children_, " ", &Child::name) + ")";
}

void Layer::freeze(Context& context) {
  if (!frozen_) {
    frozen_ = std::make_shared<plan::Frozen>(
        *runtime_,
        plan::Frozen::Values{{"training of a layer " + kind_->name, truth(training_)},
                             {"use of a cache by a layer " + kind_->name, truth(uses_cache())}});
  }
  plan::recorder_of(context)->depend_on(frozen_);
  freeze_parts(context);
}

void Layer::freeze_parts(Context& context) {
  if (!parts_) {
    plan::Frozen::Values values = {
        {"number of replaced tensors of a layer " + kind_->name, std::to_string(replaced_)}};
    if (desc().flags & TENON_LAYER_CONTAINER) {
      values.emplace_back("children of a layer " + kind_->name, child_names());
    }
    parts_ = std::make_shared<plan::Frozen>(*runtime_, std::move(values));
  }
  plan::recorder_of(context)->depend_on(parts_);
}

void Layer::freeze_all_parts(Context& context) {
  freeze_parts(context);
  for (const Child& child : children_) child.layer->freeze_all_parts(context);
}

std::vector<Ref> Layer::call_child(Context& context, uint32_t index,
                                   std::span<const tenon_value> inputs, uint32_t n_outputs) {
  if (index >= children_.size()) {
    fail(TENON_E_ARGUMENT, "it calls a child it does not have", "index",
         "below " + std::to_string(children_.size()), std::to_string(index));
  }
  const ChildScope scope(context, children_[index].name);
  try {
    return children_[index].layer->call(context, inputs, n_outputs);
  } catch (Error& error) {
    if (error.scope.empty()) error.scope = *context.scope_path();
    throw;
  }
}

void Layer::set_training(bool training) {
  training_ = training;
  if (frozen_) frozen_->set(kTraining, truth(training));
  if (frozen_) frozen_->set(kCache, truth(uses_cache()));
  for (const Child& child : children_) child.layer->set_training(training);
}

void Layer::set_device(Context& context, Device& device) {
  const GradMode off(context, false);
  const bool fresh = weights_are_as_weighed();
  std::vector<Move> moves;
  for (const Named& each : tensors()) {
    if (&device_of(*each.tensor) == &device) continue;
    if (std::ranges::find(moves, each.tensor, &Move::tensor) != moves.end()) continue;
    moves.push_back(prepare_move(context, *each.tensor, device));
  }
  for (Move& move : moves) finish_move(move);
  place(device);
  if (fresh) trust_cache();
}

void Layer::place(Device& device) noexcept {
  device_ = &device;
  for (const Child& child : children_) child.layer->place(device);
}

// ---- Children -----------------------------------------------------------------------------------

bool Layer::holds(const Layer& other) const {
  return this == &other || std::any_of(children_.begin(), children_.end(), [&](const Child& child) {
           return child.layer->holds(other);
         });
}

uint32_t Layer::height() const {
  uint32_t below = 0;
  for (const Child& child : children_) below = std::max(below, child.layer->height());
  return below + 1;
}

uint64_t Layer::additions() const {
  uint64_t all = added_;
  for (const Child& child : children_) all += child.layer->additions();
  return all;
}

void Layer::set_child(std::string_view name, const Shared& child) {
  std::string label = name.empty() ? std::to_string(children_.size()) : std::string(name);
  if (!(desc().flags & TENON_LAYER_CONTAINER)) {
    fail_in(kind_->name, TENON_E_UNSUPPORTED, "the layer takes no children", "layer", "a container",
            kind_->name, "the topic \"layers\" of tenon_runtime_query says which are containers");
  }
  check_name(label);
  if (child->holds(*this)) {
    fail(TENON_E_ARGUMENT, "a layer cannot be in itself", "child",
         "a layer that does not hold this one", child->kind().name);
  }
  const uint32_t depth = above_ + 1 + child->height();
  if (depth > kMaxDepth) {
    fail(TENON_E_ARGUMENT, "too many layers one in another", "child",
         "at most " + std::to_string(kMaxDepth), std::to_string(depth));
  }
  children_.reserve(children_.size() + 1);
  if (child->held_.exchange(true)) {
    fail(TENON_E_ARGUMENT, "the child is in a container already", "child",
         "a layer that is in no container", child->kind().name);
  }
  child->lower_to(above_ + 1);
  children_.push_back({std::move(label), child});
  ++added_;
  if (parts_) parts_->set(kChildren, child_names());
}

void Layer::lower_to(uint32_t above) {
  above_ = above;
  for (const Child& each : children_) each.layer->lower_to(above + 1);
}

void Layer::add_child(Context& context, std::string_view name, std::string_view kind,
                      std::span<const NamedValue> options) {
  check_name(name);
  if (above_ + 1 >= kMaxDepth) {
    fail(TENON_E_PLUGIN, "its description puts too many layers one in another", std::string(name),
         "at most " + std::to_string(kMaxDepth), std::to_string(above_ + 2));
  }
  const registry::Entry& which = runtime_->plugins.require_entry<tenon_layer_desc>(kind);
  children_.push_back(
      {std::string(name), std::make_shared<Layer>(context, which, *device_, options, above_ + 1)});
  children_.back().layer->held_ = true;
  ++added_;
}

// ---- Names --------------------------------------------------------------------------------------

void Layer::gather(const std::string& prefix, Lists& out) const {
  for (const auto& [named, tensor] : own_) {
    out.tensors.push_back({prefix + named.name, tensor.get(), named.buffer, named.cache});
  }
  for (const Child& child : children_) {
    out.below.push_back({prefix + child.name, child.layer.get()});
    child.layer->gather(prefix + child.name + ".", out);
  }
}

const Layer::Lists& Layer::lists() {
  const uint64_t now = additions();
  if (listed_at_ == now) return lists_;
  Lists all;
  gather("", all);
  std::unordered_set<const Tensor*> seen;
  for (const Named& each : all.tensors) {
    if (!each.buffer && seen.insert(each.tensor).second) all.parameters.push_back(&each);
  }
  lists_ = std::move(all);
  listed_at_ = now;
  return lists_;
}

Tensor& Layer::find_tensor(std::string_view name) {
  const auto found = std::ranges::find(tensors(), name, &Named::name);
  if (found != tensors().end()) return *found->tensor;
  const std::string known = base::joined(tensors(), " ", &Named::name);
  fail(TENON_E_NOT_FOUND, "no tensor \"" + std::string(name) + "\"", std::string(name),
       known.empty() ? "none: the layer has no tensors" : "one of: " + known, std::string(name));
}

void Layer::check_like(std::string_view name, const Tensor& target, const Tensor& values) const {
  const bool same = std::ranges::equal(target.shape(), values.shape());
  if (same && target.dtype() == values.dtype()) return;
  fail(same ? TENON_E_DTYPE : TENON_E_SHAPE,
       "the values do not fit tensor \"" + std::string(name) + "\"", std::string(name),
       tensor::describe(target), tensor::describe(values));
}

void Layer::set_tensor(Context& context, std::string_view name, const Tensor& values) {
  Tensor& target = find_tensor(name);
  check_like(name, target, values);
  launch::require_writable(target, "the layer's tensor", name);
  copy_values(context, values, target);
}

void Layer::check_shared(const Named& place, const Tensor& tensor) const {
  check_like(place.name, *place.tensor, tensor);
  const auto refuse = [&](tenon_status status, const char* what, std::string expected,
                          std::string found) {
    fail(status, "\"" + place.name + "\" cannot be shared: " + what, place.name,
         std::move(expected), std::move(found), "tenon_layer_set_tensor copies its values");
  };
  if (&device_of(*place.tensor) != &device_of(tensor)) {
    refuse(TENON_E_DEVICE, "the tensor is on another device", device_of(*place.tensor).name(),
           device_of(tensor).name());
  }
  const auto why = tensor::why_read_only(tensor);
  if (why && !tensor.storage->read_only) {
    refuse(TENON_E_ALIAS, ("the tensor " + why->what).c_str(), why->expected, why->found);
  }
  const bool wanted = tape::requires_grad(*place.tensor);
  if (!tape::is_leaf(tensor) || tape::requires_grad(tensor) != wanted) {
    refuse(TENON_E_GRAD,
           wanted ? "it is a parameter, which would not be trained" : "it is not trained",
           wanted ? "a leaf that requires a gradient" : "a tensor that requires no gradient",
           !tape::is_leaf(tensor)        ? "what was computed from others"
           : tape::requires_grad(tensor) ? "a leaf that requires one"
                                         : "a tensor that requires none");
  }
}

void Layer::share_tensor(std::string_view name, Tensor& tensor) {
  find_tensor(name);  // refuses names that there are not
  Layer* owner = this;
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.')) {
    const auto child = std::ranges::find(owner->children_, name.substr(0, dot), &Child::name);
    owner = child->layer.get();
    name.remove_prefix(dot + 1);
  }
  auto& [named, held] =
      owner->own_[static_cast<size_t>(owner->find_own(name) - owner->own_.data())];
  owner->check_shared(named, tensor);
  if (named.tensor == &tensor) return;
  named.tensor = &tensor;
  held = Ref::shared(&tensor);
  ++owner->added_;
  ++owner->replaced_;
  if (owner->parts_) owner->parts_->set(kReplaced, std::to_string(owner->replaced_));
}

const std::pair<Named, Ref>* Layer::find_own(std::string_view name) const {
  const auto found = std::ranges::find(
      own_, name, [](const auto& entry) -> const std::string& { return entry.first.name; });
  return found == own_.end() ? nullptr : &*found;
}

Tensor* Layer::own_tensor(std::string_view name) const {
  const auto* const found = find_own(name);
  return found ? found->second.get() : nullptr;
}

void Layer::set_buffer(Context& context, std::string_view name, Tensor& values) {
  const auto* const found = find_own(name);
  if (!found || !found->first.buffer) {
    fail(TENON_E_PLUGIN, "its forward writes \"" + std::string(name) + "\", which is not a buffer",
         std::string(name), "a buffer of the layer", found ? "a parameter" : "nothing");
  }
  check_like(name, *found->second, values);
  launch::require_writable(*found->second, "the layer's tensor", name);
  if (found->first.cache && found->second->dtype() == TENON_DTYPE_I64) {
    context.layer_call->counts.emplace_back(found->second, Ref::shared(&values));
    return;
  }
  copy_values(context, values, *found->second);
}

}  // namespace tenon::layers
