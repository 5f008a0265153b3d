// SPDX-License-Identifier: Apache-2.0
// core/api/check_api.cc: check modes of a context (tenon/ext/draft/checks.h), and the printed log
// of ops (tenon/ext/draft/op_log.h).
#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/op_log.h>

#include "core/api/guard.h"

using namespace tenon;
using namespace tenon::api;

tenon_status tenon_check_begin(tenon_context* context, uint32_t checks) {
  return guard(context, [&](Context& cx) {
    if (checks & ~TENON_CHECK_FINITE) {
      fail(TENON_E_ARGUMENT, "unknown check mode", "checks", "TENON_CHECK_FINITE",
           std::to_string(checks));
    }
    cx.outer_checks.push_back(cx.checks);
    if (checks & TENON_CHECK_FINITE) cx.checks |= kCheckFinite;
  });
}

tenon_status tenon_check_end(tenon_context* context) {
  return guard(context, [&](Context& cx) {
    if (cx.outer_checks.empty()) fail_unbegun("tenon_check");
    cx.restore_checks(cx.outer_checks.back());
    cx.outer_checks.pop_back();
  });
}

tenon_status tenon_op_log_begin(tenon_context* context, tenon_op_log_fn print, void* state) {
  return guard(context, [&](Context& cx) {
    if (cx.op_log.begun) {
      fail(TENON_E_STATE, "the log of ops is begun already", {}, {}, {},
           "end it first with tenon_op_log_end");
    }
    cx.op_log.begun = true;
    cx.op_log.print = print;
    cx.op_log.state = state;
    cx.checks |= kLogOps;
  });
}

tenon_status tenon_op_log_end(tenon_context* context) {
  return guard(context, [&](Context& cx) {
    if (!cx.op_log.begun) fail_unbegun("tenon_op_log");
    cx.op_log.begun = false;
    cx.op_log.print = nullptr;
    cx.op_log.state = nullptr;
    if (!(cx.runtime->config.checks & kLogOps)) cx.checks &= ~kLogOps;
  });
}
