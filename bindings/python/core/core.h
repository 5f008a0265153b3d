// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/core.h: what the files of the extension module tenon._core share.
//
// The module is written against CPython's C API and Tenon's, nothing between: a call of an op is
// one vectorcall that fills tenon_values on the stack. What need not be fast is Python (../tenon),
// and reached through `State::hooks`. All of the module's state is guarded by the GIL.
#ifndef TENON_BINDINGS_PYTHON_CORE_H
#define TENON_BINDINGS_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <tenon/tenon.h>

#include <new>
#include <utility>

namespace tenon::python {

// An owned reference, or none.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Functions of the package's Python part that the module calls, set by `connect`.
#define TENON_PYTHON_HOOKS(each)                                                          \
  each(make_error)          /* (status, name, message, ...) -> exception */               \
      each(make_refusal)    /* (kind, op, operand, expected, found, hint) -> exception */ \
      each(runtime_options) /* () -> dict */                                              \
      each(describe_schema) /* (name, revision) -> what op.cc's take_description reads */ \
      each(reduce_results)  /* (results) -> how they are pickled */                       \
      each(make_operand)    /* (object, dtype, device) -> Tensor, or None for others */   \
      each(make_signature)  /* (op) -> inspect.Signature */                               \
      each(find_dtype)      /* (object) -> Dtype */                                       \
      each(get_item)        /* (tensor, key) -> Tensor */                                 \
      each(set_item)        /* (tensor, key, value) */                                    \
      each(find_method)     /* (tensor, name) -> bound op, or AttributeError */           \
      each(make_size)       /* (number) -> one that says what x.size() would be */        \
      each(make_address)    /* (number) -> one that may be called */                      \
      each(make_truth)      /* (0 or 1) -> one that may be called */                      \
      each(reword_write)    /* (exception, tensor, value, op or None) -> exception */

struct Hooks {
#define TENON_PYTHON_HOOK(name) PyObject* name = nullptr;
  TENON_PYTHON_HOOKS(TENON_PYTHON_HOOK)
#undef TENON_PYTHON_HOOK
};

struct State {
  PyTypeObject* tensor_type = nullptr;
  PyTypeObject* op_type = nullptr;
  PyTypeObject* dtype_type = nullptr;
  Hooks hooks;
  tenon_runtime* runtime = nullptr;
  PyThreadState* thread = nullptr;  // the thread that `context` belongs to: the last one seen
  tenon_context* context = nullptr;
};
extern State state;

// A method of the module, with what our own vectors may throw turned into Python's MemoryError.
template <PyObject* (*function)(PyObject*, PyObject*)>
PyObject* guarded(PyObject* self, PyObject* argument) {
  try {
    return function(self, argument);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

// ---- runtime.cc: runtime, contexts, long calls --------------------------------------------------

tenon_context* find_context();

// The calling thread's context, made at its first use and the runtime with it; NULL with an
// exception set.
inline tenon_context* context_of_thread() {
  return state.thread == PyThreadState_Get() ? state.context : find_context();
}

// How long a call may take: Short keeps the GIL, the others give it to other threads, and a Long
// one is ended by Ctrl-C.
enum class Work { Short, Medium, Long };

// By the number of elements in all operands.
inline Work work_for(int64_t elements) {
  constexpr int64_t kShort = 8192;
  constexpr int64_t kLong = 65536;
  return elements <= kShort ? Work::Short : elements < kLong ? Work::Medium : Work::Long;
}

// Gives up the GIL while it lives; while a Long call of the main thread runs, SIGINT reaches the
// context too.
class Released {
 public:
  Released(tenon_context* context, Work work);
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* thread_;
  tenon_context* watched_;
};

// Takes the GIL for a callback: Tenon may run it in a call that has given it up.
class Held {
 public:
  Held();
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  bool fresh_;  // Python has not known this thread
  PyGILState_STATE state_;
};

// Python code in this thread uses `context` while it lives: the one that a callback is lent, which
// may not be the thread's own (foreign.h). False with an exception set if that cannot be.
class Lent {
 public:
  explicit Lent(tenon_context* context);
  ~Lent();
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  explicit operator bool() const { return good_; }

 private:
  bool exchanged_ = false;
  bool good_ = true;
  Ref before_;
};

// May the calling thread take the GIL? Not when the interpreter ends, except in the thread that
// ends it, and not afterwards: what a callback holds stays then.
bool may_hold();
bool has_ended();  // the interpreter

// An interrupt that came when a call had looked for one the last time would end the next call. This
// takes it away, if there is one.
void drop_late_interrupt(tenon_context* context);

template <class Call>
tenon_status run(tenon_context* context, Work work, Call call) {
  if (work == Work::Short) return call();
  tenon_status status = TENON_OK;
  {
    const Released released(context, work);
    status = call();
  }
  if (work == Work::Long && status == TENON_OK) drop_late_interrupt(context);
  return status;
}

// Takes the text over.
PyObject* text_object(tenon_text* text);

// Has the calling thread a context already?
bool has_context();

extern PyMethodDef runtime_methods[];

// random.cc: seeds and streams
// Gives the first random numbers to a context that is new.
void seed_new_thread(tenon_context* context);
extern PyMethodDef random_methods[];

// ---- error.cc -----------------------------------------------------------------------------------

// Sets the exception for the context's last failure; always NULL.
PyObject* fail(tenon_context* context, tenon_status status);
PyObject* done(tenon_context* context, tenon_status status);  // None, or as `fail`
PyObject* fail_without_context(tenon_status status, const char* message);

// Refuses what the caller gave before Tenon sees it. kind: "type", "value", "index", "large",
// or a status without its "TENON_E_".
PyObject* refuse(const char* kind, const char* op, const char* operand, const char* expected,
                 const char* found, const char* hint);
// The same for an object that has a wrong type.
PyObject* refuse_type(const char* op, const char* operand, const char* expected, PyObject* found,
                      const char* hint);

// An exception is set: where it says that an integer is too large, it becomes one that names the
// operand. Always NULL.
PyObject* refuse_large(const char* op, const char* operand);
// The bytes of a text; NULL with an exception set for anything else.
const char* text_argument(PyObject* object, const char* op, const char* operand,
                          Py_ssize_t* length);

// ---- dtype.cc -----------------------------------------------------------------------------------

struct DtypeInfo {
  tenon_dtype dtype;
  const char* name;    // as Python users write it: "float32"
  const char* schema;  // as schemas write it: "f32"
  const char* format;  // of the buffer protocol; "" if it has none
  int32_t bytes;
};
const DtypeInfo* find_dtype_info(tenon_dtype dtype);
const DtypeInfo* find_format(const char* format, Py_ssize_t bytes);

// Borrowed; NULL with an exception for a dtype that Tenon has not.
PyObject* dtype_object(tenon_dtype dtype);
// What `object` says: a Dtype, a name, bool, int, float, a NumPy dtype; 0 with an exception set.
tenon_dtype dtype_from(PyObject* object);
bool add_dtypes(PyObject* module);

// ---- tensor.cc ----------------------------------------------------------------------------------

// A Python function that sees gradients (autograd.cc). Tenon owns it, and with it the function; the
// object it was begun with shows it to Python's garbage collector.
struct HookObject {
  PyObject* function;
  struct TensorObject* shown_by;  // NULL once that is gone
  HookObject* next;               // of the same object
};

struct TensorObject {
  PyObject_HEAD tenon_tensor* handle;
  PyObject* weak_references;
  HookObject* hooks;
  uint32_t layers;   // that hold the tensor, and lead to this object (layer_tensor.cc)
  int64_t elements;  // -1: not asked for yet
};

inline bool is_tensor(PyObject* object) { return Py_TYPE(object) == state.tensor_type; }
inline TensorObject* as_tensor(PyObject* object) { return reinterpret_cast<TensorObject*>(object); }

// The tensor's view, valid while it lives; false with an exception set.
bool get_view(tenon_context* context, tenon_tensor* tensor, tenon_view& view);
// Takes the handle over, even if it fails.
PyObject* wrap(tenon_tensor* handle);
// Adds an owner to a borrowed handle; None for NULL.
PyObject* wrap_borrowed(tenon_tensor* handle);
// A tuple of integers.
PyObject* tuple_of(const int64_t* numbers, int32_t count);
int64_t elements_of(tenon_context* context, TensorObject* tensor);
// The garbage collector looks at the tensor from now on, for its hooks.
void show_hook(TensorObject* tensor, HookObject* hook);
void hide_hook(HookObject* hook);
bool add_tensor_type(PyObject* module);

// layer_tensor.cc: what a layer's object holds for each of its tensors.
bool add_layer_tensor_type(PyObject* module);

// indexing.cc: x[key], x[key] = value
PyObject* get_item(PyObject* self, PyObject* key);
int set_item(PyObject* self, PyObject* key, PyObject* value);
// A write into `target` has failed: the exception, in the words of the program. op: of an operator;
// NULL: of an item.
void reword_write(PyObject* target, PyObject* value, const char* op);

// buffer.cc: Python's buffers
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);
extern PyMethodDef buffer_methods[];

// dlpack.cc: sharing memory through DLPack
extern PyMethodDef dlpack_methods[];

// exchange.cc: calls whose operands and results are another library's tensors
extern PyMethodDef exchange_methods[];
bool add_exchange_types(PyObject* module);
// xla.cc: calls from programs that JAX has compiled
extern PyMethodDef xla_methods[];
// gated.cc: those that the library may record
bool add_gated_type(PyObject* module);

// nested.cc: nested lists of numbers
extern PyMethodDef nested_methods[];

// operands.cc: what stands where tensors are expected
extern PyMethodDef operand_methods[];

// autograd.cc
extern PyMethodDef autograd_methods[];

// Is a step being captured in this context, so that values may not be read? Then an exception is
// set.
bool refuse_in_capture(
    tenon_context* context, const char* what,
    const char* hint = "a replay would not see it: return the tensor from the captured function");
// The context is about to go.
void forget_captures(tenon_context* context);

// objects.cc: objects of kinds, plans
extern PyMethodDef object_methods[];

// custom.cc: ops that are written in Python
extern PyMethodDef custom_methods[];

// data.cc: datasets, archives
extern PyMethodDef data_methods[];

// loader.cc: batches
extern PyMethodDef loader_methods[];

// tokenizer.cc
extern PyMethodDef tokenizer_methods[];

// processes.cc: groups of processes
extern PyMethodDef process_methods[];

// history.cc: the history of a run, its progress line
extern PyMethodDef history_methods[];

// operators.cc: fills in the slots of Tensor's type
extern PyType_Slot operator_slots[];

// ---- op.cc --------------------------------------------------------------------------------------

bool add_op_type(PyObject* module);
// Looks an op up once and keeps it in `known`; false with an exception set.
inline bool find_op(tenon_context* context, const char* name, const tenon_op*& known) {
  if (known) [[likely]]
    return true;
  const tenon_status status = tenon_op_find(context, name, TENON_NUL, 0, &known);
  if (status != TENON_OK) fail(context, status);
  return status == TENON_OK;
}

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_CORE_H
