// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/format.cc: formats: endings and callbacks.
#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"

namespace tenon::registry {

void check(const tenon_format_desc& desc, const What& what, const SchemaOf&) {
  check_flags_zero(desc.flags, what);
  check_callbacks(what, {{"read", desc.read == nullptr},
                         {"release", desc.release == nullptr},
                         {"count", desc.count == nullptr},
                         {"entry", desc.entry == nullptr},
                         {"metadata", desc.metadata == nullptr},
                         {"layout", desc.layout == nullptr},
                         {"piece", desc.piece == nullptr},
                         {"release_layout", desc.release_layout == nullptr}});
  check_endings(what, desc.endings);
}

void write(json::Writer& out, const tenon_format_desc& desc) {
  out.member("endings", text(desc.endings));
}

}  // namespace tenon::registry
