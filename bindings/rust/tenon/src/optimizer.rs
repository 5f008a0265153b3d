// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/optimizer.rs: optimizers of the registry.

use crate::call::Tensors;
use crate::context::{state, State};
use crate::error::Result;
use crate::layer::Layer;
use crate::objects::Owned;
use crate::ops;
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{none, Given, Number, OptionLists, Value};
use std::mem::size_of;
use std::os::raw::c_char;
use std::ptr::null_mut;

/// Parameters with hyper-parameters of their own.
pub struct Group {
    pub parameters: Vec<Tensor>,
    pub options: Vec<(&'static str, Value)>,
}

/// What an optimizer is over: the parameters of a layer, without frozen ones, tensors, or groups.
pub trait IntoGroups {
    fn into_groups(self) -> Result<Vec<Group>>;
}
impl IntoGroups for Vec<Group> {
    fn into_groups(self) -> Result<Vec<Group>> {
        Ok(self)
    }
}
impl IntoGroups for Vec<Tensor> {
    fn into_groups(self) -> Result<Vec<Group>> {
        Ok(vec![Group {
            parameters: self,
            options: Vec::new(),
        }])
    }
}
impl IntoGroups for &[Tensor] {
    fn into_groups(self) -> Result<Vec<Group>> {
        self.to_vec().into_groups()
    }
}
impl<const N: usize> IntoGroups for [&Tensor; N] {
    fn into_groups(self) -> Result<Vec<Group>> {
        self.map(Tensor::clone).to_vec().into_groups()
    }
}
impl IntoGroups for &Layer {
    fn into_groups(self) -> Result<Vec<Group>> {
        let mut trained = Vec::new();
        for each in self.parameters()? {
            if each.requires_grad()? {
                trained.push(each);
            }
        }
        trained.into_groups()
    }
}

/// Updates parameters by their gradients.
pub struct Optimizer(Owned<sys::tenon_optimizer>);

impl Optimizer {
    /// By the name in the registry. Those of the vendor `tenon` are functions of
    /// [`optim`](crate::optim).
    pub fn new(
        name: &str,
        parameters: impl IntoGroups,
        options: &[(&str, Value)],
    ) -> Result<Optimizer> {
        let groups = parameters.into_groups()?;
        let state = state()?;
        let common = OptionLists::of(options);
        let lists: Vec<_> = groups
            .iter()
            .map(|each| OptionLists::of(&each.options))
            .collect();
        let tensors: Vec<_> = groups
            .iter()
            .map(|each| Tensors::from(&each.parameters))
            .collect();
        let given: Vec<_> = lists.iter().zip(&tensors).map(group).collect();
        let listed: Vec<*const sys::tenon_optimizer_group> =
            given.iter().map(|each| each as *const _).collect();
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        let (names, values, n) = (common.names.as_ptr(), common.values.as_ptr(), common.len());
        let (first, n_groups, mut made) = (listed.as_ptr(), listed.len() as u32, null_mut());
        state.check(unsafe {
            let context = state.handle;
            sys::tenon_optimizer_create_groups(
                context, text, length, first, n_groups, names, values, n, &mut made,
            )
        })?;
        Ok(Optimizer(unsafe { Owned::adopt(made) }))
    }

    /// Updates every parameter that has a gradient; then drops the gradients.
    pub fn step(&self) -> Result<()> {
        self.run(sys::TENON_OPTIMIZER_CLEAR_GRAD)
    }
    /// The same, and the gradients stay.
    pub fn step_and_keep(&self) -> Result<()> {
        self.run(0)
    }
    fn run(&self, flags: u32) -> Result<()> {
        let state = state()?;
        state.check(unsafe { sys::tenon_optimizer_run(state.handle, self.0.get(), flags) })
    }

    /// A hyper-parameter, in all groups.
    pub fn set(&self, name: &str, number: impl Into<Number>) -> Result<()> {
        let value = number.into().given();
        self.named(name, |state, optimizer, name, length| unsafe {
            sys::tenon_optimizer_set(state.handle, optimizer, name, length, &value)
        })
    }
    /// One of all groups: refused with `STATE` if it is not the same in all of them.
    pub fn get(&self, name: &str) -> Result<f64> {
        let mut value = none();
        self.named(name, |state, optimizer, name, length| unsafe {
            sys::tenon_optimizer_get(state.handle, optimizer, name, length, &mut value)
        })?;
        Ok(Number::of(&value))
    }
    /// A hyper-parameter of one group.
    pub fn set_in(&self, group: usize, name: &str, number: impl Into<Number>) -> Result<()> {
        let (value, group) = (number.into().given(), group as u32);
        self.named(name, |state, optimizer, name, length| unsafe {
            sys::tenon_optimizer_set_group(state.handle, optimizer, group, name, length, &value)
        })
    }
    pub fn get_in(&self, group: usize, name: &str) -> Result<f64> {
        let (mut value, group) = (none(), group as u32);
        self.named(name, |state, optimizer, name, length| unsafe {
            sys::tenon_optimizer_get_group(state.handle, optimizer, group, name, length, &mut value)
        })?;
        Ok(Number::of(&value))
    }
    /// State `name` of parameter number `place`; none before its first step.
    pub fn state(&self, place: usize, name: &str) -> Result<Option<Tensor>> {
        let (mut found, place) = (null_mut(), place as u32);
        self.named(name, |state, optimizer, name, length| unsafe {
            sys::tenon_optimizer_get_state(state.handle, optimizer, place, name, length, &mut found)
        })?;
        Ok(unsafe { Tensor::share_any(found) })
    }
    pub fn set_state(&self, place: usize, name: &str, values: &Tensor) -> Result<()> {
        let (place, tensor) = (place as u32, values.handle());
        self.named(name, |state, optimizer, name, length| unsafe {
            sys::tenon_optimizer_set_state(state.handle, optimizer, place, name, length, tensor)
        })
    }
    pub fn handle(&self) -> *mut sys::tenon_optimizer {
        self.0.get()
    }

    fn named(
        &self,
        name: &str,
        run: impl FnOnce(&State, *mut sys::tenon_optimizer, *const c_char, u64) -> i32,
    ) -> Result<()> {
        let state = state()?;
        state.check(run(
            state,
            self.0.get(),
            name.as_ptr().cast(),
            name.len() as u64,
        ))
    }
}

fn group((lists, tensors): (&OptionLists, &Tensors)) -> sys::tenon_optimizer_group {
    sys::tenon_optimizer_group {
        struct_size: size_of::<sys::tenon_optimizer_group>() as u32,
        flags: 0,
        params: tensors.handles(),
        names: lists.names.as_ptr(),
        values: lists.values.as_ptr(),
        n_params: tensors.len() as u32,
        n_values: lists.len(),
    }
}

/// Shortens the gradients of `parameters`, in place, to a norm of `max_norm` over all of them at
/// most, between backward and step; gives the norm that they had. Those without one are left out.
pub fn clip_gradients(parameters: &[Tensor], max_norm: f64) -> Result<Tensor> {
    let mut gradients = Vec::new();
    for each in parameters {
        gradients.extend(each.grad()?);
    }
    ops::clip_grad_norm(&gradients, max_norm).call()
}
