// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/files.hpp: files of named tensors, and checkpoints: a training run in one file.
#ifndef TENON_CPP_FILES_HPP
#define TENON_CPP_FILES_HPP

#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/cpp/data.hpp>
#include <tenon/cpp/optimizer.hpp>
#include <tenon/cpp/schedule.hpp>

namespace tenon {

// Makes the file hold these tensors, all of it or what it held before; the format is that of the
// name's ending: ".safetensors", ".npz", ".npy".
inline void save(std::string_view path, std::span<const NamedTensor> tensors) {
  detail::State& state = detail::state();
  tenon_archive* made = nullptr;
  state.check(tenon_archive_create(state.handle, &made));
  const detail::Owned<tenon_archive, tenon_archive_release> archive(made);
  for (const auto& [name, tensor, is_parameter] : tensors) {
    state.check(
        tenon_archive_set_tensor(state.handle, made, name.data(), name.size(), tensor.handle()));
  }
  state.check(tenon_file_set(state.handle, path.data(), path.size(), "", 0, made));
}
inline void save(std::string_view path, std::initializer_list<NamedTensor> tensors) {
  save(path, std::span(tensors.begin(), tensors.size()));
}

// What a file says of a tensor in it.
struct Listed {
  std::string name;
  std::vector<std::int64_t> shape;
  Dtype dtype = Dtype{TENON_DTYPE_NONE};  // none if it is foreign
  std::string foreign;                    // what it is if Tenon cannot hold it: "F8_E4M3"
};

// A file of named tensors; reads no tensor's data before it is asked for. Moved, not copied.
class Archive {
 public:
  explicit Archive(std::string_view path) {
    detail::State& state = detail::state();
    tenon_archive* made = nullptr;
    state.check(tenon_archive_load(state.handle, path.data(), path.size(), "", 0, 0, &made));
    owned_.reset(made);
  }

  std::vector<Listed> list() const {
    detail::State& state = detail::state();
    std::vector<Listed> found;
    std::uint32_t n = 0;
    state.check(tenon_archive_get_count(state.handle, owned_.get(), &n, nullptr));
    for (std::uint32_t i = 0; i < n; ++i) {
      const char* text = nullptr;
      std::uint64_t length = 0;
      tenon_meta meta{};
      state.check(tenon_archive_get_entry(state.handle, owned_.get(), i, &text, &length, &meta));
      Listed listed{{text, length}, {meta.shape, meta.shape + meta.rank}, Dtype{meta.dtype}, {}};
      state.check(tenon_archive_get_foreign(state.handle, owned_.get(), i, &text, &length));
      listed.foreign.assign(text, length);
      found.push_back(std::move(listed));
    }
    return found;
  }
  // A window on the mapped file, read-only, if it holds the tensor's bytes as they are; with
  // `copy`, memory of its own. Throws Unsupported if it is foreign.
  Tensor get(std::string_view name, bool copy = false) const {
    return make(name, copy ? TENON_ARCHIVE_COPY : 0);
  }
  // The bytes of a tensor, whatever it is, as u8[n].
  Tensor get_bytes(std::string_view name, bool copy = false) const {
    return make(name, TENON_ARCHIVE_BYTES | (copy ? TENON_ARCHIVE_COPY : 0));
  }

 private:
  Tensor make(std::string_view name, std::uint32_t flags) const {
    detail::State& state = detail::state();
    std::uint32_t index = 0;
    tenon_tensor* tensor = nullptr;
    state.check(tenon_archive_find(state.handle, owned_.get(), name.data(), name.size(), &index));
    state.check(tenon_tensor_create_loaded(state.handle, owned_.get(), index, flags, &tensor));
    return Tensor::adopt(tensor);
  }

  detail::Owned<tenon_archive, tenon_archive_release> owned_;
};

// All tensors of a file, as Archive gives them; one that is foreign is an error.
inline std::vector<NamedTensor> load(std::string_view path, bool copy = false) {
  const Archive archive(path);
  std::vector<NamedTensor> found;
  for (Listed& listed : archive.list()) {
    Tensor tensor = archive.get(listed.name, copy);
    found.push_back({std::move(listed.name), std::move(tensor)});
  }
  return found;
}

// What a run consists of, each part by a name of its own, and the file it is saved in. Holds its
// parts. Moved, not copied.
class Checkpoint {
 public:
  Checkpoint() {
    detail::State& state = detail::state();
    tenon_checkpoint* made = nullptr;
    state.check(tenon_checkpoint_create(state.handle, &made));
    owned_.reset(made);
  }

  // Adds a part, or replaces the one of this name.
  Checkpoint& set(std::string_view name, const Layer& layer) {
    return add(tenon_checkpoint_set_layer, name, layer.handle());
  }
  Checkpoint& set(std::string_view name, const Optimizer& optimizer) {
    return add(tenon_checkpoint_set_optimizer, name, optimizer.handle());
  }
  Checkpoint& set(std::string_view name, const Schedule& schedule) {
    return add(tenon_checkpoint_set_schedule, name, schedule.handle());
  }
  Checkpoint& set(std::string_view name, const Loader& loader) {
    return add(tenon_checkpoint_set_loader, name, loader.handle());
  }
  Checkpoint& set(std::string_view name, const Tensor& tensor) {
    return add(tenon_checkpoint_set_tensor, name, tensor.handle());
  }
  Checkpoint& set(std::string_view name, const Value& value) {
    const tenon_value given = value.value();
    return add(tenon_checkpoint_set_value, name, &given);
  }
  // A number as it was set last, or loaded since.
  double get(std::string_view name) const {
    const tenon_value value = value_of(name);
    return value.tag == TENON_VALUE_F64 ? value.as.f64 : static_cast<double>(value.as.i64);
  }
  std::string get_text(std::string_view name) const {
    const tenon_value value = value_of(name);
    if (value.tag != TENON_VALUE_STRING) {
      detail::refuse(TENON_E_ARGUMENT, "Checkpoint", std::string(name), "a text", "a number");
    }
    return std::string(value.as.string, value.count);
  }

  void save(std::string_view path) const {
    detail::State& state = detail::state();
    state.check(tenon_checkpoint_save(state.handle, owned_.get(), path.data(), path.size()));
  }
  // Puts every part back; all of the file is checked before anything is changed.
  void load(std::string_view path) { load(path, 0); }
  // The same if there is such a file; says whether there is.
  bool resume(std::string_view path) { return load(path, TENON_CHECKPOINT_IF_THERE); }

 private:
  template <class Function, class Part>
  Checkpoint& add(Function function, std::string_view name, Part part) {
    detail::State& state = detail::state();
    state.check(function(state.handle, owned_.get(), name.data(), name.size(), part));
    return *this;
  }
  tenon_value value_of(std::string_view name) const {
    detail::State& state = detail::state();
    tenon_value value{};
    state.check(
        tenon_checkpoint_get_value(state.handle, owned_.get(), name.data(), name.size(), &value));
    return value;
  }
  bool load(std::string_view path, std::uint32_t flags) {
    detail::State& state = detail::state();
    std::uint32_t loaded = 0;
    state.check(tenon_checkpoint_load(state.handle, owned_.get(), path.data(), path.size(), flags,
                                      &loaded));
    return loaded != 0;
  }

  detail::Owned<tenon_checkpoint, tenon_checkpoint_release> owned_;
};

}  // namespace tenon

#endif  // TENON_CPP_FILES_HPP
