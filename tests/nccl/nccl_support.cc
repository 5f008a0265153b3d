// SPDX-License-Identifier: Apache-2.0
// tests/nccl/nccl_support.cc: processes over the fake NCCL.
#include "tests/nccl/nccl_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace tenon::tests {

void set_environment(int rank, int n, int port, const Environment& more) {
  const std::string fake = std::string(build_dir()) + "/lib/libtenon_fake_nccl.so";
  Environment all = {{"RANK", std::to_string(rank)},
                     {"WORLD_SIZE", std::to_string(n)},
                     {"LOCAL_RANK", "0"},
                     {"MASTER_ADDR", "127.0.0.1"},
                     {"MASTER_PORT", std::to_string(port)},
                     {"TENON_NCCL_LIBRARY", fake},
                     {"TENON_NCCL_DRIVER", fake},
                     // Nothing is done on a device before somebody waits for it.
                     {"TENON_EMULATOR_DEFER", "1"}};
  for (const auto& [name, value] : more) all[name] = value;
  for (const auto& [name, value] : all) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
}

int free_port() {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(file, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(getsockname(file, reinterpret_cast<sockaddr*>(&address), &length), 0);
  close(file);
  return ntohs(address.sin_port);
}

void in_ranks(int n, const std::function<void(int rank)>& body, const Environment& more,
              const std::vector<int>& die) {
  const int port = free_port();
  in_processes(
      n,
      [&](int rank) {
        set_environment(rank, n, port, more);
        body(rank);
      },
      die);
}

Member::~Member() { tenon_group_release(group); }

tenon_status Member::join(const Named& options, int64_t timeout) {
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
  for (const auto& [name, value] : options) {
    names.push_back({name, TENON_NUL});
    values.push_back(value);
  }
  return tenon_group_create(session, "tenon.nccl", TENON_NUL, names.data(), values.data(),
                            static_cast<uint32_t>(values.size()), timeout, &group);
}

void Member::must_join() { session.must(join()); }

tenon_status Member::move(uint32_t collective, tenon_tensor* input, tenon_tensor* output,
                          int32_t peer, int64_t timeout) {
  const tenon_transfer_request request = {sizeof request, 0, collective, peer, input, output};
  const tenon_transfer_request* const requests = &request;
  tenon_transfer* transfer = nullptr;
  tenon_status status = tenon_group_begin(session, group, &requests, 1, timeout, &transfer);
  if (status != TENON_OK) return status;
  status = tenon_transfer_end(session, transfer);
  tenon_transfer_release(transfer);
  return status;
}

std::string Member::failure() const {
  const tenon_error error = session.error();
  return std::string(tenon_status_get_name(error.status)) + ": " + text(error.message) + " | " +
         text(error.operand) + " | expected " + text(error.expected) + " | found " +
         text(error.found) + " | " + text(error.hint);
}

}  // namespace tenon::tests
