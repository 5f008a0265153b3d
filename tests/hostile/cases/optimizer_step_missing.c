// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_step_missing.c: an optimizer whose step op nobody offers.
// needs: optimizer hostile.sgd
// error: TENON_E_NOT_FOUND op "nobody.steps" is not available: no plugin lists it; looked in
//   {plugins} (1 plugin), {good_plugins} ({good_count} plugins)
#include "../hostile.h"

void spoil(void) { sgd.desc.step_op = text_of("nobody.steps"); }
