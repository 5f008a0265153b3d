// SPDX-License-Identifier: Apache-2.0
// sdk/verify/child.cc: verify_child() of verify.h. The plugin may do here whatever it likes; the
// parent watches.
#include <cstdio>
#include <exception>
#include <map>

#include "backward/checks.h"
#include "child_process.h"
#include "extremes/checks.h"
#include "forward/checks.h"
#include "kinds/checks.h"
#include "process/board.h"
#include "process/order.h"
#include "report/matrix.h"
#include "verify.h"

namespace tenon::verify {

namespace {

using tools::send_line;

// The checks of an op in the order in which they are made: what is simple first, what is likely to
// end the process last.
constexpr void (*kOpChecks[])(Work&) = {
    check_declared, check_errors, check_values,  check_forms,  check_gradients, check_emptied,
    check_twice,    check_states, check_repeats, check_memory, check_huge,
};

// What a failure outside any case is about.
Case about(const Group& group) {
  Case none;
  none.op = group.name();
  none.form = Form::Declared;
  none.backend = group.backend;
  return none;
}

// A check that throws has met something it needs and was refused.
template <class Check>
void guarded(Recorder& recorder, const Group& group, const Check& check) {
  const auto note = [&](const std::string& reason) {
    const std::string words = reason + "; what this check would look at next was not run";
    if (recorder.running()) return recorder.fail(causes::kRefused, words);
    recorder.fail_outside(about(group), causes::kUnusable, words);
  };
  try {
    check();
  } catch (const Failure& failure) {
    note(failure.text);
  } catch (const std::exception& error) {
    note(error.what());
  }
}

void run_op(Subject& subject, Recorder& recorder, const Request& request, const Group& group) {
  const Entry& op = subject.entry(group.op);
  Work work{subject, recorder, request, op, group.backend};
  work.device = subject.device(group.backend);
  work.host_memory = subject.is_host_memory(group.backend);
  work.own_kernel = op.own_kernel(subject.id(), group.backend) != nullptr;
  recorder.set_partial(!work.host_memory);
  // What an op with an effect gives may depend on all that happened before.
  const bool repeatable = !op.has_flag("effect");
  if (!repeatable) recorder.uncovered(op.name, "results", "an op with an effect has no right ones");
  for (const auto check : kOpChecks) {
    const bool any_op = check == check_declared || check == check_errors || check == check_states;
    if (any_op || repeatable) guarded(recorder, group, [&] { check(work); });
  }
}

void run_group(Subject& subject, const Order& order, size_t index, Board* board) {
  const Group& group = order.groups[index];
  const Resume resume = index == 0 ? order.resume : Resume();
  send_line({{"group", index}});
  if (board != nullptr) board->enter(static_cast<uint32_t>(index));
  {
    Recorder recorder(order.request, resume, board);
    recorder.look_at_output(about(group), "while it was opened");
    guarded(recorder, group, [&] {
      if (group.op.empty()) {
        check_entry(subject, recorder, order.request, group.topic, group.entry);
      } else {
        run_op(subject, recorder, order.request, group);
      }
    });
    recorder.look_at_output(about(group), "after the last case");
  }
  send_line({{"done", index}});
}

// What there is to judge. Ops on devices that this machine lacks go to `absent`, by device.
Json entries_of(Subject& subject, std::map<std::string, Json>& absent) {
  Json entries = Json::array();
  for (const Entry& op : subject.entries()) {
    for (const std::string& backend : subject.backends_for(op)) {
      if (const std::string why = subject.why_absent(backend); !why.empty()) {
        absent[backend]["why"] = why;
        absent[backend]["ops"].push_back(op.name);
      } else {
        entries.push_back(facts_of(subject, op, backend));
      }
    }
  }
  for (const auto& [topic, list] : subject.parts()) {
    for (const Json& each : list) entries.push_back(json_of(Group{"", "", topic, each.at("name")}));
  }
  return entries;
}

}  // namespace

int verify_child(const Options& options, const std::string& text) {
  tools::limit_child();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // what is printed before a crash is seen
  const Order order = order_of(text);
  const BoardPage board(tools::kSharedDescriptor);
  send_line({{"phase", "opening the plugin"}});
  std::optional<Subject> subject;
  try {
    subject.emplace(options, order.plugin);
    if (order.groups.empty()) {
      std::map<std::string, Json> absent;
      const Json entries = entries_of(*subject, absent);
      send_line({{"entries", entries}, {"absent", absent}});
    }
  } catch (const Failure& failure) {
    send_line({{"refused", failure.text}});
    return tools::kFindings;
  }
  for (size_t i = 0; i < order.groups.size(); ++i) run_group(*subject, order, i, board.get());
  send_line({{"phase", "releasing the plugin"}});
  subject.reset();
  send_line({{"end", true}});
  return tools::kGood;
}

}  // namespace tenon::verify
