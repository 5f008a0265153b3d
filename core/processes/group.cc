// SPDX-License-Identifier: Apache-2.0
// core/processes/group.cc: joining, parting, and transfers one after the other.
#include "core/processes/group.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "core/base/words.h"
#include "core/data/callback.h"
#include "core/launch/moves.h"
#include "core/processes/ends.h"
#include "core/processes/sums.h"
#include "core/trace/recorder.h"

namespace tenon::processes {

using Clock = std::chrono::steady_clock;

namespace {

// The groups of a runtime that somebody holds.
class Groups final : public Kept {
 public:
  static Groups& of(Runtime& runtime) {
    static std::mutex making;
    const std::lock_guard lock(making);
    if (!runtime.groups) runtime.groups.reset(new Groups);
    return static_cast<Groups&>(*runtime.groups);
  }
  int64_t add(const std::shared_ptr<Group>& group) {
    const std::lock_guard lock(mutex_);
    std::erase_if(held_, [](const auto& each) { return each.second.expired(); });
    held_.emplace(++last_, group);
    return last_;
  }
  std::shared_ptr<Group> find(int64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(number);
    return found == held_.end() ? nullptr : found->second.lock();
  }

 private:
  mutable std::mutex mutex_;
  std::map<int64_t, std::weak_ptr<Group>> held_;
  int64_t last_ = 0;
};

void check_members(const registry::Entry& kind, const tenon_members& members) {
  if (members.size >= 1 && members.rank >= 0 && members.rank < members.size) return;
  fail_plugin(kind.name, kind.plugin->id, "gives a rank that the group cannot have", "out_members",
              "a rank from 0 to size - 1",
              "rank " + std::to_string(members.rank) + " of " + std::to_string(members.size));
}

const Ref& sent_of(const Move& move) { return move.packed_input ? move.packed_input : move.input; }
const Ref& got_of(const Move& move) {
  return move.packed_output ? move.packed_output : move.output;
}
void* data_of(const Ref& tensor) { return tensor ? tensor->view.data : nullptr; }

tenon_transfer_desc desc_of(const Move& move, uint32_t collective, int64_t count, const void* from,
                            void* to) {
  return {collective, move.peer, move.device->id, move.agreed.dtype, 0, count, from, to};
}

// Elements that this process sends to others.
int64_t sent_by(const tenon_transfer_desc& what, const tenon_members& members) {
  const int64_t others = members.size - 1;
  switch (what.collective) {
    case TENON_COLLECTIVE_SEND:
      return what.count;
    case TENON_COLLECTIVE_BROADCAST:
      return what.from ? others * what.count : 0;
    case TENON_COLLECTIVE_ALL_GATHER:
    case TENON_COLLECTIVE_ALL_TO_ALL:
    case TENON_COLLECTIVE_REDUCE_SCATTER:
      return others * what.count;
    case TENON_COLLECTIVE_ALL_REDUCE:  // as the best ones do it
      return 2 * others * what.count / members.size;
    default:
      return 0;
  }
}

// What a trace shows of a transfer.
std::string shown_of(const Transfer& transfer, int64_t group) {
  if (!transfer.runtime()->trace.active()) return {};
  int64_t bytes = 0;
  for (const Move& move : transfer.moves) {
    if (!move.device) continue;  // a barrier
    bytes += tensor::count(tensor::shape_of(move.agreed)) * tensor::size_of(move.agreed.dtype);
  }
  return "{\"group\":" + std::to_string(group) +
         ",\"transfer\":" + std::to_string(transfer.sequence) +
         ",\"bytes\":" + std::to_string(bytes) + "}";
}

}  // namespace

// Asks an engine for what has to be done within `timeout` milliseconds from now.
static Run run_of(const Engine& engine, Context& context, void* object, int64_t timeout) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout);
  return [&engine, &context, object, deadline](std::span<const tenon_transfer_desc> what,
                                               std::span<uint8_t> done) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    data::run_callback(context, engine.kind(), "run", [&](tenon_call* call) {
      return engine.desc().run(call, object, what.data(), static_cast<uint32_t>(what.size()),
                               std::max<int64_t>(left, 1), done.data());
    });
  };
}

// Leaving a large group takes as long as the others take; engines count milliseconds in 32 bits.
constexpr int64_t kAsLongAsItTakes = int64_t{20} * 24 * 3600 * 1000;

// A group that is released keeps this until all of its engine's are.
struct Group::Seat {
  explicit Seat(Engine* of) : engine(of) {}
  ~Seat() { release(); }

  Engine* engine;
  void* object = nullptr;
  tenon_members members{0, 1};
  Left left;

  void end(bool waits) noexcept {
    try {
      const Run run = run_of(*engine, engine->context(), object, kAsLongAsItTakes);
      const tenon_device host = engine->runtime().host_device().id;
      if (object) (waits ? gather_leaving : tell_leaving)(members, host, run, left);
    } catch (...) {  // others are gone, or memory is: nobody is left to whom it matters
      release();
    }
    if (waits) release();
  }
  void release() noexcept {
    if (object) engine->desc().release(object);
    object = nullptr;
  }
};

Group::Group(std::shared_ptr<Engine> engine, int64_t timeout)
    : engine_(std::move(engine)), seat_(std::make_shared<Seat>(engine_.get())), timeout_(timeout) {
  leave_.emplace_back([this] { leave(); });
  rest_.emplace_back([seat = seat_](bool waits) { seat->end(waits); });
}

// After all transfers that were begun.
Group::~Group() {
  finish();
  Engine::drop(std::move(engine_));
}

void Group::finish() noexcept {
  if (!leave_.empty()) engine_->call_plain(std::move(leave_));
}

void Group::leave() noexcept {
  seat_->object = std::exchange(object_, nullptr);
  if (members_.size == 1 || mute_) return seat_->release();
  seat_->members = members_;
  seat_->left = std::move(left_);
  engine_->keep(std::move(rest_));
}

void Group::end_others(int32_t status, std::string_view words) noexcept {
  say_end(members_, words);
  const auto ends = engine_->desc().abort;
  if (object_ && ends) ends(object_, status);
}

void Group::end_program(int32_t status, std::string_view words) {
  engine_->refuse_forked();
  end_others(status, words);
  end_process(status);
}

bool Group::is_here() const { return engine_->is_here(); }

void Group::end_engine() noexcept { engine_->end(); }

std::shared_ptr<Group> Group::give(std::shared_ptr<Group> made) {
  check_members(made->engine_->kind(), made->members_);
  made->left_.resize(static_cast<size_t>(made->members_.size));
  made->number_ = Groups::of(made->engine_->runtime()).add(made);
  finish_at_exit(made);
  return made;
}

std::shared_ptr<Group> Group::join(Context& context, const registry::Entry& kind,
                                   std::span<const data::NamedValue> options, int64_t timeout,
                                   const data::MakeWorkerContext& make) {
  if (timeout == 0) timeout = kDefaultTimeout;
  const auto engine = std::make_shared<Engine>(context, kind, make);
  const registry::ValueStore values =
      data::read_options(kind.name, data::options_of(engine->desc()), options);
  std::shared_ptr<Group> made(new Group(engine, timeout));
  engine->call([&](Context& cx) {
    data::run_callback(cx, kind, "create", [&](tenon_call* call) {
      return engine->desc().create(call, values.values().data(), timeout, &made->object_,
                                   &made->members_);
    });
  });
  std::shared_ptr<Group> group = give(std::move(made));
  const auto& [rank, size] = group->members_;
  engine->runtime().trace.set_process_name("rank " + std::to_string(rank) + " of " +
                                           std::to_string(size));
  return group;
}

std::shared_ptr<Group> Group::split(int32_t color, int32_t key) {
  if (color < 0) {
    fail(TENON_E_ARGUMENT, "split: a color is 0 or more", "color", "at least 0",
         std::to_string(color));
  }
  std::shared_ptr<Group> made(new Group(engine_, timeout_));
  engine_->call([&](Context& cx) {
    require_whole("split");
    try {
      Move move;
      move.collective = kSplit;
      Transfer all(*cx.runtime, {move}, false, timeout_);
      all.sequence = ++sequence_;
      agree(members_, all, cx.runtime->host_device().id, run_of(*engine_, cx, object_, timeout_),
            left_);
      data::run_callback(cx, engine_->kind(), "split", [&](tenon_call* call) {
        return engine_->desc().split(call, object_, color, key, timeout_, &made->object_,
                                     &made->members_);
      });
    } catch (const Mismatch&) {
      throw;
    } catch (const Gone& error) {
      break_with(error, nullptr);
      throw;
    } catch (const Error& error) {
      mute_ = true;
      break_with(error, nullptr);
      throw;
    }
  });
  return give(std::move(made));
}

std::shared_ptr<Group> Group::find(Runtime& runtime, int64_t number) {
  if (std::shared_ptr<Group> group = Groups::of(runtime).find(number)) return group;
  fail(TENON_E_ATTRIBUTE, "there is no group of processes with this number", "group",
       "0, or the number of a group that is held", std::to_string(number),
       "keep the group as long as ops use it; tenon_group_get_info has its number");
}

std::shared_ptr<Transfer> Group::begin(Context& context, std::vector<Request> requests,
                                       int64_t timeout) {
  if (requests.empty()) {
    fail(TENON_E_ARGUMENT, "a transfer has at least one request", "n_requests", "at least 1", "0");
  }
  // Also if this fails: it was said of this transfer.
  const bool pair = between_two(requests[0].collective);
  std::shared_ptr<const std::string> alike = pair ? nullptr : std::exchange(alike_, nullptr);
  const tenon_collective_desc& desc = engine_->desc();
  bool sums_fast = context.arithmetic == TENON_ARITHMETIC_FAST && is_sum(requests[0].collective);
  if (sums_fast && requests[0].input) {
    const auto sums = base::words_of(registry::text_view(desc.sums));
    sums_fast =
        std::ranges::find(sums, tensor::name_of(requests[0].input->view.dtype)) != sums.end();
  }
  std::vector<Move> moves = moves_of(context, desc, members_, std::move(requests), sums_fast);
  engine_->refuse_forked();
  // Not after it was posted: the engine's thread may write, too.
  for (const Move& move : moves) {
    if (move.output) move.output->storage->written(nullptr, context.scope_path());
  }
  auto transfer = std::make_shared<Transfer>(*context.runtime, std::move(moves), sums_fast,
                                             timeout == 0 ? timeout_ : timeout);
  transfer->step = step_;
  transfer->alike = std::move(alike);
  post(transfer);
  return transfer;
}

void Group::post(const std::shared_ptr<Transfer>& transfer) {
  engine_->post([this, transfer](Context& cx) { run(cx, *transfer); },
                [transfer](const Error* error) { transfer->finish(error); });
}

// ---- Steps --------------------------------------------------------------------------------------

uint64_t Group::begin_step(const std::string& alike) {
  expect(alike);
  step_ = ++last_step_;
  return step_;
}

void Group::end_step(uint64_t step) noexcept {
  if (step_ == step) step_ = 0;
}

void Group::expect(const std::string& alike) {
  alike_ = std::make_shared<const std::string>(alike_ ? *alike_ + alike : alike);
}

void Group::give_up(Context& context, uint64_t step) noexcept {
  end_step(step);
  alike_.reset();
  try {
    std::vector<Move> moves(1);
    moves[0].collective = kGiveUp;
    const auto transfer =
        std::make_shared<Transfer>(*context.runtime, std::move(moves), false, timeout_);
    transfer->step = step;
    post(transfer);
  } catch (...) {
    // It is given up here all the same.
  }
}

void Group::require_whole(const std::string& words) {
  const std::lock_guard lock(mutex_);
  if (!failure_) return;
  throw Error{.status = TENON_E_STATE,
              .message = words + ": the group has failed before, and is of no more use",
              .op = engine_->kind().name,
              .operand = "group",
              .expected = "a group that has not failed",
              .found = failure_->message,
              .hint = "end the program, and begin again from the last checkpoint",
              .causes = {failure_->message}};
}

// What is under way may be written or read as long as the process lives: its memory stays.
void Group::break_with(const Error& error, Transfer* transfer) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
  } catch (...) {
    failure_.emplace();
  }
  if (!transfer) return;
  for (Move& move : transfer->moves) {
    for (Ref* held : {&move.input, &move.output, &move.packed_input, &move.packed_output,
                      &move.padded, &move.rows}) {
      if (*held) (*held)->storage->retain();
    }
  }
}

void Group::run(Context& context, Transfer& transfer) {
  if (transfer.step != 0 && transfer.step == failed_step_) throw Mismatch(*failed_with_);
  const bool pair = between_two(transfer.collective());
  if (!pair) transfer.sequence = ++sequence_;
  require_whole(transfer.words());
  const std::string shown = shown_of(transfer, number_);
  const trace::Span span(engine_->runtime().trace, name_of(transfer.collective()), "transfer",
                         shown);
  try {
    make(context, transfer);
  } catch (const Mismatch& mismatch) {
    // All of them know: what else was begun in this step nobody makes.
    if (transfer.step != 0 && !pair) {
      failed_step_ = transfer.step;
      failed_with_ = mismatch;
    }
    throw;
  } catch (const Gone& error) {
    break_with(error, nullptr);
    throw;
  } catch (Error& error) {
    mute_ = true;
    if (error.op != name_of(transfer.collective())) {
      error.message = transfer.words() + ": " + error.message;
    }
    break_with(error, &transfer);
    throw;
  } catch (...) {
    mute_ = true;
    break_with({.status = TENON_E_MEMORY, .message = "memory ran out in " + transfer.words()},
               &transfer);
    throw;
  }
}

void Group::make(Context& context, Transfer& transfer) {
  const Run run = run_of(*engine_, context, object_, transfer.timeout);
  // How long others have let this process wait, mostly.
  std::optional<trace::Span> agreeing(std::in_place, context.runtime->trace, "agree", "transfer");
  const Agreed agreed = agree(members_, transfer, context.runtime->host_device().id, run, left_);
  agreeing.reset();
  for (Move& move : transfer.moves) {
    if (move.packed_input) launch::copy_into(context, *move.input, *move.packed_input);
  }
  int64_t bytes = 0;
  const Send send = [&](const std::vector<tenon_transfer_desc>& what) {
    // An engine moves what is there: what was enqueued here since the transfer began must be done.
    for (const Move& move : transfer.moves) {
      if (move.packed_input || move.padded || move.rows) move.device->wait(context.id);
    }
    std::vector<uint8_t> done(what.size());
    run(what, done);
    for (const tenon_transfer_desc& each : what) {
      bytes += sent_by(each, members_) * tensor::size_of(each.dtype);
    }
  };
  const Move& first = transfer.moves[0];
  if (first.collective == kGiveUp) return;
  if (first.rows) {
    move_sum(context, first, send);
  } else {
    move_plain(context, transfer, agreed.parted, send);
  }
  for (size_t i = 0; i < transfer.moves.size(); ++i) {
    Move& each = transfer.moves[i];
    const bool made = agreed.parted.empty() || !agreed.parted[i];
    if (made && each.packed_output) launch::copy_into(context, *each.packed_output, *each.output);
  }
  {
    const std::lock_guard lock(mutex_);
    bytes_agreed_ += agreed.bytes_sent;
    bytes_sent_ += bytes;
    if (!agreed.first) ++transfers_;
  }
  if (agreed.gone) throw Gone(*agreed.gone);
  if (agreed.first) throw Mismatch(*agreed.first);
}

// Memory as it is; or sums as the engine makes them.
void Group::move_plain(Context& context, Transfer& transfer, const std::vector<bool>& parted,
                       const Send& send) const {
  std::vector<tenon_transfer_desc> what;
  for (size_t i = 0; i < transfer.moves.size(); ++i) {
    const Move& move = transfer.moves[i];
    if (move.count == 0 || (!parted.empty() && parted[i])) continue;
    const void* from = data_of(sent_of(move));
    void* to = data_of(got_of(move));
    if (move.padded) {  // in place
      launch::copy_into(context, *tensor::elements(*sent_of(move), 0, move.count), *move.padded);
      from = move.padded->view.data;
    }
    if (move.collective == TENON_COLLECTIVE_BROADCAST && from) {
      if (from != to) launch::copy_into(context, *sent_of(move), *got_of(move));
      to = nullptr;
    }
    what.push_back(desc_of(move, move.collective, move.count, from, to));
  }
  if (!what.empty()) send(what);
}

// Each process sums its part of all, in the order of the ranks.
void Group::move_sum(Context& context, const Move& move, const Send& send) const {
  if (move.count == 0) return;
  const Ref sent = tensor::elements(*sent_of(move), 0, sent_of(move)->elements());
  const Ref got = tensor::elements(*got_of(move), 0, move.count);
  Tensor* padded = move.padded.get();
  if (padded) {
    const int64_t spare = padded->shape_[0] - move.count;
    launch::copy_into(context, *sent, *tensor::elements(*padded, 0, move.count));
    launch::fill(context, *tensor::elements(*padded, move.count, spare), {TENON_VALUE_F64, 0, {}});
  }
  const void* const from = (padded ? *padded : *sent).view.data;
  send({desc_of(move, TENON_COLLECTIVE_ALL_TO_ALL, move.part, from, move.rows->view.data)});
  sum_rows(context, *move.rows);
  const Ref sum = tensor::elements(*move.rows, 0, move.part);
  if (move.collective == TENON_COLLECTIVE_REDUCE_SCATTER) {
    launch::copy_into(context, *sum, *got);
    return;
  }
  void* const to = (padded ? *padded : *got).view.data;
  send({desc_of(move, TENON_COLLECTIVE_ALL_GATHER, move.part, sum->view.data, to)});
  if (padded) launch::copy_into(context, *tensor::elements(*padded, 0, move.count), *got);
}

tenon_group_info Group::info() const {
  tenon_group_info info{};
  info.number = number_;
  info.rank = members_.rank;
  info.size = members_.size;
  const std::lock_guard lock(mutex_);
  info.transfers = transfers_;
  info.bytes_sent = bytes_sent_;
  info.bytes_agreed = bytes_agreed_;
  return info;
}

}  // namespace tenon::processes
