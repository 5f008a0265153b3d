// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/wires.cc: how processes meet, and short messages between any two of them.
#include "wires.h"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "sockets.h"

namespace tenon::nccl {

namespace {

constexpr uint64_t kMagic = 0x316c63636e6f6e74;  // so that strangers are told apart

// What a process says first: to rank 0, and to those of lower ranks.
struct Hello {
  uint64_t magic;
  uint64_t token;  // of this program, once rank 0 has told it
  int32_t rank;
  int32_t size;
  uint16_t port;  // at which it listens
  uint16_t reserved[3];
};

// What rank 0 answers when all have come, or if they cannot join.
struct Answer {
  uint64_t token;
  tenon_status status;
  char words[252];
};

// Before each message.
struct Frame {
  uint64_t group;
  uint64_t bytes;
};

std::string rank_text(int32_t rank) { return "rank " + std::to_string(rank); }

uint64_t new_token() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

// "ranks 1, 3 have not joined"
std::string missing_text(std::span<const Socket> sockets) {
  std::string list;
  for (size_t rank = 1; rank < sockets.size(); ++rank) {
    if (sockets[rank] < 0) list += (list.empty() ? "" : ", ") + std::to_string(rank);
  }
  const bool one = list.find(',') == std::string::npos;
  return (one ? "rank " : "ranks ") + list + (one ? " has not joined" : " have not joined");
}

void check_hello(const Hello& hello, int32_t size, std::span<const Socket> sockets) {
  const std::string who = rank_text(hello.rank);
  if (hello.size != size) {
    throw sdk::Failure{TENON_E_ARGUMENT, who + " joins as one of another number of processes", who,
                       std::to_string(size) + " processes", std::to_string(hello.size)};
  }
  if (hello.rank > 0 && hello.rank < size && sockets[static_cast<size_t>(hello.rank)] < 0) return;
  throw sdk::Failure{TENON_E_ARGUMENT, "two processes say that they are " + who, who,
                     "a rank of its own for each", "two of them"};
}

void turn_away(int socket, const sdk::Failure& why) {
  Answer answer{0, why.status, ""};
  std::strncpy(answer.words, why.what.c_str(), sizeof answer.words - 1);
  send_some(socket, &answer, sizeof answer);  // to an empty buffer: all of it, or nobody is there
}

// A message on its way.
struct Moving {
  Message* message;
  std::vector<char> bytes{};  // with the frame
  size_t moved = 0;
};

}  // namespace

Wires::Wires(const Place& place, const Deadline& deadline)
    : rank(place.rank), size(place.size), sockets_(static_cast<size_t>(place.size)) {
  if (size == 1) return;
  if (rank == 0) {
    meet_as_first(place, deadline);
  } else {
    meet_first(place, deadline);
  }
}

// Rank 0 takes the others in, each of which says who it is and where it listens.
void Wires::take_in(int listener, std::span<Address> addresses, const Deadline& deadline) {
  for (int32_t joined = 1; joined < size;) {
    const std::string missing = missing_text(sockets_);
    Socket socket = accept_from(listener, deadline, missing);
    Hello hello{};
    // A stranger that says nothing keeps nobody waiting for long.
    try {
      const Deadline short_one(std::min(deadline.left(), 2000));
      if (!receive_all(socket, &hello, sizeof hello, short_one, missing)) continue;
    } catch (const sdk::Failure&) {
      continue;
    }
    if (hello.magic != kMagic) continue;
    try {
      check_hello(hello, size, sockets_);
    } catch (const sdk::Failure& failure) {
      turn_away(socket, failure);
      throw;
    }
    const auto place = static_cast<size_t>(hello.rank);
    addresses[place] = peer_address(socket);
    addresses[place].set_port(hello.port);
    sockets_[place] = std::move(socket);
    ++joined;
  }
}

void Wires::meet_as_first(const Place& place, const Deadline& deadline) {
  const Socket listener = listen_at(place.host, place.port);
  std::vector<Address> addresses(sockets_.size());
  try {
    take_in(listener, addresses, deadline);
  } catch (const sdk::Failure& failure) {
    for (const Socket& socket : sockets_) {
      if (socket >= 0) turn_away(socket, failure);
    }
    throw;
  }
  const Answer answer{new_token(), TENON_OK, ""};
  for (int32_t each = 1; each < size; ++each) {
    const Socket& socket = sockets_[static_cast<size_t>(each)];
    const std::string what = rank_text(each) + " has not listened";
    if (!send_all(socket, &answer, sizeof answer, deadline, what) ||
        !send_all(socket, addresses.data(), addresses.size() * sizeof(Address), deadline, what)) {
      refuse_gone(each);
    }
  }
}

void Wires::meet_first(const Place& place, const Deadline& deadline) {
  Socket first = connect_to(place.host, place.port, deadline);
  const Socket listener = listen_on(own_address(first));
  const Hello hello{kMagic, 0, rank, size, own_address(listener).port(), {}};
  std::vector<Address> addresses(sockets_.size());
  Answer answer{};
  // Rank 0 tells whom it misses, if it still can.
  const Deadline late(deadline.left() + 500);
  const std::string what = "rank 0 has not answered";
  bool there = send_all(first, &hello, sizeof hello, deadline, what) &&
               receive_all(first, &answer, sizeof answer, late, what);
  if (there && answer.status != TENON_OK) {
    answer.words[sizeof answer.words - 1] = 0;
    throw sdk::Failure{answer.status, std::string("rank 0 says: ") + answer.words, "rank 0"};
  }
  there = there &&
          receive_all(first, addresses.data(), addresses.size() * sizeof(Address), deadline, what);
  if (!there) {
    throw sdk::Failure{TENON_E_PEER,
                       "rank 0 at " + place.host + ":" + place.port + " has not let us join",
                       "rank 0",
                       "an answer",
                       "a closed connection",
                       "is it a process of this program that listens there?"};
  }
  sockets_[0] = std::move(first);
  meet_others(listener, addresses, answer.token, deadline);
}

// Each connects to those of lower ranks, and is called by the others.
void Wires::meet_others(int listener, std::span<const Address> addresses, uint64_t token,
                        const Deadline& deadline) {
  for (int32_t each = 1; each < rank; ++each) {
    Socket socket = connect_to(addresses[static_cast<size_t>(each)], deadline);
    const Hello hello{kMagic, token, rank, size, 0, {}};
    if (!send_all(socket, &hello, sizeof hello, deadline, rank_text(each) + " has not answered")) {
      refuse_gone(each);
    }
    sockets_[static_cast<size_t>(each)] = std::move(socket);
  }
  for (int32_t left = size - 1 - rank; left > 0;) {
    const std::string what = "not all processes have connected";
    Socket socket = accept_from(listener, deadline, what);
    Hello hello{};
    if (!receive_all(socket, &hello, sizeof hello, deadline, what)) continue;
    if (hello.magic != kMagic || hello.token != token) continue;
    if (hello.rank <= rank || hello.rank >= size) continue;
    sockets_[static_cast<size_t>(hello.rank)] = std::move(socket);
    --left;
  }
}

void Wires::refuse_gone(int32_t which) {
  throw sdk::Failure{TENON_E_PEER, rank_text(which) + " is gone", rank_text(which),
                     "a process that takes part", "one that has closed its connection"};
}

std::optional<int32_t> Wires::gone(std::span<const int32_t> ranks) const {
  std::vector<pollfd> asked;
  for (const int32_t each : ranks) {
    asked.push_back({sockets_[static_cast<size_t>(each)], POLLRDHUP, 0});
  }
  if (poll(asked.data(), asked.size(), 0) <= 0) return std::nullopt;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) return ranks[i];
  }
  return std::nullopt;
}

namespace {

Moving moving_of(Message& message, uint64_t group) {
  Moving made{&message};
  made.bytes.resize(sizeof(Frame) + message.bytes);
  const Frame frame{group, message.bytes};
  std::memcpy(made.bytes.data(), &frame, sizeof frame);
  if (message.sends && message.bytes != 0) {
    std::memcpy(made.bytes.data() + sizeof frame, message.data, message.bytes);
  }
  return made;
}

void check_frame(const Moving& moving, uint64_t group) {
  Frame frame{};
  std::memcpy(&frame, moving.bytes.data(), sizeof frame);
  if (frame.group == group && frame.bytes == moving.message->bytes) return;
  const std::string who = rank_text(moving.message->peer);
  throw sdk::Failure{
      TENON_E_PEER,
      who + " makes another transfer",
      who,
      std::to_string(moving.message->bytes) + " bytes of this group",
      std::to_string(frame.bytes) + (frame.group == group ? " bytes" : " bytes of another group"),
      "all processes make the transfers of their groups in the same order"};
}

}  // namespace

void Wires::exchange(std::span<Message> messages, uint64_t group, const Deadline& deadline) {
  std::vector<Moving> all;
  for (Message& message : messages) all.push_back(moving_of(message, group));
  size_t open = all.size();
  std::optional<int32_t> lost;
  while (open != 0) {
    bool moved = false;
    std::map<std::pair<int32_t, bool>, short> busy;  // what waits, once for each direction
    for (Moving& each : all) {
      Message& message = *each.message;
      if (message.done || busy.contains({message.peer, message.sends})) continue;
      const int socket = sockets_[static_cast<size_t>(message.peer)];
      char* const data = each.bytes.data() + each.moved;
      // The frame by itself: nothing of a later message is read.
      const bool framing = !message.sends && each.moved < sizeof(Frame);
      const size_t wanted = (framing ? sizeof(Frame) : each.bytes.size()) - each.moved;
      const ssize_t now =
          message.sends ? send_some(socket, data, wanted) : receive_some(socket, data, wanted);
      if (now < 0) lost = message.peer;
      if (now > 0) {
        each.moved += static_cast<size_t>(now);
        moved = true;
        if (framing && each.moved == sizeof(Frame)) check_frame(each, group);
      }
      message.done = each.moved == each.bytes.size();
      if (!message.done) {
        busy[{message.peer, message.sends}] = message.sends ? POLLOUT : POLLIN;
        continue;
      }
      if (!message.sends && message.bytes != 0) {
        std::memcpy(message.data, each.bytes.data() + sizeof(Frame), message.bytes);
      }
      --open;
    }
    if (open == 0 || moved) continue;
    // What others have sent is read first.
    if (lost) refuse_gone(*lost);
    if (deadline.over()) deadline.refuse("not done");
    std::vector<pollfd> asked;
    for (const auto& [of, events] : busy) {
      asked.push_back({sockets_[static_cast<size_t>(of.first)], events, 0});
    }
    poll(asked.data(), asked.size(), std::min(deadline.left(), 100));
  }
}

}  // namespace tenon::nccl
