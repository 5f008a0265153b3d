// SPDX-License-Identifier: Apache-2.0
// core/data/workers.h: threads that read the batches of a loader ahead.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::data {

using Fields = std::vector<tensor::Ref>;

// One epoch as the loader had it when it began: nothing of it changes any more.
struct Pass {
  int64_t epoch = 0;
  int64_t batch = 0;  // samples of a full one
  // The batch that begins there. Throws what dataset or transforms report.
  std::function<Fields(Context& context, int64_t position)> read;
};

// A context of one thread's own, guarded as a program's is.
class WorkerContext {
 public:
  virtual ~WorkerContext() = default;
  // False if `body` has thrown, or the runtime is closed.
  virtual bool run(const std::function<void(Context&)>& body) noexcept = 0;
};
using MakeWorkerContext = std::function<std::unique_ptr<WorkerContext>()>;

class Workers : NoCopy {
 public:
  // Throws TENON_E_MEMORY if the system starts no thread.
  Workers(uint32_t count, const MakeWorkerContext& make);
  // Waits for what is read just now.
  ~Workers();

  // From now on `n_batches` batches of `pass` from `position` on are read ahead; what was read
  // before is dropped.
  void begin(std::shared_ptr<const Pass> pass, int64_t position, int64_t n_batches);
  // The next batch. None if reading it has failed: then it stays the next one until `skip`.
  std::optional<Fields> take(Context& context);
  void skip();
  uint32_t count() const { return static_cast<uint32_t>(threads_.size()); }

 private:
  // Batches that are read ahead for each worker: so many, because a worker that sleeps is woken
  // only when half of them are gone.
  static constexpr size_t kAhead = 4;

  struct Slot {
    bool is_read = false;
    bool failed = false;
    Fields fields;
  };

  void work(WorkerContext& context) noexcept;
  void drop(std::unique_lock<std::mutex>& lock);
  void advance(std::unique_lock<std::mutex> lock);
  void end();

  std::mutex mutex_;               // guards all from pass_ on
  std::condition_variable room_;   // a batch may be read, or all shall end
  std::condition_variable ready_;  // a batch was read
  std::shared_ptr<const Pass> pass_;
  int64_t position_ = 0;
  int64_t n_batches_ = 0;  // of the pass from there; 0: none may be begun
  int64_t begun_ = 0;      // batches that some worker has taken on
  int64_t given_ = 0;      // batches that were passed on
  uint32_t reading_ = 0;   // workers that read just now
  bool ends_ = false;
  std::vector<Slot> slots_;  // batch k lies in k % size
  std::vector<std::unique_ptr<WorkerContext>> contexts_;
  std::vector<std::thread> threads_;
};

}  // namespace tenon::data
