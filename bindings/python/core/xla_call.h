// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/xla_call.h: what a call from a compiled program of JAX says: which op, how
// its buffers become operands, and of which order a gradient it asks for.
//
// Two attributes of the call are ours, all others are the op's, by their names:
//
//   tenon_op    "tenon.gelu@1", the op and its revision
//   tenon_call  whole numbers, as tenon/_jax_calls.py writes them:
//                 how many outputs are asked for; 1 if the last buffer is a key of random numbers
//                 n, and n numbers of buffers that the op writes into
//                 n, and n operands: a count of buffers for a list, kOne, kWide, kAbsent, or
//                 kNumber with a value
//                 n, and n orders of gradients: m and m numbers of results that have a seed, m and
//                 m numbers of buffers that are differentiated for
//
// A value is a tag of tenon_value and its bits, of a list of integers the tag and these. The
// buffers of an order are its seeds, and then those of the order before.
#ifndef TENON_BINDINGS_PYTHON_XLA_CALL_H
#define TENON_BINDINGS_PYTHON_XLA_CALL_H

#include <tenon/tenon.h>

#include <span>
#include <string>
#include <vector>

#include "bindings/python/core/xla_ffi.h"

namespace tenon::python::xla {

// Why a call cannot be run. None: `code` is 0.
struct Failure {
  int32_t code = 0;
  std::string words;

  explicit operator bool() const { return code != 0; }
};

Failure malformed(const std::string& words);
// The whole record of the context's last failure.
Failure failure_of(tenon_context* context, tenon_status status);

struct Operand {
  static constexpr int64_t kOne = -1;
  static constexpr int64_t kAbsent = -2;
  static constexpr int64_t kNumber = -3;
  static constexpr int64_t kWide = -4;  // a buffer of 32-bit integers that becomes one of 64 bits

  int64_t kind;        // one of these, or how many buffers a list has
  tenon_value number;  // of kNumber
};

struct Order {
  std::span<const int64_t> seeded;
  std::span<const int64_t> wanted;
};

// Spans and texts lie in the frame.
struct Call {
  const tenon_op* op = nullptr;
  uint32_t n_outputs = 0;
  bool has_key = false;
  std::span<const int64_t> written;
  std::vector<Operand> operands;
  std::vector<size_t> wide;  // the buffers of kWide
  std::vector<Order> orders;
  std::vector<tenon_value> attributes;  // in the schema's order
};

// errors   malformed; TENON_E_NOT_FOUND, TENON_E_PLUGIN (the op), TENON_E_ATTRIBUTE (a name)
Failure read_call(tenon_context* context, const CallFrame& frame, Call& out);

inline const Buffer& argument(const CallFrame& frame, size_t i) {
  return *static_cast<const Buffer*>(frame.arguments.values[i]);
}
inline const Buffer& result(const CallFrame& frame, size_t i) {
  return *static_cast<const Buffer*>(frame.results.values[i]);
}

// TENON_DTYPE_NONE for one that Tenon has not.
tenon_dtype dtype_of(DataType dtype);

}  // namespace tenon::python::xla

#endif  // TENON_BINDINGS_PYTHON_XLA_CALL_H
