// SPDX-License-Identifier: Apache-2.0
// core/api/processes_api.cc: public functions of groups of processes and their transfers.
#include <tenon/ext/draft/processes.h>

#include <limits>

#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/api/own_context.h"
#include "core/base/sized.h"
#include "core/processes/group.h"

using namespace tenon;
using namespace tenon::api;
using processes::Group;
using processes::Request;

namespace {

constexpr Handles<tenon_transfer, processes::Transfer, kTransferKind> kTransfers("transfer");

// Engines count milliseconds in 32 bits, too.
int64_t require_timeout(int64_t timeout) {
  constexpr int64_t kLongest = std::numeric_limits<int32_t>::max();
  if (timeout >= 0 && timeout <= kLongest) return timeout;
  fail(TENON_E_ARGUMENT, timeout < 0 ? "the time-out is negative" : "the time-out is too long",
       "timeout", "milliseconds up to " + std::to_string(kLongest) + ", or 0 for the default",
       std::to_string(timeout));
}

Request read_request(Context& context, const tenon_transfer_request* given, uint32_t index) {
  const std::string place = "requests[" + std::to_string(index) + "]";
  require_pointer(given, place.c_str());
  const auto request = base::read_sized(*given, "tenon_transfer_request", place);
  refuse_flags(request.flags, 0);
  const auto tensor = [&](tenon_tensor* handle, const char* name) {
    return handle ? Ref::shared(&require_tensor(context, handle, name)) : Ref();
  };
  return {request.collective, request.peer, tensor(request.input, "input"),
          tensor(request.output, "output")};
}

}  // namespace

tenon_status tenon_group_create(tenon_context* context, const char* name, uint64_t name_length,
                                const tenon_string* names, const tenon_value* values,
                                uint32_t n_values, int64_t timeout, tenon_group** out_group) {
  return guard_out(context, out_group, "out_group", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    refuse_in_capture(cx, "joining processes");
    require_timeout(timeout);
    const auto options = read_named(names, values, n_values);
    const auto& kind = cx.runtime->plugins.require_entry<tenon_collective_desc>(given);
    return kGroups.give(Group::join(cx, kind, options, timeout, own_contexts(*cx.runtime)));
  });
}

void tenon_group_release(tenon_group* handle) { kGroups.release(handle); }

tenon_status tenon_group_split(tenon_context* context, tenon_group* group, int32_t color,
                               int32_t key, tenon_group** out_group) {
  return guard_out(context, out_group, "out_group", [&](Context& cx) {
    return kGroups.give(kGroups.require(cx, group, "parting processes")->split(color, key));
  });
}

tenon_status tenon_group_abort(tenon_context* context, tenon_group* group, int32_t status,
                               const char* words, uint64_t words_length) {
  return guard(context, [&](Context& cx) {
    const auto& of = kGroups.require(cx, group);
    if (status < 1 || status > 255) {
      fail(TENON_E_ARGUMENT, "a program that is ended has an exit status", "status", "1 to 255",
           std::to_string(status));
    }
    of->end_program(status, require_text(words, words_length, "words"));
  });
}

tenon_status tenon_group_get_info(tenon_context* context, tenon_group* group,
                                  tenon_group_info* out_info) {
  return guard(context,
               [&](Context& cx) { fill_sized(out_info, kGroups.require(cx, group)->info()); });
}

tenon_status tenon_group_begin(tenon_context* context, tenon_group* group,
                               const tenon_transfer_request* const* requests, uint32_t n_requests,
                               int64_t timeout, tenon_transfer** out_transfer) {
  return guard_out(context, out_transfer, "out_transfer", [&](Context& cx) {
    if (n_requests != 0) require_pointer(requests, "requests");
    refuse_in_capture(cx, "a transfer");
    require_timeout(timeout);
    const auto& in = kGroups.require(cx, group);
    std::vector<Request> list;
    for (uint32_t i = 0; i < n_requests; ++i) list.push_back(read_request(cx, requests[i], i));
    return kTransfers.give(in->begin(cx, std::move(list), timeout));
  });
}

tenon_status tenon_transfer_end(tenon_context* context, tenon_transfer* transfer) {
  return guard(context, [&](Context& cx) {
    kTransfers.require(cx, transfer, "the end of a transfer")->end(&cx);
  });
}

tenon_status tenon_transfer_get_ended(tenon_context* context, tenon_transfer* transfer,
                                      uint32_t* out_ended) {
  return guard_out(context, out_ended, "out_ended", [&](Context& cx) {
    return kTransfers.require(cx, transfer)->ended() ? 1u : 0u;
  });
}

void tenon_transfer_release(tenon_transfer* handle) { kTransfers.release(handle); }
