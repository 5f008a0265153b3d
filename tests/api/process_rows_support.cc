// SPDX-License-Identifier: Apache-2.0
// tests/api/process_rows_support.cc: wrong calls of groups, transfers and data parallel steps.
#include <limits>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

using GroupCall = std::function<tenon_status(World&, tenon_context*, tenon_group*)>;
using ParallelCall = std::function<tenon_status(World&, tenon_context*, tenon_data_parallel*)>;

void add_group(Rows& rows, const char* function, GroupCall call) {
  add_both<tenon_group>(rows, function, Kind::Group, &World::Side::group, std::move(call));
}
void add_parallel(Rows& rows, const char* function, ParallelCall call) {
  add_both<tenon_data_parallel>(rows, function, Kind::DataParallel, &World::Side::parallel,
                                std::move(call));
}

tenon_status create(World& w, tenon_context* cx, const char* name, int64_t timeout = 0,
                    const char* option = nullptr) {
  const tenon_string names[] = {{option, option ? TENON_NUL : 0}};
  const tenon_value value = value_of(1.0);
  return tenon_group_create(cx, name, TENON_NUL, names, &value, option ? 1 : 0, timeout,
                            &w.outs.group);
}

tenon_status begin(World& w, tenon_context* cx, tenon_group* group, uint32_t collective,
                   tenon_tensor* input, tenon_tensor* output, int32_t peer = 0) {
  const tenon_transfer_request request = {sizeof request, 0, collective, peer, input, output};
  const tenon_transfer_request* const requests = &request;
  return tenon_group_begin(cx, group, &requests, 1, 0, &w.outs.transfer);
}

// Only what is the same for every kind of handle.
template <class T>
void add_release(Rows& rows, const char* function, void (*release)(T*)) {
  rows.push_back({function, "NULL", TENON_OK, [=](World&) {
                    release(nullptr);
                    return TENON_OK;
                  }});
  rows.push_back({function, "another kind", TENON_OK, [=](World& w) {
                    release(reinterpret_cast<T*>(w.t));
                    return TENON_OK;
                  }});
}

void add_groups(Rows& rows) {
  const char* const function = "tenon_group_create";
  add_contexts(rows, function,
               [](World& w, tenon_context* cx) { return create(w, cx, "tenon.self"); });
  const auto wrong = [&](const char* what, tenon_status expected, const char* name,
                         int64_t timeout = 0, const char* option = nullptr) {
    add(rows, function, what, expected,
        [=](World& w) { return create(w, w.cx, name, timeout, option); });
  };
  wrong("unknown", TENON_E_NOT_FOUND, "tenon.smoke");
  wrong("NULL name", TENON_E_ARGUMENT, nullptr);
  wrong("negative time-out", TENON_E_ARGUMENT, "tenon.self", -1);
  wrong("time-out of 25 days", TENON_E_ARGUMENT, "tenon.self", int64_t{1} << 31);
  wrong("unknown option", TENON_E_ATTRIBUTE, "tenon.self", 0, "size");
  add(rows, function, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_group_create(w.cx, "tenon.self", TENON_NUL, nullptr, nullptr, 0, 0, nullptr);
  });
  add_release(rows, "tenon_group_release", tenon_group_release);
  const char* const split = "tenon_group_split";
  add_group(rows, split, [](World& w, tenon_context* cx, tenon_group* group) {
    return tenon_group_split(cx, group, 0, 0, &w.outs.group);
  });
  add(rows, split, "negative color", TENON_E_ARGUMENT,
      [](World& w) { return tenon_group_split(w.cx, w.own.group, -1, 0, &w.outs.group); });
  add(rows, split, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_group_split(w.cx, w.own.group, 0, 0, nullptr); });
  const char* const abort = "tenon_group_abort";
  add_group(rows, abort, [](World&, tenon_context* cx, tenon_group* group) {
    return tenon_group_abort(cx, group, 0, "", TENON_NUL);
  });
  for (const int32_t status : {-1, 0, 256}) {
    add(rows, abort, "no exit status", TENON_E_ARGUMENT,
        [=](World& w) { return tenon_group_abort(w.cx, w.own.group, status, "words", TENON_NUL); });
  }
  add(rows, abort, "NULL words", TENON_E_ARGUMENT,
      [](World& w) { return tenon_group_abort(w.cx, w.own.group, 1, nullptr, 1); });
  const char* const info = "tenon_group_get_info";
  add_group(rows, info, [](World& w, tenon_context* cx, tenon_group* group) {
    return tenon_group_get_info(cx, group, &w.outs.group_info);
  });
  add(rows, info, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_group_get_info(w.cx, w.own.group, nullptr); });
}

void add_begin(Rows& rows) {  // long: a table of calls
  const char* const function = "tenon_group_begin";
  add_group(rows, function, [](World& w, tenon_context* cx, tenon_group* group) {
    return begin(w, cx, group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr);
  });
  struct Wrong {
    const char* what;
    tenon_status expected;
    uint32_t collective;
    tenon_tensor* World::*input;
    tenon_tensor* World::*output;
    int32_t peer = 0;
  };
  const Wrong list[] = {
      {"no such collective", TENON_E_ARGUMENT, 8, &World::t, &World::t},
      {"no input", TENON_E_ARGUMENT, TENON_COLLECTIVE_ALL_REDUCE, nullptr, &World::t},
      {"no output", TENON_E_ARGUMENT, TENON_COLLECTIVE_ALL_REDUCE, &World::t, nullptr},
      {"an input for nothing", TENON_E_ARGUMENT, TENON_COLLECTIVE_BARRIER, &World::t, nullptr},
      {"a peer for nothing", TENON_E_ARGUMENT, TENON_COLLECTIVE_BARRIER, nullptr, nullptr, 1},
      {"no such peer", TENON_E_ARGUMENT, TENON_COLLECTIVE_BROADCAST, nullptr, &World::t, 1},
      {"negative peer", TENON_E_ARGUMENT, TENON_COLLECTIVE_BROADCAST, nullptr, &World::t, -1},
      {"to itself", TENON_E_ARGUMENT, TENON_COLLECTIVE_SEND, &World::t, nullptr},
      {"another shape", TENON_E_SHAPE, TENON_COLLECTIVE_ALL_REDUCE, &World::t, &World::wide},
      {"no row for each", TENON_E_SHAPE, TENON_COLLECTIVE_ALL_TO_ALL, &World::t, &World::t},
      {"not gathered", TENON_E_SHAPE, TENON_COLLECTIVE_ALL_GATHER, &World::t, &World::wide},
      {"another dtype", TENON_E_DTYPE, TENON_COLLECTIVE_ALL_REDUCE, &World::t, &World::integers},
      {"another device", TENON_E_DEVICE, TENON_COLLECTIVE_ALL_REDUCE, &World::t, &World::away},
      {"a device it does not take", TENON_E_DEVICE, TENON_COLLECTIVE_ALL_REDUCE, &World::away,
       &World::away},
      {"an output that overlaps itself", TENON_E_ALIAS, TENON_COLLECTIVE_ALL_REDUCE, &World::t,
       &World::spread},
  };
  for (const Wrong& each : list) {
    add(rows, function, each.what, each.expected, [=](World& w) {
      return begin(w, w.cx, w.own.group, each.collective, each.input ? w.*each.input : nullptr,
                   each.output ? w.*each.output : nullptr, each.peer);
    });
  }
  add(rows, function, "a released tensor", TENON_E_HANDLE, [](World& w) {
    return begin(w, w.cx, w.own.group, TENON_COLLECTIVE_ALL_REDUCE,
                 static_cast<tenon_tensor*>(w.released(Kind::Tensor)), w.t);
  });
  add(rows, function, "another runtime's tensor", TENON_E_RUNTIME, [](World& w) {
    return begin(w, w.cx, w.own.group, TENON_COLLECTIVE_ALL_REDUCE, w.other.tensor, w.t);
  });
  const auto several = [&](const char* what, tenon_status expected, uint32_t n, int64_t timeout,
                           uint32_t size, uint32_t flags) {
    add(rows, function, what, expected, [=](World& w) {
      const tenon_transfer_request request = {size, flags,   TENON_COLLECTIVE_BARRIER,
                                              0,    nullptr, nullptr};
      const tenon_transfer_request* const requests[] = {&request, &request};
      return tenon_group_begin(w.cx, w.own.group, requests, n, timeout, &w.outs.transfer);
    });
  };
  const uint32_t size = sizeof(tenon_transfer_request);
  several("none", TENON_E_ARGUMENT, 0, 0, size, 0);
  several("two barriers", TENON_E_ARGUMENT, 2, 0, size, 0);
  several("negative time-out", TENON_E_ARGUMENT, 1, -1, size, 0);
  several("struct_size", TENON_E_ARGUMENT, 1, 0, 0, 0);
  several("flags", TENON_E_ARGUMENT, 1, 0, size, 1);
  add(rows, function, "NULL requests", TENON_E_ARGUMENT, [](World& w) {
    return tenon_group_begin(w.cx, w.own.group, nullptr, 1, 0, &w.outs.transfer);
  });
  add(rows, function, "a NULL request", TENON_E_ARGUMENT, [](World& w) {
    const tenon_transfer_request* const requests = nullptr;
    return tenon_group_begin(w.cx, w.own.group, &requests, 1, 0, &w.outs.transfer);
  });
  add(rows, function, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    const tenon_transfer_request request = {sizeof request, 0,      TENON_COLLECTIVE_BARRIER, 0,
                                            nullptr,        nullptr};
    const tenon_transfer_request* const requests = &request;
    return tenon_group_begin(w.cx, w.own.group, &requests, 1, 0, nullptr);
  });
}

void add_transfers(Rows& rows) {
  add_both<tenon_transfer>(rows, "tenon_transfer_end", Kind::Transfer, &World::Side::transfer,
                           [](World&, tenon_context* cx, tenon_transfer* transfer) {
                             return tenon_transfer_end(cx, transfer);
                           });
  add_both<tenon_transfer>(rows, "tenon_transfer_get_ended", Kind::Transfer, &World::Side::transfer,
                           [](World& w, tenon_context* cx, tenon_transfer* transfer) {
                             return tenon_transfer_get_ended(cx, transfer, &w.outs.index);
                           });
  add(rows, "tenon_transfer_get_ended", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_transfer_get_ended(w.cx, w.own.transfer, nullptr); });
  add_release(rows, "tenon_transfer_release", tenon_transfer_release);
}

tenon_status parallel(World& w, tenon_context* cx, tenon_group* group,
                      std::vector<tenon_tensor*> params,
                      const tenon_data_parallel_options& options) {
  return tenon_data_parallel_create(cx, group, params.data(), static_cast<uint32_t>(params.size()),
                                    &options, &w.outs.parallel);
}

constexpr tenon_data_parallel_options kOptions = {
    sizeof(tenon_data_parallel_options), 0, 0, 0, nullptr, 0, 0};

void add_creation(Rows& rows) {  // long: a table of calls
  const char* const function = "tenon_data_parallel_create";
  add_contexts(rows, function, [](World& w, tenon_context* cx) {
    return parallel(w, cx, nullptr, {w.own.parameter}, kOptions);
  });
  // NULL is this process alone.
  for (const Kind kind : {Kind::Group}) {
    add(rows, function, "a released group", TENON_E_HANDLE, [=](World& w) {
      return parallel(w, w.cx, static_cast<tenon_group*>(w.released(kind)), {w.own.parameter},
                      kOptions);
    });
    add(rows, function, "another runtime's group", TENON_E_RUNTIME, [=](World& w) {
      return parallel(w, w.cx, static_cast<tenon_group*>(w.foreign(kind)), {w.own.parameter},
                      kOptions);
    });
  }
  const auto wrong = [&](const char* what, tenon_status expected, auto params,
                         tenon_data_parallel_options options) {
    add(rows, function, what, expected,
        [=](World& w) { return parallel(w, w.cx, w.own.group, params(w), options); });
  };
  const auto good = [](World& w) { return std::vector{w.own.parameter}; };
  using List = std::vector<tenon_tensor*>;
  wrong(
      "no parameters", TENON_E_ARGUMENT, [](World&) { return List{}; }, kOptions);
  wrong(
      "one twice", TENON_E_ARGUMENT,
      [](World& w) {
        return List{w.own.parameter, w.own.parameter};
      },
      kOptions);
  wrong(
      "no gradient", TENON_E_GRAD, [](World& w) { return List{w.t}; }, kOptions);
  wrong(
      "not a leaf", TENON_E_GRAD, [](World& w) { return List{w.computed}; }, kOptions);
  wrong(
      "another runtime's", TENON_E_RUNTIME, [](World& w) { return List{w.other.parameter}; },
      kOptions);
  tenon_data_parallel_options options = kOptions;
  options.shards = -1;
  wrong("negative shards", TENON_E_ARGUMENT, good, options);
  options = kOptions;
  options.bucket_bytes = -1;
  wrong("negative bucket", TENON_E_ARGUMENT, good, options);
  options = kOptions;
  options.n_buffers = 1;
  wrong("NULL buffers", TENON_E_ARGUMENT, good, options);
  options = kOptions;
  options.flags = 1;
  wrong("flags", TENON_E_ARGUMENT, good, options);
  options = kOptions;
  options.struct_size = 0;
  wrong("struct_size", TENON_E_ARGUMENT, good, options);
  add(rows, function, "NULL params", TENON_E_ARGUMENT, [](World& w) {
    return tenon_data_parallel_create(w.cx, nullptr, nullptr, 1, nullptr, &w.outs.parallel);
  });
  add(rows, function, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_data_parallel_create(w.cx, nullptr, &w.own.parameter, 1, nullptr, nullptr);
  });
  const char* const layer = "tenon_data_parallel_create_for_layer";
  add_both<tenon_layer>(rows, layer, Kind::Layer, &World::Side::layer,
                        [](World& w, tenon_context* cx, tenon_layer* of) {
                          return tenon_data_parallel_create_for_layer(cx, nullptr, of, nullptr,
                                                                      &w.outs.parallel);
                        });
  add(rows, layer, "no parameters", TENON_E_ARGUMENT, [](World& w) {
    return tenon_data_parallel_create_for_layer(w.cx, nullptr, w.own.container, nullptr,
                                                &w.outs.parallel);
  });
  add(rows, layer, "buffers", TENON_E_ARGUMENT, [](World& w) {
    tenon_data_parallel_options buffers = kOptions;
    buffers.buffers = &w.t;
    buffers.n_buffers = 1;
    return tenon_data_parallel_create_for_layer(w.cx, nullptr, w.own.layer, &buffers,
                                                &w.outs.parallel);
  });
  add(rows, layer, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_data_parallel_create_for_layer(w.cx, nullptr, w.own.layer, nullptr, nullptr);
  });
  add_release(rows, "tenon_data_parallel_release", tenon_data_parallel_release);
}

void add_steps(Rows& rows) {
  const char* const info = "tenon_data_parallel_get_info";
  add_parallel(rows, info, [](World& w, tenon_context* cx, tenon_data_parallel* of) {
    return tenon_data_parallel_get_info(cx, of, &w.outs.parallel_info);
  });
  add(rows, info, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_data_parallel_get_info(w.cx, w.own.parallel, nullptr); });
  const char* const step = "tenon_data_parallel_set_step";
  add_parallel(rows, step, [](World&, tenon_context* cx, tenon_data_parallel* of) {
    return tenon_data_parallel_set_step(cx, of, 3);
  });
  add(rows, step, "negative", TENON_E_ARGUMENT,
      [](World& w) { return tenon_data_parallel_set_step(w.cx, w.own.parallel, -1); });
  const char* const begin = "tenon_data_parallel_begin";
  add_parallel(rows, begin, [](World&, tenon_context* cx, tenon_data_parallel* of) {
    return tenon_data_parallel_begin(cx, of, 0);
  });
  for (const int64_t shard : {int64_t{-1}, int64_t{1}, std::numeric_limits<int64_t>::max()}) {
    add(rows, begin, "not the next shard", TENON_E_STATE,
        [=](World& w) { return tenon_data_parallel_begin(w.cx, w.own.parallel, shard); });
  }
  const char* const end = "tenon_data_parallel_end";
  add_parallel(rows, end, [](World& w, tenon_context* cx, tenon_data_parallel* of) {
    return tenon_data_parallel_end(cx, of, w.computed);
  });
  add(rows, end, "none has begun", TENON_E_STATE,
      [](World& w) { return tenon_data_parallel_end(w.cx, w.own.parallel, w.computed); });
  add(rows, end, "more than one element", TENON_E_GRAD, [](World& w) {
    EXPECT_EQ(tenon_data_parallel_begin(w.cx, w.own.parallel, 0), TENON_OK);
    return tenon_data_parallel_end(w.cx, w.own.parallel, w.computed);
  });
  add(rows, end, "NULL loss", TENON_E_HANDLE,
      [](World& w) { return tenon_data_parallel_end(w.cx, w.own.parallel, nullptr); });
  add_parallel(rows, "tenon_data_parallel_give_up",
               [](World&, tenon_context* cx, tenon_data_parallel* of) {
                 return tenon_data_parallel_give_up(cx, of);
               });
}

void add_shares(Rows& rows) {
  const char* const share = "tenon_data_parallel_share_states";
  add_parallel(rows, share, [](World& w, tenon_context* cx, tenon_data_parallel* of) {
    return tenon_data_parallel_share_states(cx, of, w.own.optimizer);
  });
  add_both<tenon_optimizer>(rows, share, Kind::Optimizer, &World::Side::optimizer,
                            [](World& w, tenon_context* cx, tenon_optimizer* of) {
                              return tenon_data_parallel_share_states(cx, w.own.parallel, of);
                            });
  const char* const gather = "tenon_data_parallel_gather_states";
  add_parallel(rows, gather, [](World&, tenon_context* cx, tenon_data_parallel* of) {
    return tenon_data_parallel_gather_states(cx, of, 0);
  });
  add(rows, gather, "no states are shared", TENON_E_STATE,
      [](World& w) { return tenon_data_parallel_gather_states(w.cx, w.own.parallel, 0); });
  const char* const clip = "tenon_data_parallel_clip";
  add_parallel(rows, clip, [](World& w, tenon_context* cx, tenon_data_parallel* of) {
    return tenon_data_parallel_clip(cx, of, 1, &w.outs.number);
  });
  for (const double norm : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    add(rows, clip, "a norm that is not above 0", TENON_E_ARGUMENT,
        [=](World& w) { return tenon_data_parallel_clip(w.cx, w.own.parallel, norm, nullptr); });
  }
}

}  // namespace

void add_process_rows(Rows& rows) {
  add_groups(rows);
  add_begin(rows);
  add_transfers(rows);
  add_creation(rows);
  add_steps(rows);
  add_shares(rows);
}

}  // namespace tenon::tests
