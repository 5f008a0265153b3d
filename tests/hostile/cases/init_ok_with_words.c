// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/init_ok_with_words.c: its init succeeds and leaves words of a failure.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
#include "../hostile.h"

static tenon_status bad_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  *out_self = NULL;
  say(diag, TENON_E_INTERNAL, "all is lost");
  return TENON_OK;
}

void spoil(void) { answer.init = bad_init; }
