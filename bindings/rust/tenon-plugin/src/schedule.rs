// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/schedule.rs: schedules as a trait: the value of the next step.
use crate::describe::text;
use crate::guard::{guard, Result};
use crate::launch::Attrs;
use crate::raw::*;
use std::mem::size_of;

/// Values that change from step to step.
pub trait Schedule {
    /// "vendor.name"
    const NAME: &'static str;
    const DOC: &'static str;
    const HYPERS: &'static [tenon_hyper_desc] = &[];
    const STATES: &'static [tenon_schedule_state_desc] = &[];
    /// The value of the next step, from `step` alone; advances `step.states`. If it fails the host
    /// keeps the states as they were.
    fn advance(step: &mut Step) -> Result<f64>;
}

/// One step on its way.
pub struct Step<'a> {
    /// In the order of `HYPERS`.
    pub hypers: Attrs<'a>,
    /// In the order of `STATES`.
    pub states: &'a mut [f64],
    /// As the schedule was created with; finite.
    pub base: f64,
    /// What the program has measured, if it has.
    pub metric: Option<f64>,
}

unsafe extern "C" fn advance<S: Schedule>(
    call: *mut tenon_call,
    hypers: *const tenon_value,
    states: *mut f64,
    base: f64,
    metric: *const f64,
    out_value: *mut f64,
) -> tenon_status {
    guard(call, || {
        let states = match S::STATES.len() {
            0 => &mut [],
            n => std::slice::from_raw_parts_mut(states, n),
        };
        *out_value = S::advance(&mut Step {
            hypers: Attrs::new(hypers, S::HYPERS.len() as u32),
            states,
            base,
            metric: metric.as_ref().copied(),
        })?;
        Ok(())
    })
}

pub const fn schedule<S: Schedule>() -> tenon_schedule_desc {
    tenon_schedule_desc {
        struct_size: size_of::<tenon_schedule_desc>() as u32,
        flags: 0,
        name: text(S::NAME),
        doc: text(S::DOC),
        hypers: S::HYPERS.as_ptr(),
        states: S::STATES.as_ptr(),
        n_hypers: S::HYPERS.len() as u32,
        n_states: S::STATES.len() as u32,
        advance: Some(advance::<S>),
    }
}

/// A number that is remembered between two steps.
pub const fn schedule_state(
    name: &'static str,
    doc: &'static str,
    initial: f64,
) -> tenon_schedule_state_desc {
    tenon_schedule_state_desc {
        name: text(name),
        doc: text(doc),
        initial,
    }
}
