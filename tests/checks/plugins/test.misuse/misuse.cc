// SPDX-License-Identifier: Apache-2.0
// tests/checks/plugins/test.misuse/misuse.cc: callbacks that do with the host what they must not,
// and say that all is well. The attribute `how` chooses; 0 behaves.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>
#include <thread>

namespace {

namespace sdk = tenon::sdk;
using sdk::str;

// What a callback has kept, and must not have.
tenon_call* kept = nullptr;

void log_something(tenon_call* call) { call->base->log(call, TENON_LOG_INFO, "x", 1); }

tenon_status log_in_chunk(void* call, int64_t, int64_t, int64_t) {
  log_something(static_cast<tenon_call*>(call));
  return TENON_OK;
}

void copy(const tenon_launch* args) {
  const tenon_view& from = args->views[0];
  const tenon_view& to = args->views[1];
  const int64_t n = from.rank == 0 ? 1 : sdk::count_of({from.shape, size_t(from.rank)});
  std::memcpy(to.data, from.data, static_cast<size_t>(n) * sizeof(float));
}

// Raw: without the shims of the SDK, which catch what a rule throws.
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  copy(args);
  switch (args->attrs[0].as.i64) {
    case 1:  // calls an op
      call->dispatch->call(call, nullptr, nullptr, 0, nullptr, 0, nullptr, 0);
      break;
    case 2:
      call->threads->parallel_for(call, 4, 1, log_in_chunk, call);
      break;
    case 3:
      std::thread([call] { log_something(call); }).join();
      break;
    case 4:
      kept = call;
      break;
    case 5:
      log_something(kept);
      break;
    case 6:
      throw std::runtime_error("up and away");
    case 7: {
      // A function of the test, with its argument, as two numbers.
      const auto function = reinterpret_cast<void (*)(void*)>(args->attrs[1].as.i64);
      function(reinterpret_cast<void*>(args->attrs[2].as.i64));
      break;
    }
    case 8:
      throw 7;
    case 14:  // writes after its output, once `user` says so
      if (*reinterpret_cast<const bool*>(args->attrs[2].as.i64)) {
        static_cast<float*>(args->views[1].data)[args->views[1].shape[0]] = 1;
      }
      break;
    default:
      break;
  }
  return TENON_OK;
}

tenon_status infer(tenon_call* call, const tenon_launch* args, tenon_meta* out, uint32_t) {
  out[0].rank = args->views[0].rank;
  std::copy_n(args->views[0].shape, out[0].rank, out[0].shape);
  if (args->attrs[0].as.i64 == 9) call->threads->parallel_for(call, 1, 1, log_in_chunk, call);
  if (args->attrs[0].as.i64 == 10) {
    uint64_t bytes = 0;
    call->memory->scratch(call, &bytes);
  }
  return TENON_OK;
}

tenon_status vjp(tenon_call* call, void*) {
  tenon_value how{};
  tenon_value dy{};
  call->vjp->get_attr(call, 0, &how);
  call->vjp->get_output_grad(call, 0, &dy);
  switch (how.as.i64) {
    case 11:
      return call->vjp->set_input_grad(call, 0, 0, nullptr);
    case 12:
      throw std::runtime_error("no way back");
    case 13:
      call->threads->parallel_for(call, 4, 1, log_in_chunk, call);
      break;
    default:
      break;
  }
  return call->vjp->set_input_grad(call, 0, 0, dy.as.tensor);
}

constexpr tenon_op_desc ops[] = {{sizeof(tenon_op_desc), 0, str("test.misuse"),
                                  str("misuse(x: T[...], *, how: int=0, function: int=0, "
                                      "user: int=0) -> (y: T[...]) where T: float"),
                                  str("Copies, and misbehaves."), 1, TENON_SHAPE_CALLBACK, 0, 0,
                                  infer, nullptr, nullptr, nullptr}};

constexpr tenon_slot_rule slots[] = {{TENON_SLOT_IN, TENON_LAYOUT_CONTIGUOUS, 0, 0},
                                     {TENON_SLOT_OUT, TENON_LAYOUT_CONTIGUOUS, 0, 0}};
constexpr tenon_dtype row = TENON_DTYPE_F32;
constexpr tenon_kernel_desc kernels[] = {
    {sizeof(tenon_kernel_desc), TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL,
     str("test.misuse"), str("cpu"), 1, 0, slots, &row, 2, 3, 1, 1, nullptr, nullptr, nullptr,
     nullptr, launch, nullptr}};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {{sizeof(tenon_vjp_desc), TENON_VJP_TWICE, str("test.misuse"), 1,
                                    0, 1, 1, 3, 0, needs, 0, vjp, nullptr}};

}  // namespace

TENON_UNIT(misuse) = {.ops = ops, .vjps = vjps, .kernels = kernels};
