// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/wires.h: a TCP connection between every two processes, for short messages.
//
// NCCL itself needs another way for its first words, cannot say who of several has not come, and
// learns late that a process is gone. So what processes tell each other before a transfer goes by
// these connections, which keep what one has sent until the other one reads it.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "place.h"

namespace tenon::nccl {

using Clock = std::chrono::steady_clock;

// Until when, and the words for it.
struct Deadline {
  explicit Deadline(int64_t milliseconds)
      : timeout(milliseconds), end(Clock::now() + std::chrono::milliseconds(milliseconds)) {}
  bool over() const { return Clock::now() >= end; }
  int left() const;  // milliseconds, at least 1
  // Throws TENON_E_TIMEOUT: "`what` within 400 ms".
  [[noreturn]] void refuse(const std::string& what, const char* hint = "") const;

  int64_t timeout;
  Clock::time_point end;
};

// An open file that is closed at the end.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int file) : file_(file) {}
  ~Socket();
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  operator int() const { return file_; }

 private:
  int file_ = -1;
};

struct Message {
  int32_t peer;
  bool sends;
  void* data;  // read, or written when all of it has come
  size_t bytes;
  bool done = false;
};

class Wires {
 public:
  // Returns when all are there. Rank 0 listens at the place's address while they come, and tells
  // each where the others listen.
  Wires(const Place& place, const Deadline& deadline);

  // Moves all messages; those of one pair of processes in the order of the list. `group` is the
  // same number in both of them. Throws TENON_E_TIMEOUT, or TENON_E_PEER if somebody who is waited
  // for is gone or sends something else; `done` says what has moved.
  void exchange(std::span<Message> messages, uint64_t group, const Deadline& deadline);

  // Who of these has closed its end, if anybody.
  std::optional<int32_t> gone(std::span<const int32_t> ranks) const;
  [[noreturn]] static void refuse_gone(int32_t which);

  const int32_t rank;
  const int32_t size;

 private:
  void take_in(int listener, std::span<struct Address> addresses, const Deadline& deadline);
  void meet_as_first(const Place& place, const Deadline& deadline);
  void meet_first(const Place& place, const Deadline& deadline);
  void meet_others(int listener, std::span<const Address> addresses, uint64_t token,
                   const Deadline& deadline);

  std::vector<Socket> sockets_;  // [size]; none to this process
};

}  // namespace tenon::nccl
