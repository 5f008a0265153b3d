// SPDX-License-Identifier: Apache-2.0
// tests/stranger/rust/halving.rs: the schedule acme.halving: the base value, halved
// every `every` steps.
use std::mem::size_of;
use tenon_plugin::raw::*;
use tenon_plugin::*;

unsafe extern "C" fn advance(
    call: *mut tenon_call,
    hypers: *const tenon_value,
    states: *mut f64,
    base_value: f64,
    _metric: *const f64,
    out_value: *mut f64,
) -> tenon_status {
    guard(call, || {
        let every = (*hypers).as_.i64 as f64;
        *out_value = base_value * (-(*states / every).floor()).exp2();
        *states += 1.0;
        Ok(())
    })
}

const HYPERS: &[tenon_hyper_desc] = &[tenon_hyper_desc {
    tag: TENON_VALUE_I64,
    ..hyper(
        "every",
        "steps from one halving to the next",
        0,
        10.0,
        (1.0, 1e9),
    )
}];
const STATES: &[tenon_schedule_state_desc] = &[tenon_schedule_state_desc {
    name: text("step"),
    doc: text("steps made"),
    initial: 0.0,
}];

pub const UNIT: Unit = Unit {
    schedules: &[tenon_schedule_desc {
        struct_size: size_of::<tenon_schedule_desc>() as u32,
        flags: 0,
        name: text("acme.halving"),
        doc: text("The base value, halved every `every` steps."),
        hypers: HYPERS.as_ptr(),
        states: STATES.as_ptr(),
        n_hypers: HYPERS.len() as u32,
        n_states: STATES.len() as u32,
        advance: Some(advance),
    }],
    ..Unit::EMPTY
};
