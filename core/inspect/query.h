// SPDX-License-Identifier: Apache-2.0
// core/inspect/query.h: what tenon_runtime_query answers.
#pragma once

#include <string>
#include <string_view>

namespace tenon {
struct Context;
}

namespace tenon::inspect {

// JSON text on one topic; tenon.h lists them, docs/tools.md shows the members. Throws
// Error{TENON_E_NOT_FOUND} for any other topic.
std::string query(Context& context, std::string_view topic);

}  // namespace tenon::inspect
