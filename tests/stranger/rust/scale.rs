// SPDX-License-Identifier: Apache-2.0
// tests/stranger/rust/scale.rs: the layer acme.scale: y = x * weight, one weight for each feature.
use std::mem::size_of;
use std::ptr::{null, null_mut};
use tenon_plugin::raw::*;
use tenon_plugin::*;

const FEATURES: usize = 0;
const INITIAL: usize = 1;

unsafe fn layers_of<'a>(call: *mut tenon_call) -> Result<&'a tenon_host_layers> {
    let host = &*(*call).host;
    let id = text(TENON_HOST_LAYERS);
    let table = host
        .get_interface
        .map_or(null(), |get| get(host, id.data, id.length));
    table
        .cast::<tenon_host_layers>()
        .as_ref()
        .ok_or_else(|| Failure::new(TENON_E_UNSUPPORTED, "the host knows no layers").into())
}

// What the layer holds. The host makes the tensors and draws their initial values.
unsafe extern "C" fn describe(call: *mut tenon_call, values: *const tenon_value) -> tenon_status {
    guard(call, || {
        let features = (*values.add(FEATURES)).as_.i64;
        if features < 1 {
            return Err(
                Failure::new(TENON_E_ATTRIBUTE, "features must be at least 1")
                    .operand("features")
                    .expected("at least 1")
                    .found(features.to_string())
                    .into(),
            );
        }
        let attr = text("value");
        let mut shape = [0; TENON_MAX_RANK as usize];
        shape[0] = features;
        let spec = tenon_layer_tensor_spec {
            struct_size: size_of::<tenon_layer_tensor_spec>() as u32,
            flags: 0,
            name: text("weight"),
            op: text("tenon.full"),
            attr_names: &attr,
            attr_values: values.add(INITIAL),
            n_attrs: 1,
            rank: 1,
            shape,
            dtype: TENON_DTYPE_F64,
            reserved: 0,
        };
        let add_tensor = layers_of(call)?
            .add_tensor
            .expect("a table of the host is whole");
        check(add_tensor(call, &spec))
    })
}

unsafe extern "C" fn forward(
    call: *mut tenon_call,
    _values: *const tenon_value,
    inputs: *const tenon_value,
    _n_inputs: u32,
    _flags: u32,
) -> tenon_status {
    guard(call, || {
        let whole = "a table of the host is whole";
        let dispatch = &*(*call).dispatch;
        let name = text("tenon.mul");
        let mul = dispatch.find.expect(whole)(call, name.data, name.length);
        if mul.is_null() {
            return Err(Error::Host(TENON_E_NOT_FOUND));
        }
        let (mut weight, mut y) = (null_mut(), null_mut());
        let name = text("weight");
        let get_tensor = layers_of(call)?.get_tensor.expect(whole);
        check(get_tensor(call, name.data, name.length, &mut weight))?;
        let weight = tenon_value {
            tag: TENON_VALUE_TENSOR,
            count: 0,
            as_: tenon_value_as { tensor: weight },
        };
        let pair = [*inputs, weight];
        check(dispatch.call.expect(whole)(
            call,
            mul,
            pair.as_ptr(),
            2,
            null(),
            0,
            &mut y,
            1,
        ))?;
        check(dispatch.set_output.expect(whole)(call, 0, y))
    })
}

const NONE: tenon_value = tenon_value {
    tag: TENON_VALUE_NONE,
    count: 0,
    as_: tenon_value_as { i64: 0 },
};
const OPTIONS: &[tenon_layer_option] = &[
    tenon_layer_option {
        name: text("features"),
        doc: text("size of the last dimension of x"),
        tag: TENON_VALUE_I64,
        required: 1,
        initial: NONE,
    },
    tenon_layer_option {
        name: text("initial"),
        doc: text("every weight at first"),
        tag: TENON_VALUE_F64,
        required: 0,
        initial: tenon_value {
            tag: TENON_VALUE_F64,
            count: 0,
            as_: tenon_value_as { f64: 1.0 },
        },
    },
];

const fn call_is(
    call: &'static str,
    expect: tenon_status,
    fragment: &'static str,
) -> tenon_layer_sample {
    tenon_layer_sample {
        text: text(call),
        fragment: text(fragment),
        expect,
        flags: 0,
    }
}
const SAMPLES: &[tenon_layer_sample] = &[
    call_is("f64[2,3] | features=3", TENON_OK, ""),
    call_is("f64[3] | features=3, initial=0.5", TENON_OK, ""),
    call_is("f64[2,3]", TENON_E_ATTRIBUTE, "\"features\" is required"),
    call_is(
        "f64[2,3] | features=0",
        TENON_E_ATTRIBUTE,
        "must be at least 1",
    ),
    call_is("f64[2,3] | features=2", TENON_E_SHAPE, "[2]"),
];

pub const UNIT: Unit = Unit {
    layers: &[tenon_layer_desc {
        struct_size: size_of::<tenon_layer_desc>() as u32,
        flags: 0,
        name: text("acme.scale"),
        doc: text("`y = x * weight`: one weight for each feature, the last dimension of x."),
        options: OPTIONS.as_ptr(),
        samples: SAMPLES.as_ptr(),
        n_options: OPTIONS.len() as u32,
        n_samples: SAMPLES.len() as u32,
        min_inputs: 1,
        max_inputs: 1,
        n_outputs: 1,
        reserved: 0,
        describe: Some(describe),
        forward: Some(forward),
    }],
    ..Unit::EMPTY
};
