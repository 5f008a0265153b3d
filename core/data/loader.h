// SPDX-License-Identifier: Apache-2.0
// core/data/loader.h: batches over a dataset: which samples come when, what is done with them, and
// threads that read ahead.
#pragma once

#include <tenon/ext/draft/loaders.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/order.h"
#include "core/data/transform.h"
#include "core/data/workers.h"
#include "core/runtime/deciders.h"

namespace tenon::data {

// A transform, and the field that it replaces.
struct Step {
  std::shared_ptr<const Transform> transform;
  uint32_t field = 0;
};

class Loader final : public OfRuntime, public Decider {
 public:
  // Without a dataset the samples' numbers are the one field.
  Loader(Context& context, std::shared_ptr<const Dataset> dataset, int64_t length, int64_t batch,
         uint64_t seed, uint32_t flags);
  ~Loader();

  // If one throws, the loader is as it was.
  void set_transforms(Context& context, std::vector<Step> steps);
  void set_workers(uint32_t count, const MakeWorkerContext& make);
  void set_share(const Share& share);  // and to the epoch's begin
  // Also to the epoch's begin. lengths: of all samples, NULL: the dataset's.
  void set_buckets(Context& context, int64_t pool, const int64_t* lengths);
  void begin(int64_t epoch, int64_t position);
  // The same in two steps, of which only the first may fail.
  std::shared_ptr<const Pass> make_pass(int64_t epoch) const;
  void begin(std::shared_ptr<const Pass> pass, int64_t position) noexcept;
  // The fields of the next batch; none if the epoch is over.
  std::vector<tensor::Ref> run(Context& context);

  tenon_loader_info info() const;
  // Of which samples it gives which, and where it is, if as many shards share it.
  void tell(const SharedStep& step, std::string& lines) const override;
  const std::vector<tenon_dataset_field>& fields() const { return fields_; }
  int64_t length() const { return length_; }
  int64_t batch() const { return batch_; }
  int64_t samples() const { return all_; }  // of the dataset
  bool shuffles() const { return (flags_ & TENON_LOADER_SHUFFLE) != 0; }
  const Share& share() const { return share_; }
  int64_t pool() const { return buckets_.pool; }
  uint64_t seed() const { return seed_; }

  // One call at a time; throws TENON_E_STATE for a second.
  class Use : NoCopy {
   public:
    explicit Use(Loader& loader);
    ~Use() { loader_.in_use_.store(false, std::memory_order_release); }

   private:
    Loader& loader_;
  };

 private:
  int64_t remaining() const;
  std::shared_ptr<const std::vector<int64_t>> read_lengths(Context& context,
                                                           const int64_t* given) const;
  template <class T>
  std::shared_ptr<const Pass> pass_with(T& member, T value);
  void start() noexcept;
  void refuse_forked() const;

  const std::shared_ptr<const Dataset> dataset_;
  const int64_t all_;  // samples of the dataset
  const int64_t batch_;
  const uint64_t seed_;
  const uint32_t flags_;
  Share share_;
  Buckets buckets_;
  int64_t length_;  // samples of an epoch that are ours
  std::vector<Step> steps_;
  std::vector<tenon_dataset_field> fields_;  // of batches as they are given
  std::vector<std::string> names_;           // of the fields
  std::shared_ptr<const Pass> pass_;         // the epoch begun last
  int64_t position_ = 0;
  std::unique_ptr<Workers> workers_;
  pid_t process_ = 0;  // whose the workers are
  std::atomic<bool> in_use_{false};
};

}  // namespace tenon::data
