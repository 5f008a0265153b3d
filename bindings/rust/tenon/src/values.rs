// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/values.rs: what calls are given beside tensors: dtypes, devices, lists of
// integers, numbers, and values of named options.

use crate::context::state;
use crate::error::{Error, Result};
use crate::objects::string_of;
use crate::status::Status;
use crate::sys;
use std::fmt;
use std::ops::Deref;

// ---- Dtypes -------------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dtype(pub sys::tenon_dtype);

impl Dtype {
    pub const BOOL: Dtype = Dtype(sys::TENON_DTYPE_BOOL);
    pub const U8: Dtype = Dtype(sys::TENON_DTYPE_U8);
    pub const I8: Dtype = Dtype(sys::TENON_DTYPE_I8);
    pub const I16: Dtype = Dtype(sys::TENON_DTYPE_I16);
    pub const I32: Dtype = Dtype(sys::TENON_DTYPE_I32);
    pub const I64: Dtype = Dtype(sys::TENON_DTYPE_I64);
    pub const F16: Dtype = Dtype(sys::TENON_DTYPE_F16);
    pub const BF16: Dtype = Dtype(sys::TENON_DTYPE_BF16);
    pub const F32: Dtype = Dtype(sys::TENON_DTYPE_F32);
    pub const F64: Dtype = Dtype(sys::TENON_DTYPE_F64);

    /// What it can hold.
    pub fn info(self) -> Result<sys::tenon_dtype_info> {
        let state = state()?;
        let mut info: sys::tenon_dtype_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::tenon_dtype_info>() as u32;
        state.check(unsafe { sys::tenon_dtype_get_info(state.handle, self.0, &mut info) })?;
        Ok(info)
    }
}

/// "f32"
impl fmt::Display for Dtype {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => to.write_str(&unsafe { string_of(info.name) }),
            Err(_) => write!(to, "dtype({:#x})", self.0),
        }
    }
}
impl fmt::Debug for Dtype {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A type whose values lie in memory as elements of a dtype do. None for the floats of 16 bits:
/// `x.astype(Dtype::F32)` first.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    const DTYPE: Dtype;
    /// A value of these bytes, whatever they are.
    #[doc(hidden)]
    unsafe fn read(from: *const Self) -> Self {
        std::ptr::read(from)
    }
}
/// An element of which any bytes are a value: not bool.
pub trait Plain: Element {}
macro_rules! elements {
    ($($kind:ty: $dtype:ident,)*) => {
        $(impl sealed::Sealed for $kind {}
        impl Element for $kind { const DTYPE: Dtype = Dtype::$dtype; }
        impl Plain for $kind {})*
    };
}
elements! { u8: U8, i8: I8, i16: I16, i32: I32, i64: I64, f32: F32, f64: F64, }
impl sealed::Sealed for bool {}
impl Element for bool {
    const DTYPE: Dtype = Dtype::BOOL;
    unsafe fn read(from: *const bool) -> bool {
        *from.cast::<u8>() != 0
    }
}

// ---- Lists of integers --------------------------------------------------------------------------

const FEW: usize = sys::TENON_MAX_RANK as usize;

/// A shape, axes, sizes: up to eight without memory of its own. One number is a list of it.
///
/// ```
/// let list: tenon::Ints = [2, 3].into();
/// assert_eq!((list.len(), list[1]), (2, 3));
/// assert_eq!(list, [2, 3]);
/// ```
#[derive(Clone, Default)]
pub struct Ints {
    few: [i64; FEW],
    length: usize,
    many: Vec<i64>,
}

impl Deref for Ints {
    type Target = [i64];
    #[inline]
    fn deref(&self) -> &[i64] {
        if self.length > FEW {
            &self.many
        } else {
            &self.few[..self.length]
        }
    }
}
impl FromIterator<i64> for Ints {
    fn from_iter<T: IntoIterator<Item = i64>>(list: T) -> Ints {
        let mut made = Ints::default();
        for each in list {
            if made.length < FEW {
                made.few[made.length] = each;
            } else {
                if made.length == FEW {
                    made.many.extend_from_slice(&made.few);
                }
                made.many.push(each);
            }
            made.length += 1;
        }
        made
    }
}
macro_rules! ints_from {
    ($($kind:ty)*) => { $(
        impl From<$kind> for Ints {
            fn from(one: $kind) -> Ints { [one].into() }
        }
        impl<const N: usize> From<[$kind; N]> for Ints {
            fn from(list: [$kind; N]) -> Ints { list.iter().map(|&each| each as i64).collect() }
        }
        impl<const N: usize> From<&[$kind; N]> for Ints {
            fn from(list: &[$kind; N]) -> Ints { list.as_slice().into() }
        }
        impl From<&[$kind]> for Ints {
            fn from(list: &[$kind]) -> Ints { list.iter().map(|&each| each as i64).collect() }
        }
        impl From<Vec<$kind>> for Ints {
            fn from(list: Vec<$kind>) -> Ints { list.as_slice().into() }
        }
        impl<const N: usize> PartialEq<[$kind; N]> for Ints {
            fn eq(&self, other: &[$kind; N]) -> bool {
                self.len() == N && self.iter().zip(other).all(|(&a, &b)| a == b as i64)
            }
        }
    )* };
}
ints_from! { i32 i64 usize }
impl From<&Ints> for Ints {
    fn from(list: &Ints) -> Ints {
        list.clone()
    }
}
impl PartialEq for Ints {
    fn eq(&self, other: &Ints) -> bool {
        **self == **other
    }
}
impl Eq for Ints {}
/// `[2,3]`
impl fmt::Display for Ints {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.iter().map(i64::to_string).collect();
        write!(to, "[{}]", list.join(","))
    }
}
impl fmt::Debug for Ints {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

// ---- Values of the C API ------------------------------------------------------------------------

pub(crate) fn none() -> sys::tenon_value {
    let as_ = sys::tenon_value_as { i64: 0 };
    sys::tenon_value {
        tag: sys::TENON_VALUE_NONE,
        count: 0,
        as_,
    }
}

/// What is given to the C API, borrowed from `self`.
pub(crate) trait Given {
    fn given(&self) -> sys::tenon_value;
}
impl Given for i64 {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as { i64: *self };
        sys::tenon_value {
            tag: sys::TENON_VALUE_I64,
            count: 0,
            as_,
        }
    }
}
impl Given for f64 {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as { f64: *self };
        sys::tenon_value {
            tag: sys::TENON_VALUE_F64,
            count: 0,
            as_,
        }
    }
}
impl Given for bool {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as {
            i64: (*self).into(),
        };
        sys::tenon_value {
            tag: sys::TENON_VALUE_BOOL,
            count: 0,
            as_,
        }
    }
}
impl Given for str {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as {
            string: self.as_ptr().cast(),
        };
        sys::tenon_value {
            tag: sys::TENON_VALUE_STRING,
            count: self.len() as u32,
            as_,
        }
    }
}
impl Given for &str {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        (**self).given()
    }
}
impl Given for Ints {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as {
            ints: self.as_ptr(),
        };
        sys::tenon_value {
            tag: sys::TENON_VALUE_INT_LIST,
            count: self.len() as u32,
            as_,
        }
    }
}
impl Given for Dtype {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        let as_ = sys::tenon_value_as {
            dtype: self.0.into(),
        };
        sys::tenon_value {
            tag: sys::TENON_VALUE_DTYPE,
            count: 0,
            as_,
        }
    }
}
impl<T: Given> Given for Option<T> {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        self.as_ref().map_or_else(none, T::given)
    }
}

/// A number that keeps its kind: integer, float or truth.
#[derive(Clone, Copy)]
pub struct Number(sys::tenon_value);

impl Given for Number {
    #[inline]
    fn given(&self) -> sys::tenon_value {
        self.0
    }
}
macro_rules! numbers {
    ($($kind:ty as $wide:ty,)*) => { $(
        impl From<$kind> for Number {
            #[inline]
            fn from(number: $kind) -> Number { Number(<$wide>::from(number).given()) }
        }
    )* };
}
numbers! { i8 as i64, i16 as i64, i32 as i64, i64 as i64, u8 as i64, u32 as i64, }
numbers! { f32 as f64, f64 as f64, bool as bool, }

impl Number {
    pub(crate) fn of(value: &sys::tenon_value) -> f64 {
        match value.tag {
            sys::TENON_VALUE_F64 => unsafe { value.as_.f64 },
            _ => unsafe { value.as_.i64 as f64 },
        }
    }
}

// ---- Named options ------------------------------------------------------------------------------

/// What an option is set to: `("size", 3.into())`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Ints(Ints),
    Floats(Vec<f64>),
    Dtype(Dtype),
}

impl Given for Value {
    fn given(&self) -> sys::tenon_value {
        match self {
            Value::Int(number) => number.given(),
            Value::Float(number) => number.given(),
            Value::Bool(truth) => truth.given(),
            Value::Text(text) => text.as_str().given(),
            Value::Ints(list) => list.given(),
            Value::Dtype(dtype) => dtype.given(),
            Value::Floats(list) => {
                let as_ = sys::tenon_value_as {
                    floats: list.as_ptr(),
                };
                sys::tenon_value {
                    tag: sys::TENON_VALUE_FLOAT_LIST,
                    count: list.len() as u32,
                    as_,
                }
            }
        }
    }
}
macro_rules! values {
    ($($kind:ty => $form:expr,)*) => { $(
        impl From<$kind> for Value {
            fn from(given: $kind) -> Value { $form(given.into()) }
        }
    )* };
}
values! {
    i32 => Value::Int, i64 => Value::Int, u32 => Value::Int, f32 => Value::Float,
    f64 => Value::Float, bool => Value::Bool, &str => Value::Text, String => Value::Text,
    &String => |text: &String| Value::Text(text.clone()), Ints => Value::Ints,
    Vec<i64> => Value::Ints, Vec<f64> => Value::Floats, Dtype => Value::Dtype,
}
impl<const N: usize> From<[i64; N]> for Value {
    fn from(list: [i64; N]) -> Value {
        Value::Ints(list.into())
    }
}
impl<const N: usize> From<[i32; N]> for Value {
    fn from(list: [i32; N]) -> Value {
        Value::Ints(list.into())
    }
}
impl<const N: usize> From<[f64; N]> for Value {
    fn from(list: [f64; N]) -> Value {
        Value::Floats(list.into())
    }
}

/// Named values as the C API takes them; borrowed from the list they are made of.
pub(crate) struct OptionLists {
    pub names: Vec<sys::tenon_string>,
    pub values: Vec<sys::tenon_value>,
}

impl OptionLists {
    pub(crate) fn of(options: &[(&str, Value)]) -> OptionLists {
        let each = |(name, value): &(&str, Value)| (crate::runtime::string(name), value.given());
        let (names, values) = options.iter().map(each).unzip();
        OptionLists { names, values }
    }
    pub(crate) fn len(&self) -> u32 {
        self.names.len() as u32
    }
}

// ---- Devices ------------------------------------------------------------------------------------

/// A device of the thread's runtime, by a name that is known when the program runs: "cpu", "cuda",
/// "cuda:1".
#[derive(Clone, Copy)]
pub struct Device(pub(crate) sys::tenon_device);

impl Device {
    pub fn new(name: &str) -> Result<Device> {
        let (kind, index) = match name.split_once(':') {
            None => (name, 0),
            Some((kind, digits)) => match digits.parse::<i32>() {
                Ok(index) if index >= 0 && !digits.starts_with('+') => (kind, index),
                _ => {
                    return Err(Error::refuse(
                        Status::ARGUMENT,
                        ("Device", "name"),
                        "a number after the colon",
                        name,
                        "\"cuda:1\"",
                    ))
                }
            },
        };
        let state = state()?;
        let mut found = sys::tenon_device { kind: 0, index: 0 };
        let (text, length) = (kind.as_ptr().cast(), kind.len() as u64);
        state.check(unsafe {
            sys::tenon_device_find(state.handle, text, length, index, &mut found)
        })?;
        Ok(Device(found))
    }
    pub fn handle(&self) -> sys::tenon_device {
        self.0
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.0.kind == other.0.kind && self.0.index == other.0.index
    }
}
impl Eq for Device {}
impl fmt::Debug for Device {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Device({}:{})", self.0.kind, self.0.index)
    }
}

/// The device of tensors that are made without one.
pub fn set_device(device: &Device) -> Result<()> {
    let state = state()?;
    state.check(unsafe { sys::tenon_context_set_device(state.handle, &device.0) })
}

/// Waits for all work of a device.
pub fn wait(device: &Device) -> Result<()> {
    let state = state()?;
    state.check(unsafe { sys::tenon_device_wait(state.handle, &device.0) })
}
