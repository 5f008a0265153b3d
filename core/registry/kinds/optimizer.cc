// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/optimizer.cc: optimizers: hyper-parameters, states and a step op.
#include <tenon/ext/draft/optimizers.h>

#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"
#include "core/registry/schema.h"
#include "core/tensor/dtype.h"

namespace tenon::registry {

namespace {

// Returns how many hyper-parameters are dynamic.
uint32_t check_hypers(const tenon_optimizer_desc& desc, const What& what,
                      std::set<std::string>& seen) {
  check_list(what, "hypers", desc.n_hypers, desc.hypers);
  uint32_t dynamic = 0;
  for (uint32_t i = 0; i < desc.n_hypers; ++i) {
    check_hyper(desc.hypers[i], what, seen, TENON_HYPER_DYNAMIC, false);
    dynamic += desc.hypers[i].flags & TENON_HYPER_DYNAMIC;
  }
  return dynamic;
}

void check_states(const tenon_optimizer_desc& desc, const What& what, std::set<std::string>& seen) {
  check_list(what, "states", desc.n_states, desc.states);
  for (uint32_t i = 0; i < desc.n_states; ++i) {
    const tenon_state_desc& state = desc.states[i];
    const std::string_view name = text_of(state.name, what);
    check_unique(seen, name, what);
    if (state.shape > TENON_STATE_PER_COLUMN) {
      refuse(child(what, "state", name) + " has unknown shape policy " +
             std::to_string(state.shape));
    }
    if (state.dtype != TENON_DTYPE_NONE && !tensor::is_known(state.dtype)) {
      refuse(child(what, "state", name) + " has unknown dtype " + std::to_string(state.dtype));
    }
  }
}

void check_by_element(const tenon_optimizer_desc& desc, const What& what) {
  for (uint32_t i = 0; i < desc.n_states; ++i) {
    const tenon_state_desc& state = desc.states[i];
    if (state.shape == TENON_STATE_LIKE_PARAMETER || state.shape == TENON_STATE_SCALAR) continue;
    refuse(child(what, "state", text_of(state.name, what)) + " is " +
           std::string(name_of_state_shape(state.shape)) +
           ", and the flag TENON_OPTIMIZER_BY_ELEMENT allows none that elements share");
  }
}

void check_step(const tenon_optimizer_desc& desc, const What& what, const Schema& step,
                uint32_t dynamic) {
  const size_t inputs = 2u + desc.n_states + dynamic;
  if (step.inputs.size() != inputs) {
    refuse(what + ": its step op must have " + std::to_string(inputs) +
           " inputs (params, grads, each state, each dynamic hyper-parameter); its schema is " +
           step.text);
  }
  const auto expect = [&](size_t i, std::string_view name, bool list, bool mutated) {
    const Param& input = step.inputs[i];
    if (input.name == name && input.list == list && input.mutated == mutated) return;
    refuse(what + ": input " + std::to_string(i) + " of its step op must be '" + std::string(name) +
           (mutated ? "!" : "") + (list ? ": T[...]*" : ": f64[]") + "'; its schema is " +
           step.text);
  };
  expect(0, "params", true, true);
  expect(1, "grads", true, false);
  size_t next = 2;
  for (uint32_t i = 0; i < desc.n_states; ++i) {
    expect(next++, text_of(desc.states[i].name, what), true, true);
  }
  for (uint32_t i = 0; i < desc.n_hypers; ++i) {
    if ((desc.hypers[i].flags & TENON_HYPER_DYNAMIC) == 0) continue;
    expect(next++, text_of(desc.hypers[i].name, what), false, false);
  }
  for (uint32_t i = 0; i < desc.n_hypers; ++i) {
    if ((desc.hypers[i].flags & TENON_HYPER_DYNAMIC) != 0) continue;
    const std::string_view name = text_of(desc.hypers[i].name, what);
    if (step.find_attr(name) < 0) {
      refuse(child(what, "hyper-parameter", name) +
             " is not an attribute of the step op; its schema is " + step.text);
    }
  }
}

void write_states(json::Writer& out, const tenon_optimizer_desc& desc) {
  out.objects("states", std::span(desc.states, desc.n_states), [&](const tenon_state_desc& state) {
    const bool own_dtype = state.dtype != TENON_DTYPE_NONE;
    out.member("name", text(state.name));
    out.member("doc", text(state.doc));
    out.member("shape", name_of_state_shape(state.shape));
    out.member("dtype", own_dtype ? tensor::name_of(state.dtype) : "like parameter");
    out.member("initial", state.initial);
  });
}

}  // namespace

std::string_view name_of_state_shape(uint32_t policy) noexcept {
  static constexpr std::string_view names[] = {"like parameter", "scalar", "per row", "per column"};
  return names[policy];
}

void check(const tenon_optimizer_desc& desc, const What& what, const SchemaOf& schema_of) {
  check_flags_zero(desc.flags & ~TENON_OPTIMIZER_BY_ELEMENT, what);
  const std::string step_op(text_of(desc.step_op, what));
  const std::string rows_op(text_of(desc.rows_op, what));
  if (!is_dotted_name(step_op))
    refuse(what + ": step_op '" + shown(step_op) + "' is not an op name");
  if (!rows_op.empty() && !is_dotted_name(rows_op)) {
    refuse(what + ": rows_op '" + shown(rows_op) + "' is not an op name");
  }
  std::set<std::string> seen;
  const uint32_t dynamic = check_hypers(desc, what, seen);
  check_states(desc, what, seen);
  if (desc.flags & TENON_OPTIMIZER_BY_ELEMENT) check_by_element(desc, what);
  if (const Schema* step = schema_of(step_op)) check_step(desc, what, *step, dynamic);
}

void write(json::Writer& out, const tenon_optimizer_desc& desc) {
  out.member("step_op", text(desc.step_op));
  out.member("rows_op", text(desc.rows_op));
  out.member("by_element", (desc.flags & TENON_OPTIMIZER_BY_ELEMENT) != 0);
  write_hypers(out, {desc.hypers, desc.n_hypers}, {"dynamic", TENON_HYPER_DYNAMIC});
  write_states(out, desc);
}

}  // namespace tenon::registry
