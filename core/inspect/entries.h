// SPDX-License-Identifier: Apache-2.0
// core/inspect/entries.h: what plugins registered, as typed data: one shape for every kind.
#pragma once

#include <tenon/ext/draft/entries.h>

#include <string_view>
#include <vector>

namespace tenon {
struct Context;
namespace registry {
struct Op;
}
}  // namespace tenon

namespace tenon::inspect {

// An entry or an op. All that it points to lives as long as the runtime.
struct Described {
  tenon_entry_info info{};
  std::vector<tenon_entry_option> options;
  std::vector<tenon_entry_part> parts;
};

// `kind` is a noun or its plural; "kind" itself is one. Throws Error{TENON_E_NOT_FOUND}.
std::vector<std::string_view> names_of_kind(Context& context, std::string_view kind);

// An empty `kind` is whichever has the name. Throws as tenon_entry_get_info says.
Described describe(Context& context, std::string_view kind, std::string_view name);

// "vendor.op", or "vendor.op@2" for a revision; `operand` is what the caller calls the text. Throws
// Error{TENON_E_NOT_FOUND}, or Error{TENON_E_ARGUMENT} for a revision that is not a number.
const registry::Op& require_revision(Context& context, std::string_view name, const char* operand);

}  // namespace tenon::inspect
