// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer.c: optimizers that are not in order.
#include "../hostile.h"

#include <math.h>

// An optimizer that is there twice.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd is registered twice
CASE(optimizer_duplicate) { optimizers[optimizers_table.count++] = &sgd.desc; }

// A descriptor (optimizer) with a flag that this Tenon does not know.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd needs a newer Tenon: unknown flags 1073741824
CASE(optimizer_flags) { sgd.desc.flags |= 1u << 30; }

// An optimizer with a hyper-parameter with a flag that Tenon does not know.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'nesterov' needs a newer Tenon: unknown flags 512
CASE(optimizer_hyper_flags) { hypers[1].flags = 1u << 9; }

// An optimizer with a hyper-parameter whose name is none.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: the name 'learning rate' is not one of [a-z0-9_]
CASE(optimizer_hyper_name) { hypers[0].name = text_of("learning rate"); }

// An optimizer that starts at no number.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'lr' starts at nan, outside of its range 0.000000
//   to 1.000000
CASE(optimizer_hyper_nan) { hypers[0].initial = NAN; }

// An optimizer that starts outside of its own range.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'lr' starts at 2.000000, outside of its range
//   0.000000 to 1.000000
CASE(optimizer_hyper_range) { hypers[0].initial = 2; }

// An optimizer with a hyper-parameter of no known kind.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'nesterov' has tag 1; TENON_VALUE_F64, I64 or
//   BOOL is needed
CASE(optimizer_hyper_tag) { hypers[1].tag = TENON_VALUE_TENSOR; }

// An optimizer with a thousand hyper-parameters.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: n_hypers is 1000; at most 64 are possible
CASE(optimizer_hypers_many) { sgd.desc.n_hypers = 1000; }

// An optimizer with a count of hyper-parameters and none.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: `hypers` is NULL, but n_hypers is 2
CASE(optimizer_hypers_null) { sgd.desc.hypers = NULL; }

// A name (optimizer) that is NULL but has a length.
// needs: optimizer hostile.sgd
// refused: optimizer 0: a string is NULL but has length 11
CASE(optimizer_name_null) { sgd.desc.name.data = NULL; }

// A name (optimizer) without a vendor.
// needs: optimizer hostile.sgd
// refused: optimizer 0: the name 'plain' is not of the form vendor.name in small letters, digits
//   and '_'
CASE(optimizer_name_plain) { sgd.desc.name = text_of("plain"); }

// An optimizer in which a state and a hyper-parameter have one name.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: 'lr' stands there twice
CASE(optimizer_name_twice) { states[0].name = text_of("lr"); }

// An optimizer whose op for rows is not a name.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: rows_op 'Rows Op' is not an op name
CASE(optimizer_rows_name) { sgd.desc.rows_op = text_of("Rows Op"); }

// A descriptor (optimizer) that says it is longer than any can be.
// needs: optimizer hostile.sgd
// refused: optimizer 0: struct_size is 100000; more than 1024 cannot be right
CASE(optimizer_size_large) { sgd.desc.struct_size = 100000; }

// A descriptor (optimizer) that is a pointer too short.
// needs: optimizer hostile.sgd
// refused: optimizer 0: struct_size is 40; at least {tenon_optimizer_desc} is needed
CASE(optimizer_size_small) { sgd.desc.struct_size = 40; }

// A descriptor (optimizer) that says it has no bytes.
// needs: optimizer hostile.sgd
// refused: optimizer 0: struct_size is 0; at least {tenon_optimizer_desc} is needed
CASE(optimizer_size_zero) { sgd.desc.struct_size = 0; }

// An optimizer with a state of no known dtype.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: state 'momentum' has unknown dtype 3
CASE(optimizer_state_dtype) { states[0].dtype = 3; }

// An optimizer with a state of no known shape.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: state 'momentum' has unknown shape policy 5
CASE(optimizer_state_shape) { states[0].shape = 5; }

// An optimizer with four thousand million states.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: n_states is 4294967295; at most 64 are possible
CASE(optimizer_states_many) { sgd.desc.n_states = UINT32_MAX; }

// An optimizer with a count of states and none.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: `states` is NULL, but n_states is 1
CASE(optimizer_states_null) { sgd.desc.states = NULL; }

// An optimizer whose step op takes lists where numbers come.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: input 3 of its step op must be 'lr: f64[]'; its schema is
//   step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]*, *, nesterov: bool=false)
//   -> ()
CASE(optimizer_step_dynamic) {
  step_op.desc.schema = text_of(
      "step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]*, *, nesterov: "
      "bool=false) -> ()");
}

// An optimizer whose step op nobody offers.
// needs: optimizer hostile.sgd
// error: TENON_E_NOT_FOUND op "nobody.steps" is not available: no plugin lists it; looked in
//   {plugins} (1 plugin), {good_plugins} ({good_count})
CASE(optimizer_step_missing) { sgd.desc.step_op = text_of("nobody.steps"); }

// An optimizer whose step op has no name.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: step_op '' is not an op name
CASE(optimizer_step_name) { sgd.desc.step_op = text_of(""); }

// An optimizer whose step op is made for something else.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: its step op must have 4 inputs (params, grads, each state, each
//   dynamic hyper-parameter); its schema is twice(x: T[...]) -> T[...] where T: float
CASE(optimizer_step_other) { sgd.desc.step_op = text_of("hostile.twice"); }

// An optimizer whose step op does not write the parameters.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: input 0 of its step op must be 'params!: T[...]*'; its schema is
//   step(params: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[], *, nesterov: bool=false)
//   -> ()
CASE(optimizer_step_params) {
  step_op.desc.schema = text_of(
      "step(params: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[], *, nesterov: "
      "bool=false) -> ()");
}

// An optimizer whose step op names its state otherwise.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: input 2 of its step op must be 'momentum!: T[...]*'; its schema
//   is step(params!: T[...]*, grads: T[...]*, speed!: T[...]*, lr: f64[], *, nesterov: bool=false)
//   -> ()
CASE(optimizer_step_state) {
  step_op.desc.schema = text_of(
      "step(params!: T[...]*, grads: T[...]*, speed!: T[...]*, lr: f64[], *, nesterov: bool=false) "
      "-> ()");
}

// An optimizer whose step op lacks a fixed hyper-parameter.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'nesterov' is not an attribute of the step op;
//   its schema is step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]) -> ()
CASE(optimizer_step_static) {
  step_op.desc.schema =
      text_of("step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]) -> ()");
}

// A descriptor (optimizer) with data after what this Tenon knows.
// needs: optimizer hostile.sgd
// refused: optimizer 0 needs a newer Tenon: unknown data at offset {tenon_optimizer_desc+3}
CASE(optimizer_tail) {
  sgd.desc.struct_size = sizeof sgd;
  sgd.tail[3] = 1;
}
