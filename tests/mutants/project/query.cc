// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/query.cc: the exported function of every plugin around a unit (mutant.h),
// compiled once for all of them.
#include <tenon/sdk/plugin/plugin.hpp>

namespace mutants {

tenon::sdk::About about();  // the case's

namespace {

struct Data {
  static tenon::sdk::About about() { return mutants::about(); }
};

}  // namespace
}  // namespace mutants

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  return tenon::sdk::query<mutants::Data>(host, out, diag);
}
