// SPDX-License-Identifier: Apache-2.0
// core/processes/data_parallel_shares.cc: an optimizer whose states the processes share, and
// gradients that are made shorter.
#include <algorithm>
#include <cstring>

#include "core/launch/moves.h"
#include "core/processes/data_parallel.h"
#include "core/processes/exact_sum.h"
#include "core/processes/leaf_grads.h"

namespace tenon::processes {

namespace {

void check_parts(const optim::Optimizer& optimizer, const std::vector<Ref>& params) {
  if (!optimizer.by_element()) {
    fail(TENON_E_UNSUPPORTED,
         "data parallel: " + optimizer.name() +
             " needs whole parameters, so its states cannot be shared",
         "optimizer", "one with the flag TENON_OPTIMIZER_BY_ELEMENT", optimizer.name());
  }
  for (uint32_t i = 0; i < optimizer.size(); ++i) {
    const Tensor& param = optimizer.param(i);
    const std::string place = "parameter " + std::to_string(i) + " of the optimizer";
    if (std::ranges::find(params, &param, &Ref::get) == params.end()) {
      fail(TENON_E_ARGUMENT, "data parallel: " + place + " is not one of its parameters", place,
           "a parameter of the data parallel", tensor::describe(param));
    }
    if (param.contiguous()) continue;
    fail(TENON_E_LAYOUT, "data parallel: " + place + " is not row-major", place,
         "row-major memory without gaps",
         tensor::describe(param) + " strides " + tensor::dims_text(param.strides()));
  }
}

}  // namespace

void DataParallel::share_states(Context& context, std::shared_ptr<optim::Optimizer> optimizer) {
  refuse_in_step("optimizer");
  std::string lines = "what all do: tenon_data_parallel_share_states\n";
  optimizer->tell({index_, shards_, first_shard_}, lines);
  do_together(context, lines, [&] { share(context, std::move(optimizer)); });
}

void DataParallel::share(Context& context, std::shared_ptr<optim::Optimizer> optimizer) {
  if (optimizer_) {
    fail(TENON_E_STATE, "data parallel: the states of an optimizer are shared already", "optimizer",
         "one optimizer", "a second one", "make another data parallel for it");
  }
  check_parts(*optimizer, params_);
  if (!alone()) {
    group_->begin(context, {{}}, 0)->end(&context);
    shares_ = std::make_shared<Shares>(group_, params_);
    // Shares stay as they are from the first step on, and so does the order.
    has_order_ = true;
    std::vector<uint32_t> known = order_;
    std::erase_if(known, [&](uint32_t param) { return places_[param].bucket == Place::kNone; });
    buckets_.clear();
    add_buckets(context, known);
    optimizer->set_parts(shares_);
  }
  optimizer_ = std::move(optimizer);
}

// ---- Whole states -------------------------------------------------------------------------------

// Parameter `param` of the optimizer is `at` of ours.
void DataParallel::send_states(Context& context, uint32_t param, uint32_t at, int32_t root,
                               std::vector<Ref>& whole) const {
  const int32_t rank = group_->members().rank;
  const auto descs = optimizer_->state_descs();
  std::vector<Request> requests;
  for (uint32_t s = 0; s < descs.size(); ++s) {
    const bool scalar = descs[s].shape == TENON_STATE_SCALAR;
    if (rank == root) {
      const tenon_meta meta = optimizer_->state_meta(param, descs[s]);
      whole.emplace_back(
          Tensor::create(device_of(*params_[at]), meta.dtype, tensor::shape_of(meta)));
    }
    bool known = false;  // of a scalar: from the first process that has one
    for (int32_t from = 0; from < processes(); ++from) {
      const Shares::Range range = shares_->range_of(at, from);
      if (range.empty() || known) continue;
      known = scalar;
      if (rank != root && rank != from) continue;
      const Ref ours = rank == from ? optimizer_->states(param)[s] : Ref();
      Ref there;
      if (rank == root) {
        there =
            scalar ? whole[s] : tensor::elements(*whole[s], range.begin, range.end - range.begin);
      }
      if (ours && there) {
        launch::copy_into(context, *ours, *there);
      } else if (ours) {
        requests.push_back({TENON_COLLECTIVE_SEND, root, ours, Ref()});
      } else {
        requests.push_back({TENON_COLLECTIVE_RECEIVE, from, Ref(), there});
      }
    }
  }
  if (!requests.empty()) group_->begin(context, std::move(requests), 0)->end(&context);
}

void DataParallel::gather_states(Context& context, int32_t root) {
  if (!optimizer_) {
    fail(TENON_E_STATE, "data parallel: no states are shared", "parallel",
         "tenon_data_parallel_share_states", "none");
  }
  if (root < 0 || root >= processes()) {
    fail(TENON_E_ARGUMENT, "data parallel: there is no process " + std::to_string(root), "root",
         "a rank below " + std::to_string(processes()), std::to_string(root));
  }
  if (!shares_ || !shares_->is_cut()) return;  // each process has them all
  const GradMode off(context, false);
  std::vector<uint8_t> held(optimizer_->size());
  for (uint32_t i = 0; i < held.size(); ++i) held[i] = optimizer_->states(i).empty() ? 0 : 1;
  group_->expect("root of the states: " + std::to_string(root) + "\n");
  held = largest_of_all(context, held);
  std::vector<std::vector<Ref>> whole(optimizer_->size());
  for (uint32_t i = 0; i < optimizer_->size(); ++i) {
    if (held[i] == 0 || !optimizer_->is_parted(i)) continue;
    const auto at = std::ranges::find(params_, &optimizer_->param(i), &Ref::get);
    send_states(context, i, static_cast<uint32_t>(at - params_.begin()), root, whole[i]);
  }
  if (group_->members().rank == root) optimizer_->keep_whole(std::move(whole));
}

// ---- Clipping -----------------------------------------------------------------------------------

double DataParallel::clip(Context& context, double max_norm) {
  if (!(max_norm > 0)) {
    fail(TENON_E_ARGUMENT, "data parallel: the norm is not above 0", "max_norm", "a number above 0",
         std::to_string(max_norm));
  }
  refuse_in_step("parallel");
  const GradMode off(context, false);
  clipped_ =
      "max_norm of the last clipping: " + registry::value_text(registry::float_value(max_norm)) +
      "\n";
  std::vector<Ref> grads;
  std::vector<bool> counted;
  const auto add = [&](const Ref& grad, bool counts) {
    if (!grad) return;
    grads.push_back(grad);
    counted.push_back(counts);
  };
  // Gradients that all processes have are added by one.
  const bool first = !shares_ || group_->members().rank == 0;
  for (uint32_t i = 0; i < params_.size(); ++i) {
    const bool parted = shares_ && shares_->is_parted(i);
    Tensor* const leaf = parted ? shares_->part(i).leaf.get() : params_[i].get();
    if (!leaf) continue;
    tape::Link& link = tape::link_of(*leaf);
    const std::lock_guard lock(link.mutex);
    add(link.grad.dense, parted || first);
    add(link.grad.rows.values, parted || first);
  }
  SumOfSquares sum;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (counted[i]) sum.add(*launch::on_host(context, grads[i]));
  }
  SumOfSquares::Number number = sum.number();
  if (shares_) {
    group_->expect(clipped_);
    const Ref numbers = new_host_tensor(context, TENON_DTYPE_I64, {std::ssize(number)});
    std::memcpy(numbers->view.data, number.data(), sizeof number);
    all(context, TENON_COLLECTIVE_ALL_REDUCE, numbers, numbers);
    std::memcpy(number.data(), numbers->view.data, sizeof number);
  }
  const double length = SumOfSquares::root_of(number);
  const double factor = max_norm / (length + 1e-6);
  if (factor >= 1) return length;
  for (const Ref& grad : grads) {
    scale(context, grad, factor);
    grad->storage->written(nullptr, context.scope_path());
  }
  return length;
}

}  // namespace tenon::processes
