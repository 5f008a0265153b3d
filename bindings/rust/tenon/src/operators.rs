// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/operators.rs: operators of tensors, which are ops, and making tensors by
// the names that Python has.
//
// An operator gives a `Result`: `(&a + &b)?`, `((&a * 2.0)? + &b)?`; the right side may be one,
// too.

use crate::call::Operand;
use crate::error::{Error, Result};
use crate::ops;
use crate::status::Status;
use crate::tensor::Tensor;
use crate::values::{Dtype, Element, Ints, Number};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub};

// ---- Operators ----------------------------------------------------------------------------------

macro_rules! operators {
    ($($operator:ident $method:ident $op:ident,)*) => { $(
        impl<'a, B: Into<Operand<'a>>> $operator<B> for &'a Tensor {
            type Output = Result<Tensor>;
            #[inline]
            fn $method(self, other: B) -> Result<Tensor> { ops::$op(self, other) }
        }
        impl<'a, B: Into<Operand<'a>>> $operator<B> for Tensor {
            type Output = Result<Tensor>;
            #[inline]
            fn $method(self, other: B) -> Result<Tensor> {
                let other: Operand = other.into();
                ops::$op(&self, other)
            }
        }
        impl $operator<Result<Tensor>> for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: Result<Tensor>) -> Result<Tensor> { ops::$op(self, &other?) }
        }
        impl $operator<Result<Tensor>> for Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: Result<Tensor>) -> Result<Tensor> { ops::$op(&self, &other?) }
        }
        impl $operator<Tensor> for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: Tensor) -> Result<Tensor> { ops::$op(self, &other) }
        }
        impl $operator<Tensor> for Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: Tensor) -> Result<Tensor> { ops::$op(&self, &other) }
        }
        number_operators! { $operator $method $op: i32 i64 f32 f64 bool }
    )* };
}
macro_rules! number_operators {
    ($operator:ident $method:ident $op:ident: $($number:ty)*) => { $(
        impl $operator<&Tensor> for $number {
            type Output = Result<Tensor>;
            fn $method(self, other: &Tensor) -> Result<Tensor> { ops::$op(self, other) }
        }
        impl $operator<Tensor> for $number {
            type Output = Result<Tensor>;
            fn $method(self, other: Tensor) -> Result<Tensor> { ops::$op(self, &other) }
        }
    )* };
}
operators! {
    Add add add,
    Sub sub sub,
    Mul mul mul,
    Div div div,
    Rem rem remainder,
    BitAnd bitand bitwise_and,
    BitOr bitor bitwise_or,
    BitXor bitxor bitwise_xor,
}

impl Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        ops::neg(self)
    }
}
impl Not for &Tensor {
    type Output = Result<Tensor>;
    fn not(self) -> Result<Tensor> {
        ops::bitwise_not(self)
    }
}

/// Comparisons go element by element; and ops that write into the tensor.
macro_rules! methods {
    ($($(#[$doc:meta])* $method:ident $op:ident,)*) => {
        impl Tensor { $(
            $(#[$doc])*
            pub fn $method<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
                ops::$op(self, other)
            }
        )* }
    };
}
methods! {
    /// Element by element.
    eq eq,
    /// Element by element.
    ne ne,
    /// Element by element.
    lt lt,
    /// Element by element.
    le le,
    /// Element by element.
    gt gt,
    /// Element by element.
    ge ge,
}
macro_rules! writers {
    ($($(#[$doc:meta])* $method:ident $op:ident,)*) => {
        impl Tensor { $(
            $(#[$doc])*
            pub fn $method<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
                ops::$op(self, other, self)
            }
        )* }
    };
}
writers! {
    /// Written into `self`, for every owner of the tensor.
    add_assign add_into,
    /// Written into `self`, for every owner of the tensor.
    sub_assign sub_into,
    /// Written into `self`, for every owner of the tensor.
    mul_assign mul_into,
    /// Written into `self`, for every owner of the tensor.
    div_assign div_into,
}

// ---- Making tensors -----------------------------------------------------------------------------

pub(crate) fn filled(shape: impl Into<Ints>, value: Number, dtype: Dtype) -> Result<Tensor> {
    ops::full(shape).value(value).dtype(dtype).call()
}
/// f32
pub fn zeros(shape: impl Into<Ints>) -> Result<Tensor> {
    filled(shape, 0.into(), Dtype::F32)
}
/// f32
pub fn ones(shape: impl Into<Ints>) -> Result<Tensor> {
    filled(shape, 1.into(), Dtype::F32)
}
pub fn zeros_like(x: &Tensor) -> Result<Tensor> {
    ops::full_like(x).value(0).call()
}
pub fn ones_like(x: &Tensor) -> Result<Tensor> {
    ops::full_like(x).value(1).call()
}
/// 0, 1, ... stop - 1, i64
pub fn arange(stop: i64) -> Result<Tensor> {
    ops::arange(stop, Dtype::I64).call()
}
/// Uniform from 0 to 1, f32.
pub fn rand(shape: impl Into<Ints>) -> Result<Tensor> {
    ops::uniform(shape).call()
}
/// Normal with mean 0 and deviation 1, f32.
pub fn randn(shape: impl Into<Ints>) -> Result<Tensor> {
    ops::normal(shape).call()
}

/// Numbers that a program spells out: floats are f32, integers i64, as in Python.
pub trait Spelt: Copy {
    type Element: Element;
    fn element(self) -> Self::Element;
}
macro_rules! spelt {
    ($($kind:ty as $element:ty,)*) => { $(
        impl Spelt for $kind {
            type Element = $element;
            fn element(self) -> $element { self as $element }
        }
    )* };
}
spelt! { f32 as f32, f64 as f32, i32 as i64, i64 as i64, bool as bool, }

/// A number, or arrays of them up to four deep.
pub trait Numbers {
    type Number: Spelt;
    const DEPTH: usize;
    /// Appends all numbers, and tells the sizes.
    fn lay_out(
        &self,
        depth: usize,
        sizes: &mut [i64],
        to: &mut Vec<<Self::Number as Spelt>::Element>,
    );
}
impl<T: Spelt> Numbers for T {
    type Number = T;
    const DEPTH: usize = 0;
    fn lay_out(&self, _: usize, _: &mut [i64], to: &mut Vec<T::Element>) {
        to.push(self.element());
    }
}
impl<T: Numbers, const N: usize> Numbers for [T; N] {
    type Number = T::Number;
    const DEPTH: usize = T::DEPTH + 1;
    fn lay_out(
        &self,
        depth: usize,
        sizes: &mut [i64],
        to: &mut Vec<<T::Number as Spelt>::Element>,
    ) {
        sizes[depth] = N as i64;
        self.iter()
            .for_each(|each| each.lay_out(depth + 1, sizes, to));
    }
}

/// `tensor(2.0)`, `tensor([1.0, 2.0])`, `tensor([[1, 2], [3, 4]])`: floats are f32, integers i64.
/// [`Tensor::from_slice`] keeps the type of numbers that are there already.
pub fn tensor<T: Numbers>(numbers: T) -> Result<Tensor> {
    let mut sizes = vec![0; T::DEPTH];
    let mut list = Vec::new();
    numbers.lay_out(0, &mut sizes, &mut list);
    Tensor::from_slice(&list, sizes)
}

/// What `what` says of an axis that is not there.
pub(crate) fn wrong(what: (&str, &str), expected: String, found: String) -> Error {
    Error::refuse(Status::ARGUMENT, what, expected, found, "")
}
