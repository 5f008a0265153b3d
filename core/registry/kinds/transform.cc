// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/transform.cc: transforms: options, samples and callbacks.
#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"

namespace tenon::registry {

void check(const tenon_transform_desc& desc, const What& what, const SchemaOf&) {
  check_flags_zero(desc.flags & ~TENON_TRANSFORM_VIEW, what);
  const bool view = (desc.flags & TENON_TRANSFORM_VIEW) != 0;
  check_callbacks(what, {{"create", desc.create == nullptr},
                         {"release", desc.release == nullptr},
                         {"infer", desc.infer == nullptr},
                         {"run", !view && desc.run == nullptr}});
  if (view && desc.run != nullptr) {
    refuse(what + ": `run` is set, but TENON_TRANSFORM_VIEW says that the shape alone changes");
  }
  check_options(what, std::span(desc.options, desc.n_options), kPlainOptions);
  check_samples(what, std::span(desc.samples, desc.n_samples));
}

void write(json::Writer& out, const tenon_transform_desc& desc) {
  out.member("view", (desc.flags & TENON_TRANSFORM_VIEW) != 0);
  write_options(out, std::span(desc.options, desc.n_options));
  write_samples(out, std::span(desc.samples, desc.n_samples));
}

}  // namespace tenon::registry
