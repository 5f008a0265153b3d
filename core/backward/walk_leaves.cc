// SPDX-License-Identifier: Apache-2.0
// core/backward/walk_leaves.cc: from the gradients of a walk to those that leaves hold.
#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>

#include "core/backward/rows.h"
#include "core/backward/walk.h"
#include "core/dispatch/roles.h"
#include "core/launch/moves.h"

namespace tenon::backward {

// A capture's own hold on the memory does not count: a replay writes there again.
bool only_ours(const Context& context, const Tensor& tensor) {
  const tensor::Storage& storage = *tensor.storage;
  const StepCapture* const capture = capture_of(context);
  const int64_t held = capture && capture->holds(storage) ? 1 : 0;
  return tensor.refs.load() == 1 && storage.refs.load() == 1 + held && !storage.external &&
         !tensor.read_only() && tensor::is_dense(tensor.shape(), tensor.strides());
}

void Walk::fold(LeafGrad& entry) {
  if (entry.rows.empty()) return;
  const GradMode mode(context_, create_);
  const tenon_meta table = tensor::meta_of(*entry.leaf);
  for (const RowGrad& rows : entry.rows) {
    if (!entry.dense || create_) {
      accumulate(entry.dense, densify(context_, table, rows));
      continue;
    }
    if (!only_ours(context_, *entry.dense)) {
      entry.dense = Ref(launch::copy(context_, *entry.dense));
    }
    add_rows_into(context_, *entry.dense, rows);
  }
  entry.rows.clear();
}

// A leaf may have been moved to another device since it was used.
void Walk::check_place(const LeafGrad& entry) const {
  const Tensor& grad = entry.dense ? *entry.dense : *entry.rows[0].values;
  if (&device_of(grad) == &device_of(*entry.leaf)) return;
  fail(TENON_E_DEVICE,
       "the gradient of a leaf " + tensor::describe(*entry.leaf) + " was recorded on " +
           device_of(grad).name() + "; the leaf has moved since",
       "leaf", "a leaf on " + device_of(grad).name(), "on " + device_of(*entry.leaf).name(),
       "run forward again on the new device, then backward");
}

Change Walk::change_dense(Link& link, LeafGrad& entry) {
  // Copied if it is shared with other gradients, a seed, the graph, or a plan.
  if (!only_ours(context_, *entry.dense)) {
    entry.dense = Ref(create_ && !context_.capture ? dispatch::clone(context_, *entry.dense)
                                                   : launch::copy(context_, *entry.dense));
  }
  if (link.grad.rows.indices) {
    // As a captured step adds to rows: what they leave out is a zero, which is positive.
    const GradMode mode(context_, create_);
    accumulate(entry.dense, densify(context_, tensor::meta_of(*entry.leaf), link.grad.rows));
  }
  Change change{&link, {}, {}};
  if (!link.grad.dense) {
    change.grad.dense = std::move(entry.dense);
  } else if (create_) {
    change.grad.dense = Ref(dispatch::add(context_, *link.grad.dense, *entry.dense));
  } else if (context_.capture) {
    // A replay has to add into the gradient's own memory.
    dispatch::add_into(context_, *link.grad.dense, *entry.dense);
    change.grad.dense = link.grad.dense;
  } else {
    dispatch::add_into(context_, *entry.dense, *link.grad.dense);
    change.sum = std::move(entry.dense);
  }
  return change;
}

Change Walk::change_rows(Link& link, LeafGrad& entry) {
  Change change{&link, {}, {}};
  if (context_.capture) {
    Ref& sum = change.grad.dense;
    sum = link.grad.dense ? link.grad.dense : capture_of(context_)->zeros_of(context_, *entry.leaf);
    for (const RowGrad& rows : entry.rows) add_rows_into(context_, *sum, rows);
    return change;
  }
  if (link.grad.dense) {
    change.sum = Ref(launch::copy(context_, *link.grad.dense));
    for (const RowGrad& rows : entry.rows) add_rows_into(context_, *change.sum, rows);
    return change;
  }
  std::vector<RowGrad> parts;
  if (link.grad.rows.indices) parts.push_back(link.grad.rows);
  for (RowGrad& rows : entry.rows) parts.push_back(std::move(rows));
  change.grad.rows = coalesce(context_, tensor::meta_of(*entry.leaf), parts);
  return change;
}

Change Walk::change(Link& link, LeafGrad& entry) {
  if (!entry.dense && entry.rows.empty()) return {};
  check_place(entry);
  const bool rows_alone = !entry.dense && !create_;
  StepCapture* const capture = capture_of(context_);
  const bool begins = capture && capture->is_untouched(*entry.leaf);
  if (rows_alone && (link.grad.dense || begins || keeps_rows(*entry.leaf))) {
    return change_rows(link, entry);
  }
  fold(entry);
  return change_dense(link, entry);
}

// Can fail only for a gradient that is on a device or is not row-major: the copy is a launch.
void Walk::publish(Change& change) {
  Link& link = *change.link;
  if (!change.sum) {
    link.grad = std::move(change.grad);
    return;
  }
  Tensor& grad = *link.grad.dense;
  if (grad.read_only()) {  // given by the caller: expanded, or memory of somebody else
    link.grad.dense = std::move(change.sum);
    return;
  }
  if (!device_of(grad).host_memory() || !grad.contiguous() || !change.sum->contiguous()) {
    return launch::copy_into(context_, *change.sum, grad);
  }
  std::memcpy(grad.view.data, change.sum->view.data,
              static_cast<size_t>(grad.elements()) * grad.element_size());
  const registry::Op* const add = context_.runtime->registry.role(TENON_ROLE_ADD);
  grad.storage->written(add ? &add->name : nullptr, context_.scope_path());
}

// Leaves change together: if one of the sums fails, none of them has.
void Walk::commit() {
  const GradMode mode(context_, create_);
  Small<Link*, 16> links;
  for (size_t i = 0; i < leaves_.size(); ++i) links.push_back(&tape::link_of(*leaves_[i].leaf));
  Small<Change, 16> changes;
  changes.reserve(links.size());
  const auto site = check_site(context_, false,
                               [] { return std::string("while gradients of leaves were summed"); });
  // Contexts may share leaves, so all of them lock in one order; one thread alone need not.
  Small<std::unique_lock<std::mutex>, 16> locks;
  if (!base::single_threaded()) {
    Small<Link*, 16> ordered = links;
    std::make_heap(ordered.begin(), ordered.end(), std::less<>());
    std::sort_heap(ordered.begin(), ordered.end(), std::less<>());
    for (Link* link : ordered) locks.emplace_back(link->mutex);
  }
  StepCapture* const capture = capture_of(context_);
  for (size_t i = 0; i < links.size(); ++i) {
    if (capture) capture->expects(context_, *leaves_[i].leaf);
    changes.push_back(change(*links[i], leaves_[i]));
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i].link) continue;
    Tensor& leaf = *leaves_[i].leaf;
    if (capture) capture->adds(leaf, *links[i], !leaves_[i].rows.empty(), changes[i].grad.dense);
    publish(changes[i]);
    if (capture) capture->made(leaf);
  }
}

}  // namespace tenon::backward
