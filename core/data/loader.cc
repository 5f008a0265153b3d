// SPDX-License-Identifier: Apache-2.0
// core/data/loader.cc: batches over a dataset.
#include "core/data/loader.h"

#include <algorithm>
#include <cstring>

namespace tenon::data {

using tensor::DimSpan;
using tensor::Ref;
using tensor::Tensor;

namespace {

constexpr uint32_t kFlags = TENON_LOADER_SHUFFLE | TENON_LOADER_DROP_LAST;
// Of more the order could not be written down.
constexpr int64_t kMaxLength = PTRDIFF_MAX / static_cast<int64_t>(sizeof(int64_t));

[[noreturn]] void refuse(const char* operand, const std::string& what, std::string expected,
                         std::string found) {
  fail(TENON_E_ARGUMENT, "loader: " + what, operand, std::move(expected), std::move(found));
}

// Of a loader without a dataset.
Fields numbers_of(Runtime& runtime, std::span<const int64_t> samples) {
  const int64_t n = std::ssize(samples);
  Fields fields;
  fields.emplace_back(Tensor::create(runtime.host_device(), TENON_DTYPE_I64, {&n, 1}));
  std::memcpy(fields[0]->view.data, samples.data(), samples.size_bytes());
  return fields;
}

}  // namespace

Loader::Use::Use(Loader& loader) : loader_(loader) {
  if (!loader.in_use_.exchange(true, std::memory_order_acquire)) return;
  fail(TENON_E_STATE, "loader: another thread uses it just now", "loader", "one thread at a time",
       "a second one", "give each thread a loader of its own");
}

Loader::Loader(Context& context, std::shared_ptr<const Dataset> dataset, int64_t length,
               int64_t batch, uint64_t seed, uint32_t flags)
    : OfRuntime(*context.runtime),
      dataset_(std::move(dataset)),
      all_(length),
      batch_(batch),
      seed_(seed),
      flags_(flags),
      length_(length) {
  if (length < 0 || length > kMaxLength) {
    refuse("length", length < 0 ? "the length is negative" : "the length is too large",
           "0 to " + std::to_string(kMaxLength), std::to_string(length));
  }
  if (batch < 1) refuse("batch", "a batch has no samples", "1 or more", std::to_string(batch));
  if (flags & ~kFlags) {
    refuse("flags", "unknown flags", "TENON_LOADER_SHUFFLE, TENON_LOADER_DROP_LAST",
           std::to_string(flags));
  }
  if (dataset_) {
    fields_ = dataset_->fields();
    for (size_t i = 0; i < fields_.size(); ++i) names_.emplace_back(dataset_->field_name(i));
  } else {
    fields_.push_back({{}, {{}, 0, TENON_DTYPE_I64, runtime_->host_device().id}});
    names_.emplace_back("sample");
  }
  for (size_t i = 0; i < fields_.size(); ++i)
    fields_[i].name = {names_[i].data(), names_[i].size()};
  begin(0, 0);
  enlist(context);
}

Loader::~Loader() {
  delist();
  // After a fork the threads are not there: nobody may wait for them.
  if (workers_ && process_ != getpid()) static_cast<void>(workers_.release());
}

void Loader::refuse_forked() const {
  if (!workers_ || process_ == getpid()) return;
  fail(TENON_E_STATE, "loader: its workers are those of the process that was forked", "loader",
       "workers of this process", "those of process " + std::to_string(process_),
       "make another loader after the fork");
}

int64_t Loader::remaining() const {
  const int64_t left = length_ - position_;
  const bool partial = !(flags_ & TENON_LOADER_DROP_LAST) && left % batch_ != 0;
  return left / batch_ + (partial ? 1 : 0);
}

// Workers read from the position on.
void Loader::start() noexcept {
  if (workers_) workers_->begin(pass_, position_, remaining());
}

void Loader::begin(int64_t epoch, int64_t position) {
  if (epoch < 0) refuse("epoch", "the epoch is negative", "0 or more", std::to_string(epoch));
  if (position < 0 || position > length_) {
    refuse("position", "the position is out of range", "0 to " + std::to_string(length_),
           std::to_string(position));
  }
  begin(make_pass(epoch), position);
}

std::shared_ptr<const Pass> Loader::make_pass(int64_t epoch) const {
  refuse_forked();
  const Order how{all_, batch_, seed_, shuffles()};
  auto read = [&runtime = *runtime_, dataset = dataset_, steps = steps_,
               order = order_of(how, epoch, buckets_, share_), seed = seed_, epoch,
               batch = batch_](Context& context, int64_t position) {
    const auto first = static_cast<size_t>(position);
    const size_t n = std::min(static_cast<size_t>(batch), order.size() - first);
    const std::span<const int64_t> samples(order.data() + first, n);
    const tenon_batch what{static_cast<int64_t>(n), samples.data(), seed, epoch};
    Fields fields = dataset ? dataset->get(context, what) : numbers_of(runtime, samples);
    for (const Step& step : steps) {
      fields[step.field] = step.transform->call(context, what, *fields[step.field]);
    }
    return fields;
  };
  return std::make_shared<Pass>(Pass{epoch, batch_, std::move(read)});
}

void Loader::begin(std::shared_ptr<const Pass> pass, int64_t position) noexcept {
  pass_ = std::move(pass);
  position_ = position;
  start();
}

// Of the same epoch with `value` in place of what `member` is. If that fails, nothing has changed.
template <class T>
std::shared_ptr<const Pass> Loader::pass_with(T& member, T value) {
  std::swap(member, value);
  try {
    return make_pass(pass_->epoch);
  } catch (...) {
    std::swap(member, value);
    throw;
  }
}

void Loader::set_transforms(Context& context, std::vector<Step> steps) {
  if (steps.size() > TENON_LOADER_TRANSFORMS) {
    refuse("n", "too many transforms", "at most " + std::to_string(TENON_LOADER_TRANSFORMS),
           std::to_string(steps.size()));
  }
  refuse_forked();
  std::vector<tenon_dataset_field> fields = fields_;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (dataset_) fields[i].sample = dataset_->fields()[i].sample;
    if (!dataset_) fields[i].sample = {{}, 0, TENON_DTYPE_I64, runtime_->host_device().id};
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].field >= fields.size()) {
      refuse("fields", "transform " + std::to_string(i) + " is for a field that is not there",
             "a field below " + std::to_string(fields.size()), std::to_string(steps[i].field));
    }
    tenon_meta& sample = fields[steps[i].field].sample;
    sample = steps[i].transform->infer(context, sample);
  }
  begin(pass_with(steps_, std::move(steps)), position_);
  fields_.swap(fields);
}

void Loader::set_share(const Share& share) {
  const int64_t most = std::max<int64_t>(1, all_ / batch_);
  if (share.of < 1 || share.of > most) {
    refuse("of", "a round has no batches, or more than the dataset", "1 to " + std::to_string(most),
           std::to_string(share.of));
  }
  if (share.first < 0 || share.count < 1 || share.count > share.of ||
      share.first > share.of - share.count) {
    refuse("first", "the share is not one of the round",
           "first and count within " + std::to_string(share.of) + " batches",
           "first " + std::to_string(share.first) + ", count " + std::to_string(share.count));
  }
  std::shared_ptr<const Pass> pass = pass_with(share_, share);
  length_ = share.is_all() ? all_ : all_ / (batch_ * share.of) * share.count * batch_;
  begin(std::move(pass), 0);
}

std::shared_ptr<const std::vector<int64_t>> Loader::read_lengths(Context& context,
                                                                 const int64_t* given) const {
  if (!given && !dataset_) {
    fail(TENON_E_ARGUMENT, "loader: it has no dataset that could say how long its samples are",
         "lengths", "the lengths of " + std::to_string(all_) + " samples", "NULL");
  }
  using Lengths = std::vector<int64_t>;
  if (!given) return std::make_shared<Lengths>(dataset_->lengths(context, 0, all_));
  auto read = std::make_shared<Lengths>(given, given + all_);
  const auto negative = std::find_if(read->begin(), read->end(), [](int64_t n) { return n < 0; });
  if (negative != read->end()) {
    refuse("lengths",
           "the length of sample " + std::to_string(negative - read->begin()) + " is negative",
           "0 or more", std::to_string(*negative));
  }
  return read;
}

void Loader::set_buckets(Context& context, int64_t pool, const int64_t* lengths) {
  if (pool < 0 || pool == 1) {
    refuse("pool", "a pool has too few batches to sort samples by length among them",
           "2 or more, or 0 for none", std::to_string(pool));
  }
  refuse_forked();
  begin(pass_with(buckets_, {pool, pool == 0 ? nullptr : read_lengths(context, lengths)}), 0);
}

void Loader::set_workers(uint32_t count, const MakeWorkerContext& make) {
  if (count > TENON_LOADER_WORKERS) {
    refuse("n_workers", "too many workers", "at most " + std::to_string(TENON_LOADER_WORKERS),
           std::to_string(count));
  }
  refuse_forked();
  auto workers = count == 0 ? nullptr : std::make_unique<Workers>(count, make);
  workers_ = std::move(workers);
  process_ = getpid();
  start();
}

std::vector<Ref> Loader::run(Context& context) {
  refuse_forked();
  if (remaining() == 0) return {};
  std::optional<Fields> fields;
  if (workers_) fields = workers_->take(context);
  if (!fields) {
    // One that failed is read again, so that this context holds the error.
    fields = pass_->read(context, position_);
    if (workers_) workers_->skip();
  }
  position_ += std::min(batch_, length_ - position_);
  return std::move(*fields);
}

void Loader::tell(const SharedStep& step, std::string& lines) const {
  if (share_.is_all() || share_.of != step.shards) return;
  const auto line = [&](const char* name, int64_t value) {
    lines += std::string(name) + " of a loader: " + std::to_string(value) + "\n";
  };
  line("samples", all_);
  line("batch", batch_);
  line("shuffle", shuffles() ? 1 : 0);
  line("drop_last", (flags_ & TENON_LOADER_DROP_LAST) != 0 ? 1 : 0);
  lines += "seed of a loader: " + std::to_string(seed_) + "\n";
  line("pool", buckets_.pool);
  line("shards between share and process", share_.first - step.first_shard);
  line("epoch", pass_->epoch);
  line("batches so far", position_ / batch_ + (position_ % batch_ != 0 ? 1 : 0));
}

tenon_loader_info Loader::info() const {
  tenon_loader_info info{};
  info.flags = flags_;
  info.length = length_;
  info.batch = batch_;
  info.epoch = pass_->epoch;
  info.position = position_;
  info.remaining = remaining();
  info.seed = seed_;
  info.n_fields = static_cast<uint32_t>(fields_.size());
  info.n_workers = workers_ ? workers_->count() : 0;
  info.pool = buckets_.pool;
  return info;
}

}  // namespace tenon::data
