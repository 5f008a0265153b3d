// SPDX-License-Identifier: Apache-2.0
// core/dispatch/asked.h: an op call in the words that decide how it runs: the op, dtypes, shapes,
// strides, attributes, which operands want a gradient, the arithmetic. Calls with equal words take
// the same route.
#pragma once

#include <array>
#include <span>

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

class Asked {
 public:
  Asked() {}  // leaves the words uninitialised
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  // False for whatever is wrong or unusual, which the long way deals with. `given` are apply's
  // outputs, of which `call` has none; `n_outputs` counts those asked for.
  bool read(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
            std::span<const tenon_value> attrs, std::span<Tensor* const> given, size_t n_outputs);

  std::span<const uint64_t> words() const { return {words_.data(), count_}; }
  uint64_t hash() const { return (hash_ ^ hash_ >> 29) * 0x9e3779b97f4a7c15ull; }
  bool writes() const { return writes_; }  // into given outputs
  std::span<const Operand> operands() const { return {operands_.data(), operands_.size()}; }

 private:
  static constexpr size_t kMostWords = 256;

  bool put(uint64_t word) {
    if (count_ == kMostWords) return false;
    words_[count_++] = word;
    hash_ = (hash_ << 7 | hash_ >> 57) + word;
    return true;
  }
  bool put_all(const int64_t* words, size_t count);
  bool put_tensor(const Tensor& tensor, bool wants);
  bool put_operand(const tenon_tensor* handle);
  bool put_input(const tenon_value& value);
  bool put_attr(const tenon_value& value);

  std::array<uint64_t, kMostWords> words_;
  size_t count_ = 0;
  uint64_t hash_ = 0;
  Small<Operand, 8> operands_;  // as the invocation's
  Runtime* runtime_ = nullptr;
  const Device* device_ = nullptr;
  bool grad_ = false;
  bool writes_ = false;
};

}  // namespace tenon::dispatch
