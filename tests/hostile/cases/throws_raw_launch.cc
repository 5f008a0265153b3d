// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_raw_launch.cc: throws out of a kernel.
// error: TENON_E_PLUGIN hostile.twice: the kernel of plugin hostile.plugin has thrown an exception:
//   up and away
#include "../hostile.h"

#include <stdexcept>

static tenon_status launch(tenon_call*, const tenon_launch*) {
  throw std::runtime_error("up and away");
}

void spoil(void) { twice_kernel.desc.launch = launch; }
