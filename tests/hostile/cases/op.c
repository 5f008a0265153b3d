// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op.c: ops that are not in order, and shape rules that lie.
#include "../hostile.h"

#include <string.h>

// A documentation text that is NULL but has a length.
// refused: op hostile.twice: a string is NULL but has length 10
CASE(op_doc_null) { twice_op.desc.doc.data = NULL; }

// An op that is there twice.
// refused: op hostile.twice is registered twice
CASE(op_duplicate) { ops[ops_table.count++] = &twice_op.desc; }

// A descriptor (op) with a flag that this Tenon does not know.
// needs: op hostile.twice
// refused: op hostile.twice needs a newer Tenon: unknown flags 1073741824, reserved 0
CASE(op_flags) { twice_op.desc.flags |= 1u << 30; }

// An op whose shape rule is a callback that is not there.
// refused: op hostile.step: shape rule CALLBACK needs `infer`; it is NULL
CASE(op_infer_null) { step_op.desc.infer = NULL; }

// An op whose name has capital letters.
// refused: op 0: the name 'Hostile.Twice' is not of the form vendor.name in small letters, digits
//   and '_'
CASE(op_name_capital) { twice_op.desc.name = text_of("Hostile.Twice"); }

// An op whose name would clear a terminal.
// refused: op 0: the name 'hostile.\x1b[2J' is not of the form vendor.name in small letters, digits
//   and '_'
CASE(op_name_control) { twice_op.desc.name = text_of("hostile.\x1b[2J"); }

// An op without a name.
// refused: op 0: the name '' is not of the form vendor.name in small letters, digits and '_'
CASE(op_name_empty) { twice_op.desc.name.length = 0; }

// An op whose name claims to have 2^64 - 2 bytes.
// refused: op 0: a string is longer than 1048576 bytes
CASE(op_name_endless) { twice_op.desc.name.length = UINT64_MAX - 1; }

// An op whose name has 300 bytes.
// refused: op 0: the name 'hostile.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is not
//   of the form vendor.name in small letters, digits and '_'
CASE(op_name_long) {
  static char name[301];
  memset(name, 'a', 300);
  memcpy(name, "hostile.", sizeof "hostile." - 1);
  twice_op.desc.name = text_of(name);
}

// An op whose name is not UTF-8.
// refused: op 0: the name 'hostile.\xff\xfe' is not of the form vendor.name in small letters,
//   digits and '_'
CASE(op_name_not_utf8) { twice_op.desc.name = text_of("hostile.\xff\xfe"); }

// A name (op) that is NULL but has a length.
// needs: op hostile.twice
// refused: op 0: a string is NULL but has length 13
CASE(op_name_null) { twice_op.desc.name.data = NULL; }

// A name (op) without a vendor.
// needs: op hostile.twice
// refused: op 0: the name 'plain' is not of the form vendor.name in small letters, digits and '_'
CASE(op_name_plain) { twice_op.desc.name = text_of("plain"); }

// An op whose name goes on after a zero byte.
// refused: op 0: the name 'hostile.twice\x00.evil' is not of the form vendor.name in small letters,
//   digits and '_'
CASE(op_name_zero_byte) { twice_op.desc.name = (tenon_string)TEXT("hostile.twice\0.evil"); }

// A random op that does not say how many words it draws.
// refused: op hostile.twice: flag RANDOM needs `random_words`; it is NULL
CASE(op_random_words) { twice_op.desc.flags |= TENON_OP_RANDOM; }

// An op that reduces, without the attributes that say over what.
// refused: op hostile.twice: shape rule REDUCE needs the attributes 'axes' and 'keepdims'; the
//   schema is twice(x: T[...]) -> T[...] where T: float
CASE(op_reduce_attributes) { twice_op.desc.shape_rule = TENON_SHAPE_REDUCE; }

// A descriptor (op) that fills in a reserved member.
// needs: op hostile.twice
// refused: op hostile.twice needs a newer Tenon: unknown flags 0, reserved 6
CASE(op_reserved) { twice_op.desc.reserved = 6; }

// An op of revision 0.
// refused: op 0: revision is 0; revisions begin with 1
CASE(op_revision_zero) { twice_op.desc.revision = 0; }

// An op with a role whose attributes it does not have.
// manifest: {"op": "add", "path": "/ops/0/role", "value": "cast"}
// refused: op hostile.twice: the holder of role 'cast' must have 1 inputs, 1 attributes and 1
//   outputs as tenon/plugin.h says; its schema is twice(x: T[...]) -> T[...] where T: float
CASE(op_role_attribute) { twice_op.desc.role = TENON_ROLE_CAST; }

// An op that adds rows to an operand it does not write.
// needs: op hostile.rows
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.rows", "role": "rows_add"}}
// refused: op hostile.rows: the holder of role 'rows_add' must have 3 inputs, 0 attributes and 0
//   outputs as tenon/plugin.h says; its schema is rows(x: T[N,...], i: i64[R], v: T[R,...]) ->
//   T[N,...]
CASE(op_role_not_mutated) {
  static long_op rows_op;
  set_op(&rows_op, "hostile.rows", "rows(x: T[N,...], i: i64[R], v: T[R,...]) -> T[N,...]",
         TENON_SHAPE_SAME_AS_0);
  rows_op.desc.role = TENON_ROLE_ROWS_ADD;
  ops[ops_table.count++] = &rows_op.desc;
}

// An op that says of each element whether it is finite, in floats.
// needs: op hostile.finite
// refused: op hostile.finite: the holder of role 'isfinite' must have an output of dtype bool as
//   tenon/plugin.h says; its schema is finite(x: T[...]) -> T[...] where T: float
CASE(op_role_output) {
  finite_op.desc.schema = text_of("finite(x: T[...]) -> T[...] where T: float");
}

// An op with a role that other operands go with.
// manifest: {"op": "add", "path": "/ops/0/role", "value": "add"}
// refused: op hostile.twice: the holder of role 'add' must have 2 inputs, 0 attributes and 1
//   outputs as tenon/plugin.h says; its schema is twice(x: T[...]) -> T[...] where T: float
CASE(op_role_signature) { twice_op.desc.role = TENON_ROLE_ADD; }

// Two ops of one plugin with the same role.
// manifest: {"op": "add", "path": "/ops/0/role", "value": "isfinite"}
// refused: role 'isfinite' is claimed by two ops: hostile.twice and hostile.finite
CASE(op_role_two_holders) {
  twice_op.desc.role = TENON_ROLE_ISFINITE;
  twice_op.desc.schema = text_of("twice(x: T[...]) -> bool[...] where T: float");
}

// An op with a role that Tenon does not have.
// refused: op hostile.twice: role 77 is unknown; the plugin needs a newer Tenon
CASE(op_role_unknown) { twice_op.desc.role = 77; }

// A schema that is NULL but has a length.
// refused: op hostile.twice: a string is NULL but has length 41
CASE(op_schema_null) { twice_op.desc.schema.data = NULL; }

// An op whose shape is that of an input it does not have.
// refused: op hostile.twice: its shape rule needs an input; the schema has none
CASE(op_shape_no_input) { twice_op.desc.schema = text_of("twice(*, n: int) -> f32[...]"); }

// An op with a shape rule that Tenon does not have.
// refused: op hostile.twice: shape rule 9 is unknown; the plugin needs a newer Tenon
CASE(op_shape_rule) { twice_op.desc.shape_rule = 9; }

// A descriptor (op) that says it is longer than any can be.
// needs: op hostile.twice
// refused: op 0: struct_size is 100000; more than 1024 cannot be right
CASE(op_size_large) { twice_op.desc.struct_size = 100000; }

// A descriptor (op) that is a pointer too short.
// needs: op hostile.twice
// refused: op 0: struct_size is 40; at least {tenon_op_desc} is needed
CASE(op_size_small) { twice_op.desc.struct_size = 40; }

// A descriptor (op) that says it has no bytes.
// needs: op hostile.twice
// refused: op 0: struct_size is 0; at least {tenon_op_desc} is needed
CASE(op_size_zero) { twice_op.desc.struct_size = 0; }

// A descriptor (op) with data after what this Tenon knows.
// needs: op hostile.twice
// refused: op 0 needs a newer Tenon: unknown data at offset {tenon_op_desc+3}
CASE(op_tail) {
  twice_op.desc.struct_size = sizeof twice_op;
  twice_op.tail[3] = 1;
}

static const char* const tenth_schemas[7] = {"a(x: T) -> T", "b(x: T) -> T", "c(x: T) -> T",
                                             "d(x: T) -> T", "e(x: T) -> T", "f(x: T) -> T",
                                             "g(x: T) -> T"};

// Nine good ops and a tenth that is not: none of them stays.
// needs: op hostile.a
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.a"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.b"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.c"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.d"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.e"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.f"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.g"}}
// refused: op hostile.g: shape rule 9 is unknown; the plugin needs a newer Tenon
CASE(op_tenth) {
  static long_op more[7];
  static const char* const names[7] = {"hostile.a", "hostile.b", "hostile.c", "hostile.d",
                                       "hostile.e", "hostile.f", "hostile.g"};
  for (int i = 0; i < 7; ++i) {
    set_op(&more[i], names[i], tenth_schemas[i], TENON_SHAPE_SAME_AS_0);
    ops[ops_table.count++] = &more[i].desc;
  }
  more[6].desc.shape_rule = 9;
}

static tenon_status unused_view(tenon_call* call, const tenon_launch* args,
                                tenon_view_result* out) {
  (void)call;
  (void)args;
  (void)out;
  return TENON_OK;
}

// A view of two outputs.
// refused: op hostile.twice: a view op needs an input and exactly one output; its schema is
//   twice(x: T[...]) -> (T[...], T[...])
CASE(op_view_two_outputs) {
  twice_op.desc.view = unused_view;
  twice_op.desc.schema = text_of("twice(x: T[...]) -> (T[...], T[...])");
}

static tenon_status unknown_dtype(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                                  uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].dtype = 12345;
  return TENON_OK;
}

// A shape rule that changes the dtype to one that does not exist.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave an impossible output
CASE(infer_dtype) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = unknown_dtype;
}

static tenon_status many_dimensions(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                                    uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 900;
  return TENON_OK;
}

// A shape rule that gives nine hundred dimensions.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave an impossible output
CASE(infer_rank) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = many_dimensions;
}

static tenon_status negative_rank(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                                  uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = -1;
  return TENON_OK;
}

// A shape rule that gives a negative number of dimensions.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave an impossible output
CASE(infer_rank_negative) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = negative_rank;
}

static tenon_status huge_size(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                              uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 2;
  metas[0].shape[0] = metas[0].shape[1] = INT64_MAX;
  return TENON_OK;
}

// A shape rule that gives more elements than there are addresses.
// error: TENON_E_SHAPE the tensor's size in bytes does not fit into 63 bits
CASE(infer_size_huge) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = huge_size;
}

static tenon_status negative_size(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                                  uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 1;
  metas[0].shape[0] = -5;
  return TENON_OK;
}

// A shape rule that gives a negative size.
// error: TENON_E_SHAPE a dimension cannot be negative
CASE(infer_size_negative) {
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = negative_size;
}

static tenon_status gives_rank_forgotten(tenon_call* call, const tenon_launch* args,
                                         tenon_meta* metas, uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].shape[0] = 2;
  return TENON_OK;
}

// A shape rule that forgets the number of dimensions.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f32[], which its schema does
//   not allow
CASE(infer_rank_forgotten) {
  twice_op.desc.schema = text_of("twice(x: T[A,B]) -> T[A,B] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_rank_forgotten;
}

static tenon_status gives_rank_other(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                                     uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 3;
  metas[0].shape[0] = 2;
  metas[0].shape[1] = 3;
  metas[0].shape[2] = 4;
  return TENON_OK;
}

// A shape rule that gives one dimension too many.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f32[2,3,4], which its schema
//   does not allow
CASE(infer_rank_other) {
  twice_op.desc.schema = text_of("twice(x: T[A,B]) -> T[A,B] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_rank_other;
}

static tenon_status gives_rank_short(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                                     uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 1;
  metas[0].shape[0] = 3;
  return TENON_OK;
}

// A shape rule that gives fewer dimensions than the schema has beside its run.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f32[3], which its schema
//   does not allow
CASE(infer_rank_short) {
  twice_op.desc.schema = text_of("twice(x: T[...,A,B]) -> T[...,A,B] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_rank_short;
}

static tenon_status gives_dimension_first(tenon_call* call, const tenon_launch* args,
                                          tenon_meta* metas, uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 2;
  metas[0].shape[0] = 1;
  metas[0].shape[1] = 3;
  return TENON_OK;
}

// A shape rule that gives a named dimension, the first, another size.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f32[1,3], which its schema
//   does not allow
CASE(infer_dimension_first) {
  twice_op.desc.schema = text_of("twice(x: T[A,B]) -> T[A,B] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_dimension_first;
}

static tenon_status gives_dimension_last(tenon_call* call, const tenon_launch* args,
                                         tenon_meta* metas, uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 2;
  metas[0].shape[0] = 2;
  metas[0].shape[1] = 2;
  return TENON_OK;
}

// A shape rule that gives a named dimension, after a run, another size.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f32[2,2], which its schema
//   does not allow
CASE(infer_dimension_last) {
  twice_op.desc.schema = text_of("twice(x: T[...,B]) -> T[...,B] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_dimension_last;
}

static tenon_status gives_dimension_twice(tenon_call* call, const tenon_launch* args,
                                          tenon_meta* metas, uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 2;
  metas[0].shape[0] = 2;
  metas[0].shape[1] = 3;
  return TENON_OK;
}

// A shape rule that gives two sizes to a name of the output alone.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f32[2,3], which its schema
//   does not allow
CASE(infer_dimension_twice) {
  twice_op.desc.schema = text_of("twice(x: T[...]) -> T[N,N] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_dimension_twice;
}

static tenon_status gives_dimension_number(tenon_call* call, const tenon_launch* args,
                                           tenon_meta* metas, uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 1;
  metas[0].shape[0] = 4;
  return TENON_OK;
}

// A shape rule that gives another size than the number in the schema.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f32[4], which its schema
//   does not allow
CASE(infer_dimension_number) {
  twice_op.desc.schema = text_of("twice(x: T[...]) -> T[6] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_dimension_number;
}

static tenon_status gives_dtype_other(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                                      uint32_t n) {
  (void)call;
  (void)args;
  (void)n;
  metas[0].rank = 2;
  metas[0].shape[0] = 2;
  metas[0].shape[1] = 3;
  metas[0].dtype = TENON_DTYPE_F64;
  return TENON_OK;
}

// A shape rule that gives another dtype than the type variable has.
// error: TENON_E_PLUGIN hostile.twice: its shape rule gave output 0 f64[2,3], which its schema
//   does not allow
CASE(infer_dtype_other) {
  twice_op.desc.schema = text_of("twice(x: T[...]) -> T[...] where T: float");
  twice_op.desc.shape_rule = TENON_SHAPE_CALLBACK;
  twice_op.desc.infer = gives_dtype_other;
}
