// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/query_fails_unended.c: its query fails with words that do not end.
// failed: tenon_plugin_query_v0 reported: words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   wo
#include "../hostile.h"

void spoil(void) {
  for (size_t i = 0; i < sizeof query_diag->message; ++i) query_diag->message[i] = "words "[i % 6];
  query_status = TENON_E_PLUGIN;
}
