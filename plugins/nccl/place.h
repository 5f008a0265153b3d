// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/place.h: which of the processes this one is, and where they meet.
#pragma once

#include <tenon/sdk/plugin/collective.hpp>

#include <optional>
#include <string>

namespace tenon::nccl {

struct Place {
  int32_t rank = 0;
  int32_t size = 1;
  std::optional<int32_t> device;      // the one that was asked for
  std::optional<int32_t> local_rank;  // among the processes of this machine, where it is known
  std::string host;                   // where rank 0 listens; empty for one process
  std::string port;
};

inline constexpr tenon_collective_option kOptions[] = {
    sdk::optional_collective_option(
        "rank", TENON_VALUE_I64,
        "Which process this is, 0 to size - 1; else what torchrun, mpirun or srun says."),
    sdk::optional_collective_option("size", TENON_VALUE_I64,
                                    "How many processes there are; given with `rank`."),
    sdk::optional_collective_option(
        "device", TENON_VALUE_I64,
        "The CUDA device of this process; else the only one, or that of the process's number "
        "on its machine."),
    sdk::optional_collective_option(
        "address", TENON_VALUE_STRING,
        "\"host:port\", at which rank 0 listens while the processes join; else "
        "MASTER_ADDR:MASTER_PORT, the port after it where torchrun itself listens there.")};

// From the options above, else from the environment. Throws TENON_E_ARGUMENT for what cannot be,
// TENON_E_STATE if nothing says it.
Place place_of(const sdk::Attrs& options);

}  // namespace tenon::nccl
