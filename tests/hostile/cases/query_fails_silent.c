// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/query_fails_silent.c: its query fails without a word.
// failed: tenon_plugin_query_v0 reported: status 29
#include "../hostile.h"

void spoil(void) { query_status = TENON_E_UNSUPPORTED; }
