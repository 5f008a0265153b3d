// SPDX-License-Identifier: Apache-2.0
// core/registry/checks_entries.cc: checks of backends, optimizers, schedules, datasets, formats and
// layers.
#include "core/registry/checks_entries.h"

#include <tenon/ext/draft/optimizers.h>

#include <cmath>

namespace tenon::registry {
namespace {

// A list that belongs to an optimizer, a schedule, a dataset or a layer.
void check_list(const What& what, const char* name, uint32_t count, const void* list) {
  if (count > TENON_MAX_SLOTS) {
    refuse(what + ": n_" + name + " is " + std::to_string(count) + "; at most " +
           std::to_string(TENON_MAX_SLOTS) + " are possible");
  }
  if (count > 0 && list == nullptr) {
    refuse(what + ": `" + name + "` is NULL, but n_" + name + " is " + std::to_string(count));
  }
}

// The first of a table's callbacks that is NULL, by name; no slot may be.
void check_callbacks(const What& what,
                     std::initializer_list<std::pair<const char*, bool>> is_null) {
  for (const auto& [name, null] : is_null) {
    if (null) refuse(what + ": `" + name + "` is NULL; no slot may be");
  }
}

std::string child(const What& what, const char* noun, std::string_view name) {
  return what + ": " + noun + " '" + shown(name) + "'";
}

void check_unique(std::set<std::string>& seen, std::string_view name, const What& what) {
  if (!is_plain_name(name)) {
    refuse(what + ": the name '" + shown(name) + "' is not one of [a-z0-9_]");
  }
  if (!seen.emplace(name).second) refuse(what + ": '" + std::string(name) + "' stands there twice");
}

void check_hyper(const tenon_hyper_desc& hyper, const What& what, std::set<std::string>& seen,
                 uint32_t known_flags, bool lists) {
  const std::string_view name = text_of(hyper.name, what);
  check_unique(seen, name, what);
  if ((hyper.flags & ~known_flags) != 0) {
    refuse(child(what, "hyper-parameter", name) + " needs a newer Tenon: unknown flags " +
           std::to_string(hyper.flags & ~known_flags));
  }
  const bool list = lists && hyper.tag == TENON_VALUE_INT_LIST;
  if (hyper.tag != TENON_VALUE_F64 && hyper.tag != TENON_VALUE_I64 &&
      hyper.tag != TENON_VALUE_BOOL && !list) {
    refuse(child(what, "hyper-parameter", name) + " has tag " + std::to_string(hyper.tag) +
           "; TENON_VALUE_F64, I64" + (lists ? ", BOOL or INT_LIST" : " or BOOL") + " is needed");
  }
  if (!list && !(hyper.minimum <= hyper.initial && hyper.initial <= hyper.maximum)) {
    refuse(child(what, "hyper-parameter", name) + " starts at " + std::to_string(hyper.initial) +
           ", outside of its range " + std::to_string(hyper.minimum) + " to " +
           std::to_string(hyper.maximum));
  }
}

struct OptionTags {
  std::initializer_list<uint32_t> known;
  const char* words;
};

// An option of a dataset or a layer.
template <class Option>
void check_option(const What& what, std::set<std::string>& seen, const Option& option,
                  const OptionTags& tags) {
  const std::string_view name = text_of(option.name, what);
  check_unique(seen, name, what);
  if (std::find(tags.known.begin(), tags.known.end(), option.tag) == tags.known.end()) {
    refuse(child(what, "option", name) + " has tag " + std::to_string(option.tag) + "; " +
           tags.words + " is needed");
  }
  if (option.required > 1) {
    refuse(child(what, "option", name) + ": `required` is " + std::to_string(option.required) +
           "; 0 or 1 is needed");
  }
}

void check_counts_of_call(const tenon_layer_desc& desc, const What& what) {
  const bool fits = desc.min_inputs <= desc.max_inputs && desc.max_inputs <= TENON_MAX_SLOTS &&
                    desc.n_outputs >= 1 && desc.n_outputs <= TENON_MAX_SLOTS;
  if (fits) return;
  refuse(what + " takes " + std::to_string(desc.min_inputs) + " to " +
         std::to_string(desc.max_inputs) + " inputs and has " + std::to_string(desc.n_outputs) +
         " outputs; at most " + std::to_string(TENON_MAX_SLOTS) +
         " inputs and 1 to as many outputs are possible");
}

void check_layer_sample(const tenon_layer_sample& sample, uint32_t position, const What& what) {
  const std::string which = what + ": sample " + std::to_string(position);
  if (sample.flags != 0) {
    refuse(which + " needs a newer Tenon: unknown flags " + std::to_string(sample.flags));
  }
  text_of(sample.text, which);
  const bool refused = sample.expect != TENON_OK;
  if (refused == text_of(sample.fragment, which).empty()) {
    refuse(which + (refused ? " is to be refused, but `fragment` is empty"
                            : " is to work, but `fragment` is not empty"));
  }
}

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
             " is no attribute of the step op; its schema is " + step.text);
    }
  }
}

void check_flags_zero(uint32_t flags, const What& what) {
  if (flags != 0) refuse(what + " needs a newer Tenon: unknown flags " + std::to_string(flags));
}

}  // namespace

void check_backend(const tenon_backend_table& table) {
  const std::string kind(text_of(table.kind, "table tenon.backend/1"));
  if (!is_plain_name(kind)) {
    refuse("table tenon.backend/1: the device kind '" + shown(kind) + "' is not one of [a-z0-9_]");
  }
  const std::string words = "device " + kind;
  const What what(words);
  if ((table.flags & ~TENON_BACKEND_HOST_MEMORY) != 0) {
    refuse(what + " needs a newer Tenon: unknown flags " +
           std::to_string(table.flags & ~TENON_BACKEND_HOST_MEMORY));
  }
  check_callbacks(what, {
                            {"device_count", table.device_count == nullptr},
                            {"alloc", table.alloc == nullptr},
                            {"free", table.free == nullptr},
                            {"copy", table.copy == nullptr},
                            {"stream_create", table.stream_create == nullptr},
                            {"stream_release", table.stream_release == nullptr},
                            {"stream_wait", table.stream_wait == nullptr},
                            {"event_create", table.event_create == nullptr},
                            {"event_release", table.event_release == nullptr},
                            {"event_record", table.event_record == nullptr},
                            {"event_wait", table.event_wait == nullptr},
                            {"event_query", table.event_query == nullptr},
                        });
}

void check_optimizer(const tenon_optimizer_desc& desc, std::string_view name, const Schema* step) {
  const auto words = [name] { return "optimizer " + std::string(name); };
  const What what(words);
  check_flags_zero(desc.flags, what);
  const std::string step_op(text_of(desc.step_op, what));
  const std::string rows_op(text_of(desc.rows_op, what));
  if (!is_dotted_name(step_op)) refuse(what + ": step_op '" + shown(step_op) + "' is no op name");
  if (!rows_op.empty() && !is_dotted_name(rows_op)) {
    refuse(what + ": rows_op '" + shown(rows_op) + "' is no op name");
  }
  std::set<std::string> seen;
  const uint32_t dynamic = check_hypers(desc, what, seen);
  check_states(desc, what, seen);
  if (step != nullptr) check_step(desc, what, *step, dynamic);
}

void check_schedule(const tenon_schedule_desc& desc, std::string_view name) {
  const auto words = [name] { return "schedule " + std::string(name); };
  const What what(words);
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

void check_dataset(const tenon_dataset_desc& desc, std::string_view name) {
  const auto words = [name] { return "dataset " + std::string(name); };
  const What what(words);
  if (desc.flags != 0 || desc.reserved != 0) {
    refuse(what + " needs a newer Tenon: unknown flags " + std::to_string(desc.flags) +
           ", reserved " + std::to_string(desc.reserved));
  }
  check_callbacks(what, {{"create", desc.create == nullptr},
                         {"release", desc.release == nullptr},
                         {"length", desc.length == nullptr},
                         {"fields", desc.fields == nullptr},
                         {"get", desc.get == nullptr}});
  check_list(what, "options", desc.n_options, desc.options);
  std::set<std::string> seen;
  for (uint32_t i = 0; i < desc.n_options; ++i) {
    check_option(what, seen, desc.options[i],
                 {{TENON_VALUE_STRING, TENON_VALUE_I64, TENON_VALUE_F64, TENON_VALUE_BOOL},
                  "TENON_VALUE_STRING, I64, F64 or BOOL"});
  }
}

void check_layer(const tenon_layer_desc& desc, std::string_view name) {
  const auto words = [name] { return "layer " + std::string(name); };
  const What what(words);
  if ((desc.flags & ~TENON_LAYER_CONTAINER) != 0 || desc.reserved != 0) {
    refuse(what + " needs a newer Tenon: unknown flags " +
           std::to_string(desc.flags & ~TENON_LAYER_CONTAINER) + ", reserved " +
           std::to_string(desc.reserved));
  }
  check_callbacks(what,
                  {{"describe", desc.describe == nullptr}, {"forward", desc.forward == nullptr}});
  check_list(what, "options", desc.n_options, desc.options);
  check_list(what, "samples", desc.n_samples, desc.samples);
  check_counts_of_call(desc, what);
  std::set<std::string> seen;
  for (uint32_t i = 0; i < desc.n_options; ++i) {
    const tenon_layer_option& option = desc.options[i];
    check_option(what, seen, option,
                 {{TENON_VALUE_STRING, TENON_VALUE_I64, TENON_VALUE_F64, TENON_VALUE_BOOL,
                   TENON_VALUE_INT_LIST, TENON_VALUE_DTYPE},
                  "TENON_VALUE_STRING, I64, F64, BOOL, INT_LIST or DTYPE"});
    const bool fits = option.initial.tag == TENON_VALUE_NONE ||
                      (option.initial.tag == option.tag && option.required == 0);
    if (fits) continue;
    refuse(child(what, "option", text_of(option.name, what)) + ": `initial` has tag " +
           std::to_string(option.initial.tag) + "; " +
           (option.required != 0 ? "a required option has none"
                                 : std::to_string(option.tag) + " or none is needed"));
  }
  for (uint32_t i = 0; i < desc.n_samples; ++i) check_layer_sample(desc.samples[i], i, what);
}

void check_format(const tenon_format_desc& desc, std::string_view name) {
  const auto words = [name] { return "format " + std::string(name); };
  const What what(words);
  check_flags_zero(desc.flags, what);
  check_callbacks(what, {{"read", desc.read == nullptr},
                         {"release", desc.release == nullptr},
                         {"count", desc.count == nullptr},
                         {"entry", desc.entry == nullptr},
                         {"metadata", desc.metadata == nullptr},
                         {"layout", desc.layout == nullptr},
                         {"piece", desc.piece == nullptr},
                         {"release_layout", desc.release_layout == nullptr}});
  std::string_view endings = text_of(desc.endings, what);
  do {
    const std::string_view ending = endings.substr(0, endings.find(' '));
    if (ending.size() < 2 || ending[0] != '.') {
      refuse(what + ": `endings` is '" + shown(text_of(desc.endings, what)) +
             "'; endings of file names are needed, each with its dot, separated by a space");
    }
    endings.remove_prefix(std::min(endings.size(), ending.size() + 1));
  } while (!endings.empty());
}

void check_tolerance(const tenon_tolerance& desc, const What& what) {
  check_flags_zero(desc.flags, what);
  text_of(desc.op, what);
  if (text_of(desc.reason, what).empty()) {
    refuse(what + ": `reason` is empty; say in a sentence why the bits may differ");
  }
  if (!tensor::is_float(desc.dtype)) {
    refuse(what + " has dtype " + std::to_string(desc.dtype) +
           "; TENON_DTYPE_F16, BF16, F32 or F64 is needed");
  }
  const auto check = [&](const char* member, double value) {
    if (std::isfinite(value) && value >= 0) return;
    refuse(what + ": `" + member + "` is " + std::to_string(value) +
           "; a finite number of 0 or more is needed");
  };
  check("ulp", desc.ulp);
  check("relative", desc.relative);
}

void check_optimizer_sample(const tenon_optimizer_sample& desc, const What& what) {
  check_flags_zero(desc.flags, what);
  text_of(desc.optimizer, what);
  text_of(desc.text, what);
  text_of(desc.fragment, what);
  if (desc.expect == TENON_OK && desc.steps == 0) refuse(what + ": `steps` is 0; 1 or more");
}

}  // namespace tenon::registry
