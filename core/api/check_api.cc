// SPDX-License-Identifier: Apache-2.0
// core/api/check_api.cc: check modes of a context (tenon/ext/draft/checks.h).
#include <tenon/ext/draft/checks.h>

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
    if (cx.outer_checks.empty()) {
      throw Error{.status = TENON_E_STATE, .message = "tenon_check_end without tenon_check_begin"};
    }
    cx.restore_checks(cx.outer_checks.back());
    cx.outer_checks.pop_back();
  });
}
