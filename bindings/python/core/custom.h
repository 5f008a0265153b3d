// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/custom.h: what Tenon calls when an op that is written in Python runs.
#ifndef TENON_BINDINGS_PYTHON_CUSTOM_H
#define TENON_BINDINGS_PYTHON_CUSTOM_H

#include <tenon/plugin.h>

#include <string>
#include <vector>

#include "bindings/python/core/core.h"

namespace tenon::python {

// One plugin of the process: an op, the kernel of one, or its backward rule. Lives as long as the
// runtime, its functions until it is taken out of use.
struct Custom {
  std::string id;
  std::string op;
  std::string schema;
  std::string doc;
  PyObject* function = nullptr;  // composition, kernel or rule
  PyObject* shape = nullptr;     // of an op: its shape rule
  uint32_t n_inputs = 0;         // below: of a kernel and of a rule
  uint32_t n_outputs = 0;
  uint32_t n_attributes = 0;
  uint64_t saved_inputs = 0;  // of a rule, as masks
  uint64_t saved_outputs = 0;

  tenon_op_desc op_desc{};
  tenon_kernel_desc kernel_desc{};
  tenon_vjp_desc rule_desc{};
  const tenon_op_desc* op_entry = &op_desc;
  const tenon_kernel_desc* kernel_entry = &kernel_desc;
  const tenon_vjp_desc* rule_entry = &rule_desc;
  tenon_ops_table ops{sizeof(tenon_ops_table), 0, &op_entry};
  tenon_kernels_table kernels{sizeof(tenon_kernels_table), 0, &kernel_entry};
  tenon_vjps_table rules{sizeof(tenon_vjps_table), 0, &rule_entry};
  std::vector<tenon_slot_rule> slots;
  std::vector<tenon_dtype> rows;
  std::vector<tenon_vjp_need> needs;
};

// The callbacks of the descriptors; tenon_call.self is the Custom. An exception of the Python
// function stays set and becomes that of the whole call.
tenon_status infer_custom(tenon_call* call, const tenon_launch* args, tenon_meta* out_metas,
                          uint32_t n_outputs);
tenon_status compose_custom(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
                            const tenon_value* attrs, uint32_t n_attrs);
tenon_status launch_custom(tenon_call* call, const tenon_launch* args);
tenon_status run_custom_rule(tenon_call* call, void* user);

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_CUSTOM_H
