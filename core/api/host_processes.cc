// SPDX-License-Identifier: Apache-2.0
// core/api/host_processes.cc: "tenon.host.processes/1": transfers that a kernel makes.
#include <tenon/ext/draft/processes.h>

#include "core/api/host_guard.h"
#include "core/api/host_tables.h"
#include "core/launch/moves.h"
#include "core/processes/group.h"
#include "core/tensor/external.h"

namespace tenon::host {
namespace {

using processes::Group;
using tensor::Ref;

// The group of this process alone, which needs no engine.
constexpr int64_t kAlone = 0;

Ref wrap(Device& device, const tenon_view* view) {
  if (!view) return {};
  tensor::ExternalMemory memory;
  memory.first = view->data;
  memory.dtype = view->dtype;
  memory.shape = {view->shape, static_cast<size_t>(view->rank)};
  memory.strides = view->strides;
  return Ref(tensor::wrap_external(device, memory));
}

// Every transfer of one process leaves all elements where they are, in row-major order.
void run_alone(Context& context, const Ref& from, const Ref& to) {
  if (!from || !to || from->view.data == to->view.data) return;
  const Ref same = tensor::window(*to, from->shape(), from->strides_, to->offset);
  launch::copy_into(context, *from, *same);
}

tenon_status members(tenon_call* window, int64_t number, tenon_members* out_members) {
  return host_guard(window, "processes.members", [&](CallbackScope& call) {
    require_pointer(out_members, "out_members");
    *out_members = number == kAlone ? tenon_members{0, 1}
                                    : Group::find(*call.context->runtime, number)->members();
  });
}

tenon_status run(tenon_call* window, int64_t number, uint32_t collective, int32_t peer,
                 const tenon_view* from, const tenon_view* to) {
  return host_guard(window, "processes.run", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Launch}, "a transfer");
    Context& context = *call.context;
    const tenon_view* const any = from ? from : to;
    Device& device = any ? context.runtime->device(any->device) : context.runtime->host_device();
    const CaptureSuspended suspended(context);
    const Ref input = wrap(device, from);
    const Ref output = wrap(device, to);
    if (number == kAlone) return run_alone(context, input, output);
    const std::shared_ptr<Group> group = Group::find(*context.runtime, number);
    // Its memory is the launch's: not to be left before the transfer has ended.
    group->begin(context, {{collective, peer, input, output}}, 0)->end(nullptr);
  });
}

constexpr tenon_host_processes kProcesses = {sizeof(tenon_host_processes), 0, members, run};

}  // namespace
}  // namespace tenon::host

const tenon_host_processes& tenon::host_processes() { return host::kProcesses; }
