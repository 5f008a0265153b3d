// SPDX-License-Identifier: Apache-2.0
// core/processes/engine.h: the thread in which one engine's callbacks run, one after the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "core/data/workers.h"
#include "core/registry/registry.h"
#include "core/runtime/context.h"

namespace tenon::processes {

class Engine : NoCopy {
 public:
  // Throws TENON_E_MEMORY if the system starts no thread.
  Engine(Context& context, const registry::Entry& kind, const data::MakeWorkerContext& make);
  // After what was posted. Not in its own thread, nor in a process that was forked.
  ~Engine();
  // What a holder does at its end. In a process that was forked the engine stays for ever: nobody
  // wakes the thread that its condition variables wait for.
  static void drop(std::shared_ptr<Engine> engine);

  using Body = std::function<void(Context&)>;
  using Ended = std::function<void(const Error*)>;
  using Task = std::list<std::function<void()>>;  // one; a list's node, so that it can wait unasked

  // `body` runs in the thread, after all before it; then `ended` with what it threw, or NULL.
  void post(Body body, Ended ended);
  // Runs it and waits; throws what it threw.
  void call(Body body);
  // What goes on after the runtime has closed and when there is no memory: `task` was made before.
  void call_plain(Task task) noexcept;
  // What is left to be done for a group that is released, at the end of the engine: for all of them
  // with `false`, then for each with `true`. In the thread.
  using Rest = std::list<std::function<void(bool waits)>>;
  void keep(Rest rest) noexcept;
  // What `~Engine` does, but for the thread: all groups are left. Nothing more is taken then.
  void end() noexcept;
  bool is_here() const;  // not in a process that was forked, nor in the engine's thread
  // The thread's own, in `keep`'s functions.
  Context& context() const { return *own_; }

  const registry::Entry& kind() const { return *kind_; }
  const tenon_collective_desc& desc() const { return kind_->as<tenon_collective_desc>(); }
  Runtime& runtime() const { return *runtime_; }
  // Throws TENON_E_STATE: the thread is that of the process that was forked, or has ended.
  void refuse_forked() const;

 private:
  void push(Task task) noexcept;
  void work() noexcept;
  void run(const Body& body, const Ended& ended) noexcept;

  Runtime* runtime_;
  const registry::Entry* kind_;
  std::unique_ptr<data::WorkerContext> context_;
  Context* own_ = nullptr;  // that of context_
  const pid_t process_;
  std::mutex mutex_;  // guards what follows
  Task tasks_;
  Task ending_;  // one that runs all of rest_; taken by the first `end`
  Rest rest_;    // the thread's alone
  std::atomic<bool> ended_all_ = false;
  bool ends_ = false;
  uint64_t ended_ = 0;  // tasks
  uint64_t pushed_ = 0;
  std::condition_variable changed_;
  std::condition_variable done_;
  std::thread thread_;
};

}  // namespace tenon::processes
