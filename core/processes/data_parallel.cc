// SPDX-License-Identifier: Apache-2.0
// core/processes/data_parallel.cc: shards, their backward, and what all processes make of it.
#include "core/processes/data_parallel.h"

#include <algorithm>
#include <bit>

#include "core/backward/backward.h"
#include "core/backward/rows.h"
#include "core/launch/moves.h"

namespace tenon::processes {

using tape::Link;

namespace {

constexpr int64_t kDefaultBucketBytes = int64_t{1} << 20;
constexpr uint64_t kFirstStream = uint64_t{1} << 32;
constexpr uint64_t kCountersOfAStep = uint64_t{1} << 32;

void check_params(const std::vector<Ref>& params) {
  if (params.empty()) {
    fail(TENON_E_ARGUMENT, "data parallel: there are no parameters", "params", "at least one", "0");
  }
  std::vector<const Tensor*> seen;
  for (size_t i = 0; i < params.size(); ++i) {
    const Tensor& param = *params[i];
    const std::string place = "params[" + std::to_string(i) + "]";
    const Link* const link = tape::find_link(param);
    if (!tape::is_leaf(param) || !link || !link->requires_grad) {
      fail(TENON_E_GRAD, "data parallel: " + place + " is not a leaf that requires a gradient",
           place, "a leaf that requires a gradient", tensor::describe(param));
    }
    if (std::ranges::find(seen, &param) != seen.end()) {
      fail(TENON_E_ARGUMENT, "data parallel: " + place + " is given twice", place,
           "each parameter once", tensor::describe(param));
    }
    seen.push_back(&param);
  }
}

int64_t check_shards(int64_t shards, int64_t processes) {
  if (shards == 0) return processes;
  const bool fits =
      shards > 0 && shards % processes == 0 &&
      (processes == 1 || std::has_single_bit(static_cast<uint64_t>(shards / processes)));
  if (fits) return shards;
  fail(TENON_E_ARGUMENT,
       "data parallel: " + std::to_string(processes) + " processes cannot share " +
           std::to_string(shards) + " shards",
       "shards", std::to_string(processes) + " times a power of two", std::to_string(shards),
       "so that each process adds a whole branch of the tree of shards");
}

Ref filled_as(Context& context, const Tensor& like, double value) {
  return Ref(launch::full(context, device_of(like), like.view.dtype, like.shape(),
                          registry::float_value(value)));
}

}  // namespace

// ---- Making -------------------------------------------------------------------------------------

Given DataParallel::Sum::given() const {
  if (terms != 0) return Given::Dense;
  return rows.empty() ? Given::Nothing : Given::Rows;
}

void DataParallel::Sum::clear() {
  dense.clear();
  terms = 0;
  rows.clear();
}

DataParallel::DataParallel(Context& context, std::shared_ptr<Group> group, std::vector<Ref> params,
                           Options options)
    : OfRuntime(*context.runtime),
      group_(std::move(group)),
      params_(std::move(params)),
      buffers_(std::move(options.buffers)),
      names_(std::move(options.names)) {
  do_together(context, {}, [&] { set_up(context, options); });
}

void DataParallel::set_up(Context& context, const Options& options) {
  check_params(params_);
  if (options.bucket_bytes < 0) {
    fail(TENON_E_ARGUMENT, "data parallel: the size of a bucket is negative", "bucket_bytes",
         "0 or more", std::to_string(options.bucket_bytes));
  }
  bucket_bytes_ = options.bucket_bytes == 0 ? kDefaultBucketBytes : options.bucket_bytes;
  shards_ = check_shards(options.shards, processes());
  n_shards_ = shards_ / processes();
  first_shard_ = group_ ? group_->members().rank * n_shards_ : 0;
  for (uint32_t i = 0; i < params_.size(); ++i) index_.emplace(params_[i].get(), i);
  sums_.resize(params_.size());
  places_.resize(params_.size());
  buffer_sums_.resize(buffers_.size());
  // Backward makes the last ones' gradients first, mostly.
  for (size_t i = params_.size(); i-- > 0;) order_.push_back(static_cast<uint32_t>(i));
  if (alone()) return;
  group_->expect(options_text());
  group_->begin(context, {{}}, 0)->end(&context);
  share_values(context);
}

Ref DataParallel::all(Context& context, uint32_t collective, const Ref& input,
                      const Ref& output) const {
  group_->begin(context, {{collective, 0, input, output}}, 0)->end(&context);
  return output;
}

tenon_data_parallel_info DataParallel::info() const {
  tenon_data_parallel_info info{};
  info.shards = shards_;
  info.first_shard = first_shard_;
  info.n_shards = n_shards_;
  info.step = step_;
  info.buckets = static_cast<int64_t>(buckets_.size());
  return info;
}

void DataParallel::set_step(int64_t step) {
  if (step < 0) {
    fail(TENON_E_ARGUMENT, "data parallel: steps count from 0", "step", "0 or more",
         std::to_string(step));
  }
  refuse_in_step("step");
  step_ = step;
}

void DataParallel::refuse_in_step(const char* operand) const {
  if (!runs_ && shard_ == 0) return;
  fail(TENON_E_STATE, "data parallel: a step has begun", operand, "between two steps",
       "shard " + std::to_string(shard_) + " of step " + std::to_string(step_));
}

// ---- A shard ------------------------------------------------------------------------------------

void DataParallel::begin(Context& context, int64_t shard) {
  if (runs_ || shard != shard_) {
    fail(TENON_E_STATE, "data parallel: shards begin one after the other", "shard",
         runs_ ? "the end of shard " + std::to_string(shard_)
               : "shard " + std::to_string(shard_) + " of " + std::to_string(n_shards_),
         "shard " + std::to_string(shard));
  }
  if (shares_ && context.capturing) {
    fail(TENON_E_CAPTURE, "data parallel: the states are shared by several processes", "parallel",
         "a step that is not captured", "a capture",
         "run the step as it is, or do not share the states");
  }
  if (shard == 0) begin_step(context);
  try {
    begin_shard(context, shard);
  } catch (...) {
    give_up(context);
    throw;
  }
}

void DataParallel::begin_step(Context& context) {
  before_ = {context.stream, context.counter};
  n_before_ = buckets_.size();
  if (!alone()) {
    group_step_ = group_->begin_step(facts(context, "step: " + std::to_string(step_) + "\n"));
  }
  begun_ = true;
}

void DataParallel::begin_shard(Context& context, int64_t shard) {
  for (size_t i = 0; i < params_.size() && !context.capturing; ++i) {
    const Link* const link = tape::find_link(*params_[i]);
    if (!link || (!link->grad.dense && !link->grad.rows.indices)) continue;
    fail(TENON_E_STATE, "data parallel: params[" + std::to_string(i) + "] has a gradient",
         "params[" + std::to_string(i) + "]", "no gradient when a shard begins",
         "one, of an earlier step or of another backward",
         "run the optimizer with TENON_OPTIMIZER_CLEAR_GRAD; to add up more than "
         "one backward, ask for more shards");
  }
  if (shares_ && shard == 0) shares_->clear_gradients();
  begin_buffers(context);
  outside_ = {context.stream, context.counter};
  if (shard == 0) {
    drawn_ = 0;
    first_counter_ =
        context.capturing ? context.counter : static_cast<uint64_t>(step_) * kCountersOfAStep;
  }
  context.stream = kFirstStream + static_cast<uint64_t>(first_shard_ + shard);
  context.counter = first_counter_;
  runs_ = true;
}

void DataParallel::end(Context& context, Tensor& loss) {
  if (!runs_) {
    fail(TENON_E_STATE, "data parallel: no shard has begun", "parallel",
         "tenon_data_parallel_begin", "none");
  }
  try {
    if (context.capturing) {
      run_captured(context, loss);
    } else {
      run_backward(context, loss);
      collect(context);
    }
    drawn_ = std::max(drawn_, context.counter - first_counter_);
    leave_streams(context);
    end_buffers(context);
    runs_ = false;
    if (++shard_ != n_shards_) return;
    if (context.capturing) {
      finish_captured(context);
    } else {
      finish(context);
    }
    shard_ = 0;
    ++step_;
    begun_ = false;
    if (!alone()) group_->end_step(group_step_);
  } catch (...) {
    give_up(context);
    throw;
  }
}

void DataParallel::leave_streams(Context& context) const noexcept {
  context.stream = outside_.stream;
  context.counter = outside_.counter;
}

void DataParallel::give_up(Context& context) noexcept {
  if (!begun_) return;
  begun_ = false;
  if (!alone()) group_->give_up(context, group_step_);
  context.stream = before_.stream;
  context.counter = before_.counter;
  runs_ = false;
  shard_ = 0;
  while (buckets_.size() > n_before_) buckets_.pop_back();
  find_places();
  for (Sum& sum : sums_) sum.clear();
  for (Tree& sum : buffer_sums_) sum.clear();
  for (Bucket& bucket : buckets_) bucket.abandon();
  if (shares_) {
    shares_->cut_off(n_before_);
    shares_->clear_gradients();
  }
  try {
    for (size_t i = 0; i < first_buffers_.size(); ++i) {
      launch::copy_into(context, *first_buffers_[i], *buffers_[i]);
    }
    for (const Ref& param : params_) {
      if (!context.capturing) take_grads(*param);
    }
  } catch (...) {
    // Memory has run out twice.
  }
  first_buffers_.clear();
}

Ref DataParallel::seed_for(Context& context, const Tensor& loss) const {
  if (loss.elements() != 1) {
    fail(TENON_E_GRAD, "data parallel: the loss has more than one element", "loss", "one element",
         tensor::describe(loss));
  }
  return filled_as(context, loss, 1.0 / static_cast<double>(shards_));
}

// Hooks at leaves, for one backward.
class DataParallel::Watching : NoCopy {
 public:
  // By way of the other one, so that hooks end if not all of them can begin.
  Watching(DataParallel& of, bool on) : Watching(of) {
    if (!on) return;
    places_.resize(of.params_.size());
    for (uint32_t i = 0; i < places_.size(); ++i) {
      if (of.places_[i].bucket == DataParallel::Place::kNone) continue;
      places_[i] = {&of, i};
      const auto hook = std::make_shared<tape::Hook>();
      hook->id = of.runtime_->hooks.fetch_add(1) + 1;
      hook->call = call;
      hook->user = &places_[i];
      hook->dense_only = true;
      hooks_.emplace_back(i, hook);
      Link& link = tape::link_of(*of.params_[i]);
      const std::lock_guard lock(link.mutex);
      if (!link.hooks) link.hooks = std::make_unique<tape::Hooks>();
      link.hooks->push_back(hook);
    }
    of.runtime_->leaf_hooks.store(true, std::memory_order_relaxed);
  }
  ~Watching() {
    for (const auto& [param, hook] : hooks_) {
      Link& link = tape::link_of(*of_.params_[param]);
      const std::lock_guard lock(link.mutex);
      if (link.hooks) std::erase(*link.hooks, hook);
    }
  }

 private:
  explicit Watching(DataParallel& of) : of_(of) {}

  struct Place {
    DataParallel* of = nullptr;
    uint32_t param = 0;
  };

  static tenon_status call(tenon_context* handle, tenon_tensor* gradient, tenon_tensor**,
                           void* user) {
    const Place& place = *static_cast<const Place*>(user);
    place.of->see(*ContextSlab::from_handle(handle)->context, place.param,
                  *tensor::from_handle(gradient));
    return TENON_OK;
  }

  DataParallel& of_;
  std::vector<Place> places_;
  std::vector<std::pair<uint32_t, std::shared_ptr<tape::Hook>>> hooks_;
};

void DataParallel::run_backward(Context& context, Tensor& loss) {
  const Ref seed = seed_for(context, loss);
  const bool sends = shard_ + 1 == n_shards_ && !alone();
  if (sends) {
    next_bucket_ = 0;
    seen_.clear();
    for (Bucket& bucket : buckets_) bucket.begin(context);
  }
  const Watching watching(*this, sends && !buckets_.empty());
  Tensor* const root = &loss;
  Tensor* const with = seed.get();
  backward::run(context, {&root, 1}, {&with, 1}, 0);
}

// A gradient of the last shard is complete: its sum over our shards leaves.
void DataParallel::see(Context& context, uint32_t param, Tensor& grad) {
  const GradMode off(context, false);
  if (!has_order_) seen_.push_back(param);
  Ref sum = Ref::shared(&grad);
  if (n_shards_ == 1) {
    sums_[param].terms = 1;
  } else {
    add_dense(context, param, std::move(sum));
    sum = sums_[param].dense.take(context);
  }
  const Place place = places_[param];
  buckets_[place.bucket].put(context, place.in_bucket, *sum, Given::Dense);
  send_full(context);
}

// Takes the gradients of one shard away from the leaves.
void DataParallel::collect(Context& context) {
  const GradMode off(context, false);
  for (uint32_t i = 0; i < params_.size(); ++i) {
    tape::Gradient taken = take_grads(*params_[i]);
    if (sums_[i].terms == shard_ + 1) continue;  // a hook has seen it
    add(context, i, std::move(taken));
  }
}

// The tree has a term for each shard before `end`: zeros of those that have given nothing, so that
// it is that of any number of processes.
void DataParallel::add_terms(Context& context, uint32_t param, int64_t end) {
  Sum& sum = sums_[param];
  const tenon_meta meta = tensor::meta_of(*params_[param]);
  auto next = sum.rows.begin();
  for (; sum.terms < end; ++sum.terms) {
    const bool rows = next != sum.rows.end() && next->first == sum.terms;
    sum.dense.add(context, rows ? backward::densify(context, meta, (next++)->second)
                                : filled_as(context, *params_[param], 0));
  }
}

void DataParallel::add_dense(Context& context, uint32_t param, Ref dense) {
  add_terms(context, param, shard_);
  Sum& sum = sums_[param];
  sum.rows.clear();  // they are in the tree
  sum.dense.add(context, dense ? std::move(dense) : filled_as(context, *params_[param], 0));
  ++sum.terms;
}

void DataParallel::add(Context& context, uint32_t param, tape::Gradient&& given) {
  Sum& sum = sums_[param];
  auto& [dense, rows] = given;
  if (dense || sum.terms != 0) {
    if (rows.indices) {
      dense = backward::densify(context, tensor::meta_of(*params_[param]), rows);
    }
    add_dense(context, param, std::move(dense));
  } else if (rows.indices) {
    sum.rows.emplace_back(shard_, std::move(rows));
  }
}

// In a capture: gradients as launches of the step, which no leaf holds before they are summed.
void DataParallel::run_captured(Context& context, Tensor& loss) {
  const Ref seed = seed_for(context, loss);
  Tensor* const root = &loss;
  Tensor* const with = seed.get();
  std::vector<Tensor*> inputs;
  for (const Ref& param : params_) {
    if (tape::requires_grad(*param)) inputs.push_back(param.get());
  }
  std::vector<Ref> grads = backward::gradient(context, {&root, 1}, {&with, 1}, inputs, 0);
  auto next = grads.begin();
  for (uint32_t i = 0; i < params_.size(); ++i) {
    Ref grad = tape::requires_grad(*params_[i]) ? std::move(*next++) : Ref();
    if (grad || sums_[i].terms != 0) add_dense(context, i, std::move(grad));
  }
}

// ---- Buffers ------------------------------------------------------------------------------------

void DataParallel::begin_buffers(Context& context) {
  if (buffers_.empty()) return;
  if (context.capturing) {
    fail(TENON_E_CAPTURE, "data parallel: buffers are averaged between steps, not in a capture",
         "buffers", "no buffers, or a step that is not captured",
         std::to_string(buffers_.size()) + " buffers");
  }
  if (shard_ == 0) {
    first_buffers_.clear();
    for (const Ref& each : buffers_) first_buffers_.push_back(Ref(launch::copy(context, *each)));
    return;
  }
  for (size_t i = 0; i < buffers_.size(); ++i) {
    launch::copy_into(context, *first_buffers_[i], *buffers_[i]);
  }
}

void DataParallel::end_buffers(Context& context) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!tensor::is_float(buffers_[i]->view.dtype)) continue;
    buffer_sums_[i].add(context, Ref(launch::copy(context, *buffers_[i])));
  }
}

}  // namespace tenon::processes
