// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/selftest.c: samples and tolerances that are not in order.
#include "../hostile.h"

// A sample whose op is NULL but has a length.
// refused: sample 0: a string is NULL but has length 13
CASE(sample_name_null) { samples[0].op.data = NULL; }

// A sample whose text is NULL but has a length.
// refused: sample 0: a string is NULL but has length 8
CASE(sample_text_null) { samples[0].text.data = NULL; }

// A sample of an op that nobody offers, beside good entries.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it | sample for unknown op nobody.knows was passed over
CASE(sample_unknown_op) {
  samples[1] = samples[0];
  samples[1].op = text_of("nobody.knows");
  samples_table.count = 2;
}

// A sample of an optimizer with flags nobody knows.
// refused: optimizer sample 0 needs a newer Tenon: unknown flags 1
CASE(optimizer_sample_flags) { sgd_run.desc.flags = 1; }

// A sample of an optimizer that makes no step.
// refused: optimizer sample 0: `steps` is 0; 1 or more
CASE(optimizer_sample_no_steps) { sgd_run.desc.steps = 0; }

// A sample of an optimizer that says it has no bytes.
// refused: optimizer sample 0: struct_size is 0; at least {tenon_optimizer_sample} is needed
CASE(optimizer_sample_size_zero) { sgd_run.desc.struct_size = 0; }

// A tolerance for integers, whose bits never differ.
// refused: tolerance 0 has dtype 73728; TENON_DTYPE_F16, BF16, F32 or F64 is needed
CASE(tolerance_dtype) { tolerance.desc.dtype = TENON_DTYPE_I32; }

// A tolerance with flags nobody knows.
// refused: tolerance 0 needs a newer Tenon: unknown flags 4
CASE(tolerance_flags) { tolerance.desc.flags = 4; }

// A tolerance without a reason.
// refused: tolerance 0: `reason` is empty; say in a sentence why the bits may differ
CASE(tolerance_no_reason) { tolerance.desc.reason.length = 0; }

// A tolerance that everything passes.
// refused: tolerance 0: `relative` is inf; a finite number of 0 or more is needed
CASE(tolerance_relative_infinite) { tolerance.desc.relative = 1e308 * 10; }

// A tolerance that says it has no bytes.
// refused: tolerance 0: struct_size is 0; at least {tenon_tolerance} is needed
CASE(tolerance_size_zero) { tolerance.desc.struct_size = 0; }

// A tolerance below zero.
// refused: tolerance 0: `ulp` is -1.000000; a finite number of 0 or more is needed
CASE(tolerance_ulp_negative) { tolerance.desc.ulp = -1; }
