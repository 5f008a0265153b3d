// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/layer.rs: layers of the registry: parameters, buffers and a forward pass.

use crate::call::Operand;
use crate::context::{state, State};
use crate::error::Result;
use crate::make::Make;
use crate::objects::{string_of, Owned};
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{Device, Given, OptionLists, Value};
use std::ptr::null_mut;
use std::rc::Rc;

pub struct NamedTensor {
    pub name: String,
    pub tensor: Tensor,
    /// else a buffer
    pub is_parameter: bool,
}

mod sealed {
    pub trait Sealed {}
}
impl sealed::Sealed for &Tensor {}
impl<O, const N: usize> sealed::Sealed for [O; N] {}

/// What a layer takes: `&x`, `[&x, &y]`, `[Operand::from(&x), Operand::none()]`.
pub trait IntoInputs: sealed::Sealed {
    /// Calls `run` with them.
    #[doc(hidden)]
    fn with<T>(self, run: impl FnOnce(&[sys::tenon_value]) -> T) -> T;
}
impl IntoInputs for &Tensor {
    fn with<T>(self, run: impl FnOnce(&[sys::tenon_value]) -> T) -> T {
        run(&[self.given()])
    }
}
impl<'a, O: Into<Operand<'a>>, const N: usize> IntoInputs for [O; N] {
    fn with<T>(self, run: impl FnOnce(&[sys::tenon_value]) -> T) -> T {
        run(&self.map(|each| each.into().given()))
    }
}

impl Make<Layer> for Layer {
    fn make(self) -> Result<Layer> {
        Ok(self)
    }
}

/// A layer. A clone is another owner of the same layer. It stays in its thread:
///
/// ```compile_fail,E0277
/// let layer = tenon::nn::linear(2, 2).build().unwrap();
/// std::thread::spawn(move || layer.eval());
/// ```
#[derive(Clone)]
pub struct Layer {
    owned: Rc<Owned<sys::tenon_layer>>,
    n_outputs: usize,
}

impl Layer {
    /// By the name in the registry. Its parameters are drawn from the context's random numbers. A
    /// new layer is in training. Those of the vendor `tenon` are functions of [`nn`](crate::nn).
    ///
    /// ```
    /// # fn main() -> tenon::Result<()> {
    /// let options = [("inputs", 4.into()), ("outputs", 3.into())];
    /// let layer = tenon::Layer::new("tenon.linear", &options)?;
    /// assert_eq!(layer.forward(&tenon::ones([2, 4])?)?.shape()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(name: &str, options: &[(&str, Value)]) -> Result<Layer> {
        Layer::on(name, options, None)
    }
    /// With its parameters on a device.
    pub fn on(name: &str, options: &[(&str, Value)], device: Option<&Device>) -> Result<Layer> {
        let state = state()?;
        let lists = OptionLists::of(options);
        let device = device.map_or(std::ptr::null(), |device| &device.0);
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        let (names, values, n) = (lists.names.as_ptr(), lists.values.as_ptr(), lists.len());
        let mut made = null_mut();
        let mut info: sys::tenon_entry_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::tenon_entry_info>() as u32;
        unsafe {
            let context = state.handle;
            state.check(sys::tenon_layer_create(
                context, text, length, device, names, values, n, &mut made,
            ))?;
            let owned = Rc::new(Owned::adopt(made));
            let (kind, kind_length) = ("layer".as_ptr().cast(), 5);
            state.check(sys::tenon_entry_get_info(
                context,
                kind,
                kind_length,
                text,
                length,
                &mut info,
            ))?;
            Ok(Layer {
                owned,
                n_outputs: info.n_outputs as usize,
            })
        }
    }

    /// Of a layer with one output.
    pub fn forward(&self, inputs: impl IntoInputs) -> Result<Tensor> {
        let mut made = [null_mut()];
        self.run(inputs, &mut made)?;
        Ok(unsafe { Tensor::adopt(made[0]) })
    }
    /// All outputs, of any layer.
    pub fn forward_all(&self, inputs: impl IntoInputs) -> Result<Vec<Tensor>> {
        let mut made = vec![null_mut(); self.n_outputs];
        self.run(inputs, &mut made)?;
        Ok(made
            .into_iter()
            .map(|each| unsafe { Tensor::adopt(each) })
            .collect())
    }
    fn run(&self, inputs: impl IntoInputs, out: &mut [*mut sys::tenon_tensor]) -> Result<()> {
        let state = state()?;
        let (layer, n) = (self.handle(), out.len() as u32);
        inputs.with(|values| {
            let (given, n_given) = (values.as_ptr(), values.len() as u32);
            let made = out.as_mut_ptr();
            state.check(unsafe {
                sys::tenon_layer_call(state.handle, layer, given, n_given, made, n)
            })
        })
    }

    /// Adds a layer to a container, which shares it: "0", "1", ...
    pub fn append(&self, child: &Layer) -> Result<()> {
        self.append_as("", child)
    }
    pub fn append_as(&self, name: &str, child: &Layer) -> Result<()> {
        self.named(name, |state, layer, name, length| unsafe {
            sys::tenon_layer_set_child(state.handle, layer, name, length, child.handle())
        })
    }
    /// Training, or evaluation.
    pub fn train(&self, training: bool) -> Result<()> {
        let (state, layer) = (state()?, self.handle());
        state.check(unsafe { sys::tenon_layer_set_training(state.handle, layer, training.into()) })
    }
    pub fn eval(&self) -> Result<()> {
        self.train(false)
    }
    pub fn to(&self, device: &Device) -> Result<()> {
        let (state, layer) = (state()?, self.handle());
        state.check(unsafe { sys::tenon_layer_set_device(state.handle, layer, &device.0) })
    }

    /// Parameters and buffers of the layer and all that are in it, in order: "0.weight".
    pub fn state_dict(&self) -> Result<Vec<NamedTensor>> {
        let (state, layer) = (state()?, self.handle());
        let mut found = Vec::new();
        loop {
            let (mut name, mut flags, mut tensor) = (std::ptr::null(), 0, null_mut());
            let index = found.len() as u32;
            let (to, bits, handle) = (&mut name, &mut flags, &mut tensor);
            let status = unsafe {
                sys::tenon_layer_get_tensor(state.handle, layer, index, to, bits, handle)
            };
            if status == sys::TENON_E_NOT_FOUND {
                return Ok(found);
            }
            state.check(status)?;
            let is_parameter = flags & (sys::TENON_LAYER_BUFFER | sys::TENON_LAYER_CACHE) == 0;
            let (name, tensor) = unsafe { (string_of(name), Tensor::share(tensor)) };
            found.push(NamedTensor {
                name,
                tensor,
                is_parameter,
            });
        }
    }
    pub fn parameters(&self) -> Result<Vec<Tensor>> {
        let all = self.state_dict()?.into_iter();
        Ok(all
            .filter(|each| each.is_parameter)
            .map(|each| each.tensor)
            .collect())
    }
    /// Copies values into the tensors of these names. If one does not fit, nothing is copied.
    pub fn load_state_dict(&self, values: &[NamedTensor]) -> Result<()> {
        for each in values {
            let (here, given) = (self.get(&each.name)?, &each.tensor);
            if here.shape()? != given.shape()? || here.dtype()? != given.dtype()? {
                return self.set(&each.name, given); // fails, in the library's words
            }
        }
        values
            .iter()
            .try_for_each(|each| self.set(&each.name, &each.tensor))
    }
    pub fn get(&self, name: &str) -> Result<Tensor> {
        let mut found = null_mut();
        self.named(name, |state, layer, name, length| unsafe {
            sys::tenon_layer_find_tensor(state.handle, layer, name, length, &mut found)
        })?;
        Ok(unsafe { Tensor::share(found) })
    }
    pub fn set(&self, name: &str, values: &Tensor) -> Result<()> {
        self.named(name, |state, layer, name, length| unsafe {
            sys::tenon_layer_set_tensor(state.handle, layer, name, length, values.handle())
        })
    }
    /// Puts `tensor` itself there: tied weights.
    pub fn share(&self, name: &str, tensor: &Tensor) -> Result<()> {
        self.named(name, |state, layer, name, length| unsafe {
            sys::tenon_layer_share_tensor(state.handle, layer, name, length, tensor.handle())
        })
    }
    pub fn save(&self, path: &str) -> Result<()> {
        self.named(path, |state, layer, path, length| unsafe {
            sys::tenon_layer_save(state.handle, layer, path, length)
        })
    }
    pub fn load(&self, path: &str) -> Result<()> {
        self.named(path, |state, layer, path, length| unsafe {
            sys::tenon_layer_load(state.handle, layer, path, length)
        })
    }
    /// What it has seen of sequences is kept, for `batch` of at most `positions` positions.
    pub fn set_cache(&self, batch: i64, positions: i64) -> Result<()> {
        let (state, layer) = (state()?, self.handle());
        state.check(unsafe { sys::tenon_layer_set_cache(state.handle, layer, batch, positions) })
    }
    pub fn crop_cache(&self, count: i64) -> Result<()> {
        let (state, layer) = (state()?, self.handle());
        state.check(unsafe { sys::tenon_layer_crop_cache(state.handle, layer, count) })
    }

    pub fn n_outputs(&self) -> usize {
        self.n_outputs
    }
    pub fn handle(&self) -> *mut sys::tenon_layer {
        self.owned.get()
    }

    fn named(
        &self,
        name: &str,
        run: impl FnOnce(&State, *mut sys::tenon_layer, *const std::os::raw::c_char, u64) -> i32,
    ) -> Result<()> {
        let state = state()?;
        state.check(run(
            state,
            self.handle(),
            name.as_ptr().cast(),
            name.len() as u64,
        ))
    }
}
