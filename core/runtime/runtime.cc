// SPDX-License-Identifier: Apache-2.0
// core/runtime/runtime.cc: runtime configuration, devices, pins.
#include "core/runtime/runtime.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/base/sized.h"
#include "core/base/words.h"
#include "core/runtime/thread_checks.h"

namespace tenon {

namespace {

uint32_t read_checks(std::string_view text, const char* origin) {
  uint32_t modes = 0;
  for (const std::string_view word : base::words_of(text, ',')) {
    const CheckName* const known = std::ranges::find(kCheckNames, word, &CheckName::name);
    if (known == std::end(kCheckNames)) {
      fail(TENON_E_ARGUMENT,
           std::string(origin) + " names an unknown check mode \"" + std::string(word) + "\"",
           origin, "layout, finite, threads, launch, handles or plan", std::string(word));
    }
    modes |= known->mode;
  }
  return modes;
}

std::string read_string(const tenon_string& text, const char* what) {
  if (!text.data && text.length != 0) {
    fail(TENON_E_ARGUMENT, std::string(what) + " is NULL with a length", what);
  }
  if (!text.data) return {};
  return text.length == TENON_NUL ? std::string(text.data) : std::string(text.data, text.length);
}

std::vector<std::string> read_strings(const tenon_string* items, uint32_t count, const char* what) {
  if (!items && count != 0) {
    fail(TENON_E_ARGUMENT, std::string(what) + " is NULL with a count", what);
  }
  std::vector<std::string> out;
  for (uint32_t i = 0; i < count; ++i) out.push_back(read_string(items[i], what));
  return out;
}

const char* environment(const char* name) {
  const char* value = getauxval(AT_SECURE) ? nullptr : std::getenv(name);
  return value && *value ? value : nullptr;
}

void read_policy(const tenon_runtime_options& options, plugin::HostOptions& plugins) {
  if (options.policy > TENON_POLICY_ALLOWLIST) {
    fail(TENON_E_ARGUMENT, "tenon_runtime_options.policy is unknown", "policy",
         "TENON_POLICY_OWNED, _ANY or _ALLOWLIST", std::to_string(options.policy));
  }
  plugins.policy = options.policy;
  plugins.allowlist = read_string(options.allowlist, "allowlist");
  if (plugins.allowlist.empty() != (options.policy != TENON_POLICY_ALLOWLIST)) {
    fail(TENON_E_ARGUMENT, "TENON_POLICY_ALLOWLIST and tenon_runtime_options.allowlist go together",
         "allowlist", "a lock file with TENON_POLICY_ALLOWLIST, and none with others",
         plugins.allowlist.empty() ? "none" : plugins.allowlist);
  }
}

// Memory of a deactivated backend lives on; nothing new is put there.
Device& in_use(Device& device) {
  const registry::Plugin& plugin = *device.backend->plugin;
  if (!plugin.is_deactivated()) return device;
  fail_with(TENON_E_PLUGIN, {}, plugin.id,
            "device " + device.name() + ": plugin " + plugin.id + " was deactivated", "device",
            "a device of an active plugin", device.name(), "a new runtime opens it again");
}

}  // namespace

RuntimeConfig read_config(const tenon_runtime_options* given) {
  const tenon_runtime_options options =
      given ? base::read_sized(*given, "tenon_runtime_options", "options")
            : tenon_runtime_options{};
  constexpr uint32_t known = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  if (options.flags & ~known) {
    fail(TENON_E_ARGUMENT, "tenon_runtime_options.flags has unknown bits", "flags", {},
         std::to_string(options.flags & ~known));
  }
  if (options.threads < 0 || options.threads > 4096) {
    fail(TENON_E_ARGUMENT, "tenon_runtime_options.threads is out of range", "threads", "0 to 4096",
         std::to_string(options.threads));
  }
  RuntimeConfig config;
  config.threads = options.threads;
  config.memory_limit = options.memory_limit;
  config.plugins.paths = read_strings(options.paths, options.n_paths, "paths");
  config.plugins.exclude = read_strings(options.exclude, options.n_exclude, "exclude");
  read_policy(options, config.plugins);
  config.plugins.default_paths = (options.flags & TENON_RUNTIME_NO_DEFAULT_PATHS) == 0;
  config.plugins.environment = (options.flags & TENON_RUNTIME_NO_ENVIRONMENT) == 0;
  config.checks = read_checks(read_string(options.check, "check"), "check");
  if (config.plugins.environment) {
    if (const char* checks = environment("TENON_CHECK")) {
      config.checks |= read_checks(checks, "TENON_CHECK");
    }
    if (const char* log = environment("TENON_OP_LOG")) {
      if (std::string_view(log) != "1" && std::string_view(log) != "0") {
        fail(TENON_E_ARGUMENT, "TENON_OP_LOG is neither 0 nor 1", "TENON_OP_LOG",
             "1: ops are printed to standard error; 0: they are not", log);
      }
      if (*log == '1') config.checks |= kLogOps;
    }
    if (const char* file = environment("TENON_TRACE")) config.trace_file = file;
    const char* threads = environment("TENON_THREADS");
    if (threads && config.threads == 0) {
      char* end = nullptr;
      const long value = std::strtol(threads, &end, 10);
      if (*end != 0 || value < 1 || value > 4096) {
        fail(TENON_E_ARGUMENT, "TENON_THREADS is not a number of threads", "TENON_THREADS",
             "1 to 4096", threads);
      }
      config.threads = static_cast<int32_t>(value);
    }
  }
  return config;
}

Runtime::Runtime(const RuntimeConfig& given, const tenon_host& host, const tenon_call& tables)
    : config(given),
      registry(this),
      plugins(config.plugins, registry, host),
      pool(std::max(config.threads, threads::Pool::available())),
      call_tables(tables) {
  if (config.threads > 0) pool.set_limit(config.threads);
  if (config.checks & kCheckThreads) thread_checks = std::make_unique<ThreadChecks>(tables);
  if (config.checks & kCheckHandles) base::hold_quarantine();
  if (!config.trace_file.empty()) trace.begin();
}

Runtime::~Runtime() {
  prepared.reset();  // before the kernels that made them
  devices_.clear();  // before the backends that made them
  if (config.checks & kCheckHandles) base::drop_quarantine();
}

Device& Runtime::device(const tenon_device& id) {
  std::lock_guard lock(mutex_);
  const auto found = devices_.find({id.kind, id.index});
  if (found != devices_.end()) return in_use(*found->second);
  const registry::Backend* backend = registry.backend(id.kind);
  if (!backend) {
    fail(TENON_E_DEVICE, "no device kind with id " + std::to_string(id.kind), "device", {}, {},
         "take devices from tenon_device_find");
  }
  if (id.index < 0 || id.index >= backend->count) {
    fail_with(TENON_E_DEVICE, {}, backend->plugin->id,
              "device " + backend->kind_name + ":" + std::to_string(id.index) + " does not exist" +
                  (backend->why_none.empty() ? "" : ": " + backend->why_none),
              "device", "an index below " + std::to_string(backend->count),
              std::to_string(id.index));
  }
  auto made = std::make_unique<Device>(*this, *backend, id.index, config.memory_limit,
                                       (config.checks & kCheckLaunch) != 0);
  return *devices_.emplace(std::pair(id.kind, id.index), std::move(made)).first->second;
}

Device& Runtime::host_device() {
  if (Device* known = host_.load(std::memory_order_acquire)) return in_use(*known);
  const registry::Backend& backend = plugins.require_backend("");
  Device& made = device({backend.kind, 0});
  host_.store(&made, std::memory_order_release);
  return made;
}

std::vector<Device*> Runtime::devices() const {
  std::lock_guard lock(mutex_);
  std::vector<Device*> out;
  for (const auto& [key, device] : devices_) out.push_back(device.get());
  return out;
}

void Runtime::forget_context(Asker context) noexcept {
  std::lock_guard lock(mutex_);
  for (const auto& [key, device] : devices_) device->forget(context);
}

std::string Runtime::pin_of(uint32_t op_index) const {
  std::lock_guard lock(mutex_);
  std::string pin;
  for (const auto& [op, plugin] : pins_) {
    if (op == op_index) pin = plugin;
    if (op == UINT32_MAX && pin.empty()) pin = plugin;
  }
  return pin;
}

void Runtime::set_pin(uint32_t op_index, const std::string& plugin) {
  std::lock_guard lock(mutex_);
  auto pins = pins_;
  std::erase_if(pins, [&](const auto& pin) { return pin.first == op_index; });
  if (!plugin.empty()) pins.emplace_back(op_index, plugin);
  pins_.swap(pins);
  registry.raise_epoch();
}

void Runtime::set_memory_limit(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  config.memory_limit = bytes;
  for (const auto& [key, device] : devices_) device->allocator->set_limit(bytes);
}

void Runtime::write_trace_file() noexcept {
  try {
    // Processes of one program have one environment, and a file each.
    std::string path = config.trace_file;
    const std::string process = std::to_string(getpid());
    for (size_t at = 0; (at = path.find("%p", at)) != path.npos; at += process.size()) {
      path.replace(at, 2, process);
    }
    std::ofstream file(path, std::ios::binary);
    file << trace.end();
  } catch (...) {
    // Nobody is left to tell.
  }
}

void Runtime::log(uint32_t level, const std::string& plugin, const std::string& message) {
  const char* word = level == TENON_LOG_ERROR     ? "error"
                     : level == TENON_LOG_WARNING ? "warning"
                                                  : "info";
  std::lock_guard lock(mutex_);
  log_.push_back(plugin + " " + word + ": " + message);
  if (log_.size() > kLogLines) log_.pop_front();
}

std::vector<std::string> Runtime::log_lines() const {
  std::lock_guard lock(mutex_);
  return {log_.begin(), log_.end()};
}

const std::string* Runtime::intern_scope(const std::string& path) {
  std::lock_guard lock(mutex_);
  return &*scopes_.insert(path).first;
}

}  // namespace tenon
