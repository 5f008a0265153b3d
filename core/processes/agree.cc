// SPDX-License-Identifier: Apache-2.0
// core/processes/agree.cc: what is told before each transfer.
#include "core/processes/agree.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/base/fnv.h"

namespace tenon::processes {

namespace {

// In larger groups all is gathered at once, and a time-out names nobody.
constexpr int32_t kNamedSize = 64;

// In place of a collective: this process leaves the group.
constexpr uint32_t kLeaves = 0xFFFFFFFFu;

// Sent as it lies in memory: processes of one program are of one build of Tenon.
struct Told {
  uint32_t collective;
  int32_t peer;
  tenon_dtype dtype;
  int32_t rank;  // of the shape
  int64_t shape[TENON_MAX_RANK];
  int64_t sequence;
  uint32_t sums_fast;
  uint32_t reserved;
  uint64_t alike;  // a hash of what is to be alike besides; 0: nothing
};

// So much of the words, once hashes differ.
constexpr size_t kWords = 8192;

Told told_of(const Transfer& transfer, const Move& move) {
  Told told{};
  told.collective = move.collective;
  told.peer = move.peer;
  told.dtype = move.agreed.dtype;
  told.rank = move.agreed.rank;
  std::copy_n(move.agreed.shape, move.agreed.rank, told.shape);
  told.sequence = transfer.sequence;
  told.sums_fast = transfer.sums_fast ? 1 : 0;
  if (transfer.alike) told.alike = base::fnv(transfer.alike->data(), transfer.alike->size());
  return told;
}

// "all_reduce of f32[3,4]"
std::string words_of(const Told& told) {
  std::string words(name_of(told.collective));
  if (told.collective < TENON_COLLECTIVE_BARRIER) {
    tenon_meta meta{};
    meta.rank = std::clamp(told.rank, 0, TENON_MAX_RANK);
    meta.dtype = told.dtype;
    std::copy_n(told.shape, meta.rank, meta.shape);
    words += " of " + tensor::describe(meta);
  }
  if (told.collective == TENON_COLLECTIVE_BROADCAST) {
    words += " from rank " + std::to_string(told.peer);
  }
  return words;
}

constexpr std::string_view kMakeTheSame =
    "all processes of a group make the same transfers in the same order, with equal shapes and "
    "dtypes";

[[noreturn]] void refuse(const Transfer& transfer, tenon_status status, int32_t rank,
                         const std::string& what, std::string expected, std::string found,
                         std::string_view hint = kMakeTheSame) {
  Mismatch error;
  error.status = status;
  error.message = transfer.words() + ": rank " + std::to_string(rank) + " " + what;
  error.op = name_of(transfer.collective());
  error.operand = "rank " + std::to_string(rank);
  error.expected = std::move(expected);
  error.found = std::move(found);
  error.hint = hint;
  throw error;
}

// collective  what theirs has to be
void compare(const Transfer& transfer, const Told& ours, const Told& theirs, int32_t rank,
             uint32_t collective) {
  Told wanted = ours;
  wanted.collective = collective;
  const auto differ = [&](tenon_status status, const char* what) {
    refuse(transfer, status, rank, what, words_of(wanted), words_of(theirs));
  };
  if (theirs.collective != collective) differ(TENON_E_PEER, "makes another transfer");
  if (!between_two(collective)) {
    if (theirs.sequence != ours.sequence) {
      refuse(transfer, TENON_E_PEER, rank, "is at another transfer", std::to_string(ours.sequence),
             std::to_string(theirs.sequence));
    }
    if (theirs.peer != ours.peer) differ(TENON_E_PEER, "takes another rank's data");
  }
  if (theirs.dtype != ours.dtype) differ(TENON_E_DTYPE, "has another dtype");
  if (theirs.rank != ours.rank || !std::equal(ours.shape, ours.shape + ours.rank, theirs.shape)) {
    differ(TENON_E_SHAPE, "has another shape");
  }
  if (theirs.sums_fast != ours.sums_fast) {
    refuse(transfer, TENON_E_PEER, rank, "adds in another order",
           ours.sums_fast ? "fast arithmetic" : "canonical arithmetic",
           theirs.sums_fast ? "fast arithmetic" : "canonical arithmetic");
  }
}

tenon_transfer_desc bytes_move(uint32_t collective, const tenon_device& host, int32_t peer,
                               const void* from, void* to) {
  return {collective, peer, host, TENON_DTYPE_U8, 0, sizeof(Told), from, to};
}

// "rank 2", "ranks 2 and 3"
std::string ranks(const std::vector<int32_t>& list) {
  std::string words = list.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) words += i + 1 == list.size() ? " and " : ", ";
    words += std::to_string(list[i]);
  }
  return words;
}

// "rank 2 has left the group"
Gone gone_of(const Transfer& transfer, const std::vector<int32_t>& who) {
  Gone error;
  error.status = TENON_E_PEER;
  error.message = transfer.words() + ": " + ranks(who) + (who.size() == 1 ? " has" : " have") +
                  " left the group";
  error.op = name_of(transfer.collective());
  error.operand = ranks(who);
  error.expected = words_of(told_of(transfer, transfer.moves[0]));
  error.found = "the end of the process, or of its group";
  error.hint = "look at what " + ranks(who) + " said last; all processes make the same transfers";
  return error;
}

// The first line "name: value" in which two differ, as its name and both values.
struct Line {
  std::string name;
  std::string ours;
  std::string theirs;
};
Line differing_line(std::string_view ours, std::string_view theirs) {
  const auto cut = [](std::string_view& text) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  while (!ours.empty() || !theirs.empty()) {
    const std::string_view a = cut(ours);
    const std::string_view b = cut(theirs);
    if (a == b) continue;
    const size_t end = a.find(": ");
    const bool same = end != std::string_view::npos && a.substr(0, end + 2) == b.substr(0, end + 2);
    if (same) {
      return {std::string(a.substr(0, end)), std::string(a.substr(end + 2)),
              std::string(b.substr(end + 2))};
    }
    const auto shown = [](std::string_view line) {
      return line.empty() ? std::string("nothing") : std::string(line);
    };
    return {"what is done", shown(a), shown(b)};
  }
  return {"what is done", "these words", "others, which do not fit in a message"};
}

// What an engine has failed with may still be read and written: it stays as long as the process.
struct Messages {
  std::vector<Told> ours;
  std::vector<Told> theirs;
  std::string our_words;
  std::string their_words;
};
void run_or_keep(const Run& run, std::span<const tenon_transfer_desc> what, std::span<uint8_t> done,
                 std::unique_ptr<Messages>& messages) {
  try {
    run(what, done);
  } catch (...) {
    static std::mutex mutex;
    static auto* const kept = new std::vector<Messages*>;
    const std::lock_guard lock(mutex);
    kept->push_back(messages.get());
    static_cast<void>(messages.release());
    throw;
  }
}

// Their words, once it is known that those of `rank` differ: all of the group come here.
[[noreturn]] void compare_words(const tenon_members& members, const Transfer& transfer,
                                int32_t rank, const tenon_device& host, const Run& run) {
  auto messages = std::make_unique<Messages>();
  std::string& ours = messages->our_words;
  std::string& theirs = messages->their_words;
  if (transfer.alike) ours = *transfer.alike;
  ours.resize(kWords);
  theirs.resize(static_cast<size_t>(members.size) * kWords);
  tenon_transfer_desc all =
      bytes_move(TENON_COLLECTIVE_ALL_GATHER, host, 0, ours.data(), theirs.data());
  all.count = kWords;
  uint8_t done = 0;
  run_or_keep(run, {&all, 1}, {&done, 1}, messages);
  const auto words = [](const char* from) {
    return std::string_view(from, std::find(from, from + kWords, '\0'));
  };
  const Line line =
      differing_line(words(ours.data()), words(theirs.data() + static_cast<size_t>(rank) * kWords));
  refuse(transfer, TENON_E_PEER, rank, "has another value: " + line.name, line.ours, line.theirs,
         "processes that share a step do the same, each with its own part of the data");
}

struct Partner {
  int32_t rank;
  Told ours;
  uint32_t collective;  // that theirs has to be
};

// Each tells each of its partners.
std::vector<Told> exchange(const std::vector<Partner>& partners, Transfer& transfer,
                           const tenon_device& host, const Run& run) {
  auto messages = std::make_unique<Messages>();
  std::vector<Told>& theirs = messages->theirs;
  theirs.resize(partners.size());
  for (const Partner& partner : partners) messages->ours.push_back(partner.ours);
  std::vector<tenon_transfer_desc> moves;
  for (size_t i = 0; i < partners.size(); ++i) {
    moves.push_back(
        bytes_move(TENON_COLLECTIVE_RECEIVE, host, partners[i].rank, nullptr, &theirs[i]));
  }
  for (size_t i = 0; i < partners.size(); ++i) {
    moves.push_back(
        bytes_move(TENON_COLLECTIVE_SEND, host, partners[i].rank, &messages->ours[i], nullptr));
  }
  std::vector<uint8_t> done(moves.size());
  try {
    run_or_keep(run, moves, done, messages);
  } catch (Error& error) {
    std::vector<int32_t> missing;
    std::vector<int32_t> gone;
    for (size_t i = 0; i < partners.size(); ++i) {
      if (done[i] == 0) missing.push_back(partners[i].rank);
      if (done[i] != 0 && theirs[i].collective == kLeaves) gone.push_back(partners[i].rank);
    }
    if (!gone.empty()) {  // why others are missing
      Error cause = gone_of(transfer, gone);
      cause.causes.push_back(error.message);
      throw Error(std::move(cause));
    }
    if (error.status != TENON_E_TIMEOUT || missing.empty()) throw;
    error.causes.insert(error.causes.begin(), error.message);
    error.message = transfer.words() + ": " + ranks(missing) +
                    (missing.size() == 1 ? " has" : " have") + " not come within " +
                    std::to_string(transfer.timeout) + " ms";
    error.op = name_of(transfer.collective());
    error.operand = ranks(missing);
    throw;
  }
  return std::move(theirs);
}

Agreed agree_all(const tenon_members& members, Transfer& transfer, const tenon_device& host,
                 const Run& run, Left& left) {
  const Move& move = transfer.moves[0];
  const Told ours = told_of(transfer, move);
  std::vector<Told> theirs;
  std::vector<int32_t> of;
  for (int32_t rank = 0; rank < members.size; ++rank) {
    if (rank != members.rank || members.size > kNamedSize) of.push_back(rank);
  }
  if (members.size > kNamedSize) {
    auto messages = std::make_unique<Messages>();
    messages->ours.push_back(ours);
    messages->theirs.resize(of.size());
    const tenon_transfer_desc all = bytes_move(TENON_COLLECTIVE_ALL_GATHER, host, 0,
                                               messages->ours.data(), messages->theirs.data());
    uint8_t done = 0;
    run_or_keep(run, {&all, 1}, {&done, 1}, messages);
    theirs = std::move(messages->theirs);
  } else {
    std::vector<Partner> partners;
    for (const int32_t rank : of) partners.push_back({rank, ours, move.collective});
    theirs = exchange(partners, transfer, host, run);
  }
  std::vector<int32_t> gone;
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i].collective == kLeaves) gone.push_back(of[i]);
  }
  if (!gone.empty()) {
    for (const int32_t rank : gone) left[static_cast<size_t>(rank)] = true;
    if (members.size > kNamedSize) left.assign(left.size(), true);  // all know, and gather no more
    throw gone_of(transfer, gone);
  }
  if (move.collective == kGiveUp) return {};  // whatever others do
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i].collective != kGiveUp) continue;
    refuse(transfer, TENON_E_PEER, of[i], "has given up what all were doing", words_of(ours),
           "a step that was given up", "the error of that process says why; the group goes on");
  }
  for (size_t i = 0; i < theirs.size(); ++i) {
    compare(transfer, ours, theirs[i], of[i], move.collective);
  }
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i].alike != ours.alike) compare_words(members, transfer, of[i], host, run);
  }
  return {int64_t{members.size - 1} * static_cast<int64_t>(sizeof(Told)), {}, {}, {}};
}

// Between two processes the first that the lower rank sends meets the first that the other one
// receives, and so on; then the other way round.
std::vector<size_t> meeting_order(const std::vector<Move>& moves, int32_t rank) {
  std::vector<size_t> order(moves.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto key = [&](size_t i) {
    const bool sends = moves[i].collective == TENON_COLLECTIVE_SEND;
    return std::pair(moves[i].peer, sends != (rank < moves[i].peer));
  };
  std::ranges::stable_sort(order, {}, key);
  return order;
}

// The first of each partner's moves, and the others.
struct Rounds {
  std::vector<Partner> partners[2];
  std::vector<size_t> moves[2];
};

Rounds rounds_of(const Transfer& transfer, int32_t rank) {
  Rounds rounds;
  int32_t before = -1;
  for (const size_t i : meeting_order(transfer.moves, rank)) {
    const Move& move = transfer.moves[i];
    const int round = move.peer == before ? 1 : 0;
    before = move.peer;
    rounds.moves[round].push_back(i);
    rounds.partners[round].push_back({move.peer, told_of(transfer, move),
                                      move.collective == TENON_COLLECTIVE_SEND
                                          ? TENON_COLLECTIVE_RECEIVE
                                          : TENON_COLLECTIVE_SEND});
  }
  return rounds;
}

// Of the first round: who has left, and is told and asked nothing more.
void take_leavers(const Transfer& transfer, const std::vector<Told>& theirs, Rounds& rounds,
                  Agreed& agreed, Left& left) {
  std::vector<int32_t> gone;
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i].collective != kLeaves) continue;
    gone.push_back(rounds.partners[0][i].rank);
    left[static_cast<size_t>(gone.back())] = true;
  }
  if (gone.empty()) return;
  agreed.gone = gone_of(transfer, gone);
  for (size_t i = rounds.partners[1].size(); i-- > 0;) {
    if (!left[static_cast<size_t>(rounds.partners[1][i].rank)]) continue;
    rounds.partners[1].erase(rounds.partners[1].begin() + static_cast<std::ptrdiff_t>(i));
    rounds.moves[1].erase(rounds.moves[1].begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (size_t i = 0; i < transfer.moves.size(); ++i) {
    if (left[static_cast<size_t>(transfer.moves[i].peer)]) agreed.parted[i] = true;
  }
}

Agreed agree_pairs(const tenon_members& members, Transfer& transfer, const tenon_device& host,
                   const Run& run, Left& left) {
  Rounds rounds = rounds_of(transfer, members.rank);
  Agreed agreed{0, std::vector<bool>(transfer.moves.size()), std::nullopt, std::nullopt};
  std::vector<Told> theirs = exchange(rounds.partners[0], transfer, host, run);
  take_leavers(transfer, theirs, rounds, agreed, left);
  std::vector<Partner> partners = std::move(rounds.partners[0]);
  std::vector<size_t> order = std::move(rounds.moves[0]);
  if (!rounds.partners[1].empty()) {
    const std::vector<Told> rest = exchange(rounds.partners[1], transfer, host, run);
    theirs.insert(theirs.end(), rest.begin(), rest.end());
    partners.insert(partners.end(), rounds.partners[1].begin(), rounds.partners[1].end());
    order.insert(order.end(), rounds.moves[1].begin(), rounds.moves[1].end());
  }
  agreed.bytes_sent = static_cast<int64_t>(partners.size() * sizeof(Told));
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (left[static_cast<size_t>(partners[i].rank)]) continue;
    try {
      compare(transfer, partners[i].ours, theirs[i], partners[i].rank, partners[i].collective);
    } catch (const Mismatch& mismatch) {
      agreed.parted[order[i]] = true;
      if (!agreed.first) agreed.first = mismatch;
    }
  }
  return agreed;
}

}  // namespace

Agreed agree(const tenon_members& members, Transfer& transfer, const tenon_device& host,
             const Run& run, Left& left) {
  if (members.size == 1) return {};
  return between_two(transfer.collective()) ? agree_pairs(members, transfer, host, run, left)
                                            : agree_all(members, transfer, host, run, left);
}

void tell_leaving(const tenon_members& members, const tenon_device& host, const Run& run,
                  const Left& left) {
  if (members.size > kNamedSize) return;  // by what all gather, which waits
  Told ours{};
  ours.collective = kLeaves;
  std::vector<tenon_transfer_desc> moves;
  for (int32_t rank = 0; rank < members.size; ++rank) {
    if (rank == members.rank || left[static_cast<size_t>(rank)]) continue;
    moves.push_back(bytes_move(TENON_COLLECTIVE_SEND, host, rank, &ours, nullptr));
  }
  std::vector<uint8_t> done(moves.size());
  if (!moves.empty()) run(moves, done);
}

void gather_leaving(const tenon_members& members, const tenon_device& host, const Run& run,
                    const Left& left) {
  if (members.size <= kNamedSize || left[0]) return;
  Told ours{};
  ours.collective = kLeaves;
  std::vector<Told> theirs(static_cast<size_t>(members.size));
  const tenon_transfer_desc all =
      bytes_move(TENON_COLLECTIVE_ALL_GATHER, host, 0, &ours, theirs.data());
  uint8_t done = 0;
  run({&all, 1}, {&done, 1});
}

}  // namespace tenon::processes
