// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/processes.cc: ops over groups of processes: the host moves the memory.
#include <tenon/ext/draft/processes.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

constexpr uint32_t kGroup = 0;
constexpr uint32_t kRoot = 1;       // of broadcast
constexpr uint32_t kReduction = 1;  // of all_reduce_sum

const tenon_host_processes& processes_of(const sdk::Launch& l) {
  const tenon_host* const host = l.call()->host;
  const void* const found = host->get_interface(host, TENON_HOST_PROCESSES, TENON_NUL);
  if (!found) throw sdk::Failure{TENON_E_UNSUPPORTED, "this host knows no groups of processes"};
  return *static_cast<const tenon_host_processes*>(found);
}

void run(const sdk::Launch& l, uint32_t collective, int32_t peer, const tenon_view* from,
         const tenon_view* to) {
  sdk::check(processes_of(l).run(l.call(), l.attrs.integer(kGroup), collective, peer, from, to));
}

template <uint32_t collective>
void move(const sdk::Launch& l) {
  run(l, collective, 0, &l.view(0), &l.out());
}

// What is made of the sum is not in the data: the other processes are asked.
void all_reduce_sum(const sdk::Launch& l) {
  const tenon_host_processes& processes = processes_of(l);
  constexpr size_t kWithWords = offsetof(tenon_host_processes, run_alike) + sizeof(void*);
  if (processes.struct_size < kWithWords)
    return run(l, TENON_COLLECTIVE_ALL_REDUCE, 0, &l.view(0), &l.out());
  const tenon_value& reduction = l.attrs[kReduction];
  const std::string words = "reduction: " + std::string(reduction.as.string, reduction.count);
  sdk::check(processes.run_alike(l.call(), l.attrs.integer(kGroup), TENON_COLLECTIVE_ALL_REDUCE, 0,
                                 &l.view(0), &l.out(), {words.data(), words.size()}));
}

void broadcast(const sdk::Launch& l) {
  tenon_members members{};
  sdk::check(processes_of(l).members(l.call(), l.attrs.integer(kGroup), &members));
  const int64_t root = l.attrs.integer(kRoot);
  if (root < 0 || root >= members.size) {
    throw sdk::Failure{TENON_E_ARGUMENT, "the group has no such rank", "root",
                       "0 to " + std::to_string(members.size - 1), std::to_string(root)};
  }
  run(l, TENON_COLLECTIVE_BROADCAST, static_cast<int32_t>(root),
      members.rank == root ? &l.view(0) : nullptr, &l.out());
}

size_t bytes_of(const tenon_view& view) {
  return static_cast<size_t>(sdk::count_of(sdk::shape_of(view))) * sdk::size_of(view.dtype);
}

// All lie one after the other meanwhile.
tenon_status list_workspace(tenon_call*, const tenon_launch* launch, uint64_t* out_bytes) {
  *out_bytes = 0;
  for (uint32_t i = 0; i < launch->slot_begin[1]; ++i) *out_bytes += bytes_of(launch->views[i]);
  return TENON_OK;
}

// Calls move(of the scratch, of the tensor, bytes) for each tensor that has elements.
template <class Move>
size_t each_of(const sdk::Launch& l, std::byte* all, const Move& move) {
  size_t place = 0;
  for (uint32_t i = 0; i < l.count(0); ++i) {
    const size_t bytes = bytes_of(l.view(0, i));
    if (bytes != 0) move(all + place, l.view(0, i).data, bytes);
    place += bytes;
  }
  return place;
}

void all_reduce_list(const sdk::Launch& l) {
  const std::span<std::byte> all = l.scratch();
  const size_t bytes = each_of(l, all.data(), [](std::byte* here, const void* tensor, size_t n) {
    std::memcpy(here, tensor, n);
  });
  if (bytes == 0) return;
  tenon_view view = l.view(0);
  const int64_t count = static_cast<int64_t>(bytes / sdk::size_of(view.dtype));
  const int64_t step = 1;
  view.data = all.data();
  view.rank = 1;
  view.shape = &count;
  view.strides = &step;
  run(l, TENON_COLLECTIVE_ALL_REDUCE, 0, &view, &view);
  each_of(l, all.data(),
          [](const std::byte* here, void* tensor, size_t n) { std::memcpy(tensor, here, n); });
}

constexpr tenon_slot_rule kRowMajor[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule kList[] = {sdk::contiguous_inout()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.all_reduce_sum", kRowMajor, sdk::kNumbers, 2, sdk::launch_fn<all_reduce_sum>),
    kernel("tenon.reduce_scatter", kRowMajor, sdk::kNumbers, 1,
           sdk::launch_fn<move<TENON_COLLECTIVE_REDUCE_SCATTER>>),
    kernel("tenon.all_gather", kRowMajor, sdk::kAllDtypes, 1,
           sdk::launch_fn<move<TENON_COLLECTIVE_ALL_GATHER>>),
    kernel("tenon.all_to_all", kRowMajor, sdk::kAllDtypes, 1,
           sdk::launch_fn<move<TENON_COLLECTIVE_ALL_TO_ALL>>),
    kernel("tenon.broadcast", kRowMajor, sdk::kAllDtypes, 2, sdk::launch_fn<broadcast>),
    kernel("tenon.all_reduce_list", kList, sdk::kNumbers, 1, sdk::launch_fn<all_reduce_list>,
           {.workspace = list_workspace}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(processes) = {.kernels = tenon::ref::kernels};
