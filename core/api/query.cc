// SPDX-License-Identifier: Apache-2.0
// core/api/query.cc: the topics of tenon_runtime_query. Texts come from plugins and may hold any
// bytes; what is no UTF-8 is replaced when the answer is written.
#include "core/api/query.h"

#include <nlohmann/json.hpp>

#include "core/api/context.h"
#include "core/autograd/graph.h"
#include "core/dispatch/values.h"
#include "core/plugin/sha256.h"
#include "core/registry/checks.h"
#include "core/tensor/dtype.h"

namespace tenon {

namespace {

using nlohmann::ordered_json;
using plugin::Plugin;
using registry::Kernel;

std::string text(const tenon_string& string) {
  return std::string(registry::text_of(string, "a string"));
}

// ---- plugins ------------------------------------------------------------------------------------

const char* name_of(plugin::State state) {
  switch (state) {
    case plugin::State::Found:
      return "found";
    case plugin::State::Refused:
      return "refused";
    case plugin::State::Open:
      return "open";
    case plugin::State::Deactivated:
      return "deactivated";
    case plugin::State::Failed:
      break;
  }
  return "failed";
}

const char* name_of(plugin::Stage stage) {
  switch (stage) {
    case plugin::Stage::Manifest:
      return "manifest";
    case plugin::Stage::Policy:
      return "policy";
    case plugin::Stage::Requirement:
      return "requirement";
    case plugin::Stage::Library:
      return "library";
    case plugin::Stage::Handshake:
      return "handshake";
    case plugin::Stage::Init:
      return "init";
    case plugin::Stage::Registration:
      return "registration";
    case plugin::Stage::None:
      break;
  }
  return "";
}

ordered_json plugin_json(const Plugin& plugin) {
  // Acquired first: the members below it may be read once it is no longer Found.
  const plugin::State state = plugin.state.load(std::memory_order_acquire);
  const bool settled = state != plugin::State::Found;
  const plugin::Manifest& manifest = plugin.manifest;
  ordered_json ops = ordered_json::array();
  for (const auto& op : manifest.ops) {
    ops.push_back({{"name", op.name}, {"revision", op.revision}, {"role", op.role}});
  }
  ordered_json kernels = ordered_json::array();
  for (const auto& entry : manifest.kernels) {
    kernels.push_back({{"device", entry.device}, {"ops", entry.ops}});
  }
  return {{"id", plugin.id},
          {"version", manifest.version},
          {"license", manifest.license},
          {"folder", plugin.folder},
          {"library", plugin.library},
          {"sha256", manifest.sha256},
          {"state", name_of(state)},
          {"stage", settled ? name_of(plugin.stage) : ""},
          {"reason", settled ? plugin.reason : ""},
          {"report", settled ? plugin.report : std::vector<std::string>()},
          {"ops", ops},
          {"kernels", kernels},
          {"vjps", manifest.vjps},
          {"optimizers", manifest.optimizers},
          {"datasets", manifest.datasets},
          {"devices", manifest.devices},
          {"requires",
           {{"ops", manifest.required_ops},
            {"roles", manifest.required_roles},
            {"cpu_features", manifest.cpu_features},
            {"libraries", manifest.libraries}}}};
}

ordered_json plugins_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const auto& plugin : context.runtime->plugins.plugins()) {
    list.push_back(plugin_json(*plugin));
  }
  return list;
}

ordered_json paths_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const plugin::SearchPath& path : context.runtime->plugins.paths()) {
    list.push_back({{"folder", path.folder},
                    {"origin", path.origin},
                    {"problem", path.problem},
                    {"found", path.found},
                    {"refused", path.refused}});
  }
  return list;
}

// ---- devices ------------------------------------------------------------------------------------

bool has_kernel(const registry::Op& op, uint32_t kind) {
  const registry::KernelSet* set = op.kernels.load(std::memory_order_acquire);
  if (!set) return false;
  return std::any_of(set->kernels.begin(), set->kernels.end(),
                     [&](const Kernel* kernel) { return kernel->device_kind == kind; });
}

// Why a role cannot be played on a device kind; "" where it can.
std::string role_problem(Context& context, uint32_t role, uint32_t kind) {
  const registry::Op* op = context.runtime->registry.role(role);
  const std::string name(registry::name_of_role(role));
  if (!op) return "no op holds the role " + name;
  if (!has_kernel(*op, kind)) return "no kernel for " + op->name + " (role " + name + ")";
  return "";
}

ordered_json memory_json(const Device& device) {
  const memory::Stats stats = device.allocator->stats();
  return {{"index", device.id.index},
          {"live_bytes", stats.live_bytes},
          {"peak_bytes", stats.peak_bytes},
          {"reserved_bytes", stats.reserved_bytes},
          {"live_blocks", stats.live_blocks},
          {"allocations", stats.allocations},
          {"raw_allocations", stats.raw_allocations},
          {"pinned_bytes", device.pinned_bytes()},
          {"lost", device.lost_message()}};
}

ordered_json device_json(Context& context, const registry::Backend& backend) {
  std::vector<std::string> present;
  std::vector<std::string> missing;
  std::string no_autograd;
  for (uint32_t role = 1; role < registry::kRoleEnd; ++role) {
    const std::string problem = role_problem(context, role, backend.kind);
    (problem.empty() ? present : missing).emplace_back(registry::name_of_role(role));
    if (role <= TENON_ROLE_SUM_TO && !problem.empty()) {
      no_autograd += (no_autograd.empty() ? "" : "; ") + problem;
    }
  }
  if (backend.count == 0) no_autograd = "no usable device";
  ordered_json memory = ordered_json::array();
  std::vector<std::string> lost;  // one message for each lost device
  for (const Device* device : context.runtime->devices()) {
    if (device->id.kind != backend.kind) continue;
    memory.push_back(memory_json(*device));
    if (const std::string words = device->lost_message(); !words.empty()) lost.push_back(words);
  }
  const bool host = (backend.table->flags & TENON_BACKEND_HOST_MEMORY) != 0;
  const auto indices = static_cast<size_t>(backend.count);
  return {{"kind", backend.kind_name},
          {"doc", text(backend.table->doc)},
          {"plugin", backend.plugin->id},
          {"host_memory", host},
          {"asynchronous", !host},
          {"pinned", find_pinned_table(backend) != nullptr},
          {"usable", backend.count > 0 && (lost.empty() || lost.size() < indices)},
          {"lost", lost},
          {"count", backend.count},
          {"why_none", backend.why_none},
          {"roles", {{"present", present}, {"missing", missing}}},
          {"autograd", no_autograd.empty()},
          {"autograd_reason", no_autograd},
          {"memory", memory}};
}

ordered_json devices_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const registry::Backend* backend : context.runtime->registry.backends()) {
    list.push_back(device_json(context, *backend));
  }
  return list;
}

// ---- ops ----------------------------------------------------------------------------------------

// "f32 f64" for each row: one dtype for each type variable.
std::vector<std::string> rows_text(const tenon_kernel_desc& kernel) {
  std::vector<std::string> rows;
  for (uint32_t row = 0; row < kernel.n_rows; ++row) {
    std::string line;
    for (uint32_t i = 0; i < kernel.n_variables; ++i) {
      line += (i ? " " : "");
      line += tensor::name_of(kernel.dtype_rows[row * kernel.n_variables + i]);
    }
    rows.push_back(std::move(line));
  }
  return rows;
}

// "in strided zero_stride" for each slot: what the kernel says it takes.
std::vector<std::string> slots_text(const tenon_kernel_desc& kernel) {
  static constexpr const char* roles[] = {"in", "out", "inout", "accum"};
  static constexpr const char* layouts[] = {"contiguous", "inner_contiguous", "dense", "strided"};
  static constexpr std::pair<uint32_t, const char*> flags[] = {
      {TENON_SLOT_ZERO_STRIDE, " zero_stride"},
      {TENON_SLOT_NEGATIVE_STRIDE, " negative_stride"},
      {TENON_SLOT_HOST_SCALAR, " host_scalar"},
      {TENON_SLOT_UNALIGNED, " unaligned"}};
  std::vector<std::string> slots;
  for (uint32_t i = 0; i < kernel.n_slots; ++i) {
    const tenon_slot_rule& rule = kernel.slots[i];
    std::string line = std::string(roles[rule.role]) + " " + layouts[rule.layout];
    for (const auto& [flag, word] : flags) {
      if (rule.flags & flag) line += word;
    }
    slots.push_back(std::move(line));
  }
  return slots;
}

ordered_json kernels_json(const registry::Op& op) {
  ordered_json list = ordered_json::array();
  const registry::KernelSet* set = op.kernels.load(std::memory_order_acquire);
  for (const Kernel* kernel : set ? set->kernels : std::vector<const Kernel*>()) {
    list.push_back({{"plugin", kernel->plugin->id},
                    {"device", text(kernel->desc.device)},
                    {"priority", kernel->desc.priority},
                    {"canonical", (kernel->desc.flags & TENON_KERNEL_CANONICAL) != 0},
                    {"capture_safe", (kernel->desc.flags & TENON_KERNEL_CAPTURE_SAFE) != 0},
                    {"index_64", (kernel->desc.flags & TENON_KERNEL_INDEX_64) != 0},
                    {"dtypes", rows_text(kernel->desc)},
                    {"slots", slots_text(kernel->desc)}});
  }
  return list;
}

std::vector<std::string> flag_words(const registry::Op& op) {
  std::vector<std::string> words;
  if (op.has(TENON_OP_ELEMENTWISE)) words.emplace_back("elementwise");
  if (op.has(TENON_OP_RANDOM)) words.emplace_back("random");
  if (op.has(TENON_OP_EFFECT)) words.emplace_back("effect");
  if (op.has(TENON_OP_LINEAR)) words.emplace_back("linear");
  if (op.has(TENON_OP_TRANSFER)) words.emplace_back("transfer");
  if (op.desc.view) words.emplace_back("view");
  return words;
}

ordered_json ops_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const registry::Op* op : context.runtime->registry.ops()) {
    const registry::VjpRule* rule = op->best_rule();
    const std::string role(registry::name_of_role(op->desc.role));
    list.push_back({{"name", op->name},
                    {"revision", op->desc.revision},
                    {"schema", op->schema_text},
                    {"doc", op->doc},
                    {"flags", flag_words(*op)},
                    {"role", role.empty() ? ordered_json() : ordered_json(role)},
                    {"plugin", op->plugin->id},
                    {"kernels", kernels_json(*op)},
                    {"vjp", rule ? ordered_json(rule->plugin->id) : ordered_json()},
                    {"compose", op->desc.compose != nullptr},
                    {"report", context.runtime->registry.report_of(*op)}});
  }
  return list;
}

// ---- optimizers, datasets, samples --------------------------------------------------------------

ordered_json hypers_json(const tenon_optimizer_desc& desc) {
  ordered_json list = ordered_json::array();
  for (uint32_t i = 0; i < desc.n_hypers; ++i) {
    const tenon_hyper_desc& hyper = desc.hypers[i];
    list.push_back({{"name", text(hyper.name)},
                    {"doc", text(hyper.doc)},
                    {"type", dispatch::tag_name(hyper.tag)},
                    {"dynamic", (hyper.flags & TENON_HYPER_DYNAMIC) != 0},
                    {"default", hyper.initial},
                    {"minimum", hyper.minimum},
                    {"maximum", hyper.maximum}});
  }
  return list;
}

ordered_json states_json(const tenon_optimizer_desc& desc) {
  ordered_json list = ordered_json::array();
  for (uint32_t i = 0; i < desc.n_states; ++i) {
    const tenon_state_desc& state = desc.states[i];
    const bool own_dtype = state.dtype != TENON_DTYPE_NONE;
    list.push_back({{"name", text(state.name)},
                    {"doc", text(state.doc)},
                    {"shape", state.shape == TENON_STATE_SCALAR ? "scalar" : "like parameter"},
                    {"dtype", own_dtype ? std::string(tensor::name_of(state.dtype))
                                        : std::string("like parameter")},
                    {"initial", state.initial}});
  }
  return list;
}

ordered_json optimizers_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const registry::Optimizer* optimizer : context.runtime->registry.optimizers()) {
    list.push_back({{"name", optimizer->name},
                    {"doc", text(optimizer->desc.doc)},
                    {"plugin", optimizer->plugin->id},
                    {"step_op", text(optimizer->desc.step_op)},
                    {"rows_op", text(optimizer->desc.rows_op)},
                    {"hypers", hypers_json(optimizer->desc)},
                    {"states", states_json(optimizer->desc)}});
  }
  return list;
}

ordered_json datasets_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const registry::Dataset* dataset : context.runtime->registry.datasets()) {
    ordered_json options = ordered_json::array();
    for (uint32_t i = 0; i < dataset->desc.n_options; ++i) {
      const tenon_dataset_option& option = dataset->desc.options[i];
      options.push_back({{"name", text(option.name)},
                         {"doc", text(option.doc)},
                         {"type", dispatch::tag_name(option.tag)},
                         {"required", option.required != 0}});
    }
    list.push_back({{"name", dataset->name},
                    {"doc", text(dataset->desc.doc)},
                    {"plugin", dataset->plugin->id},
                    {"options", options}});
  }
  return list;
}

ordered_json samples_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const registry::Sample& entry : context.runtime->registry.samples()) {
    list.push_back({{"op", text(entry.sample.op)},
                    {"revision", entry.sample.revision},
                    {"text", text(entry.sample.text)},
                    {"expect", entry.sample.expect},
                    {"fragment", text(entry.sample.fragment)},
                    {"plugin", entry.plugin->id}});
  }
  return list;
}

ordered_json tolerances_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const registry::Tolerance& entry : context.runtime->registry.tolerances()) {
    list.push_back({{"op", text(entry.desc.op)},
                    {"revision", entry.desc.revision},
                    {"dtype", tensor::name_of(entry.desc.dtype)},
                    {"ulp", entry.desc.ulp},
                    {"relative", entry.desc.relative},
                    {"reason", text(entry.desc.reason)},
                    {"plugin", entry.plugin->id}});
  }
  return list;
}

ordered_json optimizer_samples_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const registry::OptimizerSample& entry : context.runtime->registry.optimizer_samples()) {
    list.push_back({{"optimizer", text(entry.desc.optimizer)},
                    {"text", text(entry.desc.text)},
                    {"steps", entry.desc.steps},
                    {"expect", entry.desc.expect},
                    {"fragment", text(entry.desc.fragment)},
                    {"plugin", entry.plugin->id}});
  }
  return list;
}

// ---- the runtime itself -------------------------------------------------------------------------

ordered_json stats_json(Context& context) {
  const Runtime& runtime = *context.runtime;
  ordered_json devices = ordered_json::array();
  for (const Device* device : runtime.devices()) {
    ordered_json entry = {{"device", device->name()}};
    entry.update(memory_json(*device));
    devices.push_back(std::move(entry));
  }
  return {{"tensors", runtime.tensors.load()},
          {"storages", runtime.storages.load()},
          {"plans", runtime.plans.load()},
          {"nodes", context.graph->live_nodes},
          {"launches", context.launches},
          {"libraries_opened", runtime.plugins.libraries_opened()},
          {"devices", devices}};
}

ordered_json environment_json(Context& context) {
  struct CheckWord {
    const char* name;
    uint32_t mode;
  };
  static constexpr CheckWord words[] = {{"layout", kCheckLayout},
                                        {"finite", kCheckFinite},
                                        {"threads", kCheckThreads},
                                        {"launch", kCheckLaunch},
                                        {"handles", kCheckHandles}};
  const Runtime& runtime = *context.runtime;
  std::vector<std::string> checks;
  for (const CheckWord& word : words) {
    if (runtime.config.checks & word.mode) checks.emplace_back(word.name);
  }
  static constexpr const char* policies[] = {"owned", "any", "allowlist"};
  return {
      {"version", std::to_string(TENON_VERSION_MAJOR) + "." + std::to_string(TENON_VERSION_MINOR) +
                      "." + std::to_string(TENON_VERSION_PATCH)},
      {"abi", std::to_string(TENON_ABI_MAJOR) + "." + std::to_string(TENON_ABI_MINOR)},
      {"draft", TENON_ABI_DRAFT},
      {"threads", runtime.pool.size()},
      {"available_cpus", threads::Pool::available()},
      {"checks", checks},
      {"policy", policies[runtime.config.plugins.policy]},
      {"memory_limit", runtime.config.memory_limit},
      {"excluded", runtime.config.plugins.exclude},
      {"trace_file", runtime.config.trace_file}};
}

// Reads every library whole, so nobody asks for it by the way.
ordered_json hashes_json(Context& context) {
  ordered_json list = ordered_json::array();
  for (const auto& plugin : context.runtime->plugins.plugins()) {
    if (plugin->library.empty()) continue;
    std::string hash;
    std::string problem;
    try {
      hash = plugin::sha256_of_file(plugin->library);
    } catch (const Error& error) {
      problem = error.message;
    }
    list.push_back(
        {{"id", plugin->id}, {"library", plugin->library}, {"sha256", hash}, {"problem", problem}});
  }
  return list;
}

ordered_json log_json(Context& context) { return context.runtime->log_lines(); }

struct Topic {
  std::string_view name;
  ordered_json (*answer)(Context&);
  bool opens_all;
};
constexpr Topic kTopics[] = {
    {"plugins", plugins_json, false},
    {"devices", devices_json, true},
    {"ops", ops_json, true},
    {"optimizers", optimizers_json, true},
    {"datasets", datasets_json, true},
    {"samples", samples_json, true},
    {"tolerances", tolerances_json, true},
    {"optimizer_samples", optimizer_samples_json, true},
    {"paths", paths_json, false},
    {"hashes", hashes_json, false},
    {"stats", stats_json, false},
    {"environment", environment_json, false},
    {"log", log_json, false},
};

}  // namespace

std::string query(Context& context, std::string_view topic) {
  std::string known;
  for (const Topic& entry : kTopics) {
    if (entry.name == topic) {
      if (entry.opens_all) context.runtime->plugins.open_all();
      return entry.answer(context).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    }
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error{.status = TENON_E_NOT_FOUND,
              .message = "there is no topic \"" + std::string(topic) + "\"; topics are " + known,
              .operand = "topic",
              .expected = known,
              .found = std::string(topic)};
}

}  // namespace tenon
