// SPDX-License-Identifier: Apache-2.0
// core/processes/group.h: a group of processes, as a public handle. Knows no engine.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/data/options.h"
#include "core/processes/agree.h"
#include "core/processes/ends.h"
#include "core/processes/engine.h"
#include "core/processes/transfer.h"

namespace tenon::processes {

class Group final : public Leavable {
 public:
  static constexpr int64_t kDefaultTimeout = 600'000;  // milliseconds

  // All processes of the program, when they have joined. Throws what joining them reports.
  static std::shared_ptr<Group> join(Context& context, const registry::Entry& kind,
                                     std::span<const data::NamedValue> options, int64_t timeout,
                                     const data::MakeWorkerContext& make);
  std::shared_ptr<Group> split(int32_t color, int32_t key);
  ~Group();

  // The group that has this number in the runtime. Throws TENON_E_ATTRIBUTE if there is none.
  static std::shared_ptr<Group> find(Runtime& runtime, int64_t number);

  // timeout  0: the group's
  std::shared_ptr<Transfer> begin(Context& context, std::vector<Request> requests, int64_t timeout);

  // Transfers from here on are those of a step, until it ends or is given up. Lines of words that
  // all processes have to have alike go with the first that all take part in. Returns its number.
  uint64_t begin_step(const std::string& alike);
  void end_step(uint64_t step) noexcept;
  // Further lines for the next transfer that all take part in, which need not be one of a step.
  void expect(const std::string& alike);
  // The others are told in their next transfer. What was begun in the step has no effect; nor has
  // this, if all know already. Waits for nobody. Without memory they wait until their time is over.
  void give_up(Context& context, uint64_t step) noexcept;

  const tenon_members& members() const override { return members_; }
  int64_t number() const { return number_; }
  tenon_group_info info() const;
  // Ends all processes of the program; does not return. No memory is needed.
  [[noreturn]] void end_program(int32_t status, std::string_view words);
  void end_others(int32_t status, std::string_view words) noexcept override;
  void finish() noexcept override;
  void end_engine() noexcept override;
  bool is_here() const override;
  Runtime* runtime() const { return &engine_->runtime(); }

 private:
  // Without the engine's object, which is made when all else is there.
  Group(std::shared_ptr<Engine> engine, int64_t timeout);
  static std::shared_ptr<Group> give(std::shared_ptr<Group> made);

  void post(const std::shared_ptr<Transfer>& transfer);
  // In the engine's thread.
  void run(Context& context, Transfer& transfer);
  void make(Context& context, Transfer& transfer);
  // Asks the engine, and counts what is sent.
  using Send = std::function<void(const std::vector<tenon_transfer_desc>&)>;
  void move_plain(Context& context, Transfer& transfer, const std::vector<bool>& parted,
                  const Send& send) const;
  void move_sum(Context& context, const Move& move, const Send& send) const;
  void require_whole(const std::string& words);
  void break_with(const Error& error, Transfer* transfer) noexcept;
  void leave() noexcept;

  std::shared_ptr<Engine> engine_;
  void* object_ = nullptr;
  Engine::Task leave_;  // made with the group, as the next two: leaving it cannot fail
  Engine::Rest rest_;
  struct Seat;  // what is kept of it then
  std::shared_ptr<Seat> seat_;
  tenon_members members_{0, 1};
  Left left_;          // the engine's thread's alone, as the next one
  bool mute_ = false;  // the engine has failed in it: it is asked nothing more
  const int64_t timeout_;
  int64_t number_ = 0;
  uint64_t last_step_ = 0;
  uint64_t step_ = 0;  // that runs; 0: none
  std::shared_ptr<const std::string> alike_;
  // In the engine's thread: transfers that all take part in, so far, and the step that has failed
  // in all processes, with what its transfers end with.
  int64_t sequence_ = 0;
  uint64_t failed_step_ = 0;
  std::optional<Mismatch> failed_with_;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Error> failure_;
  int64_t transfers_ = 0;
  int64_t bytes_sent_ = 0;
  int64_t bytes_agreed_ = 0;
};

}  // namespace tenon::processes
