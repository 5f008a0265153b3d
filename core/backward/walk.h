// SPDX-License-Identifier: Apache-2.0
// core/backward/walk.h: one backward, from its seeds until the leaves have their gradients.
//
// A node's consumers were all recorded after it, so taking nodes by falling sequence number meets
// every consumer first: each node runs once, with its gradients complete. The walk is a loop over a
// heap; nothing recurses. Leaves change only after the whole walk has succeeded.
#pragma once

#include <string>
#include <unordered_map>

#include "core/backward/vjp.h"
#include "core/launch/launch.h"
#include "core/runtime/context.h"
#include "core/tape/graph.h"

namespace tenon::backward {

using tape::Hooks;
using tape::Link;

struct LeafGrad {
  Ref leaf;
  Ref dense;
  std::vector<RowGrad> rows;
};

// The leaves a walk has met, in that order. Few are found by looking at them all.
class Leaves {
 public:
  size_t size() const { return all_.size(); }
  LeafGrad& operator[](size_t index) { return all_[index]; }

  LeafGrad* find(const Tensor& leaf) {
    if (index_.empty()) {
      for (LeafGrad& each : all_) {
        if (each.leaf.get() == &leaf) return &each;
      }
      return nullptr;
    }
    const auto found = index_.find(&leaf);
    return found == index_.end() ? nullptr : &all_[found->second];
  }

  LeafGrad& at(Tensor& leaf) {
    if (LeafGrad* known = find(leaf)) return *known;
    all_.push_back({Ref::shared(&leaf), {}, {}});
    if (all_.size() == kFew) {
      for (size_t i = 0; i < all_.size(); ++i) index_.emplace(all_[i].leaf.get(), i);
    } else if (all_.size() > kFew) {
      index_.emplace(&leaf, all_.size() - 1);
    }
    return all_.back();
  }

 private:
  static constexpr size_t kFew = 16;
  Small<LeafGrad, kFew> all_;
  std::unordered_map<const Tensor*, size_t> index_;  // empty while there are few
};

struct Watched {
  Node* node = nullptr;  // counted
  uint32_t output = 0;
  Ref grad;
};

// What becomes of one leaf's gradient once those of all leaves are complete.
struct Change {
  Link* link = nullptr;
  tape::Gradient grad;  // the new one
  Ref sum;              // or: what the gradient there is becomes, in its own memory
};

// Who keeps a whole step in order to repeat it, gradients of leaves too: they are state between
// steps. A floor above.
class StepCapture : public launch::Capture {
 public:
  // Does it hold one of the storage's references?
  virtual bool holds(const tensor::Storage& storage) const = 0;
  // The gradient of `leaf` is about to be added to. What is held as rows becomes dense, which a
  // replay can add to.
  virtual void expects(Context& context, Tensor& leaf) = 0;
  // Has nothing of the step needed or changed the leaf's gradient so far?
  virtual bool is_untouched(Tensor& leaf) = 0;
  // If rows are the first thing that a leaf gets: a run begins with zeros, or what is there.
  virtual Ref zeros_of(Context& context, const Tensor& leaf) const = 0;
  // `link` is about to get its new gradient. `rows`: of rows alone, added to `sum`.
  virtual void adds(Tensor& leaf, const tape::Link& link, bool rows, const Ref& sum) = 0;
  // A backward leads to the leaf: a hook there would be called.
  virtual void leads_to(Tensor& leaf) = 0;
  // The leaf's gradient has been made by what was launched so far.
  virtual void made(Tensor& leaf) = 0;
};

// NULL if nothing is captured just now.
inline StepCapture* capture_of(const Context& context) {
  return static_cast<StepCapture*>(context.capture);
}

// May a walk write to it, or give it away as it is?
bool only_ours(const Context& context, const Tensor& tensor);

class Walk : NoCopy {
 public:
  Walk(Context& context, uint32_t flags)
      : context_(context),
        create_((flags & TENON_BACKWARD_CREATE_GRAPH) != 0),
        retain_((flags & TENON_BACKWARD_RETAIN) != 0 || create_),
        number_(static_cast<uint16_t>(++context.walks)) {}

  ~Walk() {
    // After an error nodes still wait; they must not keep gradients for a later backward.
    --context_.walks;
    for (Node* node : heap_) forget(*node);
    for (auto& [tensor, watched] : watched_) {
      if (watched.node) tape::release_node(watched.node);
    }
  }

  void seed(Tensor& root, Tensor* given, size_t index);
  void watch(Tensor& input);
  void run();
  void commit();
  Ref taken(Tensor& input);

 private:
  static void forget(Node& node) {
    node.queued = 0;
    for (Ref& grad : node.grads) grad = Ref();
    tape::release_node(&node);
  }

  void push(Node& node);
  // `into += grad`, in place if nobody else reads it.
  void accumulate(Ref& into, Ref grad);

  void look_for_hooks();
  void look_at(Node& node);
  void call_hooks(const Hooks& hooks, Ref& grad, const std::string& where);
  void end_leaf(const Tensor& leaf);
  Ref fitted(const Node& node, uint32_t flat, Ref grad) const;
  // Passes the gradient of one input tensor on.
  void send(const Node& node, uint32_t flat, VjpFrame& frame);
  void step(Node& node);
  // Makes the entry dense: what came dense first, then rows, each in the order it came. That order
  // is everybody's, so that eager and captured steps and `gradient` have the same bits.
  void fold(LeafGrad& entry);
  void check_place(const LeafGrad& entry) const;
  Change change_dense(Link& link, LeafGrad& entry);
  Change change_rows(Link& link, LeafGrad& entry);
  Change change(Link& link, LeafGrad& entry);
  void publish(Change& change);
  bool keeps_rows(const Tensor& leaf) const {
    return device_of(leaf).host_memory() && !context_.capturing && !create_;
  }

  Context& context_;
  const bool create_;
  const bool retain_;
  const uint16_t number_;
  uint64_t oldest_ = 0;    // nodes up to here lead to nothing that was asked for
  Small<Node*, 32> heap_;  // counted
  Leaves leaves_;
  std::unordered_map<const Tensor*, size_t> hooked_;  // leaves: edges a gradient may still come by
  std::unordered_map<Tensor*, Watched> watched_;
};

}  // namespace tenon::backward
