// SPDX-License-Identifier: Apache-2.0
// core/api/op_log_api.cc: the printed log of ops (tenon/ext/draft/op_log.h).
#include <tenon/ext/draft/op_log.h>

#include "core/api/guard.h"

using namespace tenon;
using namespace tenon::api;

tenon_status tenon_op_log_begin(tenon_context* context, tenon_op_log_fn print, void* state) {
  return guard(context, [&](Context& cx) {
    if (cx.op_log.begun) {
      throw Error{.status = TENON_E_STATE,
                  .message = "the log of ops is begun already",
                  .hint = "end it first with tenon_op_log_end"};
    }
    cx.op_log.begun = true;
    cx.op_log.print = print;
    cx.op_log.state = state;
    cx.checks |= kLogOps;
  });
}

tenon_status tenon_op_log_end(tenon_context* context) {
  return guard(context, [&](Context& cx) {
    if (!cx.op_log.begun) {
      throw Error{.status = TENON_E_STATE,
                  .message = "tenon_op_log_end without tenon_op_log_begin"};
    }
    cx.op_log.begun = false;
    cx.op_log.print = nullptr;
    cx.op_log.state = nullptr;
    if (!(cx.runtime->config.checks & kLogOps)) cx.checks &= ~kLogOps;
  });
}
