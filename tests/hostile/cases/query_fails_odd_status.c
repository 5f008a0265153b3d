// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/query_fails_odd_status.c: its query returns a status that no version has.
// failed: tenon_plugin_query_v0 reported: status -77
#include "../hostile.h"

void spoil(void) { query_status = -77; }
