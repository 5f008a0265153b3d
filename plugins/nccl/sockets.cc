// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/sockets.cc: connections of TCP that never block for longer than they may.
#include "sockets.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

namespace tenon::nccl {

namespace {

constexpr int kPause = 20;  // milliseconds between two tries to connect

constexpr const char* kHint =
    "start all of the processes, with the same MASTER_ADDR and MASTER_PORT";

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Found resolve(const char* host, const std::string& port, int flags) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host, port.c_str(), &wanted, &found);
  if (code == 0) return {found, &freeaddrinfo};
  throw sdk::Failure{TENON_E_IO,
                     std::string("the address of ") + (host ? host : "this machine") +
                         " is not found: " + gai_strerror(code),
                     "address", "the name or address of rank 0's machine",
                     (host ? host : "") + std::string(":") + port};
}

void set(int socket, int level, int option) {
  const int one = 1;
  setsockopt(socket, level, option, &one, sizeof one);
}

Socket open_socket(int family) {
  return Socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Messages are short and waited for; a machine that has vanished is noticed in the end.
Socket connected(Socket socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY);
  set(socket, SOL_SOCKET, SO_KEEPALIVE);
  return socket;
}

bool wait_for(int socket, short events, int milliseconds) {
  pollfd asked{socket, events, 0};
  return poll(&asked, 1, milliseconds) > 0;
}

// -1 if nobody listens there.
Socket try_connect(const sockaddr* address, socklen_t length, const Deadline& deadline) {
  Socket socket = open_socket(address->sa_family);
  if (socket < 0) return {};
  if (connect(socket, address, length) == 0) return connected(std::move(socket));
  if (errno != EINPROGRESS || !wait_for(socket, POLLOUT, deadline.left())) return {};
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? connected(std::move(socket)) : Socket();
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

template <class Step>
bool move_all(size_t bytes, int socket, short events, const Deadline& deadline,
              const std::string& what, Step&& step) {
  for (size_t moved = 0; moved < bytes;) {
    const ssize_t now = step(moved);
    if (now < 0) return false;
    moved += static_cast<size_t>(now);
    if (now != 0) continue;
    if (deadline.over()) deadline.refuse(what);
    wait_for(socket, events, std::min(deadline.left(), 100));
  }
  return true;
}

}  // namespace

Socket::~Socket() {
  if (file_ >= 0) close(file_);
}

int Deadline::left() const {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::clamp<int64_t>(now.count(), 1, 1'000'000));
}

void Deadline::refuse(const std::string& what, const char* hint) const {
  const std::string most = std::to_string(timeout) + " ms";
  throw sdk::Failure{
      TENON_E_TIMEOUT, what + " within " + most, "timeout", "at most " + most, "longer", hint};
}

void Address::set_port(uint16_t port) {
  if (storage.ss_family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
  }
}

uint16_t Address::port() const {
  return ntohs(storage.ss_family == AF_INET
                   ? reinterpret_cast<const sockaddr_in&>(storage).sin_port
                   : reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
}

void fail(const std::string& what) {
  throw sdk::Failure{TENON_E_IO, what + ": " + std::strerror(errno), "address"};
}

Socket listen_at(const std::string& host, const std::string& port) {
  const Found found =
      is_loopback(host) ? resolve(host.c_str(), port, 0) : resolve(nullptr, port, AI_PASSIVE);
  int error = 0;
  // One of IPv6 hears IPv4 too, so it comes first.
  for (const int family : {AF_INET6, AF_INET}) {
    for (const addrinfo* each = found.get(); each; each = each->ai_next) {
      if (each->ai_family != family) continue;
      Socket socket = open_socket(family);
      if (socket < 0) continue;
      set(socket, SOL_SOCKET, SO_REUSEADDR);
      if (family == AF_INET6) {
        const int off = 0;
        setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
      }
      if (bind(socket, each->ai_addr, each->ai_addrlen) == 0 && listen(socket, SOMAXCONN) == 0) {
        return socket;
      }
      error = errno;
    }
  }
  throw sdk::Failure{TENON_E_IO,
                     "rank 0 cannot listen at " + host + ":" + port + ": " + std::strerror(error),
                     "address",
                     "a port that is free",
                     host + ":" + port,
                     "give another one by MASTER_PORT or the option address"};
}

Socket listen_on(Address address) {
  Socket socket = open_socket(address.storage.ss_family);
  address.set_port(0);
  if (socket < 0 ||
      bind(socket, reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0 ||
      listen(socket, SOMAXCONN) != 0) {
    fail("this process cannot listen");
  }
  return socket;
}

Socket connect_to(const std::string& host, const std::string& port, const Deadline& deadline) {
  const Found found = resolve(host.c_str(), port, 0);
  for (;;) {
    for (const addrinfo* each = found.get(); each; each = each->ai_next) {
      Socket socket = try_connect(each->ai_addr, each->ai_addrlen, deadline);
      if (socket >= 0) return socket;
    }
    if (deadline.over()) deadline.refuse("rank 0 has not listened at " + host + ":" + port, kHint);
    std::this_thread::sleep_for(std::chrono::milliseconds(kPause));
  }
}

Socket connect_to(const Address& address, const Deadline& deadline) {
  Socket socket =
      try_connect(reinterpret_cast<const sockaddr*>(&address.storage), address.length, deadline);
  if (socket < 0) fail("a process that has joined cannot be reached");
  return socket;
}

Socket accept_from(int listener, const Deadline& deadline, const std::string& what) {
  for (;;) {
    Socket socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket >= 0) return connected(std::move(socket));
    if (deadline.over()) deadline.refuse(what, kHint);
    wait_for(listener, POLLIN, std::min(deadline.left(), 100));
  }
}

Address own_address(int socket) {
  Address address{{}, sizeof address.storage};
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
    fail("getsockname");
  }
  return address;
}

Address peer_address(int socket) {
  Address address{{}, sizeof address.storage};
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
    fail("getpeername");
  }
  return address;
}

bool send_all(int socket, const void* data, size_t bytes, const Deadline& deadline,
              const std::string& what) {
  return move_all(bytes, socket, POLLOUT, deadline, what, [&](size_t moved) {
    return send_some(socket, static_cast<const char*>(data) + moved, bytes - moved);
  });
}

bool receive_all(int socket, void* data, size_t bytes, const Deadline& deadline,
                 const std::string& what) {
  return move_all(bytes, socket, POLLIN, deadline, what, [&](size_t moved) {
    return receive_some(socket, static_cast<char*>(data) + moved, bytes - moved);
  });
}

ssize_t send_some(int socket, const void* data, size_t bytes) {
  const ssize_t moved = send(socket, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (moved >= 0) return moved;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

ssize_t receive_some(int socket, void* data, size_t bytes) {
  const ssize_t moved = recv(socket, data, bytes, MSG_DONTWAIT);
  if (moved > 0) return moved;
  return moved < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

}  // namespace tenon::nccl
