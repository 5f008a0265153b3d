// SPDX-License-Identifier: Apache-2.0
// core/data/callback.h: calls of a plugin in state [data], and the objects it makes there.
#pragma once

#include <string>

#include "core/data/options.h"
#include "core/runtime/callback.h"
#include "core/runtime/kind_object.h"

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

// A plugin's object of an entry: made with options, which are checked against the description.
template <class Desc>
class Object : public KindObject<Desc> {
 protected:
  // beside  what `create` is given beside the options
  template <class... Beside>
  Object(Context& context, const registry::Entry& kind, std::span<const NamedValue> given,
         const Beside&... beside)
      : KindObject<Desc>(context, kind) {
    const registry::ValueStore values = read_options(kind.name, options_of(this->desc()), given);
    ask(context, "create", [&](tenon_call* call) {
      return this->desc().create(call, beside..., values.values().data(), &object_);
    });
  }
  ~Object() { this->desc().release(object_); }

  // As run_callback.
  template <class Callback>
  void ask(Context& context, const char* name, const Callback& callback,
           const int64_t* sample = nullptr) const {
    run_callback(context, *this->kind_, name, callback, sample);
  }

  void* object_ = nullptr;
};

}  // namespace tenon::data
