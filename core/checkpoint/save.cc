// SPDX-License-Identifier: Apache-2.0
// core/checkpoint/save.cc: save() of checkpoint.h. load.cc reads what this writes.
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/text.h"
#include "core/exchange/archive.h"

namespace tenon::checkpoint {

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
      put(in(name), text_of(schedule->state(name)));
    }
  }

  void operator()(const std::shared_ptr<data::Loader>& loader) const {
    const data::Loader::Use use(*loader);
    const tenon_loader_info info = loader->info();
    put(in("seed"), std::to_string(info.seed));
    put(in("epoch"), std::to_string(info.epoch));
    put(in("position"), std::to_string(info.position));
    // The order depends on the size of a batch in this case alone.
    if (info.pool == 0) return;
    put(in("pool"), std::to_string(info.pool));
    put(in("batch"), std::to_string(info.batch));
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
