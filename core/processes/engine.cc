// SPDX-License-Identifier: Apache-2.0
// core/processes/engine.cc: one thread for one engine.
#include "core/processes/engine.h"

#include <unistd.h>

#include <optional>
#include <system_error>

#include "core/trace/recorder.h"

namespace tenon::processes {

namespace {

// Groups that were released while others go on. Each keeps what the engine has for it, for example
// a communicator, of which MPICH has 2,048; where there are more, the oldest is left untold.
constexpr size_t kMaxRest = 1024;

}  // namespace

Engine::Engine(Context& context, const registry::Entry& kind, const data::MakeWorkerContext& make)
    : runtime_(context.runtime), kind_(&kind), context_(make()), process_(getpid()) {
  context_->run([this](Context& own) { own_ = &own; });
  ending_.emplace_back([this] {
    for (const bool waits : {false, true}) {
      for (const auto& each : rest_) each(waits);
    }
    rest_.clear();
  });
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    fail_in(kind.name, TENON_E_MEMORY,
            std::string("the system starts no thread for it: ") + error.what());
  }
  runtime_->retain();
}

Engine::~Engine() {
  end();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
  context_.reset();
  runtime_->release();
}

void Engine::drop(std::shared_ptr<Engine> engine) {
  if (engine->process_ != getpid()) new std::shared_ptr<Engine>(std::move(engine));
}

void Engine::keep(Rest rest) noexcept {
  rest_.splice(rest_.end(), rest);
  if (rest_.size() <= kMaxRest) return;
  rest_.pop_front();
}

void Engine::end() noexcept {
  if (ended_all_.exchange(true)) return;
  call_plain(std::move(ending_));
}

bool Engine::is_here() const {
  return process_ == getpid() && thread_.get_id() != std::this_thread::get_id();
}

void Engine::refuse_forked() const {
  if (process_ == getpid()) {
    if (!ended_all_.load(std::memory_order_relaxed)) return;
    fail_in(kind_->name, TENON_E_STATE, "the process is ending, and has left its groups", "group",
            "a program that runs", "one that has returned from main, or called exit",
            "do it before, or release the group");
  }
  fail_in(kind_->name, TENON_E_STATE, "the group was made by the process that was forked", "group",
          "a group of this process", "one of process " + std::to_string(process_),
          "make groups after the fork");
}

void Engine::push(Task task) noexcept {
  {
    const std::lock_guard lock(mutex_);
    tasks_.splice(tasks_.end(), task);
    ++pushed_;
  }
  changed_.notify_one();
}

void Engine::post(Body body, Ended ended) {
  refuse_forked();
  Task task;
  task.emplace_back([this, body = std::move(body), ended = std::move(ended)] { run(body, ended); });
  push(std::move(task));
}

void Engine::call(Body body) {
  refuse_forked();
  std::optional<Error> thrown;
  const Ended keep = [&](const Error* error) noexcept {
    if (!error) return;
    try {
      thrown = *error;
    } catch (...) {
      thrown.emplace();
      thrown->status = TENON_E_MEMORY;
    }
  };
  Task task;
  task.emplace_back([&] { run(body, keep); });
  call_plain(std::move(task));
  if (!thrown) return;
  if (thrown->status == TENON_E_MEMORY) throw OutOfMemory{};
  throw Error(std::move(*thrown));
}

void Engine::call_plain(Task task) noexcept {
  if (process_ != getpid()) return;  // a copy: there is no such thread in this process
  push(std::move(task));
  std::unique_lock lock(mutex_);
  // Others may have pushed since; those before us have ended then, too.
  const uint64_t ours = pushed_;
  done_.wait(lock, [&] { return ended_ >= ours; });
}

void Engine::run(const Body& body, const Ended& ended) noexcept {
  const Context* seen = nullptr;
  const auto seeing = [&](Context& context) {
    seen = &context;
    body(context);
  };
  if (context_->run(std::cref(seeing))) return ended(nullptr);
  if (seen) return ended(&seen->error.error);
  static const Error closed{.status = TENON_E_RUNTIME, .message = "the runtime is closed"};
  ended(&closed);
}

void Engine::work() noexcept {
  runtime_->trace.set_thread_name(trace::thread_row(), kind_->name);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task;
    task.splice(task.end(), tasks_, tasks_.begin());
    lock.unlock();
    task.front()();
    task.clear();  // with the tensors that it holds
    lock.lock();
    ++ended_;
    done_.notify_all();
  }
}

}  // namespace tenon::processes
