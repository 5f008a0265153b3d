// SPDX-License-Identifier: Apache-2.0
// core/dispatch/gradients.h: which backward rule serves a call, and what the call records.
#pragma once

#include <span>
#include <string>

#include "core/dispatch/invocation.h"
#include "core/tape/recording.h"

namespace tenon::dispatch {

// "" if the rule serves a call with these operands (as Invocation::begin) and attributes; else
// what it was built before.
std::string rule_too_old(const registry::VjpRule& rule, const registry::Schema& schema,
                         std::span<const uint32_t> begin, std::span<const tenon_value> attrs);
// The op's best backward rule among those that were not built before an operand or attribute that
// this call uses, or NULL; `too_old`, if given, says why the best of all is not it.
const registry::VjpRule* rule_of(const Invocation& call, std::string* too_old = nullptr);

// Does any tensor operand require a gradient, with grad enabled? Reads call.rule.
bool wants_recording(const Invocation& call);

// What calls like this one record. `call.rule` may be NULL: backward then fails with the op's name.
[[gnu::cold]] tape::SignatureRef make_signature(const Invocation& call);

}  // namespace tenon::dispatch
