// SPDX-License-Identifier: Apache-2.0
// tests/processes/plugins/test.shm/shm.cc: the engine test.shm.
#include "shm.hpp"

#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;
using tenon::tests::Shm;

constexpr tenon_collective_desc engines[] = {sdk::collective<Shm>(
    {.name = "test.shm",
     .doc = "Processes of one machine that tests/processes/launch.py has started.",
     .sums = "f32 f64 i64"})};

}  // namespace

TENON_UNIT(shm) = {.collectives = engines};
