// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_raw_vjp.cc: throws out of a backward rule.
// needs: backward hostile.twice
// error: TENON_E_PLUGIN hostile.twice: the backward rule of plugin hostile.plugin has thrown an
//   exception: up and away
#include "../hostile.h"

#include <stdexcept>

static tenon_status vjp(tenon_call*, void*) { throw std::runtime_error("up and away"); }

void spoil(void) { twice_rule.desc.vjp = vjp; }
