// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/schedule.cc: a schedule's hyper-parameters, states and `advance`.
#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"

namespace tenon::registry {

void check(const tenon_schedule_desc& desc, const What& what, const SchemaOf&) {
  check_flags_zero(desc.flags, what);
  check_callbacks(what, {{"advance", desc.advance == nullptr}});
  check_list(what, "hypers", desc.n_hypers, desc.hypers);
  check_list(what, "states", desc.n_states, desc.states);
  std::set<std::string> seen;
  for (uint32_t i = 0; i < desc.n_hypers; ++i) {
    check_hyper(desc.hypers[i], what, seen, TENON_HYPER_REQUIRED, true);
  }
  for (uint32_t i = 0; i < desc.n_states; ++i) {
    check_unique(seen, text_of(desc.states[i].name, what), what);
  }
}

void write(json::Writer& out, const tenon_schedule_desc& desc) {
  write_hypers(out, {desc.hypers, desc.n_hypers}, {"required", TENON_HYPER_REQUIRED});
  out.objects("states", std::span(desc.states, desc.n_states), [&](const auto& state) {
    out.member("name", text(state.name));
    out.member("doc", text(state.doc));
    out.member("initial", state.initial);
  });
}

}  // namespace tenon::registry
