// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp.c: backward rules that are not in order, and ones that fail.
#include "../hostile.h"

// A backward rule for attributes that its op does not have.
// refused: backward rule of hostile.twice has 1 attributes; the op has 0: its schema is twice(x:
//   T[...]) -> T[...] where T: float
CASE(vjp_attributes_many) { twice_rule.desc.n_attrs = 1; }

// A backward rule that is there twice.
// refused: backward rule of hostile.twice is registered twice
CASE(vjp_duplicate) { rules[rules_table.count++] = &twice_rule.desc; }

static tenon_status silent_rule(tenon_call* call, void* user) {
  (void)user;
  tenon_value value;
  (void)call;
  (void)value;
  return TENON_E_INTERNAL;
}

// A backward rule that fails without a word.
// needs: backward hostile.twice
// error: TENON_E_INTERNAL hostile.twice: the backward rule failed without saying why
CASE(vjp_fails_silent) { twice_rule.desc.vjp = silent_rule; }

// A descriptor (vjp) with a flag that this Tenon does not know.
// refused: backward rule of hostile.twice needs a newer Tenon: unknown flags 1073741824, reserved 0
CASE(vjp_flags) { twice_rule.desc.flags |= 1u << 30; }

static tenon_status generous_rule(tenon_call* call, void* user) {
  (void)user;
  tenon_value value;
  const tenon_status status = call->vjp->get_output_grad(call, 0, &value);
  if (status != TENON_OK) return status;
  return call->vjp->set_input_grad(call, 9, 0, value.as.tensor);
}

// A backward rule that gives a gradient to an input which does not exist.
// needs: backward hostile.twice
// error: TENON_E_VJP backward rule of hostile.twice: sets the gradient of an operand that was not
//   given
CASE(vjp_gradient_of_nobody) { twice_rule.desc.vjp = generous_rule; }

// A backward rule for more inputs than its op has.
// refused: backward rule of hostile.twice has 2 input slots; the op has 1: its schema is twice(x:
//   T[...]) -> T[...] where T: float
CASE(vjp_inputs_many) { twice_rule.desc.n_inputs = 2; }

// A name (vjp) that is NULL but has a length.
// refused: backward rule 0: a string is NULL but has length 13
CASE(vjp_name_null) { twice_rule.desc.op.data = NULL; }

// A name (vjp) without a vendor.
// refused: backward rule 0: the name 'plain' is not of the form vendor.name in small letters,
//   digits and '_'
CASE(vjp_name_plain) { twice_rule.desc.op = text_of("plain"); }

// A backward rule that needs an input which does not exist.
// refused: backward rule of hostile.twice: needs[0].inputs names input 1; the rule knows 1
CASE(vjp_needs_input) { twice_needs[0].inputs = 2; }

// A backward rule that needs the shape of an input which does not exist.
// refused: backward rule of hostile.twice: needs[0].input_metas names input 1; the rule knows 1
CASE(vjp_needs_input_meta) { twice_needs[0].input_metas = UINT64_MAX; }

// A backward rule that does not say what it needs.
// refused: backward rule of hostile.twice: `needs` is NULL, but n_inputs is 1
CASE(vjp_needs_null) { twice_rule.desc.needs = NULL; }

// A backward rule that needs an output which does not exist.
// refused: backward rule of hostile.twice: needs[0].outputs names output 7; the rule knows 1
CASE(vjp_needs_output) { twice_needs[0].outputs = 1u << 7; }

// A backward rule that needs the shape of an output which does not exist.
// refused: backward rule of hostile.twice: needs[0].output_metas names output 1; the rule knows 1
CASE(vjp_needs_output_meta) { twice_needs[0].output_metas = 2; }

// A backward rule that names an input which does not exist.
// refused: backward rule of hostile.twice: non_differentiable names input 5; the rule knows 1
CASE(vjp_non_differentiable) { twice_rule.desc.non_differentiable = 1u << 5; }

// A backward rule without its function.
// refused: backward rule of hostile.twice: `vjp` is NULL
CASE(vjp_null) { twice_rule.desc.vjp = NULL; }

// A backward rule for more outputs than its op has.
// refused: backward rule of hostile.twice has 2 output slots; the op has 1: its schema is twice(x:
//   T[...]) -> T[...] where T: float
CASE(vjp_outputs_many) { twice_rule.desc.n_outputs = 2; }

static tenon_status curious_rule(tenon_call* call, void* user) {
  (void)user;
  tenon_value value;
  return call->vjp->get_input(call, 0, &value);
}

// A backward rule that reads what it did not ask for.
// needs: backward hostile.twice
// error: TENON_E_VJP backward rule of hostile.twice: reads input 0, which its needs do not declare
CASE(vjp_reads_undeclared) { twice_rule.desc.vjp = curious_rule; }

// A descriptor (vjp) that fills in a reserved member.
// refused: backward rule of hostile.twice needs a newer Tenon: unknown flags 0, reserved 6
CASE(vjp_reserved) { twice_rule.desc.reserved = 6; }

// A descriptor (vjp) that says it is longer than any can be.
// refused: backward rule 0: struct_size is 100000; more than 1024 cannot be right
CASE(vjp_size_large) { twice_rule.desc.struct_size = 100000; }

// A descriptor (vjp) that is a pointer too short.
// refused: backward rule 0: struct_size is 40; at least {tenon_vjp_desc} is needed
CASE(vjp_size_small) { twice_rule.desc.struct_size = 40; }

// A descriptor (vjp) that says it has no bytes.
// refused: backward rule 0: struct_size is 0; at least {tenon_vjp_desc} is needed
CASE(vjp_size_zero) { twice_rule.desc.struct_size = 0; }

// A descriptor (vjp) with data after what this Tenon knows.
// refused: backward rule 0 needs a newer Tenon: unknown data at offset {tenon_vjp_desc+3}
CASE(vjp_tail) {
  twice_rule.desc.struct_size = sizeof twice_rule;
  twice_rule.tail[3] = 1;
}

// A backward rule for an op that nobody offers, beside good entries.
// manifest: {"op": "add", "path": "/vjps/-", "value": "nobody.knows"}
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | backward rule of nobody.knows was passed over: the op is unknown
CASE(vjp_unknown_op) {
  static long_rule lost;
  lost = twice_rule;
  lost.desc.op = text_of("nobody.knows");
  rules[rules_table.count++] = &lost.desc;
}
