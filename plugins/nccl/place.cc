// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/place.cc: options, and what launchers put into the environment.
//
// Sources: "torchrun (Elastic Launch)", section "Environment Variables"; "Open MPI: Environment
// variables set by mpirun"; "srun", section "OUTPUT ENVIRONMENT VARIABLES".
#include "place.h"

#include <charconv>
#include <cstdlib>
#include <limits>

namespace tenon::nccl {

namespace {

struct Launcher {
  const char* rank;
  const char* size;
  const char* local_rank;
};
constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value && *value ? value : nullptr;
}

[[noreturn]] void refuse(const std::string& what, const std::string& operand,
                         const std::string& expected, const std::string& found) {
  throw sdk::Failure{TENON_E_ARGUMENT, what, operand, expected, found};
}

int32_t checked(int64_t number, const char* name, int64_t least) {
  constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();
  if (number >= least && number <= kLargest) return static_cast<int32_t>(number);
  refuse(std::string(name) + " cannot be that", name, "at least " + std::to_string(least),
         std::to_string(number));
}

int32_t number_of(const char* name, int64_t least) {
  const std::string text = variable(name);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return checked(number, name, least);
  refuse(std::string(name) + " is not a whole number", name, "a whole number", text);
}

void read_environment(Place& place) {
  for (const Launcher& launcher : kLaunchers) {
    if (!variable(launcher.rank) || !variable(launcher.size)) continue;
    place.rank = number_of(launcher.rank, 0);
    place.size = number_of(launcher.size, 1);
    if (variable(launcher.local_rank)) place.local_rank = number_of(launcher.local_rank, 0);
    return;
  }
  for (const auto& [rank, size, local_rank] : kLaunchers) {
    if (!variable(rank) && !variable(size)) continue;
    const char* const there = variable(rank) ? rank : size;
    const char* const missing = variable(rank) ? size : rank;
    throw sdk::Failure{
        TENON_E_STATE, std::string(there) + " is in the environment, and " + missing + " is not",
        missing,       "a whole number, beside " + std::string(there),
        "none",        "start it by torchrun, mpirun or srun, or give the options rank and size"};
  }
  throw sdk::Failure{
      TENON_E_STATE, "nothing says which of the processes this one is",
      "rank",        "RANK and WORLD_SIZE in the environment, or those of mpirun or srun",
      "none",        "start it by torchrun, mpirun or srun, or give the options rank and size"};
}

void read_address(Place& place, const sdk::Attrs& options) {
  std::string address;
  const char* name = "address";
  if (options.given(3)) {
    address = options.text(3);
  } else if (variable("MASTER_ADDR") && variable("MASTER_PORT")) {
    name = "MASTER_PORT";
    int32_t port = number_of(name, 1);
    // Its agent keeps listening at this port.
    if (variable("TORCHELASTIC_USE_AGENT_STORE") &&
        std::string_view(variable("TORCHELASTIC_USE_AGENT_STORE")) == "True") {
      ++port;
    }
    address = std::string(variable("MASTER_ADDR")) + ":" + std::to_string(port);
  } else {
    throw sdk::Failure{TENON_E_STATE,
                       "nothing says where the processes meet",
                       "address",
                       "MASTER_ADDR and MASTER_PORT in the environment",
                       "none",
                       "set them to the host of rank 0 and to a free port of it, or give the "
                       "option address"};
  }
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    refuse("the address has no host and port", name, "\"host:port\"", address);
  }
  place.host = address.substr(0, colon);
  place.port = address.substr(colon + 1);
  int port = 0;
  const char* const end = place.port.data() + place.port.size();
  const auto [stop, error] = std::from_chars(place.port.data(), end, port);
  if (error != std::errc() || stop != end || port < 1 || port > 65535) {
    refuse("the address has no port", name, "a port from 1 to 65535", place.port);
  }
  if (place.host.size() > 2 && place.host.front() == '[' && place.host.back() == ']') {
    place.host = place.host.substr(1, place.host.size() - 2);
  }
}

}  // namespace

Place place_of(const sdk::Attrs& options) {
  Place place;
  if (options.given(0) != options.given(1)) {
    refuse("rank and size are given together", options.given(0) ? "size" : "rank", "a number",
           "none");
  }
  if (options.given(0)) {
    place.rank = checked(options.integer(0), "rank", 0);
    place.size = checked(options.integer(1), "size", 1);
  } else {
    read_environment(place);
  }
  if (place.rank >= place.size) {
    refuse("there is no such rank", "rank", "0 to " + std::to_string(place.size - 1),
           std::to_string(place.rank));
  }
  if (options.given(2)) place.device = checked(options.integer(2), "device", 0);
  if (place.size > 1) read_address(place, options);
  return place;
}

}  // namespace tenon::nccl
