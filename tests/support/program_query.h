// SPDX-License-Identifier: Apache-2.0
// tests/support/program_query.h: the query function of a plugin that is part of the test program.
#pragma once

#include <tenon/sdk/plugin/plugin.hpp>

namespace tenon::tests {

// Its fingerprint is libtenon's: under AddressSanitizer the tests' own code is not instrumented.
template <class Plugin>
tenon_status query_in_program(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_status status = sdk::query<Plugin>(host, out, diag);
  if (status == TENON_OK) out->fingerprint = host->fingerprint;
  return status;
}

}  // namespace tenon::tests
