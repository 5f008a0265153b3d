// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/xla_call.cc: what a call from a compiled program of JAX says.
#include "bindings/python/core/xla_call.h"

#include <charconv>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>

namespace tenon::python::xla {

namespace {

int32_t code_of(tenon_status status) {
  switch (status) {
    case TENON_E_NOT_FOUND:
      return kNotFound;
    case TENON_E_MEMORY:
      return kResourceExhausted;
    case TENON_E_NO_KERNEL:
    case TENON_E_UNSUPPORTED:
      return kUnimplemented;
    case TENON_E_STATE:
    case TENON_E_PLUGIN:
      return kFailedPrecondition;
    case TENON_E_INTERRUPTED:
      return kCancelled;
    case TENON_E_INTERNAL:
    case TENON_E_DEVICE_LOST:
      return kInternal;
    default:
      return kInvalidArgument;
  }
}

void add_line(std::string& words, const char* before, const char* text) {
  if (*text) words.append("\n  ").append(before).append(text);
}

}  // namespace

Failure malformed(const std::string& words) {
  return {kInvalidArgument,
          "tenon.jax: " + words +
              "\n  hint: a program that another release of Tenon has exported is exported again"};
}

Failure failure_of(tenon_context* context, tenon_status status) {
  tenon_error error{};
  error.struct_size = sizeof error;
  if (tenon_context_get_error(context, &error) != TENON_OK || error.status != status) {
    return {code_of(status), std::string(tenon_status_get_name(status)) +
                                 ": the context has no words for this failure"};
  }
  std::string words = std::string(tenon_status_get_name(status)) + ": " + error.message;
  const std::string_view message = error.message;
  if (message.find(error.expected) == std::string_view::npos ||
      message.find(error.found) == std::string_view::npos) {
    add_line(words, "expected ", error.expected);
    words.append(*error.expected ? ", found " : "\n  found ").append(error.found);
  }
  add_line(words, "hint: ", error.hint);
  add_line(words, "plugin: ", error.plugin);
  add_line(words, "in ", error.scope);
  for (uint32_t i = 0; i < error.n_causes; ++i) add_line(words, "because ", error.causes[i]);
  return {code_of(status), std::move(words)};
}

tenon_dtype dtype_of(DataType dtype) {
  switch (dtype) {
    case kPred:
      return TENON_DTYPE_BOOL;
    case kU8:
      return TENON_DTYPE_U8;
    case kS8:
      return TENON_DTYPE_I8;
    case kS16:
      return TENON_DTYPE_I16;
    case kS32:
      return TENON_DTYPE_I32;
    case kS64:
      return TENON_DTYPE_I64;
    case kF16:
      return TENON_DTYPE_F16;
    case kBf16:
      return TENON_DTYPE_BF16;
    case kF32:
      return TENON_DTYPE_F32;
    case kF64:
      return TENON_DTYPE_F64;
    default:
      return TENON_DTYPE_NONE;
  }
}

namespace {

// ---- numbers in a row ---------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(std::span<const int64_t> numbers) : left_(numbers) {}

  int64_t next() {
    if (left_.empty()) {
      good_ = false;
      return 0;
    }
    const int64_t number = left_.front();
    left_ = left_.subspan(1);
    return number;
  }

  // A count, which no call exceeds.
  size_t count() {
    constexpr int64_t kLimit = 1 << 20;
    const int64_t number = next();
    if (number < 0 || number > kLimit) good_ = false;
    return good_ ? static_cast<size_t>(number) : 0;
  }

  // A count, and so many numbers from 0 on.
  std::span<const int64_t> numbers() {
    const size_t wanted = count();
    if (wanted > left_.size()) good_ = false;
    if (!good_) return {};
    const std::span<const int64_t> found = left_.first(wanted);
    left_ = left_.subspan(wanted);
    for (const int64_t each : found) good_ = good_ && each >= 0;
    return found;
  }

  bool good() const { return good_; }
  bool at_end() const { return good_ && left_.empty(); }

 private:
  std::span<const int64_t> left_;
  bool good_ = true;
};

// False for a tag that has no value of one number.
bool read_number(uint32_t tag, int64_t bits, tenon_value& out) {
  out = tenon_value{};
  out.tag = tag;
  switch (tag) {
    case TENON_VALUE_F64:
      std::memcpy(&out.as.f64, &bits, sizeof bits);
      return true;
    case TENON_VALUE_I64:
    case TENON_VALUE_BOOL:
      out.as.i64 = bits;
      return true;
    case TENON_VALUE_DTYPE:
      out.as.dtype = static_cast<uint64_t>(bits);
      return true;
    default:
      return false;
  }
}

bool read_operands(Reader& reader, std::vector<Operand>& out) {
  const size_t n = reader.count();
  for (size_t i = 0; i < n && reader.good(); ++i) {
    Operand operand{reader.next(), {}};
    if (operand.kind == Operand::kNumber) {
      const int64_t tag = reader.next();
      if (!read_number(static_cast<uint32_t>(tag), reader.next(), operand.number)) return false;
    }
    if (operand.kind < Operand::kWide) return false;
    out.push_back(operand);
  }
  return n <= TENON_MAX_SLOTS;
}

bool read_shape_of_call(std::span<const int64_t> numbers, Call& out) {
  Reader reader(numbers);
  out.n_outputs = static_cast<uint32_t>(reader.count());
  out.has_key = reader.next() != 0;
  out.written = reader.numbers();
  if (!read_operands(reader, out.operands)) return false;
  const size_t n = reader.count();
  for (size_t i = 0; i < n && reader.good(); ++i) {
    const std::span<const int64_t> seeded = reader.numbers();
    out.orders.push_back({seeded, reader.numbers()});
  }
  return reader.at_end() && out.n_outputs <= TENON_MAX_SLOTS;
}

// ---- do all buffers have a place? ---------------------------------------------------------------

bool are_below(std::span<const int64_t> numbers, size_t limit) {
  for (const int64_t each : numbers) {
    if (static_cast<size_t>(each) >= limit) return false;
  }
  return true;
}

size_t count_buffers(const Operand& operand) {
  if (operand.kind == Operand::kOne || operand.kind == Operand::kWide) return 1;
  return operand.kind > 0 ? static_cast<size_t>(operand.kind) : 0;
}

// How many the op itself has.
size_t number_buffers(Call& call) {
  size_t n = 0;
  for (const Operand& each : call.operands) {
    if (each.kind == Operand::kWide) call.wide.push_back(n);
    n += count_buffers(each);
  }
  return n;
}

bool fits(const CallFrame& frame, Call& call) {
  size_t buffers = number_buffers(call);
  size_t results = call.n_outputs;
  if (!are_below(call.written, buffers)) return false;
  for (const Order& order : call.orders) {
    if (!are_below(order.seeded, results) || !are_below(order.wanted, buffers)) return false;
    results = order.wanted.size();
    buffers += order.seeded.size();
  }
  if (!call.orders.empty() && !call.written.empty()) return false;
  return frame.arguments.count == static_cast<int64_t>(buffers + call.has_key) &&
         frame.results.count == static_cast<int64_t>(results + call.written.size());
}

// ---- attributes ---------------------------------------------------------------------------------

std::string_view name_of(const Attributes& attributes, int64_t i) {
  return {attributes.names[i]->data, attributes.names[i]->length};
}

// Those of whole numbers; false for anything else.
bool numbers_of(const Attributes& attributes, int64_t i, std::span<const int64_t>& out) {
  if (attributes.types[i] != Array::kType) return false;
  const auto& array = *static_cast<const Array*>(attributes.values[i]);
  if (array.dtype != kS64 || array.count == 0) return false;
  out = {static_cast<const int64_t*>(array.data), array.count};
  return true;
}

bool read_value(const Attributes& attributes, int64_t i, tenon_value& out) {
  if (attributes.types[i] == kTextType) {
    const auto& text = *static_cast<const Span*>(attributes.values[i]);
    out.tag = TENON_VALUE_STRING;
    out.count = static_cast<uint32_t>(text.length);
    out.as.string = text.data;
    return true;
  }
  std::span<const int64_t> numbers;
  if (!numbers_of(attributes, i, numbers)) return false;
  const auto tag = static_cast<uint32_t>(numbers.front());
  if (tag == TENON_VALUE_INT_LIST) {
    out.tag = tag;
    out.count = static_cast<uint32_t>(numbers.size() - 1);
    out.as.ints = numbers.data() + 1;
    return true;
  }
  return numbers.size() == 2 && read_number(tag, numbers[1], out);
}

Failure read_attribute(tenon_context* context, const Attributes& attributes, int64_t i, Call& out) {
  const std::string_view name = name_of(attributes, i);
  uint32_t place = 0;
  const tenon_status status =
      tenon_op_find_attribute(context, out.op, name.data(), name.size(), &place);
  if (status != TENON_OK) return failure_of(context, status);
  if (out.attributes.size() <= place) out.attributes.resize(place + 1);
  if (read_value(attributes, i, out.attributes[place])) return {};
  return malformed("the attribute " + std::string(name) + " is not written as a value");
}

// "tenon.gelu@1"; what this thread has found it does not look for again.
Failure find_op(tenon_context* context, std::string_view text, Call& out) {
  thread_local std::map<std::string, const tenon_op*, std::less<>> known;
  if (const auto found = known.find(text); found != known.end()) {
    out.op = found->second;
    return {};
  }
  const size_t at = text.rfind('@');
  uint32_t revision = 0;
  if (at == std::string_view::npos ||
      std::from_chars(text.data() + at + 1, text.data() + text.size(), revision).ec !=
          std::errc()) {
    return malformed("tenon_op is not the name of an op and its revision");
  }
  const tenon_status status = tenon_op_find(context, text.data(), at, revision, &out.op);
  if (status != TENON_OK) return failure_of(context, status);
  known.emplace(text, out.op);
  return {};
}

}  // namespace

Failure read_call(tenon_context* context, const CallFrame& frame, Call& out) {
  const Attributes& attributes = frame.attributes;
  bool has_shape = false;
  for (int64_t i = 0; i < attributes.count; ++i) {
    const std::string_view name = name_of(attributes, i);
    std::span<const int64_t> numbers;
    if (name == "tenon_call" && numbers_of(attributes, i, numbers)) {
      has_shape = read_shape_of_call(numbers, out);
    }
    if (name == "tenon_op" && attributes.types[i] == kTextType) {
      const auto& text = *static_cast<const Span*>(attributes.values[i]);
      Failure failure = find_op(context, {text.data, text.length}, out);
      if (failure) return failure;
    }
  }
  if (!has_shape || !out.op) return malformed("tenon_op or tenon_call is missing or damaged");
  if (!fits(frame, out)) return malformed("tenon_call names other buffers than the call has");
  for (int64_t i = 0; i < attributes.count; ++i) {
    const std::string_view name = name_of(attributes, i);
    if (name == "tenon_call" || name == "tenon_op") continue;
    Failure failure = read_attribute(context, attributes, i, out);
    if (failure) return failure;
  }
  return {};
}

}  // namespace tenon::python::xla
