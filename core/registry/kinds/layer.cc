// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/layer.cc: layers: options, samples and callbacks.
#include "core/registry/kinds/parts.h"
#include "core/registry/kinds/rules.h"

namespace tenon::registry {

namespace {

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

}  // namespace

void check(const tenon_layer_desc& desc, const Checking& checking) {
  const What& what = checking.what;
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

void write(json::Writer& out, const tenon_layer_desc& desc) {
  out.member("container", (desc.flags & TENON_LAYER_CONTAINER) != 0);
  out.member("min_inputs", desc.min_inputs);
  out.member("max_inputs", desc.max_inputs);
  out.member("outputs", desc.n_outputs);
  out.name("options");
  out.begin_list();
  for (uint32_t i = 0; i < desc.n_options; ++i) {
    const tenon_layer_option& option = desc.options[i];
    out.begin_object();
    write_option(out, option);
    out.member("default",
               option.initial.tag == TENON_VALUE_NONE ? std::string() : value_text(option.initial));
    out.end_object();
  }
  out.end_list();
  out.name("samples");
  out.begin_list();
  for (uint32_t i = 0; i < desc.n_samples; ++i) {
    out.begin_object();
    write_sample(out, desc.samples[i]);
    out.end_object();
  }
  out.end_list();
}

}  // namespace tenon::registry
