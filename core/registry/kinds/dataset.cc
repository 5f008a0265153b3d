// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/dataset.cc: datasets: options and callbacks, of which `lengths` may be NULL.
#include "core/registry/kinds/parts.h"
#include "core/registry/kinds/rules.h"

namespace tenon::registry {

void check(const tenon_dataset_desc& desc, const Checking& checking) {
  const What& what = checking.what;
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

void write(json::Writer& out, const tenon_dataset_desc& desc) {
  out.member("lengths", desc.lengths != nullptr);
  out.name("options");
  out.begin_list();
  for (uint32_t i = 0; i < desc.n_options; ++i) {
    out.begin_object();
    write_option(out, desc.options[i]);
    out.end_object();
  }
  out.end_list();
}

}  // namespace tenon::registry
