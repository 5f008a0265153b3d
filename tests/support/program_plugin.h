// SPDX-License-Identifier: Apache-2.0
// tests/support/program_plugin.h: a plugin that is part of the test program: the op acme.cube, as a
// composition, with a backward rule of its own. `program_plugin` says how it misbehaves.
#pragma once

#include <tenon/plugin.h>

#include <cstring>
#include <string_view>

namespace tenon::tests {

struct ProgramPlugin {
  std::string_view id = "acme.program";
  std::string_view op = "acme.cube";
  std::string_view schema = "cube(x: T[...]) -> T[...] where T: float";
  tenon_status init_status = TENON_OK;
  tenon_status query_status = TENON_OK;
  uint32_t draft = TENON_ABI_DRAFT;
  int open = 0;   // runtimes that hold it
  int rules = 0;  // how often the backward rule ran
};
inline ProgramPlugin program_plugin;

namespace program {

inline tenon_string str(std::string_view text) { return {text.data(), text.size()}; }

inline tenon_value value_of(tenon_tensor* tensor) {
  tenon_value value{TENON_VALUE_TENSOR, 0, {}};
  value.as.tensor = tensor;
  return value;
}

// *out = a * b; a failure has its words in the host.
inline tenon_status mul(tenon_call* call, tenon_value a, tenon_value b, tenon_value* out) {
  const tenon_op* op = call->dispatch->find(call, "tenon.mul", TENON_NUL);
  if (!op) return TENON_E_NOT_FOUND;
  const tenon_value both[] = {a, b};
  tenon_tensor* made = nullptr;
  const tenon_status status = call->dispatch->call(call, op, both, 2, nullptr, 0, &made, 1);
  *out = value_of(made);
  return status;
}

inline tenon_status compose(tenon_call* call, const tenon_value* inputs, uint32_t,
                            const tenon_value*, uint32_t) {
  tenon_value cube{};
  tenon_status status = mul(call, inputs[0], inputs[0], &cube);
  if (status == TENON_OK) status = mul(call, cube, inputs[0], &cube);
  if (status != TENON_OK) return status;
  return call->dispatch->set_output(call, 0, cube.as.tensor);
}

// dx = dy 3 x^2
inline tenon_status vjp(tenon_call* call, void*) {
  ++program_plugin.rules;
  tenon_value dy{}, x{}, slope{};
  tenon_value three{TENON_VALUE_F64, 0, {}};
  three.as.f64 = 3;
  tenon_status status = call->vjp->get_output_grad(call, 0, &dy);
  if (status == TENON_OK) status = call->vjp->get_input(call, 0, &x);
  if (status == TENON_OK) status = mul(call, x, x, &slope);
  if (status == TENON_OK) status = mul(call, slope, three, &slope);
  if (status == TENON_OK) status = mul(call, slope, dy, &slope);
  if (status != TENON_OK) return status;
  return call->vjp->set_input_grad(call, 0, 0, slope.as.tensor);
}

inline const void* get_interface(void*, const char* id, uint64_t length) {
  static tenon_op_desc op;
  static tenon_vjp_desc rule;
  static const tenon_vjp_need needs[] = {{1, 0, 0, 0}};
  static const tenon_op_desc* const ops[] = {&op};
  static const tenon_vjp_desc* const rules[] = {&rule};
  static const tenon_ops_table ops_table = {sizeof(tenon_ops_table), 1, ops};
  static const tenon_vjps_table rules_table = {sizeof(tenon_vjps_table), 1, rules};
  op = {};
  op.struct_size = sizeof op;
  op.flags = TENON_OP_ELEMENTWISE;
  op.name = str(program_plugin.op);
  op.schema = str(program_plugin.schema);
  op.doc = str("A cube, for tests.");
  op.revision = 1;
  op.shape_rule = TENON_SHAPE_SAME_AS_0;
  op.compose = compose;
  rule = {};
  rule.struct_size = sizeof rule;
  rule.flags = TENON_VJP_TWICE;
  rule.op = op.name;
  rule.revision = 1;
  rule.n_inputs = 1;
  rule.n_outputs = 1;
  rule.needs = needs;
  rule.vjp = vjp;
  const std::string_view wanted(id, length);
  if (wanted == "tenon.ops/1") return &ops_table;
  return wanted == "tenon.vjps/1" ? &rules_table : nullptr;
}

inline tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag*) {
  if (program_plugin.query_status != TENON_OK) return program_plugin.query_status;
  out->built_major = TENON_ABI_MAJOR;
  out->built_minor = TENON_ABI_MINOR;
  out->required_minor = TENON_ABI_MINOR;
  out->fingerprint = host->fingerprint;
  out->fingerprint.draft = program_plugin.draft;
  out->id = str(program_plugin.id);
  out->version = str("1.0.0");
  out->license = str("Apache-2.0");
  out->init = [](const tenon_host*, void**, tenon_diag* diag) {
    if (program_plugin.init_status == TENON_OK) {
      ++program_plugin.open;
      return TENON_OK;
    }
    static const char words[] = "no room for it";
    std::memcpy(diag->message, words, sizeof words);
    diag->length = sizeof words - 1;
    return program_plugin.init_status;
  };
  out->release = [](void*) { --program_plugin.open; };
  out->get_interface = get_interface;
  return TENON_OK;
}

}  // namespace program
}  // namespace tenon::tests
