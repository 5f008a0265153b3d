// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/loader.cc: transforms, and batches of a dataset; for datasets that are
// written in Python, which tenon/data.py reads itself, the order alone.
#include <tenon/ext/draft/loaders.h>

#include <utility>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

using Transform = Handle<tenon_transform, tenon_transform_release, "transform">;

// create_transform(name, options)
PyObject* create_transform(PyObject*, PyObject* arguments) {
  Text name;
  PyObject* given = nullptr;
  Options options;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#O", &name.data, &name.length, &given) ||
      !options.read(name.data, given)) {
    return nullptr;
  }
  tenon_transform* made = nullptr;
  const tenon_status status =
      tenon_transform_create(context, name.data, name.size(), options.names.data(),
                             options.values.data(), options.count(), &made);
  return status == TENON_OK ? Transform::make(made) : fail(context, status);
}

// A list of (transform, field). Handles are borrowed from the list.
struct Steps {
  std::vector<tenon_transform*> transforms;
  std::vector<uint32_t> fields;

  bool read(PyObject* list) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
      PyObject* capsule = nullptr;
      unsigned field = 0;
      PyObject* item = PyList_GET_ITEM(list, i);
      if (!PyArg_ParseTuple(item, "OI", &capsule, &field)) return false;
      tenon_transform* transform = Transform::get(capsule);
      if (!transform) return false;
      transforms.push_back(transform);
      fields.push_back(field);
    }
    return true;
  }
  uint32_t count() const { return static_cast<uint32_t>(transforms.size()); }
};

// A loader, and whether a thread that has given up the GIL is in it: nobody may close it then.
struct Batches {
  tenon_loader* loader = nullptr;  // NULL once it is closed
  bool in_use = false;
};

void release_batches(Batches* batches) {
  tenon_loader_release(batches->loader);
  delete batches;
}
using Loader = Handle<Batches, release_batches, "loader">;

constexpr const char* kInUse =
    "batches: expected one thread at a time, found another one, which asks just now";

// The one call that may use a loader; without one an exception is set.
class Use {
 public:
  explicit Use(PyObject* capsule) {
    Batches* const found = Loader::get(capsule);
    if (!found) return;
    if (found->in_use || !found->loader) {
      fail_without_context(
          TENON_E_STATE,
          found->in_use ? kInUse : "batches: expected open batches, found closed ones");
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
  tenon_loader* loader() const { return batches_->loader; }

 private:
  Batches* batches_ = nullptr;
};

// create_loader(dataset, length, size, seed, shuffle, drop_last, workers, transforms, pool,
// lengths, (first, count, of)): over the numbers below `length` if the dataset is None; lengths:
// None or the samples'; (0, 1, 1): all batches
PyObject* create_loader(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* transforms = nullptr;
  PyObject* given = nullptr;
  long long length = 0;
  long long pool = 0;
  long long first = 0;
  long long count = 0;
  long long of = 0;
  long long size = 0;
  unsigned long long seed = 0;
  int shuffle = 0;
  int drop_last = 0;
  unsigned workers = 0;
  Steps steps;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "OLLKppIO!LO(LLL)", &capsule, &length, &size, &seed, &shuffle,
                        &drop_last, &workers, &PyList_Type, &transforms, &pool, &given, &first,
                        &count, &of) ||
      !steps.read(transforms)) {
    return nullptr;
  }
  Memory memory;
  tenon_value lengths{};
  if (given != Py_None) {
    const Converted converted = ints_value(given, 0, memory, lengths);
    if (converted == Converted::No) {
      return refuse_type("batches", "lengths", "a list of integers", given, "");
    }
    if (converted == Converted::Failed) return refuse_large("batches", "lengths");
  }
  tenon_dataset* dataset = capsule == Py_None ? nullptr : Dataset::get(capsule);
  if (!dataset && capsule != Py_None) return nullptr;
  const uint32_t flags =
      (shuffle ? TENON_LOADER_SHUFFLE : 0) | (drop_last ? TENON_LOADER_DROP_LAST : 0);
  tenon_loader* made = nullptr;
  tenon_status status =
      dataset ? tenon_loader_create(context, dataset, size, seed, flags, &made)
              : tenon_loader_create_numbers(context, length, size, seed, flags, &made);
  if (status == TENON_OK) {
    status = tenon_loader_set_transforms(context, made, steps.transforms.data(),
                                         steps.fields.data(), steps.count());
  }
  if (status == TENON_OK && pool) {
    status = run(context, Work::Medium, [&] {
      return tenon_loader_set_buckets(context, made, pool,
                                      given == Py_None ? nullptr : lengths.as.ints);
    });
  }
  // Before there are workers, which would read what others are to read.
  if (status == TENON_OK && (first != 0 || count != 1 || of != 1)) {
    status = tenon_loader_set_share(context, made, first, count, of);
  }
  if (status == TENON_OK && workers) status = tenon_loader_set_workers(context, made, workers);
  if (status != TENON_OK) {
    tenon_loader_release(made);
    return fail(context, status);
  }
  return Loader::make(new Batches{made});
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
  return done(context, run(context, Work::Medium, [&] {
                return tenon_loader_begin(context, use.loader(), epoch, position);
              }));
}

// refuse_captured_batch(): an error while this thread captures.
PyObject* refuse_captured_batch(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  const char* const hint = "a replay would take the same batch again: pass it to the function";
  if (!context || refuse_in_capture(context, "batches", hint)) return nullptr;
  Py_RETURN_NONE;
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
    return tenon_loader_run(context, use.loader(), fields.data(), n_fields, &n);
  });
  if (status != TENON_OK) return fail(context, status);
  return n ? list_of(fields) : Py_NewRef(Py_None);
}

// loader_place(loader): (epoch, position)
PyObject* loader_place(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  const Use use(capsule);
  if (!use) return nullptr;
  tenon_loader_info info{};
  info.struct_size = sizeof info;
  const tenon_status status = tenon_loader_get_info(context, use.loader(), &info);
  return status == TENON_OK ? Py_BuildValue("LL", info.epoch, info.position)
                            : fail(context, status);
}

// close_loader(loader): its workers end.
PyObject* close_loader(PyObject*, PyObject* capsule) {
  Batches* const found = Loader::get(capsule);
  if (!found) return nullptr;
  if (found->in_use) return fail_without_context(TENON_E_STATE, kInUse);
  tenon_loader* const loader = std::exchange(found->loader, nullptr);
  const Released released(nullptr, Work::Medium);
  tenon_loader_release(loader);
  return Py_NewRef(Py_None);
}

// transform_batch(transforms, seed, epoch, samples, fields): a list of tensors
PyObject* transform_batch(PyObject*, PyObject* arguments) {
  PyObject* list = nullptr;
  PyObject* samples = nullptr;
  PyObject* given = nullptr;
  unsigned long long seed = 0;
  long long epoch = 0;
  Steps steps;
  Memory memory;
  tenon_value numbers{};
  std::vector<tenon_tensor*> fields;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "O!KLOO", &PyList_Type, &list, &seed, &epoch, &samples,
                        &given) ||
      !steps.read(list) || !read_tensors("batches", "fields", given, false, fields)) {
    return nullptr;
  }
  const Converted converted = ints_value(samples, 0, memory, numbers);
  if (converted == Converted::No) refuse_type("batches", "samples", "integers", samples, "");
  if (converted != Converted::Yes) return nullptr;
  for (const uint32_t field : steps.fields) {
    if (field < fields.size()) continue;
    return refuse("value", "batches", "transforms", "a field that there is", "another number", "");
  }
  const tenon_batch batch = {static_cast<int64_t>(numbers.count), numbers.as.ints, seed, epoch};
  for (tenon_tensor* field : fields) tenon_tensor_retain(field);
  const tenon_status status = run(context, Work::Medium, [&] {
    for (uint32_t i = 0; i < steps.count(); ++i) {
      tenon_tensor*& field = fields[steps.fields[i]];
      tenon_tensor* made = nullptr;
      const tenon_status one =
          tenon_transform_call(context, steps.transforms[i], &batch, field, &made);
      if (one != TENON_OK) return one;
      tenon_tensor_release(std::exchange(field, made));
    }
    return TENON_OK;
  });
  if (status == TENON_OK) return list_of(fields);
  for (tenon_tensor* field : fields) tenon_tensor_release(field);
  return fail(context, status);
}

}  // namespace

PyMethodDef loader_methods[] = {
    {"create_transform", guarded<create_transform>, METH_VARARGS, nullptr},
    {"create_loader", guarded<create_loader>, METH_VARARGS, nullptr},
    {"begin_epoch", begin_epoch, METH_VARARGS, nullptr},
    {"refuse_captured_batch", refuse_captured_batch, METH_NOARGS, nullptr},
    {"next_batch", guarded<next_batch>, METH_VARARGS, nullptr},
    {"loader_place", loader_place, METH_O, nullptr},
    {"close_loader", close_loader, METH_O, nullptr},
    {"transform_batch", guarded<transform_batch>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
