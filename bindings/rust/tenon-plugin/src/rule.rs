// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/rule.rs: backward rules, written in ops.
use crate::guard::{check, guard, slot, Error, Result};
use crate::launch::Attrs;
use crate::raw::*;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_void};

/// An input or attribute of a call made from a rule. Tensors live until the rule returns.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Value<'a> {
    raw: tenon_value,
    lifetime: PhantomData<&'a ()>,
}

impl<'a> Value<'a> {
    fn new(tag: u32, count: u32, as_: tenon_value_as) -> Value<'a> {
        Value {
            raw: tenon_value { tag, count, as_ },
            lifetime: PhantomData,
        }
    }
    pub fn none() -> Value<'a> {
        Value::new(TENON_VALUE_NONE, 0, tenon_value_as { i64: 0 })
    }
    pub fn dtype(dtype: tenon_dtype) -> Value<'a> {
        Value::new(
            TENON_VALUE_DTYPE,
            0,
            tenon_value_as {
                dtype: dtype.into(),
            },
        )
    }
    pub fn raw(&self) -> &tenon_value {
        &self.raw
    }
    pub(crate) fn of(raw: tenon_value) -> Value<'a> {
        Value {
            raw,
            lifetime: PhantomData,
        }
    }
    pub(crate) fn tensor(tensor: *mut tenon_tensor) -> Value<'a> {
        Value::new(TENON_VALUE_TENSOR, 0, tenon_value_as { tensor })
    }
    /// Panics if it is a number or absent.
    pub(crate) fn as_tensor(&self) -> *mut tenon_tensor {
        assert_eq!(self.raw.tag, TENON_VALUE_TENSOR, "expected a tensor");
        unsafe { self.raw.as_.tensor }
    }
    /// As an attribute, to read a number or a list from it.
    pub fn as_attr(&self) -> Attrs<'_> {
        Attrs::new(&self.raw, 1)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value::new(TENON_VALUE_F64, 0, tenon_value_as { f64: number })
    }
}
impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::new(TENON_VALUE_I64, 0, tenon_value_as { i64: number })
    }
}
impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::new(TENON_VALUE_BOOL, 0, tenon_value_as { i64: flag.into() })
    }
}
impl<'a> From<&'a [i64]> for Value<'a> {
    fn from(ints: &'a [i64]) -> Self {
        Value::new(
            TENON_VALUE_INT_LIST,
            ints.len() as u32,
            tenon_value_as {
                ints: ints.as_ptr(),
            },
        )
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::new(
            TENON_VALUE_STRING,
            text.len() as u32,
            tenon_value_as {
                string: text.as_ptr().cast(),
            },
        )
    }
}

/// The first output of an op, in a callback that may call ops.
pub(crate) unsafe fn call_op<'a>(
    call: *mut tenon_call,
    op: &str,
    inputs: &[Value],
    attrs: &[Value],
) -> Result<Value<'a>> {
    let mut tensor: *mut tenon_tensor = std::ptr::null_mut();
    let host = &*(*call).dispatch;
    let name = op.as_ptr().cast::<c_char>();
    let found = slot(host.find)(call, name, op.len() as u64);
    if found.is_null() {
        return Err(Error::Host(TENON_E_NOT_FOUND));
    }
    check(slot(host.call)(
        call,
        found,
        inputs.as_ptr().cast(),
        inputs.len() as u32,
        attrs.as_ptr().cast(),
        attrs.len() as u32,
        &mut tensor,
        1,
    ))?;
    Ok(Value::tensor(tensor))
}

/// A backward rule: reads what `needs` declares, calls ops, sets the gradients of inputs.
pub trait Rule {
    fn vjp(vjp: &Vjp) -> Result;
}

/// What a backward rule sees. Reading a value that `needs` does not declare is an error.
pub struct Vjp<'a> {
    call: *mut tenon_call,
    lifetime: PhantomData<&'a ()>,
}

pub(crate) const NO_META: tenon_meta = tenon_meta {
    shape: [0; TENON_MAX_RANK as usize],
    rank: 0,
    dtype: TENON_DTYPE_NONE,
    device: tenon_device { kind: 0, index: 0 },
};

type Getter = unsafe extern "C" fn(*mut tenon_call, u32, *mut tenon_value) -> tenon_status;

impl<'a> Vjp<'a> {
    fn get(&self, getter: Option<Getter>, index: u32) -> Result<Value<'a>> {
        let mut value = Value::none();
        check(unsafe { slot(getter)(self.call, index, &mut value.raw) })?;
        Ok(value)
    }
    fn host(&self) -> &tenon_host_vjp {
        unsafe { &*(*self.call).vjp }
    }
    /// Does this input require a gradient?
    pub fn wants(&self, input: u32) -> bool {
        unsafe { slot(self.host().wants)(self.call, input) != 0 }
    }
    pub fn input(&self, index: u32) -> Result<Value<'a>> {
        self.get(self.host().get_input, index)
    }
    pub fn output(&self, index: u32) -> Result<Value<'a>> {
        self.get(self.host().get_output, index)
    }
    /// Shape and dtype of an input that is not a list, if `needs` declares its metadata.
    pub fn input_meta(&self, index: u32) -> Result<tenon_meta> {
        let mut meta = NO_META;
        let get = slot(self.host().get_input_meta);
        check(unsafe { get(self.call, index, 0, &mut meta) })?;
        Ok(meta)
    }
    /// The same of an output.
    pub fn output_meta(&self, index: u32) -> Result<tenon_meta> {
        let mut meta = NO_META;
        let get = slot(self.host().get_output_meta);
        check(unsafe { get(self.call, index, &mut meta) })?;
        Ok(meta)
    }
    /// The gradient of an output.
    pub fn dy(&self, index: u32) -> Result<Value<'a>> {
        self.get(self.host().get_output_grad, index)
    }
    pub fn attr(&self, index: u32) -> Result<Value<'a>> {
        self.get(self.host().get_attr, index)
    }
    /// The first output of an op.
    pub fn call(&self, op: &str, inputs: &[Value], attrs: &[Value]) -> Result<Value<'a>> {
        unsafe { call_op(self.call, op, inputs, attrs) }
    }
    /// Sets the gradient of an input; broadcasting is undone by the engine.
    pub fn grad(&self, input: u32, gradient: Value) -> Result {
        let set = slot(self.host().set_input_grad);
        check(unsafe { set(self.call, input, 0, gradient.as_tensor()) })
    }
}

unsafe extern "C" fn run_vjp<R: Rule>(call: *mut tenon_call, _user: *mut c_void) -> tenon_status {
    guard(call, || {
        R::vjp(&Vjp {
            call,
            lifetime: PhantomData,
        })
    })
}

pub const fn vjp_fn<R: Rule>() -> tenon_vjp_fn {
    Some(run_vjp::<R>)
}
