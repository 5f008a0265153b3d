// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-sys/src/raw.rs: constants and types of the C API, name by name.
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

// ---- tenon/context.h ----------------------------------------------------------------------------

pub const TENON_ARITHMETIC_CANONICAL: u32 = 0;
pub const TENON_ARITHMETIC_FAST: u32 = 1;
pub const TENON_GRAD_ENABLED: u32 = 0;
pub const TENON_GRAD_DISABLED: u32 = 1;
pub const TENON_GRAD_INFERENCE: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_error {
    pub struct_size: u32,
    pub flags: u32,
    pub status: tenon_status,
    pub n_causes: u32,
    pub sequence: u64,
    pub message: *const c_char,
    pub op: *const c_char,
    pub operand: *const c_char,
    pub expected: *const c_char,
    pub found: *const c_char,
    pub plugin: *const c_char,
    pub scope: *const c_char,
    pub hint: *const c_char,
    pub causes: *const *const c_char,
}

// ---- tenon/ext/draft/archives.h -----------------------------------------------------------------

pub const TENON_ARCHIVE_IN_MEMORY: u32 = 1;
pub const TENON_ARCHIVE_COPY: u32 = 1;
pub const TENON_ARCHIVE_BYTES: u32 = 2;

#[repr(C)]
pub struct tenon_archive {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/checkpoints.h --------------------------------------------------------------

pub const TENON_CHECKPOINT_IF_THERE: u32 = 1;

#[repr(C)]
pub struct tenon_checkpoint {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/checks.h -------------------------------------------------------------------

pub const TENON_CHECK_FINITE: u32 = 1;

// ---- tenon/ext/draft/data_parallel.h ------------------------------------------------------------


#[repr(C)]
pub struct tenon_data_parallel {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_data_parallel_options {
    pub struct_size: u32,
    pub flags: u32,
    pub shards: i64,
    pub bucket_bytes: i64,
    pub buffers: *const *mut tenon_tensor,
    pub n_buffers: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_data_parallel_info {
    pub struct_size: u32,
    pub flags: u32,
    pub shards: i64,
    pub first_shard: i64,
    pub n_shards: i64,
    pub step: i64,
    pub buckets: i64,
}

// ---- tenon/ext/draft/entries.h ------------------------------------------------------------------

pub const TENON_OPTION_REQUIRED: u32 = 1;
pub const TENON_OPTION_NULLABLE: u32 = 2;
pub const TENON_OPTION_DYNAMIC: u32 = 4;
pub const TENON_OPTION_NUMBER: u32 = 8;
pub const TENON_PART_INPUT: u32 = 0;
pub const TENON_PART_OUTPUT: u32 = 1;
pub const TENON_PART_VARIABLE: u32 = 2;
pub const TENON_PART_STATE: u32 = 3;
pub const TENON_PART_STEP_OP: u32 = 4;
pub const TENON_PART_ROWS_OP: u32 = 5;
pub const TENON_PART_ENDING: u32 = 6;
pub const TENON_PART_SAMPLE: u32 = 7;
pub const TENON_PART_LIST: u32 = 1;
pub const TENON_PART_OPTIONAL: u32 = 2;
pub const TENON_PART_MUTATED: u32 = 4;
pub const TENON_PART_AUX: u32 = 8;
pub const TENON_PART_PROMOTES: u32 = 16;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_entry_info {
    pub struct_size: u32,
    pub flags: u32,
    pub kind: tenon_string,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub plugin: tenon_string,
    pub schema: tenon_string,
    pub revision: u32,
    pub n_options: u32,
    pub n_parts: u32,
    pub min_inputs: u32,
    pub max_inputs: u32,
    pub n_outputs: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_entry_option {
    pub struct_size: u32,
    pub flags: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub tag: u32,
    pub count: u32,
    pub initial: tenon_value,
    pub minimum: f64,
    pub maximum: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_entry_part {
    pub struct_size: u32,
    pub flags: u32,
    pub role: u32,
    pub policy: u32,
    pub name: tenon_string,
    pub doc: tenon_string,
    pub type_: tenon_string,
    pub shape: tenon_string,
    pub dtypes: *const tenon_dtype,
    pub n_dtypes: u32,
    pub status: tenon_status,
    pub initial: f64,
}

// ---- tenon/ext/draft/groups.h -------------------------------------------------------------------


#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_optimizer_group {
    pub struct_size: u32,
    pub flags: u32,
    pub params: *const *mut tenon_tensor,
    pub names: *const tenon_string,
    pub values: *const tenon_value,
    pub n_params: u32,
    pub n_values: u32,
}

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
pub struct tenon_layer {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/loaders.h ------------------------------------------------------------------

pub const TENON_LOADER_SHUFFLE: u32 = 1;
pub const TENON_LOADER_DROP_LAST: u32 = 2;
pub const TENON_LOADER_WORKERS: u32 = 64;
pub const TENON_LOADER_TRANSFORMS: u32 = 16;

#[repr(C)]
pub struct tenon_loader {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_loader_info {
    pub struct_size: u32,
    pub flags: u32,
    pub length: i64,
    pub batch: i64,
    pub epoch: i64,
    pub position: i64,
    pub remaining: i64,
    pub seed: u64,
    pub n_fields: u32,
    pub n_workers: u32,
    pub pool: i64,
}

// ---- tenon/ext/draft/memory.h -------------------------------------------------------------------


// ---- tenon/ext/draft/op_log.h -------------------------------------------------------------------


pub type tenon_op_log_fn = Option<unsafe extern "C" fn(
    state: *mut c_void,
    line: *const c_char,
    length: u64,
)>;

// ---- tenon/ext/draft/ownership.h ----------------------------------------------------------------


// ---- tenon/ext/draft/processes.h ----------------------------------------------------------------

pub const TENON_HOST_PROCESSES: &str = "tenon.host.processes/1";

#[repr(C)]
pub struct tenon_group {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_transfer {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_group_info {
    pub struct_size: u32,
    pub flags: u32,
    pub number: i64,
    pub rank: i32,
    pub size: i32,
    pub transfers: i64,
    pub bytes_sent: i64,
    pub bytes_agreed: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_transfer_request {
    pub struct_size: u32,
    pub flags: u32,
    pub collective: u32,
    pub peer: i32,
    pub input: *mut tenon_tensor,
    pub output: *mut tenon_tensor,
}

// ---- tenon/ext/draft/progress.h -----------------------------------------------------------------

pub const TENON_PROGRESS_ALWAYS: u32 = 1;

#[repr(C)]
pub struct tenon_history {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_progress {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/schedules.h ----------------------------------------------------------------

pub const TENON_INTERFACE_SCHEDULES: &str = "tenon.schedules/1";
pub const TENON_HYPER_REQUIRED: u32 = 2;

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
pub struct tenon_tokenizer {
    _opaque: [u8; 0],
}

// ---- tenon/ext/draft/training.h -----------------------------------------------------------------


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
pub struct tenon_transform {
    _opaque: [u8; 0],
}

// ---- tenon/gradients.h --------------------------------------------------------------------------

pub const TENON_BACKWARD_RETAIN: u32 = 1;
pub const TENON_BACKWARD_CREATE_GRAPH: u32 = 2;

pub type tenon_function_fn = Option<unsafe extern "C" fn(
    context: *mut tenon_context,
    inputs: *const *mut tenon_tensor,
    n_inputs: u32,
    out_outputs: *mut *mut tenon_tensor,
    n_outputs: u32,
    user: *mut c_void,
) -> tenon_status>;

pub type tenon_hook_fn = Option<unsafe extern "C" fn(
    context: *mut tenon_context,
    gradient: *mut tenon_tensor,
    out_gradient: *mut *mut tenon_tensor,
    user: *mut c_void,
) -> tenon_status>;

// ---- tenon/ops.h --------------------------------------------------------------------------------


#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_op_info {
    pub struct_size: u32,
    pub flags: u32,
    pub name: *const c_char,
    pub schema: *const c_char,
    pub doc: *const c_char,
    pub plugin: *const c_char,
    pub revision: u32,
    pub n_inputs: u32,
    pub n_attrs: u32,
    pub n_outputs: u32,
}

// ---- tenon/runtime.h ----------------------------------------------------------------------------

pub const TENON_POLICY_OWNED: u32 = 0;
pub const TENON_POLICY_ANY: u32 = 1;
pub const TENON_POLICY_ALLOWLIST: u32 = 2;
pub const TENON_RUNTIME_NO_DEFAULT_PATHS: u32 = 1;
pub const TENON_RUNTIME_NO_ENVIRONMENT: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_runtime_options {
    pub struct_size: u32,
    pub flags: u32,
    pub paths: *const tenon_string,
    pub n_paths: u32,
    pub policy: u32,
    pub threads: i32,
    pub n_exclude: u32,
    pub exclude: *const tenon_string,
    pub memory_limit: u64,
    pub check: tenon_string,
    pub allowlist: tenon_string,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_stats {
    pub struct_size: u32,
    pub flags: u32,
    pub tensors: i64,
    pub storages: i64,
    pub nodes: i64,
    pub plans: i64,
    pub bytes_live: u64,
    pub bytes_peak: u64,
    pub bytes_reserved: u64,
    pub allocations: u64,
    pub launches: u64,
}

// ---- tenon/tensors.h ----------------------------------------------------------------------------

pub const TENON_DTYPE_IS_BOOL: u32 = 1;
pub const TENON_DTYPE_IS_INTEGER: u32 = 2;
pub const TENON_DTYPE_IS_SIGNED: u32 = 4;
pub const TENON_DTYPE_IS_FLOAT: u32 = 8;
pub const TENON_CLONE_ROW_MAJOR: u32 = 0;
pub const TENON_CLONE_PRESERVE: u32 = 1;
pub const TENON_TENSOR_CONTIGUOUS: u32 = 1;
pub const TENON_TENSOR_HOST: u32 = 2;
pub const TENON_TENSOR_EXTERNAL: u32 = 4;
pub const TENON_TENSOR_READ_ONLY: u32 = 8;
pub const TENON_TENSOR_REQUIRES_GRAD: u32 = 16;
pub const TENON_TENSOR_LEAF: u32 = 32;
pub const TENON_TENSOR_HAS_GRAD: u32 = 64;
pub const TENON_TENSOR_GRAD_ROWS: u32 = 128;
pub const TENON_TEXT_INFO: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_dtype_info {
    pub struct_size: u32,
    pub flags: u32,
    pub name: *const c_char,
    pub bits: u32,
    pub digits: u32,
    pub int_min: i64,
    pub int_max: i64,
    pub min: f64,
    pub max: f64,
    pub eps: f64,
    pub tiny: f64,
    pub tiny_subnormal: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tenon_tensor_info {
    pub struct_size: u32,
    pub flags: u32,
    pub elements: i64,
    pub offset: i64,
    pub storage: u64,
    pub storage_bytes: u64,
    pub version: u64,
    pub storage_users: i64,
    pub plugin: *const c_char,
    pub node: *const c_char,
}

// ---- tenon/training.h ---------------------------------------------------------------------------

pub const TENON_OPTIMIZER_CLEAR_GRAD: u32 = 1;

#[repr(C)]
pub struct tenon_host {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct tenon_plugin_ {
    _opaque: [u8; 0],
}
