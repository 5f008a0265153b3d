// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/xla.cc: calls from programs that JAX has compiled, in XLA's own threads and
// without the GIL. Operands are XLA's buffers, not copies of them, and an op writes its results
// into XLA's buffers. One handler does for all ops: a call says which it is (xla_call.h).
//
// A gradient is a call that runs the op once more, recorded, and then its backward rule; one of a
// higher order differentiates that in turn. Nothing stays from one call to the next.
#include <fenv.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "bindings/python/core/foreign.h"
#include "bindings/python/core/xla_call.h"

namespace tenon::python {

namespace xla {

namespace {

// ---- tensors on XLA's memory --------------------------------------------------------------------

// Tensors that are ours, some of which may be NULL.
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    for (tenon_tensor* each : tensors_) tenon_tensor_release(each);
  }

  void add(tenon_tensor* tensor) { tensors_.push_back(tensor); }
  void resize(size_t count) { tensors_.resize(count); }
  tenon_tensor** data() { return tensors_.data(); }
  size_t size() const { return tensors_.size(); }
  tenon_tensor* operator[](size_t i) const { return tensors_[i]; }

 private:
  std::vector<tenon_tensor*> tensors_;
};

// How many tensors on XLA's memory there are that were made for one call. They must be gone when it
// returns: the memory is XLA's again. One that is not keeps the count alive.
class Lending {
 public:
  Lending() : count_(new std::atomic<int>(1)) {}
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;
  ~Lending() { give_back(count_); }

  std::atomic<int>* lend() {
    count_->fetch_add(1);
    return count_;
  }
  static void give_back(void* count) {
    auto* shared = static_cast<std::atomic<int>*>(count);
    if (shared->fetch_sub(1) == 1) delete shared;
  }
  bool is_over() const { return count_->load() == 1; }

 private:
  std::atomic<int>* count_;
};

uint64_t bytes_of(const Buffer& buffer) {
  uint64_t bytes = (dtype_of(buffer.dtype) >> 8 & 0xff) / 8;
  for (int64_t i = 0; i < buffer.rank; ++i) bytes *= static_cast<uint64_t>(buffer.dims[i]);
  return bytes;
}

Failure wrap_buffer(tenon_context* context, Lending& lending, const Buffer& buffer, uint32_t flags,
                    Owned& out) {
  const tenon_dtype dtype = dtype_of(buffer.dtype);
  if (dtype == TENON_DTYPE_NONE || buffer.rank > TENON_MAX_RANK) {
    return malformed("a buffer has a dtype or a rank that Tenon has not");
  }
  static char nowhere[16];  // the address of tensors without elements
  void* data = buffer.data ? buffer.data : nowhere;
  tenon_tensor* tensor = nullptr;
  std::atomic<int>* lent = lending.lend();
  const tenon_status status =
      tenon_tensor_create_external(context, dtype, static_cast<int32_t>(buffer.rank), buffer.dims,
                                   nullptr, data, flags, Lending::give_back, lent, &tensor);
  if (status != TENON_OK) {
    Lending::give_back(lent);
    return failure_of(context, status);
  }
  out.add(tensor);
  return {};
}

// ---- one call -----------------------------------------------------------------------------------

// A call on its way.
struct Running {
  tenon_context* context;
  const CallFrame& frame;
  const Call& call;
  Lending& lending;
};

// The op's operands, of tensors in the order of its buffers, which lists point into.
struct Inputs {
  std::vector<tenon_value> values;

  Inputs(const Call& call, tenon_tensor* const* tensors) {
    for (const Operand& operand : call.operands) {
      tenon_value value{};
      if (operand.kind == Operand::kNumber) {
        value = operand.number;
      } else if (operand.kind == Operand::kOne || operand.kind == Operand::kWide) {
        value.tag = TENON_VALUE_TENSOR;
        value.as.tensor = *tensors++;
      } else if (operand.kind >= 0) {
        value.tag = TENON_VALUE_TENSOR_LIST;
        value.count = static_cast<uint32_t>(operand.kind);
        value.as.tensors = tensors;
        tensors += operand.kind;
      }
      values.push_back(value);
    }
  }
  uint32_t count() const { return static_cast<uint32_t>(values.size()); }
};

// What is written is a result, in which the operand lies to begin with.
Failure place_written(const Running& now, size_t which, const Buffer& given, Owned& out) {
  const Buffer& target = result(now.frame, now.call.n_outputs + which);
  const uint64_t bytes = bytes_of(given);
  if (target.data != given.data && bytes) std::memcpy(target.data, given.data, bytes);
  return wrap_buffer(now.context, now.lending, target, 0, out);
}

// A tensor of 64-bit integers with the values of a buffer of 32-bit ones.
Failure widen(const Running& now, const Buffer& given, Owned& out) {
  if (given.dtype != kS32) return malformed("an operand that becomes int64 is not int32");
  tenon_tensor* tensor = nullptr;
  tenon_status status = tenon_tensor_create(now.context, TENON_DTYPE_I64, nullptr,
                                            static_cast<int32_t>(given.rank), given.dims, &tensor);
  if (status != TENON_OK) return failure_of(now.context, status);
  out.add(tensor);
  tenon_view view{};
  status = tenon_tensor_get_view(now.context, tensor, &view);
  if (status != TENON_OK) return failure_of(now.context, status);
  const auto* from = static_cast<const int32_t*>(given.data);
  std::copy_n(from, bytes_of(given) / sizeof *from, static_cast<int64_t*>(view.data));
  return {};
}

Failure wrap_argument(const Running& now, size_t i, size_t first, Owned& out) {
  const Buffer& given = argument(now.frame, i);
  const std::span<const int64_t> written = now.call.written;
  const auto found = std::find(written.begin(), written.end(), static_cast<int64_t>(i));
  if (found != written.end()) {
    return place_written(now, static_cast<size_t>(found - written.begin()), given, out);
  }
  for (const size_t wide : now.call.wide) {
    if (first + wide == i) return widen(now, given, out);
  }
  return wrap_buffer(now.context, now.lending, given, TENON_VIEW_READ_ONLY, out);
}

Failure wrap_arguments(const Running& now, Owned& out) {
  const auto count = static_cast<size_t>(now.frame.arguments.count) - now.call.has_key;
  size_t first = 0;  // of the op's own
  for (const Order& order : now.call.orders) first += order.seeded.size();
  for (size_t i = 0; i < count; ++i) {
    Failure failure = wrap_argument(now, i, first, out);
    if (failure) return failure;
  }
  return {};
}

Failure run_op(const Running& now, Owned& tensors) {
  Owned outputs;
  for (size_t i = 0; i < now.call.n_outputs; ++i) {
    Failure failure = wrap_buffer(now.context, now.lending, result(now.frame, i), 0, outputs);
    if (failure) return failure;
  }
  const Inputs inputs(now.call, tensors.data());
  const tenon_status status = tenon_op_call_into(
      now.context, now.call.op, inputs.values.data(), inputs.count(), now.call.attributes.data(),
      static_cast<uint32_t>(now.call.attributes.size()), outputs.data(), now.call.n_outputs);
  return status == TENON_OK ? Failure{} : failure_of(now.context, status);
}

// ---- gradients ----------------------------------------------------------------------------------

bool requires_grad(tenon_context* context, tenon_tensor* tensor) {
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  return tensor && tenon_tensor_get_info(context, tensor, &info) == TENON_OK &&
         (info.flags & TENON_TENSOR_REQUIRES_GRAD);
}

// The results of order `order`, recorded unless it is the last; order 0 is the op itself.
Failure derivative(const Running& now, size_t order, tenon_tensor* const* tensors, Owned& out) {
  if (order == 0) {
    const Inputs inputs(now.call, tensors);
    out.resize(now.call.n_outputs);
    const tenon_status status = tenon_op_call(
        now.context, now.call.op, inputs.values.data(), inputs.count(), now.call.attributes.data(),
        static_cast<uint32_t>(now.call.attributes.size()), out.data(), now.call.n_outputs);
    return status == TENON_OK ? Failure{} : failure_of(now.context, status);
  }
  const Order& asked = now.call.orders[order - 1];
  tenon_tensor* const* inner = tensors + asked.seeded.size();
  Owned results;
  Failure failure = derivative(now, order - 1, inner, results);
  if (failure) return failure;
  std::vector<tenon_tensor*> roots;
  std::vector<tenon_tensor*> seeds;
  for (size_t i = 0; i < asked.seeded.size(); ++i) {
    tenon_tensor* root = results[static_cast<size_t>(asked.seeded[i])];
    if (!requires_grad(now.context, root)) continue;
    roots.push_back(root);
    seeds.push_back(tensors[i]);
  }
  std::vector<tenon_tensor*> wanted;
  for (const int64_t each : asked.wanted) wanted.push_back(inner[each]);
  out.resize(wanted.size());
  if (roots.empty()) return {};
  const uint32_t flags = order < now.call.orders.size() ? TENON_BACKWARD_CREATE_GRAPH : 0;
  const tenon_status status = tenon_gradient_call(
      now.context, roots.data(), seeds.data(), static_cast<uint32_t>(roots.size()), wanted.data(),
      static_cast<uint32_t>(wanted.size()), flags, out.data());
  return status == TENON_OK ? Failure{} : failure_of(now.context, status);
}

// All that any order differentiates for collects a gradient.
Failure make_leaves(const Running& now, const Owned& tensors) {
  size_t first = 0;
  for (size_t order = now.call.orders.size(); order > 0; --order) {
    const Order& asked = now.call.orders[order - 1];
    first += asked.seeded.size();
    for (const int64_t each : asked.wanted) {
      const tenon_status status = tenon_tensor_set_requires_grad(
          now.context, tensors[first + static_cast<size_t>(each)], 1);
      if (status != TENON_OK) return failure_of(now.context, status);
    }
  }
  return {};
}

// Into XLA's buffers; zeros for what does not depend on an operand.
Failure give_gradients(const Running& now, const Owned& found) {
  for (size_t i = 0; i < found.size(); ++i) {
    const Buffer& target = result(now.frame, i);
    const uint64_t bytes = bytes_of(target);
    if (!found[i]) {
      if (bytes) std::memset(target.data, 0, bytes);
      continue;
    }
    const tenon_status status = tenon_tensor_get_data(now.context, found[i], target.data, bytes);
    if (status != TENON_OK) return failure_of(now.context, status);
  }
  return {};
}

Failure run_gradient(const Running& now, Owned& tensors) {
  Failure failure = make_leaves(now, tensors);
  Owned found;
  if (!failure) failure = derivative(now, now.call.orders.size(), tensors.data(), found);
  return failure ? failure : give_gradients(now, found);
}

// ---- the handler --------------------------------------------------------------------------------

// The key of a call that draws random numbers: 32-bit words, of which the first two are the seed
// and the next two, if there are, the stream. So a call draws the same numbers wherever it runs,
// and again for its gradient.
Failure seed_call(const Running& now) {
  const Buffer& key = argument(now.frame, static_cast<size_t>(now.frame.arguments.count) - 1);
  if (key.dtype != kU32 || key.rank != 1 || key.dims[0] < 2) {
    return malformed("the key is not two 32-bit words or more");
  }
  const auto* words = static_cast<const uint32_t*>(key.data);
  const auto pair = [words](int64_t i) { return uint64_t{words[i]} << 32 | words[i + 1]; };
  const uint64_t stream = key.dims[0] >= 4 ? pair(2) : 0;
  const tenon_status status = tenon_context_set_seed(now.context, pair(0), stream);
  return status == TENON_OK ? Failure{} : failure_of(now.context, status);
}

// XLA's threads take numbers too small for the usual form as zeros. Ops compute with them, here as
// everywhere.
class PlainFloats {
 public:
  PlainFloats() {
    fegetmode(&before_);  // the whole environment would take five times as long
    fesetmode(FE_DFL_MODE);
  }
  ~PlainFloats() { fesetmode(&before_); }
  PlainFloats(const PlainFloats&) = delete;
  PlainFloats& operator=(const PlainFloats&) = delete;

 private:
  femode_t before_{};
};

Failure run_with(const Running& now) {
  Owned tensors;
  Failure failure = now.call.has_key ? seed_call(now) : Failure{};
  if (!failure) failure = wrap_arguments(now, tensors);
  if (failure) return failure;
  return now.call.orders.empty() ? run_op(now, tensors) : run_gradient(now, tensors);
}

Failure run_call(const CallFrame& frame) {
  std::string problem;
  tenon_context* context = foreign_context(problem);
  if (!context) return {kFailedPrecondition, "tenon.jax: " + problem};
  Call call;
  Failure failure = read_call(context, frame, call);
  if (failure) return failure;
  const PlainFloats floats;
  Lending lending;
  failure = run_with({context, frame, call, lending});
  // Nodes of a graph that is gone, and the operands they hold, go with the next call.
  tenon_context_get_seed(context, nullptr, nullptr, nullptr);
  if (failure) {
    const std::string raised = take_raised();
    if (!raised.empty()) failure.words += "\n  raised " + raised;
    return failure;
  }
  if (lending.is_over()) return {};
  return {
      kFailedPrecondition,
      "TENON_E_STATE: tenon.jax: operands: expected none that outlives the call, found one that "
      "a function in Python has kept\n  hint: its memory is XLA's: keep x.clone()"};
}

Error* report(const Api* api, int32_t code, const char* message) {
  ErrorWords words{sizeof words, nullptr, message, static_cast<ErrorCode>(code)};
  return api->create_error(&words);
}

void answer_version(const CallFrame& frame) {
  Metadata& asked = *reinterpret_cast<MetadataExtension*>(frame.extensions)->metadata;
  // What is used of the interface has stayed the same since version 0.1; older releases ask without
  // saying theirs.
  asked.version.major = Version::kMajor;
  asked.version.minor = frame.api ? std::min(frame.api->version.minor, Version::kMinor) : 1;
  asked.traits = 0;
}

// A frame that only asks for the version is answered.
bool is_question(const CallFrame& frame) {
  if (!frame.extensions || frame.extensions->type != Extension::kMetadata) return false;
  answer_version(frame);
  return true;
}

Error* handle(CallFrame* frame) {
  if (is_question(*frame)) return nullptr;
  try {
    const Failure failure = run_call(*frame);
    return failure ? report(frame->api, failure.code, failure.words.c_str()) : nullptr;
  } catch (const std::bad_alloc&) {
    return report(frame->api, kResourceExhausted, "TENON_E_MEMORY: tenon.jax: out of memory");
  }
}

// Of devices whose memory Tenon does not share with JAX.
Error* refuse_device(CallFrame* frame) {
  if (is_question(*frame)) return nullptr;
  return report(frame->api, kUnimplemented,
                "TENON_E_DEVICE: tenon.jax: operands: expected arrays in host memory, found those "
                "of another device\n  hint: jax.device_put(x, jax.devices(\"cpu\")[0])");
}

// A capsule as jax.ffi.register_ffi_target takes it.
template <Error* (*handler)(CallFrame*)>
PyObject* xla_handler(PyObject*, PyObject*) {
  return PyCapsule_New(reinterpret_cast<void*>(handler), nullptr, nullptr);
}

}  // namespace

}  // namespace xla

PyMethodDef xla_methods[] = {
    {"xla_handler", xla::xla_handler<xla::handle>, METH_NOARGS, "What compiled programs call."},
    {"xla_refusal", xla::xla_handler<xla::refuse_device>, METH_NOARGS, "On other devices."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
