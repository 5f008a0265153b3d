// SPDX-License-Identifier: Apache-2.0
// core/api/host_lending.cc: "tenon.host.lending/1": a rule that is written with tenon.h.
#include <tenon/ext/draft/lending.h>

#include "core/api/host_guard.h"
#include "core/api/host_tables.h"

namespace tenon::host {
namespace {

tenon_status lend(tenon_call* window, tenon_lent_fn use, void* user) {
  tenon_status told = TENON_OK;  // what failed inside, with words in the call already
  const tenon_status status = host_guard(window, "lending.lend", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Vjp, CallbackState::Compose}, "lending the context");
    if (!use) require_pointer(nullptr, "the function to lend the context to");
    Context& context = *call.context;
    const uint64_t failures = context.error.stored;
    tenon_status used = TENON_OK;
    {
      const Lent lent(context);
      used = use(context.handle, user);
    }
    if (used == TENON_OK) return;
    if (!call.is_clean()) {
      told = used;
      return;
    }
    Error error{.message = std::string("what the context was lent to has returned ") +
                           tenon_status_get_name(used)};
    if (context.error.stored != failures) error = context.error.error;
    error.status = used;
    throw error;
  });
  return status == TENON_OK ? told : status;
}

constexpr tenon_host_lending kLending = {sizeof(tenon_host_lending), 0, lend};

}  // namespace
}  // namespace tenon::host

const tenon_host_lending& tenon::host_lending() { return host::kLending; }
