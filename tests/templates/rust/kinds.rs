// SPDX-License-Identifier: Apache-2.0
// tests/templates/rust/kinds.rs: the plugin test.rust_kinds: a schedule, a format and a layer, and
// what c/kinds.c does. Both globs at once: a name of the one must not hide the crate.
use std::mem::size_of;
use std::os::raw::c_void;
use tenon_plugin::raw::*;
use tenon_plugin::*;

const NAME: &str = "test.rust_kinds";

// ---- The schedule: half of the value before -----------------------------------------------------

unsafe extern "C" fn advance(
    _: *mut tenon_call,
    _: *const tenon_value,
    states: *mut f64,
    base_value: f64,
    _: *const f64,
    out_value: *mut f64,
) -> tenon_status {
    *out_value = base_value * *states;
    *states /= 2.0;
    TENON_OK
}

const STATES: &[tenon_schedule_state_desc] = &[tenon_schedule_state_desc {
    name: text("share"),
    doc: text("Of the base value, at the next step."),
    initial: 1.0,
}];
const SCHEDULE: tenon_schedule_desc = tenon_schedule_desc {
    struct_size: size_of::<tenon_schedule_desc>() as u32,
    flags: 0,
    name: text(NAME),
    doc: text("Halves the value at each step."),
    hypers: std::ptr::null(),
    states: STATES.as_ptr(),
    n_hypers: 0,
    n_states: STATES.len() as u32,
    advance: Some(advance),
};

// ---- The format: all bytes of a file as one tensor ----------------------------------------------

unsafe extern "C" fn read(
    call: *mut tenon_call,
    _: *const c_void,
    length: u64,
    out_object: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        if length == 0 {
            return Err(Failure::new(TENON_E_DATA, "kinds: an empty file").into());
        }
        *out_object = Box::into_raw(Box::new(length)).cast();
        Ok(())
    })
}

unsafe extern "C" fn release(object: *mut c_void) {
    drop(Box::from_raw(object.cast::<u64>()));
}

unsafe extern "C" fn count(
    _: *mut tenon_call,
    _: *mut c_void,
    out_entries: *mut u32,
    out_metadata: *mut u32,
) -> tenon_status {
    *out_entries = 1;
    *out_metadata = 0;
    TENON_OK
}

unsafe extern "C" fn entry(
    _: *mut tenon_call,
    object: *mut c_void,
    _: u32,
    out_entry: *mut tenon_format_entry,
) -> tenon_status {
    let bytes = *object.cast::<u64>();
    *out_entry = tenon_format_entry {
        name: text("bytes"),
        meta: tenon_meta {
            shape: [bytes as i64, 0, 0, 0, 0, 0, 0, 0],
            rank: 1,
            dtype: TENON_DTYPE_U8,
            device: tenon_device { kind: 0, index: 0 },
        },
        offset: 0,
        bytes,
        flags: 0,
        reserved: 0,
    };
    TENON_OK
}

unsafe fn refuse(call: *mut tenon_call, status: tenon_status, words: &str) -> tenon_status {
    guard(call, || Err(Failure::new(status, words).into()))
}

unsafe extern "C" fn metadata(
    call: *mut tenon_call,
    _: *mut c_void,
    _: u32,
    _: *mut tenon_format_pair,
) -> tenon_status {
    refuse(call, TENON_E_NOT_FOUND, "kinds: no metadata")
}

unsafe extern "C" fn layout(
    call: *mut tenon_call,
    _: *const tenon_format_content,
    _: *mut *mut c_void,
) -> tenon_status {
    refuse(call, TENON_E_UNSUPPORTED, "kinds: such files are only read")
}

unsafe extern "C" fn piece(
    call: *mut tenon_call,
    _: *mut c_void,
    _: *mut tenon_format_piece,
) -> tenon_status {
    refuse(call, TENON_E_STATE, "kinds: no layout")
}

const FORMAT: tenon_format_desc = tenon_format_desc {
    struct_size: size_of::<tenon_format_desc>() as u32,
    flags: 0,
    name: text(NAME),
    doc: text("The bytes of a file."),
    endings: text(".rust_kinds"),
    read: Some(read),
    release: Some(release),
    count: Some(count),
    entry: Some(entry),
    metadata: Some(metadata),
    unpack: None,
    layout: Some(layout),
    piece: Some(piece),
    written: None,
    release_layout: Some(release),
};

// ---- The layer: a number times the input --------------------------------------------------------

unsafe fn layers_of<'a>(call: *mut tenon_call) -> &'a tenon_host_layers {
    let host = (*call).host;
    let get = (*host).get_interface.unwrap();
    let table = get(host, TENON_HOST_LAYERS.as_ptr().cast(), TENON_HOST_LAYERS.len() as u64);
    table.cast::<tenon_host_layers>().as_ref().expect("the host has no layers")
}

unsafe extern "C" fn describe(call: *mut tenon_call, _: *const tenon_value) -> tenon_status {
    guard(call, || {
        let two = tenon_value {
            tag: TENON_VALUE_F64,
            count: 0,
            as_: tenon_value_as { f64: 2.0 },
        };
        let spec = tenon_layer_tensor_spec {
            struct_size: size_of::<tenon_layer_tensor_spec>() as u32,
            flags: 0,
            name: text("scale"),
            op: text("tenon.full"),
            attr_names: &text("value"),
            attr_values: &two,
            n_attrs: 1,
            rank: 0,
            shape: [0; TENON_MAX_RANK as usize],
            dtype: TENON_DTYPE_F64,
            reserved: 0,
        };
        check(layers_of(call).add_tensor.unwrap()(call, &spec))
    })
}

unsafe extern "C" fn forward(
    call: *mut tenon_call,
    _: *const tenon_value,
    inputs: *const tenon_value,
    _: u32,
    _: u32,
) -> tenon_status {
    guard(call, || {
        let mut scale = std::ptr::null_mut();
        let (name, length) = ("scale".as_ptr().cast(), 5);
        check(layers_of(call).get_tensor.unwrap()(call, name, length, &mut scale))?;
        let dispatch = &*(*call).dispatch;
        let multiply = dispatch.find.unwrap()(call, "tenon.mul".as_ptr().cast(), 9);
        if multiply.is_null() {
            return check(TENON_E_NOT_FOUND);
        }
        let factor = tenon_value {
            tag: TENON_VALUE_TENSOR,
            count: 0,
            as_: tenon_value_as { tensor: scale },
        };
        let factors = [*inputs, factor];
        let mut product = std::ptr::null_mut();
        check(dispatch.call.unwrap()(
            call,
            multiply,
            factors.as_ptr(),
            2,
            std::ptr::null(),
            0,
            &mut product,
            1,
        ))?;
        check(dispatch.set_output.unwrap()(call, 0, product))
    })
}

const LAYER: tenon_layer_desc = tenon_layer_desc {
    struct_size: size_of::<tenon_layer_desc>() as u32,
    flags: 0,
    name: text(NAME),
    doc: text("A number times the input."),
    options: std::ptr::null(),
    samples: std::ptr::null(),
    n_options: 0,
    n_samples: 0,
    min_inputs: 1,
    max_inputs: 1,
    n_outputs: 1,
    reserved: 0,
    describe: Some(describe),
    forward: Some(forward),
};

const UNIT: Unit = Unit {
    schedules: &[SCHEDULE],
    formats: &[FORMAT],
    layers: &[LAYER],
    ..Unit::EMPTY
};

export_plugin!(id: "test.rust_kinds", version: "1.0.0", license: "Apache-2.0", units: &[&UNIT]);
