// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/subject.cc: see subject.h.
#include "case/subject.h"

#include <algorithm>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "kinds.h"

namespace tenon::verify {
namespace {

std::vector<std::string> strings_of(const Json& list) {
  return list.get<std::vector<std::string>>();
}

Kernel kernel_of(const Json& entry) {
  return {entry.at("plugin"),           entry.at("device"),   entry.at("canonical"),
          entry.at("capture_safe"),     entry.at("index_64"), strings_of(entry.at("dtypes")),
          strings_of(entry.at("slots"))};
}

Entry entry_of(const Json& op, const std::string& subject) {
  Entry entry;
  entry.name = op.at("name");
  entry.signature = tools::signature_of(op);
  entry.doc = op.at("doc");
  entry.plugin = op.at("plugin");
  entry.flags = strings_of(op.at("flags"));
  entry.has_vjp = !op.at("vjp").is_null();
  entry.composes = op.at("compose");
  if (entry.has_vjp) entry.vjp_plugin = op.at("vjp");
  for (const Json& kernel : op.at("kernels")) entry.kernels.push_back(kernel_of(kernel));
  entry.defined = entry.plugin == subject;
  entry.rule = entry.vjp_plugin == subject;
  for (const Kernel& kernel : entry.kernels) {
    if (kernel.plugin == subject) entry.devices.insert(kernel.device);
  }
  return entry;
}

std::vector<Entry> entries_of(const Session& session, const std::string& subject) {
  std::map<std::string, Entry> entries;
  for (const Json& op : session.query("ops")) {
    // Of several revisions the newest comes last, and is what a name finds.
    entries.insert_or_assign(op.at("name"), entry_of(op, subject));
  }
  for (const Json& sample : session.query("samples")) {
    const auto entry = entries.find(sample.at("op"));
    if (entry == entries.end()) continue;
    auto& samples = entry->second.samples;
    samples.push_back({static_cast<uint32_t>(samples.size()), sample.at("plugin"),
                       sample.at("text"), sample.at("fragment"), sample.at("expect")});
  }
  for (const Json& tolerance : session.query("tolerances")) {
    const auto entry = entries.find(tolerance.at("op"));
    if (entry == entries.end()) continue;
    // The op's own, but if the subject's kernels claim another; no third plugin's.
    const std::string plugin = tolerance.at("plugin");
    if (plugin != subject && plugin != entry->second.plugin) continue;
    auto& of_op = entry->second.tolerances;
    const Tolerance stated{tolerance.at("ulp"), tolerance.at("relative")};
    if (!of_op.try_emplace(tolerance.at("dtype"), stated).second && plugin == subject) {
      of_op[tolerance.at("dtype")] = stated;
    }
  }
  std::vector<Entry> list;
  for (auto& [name, entry] : entries) list.push_back(std::move(entry));
  return list;
}

// Entries of a list whose member "plugin" or that of their optimizer is the subject.
Json own_entries(const Json& list, const std::string& subject) {
  Json own = Json::array();
  for (const Json& entry : list) {
    if (entry.at("plugin") == subject) own.push_back(entry);
  }
  return own;
}

}  // namespace

bool Entry::has_flag(std::string_view flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

const Kernel* Entry::own_kernel(const std::string& subject, const std::string& device) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) {
    return kernel.plugin == subject && kernel.device == device;
  });
  return found == kernels.end() ? nullptr : &*found;
}

Tolerance Entry::tolerance(tenon_dtype output) const {
  const auto found = tolerances.find(dtype_name(output));
  return found == tolerances.end() ? Tolerance{} : found->second;
}

Subject::Subject(const Options& options, const std::string& id) : options_(options), id_(id) {
  const Session& session = this->session();
  all_ = entries_of(session, id_);  // opens every plugin
  check_open();
  for (const Entry& entry : all_) {
    if (entry.defined || entry.rule || !entry.devices.empty()) entries_.push_back(entry);
  }
  optimizer_samples_ = own_entries(session.query("optimizer_samples"), id_);
  for (const tools::EntryKind& kind : tools::kEntryKinds) {
    parts_.emplace_back(kind.topic, own_entries(session.query(kind.topic), id_));
  }
  devices_ = session.query("devices");
}

const Json& Subject::part(const std::string& topic, const std::string& name) const {
  for (const auto& [kind, list] : parts_) {
    for (const Json& each : list) {
      if (kind == topic && each.at("name") == name) return each;
    }
  }
  throw Failure{"plugin " + id_ + " has no " + name + " among its " + topic};
}

void Subject::check_open() const {
  for (const Json& plugin : session_->query("plugins")) {
    if (plugin.at("id") != id_) continue;
    if (plugin.at("state") != "open") throw Failure{tools::verdict_text(plugin)};
    return;
  }
}

const Entry& Subject::entry(const std::string& op) const {
  for (const Entry& entry : entries_) {
    if (entry.name == op) return entry;
  }
  throw Failure{"plugin " + id_ + " has nothing to do with an op " + op +
                "; `tenon op list` shows the ops there are"};
}

std::unique_ptr<Session> Subject::make(const std::string& check, int threads,
                                       bool with_subject) const {
  Options options = options_;
  if (!with_subject) options.exclude.push_back(id_);
  auto session = std::make_unique<Session>(options, tools::RuntimeSettings{check, threads});
  tenon_context* context = session->context();
  // Golden files of random ops are drawn with this seed.
  session->check(tenon_context_set_seed(context, sdk::kDrawSeed, 0));
  if (with_subject) {
    session->check(tenon_runtime_set_pin(context, "", 0, id_.data(), id_.size()));
  }
  return session;
}

std::string Subject::folder() {
  for (const Json& plugin : session().query("plugins")) {
    if (plugin.at("id") == id_) return plugin.at("folder");
  }
  return "";
}

const Session& Subject::session() {
  if (!session_) session_ = make("", 0, true);
  return *session_;
}

const Session& Subject::guarded() {
  if (!guarded_) guarded_ = make("layout", 0, true);
  return *guarded_;
}

const Session& Subject::strict() {
  if (!strict_) strict_ = make("threads", 0, true);
  return *strict_;
}

std::unique_ptr<Session> Subject::with_threads(int threads) const {
  return make("", threads, true);
}

const Session* Subject::without(const Entry& op) {
  if (!tried_without_) {
    tried_without_ = true;
    without_ = make("", 0, false);
    tenon_device host{};
    const tenon_status status = tenon_device_find(without_->context(), "", 0, 0, &host);
    if (status != TENON_OK) without_.reset();  // the subject is what gives host memory
    if (without_) others_ = entries_of(*without_, id_);
  }
  if (!without_) return nullptr;
  for (const Entry& other : others_) {
    if (other.name != op.name) continue;
    const bool kernel = std::any_of(other.kernels.begin(), other.kernels.end(),
                                    [&](const Kernel& one) { return is_host_memory(one.device); });
    const bool runs =
        kernel || other.composes || other.has_flag("view") || other.has_flag("transfer");
    return runs ? without_.get() : nullptr;
  }
  return nullptr;
}

std::vector<std::string> Subject::backends_for(const Entry& op) {
  std::set<std::string> kinds = op.devices;
  for (const Json& device : devices_) {
    const bool host = device.at("host_memory");
    if (host && (op.devices.empty() || op.rule)) kinds.insert(device.at("kind"));
  }
  return {kinds.begin(), kinds.end()};
}

tenon_device Subject::device(const std::string& kind) { return device_in(session(), kind); }

tenon_device Subject::device_in(const Session& session, const std::string& kind) const {
  tenon_device device{};
  session.check(tenon_device_find(session.context(), kind.data(), kind.size(), 0, &device));
  return device;
}

std::string Subject::why_absent(const std::string& kind) const {
  for (const Json& device : devices_) {
    if (device.at("kind") == kind && device.at("count") == 0) return device.at("why_none");
  }
  return "";
}

bool Subject::is_host_memory(const std::string& kind) {
  for (const Json& device : devices_) {
    if (device.at("kind") == kind) return device.at("host_memory");
  }
  return false;
}

}  // namespace tenon::verify
