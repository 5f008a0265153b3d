// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws_raw_device_count.cc: throws when it is asked for its devices; nothing
// of it stays.
// needs: device hostile
// failed: it has thrown an exception: up and away
#include "../hostile.h"

#include <stdexcept>

static tenon_status count(void*, int32_t*, tenon_diag*) { throw std::runtime_error("up and away"); }

void spoil(void) { backend.table.device_count = count; }
