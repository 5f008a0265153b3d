// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/query_fails_words.c: its query fails and says why.
// failed: tenon_plugin_query_v0 reported: not on a Sunday
#include "../hostile.h"

void spoil(void) { query_status = say(query_diag, TENON_E_PLUGIN, "not on a Sunday"); }
