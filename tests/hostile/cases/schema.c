// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/schema.c: ops whose schema cannot be read.
#include "../hostile.h"

#include <string.h>

// A schema with a byte that is not a ASCII.
// refused: op hostile.twice: schema column 18: expected printable ASCII, found byte 195
//   \n  twice(x: T) -> T ??
//   \n                   ^
CASE(schema_bytes) { twice_op.desc.schema = text_of("twice(x: T) -> T \xc3\xa9"); }

// A schema in which an input has no type.
// refused: op hostile.twice: schema column 8: expected ':' after an input's name, found ')'
//   \n  twice(x) -> T
//   \n         ^
CASE(schema_colon) { twice_op.desc.schema = text_of("twice(x) -> T"); }

// A schema with a default of another kind.
// refused: op hostile.twice: schema column 23: expected an integer, found '1'
//   \n  twice(x: T, *, n: int=1.5) -> T
//   \n                        ^
CASE(schema_default) { twice_op.desc.schema = text_of("twice(x: T, *, n: int=1.5) -> T"); }

// A schema with nine dimensions.
// refused: op hostile.twice: schema column 28: too many dimensions (at most 8)
//   \n  twice(x: T[a,b,c,d,e,f,g,h,i]) -> T
//   \n                             ^
CASE(schema_dimensions) { twice_op.desc.schema = text_of("twice(x: T[a,b,c,d,e,f,g,h,i]) -> T"); }

// A schema in which two inputs have one name.
// refused: op hostile.twice: schema column 13: the name 'x' is taken (inputs, attributes and
//   outputs share one set of names)
//   \n  twice(x: T, x: T) -> T
//   \n              ^
CASE(schema_duplicate_name) { twice_op.desc.schema = text_of("twice(x: T, x: T) -> T"); }

// A schema of five thousand bytes.
// refused: op hostile.twice: schema column 1: the text has 5000 bytes (at most 4096, canonical
//   spaces included)
//   \n  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
//   \n  ^
CASE(schema_long) {
  static char schema[5001];
  memset(schema, 'x', 5000);
  twice_op.desc.schema = text_of(schema);
}

// A schema that does not name its op.
// refused: op hostile.twice: schema column 1: expected the op's name, found '('
//   \n  (x: T) -> T
//   \n  ^
CASE(schema_nameless) { twice_op.desc.schema = text_of("(x: T) -> T"); }

// A schema that is named otherwise than its op.
// refused: op hostile.twice: its schema is named 'thrice'; 'twice' was expected
CASE(schema_other_name) { twice_op.desc.schema = text_of("thrice(x: T) -> T"); }

// A schema that promotes an operand it writes to.
// refused: op hostile.twice: schema column 31: 'T' cannot promote (an input marked '!' is written
//   in place and is never cast)
//   \n  twice(x!: T, y: T) -> T where T: float promote
//   \n                                ^
CASE(schema_promote_mutated) {
  twice_op.desc.schema = text_of("twice(x!: T, y: T) -> T where T: float promote");
}

// A schema in which a required input follows an optional one.
// refused: op hostile.twice: schema column 14: required input 'y' follows an optional one (optional
//   inputs come last)
//   \n  twice(x: T?, y: T) -> T
//   \n               ^
CASE(schema_required_last) { twice_op.desc.schema = text_of("twice(x: T?, y: T) -> T"); }

// A schema with something after its end.
// refused: op hostile.twice: schema column 18: expected 'where' or the end of the text, found 'and'
//   \n  twice(x: T) -> T and more
//   \n                   ^
CASE(schema_rest) { twice_op.desc.schema = text_of("twice(x: T) -> T and more"); }

// A schema whose output has a dtype that nothing gives.
// refused: op hostile.twice: schema column 16: output type 'U' is not bound (a required input or
//   attribute must use the variable)
//   \n  twice(x: T) -> U
//   \n                 ^
CASE(schema_unbound) { twice_op.desc.schema = text_of("twice(x: T) -> U"); }

// A schema that ends in the middle.
// refused: op hostile.twice: schema column 16: expected ')' or ',' after a parameter, found the end
//   of the text
//   \n  twice(x: T[...]
//   \n                 ^
CASE(schema_unclosed) { twice_op.desc.schema = text_of("twice(x: T[...]"); }

// A schema with a dtype that Tenon does not have.
// refused: op hostile.twice: schema column 10: expected a dtype (f32, i64, bool, ...) or a type
//   variable (a capital, then small letters or digits), found 'f128'
//   \n  twice(x: f128[...]) -> f32[...]
//   \n           ^
CASE(schema_unknown_dtype) { twice_op.desc.schema = text_of("twice(x: f128[...]) -> f32[...]"); }

// A schema with a set that Tenon does not have.
// refused: op hostile.twice: schema column 27: expected a category (any, bool, uint, int, float,
//   number) or a dtype, found 'quaternion'
//   \n  twice(x: T) -> T where T: quaternion
//   \n                            ^
CASE(schema_where) { twice_op.desc.schema = text_of("twice(x: T) -> T where T: quaternion"); }
