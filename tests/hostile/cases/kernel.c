// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel.c: kernels that are not in order, and launches that fail.
#include "../hostile.h"

// A kernel for attributes that its op does not have.
// refused: kernel 0 (hostile.twice on cpu) has 2 attributes; the op has 0: its schema is twice(x:
//   T[...]) -> T[...] where T: float
CASE(kernel_attributes) { twice_kernel.desc.n_attrs = 2; }

// A kernel that was built without a required attribute of its op.
// refused: kernel 0 (hostile.twice on cpu) has 0 attributes; the op has 1: its schema is twice(x:
//   T[...], *, n: int) -> T[...] where T: float
CASE(kernel_attributes_missing) {
  twice_op.desc.schema = text_of("twice(x: T[...], *, n: int) -> T[...] where T: float");
}

// A kernel for a device kind that is not a name.
// refused: kernel 0: the device kind 'my device' is not one of [a-z0-9_]
CASE(kernel_device_name) { twice_kernel.desc.device = text_of("my device"); }

// A kernel that is there twice.
// refused: kernel 3 (hostile.twice on cpu) is registered twice: another kernel has the same slots
//   and a dtype row of it
CASE(kernel_duplicate) { kernels[kernels_table.count++] = &twice_kernel.desc; }

// A descriptor (kernel) with a flag that this Tenon does not know.
// refused: kernel 0 (hostile.twice on cpu) needs a newer Tenon: unknown flags 1073741824
CASE(kernel_flags) { twice_kernel.desc.flags |= 1u << 30; }

// A kernel that cannot be launched.
// refused: kernel 0 (hostile.twice on cpu): `launch` is NULL
CASE(kernel_launch_null) { twice_kernel.desc.launch = NULL; }

// A name (kernel) that is NULL but has a length.
// refused: kernel 0: a string is NULL but has length 13
CASE(kernel_name_null) { twice_kernel.desc.op.data = NULL; }

// A name (kernel) without a vendor.
// refused: kernel 0: the name 'plain' is not of the form vendor.name in small letters, digits and
//   '_'
CASE(kernel_name_plain) { twice_kernel.desc.op = text_of("plain"); }

static tenon_status prepare(tenon_call* call, const tenon_launch* args, void** out) {
  (void)call;
  (void)args;
  *out = NULL;
  return TENON_OK;
}

// A kernel that prepares what nobody can release.
// refused: kernel 0 (hostile.twice on cpu): it has `prepare` but no `release_prepared`; give both
//   or neither
CASE(kernel_prepare_alone) { twice_kernel.desc.prepare = prepare; }

static void release_prepared(void* user, void* prepared) {
  (void)user;
  (void)prepared;
}

// A kernel that releases what nobody prepared.
// refused: kernel 0 (hostile.twice on cpu): it has `release_prepared` but no `prepare`; give both
//   or neither
CASE(kernel_release_prepared_alone) { twice_kernel.desc.release_prepared = release_prepared; }

// A kernel for a dtype that its op does not take.
// refused: kernel 0 (hostile.twice on cpu): dtype row 1 gives i32 to variable T, which the op does
//   not allow: its schema is twice(x: T[...]) -> T[...] where T: float
CASE(kernel_row_not_allowed) {
  float_rows[1] = TENON_DTYPE_I32;
  twice_kernel.desc.n_rows = 2;
}

// A kernel for a dtype that Tenon does not have.
// refused: kernel 0 (hostile.twice on cpu): dtype row 1 gives unknown dtype 12345 to variable T,
//   which the op does not allow: its schema is twice(x: T[...]) -> T[...] where T: float
CASE(kernel_row_unknown) {
  float_rows[1] = 12345;
  twice_kernel.desc.n_rows = 2;
}

// A kernel for a million rows of dtypes.
// refused: kernel 0 (hostile.twice on cpu): n_rows is 1000000; 1 to 65536 rows of dtypes are
//   possible
CASE(kernel_rows_many) { twice_kernel.desc.n_rows = 1000000; }

// A kernel for no dtype.
// refused: kernel 0 (hostile.twice on cpu): n_rows is 0; 1 to 65536 rows of dtypes are possible
CASE(kernel_rows_none) { twice_kernel.desc.n_rows = 0; }

// A kernel with a count of dtype rows and no rows.
// refused: kernel 0 (hostile.twice on cpu): `dtype_rows` is NULL, but n_rows is 1
CASE(kernel_rows_null) { twice_kernel.desc.dtype_rows = NULL; }

// A descriptor (kernel) that says it is longer than any can be.
// refused: kernel 0: struct_size is 100000; more than 1024 cannot be right
CASE(kernel_size_large) { twice_kernel.desc.struct_size = 100000; }

// A descriptor (kernel) that is a pointer too short.
// refused: kernel 0: struct_size is 40; at least {tenon_kernel_desc} is needed
CASE(kernel_size_small) { twice_kernel.desc.struct_size = 40; }

// A descriptor (kernel) that says it has no bytes.
// refused: kernel 0: struct_size is 0; at least {tenon_kernel_desc} is needed
CASE(kernel_size_zero) { twice_kernel.desc.struct_size = 0; }

// A kernel with a slot with a flag that Tenon does not know.
// refused: kernel 0 (hostile.twice on cpu): slot 0 has an unknown flag: needs a newer Tenon for
//   flags 1048576
CASE(kernel_slot_flags) { twice_slots[0].flags = 1u << 20; }

// A kernel that only reads an operand which its op writes.
// refused: kernel 0 (hostile.twice on cpu): slot 0 must have role INOUT, because input 'x' is
//   marked '!' in the schema twice(x!: T[...]) -> T[...] where T: float
CASE(kernel_slot_in) {
  twice_op.desc.schema = text_of("twice(x!: T[...]) -> T[...] where T: float");
}

// A kernel that writes to an input which its op only reads.
// refused: kernel 0 (hostile.twice on cpu): slot 0 must have role IN, because input 'x' is not
//   marked '!' in the schema twice(x: T[...]) -> T[...] where T: float
CASE(kernel_slot_inout) { twice_slots[0].role = TENON_SLOT_INOUT; }

// A kernel with a slot of no known class of layouts.
// refused: kernel 0 (hostile.twice on cpu): slot 1 has an unknown layout class 9
CASE(kernel_slot_layout) { twice_slots[1].layout = 9; }

// A kernel with an input behind an output.
// refused: kernel 0 (hostile.twice on cpu): slot 1 is an input after an output; slots are the
//   schema's inputs, then its outputs
CASE(kernel_slot_order) {
  twice_slots[0].role = TENON_SLOT_OUT;
  twice_slots[1].role = TENON_SLOT_IN;
}

// A kernel with a slot for nine dimensions.
// refused: kernel 0 (hostile.twice on cpu): slot 0 has max_rank 9, a rank above 8
CASE(kernel_slot_rank) { twice_slots[0].max_rank = 9; }

// A kernel with a slot of no known role.
// refused: kernel 0 (hostile.twice on cpu): slot 0 has an unknown role 9
CASE(kernel_slot_role) { twice_slots[0].role = 9; }

// A kernel without its op's output.
// refused: kernel 0 (hostile.twice on cpu) has 0 output slots; the op has 1: its schema is twice(x:
//   T[...]) -> T[...] where T: float
CASE(kernel_slots_fewer) { twice_kernel.desc.n_slots = 1; }

// A kernel with more slots than any op has.
// refused: kernel 0 (hostile.twice on cpu): n_slots is 65; at most 64 are possible
CASE(kernel_slots_many) { twice_kernel.desc.n_slots = TENON_MAX_SLOTS + 1; }

// A kernel with more inputs than its op.
// refused: kernel 0 (hostile.twice on cpu) has 2 input slots; the op has 1: its schema is twice(x:
//   T[...]) -> T[...] where T: float
CASE(kernel_slots_more) {
  twice_slots[1].role = TENON_SLOT_IN;
  twice_slots[2].role = TENON_SLOT_OUT;
  twice_kernel.desc.n_slots = 3;
}

// A kernel with a count of slots and no slots.
// refused: kernel 0 (hostile.twice on cpu): `slots` is NULL, but n_slots is 2
CASE(kernel_slots_null) { twice_kernel.desc.slots = NULL; }

// A descriptor (kernel) with data after what this Tenon knows.
// refused: kernel 0 needs a newer Tenon: unknown data at offset {tenon_kernel_desc+3}
CASE(kernel_tail) {
  twice_kernel.desc.struct_size = sizeof twice_kernel;
  twice_kernel.tail[3] = 1;
}

// A kernel for an op that nobody offers, beside good entries.
// manifest: {"op": "add", "path": "/kernels/0/ops/-", "value": "nobody.knows"}
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | kernel for unknown op nobody.knows on cpu was passed over
CASE(kernel_unknown_op) {
  static long_kernel lost;
  lost = twice_kernel;
  lost.desc.op = text_of("nobody.knows");
  kernels[kernels_table.count++] = &lost.desc;
}

// A kernel for a revision that its op does not have, beside good entries.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | kernel for unknown op hostile.twice revision 5 on cpu was passed over
CASE(kernel_unknown_revision) {
  static long_kernel lost;
  lost = twice_kernel;
  lost.desc.revision = 5;
  kernels[kernels_table.count++] = &lost.desc;
}

// A kernel for more type variables than its op has.
// refused: kernel 0 (hostile.twice on cpu): n_variables is 2; the op has 1 type variables: its
//   schema is twice(x: T[...]) -> T[...] where T: float
CASE(kernel_variables) { twice_kernel.desc.n_variables = 2; }

// A kernel of its own op comes with a revision that is not there, and no other.
// error: TENON_E_NO_KERNEL hostile.twice: no kernel for device cpu:0 and dtypes (f32), and no
//   composition: no plugin has a kernel for this op
CASE(kernels_only_unknown) { twice_kernel.desc.revision = 5; }

static tenon_status calling_launch(tenon_call* call, const tenon_launch* args) {
  (void)args;
  const tenon_op* op = call->dispatch->find(call, "hostile.twice", TENON_NUL);
  if (op == NULL) return TENON_E_NOT_FOUND;
  tenon_tensor* out = NULL;
  return call->dispatch->call(call, op, NULL, 0, NULL, 0, &out, 1);
}

// A kernel that calls an op, which only rules may.
// error: TENON_E_STATE hostile.twice: an op may not be called while in state launch
CASE(launch_calls_ops) { twice_kernel.desc.launch = calling_launch; }

static tenon_status odd_launch(tenon_call* call, const tenon_launch* args) {
  (void)args;
  (void)call;
  return 4711;
}

// A kernel that returns a status that no version has.
// error: TENON_E_PLUGIN hostile.twice: the kernel failed without saying why
CASE(launch_fails_odd_status) { twice_kernel.desc.launch = odd_launch; }

static tenon_status silent_launch(tenon_call* call, const tenon_launch* args) {
  (void)args;
  (void)call;
  return TENON_E_DEVICE;
}

// A kernel that fails without a word.
// error: TENON_E_DEVICE hostile.twice: the kernel failed without saying why
CASE(launch_fails_silent) { twice_kernel.desc.launch = silent_launch; }
