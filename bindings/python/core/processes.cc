// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/processes.cc: groups of processes, what they send, and steps they share.
#include <tenon/ext/draft/data_parallel.h>
#include <tenon/ext/draft/processes.h>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

// Leaving a group waits for what was begun, and others for us: not with the GIL, which the threads
// of other groups of this process may need to end.
void leave(tenon_group* group) {
  if (!may_hold()) return tenon_group_release(group);
  const Released released(nullptr, Work::Medium);
  tenon_group_release(group);
}

using Group = Handle<tenon_group, leave, "group">;
using Transfer = Handle<tenon_transfer, tenon_transfer_release, "transfer">;
using Parallel = Handle<tenon_data_parallel, tenon_data_parallel_release, "data parallel">;

// create_group(engine, options, timeout)
PyObject* create_group(PyObject*, PyObject* arguments) {
  Text name;
  PyObject* given = nullptr;
  long long timeout = 0;
  Options options;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "s#OL", &name.data, &name.length, &given, &timeout) ||
      !options.read(name.data, given)) {
    return nullptr;
  }
  tenon_group* made = nullptr;
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_group_create(context, name.data, name.size(), options.names.data(),
                              options.values.data(), options.count(), timeout, &made);
  });
  return status == TENON_OK ? Group::make(made) : fail(context, status);
}

// split_group(group, color, key)
PyObject* split_group(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  int color = 0;
  int key = 0;
  if (!PyArg_ParseTuple(arguments, "Oii", &capsule, &color, &key)) return nullptr;
  tenon_context* context = context_of_thread();
  tenon_group* group = Group::get(capsule);
  if (!context || !group) return nullptr;
  tenon_group* made = nullptr;
  const tenon_status status = run(
      context, Work::Medium, [&] { return tenon_group_split(context, group, color, key, &made); });
  return status == TENON_OK ? Group::make(made) : fail(context, status);
}

// abort_group(group, status, words): returns only if it is refused
PyObject* abort_group(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  int status = 0;
  Text words;
  if (!PyArg_ParseTuple(arguments, "Ois#", &capsule, &status, &words.data, &words.length)) {
    return nullptr;
  }
  tenon_context* context = context_of_thread();
  tenon_group* group = Group::get(capsule);
  if (!context || !group) return nullptr;
  return done(context, tenon_group_abort(context, group, status, words.data, words.size()));
}

// group_info(group): (number, rank, size, transfers, bytes_sent, bytes_agreed)
PyObject* group_info(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_group* group = Group::get(capsule);
  if (!context || !group) return nullptr;
  tenon_group_info info{};
  info.struct_size = sizeof info;
  const tenon_status status = tenon_group_get_info(context, group, &info);
  if (status != TENON_OK) return fail(context, status);
  return Py_BuildValue("LiiLLL", info.number, info.rank, info.size, info.transfers, info.bytes_sent,
                       info.bytes_agreed);
}

// begin_transfer(group, [(collective, peer, input, output)], timeout); tensors or None
PyObject* begin_transfer(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* list = nullptr;
  long long timeout = 0;
  if (!PyArg_ParseTuple(arguments, "OO!L", &capsule, &PyList_Type, &list, &timeout)) return nullptr;
  tenon_context* context = context_of_thread();
  tenon_group* group = Group::get(capsule);
  if (!context || !group) return nullptr;
  std::vector<tenon_transfer_request> requests;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    unsigned collective = 0;
    int peer = 0;
    PyObject* tensors = nullptr;
    std::vector<tenon_tensor*> handles;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "IiO", &collective, &peer, &tensors) ||
        !read_tensors("transfer", "tensors", tensors, true, handles)) {
      return nullptr;
    }
    requests.push_back(
        {sizeof(tenon_transfer_request), 0, collective, peer, handles.at(0), handles.at(1)});
  }
  std::vector<const tenon_transfer_request*> pointers;
  for (const tenon_transfer_request& each : requests) pointers.push_back(&each);
  tenon_transfer* made = nullptr;
  const tenon_status status = tenon_group_begin(
      context, group, pointers.data(), static_cast<uint32_t>(pointers.size()), timeout, &made);
  return status == TENON_OK ? Transfer::make(made) : fail(context, status);
}

// end_transfer(transfer): waits; Ctrl-C ends the wait
PyObject* end_transfer(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_transfer* transfer = Transfer::get(capsule);
  if (!context || !transfer) return nullptr;
  return done(context,
              run(context, Work::Long, [&] { return tenon_transfer_end(context, transfer); }));
}

// transfer_ended(transfer): True or False
PyObject* transfer_ended(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_transfer* transfer = Transfer::get(capsule);
  if (!context || !transfer) return nullptr;
  uint32_t ended = 0;
  const tenon_status status = tenon_transfer_get_ended(context, transfer, &ended);
  return status == TENON_OK ? PyBool_FromLong(ended) : fail(context, status);
}

// create_parallel(group or None, params, shards, bucket_bytes, buffers)
PyObject* create_parallel(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* params = nullptr;
  PyObject* buffers = nullptr;
  long long shards = 0;
  long long bucket_bytes = 0;
  std::vector<tenon_tensor*> param_handles;
  std::vector<tenon_tensor*> buffer_handles;
  if (!PyArg_ParseTuple(arguments, "OOLLO", &capsule, &params, &shards, &bucket_bytes, &buffers) ||
      !read_tensors("data_parallel", "params", params, false, param_handles) ||
      !read_tensors("data_parallel", "buffers", buffers, false, buffer_handles)) {
    return nullptr;
  }
  tenon_context* context = context_of_thread();
  tenon_group* group = capsule == Py_None ? nullptr : Group::get(capsule);
  if (!context || (!group && capsule != Py_None)) return nullptr;
  tenon_data_parallel_options options{};
  options.struct_size = sizeof options;
  options.shards = shards;
  options.bucket_bytes = bucket_bytes;
  options.buffers = data_or_null(buffer_handles);
  options.n_buffers = static_cast<uint32_t>(buffer_handles.size());
  tenon_data_parallel* made = nullptr;
  const tenon_status status = run(context, Work::Long, [&] {
    return tenon_data_parallel_create(context, group, data_or_null(param_handles),
                                      static_cast<uint32_t>(param_handles.size()), &options, &made);
  });
  return status == TENON_OK ? Parallel::make(made) : fail(context, status);
}

// parallel_info(parallel): (shards, first_shard, n_shards, step, buckets)
PyObject* parallel_info(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  if (!context || !parallel) return nullptr;
  tenon_data_parallel_info info{};
  info.struct_size = sizeof info;
  const tenon_status status = tenon_data_parallel_get_info(context, parallel, &info);
  if (status != TENON_OK) return fail(context, status);
  return Py_BuildValue("LLLLL", info.shards, info.first_shard, info.n_shards, info.step,
                       info.buckets);
}

// set_parallel_step(parallel, step)
PyObject* set_parallel_step(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  long long step = 0;
  if (!PyArg_ParseTuple(arguments, "OL", &capsule, &step)) return nullptr;
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  if (!context || !parallel) return nullptr;
  return done(context, tenon_data_parallel_set_step(context, parallel, step));
}

// begin_shard(parallel, shard)
PyObject* begin_shard(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  long long shard = 0;
  if (!PyArg_ParseTuple(arguments, "OL", &capsule, &shard)) return nullptr;
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  if (!context || !parallel) return nullptr;
  return done(context, tenon_data_parallel_begin(context, parallel, shard));
}

// give_up_step(parallel)
PyObject* give_up_step(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  if (!context || !parallel) return nullptr;
  return done(context, tenon_data_parallel_give_up(context, parallel));
}

// end_shard(parallel, loss)
PyObject* end_shard(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* loss = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &loss) || !tensor_argument(loss, "loss")) {
    return nullptr;
  }
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  if (!context || !parallel) return nullptr;
  tenon_tensor* const handle = reinterpret_cast<TensorObject*>(loss)->handle;
  return done(context, run(context, Work::Long,
                           [&] { return tenon_data_parallel_end(context, parallel, handle); }));
}

// share_states(parallel, optimizer)
PyObject* share_states(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* optimizer = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &optimizer)) return nullptr;
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  tenon_optimizer* of = Optimizer::get(optimizer);
  if (!context || !parallel || !of) return nullptr;
  return done(context, tenon_data_parallel_share_states(context, parallel, of));
}

// gather_states(parallel, root)
PyObject* gather_states(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  int root = 0;
  if (!PyArg_ParseTuple(arguments, "Oi", &capsule, &root)) return nullptr;
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  if (!context || !parallel) return nullptr;
  return done(context, run(context, Work::Long, [&] {
                return tenon_data_parallel_gather_states(context, parallel, root);
              }));
}

// clip_parallel(parallel, max_norm): the norm before
PyObject* clip_parallel(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  double max_norm = 0;
  if (!PyArg_ParseTuple(arguments, "Od", &capsule, &max_norm)) return nullptr;
  tenon_context* context = context_of_thread();
  tenon_data_parallel* parallel = Parallel::get(capsule);
  if (!context || !parallel) return nullptr;
  double norm = 0;
  const tenon_status status = run(context, Work::Long, [&] {
    return tenon_data_parallel_clip(context, parallel, max_norm, &norm);
  });
  return status == TENON_OK ? PyFloat_FromDouble(norm) : fail(context, status);
}

}  // namespace

PyMethodDef process_methods[] = {
    {"create_group", guarded<create_group>, METH_VARARGS, nullptr},
    {"split_group", split_group, METH_VARARGS, nullptr},
    {"abort_group", abort_group, METH_VARARGS, nullptr},
    {"group_info", group_info, METH_O, nullptr},
    {"begin_transfer", guarded<begin_transfer>, METH_VARARGS, nullptr},
    {"end_transfer", end_transfer, METH_O, nullptr},
    {"transfer_ended", transfer_ended, METH_O, nullptr},
    {"create_parallel", guarded<create_parallel>, METH_VARARGS, nullptr},
    {"parallel_info", parallel_info, METH_O, nullptr},
    {"set_parallel_step", set_parallel_step, METH_VARARGS, nullptr},
    {"begin_shard", begin_shard, METH_VARARGS, nullptr},
    {"end_shard", end_shard, METH_VARARGS, nullptr},
    {"give_up_step", give_up_step, METH_O, nullptr},
    {"share_states", share_states, METH_VARARGS, nullptr},
    {"gather_states", gather_states, METH_VARARGS, nullptr},
    {"clip_parallel", clip_parallel, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
