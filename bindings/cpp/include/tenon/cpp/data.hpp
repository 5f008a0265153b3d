// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/data.hpp: datasets and transforms of the registry, and loaders, which are ranges of
// batches.
#ifndef TENON_CPP_DATA_HPP
#define TENON_CPP_DATA_HPP

#include <tenon/ext/draft/loaders.h>
#include <tenon/ext/draft/transforms.h>
#include <tenon/cpp/gradients.hpp>

#include <iterator>

namespace tenon {

// One field of a sample.
struct Field {
  std::string name;
  Ints shape;
  Dtype dtype;
};

namespace detail {

// Calls get(index, &name, &meta) for 0, 1, ... until there is no further field.
template <class Get>
std::vector<Field> fields_of(State& state, Get get) {
  std::vector<Field> found;
  for (std::uint32_t i = 0;; ++i) {
    tenon_meta meta{};
    const char* name = "";
    const tenon_status status = get(i, &name, &meta);
    if (status == TENON_E_NOT_FOUND) return found;
    state.check(status);
    const std::span shape(meta.shape, static_cast<std::size_t>(meta.rank));
    found.push_back({name, Ints(shape), {meta.dtype}});
  }
}

}  // namespace detail

// Samples of one or more fields. Moved, not copied.
class Dataset {
 public:
  // By the name in the registry: Dataset("tenon.idx", {{"images", path}, {"labels", other}}).
  explicit Dataset(std::string_view name, const Options& options = {}) {
    detail::State& state = detail::state();
    const detail::OptionLists lists(options);
    tenon_dataset* made = nullptr;
    state.check(tenon_dataset_create(state.handle, name.data(), name.size(), lists.names.data(),
                                     lists.values.data(), lists.n, &made));
    owned_.reset(made);
  }
  std::int64_t size() const {
    detail::State& state = detail::state();
    std::int64_t length = 0;
    state.check(tenon_dataset_get_length(state.handle, owned_.get(), &length));
    return length;
  }
  std::vector<Field> fields() const {
    detail::State& state = detail::state();
    return detail::fields_of(
        state, [&](std::uint32_t index, const char** out_name, tenon_meta* out_meta) {
          return tenon_dataset_get_field(state.handle, owned_.get(), index, out_meta, out_name);
        });
  }
  // How long each sample is: what LoaderOptions::buckets goes by. Refused where the dataset does
  // not say it.
  std::vector<std::int64_t> lengths() const {
    detail::State& state = detail::state();
    std::vector<std::int64_t> found(static_cast<std::size_t>(size()));
    state.check(tenon_dataset_get_lengths(state.handle, owned_.get(), 0,
                                          static_cast<std::int64_t>(found.size()), found.data()));
    return found;
  }
  // Samples by number: a tensor [n, ...] for each field.
  std::vector<Tensor> take(std::span<const std::int64_t> samples) const {
    detail::State& state = detail::state();
    std::vector<tenon_tensor*> made(fields().size());
    state.check(tenon_dataset_call(state.handle, owned_.get(), samples.data(),
                                   static_cast<std::int64_t>(samples.size()), made.data(),
                                   static_cast<std::uint32_t>(made.size())));
    return detail::adopt_all(made);
  }
  std::vector<Tensor> take(std::initializer_list<std::int64_t> samples) const {
    return take(std::span(samples.begin(), samples.size()));
  }
  tenon_dataset* handle() const { return owned_.get(); }

 private:
  detail::Owned<tenon_dataset, tenon_dataset_release> owned_;
};

// What is done with a field of each batch. A copy is the same transform.
class Transform {
 public:
  explicit Transform(std::string_view name, const Options& options = {}, std::uint32_t field = 0)
      : field_(field) {
    detail::State& state = detail::state();
    const detail::OptionLists lists(options);
    tenon_transform* made = nullptr;
    state.check(tenon_transform_create(state.handle, name.data(), name.size(), lists.names.data(),
                                       lists.values.data(), lists.n, &made));
    shared_.reset(made, tenon_transform_release);
  }
  tenon_transform* handle() const { return shared_.get(); }
  std::uint32_t field() const { return field_; }

 private:
  std::shared_ptr<tenon_transform> shared_;
  std::uint32_t field_;
};

// The fields of one batch, [n, ...] each.
class Batch {
 public:
  const Tensor& operator[](std::size_t field) const { return fields_.at(field); }
  std::size_t n_fields() const { return fields_.size(); }
  std::int64_t size() const { return n_; }  // samples
  const std::vector<Tensor>& fields() const { return fields_; }

 private:
  friend class Loader;
  std::vector<Tensor> fields_;
  std::int64_t n_ = 0;
};

struct LoaderOptions {
  bool shuffle = false;
  std::uint64_t seed = 0;     // of the order, and of what transforms and data draw
  bool drop_last = false;     // leaves out a last batch that is not full
  std::uint32_t workers = 0;  // threads that read ahead; they change no batch and no order
  std::vector<Transform> transforms = {};
  // 2 or more: batches of samples of similar length. So many batches in a row of the order are
  // sorted by length and cut anew, and shuffled batches change places.
  std::int64_t buckets = 0;
  std::vector<std::int64_t> lengths = {};  // of all samples; empty: the dataset's
};

// Batches of a dataset. Each `for` goes once through it, as the next epoch:
//   for (const Batch& batch : loader)                   batch[0], batch[1]
//   for (const auto& [images, labels] : loader.batches<2>())
// The order depends on length, seed and epoch alone, with buckets on the samples' lengths and the
// size of a batch too. One pass at a time. Moved, not copied.
class Loader {
 public:
  // size   samples of a full batch
  Loader(const Dataset& dataset, std::int64_t size, const LoaderOptions& options = {}) {
    make(options, [&](tenon_context* context, std::uint32_t flags, tenon_loader** out) {
      return tenon_loader_create(context, dataset.handle(), size, options.seed, flags, out);
    });
  }
  // Numbers of samples that the program has itself: one field, i64[n], each from 0 to length - 1.
  Loader(std::int64_t length, std::int64_t size, const LoaderOptions& options = {}) {
    make(options, [&](tenon_context* context, std::uint32_t flags, tenon_loader** out) {
      return tenon_loader_create_numbers(context, length, size, options.seed, flags, out);
    });
  }

  // The next pass is this epoch, from this sample of it on.
  void start(std::int64_t epoch, std::int64_t position = 0) {
    detail::State& state = detail::state();
    state.check(tenon_loader_begin(state.handle, owned_.get(), epoch, position));
    begun_ = false;
  }
  // The next batch; false if the epoch is over.
  bool next(Batch& batch) {
    std::array<tenon_tensor*, TENON_MAX_SLOTS> made{};
    std::int64_t n = 0;
    run(made, n_fields_, n);
    batch.n_ = n;
    batch.fields_ = detail::adopt_all(std::span(made.data(), n ? n_fields_ : 0));
    return n != 0;
  }

  tenon_loader_info info() const {
    detail::State& state = detail::state();
    tenon_loader_info info{};
    info.struct_size = sizeof info;
    state.check(tenon_loader_get_info(state.handle, owned_.get(), &info));
    return info;
  }
  std::int64_t length() const { return info().length; }  // samples of an epoch
  std::int64_t epoch() const { return info().epoch; }
  std::int64_t position() const { return info().position; }
  std::vector<Field> fields() const {
    detail::State& state = detail::state();
    return detail::fields_of(
        state, [&](std::uint32_t index, const char** out_name, tenon_meta* out_meta) {
          return tenon_loader_get_field(state.handle, owned_.get(), index, out_name, out_meta);
        });
  }
  tenon_loader* handle() const { return owned_.get(); }

  // ---- A pass as a range ------------------------------------------------------------------------

  // An input iterator over what `next` fills in: a Batch, or an array of tensors. It reads a batch
  // when it is asked for, so that a pass that ends early has read no further.
  template <class Item>
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = Item;

    explicit Iterator(Loader* loader) : loader_(loader) {}
    const Item& operator*() const { return read(), item_; }
    const Item* operator->() const { return read(), &item_; }
    Iterator& operator++() {
      read();
      fresh_ = false;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& place, std::default_sentinel_t) {
      return place.read(), !place.more_;
    }

   private:
    void read() const {
      if (!fresh_) more_ = loader_->next(item_);
      fresh_ = true;
    }

    Loader* loader_;
    mutable Item item_;
    mutable bool fresh_ = false;
    mutable bool more_ = false;
  };

  Iterator<Batch> begin() {
    begin_pass();
    return Iterator<Batch>(this);
  }
  std::default_sentinel_t end() const { return {}; }

  // The same with each batch as an array of its n fields, all there are.
  template <std::size_t n>
  auto batches() {
    if (n != n_fields_) {
      detail::refuse(TENON_E_ARGUMENT, "Loader::batches", "n",
                     std::to_string(n_fields_) + ", the number of fields", std::to_string(n));
    }
    struct Pass {
      Loader* loader;
      Iterator<std::array<Tensor, n>> begin() {
        loader->begin_pass();
        return Iterator<std::array<Tensor, n>>(loader);
      }
      std::default_sentinel_t end() const { return {}; }
    };
    return Pass{this};
  }
  template <std::size_t n>
  bool next(std::array<Tensor, n>& fields) {
    std::array<tenon_tensor*, TENON_MAX_SLOTS> made{};
    std::int64_t count = 0;
    run(made, n, count);
    for (std::size_t i = 0; i < n; ++i) fields[i] = Tensor::adopt(made[i]);
    return count != 0;
  }

 private:
  template <class Create>
  void make(const LoaderOptions& options, Create create) {
    detail::State& state = detail::state();
    tenon_loader* made = nullptr;
    state.check(create(state.handle,
                       (options.shuffle ? TENON_LOADER_SHUFFLE : 0u) |
                           (options.drop_last ? TENON_LOADER_DROP_LAST : 0u),
                       &made));
    owned_.reset(made);
    std::vector<tenon_transform*> transforms;
    std::vector<std::uint32_t> fields;
    for (const Transform& each : options.transforms) {
      transforms.push_back(each.handle());
      fields.push_back(each.field());
    }
    state.check(tenon_loader_set_transforms(state.handle, made, transforms.data(), fields.data(),
                                            static_cast<std::uint32_t>(transforms.size())));
    if (options.buckets != 0) put_in_buckets(options);
    state.check(tenon_loader_set_workers(state.handle, made, options.workers));
    n_fields_ = info().n_fields;
  }
  void put_in_buckets(const LoaderOptions& options) {
    const std::vector<std::int64_t>& lengths = options.lengths;
    if (!lengths.empty() && static_cast<std::int64_t>(lengths.size()) != length()) {
      detail::refuse(TENON_E_ARGUMENT, "Loader", "lengths",
                     std::to_string(length()) + ", one for each sample",
                     std::to_string(lengths.size()));
    }
    detail::State& state = detail::state();
    state.check(tenon_loader_set_buckets(state.handle, owned_.get(), options.buckets,
                                         lengths.empty() ? nullptr : lengths.data()));
  }
  void begin_pass() {
    if (begun_) start(epoch() + 1);
    begun_ = true;
  }
  void run(std::array<tenon_tensor*, TENON_MAX_SLOTS>& made, std::size_t n_fields,
           std::int64_t& n) {
    detail::State& state = detail::state();
    state.check(tenon_loader_run(state.handle, owned_.get(), made.data(),
                                 static_cast<std::uint32_t>(n_fields), &n));
  }

  detail::Owned<tenon_loader, tenon_loader_release> owned_;
  std::uint32_t n_fields_ = 0;
  bool begun_ = false;
};

static_assert(std::ranges::input_range<Loader>);

}  // namespace tenon

#endif  // TENON_CPP_DATA_HPP
