// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/random.cc: seeds, and the streams of random numbers that threads, forked
// processes and samples of datasets have of their own.
#include <utility>

#include "bindings/python/core/core.h"

namespace tenon::python {

namespace {

// Where the random numbers of threads come from that have not been seeded themselves: the seed that
// was given last, and a stream for each thread, of which a forked process has others.
struct Streams {
  uint64_t seed = 0;
  uint64_t branch = 0;   // 0, and in a forked process a number of its own
  uint64_t threads = 0;  // that have been given a stream
  uint64_t forks = 0;
};
Streams streams;

// A stream for the `number`-th of those that `stream` is split into; the first goes on with it.
// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA
// 2014: the finaliser of SplitMix64.
uint64_t mixed(uint64_t stream, uint64_t number) {
  uint64_t mixed = stream + number * UINT64_C(0x9E3779B97F4A7C15);
  mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
  return mixed ^ mixed >> 31;
}
uint64_t stream_of(uint64_t stream, uint64_t number) {
  return number == 0 ? stream : mixed(stream, number);
}

// set_seed(seed, stream, counter, later): later: it is also that of threads that begin later
PyObject* set_seed(PyObject*, PyObject* arguments) {
  unsigned long long seed = 0;
  unsigned long long stream = 0;
  unsigned long long counter = 0;
  int later = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "KKKp", &seed, &stream, &counter, &later)) {
    return nullptr;
  }
  tenon_status status = tenon_context_set_seed(context, seed, stream);
  if (status == TENON_OK && later) streams.seed = seed;
  if (status == TENON_OK && counter) status = tenon_context_set_counter(context, counter);
  return done(context, status);
}

// The seed of a sample's own numbers; arguments: (seed, epoch, sample). The constant ("sample" in
// ASCII) keeps them apart from those of a program with the same seed.
bool read_sample(PyObject* arguments, uint64_t& out) {
  unsigned long long seed = 0;
  unsigned long long epoch = 0;
  unsigned long long sample = 0;
  if (!PyArg_ParseTuple(arguments, "KKK", &seed, &epoch, &sample)) return false;
  constexpr uint64_t kSample = UINT64_C(0x73616D706C65);
  out = mixed(mixed(mixed(seed ^ kSample, 1), epoch + 1), sample + 1);
  return true;
}

PyObject* sample_seed(PyObject*, PyObject* arguments) {
  uint64_t seed = 0;
  return read_sample(arguments, seed) ? PyLong_FromUnsignedLongLong(seed) : nullptr;
}

// draw_for_sample(seed, epoch, sample): from now on this thread's numbers are the sample's.
PyObject* draw_for_sample(PyObject*, PyObject* arguments) {
  uint64_t seed = 0;
  tenon_context* context = context_of_thread();
  if (!context || !read_sample(arguments, seed)) return nullptr;
  return done(context, tenon_context_set_seed(context, seed, 0));
}

// begin_reading(): this thread reads samples, with numbers of their own. It takes no stream: how
// many such threads there are changes nobody's numbers.
PyObject* begin_reading(PyObject*, PyObject*) {
  const uint64_t threads = streams.threads;
  if (!context_of_thread()) return nullptr;
  streams.threads = threads;
  Py_RETURN_NONE;
}

PyObject* get_seed(PyObject*, PyObject*) {
  uint64_t seed = 0;
  uint64_t stream = 0;
  uint64_t counter = 0;
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  const tenon_status status = tenon_context_get_seed(context, &seed, &stream, &counter);
  return status == TENON_OK ? Py_BuildValue("KKK", seed, stream, counter) : fail(context, status);
}

// before_fork(): the process is about to be copied.
PyObject* before_fork(PyObject*, PyObject*) {
  ++streams.forks;
  Py_RETURN_NONE;
}

// after_fork(): this is the copy. Its random numbers are those of another stream, which depends on
// the stream before and on how many copies were made before it.
PyObject* after_fork(PyObject*, PyObject*) {
  const uint64_t number = std::exchange(streams.forks, 0);
  constexpr uint64_t kForked = UINT64_C(0x666F726B);  // apart from the streams of threads
  streams.branch = stream_of(streams.branch ^ kForked, number);
  uint64_t seed = 0;
  uint64_t stream = 0;
  uint64_t counter = 0;
  if (!has_context()) Py_RETURN_NONE;
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  tenon_status status = tenon_context_get_seed(context, &seed, &stream, &counter);
  if (status == TENON_OK)
    status = tenon_context_set_seed(context, seed, stream_of(stream ^ kForked, number));
  if (status == TENON_OK) status = tenon_context_set_counter(context, counter);
  return done(context, status);
}

}  // namespace

void seed_new_thread(tenon_context* context) {
  tenon_context_set_seed(context, streams.seed, stream_of(streams.branch, streams.threads++));
}

PyMethodDef random_methods[] = {
    {"set_seed", set_seed, METH_VARARGS, "set_seed(seed, stream, counter, later)"},
    {"sample_seed", sample_seed, METH_VARARGS, "sample_seed(seed, epoch, sample)"},
    {"draw_for_sample", draw_for_sample, METH_VARARGS, "draw_for_sample(seed, epoch, sample)"},
    {"begin_reading", begin_reading, METH_NOARGS, nullptr},
    {"before_fork", before_fork, METH_NOARGS, nullptr},
    {"after_fork", after_fork, METH_NOARGS, nullptr},
    {"get_seed", get_seed, METH_NOARGS, "Seed, stream and counter."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
