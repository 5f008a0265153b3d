// SPDX-License-Identifier: Apache-2.0
// core/runtime/runtime.h: the runtime object: what all contexts of one program share.
//
// Counted: the public handle, contexts, storages, plans and objects of kinds each
// hold it. After its public release it is closed (no new calls) and goes with the last of them.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/handles.h"
#include "core/base/kept.h"
#include "core/base/slab.h"
#include "core/plugin/plugin_host.h"
#include "core/registry/registry.h"
#include "core/runtime/device.h"
#include "core/tensor/storage.h"
#include "core/threads/pool.h"

namespace tenon {

struct Context;
class ThreadChecks;

enum CheckMode : uint32_t {
  kCheckLayout = 1,
  kCheckFinite = 2,
  kCheckThreads = 4,
  kCheckLaunch = 8,
  kCheckHandles = 16,
  kCheckPlan = 64,
  kLogOps = 32,  // no check, but like one it looks at every call: the log of ops is printed
};

// The modes that a program asks for by name.
struct CheckName {
  std::string_view name;
  uint32_t mode;
};
inline constexpr CheckName kCheckNames[] = {{"layout", kCheckLayout},   {"finite", kCheckFinite},
                                            {"threads", kCheckThreads}, {"launch", kCheckLaunch},
                                            {"handles", kCheckHandles}, {"plan", kCheckPlan}};

struct RuntimeConfig {
  plugin::HostOptions plugins;
  int32_t threads = 0;
  uint64_t memory_limit = 0;
  uint32_t checks = 0;
  // From TENON_TRACE: written when the runtime is released; %p in it is the process's number.
  std::string trace_file;
};

// Reads options and, unless told not to, the environment; throws Error.
RuntimeConfig read_config(const tenon_runtime_options* options);

struct Runtime final : tensor::Owner {
  // host         what plugins see of it
  // call_tables  a tenon_call with every table pointer set; both outlive the runtime
  Runtime(const RuntimeConfig& config, const tenon_host& host, const tenon_call& call_tables);
  ~Runtime() override;

  // The device of an id; throws Error{TENON_E_DEVICE}. Cheap after the first time.
  Device& device(const tenon_device& id);
  // Host memory: the first backend that offers it. Opens plugins; throws if there is none.
  Device& host_device();
  std::vector<Device*> devices() const;
  // No device keeps failures for a context that goes.
  void forget_context(Asker context) noexcept;

  std::atomic<bool> closed{false};
  RuntimeConfig config;
  registry::Registry registry;
  plugin::PluginHost plugins;
  threads::Pool pool;
  const tenon_call& call_tables;
  Keep prepared;                                // launch/: what kernels have prepared
  Keep groups;                                  // processes/: those that are held, by number
  Keep deciders;                                // of steps that processes share
  std::unique_ptr<ThreadChecks> thread_checks;  // under TENON_CHECK=threads
  std::atomic<int64_t> plans{0};
  std::atomic<uint64_t> hooks{0};       // begun so far
  std::atomic<bool> leaf_hooks{false};  // were any begun at leaves? Else no backward looks for them
  std::atomic<uint64_t> contexts{0};    // made so far

  // Preferred plugins: op index (or ~0u for all) to plugin id; "" if there is none.
  std::string pin_of(uint32_t op_index) const;
  void set_pin(uint32_t op_index, const std::string& plugin);
  void set_memory_limit(uint64_t bytes);

  // Contexts report themselves, so that calls in flight can be waited for.
  void add_context(Context& context);
  void remove_context(Context& context) noexcept;
  // Returns when every public call has returned that was running in another context of this runtime
  // when it was called. Throws TENON_E_INTERRUPTED when `self` is interrupted.
  void wait_for_calls(Context& self);
  // TENON_TRACE: best effort at the end of the run.
  void write_trace_file() noexcept;
  // Lines plugins logged; the newest kLogLines are kept.
  static constexpr size_t kLogLines = 256;
  void log(uint32_t level, const std::string& plugin, const std::string& message);
  std::vector<std::string> log_lines() const;
  // A copy of `path` that lives as long as the runtime; equal paths share it.
  const std::string* intern_scope(const std::string& path);

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::pair<uint32_t, int32_t>, std::unique_ptr<Device>> devices_;
  std::vector<std::pair<uint32_t, std::string>> pins_;
  std::vector<Context*> contexts_;
  std::set<std::string> scopes_;
  std::deque<std::string> log_;
  std::atomic<Device*> host_{nullptr};
};

// Public handles: the slots hold a counted pointer.
struct RuntimeSlot : base::SlotHeader {
  Runtime* runtime = nullptr;
};
struct TextSlot : base::SlotHeader {
  std::string text;
};
using RuntimeSlab = base::Slab<RuntimeSlot, kRuntimeKind>;
using TextSlab = base::Slab<TextSlot, kTextKind>;

}  // namespace tenon
