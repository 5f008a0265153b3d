// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call_key.cc: an op call in the words that decide how it runs.
//
// Words are written down, and those of attributes also compared with a resolved call's. A sink's
// put answers whether to go on.
#include "core/dispatch/call_key.h"

#include <algorithm>
#include <cstring>

namespace tenon::dispatch {

struct CallKey::Writer {
  uint64_t* const begin;
  uint64_t* const end;
  uint64_t* at = begin;
  uint64_t hash = 0;
  size_t position() const { return static_cast<size_t>(at - begin); }
  bool put(uint64_t word) {
    if (at == end) return false;
    *at++ = word;
    hash = (hash << 7 | hash >> 57) + word;
    return true;
  }
};

namespace {

// Needs no end: the words up to any point say how many follow, so while all agree there are more.
struct Matcher {
  const uint64_t* at;
  bool put(uint64_t word) { return *at++ == word; }
};

template <class Sink>
[[gnu::always_inline]] inline bool put_tensor(Sink& sink, const Tensor& tensor,
                                              const tensor::Memory* device, uint64_t wants) {
  const tenon_view& view = tensor.view;
  if (tensor.storage->memory != device) return false;  // of another runtime, too
  // What is not aligned to its element may need another kernel. A dtype holds its bits.
  const uintptr_t size = view.dtype >> 11 & 0x1f;
  if (reinterpret_cast<uintptr_t>(view.data) & (size - 1)) return false;
  const uint32_t rank = static_cast<uint32_t>(view.rank);
  if (!sink.put(uint64_t{TENON_VALUE_TENSOR} | uint64_t{view.flags} << 4 | wants << 8 |
                uint64_t{rank} << 16 | uint64_t{view.dtype} << 32)) {
    return false;
  }
  for (uint32_t i = 0; i < rank; ++i) {
    if (!sink.put(static_cast<uint64_t>(tensor.shape_[i])) ||
        !sink.put(static_cast<uint64_t>(tensor.strides_[i]))) {
      return false;
    }
  }
  return true;
}

template <class Sink>
bool put_text(Sink& sink, const char* text, size_t size) {
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text + at, std::min<size_t>(8, size - at));
    if (!sink.put(word)) return false;
  }
  return true;
}

template <class Sink>
bool put_attr(Sink& sink, const tenon_value& value) {
  if (!sink.put(value.tag | uint64_t{value.count} << 32)) return false;
  switch (value.tag) {
    case TENON_VALUE_NONE:
      return true;
    case TENON_VALUE_I64:
    case TENON_VALUE_F64:
    case TENON_VALUE_BOOL:
    case TENON_VALUE_DTYPE:
      return sink.put(static_cast<uint64_t>(value.as.i64));
    case TENON_VALUE_INT_LIST:
      if (!value.as.ints && value.count != 0) return false;
      return std::all_of(value.as.ints, value.as.ints + value.count,
                         [&](int64_t each) { return sink.put(static_cast<uint64_t>(each)); });
    case TENON_VALUE_STRING:
      return (value.as.string || value.count == 0) && put_text(sink, value.as.string, value.count);
    default:
      return false;
  }
}

}  // namespace

bool CallKey::walk(Writer& sink) {
  const Context& context = request_.context;
  const std::span<Tensor* const> given = request_.given;
  const bool grad = context.grad_enabled();
  const bool writes = !given.empty();
  const tensor::Memory* device = nullptr;
  Operand* next = operands_.data();
  Operand* const end = next + kMaxOperands;
  const auto put_operand = [&](const tenon_tensor* handle) __attribute__((always_inline)) {
    Tensor* const tensor = tensor::from_handle(handle);
    if (!tensor || next == end) return false;
    const bool wants = grad && tape::requires_grad(*tensor);
    if (wants && writes) return false;  // writing while gradients flow has its own rules
    next++->tensor = tensor;
    if (!device) {
      device = tensor->storage->memory;
      if (tensor->owner != context.runtime) return false;
      if (!sink.put(reinterpret_cast<uintptr_t>(device))) return false;
    }
    return put_tensor(sink, *tensor, device, wants);
  };
  const auto put_input = [&](const tenon_value& value) {
    switch (value.tag) {
      case TENON_VALUE_TENSOR:
        return put_operand(value.as.tensor);
      case TENON_VALUE_TENSOR_LIST:
        return value.as.tensors && sink.put(value.tag | uint64_t{value.count} << 32) &&
               std::all_of(value.as.tensors, value.as.tensors + value.count, put_operand);
      case TENON_VALUE_I64:
      case TENON_VALUE_F64:
      case TENON_VALUE_BOOL:
        if (next == end) return false;
        *next++ = {nullptr, &value};
        return sink.put(value.tag);
      default:
        return value.tag == TENON_VALUE_NONE && sink.put(value.tag);
    }
  };
  const auto put_output = [&](const Tensor* out) {
    return !(grad && tape::requires_grad(*out)) && put_tensor(sink, *out, device, false);
  };
  if (!sink.put(reinterpret_cast<uintptr_t>(&request_.op)) || !sink.put(head())) return false;
  for (const tenon_value& value : request_.inputs) {
    if (!put_input(value)) return false;
  }
  attrs_at_ = sink.position();
  for (const tenon_value& value : request_.attrs) {
    if (!put_attr(sink, value)) return false;
  }
  for (const Tensor* out : given) {
    if (!put_output(out)) return false;
  }
  n_operands_ = static_cast<size_t>(next - operands_.data());
  add_outputs();
  return device != nullptr;
}

bool CallKey::has_attrs(const CallWords& kind) const {
  Matcher matcher{kind.words.data() + kind.attrs_at};
  return std::all_of(request_.attrs.begin(), request_.attrs.end(),
                     [&](const tenon_value& value) { return put_attr(matcher, value); });
}

CallWords CallKey::kind() const {
  return {{words_.begin(), words_.begin() + static_cast<ptrdiff_t>(n_words_)}, attrs_at_};
}

bool CallKey::read_words() {
  if (request_.given.size() > kMaxOutputs) return false;
  Writer writer{words_.data(), words_.data() + kMaxWords};
  if (!walk(writer)) return false;
  n_words_ = writer.position();
  hash_ = (writer.hash ^ writer.hash >> 29) * 0x9e3779b97f4a7c15ull;
  return true;
}

}  // namespace tenon::dispatch
