// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/collectives.cc: engines that move memory among processes. Every process runs the
// kit, started as the engine wants it (`mpirun -n 4 tenon verify tenon.mpi`), and each says what it
// has found: what arrives, what else is written, who is in a part of a group, and that nobody waits
// for ever.
#include <tenon/ext/draft/processes.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "kinds/checks.h"
#include "kinds/part_checks.h"

namespace tenon::verify {
namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

struct ReleaseGroup {
  void operator()(tenon_group* group) const { tenon_group_release(group); }
};
using Group = std::unique_ptr<tenon_group, ReleaseGroup>;

struct ReleaseTransfer {
  void operator()(tenon_transfer* transfer) const { tenon_transfer_release(transfer); }
};

constexpr int64_t kTimeout = 10'000;    // milliseconds, of what ought to come
constexpr int64_t kShortTimeout = 400;  // of what does not
constexpr size_t kGuard = 64;           // bytes on both sides of an output
constexpr uint8_t kGuardByte = 0xA5;

// What rank `rank` sends: every byte tells whose it is and where.
Bytes sent_by(int rank, size_t bytes, uint64_t seed) {
  Bytes data(bytes);
  uint64_t state = seed * 0x9E3779B97F4A7C15U + static_cast<uint64_t>(rank) * 0xD1B54A32D192ED03U;
  for (uint8_t& byte : data) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<uint8_t>(state >> 56);
  }
  return data;
}

// A tensor in the middle of memory that nobody may touch.
class Guarded {
 public:
  Guarded(const tools::Session& session, tenon_dtype dtype, std::vector<int64_t> shape,
          const Bytes& data)
      : session_(session), bytes_(data.size()) {
    Bytes all(data.size() + 2 * kGuard, kGuardByte);
    std::copy(data.begin(), data.end(), all.begin() + kGuard);
    const size_t width = sdk::size_of(dtype);
    const int64_t count = static_cast<int64_t>(all.size() / width);
    tenon_tensor* base = nullptr;
    session.check(tenon_tensor_create_from(session.context(), dtype, nullptr, 1, &count, all.data(),
                                           all.size(), &base));
    base_.reset(base);
    std::vector<int64_t> strides(shape.size());
    int64_t step = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      strides[i] = step;
      step *= shape[i];
    }
    tenon_tensor* view = nullptr;
    session.check(tenon_tensor_create_view(
        session.context(), base, static_cast<int32_t>(shape.size()), shape.data(), strides.data(),
        static_cast<int64_t>(kGuard / width), &view));
    view_.reset(view);
  }

  tenon_tensor* get() const { return view_.get(); }
  Bytes read() const {
    Bytes all(bytes_ + 2 * kGuard);
    session_.check(tenon_tensor_get_data(session_.context(), base_.get(), all.data(), all.size()));
    intact_ = std::all_of(all.begin(), all.begin() + kGuard, is_guard) &&
              std::all_of(all.end() - kGuard, all.end(), is_guard);
    return {all.begin() + kGuard, all.end() - kGuard};
  }
  bool intact() const { return intact_; }  // at the last read

 private:
  static bool is_guard(uint8_t byte) { return byte == kGuardByte; }

  const tools::Session& session_;
  size_t bytes_;
  Tensor base_;
  Tensor view_;
  mutable bool intact_ = true;
};

class CollectiveChecks : PartChecks {
 public:
  CollectiveChecks(Subject& subject, Recorder& recorder, const Request& request, const Json& entry)
      : PartChecks(subject, recorder, entry), entry_(entry), request_(request) {}

  void check();

 private:
  struct Asked {
    uint32_t collective;
    tenon_tensor* input;
    tenon_tensor* output;
    int32_t peer = 0;
  };

  void declared();
  bool join();
  tenon_status move(tenon_group* group, const std::vector<Asked>& asked, int64_t timeout) const;
  void must(const std::vector<Asked>& asked) const { session_.check(move(group_.get(), asked, 0)); }
  std::optional<Finding> compare(const Guarded& output, const Bytes& expected,
                                 const std::string& what) const;
  std::optional<Finding> kept(const Guarded& input, const Bytes& given) const;

  std::optional<Finding> moved(uint32_t collective, const std::string& dtype, int64_t count,
                               int32_t root) const;
  std::optional<Finding> pairs(int64_t count) const;
  std::optional<Finding> overtaking() const;
  std::optional<Finding> summed(const std::string& dtype, int64_t count, bool all) const;
  std::optional<Finding> parted() const;
  std::optional<Finding> one_part(int32_t color, int32_t key) const;
  std::optional<Finding> mismatched() const;
  std::optional<Finding> late() const;

  const Json& entry_;
  const Request& request_;
  Group group_;
  int rank_ = 0;
  int size_ = 1;
};

void CollectiveChecks::declared() {
  each_case(0, Form::Declared, "", [&]() -> std::optional<Finding> {
    if (entry_.at("doc").get<std::string>().empty()) {
      return Finding{&causes::kNoDocumentation, "its `doc` is empty"};
    }
    for (const Json& each : entry_.at("options")) {
      if (!each.at("doc").get<std::string>().empty()) continue;
      return Finding{&causes::kNoDocumentation,
                     each.at("name").get<std::string>() + " has an empty `doc`"};
    }
    return std::nullopt;
  });
}

bool CollectiveChecks::join() {
  bool joined = false;
  each_case(0, Form::Returned, "join", [&]() -> std::optional<Finding> {
    tenon_group* group = nullptr;
    session_.check(tenon_group_create(session_.context(), name_.data(), name_.size(), nullptr,
                                      nullptr, 0, kTimeout, &group));
    group_.reset(group);
    tenon_group_info info{};
    info.struct_size = sizeof info;
    session_.check(tenon_group_get_info(session_.context(), group, &info));
    rank_ = info.rank;
    size_ = info.size;
    joined = true;
    return std::nullopt;
  });
  return joined;
}

tenon_status CollectiveChecks::move(tenon_group* group, const std::vector<Asked>& asked,
                                    int64_t timeout) const {
  std::vector<tenon_transfer_request> requests;
  for (const Asked& each : asked) {
    requests.push_back(
        {sizeof(tenon_transfer_request), 0, each.collective, each.peer, each.input, each.output});
  }
  std::vector<const tenon_transfer_request*> pointers;
  for (const tenon_transfer_request& each : requests) pointers.push_back(&each);
  tenon_transfer* transfer = nullptr;
  const tenon_status begun =
      tenon_group_begin(session_.context(), group, pointers.data(),
                        static_cast<uint32_t>(pointers.size()), timeout, &transfer);
  if (begun != TENON_OK) return begun;
  const std::unique_ptr<tenon_transfer, ReleaseTransfer> owned(transfer);
  return tenon_transfer_end(session_.context(), transfer);
}

std::optional<Finding> CollectiveChecks::compare(const Guarded& output, const Bytes& expected,
                                                 const std::string& what) const {
  const Bytes found = output.read();
  if (!output.intact()) {
    return Finding{&causes::kOverrun, what + ": bytes beside the output were written"};
  }
  const auto at = std::mismatch(expected.begin(), expected.end(), found.begin()).first;
  if (at == expected.end()) return std::nullopt;
  const auto place = static_cast<size_t>(at - expected.begin());
  const bool tail = std::equal(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(place),
                               found.begin()) &&
                    place * 8 >= expected.size() * 7;
  return Finding{tail ? &causes::kSkippedTail : &causes::kWrongValue,
                 what + " in rank " + std::to_string(rank_) + " of " + std::to_string(size_) +
                     ": byte " + std::to_string(place) + " of " + std::to_string(expected.size()) +
                     " is " + std::to_string(found[place]) + ", expected " + std::to_string(*at)};
}

std::optional<Finding> CollectiveChecks::kept(const Guarded& input, const Bytes& given) const {
  if (input.read() == given && input.intact()) return std::nullopt;
  return Finding{&causes::kInputChanged, "the input, or memory beside it, was written"};
}

// Collectives that move what is there.
std::optional<Finding> CollectiveChecks::moved(uint32_t collective, const std::string& dtype_name,
                                               int64_t count, int32_t root) const {
  const tenon_dtype dtype = sdk::sample_dtype(dtype_name);
  const size_t part = static_cast<size_t>(count) * sdk::size_of(dtype);
  const auto n = static_cast<size_t>(size_);
  const bool rows = collective == TENON_COLLECTIVE_ALL_TO_ALL;
  const Bytes mine = sent_by(rank_, rows ? n * part : part, request_.seed);
  Bytes expected;
  for (int rank = 0; rank < size_; ++rank) {
    if (collective == TENON_COLLECTIVE_BROADCAST && rank != root) continue;
    const Bytes theirs = sent_by(rank, rows ? n * part : part, request_.seed);
    const size_t begin = rows ? static_cast<size_t>(rank_) * part : 0;
    expected.insert(expected.end(), theirs.begin() + static_cast<ptrdiff_t>(begin),
                    theirs.begin() + static_cast<ptrdiff_t>(begin + part));
  }
  const std::vector<int64_t> one = {count};
  const std::vector<int64_t> all = {size_, count};
  const Guarded input(session_, dtype, rows ? all : one, mine);
  const Guarded output(session_, dtype, collective == TENON_COLLECTIVE_BROADCAST ? one : all,
                       Bytes(expected.size(), 0x5C));
  const bool sends = collective != TENON_COLLECTIVE_BROADCAST || rank_ == root;
  must({{collective, sends ? input.get() : nullptr, output.get(), root}});
  if (auto finding = compare(output, expected, "what arrives")) return finding;
  return kept(input, mine);
}

// Each sends to each other, all at once.
std::optional<Finding> CollectiveChecks::pairs(int64_t count) const {
  const auto bytes = static_cast<size_t>(count);
  std::vector<std::unique_ptr<Guarded>> inputs;
  std::vector<std::unique_ptr<Guarded>> outputs;
  std::vector<Asked> asked;
  const auto between = [&](int from, int to) {
    return sent_by(from, bytes, request_.seed + static_cast<uint64_t>(to) * 31);
  };
  for (int peer = 0; peer < size_; ++peer) {
    const Bytes nothing(bytes, 0x5C);
    inputs.push_back(std::make_unique<Guarded>(session_, TENON_DTYPE_U8, std::vector{count},
                                               between(rank_, peer)));
    outputs.push_back(
        std::make_unique<Guarded>(session_, TENON_DTYPE_U8, std::vector{count}, nothing));
    if (peer == rank_) continue;
    asked.push_back({TENON_COLLECTIVE_SEND, inputs.back()->get(), nullptr, peer});
    asked.push_back({TENON_COLLECTIVE_RECEIVE, nullptr, outputs.back()->get(), peer});
  }
  must(asked);
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    const auto place = static_cast<size_t>(peer);
    if (auto finding = compare(*outputs[place], between(peer, rank_), "what a pair sends")) {
      return finding;
    }
    if (auto finding = kept(*inputs[place], between(rank_, peer))) return finding;
  }
  return std::nullopt;
}

// Two messages of one pair arrive in their order, a short one after a long one.
std::optional<Finding> CollectiveChecks::overtaking() const {
  if (rank_ > 1) return std::nullopt;
  const int64_t counts[] = {300'000, 8};
  std::vector<Asked> asked;
  std::vector<std::unique_ptr<Guarded>> held;
  std::vector<Bytes> expected;
  for (size_t i = 0; i < 2; ++i) {
    expected.push_back(sent_by(0, static_cast<size_t>(counts[i]), request_.seed + i));
    held.push_back(
        std::make_unique<Guarded>(session_, TENON_DTYPE_U8, std::vector{counts[i]},
                                  rank_ == 0 ? expected[i] : Bytes(expected[i].size(), 0x5C)));
    if (rank_ == 0) asked.push_back({TENON_COLLECTIVE_SEND, held[i]->get(), nullptr, 1});
    if (rank_ == 1) asked.push_back({TENON_COLLECTIVE_RECEIVE, nullptr, held[i]->get(), 0});
  }
  must(asked);
  for (size_t i = 0; i < 2; ++i) {
    if (auto finding = compare(*held[i], expected[i], "message " + std::to_string(i))) {
      return finding;
    }
  }
  return std::nullopt;
}

int64_t number_at(const Bytes& bytes, const std::string& dtype, size_t i) {
  const auto as = [&]<class T>() {
    T number{};
    std::memcpy(&number, bytes.data() + i * sizeof(T), sizeof(T));
    return static_cast<int64_t>(number);
  };
  if (dtype == "f32") return as.operator()<float>();
  if (dtype == "f64") return as.operator()<double>();
  if (dtype == "i64") return as.operator()<int64_t>();
  if (dtype == "i32") return as.operator()<int32_t>();
  if (dtype == "i16") return as.operator()<int16_t>();
  if (dtype == "i8") return as.operator()<int8_t>();
  return as.operator()<uint8_t>();
}

Bytes numbers(const std::string& dtype, int rank, size_t count) {
  Bytes bytes(count * sdk::size_of(sdk::sample_dtype(dtype)));
  const auto fill = [&]<class T>() {
    for (size_t i = 0; i < count; ++i) {
      // Small whole numbers: every order gives one sum. i64: large ones, which no float holds.
      T number = static_cast<T>((static_cast<size_t>(rank) * 5 + i * 3) % 11);
      if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) number += T{1} << 55;
      std::memcpy(bytes.data() + i * sizeof(T), &number, sizeof(T));
    }
  };
  if (dtype == "f32") fill.operator()<float>();
  if (dtype == "f64") fill.operator()<double>();
  if (dtype == "i64") fill.operator()<int64_t>();
  if (dtype == "i32") fill.operator()<int32_t>();
  if (dtype == "i16") fill.operator()<int16_t>();
  if (dtype == "i8") fill.operator()<int8_t>();
  if (dtype == "u8") fill.operator()<uint8_t>();
  return bytes;
}

// The engine's own sums, of whole numbers, which are exact in any order.
std::optional<Finding> CollectiveChecks::summed(const std::string& dtype_name, int64_t count,
                                                bool all) const {
  const tenon_dtype dtype = sdk::sample_dtype(dtype_name);
  const auto rows = static_cast<size_t>(all ? 1 : size_);
  const auto each = static_cast<size_t>(count);
  const Bytes mine = numbers(dtype_name, rank_, rows * each);
  std::vector<Bytes> terms;
  for (int rank = 0; rank < size_; ++rank) {
    terms.push_back(numbers(dtype_name, rank, rows * each));
  }
  const Guarded input(session_, dtype,
                      all ? std::vector{count} : std::vector{int64_t{size_}, count}, mine);
  const Guarded output(session_, dtype, {count}, Bytes(each * sdk::size_of(dtype), 0x5C));
  session_.check(tenon_context_set_arithmetic(session_.context(), TENON_ARITHMETIC_FAST));
  const tenon_status status =
      move(group_.get(),
           {{all ? TENON_COLLECTIVE_ALL_REDUCE : TENON_COLLECTIVE_REDUCE_SCATTER, input.get(),
             output.get()}},
           0);
  session_.check(tenon_context_set_arithmetic(session_.context(), TENON_ARITHMETIC_CANONICAL));
  session_.check(status);
  const Bytes found = output.read();
  if (!output.intact()) return Finding{&causes::kOverrun, "bytes beside the sum were written"};
  for (size_t i = 0; i < each; ++i) {
    const size_t place = (all ? 0 : static_cast<size_t>(rank_) * each) + i;
    int64_t whole = 0;
    for (const Bytes& term : terms) {
      whole += number_at(term, dtype_name, place);
    }
    const int64_t sum = number_at(found, dtype_name, i);
    if (sum == whole) continue;
    return Finding{&causes::kWrongValue, "element " + std::to_string(i) + " of the sum in rank " +
                                             std::to_string(rank_) + " is " + std::to_string(sum) +
                                             ", expected " + std::to_string(whole)};
  }
  return kept(input, mine);
}

// Who is in a part, and that transfers of it stay in it.
std::optional<Finding> CollectiveChecks::one_part(int32_t color, int32_t key) const {
  tenon_group* made = nullptr;
  session_.check(tenon_group_split(session_.context(), group_.get(), color, key, &made));
  const Group part(made);
  tenon_group_info found{};
  found.struct_size = sizeof found;
  session_.check(tenon_group_get_info(session_.context(), made, &found));
  std::vector<int> members;  // in the order of the part
  for (int rank = size_ - 1; rank >= 0; --rank) {
    if (rank % 2 == color) members.push_back(rank);
  }
  const auto ours =
      static_cast<int32_t>(std::find(members.begin(), members.end(), rank_) - members.begin());
  if (found.size != static_cast<int32_t>(members.size()) || found.rank != ours) {
    return Finding{&causes::kWrongMembers,
                   "rank " + std::to_string(rank_) + " is " + std::to_string(found.rank) + " of " +
                       std::to_string(found.size) + " in its part, expected " +
                       std::to_string(ours) + " of " + std::to_string(members.size())};
  }
  const Bytes mine = sent_by(rank_, 33, request_.seed);
  Bytes expected;
  for (const int rank : members) {
    const Bytes theirs = sent_by(rank, 33, request_.seed);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
  }
  const Guarded input(session_, TENON_DTYPE_U8, {33}, mine);
  const Guarded output(session_, TENON_DTYPE_U8, {found.size, 33}, Bytes(expected.size(), 0x5C));
  session_.check(move(made, {{TENON_COLLECTIVE_ALL_GATHER, input.get(), output.get()}}, 0));
  return compare(output, expected, "what arrives in a part");
}

std::optional<Finding> CollectiveChecks::parted() const {
  // Even and odd ranks, each from the last to the first.
  if (auto finding = one_part(rank_ % 2, -rank_)) return finding;
  session_.check(move(group_.get(), {{TENON_COLLECTIVE_BARRIER, nullptr, nullptr}}, 0));
  return std::nullopt;
}

// The host tells of it; the engine must be of use afterwards.
std::optional<Finding> CollectiveChecks::mismatched() const {
  const int64_t count = rank_ == 0 ? 3 : 4;
  const Guarded x(session_, TENON_DTYPE_F32, {count}, Bytes(static_cast<size_t>(count) * 4));
  const tenon_status status =
      move(group_.get(), {{TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()}}, 0);
  if (status != TENON_E_SHAPE) {
    return Finding{&causes::kErrorStatus, std::string("processes with other shapes give ") +
                                              tenon_status_get_name(status) +
                                              ", expected TENON_E_SHAPE"};
  }
  must({{TENON_COLLECTIVE_BARRIER, nullptr, nullptr}});
  return std::nullopt;
}

// The last rank does not come. The group is of no more use then.
std::optional<Finding> CollectiveChecks::late() const {
  const auto begin = Clock::now();
  if (rank_ == size_ - 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(4 * kShortTimeout));
    // It hears what the others wanted, so that an engine has nothing open when it is left.
    const tenon_status heard =
        move(group_.get(), {{TENON_COLLECTIVE_BARRIER, nullptr, nullptr}}, 0);
    if (heard == TENON_E_PEER) return std::nullopt;
    return Finding{&causes::kLate, std::string("who comes late gets ") +
                                       tenon_status_get_name(heard) + ", expected TENON_E_PEER"};
  }
  const Guarded x(session_, TENON_DTYPE_F32, {4}, Bytes(16));
  const tenon_status status =
      move(group_.get(), {{TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()}}, kShortTimeout);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  tenon_error error{};
  error.struct_size = sizeof error;
  session_.check(tenon_context_get_error(session_.context(), &error));
  const std::string who = "rank " + std::to_string(size_ - 1);
  if (status != TENON_E_TIMEOUT || took.count() > 3 * kShortTimeout) {
    return Finding{&causes::kLate, who + " does not come: " + tenon_status_get_name(status) +
                                       " after " + std::to_string(took.count()) +
                                       " ms, expected TENON_E_TIMEOUT after " +
                                       std::to_string(kShortTimeout)};
  }
  if (error.operand == who) return std::nullopt;
  return Finding{&causes::kLate, "after a time-out " + who + " is missing, but `out_done` says: " +
                                     std::string(error.operand)};
}

void CollectiveChecks::check() {
  declared();
  if (!join()) return;
  const auto returned = [&](uint32_t number, const std::string& detail, auto&& body) {
    each_case(number, Form::Returned, detail, body);
  };
  std::vector<int64_t> counts = {0, 1, 1000};
  if (request_.level >= kValues) counts.push_back(100'003);
  if (request_.level >= kMatrix) counts.push_back(10'000'000);
  for (const char* dtype : {"bool", "u8", "i16", "f16", "f32", "f64"}) {
    for (const int64_t count : counts) {
      if (count > 1000 && std::string_view(dtype) != "f32") continue;
      const std::string what = std::string(dtype) + "+" + std::to_string(count);
      returned(1, "gather-" + what,
               [&] { return moved(TENON_COLLECTIVE_ALL_GATHER, dtype, count, 0); });
      returned(2, "exchange-" + what,
               [&] { return moved(TENON_COLLECTIVE_ALL_TO_ALL, dtype, count, 0); });
      for (const int32_t root : {0, size_ - 1}) {
        returned(3, "broadcast" + std::to_string(root) + "-" + what,
                 [&] { return moved(TENON_COLLECTIVE_BROADCAST, dtype, count, root); });
        if (size_ == 1) break;
      }
    }
  }
  for (const char* dtype : {"u8", "i8", "i16", "i32", "i64", "f32", "f64"}) {
    const std::string sums = " " + entry_.at("sums").get<std::string>() + " ";
    if (sums.find(" " + std::string(dtype) + " ") == std::string::npos) continue;
    for (const int64_t count : {1, 1000, 100'003}) {
      if (count > 1000 && std::string_view(dtype) != "f32") continue;
      const std::string what = std::string(dtype) + "+" + std::to_string(count);
      returned(4, "sum-" + what, [&] { return summed(dtype, count, true); });
      returned(5, "sum-parts-" + what, [&] { return summed(dtype, count, false); });
    }
  }
  if (size_ > 1) {
    for (const int64_t count : {1, 300'000}) {
      returned(6, "pairs+" + std::to_string(count), [&] { return pairs(count); });
    }
    returned(7, "pairs-in-order", [&] { return overtaking(); });
    returned(8, "split", [&] { return parted(); });
    each_case(9, Form::Error, "mismatch", [&] { return mismatched(); });
    each_case(10, Form::Error, "timeout", [&] { return late(); });
  }
}

}  // namespace

void check_collective(Subject& subject, Recorder& recorder, const Request& request,
                      const Json& collective) {
  CollectiveChecks(subject, recorder, request, collective).check();
}

}  // namespace tenon::verify
