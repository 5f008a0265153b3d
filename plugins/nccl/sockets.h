// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/sockets.h: connections of TCP with a deadline.
#pragma once

#include <sys/socket.h>

#include <string>

#include "wires.h"

namespace tenon::nccl {

// Where a process listens.
struct Address {
  sockaddr_storage storage;
  socklen_t length;

  void set_port(uint16_t port);
  uint16_t port() const;
};

// Throws TENON_E_IO with the words of errno.
[[noreturn]] void fail(const std::string& what);

// Listens at the port of this machine: for this machine alone if the host is a loopback address.
Socket listen_at(const std::string& host, const std::string& port);
// Listens at any port of the address.
Socket listen_on(Address address);
// Tries again until somebody listens there.
Socket connect_to(const std::string& host, const std::string& port, const Deadline& deadline);
Socket connect_to(const Address& address, const Deadline& deadline);
// The next one that connects; throws TENON_E_TIMEOUT with `what`.
Socket accept_from(int listener, const Deadline& deadline, const std::string& what);

Address own_address(int socket);
Address peer_address(int socket);

// All bytes; false if the other end is closed before. Throws TENON_E_TIMEOUT with `what`.
bool send_all(int socket, const void* data, size_t bytes, const Deadline& deadline,
              const std::string& what);
bool receive_all(int socket, void* data, size_t bytes, const Deadline& deadline,
                 const std::string& what);

// As many bytes as move without waiting: 0 if none do, -1 if the other end is closed.
ssize_t send_some(int socket, const void* data, size_t bytes);
ssize_t receive_some(int socket, void* data, size_t bytes);

}  // namespace tenon::nccl
