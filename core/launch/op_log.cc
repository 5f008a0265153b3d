// SPDX-License-Identifier: Apache-2.0
// core/launch/op_log.cc: the lines of the printed log of ops.
#include "core/launch/op_log.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "core/base/words.h"
#include "core/registry/values.h"
#include "core/tensor/tensor.h"

namespace tenon::launch {

namespace {

// A line that finds no memory says so: what is logged goes on.
template <class Write>
void print_line(Context& context, const std::string& scope, const Write& write) noexcept {
  const OpLog& log = context.op_log;
  std::string line;
  try {
    line.assign(2 * log.depth, ' ');
    if (log.depth == 0 && !scope.empty()) line += "[" + scope + "] ";
    write(line);
  } catch (const std::bad_alloc&) {
    line.clear();
  }
  const std::string_view text = line.empty() ? std::string_view("(no memory for a line)") : line;
  if (log.print) {
    log.print(log.state, text.data(), text.size());
  } else {
    // At once, so that no other thread's is in it.
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  }
}

std::string tensor_text(const tenon_tensor* handle) {
  const tensor::Tensor* const tensor = tensor::from_handle(handle);
  return tensor ? tensor::describe(*tensor) : "?";
}

std::string operand_text(const tenon_value& value) {
  if (value.tag == TENON_VALUE_TENSOR) return tensor_text(value.as.tensor);
  if (value.tag != TENON_VALUE_TENSOR_LIST) return registry::value_text(value);
  return "(" + base::joined(std::span(value.as.tensors, value.count), " ", tensor_text) + ")";
}

}  // namespace

void LoggedOp::print(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
                     std::span<const tenon_value> attrs) noexcept {
  context_ = &context;
  failures_ = std::uncaught_exceptions();
  print_line(context, *context.scope_path(), [&](std::string& line) {
    line += op.name;
    for (const tenon_value& input : inputs) {
      line += ' ';
      line += input.tag == TENON_VALUE_NONE ? "-" : operand_text(input);
    }
    for (size_t i = 0; i < std::min(attrs.size(), op.schema.attrs.size()); ++i) {
      if (attrs[i].tag == TENON_VALUE_NONE) continue;
      line += ' ' + op.schema.attrs[i].name + '=' + registry::value_text(attrs[i]);
    }
  });
  ++context.op_log.depth;
  outer_ = std::exchange(context.op_log.op, &op.name);
}

void LoggedOp::end() noexcept {
  if (std::uncaught_exceptions() > failures_ && context_->checks & kLogOps) {
    print_line(*context_, *context_->scope_path(), [](std::string& line) { line += "failed"; });
  }
  --context_->op_log.depth;
  context_->op_log.op = outer_;
}

void log_launch(Context& context, const std::string& scope, const registry::Op& op,
                const registry::Kernel& kernel, const tenon_launch& launch,
                uint64_t nanoseconds) noexcept {
  print_line(context, scope, [&](std::string& line) {
    if (context.op_log.op != &op.name) line += op.name + ' ';
    line += kernel.plugin->id;
    for (uint32_t i = 0; i < launch.slot_begin[launch.n_slots]; ++i) {
      const tenon_view& view = launch.views[i];
      line += ' ' + tensor::dtype_text(view.dtype) + tensor::dims_text(tensor::shape_of(view));
    }
    char time[32];
    std::snprintf(time, sizeof time, "  %.1f us", static_cast<double>(nanoseconds) / 1000);
    line += time;
  });
}

}  // namespace tenon::launch
