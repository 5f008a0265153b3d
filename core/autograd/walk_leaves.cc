// SPDX-License-Identifier: Apache-2.0
// core/autograd/walk_leaves.cc: from the gradients of a walk to those that leaves hold.
#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>

#include "core/autograd/rows.h"
#include "core/autograd/walk.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/finite.h"
#include "core/plan/plan.h"

namespace tenon::autograd {

// A capture's own hold on the memory does not count: a replay writes there again.
bool only_ours(const Context& context, const Tensor& tensor) {
  const tensor::Storage& storage = *tensor.storage;
  const int64_t held = context.capture && context.capture->holds(storage) ? 1 : 0;
  return tensor.refs.load() == 1 && storage.refs.load() == 1 + held && !storage.external &&
         tensor::is_dense(tensor.shape(), tensor.strides());
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
      entry.dense = Ref(dispatch::copy(context_, *entry.dense));
    }
    add_rows_into(context_, *entry.dense, rows);
  }
  entry.rows.clear();
}

Change Walk::change_dense(Link& link, LeafGrad& entry) {
  // Copied where its memory is shared with other gradients, a seed, or a plan.
  if (!only_ours(context_, *entry.dense) && (!create_ || context_.capture)) {
    entry.dense = Ref(dispatch::copy(context_, *entry.dense));
  }
  if (link.row_indices) {
    add_rows_into(context_, *entry.dense, {link.row_indices, link.row_values});
  }
  Change change{&link, {}, {}, {}};
  if (!link.grad) {
    change.grad = std::move(entry.dense);
  } else if (create_) {
    change.grad = Ref(dispatch::add(context_, *link.grad, *entry.dense));
  } else if (context_.capture) {
    // A replay has to add into the gradient's own memory.
    dispatch::add_into(context_, *link.grad, *entry.dense);
    change.grad = link.grad;
  } else {
    dispatch::add_into(context_, *entry.dense, *link.grad);
    change.sum = std::move(entry.dense);
  }
  return change;
}

Change Walk::change_rows(Link& link, LeafGrad& entry) {
  Change change{&link, {}, {}, {}};
  if (context_.capture) {
    change.grad = link.grad ? link.grad : context_.capture->zeros_of(context_, *entry.leaf);
    for (const RowGrad& rows : entry.rows) add_rows_into(context_, *change.grad, rows);
    return change;
  }
  if (link.grad) {
    change.sum = Ref(dispatch::copy(context_, *link.grad));
    for (const RowGrad& rows : entry.rows) add_rows_into(context_, *change.sum, rows);
    return change;
  }
  std::vector<RowGrad> parts;
  if (link.row_indices) parts.push_back({link.row_indices, link.row_values});
  for (RowGrad& rows : entry.rows) parts.push_back(std::move(rows));
  change.rows = coalesce(context_, tensor::meta_of(*entry.leaf), parts);
  return change;
}

Change Walk::change(Link& link, LeafGrad& entry) {
  if (!entry.dense && entry.rows.empty()) return {};
  const bool rows_alone = !entry.dense && !create_;
  const bool begins = context_.capture && !context_.capture->leaf(*entry.leaf).met;
  if (rows_alone && (link.grad || begins || keeps_rows(*entry.leaf))) {
    return change_rows(link, entry);
  }
  fold(entry);
  return change_dense(link, entry);
}

// Cannot fail but for a gradient that lies on a device or is not row-major: the copy is a launch.
void Walk::publish(Change& change) {
  Link& link = *change.link;
  if (!change.sum) {
    link.grad = std::move(change.grad);
    link.row_indices = std::move(change.rows.indices);
    link.row_values = std::move(change.rows.values);
    return;
  }
  Tensor& grad = *link.grad;
  if (!grad.device().host_memory() || !grad.contiguous() || !change.sum->contiguous()) {
    return dispatch::copy_into(context_, *change.sum, grad);
  }
  std::memcpy(grad.view.data, change.sum->view.data,
              static_cast<size_t>(grad.elements()) * grad.element_size());
  grad.storage->written(context_.runtime->registry.role(TENON_ROLE_ADD), context_.scope_path());
}

// Leaves change together: where one of the sums fails, none of them has.
void Walk::commit() {
  const GradMode mode(context_, create_);
  dispatch::Small<Link*, 16> links;
  for (size_t i = 0; i < leaves_.size(); ++i) links.push_back(&link_of(*leaves_[i].leaf));
  dispatch::Small<Change, 16> changes;
  changes.reserve(links.size());
  std::optional<dispatch::CheckSite> site;
  if (context_.checks & kCheckFinite) {
    site.emplace(context_, "while gradients of leaves were summed", false);
  }
  // Contexts may share leaves, so all of them lock in one order; one thread alone need not.
  dispatch::Small<std::unique_lock<std::mutex>, 16> locks;
  if (!memory::single_threaded()) {
    dispatch::Small<Link*, 16> ordered = links;
    std::make_heap(ordered.begin(), ordered.end(), std::less<>());
    std::sort_heap(ordered.begin(), ordered.end(), std::less<>());
    for (Link* link : ordered) locks.emplace_back(link->mutex);
  }
  plan::Recorder* const capture = context_.capture;
  for (size_t i = 0; i < links.size(); ++i) {
    if (capture) {
      capture->leaf(*leaves_[i].leaf);
      capture->expect_dense(context_, *leaves_[i].leaf);
    }
    changes.push_back(change(*links[i], leaves_[i]));
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i].link) continue;
    if (capture) {
      plan::LeafState& state = capture->leaf(*leaves_[i].leaf);
      const bool rows_alone = !state.met && !leaves_[i].rows.empty();
      state.needs(*links[i], true);
      if (rows_alone) state.adds_rows_to(changes[i].grad);
    }
    publish(changes[i]);
    if (capture) capture->made(capture->leaf(*leaves_[i].leaf));
  }
}

}  // namespace tenon::autograd
