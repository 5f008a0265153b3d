// SPDX-License-Identifier: Apache-2.0
// core/data/callback.h: calls of a plugin in state [data].
#pragma once

#include <string>

#include "core/runtime/callback.h"
#include "core/runtime/context.h"

namespace tenon::data {

// Runs one callback of `kind` (a registry::Entry or Format). Throws what it reported, with the
// kind's name before its words and, if the callback is about one sample alone, that one's.
// `name` is the callback's.
template <class Kind, class Callback>
void run_callback(Context& context, const Kind& kind, const char* name, Callback&& callback,
                  const int64_t* sample = nullptr) {
  require_active(*kind.plugin, kind.name);
  CallbackScope call(context, CallbackState::Data, kind.plugin, nullptr);
  try {
    call.run_as(kind.name, name, callback);
  } catch (Error& error) {
    if (!sample) throw;
    const std::string about = "sample " + std::to_string(*sample);
    const size_t at = error.message.starts_with(kind.name) ? kind.name.size() + 2 : 0;
    error.message.insert(at, about + ": ");
    if (error.operand.empty()) error.operand = about;
    throw;
  }
}

}  // namespace tenon::data
