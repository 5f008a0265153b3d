// SPDX-License-Identifier: Apache-2.0
// core/processes/transfer.cc: requests, checked, and transfers as objects that are waited for.
#include "core/processes/transfer.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "core/base/words.h"
#include "core/registry/values.h"

namespace tenon::processes {

using tensor::DimSpan;

std::string_view name_of(uint32_t collective) noexcept {
  static constexpr std::array<std::string_view, kGiveUp + 1> names = {
      "send",           "receive",    "broadcast", "all_gather", "all_to_all",
      "reduce_scatter", "all_reduce", "barrier",   "split",      "give_up"};
  return collective < names.size() ? names[collective] : std::string_view("?");
}

bool between_two(uint32_t collective) noexcept { return collective <= TENON_COLLECTIVE_RECEIVE; }

bool is_sum(uint32_t collective) noexcept {
  return collective == TENON_COLLECTIVE_REDUCE_SCATTER || collective == TENON_COLLECTIVE_ALL_REDUCE;
}

bool takes_rows(uint32_t collective) noexcept {
  return collective == TENON_COLLECTIVE_ALL_TO_ALL || collective == TENON_COLLECTIVE_REDUCE_SCATTER;
}

// ---- Requests, checked --------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(const Request& request, tenon_status status, const std::string& what,
                         const char* operand, std::string expected, std::string found,
                         std::string hint = {}) {
  const std::string name(name_of(request.collective));
  fail_in(name, status, what, operand, std::move(expected), std::move(found), std::move(hint));
}

bool has_peer(uint32_t collective) {
  return between_two(collective) || collective == TENON_COLLECTIVE_BROADCAST;
}

void check_peer(const Request& request, const tenon_members& members) {
  const std::string found = std::to_string(request.peer);
  if (!has_peer(request.collective)) {
    if (request.peer == 0) return;
    refuse(request, TENON_E_ARGUMENT, "has no peer", "peer", "0", found);
  }
  if (request.peer < 0 || request.peer >= members.size) {
    refuse(request, TENON_E_ARGUMENT, "the group has no such rank", "peer",
           "0 to " + std::to_string(members.size - 1), found);
  }
  if (between_two(request.collective) && request.peer == members.rank) {
    refuse(request, TENON_E_ARGUMENT, "the peer is this process", "peer", "another rank", found);
  }
}

void check_operand(const Request& request, const Ref& tensor, bool wanted, const char* operand) {
  if (static_cast<bool>(tensor) == wanted) return;
  refuse(request, TENON_E_ARGUMENT,
         std::string(operand) + (wanted ? " is missing" : " is not wanted"), operand,
         wanted ? "a tensor" : "NULL", wanted ? "NULL" : tensor::describe(*tensor));
}

void check_operands(const Request& request, const tenon_members& members) {
  const uint32_t collective = request.collective;
  const bool barrier = collective == TENON_COLLECTIVE_BARRIER;
  const bool sends = !barrier && collective != TENON_COLLECTIVE_RECEIVE &&
                     (collective != TENON_COLLECTIVE_BROADCAST || request.peer == members.rank);
  check_operand(request, request.input, sends, "input");
  check_operand(request, request.output, !barrier && collective != TENON_COLLECTIVE_SEND, "output");
}

// The output's shape for the input that there is.
tenon_meta wanted_output(const Request& request, int64_t n) {
  const tenon_meta input = tensor::meta_of(*request.input);
  const uint32_t collective = request.collective;
  if (takes_rows(collective) && (input.rank == 0 || input.shape[0] != n)) {
    refuse(request, TENON_E_SHAPE, "the input needs a row for each process", "input",
           "[" + std::to_string(n) + ", ...]", tensor::describe(input));
  }
  if (collective == TENON_COLLECTIVE_REDUCE_SCATTER) return tensor::row_of(input);
  if (collective != TENON_COLLECTIVE_ALL_GATHER) return input;
  if (input.rank == TENON_MAX_RANK) {
    refuse(request, TENON_E_SHAPE, "the output would have too many dimensions", "input",
           "at most 7 dimensions", tensor::describe(input));
  }
  return tensor::rows_of(n, input);
}

void check_shapes(const Request& request, int64_t n) {
  if (!request.input || !request.output) return;
  const tenon_meta wanted = wanted_output(request, n);
  const tenon_meta found = tensor::meta_of(*request.output);
  if (found.dtype != wanted.dtype) {
    refuse(request, TENON_E_DTYPE, "input and output have different dtypes", "output",
           tensor::describe(wanted), tensor::describe(found));
  }
  if (!std::ranges::equal(tensor::shape_of(found), tensor::shape_of(wanted))) {
    refuse(request, TENON_E_SHAPE, "the output has another shape", "output",
           tensor::describe(wanted), tensor::describe(found));
  }
}

Device& device_for(const Request& request, const tenon_collective_desc& desc) {
  Tensor& first = request.input ? *request.input : *request.output;
  Device& device = device_of(first);
  if (request.output && &device_of(*request.output) != &device) {
    refuse(request, TENON_E_DEVICE, "input and output are on different devices", "output",
           device.name(), device_of(*request.output).name());
  }
  const auto kinds = base::words_of(registry::text_view(desc.devices));
  const std::string_view kind =
      device.host_memory() ? std::string_view("host") : std::string_view(device.backend->kind_name);
  if (std::ranges::find(kinds, kind) == kinds.end()) {
    refuse(
        request, TENON_E_DEVICE,
        std::string(registry::text_view(desc.name)) + " does not take memory of " + device.name(),
        request.input ? "input" : "output",
        "memory of " + std::string(registry::text_view(desc.devices)), device.name(),
        "copy it to the host first, or join the processes through an engine of that device");
  }
  return device;
}

void check_memory(const Request& request) {
  if (!request.output) return;
  const Tensor& output = *request.output;
  if (const auto why = tensor::why_read_only(output)) {
    refuse(request, TENON_E_ALIAS, "the output " + why->what, "output", why->expected, why->found);
  }
  if (!request.input || !tensor::may_overlap(request.input->view, output.view)) return;
  const bool in_place = request.collective == TENON_COLLECTIVE_ALL_REDUCE ||
                        request.collective == TENON_COLLECTIVE_BROADCAST;
  if (in_place && tensor::same_view(request.input->view, output.view)) return;
  refuse(request, TENON_E_ALIAS, "the output shares memory with the input", "output",
         in_place ? "the input itself, or other memory" : "other memory", tensor::describe(output));
}

Ref packed(Device& device, const Ref& operand) {
  if (!operand || operand->contiguous()) return {};
  return Ref(Tensor::create(device, operand->view.dtype, operand->shape()));
}

// What canonical sums need: rows that arrive, and an input that can be cut into equal parts.
void make_sum(Move& move, int64_t n, bool sums_fast) {
  const tenon_dtype dtype = move.agreed.dtype;
  const uint32_t bytes = tensor::size_of(dtype);
  const auto make = [&](std::initializer_list<int64_t> shape) {
    const DimSpan dims(shape.begin(), shape.size());
    tensor::checked_count(dims, bytes);
    return Ref(Tensor::create(*move.device, dtype, dims));
  };
  const bool all = move.collective == TENON_COLLECTIVE_ALL_REDUCE;
  if (sums_fast) {
    // An engine's memory does not overlap.
    if (all && tensor::same_view(move.input->view, move.output->view)) {
      move.padded = make({move.count});
    }
    return;
  }
  move.part = all ? move.count / n + (move.count % n != 0 ? 1 : 0) : move.count;
  move.rows = make({n, move.part});
  if (all && move.count % n != 0) move.padded = make({n * move.part});
}

Move move_of(const tenon_collective_desc& desc, const tenon_members& members, Request request,
             bool sums_fast) {
  const int64_t n = members.size;
  Move move;
  move.collective = request.collective;
  move.peer = request.peer;
  if (request.collective == TENON_COLLECTIVE_BARRIER) return move;
  check_shapes(request, n);
  move.device = &device_for(request, desc);
  check_memory(request);
  const bool of_output = !request.input || request.collective == TENON_COLLECTIVE_BROADCAST;
  move.agreed = tensor::meta_of(of_output ? *request.output : *request.input);
  move.count = tensor::count(tensor::shape_of(move.agreed));
  if (takes_rows(move.collective)) move.count /= n;
  move.packed_input = packed(*move.device, request.input);
  move.packed_output = packed(*move.device, request.output);
  move.input = std::move(request.input);
  move.output = std::move(request.output);
  if (is_sum(move.collective) && move.count != 0) make_sum(move, n, sums_fast);
  return move;
}

}  // namespace

std::vector<Move> moves_of(Context& context, const tenon_collective_desc& desc,
                           const tenon_members& members, std::vector<Request> requests,
                           bool sums_fast) {
  std::vector<Move> moves;
  for (Request& request : requests) {
    if (request.collective > TENON_COLLECTIVE_BARRIER) {
      fail(TENON_E_ARGUMENT, "there is no such collective", "collective",
           "TENON_COLLECTIVE_SEND to BARRIER", std::to_string(request.collective));
    }
    if (requests.size() > 1 && !between_two(request.collective)) {
      refuse(request, TENON_E_ARGUMENT, "is made by itself", "n_requests",
             "1, or SEND and RECEIVE alone", std::to_string(requests.size()));
    }
    check_peer(request, members);
    check_operands(request, members);
    moves.push_back(move_of(desc, members, std::move(request), sums_fast));
  }
  // What others read must be there.
  for (const Move& move : moves) {
    if (move.device && !move.device->host_memory()) move.device->wait(context.id);
  }
  return moves;
}

// ---- A transfer ---------------------------------------------------------------------------------

std::string Transfer::words() const {
  const std::string name(name_of(moves[0].collective));
  return sequence == 0 ? name : name + ", transfer " + std::to_string(sequence);
}

void Transfer::end(Context* context) {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (!context) {
      changed_.wait(lock);
      continue;
    }
    // So that tenon_context_interrupt is heard while others do not come.
    changed_.wait_for(lock, std::chrono::milliseconds(50));
    if (!ended_) context->check_interrupt();
  }
  if (!error_) return;
  if (error_->status == TENON_E_MEMORY) throw OutOfMemory{};
  throw Error(*error_);
}

bool Transfer::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Transfer::finish(const Error* error) noexcept {
  {
    const std::lock_guard lock(mutex_);
    try {
      if (error) error_ = *error;
    } catch (...) {
      error_.emplace();
      error_->status = TENON_E_MEMORY;
    }
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace tenon::processes
