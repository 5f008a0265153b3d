// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/plan.rs: steps that are recorded once and run again.

use crate::call::Tensors;
use crate::context::{state, State};
use crate::error::Result;
use crate::objects::{text_of, Owned};
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{Device, Dtype, Ints};
use std::ptr::null_mut;

/// A captured step. Tensors that it made are written anew by each run. What they were captured from
/// may be exchanged for tensors of the same shape, strides, dtype and device.
pub struct Plan(Owned<sys::tenon_plan>);

impl Plan {
    pub fn run(&self) -> Result<()> {
        let state = state()?;
        state.check(unsafe { sys::tenon_plan_run(state.handle, self.0.get()) })
    }
    /// Exchanges input number `place`.
    pub fn set(&self, place: usize, tensor: &Tensor) -> Result<()> {
        let (state, handle) = (state()?, tensor.handle());
        state
            .check(unsafe { sys::tenon_plan_set(state.handle, self.0.get(), place as u32, handle) })
    }
    /// Exchanges the first inputs and runs.
    pub fn run_with(&self, inputs: &[&Tensor]) -> Result<()> {
        inputs
            .iter()
            .enumerate()
            .try_for_each(|(place, input)| self.set(place, input))?;
        self.run()
    }
    /// One line for each launch.
    pub fn text(&self) -> Result<String> {
        let state = state()?;
        let mut text = null_mut();
        state.check(unsafe { sys::tenon_plan_get_text(state.handle, self.0.get(), &mut text) })?;
        Ok(text_of(text))
    }
    pub fn handle(&self) -> *mut sys::tenon_plan {
        self.0.get()
    }
}

/// Ends a capture whose step has failed.
struct Capturing<'a>(&'a State);

impl Drop for Capturing<'_> {
    fn drop(&mut self) {
        let mut dropped = null_mut();
        if unsafe { sys::tenon_capture_end(self.0.handle, &mut dropped) } == sys::TENON_OK {
            unsafe { sys::tenon_plan_release(dropped) }
        }
    }
}

/// Runs `step` once and records all that it launches; gives the plan with what the step gives.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let x = tenon::ones([4])?;
/// let (plan, mean) = tenon::capture(&x, || tenon::mean(&(&x * &x)?).call())?;
/// plan.run_with(&[&(tenon::ones([4])? * 2.0)?])?;
/// assert_eq!(mean.item()?, 4.0);
/// # Ok(())
/// # }
/// ```
pub fn capture<'a, T>(
    inputs: impl Into<Tensors<'a>>,
    step: impl FnOnce() -> Result<T>,
) -> Result<(Plan, T)> {
    let (state, inputs) = (state()?, inputs.into());
    let (handles, n) = (inputs.handles(), inputs.len() as u32);
    state.check(unsafe { sys::tenon_capture_begin(state.handle, handles, n) })?;
    let capturing = Capturing(state);
    let result = step()?;
    let mut made = null_mut();
    let status = unsafe { sys::tenon_capture_end(state.handle, &mut made) };
    if status != sys::TENON_E_MEMORY {
        std::mem::forget(capturing); // any other failure has ended it
    }
    state.check(status)?;
    Ok((Plan(unsafe { Owned::adopt(made) }), result))
}

#[derive(PartialEq)]
struct Kind {
    shape: Ints,
    strides: Ints,
    dtype: Dtype,
    device: Device,
    requires_grad: bool,
}

struct Known {
    mode: i32,
    kinds: Vec<Kind>,
    plan: Plan,
    result: Tensor,
}

/// A step as a function of tensors that is captured when it is called with a kind of inputs that is
/// new (shapes, strides, dtypes, devices, gradients), and replayed with them from then on.
///
/// A result is the same tensor for each kind, with new values. What else the step does is done when
/// it is captured. No value can be read in it.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let mut doubled = tenon::Captured::new(|inputs| inputs[0] * 2.0);
/// for number in [1.0, 2.0] {
///     let result = doubled.call(&[&(tenon::ones([2])? * number)?])?;
///     assert_eq!(result.to_vec::<f32>()?, [2.0 * number as f32; 2]);
/// }
/// assert_eq!(doubled.n_plans(), 1);
/// # Ok(())
/// # }
/// ```
pub struct Captured<F> {
    step: F,
    known: Vec<Known>,
    mode: i32,
}

impl<F: FnMut(&[&Tensor]) -> Result<Tensor>> Captured<F> {
    pub fn new(step: F) -> Captured<F> {
        Captured {
            step,
            known: Vec::new(),
            mode: 0,
        }
    }

    pub fn call(&mut self, inputs: &[&Tensor]) -> Result<Tensor> {
        let kinds: Vec<Kind> = inputs
            .iter()
            .map(|each| kind_of(each))
            .collect::<Result<_>>()?;
        let known = |each: &&Known| each.mode == self.mode && each.kinds == kinds;
        if let Some(known) = self.known.iter().find(known) {
            known.plan.run_with(inputs)?;
            return Ok(known.result.clone());
        }
        let step = &mut self.step;
        let (plan, result) = capture(inputs, || {
            let result = step(inputs)?;
            // In an input's memory it would go on naming that, whatever input is given later.
            let storage = result.info()?.storage;
            for input in inputs {
                if input.info()?.storage == storage {
                    return result.copy();
                }
            }
            Ok(result)
        })?;
        let mode = self.mode;
        self.known.push(Known {
            mode,
            kinds,
            plan,
            result: result.clone(),
        });
        Ok(result)
    }

    /// What else the step depends on, as a number of the program's own: training and evaluation,
    /// with and without gradients are modes.
    pub fn set_mode(&mut self, mode: i32) {
        self.mode = mode;
    }
    pub fn n_plans(&self) -> usize {
        self.known.len()
    }
}

fn kind_of(x: &Tensor) -> Result<Kind> {
    Ok(Kind {
        shape: x.shape()?,
        strides: x.strides()?,
        dtype: x.dtype()?,
        device: x.device()?,
        requires_grad: x.requires_grad()?,
    })
}
