// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/describe.rs: descriptors as constants, with names and defaults.
use crate::raw::*;
use std::mem::size_of;
use std::os::raw::c_void;

type LaunchFn = Option<unsafe extern "C" fn(*mut tenon_call, *const tenon_launch) -> tenon_status>;

pub const fn text(text: &'static str) -> tenon_string {
    tenon_string {
        data: text.as_ptr().cast(),
        length: text.len() as u64,
    }
}

pub const FLOATS: &[tenon_dtype] = &[TENON_DTYPE_F32, TENON_DTYPE_F64];

/// An op; see `tenon_op_desc` in tenon/plugin.h.
#[derive(Clone, Copy)]
pub struct Op {
    pub name: &'static str,
    pub schema: &'static str,
    pub doc: &'static str,
    pub shape: u32,
    pub flags: u32,
    pub role: u32,
    pub revision: u32,
    pub infer: tenon_infer_fn,
    pub view: tenon_view_fn,
    pub compose: tenon_compose_fn,
}

impl Op {
    pub const NEW: Op = Op {
        name: "",
        schema: "",
        doc: "",
        shape: TENON_SHAPE_CALLBACK,
        flags: 0,
        role: TENON_ROLE_NONE,
        revision: 1,
        infer: None,
        view: None,
        compose: None,
    };
}

pub const fn op(op: Op) -> tenon_op_desc {
    tenon_op_desc {
        struct_size: size_of::<tenon_op_desc>() as u32,
        flags: op.flags,
        name: text(op.name),
        schema: text(op.schema),
        doc: text(op.doc),
        revision: op.revision,
        shape_rule: op.shape,
        role: op.role,
        reserved: 0,
        infer: op.infer,
        view: op.view,
        compose: op.compose,
        random_words: None,
    }
}

/// What one input's gradient reads, as bits over slots; what is not named is not needed.
pub const NEEDS_NOTHING: tenon_vjp_need = tenon_vjp_need {
    inputs: 0,
    outputs: 0,
    input_metas: 0,
    output_metas: 0,
};

/// A backward rule; see `tenon_vjp_desc`. `needs` has one entry for each input.
#[derive(Clone, Copy)]
pub struct VjpParts {
    pub op: &'static str,
    pub needs: &'static [tenon_vjp_need],
    pub vjp: tenon_vjp_fn,
    pub n_outputs: u32,
    pub n_attrs: u32,
    pub flags: u32,
    pub non_differentiable: u64,
    pub revision: u32,
    pub priority: i32,
}

impl VjpParts {
    pub const NEW: VjpParts = VjpParts {
        op: "",
        needs: &[],
        vjp: None,
        n_outputs: 1,
        n_attrs: 0,
        flags: TENON_VJP_TWICE,
        non_differentiable: 0,
        revision: 1,
        priority: 0,
    };
}

pub const fn vjp(parts: VjpParts) -> tenon_vjp_desc {
    tenon_vjp_desc {
        struct_size: size_of::<tenon_vjp_desc>() as u32,
        flags: parts.flags,
        op: text(parts.op),
        revision: parts.revision,
        priority: parts.priority,
        n_inputs: parts.needs.len() as u32,
        n_outputs: parts.n_outputs,
        n_attrs: parts.n_attrs,
        reserved: 0,
        needs: parts.needs.as_ptr(),
        non_differentiable: parts.non_differentiable,
        vjp: parts.vjp,
        user: std::ptr::null_mut::<c_void>(),
    }
}

const ANY_SIGN_AND_ADDRESS: u32 = TENON_SLOT_NEGATIVE_STRIDE | TENON_SLOT_UNALIGNED;

/// Any memory the dispatcher can describe: what `View` and `Launch` walk.
pub const STRIDED_IN: tenon_slot_rule = tenon_slot_rule {
    role: TENON_SLOT_IN,
    layout: TENON_LAYOUT_STRIDED,
    flags: TENON_SLOT_ZERO_STRIDE | ANY_SIGN_AND_ADDRESS,
    max_rank: 0,
};
/// The same, and a number in host memory, whatever the device.
pub const STRIDED_OR_SCALAR_IN: tenon_slot_rule = tenon_slot_rule {
    flags: STRIDED_IN.flags | TENON_SLOT_HOST_SCALAR,
    ..STRIDED_IN
};
pub const STRIDED_OUT: tenon_slot_rule = tenon_slot_rule {
    role: TENON_SLOT_OUT,
    flags: ANY_SIGN_AND_ADDRESS,
    ..STRIDED_IN
};
pub const STRIDED_INOUT: tenon_slot_rule = tenon_slot_rule {
    role: TENON_SLOT_INOUT,
    ..STRIDED_OUT
};

/// A kernel; see `tenon_kernel_desc`. `rows` has `n_variables` dtypes for each row.
#[derive(Clone, Copy)]
pub struct KernelParts {
    pub op: &'static str,
    pub device: &'static str,
    pub slots: &'static [tenon_slot_rule],
    pub rows: &'static [tenon_dtype],
    pub n_variables: u32,
    pub n_attrs: u32,
    pub flags: u32,
    pub priority: i32,
    pub revision: u32,
    pub launch: LaunchFn,
}

impl KernelParts {
    pub const NEW: KernelParts = KernelParts {
        op: "",
        device: "cpu",
        slots: &[],
        rows: &[],
        n_variables: 1,
        n_attrs: 0,
        flags: 0,
        priority: 0,
        revision: 1,
        launch: None,
    };
}

pub const fn kernel(parts: KernelParts) -> tenon_kernel_desc {
    let n_rows = match parts.n_variables {
        0 => 1,
        n => parts.rows.len() as u32 / n,
    };
    tenon_kernel_desc {
        struct_size: size_of::<tenon_kernel_desc>() as u32,
        flags: parts.flags,
        op: text(parts.op),
        device: text(parts.device),
        revision: parts.revision,
        priority: parts.priority,
        slots: parts.slots.as_ptr(),
        dtype_rows: parts.rows.as_ptr(),
        n_slots: parts.slots.len() as u32,
        n_attrs: parts.n_attrs,
        n_rows,
        n_variables: parts.n_variables,
        workspace: None,
        predicate: None,
        prepare: None,
        release_prepared: None,
        launch: parts.launch,
        user: std::ptr::null_mut::<c_void>(),
    }
}

/// A call that works.
pub const fn sample(op: &'static str, call: &'static str) -> tenon_sample {
    refused(op, call, TENON_OK, "")
}

/// A call that is refused with `status` and a message that contains `fragment`.
pub const fn refused(
    op: &'static str,
    call: &'static str,
    status: tenon_status,
    fragment: &'static str,
) -> tenon_sample {
    tenon_sample {
        op: text(op),
        text: text(call),
        fragment: text(fragment),
        expect: status,
        revision: 1,
    }
}

/// How far a right kernel's results may lie from the exact ones; see `tenon_tolerance`. `reason` is
/// one sentence, never empty.
#[derive(Clone, Copy)]
pub struct ToleranceParts {
    pub op: &'static str,
    pub dtype: tenon_dtype,
    pub ulp: f64,
    pub relative: f64,
    pub reason: &'static str,
    pub revision: u32,
}

impl ToleranceParts {
    pub const NEW: ToleranceParts = ToleranceParts {
        op: "",
        dtype: TENON_DTYPE_F32,
        ulp: 0.0,
        relative: 0.0,
        reason: "",
        revision: 1,
    };
}

pub const fn tolerance(parts: ToleranceParts) -> tenon_tolerance {
    tenon_tolerance {
        struct_size: size_of::<tenon_tolerance>() as u32,
        flags: 0,
        op: text(parts.op),
        reason: text(parts.reason),
        revision: parts.revision,
        dtype: parts.dtype,
        ulp: parts.ulp,
        relative: parts.relative,
    }
}

/// A run of an optimizer that works: parameters and hyper-parameters, and the number of steps.
pub const fn optimizer_sample(
    optimizer: &'static str,
    run: &'static str,
    steps: u32,
) -> tenon_optimizer_sample {
    tenon_optimizer_sample {
        struct_size: size_of::<tenon_optimizer_sample>() as u32,
        flags: 0,
        optimizer: text(optimizer),
        text: text(run),
        fragment: text(""),
        expect: TENON_OK,
        steps,
    }
}

/// An optimizer whose creation is refused with `status` and a message that contains `fragment`.
pub const fn optimizer_refused(
    optimizer: &'static str,
    run: &'static str,
    status: tenon_status,
    fragment: &'static str,
) -> tenon_optimizer_sample {
    tenon_optimizer_sample {
        fragment: text(fragment),
        expect: status,
        ..optimizer_sample(optimizer, run, 0)
    }
}

/// A hyper-parameter that is a number; `flags` is 0 or `TENON_HYPER_DYNAMIC`.
pub const fn hyper(
    name: &'static str,
    doc: &'static str,
    flags: u32,
    initial: f64,
    range: (f64, f64),
) -> tenon_hyper_desc {
    tenon_hyper_desc {
        name: text(name),
        doc: text(doc),
        flags,
        tag: TENON_VALUE_F64,
        initial,
        minimum: range.0,
        maximum: range.1,
    }
}

/// The same of type `tag`, `TENON_VALUE_I64` for example.
pub const fn typed(tag: u32, hyper: tenon_hyper_desc) -> tenon_hyper_desc {
    tenon_hyper_desc { tag, ..hyper }
}

/// A state of the parameter's shape and dtype, zero at first.
pub const fn state(name: &'static str, doc: &'static str) -> tenon_state_desc {
    tenon_state_desc {
        name: text(name),
        doc: text(doc),
        shape: TENON_STATE_LIKE_PARAMETER,
        dtype: TENON_DTYPE_NONE,
        initial: 0.0,
    }
}

pub const fn optimizer(
    name: &'static str,
    doc: &'static str,
    step_op: &'static str,
    hypers: &'static [tenon_hyper_desc],
    states: &'static [tenon_state_desc],
) -> tenon_optimizer_desc {
    tenon_optimizer_desc {
        struct_size: size_of::<tenon_optimizer_desc>() as u32,
        flags: 0,
        name: text(name),
        doc: text(doc),
        step_op: text(step_op),
        rows_op: text(""),
        hypers: hypers.as_ptr(),
        states: states.as_ptr(),
        n_hypers: hypers.len() as u32,
        n_states: states.len() as u32,
    }
}

/// What an option has if it is not given.
pub const NO_VALUE: tenon_value = tenon_value {
    tag: TENON_VALUE_NONE,
    count: 0,
    as_: tenon_value_as { i64: 0 },
};
pub const fn real(number: f64) -> tenon_value {
    tenon_value {
        tag: TENON_VALUE_F64,
        as_: tenon_value_as { f64: number },
        ..NO_VALUE
    }
}
pub const fn integer(number: i64) -> tenon_value {
    tenon_value {
        tag: TENON_VALUE_I64,
        as_: tenon_value_as { i64: number },
        ..NO_VALUE
    }
}
pub const fn flag(truth: bool) -> tenon_value {
    tenon_value {
        tag: TENON_VALUE_BOOL,
        ..integer(truth as i64)
    }
}
pub const fn words(text: &'static str) -> tenon_value {
    tenon_value {
        tag: TENON_VALUE_STRING,
        count: text.len() as u32,
        as_: tenon_value_as {
            string: text.as_ptr().cast(),
        },
    }
}

/// An option of a dataset; `tag` is `TENON_VALUE_STRING`, `I64`, `F64` or `BOOL`.
pub const fn option(
    name: &'static str,
    doc: &'static str,
    tag: u32,
    required: bool,
) -> tenon_dataset_option {
    tenon_dataset_option {
        name: text(name),
        doc: text(doc),
        tag,
        required: required as u32,
    }
}
