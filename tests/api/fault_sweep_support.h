// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_sweep_support.h: a table of right calls, each of which must survive the failure
// of any of its allocations.
#pragma once

#include "tests/api/failing_memory_support.h"
#include "tests/api/wrong_input_support.h"

namespace tenon::tests {

// What the calls work on, beside one of everything.
struct FaultWorld : World {
  FaultWorld();
  ~FaultWorld();

  const tenon_op* op(const char* name);
  // Ends what a call has made: gives back the outs that it wrote.
  void drop_outs();
  void end_fresh();

  tenon_tensor* second = nullptr;     // f32[2,3], another leaf that requires a gradient
  tenon_tensor* table = nullptr;      // f32[4,3], a leaf whose gradients are rows
  tenon_tensor* rows = nullptr;       // i64[2]
  tenon_tensor* looked_up = nullptr;  // embedding(table, rows)
  tenon_tensor* both = nullptr;       // computed from parameter and second
  tenon_tensor* across = nullptr;     // f32[3,2], own.tensor transposed
  tenon_tensor* remote = nullptr;     // f32[2,3] on a device that works on its own
  tenon_tensor* remote_leaf = nullptr;
  tenon_device device{};                   // that device
  tenon_tensor* spare = nullptr;           // what a call uses up
  tenon_runtime* fresh_runtime = nullptr;  // for calls that open plugins
  tenon_context* fresh = nullptr;
};

struct FaultRow {
  std::string function;
  std::string what;
  std::function<tenon_status(FaultWorld&)> call;
  // Takes back what a call that succeeded did, beside its outs.
  std::function<void(FaultWorld&)> undo;
  // Before each call: puts there what it uses up.
  std::function<void(FaultWorld&)> before;
  // A call that fails may use up what it works on, so there is no calling it again.
  bool uses_up = false;
  // After each call, whatever came of it: what must hold then.
  std::function<void(FaultWorld&, tenon_status)> check;
};
using FaultRows = std::vector<FaultRow>;

inline void sweep(FaultRows& rows, const std::string& function, const std::string& what,
                  std::function<tenon_status(FaultWorld&)> call,
                  std::function<void(FaultWorld&)> undo = {},
                  std::function<void(FaultWorld&)> before = {}) {
  rows.push_back({function, what, std::move(call), std::move(undo), std::move(before), false, {}});
}

// By part of tenon.h.
FaultRows query_faults();  // thousands of allocations, each failing once
FaultRows runtime_faults();
FaultRows context_faults();
FaultRows tensor_faults();
FaultRows gradient_faults();
FaultRows op_faults();
FaultRows training_faults();
FaultRows archive_faults();
FaultRows layer_faults();
FaultRows loader_faults();
FaultRows run_file_faults();
FaultRows tokenizer_faults();
FaultRows tokenizer_file_faults();
FaultRows process_faults();
FaultRows history_faults();
FaultRows entry_faults();
// A runtime's first use of things, which opens plugins.
FaultRows opening_faults();
FaultRows allow_list_faults();

}  // namespace tenon::tests
