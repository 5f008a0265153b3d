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

// One op of one operand, a composition with a backward rule of its own, as a plugin's tables.
class OneOp {
 public:
  OneOp(tenon_compose_fn compose, tenon_vjp_fn vjp) {
    op_.struct_size = sizeof op_;
    op_.revision = 1;
    op_.shape_rule = TENON_SHAPE_SAME_AS_0;
    op_.compose = compose;
    rule_.struct_size = sizeof rule_;
    rule_.flags = TENON_VJP_TWICE;
    rule_.revision = 1;
    rule_.n_inputs = 1;
    rule_.n_outputs = 1;
    rule_.needs = needs_;
    rule_.vjp = vjp;
  }
  OneOp(const OneOp&) = delete;
  OneOp& operator=(const OneOp&) = delete;

  void name(std::string_view name, std::string_view schema) {
    op_.name = rule_.op = str(name);
    op_.schema = str(schema);
  }
  void describe(std::string_view doc, uint32_t flags) {
    op_.doc = str(doc);
    op_.flags = flags;
  }
  // The answer of `get_interface`.
  const void* find(std::string_view id) const {
    if (id == "tenon.ops/1") return &ops_table_;
    return id == "tenon.vjps/1" ? &rules_table_ : nullptr;
  }

 private:
  const tenon_vjp_need needs_[1] = {{1, 0, 0, 0}};
  tenon_op_desc op_{};
  tenon_vjp_desc rule_{};
  const tenon_op_desc* const ops_[1] = {&op_};
  const tenon_vjp_desc* const rules_[1] = {&rule_};
  const tenon_ops_table ops_table_ = {sizeof(tenon_ops_table), 1, ops_};
  const tenon_vjps_table rules_table_ = {sizeof(tenon_vjps_table), 1, rules_};
};

// What a plugin of these tests says of itself.
inline void introduce(const tenon_host* host, std::string_view id, tenon_plugin* out) {
  out->built_major = TENON_ABI_MAJOR;
  out->built_minor = TENON_ABI_MINOR;
  out->required_minor = TENON_ABI_MINOR;
  out->fingerprint = host->fingerprint;
  out->id = str(id);
  out->version = str("1.0.0");
  out->license = str("Apache-2.0");
  out->init = [](const tenon_host*, void**, tenon_diag*) { return TENON_OK; };
  out->release = [](void*) {};
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
  static OneOp cube(compose, vjp);
  cube.name(program_plugin.op, program_plugin.schema);
  cube.describe("A cube, for tests.", TENON_OP_ELEMENTWISE);
  return cube.find({id, length});
}

inline tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag*) {
  if (program_plugin.query_status != TENON_OK) return program_plugin.query_status;
  introduce(host, program_plugin.id, out);
  out->fingerprint.draft = program_plugin.draft;
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
