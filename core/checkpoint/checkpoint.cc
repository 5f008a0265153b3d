// SPDX-License-Identifier: Apache-2.0
// core/checkpoint/checkpoint.cc: the parts of a run, and saving them.
#include "core/checkpoint/checkpoint.h"

#include "core/checkpoint/text.h"
#include "core/exchange/archive.h"
#include "core/json/writer.h"

namespace tenon::checkpoint {

Value::Value(const tenon_value& value) : number(value) {
  if (value.tag == TENON_VALUE_STRING) text.assign(value.as.string, value.count);
}

tenon_value Value::get() const {
  if (number.tag != TENON_VALUE_STRING) return number;
  return registry::string_value(text);
}

std::string group_sizes(const optim::Optimizer& optimizer) {
  std::string sizes;
  for (uint32_t group = 0; group < optimizer.n_groups(); ++group) {
    sizes += (group == 0 ? "" : " ") + std::to_string(optimizer.size_of_group(group));
  }
  return sizes;
}

std::string hyper_name(const optim::Optimizer& optimizer, uint32_t group, std::string_view name) {
  if (optimizer.n_groups() == 1) return std::string(name);
  return "group." + std::to_string(group) + "." + std::string(name);
}

namespace {

[[noreturn]] void refuse_name(std::string_view name, const std::string& what,
                              const std::string& expected) {
  fail(TENON_E_ARGUMENT, "checkpoint: the name " + what, "name", expected,
       name.empty() ? "an empty text" : "\"" + std::string(name) + "\"");
}

// "a" and "a.b": tensors of the first could have the names of the second's.
bool conflict(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return a.size() < b.size() && b.starts_with(a) && b[a.size()] == '.';
}

}  // namespace

void Checkpoint::set(std::string_view name, Part part) {
  if (name.empty()) refuse_name(name, "is empty", "at least one character");
  if (!json::is_utf8(name)) refuse_name("?", "is not UTF-8", "UTF-8");
  if (name == "rng" || conflict(name, "rng")) {
    refuse_name(name, "is that of the random numbers", "another name than \"rng\"");
  }
  for (const auto& [other, unused] : parts_) {
    if (!conflict(name, other)) continue;
    refuse_name(
        name, "is in conflict with that of another part",
        "no name that begins as another one and goes on with a dot, as with \"" + other + "\"");
  }
  parts_.insert_or_assign(std::string(name), std::move(part));
}

tenon_value Checkpoint::value(std::string_view name) const {
  const auto found = parts_.find(name);
  if (found != parts_.end()) {
    if (const auto* value = std::get_if<Value>(&found->second)) return value->get();
  }
  std::string known;
  for (const auto& [each, part] : parts_) {
    if (std::holds_alternative<Value>(part)) known += (known.empty() ? "" : " ") + each;
  }
  fail(TENON_E_NOT_FOUND, "checkpoint: there is no value \"" + std::string(name) + "\"", "name",
       known.empty() ? "a value set before" : "one of: " + known, std::string(name));
}

// ---- Saving: load.cc reads what this writes
// --------------------------------------------------------

namespace {

class Saver {
 public:
  Saver(exchange::Archive& out, const std::string& name) : out_(out), name_(name) {}

  void operator()(const layers::Shared& layer) const {
    for (const layers::Named& each : layer->tensors()) out_.set(in(each.name), *each.tensor);
  }

  void operator()(const std::shared_ptr<optim::Optimizer>& optimizer) const {
    for (uint32_t param = 0; param < optimizer->size(); ++param) {
      for (const tenon_state_desc& state : optimizer->state_descs()) {
        const std::string_view name = registry::text_view(state.name);
        const tensor::Tensor* tensor = optimizer->state(param, name);
        if (tensor) out_.set(in(std::to_string(param) + "." + std::string(name)), *tensor);
      }
    }
    if (optimizer->n_groups() > 1) put(in(kGroupSizes), group_sizes(*optimizer));
    for (uint32_t group = 0; group < optimizer->n_groups(); ++group) {
      for (const tenon_hyper_desc& hyper : optimizer->hyper_descs()) {
        const std::string_view name = registry::text_view(hyper.name);
        put(in(hyper_name(*optimizer, group, name)), text_of(optimizer->get(group, name)));
      }
    }
  }

  void operator()(const std::shared_ptr<optim::Schedule>& schedule) const {
    for (const tenon_schedule_state_desc& state : schedule->state_descs()) {
      const std::string_view name = registry::text_view(state.name);
      put(in(name), registry::float_text(schedule->state(name)));
    }
  }

  void operator()(const std::shared_ptr<data::Loader>& loader) const {
    const data::Loader::Use use(*loader);
    const tenon_loader_info info = loader->info();
    put(in("seed"), std::to_string(info.seed));
    put(in("epoch"), std::to_string(info.epoch));
    put(in("position"), std::to_string(info.position));
    put(in("samples"), std::to_string(loader->samples()));
    put(in("shuffle"), std::to_string(loader->shuffles()));
    // Order and position depend on the size of a batch in these cases alone.
    const data::Share& share = loader->share();
    if (info.pool != 0 || !share.is_all()) put(in("batch"), std::to_string(info.batch));
    if (info.pool != 0) put(in("pool"), std::to_string(info.pool));
    if (share.is_all()) return;
    put(in("share.count"), std::to_string(share.count));
    put(in("share.of"), std::to_string(share.of));
  }

  void operator()(const tensor::Ref& tensor) const { out_.set(name_, *tensor); }
  void operator()(const Value& value) const { put(name_, text_of(value.get())); }

  void put(const std::string& key, const std::string& text) const { out_.set_metadata(key, text); }

 private:
  std::string in(std::string_view name) const { return name_in(name_, name); }

  exchange::Archive& out_;
  const std::string& name_;
};

}  // namespace

const registry::Entry& format_of(Context& context, Extent extent, const std::string& path) {
  return exchange::choose_format(context, extent == Extent::Run ? "tenon.safetensors" : "", path);
}

void save(Context& context, const Parts& parts, Extent extent, const std::string& path) {
  const registry::Entry& format = format_of(context, extent, path);
  exchange::Archive archive(*context.runtime);
  for (const auto& [name, part] : parts) std::visit(Saver(archive, name), part);
  if (extent == Extent::Run) {
    archive.set_metadata("rng.seed", std::to_string(context.seed));
    archive.set_metadata("rng.stream", std::to_string(context.stream));
    archive.set_metadata("rng.counter", std::to_string(context.counter));
  }
  archive.write(context, format, path);
}

}  // namespace tenon::checkpoint
