// SPDX-License-Identifier: Apache-2.0
// tests/training/counts_support.h: acme.counts, a dataset of the test program: sample i is the
// number i, may take a while, and one sample cannot be read.
#pragma once

#include <tenon/plugin.h>

namespace tenon::tests {

// Options: `length`; `bad`, the sample that fails (none unless given); `slow`, which lets samples
// take up to 300 microseconds, the later ones sometimes less than the earlier. Field: `count`, i64.
// And acme.until, a transform that copies, and fails at the sample of which `bad` is the number.
tenon_status counts_query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag);

}  // namespace tenon::tests
