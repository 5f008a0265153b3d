// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/raw.rs: the C ABI as the headers declare it, name by name.
// Written by bindings/rust/generate.py; do not edit. The headers' comments are the reference.

use std::os::raw::{c_char, c_void};

// ---- tenon/types.h ------------------------------------------------------------------------------

pub const TENON_VERSION_MAJOR: u32 = 0;
pub const TENON_VERSION_MINOR: u32 = 1;
pub const TENON_VERSION_PATCH: u32 = 0;
pub const TENON_ABI_MAJOR: u32 = 0;
pub const TENON_ABI_MINOR: u32 = 1;
pub const TENON_ABI_DRAFT: u32 = 2;
pub const TENON_NUL: u64 = u64::MAX;
pub const TENON_MAX_RANK: u32 = 8;
pub const TENON_MAX_SLOTS: u32 = 64;
pub const TENON_OK: tenon_status = 0;
pub const TENON_E_ARGUMENT: tenon_status = 1;
pub const TENON_E_HANDLE: tenon_status = 2;
pub const TENON_E_RUNTIME: tenon_status = 3;
pub const TENON_E_STATE: tenon_status = 4;
pub const TENON_E_SHAPE: tenon_status = 5;
pub const TENON_E_DTYPE: tenon_status = 6;
pub const TENON_E_DEVICE: tenon_status = 7;
pub const TENON_E_LAYOUT: tenon_status = 8;
pub const TENON_E_ALIAS: tenon_status = 9;
pub const TENON_E_ATTRIBUTE: tenon_status = 10;
pub const TENON_E_NOT_FOUND: tenon_status = 11;
pub const TENON_E_NO_KERNEL: tenon_status = 12;
pub const TENON_E_NO_ROLE: tenon_status = 13;
pub const TENON_E_MEMORY: tenon_status = 14;
pub const TENON_E_GRAD: tenon_status = 15;
pub const TENON_E_GRAPH_FREED: tenon_status = 16;
pub const TENON_E_GRAPH_OWNER: tenon_status = 17;
pub const TENON_E_VERSION: tenon_status = 18;
pub const TENON_E_VJP: tenon_status = 19;
pub const TENON_E_CAPTURE: tenon_status = 20;
pub const TENON_E_PLAN_SHAPE: tenon_status = 21;
pub const TENON_E_ROWS: tenon_status = 22;
pub const TENON_E_PLUGIN: tenon_status = 23;
pub const TENON_E_SCHEMA: tenon_status = 24;
pub const TENON_E_IO: tenon_status = 25;
pub const TENON_E_DATA: tenon_status = 26;
pub const TENON_E_CHECK: tenon_status = 27;
pub const TENON_E_INTERRUPTED: tenon_status = 28;
pub const TENON_E_UNSUPPORTED: tenon_status = 29;
pub const TENON_E_INTERNAL: tenon_status = 30;
pub const TENON_E_DEVICE_LOST: tenon_status = 31;
pub const TENON_E_TIMEOUT: tenon_status = 32;
pub const TENON_E_PEER: tenon_status = 33;
pub const TENON_DTYPE_NONE: tenon_dtype = 0;
pub const TENON_DTYPE_BOOL: tenon_dtype = 67590;
pub const TENON_DTYPE_U8: tenon_dtype = 67585;
pub const TENON_DTYPE_I8: tenon_dtype = 67584;
pub const TENON_DTYPE_I16: tenon_dtype = 69632;
pub const TENON_DTYPE_I32: tenon_dtype = 73728;
pub const TENON_DTYPE_I64: tenon_dtype = 81920;
pub const TENON_DTYPE_F16: tenon_dtype = 69634;
pub const TENON_DTYPE_BF16: tenon_dtype = 69636;
pub const TENON_DTYPE_F32: tenon_dtype = 73730;
pub const TENON_DTYPE_F64: tenon_dtype = 81922;
pub const TENON_VALUE_NONE: u32 = 0;
pub const TENON_VALUE_TENSOR: u32 = 1;
pub const TENON_VALUE_TENSOR_LIST: u32 = 2;
pub const TENON_VALUE_I64: u32 = 3;
pub const TENON_VALUE_F64: u32 = 4;
pub const TENON_VALUE_BOOL: u32 = 5;
pub const TENON_VALUE_STRING: u32 = 6;
pub const TENON_VALUE_INT_LIST: u32 = 7;
pub const TENON_VALUE_DTYPE: u32 = 8;
pub const TENON_VALUE_FLOAT_LIST: u32 = 9;
pub const TENON_VIEW_HOST_SCALAR: u32 = 1;
pub const TENON_VIEW_READ_ONLY: u32 = 2;

pub type tenon_status = i32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_string {
    pub data: *const c_char,
    pub length: u64,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_string {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_device {
    pub kind: u32,
    pub index: i32,
}

pub type tenon_dtype = u32;

#[repr(C)]
pub struct tenon_runtime {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_context {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_tensor {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_op {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_plan {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_optimizer {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_dataset {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_text {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union tenon_value_as {
    pub i64: i64,
    pub f64: f64,
    pub tensor: *mut tenon_tensor,
    pub tensors: *const *mut tenon_tensor,
    pub string: *const c_char,
    pub ints: *const i64,
    pub floats: *const f64,
    pub dtype: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_value {
    pub tag: u32,
    pub count: u32,
    pub as_: tenon_value_as,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_view {
    pub data: *mut c_void,
    pub shape: *const i64,
    pub strides: *const i64,
    pub rank: i32,
    pub dtype: tenon_dtype,
    pub device: tenon_device,
    pub flags: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_meta {
    pub shape: [i64; TENON_MAX_RANK as usize],
    pub rank: i32,
    pub dtype: tenon_dtype,
    pub device: tenon_device,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_diag {
    pub status: tenon_status,
    pub length: i32,
    pub message: [c_char; 1016],
}

// ---- tenon/plugin/call.h ------------------------------------------------------------------------


#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_call {
    pub host: *const tenon_host,
    pub self_: *mut c_void,
    pub base: *const tenon_host_call,
    pub dispatch: *const tenon_host_dispatch,
    pub vjp: *const tenon_host_vjp,
    pub memory: *const tenon_host_memory,
    pub threads: *const tenon_host_threads,
    pub rng: *const tenon_host_rng,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_launch {
    pub slot_begin: *const u32,
    pub views: *const tenon_view,
    pub attrs: *const tenon_value,
    pub prepared: *mut c_void,
    pub user: *mut c_void,
    pub n_slots: u32,
    pub n_inputs: u32,
    pub n_attrs: u32,
    pub flags: u32,
}

// ---- tenon/plugin/handshake.h -------------------------------------------------------------------

pub const TENON_SANITIZER_NONE: u32 = 0;
pub const TENON_SANITIZER_ADDRESS: u32 = 1;
pub const TENON_SANITIZER_THREAD: u32 = 2;
pub const TENON_PLUGIN_QUERY_NAME: &str = "tenon_plugin_query_v0";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_fingerprint {
    pub pointer_bits: u32,
    pub byte_order: u32,
    pub sanitizer: u32,
    pub draft: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host {
    pub struct_size: u32,
    pub flags: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub fingerprint: tenon_fingerprint,
    pub get_interface: Option<unsafe extern "C" fn(
        host: *const tenon_host,
        id: *const c_char,
        id_length: u64,
    ) -> *const c_void>,
    pub reserved: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_plugin_ {
    pub struct_size: u32,
    pub flags: u32,
    pub built_major: u32,
    pub built_minor: u32,
    pub required_minor: u32,
    pub reserved: u32,
    pub fingerprint: tenon_fingerprint,
    pub id: tenon_string,
    pub version: tenon_string,
    pub license: tenon_string,
    pub init: Option<unsafe extern "C" fn(
        host: *const tenon_host,
        out_self: *mut *mut c_void,
        diag: *mut tenon_diag,
    ) -> tenon_status>,
    pub release: Option<unsafe extern "C" fn(self_: *mut c_void)>,
    pub get_interface: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        id: *const c_char,
        id_length: u64,
    ) -> *const c_void>,
}

pub type tenon_plugin_query_fn = Option<unsafe extern "C" fn(
    host: *const tenon_host,
    out: *mut tenon_plugin_,
    diag: *mut tenon_diag,
) -> tenon_status>;

// ---- tenon/plugin/ops.h -------------------------------------------------------------------------

pub const TENON_SHAPE_CALLBACK: u32 = 0;
pub const TENON_SHAPE_BROADCAST: u32 = 1;
pub const TENON_SHAPE_SAME_AS_0: u32 = 2;
pub const TENON_SHAPE_REDUCE: u32 = 3;
pub const TENON_ROLE_NONE: u32 = 0;
pub const TENON_ROLE_COPY: u32 = 1;
pub const TENON_ROLE_FILL: u32 = 2;
pub const TENON_ROLE_CAST: u32 = 3;
pub const TENON_ROLE_ADD: u32 = 4;
pub const TENON_ROLE_SUM_TO: u32 = 5;
pub const TENON_ROLE_ROWS_ADD: u32 = 6;
pub const TENON_ROLE_ISFINITE: u32 = 7;
pub const TENON_ROLE_ALL_REDUCE: u32 = 8;
pub const TENON_OP_ELEMENTWISE: u32 = 1;
pub const TENON_OP_RANDOM: u32 = 2;
pub const TENON_OP_EFFECT: u32 = 4;
pub const TENON_OP_LINEAR: u32 = 8;
pub const TENON_OP_TRANSFER: u32 = 16;

pub type tenon_infer_fn = Option<unsafe extern "C" fn(
    call: *mut tenon_call,
    args: *const tenon_launch,
    out_metas: *mut tenon_meta,
    n_outputs: u32,
) -> tenon_status>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_view_result {
    pub shape: [i64; TENON_MAX_RANK as usize],
    pub strides: [i64; TENON_MAX_RANK as usize],
    pub offset: i64,
    pub rank: i32,
    pub copy_needed: u32,
}

pub type tenon_view_fn = Option<unsafe extern "C" fn(
    call: *mut tenon_call,
    args: *const tenon_launch,
    out: *mut tenon_view_result,
) -> tenon_status>;

pub type tenon_compose_fn = Option<unsafe extern "C" fn(
    call: *mut tenon_call,
    inputs: *const tenon_value,
    n_inputs: u32,
    attrs: *const tenon_value,
    n_attrs: u32,
) -> tenon_status>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_op_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub schema: tenon_string,
    pub doc: tenon_string,
    pub revision: u32,
    pub shape_rule: u32,
    pub role: u32,
    pub reserved: u32,
    pub infer: tenon_infer_fn,
    pub view: tenon_view_fn,
    pub compose: tenon_compose_fn,
    pub random_words: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        args: *const tenon_launch,
        out_words: *mut u64,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_op_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_ops_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_op_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_ops_table {}

// ---- tenon/plugin/kernels.h ---------------------------------------------------------------------

pub const TENON_SLOT_IN: u32 = 0;
pub const TENON_SLOT_OUT: u32 = 1;
pub const TENON_SLOT_INOUT: u32 = 2;
pub const TENON_SLOT_ACCUM: u32 = 3;
pub const TENON_LAYOUT_CONTIGUOUS: u32 = 0;
pub const TENON_LAYOUT_INNER_CONTIGUOUS: u32 = 1;
pub const TENON_LAYOUT_DENSE: u32 = 2;
pub const TENON_LAYOUT_STRIDED: u32 = 3;
pub const TENON_SLOT_ZERO_STRIDE: u32 = 1;
pub const TENON_SLOT_NEGATIVE_STRIDE: u32 = 2;
pub const TENON_SLOT_HOST_SCALAR: u32 = 4;
pub const TENON_SLOT_UNALIGNED: u32 = 8;
pub const TENON_KERNEL_CAPTURE_SAFE: u32 = 1;
pub const TENON_KERNEL_CANONICAL: u32 = 2;
pub const TENON_KERNEL_INDEX_64: u32 = 8;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_slot_rule {
    pub role: u32,
    pub layout: u32,
    pub flags: u32,
    pub max_rank: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_kernel_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub op: tenon_string,
    pub device: tenon_string,
    pub revision: u32,
    pub priority: i32,
    pub slots: *const tenon_slot_rule,
    pub dtype_rows: *const tenon_dtype,
    pub n_slots: u32,
    pub n_attrs: u32,
    pub n_rows: u32,
    pub n_variables: u32,
    pub workspace: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        args: *const tenon_launch,
        out_bytes: *mut u64,
    ) -> tenon_status>,
    pub predicate: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        args: *const tenon_launch,
        out_accepts: *mut u32,
    ) -> tenon_status>,
    pub prepare: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        args: *const tenon_launch,
        out_prepared: *mut *mut c_void,
    ) -> tenon_status>,
    pub release_prepared: Option<unsafe extern "C" fn(user: *mut c_void, prepared: *mut c_void)>,
    pub launch: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        args: *const tenon_launch,
    ) -> tenon_status>,
    pub user: *mut c_void,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_kernel_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_kernels_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_kernel_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_kernels_table {}

// ---- tenon/plugin/vjps.h ------------------------------------------------------------------------

pub const TENON_VJP_ACCEPTS_ABSENT: u32 = 1;
pub const TENON_VJP_TWICE: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_vjp_need {
    pub inputs: u64,
    pub outputs: u64,
    pub input_metas: u64,
    pub output_metas: u64,
}

pub type tenon_vjp_fn = Option<unsafe extern "C" fn(
    call: *mut tenon_call,
    user: *mut c_void,
) -> tenon_status>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_vjp_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub op: tenon_string,
    pub revision: u32,
    pub priority: i32,
    pub n_inputs: u32,
    pub n_outputs: u32,
    pub n_attrs: u32,
    pub reserved: u32,
    pub needs: *const tenon_vjp_need,
    pub non_differentiable: u64,
    pub vjp: tenon_vjp_fn,
    pub user: *mut c_void,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_vjp_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_vjps_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_vjp_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_vjps_table {}

// ---- tenon/plugin/backend.h ---------------------------------------------------------------------

pub const TENON_BACKEND_HOST_MEMORY: u32 = 1;
pub const TENON_COPY_TO_DEVICE: u32 = 0;
pub const TENON_COPY_TO_HOST: u32 = 1;
pub const TENON_COPY_ON_DEVICE: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_backend_table {
    pub struct_size: u32,
    pub flags: u32,
    pub kind: tenon_string,
    pub doc: tenon_string,
    pub device_count: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        out_count: *mut i32,
        diag: *mut tenon_diag,
    ) -> tenon_status>,
    pub alloc: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        bytes: u64,
        out_data: *mut *mut c_void,
    ) -> tenon_status>,
    pub free: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        data: *mut c_void,
        bytes: u64,
    )>,
    pub copy: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        stream: *mut c_void,
        direction: u32,
        destination: *mut c_void,
        source: *const c_void,
        bytes: u64,
    ) -> tenon_status>,
    pub stream_create: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        out_stream: *mut *mut c_void,
    ) -> tenon_status>,
    pub stream_release: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        stream: *mut c_void,
    )>,
    pub stream_wait: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        stream: *mut c_void,
        diag: *mut tenon_diag,
    ) -> tenon_status>,
    pub event_create: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        out_event: *mut *mut c_void,
    ) -> tenon_status>,
    pub event_release: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        event: *mut c_void,
    )>,
    pub event_record: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        event: *mut c_void,
        stream: *mut c_void,
    ) -> tenon_status>,
    pub event_wait: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        event: *mut c_void,
        stream: *mut c_void,
    ) -> tenon_status>,
    pub event_query: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        index: i32,
        event: *mut c_void,
        out_done: *mut u32,
        diag: *mut tenon_diag,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_backend_table {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_backend_pinned_table {
    pub struct_size: u32,
    pub flags: u32,
    pub alloc: Option<unsafe extern "C" fn(
        self_: *mut c_void,
        bytes: u64,
        out_data: *mut *mut c_void,
    ) -> tenon_status>,
    pub free: Option<unsafe extern "C" fn(self_: *mut c_void, data: *mut c_void, bytes: u64)>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_backend_pinned_table {}

// ---- tenon/plugin/optimizers.h ------------------------------------------------------------------

pub const TENON_HYPER_DYNAMIC: u32 = 1;
pub const TENON_STATE_LIKE_PARAMETER: u32 = 0;
pub const TENON_STATE_SCALAR: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_hyper_desc {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub flags: u32,
    pub tag: u32,
    pub initial: f64,
    pub minimum: f64,
    pub maximum: f64,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_hyper_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_state_desc {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub shape: u32,
    pub dtype: tenon_dtype,
    pub initial: f64,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_state_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_optimizer_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub step_op: tenon_string,
    pub rows_op: tenon_string,
    pub hypers: *const tenon_hyper_desc,
    pub states: *const tenon_state_desc,
    pub n_hypers: u32,
    pub n_states: u32,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_optimizer_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_optimizers_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_optimizer_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_optimizers_table {}

// ---- tenon/plugin/selftest.h --------------------------------------------------------------------


#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_sample {
    pub op: tenon_string,
    pub text: tenon_string,
    pub fragment: tenon_string,
    pub expect: tenon_status,
    pub revision: u32,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_sample {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_selftest_table {
    pub struct_size: u32,
    pub count: u32,
    pub samples: *const tenon_sample,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_selftest_table {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tolerance {
    pub struct_size: u32,
    pub flags: u32,
    pub op: tenon_string,
    pub reason: tenon_string,
    pub revision: u32,
    pub dtype: tenon_dtype,
    pub ulp: f64,
    pub relative: f64,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_tolerance {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tolerances_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_tolerance,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_tolerances_table {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_optimizer_sample {
    pub struct_size: u32,
    pub flags: u32,
    pub optimizer: tenon_string,
    pub text: tenon_string,
    pub fragment: tenon_string,
    pub expect: tenon_status,
    pub steps: u32,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_optimizer_sample {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_optimizer_samples_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_optimizer_sample,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_optimizer_samples_table {}

// ---- tenon/plugin/host.h ------------------------------------------------------------------------

pub const TENON_LOG_ERROR: u32 = 0;
pub const TENON_LOG_WARNING: u32 = 1;
pub const TENON_LOG_INFO: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_call {
    pub struct_size: u32,
    pub flags: u32,
    pub fail: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        status: tenon_status,
        message: *const c_char,
        message_length: u64,
    ) -> tenon_status>,
    pub fail_detail: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        status: tenon_status,
        message: *const c_char,
        operand: *const c_char,
        expected: *const c_char,
        found: *const c_char,
        hint: *const c_char,
    ) -> tenon_status>,
    pub log: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        level: u32,
        message: *const c_char,
        message_length: u64,
    )>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_dispatch {
    pub struct_size: u32,
    pub flags: u32,
    pub find: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        name: *const c_char,
        name_length: u64,
    ) -> *const tenon_op>,
    pub call: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        op: *const tenon_op,
        inputs: *const tenon_value,
        n_inputs: u32,
        attrs: *const tenon_value,
        n_attrs: u32,
        out_outputs: *mut *mut tenon_tensor,
        n_outputs: u32,
    ) -> tenon_status>,
    pub call_into: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        op: *const tenon_op,
        inputs: *const tenon_value,
        n_inputs: u32,
        attrs: *const tenon_value,
        n_attrs: u32,
        outputs: *const *mut tenon_tensor,
        n_outputs: u32,
    ) -> tenon_status>,
    pub meta: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        tensor: *const tenon_tensor,
        out_meta: *mut tenon_meta,
    ) -> tenon_status>,
    pub set_output: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        tensor: *mut tenon_tensor,
    ) -> tenon_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_vjp {
    pub struct_size: u32,
    pub flags: u32,
    pub wants: Option<unsafe extern "C" fn(call: *mut tenon_call, index: u32) -> u32>,
    pub get_input: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        out_value: *mut tenon_value,
    ) -> tenon_status>,
    pub get_output: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        out_value: *mut tenon_value,
    ) -> tenon_status>,
    pub get_input_meta: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        item: u32,
        out_meta: *mut tenon_meta,
    ) -> tenon_status>,
    pub get_output_meta: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        out_meta: *mut tenon_meta,
    ) -> tenon_status>,
    pub get_input_count: Option<unsafe extern "C" fn(call: *mut tenon_call, index: u32) -> u32>,
    pub get_attr: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        out_value: *mut tenon_value,
    ) -> tenon_status>,
    pub get_output_grad: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        out_value: *mut tenon_value,
    ) -> tenon_status>,
    pub set_input_grad: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        item: u32,
        grad: *mut tenon_tensor,
    ) -> tenon_status>,
    pub accumulate_rows: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        indices: *mut tenon_tensor,
        values: *mut tenon_tensor,
    ) -> tenon_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_memory {
    pub struct_size: u32,
    pub flags: u32,
    pub scratch: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        out_bytes: *mut u64,
    ) -> *mut c_void>,
    pub stream: Option<unsafe extern "C" fn(call: *mut tenon_call) -> *mut c_void>,
}

pub type tenon_parallel_fn = Option<unsafe extern "C" fn(
    user: *mut c_void,
    begin: i64,
    end: i64,
    chunk: i64,
) -> tenon_status>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_threads {
    pub struct_size: u32,
    pub flags: u32,
    pub parallel_for: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        n: i64,
        grain: i64,
        fn_: tenon_parallel_fn,
        user: *mut c_void,
    ) -> tenon_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_rng {
    pub key: u64,
    pub stream: u64,
    pub offset: u64,
    pub device_base: *const u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_rng {
    pub struct_size: u32,
    pub flags: u32,
    pub get: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        out_rng: *mut tenon_rng,
    ) -> tenon_status>,
}

// ---- tenon/ext/draft/collectives.h --------------------------------------------------------------

pub const TENON_COLLECTIVE_SEND: u32 = 0;
pub const TENON_COLLECTIVE_RECEIVE: u32 = 1;
pub const TENON_COLLECTIVE_BROADCAST: u32 = 2;
pub const TENON_COLLECTIVE_ALL_GATHER: u32 = 3;
pub const TENON_COLLECTIVE_ALL_TO_ALL: u32 = 4;
pub const TENON_COLLECTIVE_REDUCE_SCATTER: u32 = 5;
pub const TENON_COLLECTIVE_ALL_REDUCE: u32 = 6;
pub const TENON_COLLECTIVE_BARRIER: u32 = 7;
pub const TENON_INTERFACE_COLLECTIVES: &str = "tenon.collectives/1";
pub const TENON_COLLECTIVE_SUMS: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_collective_option {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub tag: u32,
    pub required: u32,
    pub initial: tenon_value,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_collective_option {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_members {
    pub rank: i32,
    pub size: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_transfer_desc {
    pub collective: u32,
    pub peer: i32,
    pub device: tenon_device,
    pub dtype: tenon_dtype,
    pub reserved: u32,
    pub count: i64,
    pub from: *const c_void,
    pub to: *mut c_void,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_transfer_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_collective_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub devices: tenon_string,
    pub sums: tenon_string,
    pub options: *const tenon_collective_option,
    pub n_options: u32,
    pub reserved: u32,
    pub create: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        values: *const tenon_value,
        timeout: i64,
        out_object: *mut *mut c_void,
        out_members: *mut tenon_members,
    ) -> tenon_status>,
    pub release: Option<unsafe extern "C" fn(object: *mut c_void)>,
    pub split: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        color: i32,
        key: i32,
        timeout: i64,
        out_object: *mut *mut c_void,
        out_members: *mut tenon_members,
    ) -> tenon_status>,
    pub run: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        transfers: *const tenon_transfer_desc,
        n: u32,
        timeout: i64,
        out_done: *mut u8,
    ) -> tenon_status>,
    pub abort: Option<unsafe extern "C" fn(object: *mut c_void, status: i32)>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_collective_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_collectives_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_collective_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_collectives_table {}

// ---- tenon/ext/draft/datasets.h -----------------------------------------------------------------

pub const TENON_INTERFACE_DATASETS: &str = "tenon.datasets/1";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_dataset_option {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub tag: u32,
    pub required: u32,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_dataset_option {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_dataset_field {
    pub name: tenon_string,
    pub sample: tenon_meta,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_dataset_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub options: *const tenon_dataset_option,
    pub n_options: u32,
    pub reserved: u32,
    pub create: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        values: *const tenon_value,
        out_object: *mut *mut c_void,
    ) -> tenon_status>,
    pub release: Option<unsafe extern "C" fn(object: *mut c_void)>,
    pub length: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        out_length: *mut i64,
    ) -> tenon_status>,
    pub fields: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        fields: *mut tenon_dataset_field,
        capacity: u32,
        out_count: *mut u32,
    ) -> tenon_status>,
    pub get: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        indices: *const i64,
        n: i64,
        destinations: *const *mut c_void,
    ) -> tenon_status>,
    pub lengths: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        first: i64,
        count: i64,
        lengths: *mut i64,
    ) -> tenon_status>,
    pub get_batch: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        batch: *const tenon_batch,
        destinations: *const *mut c_void,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_dataset_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_datasets_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_dataset_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_datasets_table {}

// ---- tenon/ext/draft/formats.h ------------------------------------------------------------------

pub const TENON_INTERFACE_FORMATS: &str = "tenon.formats/1";
pub const TENON_FORMAT_COLUMN_MAJOR: u32 = 1;
pub const TENON_FORMAT_PACKED: u32 = 2;
pub const TENON_FORMAT_FOREIGN: u32 = 4;
pub const TENON_PIECE_BYTES: u32 = 0;
pub const TENON_PIECE_TENSOR: u32 = 1;
pub const TENON_PIECE_END: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_format_entry {
    pub name: tenon_string,
    pub meta: tenon_meta,
    pub offset: u64,
    pub bytes: u64,
    pub flags: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_format_pair {
    pub key: tenon_string,
    pub value: tenon_string,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_format_content {
    pub struct_size: u32,
    pub flags: u32,
    pub entries: *const tenon_format_entry,
    pub metadata: *const tenon_format_pair,
    pub n_entries: u32,
    pub n_metadata: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_format_piece {
    pub bytes: *const c_void,
    pub length: u64,
    pub kind: u32,
    pub entry: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_format_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub endings: tenon_string,
    pub read: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        bytes: *const c_void,
        length: u64,
        out_object: *mut *mut c_void,
    ) -> tenon_status>,
    pub release: Option<unsafe extern "C" fn(object: *mut c_void)>,
    pub count: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        out_entries: *mut u32,
        out_metadata: *mut u32,
    ) -> tenon_status>,
    pub entry: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        index: u32,
        out_entry: *mut tenon_format_entry,
    ) -> tenon_status>,
    pub metadata: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        index: u32,
        out_pair: *mut tenon_format_pair,
    ) -> tenon_status>,
    pub unpack: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        index: u32,
        destination: *mut c_void,
        bytes: u64,
    ) -> tenon_status>,
    pub layout: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        content: *const tenon_format_content,
        out_layout: *mut *mut c_void,
    ) -> tenon_status>,
    pub piece: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        layout: *mut c_void,
        out_piece: *mut tenon_format_piece,
    ) -> tenon_status>,
    pub written: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        layout: *mut c_void,
        bytes: *const c_void,
        length: u64,
    ) -> tenon_status>,
    pub release_layout: Option<unsafe extern "C" fn(layout: *mut c_void)>,
    pub foreign: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        index: u32,
        out_text: *mut tenon_string,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_format_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_formats_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_format_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_formats_table {}

// ---- tenon/ext/draft/layers.h -------------------------------------------------------------------

pub const TENON_INTERFACE_LAYERS: &str = "tenon.layers/1";
pub const TENON_LAYER_CONTAINER: u32 = 1;
pub const TENON_LAYER_TRAINING: u32 = 1;
pub const TENON_LAYER_BUFFER: u32 = 1;
pub const TENON_LAYER_CACHE: u32 = 2;
pub const TENON_LAYER_CACHE_BATCH: i64 = -1;
pub const TENON_LAYER_CACHE_POSITIONS: i64 = -2;
pub const TENON_HOST_LAYERS: &str = "tenon.host.layers/1";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_layer_option {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub tag: u32,
    pub required: u32,
    pub initial: tenon_value,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_layer_option {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_layer_sample {
    pub text: tenon_string,
    pub fragment: tenon_string,
    pub expect: tenon_status,
    pub flags: u32,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_layer_sample {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_layer_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub options: *const tenon_layer_option,
    pub samples: *const tenon_layer_sample,
    pub n_options: u32,
    pub n_samples: u32,
    pub min_inputs: u32,
    pub max_inputs: u32,
    pub n_outputs: u32,
    pub reserved: u32,
    pub describe: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        values: *const tenon_value,
    ) -> tenon_status>,
    pub forward: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        values: *const tenon_value,
        inputs: *const tenon_value,
        n_inputs: u32,
        flags: u32,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_layer_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_layers_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_layer_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_layers_table {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_layer_tensor_spec {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub op: tenon_string,
    pub attr_names: *const tenon_string,
    pub attr_values: *const tenon_value,
    pub n_attrs: u32,
    pub rank: i32,
    pub shape: [i64; TENON_MAX_RANK as usize],
    pub dtype: tenon_dtype,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_layers {
    pub struct_size: u32,
    pub flags: u32,
    pub add_tensor: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        spec: *const tenon_layer_tensor_spec,
    ) -> tenon_status>,
    pub add_child: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        name: *const tenon_string,
        layer: *const tenon_string,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
    ) -> tenon_status>,
    pub get_tensor: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        name: *const c_char,
        name_length: u64,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status>,
    pub set_buffer: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        name: *const c_char,
        name_length: u64,
        tensor: *mut tenon_tensor,
    ) -> tenon_status>,
    pub get_child_count: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        out_count: *mut u32,
    ) -> tenon_status>,
    pub call_child: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        index: u32,
        inputs: *const tenon_value,
        n_inputs: u32,
        out_outputs: *mut *mut tenon_tensor,
        n_outputs: u32,
    ) -> tenon_status>,
}

#[repr(C)]
pub struct tenon_layer {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/schedules.h ----------------------------------------------------------------

pub const TENON_INTERFACE_SCHEDULES: &str = "tenon.schedules/1";
pub const TENON_HYPER_REQUIRED: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_schedule_state_desc {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub initial: f64,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_schedule_state_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_schedule_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub hypers: *const tenon_hyper_desc,
    pub states: *const tenon_schedule_state_desc,
    pub n_hypers: u32,
    pub n_states: u32,
    pub advance: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        hypers: *const tenon_value,
        states: *mut f64,
        base_value: f64,
        metric: *const f64,
        out_value: *mut f64,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_schedule_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_schedules_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_schedule_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_schedules_table {}

#[repr(C)]
pub struct tenon_schedule {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/tokenizers.h ---------------------------------------------------------------

pub const TENON_TOKENIZER_ADD_SPECIAL: u32 = 1;
pub const TENON_TOKENIZER_READ_SPECIAL: u32 = 2;
pub const TENON_TOKENIZER_SKIP_SPECIAL: u32 = 4;
pub const TENON_TOKEN_SPECIAL: u32 = 1;
pub const TENON_INTERFACE_TOKENIZERS: &str = "tenon.tokenizers/1";
pub const TENON_TOKENIZER_SAMPLE_LOSSY: u32 = 1;
pub const TENON_TOKENIZER_PAD_LEFT: u32 = 8;
pub const TENON_TOKENIZER_PAD_TO_LIMIT: u32 = 16;
pub const TENON_HOST_TOKENIZERS: &str = "tenon.host.tokenizers/1";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tokenizer_info {
    pub struct_size: u32,
    pub flags: u32,
    pub size: i64,
    pub unknown: i32,
    pub begin: i32,
    pub end: i32,
    pub pad: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tokenizer_option {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub tag: u32,
    pub required: u32,
    pub initial: tenon_value,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_tokenizer_option {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tokenizer_sample {
    pub options: tenon_string,
    pub file: tenon_string,
    pub text: tenon_string,
    pub tokens: tenon_string,
    pub fragment: tenon_string,
    pub expect: tenon_status,
    pub flags: u32,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_tokenizer_sample {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tokenizer_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub endings: tenon_string,
    pub options: *const tenon_tokenizer_option,
    pub samples: *const tenon_tokenizer_sample,
    pub n_options: u32,
    pub n_samples: u32,
    pub create: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        file: *const c_void,
        file_length: u64,
        values: *const tenon_value,
        out_object: *mut *mut c_void,
    ) -> tenon_status>,
    pub release: Option<unsafe extern "C" fn(object: *mut c_void)>,
    pub info: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        out_info: *mut tenon_tokenizer_info,
    ) -> tenon_status>,
    pub encode: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        text: *const c_char,
        length: u64,
        flags: u32,
        limit: i64,
        tokens: *mut i32,
        capacity: i64,
        out_count: *mut i64,
    ) -> tenon_status>,
    pub decode: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        tokens: *const i32,
        n: i64,
        flags: u32,
        text: *mut c_char,
        capacity: u64,
        out_length: *mut u64,
    ) -> tenon_status>,
    pub token: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        token: i32,
        spelling: *mut c_char,
        capacity: u64,
        out_length: *mut u64,
        out_flags: *mut u32,
    ) -> tenon_status>,
    pub find: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        spelling: *const c_char,
        length: u64,
        out_token: *mut i32,
    ) -> tenon_status>,
    pub save: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        file: *mut c_void,
        capacity: u64,
        out_length: *mut u64,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_tokenizer_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tokenizers_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_tokenizer_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_tokenizers_table {}

#[repr(C)]
pub struct tenon_tokenizer {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_tokenizers {
    pub struct_size: u32,
    pub flags: u32,
    pub create: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        name: *const tenon_string,
        file: *const c_void,
        file_length: u64,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_tokenizer: *mut *mut tenon_tokenizer,
    ) -> tenon_status>,
    pub load: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        path: *const tenon_string,
        out_tokenizer: *mut *mut tenon_tokenizer,
    ) -> tenon_status>,
    pub release: Option<unsafe extern "C" fn(tokenizer: *mut tenon_tokenizer)>,
    pub encode: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        tokenizer: *mut tenon_tokenizer,
        text: *const c_char,
        length: u64,
        tokens: *mut i32,
        capacity: i64,
        out_count: *mut i64,
    ) -> tenon_status>,
}

// ---- tenon/ext/draft/transforms.h ---------------------------------------------------------------

pub const TENON_INTERFACE_TRANSFORMS: &str = "tenon.transforms/1";
pub const TENON_TRANSFORM_VIEW: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_batch {
    pub n: i64,
    pub samples: *const i64,
    pub seed: u64,
    pub epoch: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_transform_option {
    pub name: tenon_string,
    pub doc: tenon_string,
    pub tag: u32,
    pub required: u32,
    pub initial: tenon_value,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_transform_option {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_transform_sample {
    pub text: tenon_string,
    pub fragment: tenon_string,
    pub expect: tenon_status,
    pub flags: u32,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_transform_sample {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_transform_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub options: *const tenon_transform_option,
    pub samples: *const tenon_transform_sample,
    pub n_options: u32,
    pub n_samples: u32,
    pub create: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        values: *const tenon_value,
        out_object: *mut *mut c_void,
    ) -> tenon_status>,
    pub release: Option<unsafe extern "C" fn(object: *mut c_void)>,
    pub infer: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        sample: *const tenon_meta,
        out_sample: *mut tenon_meta,
    ) -> tenon_status>,
    pub run: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        object: *mut c_void,
        batch: *const tenon_batch,
        from: *const tenon_view,
        to: *const tenon_view,
    ) -> tenon_status>,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_transform_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_transforms_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_transform_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_transforms_table {}

#[repr(C)]
pub struct tenon_transform {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/bits.h ---------------------------------------------------------------------

pub const TENON_OP_LIBRARY_BITS: u32 = 128;

// ---- tenon/ext/draft/dynamic.h ------------------------------------------------------------------

pub const TENON_OP_DYNAMIC_OUT: u32 = 32;
pub const TENON_HOST_NUMBERS: &str = "tenon.host.numbers/1";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_host_numbers {
    pub struct_size: u32,
    pub flags: u32,
    pub read: Option<unsafe extern "C" fn(
        call: *mut tenon_call,
        tensor: *const tenon_tensor,
        out_number: *mut i64,
    ) -> tenon_status>,
}

// ---- tenon/ext/draft/narrow.h -------------------------------------------------------------------

pub const TENON_SLOT_NARROW: u32 = 16;
pub const TENON_OP_NARROW: u32 = 256;

// ---- tenon/ext/draft/optimizers.h ---------------------------------------------------------------

pub const TENON_STATE_PER_ROW: u32 = 2;
pub const TENON_STATE_PER_COLUMN: u32 = 3;
pub const TENON_OPTIMIZER_BY_ELEMENT: u32 = 1;
pub const TENON_OP_WRITES_GRADIENTS: u32 = 64;

// ---- tenon/ext/draft/shapes.h -------------------------------------------------------------------

pub const TENON_SHAPE_SCHEMA: u32 = 4;

// ---- tenon/kinds.h ------------------------------------------------------------------------------


#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_entry_desc {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_entry_desc {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_entries_table {
    pub struct_size: u32,
    pub count: u32,
    pub descs: *const *const tenon_entry_desc,
}
// Constant data of a plugin, which any thread may read.
unsafe impl Sync for tenon_entries_table {}

macro_rules! for_each_kind {
    ($use:ident) => {
        $use! {
            b"tenon.optimizers/1" optimizers: tenon_optimizer_desc,
            b"tenon.schedules/1" schedules: tenon_schedule_desc,
            b"tenon.datasets/1" datasets: tenon_dataset_desc,
            b"tenon.layers/1" layers: tenon_layer_desc,
            b"tenon.formats/1" formats: tenon_format_desc,
            b"tenon.transforms/1" transforms: tenon_transform_desc,
            b"tenon.tokenizers/1" tokenizers: tenon_tokenizer_desc,
            b"tenon.collectives/1" collectives: tenon_collective_desc,
        }
    };
}
pub(crate) use for_each_kind;
