// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_process_support.cc: right calls of groups, transfers and data parallel steps.
#include <utility>

#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

tenon_status create(FaultWorld& w) {
  return tenon_group_create(w.cx, "tenon.self", TENON_NUL, nullptr, nullptr, 0, 0, &w.outs.group);
}

tenon_status sum(FaultWorld& w, tenon_group* group) {
  const tenon_transfer_request request = {sizeof request, 0,       TENON_COLLECTIVE_ALL_REDUCE, 0,
                                          w.across,       w.across};
  const tenon_transfer_request* const requests = &request;
  return tenon_group_begin(w.cx, group, &requests, 1, 0, &w.outs.transfer);
}

tenon_status parallel_of(FaultWorld& w, tenon_group* group, tenon_data_parallel** out) {
  tenon_tensor* const params[] = {w.own.parameter, w.second};
  const tenon_data_parallel_options options = {sizeof options, 0, 2, 0, &w.t, 1, 0};
  return tenon_data_parallel_create(w.cx, group, params, 2, &options, out);
}

tenon_status parallel(FaultWorld& w) { return parallel_of(w, w.own.group, &w.outs.parallel); }

// What a call may break or use up: another one each time. Of each process of its own.
struct Spare {
  tenon_group* group = nullptr;
  tenon_data_parallel* parallel = nullptr;
  tenon_tensor* loss = nullptr;

  void renew(FaultWorld& w) {
    end(w);
    EXPECT_EQ(create(w), TENON_OK);
    group = w.outs.group;
    EXPECT_EQ(parallel_of(w, group, &parallel), TENON_OK);
    w.reset_outs();
  }
  void end(FaultWorld& w) {
    tenon_tensor_release(std::exchange(loss, nullptr));
    tenon_data_parallel_release(std::exchange(parallel, nullptr));
    tenon_group_release(std::exchange(group, nullptr));
    EXPECT_EQ(tenon_tensor_set_grad(w.cx, w.own.parameter, nullptr), TENON_OK);
  }
  // One element, computed from `parameter`.
  void compute(FaultWorld& w) {
    tenon_tensor_release(std::exchange(loss, nullptr));
    tenon_tensor* both = nullptr;
    const tenon_value operands[] = {value_of(w.own.parameter), value_of(w.own.parameter)};
    EXPECT_EQ(tenon_op_call(w.cx, w.own.add, operands, 2, nullptr, 0, &both, 1), TENON_OK);
    const tenon_value all = value_of(both);
    EXPECT_EQ(tenon_op_call(w.cx, w.sum, &all, 1, nullptr, 0, &loss, 1), TENON_OK);
    tenon_tensor_release(both);
  }
};
Spare spare;

template <class T>
void add_release(FaultRows& rows, const char* function, tenon_status (*make)(FaultWorld&),
                 void (*release)(T*), T* Outs::*made) {
  sweep(
      rows, function, "",
      [=](FaultWorld& w) {
        release(w.outs.*made);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); }, [=](FaultWorld& w) { EXPECT_EQ(make(w), TENON_OK); });
}

// Of the row added last: what was renewed before the call ends after it, with what is under way.
void ends_spare(FaultRows& rows, bool uses_up) {
  rows.back().uses_up = uses_up;
  rows.back().check = [](FaultWorld& w, tenon_status) { spare.end(w); };
}

void add_groups(FaultRows& rows) {
  sweep(rows, "tenon_group_create", "", create);
  add_release(rows, "tenon_group_release", create, tenon_group_release, &Outs::group);
  const auto renew = [](FaultWorld& w) { spare.renew(w); };
  sweep(
      rows, "tenon_group_split", "",
      [](FaultWorld& w) { return tenon_group_split(w.cx, spare.group, 1, 0, &w.outs.group); }, {},
      renew);
  ends_spare(rows, true);
  // One that is refused: the right one does not return.
  sweep(rows, "tenon_group_abort", "", [](FaultWorld& w) {
    const tenon_status status = tenon_group_abort(w.cx, w.own.group, 0, "words", TENON_NUL);
    return status == TENON_E_ARGUMENT ? TENON_OK : status;
  });
  sweep(rows, "tenon_group_get_info", "",
        [](FaultWorld& w) { return tenon_group_get_info(w.cx, w.own.group, &w.outs.group_info); });
  sweep(
      rows, "tenon_group_begin", "a sum of columns",
      [](FaultWorld& w) { return sum(w, spare.group); }, {}, renew);
  ends_spare(rows, true);
  sweep(rows, "tenon_transfer_end", "",
        [](FaultWorld& w) { return tenon_transfer_end(w.cx, w.own.transfer); });
  sweep(rows, "tenon_transfer_get_ended", "", [](FaultWorld& w) {
    return tenon_transfer_get_ended(w.cx, w.own.transfer, &w.outs.index);
  });
  add_release(
      rows, "tenon_transfer_release",
      [](FaultWorld& w) {
        spare.renew(w);
        return sum(w, spare.group);
      },
      tenon_transfer_release, &Outs::transfer);
  ends_spare(rows, false);
}

void add_parallel(FaultRows& rows) {
  sweep(rows, "tenon_data_parallel_create", "", parallel);
  sweep(rows, "tenon_data_parallel_create_for_layer", "", [](FaultWorld& w) {
    return tenon_data_parallel_create_for_layer(w.cx, w.own.group, w.own.layer, nullptr,
                                                &w.outs.parallel);
  });
  add_release(rows, "tenon_data_parallel_release", parallel, tenon_data_parallel_release,
              &Outs::parallel);
  sweep(rows, "tenon_data_parallel_get_info", "", [](FaultWorld& w) {
    return tenon_data_parallel_get_info(w.cx, w.own.parallel, &w.outs.parallel_info);
  });
  sweep(rows, "tenon_data_parallel_set_step", "",
        [](FaultWorld& w) { return tenon_data_parallel_set_step(w.cx, w.own.parallel, 5); });
  sweep(
      rows, "tenon_data_parallel_begin", "",
      [](FaultWorld& w) { return tenon_data_parallel_begin(w.cx, spare.parallel, 0); }, {},
      [](FaultWorld& w) { spare.renew(w); });
  ends_spare(rows, false);
  // A step of two shards, whose second end fails, or does not.
  sweep(
      rows, "tenon_data_parallel_end", "the last shard",
      [](FaultWorld& w) { return tenon_data_parallel_end(w.cx, spare.parallel, spare.loss); }, {},
      [](FaultWorld& w) {
        spare.renew(w);
        EXPECT_EQ(tenon_data_parallel_begin(w.cx, spare.parallel, 0), TENON_OK);
        spare.compute(w);
        EXPECT_EQ(tenon_data_parallel_end(w.cx, spare.parallel, spare.loss), TENON_OK);
        EXPECT_EQ(tenon_data_parallel_begin(w.cx, spare.parallel, 1), TENON_OK);
        spare.compute(w);
      });
  ends_spare(rows, true);
  sweep(
      rows, "tenon_data_parallel_give_up", "a step",
      [](FaultWorld& w) { return tenon_data_parallel_give_up(w.cx, spare.parallel); }, {},
      [](FaultWorld& w) {
        spare.renew(w);
        EXPECT_EQ(tenon_data_parallel_begin(w.cx, spare.parallel, 0), TENON_OK);
      });
  ends_spare(rows, true);
}

// States that are shared in a group of one are whole.
void add_shares(FaultRows& rows) {
  const auto share = [](FaultWorld& w) {
    return tenon_data_parallel_share_states(w.cx, spare.parallel, w.own.optimizer);
  };
  const auto renew = [](FaultWorld& w) { spare.renew(w); };
  sweep(rows, "tenon_data_parallel_share_states", "", share, {}, renew);
  ends_spare(rows, true);
  sweep(
      rows, "tenon_data_parallel_gather_states", "",
      [](FaultWorld& w) { return tenon_data_parallel_gather_states(w.cx, spare.parallel, 0); }, {},
      [share](FaultWorld& w) {
        spare.renew(w);
        EXPECT_EQ(share(w), TENON_OK);
      });
  ends_spare(rows, true);
  sweep(
      rows, "tenon_data_parallel_clip", "",
      [](FaultWorld& w) {
        return tenon_data_parallel_clip(w.cx, spare.parallel, 0.5, &w.outs.number);
      },
      {}, renew);
  ends_spare(rows, true);
}

}  // namespace

FaultRows process_faults() {
  FaultRows rows;
  add_groups(rows);
  add_parallel(rows);
  add_shares(rows);
  return rows;
}

}  // namespace tenon::tests
