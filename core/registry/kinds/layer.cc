// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/layer.cc: layers: options, samples and callbacks.
#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"

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

}  // namespace

void check(const tenon_layer_desc& desc, const What& what, const SchemaOf&) {
  check_zero(desc.flags & ~TENON_LAYER_CONTAINER, desc.reserved, what);
  check_callbacks(what,
                  {{"describe", desc.describe == nullptr}, {"forward", desc.forward == nullptr}});
  check_counts_of_call(desc, what);
  check_options(what, std::span(desc.options, desc.n_options),
                {{TENON_VALUE_STRING, TENON_VALUE_I64, TENON_VALUE_F64, TENON_VALUE_BOOL,
                  TENON_VALUE_INT_LIST, TENON_VALUE_DTYPE},
                 "TENON_VALUE_STRING, I64, F64, BOOL, INT_LIST or DTYPE"});
  check_samples(what, std::span(desc.samples, desc.n_samples));
}

void write(json::Writer& out, const tenon_layer_desc& desc) {
  out.member("container", (desc.flags & TENON_LAYER_CONTAINER) != 0);
  out.member("min_inputs", desc.min_inputs);
  out.member("max_inputs", desc.max_inputs);
  out.member("outputs", desc.n_outputs);
  write_options(out, std::span(desc.options, desc.n_options));
  write_samples(out, std::span(desc.samples, desc.n_samples));
}

}  // namespace tenon::registry
