// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/dataset.cc: datasets: options and callbacks, of which `lengths` may be NULL,
// and one of `get` and `get_batch`.
#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"

namespace tenon::registry {

void check(const tenon_dataset_desc& desc, const What& what, const SchemaOf&) {
  check_zero(desc.flags, desc.reserved, what);
  check_callbacks(what, {{"create", desc.create == nullptr},
                         {"release", desc.release == nullptr},
                         {"length", desc.length == nullptr},
                         {"fields", desc.fields == nullptr},
                         {"get", desc.get == nullptr && desc.get_batch == nullptr}});
  check_options(what, std::span(desc.options, desc.n_options),
                {{TENON_VALUE_STRING, TENON_VALUE_I64, TENON_VALUE_F64, TENON_VALUE_BOOL},
                 "TENON_VALUE_STRING, I64, F64 or BOOL"});
}

void write(json::Writer& out, const tenon_dataset_desc& desc) {
  out.member("lengths", desc.lengths != nullptr);
  out.objects("options", std::span(desc.options, desc.n_options),
              [&](const tenon_dataset_option& option) { write_option(out, option); });
}

}  // namespace tenon::registry
