// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/throws.cc: exceptions in C++, through the SDK and past it.
#include "../hostile.h"

#include <stdexcept>
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/op.hpp>

namespace sdk = tenon::sdk;

static void compose(sdk::Compose&) { throw std::runtime_error("no idea"); }

// A composition in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: no idea
CASE(throws_compose) {
  twice_op.desc.compose = sdk::compose_fn<compose>;
  twice_kernel.desc.dtype_rows = float_rows + 1;
  float_rows[1] = TENON_DTYPE_F64;
}

static tenon_status get(tenon_call* call, void*, const int64_t*, int64_t, void* const*) {
  return sdk::guarded(call, [] { throw std::runtime_error("page 7 is missing"); });
}

// A dataset in C++ that throws while it reads.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: sample 0: page 7 is missing
CASE(throws_dataset) { numbers.desc.get = get; }

static void infer(const sdk::Args&, std::span<tenon_meta>) {
  throw std::runtime_error("no shape today");
}

// A shape rule in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: no shape today
CASE(throws_infer) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = sdk::infer_fn<infer>;
}

static void launch(const sdk::Launch&) { throw std::runtime_error("the tape is full"); }

// A kernel in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: the tape is full
CASE(throws_launch) { twice_kernel.desc.launch = sdk::launch_fn<launch>; }

static void launch_failure(const sdk::Launch&) {
  throw sdk::Failure{TENON_E_DATA, "x holds what it must not", "x", "good numbers", "bad ones"};
}

// A kernel in C++ that throws a failure with its fields.
// error: TENON_E_DATA hostile.twice: x holds what it must not
CASE(throws_launch_failure) { twice_kernel.desc.launch = sdk::launch_fn<launch_failure>; }

static void launch_memory(const sdk::Launch&) { throw std::bad_alloc(); }

// A kernel in C++ that runs out of memory.
// error: TENON_E_MEMORY hostile.twice: out of memory
CASE(throws_launch_memory) { twice_kernel.desc.launch = sdk::launch_fn<launch_memory>; }

static void launch_number(const sdk::Launch&) { throw 42; }

// A kernel in C++ that throws a number.
// error: TENON_E_PLUGIN hostile.twice: unknown exception in a plugin
CASE(throws_launch_number) { twice_kernel.desc.launch = sdk::launch_fn<launch_number>; }

static tenon_status prepare(tenon_call* call, const tenon_launch*, void**) {
  return sdk::guarded(call, [] { throw std::runtime_error("not prepared"); });
}
static void release_prepared(void*, void*) {}

// A kernel in C++ that throws while it prepares.
// error: TENON_E_PLUGIN hostile.twice: not prepared
CASE(throws_prepare) {
  twice_kernel.desc.prepare = prepare;
  twice_kernel.desc.release_prepared = release_prepared;
}

static uint64_t words(const sdk::Args&) { throw std::runtime_error("lost count"); }

// A random op in C++ that throws when it is asked how much it draws.
// error: TENON_E_PLUGIN hostile.twice: lost count
CASE(throws_random_words) {
  twice_op.desc.flags = TENON_OP_RANDOM;
  twice_op.desc.random_words = sdk::words_fn<words>;
}

static tenon_status raw_device_count(void*, int32_t*, tenon_diag*) {
  throw std::runtime_error("up and away");
}

// Throws when it is asked for its devices; nothing of it stays.
// needs: device hostile
// failed: it has thrown an exception: up and away
CASE(throws_raw_device_count) { backend.table.device_count = raw_device_count; }

static const void* raw_get_interface(void*, const char*, uint64_t) {
  throw std::runtime_error("up and away");
}

// Throws when it is asked for its tables; what init made is released.
// failed: it has thrown an exception: up and away
CASE(throws_raw_get_interface) { answer.get_interface = raw_get_interface; }

static tenon_status raw_init(const tenon_host*, void**, tenon_diag*) {
  throw std::runtime_error("up and away");
}

// Throws out of its init.
// failed: it has thrown an exception: up and away
CASE(throws_raw_init) { answer.init = raw_init; }

static tenon_status raw_init_number(const tenon_host*, void**, tenon_diag*) { throw 42; }

// Throws a number out of its init.
// failed: it has thrown
CASE(throws_raw_init_number) { answer.init = raw_init_number; }

static tenon_status raw_launch(tenon_call*, const tenon_launch*) {
  throw std::runtime_error("up and away");
}

// Throws out of a kernel.
// error: TENON_E_PLUGIN hostile.twice: the kernel of plugin hostile.plugin has thrown an exception:
//   up and away
CASE(throws_raw_launch) { twice_kernel.desc.launch = raw_launch; }

// Throws out of its query.
// failed: it has thrown an exception: up and away
CASE(throws_raw_query) { throw std::runtime_error("up and away"); }

static tenon_status raw_vjp(tenon_call*, void*) { throw std::runtime_error("up and away"); }

// Throws out of a backward rule.
// needs: backward hostile.twice
// error: TENON_E_PLUGIN hostile.twice: the backward rule of plugin hostile.plugin has thrown an
//   exception: up and away
CASE(throws_raw_vjp) { twice_rule.desc.vjp = raw_vjp; }

static void view(const sdk::Args&, tenon_view_result&) { throw std::runtime_error("cannot see"); }

// A view in C++ that throws.
// error: TENON_E_PLUGIN hostile.twice: cannot see
CASE(throws_view) { twice_op.desc.view = sdk::view_fn<view>; }

static void vjp(sdk::Vjp&) { throw std::runtime_error("no way back"); }

// A backward rule in C++ that throws.
// needs: backward hostile.twice
// error: TENON_E_PLUGIN hostile.twice: no way back
CASE(throws_vjp) { twice_rule.desc.vjp = sdk::vjp_fn<vjp>; }

static uint64_t bytes(const sdk::Args&) { throw std::runtime_error("how much is much"); }

// A kernel in C++ that throws when it is asked for its scratch.
// error: TENON_E_PLUGIN hostile.twice: how much is much
CASE(throws_workspace) { twice_kernel.desc.workspace = sdk::workspace_fn<bytes>; }
