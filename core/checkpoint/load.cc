// SPDX-License-Identifier: Apache-2.0
// core/checkpoint/load.cc: load() of checkpoint.h: all of the file is held against the parts, and
// only then is anything changed.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/text.h"
#include "core/exchange/archive.h"
#include "core/launch/moves.h"

namespace tenon::checkpoint {

using tensor::Ref;
using tensor::Tensor;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what, std::string expected,
                         std::string found) {
  fail(TENON_E_DATA, "checkpoint: \"" + name + "\" " + what, name, std::move(expected),
       std::move(found),
       "the file is that of another run; make the parts as they were when it was "
       "saved");
}

// What a file holds, and what is to be done with it.
class Loading {
 public:
  Loading(Context& context, Extent extent, const std::string& path)
      : context_(context), file_(*context.runtime) {
    file_.load(context, format_of(context, extent, path), path, true);
    for (uint32_t i = 0; i < file_.entries(); ++i) tensors_.emplace(file_.entry(i).name, i);
    for (uint32_t i = 0; i < file_.texts(); ++i) texts_.insert(file_.metadata(i));
  }

  Context& context() const { return context_; }
  bool has(const std::string& name) const { return tensors_.contains(name); }

  // The tensor of that name, which is like `like`.
  Ref tensor(const std::string& name, const tenon_meta& like) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      refuse(name, "is not in the file", tensor::describe(like), "nothing");
    }
    const exchange::Entry& entry = file_.entry(found->second);
    const tenon_meta& meta = entry.meta;
    const bool same = meta.dtype == like.dtype && meta.rank == like.rank &&
                      std::equal(meta.shape, meta.shape + meta.rank, like.shape);
    if (!same) {
      refuse(name, "has another shape or dtype in the file", tensor::describe(like),
             exchange::describe(entry));
    }
    taken_.insert(name);
    return file_.tensor(context_, found->second, false);
  }

  const std::string* find_text(const std::string& name) const {
    const auto found = texts_.find(name);
    return found == texts_.end() ? nullptr : &found->second;
  }
  const std::string& text(const std::string& name, const char* expected) const {
    const std::string* const found = find_text(name);
    if (!found) refuse(name, "is not in the file", expected, "nothing");
    return *found;
  }
  template <class Number>
  Number number(const std::string& name, const char* expected) {
    const std::string& found = text(name, expected);
    const auto number = number_of<Number>(found);
    if (!number) refuse(name, "is not a number in the file", expected, "\"" + found + "\"");
    return *number;
  }
  tenon_value value(const std::string& name, uint32_t tag) {
    const std::string& found = text(name, "a value");
    const auto value = value_of(found, tag);
    if (!value) {
      refuse(name, "has another type in the file", registry::tag_name(tag), "\"" + found + "\"");
    }
    return *value;
  }

  // A layer or an optimizer has no tensor in the file that it does not have here.
  void expect_no_more(const std::string& part) const {
    const std::string prefix = part.empty() ? "" : part + ".";
    for (auto each = tensors_.lower_bound(prefix);
         each != tensors_.end() && each->first.starts_with(prefix); ++each) {
      if (taken_.contains(each->first)) continue;
      refuse(each->first, "is in the file, and nowhere here", "no such tensor",
             exchange::describe(file_.entry(each->second)));
    }
  }

  // To be done when everything was checked. What may run out of memory is done first.
  void prepare(std::function<void()> step, std::function<void()> undo) {
    prepare_.push_back({std::move(step), std::move(undo)});
  }
  void change(std::function<void()> step) { changes_.push_back(std::move(step)); }
  void copy(const std::string& name, Ref from, Tensor& to) {
    launch::require_writable(to, "checkpoint:", name);
    change([this, from = std::move(from), to = Ref::shared(&to)] {
      const GradMode off(context_, false);
      launch::copy_into(context_, *from, *to);
      to->storage->written(nullptr, context_.scope_path());
    });
  }
  void apply() {
    size_t prepared = 0;
    try {
      for (; prepared < prepare_.size(); ++prepared) prepare_[prepared].first();
    } catch (...) {
      while (prepared > 0) prepare_[--prepared].second();
      throw;
    }
    for (const auto& step : changes_) step();
  }

 private:
  Context& context_;
  exchange::Archive file_;
  std::map<std::string, uint32_t> tensors_;
  std::map<std::string, std::string> texts_;
  std::set<std::string> taken_;
  std::vector<std::pair<std::function<void()>, std::function<void()>>> prepare_;
  std::vector<std::function<void()>> changes_;
};

// Of two tensors as files give them: alike, row-major, in host memory.
bool same_bytes(const Tensor& a, const Tensor& b) {
  const size_t bytes = static_cast<size_t>(a.elements()) * a.element_size();
  return bytes == 0 || std::memcmp(a.view.data, b.view.data, bytes) == 0;
}

class Loader {
 public:
  Loader(Loading& from, const std::string& name) : from_(from), name_(name) {}

  void operator()(const layers::Shared& layer) const {
    std::map<const Tensor*, std::pair<const std::string*, Ref>> seen;
    for (const layers::Named& each : layer->tensors()) {
      const Ref found = from_.tensor(in(each.name), tensor::meta_of(*each.tensor));
      const auto [first, fresh] = seen.try_emplace(each.tensor, &each.name, found);
      if (fresh) {
        from_.copy(in(each.name), found, *each.tensor);
      } else if (!same_bytes(*first->second.second, *found)) {
        refuse(in(each.name), "has other values in the file than another name of the same tensor",
               "those of \"" + in(*first->second.first) + "\"", "others");
      }
    }
    from_.expect_no_more(name_);
    from_.change([layer] { layer->trust_cache(); });
  }

  void operator()(const std::shared_ptr<optim::Optimizer>& optimizer) const {
    check_groups(*optimizer);
    for (uint32_t param = 0; param < optimizer->size(); ++param) states_of(optimizer, param);
    from_.expect_no_more(name_);
    for (uint32_t group = 0; group < optimizer->n_groups(); ++group) hypers_of(optimizer, group);
  }

  void operator()(const std::shared_ptr<optim::Schedule>& schedule) const {
    for (const tenon_schedule_state_desc& state : schedule->state_descs()) {
      const std::string name(registry::text_view(state.name));
      const auto value = from_.number<double>(in(name), "a number");
      from_.change([schedule, name, value] { schedule->set_state(name, value); });
    }
  }

  void operator()(const std::shared_ptr<data::Loader>& loader) const {
    const auto use = std::make_shared<data::Loader::Use>(*loader);
    expect_order(*loader);
    const auto epoch = from_.number<int64_t>(in("epoch"), "an epoch");
    const int64_t position = position_in(*loader);
    if (epoch < 0 || position < 0 || position > loader->length()) {
      refuse(in("position"), "is out of range", "0 to " + std::to_string(loader->length()),
             std::to_string(position) + " in epoch " + std::to_string(epoch));
    }
    from_.change([loader, use, pass = loader->make_pass(epoch), position] {
      loader->begin(pass, position);
    });
  }

  // What the order of the samples depends on, each as it is here. The file of a loader without
  // buckets says nothing of them, and older files nothing of `samples` and `shuffle`.
  void expect_order(const data::Loader& loader) const {
    const int64_t shuffles = loader.shuffles() ? 1 : 0;
    expect("seed", loader.seed(), from_.number<uint64_t>(in("seed"), "a seed"));
    expect("samples", loader.samples(), number_or("samples", loader.samples()));
    expect("shuffle", shuffles, number_or("shuffle", shuffles));
    expect("pool", loader.pool(), number_or("pool", 0));
    if (loader.pool() == 0) return;
    expect("batch", loader.batch(), from_.number<int64_t>(in("batch"), "a number of samples"));
  }

  template <class Number>
  void expect(const char* name, Number here, Number found) const {
    if (found == here) return;
    refuse(in(name), "is another one: the order of the samples would be another",
           std::to_string(here), std::to_string(found));
  }

  int64_t number_or(const char* name, int64_t otherwise) const {
    return from_.find_text(in(name)) ? from_.number<int64_t>(in(name), "a number") : otherwise;
  }

  // Where the loader goes on. One with a share counts its own samples: if the file's had another
  // share, it goes on where all processes together were, after the last whole round.
  int64_t position_in(const data::Loader& loader) const {
    const auto position = from_.number<int64_t>(in("position"), "a position");
    const data::Share& here = loader.share();
    const bool is_old = from_.find_text(in("samples")) == nullptr;  // it does not tell its share
    const data::Share there{0, number_or("share.count", is_old ? here.count : 1),
                            number_or("share.of", is_old ? here.of : 1)};
    const int64_t batch = number_or("batch", loader.batch());
    const bool same = batch == loader.batch() && there.count == here.count && there.of == here.of;
    if (same || (there.is_all() && here.is_all())) return position;
    const bool is_round = batch > 0 && there.count > 0 && there.count <= there.of &&
                          there.of <= std::max<int64_t>(1, loader.samples() / batch);
    if (!is_round) refuse(in("share"), "is none", "batches of a round", "others");
    // In samples of the whole order; a plain loader's may be anywhere.
    const int64_t unit = there.is_all() ? 1 : batch * there.of;
    const int64_t done = position / (there.is_all() ? 1 : batch * there.count);
    if (done < 0 || done > loader.samples() / unit) return -1;
    if (done == loader.samples() / unit) return loader.length();
    if (here.is_all()) return done * unit;
    const int64_t round = loader.batch() * here.of;
    if (done * unit % round == 0) return done * unit / round * loader.batch() * here.count;
    refuse(in("position"), "is in the middle of a round of all processes' batches",
           "a multiple of " + std::to_string(round), std::to_string(done * unit));
  }

  void operator()(Ref& tensor) const {
    from_.copy(name_, from_.tensor(name_, tensor::meta_of(*tensor)), *tensor);
  }

  void operator()(Value& value) const {
    const tenon_value loaded = from_.value(name_, value.number.tag);
    from_.change([&value, copy = Value(loaded)]() mutable { std::swap(value, copy); });
  }

 private:
  std::string in(std::string_view name) const { return name_in(name_, name); }

  void check_groups(const optim::Optimizer& optimizer) const {
    const auto words = [](const std::string& sizes) {
      return sizes.empty() ? "one group" : "groups of " + sizes + " parameters";
    };
    const std::string here = optimizer.n_groups() > 1 ? group_sizes(optimizer) : "";
    const std::string* const there = from_.find_text(in(kGroupSizes));
    if (here == (there ? *there : "")) return;
    refuse(name_, "has other groups of parameters in the file", words(here),
           words(there ? *there : ""));
  }

  void hypers_of(const std::shared_ptr<optim::Optimizer>& optimizer, uint32_t group) const {
    for (const tenon_hyper_desc& hyper : optimizer->hyper_descs()) {
      const std::string name(registry::text_view(hyper.name));
      const tenon_value value = from_.value(in(hyper_name(*optimizer, group, name)), hyper.tag);
      // Setting one that is fixed makes captured plans stale.
      if (text_of(optimizer->get(group, name)) == text_of(value)) continue;
      optimizer->check(name, value);
      from_.change([optimizer, group, name, value, &from = from_] {
        optimizer->set(from.context(), group, name, value);
      });
    }
  }

  // All states of a parameter, or none if it had made no step.
  void states_of(const std::shared_ptr<optim::Optimizer>& optimizer, uint32_t param) const {
    const auto name = [&](const tenon_state_desc& state) {
      return in(std::to_string(param) + "." + std::string(registry::text_view(state.name)));
    };
    const auto descs = optimizer->state_descs();
    if (std::none_of(descs.begin(), descs.end(),
                     [&](const tenon_state_desc& state) { return from_.has(name(state)); })) {
      from_.change(
          [optimizer, param, &from = from_] { optimizer->reset_states(from.context(), param); });
      return;
    }
    const auto made = std::make_shared<bool>(false);
    from_.prepare([optimizer, param, made,
                   &from = from_] { *made = optimizer->make_states(from.context(), param); },
                  [optimizer, param, made] {
                    if (*made) optimizer->drop_states(param);
                  });
    for (const tenon_state_desc& state : descs) {
      const Ref values = from_.tensor(name(state), optimizer->state_meta(param, state));
      from_.change([optimizer, param, values, &state, &from = from_] {
        optimizer->set_state(from.context(), param, registry::text_view(state.name), *values);
      });
    }
  }

  Loading& from_;
  const std::string& name_;
};

}  // namespace

void load(Context& context, Parts& parts, Extent extent, const std::string& path) {
  Loading from(context, extent, path);
  for (auto& [name, part] : parts) std::visit(Loader(from, name), part);
  if (extent == Extent::Run) {
    const auto seed = from.number<uint64_t>("rng.seed", "a seed");
    const auto stream = from.number<uint64_t>("rng.stream", "a stream");
    const auto counter = from.number<uint64_t>("rng.counter", "a counter");
    from.change([&context, seed, stream, counter] {
      context.seed = seed;
      context.stream = stream;
      context.counter = counter;
    });
  }
  from.apply();
}

}  // namespace tenon::checkpoint
