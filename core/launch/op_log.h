// SPDX-License-Identifier: Apache-2.0
// core/launch/op_log.h: the lines of the printed log of ops (tenon/ext/draft/op_log.h).
#pragma once

#include <span>

#include "core/runtime/context.h"

namespace tenon::launch {

// An op in the log: what runs from its line on, until this goes, stands one step further in.
class LoggedOp : NoCopy {
 public:
  LoggedOp() = default;
  ~LoggedOp() {
    if (context_) end();
  }

  // Its line; nothing while no log is printed. The values were checked.
  void begin(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
             std::span<const tenon_value> attrs) noexcept {
    if (context.checks & kLogOps) print(context, op, inputs, attrs);
  }

 private:
  void print(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
             std::span<const tenon_value> attrs) noexcept;
  void end() noexcept;

  Context* context_ = nullptr;
  const std::string* outer_ = nullptr;
  int failures_ = 0;  // on their way when it began
};

// The line of a kernel that has run.
void log_launch(Context& context, const std::string& scope, const registry::Op& op,
                const registry::Kernel& kernel, const tenon_launch& launch,
                uint64_t nanoseconds) noexcept;

}  // namespace tenon::launch
