// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/call.rs: what ops take, and calling them, by their place or by name.

use crate::context::{state, OpName};
use crate::error::Result;
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{none, Given, Number, Value};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ptr::null_mut;

// ---- Operands -----------------------------------------------------------------------------------

/// What an op takes: a tensor, a number, several tensors, or nothing. Borrowed:
///
/// ```compile_fail,E0505
/// let x = tenon::ones([2]).unwrap();
/// let call = tenon::softmax(&x);
/// drop(x);
/// call.call().unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Operand<'a>(sys::tenon_value, PhantomData<&'a Tensor>);

impl Operand<'_> {
    /// An operand that is absent.
    pub fn none() -> Self {
        Operand(none(), PhantomData)
    }
    /// The tensor that it is, if it is one.
    pub(crate) fn tensor(&self) -> Option<Tensor> {
        let is = self.0.tag == sys::TENON_VALUE_TENSOR;
        is.then(|| unsafe { Tensor::share(self.0.as_.tensor) })
    }
}
impl Given for Operand<'_> {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        self.0
    }
}
impl Given for Tensor {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as {
            tensor: self.handle(),
        };
        sys::tenon_value {
            tag: sys::TENON_VALUE_TENSOR,
            count: 0,
            as_,
        }
    }
}
impl Given for &Tensor {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        (**self).given()
    }
}
impl<'a> From<&'a Tensor> for Operand<'a> {
    #[inline]
    fn from(tensor: &'a Tensor) -> Self {
        Operand(tensor.given(), PhantomData)
    }
}
impl<'a> From<Option<&'a Tensor>> for Operand<'a> {
    fn from(tensor: Option<&'a Tensor>) -> Self {
        tensor.map_or_else(Operand::none, Operand::from)
    }
}
impl<'a> From<&'a Tensors<'_>> for Operand<'a> {
    fn from(tensors: &'a Tensors<'_>) -> Self {
        Operand(tensors.given(), PhantomData)
    }
}
macro_rules! numbers {
    ($($kind:ty)*) => { $(
        impl From<$kind> for Operand<'_> {
            #[inline]
            fn from(number: $kind) -> Self { Operand(Number::from(number).given(), PhantomData) }
        }
    )* };
}
numbers! { i32 i64 f32 f64 bool }

/// Several tensors, borrowed: `[&a, &b]`, a slice or a vector of tensors, one tensor.
///
/// ```compile_fail,E0505
/// let list = vec![tenon::ones([2]).unwrap()];
/// let borrowed = tenon::Tensors::from(&list);
/// drop(list);
/// tenon::stack(borrowed).call().unwrap();
/// ```
pub struct Tensors<'a>(Cow<'a, [*mut sys::tenon_tensor]>);

impl Tensors<'_> {
    pub(crate) fn handles(&self) -> *const *mut sys::tenon_tensor {
        self.0.as_ptr()
    }
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
impl Given for Tensors<'_> {
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as {
            tensors: self.handles(),
        };
        sys::tenon_value {
            tag: sys::TENON_VALUE_TENSOR_LIST,
            count: self.len() as u32,
            as_,
        }
    }
}
impl<'a> From<&'a [Tensor]> for Tensors<'a> {
    fn from(list: &'a [Tensor]) -> Self {
        // A tensor is a handle: its representation is transparent.
        let handles = unsafe { std::slice::from_raw_parts(list.as_ptr().cast(), list.len()) };
        Tensors(Cow::Borrowed(handles))
    }
}
impl<'a> From<&'a Vec<Tensor>> for Tensors<'a> {
    fn from(list: &'a Vec<Tensor>) -> Self {
        list.as_slice().into()
    }
}
impl<'a, const N: usize> From<&'a [Tensor; N]> for Tensors<'a> {
    fn from(list: &'a [Tensor; N]) -> Self {
        list.as_slice().into()
    }
}
impl<'a> From<&'a Tensor> for Tensors<'a> {
    fn from(one: &'a Tensor) -> Self {
        std::slice::from_ref(one).into()
    }
}
impl<'a, const N: usize> From<[&'a Tensor; N]> for Tensors<'a> {
    fn from(list: [&'a Tensor; N]) -> Self {
        Tensors(Cow::Owned(list.iter().map(|each| each.handle()).collect()))
    }
}
impl<'a> From<Vec<&'a Tensor>> for Tensors<'a> {
    fn from(list: Vec<&'a Tensor>) -> Self {
        list.as_slice().into()
    }
}
impl<'a> From<&[&'a Tensor]> for Tensors<'a> {
    fn from(list: &[&'a Tensor]) -> Self {
        Tensors(Cow::Owned(list.iter().map(|each| each.handle()).collect()))
    }
}

// ---- Calls --------------------------------------------------------------------------------------

type Values<'a> = &'a [sys::tenon_value];

/// An op of `ops.rs` with one output.
#[inline]
pub(crate) fn call_one(which: OpName, inputs: Values, attributes: Values) -> Result<Tensor> {
    let state = state()?;
    let op = state.find(which)?;
    let mut made = null_mut();
    state.check(unsafe { call_raw(state.handle, op, inputs, attributes, &mut made, 1) })?;
    Ok(unsafe { Tensor::adopt(made) })
}

/// The same, written into a tensor.
#[inline]
pub(crate) fn call_into(
    which: OpName,
    inputs: Values,
    attributes: Values,
    out: &Tensor,
) -> Result<()> {
    let state = state()?;
    let op = state.find(which)?;
    let (given, n) = (inputs.as_ptr(), inputs.len() as u32);
    let (attrs, n_attrs) = (attributes.as_ptr(), attributes.len() as u32);
    let target = out.handle();
    state.check(unsafe {
        sys::tenon_op_call_into(state.handle, op, given, n, attrs, n_attrs, &target, 1)
    })
}

/// One with several outputs, or with none.
pub(crate) fn call_all<const N: usize>(
    which: OpName,
    inputs: Values,
    attributes: Values,
) -> Result<[Tensor; N]> {
    let state = state()?;
    let op = state.find(which)?;
    let mut made = [null_mut(); N];
    let out = made.as_mut_ptr();
    state.check(unsafe { call_raw(state.handle, op, inputs, attributes, out, N as u32) })?;
    Ok(made.map(|each| unsafe { Tensor::adopt(each) }))
}

#[inline]
unsafe fn call_raw(
    context: *mut sys::tenon_context,
    op: *const sys::tenon_op,
    inputs: Values,
    attributes: Values,
    out: *mut *mut sys::tenon_tensor,
    n: u32,
) -> sys::tenon_status {
    let (n_inputs, n_attributes) = (inputs.len() as u32, attributes.len() as u32);
    let (inputs, attributes) = (inputs.as_ptr(), attributes.as_ptr());
    sys::tenon_op_call(
        context,
        op,
        inputs,
        n_inputs,
        attributes,
        n_attributes,
        out,
        n,
    )
}

/// An op of any plugin, by its name; of the runtime that the thread's context is of.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let relu = tenon::Op::find("tenon.leaky_relu")?;
/// let x = tenon::tensor([1.0, -2.0])?;
/// let y = relu.call(&[(&x).into()], &[("negative_slope", 0.5.into())])?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, -1.0]);
/// # Ok(())
/// # }
/// ```
pub struct Op {
    name: String,
    revision: u32,
}

impl Op {
    /// The newest of this name.
    pub fn find(name: &str) -> Result<Op> {
        Op::find_revision(name, 0)
    }
    pub fn find_revision(name: &str, revision: u32) -> Result<Op> {
        let op = Op {
            name: name.into(),
            revision,
        };
        op.handle()?;
        Ok(op)
    }
    /// A handle lives as long as its runtime, and a thread's runtime may be another one next time.
    fn handle(&self) -> Result<*const sys::tenon_op> {
        let state = state()?;
        let (name, length) = (self.name.as_ptr().cast(), self.name.len() as u64);
        let mut found = std::ptr::null();
        state.check(unsafe {
            sys::tenon_op_find(state.handle, name, length, self.revision, &mut found)
        })?;
        Ok(found)
    }

    /// Its first output.
    pub fn call(&self, inputs: &[Operand], attributes: &[(&str, Value)]) -> Result<Tensor> {
        Ok(self.all(inputs, attributes, 1)?.remove(0))
    }
    /// Its first `n` outputs.
    pub fn all(
        &self,
        inputs: &[Operand],
        attributes: &[(&str, Value)],
        n: usize,
    ) -> Result<Vec<Tensor>> {
        let (state, op) = (state()?, self.handle()?);
        let mut values = Vec::new();
        for (name, value) in attributes {
            let (text, length) = (name.as_ptr().cast(), name.len() as u64);
            let mut place = 0;
            state.check(unsafe {
                sys::tenon_op_find_attribute(state.handle, op, text, length, &mut place)
            })?;
            let place = place as usize;
            values.resize(values.len().max(place + 1), none());
            values[place] = value.given();
        }
        let inputs: Vec<_> = inputs.iter().map(Given::given).collect();
        let mut made = vec![null_mut(); n];
        let out = made.as_mut_ptr();
        state.check(unsafe { call_raw(state.handle, op, &inputs, &values, out, n as u32) })?;
        Ok(made
            .into_iter()
            .filter_map(|each| unsafe { Tensor::adopt_any(each) })
            .collect())
    }
}

/// The first output of an op of any plugin, by its name.
pub fn call(op: &str, inputs: &[Operand], attributes: &[(&str, Value)]) -> Result<Tensor> {
    Op::find(op)?.call(inputs, attributes)
}
