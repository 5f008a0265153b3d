// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/schedule.rs: schedules of the registry.

use crate::context::state;
use crate::error::Result;
use crate::objects::Owned;
use crate::sys;
use crate::values::{OptionLists, Value};
use std::ptr::{null, null_mut};

/// One number for each step, which the program passes on: `adam.set("lr", schedule.next()?)?`.
pub struct Schedule(Owned<sys::tenon_schedule>);

impl Schedule {
    /// By the name in the registry. Those of the vendor `tenon` are functions of
    /// [`schedules`](crate::schedules).
    pub fn new(name: &str, base_value: f64, options: &[(&str, Value)]) -> Result<Schedule> {
        let state = state()?;
        let lists = OptionLists::of(options);
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        let (names, values, n) = (lists.names.as_ptr(), lists.values.as_ptr(), lists.len());
        let (context, mut made) = (state.handle, null_mut());
        state.check(unsafe {
            sys::tenon_schedule_create(
                context, text, length, base_value, names, values, n, &mut made,
            )
        })?;
        Ok(Schedule(unsafe { Owned::adopt(made) }))
    }
    /// The value of the next step.
    #[allow(clippy::should_implement_trait)] // it is no iterator: it has no end, and may fail
    pub fn next(&self) -> Result<f64> {
        self.run(null())
    }
    /// The same; `metric` is what was measured in the step before.
    pub fn next_after(&self, metric: f64) -> Result<f64> {
        self.run(&metric)
    }
    fn run(&self, metric: *const f64) -> Result<f64> {
        let (state, mut value) = (state()?, 0.0);
        state.check(unsafe {
            sys::tenon_schedule_run(state.handle, self.0.get(), metric, &mut value)
        })?;
        Ok(value)
    }
    pub fn state(&self, name: &str) -> Result<f64> {
        let (state, mut value) = (state()?, 0.0);
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        state.check(unsafe {
            sys::tenon_schedule_get_state(state.handle, self.0.get(), text, length, &mut value)
        })?;
        Ok(value)
    }
    pub fn set_state(&self, name: &str, value: f64) -> Result<()> {
        let (state, text, length) = (state()?, name.as_ptr().cast(), name.len() as u64);
        state.check(unsafe {
            sys::tenon_schedule_set_state(state.handle, self.0.get(), text, length, value)
        })
    }
    pub fn handle(&self) -> *mut sys::tenon_schedule {
        self.0.get()
    }
}
