// SPDX-License-Identifier: Apache-2.0
// core/dispatch/asked.h: an op call in the words that decide how it runs: the op, dtypes, shapes,
// strides, attributes, which operands want a gradient, the arithmetic. Calls with equal words take
// the same route.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// What a caller gives. `given` are apply's outputs, of which `call` has none; `n_outputs` counts
// those asked for.
struct Request {
  Context& context;
  const registry::Op& op;
  std::span<const tenon_value> inputs;
  std::span<const tenon_value> attrs;
  std::span<Tensor* const> given;
  size_t n_outputs = 0;
};

// A kind of calls.
struct Kind {
  std::vector<uint64_t> words;
  size_t attrs_at = 0;  // where in `words` the attributes begin
  // Of the operands and given outputs of the latest call, each with whether it wants a gradient; a
  // number has its tag. Empty where lists or absent operands are among them.
  std::vector<uint64_t> forms;
};

class Asked {
 public:
  explicit Asked(const Request& request) : request_(request) {}  // leaves the arrays uninitialised
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  // Is the request of this kind? Finds the operands meanwhile, and keeps their forms in `kind`.
  bool matches(Kind& kind);
  // Writes the request's words. False for whatever is wrong or unusual, which the long way deals
  // with.
  bool read();

  const Request& request() const { return request_; }
  // After matches or read.
  std::span<const Operand> operands() const { return {operands_.data(), n_operands_}; }
  // After read.
  std::span<const uint64_t> words() const { return {words_.data(), n_words_}; }
  Kind kind() const;
  uint64_t hash() const { return hash_; }

 private:
  static constexpr size_t kMostWords = 320;
  static constexpr size_t kMostOperands = 64;

  // How many inputs, attributes and outputs, and what else holds for the whole call.
  uint64_t head() const {
    return request_.inputs.size() | request_.attrs.size() << 16 | request_.n_outputs << 32 |
           uint64_t{!request_.given.empty()} << 48 | uint64_t{request_.context.arithmetic} << 49;
  }
  template <class Sink>
  bool walk(Sink& sink);
  bool has_forms(const Kind& kind);
  void write_forms(std::span<uint64_t> forms) const;

  const Request& request_;
  union {
    std::array<Operand, kMostOperands> operands_;  // as the invocation's; numbers in them alone
  };
  size_t n_operands_ = 0;
  std::array<uint64_t, kMostWords> words_;
  size_t n_words_ = 0;
  size_t attrs_at_ = 0;
  uint64_t hash_ = 0;
};

}  // namespace tenon::dispatch
