// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/loader.cc: batches of a dataset by the SDK's loader; and its order and its
// transforms for datasets that are written in Python, which tenon/data.py reads itself.
#include <tenon/sdk/client/loader.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

// ---- transforms ---------------------------------------------------------------------------------

// The list that a loader takes, with the settings that it points to.
struct Transforms {
  struct Settings {
    tenon_sdk_normalise normalise{};
    tenon_sdk_crop crop{};
  };
  std::vector<tenon_sdk_transform> list;
  std::vector<std::unique_ptr<Settings>> settings;

  uint32_t count() const { return static_cast<uint32_t>(list.size()); }
};

// (scale, mean of each channel, deviation of each channel)
bool read_normalise(PyObject* reals, tenon_sdk_normalise& out) {
  std::vector<float> numbers;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(reals); ++i) {
    const double number = PyFloat_AsDouble(PyTuple_GET_ITEM(reals, i));
    if (number == -1 && PyErr_Occurred()) return false;
    numbers.push_back(static_cast<float>(number));
  }
  const size_t channels = numbers.size() / 2;
  if (numbers.size() != 1 + 2 * channels || channels < 1 || channels > TENON_SDK_CHANNELS) {
    refuse("value", "normalise", "mean", "1 to 16 numbers, and as many deviations", "others", "");
    return false;
  }
  out.channels = static_cast<uint32_t>(channels);
  out.scale = numbers[0];
  std::copy_n(numbers.data() + 1, channels, out.mean);
  std::copy_n(numbers.data() + 1 + channels, channels, out.deviation);
  return true;
}

// One transform, as tenon/data.py writes it down: (name, field, reals, integers).
bool read_transform(PyObject* item, Transforms& out) {
  const char* name = nullptr;
  unsigned field = 0;
  PyObject* reals = nullptr;
  PyObject* integers = nullptr;
  if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "sIO!O!", &name, &field, &PyTuple_Type,
                                                &reals, &PyTuple_Type, &integers)) {
    if (!PyErr_Occurred()) refuse_type("batches", "transforms", "a transform", item, "");
    return false;
  }
  auto settings = std::make_unique<Transforms::Settings>();
  tenon_sdk_transform made{nullptr, nullptr, field, 0};
  if (std::strcmp(name, "normalise") == 0) {
    made.call = tenon_sdk_normalise_call;
    made.settings = &settings->normalise;
    if (!read_normalise(reals, settings->normalise)) return false;
  } else if (std::strcmp(name, "crop") == 0) {
    tenon_sdk_crop& crop = settings->crop;
    int is_random = 0;
    made.call = tenon_sdk_crop_call;
    made.settings = &crop;
    if (!PyArg_ParseTuple(integers, "LLLp", &crop.height, &crop.width, &crop.padding, &is_random)) {
      return false;
    }
    crop.is_random = is_random ? 1 : 0;
  } else {
    made.call = std::strcmp(name, "flip") == 0 ? tenon_sdk_flip_call : tenon_sdk_flatten_call;
  }
  out.list.push_back(made);
  out.settings.push_back(std::move(settings));
  return true;
}

bool read_transforms(PyObject* list, Transforms& out) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    if (!read_transform(PyList_GET_ITEM(list, i), out)) return false;
  }
  if (out.count() <= TENON_SDK_LOADER_TRANSFORMS) return true;
  refuse("value", "batches", "transforms", "at most 16", "more", "");
  return false;
}

// What the SDK's own helpers say in a diag.
PyObject* fail_diag(tenon_context* context, tenon_status status, const tenon_diag& diag) {
  return diag.message[0] ? fail_without_context(status, diag.message) : fail(context, status);
}

// ---- datasets of the registry ------------------------------------------------------------------

struct Batches {
  Ref dataset;  // the capsule, which outlives `loader`
  Transforms transforms;
  tenon_sdk_loader loader{};
  pid_t process = getpid();
  bool in_use = false;  // by a thread that has given up the GIL

  Batches() = default;
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  ~Batches() { close(); }

  // After a fork the workers are not there: nobody may wait for them.
  bool is_ours() const { return !loader.workers || process == getpid(); }
  void close() {
    if (!is_ours()) loader.workers = nullptr;
    tenon_sdk_loader_release(&loader);
  }
};

void release_batches(Batches* batches) { delete batches; }
using Loader = Handle<Batches, release_batches, "loader">;

constexpr const char* kInUse =
    "batches: expected one thread at a time, found another one, which asks just now";

// The one call that may use a loader; without one an exception is set.
class Use {
 public:
  explicit Use(PyObject* capsule) {
    Batches* const found = Loader::get(capsule);
    if (!found) return;
    const char* why = nullptr;
    if (found->in_use) why = kInUse;
    if (!why && !found->loader.order) why = "batches: expected open batches, found closed ones";
    if (!why && !found->is_ours()) {
      why = "batches: expected workers of this process, found those of the one that was forked";
    }
    if (why) {
      fail_without_context(TENON_E_STATE, why);
      return;
    }
    batches_ = found;
    batches_->in_use = true;
  }
  ~Use() {
    if (batches_) batches_->in_use = false;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  explicit operator bool() const { return batches_ != nullptr; }
  tenon_sdk_loader& loader() const { return batches_->loader; }
  Batches* operator->() const { return batches_; }

 private:
  Batches* batches_ = nullptr;
};

// create_loader(dataset, size, seed, shuffle, drop_last, workers, transforms)
PyObject* create_loader(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* transforms = nullptr;
  long long size = 0;
  unsigned long long seed = 0;
  int shuffle = 0;
  int drop_last = 0;
  unsigned workers = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OLKppIO!", &capsule, &size, &seed, &shuffle,
                                    &drop_last, &workers, &PyList_Type, &transforms)) {
    return nullptr;
  }
  auto made = std::make_unique<Batches>();
  tenon_dataset* dataset = Dataset::get(capsule);
  if (!dataset || !read_transforms(transforms, made->transforms)) return nullptr;
  made->dataset = Ref(Py_NewRef(capsule));
  const uint32_t flags =
      (shuffle ? TENON_SDK_LOADER_SHUFFLE : 0) | (drop_last ? TENON_SDK_LOADER_DROP_LAST : 0);
  tenon_diag diag{};
  tenon_status status = tenon_sdk_loader_create(context, dataset, size, seed, flags, &made->loader);
  if (status == TENON_OK) {
    status = tenon_sdk_loader_set_transforms(context, &made->loader, made->transforms.list.data(),
                                             made->transforms.count(), &diag);
  }
  if (status == TENON_OK) {
    status = tenon_sdk_loader_set_workers(state.runtime, &made->loader, workers, &diag);
  }
  if (status != TENON_OK) return fail_diag(context, status, diag);
  return Loader::make(made.release());
}

// begin_epoch(loader, epoch, position)
PyObject* begin_epoch(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  long long epoch = 0;
  long long position = 0;
  if (!PyArg_ParseTuple(arguments, "OLL", &capsule, &epoch, &position)) return nullptr;
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  const Use use(capsule);
  if (!use) return nullptr;
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_sdk_loader_begin(&use.loader(), epoch, position);
  });
  return status == TENON_OK ? Py_NewRef(Py_None)
                            : refuse("value", "batches", "position", "0 to the number of samples",
                                     "another one", "");
}

// next_batch(loader, n_fields): a list of tensors; None if the epoch is over
PyObject* next_batch(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  unsigned n_fields = 0;
  if (!PyArg_ParseTuple(arguments, "OI", &capsule, &n_fields)) return nullptr;
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  const Use use(capsule);
  if (!use) return nullptr;
  std::vector<tenon_tensor*> fields(n_fields);
  int64_t n = 0;
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_sdk_loader_next(context, &use.loader(), fields.data(), n_fields, &n);
  });
  if (status != TENON_OK) return fail(context, status);
  return n ? list_of(fields) : Py_NewRef(Py_None);
}

// loader_place(loader): (epoch, position)
PyObject* loader_place(PyObject*, PyObject* capsule) {
  const Use use(capsule);
  if (!use) return nullptr;
  return Py_BuildValue("LL", use.loader().epoch, use.loader().position);
}

// close_loader(loader): its workers end.
PyObject* close_loader(PyObject*, PyObject* capsule) {
  Batches* const found = Loader::get(capsule);
  if (!found) return nullptr;
  if (found->in_use) return fail_without_context(TENON_E_STATE, kInUse);
  found->in_use = true;
  {
    const Released released(nullptr, Work::Medium);
    found->close();
  }
  found->in_use = false;
  Py_RETURN_NONE;
}

// ---- datasets written in Python ----------------------------------------------------------------

// draw_order(length, seed, epoch, shuffle): the numbers of the samples in the order of the epoch
PyObject* draw_order(PyObject*, PyObject* arguments) {
  long long length = 0;
  unsigned long long seed = 0;
  long long epoch = 0;
  int shuffle = 0;
  if (!PyArg_ParseTuple(arguments, "LKLp", &length, &seed, &epoch, &shuffle)) return nullptr;
  if (length < 0) return refuse("value", "batches", "length", "at least 0", "less", "");
  std::vector<int64_t> order(static_cast<size_t>(length));
  tenon_sdk_loader loader{};
  loader.length = length;
  loader.seed = seed;
  loader.epoch = epoch;
  loader.flags = shuffle ? TENON_SDK_LOADER_SHUFFLE : 0;
  loader.order = order.data();
  tenon_sdk_loader_shuffle(&loader);
  Ref list(PyList_New(length));
  for (Py_ssize_t i = 0; list && i < length; ++i) {
    PyObject* number = PyLong_FromLongLong(order[static_cast<size_t>(i)]);
    if (!number) return nullptr;
    PyList_SET_ITEM(list.get(), i, number);
  }
  return list.release();
}

// transform_batch(transforms, seed, epoch, samples, fields): a list of tensors
PyObject* transform_batch(PyObject*, PyObject* arguments) {
  PyObject* list = nullptr;
  PyObject* samples = nullptr;
  PyObject* given = nullptr;
  tenon_sdk_loader loader{};
  Transforms transforms;
  Memory memory;
  tenon_value numbers{};
  std::vector<tenon_tensor*> fields;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "O!KLOO", &PyList_Type, &list, &loader.seed, &loader.epoch,
                        &samples, &given) ||
      !read_transforms(list, transforms) ||
      !read_tensors("batches", "fields", given, false, fields)) {
    return nullptr;
  }
  const Converted converted = ints_value(samples, 0, memory, numbers);
  if (converted == Converted::No) refuse_type("batches", "samples", "integers", samples, "");
  if (converted != Converted::Yes) return nullptr;
  for (const tenon_sdk_transform& each : transforms.list) {
    if (each.field < fields.size()) continue;
    return refuse("value", "batches", "transforms", "a field that there is", "another number", "");
  }
  loader.order = const_cast<int64_t*>(numbers.as.ints);
  loader.n_transforms = transforms.count();
  std::copy(transforms.list.begin(), transforms.list.end(), loader.transforms);
  for (tenon_tensor* field : fields) tenon_tensor_retain(field);
  tenon_diag diag{};
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_sdk_loader_transform(context, &loader, 0, numbers.count, fields.data(), &diag);
  });
  if (status == TENON_OK) return list_of(fields);
  for (tenon_tensor* field : fields) tenon_tensor_release(field);
  return fail_diag(context, status, diag);
}

}  // namespace

PyMethodDef loader_methods[] = {
    {"create_loader", guarded<create_loader>, METH_VARARGS, nullptr},
    {"begin_epoch", begin_epoch, METH_VARARGS, nullptr},
    {"next_batch", guarded<next_batch>, METH_VARARGS, nullptr},
    {"loader_place", loader_place, METH_O, nullptr},
    {"close_loader", close_loader, METH_O, nullptr},
    {"draw_order", guarded<draw_order>, METH_VARARGS, nullptr},
    {"transform_batch", guarded<transform_batch>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
