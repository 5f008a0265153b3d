// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/ops.rs: a function for each op of the vendor `tenon`.
// Written by bindings/rust/registry.py from the registry: change what it describes instead.
//! A function for each op of the vendor `tenon`. One with options, or with operands that
//! may be absent, gives a builder, which `call` runs.
#![allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
#![allow(clippy::type_complexity)]

use crate::call::{call_all, call_into, call_one, Operand, Tensors};
use crate::context::op;
use crate::error::Result;
use crate::sys::tenon_value;
use crate::tensor::Tensor;
use crate::values::{Dtype, Given, Ints, Number};

pub(crate) const COUNT: usize = 278;

/// The absolute value: `y = |x|`. Op tenon.abs.
#[inline]
pub fn abs(x: &Tensor) -> Result<Tensor> {
    call_one(op(0, 1, "tenon.abs"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn abs_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(0, 1, "tenon.abs"), &[x.given()], &[], out)
}
/// The angle in radians, from 0 to pi, whose cosine is `x`. Op tenon.acos.
#[inline]
pub fn acos(x: &Tensor) -> Result<Tensor> {
    call_one(op(1, 1, "tenon.acos"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn acos_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(1, 1, "tenon.acos"), &[x.given()], &[], out)
}
/// The number from 0 on whose hyperbolic cosine is `x`: `y = ln(x + sqrt(x^2 - 1))`. Op
/// tenon.acosh.
#[inline]
pub fn acosh(x: &Tensor) -> Result<Tensor> {
    call_one(op(2, 1, "tenon.acosh"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn acosh_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(2, 1, "tenon.acosh"), &[x.given()], &[], out)
}
/// One step of `tenon.adadelta_step` on the given rows of each parameter alone. Op
/// tenon.adadelta_rows.
#[must_use = "nothing is done before `call`"]
pub struct AdadeltaRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    square_avg: Tensors<'a>,
    acc_delta: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    rho: f64,
    eps: f64,
    weight_decay: f64,
}
/// One step of `tenon.adadelta_step` on the given rows of each parameter alone. Op
/// tenon.adadelta_rows.
pub fn adadelta_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    square_avg: impl Into<Tensors<'a>>,
    acc_delta: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdadeltaRows<'a> {
    AdadeltaRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        square_avg: square_avg.into(),
        acc_delta: acc_delta.into(),
        step: step.into(),
        lr: lr.into(),
        rho: 0.9,
        eps: 1e-06,
        weight_decay: 0.0,
    }
}
impl<'a> AdadeltaRows<'a> {
    pub fn rho(mut self, rho: f64) -> Self { self.rho = rho; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 3]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(),
                self.square_avg.given(), self.acc_delta.given(), self.step.given(),
                self.lr.given()],
            [self.rho.given(), self.eps.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(3, 1, "tenon.adadelta_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of Adadelta on each parameter, in place. Op tenon.adadelta_step.
#[must_use = "nothing is done before `call`"]
pub struct AdadeltaStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    square_avg: Tensors<'a>,
    acc_delta: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    rho: f64,
    eps: f64,
    weight_decay: f64,
}
/// One step of Adadelta on each parameter, in place. Op tenon.adadelta_step.
pub fn adadelta_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    square_avg: impl Into<Tensors<'a>>,
    acc_delta: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdadeltaStep<'a> {
    AdadeltaStep {
        params: params.into(),
        grads: grads.into(),
        square_avg: square_avg.into(),
        acc_delta: acc_delta.into(),
        step: step.into(),
        lr: lr.into(),
        rho: 0.9,
        eps: 1e-06,
        weight_decay: 0.0,
    }
}
impl<'a> AdadeltaStep<'a> {
    pub fn rho(mut self, rho: f64) -> Self { self.rho = rho; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 3]) {
        (
            [self.params.given(), self.grads.given(), self.square_avg.given(),
                self.acc_delta.given(), self.step.given(), self.lr.given()],
            [self.rho.given(), self.eps.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(4, 1, "tenon.adadelta_step"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of Adafactor on each parameter, in place. Op tenon.adafactor_step.
#[must_use = "nothing is done before `call`"]
pub struct AdafactorStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    row_var: Tensors<'a>,
    col_var: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta2_decay: f64,
    eps1: f64,
    eps2: f64,
    clip_threshold: f64,
    weight_decay: f64,
}
/// One step of Adafactor on each parameter, in place. Op tenon.adafactor_step.
pub fn adafactor_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    row_var: impl Into<Tensors<'a>>,
    col_var: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdafactorStep<'a> {
    AdafactorStep {
        params: params.into(),
        grads: grads.into(),
        row_var: row_var.into(),
        col_var: col_var.into(),
        step: step.into(),
        lr: lr.into(),
        beta2_decay: -0.8,
        eps1: 0.0,
        eps2: 0.001,
        clip_threshold: 1.0,
        weight_decay: 0.0,
    }
}
impl<'a> AdafactorStep<'a> {
    pub fn beta2_decay(mut self, beta2_decay: f64) -> Self { self.beta2_decay = beta2_decay; self }
    pub fn eps1(mut self, eps1: f64) -> Self { self.eps1 = eps1; self }
    pub fn eps2(mut self, eps2: f64) -> Self { self.eps2 = eps2; self }
    pub fn clip_threshold(mut self, clip_threshold: f64) -> Self {
        self.clip_threshold = clip_threshold;
        self
    }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 5]) {
        (
            [self.params.given(), self.grads.given(), self.row_var.given(), self.col_var.given(),
                self.step.given(), self.lr.given()],
            [self.beta2_decay.given(), self.eps1.given(), self.eps2.given(),
                self.clip_threshold.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(5, 1, "tenon.adafactor_step"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of `tenon.adagrad_step` on the given rows of each parameter alone. Op
/// tenon.adagrad_rows.
#[must_use = "nothing is done before `call`"]
pub struct AdagradRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    sum: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    lr_decay: f64,
    weight_decay: f64,
    eps: f64,
}
/// One step of `tenon.adagrad_step` on the given rows of each parameter alone. Op
/// tenon.adagrad_rows.
pub fn adagrad_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    sum: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdagradRows<'a> {
    AdagradRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        sum: sum.into(),
        step: step.into(),
        lr: lr.into(),
        lr_decay: 0.0,
        weight_decay: 0.0,
        eps: 1e-10,
    }
}
impl<'a> AdagradRows<'a> {
    pub fn lr_decay(mut self, lr_decay: f64) -> Self { self.lr_decay = lr_decay; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 3]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(), self.sum.given(),
                self.step.given(), self.lr.given()],
            [self.lr_decay.given(), self.weight_decay.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(6, 1, "tenon.adagrad_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of Adagrad on each parameter, in place. Op tenon.adagrad_step.
#[must_use = "nothing is done before `call`"]
pub struct AdagradStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    sum: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    lr_decay: f64,
    weight_decay: f64,
    eps: f64,
}
/// One step of Adagrad on each parameter, in place. Op tenon.adagrad_step.
pub fn adagrad_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    sum: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdagradStep<'a> {
    AdagradStep {
        params: params.into(),
        grads: grads.into(),
        sum: sum.into(),
        step: step.into(),
        lr: lr.into(),
        lr_decay: 0.0,
        weight_decay: 0.0,
        eps: 1e-10,
    }
}
impl<'a> AdagradStep<'a> {
    pub fn lr_decay(mut self, lr_decay: f64) -> Self { self.lr_decay = lr_decay; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 3]) {
        (
            [self.params.given(), self.grads.given(), self.sum.given(), self.step.given(),
                self.lr.given()],
            [self.lr_decay.given(), self.weight_decay.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(7, 1, "tenon.adagrad_step"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of `tenon.adam_step` on the given rows of each parameter alone. Op tenon.adam_rows.
#[must_use = "nothing is done before `call`"]
pub struct AdamRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    exp_avg: Tensors<'a>,
    exp_avg_sq: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
}
/// One step of `tenon.adam_step` on the given rows of each parameter alone. Op tenon.adam_rows.
pub fn adam_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    exp_avg_sq: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdamRows<'a> {
    AdamRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        exp_avg: exp_avg.into(),
        exp_avg_sq: exp_avg_sq.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-08,
        weight_decay: 0.0,
    }
}
impl<'a> AdamRows<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 4]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(), self.exp_avg.given(),
                self.exp_avg_sq.given(), self.step.given(), self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.eps.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(8, 1, "tenon.adam_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of Adam on each parameter, in place. Op tenon.adam_step.
#[must_use = "nothing is done before `call`"]
pub struct AdamStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    exp_avg: Tensors<'a>,
    exp_avg_sq: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
}
/// One step of Adam on each parameter, in place. Op tenon.adam_step.
pub fn adam_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    exp_avg_sq: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdamStep<'a> {
    AdamStep {
        params: params.into(),
        grads: grads.into(),
        exp_avg: exp_avg.into(),
        exp_avg_sq: exp_avg_sq.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-08,
        weight_decay: 0.0,
    }
}
impl<'a> AdamStep<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 4]) {
        (
            [self.params.given(), self.grads.given(), self.exp_avg.given(), self.exp_avg_sq.given(),
                self.step.given(), self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.eps.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(9, 1, "tenon.adam_step"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of `tenon.adamw_step` on the given rows of each parameter alone. Op tenon.adamw_rows.
#[must_use = "nothing is done before `call`"]
pub struct AdamwRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    exp_avg: Tensors<'a>,
    exp_avg_sq: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
}
/// One step of `tenon.adamw_step` on the given rows of each parameter alone. Op tenon.adamw_rows.
pub fn adamw_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    exp_avg_sq: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdamwRows<'a> {
    AdamwRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        exp_avg: exp_avg.into(),
        exp_avg_sq: exp_avg_sq.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-08,
        weight_decay: 0.01,
    }
}
impl<'a> AdamwRows<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 4]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(), self.exp_avg.given(),
                self.exp_avg_sq.given(), self.step.given(), self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.eps.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(10, 1, "tenon.adamw_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of AdamW on each parameter, in place. Op tenon.adamw_step.
#[must_use = "nothing is done before `call`"]
pub struct AdamwStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    exp_avg: Tensors<'a>,
    exp_avg_sq: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
}
/// One step of AdamW on each parameter, in place. Op tenon.adamw_step.
pub fn adamw_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    exp_avg_sq: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> AdamwStep<'a> {
    AdamwStep {
        params: params.into(),
        grads: grads.into(),
        exp_avg: exp_avg.into(),
        exp_avg_sq: exp_avg_sq.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-08,
        weight_decay: 0.01,
    }
}
impl<'a> AdamwStep<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 4]) {
        (
            [self.params.given(), self.grads.given(), self.exp_avg.given(), self.exp_avg_sq.given(),
                self.step.given(), self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.eps.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(11, 1, "tenon.adamw_step"), &inputs, &attributes).map(|_| ())
    }
}
/// Averages an image of 1 to 3 dimensions down to `size`, which is one number for all of them or
/// one for each: along a dimension of `n` places that becomes `m`, number `i` of the result
/// averages over the places from `floor(i * n / m)` to `ceil((i + 1) * n / m) - 1`. Op
/// tenon.adaptive_avg_pool.
#[inline]
pub fn adaptive_avg_pool(x: &Tensor, size: impl Into<Ints>) -> Result<Tensor> {
    let size: Ints = size.into();
    call_one(op(12, 1, "tenon.adaptive_avg_pool"), &[x.given()], &[size.given()])
}
/// The same, written into `out`.
#[inline]
pub fn adaptive_avg_pool_into(x: &Tensor, size: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let size: Ints = size.into();
    call_into(op(12, 1, "tenon.adaptive_avg_pool"), &[x.given()], &[size.given()], out)
}
/// Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by how many places
/// `tenon.adaptive_avg_pool` averages to it, is added at each of these places. Op
/// tenon.adaptive_avg_pool_grad.
#[inline]
pub fn adaptive_avg_pool_grad(dy: &Tensor, size: impl Into<Ints>) -> Result<Tensor> {
    let size: Ints = size.into();
    call_one(op(13, 1, "tenon.adaptive_avg_pool_grad"), &[dy.given()], &[size.given()])
}
/// The same, written into `out`.
#[inline]
pub fn adaptive_avg_pool_grad_into(dy: &Tensor, size: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let size: Ints = size.into();
    call_into(op(13, 1, "tenon.adaptive_avg_pool_grad"), &[dy.given()], &[size.given()], out)
}
/// The sum: `y = a + b`. Op tenon.add.
#[inline]
pub fn add<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(14, 1, "tenon.add"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn add_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(14, 1, "tenon.add"), &[a.given(), b.given()], &[], out)
}
/// Adds a scaled quotient: `y = x + value * a / b`. Op tenon.addcdiv.
#[must_use = "nothing is done before `call`"]
pub struct Addcdiv<'a> {
    x: Operand<'a>,
    a: Operand<'a>,
    b: Operand<'a>,
    value: f64,
}
/// Adds a scaled quotient: `y = x + value * a / b`. Op tenon.addcdiv.
pub fn addcdiv<'a>(
    x: impl Into<Operand<'a>>,
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Addcdiv<'a> {
    Addcdiv { x: x.into(), a: a.into(), b: b.into(), value: 1.0 }
}
impl<'a> Addcdiv<'a> {
    pub fn value(mut self, value: f64) -> Self { self.value = value; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 1]) {
        (
            [self.x.given(), self.a.given(), self.b.given()],
            [self.value.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(15, 1, "tenon.addcdiv"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(15, 1, "tenon.addcdiv"), &inputs, &attributes, out)
    }
}
/// Adds a scaled product: `y = x + value * a * b`. Op tenon.addcmul.
#[must_use = "nothing is done before `call`"]
pub struct Addcmul<'a> {
    x: Operand<'a>,
    a: Operand<'a>,
    b: Operand<'a>,
    value: Number,
}
/// Adds a scaled product: `y = x + value * a * b`. Op tenon.addcmul.
pub fn addcmul<'a>(
    x: impl Into<Operand<'a>>,
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Addcmul<'a> {
    Addcmul { x: x.into(), a: a.into(), b: b.into(), value: Number::from(1) }
}
impl<'a> Addcmul<'a> {
    pub fn value(mut self, value: impl Into<Number>) -> Self { self.value = value.into(); self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 1]) {
        (
            [self.x.given(), self.a.given(), self.b.given()],
            [self.value.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(16, 1, "tenon.addcmul"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(16, 1, "tenon.addcmul"), &inputs, &attributes, out)
    }
}
/// Attention with linear biases: what is added to the scores of query `i`, which stands at `i +
/// offset`, and key `j`: `y[h,i,j] = -slope_h * |i + offset - j|`. Op tenon.alibi_bias.
#[must_use = "nothing is done before `call`"]
pub struct AlibiBias {
    heads: i64,
    queries: i64,
    keys: i64,
    offset: i64,
    dtype: Dtype,
}
/// Attention with linear biases: what is added to the scores of query `i`, which stands at `i +
/// offset`, and key `j`: `y[h,i,j] = -slope_h * |i + offset - j|`. Op tenon.alibi_bias.
pub fn alibi_bias(heads: i64, queries: i64, keys: i64) -> AlibiBias {
    AlibiBias { heads, queries, keys, offset: 0, dtype: Dtype::F32 }
}
impl AlibiBias {
    pub fn offset(mut self, offset: i64) -> Self { self.offset = offset; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 5]) {
        (
            [],
            [self.heads.given(), self.queries.given(), self.keys.given(), self.offset.given(),
                self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(17, 1, "tenon.alibi_bias"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(17, 1, "tenon.alibi_bias"), &inputs, &attributes, out)
    }
}
/// Whether every element over `axes` is true (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.all.
#[must_use = "nothing is done before `call`"]
pub struct All<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// Whether every element over `axes` is true (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.all.
pub fn all<'a>(x: &'a Tensor) -> All<'a> {
    All { x, axes: None, keepdims: false }
}
impl<'a> All<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(18, 1, "tenon.all"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(18, 1, "tenon.all"), &inputs, &attributes, out)
    }
}
/// The `x` of every process of a group, stacked: row `r` of `y` \[n, ...\] is that of rank `r`. Op
/// tenon.all_gather.
#[must_use = "nothing is done before `call`"]
pub struct AllGather<'a> {
    x: &'a Tensor,
    group: i64,
}
/// The `x` of every process of a group, stacked: row `r` of `y` \[n, ...\] is that of rank `r`. Op
/// tenon.all_gather.
pub fn all_gather<'a>(x: &'a Tensor) -> AllGather<'a> {
    AllGather { x, group: 0 }
}
impl<'a> AllGather<'a> {
    pub fn group(mut self, group: i64) -> Self { self.group = group; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.group.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(19, 1, "tenon.all_gather"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(19, 1, "tenon.all_gather"), &inputs, &attributes, out)
    }
}
/// The sum, mean or maximum of `x` over the processes of a group, the same in all of them:
/// `reduction` is "sum", "mean" (of floats) or "max" (NaN if there is one). Op tenon.all_reduce.
#[must_use = "nothing is done before `call`"]
pub struct AllReduce<'a> {
    x: &'a Tensor,
    group: i64,
    reduction: &'a str,
}
/// The sum, mean or maximum of `x` over the processes of a group, the same in all of them:
/// `reduction` is "sum", "mean" (of floats) or "max" (NaN if there is one). Op tenon.all_reduce.
pub fn all_reduce<'a>(x: &'a Tensor) -> AllReduce<'a> {
    AllReduce { x, group: 0, reduction: "sum" }
}
impl<'a> AllReduce<'a> {
    pub fn group(mut self, group: i64) -> Self { self.group = group; self }
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.group.given(), self.reduction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(20, 1, "tenon.all_reduce"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(20, 1, "tenon.all_reduce"), &inputs, &attributes, out)
    }
}
/// Each tensor of `x` becomes its sum over the processes of a group, in one transfer: a bucket of
/// gradients. Op tenon.all_reduce_list.
#[inline]
pub fn all_reduce_list<'a>(x: impl Into<Tensors<'a>>, group: i64) -> Result<()> {
    let x: Tensors<'a> = x.into();
    call_all::<0>(op(21, 1, "tenon.all_reduce_list"), &[x.given()], &[group.given()]).map(|_| ())
}
/// The sum of `x` over the processes of a group, the same in all of them: what `tenon.all_reduce`
/// is made of. Op tenon.all_reduce_sum.
#[must_use = "nothing is done before `call`"]
pub struct AllReduceSum<'a> {
    x: &'a Tensor,
    group: i64,
    reduction: &'a str,
}
/// The sum of `x` over the processes of a group, the same in all of them: what `tenon.all_reduce`
/// is made of. Op tenon.all_reduce_sum.
pub fn all_reduce_sum<'a>(x: &'a Tensor) -> AllReduceSum<'a> {
    AllReduceSum { x, group: 0, reduction: "sum" }
}
impl<'a> AllReduceSum<'a> {
    pub fn group(mut self, group: i64) -> Self { self.group = group; self }
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.group.given(), self.reduction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(22, 1, "tenon.all_reduce_sum"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(22, 1, "tenon.all_reduce_sum"), &inputs, &attributes, out)
    }
}
/// What the others have for us: `x` \[n, ...\] has a row for each process of a group, and row `r`
/// of `y` \[n, ...\] is our row of the `x` of rank `r`. Op tenon.all_to_all.
#[must_use = "nothing is done before `call`"]
pub struct AllToAll<'a> {
    x: &'a Tensor,
    group: i64,
}
/// What the others have for us: `x` \[n, ...\] has a row for each process of a group, and row `r`
/// of `y` \[n, ...\] is our row of the `x` of rank `r`. Op tenon.all_to_all.
pub fn all_to_all<'a>(x: &'a Tensor) -> AllToAll<'a> {
    AllToAll { x, group: 0 }
}
impl<'a> AllToAll<'a> {
    pub fn group(mut self, group: i64) -> Self { self.group = group; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.group.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(23, 1, "tenon.all_to_all"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(23, 1, "tenon.all_to_all"), &inputs, &attributes, out)
    }
}
/// Whether any element over `axes` is true (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.any.
#[must_use = "nothing is done before `call`"]
pub struct Any<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// Whether any element over `axes` is true (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.any.
pub fn any<'a>(x: &'a Tensor) -> Any<'a> {
    Any { x, axes: None, keepdims: false }
}
impl<'a> Any<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(24, 1, "tenon.any"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(24, 1, "tenon.any"), &inputs, &attributes, out)
    }
}
/// The numbers `start`, `start + step`, `start + 2 step`, ... that lie before `stop`, which is left
/// out: `ceil((stop - start) / step)` of them, and none where `step` leads away from `stop`. Op
/// tenon.arange.
#[must_use = "nothing is done before `call`"]
pub struct Arange {
    start: Number,
    stop: Number,
    step: Number,
    dtype: Dtype,
}
/// The numbers `start`, `start + step`, `start + 2 step`, ... that lie before `stop`, which is left
/// out: `ceil((stop - start) / step)` of them, and none where `step` leads away from `stop`. Op
/// tenon.arange.
pub fn arange(stop: impl Into<Number>, dtype: Dtype) -> Arange {
    Arange { start: Number::from(0), stop: stop.into(), step: Number::from(1), dtype }
}
impl Arange {
    pub fn start(mut self, start: impl Into<Number>) -> Self { self.start = start.into(); self }
    pub fn step(mut self, step: impl Into<Number>) -> Self { self.step = step.into(); self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 4]) {
        (
            [],
            [self.start.given(), self.stop.given(), self.step.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(25, 1, "tenon.arange"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(25, 1, "tenon.arange"), &inputs, &attributes, out)
    }
}
/// The index of the largest element along `axis`; without an axis, of the tensor read in row-major
/// order. Op tenon.argmax.
#[must_use = "nothing is done before `call`"]
pub struct Argmax<'a> {
    x: &'a Tensor,
    axis: Option<i64>,
    keepdims: bool,
}
/// The index of the largest element along `axis`; without an axis, of the tensor read in row-major
/// order. Op tenon.argmax.
pub fn argmax<'a>(x: &'a Tensor) -> Argmax<'a> {
    Argmax { x, axis: None, keepdims: false }
}
impl<'a> Argmax<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = Some(axis); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axis.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(26, 1, "tenon.argmax"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(26, 1, "tenon.argmax"), &inputs, &attributes, out)
    }
}
/// The index of the smallest element along `axis`; without an axis, of the tensor read in row-major
/// order. Op tenon.argmin.
#[must_use = "nothing is done before `call`"]
pub struct Argmin<'a> {
    x: &'a Tensor,
    axis: Option<i64>,
    keepdims: bool,
}
/// The index of the smallest element along `axis`; without an axis, of the tensor read in row-major
/// order. Op tenon.argmin.
pub fn argmin<'a>(x: &'a Tensor) -> Argmin<'a> {
    Argmin { x, axis: None, keepdims: false }
}
impl<'a> Argmin<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = Some(axis); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axis.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(27, 1, "tenon.argmin"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(27, 1, "tenon.argmin"), &inputs, &attributes, out)
    }
}
/// The second output of `tenon.sort`: the indices along `axis` at which the elements of a line are
/// found in ascending (`descending`: descending) order. Op tenon.argsort.
#[must_use = "nothing is done before `call`"]
pub struct Argsort<'a> {
    x: &'a Tensor,
    axis: i64,
    descending: bool,
    stable: bool,
}
/// The second output of `tenon.sort`: the indices along `axis` at which the elements of a line are
/// found in ascending (`descending`: descending) order. Op tenon.argsort.
pub fn argsort<'a>(x: &'a Tensor) -> Argsort<'a> {
    Argsort { x, axis: -1, descending: false, stable: true }
}
impl<'a> Argsort<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    pub fn descending(mut self, descending: bool) -> Self { self.descending = descending; self }
    pub fn stable(mut self, stable: bool) -> Self { self.stable = stable; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axis.given(), self.descending.given(), self.stable.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(28, 1, "tenon.argsort"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(28, 1, "tenon.argsort"), &inputs, &attributes, out)
    }
}
/// The angle in radians, from -pi/2 to pi/2, whose sine is `x`. Op tenon.asin.
#[inline]
pub fn asin(x: &Tensor) -> Result<Tensor> {
    call_one(op(29, 1, "tenon.asin"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn asin_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(29, 1, "tenon.asin"), &[x.given()], &[], out)
}
/// The number whose hyperbolic sine is `x`: `y = ln(x + sqrt(x^2 + 1))`. Op tenon.asinh.
#[inline]
pub fn asinh(x: &Tensor) -> Result<Tensor> {
    call_one(op(30, 1, "tenon.asinh"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn asinh_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(30, 1, "tenon.asinh"), &[x.given()], &[], out)
}
/// The angle in radians, from -pi/2 to pi/2, whose tangent is `x`. Op tenon.atan.
#[inline]
pub fn atan(x: &Tensor) -> Result<Tensor> {
    call_one(op(31, 1, "tenon.atan"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn atan_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(31, 1, "tenon.atan"), &[x.given()], &[], out)
}
/// The angle of the point `(x, y)` seen from the origin, in radians from -pi to pi, counted from
/// the positive x axis: the arc tangent of `y / x`, in the quadrant that both signs say. Op
/// tenon.atan2.
#[inline]
pub fn atan2<'a>(y: impl Into<Operand<'a>>, x: impl Into<Operand<'a>>) -> Result<Tensor> {
    let y: Operand<'a> = y.into();
    let x: Operand<'a> = x.into();
    call_one(op(32, 1, "tenon.atan2"), &[y.given(), x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn atan2_into<'a>(
    y: impl Into<Operand<'a>>,
    x: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let y: Operand<'a> = y.into();
    let x: Operand<'a> = x.into();
    call_into(op(32, 1, "tenon.atan2"), &[y.given(), x.given()], &[], out)
}
/// The number whose hyperbolic tangent is `x`: `y = ln((1 + x) / (1 - x)) / 2`. Op tenon.atanh.
#[inline]
pub fn atanh(x: &Tensor) -> Result<Tensor> {
    call_one(op(33, 1, "tenon.atanh"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn atanh_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(33, 1, "tenon.atanh"), &[x.given()], &[], out)
}
/// Scaled dot-product attention: `y[b,h,i] = sum_j w[b,h,i,j] v[b,g,j]`. Op tenon.attention.
#[must_use = "nothing is done before `call`"]
pub struct Attention<'a> {
    q: &'a Tensor,
    k: &'a Tensor,
    v: &'a Tensor,
    mask: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    start: Option<&'a Tensor>,
    causal: bool,
    window: i64,
    scale: Option<f64>,
    soft_cap: f64,
}
/// Scaled dot-product attention: `y[b,h,i] = sum_j w[b,h,i,j] v[b,g,j]`. Op tenon.attention.
pub fn attention<'a>(q: &'a Tensor, k: &'a Tensor, v: &'a Tensor) -> Attention<'a> {
    Attention {
        q,
        k,
        v,
        mask: None,
        bias: None,
        lengths: None,
        start: None,
        causal: false,
        window: 0,
        scale: None,
        soft_cap: 0.0,
    }
}
impl<'a> Attention<'a> {
    pub fn mask(mut self, mask: &'a Tensor) -> Self { self.mask = Some(mask); self }
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn start(mut self, start: &'a Tensor) -> Self { self.start = Some(start); self }
    pub fn causal(mut self, causal: bool) -> Self { self.causal = causal; self }
    pub fn window(mut self, window: i64) -> Self { self.window = window; self }
    pub fn scale(mut self, scale: f64) -> Self { self.scale = Some(scale); self }
    pub fn soft_cap(mut self, soft_cap: f64) -> Self { self.soft_cap = soft_cap; self }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 4]) {
        (
            [self.q.given(), self.k.given(), self.v.given(), self.mask.given(), self.bias.given(),
                self.lengths.given(), self.start.given()],
            [self.causal.given(), self.window.given(), self.scale.given(), self.soft_cap.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(34, 1, "tenon.attention"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(34, 1, "tenon.attention"), &inputs, &attributes, out)
    }
}
/// The gradients of `tenon.attention`: `y` is that of `q`, the aux outputs are those of `k` and
/// `v`. Op tenon.attention_grad.
#[must_use = "nothing is done before `call`"]
pub struct AttentionGrad<'a> {
    dy: &'a Tensor,
    q: &'a Tensor,
    k: &'a Tensor,
    v: &'a Tensor,
    mask: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    start: Option<&'a Tensor>,
    causal: bool,
    window: i64,
    scale: Option<f64>,
    soft_cap: f64,
}
/// The gradients of `tenon.attention`: `y` is that of `q`, the aux outputs are those of `k` and
/// `v`. Op tenon.attention_grad.
pub fn attention_grad<'a>(
    dy: &'a Tensor,
    q: &'a Tensor,
    k: &'a Tensor,
    v: &'a Tensor,
) -> AttentionGrad<'a> {
    AttentionGrad {
        dy,
        q,
        k,
        v,
        mask: None,
        bias: None,
        lengths: None,
        start: None,
        causal: false,
        window: 0,
        scale: None,
        soft_cap: 0.0,
    }
}
impl<'a> AttentionGrad<'a> {
    pub fn mask(mut self, mask: &'a Tensor) -> Self { self.mask = Some(mask); self }
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn start(mut self, start: &'a Tensor) -> Self { self.start = Some(start); self }
    pub fn causal(mut self, causal: bool) -> Self { self.causal = causal; self }
    pub fn window(mut self, window: i64) -> Self { self.window = window; self }
    pub fn scale(mut self, scale: f64) -> Self { self.scale = Some(scale); self }
    pub fn soft_cap(mut self, soft_cap: f64) -> Self { self.soft_cap = soft_cap; self }
    fn values(&self) -> ([tenon_value; 8], [tenon_value; 4]) {
        (
            [self.dy.given(), self.q.given(), self.k.given(), self.v.given(), self.mask.given(),
                self.bias.given(), self.lengths.given(), self.start.given()],
            [self.causal.given(), self.window.given(), self.scale.given(), self.soft_cap.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(35, 1, "tenon.attention_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(35, 1, "tenon.attention_grad"), &inputs, &attributes, out)
    }
}
/// Which of `keys` keys each of `queries` queries of a sequence sees, as `tenon.attention` decides
/// it: `[B,1,queries,keys]`, with B the length of `lengths` or `start`, 1 without both. Op
/// tenon.attention_mask.
#[must_use = "nothing is done before `call`"]
pub struct AttentionMask<'a> {
    lengths: Option<&'a Tensor>,
    start: Option<&'a Tensor>,
    queries: i64,
    keys: i64,
    causal: bool,
    window: i64,
}
/// Which of `keys` keys each of `queries` queries of a sequence sees, as `tenon.attention` decides
/// it: `[B,1,queries,keys]`, with B the length of `lengths` or `start`, 1 without both. Op
/// tenon.attention_mask.
pub fn attention_mask<'a>(queries: i64, keys: i64) -> AttentionMask<'a> {
    AttentionMask { lengths: None, start: None, queries, keys, causal: false, window: 0 }
}
impl<'a> AttentionMask<'a> {
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn start(mut self, start: &'a Tensor) -> Self { self.start = Some(start); self }
    pub fn causal(mut self, causal: bool) -> Self { self.causal = causal; self }
    pub fn window(mut self, window: i64) -> Self { self.window = window; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 4]) {
        (
            [self.lengths.given(), self.start.given()],
            [self.queries.given(), self.keys.given(), self.causal.given(), self.window.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(36, 1, "tenon.attention_mask"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(36, 1, "tenon.attention_mask"), &inputs, &attributes, out)
    }
}
/// How much each query attends to each key: `y[b,h,i,j]`, the softmax over the keys `j` that query
/// `i` sees of `s = scale * sum_d q[b,h,i,d] k[b,g,j,d]`, where head `h` of `q` reads head `g = h /
/// (H/G)` of `k`. Op tenon.attention_weights.
#[must_use = "nothing is done before `call`"]
pub struct AttentionWeights<'a> {
    q: &'a Tensor,
    k: &'a Tensor,
    mask: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    start: Option<&'a Tensor>,
    causal: bool,
    window: i64,
    scale: Option<f64>,
    soft_cap: f64,
}
/// How much each query attends to each key: `y[b,h,i,j]`, the softmax over the keys `j` that query
/// `i` sees of `s = scale * sum_d q[b,h,i,d] k[b,g,j,d]`, where head `h` of `q` reads head `g = h /
/// (H/G)` of `k`. Op tenon.attention_weights.
pub fn attention_weights<'a>(q: &'a Tensor, k: &'a Tensor) -> AttentionWeights<'a> {
    AttentionWeights {
        q,
        k,
        mask: None,
        bias: None,
        lengths: None,
        start: None,
        causal: false,
        window: 0,
        scale: None,
        soft_cap: 0.0,
    }
}
impl<'a> AttentionWeights<'a> {
    pub fn mask(mut self, mask: &'a Tensor) -> Self { self.mask = Some(mask); self }
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn start(mut self, start: &'a Tensor) -> Self { self.start = Some(start); self }
    pub fn causal(mut self, causal: bool) -> Self { self.causal = causal; self }
    pub fn window(mut self, window: i64) -> Self { self.window = window; self }
    pub fn scale(mut self, scale: f64) -> Self { self.scale = Some(scale); self }
    pub fn soft_cap(mut self, soft_cap: f64) -> Self { self.soft_cap = soft_cap; self }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 4]) {
        (
            [self.q.given(), self.k.given(), self.mask.given(), self.bias.given(),
                self.lengths.given(), self.start.given()],
            [self.causal.given(), self.window.given(), self.scale.given(), self.soft_cap.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(37, 1, "tenon.attention_weights"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(37, 1, "tenon.attention_weights"), &inputs, &attributes, out)
    }
}
/// The average of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = (sum over
/// t of x[n, c, w * stride - before + t]) / count`, along each of these dimensions, over the taps
/// `t` from 0 to `kernel - 1` whose place lies in the image. Op tenon.avg_pool.
#[must_use = "nothing is done before `call`"]
pub struct AvgPool<'a> {
    x: &'a Tensor,
    kernel: Ints,
    stride: Option<Ints>,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    auto_pad: &'a str,
}
/// The average of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = (sum over
/// t of x[n, c, w * stride - before + t]) / count`, along each of these dimensions, over the taps
/// `t` from 0 to `kernel - 1` whose place lies in the image. Op tenon.avg_pool.
pub fn avg_pool<'a>(x: &'a Tensor, kernel: impl Into<Ints>) -> AvgPool<'a> {
    AvgPool {
        x,
        kernel: kernel.into(),
        stride: None,
        padding: Ints::from([0]),
        ceil_mode: false,
        count_include_pad: true,
        auto_pad: "none",
    }
}
impl<'a> AvgPool<'a> {
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self {
        self.stride = Some(stride.into());
        self
    }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn ceil_mode(mut self, ceil_mode: bool) -> Self { self.ceil_mode = ceil_mode; self }
    pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
        self.count_include_pad = count_include_pad;
        self
    }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 6]) {
        (
            [self.x.given()],
            [self.kernel.given(), self.stride.given(), self.padding.given(), self.ceil_mode.given(),
                self.count_include_pad.given(), self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(38, 1, "tenon.avg_pool"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(38, 1, "tenon.avg_pool"), &inputs, &attributes, out)
    }
}
/// Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by the count of its
/// window, is added at every place of that window. Op tenon.avg_pool_grad.
#[must_use = "nothing is done before `call`"]
pub struct AvgPoolGrad<'a> {
    dy: &'a Tensor,
    size: Ints,
    kernel: Ints,
    stride: Option<Ints>,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    auto_pad: &'a str,
}
/// Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by the count of its
/// window, is added at every place of that window. Op tenon.avg_pool_grad.
pub fn avg_pool_grad<'a>(
    dy: &'a Tensor,
    size: impl Into<Ints>,
    kernel: impl Into<Ints>,
) -> AvgPoolGrad<'a> {
    AvgPoolGrad {
        dy,
        size: size.into(),
        kernel: kernel.into(),
        stride: None,
        padding: Ints::from([0]),
        ceil_mode: false,
        count_include_pad: true,
        auto_pad: "none",
    }
}
impl<'a> AvgPoolGrad<'a> {
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self {
        self.stride = Some(stride.into());
        self
    }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn ceil_mode(mut self, ceil_mode: bool) -> Self { self.ceil_mode = ceil_mode; self }
    pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
        self.count_include_pad = count_include_pad;
        self
    }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 7]) {
        (
            [self.dy.given()],
            [self.size.given(), self.kernel.given(), self.stride.given(), self.padding.given(),
                self.ceil_mode.given(), self.count_include_pad.given(), self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(39, 1, "tenon.avg_pool_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(39, 1, "tenon.avg_pool_grad"), &inputs, &attributes, out)
    }
}
/// Normalises each channel of `x`, which its second dimension counts: `y = (x - m) * s * weight +
/// bias`, with `s = 1 / sqrt(v + eps)`. Op tenon.batch_norm.
#[must_use = "nothing is done before `call`"]
pub struct BatchNorm<'a> {
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    mean: Option<&'a Tensor>,
    variance: Option<&'a Tensor>,
    eps: f64,
}
/// Normalises each channel of `x`, which its second dimension counts: `y = (x - m) * s * weight +
/// bias`, with `s = 1 / sqrt(v + eps)`. Op tenon.batch_norm.
pub fn batch_norm<'a>(x: &'a Tensor) -> BatchNorm<'a> {
    BatchNorm { x, weight: None, bias: None, mean: None, variance: None, eps: 1e-05 }
}
impl<'a> BatchNorm<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn mean(mut self, mean: &'a Tensor) -> Self { self.mean = Some(mean); self }
    pub fn variance(mut self, variance: &'a Tensor) -> Self { self.variance = Some(variance); self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 1]) {
        (
            [self.x.given(), self.weight.given(), self.bias.given(), self.mean.given(),
                self.variance.given()],
            [self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(40, 1, "tenon.batch_norm"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(40, 1, "tenon.batch_norm"), &inputs, &attributes, out)
    }
}
/// The gradients of `tenon.batch_norm`. Op tenon.batch_norm_grad.
#[must_use = "nothing is done before `call`"]
pub struct BatchNormGrad<'a> {
    dy: &'a Tensor,
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    mean: Option<&'a Tensor>,
    variance: Option<&'a Tensor>,
    eps: f64,
}
/// The gradients of `tenon.batch_norm`. Op tenon.batch_norm_grad.
pub fn batch_norm_grad<'a>(dy: &'a Tensor, x: &'a Tensor) -> BatchNormGrad<'a> {
    BatchNormGrad { dy, x, weight: None, mean: None, variance: None, eps: 1e-05 }
}
impl<'a> BatchNormGrad<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn mean(mut self, mean: &'a Tensor) -> Self { self.mean = Some(mean); self }
    pub fn variance(mut self, variance: &'a Tensor) -> Self { self.variance = Some(variance); self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 1]) {
        (
            [self.dy.given(), self.x.given(), self.weight.given(), self.mean.given(),
                self.variance.given()],
            [self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(41, 1, "tenon.batch_norm_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(41, 1, "tenon.batch_norm_grad"), &inputs, &attributes, out)
    }
}
/// Ones with the probabilities `p`, else zeros: `y[i] = 1` where `u(i) < p[i]`, else 0, with `u` as
/// in `tenon.uniform`: a multiple of 2^-53 for f64, of 2^-24 for the others, so that the
/// probability of a 1 is at most that much above `p`. Op tenon.bernoulli.
#[inline]
pub fn bernoulli(p: &Tensor) -> Result<Tensor> {
    call_one(op(42, 1, "tenon.bernoulli"), &[p.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bernoulli_into(p: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(42, 1, "tenon.bernoulli"), &[p.given()], &[], out)
}
/// The cross-entropy of answers `target`, from 0 to 1, and of `sigmoid(x)`: `-weight * (pos_weight
/// * target * log(sigmoid(x)) + (1 - target) * log(1 - sigmoid(x)))`, without taking the logarithm
/// of small numbers. Op tenon.binary_cross_entropy_with_logits.
#[must_use = "nothing is done before `call`"]
pub struct BinaryCrossEntropyWithLogits<'a> {
    x: &'a Tensor,
    target: &'a Tensor,
    weight: Option<&'a Tensor>,
    pos_weight: Option<&'a Tensor>,
    reduction: &'a str,
}
/// The cross-entropy of answers `target`, from 0 to 1, and of `sigmoid(x)`: `-weight * (pos_weight
/// * target * log(sigmoid(x)) + (1 - target) * log(1 - sigmoid(x)))`, without taking the logarithm
/// of small numbers. Op tenon.binary_cross_entropy_with_logits.
pub fn binary_cross_entropy_with_logits<'a>(
    x: &'a Tensor,
    target: &'a Tensor,
) -> BinaryCrossEntropyWithLogits<'a> {
    BinaryCrossEntropyWithLogits { x, target, weight: None, pos_weight: None, reduction: "mean" }
}
impl<'a> BinaryCrossEntropyWithLogits<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn pos_weight(mut self, pos_weight: &'a Tensor) -> Self {
        self.pos_weight = Some(pos_weight);
        self
    }
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    fn values(&self) -> ([tenon_value; 4], [tenon_value; 1]) {
        (
            [self.x.given(), self.target.given(), self.weight.given(), self.pos_weight.given()],
            [self.reduction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(43, 1, "tenon.binary_cross_entropy_with_logits"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(43, 1, "tenon.binary_cross_entropy_with_logits"), &inputs, &attributes, out)
    }
}
/// The and of all bits: `y = a & b`. Op tenon.bitwise_and.
#[inline]
pub fn bitwise_and<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(44, 1, "tenon.bitwise_and"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bitwise_and_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(44, 1, "tenon.bitwise_and"), &[a.given(), b.given()], &[], out)
}
/// Moves the bits of `a` up by `b` places: `y = a * 2^b` modulo 2^bits. Op
/// tenon.bitwise_left_shift.
#[inline]
pub fn bitwise_left_shift<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(45, 1, "tenon.bitwise_left_shift"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bitwise_left_shift_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(45, 1, "tenon.bitwise_left_shift"), &[a.given(), b.given()], &[], out)
}
/// Every bit of an integer turned: `y = -1 - x`, of u8 `255 - x`. Op tenon.bitwise_not.
#[inline]
pub fn bitwise_not(x: &Tensor) -> Result<Tensor> {
    call_one(op(46, 1, "tenon.bitwise_not"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bitwise_not_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(46, 1, "tenon.bitwise_not"), &[x.given()], &[], out)
}
/// The or of all bits: `y = a | b`. Op tenon.bitwise_or.
#[inline]
pub fn bitwise_or<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(47, 1, "tenon.bitwise_or"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bitwise_or_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(47, 1, "tenon.bitwise_or"), &[a.given(), b.given()], &[], out)
}
/// Moves the bits of `a` down by `b` places: `y = floor(a / 2^b)`. Op tenon.bitwise_right_shift.
#[inline]
pub fn bitwise_right_shift<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(48, 1, "tenon.bitwise_right_shift"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bitwise_right_shift_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(48, 1, "tenon.bitwise_right_shift"), &[a.given(), b.given()], &[], out)
}
/// The exclusive or of all bits: `y = a ^ b`. Op tenon.bitwise_xor.
#[inline]
pub fn bitwise_xor<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(49, 1, "tenon.bitwise_xor"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bitwise_xor_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(49, 1, "tenon.bitwise_xor"), &[a.given(), b.given()], &[], out)
}
/// The products of two batches of matrices, pair by pair: `y[i] = a[i] b[i]`. Op tenon.bmm.
#[inline]
pub fn bmm<'a>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    call_one(op(50, 1, "tenon.bmm"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn bmm_into<'a>(a: &Tensor, b: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(50, 1, "tenon.bmm"), &[a.given(), b.given()], &[], out)
}
/// The `x` of rank `root` in every process of a group. Op tenon.broadcast.
#[must_use = "nothing is done before `call`"]
pub struct Broadcast<'a> {
    x: &'a Tensor,
    group: i64,
    root: i64,
}
/// The `x` of rank `root` in every process of a group. Op tenon.broadcast.
pub fn broadcast<'a>(x: &'a Tensor) -> Broadcast<'a> {
    Broadcast { x, group: 0, root: 0 }
}
impl<'a> Broadcast<'a> {
    pub fn group(mut self, group: i64) -> Self { self.group = group; self }
    pub fn root(mut self, root: i64) -> Self { self.root = root; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.group.given(), self.root.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(51, 1, "tenon.broadcast"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(51, 1, "tenon.broadcast"), &inputs, &attributes, out)
    }
}
/// `x` broadcast to `shape`: dimensions of size 1 are repeated, new dimensions are put in front. Op
/// tenon.broadcast_to.
#[inline]
pub fn broadcast_to(x: &Tensor, shape: impl Into<Ints>) -> Result<Tensor> {
    let shape: Ints = shape.into();
    call_one(op(52, 1, "tenon.broadcast_to"), &[x.given()], &[shape.given()])
}
/// The same, written into `out`.
#[inline]
pub fn broadcast_to_into(x: &Tensor, shape: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let shape: Ints = shape.into();
    call_into(op(52, 1, "tenon.broadcast_to"), &[x.given()], &[shape.given()], out)
}
/// Puts the rows of T new positions into a cache that has room for P, in place:
/// `cache[b,...,start[b] + t,:] = rows[b,...,t,:]`. Op tenon.cache_append.
#[inline]
pub fn cache_append(cache: &Tensor, rows: &Tensor, start: &Tensor) -> Result<()> {
    call_all::<0>(op(53, 1, "tenon.cache_append"), &[cache.given(), rows.given(), start.given()],
        &[]).map(|_| ())
}
/// The values of `x` in another dtype: `y = dtype(x)`. Op tenon.cast.
#[inline]
pub fn cast(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    call_one(op(54, 1, "tenon.cast"), &[x.given()], &[dtype.given()])
}
/// The same, written into `out`.
#[inline]
pub fn cast_into(x: &Tensor, dtype: Dtype, out: &Tensor) -> Result<()> {
    call_into(op(54, 1, "tenon.cast"), &[x.given()], &[dtype.given()], out)
}
/// The least whole number that is not below `x`. Op tenon.ceil.
#[inline]
pub fn ceil(x: &Tensor) -> Result<Tensor> {
    call_one(op(55, 1, "tenon.ceil"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn ceil_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(55, 1, "tenon.ceil"), &[x.given()], &[], out)
}
/// The lower triangle `L` with positive diagonal for which `x = L L^T`, for the symmetric positive
/// definite matrices that the last two dimensions hold; with `upper` its transpose. Op
/// tenon.cholesky.
#[must_use = "nothing is done before `call`"]
pub struct Cholesky<'a> {
    x: &'a Tensor,
    upper: bool,
}
/// The lower triangle `L` with positive diagonal for which `x = L L^T`, for the symmetric positive
/// definite matrices that the last two dimensions hold; with `upper` its transpose. Op
/// tenon.cholesky.
pub fn cholesky<'a>(x: &'a Tensor) -> Cholesky<'a> {
    Cholesky { x, upper: false }
}
impl<'a> Cholesky<'a> {
    pub fn upper(mut self, upper: bool) -> Self { self.upper = upper; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.upper.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(56, 1, "tenon.cholesky"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(56, 1, "tenon.cholesky"), &inputs, &attributes, out)
    }
}
/// `x` cut along `axis` into `chunks` pieces of one size, `ceil(n / chunks)`, of which the last
/// ones may be smaller or empty: the piece number `index`, where a negative number counts from the
/// last. Op tenon.chunk.
#[must_use = "nothing is done before `call`"]
pub struct Chunk<'a> {
    x: &'a Tensor,
    chunks: i64,
    index: i64,
    axis: i64,
}
/// `x` cut along `axis` into `chunks` pieces of one size, `ceil(n / chunks)`, of which the last
/// ones may be smaller or empty: the piece number `index`, where a negative number counts from the
/// last. Op tenon.chunk.
pub fn chunk<'a>(x: &'a Tensor, chunks: i64, index: i64) -> Chunk<'a> {
    Chunk { x, chunks, index, axis: 0 }
}
impl<'a> Chunk<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.chunks.given(), self.index.given(), self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(57, 1, "tenon.chunk"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(57, 1, "tenon.chunk"), &inputs, &attributes, out)
    }
}
/// Keeps values between two limits: `y = minimum(maximum(x, min), max)`. Op tenon.clamp.
#[must_use = "nothing is done before `call`"]
pub struct Clamp<'a> {
    x: Operand<'a>,
    min: Option<Operand<'a>>,
    max: Option<Operand<'a>>,
}
/// Keeps values between two limits: `y = minimum(maximum(x, min), max)`. Op tenon.clamp.
pub fn clamp<'a>(x: impl Into<Operand<'a>>) -> Clamp<'a> {
    Clamp { x: x.into(), min: None, max: None }
}
impl<'a> Clamp<'a> {
    pub fn min(mut self, min: impl Into<Operand<'a>>) -> Self { self.min = Some(min.into()); self }
    pub fn max(mut self, max: impl Into<Operand<'a>>) -> Self { self.max = Some(max.into()); self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 0]) {
        (
            [self.x.given(), self.min.given(), self.max.given()],
            [],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(58, 1, "tenon.clamp"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(58, 1, "tenon.clamp"), &inputs, &attributes, out)
    }
}
/// Makes gradients shorter, in place, and gives the norm they had together, in their dtype. Op
/// tenon.clip_grad_norm.
#[must_use = "nothing is done before `call`"]
pub struct ClipGradNorm<'a> {
    grads: Tensors<'a>,
    max_norm: f64,
    norm: f64,
    each: bool,
}
/// Makes gradients shorter, in place, and gives the norm they had together, in their dtype. Op
/// tenon.clip_grad_norm.
pub fn clip_grad_norm<'a>(grads: impl Into<Tensors<'a>>, max_norm: f64) -> ClipGradNorm<'a> {
    ClipGradNorm { grads: grads.into(), max_norm, norm: 2.0, each: false }
}
impl<'a> ClipGradNorm<'a> {
    pub fn norm(mut self, norm: f64) -> Self { self.norm = norm; self }
    pub fn each(mut self, each: bool) -> Self { self.each = each; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.grads.given()],
            [self.max_norm.given(), self.norm.given(), self.each.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(59, 1, "tenon.clip_grad_norm"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(59, 1, "tenon.clip_grad_norm"), &inputs, &attributes, out)
    }
}
/// The cofactors of the square matrices that the last two dimensions hold: element `[i,j]` is
/// `(-1)^(i+j)` times the determinant of the matrix without row `i` and column `j`. Op
/// tenon.cofactors.
#[inline]
pub fn cofactors(x: &Tensor) -> Result<Tensor> {
    call_one(op(60, 1, "tenon.cofactors"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn cofactors_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(60, 1, "tenon.cofactors"), &[x.given()], &[], out)
}
/// Zeros of the shape `[N, C, size...]`, to which each column of `x`, `[N, C taps, windows]`, is
/// added at the places of its window; what lies in the padding is left out. Op tenon.col2im.
#[must_use = "nothing is done before `call`"]
pub struct Col2im<'a> {
    x: &'a Tensor,
    size: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    auto_pad: &'a str,
}
/// Zeros of the shape `[N, C, size...]`, to which each column of `x`, `[N, C taps, windows]`, is
/// added at the places of its window; what lies in the padding is left out. Op tenon.col2im.
pub fn col2im<'a>(x: &'a Tensor, size: impl Into<Ints>, kernel: impl Into<Ints>) -> Col2im<'a> {
    Col2im {
        x,
        size: size.into(),
        kernel: kernel.into(),
        stride: Ints::from([1]),
        padding: Ints::from([0]),
        dilation: Ints::from([1]),
        auto_pad: "none",
    }
}
impl<'a> Col2im<'a> {
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self { self.stride = stride.into(); self }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
        self.dilation = dilation.into();
        self
    }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 6]) {
        (
            [self.x.given()],
            [self.size.given(), self.kernel.given(), self.stride.given(), self.padding.given(),
                self.dilation.given(), self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(61, 1, "tenon.col2im"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(61, 1, "tenon.col2im"), &inputs, &attributes, out)
    }
}
/// The tensors `xs`, one after another along `axis`. Op tenon.concat.
#[must_use = "nothing is done before `call`"]
pub struct Concat<'a> {
    xs: Tensors<'a>,
    axis: i64,
}
/// The tensors `xs`, one after another along `axis`. Op tenon.concat.
pub fn concat<'a>(xs: impl Into<Tensors<'a>>) -> Concat<'a> {
    Concat { xs: xs.into(), axis: 0 }
}
impl<'a> Concat<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.xs.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(62, 1, "tenon.concat"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(62, 1, "tenon.concat"), &inputs, &attributes, out)
    }
}
/// Convolution, or rather correlation, of images \[N,C,W\], \[N,C,H,W\] or \[N,C,D,H,W\]: `y[n,o,p]
/// = sum over c and t of weight[o,c,t] * x[n,c,p * stride - before + t * dilation] + bias[o]`,
/// where `t` goes over the places of a window and `p` over windows. Op tenon.conv.
#[must_use = "nothing is done before `call`"]
pub struct Conv<'a> {
    x: &'a Tensor,
    weight: &'a Tensor,
    bias: Option<&'a Tensor>,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: i64,
    auto_pad: &'a str,
}
/// Convolution, or rather correlation, of images \[N,C,W\], \[N,C,H,W\] or \[N,C,D,H,W\]: `y[n,o,p]
/// = sum over c and t of weight[o,c,t] * x[n,c,p * stride - before + t * dilation] + bias[o]`,
/// where `t` goes over the places of a window and `p` over windows. Op tenon.conv.
pub fn conv<'a>(x: &'a Tensor, weight: &'a Tensor) -> Conv<'a> {
    Conv {
        x,
        weight,
        bias: None,
        stride: Ints::from([1]),
        padding: Ints::from([0]),
        dilation: Ints::from([1]),
        groups: 1,
        auto_pad: "none",
    }
}
impl<'a> Conv<'a> {
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self { self.stride = stride.into(); self }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
        self.dilation = dilation.into();
        self
    }
    pub fn groups(mut self, groups: i64) -> Self { self.groups = groups; self }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 5]) {
        (
            [self.x.given(), self.weight.given(), self.bias.given()],
            [self.stride.given(), self.padding.given(), self.dilation.given(), self.groups.given(),
                self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(63, 1, "tenon.conv"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(63, 1, "tenon.conv"), &inputs, &attributes, out)
    }
}
/// The gradient of `tenon.conv` with respect to its image, and transposed convolution: `dx[n,c,i]`
/// is the sum of `weight[o,c,t] * dy[n,o,p]` over all `o`, `t` and `p` for which `p * stride -
/// before + t * dilation = i`. Op tenon.conv_input_grad.
#[must_use = "nothing is done before `call`"]
pub struct ConvInputGrad<'a> {
    dy: &'a Tensor,
    weight: &'a Tensor,
    size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: i64,
    auto_pad: &'a str,
}
/// The gradient of `tenon.conv` with respect to its image, and transposed convolution: `dx[n,c,i]`
/// is the sum of `weight[o,c,t] * dy[n,o,p]` over all `o`, `t` and `p` for which `p * stride -
/// before + t * dilation = i`. Op tenon.conv_input_grad.
pub fn conv_input_grad<'a>(
    dy: &'a Tensor,
    weight: &'a Tensor,
    size: impl Into<Ints>,
) -> ConvInputGrad<'a> {
    ConvInputGrad {
        dy,
        weight,
        size: size.into(),
        stride: Ints::from([1]),
        padding: Ints::from([0]),
        dilation: Ints::from([1]),
        groups: 1,
        auto_pad: "none",
    }
}
impl<'a> ConvInputGrad<'a> {
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self { self.stride = stride.into(); self }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
        self.dilation = dilation.into();
        self
    }
    pub fn groups(mut self, groups: i64) -> Self { self.groups = groups; self }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 6]) {
        (
            [self.dy.given(), self.weight.given()],
            [self.size.given(), self.stride.given(), self.padding.given(), self.dilation.given(),
                self.groups.given(), self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(64, 1, "tenon.conv_input_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(64, 1, "tenon.conv_input_grad"), &inputs, &attributes, out)
    }
}
/// The gradient of `tenon.conv` with respect to its weight: `y[o,c,t]` is the sum of `dy[n,o,p] *
/// x[n,c,p * stride - before + t * dilation]` over all images `n` and windows `p`, c within the
/// group. Op tenon.conv_weight_grad.
#[must_use = "nothing is done before `call`"]
pub struct ConvWeightGrad<'a> {
    dy: &'a Tensor,
    x: &'a Tensor,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: i64,
    auto_pad: &'a str,
}
/// The gradient of `tenon.conv` with respect to its weight: `y[o,c,t]` is the sum of `dy[n,o,p] *
/// x[n,c,p * stride - before + t * dilation]` over all images `n` and windows `p`, c within the
/// group. Op tenon.conv_weight_grad.
pub fn conv_weight_grad<'a>(
    dy: &'a Tensor,
    x: &'a Tensor,
    kernel: impl Into<Ints>,
) -> ConvWeightGrad<'a> {
    ConvWeightGrad {
        dy,
        x,
        kernel: kernel.into(),
        stride: Ints::from([1]),
        padding: Ints::from([0]),
        dilation: Ints::from([1]),
        groups: 1,
        auto_pad: "none",
    }
}
impl<'a> ConvWeightGrad<'a> {
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self { self.stride = stride.into(); self }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
        self.dilation = dilation.into();
        self
    }
    pub fn groups(mut self, groups: i64) -> Self { self.groups = groups; self }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 6]) {
        (
            [self.dy.given(), self.x.given()],
            [self.kernel.given(), self.stride.given(), self.padding.given(), self.dilation.given(),
                self.groups.given(), self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(65, 1, "tenon.conv_weight_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(65, 1, "tenon.conv_weight_grad"), &inputs, &attributes, out)
    }
}
/// The same elements in new storage: `y = x`. Op tenon.copy.
#[inline]
pub fn copy(x: &Tensor) -> Result<Tensor> {
    call_one(op(66, 1, "tenon.copy"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn copy_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(66, 1, "tenon.copy"), &[x.given()], &[], out)
}
/// The cosine of an angle in radians: `y = cos(x)`. Op tenon.cos.
#[inline]
pub fn cos(x: &Tensor) -> Result<Tensor> {
    call_one(op(67, 1, "tenon.cos"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn cos_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(67, 1, "tenon.cos"), &[x.given()], &[], out)
}
/// The hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`. Op tenon.cosh.
#[inline]
pub fn cosh(x: &Tensor) -> Result<Tensor> {
    call_one(op(68, 1, "tenon.cosh"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn cosh_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(68, 1, "tenon.cosh"), &[x.given()], &[], out)
}
/// For each pair of vectors `a` and `b` of `[N,D]`, or the one pair of `[D]`, with `cos = sum(a *
/// b) / (sqrt(sum(a * a) + 1e-12) * sqrt(sum(b * b) + 1e-12))`: `1 - cos` where `target` is 1,
/// `max(cos - margin, 0)` where it is -1, and 0 where it is another number. Op
/// tenon.cosine_embedding_loss.
#[must_use = "nothing is done before `call`"]
pub struct CosineEmbeddingLoss<'a> {
    a: &'a Tensor,
    b: &'a Tensor,
    target: &'a Tensor,
    reduction: &'a str,
    margin: f64,
}
/// For each pair of vectors `a` and `b` of `[N,D]`, or the one pair of `[D]`, with `cos = sum(a *
/// b) / (sqrt(sum(a * a) + 1e-12) * sqrt(sum(b * b) + 1e-12))`: `1 - cos` where `target` is 1,
/// `max(cos - margin, 0)` where it is -1, and 0 where it is another number. Op
/// tenon.cosine_embedding_loss.
pub fn cosine_embedding_loss<'a>(
    a: &'a Tensor,
    b: &'a Tensor,
    target: &'a Tensor,
) -> CosineEmbeddingLoss<'a> {
    CosineEmbeddingLoss { a, b, target, reduction: "mean", margin: 0.0 }
}
impl<'a> CosineEmbeddingLoss<'a> {
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    pub fn margin(mut self, margin: f64) -> Self { self.margin = margin; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 2]) {
        (
            [self.a.given(), self.b.given(), self.target.given()],
            [self.reduction.given(), self.margin.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(69, 1, "tenon.cosine_embedding_loss"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(69, 1, "tenon.cosine_embedding_loss"), &inputs, &attributes, out)
    }
}
/// The cosine of the angle between the vectors that lie along `axis`: `y = sum(a / max(|a|, eps) *
/// (b / max(|b|, eps)))`, with the lengths `|a|` and `|b|` as in `tenon.norm`. Op
/// tenon.cosine_similarity.
#[must_use = "nothing is done before `call`"]
pub struct CosineSimilarity<'a> {
    a: &'a Tensor,
    b: &'a Tensor,
    axis: i64,
    eps: f64,
}
/// The cosine of the angle between the vectors that lie along `axis`: `y = sum(a / max(|a|, eps) *
/// (b / max(|b|, eps)))`, with the lengths `|a|` and `|b|` as in `tenon.norm`. Op
/// tenon.cosine_similarity.
pub fn cosine_similarity<'a>(a: &'a Tensor, b: &'a Tensor) -> CosineSimilarity<'a> {
    CosineSimilarity { a, b, axis: 1, eps: 1e-08 }
}
impl<'a> CosineSimilarity<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.a.given(), self.b.given()],
            [self.axis.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(70, 1, "tenon.cosine_similarity"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(70, 1, "tenon.cosine_similarity"), &inputs, &attributes, out)
    }
}
/// How many elements over `axes` are not zero (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.count_nonzero.
#[must_use = "nothing is done before `call`"]
pub struct CountNonzero<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// How many elements over `axes` are not zero (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.count_nonzero.
pub fn count_nonzero<'a>(x: &'a Tensor) -> CountNonzero<'a> {
    CountNonzero { x, axes: None, keepdims: false }
}
impl<'a> CountNonzero<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(71, 1, "tenon.count_nonzero"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(71, 1, "tenon.count_nonzero"), &inputs, &attributes, out)
    }
}
/// The connectionist temporal classification loss: the negative logarithm of the probability that
/// frames give a sequence of labels, whichever frame gives which. Op tenon.ctc_loss.
#[must_use = "nothing is done before `call`"]
pub struct CtcLoss<'a> {
    log_probs: &'a Tensor,
    targets: &'a Tensor,
    input_lengths: &'a Tensor,
    target_lengths: &'a Tensor,
    blank: i64,
    reduction: &'a str,
    zero_infinity: bool,
}
/// The connectionist temporal classification loss: the negative logarithm of the probability that
/// frames give a sequence of labels, whichever frame gives which. Op tenon.ctc_loss.
pub fn ctc_loss<'a>(
    log_probs: &'a Tensor,
    targets: &'a Tensor,
    input_lengths: &'a Tensor,
    target_lengths: &'a Tensor,
) -> CtcLoss<'a> {
    CtcLoss {
        log_probs,
        targets,
        input_lengths,
        target_lengths,
        blank: 0,
        reduction: "mean",
        zero_infinity: false,
    }
}
impl<'a> CtcLoss<'a> {
    pub fn blank(mut self, blank: i64) -> Self { self.blank = blank; self }
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    pub fn zero_infinity(mut self, zero_infinity: bool) -> Self {
        self.zero_infinity = zero_infinity;
        self
    }
    fn values(&self) -> ([tenon_value; 4], [tenon_value; 3]) {
        (
            [self.log_probs.given(), self.targets.given(), self.input_lengths.given(),
                self.target_lengths.given()],
            [self.blank.given(), self.reduction.given(), self.zero_infinity.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(72, 1, "tenon.ctc_loss"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(72, 1, "tenon.ctc_loss"), &inputs, &attributes, out)
    }
}
/// The negative logarithm of the probability of each sequence of labels: `y[b] = -log sum over
/// alignments of exp(sum_t log_probs[t,b,z_t])`, as `tenon.ctc_loss` takes it, which is this op and
/// a reduction. Op tenon.ctc_nll.
#[must_use = "nothing is done before `call`"]
pub struct CtcNll<'a> {
    log_probs: &'a Tensor,
    targets: &'a Tensor,
    input_lengths: &'a Tensor,
    target_lengths: &'a Tensor,
    blank: i64,
    zero_infinity: bool,
}
/// The negative logarithm of the probability of each sequence of labels: `y[b] = -log sum over
/// alignments of exp(sum_t log_probs[t,b,z_t])`, as `tenon.ctc_loss` takes it, which is this op and
/// a reduction. Op tenon.ctc_nll.
pub fn ctc_nll<'a>(
    log_probs: &'a Tensor,
    targets: &'a Tensor,
    input_lengths: &'a Tensor,
    target_lengths: &'a Tensor,
) -> CtcNll<'a> {
    CtcNll { log_probs, targets, input_lengths, target_lengths, blank: 0, zero_infinity: false }
}
impl<'a> CtcNll<'a> {
    pub fn blank(mut self, blank: i64) -> Self { self.blank = blank; self }
    pub fn zero_infinity(mut self, zero_infinity: bool) -> Self {
        self.zero_infinity = zero_infinity;
        self
    }
    fn values(&self) -> ([tenon_value; 4], [tenon_value; 2]) {
        (
            [self.log_probs.given(), self.targets.given(), self.input_lengths.given(),
                self.target_lengths.given()],
            [self.blank.given(), self.zero_infinity.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(73, 1, "tenon.ctc_nll"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(73, 1, "tenon.ctc_nll"), &inputs, &attributes, out)
    }
}
/// The gradient of `log_probs` in `tenon.ctc_nll`: `y[t,b,c]` is `-dy[b]` times the share of the
/// sequence's alignments, weighed by their probabilities, that emit class `c` in frame `t`. Op
/// tenon.ctc_nll_grad.
#[must_use = "nothing is done before `call`"]
pub struct CtcNllGrad<'a> {
    dy: &'a Tensor,
    log_probs: &'a Tensor,
    targets: &'a Tensor,
    input_lengths: &'a Tensor,
    target_lengths: &'a Tensor,
    blank: i64,
    zero_infinity: bool,
}
/// The gradient of `log_probs` in `tenon.ctc_nll`: `y[t,b,c]` is `-dy[b]` times the share of the
/// sequence's alignments, weighed by their probabilities, that emit class `c` in frame `t`. Op
/// tenon.ctc_nll_grad.
pub fn ctc_nll_grad<'a>(
    dy: &'a Tensor,
    log_probs: &'a Tensor,
    targets: &'a Tensor,
    input_lengths: &'a Tensor,
    target_lengths: &'a Tensor,
) -> CtcNllGrad<'a> {
    CtcNllGrad {
        dy,
        log_probs,
        targets,
        input_lengths,
        target_lengths,
        blank: 0,
        zero_infinity: false,
    }
}
impl<'a> CtcNllGrad<'a> {
    pub fn blank(mut self, blank: i64) -> Self { self.blank = blank; self }
    pub fn zero_infinity(mut self, zero_infinity: bool) -> Self {
        self.zero_infinity = zero_infinity;
        self
    }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 2]) {
        (
            [self.dy.given(), self.log_probs.given(), self.targets.given(),
                self.input_lengths.given(), self.target_lengths.given()],
            [self.blank.given(), self.zero_infinity.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(74, 1, "tenon.ctc_nll_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(74, 1, "tenon.ctc_nll_grad"), &inputs, &attributes, out)
    }
}
/// The largest of all elements up to and with each one along `axis`, and `indices`, where it was.
/// Op tenon.cummax.
#[inline]
pub fn cummax<'a>(x: &Tensor, axis: i64) -> Result<[Tensor; 2]> {
    call_all(op(75, 1, "tenon.cummax"), &[x.given()], &[axis.given()])
}
/// The smallest of all elements up to and with each one along `axis`, and `indices`, where it was.
/// Op tenon.cummin.
#[inline]
pub fn cummin<'a>(x: &Tensor, axis: i64) -> Result<[Tensor; 2]> {
    call_all(op(76, 1, "tenon.cummin"), &[x.given()], &[axis.given()])
}
/// The products of all elements up to and with each one along `axis`: `y[i] = x[0] * ... * x[i]`.
/// Op tenon.cumprod.
#[must_use = "nothing is done before `call`"]
pub struct Cumprod<'a> {
    x: &'a Tensor,
    axis: i64,
    reverse: bool,
    exclusive: bool,
}
/// The products of all elements up to and with each one along `axis`: `y[i] = x[0] * ... * x[i]`.
/// Op tenon.cumprod.
pub fn cumprod<'a>(x: &'a Tensor, axis: i64) -> Cumprod<'a> {
    Cumprod { x, axis, reverse: false, exclusive: false }
}
impl<'a> Cumprod<'a> {
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn exclusive(mut self, exclusive: bool) -> Self { self.exclusive = exclusive; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axis.given(), self.reverse.given(), self.exclusive.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(77, 1, "tenon.cumprod"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(77, 1, "tenon.cumprod"), &inputs, &attributes, out)
    }
}
/// The sums of all elements up to and with each one along `axis`: `y[i] = x[0] + ... + x[i]`. Op
/// tenon.cumsum.
#[must_use = "nothing is done before `call`"]
pub struct Cumsum<'a> {
    x: &'a Tensor,
    axis: i64,
    reverse: bool,
    exclusive: bool,
}
/// The sums of all elements up to and with each one along `axis`: `y[i] = x[0] + ... + x[i]`. Op
/// tenon.cumsum.
pub fn cumsum<'a>(x: &'a Tensor, axis: i64) -> Cumsum<'a> {
    Cumsum { x, axis, reverse: false, exclusive: false }
}
impl<'a> Cumsum<'a> {
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn exclusive(mut self, exclusive: bool) -> Self { self.exclusive = exclusive; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axis.given(), self.reverse.given(), self.exclusive.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(78, 1, "tenon.cumsum"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(78, 1, "tenon.cumsum"), &inputs, &attributes, out)
    }
}
/// The determinants of the square matrices that the last two dimensions hold: the product of the
/// pivots of an elimination with the largest pivot of each column, whose sign each exchange of rows
/// turns. Op tenon.det.
#[inline]
pub fn det(x: &Tensor) -> Result<Tensor> {
    call_one(op(79, 1, "tenon.det"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn det_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(79, 1, "tenon.det"), &[x.given()], &[], out)
}
/// The diagonals of the matrices that `axis0` and `axis1` of `x` span, by default the last two: the
/// elements whose place along `axis1` is that along `axis0` plus `offset`. Op tenon.diagonal.
#[must_use = "nothing is done before `call`"]
pub struct Diagonal<'a> {
    x: &'a Tensor,
    offset: i64,
    axis0: i64,
    axis1: i64,
}
/// The diagonals of the matrices that `axis0` and `axis1` of `x` span, by default the last two: the
/// elements whose place along `axis1` is that along `axis0` plus `offset`. Op tenon.diagonal.
pub fn diagonal<'a>(x: &'a Tensor) -> Diagonal<'a> {
    Diagonal { x, offset: 0, axis0: -2, axis1: -1 }
}
impl<'a> Diagonal<'a> {
    pub fn offset(mut self, offset: i64) -> Self { self.offset = offset; self }
    pub fn axis0(mut self, axis0: i64) -> Self { self.axis0 = axis0; self }
    pub fn axis1(mut self, axis1: i64) -> Self { self.axis1 = axis1; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.offset.given(), self.axis0.given(), self.axis1.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(80, 1, "tenon.diagonal"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(80, 1, "tenon.diagonal"), &inputs, &attributes, out)
    }
}
/// The slope of the logarithm of the gamma function: `y = Gamma'(x) / Gamma(x)`. Op tenon.digamma.
#[inline]
pub fn digamma(x: &Tensor) -> Result<Tensor> {
    call_one(op(81, 1, "tenon.digamma"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn digamma_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(81, 1, "tenon.digamma"), &[x.given()], &[], out)
}
/// The quotient: `y = a / b`. Op tenon.div.
#[inline]
pub fn div<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(82, 1, "tenon.div"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn div_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(82, 1, "tenon.div"), &[a.given(), b.given()], &[], out)
}
/// The inner product of two vectors of one length: `y = sum_n a[n] b[n]`. Op tenon.dot.
#[inline]
pub fn dot<'a>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    call_one(op(83, 1, "tenon.dot"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn dot_into<'a>(a: &Tensor, b: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(83, 1, "tenon.dot"), &[a.given(), b.given()], &[], out)
}
/// Leaves out each element with the probability `p`, and scales the others so that the mean stays:
/// `y[i] = x[i] * s` where `u(i) >= p`, else 0, with `s = 1 / (1 - p)` and `u` as in an f32
/// `tenon.uniform`. Op tenon.dropout.
#[must_use = "nothing is done before `call`"]
pub struct Dropout<'a> {
    x: &'a Tensor,
    p: f64,
}
/// Leaves out each element with the probability `p`, and scales the others so that the mean stays:
/// `y[i] = x[i] * s` where `u(i) >= p`, else 0, with `s = 1 / (1 - p)` and `u` as in an f32
/// `tenon.uniform`. Op tenon.dropout.
pub fn dropout<'a>(x: &'a Tensor) -> Dropout<'a> {
    Dropout { x, p: 0.5 }
}
impl<'a> Dropout<'a> {
    pub fn p(mut self, p: f64) -> Self { self.p = p; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.p.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(84, 1, "tenon.dropout"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(84, 1, "tenon.dropout"), &inputs, &attributes, out)
    }
}
/// Eigenvalues `w`, ascending, and eigenvectors, the columns of the orthogonal `v`, of the
/// symmetric matrices that the last two dimensions hold: `x v = v diag(w)`. Op tenon.eigh.
#[inline]
pub fn eigh(x: &Tensor) -> Result<[Tensor; 2]> {
    call_all(op(85, 1, "tenon.eigh"), &[x.given()], &[])
}
/// Sums of products by an equation. Op tenon.einsum.
#[inline]
pub fn einsum<'a>(xs: impl Into<Tensors<'a>>, equation: &str) -> Result<Tensor> {
    let xs: Tensors<'a> = xs.into();
    call_one(op(86, 1, "tenon.einsum"), &[xs.given()], &[equation.given()])
}
/// The same, written into `out`.
#[inline]
pub fn einsum_into<'a>(xs: impl Into<Tensors<'a>>, equation: &str, out: &Tensor) -> Result<()> {
    let xs: Tensors<'a> = xs.into();
    call_into(op(86, 1, "tenon.einsum"), &[xs.given()], &[equation.given()], out)
}
/// The exponential linear unit: `y = x` where `x > 0`, else `alpha * (exp(x) - 1)`. Op tenon.elu.
#[must_use = "nothing is done before `call`"]
pub struct Elu<'a> {
    x: &'a Tensor,
    alpha: f64,
}
/// The exponential linear unit: `y = x` where `x > 0`, else `alpha * (exp(x) - 1)`. Op tenon.elu.
pub fn elu<'a>(x: &'a Tensor) -> Elu<'a> {
    Elu { x, alpha: 1.0 }
}
impl<'a> Elu<'a> {
    pub fn alpha(mut self, alpha: f64) -> Self { self.alpha = alpha; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.alpha.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(87, 1, "tenon.elu"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(87, 1, "tenon.elu"), &inputs, &attributes, out)
    }
}
/// Rows of `table` picked by `indices`: the result has the shape of `indices` and the width of the
/// table. Op tenon.embedding.
#[inline]
pub fn embedding(table: &Tensor, indices: &Tensor) -> Result<Tensor> {
    call_one(op(88, 1, "tenon.embedding"), &[table.given(), indices.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn embedding_into(table: &Tensor, indices: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(88, 1, "tenon.embedding"), &[table.given(), indices.given()], &[], out)
}
/// Equality: `y = a == b`. Op tenon.eq.
#[inline]
pub fn eq<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(89, 1, "tenon.eq"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn eq_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(89, 1, "tenon.eq"), &[a.given(), b.given()], &[], out)
}
/// The error function: `y = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x`. Op tenon.erf.
#[inline]
pub fn erf(x: &Tensor) -> Result<Tensor> {
    call_one(op(90, 1, "tenon.erf"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn erf_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(90, 1, "tenon.erf"), &[x.given()], &[], out)
}
/// The number whose error function is `x`: `erf(y) = x`. Op tenon.erfinv.
#[inline]
pub fn erfinv(x: &Tensor) -> Result<Tensor> {
    call_one(op(91, 1, "tenon.erfinv"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn erfinv_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(91, 1, "tenon.erfinv"), &[x.given()], &[], out)
}
/// The natural exponential: `y = exp(x)`. Op tenon.exp.
#[inline]
pub fn exp(x: &Tensor) -> Result<Tensor> {
    call_one(op(92, 1, "tenon.exp"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn exp_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(92, 1, "tenon.exp"), &[x.given()], &[], out)
}
/// The power of 2: `y = 2^x`. Op tenon.exp2.
#[inline]
pub fn exp2(x: &Tensor) -> Result<Tensor> {
    call_one(op(93, 1, "tenon.exp2"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn exp2_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(93, 1, "tenon.exp2"), &[x.given()], &[], out)
}
/// `x` broadcast to `shape`: dimensions of size 1 are repeated, new dimensions are put in front. Op
/// tenon.expand.
#[inline]
pub fn expand(x: &Tensor, shape: impl Into<Ints>) -> Result<Tensor> {
    let shape: Ints = shape.into();
    call_one(op(94, 1, "tenon.expand"), &[x.given()], &[shape.given()])
}
/// The same, written into `out`.
#[inline]
pub fn expand_into(x: &Tensor, shape: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let shape: Ints = shape.into();
    call_into(op(94, 1, "tenon.expand"), &[x.given()], &[shape.given()], out)
}
/// The exponential less 1, exact where `x` is small: `y = exp(x) - 1`. Op tenon.expm1.
#[inline]
pub fn expm1(x: &Tensor) -> Result<Tensor> {
    call_one(op(95, 1, "tenon.expm1"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn expm1_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(95, 1, "tenon.expm1"), &[x.given()], &[], out)
}
/// Random numbers, exponentially distributed with the mean `1 / rate`: `y[i] = -ln(u(i) + e) /
/// rate`, where `u` is as in `tenon.uniform` and `e` is 2^-24 for f32 and 2^-53 for f64. Op
/// tenon.exponential.
#[must_use = "nothing is done before `call`"]
pub struct Exponential {
    shape: Ints,
    rate: f64,
    dtype: Dtype,
}
/// Random numbers, exponentially distributed with the mean `1 / rate`: `y[i] = -ln(u(i) + e) /
/// rate`, where `u` is as in `tenon.uniform` and `e` is 2^-24 for f32 and 2^-53 for f64. Op
/// tenon.exponential.
pub fn exponential(shape: impl Into<Ints>) -> Exponential {
    Exponential { shape: shape.into(), rate: 1.0, dtype: Dtype::F32 }
}
impl Exponential {
    pub fn rate(mut self, rate: f64) -> Self { self.rate = rate; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 3]) {
        (
            [],
            [self.shape.given(), self.rate.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(96, 1, "tenon.exponential"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(96, 1, "tenon.exponential"), &inputs, &attributes, out)
    }
}
/// A matrix of `n` rows and `m` columns (none: `n`) with ones on the diagonal number `k` and zeros
/// elsewhere: `y[i, j] = 1` where `j - i = k`. Op tenon.eye.
#[must_use = "nothing is done before `call`"]
pub struct Eye {
    n: i64,
    m: Option<i64>,
    k: i64,
    dtype: Dtype,
}
/// A matrix of `n` rows and `m` columns (none: `n`) with ones on the diagonal number `k` and zeros
/// elsewhere: `y[i, j] = 1` where `j - i = k`. Op tenon.eye.
pub fn eye(n: i64) -> Eye {
    Eye { n, m: None, k: 0, dtype: Dtype::F32 }
}
impl Eye {
    pub fn m(mut self, m: i64) -> Self { self.m = Some(m); self }
    pub fn k(mut self, k: i64) -> Self { self.k = k; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 4]) {
        (
            [],
            [self.n.given(), self.m.given(), self.k.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(97, 1, "tenon.eye"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(97, 1, "tenon.eye"), &inputs, &attributes, out)
    }
}
/// Logits divided by `temperature`, and -inf for tokens that may not be drawn. Op
/// tenon.filter_logits.
#[must_use = "nothing is done before `call`"]
pub struct FilterLogits<'a> {
    logits: &'a Tensor,
    temperature: f64,
    top_k: i64,
    top_p: f64,
    min_p: f64,
}
/// Logits divided by `temperature`, and -inf for tokens that may not be drawn. Op
/// tenon.filter_logits.
pub fn filter_logits<'a>(logits: &'a Tensor) -> FilterLogits<'a> {
    FilterLogits { logits, temperature: 1.0, top_k: 0, top_p: 1.0, min_p: 0.0 }
}
impl<'a> FilterLogits<'a> {
    pub fn temperature(mut self, temperature: f64) -> Self { self.temperature = temperature; self }
    pub fn top_k(mut self, top_k: i64) -> Self { self.top_k = top_k; self }
    pub fn top_p(mut self, top_p: f64) -> Self { self.top_p = top_p; self }
    pub fn min_p(mut self, min_p: f64) -> Self { self.min_p = min_p; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 4]) {
        (
            [self.logits.given()],
            [self.temperature.given(), self.top_k.given(), self.top_p.given(), self.min_p.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(98, 1, "tenon.filter_logits"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(98, 1, "tenon.filter_logits"), &inputs, &attributes, out)
    }
}
/// `x` with the dimensions from `start_axis` to `end_axis`, both included, merged into one; by
/// default all of them. Op tenon.flatten.
#[must_use = "nothing is done before `call`"]
pub struct Flatten<'a> {
    x: &'a Tensor,
    start_axis: i64,
    end_axis: i64,
}
/// `x` with the dimensions from `start_axis` to `end_axis`, both included, merged into one; by
/// default all of them. Op tenon.flatten.
pub fn flatten<'a>(x: &'a Tensor) -> Flatten<'a> {
    Flatten { x, start_axis: 0, end_axis: -1 }
}
impl<'a> Flatten<'a> {
    pub fn start_axis(mut self, start_axis: i64) -> Self { self.start_axis = start_axis; self }
    pub fn end_axis(mut self, end_axis: i64) -> Self { self.end_axis = end_axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.start_axis.given(), self.end_axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(99, 1, "tenon.flatten"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(99, 1, "tenon.flatten"), &inputs, &attributes, out)
    }
}
/// The elements of `x` in reverse order along each of `axes` (none: along all of them; an empty
/// list: along none). Op tenon.flip.
#[must_use = "nothing is done before `call`"]
pub struct Flip<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
}
/// The elements of `x` in reverse order along each of `axes` (none: along all of them; an empty
/// list: along none). Op tenon.flip.
pub fn flip<'a>(x: &'a Tensor) -> Flip<'a> {
    Flip { x, axes: None }
}
impl<'a> Flip<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.axes.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(100, 1, "tenon.flip"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(100, 1, "tenon.flip"), &inputs, &attributes, out)
    }
}
/// The largest whole number that is not above `x`. Op tenon.floor.
#[inline]
pub fn floor(x: &Tensor) -> Result<Tensor> {
    call_one(op(101, 1, "tenon.floor"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn floor_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(101, 1, "tenon.floor"), &[x.given()], &[], out)
}
/// The quotient rounded down: `y = floor(a / b)`. Op tenon.floor_divide.
#[inline]
pub fn floor_divide<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(102, 1, "tenon.floor_divide"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn floor_divide_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(102, 1, "tenon.floor_divide"), &[a.given(), b.given()], &[], out)
}
/// A product and a sum, rounded once: `y = a * b + c`. Op tenon.fma.
#[inline]
pub fn fma<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    c: impl Into<Operand<'a>>,
) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    let c: Operand<'a> = c.into();
    call_one(op(103, 1, "tenon.fma"), &[a.given(), b.given(), c.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn fma_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    c: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    let c: Operand<'a> = c.into();
    call_into(op(103, 1, "tenon.fma"), &[a.given(), b.given(), c.given()], &[], out)
}
/// A new tensor of the given shape and dtype: `y[...] = value`. Op tenon.full.
#[must_use = "nothing is done before `call`"]
pub struct Full {
    shape: Ints,
    value: Number,
    dtype: Dtype,
}
/// A new tensor of the given shape and dtype: `y[...] = value`. Op tenon.full.
pub fn full(shape: impl Into<Ints>) -> Full {
    Full { shape: shape.into(), value: Number::from(0), dtype: Dtype::F32 }
}
impl Full {
    pub fn value(mut self, value: impl Into<Number>) -> Self { self.value = value.into(); self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 3]) {
        (
            [],
            [self.shape.given(), self.value.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(104, 1, "tenon.full"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(104, 1, "tenon.full"), &inputs, &attributes, out)
    }
}
/// A new tensor with the shape, the dtype and the device of `x`, and one value everywhere: `y[...]
/// = value`. Op tenon.full_like.
#[must_use = "nothing is done before `call`"]
pub struct FullLike<'a> {
    x: &'a Tensor,
    value: Number,
}
/// A new tensor with the shape, the dtype and the device of `x`, and one value everywhere: `y[...]
/// = value`. Op tenon.full_like.
pub fn full_like<'a>(x: &'a Tensor) -> FullLike<'a> {
    FullLike { x, value: Number::from(0) }
}
impl<'a> FullLike<'a> {
    pub fn value(mut self, value: impl Into<Number>) -> Self { self.value = value.into(); self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.value.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(105, 1, "tenon.full_like"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(105, 1, "tenon.full_like"), &inputs, &attributes, out)
    }
}
/// `y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis` and `a`, `b` over the
/// dimensions before and after it. Op tenon.gather.
#[must_use = "nothing is done before `call`"]
pub struct Gather<'a> {
    x: &'a Tensor,
    indices: &'a Tensor,
    axis: i64,
    from_end: bool,
}
/// `y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis` and `a`, `b` over the
/// dimensions before and after it. Op tenon.gather.
pub fn gather<'a>(x: &'a Tensor, indices: &'a Tensor, axis: i64) -> Gather<'a> {
    Gather { x, indices, axis, from_end: false }
}
impl<'a> Gather<'a> {
    pub fn from_end(mut self, from_end: bool) -> Self { self.from_end = from_end; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.x.given(), self.indices.given()],
            [self.axis.given(), self.from_end.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(106, 1, "tenon.gather"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(106, 1, "tenon.gather"), &inputs, &attributes, out)
    }
}
/// Greater than or equal: `y = a >= b`. Op tenon.ge.
#[inline]
pub fn ge<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(107, 1, "tenon.ge"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn ge_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(107, 1, "tenon.ge"), &[a.given(), b.given()], &[], out)
}
/// The gated unit of Gemma and T5. Op tenon.geglu.
#[must_use = "nothing is done before `call`"]
pub struct Geglu<'a> {
    x: &'a Tensor,
    axis: i64,
    approximate: &'a str,
}
/// The gated unit of Gemma and T5. Op tenon.geglu.
pub fn geglu<'a>(x: &'a Tensor) -> Geglu<'a> {
    Geglu { x, axis: -1, approximate: "none" }
}
impl<'a> Geglu<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    pub fn approximate(mut self, approximate: &'a str) -> Self {
        self.approximate = approximate;
        self
    }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axis.given(), self.approximate.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(108, 1, "tenon.geglu"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(108, 1, "tenon.geglu"), &inputs, &attributes, out)
    }
}
/// The gradient of `tenon.geglu` for its operand, both halves of it: `y = [dy * b * gelu'(a) | dy *
/// gelu(a)]` along `axis`, with `approximate` as in `tenon.gelu`. Op tenon.geglu_grad.
#[must_use = "nothing is done before `call`"]
pub struct GegluGrad<'a> {
    dy: &'a Tensor,
    x: &'a Tensor,
    axis: i64,
    approximate: &'a str,
}
/// The gradient of `tenon.geglu` for its operand, both halves of it: `y = [dy * b * gelu'(a) | dy *
/// gelu(a)]` along `axis`, with `approximate` as in `tenon.gelu`. Op tenon.geglu_grad.
pub fn geglu_grad<'a>(dy: &'a Tensor, x: &'a Tensor) -> GegluGrad<'a> {
    GegluGrad { dy, x, axis: -1, approximate: "none" }
}
impl<'a> GegluGrad<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    pub fn approximate(mut self, approximate: &'a str) -> Self {
        self.approximate = approximate;
        self
    }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.dy.given(), self.x.given()],
            [self.axis.given(), self.approximate.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(109, 1, "tenon.geglu_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(109, 1, "tenon.geglu_grad"), &inputs, &attributes, out)
    }
}
/// The Gaussian error linear unit: `y = x * P(x)`, with `P` the distribution function of the normal
/// distribution, `P(x) = (1 + erf(x / sqrt(2))) / 2`. Op tenon.gelu.
#[must_use = "nothing is done before `call`"]
pub struct Gelu<'a> {
    x: &'a Tensor,
    approximate: &'a str,
}
/// The Gaussian error linear unit: `y = x * P(x)`, with `P` the distribution function of the normal
/// distribution, `P(x) = (1 + erf(x / sqrt(2))) / 2`. Op tenon.gelu.
pub fn gelu<'a>(x: &'a Tensor) -> Gelu<'a> {
    Gelu { x, approximate: "none" }
}
impl<'a> Gelu<'a> {
    pub fn approximate(mut self, approximate: &'a str) -> Self {
        self.approximate = approximate;
        self
    }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.approximate.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(110, 1, "tenon.gelu"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(110, 1, "tenon.gelu"), &inputs, &attributes, out)
    }
}
/// The gradient of `tenon.gelu` for its operand: `y = dy * (P(x) + x * P'(x))`, with `P` as
/// `approximate` says. Op tenon.gelu_grad.
#[must_use = "nothing is done before `call`"]
pub struct GeluGrad<'a> {
    dy: Operand<'a>,
    x: Operand<'a>,
    approximate: &'a str,
}
/// The gradient of `tenon.gelu` for its operand: `y = dy * (P(x) + x * P'(x))`, with `P` as
/// `approximate` says. Op tenon.gelu_grad.
pub fn gelu_grad<'a>(dy: impl Into<Operand<'a>>, x: impl Into<Operand<'a>>) -> GeluGrad<'a> {
    GeluGrad { dy: dy.into(), x: x.into(), approximate: "none" }
}
impl<'a> GeluGrad<'a> {
    pub fn approximate(mut self, approximate: &'a str) -> Self {
        self.approximate = approximate;
        self
    }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.dy.given(), self.x.given()],
            [self.approximate.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(111, 1, "tenon.gelu_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(111, 1, "tenon.gelu_grad"), &inputs, &attributes, out)
    }
}
/// The gated linear unit. Op tenon.glu.
#[must_use = "nothing is done before `call`"]
pub struct Glu<'a> {
    x: &'a Tensor,
    axis: i64,
}
/// The gated linear unit. Op tenon.glu.
pub fn glu<'a>(x: &'a Tensor) -> Glu<'a> {
    Glu { x, axis: -1 }
}
impl<'a> Glu<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(112, 1, "tenon.glu"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(112, 1, "tenon.glu"), &inputs, &attributes, out)
    }
}
/// The gradient of `tenon.glu` for its operand, both halves of it: with `s = sigmoid(b)`, `y = [dy
/// * s | dy * a * s * (1 - s)]` along `axis`. Op tenon.glu_grad.
#[must_use = "nothing is done before `call`"]
pub struct GluGrad<'a> {
    dy: &'a Tensor,
    x: &'a Tensor,
    axis: i64,
}
/// The gradient of `tenon.glu` for its operand, both halves of it: with `s = sigmoid(b)`, `y = [dy
/// * s | dy * a * s * (1 - s)]` along `axis`. Op tenon.glu_grad.
pub fn glu_grad<'a>(dy: &'a Tensor, x: &'a Tensor) -> GluGrad<'a> {
    GluGrad { dy, x, axis: -1 }
}
impl<'a> GluGrad<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.dy.given(), self.x.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(113, 1, "tenon.glu_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(113, 1, "tenon.glu_grad"), &inputs, &attributes, out)
    }
}
/// Normalises groups of neighbouring channels of each sample of `x`, whose second dimension counts
/// the channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x -
/// m)^2) + eps)` over the `C / groups` channels of a group and all dimensions after the second. Op
/// tenon.group_norm.
#[must_use = "nothing is done before `call`"]
pub struct GroupNorm<'a> {
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    groups: i64,
    eps: f64,
}
/// Normalises groups of neighbouring channels of each sample of `x`, whose second dimension counts
/// the channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x -
/// m)^2) + eps)` over the `C / groups` channels of a group and all dimensions after the second. Op
/// tenon.group_norm.
pub fn group_norm<'a>(x: &'a Tensor, groups: i64) -> GroupNorm<'a> {
    GroupNorm { x, weight: None, bias: None, groups, eps: 1e-05 }
}
impl<'a> GroupNorm<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 2]) {
        (
            [self.x.given(), self.weight.given(), self.bias.given()],
            [self.groups.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(114, 1, "tenon.group_norm"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(114, 1, "tenon.group_norm"), &inputs, &attributes, out)
    }
}
/// One layer of a GRU in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.gru.
#[must_use = "nothing is done before `call`"]
pub struct Gru<'a> {
    x: &'a Tensor,
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    reverse: bool,
    batch_first: bool,
    reset_after: bool,
}
/// One layer of a GRU in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.gru.
pub fn gru<'a>(x: &'a Tensor, w_ih: &'a Tensor, w_hh: &'a Tensor) -> Gru<'a> {
    Gru {
        x,
        w_ih,
        w_hh,
        h0: None,
        b_ih: None,
        b_hh: None,
        lengths: None,
        reverse: false,
        batch_first: false,
        reset_after: true,
    }
}
impl<'a> Gru<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    pub fn reset_after(mut self, reset_after: bool) -> Self { self.reset_after = reset_after; self }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 3]) {
        (
            [self.x.given(), self.w_ih.given(), self.w_hh.given(), self.h0.given(),
                self.b_ih.given(), self.b_hh.given(), self.lengths.given()],
            [self.reverse.given(), self.batch_first.given(), self.reset_after.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(115, 1, "tenon.gru"), &inputs, &attributes)
    }
}
/// One step of `tenon.gru`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if
/// absent). Op tenon.gru_cell.
#[must_use = "nothing is done before `call`"]
pub struct GruCell<'a> {
    x: &'a Tensor,
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    reset_after: bool,
}
/// One step of `tenon.gru`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if
/// absent). Op tenon.gru_cell.
pub fn gru_cell<'a>(x: &'a Tensor, w_ih: &'a Tensor, w_hh: &'a Tensor) -> GruCell<'a> {
    GruCell { x, w_ih, w_hh, h0: None, b_ih: None, b_hh: None, reset_after: true }
}
impl<'a> GruCell<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn reset_after(mut self, reset_after: bool) -> Self { self.reset_after = reset_after; self }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 1]) {
        (
            [self.x.given(), self.w_ih.given(), self.w_hh.given(), self.h0.given(),
                self.b_ih.given(), self.b_hh.given()],
            [self.reset_after.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(116, 1, "tenon.gru_cell"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(116, 1, "tenon.gru_cell"), &inputs, &attributes, out)
    }
}
/// The steps of a GRU, given what they make of their inputs: `gates` is `x w_ih^T`, for each step
/// of each sequence 3 H numbers, those of r, z and n in turn. Op tenon.gru_steps.
#[must_use = "nothing is done before `call`"]
pub struct GruSteps<'a> {
    gates: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    reverse: bool,
    batch_first: bool,
    reset_after: bool,
}
/// The steps of a GRU, given what they make of their inputs: `gates` is `x w_ih^T`, for each step
/// of each sequence 3 H numbers, those of r, z and n in turn. Op tenon.gru_steps.
pub fn gru_steps<'a>(gates: &'a Tensor, w_hh: &'a Tensor) -> GruSteps<'a> {
    GruSteps {
        gates,
        w_hh,
        h0: None,
        b_ih: None,
        b_hh: None,
        lengths: None,
        reverse: false,
        batch_first: false,
        reset_after: true,
    }
}
impl<'a> GruSteps<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    pub fn reset_after(mut self, reset_after: bool) -> Self { self.reset_after = reset_after; self }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 3]) {
        (
            [self.gates.given(), self.w_hh.given(), self.h0.given(), self.b_ih.given(),
                self.b_hh.given(), self.lengths.given()],
            [self.reverse.given(), self.batch_first.given(), self.reset_after.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(117, 1, "tenon.gru_steps"), &inputs, &attributes)
    }
}
/// The gradients of `tenon.gru_steps`, from `r, z, n, q` that it `kept`, the `states` that each
/// step found, and the gradients of its outputs; those that are absent are 0. Op
/// tenon.gru_steps_grad.
#[must_use = "nothing is done before `call`"]
pub struct GruStepsGrad<'a> {
    kept: &'a Tensor,
    states: &'a Tensor,
    w_hh: &'a Tensor,
    dy: Option<&'a Tensor>,
    dh_n: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    dkept: Option<&'a Tensor>,
    reverse: bool,
    batch_first: bool,
    reset_after: bool,
}
/// The gradients of `tenon.gru_steps`, from `r, z, n, q` that it `kept`, the `states` that each
/// step found, and the gradients of its outputs; those that are absent are 0. Op
/// tenon.gru_steps_grad.
pub fn gru_steps_grad<'a>(
    kept: &'a Tensor,
    states: &'a Tensor,
    w_hh: &'a Tensor,
) -> GruStepsGrad<'a> {
    GruStepsGrad {
        kept,
        states,
        w_hh,
        dy: None,
        dh_n: None,
        lengths: None,
        dkept: None,
        reverse: false,
        batch_first: false,
        reset_after: true,
    }
}
impl<'a> GruStepsGrad<'a> {
    pub fn dy(mut self, dy: &'a Tensor) -> Self { self.dy = Some(dy); self }
    pub fn dh_n(mut self, dh_n: &'a Tensor) -> Self { self.dh_n = Some(dh_n); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn dkept(mut self, dkept: &'a Tensor) -> Self { self.dkept = Some(dkept); self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    pub fn reset_after(mut self, reset_after: bool) -> Self { self.reset_after = reset_after; self }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 3]) {
        (
            [self.kept.given(), self.states.given(), self.w_hh.given(), self.dy.given(),
                self.dh_n.given(), self.lengths.given(), self.dkept.given()],
            [self.reverse.given(), self.batch_first.given(), self.reset_after.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(118, 1, "tenon.gru_steps_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(118, 1, "tenon.gru_steps_grad"), &inputs, &attributes, out)
    }
}
/// Greater than: `y = a > b`. Op tenon.gt.
#[inline]
pub fn gt<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(119, 1, "tenon.gt"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn gt_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(119, 1, "tenon.gt"), &[a.given(), b.given()], &[], out)
}
/// `y = x * min(max(x + 3, 0), 6) / 6`: 0 up to -3, `x` from 3 on. Op tenon.hardswish.
#[inline]
pub fn hardswish(x: &Tensor) -> Result<Tensor> {
    call_one(op(120, 1, "tenon.hardswish"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn hardswish_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(120, 1, "tenon.hardswish"), &[x.given()], &[], out)
}
/// With `d = x - target`: `d^2 / 2` where `|d| <= delta`, else `delta * (|d| - delta / 2)`; of
/// these the mean, with `reduction` "sum" the sum, with "none" each of them. Op tenon.huber_loss.
#[must_use = "nothing is done before `call`"]
pub struct HuberLoss<'a> {
    x: &'a Tensor,
    target: &'a Tensor,
    reduction: &'a str,
    delta: f64,
}
/// With `d = x - target`: `d^2 / 2` where `|d| <= delta`, else `delta * (|d| - delta / 2)`; of
/// these the mean, with `reduction` "sum" the sum, with "none" each of them. Op tenon.huber_loss.
pub fn huber_loss<'a>(x: &'a Tensor, target: &'a Tensor) -> HuberLoss<'a> {
    HuberLoss { x, target, reduction: "mean", delta: 1.0 }
}
impl<'a> HuberLoss<'a> {
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    pub fn delta(mut self, delta: f64) -> Self { self.delta = delta; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.x.given(), self.target.given()],
            [self.reduction.given(), self.delta.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(121, 1, "tenon.huber_loss"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(121, 1, "tenon.huber_loss"), &inputs, &attributes, out)
    }
}
/// The length of a vector of two: `y = sqrt(a^2 + b^2)`. Op tenon.hypot.
#[inline]
pub fn hypot<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(122, 1, "tenon.hypot"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn hypot_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(122, 1, "tenon.hypot"), &[a.given(), b.given()], &[], out)
}
/// The windows of images \[N,C,W\], \[N,C,H,W\] or \[N,C,D,H,W\] as columns: `[N, C taps,
/// windows]`. Op tenon.im2col.
#[must_use = "nothing is done before `call`"]
pub struct Im2col<'a> {
    x: &'a Tensor,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    auto_pad: &'a str,
}
/// The windows of images \[N,C,W\], \[N,C,H,W\] or \[N,C,D,H,W\] as columns: `[N, C taps,
/// windows]`. Op tenon.im2col.
pub fn im2col<'a>(x: &'a Tensor, kernel: impl Into<Ints>) -> Im2col<'a> {
    Im2col {
        x,
        kernel: kernel.into(),
        stride: Ints::from([1]),
        padding: Ints::from([0]),
        dilation: Ints::from([1]),
        auto_pad: "none",
    }
}
impl<'a> Im2col<'a> {
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self { self.stride = stride.into(); self }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
        self.dilation = dilation.into();
        self
    }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 5]) {
        (
            [self.x.given()],
            [self.kernel.given(), self.stride.given(), self.padding.given(), self.dilation.given(),
                self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(123, 1, "tenon.im2col"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(123, 1, "tenon.im2col"), &inputs, &attributes, out)
    }
}
/// `y[i..., b] = x[indices_0[i...], indices_1[i...], ..., b]`: one tensor of indices for each of
/// the first dimensions of `x`, broadcast together; `b` runs over the dimensions that are left. Op
/// tenon.index.
#[inline]
pub fn index<'a>(x: &Tensor, indices: impl Into<Tensors<'a>>) -> Result<Tensor> {
    let indices: Tensors<'a> = indices.into();
    call_one(op(124, 1, "tenon.index"), &[x.given(), indices.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn index_into<'a>(x: &Tensor, indices: impl Into<Tensors<'a>>, out: &Tensor) -> Result<()> {
    let indices: Tensors<'a> = indices.into();
    call_into(op(124, 1, "tenon.index"), &[x.given(), indices.given()], &[], out)
}
/// A copy of `x` with `y[indices_0[i...], indices_1[i...], ..., b] = values[i..., b]`: one tensor
/// of indices for each of the first dimensions of `x`, broadcast together; `b` runs over the
/// dimensions that are left. Op tenon.index_put.
#[must_use = "nothing is done before `call`"]
pub struct IndexPut<'a> {
    x: &'a Tensor,
    indices: Tensors<'a>,
    values: &'a Tensor,
    accumulate: bool,
}
/// A copy of `x` with `y[indices_0[i...], indices_1[i...], ..., b] = values[i..., b]`: one tensor
/// of indices for each of the first dimensions of `x`, broadcast together; `b` runs over the
/// dimensions that are left. Op tenon.index_put.
pub fn index_put<'a>(
    x: &'a Tensor,
    indices: impl Into<Tensors<'a>>,
    values: &'a Tensor,
) -> IndexPut<'a> {
    IndexPut { x, indices: indices.into(), values, accumulate: false }
}
impl<'a> IndexPut<'a> {
    pub fn accumulate(mut self, accumulate: bool) -> Self { self.accumulate = accumulate; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 1]) {
        (
            [self.x.given(), self.indices.given(), self.values.given()],
            [self.accumulate.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(125, 1, "tenon.index_put"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(125, 1, "tenon.index_put"), &inputs, &attributes, out)
    }
}
/// The slices of `x` that the vector `indices` names along `axis`: `tenon.take`, which also takes
/// indices of other ranks. Op tenon.index_select.
#[inline]
pub fn index_select<'a>(x: &Tensor, indices: &Tensor, axis: i64) -> Result<Tensor> {
    call_one(op(126, 1, "tenon.index_select"), &[x.given(), indices.given()], &[axis.given()])
}
/// The same, written into `out`.
#[inline]
pub fn index_select_into<'a>(x: &Tensor, indices: &Tensor, axis: i64, out: &Tensor) -> Result<()> {
    call_into(op(126, 1, "tenon.index_select"), &[x.given(), indices.given()], &[axis.given()], out)
}
/// Normalises each channel of each sample of `x` by itself, where the second dimension counts the
/// channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x -
/// m)^2) + eps)` over all dimensions after the second. Op tenon.instance_norm.
#[must_use = "nothing is done before `call`"]
pub struct InstanceNorm<'a> {
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    eps: f64,
}
/// Normalises each channel of each sample of `x` by itself, where the second dimension counts the
/// channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x -
/// m)^2) + eps)` over all dimensions after the second. Op tenon.instance_norm.
pub fn instance_norm<'a>(x: &'a Tensor) -> InstanceNorm<'a> {
    InstanceNorm { x, weight: None, bias: None, eps: 1e-05 }
}
impl<'a> InstanceNorm<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 1]) {
        (
            [self.x.given(), self.weight.given(), self.bias.given()],
            [self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(127, 1, "tenon.instance_norm"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(127, 1, "tenon.instance_norm"), &inputs, &attributes, out)
    }
}
/// True where the element is a finite number: neither infinite nor NaN. Op tenon.isfinite.
#[inline]
pub fn isfinite(x: &Tensor) -> Result<Tensor> {
    call_one(op(128, 1, "tenon.isfinite"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn isfinite_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(128, 1, "tenon.isfinite"), &[x.given()], &[], out)
}
/// True where the element is an infinity of either sign. Op tenon.isinf.
#[inline]
pub fn isinf(x: &Tensor) -> Result<Tensor> {
    call_one(op(129, 1, "tenon.isinf"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn isinf_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(129, 1, "tenon.isinf"), &[x.given()], &[], out)
}
/// True where the element is NaN. Op tenon.isnan.
#[inline]
pub fn isnan(x: &Tensor) -> Result<Tensor> {
    call_one(op(130, 1, "tenon.isnan"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn isnan_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(130, 1, "tenon.isnan"), &[x.given()], &[], out)
}
/// The terms `target * (log(target) - x)` of the Kullback-Leibler divergence of probabilities
/// `target` from those whose logarithms `x` are, with `0 * log(0)` taken as 0. Op tenon.kl_div.
#[must_use = "nothing is done before `call`"]
pub struct KlDiv<'a> {
    x: &'a Tensor,
    target: &'a Tensor,
    reduction: &'a str,
    log_target: bool,
}
/// The terms `target * (log(target) - x)` of the Kullback-Leibler divergence of probabilities
/// `target` from those whose logarithms `x` are, with `0 * log(0)` taken as 0. Op tenon.kl_div.
pub fn kl_div<'a>(x: &'a Tensor, target: &'a Tensor) -> KlDiv<'a> {
    KlDiv { x, target, reduction: "mean", log_target: false }
}
impl<'a> KlDiv<'a> {
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    pub fn log_target(mut self, log_target: bool) -> Self { self.log_target = log_target; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.x.given(), self.target.given()],
            [self.reduction.given(), self.log_target.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(131, 1, "tenon.kl_div"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(131, 1, "tenon.kl_div"), &inputs, &attributes, out)
    }
}
/// The absolute differences `|x - target|`: their mean, with `reduction` "sum" their sum, with
/// "none" each of them. Op tenon.l1_loss.
#[must_use = "nothing is done before `call`"]
pub struct L1Loss<'a> {
    x: &'a Tensor,
    target: &'a Tensor,
    reduction: &'a str,
}
/// The absolute differences `|x - target|`: their mean, with `reduction` "sum" their sum, with
/// "none" each of them. Op tenon.l1_loss.
pub fn l1_loss<'a>(x: &'a Tensor, target: &'a Tensor) -> L1Loss<'a> {
    L1Loss { x, target, reduction: "mean" }
}
impl<'a> L1Loss<'a> {
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.x.given(), self.target.given()],
            [self.reduction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(132, 1, "tenon.l1_loss"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(132, 1, "tenon.l1_loss"), &inputs, &attributes, out)
    }
}
/// One step of LAMB on each parameter, in place. Op tenon.lamb_step.
#[must_use = "nothing is done before `call`"]
pub struct LambStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    exp_avg: Tensors<'a>,
    exp_avg_sq: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
}
/// One step of LAMB on each parameter, in place. Op tenon.lamb_step.
pub fn lamb_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    exp_avg_sq: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> LambStep<'a> {
    LambStep {
        params: params.into(),
        grads: grads.into(),
        exp_avg: exp_avg.into(),
        exp_avg_sq: exp_avg_sq.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-06,
        weight_decay: 0.01,
    }
}
impl<'a> LambStep<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 4]) {
        (
            [self.params.given(), self.grads.given(), self.exp_avg.given(), self.exp_avg_sq.given(),
                self.step.given(), self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.eps.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(133, 1, "tenon.lamb_step"), &inputs, &attributes).map(|_| ())
    }
}
/// Normalises each row of `x`, which is what the last `dims` dimensions hold: `y = (x - m) * s *
/// weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x - m)^2) + eps)` over the row. Op
/// tenon.layer_norm.
#[must_use = "nothing is done before `call`"]
pub struct LayerNorm<'a> {
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    dims: i64,
    eps: f64,
}
/// Normalises each row of `x`, which is what the last `dims` dimensions hold: `y = (x - m) * s *
/// weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x - m)^2) + eps)` over the row. Op
/// tenon.layer_norm.
pub fn layer_norm<'a>(x: &'a Tensor) -> LayerNorm<'a> {
    LayerNorm { x, weight: None, bias: None, dims: 1, eps: 1e-05 }
}
impl<'a> LayerNorm<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn dims(mut self, dims: i64) -> Self { self.dims = dims; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 2]) {
        (
            [self.x.given(), self.weight.given(), self.bias.given()],
            [self.dims.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(134, 1, "tenon.layer_norm"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(134, 1, "tenon.layer_norm"), &inputs, &attributes, out)
    }
}
/// The gradients of `tenon.layer_norm`: with `h = (x - m) * s` the normalised row, `g = dy *
/// weight` and `c = g - mean(g)`, `y = s * (c - h * mean(c * h))` is that of `x`, the means over
/// the row. Op tenon.layer_norm_grad.
#[must_use = "nothing is done before `call`"]
pub struct LayerNormGrad<'a> {
    dy: &'a Tensor,
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    dims: i64,
    eps: f64,
}
/// The gradients of `tenon.layer_norm`: with `h = (x - m) * s` the normalised row, `g = dy *
/// weight` and `c = g - mean(g)`, `y = s * (c - h * mean(c * h))` is that of `x`, the means over
/// the row. Op tenon.layer_norm_grad.
pub fn layer_norm_grad<'a>(dy: &'a Tensor, x: &'a Tensor) -> LayerNormGrad<'a> {
    LayerNormGrad { dy, x, weight: None, dims: 1, eps: 1e-05 }
}
impl<'a> LayerNormGrad<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn dims(mut self, dims: i64) -> Self { self.dims = dims; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 2]) {
        (
            [self.dy.given(), self.x.given(), self.weight.given()],
            [self.dims.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(135, 1, "tenon.layer_norm_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(135, 1, "tenon.layer_norm_grad"), &inputs, &attributes, out)
    }
}
/// Less than or equal: `y = a <= b`. Op tenon.le.
#[inline]
pub fn le<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(136, 1, "tenon.le"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn le_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(136, 1, "tenon.le"), &[a.given(), b.given()], &[], out)
}
/// `y = x` where `x > 0`, else `negative_slope * x`. Op tenon.leaky_relu.
#[must_use = "nothing is done before `call`"]
pub struct LeakyRelu<'a> {
    x: &'a Tensor,
    negative_slope: f64,
}
/// `y = x` where `x > 0`, else `negative_slope * x`. Op tenon.leaky_relu.
pub fn leaky_relu<'a>(x: &'a Tensor) -> LeakyRelu<'a> {
    LeakyRelu { x, negative_slope: 0.01 }
}
impl<'a> LeakyRelu<'a> {
    pub fn negative_slope(mut self, negative_slope: f64) -> Self {
        self.negative_slope = negative_slope;
        self
    }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.negative_slope.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(137, 1, "tenon.leaky_relu"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(137, 1, "tenon.leaky_relu"), &inputs, &attributes, out)
    }
}
/// The way from `x` to `end`, of which `weight` says how far: `y = x + weight * (end - x)`. Op
/// tenon.lerp.
#[inline]
pub fn lerp<'a>(
    x: impl Into<Operand<'a>>,
    end: impl Into<Operand<'a>>,
    weight: impl Into<Operand<'a>>,
) -> Result<Tensor> {
    let x: Operand<'a> = x.into();
    let end: Operand<'a> = end.into();
    let weight: Operand<'a> = weight.into();
    call_one(op(138, 1, "tenon.lerp"), &[x.given(), end.given(), weight.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn lerp_into<'a>(
    x: impl Into<Operand<'a>>,
    end: impl Into<Operand<'a>>,
    weight: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let x: Operand<'a> = x.into();
    let end: Operand<'a> = end.into();
    let weight: Operand<'a> = weight.into();
    call_into(op(138, 1, "tenon.lerp"), &[x.given(), end.given(), weight.given()], &[], out)
}
/// The logarithm of the absolute value of the gamma function: `y = log(abs(Gamma(x)))`. Op
/// tenon.lgamma.
#[inline]
pub fn lgamma(x: &Tensor) -> Result<Tensor> {
    call_one(op(139, 1, "tenon.lgamma"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn lgamma_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(139, 1, "tenon.lgamma"), &[x.given()], &[], out)
}
/// A linear layer: `y[...,n] = f(sum_k x[...,k] * weight[n,k] + bias[n])`. Op tenon.linear.
#[must_use = "nothing is done before `call`"]
pub struct Linear<'a> {
    x: &'a Tensor,
    weight: &'a Tensor,
    bias: Option<&'a Tensor>,
    activation: &'a str,
}
/// A linear layer: `y[...,n] = f(sum_k x[...,k] * weight[n,k] + bias[n])`. Op tenon.linear.
pub fn linear<'a>(x: &'a Tensor, weight: &'a Tensor) -> Linear<'a> {
    Linear { x, weight, bias: None, activation: "none" }
}
impl<'a> Linear<'a> {
    pub fn bias(mut self, bias: &'a Tensor) -> Self { self.bias = Some(bias); self }
    pub fn activation(mut self, activation: &'a str) -> Self { self.activation = activation; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 1]) {
        (
            [self.x.given(), self.weight.given(), self.bias.given()],
            [self.activation.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(140, 1, "tenon.linear"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(140, 1, "tenon.linear"), &inputs, &attributes, out)
    }
}
/// The first-order linear recurrence along `axis`: `y[0] = b[0]`, `y[i] = a[i] * y[i-1] + b[i]`. Op
/// tenon.linear_recurrence.
#[must_use = "nothing is done before `call`"]
pub struct LinearRecurrence<'a> {
    a: &'a Tensor,
    b: &'a Tensor,
    axis: i64,
    reverse: bool,
}
/// The first-order linear recurrence along `axis`: `y[0] = b[0]`, `y[i] = a[i] * y[i-1] + b[i]`. Op
/// tenon.linear_recurrence.
pub fn linear_recurrence<'a>(a: &'a Tensor, b: &'a Tensor, axis: i64) -> LinearRecurrence<'a> {
    LinearRecurrence { a, b, axis, reverse: false }
}
impl<'a> LinearRecurrence<'a> {
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.a.given(), self.b.given()],
            [self.axis.given(), self.reverse.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(141, 1, "tenon.linear_recurrence"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(141, 1, "tenon.linear_recurrence"), &inputs, &attributes, out)
    }
}
/// `num` evenly spaced numbers from `start` to `stop`. Op tenon.linspace.
#[must_use = "nothing is done before `call`"]
pub struct Linspace {
    start: Number,
    stop: Number,
    num: i64,
    endpoint: bool,
    dtype: Dtype,
}
/// `num` evenly spaced numbers from `start` to `stop`. Op tenon.linspace.
pub fn linspace(start: impl Into<Number>, stop: impl Into<Number>, num: i64) -> Linspace {
    Linspace { start: start.into(), stop: stop.into(), num, endpoint: true, dtype: Dtype::F32 }
}
impl Linspace {
    pub fn endpoint(mut self, endpoint: bool) -> Self { self.endpoint = endpoint; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 5]) {
        (
            [],
            [self.start.given(), self.stop.given(), self.num.given(), self.endpoint.given(),
                self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(142, 1, "tenon.linspace"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(142, 1, "tenon.linspace"), &inputs, &attributes, out)
    }
}
/// One step of `tenon.lion_step` on the given rows of each parameter alone. Op tenon.lion_rows.
#[must_use = "nothing is done before `call`"]
pub struct LionRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    exp_avg: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    weight_decay: f64,
}
/// One step of `tenon.lion_step` on the given rows of each parameter alone. Op tenon.lion_rows.
pub fn lion_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> LionRows<'a> {
    LionRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        exp_avg: exp_avg.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.99,
        weight_decay: 0.0,
    }
}
impl<'a> LionRows<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 3]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(), self.exp_avg.given(),
                self.step.given(), self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(143, 1, "tenon.lion_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of Lion on each parameter, in place. Op tenon.lion_step.
#[must_use = "nothing is done before `call`"]
pub struct LionStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    exp_avg: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    weight_decay: f64,
}
/// One step of Lion on each parameter, in place. Op tenon.lion_step.
pub fn lion_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> LionStep<'a> {
    LionStep {
        params: params.into(),
        grads: grads.into(),
        exp_avg: exp_avg.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.99,
        weight_decay: 0.0,
    }
}
impl<'a> LionStep<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 3]) {
        (
            [self.params.given(), self.grads.given(), self.exp_avg.given(), self.step.given(),
                self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.weight_decay.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(144, 1, "tenon.lion_step"), &inputs, &attributes).map(|_| ())
    }
}
/// The natural logarithm: `y = ln(x)`. Op tenon.log.
#[inline]
pub fn log(x: &Tensor) -> Result<Tensor> {
    call_one(op(145, 1, "tenon.log"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn log_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(145, 1, "tenon.log"), &[x.given()], &[], out)
}
/// The logarithm of base 10: `y = ln(x) / ln(10)`. Op tenon.log10.
#[inline]
pub fn log10(x: &Tensor) -> Result<Tensor> {
    call_one(op(146, 1, "tenon.log10"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn log10_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(146, 1, "tenon.log10"), &[x.given()], &[], out)
}
/// The natural logarithm of `1 + x`, exact where `x` is small: `y = log(1 + x)`. Op tenon.log1p.
#[inline]
pub fn log1p(x: &Tensor) -> Result<Tensor> {
    call_one(op(147, 1, "tenon.log1p"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn log1p_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(147, 1, "tenon.log1p"), &[x.given()], &[], out)
}
/// The logarithm of base 2: `y = ln(x) / ln(2)`. Op tenon.log2.
#[inline]
pub fn log2(x: &Tensor) -> Result<Tensor> {
    call_one(op(148, 1, "tenon.log2"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn log2_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(148, 1, "tenon.log2"), &[x.given()], &[], out)
}
/// The logarithm of `tenon.softmax` along `axis`, without taking the logarithm of small numbers: `y
/// = (x - m) - log(sum(exp(x - m)))`, with `m` the largest element. Op tenon.log_softmax.
#[must_use = "nothing is done before `call`"]
pub struct LogSoftmax<'a> {
    x: &'a Tensor,
    axis: i64,
}
/// The logarithm of `tenon.softmax` along `axis`, without taking the logarithm of small numbers: `y
/// = (x - m) - log(sum(exp(x - m)))`, with `m` the largest element. Op tenon.log_softmax.
pub fn log_softmax<'a>(x: &'a Tensor) -> LogSoftmax<'a> {
    LogSoftmax { x, axis: -1 }
}
impl<'a> LogSoftmax<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(149, 1, "tenon.log_softmax"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(149, 1, "tenon.log_softmax"), &inputs, &attributes, out)
    }
}
/// Are both operands true? `y = a and b`. Op tenon.logical_and.
#[inline]
pub fn logical_and<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(150, 1, "tenon.logical_and"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn logical_and_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(150, 1, "tenon.logical_and"), &[a.given(), b.given()], &[], out)
}
/// True where the element is false, which of numbers is a zero of either sign. Op
/// tenon.logical_not.
#[inline]
pub fn logical_not(x: &Tensor) -> Result<Tensor> {
    call_one(op(151, 1, "tenon.logical_not"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn logical_not_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(151, 1, "tenon.logical_not"), &[x.given()], &[], out)
}
/// Is one of the operands true, or both? `y = a or b`. Op tenon.logical_or.
#[inline]
pub fn logical_or<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(152, 1, "tenon.logical_or"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn logical_or_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(152, 1, "tenon.logical_or"), &[a.given(), b.given()], &[], out)
}
/// Is just one of the operands true? `y = a != b` of truth values. Op tenon.logical_xor.
#[inline]
pub fn logical_xor<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(153, 1, "tenon.logical_xor"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn logical_xor_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(153, 1, "tenon.logical_xor"), &[a.given(), b.given()], &[], out)
}
/// The logarithm of the sigmoid: `y = -ln(1 + exp(-x))`. Op tenon.logsigmoid.
#[inline]
pub fn logsigmoid(x: &Tensor) -> Result<Tensor> {
    call_one(op(154, 1, "tenon.logsigmoid"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn logsigmoid_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(154, 1, "tenon.logsigmoid"), &[x.given()], &[], out)
}
/// The logarithm of the sum of powers over `axes` (none: all of them; an empty list: no axis, so
/// that the values stay): `y = log(sum(exp(x)))`, computed as `m + log(sum(exp(x - m)))` with `m`
/// the largest element, so that no power overflows. Op tenon.logsumexp.
#[must_use = "nothing is done before `call`"]
pub struct Logsumexp<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// The logarithm of the sum of powers over `axes` (none: all of them; an empty list: no axis, so
/// that the values stay): `y = log(sum(exp(x)))`, computed as `m + log(sum(exp(x - m)))` with `m`
/// the largest element, so that no power overflows. Op tenon.logsumexp.
pub fn logsumexp<'a>(x: &'a Tensor) -> Logsumexp<'a> {
    Logsumexp { x, axes: None, keepdims: false }
}
impl<'a> Logsumexp<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(155, 1, "tenon.logsumexp"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(155, 1, "tenon.logsumexp"), &inputs, &attributes, out)
    }
}
/// One layer of an LSTM in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.lstm.
#[must_use = "nothing is done before `call`"]
pub struct Lstm<'a> {
    x: &'a Tensor,
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    c0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    w_hr: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    reverse: bool,
    batch_first: bool,
}
/// One layer of an LSTM in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.lstm.
pub fn lstm<'a>(x: &'a Tensor, w_ih: &'a Tensor, w_hh: &'a Tensor) -> Lstm<'a> {
    Lstm {
        x,
        w_ih,
        w_hh,
        h0: None,
        c0: None,
        b_ih: None,
        b_hh: None,
        w_hr: None,
        lengths: None,
        reverse: false,
        batch_first: false,
    }
}
impl<'a> Lstm<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn c0(mut self, c0: &'a Tensor) -> Self { self.c0 = Some(c0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn w_hr(mut self, w_hr: &'a Tensor) -> Self { self.w_hr = Some(w_hr); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    fn values(&self) -> ([tenon_value; 9], [tenon_value; 2]) {
        (
            [self.x.given(), self.w_ih.given(), self.w_hh.given(), self.h0.given(), self.c0.given(),
                self.b_ih.given(), self.b_hh.given(), self.w_hr.given(), self.lengths.given()],
            [self.reverse.given(), self.batch_first.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 3]> {
        let (inputs, attributes) = self.values();
        call_all(op(156, 1, "tenon.lstm"), &inputs, &attributes)
    }
}
/// One step of `tenon.lstm`, over the rows of `x` `[B,I]`: the new `h` `[B,P]` and `c` `[B,H]` from
/// `h0` and `c0` (0 if absent). Op tenon.lstm_cell.
#[must_use = "nothing is done before `call`"]
pub struct LstmCell<'a> {
    x: &'a Tensor,
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    c0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    w_hr: Option<&'a Tensor>,
}
/// One step of `tenon.lstm`, over the rows of `x` `[B,I]`: the new `h` `[B,P]` and `c` `[B,H]` from
/// `h0` and `c0` (0 if absent). Op tenon.lstm_cell.
pub fn lstm_cell<'a>(x: &'a Tensor, w_ih: &'a Tensor, w_hh: &'a Tensor) -> LstmCell<'a> {
    LstmCell { x, w_ih, w_hh, h0: None, c0: None, b_ih: None, b_hh: None, w_hr: None }
}
impl<'a> LstmCell<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn c0(mut self, c0: &'a Tensor) -> Self { self.c0 = Some(c0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn w_hr(mut self, w_hr: &'a Tensor) -> Self { self.w_hr = Some(w_hr); self }
    fn values(&self) -> ([tenon_value; 8], [tenon_value; 0]) {
        (
            [self.x.given(), self.w_ih.given(), self.w_hh.given(), self.h0.given(), self.c0.given(),
                self.b_ih.given(), self.b_hh.given(), self.w_hr.given()],
            [],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(157, 1, "tenon.lstm_cell"), &inputs, &attributes)
    }
}
/// The steps of an LSTM, given what they make of their inputs: `gates` is `x w_ih^T`, for each step
/// of each sequence 4 H numbers, those of the gates i, f, g and o in turn. Op tenon.lstm_steps.
#[must_use = "nothing is done before `call`"]
pub struct LstmSteps<'a> {
    gates: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    c0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    w_hr: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    reverse: bool,
    batch_first: bool,
}
/// The steps of an LSTM, given what they make of their inputs: `gates` is `x w_ih^T`, for each step
/// of each sequence 4 H numbers, those of the gates i, f, g and o in turn. Op tenon.lstm_steps.
pub fn lstm_steps<'a>(gates: &'a Tensor, w_hh: &'a Tensor) -> LstmSteps<'a> {
    LstmSteps {
        gates,
        w_hh,
        h0: None,
        c0: None,
        b_ih: None,
        b_hh: None,
        w_hr: None,
        lengths: None,
        reverse: false,
        batch_first: false,
    }
}
impl<'a> LstmSteps<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn c0(mut self, c0: &'a Tensor) -> Self { self.c0 = Some(c0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn w_hr(mut self, w_hr: &'a Tensor) -> Self { self.w_hr = Some(w_hr); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    fn values(&self) -> ([tenon_value; 8], [tenon_value; 2]) {
        (
            [self.gates.given(), self.w_hh.given(), self.h0.given(), self.c0.given(),
                self.b_ih.given(), self.b_hh.given(), self.w_hr.given(), self.lengths.given()],
            [self.reverse.given(), self.batch_first.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 3]> {
        let (inputs, attributes) = self.values();
        call_all(op(158, 1, "tenon.lstm_steps"), &inputs, &attributes)
    }
}
/// The gradients of `tenon.lstm_steps`, from the gates `kept` and the `cells` that it kept, and the
/// gradients of its outputs; those that are absent are 0. Op tenon.lstm_steps_grad.
#[must_use = "nothing is done before `call`"]
pub struct LstmStepsGrad<'a> {
    kept: &'a Tensor,
    cells: &'a Tensor,
    w_hh: &'a Tensor,
    dy: Option<&'a Tensor>,
    dh_n: Option<&'a Tensor>,
    dc_n: Option<&'a Tensor>,
    c0: Option<&'a Tensor>,
    w_hr: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    dkept: Option<&'a Tensor>,
    dcells: Option<&'a Tensor>,
    reverse: bool,
    batch_first: bool,
}
/// The gradients of `tenon.lstm_steps`, from the gates `kept` and the `cells` that it kept, and the
/// gradients of its outputs; those that are absent are 0. Op tenon.lstm_steps_grad.
pub fn lstm_steps_grad<'a>(
    kept: &'a Tensor,
    cells: &'a Tensor,
    w_hh: &'a Tensor,
) -> LstmStepsGrad<'a> {
    LstmStepsGrad {
        kept,
        cells,
        w_hh,
        dy: None,
        dh_n: None,
        dc_n: None,
        c0: None,
        w_hr: None,
        lengths: None,
        dkept: None,
        dcells: None,
        reverse: false,
        batch_first: false,
    }
}
impl<'a> LstmStepsGrad<'a> {
    pub fn dy(mut self, dy: &'a Tensor) -> Self { self.dy = Some(dy); self }
    pub fn dh_n(mut self, dh_n: &'a Tensor) -> Self { self.dh_n = Some(dh_n); self }
    pub fn dc_n(mut self, dc_n: &'a Tensor) -> Self { self.dc_n = Some(dc_n); self }
    pub fn c0(mut self, c0: &'a Tensor) -> Self { self.c0 = Some(c0); self }
    pub fn w_hr(mut self, w_hr: &'a Tensor) -> Self { self.w_hr = Some(w_hr); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn dkept(mut self, dkept: &'a Tensor) -> Self { self.dkept = Some(dkept); self }
    pub fn dcells(mut self, dcells: &'a Tensor) -> Self { self.dcells = Some(dcells); self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    fn values(&self) -> ([tenon_value; 11], [tenon_value; 2]) {
        (
            [self.kept.given(), self.cells.given(), self.w_hh.given(), self.dy.given(),
                self.dh_n.given(), self.dc_n.given(), self.c0.given(), self.w_hr.given(),
                self.lengths.given(), self.dkept.given(), self.dcells.given()],
            [self.reverse.given(), self.batch_first.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(159, 1, "tenon.lstm_steps_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(159, 1, "tenon.lstm_steps_grad"), &inputs, &attributes, out)
    }
}
/// Less than: `y = a < b`. Op tenon.lt.
#[inline]
pub fn lt<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(160, 1, "tenon.lt"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn lt_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(160, 1, "tenon.lt"), &[a.given(), b.given()], &[], out)
}
/// `value` where `mask` is true, else `x`. Op tenon.masked_fill.
#[inline]
pub fn masked_fill<'a>(x: &Tensor, mask: &Tensor, value: impl Into<Operand<'a>>) -> Result<Tensor> {
    let value: Operand<'a> = value.into();
    call_one(op(161, 1, "tenon.masked_fill"), &[x.given(), mask.given(), value.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn masked_fill_into<'a>(
    x: &Tensor,
    mask: &Tensor,
    value: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let value: Operand<'a> = value.into();
    call_into(op(161, 1, "tenon.masked_fill"), &[x.given(), mask.given(), value.given()], &[], out)
}
/// The elements of `x` where `mask` is true, as a vector in row-major order. Op
/// tenon.masked_select.
#[inline]
pub fn masked_select(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    call_one(op(162, 1, "tenon.masked_select"), &[x.given(), mask.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn masked_select_into(x: &Tensor, mask: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(162, 1, "tenon.masked_select"), &[x.given(), mask.given()], &[], out)
}
/// The matrix product over the last two dimensions: `y[m,n] = sum_k a[m,k] b[k,n]`. Op
/// tenon.matmul.
#[inline]
pub fn matmul<'a>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    call_one(op(163, 1, "tenon.matmul"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn matmul_into<'a>(a: &Tensor, b: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(163, 1, "tenon.matmul"), &[a.given(), b.given()], &[], out)
}
/// The largest element over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.max.
#[must_use = "nothing is done before `call`"]
pub struct Max<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// The largest element over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.max.
pub fn max<'a>(x: &'a Tensor) -> Max<'a> {
    Max { x, axes: None, keepdims: false }
}
impl<'a> Max<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(164, 1, "tenon.max"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(164, 1, "tenon.max"), &inputs, &attributes, out)
    }
}
/// The largest place of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = max
/// over t of x[n, c, w * stride - before + t * dilation]`, along each of these dimensions, over the
/// taps `t` from 0 to `kernel - 1` whose place lies in the image. Op tenon.max_pool.
#[must_use = "nothing is done before `call`"]
pub struct MaxPool<'a> {
    x: &'a Tensor,
    kernel: Ints,
    stride: Option<Ints>,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    auto_pad: &'a str,
}
/// The largest place of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = max
/// over t of x[n, c, w * stride - before + t * dilation]`, along each of these dimensions, over the
/// taps `t` from 0 to `kernel - 1` whose place lies in the image. Op tenon.max_pool.
pub fn max_pool<'a>(x: &'a Tensor, kernel: impl Into<Ints>) -> MaxPool<'a> {
    MaxPool {
        x,
        kernel: kernel.into(),
        stride: None,
        padding: Ints::from([0]),
        dilation: Ints::from([1]),
        ceil_mode: false,
        auto_pad: "none",
    }
}
impl<'a> MaxPool<'a> {
    pub fn stride(mut self, stride: impl Into<Ints>) -> Self {
        self.stride = Some(stride.into());
        self
    }
    pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
        self.padding = padding.into();
        self
    }
    pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
        self.dilation = dilation.into();
        self
    }
    pub fn ceil_mode(mut self, ceil_mode: bool) -> Self { self.ceil_mode = ceil_mode; self }
    pub fn auto_pad(mut self, auto_pad: &'a str) -> Self { self.auto_pad = auto_pad; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 6]) {
        (
            [self.x.given()],
            [self.kernel.given(), self.stride.given(), self.padding.given(), self.dilation.given(),
                self.ceil_mode.given(), self.auto_pad.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(165, 1, "tenon.max_pool"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(165, 1, "tenon.max_pool"), &inputs, &attributes, out)
    }
}
/// Zeros of the shape `[N, C, size...]`, to which each number of `dy` is added at the place of its
/// image that `positions` names, row by row over the image; -1 names none. Op tenon.max_pool_grad.
#[inline]
pub fn max_pool_grad(dy: &Tensor, positions: &Tensor, size: impl Into<Ints>) -> Result<Tensor> {
    let size: Ints = size.into();
    call_one(op(166, 1, "tenon.max_pool_grad"), &[dy.given(), positions.given()], &[size.given()])
}
/// The same, written into `out`.
#[inline]
pub fn max_pool_grad_into(
    dy: &Tensor,
    positions: &Tensor,
    size: impl Into<Ints>,
    out: &Tensor,
) -> Result<()> {
    let size: Ints = size.into();
    call_into(op(166, 1, "tenon.max_pool_grad"), &[dy.given(), positions.given()], &[size.given()],
        out)
}
/// The larger of the two: `y = max(a, b)`. Op tenon.maximum.
#[inline]
pub fn maximum<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(167, 1, "tenon.maximum"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn maximum_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(167, 1, "tenon.maximum"), &[a.given(), b.given()], &[], out)
}
/// The arithmetic mean over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.mean.
#[must_use = "nothing is done before `call`"]
pub struct Mean<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// The arithmetic mean over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.mean.
pub fn mean<'a>(x: &'a Tensor) -> Mean<'a> {
    Mean { x, axes: None, keepdims: false }
}
impl<'a> Mean<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(168, 1, "tenon.mean"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(168, 1, "tenon.mean"), &inputs, &attributes, out)
    }
}
/// The smallest element over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.min.
#[must_use = "nothing is done before `call`"]
pub struct Min<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// The smallest element over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.min.
pub fn min<'a>(x: &'a Tensor) -> Min<'a> {
    Min { x, axes: None, keepdims: false }
}
impl<'a> Min<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(169, 1, "tenon.min"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(169, 1, "tenon.min"), &inputs, &attributes, out)
    }
}
/// The smaller of the two: `y = min(a, b)`. Op tenon.minimum.
#[inline]
pub fn minimum<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(170, 1, "tenon.minimum"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn minimum_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(170, 1, "tenon.minimum"), &[a.given(), b.given()], &[], out)
}
/// `y = x * tanh(ln(1 + exp(x)))`. Op tenon.mish.
#[inline]
pub fn mish(x: &Tensor) -> Result<Tensor> {
    call_one(op(171, 1, "tenon.mish"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn mish_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(171, 1, "tenon.mish"), &[x.given()], &[], out)
}
/// The squared differences `(x - target)^2`: their mean, with `reduction` "sum" their sum, with
/// "none" each of them. Op tenon.mse_loss.
#[must_use = "nothing is done before `call`"]
pub struct MseLoss<'a> {
    x: &'a Tensor,
    target: &'a Tensor,
    reduction: &'a str,
}
/// The squared differences `(x - target)^2`: their mean, with `reduction` "sum" their sum, with
/// "none" each of them. Op tenon.mse_loss.
pub fn mse_loss<'a>(x: &'a Tensor, target: &'a Tensor) -> MseLoss<'a> {
    MseLoss { x, target, reduction: "mean" }
}
impl<'a> MseLoss<'a> {
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.x.given(), self.target.given()],
            [self.reduction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(172, 1, "tenon.mse_loss"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(172, 1, "tenon.mse_loss"), &inputs, &attributes, out)
    }
}
/// The product: `y = a * b`. Op tenon.mul.
#[inline]
pub fn mul<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(173, 1, "tenon.mul"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn mul_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(173, 1, "tenon.mul"), &[a.given(), b.given()], &[], out)
}
/// Draws `num_samples` categories from each row of `weights`, whose last axis is that of the
/// categories: category `k` with the probability `weights[k]` over the row's sum. Op
/// tenon.multinomial.
#[must_use = "nothing is done before `call`"]
pub struct Multinomial<'a> {
    weights: &'a Tensor,
    num_samples: i64,
    replacement: bool,
}
/// Draws `num_samples` categories from each row of `weights`, whose last axis is that of the
/// categories: category `k` with the probability `weights[k]` over the row's sum. Op
/// tenon.multinomial.
pub fn multinomial<'a>(weights: &'a Tensor, num_samples: i64) -> Multinomial<'a> {
    Multinomial { weights, num_samples, replacement: false }
}
impl<'a> Multinomial<'a> {
    pub fn replacement(mut self, replacement: bool) -> Self { self.replacement = replacement; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.weights.given()],
            [self.num_samples.given(), self.replacement.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(174, 1, "tenon.multinomial"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(174, 1, "tenon.multinomial"), &inputs, &attributes, out)
    }
}
/// One step of Muon on each parameter, a matrix \[M,N\], in place. Op tenon.muon_step.
#[must_use = "nothing is done before `call`"]
pub struct MuonStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    momentum_buffer: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    momentum: f64,
    nesterov: bool,
    weight_decay: f64,
    eps: f64,
    iterations: i64,
    match_adamw: bool,
}
/// One step of Muon on each parameter, a matrix \[M,N\], in place. Op tenon.muon_step.
pub fn muon_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    momentum_buffer: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> MuonStep<'a> {
    MuonStep {
        params: params.into(),
        grads: grads.into(),
        momentum_buffer: momentum_buffer.into(),
        step: step.into(),
        lr: lr.into(),
        momentum: 0.95,
        nesterov: true,
        weight_decay: 0.1,
        eps: 1e-07,
        iterations: 5,
        match_adamw: false,
    }
}
impl<'a> MuonStep<'a> {
    pub fn momentum(mut self, momentum: f64) -> Self { self.momentum = momentum; self }
    pub fn nesterov(mut self, nesterov: bool) -> Self { self.nesterov = nesterov; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn iterations(mut self, iterations: i64) -> Self { self.iterations = iterations; self }
    pub fn match_adamw(mut self, match_adamw: bool) -> Self { self.match_adamw = match_adamw; self }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 6]) {
        (
            [self.params.given(), self.grads.given(), self.momentum_buffer.given(),
                self.step.given(), self.lr.given()],
            [self.momentum.given(), self.nesterov.given(), self.weight_decay.given(),
                self.eps.given(), self.iterations.given(), self.match_adamw.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(175, 1, "tenon.muon_step"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of `tenon.nadam_step` on the given rows of each parameter alone. Op tenon.nadam_rows.
#[must_use = "nothing is done before `call`"]
pub struct NadamRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    exp_avg: Tensors<'a>,
    exp_avg_sq: Tensors<'a>,
    mu_product: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
    momentum_decay: f64,
    decoupled: bool,
}
/// One step of `tenon.nadam_step` on the given rows of each parameter alone. Op tenon.nadam_rows.
pub fn nadam_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    exp_avg_sq: impl Into<Tensors<'a>>,
    mu_product: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> NadamRows<'a> {
    NadamRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        exp_avg: exp_avg.into(),
        exp_avg_sq: exp_avg_sq.into(),
        mu_product: mu_product.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-08,
        weight_decay: 0.0,
        momentum_decay: 0.004,
        decoupled: false,
    }
}
impl<'a> NadamRows<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn momentum_decay(mut self, momentum_decay: f64) -> Self {
        self.momentum_decay = momentum_decay;
        self
    }
    pub fn decoupled(mut self, decoupled: bool) -> Self { self.decoupled = decoupled; self }
    fn values(&self) -> ([tenon_value; 8], [tenon_value; 6]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(), self.exp_avg.given(),
                self.exp_avg_sq.given(), self.mu_product.given(), self.step.given(),
                self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.eps.given(), self.weight_decay.given(),
                self.momentum_decay.given(), self.decoupled.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(176, 1, "tenon.nadam_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of NAdam on each parameter, in place. Op tenon.nadam_step.
#[must_use = "nothing is done before `call`"]
pub struct NadamStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    exp_avg: Tensors<'a>,
    exp_avg_sq: Tensors<'a>,
    mu_product: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
    momentum_decay: f64,
    decoupled: bool,
}
/// One step of NAdam on each parameter, in place. Op tenon.nadam_step.
pub fn nadam_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    exp_avg: impl Into<Tensors<'a>>,
    exp_avg_sq: impl Into<Tensors<'a>>,
    mu_product: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> NadamStep<'a> {
    NadamStep {
        params: params.into(),
        grads: grads.into(),
        exp_avg: exp_avg.into(),
        exp_avg_sq: exp_avg_sq.into(),
        mu_product: mu_product.into(),
        step: step.into(),
        lr: lr.into(),
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-08,
        weight_decay: 0.0,
        momentum_decay: 0.004,
        decoupled: false,
    }
}
impl<'a> NadamStep<'a> {
    pub fn beta1(mut self, beta1: f64) -> Self { self.beta1 = beta1; self }
    pub fn beta2(mut self, beta2: f64) -> Self { self.beta2 = beta2; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn momentum_decay(mut self, momentum_decay: f64) -> Self {
        self.momentum_decay = momentum_decay;
        self
    }
    pub fn decoupled(mut self, decoupled: bool) -> Self { self.decoupled = decoupled; self }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 6]) {
        (
            [self.params.given(), self.grads.given(), self.exp_avg.given(), self.exp_avg_sq.given(),
                self.mu_product.given(), self.step.given(), self.lr.given()],
            [self.beta1.given(), self.beta2.given(), self.eps.given(), self.weight_decay.given(),
                self.momentum_decay.given(), self.decoupled.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(177, 1, "tenon.nadam_step"), &inputs, &attributes).map(|_| ())
    }
}
/// Not equal: `y = a != b`. Op tenon.ne.
#[inline]
pub fn ne<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(178, 1, "tenon.ne"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn ne_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(178, 1, "tenon.ne"), &[a.given(), b.given()], &[], out)
}
/// The negated value: `y = -x`. Op tenon.neg.
#[inline]
pub fn neg(x: &Tensor) -> Result<Tensor> {
    call_one(op(179, 1, "tenon.neg"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn neg_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(179, 1, "tenon.neg"), &[x.given()], &[], out)
}
/// The number of the dtype that comes after `a` in the direction of `b`. Op tenon.nextafter.
#[inline]
pub fn nextafter<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(180, 1, "tenon.nextafter"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn nextafter_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(180, 1, "tenon.nextafter"), &[a.given(), b.given()], &[], out)
}
/// The negative log-likelihood of the target classes, of log-probabilities such as those of
/// `tenon.log_softmax`: `-weight[target[n]] * x[n, target[n]]`. Op tenon.nll_loss.
#[must_use = "nothing is done before `call`"]
pub struct NllLoss<'a> {
    x: &'a Tensor,
    target: &'a Tensor,
    weight: Option<&'a Tensor>,
    ignore_index: i64,
    reduction: &'a str,
}
/// The negative log-likelihood of the target classes, of log-probabilities such as those of
/// `tenon.log_softmax`: `-weight[target[n]] * x[n, target[n]]`. Op tenon.nll_loss.
pub fn nll_loss<'a>(x: &'a Tensor, target: &'a Tensor) -> NllLoss<'a> {
    NllLoss { x, target, weight: None, ignore_index: -100, reduction: "mean" }
}
impl<'a> NllLoss<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn ignore_index(mut self, ignore_index: i64) -> Self {
        self.ignore_index = ignore_index;
        self
    }
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 2]) {
        (
            [self.x.given(), self.target.given(), self.weight.given()],
            [self.ignore_index.given(), self.reduction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(181, 1, "tenon.nll_loss"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(181, 1, "tenon.nll_loss"), &inputs, &attributes, out)
    }
}
/// The coordinates of all elements of `x` that are not zero, in row-major order, one row for each.
/// Op tenon.nonzero.
#[inline]
pub fn nonzero(x: &Tensor) -> Result<Tensor> {
    call_one(op(182, 1, "tenon.nonzero"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn nonzero_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(182, 1, "tenon.nonzero"), &[x.given()], &[], out)
}
/// The coordinates of the first `size` elements of `x` that are not zero, in row-major order, one
/// row of `places` for each; rows that are left over hold `fill`. Op tenon.nonzero_static.
#[must_use = "nothing is done before `call`"]
pub struct NonzeroStatic<'a> {
    x: &'a Tensor,
    size: i64,
    fill: i64,
}
/// The coordinates of the first `size` elements of `x` that are not zero, in row-major order, one
/// row of `places` for each; rows that are left over hold `fill`. Op tenon.nonzero_static.
pub fn nonzero_static<'a>(x: &'a Tensor, size: i64) -> NonzeroStatic<'a> {
    NonzeroStatic { x, size, fill: -1 }
}
impl<'a> NonzeroStatic<'a> {
    pub fn fill(mut self, fill: i64) -> Self { self.fill = fill; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.size.given(), self.fill.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(183, 1, "tenon.nonzero_static"), &inputs, &attributes)
    }
}
/// The vector norm over `axes` (none: all of them; an empty list: no axis, so that each element is
/// a vector by itself): `y = (sum |x|^ord)^(1/ord)`. Op tenon.norm.
#[must_use = "nothing is done before `call`"]
pub struct Norm<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
    ord: f64,
}
/// The vector norm over `axes` (none: all of them; an empty list: no axis, so that each element is
/// a vector by itself): `y = (sum |x|^ord)^(1/ord)`. Op tenon.norm.
pub fn norm<'a>(x: &'a Tensor) -> Norm<'a> {
    Norm { x, axes: None, keepdims: false, ord: 2.0 }
}
impl<'a> Norm<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    pub fn ord(mut self, ord: f64) -> Self { self.ord = ord; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given(), self.ord.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(184, 1, "tenon.norm"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(184, 1, "tenon.norm"), &inputs, &attributes, out)
    }
}
/// Random numbers, normally distributed: `y = mean + std * z`. Op tenon.normal.
#[must_use = "nothing is done before `call`"]
pub struct Normal {
    shape: Ints,
    mean: f64,
    std: f64,
    dtype: Dtype,
}
/// Random numbers, normally distributed: `y = mean + std * z`. Op tenon.normal.
pub fn normal(shape: impl Into<Ints>) -> Normal {
    Normal { shape: shape.into(), mean: 0.0, std: 1.0, dtype: Dtype::F32 }
}
impl Normal {
    pub fn mean(mut self, mean: f64) -> Self { self.mean = mean; self }
    pub fn std(mut self, std: f64) -> Self { self.std = std; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 4]) {
        (
            [],
            [self.shape.given(), self.mean.given(), self.std.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(185, 1, "tenon.normal"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(185, 1, "tenon.normal"), &inputs, &attributes, out)
    }
}
/// `y[i..., c]` is 1 where `c = indices[i...]`, else 0; the result has one more dimension, of
/// `classes` elements. Op tenon.one_hot.
#[must_use = "nothing is done before `call`"]
pub struct OneHot<'a> {
    indices: &'a Tensor,
    classes: i64,
    dtype: Dtype,
}
/// `y[i..., c]` is 1 where `c = indices[i...]`, else 0; the result has one more dimension, of
/// `classes` elements. Op tenon.one_hot.
pub fn one_hot<'a>(indices: &'a Tensor, classes: i64) -> OneHot<'a> {
    OneHot { indices, classes, dtype: Dtype::I64 }
}
impl<'a> OneHot<'a> {
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.indices.given()],
            [self.classes.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(186, 1, "tenon.one_hot"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(186, 1, "tenon.one_hot"), &inputs, &attributes, out)
    }
}
/// A random orthogonal matrix times `gain`: initial values of weights. Op tenon.orthogonal.
#[must_use = "nothing is done before `call`"]
pub struct Orthogonal {
    shape: Ints,
    gain: f64,
    dtype: Dtype,
}
/// A random orthogonal matrix times `gain`: initial values of weights. Op tenon.orthogonal.
pub fn orthogonal(shape: impl Into<Ints>) -> Orthogonal {
    Orthogonal { shape: shape.into(), gain: 1.0, dtype: Dtype::F32 }
}
impl Orthogonal {
    pub fn gain(mut self, gain: f64) -> Self { self.gain = gain; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 3]) {
        (
            [],
            [self.shape.given(), self.gain.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(187, 1, "tenon.orthogonal"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(187, 1, "tenon.orthogonal"), &inputs, &attributes, out)
    }
}
/// The outer product of two vectors: `y[m,n] = a[m] * b[n]`. Op tenon.outer.
#[inline]
pub fn outer<'a>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    call_one(op(188, 1, "tenon.outer"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn outer_into<'a>(a: &Tensor, b: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(188, 1, "tenon.outer"), &[a.given(), b.given()], &[], out)
}
/// `x` with more elements around it: `pads` has a pair of numbers for each of `axes` (none: for all
/// axes in order), how many are put before the first place and how many after the last. Op
/// tenon.pad.
#[must_use = "nothing is done before `call`"]
pub struct Pad<'a> {
    x: &'a Tensor,
    pads: Ints,
    axes: Option<Ints>,
    mode: &'a str,
    value: Number,
}
/// `x` with more elements around it: `pads` has a pair of numbers for each of `axes` (none: for all
/// axes in order), how many are put before the first place and how many after the last. Op
/// tenon.pad.
pub fn pad<'a>(x: &'a Tensor, pads: impl Into<Ints>) -> Pad<'a> {
    Pad { x, pads: pads.into(), axes: None, mode: "constant", value: Number::from(0) }
}
impl<'a> Pad<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn mode(mut self, mode: &'a str) -> Self { self.mode = mode; self }
    pub fn value(mut self, value: impl Into<Number>) -> Self { self.value = value.into(); self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 4]) {
        (
            [self.x.given()],
            [self.pads.given(), self.axes.given(), self.mode.given(), self.value.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(189, 1, "tenon.pad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(189, 1, "tenon.pad"), &inputs, &attributes, out)
    }
}
/// The integers from 0 to `n - 1` in random order: sorted by keys of 64 random bits, of number `i`
/// words `2i` (high) and `2i+1`, and by themselves where keys are equal. Op tenon.permutation.
#[must_use = "nothing is done before `call`"]
pub struct Permutation {
    n: i64,
    dtype: Dtype,
}
/// The integers from 0 to `n - 1` in random order: sorted by keys of 64 random bits, of number `i`
/// words `2i` (high) and `2i+1`, and by themselves where keys are equal. Op tenon.permutation.
pub fn permutation(n: i64) -> Permutation {
    Permutation { n, dtype: Dtype::I64 }
}
impl Permutation {
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 2]) {
        (
            [],
            [self.n.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(190, 1, "tenon.permutation"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(190, 1, "tenon.permutation"), &inputs, &attributes, out)
    }
}
/// The dimensions of `x` in the order of `axes`: dimension `d` of the result is dimension `axes[d]`
/// of `x`. Op tenon.permute.
#[inline]
pub fn permute<'a>(x: &Tensor, axes: impl Into<Ints>) -> Result<Tensor> {
    let axes: Ints = axes.into();
    call_one(op(191, 1, "tenon.permute"), &[x.given()], &[axes.given()])
}
/// The same, written into `out`.
#[inline]
pub fn permute_into<'a>(x: &Tensor, axes: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let axes: Ints = axes.into();
    call_into(op(191, 1, "tenon.permute"), &[x.given()], &[axes.given()], out)
}
/// A power: `y = a^b`. Op tenon.pow.
#[inline]
pub fn pow<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(192, 1, "tenon.pow"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn pow_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(192, 1, "tenon.pow"), &[a.given(), b.given()], &[], out)
}
/// The product over `axes` (none: all of them; an empty list: no axis, so that the values stay). Op
/// tenon.prod.
#[must_use = "nothing is done before `call`"]
pub struct Prod<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// The product over `axes` (none: all of them; an empty list: no axis, so that the values stay). Op
/// tenon.prod.
pub fn prod<'a>(x: &'a Tensor) -> Prod<'a> {
    Prod { x, axes: None, keepdims: false }
}
impl<'a> Prod<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(193, 1, "tenon.prod"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(193, 1, "tenon.prod"), &inputs, &attributes, out)
    }
}
/// The reduced QR decomposition `x = q r` of the matrices that the last two dimensions hold: of
/// `[...,M,N]`, with K the lesser of M and N, `q` is `[...,M,K]` with orthonormal columns, and `r`
/// is `[...,K,N]`, an upper triangle. Op tenon.qr.
#[must_use = "nothing is done before `call`"]
pub struct Qr<'a> {
    x: &'a Tensor,
    mode: &'a str,
}
/// The reduced QR decomposition `x = q r` of the matrices that the last two dimensions hold: of
/// `[...,M,N]`, with K the lesser of M and N, `q` is `[...,M,K]` with orthonormal columns, and `r`
/// is `[...,K,N]`, an upper triangle. Op tenon.qr.
pub fn qr<'a>(x: &'a Tensor) -> Qr<'a> {
    Qr { x, mode: "reduced" }
}
impl<'a> Qr<'a> {
    pub fn mode(mut self, mode: &'a str) -> Self { self.mode = mode; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.mode.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(194, 1, "tenon.qr"), &inputs, &attributes)
    }
}
/// Random integers from `low` to `high - 1`: `y[i] = low + floor(w(i) * n / 2^64)`, where `n = high
/// - low` and `w(i)` has the 64 bits of words `2i` (high) and `2i+1`, with `i` the row-major index.
/// Op tenon.random_integers.
#[must_use = "nothing is done before `call`"]
pub struct RandomIntegers {
    shape: Ints,
    low: i64,
    high: i64,
    dtype: Dtype,
}
/// Random integers from `low` to `high - 1`: `y[i] = low + floor(w(i) * n / 2^64)`, where `n = high
/// - low` and `w(i)` has the 64 bits of words `2i` (high) and `2i+1`, with `i` the row-major index.
/// Op tenon.random_integers.
pub fn random_integers(shape: impl Into<Ints>, high: i64) -> RandomIntegers {
    RandomIntegers { shape: shape.into(), low: 0, high, dtype: Dtype::I64 }
}
impl RandomIntegers {
    pub fn low(mut self, low: i64) -> Self { self.low = low; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 4]) {
        (
            [],
            [self.shape.given(), self.low.given(), self.high.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(195, 1, "tenon.random_integers"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(195, 1, "tenon.random_integers"), &inputs, &attributes, out)
    }
}
/// One over the number: `y = 1 / x`. Op tenon.reciprocal.
#[inline]
pub fn reciprocal(x: &Tensor) -> Result<Tensor> {
    call_one(op(196, 1, "tenon.reciprocal"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn reciprocal_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(196, 1, "tenon.reciprocal"), &[x.given()], &[], out)
}
/// Our row of the sum over the processes of a group: `x` \[n, ...\] has a row for each process, and
/// `y` is row `r` of the sum of all `x` in rank `r`. Op tenon.reduce_scatter.
#[must_use = "nothing is done before `call`"]
pub struct ReduceScatter<'a> {
    x: &'a Tensor,
    group: i64,
}
/// Our row of the sum over the processes of a group: `x` \[n, ...\] has a row for each process, and
/// `y` is row `r` of the sum of all `x` in rank `r`. Op tenon.reduce_scatter.
pub fn reduce_scatter<'a>(x: &'a Tensor) -> ReduceScatter<'a> {
    ReduceScatter { x, group: 0 }
}
impl<'a> ReduceScatter<'a> {
    pub fn group(mut self, group: i64) -> Self { self.group = group; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.group.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(197, 1, "tenon.reduce_scatter"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(197, 1, "tenon.reduce_scatter"), &inputs, &attributes, out)
    }
}
/// The positive part: `y = max(x, 0)`. Op tenon.relu.
#[inline]
pub fn relu(x: &Tensor) -> Result<Tensor> {
    call_one(op(198, 1, "tenon.relu"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn relu_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(198, 1, "tenon.relu"), &[x.given()], &[], out)
}
/// What division leaves: `y = a - floor(a / b) * b`, with the sign of `b`, as Python's `%`. Op
/// tenon.remainder.
#[inline]
pub fn remainder<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(199, 1, "tenon.remainder"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn remainder_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(199, 1, "tenon.remainder"), &[a.given(), b.given()], &[], out)
}
/// Each element along `axis`, `repeats` times one after another; without `axis`, of `x` read in
/// row-major order, and the result has one dimension. Op tenon.repeat.
#[must_use = "nothing is done before `call`"]
pub struct Repeat<'a> {
    x: &'a Tensor,
    repeats: i64,
    axis: Option<i64>,
}
/// Each element along `axis`, `repeats` times one after another; without `axis`, of `x` read in
/// row-major order, and the result has one dimension. Op tenon.repeat.
pub fn repeat<'a>(x: &'a Tensor, repeats: i64) -> Repeat<'a> {
    Repeat { x, repeats, axis: None }
}
impl<'a> Repeat<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = Some(axis); self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.repeats.given(), self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(200, 1, "tenon.repeat"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(200, 1, "tenon.repeat"), &inputs, &attributes, out)
    }
}
/// Logits in which each token that `tokens` has in the same row is penalised, once however often it
/// is there: `x * penalty` below 0, else `x / penalty`. Op tenon.repetition_penalty.
#[inline]
pub fn repetition_penalty(logits: &Tensor, tokens: &Tensor, penalty: f64) -> Result<Tensor> {
    call_one(op(201, 1, "tenon.repetition_penalty"), &[logits.given(), tokens.given()],
        &[penalty.given()])
}
/// The same, written into `out`.
#[inline]
pub fn repetition_penalty_into(
    logits: &Tensor,
    tokens: &Tensor,
    penalty: f64,
    out: &Tensor,
) -> Result<()> {
    call_into(op(201, 1, "tenon.repetition_penalty"), &[logits.given(), tokens.given()],
        &[penalty.given()], out)
}
/// The elements of `x`, read in row-major order, in another shape. Op tenon.reshape.
#[inline]
pub fn reshape(x: &Tensor, shape: impl Into<Ints>) -> Result<Tensor> {
    let shape: Ints = shape.into();
    call_one(op(202, 1, "tenon.reshape"), &[x.given()], &[shape.given()])
}
/// The same, written into `out`.
#[inline]
pub fn reshape_into(x: &Tensor, shape: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let shape: Ints = shape.into();
    call_into(op(202, 1, "tenon.reshape"), &[x.given()], &[shape.given()], out)
}
/// Scales each row of `x`, which is what the last `dims` dimensions hold, to a root mean square of
/// 1: `y = x * s * weight`, with `s = 1 / sqrt(mean(x^2) + eps)` over the row. Op tenon.rms_norm.
#[must_use = "nothing is done before `call`"]
pub struct RmsNorm<'a> {
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    dims: i64,
    eps: f64,
}
/// Scales each row of `x`, which is what the last `dims` dimensions hold, to a root mean square of
/// 1: `y = x * s * weight`, with `s = 1 / sqrt(mean(x^2) + eps)` over the row. Op tenon.rms_norm.
pub fn rms_norm<'a>(x: &'a Tensor) -> RmsNorm<'a> {
    RmsNorm { x, weight: None, dims: 1, eps: 1e-05 }
}
impl<'a> RmsNorm<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn dims(mut self, dims: i64) -> Self { self.dims = dims; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.x.given(), self.weight.given()],
            [self.dims.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(203, 1, "tenon.rms_norm"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(203, 1, "tenon.rms_norm"), &inputs, &attributes, out)
    }
}
/// The gradients of `tenon.rms_norm`: with `h = x * s` the normalised row and `g = dy * weight`, `y
/// = s * (g - h * mean(g * h))` is that of `x`, the mean over the row. Op tenon.rms_norm_grad.
#[must_use = "nothing is done before `call`"]
pub struct RmsNormGrad<'a> {
    dy: &'a Tensor,
    x: &'a Tensor,
    weight: Option<&'a Tensor>,
    dims: i64,
    eps: f64,
}
/// The gradients of `tenon.rms_norm`: with `h = x * s` the normalised row and `g = dy * weight`, `y
/// = s * (g - h * mean(g * h))` is that of `x`, the mean over the row. Op tenon.rms_norm_grad.
pub fn rms_norm_grad<'a>(dy: &'a Tensor, x: &'a Tensor) -> RmsNormGrad<'a> {
    RmsNormGrad { dy, x, weight: None, dims: 1, eps: 1e-05 }
}
impl<'a> RmsNormGrad<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn dims(mut self, dims: i64) -> Self { self.dims = dims; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 2]) {
        (
            [self.dy.given(), self.x.given(), self.weight.given()],
            [self.dims.given(), self.eps.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(204, 1, "tenon.rms_norm_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(204, 1, "tenon.rms_norm_grad"), &inputs, &attributes, out)
    }
}
/// One step of `tenon.rmsprop_step` on the given rows of each parameter alone. Op
/// tenon.rmsprop_rows.
#[must_use = "nothing is done before `call`"]
pub struct RmspropRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    square_avg: Tensors<'a>,
    grad_avg: Tensors<'a>,
    momentum_buffer: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    alpha: f64,
    eps: f64,
    weight_decay: f64,
    momentum: f64,
    centered: bool,
}
/// One step of `tenon.rmsprop_step` on the given rows of each parameter alone. Op
/// tenon.rmsprop_rows.
pub fn rmsprop_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    square_avg: impl Into<Tensors<'a>>,
    grad_avg: impl Into<Tensors<'a>>,
    momentum_buffer: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> RmspropRows<'a> {
    RmspropRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        square_avg: square_avg.into(),
        grad_avg: grad_avg.into(),
        momentum_buffer: momentum_buffer.into(),
        step: step.into(),
        lr: lr.into(),
        alpha: 0.99,
        eps: 1e-08,
        weight_decay: 0.0,
        momentum: 0.0,
        centered: false,
    }
}
impl<'a> RmspropRows<'a> {
    pub fn alpha(mut self, alpha: f64) -> Self { self.alpha = alpha; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn momentum(mut self, momentum: f64) -> Self { self.momentum = momentum; self }
    pub fn centered(mut self, centered: bool) -> Self { self.centered = centered; self }
    fn values(&self) -> ([tenon_value; 8], [tenon_value; 5]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(),
                self.square_avg.given(), self.grad_avg.given(), self.momentum_buffer.given(),
                self.step.given(), self.lr.given()],
            [self.alpha.given(), self.eps.given(), self.weight_decay.given(), self.momentum.given(),
                self.centered.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(205, 1, "tenon.rmsprop_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of RMSprop on each parameter, in place. Op tenon.rmsprop_step.
#[must_use = "nothing is done before `call`"]
pub struct RmspropStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    square_avg: Tensors<'a>,
    grad_avg: Tensors<'a>,
    momentum_buffer: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    alpha: f64,
    eps: f64,
    weight_decay: f64,
    momentum: f64,
    centered: bool,
}
/// One step of RMSprop on each parameter, in place. Op tenon.rmsprop_step.
pub fn rmsprop_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    square_avg: impl Into<Tensors<'a>>,
    grad_avg: impl Into<Tensors<'a>>,
    momentum_buffer: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> RmspropStep<'a> {
    RmspropStep {
        params: params.into(),
        grads: grads.into(),
        square_avg: square_avg.into(),
        grad_avg: grad_avg.into(),
        momentum_buffer: momentum_buffer.into(),
        step: step.into(),
        lr: lr.into(),
        alpha: 0.99,
        eps: 1e-08,
        weight_decay: 0.0,
        momentum: 0.0,
        centered: false,
    }
}
impl<'a> RmspropStep<'a> {
    pub fn alpha(mut self, alpha: f64) -> Self { self.alpha = alpha; self }
    pub fn eps(mut self, eps: f64) -> Self { self.eps = eps; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn momentum(mut self, momentum: f64) -> Self { self.momentum = momentum; self }
    pub fn centered(mut self, centered: bool) -> Self { self.centered = centered; self }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 5]) {
        (
            [self.params.given(), self.grads.given(), self.square_avg.given(),
                self.grad_avg.given(), self.momentum_buffer.given(), self.step.given(),
                self.lr.given()],
            [self.alpha.given(), self.eps.given(), self.weight_decay.given(), self.momentum.given(),
                self.centered.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(206, 1, "tenon.rmsprop_step"), &inputs, &attributes).map(|_| ())
    }
}
/// One plain recurrent layer in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.rnn.
#[must_use = "nothing is done before `call`"]
pub struct Rnn<'a> {
    x: &'a Tensor,
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    activation: &'a str,
    reverse: bool,
    batch_first: bool,
}
/// One plain recurrent layer in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.rnn.
pub fn rnn<'a>(x: &'a Tensor, w_ih: &'a Tensor, w_hh: &'a Tensor) -> Rnn<'a> {
    Rnn {
        x,
        w_ih,
        w_hh,
        h0: None,
        b_ih: None,
        b_hh: None,
        lengths: None,
        activation: "tanh",
        reverse: false,
        batch_first: false,
    }
}
impl<'a> Rnn<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn activation(mut self, activation: &'a str) -> Self { self.activation = activation; self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    fn values(&self) -> ([tenon_value; 7], [tenon_value; 3]) {
        (
            [self.x.given(), self.w_ih.given(), self.w_hh.given(), self.h0.given(),
                self.b_ih.given(), self.b_hh.given(), self.lengths.given()],
            [self.activation.given(), self.reverse.given(), self.batch_first.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(207, 1, "tenon.rnn"), &inputs, &attributes)
    }
}
/// One step of `tenon.rnn`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if
/// absent). Op tenon.rnn_cell.
#[must_use = "nothing is done before `call`"]
pub struct RnnCell<'a> {
    x: &'a Tensor,
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    activation: &'a str,
}
/// One step of `tenon.rnn`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if
/// absent). Op tenon.rnn_cell.
pub fn rnn_cell<'a>(x: &'a Tensor, w_ih: &'a Tensor, w_hh: &'a Tensor) -> RnnCell<'a> {
    RnnCell { x, w_ih, w_hh, h0: None, b_ih: None, b_hh: None, activation: "tanh" }
}
impl<'a> RnnCell<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn activation(mut self, activation: &'a str) -> Self { self.activation = activation; self }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 1]) {
        (
            [self.x.given(), self.w_ih.given(), self.w_hh.given(), self.h0.given(),
                self.b_ih.given(), self.b_hh.given()],
            [self.activation.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(208, 1, "tenon.rnn_cell"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(208, 1, "tenon.rnn_cell"), &inputs, &attributes, out)
    }
}
/// The steps of a plain recurrent layer, given what they make of their inputs: `gates` is `x
/// w_ih^T`, for each step of each sequence H numbers. Op tenon.rnn_steps.
#[must_use = "nothing is done before `call`"]
pub struct RnnSteps<'a> {
    gates: &'a Tensor,
    w_hh: &'a Tensor,
    h0: Option<&'a Tensor>,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    activation: &'a str,
    reverse: bool,
    batch_first: bool,
}
/// The steps of a plain recurrent layer, given what they make of their inputs: `gates` is `x
/// w_ih^T`, for each step of each sequence H numbers. Op tenon.rnn_steps.
pub fn rnn_steps<'a>(gates: &'a Tensor, w_hh: &'a Tensor) -> RnnSteps<'a> {
    RnnSteps {
        gates,
        w_hh,
        h0: None,
        b_ih: None,
        b_hh: None,
        lengths: None,
        activation: "tanh",
        reverse: false,
        batch_first: false,
    }
}
impl<'a> RnnSteps<'a> {
    pub fn h0(mut self, h0: &'a Tensor) -> Self { self.h0 = Some(h0); self }
    pub fn b_ih(mut self, b_ih: &'a Tensor) -> Self { self.b_ih = Some(b_ih); self }
    pub fn b_hh(mut self, b_hh: &'a Tensor) -> Self { self.b_hh = Some(b_hh); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn activation(mut self, activation: &'a str) -> Self { self.activation = activation; self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 3]) {
        (
            [self.gates.given(), self.w_hh.given(), self.h0.given(), self.b_ih.given(),
                self.b_hh.given(), self.lengths.given()],
            [self.activation.given(), self.reverse.given(), self.batch_first.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(209, 1, "tenon.rnn_steps"), &inputs, &attributes)
    }
}
/// The gradients of `tenon.rnn_steps`, from its result `y` and the gradients of its outputs; those
/// that are absent are 0. Op tenon.rnn_steps_grad.
#[must_use = "nothing is done before `call`"]
pub struct RnnStepsGrad<'a> {
    y: &'a Tensor,
    w_hh: &'a Tensor,
    dy: Option<&'a Tensor>,
    dh_n: Option<&'a Tensor>,
    lengths: Option<&'a Tensor>,
    activation: &'a str,
    reverse: bool,
    batch_first: bool,
}
/// The gradients of `tenon.rnn_steps`, from its result `y` and the gradients of its outputs; those
/// that are absent are 0. Op tenon.rnn_steps_grad.
pub fn rnn_steps_grad<'a>(y: &'a Tensor, w_hh: &'a Tensor) -> RnnStepsGrad<'a> {
    RnnStepsGrad {
        y,
        w_hh,
        dy: None,
        dh_n: None,
        lengths: None,
        activation: "tanh",
        reverse: false,
        batch_first: false,
    }
}
impl<'a> RnnStepsGrad<'a> {
    pub fn dy(mut self, dy: &'a Tensor) -> Self { self.dy = Some(dy); self }
    pub fn dh_n(mut self, dh_n: &'a Tensor) -> Self { self.dh_n = Some(dh_n); self }
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self { self.lengths = Some(lengths); self }
    pub fn activation(mut self, activation: &'a str) -> Self { self.activation = activation; self }
    pub fn reverse(mut self, reverse: bool) -> Self { self.reverse = reverse; self }
    pub fn batch_first(mut self, batch_first: bool) -> Self { self.batch_first = batch_first; self }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 3]) {
        (
            [self.y.given(), self.w_hh.given(), self.dy.given(), self.dh_n.given(),
                self.lengths.given()],
            [self.activation.given(), self.reverse.given(), self.batch_first.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(210, 1, "tenon.rnn_steps_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(210, 1, "tenon.rnn_steps_grad"), &inputs, &attributes, out)
    }
}
/// The elements of `x` moved on by `shifts[k]` places along `axes[k]`; what leaves an axis at one
/// end comes back at the other. Op tenon.roll.
#[must_use = "nothing is done before `call`"]
pub struct Roll<'a> {
    x: &'a Tensor,
    shifts: Ints,
    axes: Option<Ints>,
}
/// The elements of `x` moved on by `shifts[k]` places along `axes[k]`; what leaves an axis at one
/// end comes back at the other. Op tenon.roll.
pub fn roll<'a>(x: &'a Tensor, shifts: impl Into<Ints>) -> Roll<'a> {
    Roll { x, shifts: shifts.into(), axes: None }
}
impl<'a> Roll<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.shifts.given(), self.axes.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(211, 1, "tenon.roll"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(211, 1, "tenon.roll"), &inputs, &attributes, out)
    }
}
/// Rotary position embedding. Op tenon.rope.
#[must_use = "nothing is done before `call`"]
pub struct Rope<'a> {
    x: &'a Tensor,
    cos: &'a Tensor,
    sin: &'a Tensor,
    positions: Option<&'a Tensor>,
    layout: &'a str,
    offset: i64,
    inverse: bool,
}
/// Rotary position embedding. Op tenon.rope.
pub fn rope<'a>(x: &'a Tensor, cos: &'a Tensor, sin: &'a Tensor) -> Rope<'a> {
    Rope { x, cos, sin, positions: None, layout: "halves", offset: 0, inverse: false }
}
impl<'a> Rope<'a> {
    pub fn positions(mut self, positions: &'a Tensor) -> Self {
        self.positions = Some(positions);
        self
    }
    pub fn layout(mut self, layout: &'a str) -> Self { self.layout = layout; self }
    pub fn offset(mut self, offset: i64) -> Self { self.offset = offset; self }
    pub fn inverse(mut self, inverse: bool) -> Self { self.inverse = inverse; self }
    fn values(&self) -> ([tenon_value; 4], [tenon_value; 3]) {
        (
            [self.x.given(), self.cos.given(), self.sin.given(), self.positions.given()],
            [self.layout.given(), self.offset.given(), self.inverse.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(212, 1, "tenon.rope"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(212, 1, "tenon.rope"), &inputs, &attributes, out)
    }
}
/// The cosines, or with `part="sin"` the sines, of `angle[p,i] = p * scale * base^(-i/R)`, with
/// `shape = [P, R]`: one of the two tables that `tenon.rope_tables` makes, by the attributes
/// `shape` and `dtype` that layers give to what makes their tensors. Op tenon.rope_table.
#[must_use = "nothing is done before `call`"]
pub struct RopeTable<'a> {
    shape: Ints,
    part: &'a str,
    base: f64,
    scale: f64,
    dtype: Dtype,
}
/// The cosines, or with `part="sin"` the sines, of `angle[p,i] = p * scale * base^(-i/R)`, with
/// `shape = [P, R]`: one of the two tables that `tenon.rope_tables` makes, by the attributes
/// `shape` and `dtype` that layers give to what makes their tensors. Op tenon.rope_table.
pub fn rope_table<'a>(shape: impl Into<Ints>) -> RopeTable<'a> {
    RopeTable { shape: shape.into(), part: "cos", base: 10000.0, scale: 1.0, dtype: Dtype::F32 }
}
impl<'a> RopeTable<'a> {
    pub fn part(mut self, part: &'a str) -> Self { self.part = part; self }
    pub fn base(mut self, base: f64) -> Self { self.base = base; self }
    pub fn scale(mut self, scale: f64) -> Self { self.scale = scale; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 5]) {
        (
            [],
            [self.shape.given(), self.part.given(), self.base.given(), self.scale.given(),
                self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(213, 1, "tenon.rope_table"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(213, 1, "tenon.rope_table"), &inputs, &attributes, out)
    }
}
/// Cosine and sine of `angle[p,i] = p * scale * base^(-2i/dims)` for `positions` positions and the
/// `dims / 2` pairs of a row of which `dims` elements are rotated: the tables of `tenon.rope`. Op
/// tenon.rope_tables.
#[must_use = "nothing is done before `call`"]
pub struct RopeTables {
    positions: i64,
    dims: i64,
    base: f64,
    scale: f64,
    dtype: Dtype,
}
/// Cosine and sine of `angle[p,i] = p * scale * base^(-2i/dims)` for `positions` positions and the
/// `dims / 2` pairs of a row of which `dims` elements are rotated: the tables of `tenon.rope`. Op
/// tenon.rope_tables.
pub fn rope_tables(positions: i64, dims: i64) -> RopeTables {
    RopeTables { positions, dims, base: 10000.0, scale: 1.0, dtype: Dtype::F32 }
}
impl RopeTables {
    pub fn base(mut self, base: f64) -> Self { self.base = base; self }
    pub fn scale(mut self, scale: f64) -> Self { self.scale = scale; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 5]) {
        (
            [],
            [self.positions.given(), self.dims.given(), self.base.given(), self.scale.given(),
                self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(214, 1, "tenon.rope_tables"), &inputs, &attributes)
    }
}
/// The whole number nearest to `x`; of two as near the even one. Op tenon.round.
#[inline]
pub fn round(x: &Tensor) -> Result<Tensor> {
    call_one(op(215, 1, "tenon.round"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn round_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(215, 1, "tenon.round"), &[x.given()], &[], out)
}
/// Adds `values[r]` to row `indices[r]` of `x`, in place, for `r` ascending; a row named twice gets
/// both. Op tenon.rows_add.
#[inline]
pub fn rows_add(x: &Tensor, indices: &Tensor, values: &Tensor) -> Result<()> {
    call_all::<0>(op(216, 1, "tenon.rows_add"), &[x.given(), indices.given(), values.given()],
        &[]).map(|_| ())
}
/// Puts `values[r]` in place of row `indices[r]` of `x`, in place, for `r` ascending; of a row
/// named twice the last one stays. Op tenon.rows_put.
#[inline]
pub fn rows_put(x: &Tensor, indices: &Tensor, values: &Tensor) -> Result<()> {
    call_all::<0>(op(217, 1, "tenon.rows_put"), &[x.given(), indices.given(), values.given()],
        &[]).map(|_| ())
}
/// One over the square root: `y = 1 / sqrt(x)`. Op tenon.rsqrt.
#[inline]
pub fn rsqrt(x: &Tensor) -> Result<Tensor> {
    call_one(op(218, 1, "tenon.rsqrt"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn rsqrt_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(218, 1, "tenon.rsqrt"), &[x.given()], &[], out)
}
/// For each element of the vector `x`: does it begin a run of equal elements, and which run is it
/// in, counted from 0? Zeros of either sign are equal; a NaN equals nothing, not even a NaN. Op
/// tenon.runs.
#[inline]
pub fn runs(x: &Tensor) -> Result<[Tensor; 2]> {
    call_all(op(219, 1, "tenon.runs"), &[x.given()], &[])
}
/// Draws one token from each row of `logits`, whose last axis is that of the tokens: token `k` with
/// the probability `softmax(z)[k]`, where `z` is what `tenon.filter_logits` gives for the same
/// `temperature`, `top_k`, `top_p` and `min_p`. Op tenon.sample.
#[must_use = "nothing is done before `call`"]
pub struct Sample<'a> {
    logits: &'a Tensor,
    temperature: f64,
    top_k: i64,
    top_p: f64,
    min_p: f64,
}
/// Draws one token from each row of `logits`, whose last axis is that of the tokens: token `k` with
/// the probability `softmax(z)[k]`, where `z` is what `tenon.filter_logits` gives for the same
/// `temperature`, `top_k`, `top_p` and `min_p`. Op tenon.sample.
pub fn sample<'a>(logits: &'a Tensor) -> Sample<'a> {
    Sample { logits, temperature: 1.0, top_k: 0, top_p: 1.0, min_p: 0.0 }
}
impl<'a> Sample<'a> {
    pub fn temperature(mut self, temperature: f64) -> Self { self.temperature = temperature; self }
    pub fn top_k(mut self, top_k: i64) -> Self { self.top_k = top_k; self }
    pub fn top_p(mut self, top_p: f64) -> Self { self.top_p = top_p; self }
    pub fn min_p(mut self, min_p: f64) -> Self { self.min_p = min_p; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 4]) {
        (
            [self.logits.given()],
            [self.temperature.given(), self.top_k.given(), self.top_p.given(), self.min_p.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(220, 1, "tenon.sample"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(220, 1, "tenon.sample"), &inputs, &attributes, out)
    }
}
/// A copy of `x` in which `y[a, indices[a, i, b], b] = src[a, i, b]`, where `i` runs along `axis`.
/// Op tenon.scatter.
#[inline]
pub fn scatter<'a>(x: &Tensor, indices: &Tensor, src: &Tensor, axis: i64) -> Result<Tensor> {
    call_one(op(221, 1, "tenon.scatter"), &[x.given(), indices.given(), src.given()],
        &[axis.given()])
}
/// The same, written into `out`.
#[inline]
pub fn scatter_into<'a>(
    x: &Tensor,
    indices: &Tensor,
    src: &Tensor,
    axis: i64,
    out: &Tensor,
) -> Result<()> {
    call_into(op(221, 1, "tenon.scatter"), &[x.given(), indices.given(), src.given()],
        &[axis.given()], out)
}
/// A copy of `x` with `y[a, indices[a, i, b], b] += src[a, i, b]`, where `i` runs along `axis`. Op
/// tenon.scatter_add.
#[inline]
pub fn scatter_add<'a>(x: &Tensor, indices: &Tensor, src: &Tensor, axis: i64) -> Result<Tensor> {
    call_one(op(222, 1, "tenon.scatter_add"), &[x.given(), indices.given(), src.given()],
        &[axis.given()])
}
/// The same, written into `out`.
#[inline]
pub fn scatter_add_into<'a>(
    x: &Tensor,
    indices: &Tensor,
    src: &Tensor,
    axis: i64,
    out: &Tensor,
) -> Result<()> {
    call_into(op(222, 1, "tenon.scatter_add"), &[x.given(), indices.given(), src.given()],
        &[axis.given()], out)
}
/// For each element of `values` the place at which it can be put into `sorted` so that the order
/// holds: before all elements equal to it, with `right` after them. Op tenon.searchsorted.
#[must_use = "nothing is done before `call`"]
pub struct Searchsorted<'a> {
    sorted: &'a Tensor,
    values: &'a Tensor,
    right: bool,
}
/// For each element of `values` the place at which it can be put into `sorted` so that the order
/// holds: before all elements equal to it, with `right` after them. Op tenon.searchsorted.
pub fn searchsorted<'a>(sorted: &'a Tensor, values: &'a Tensor) -> Searchsorted<'a> {
    Searchsorted { sorted, values, right: false }
}
impl<'a> Searchsorted<'a> {
    pub fn right(mut self, right: bool) -> Self { self.right = right; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.sorted.given(), self.values.given()],
            [self.right.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(223, 1, "tenon.searchsorted"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(223, 1, "tenon.searchsorted"), &inputs, &attributes, out)
    }
}
/// The scaled exponential linear unit: `y = scale * x` where `x > 0`, else `scale * alpha * (exp(x)
/// - 1)`, with `scale = 1.0507009873554804934` and `alpha = 1.6732632423543772848`, for which
/// activations keep mean 0 and variance 1. Op tenon.selu.
#[inline]
pub fn selu(x: &Tensor) -> Result<Tensor> {
    call_one(op(224, 1, "tenon.selu"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn selu_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(224, 1, "tenon.selu"), &[x.given()], &[], out)
}
/// One step of `tenon.sgd_step` on the given rows of each parameter alone. Op tenon.sgd_rows.
#[must_use = "nothing is done before `call`"]
pub struct SgdRows<'a> {
    params: Tensors<'a>,
    indices: Tensors<'a>,
    values: Tensors<'a>,
    momentum_buffer: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    momentum: f64,
    dampening: f64,
    weight_decay: f64,
    nesterov: bool,
}
/// One step of `tenon.sgd_step` on the given rows of each parameter alone. Op tenon.sgd_rows.
pub fn sgd_rows<'a>(
    params: impl Into<Tensors<'a>>,
    indices: impl Into<Tensors<'a>>,
    values: impl Into<Tensors<'a>>,
    momentum_buffer: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> SgdRows<'a> {
    SgdRows {
        params: params.into(),
        indices: indices.into(),
        values: values.into(),
        momentum_buffer: momentum_buffer.into(),
        step: step.into(),
        lr: lr.into(),
        momentum: 0.0,
        dampening: 0.0,
        weight_decay: 0.0,
        nesterov: false,
    }
}
impl<'a> SgdRows<'a> {
    pub fn momentum(mut self, momentum: f64) -> Self { self.momentum = momentum; self }
    pub fn dampening(mut self, dampening: f64) -> Self { self.dampening = dampening; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn nesterov(mut self, nesterov: bool) -> Self { self.nesterov = nesterov; self }
    fn values(&self) -> ([tenon_value; 6], [tenon_value; 4]) {
        (
            [self.params.given(), self.indices.given(), self.values.given(),
                self.momentum_buffer.given(), self.step.given(), self.lr.given()],
            [self.momentum.given(), self.dampening.given(), self.weight_decay.given(),
                self.nesterov.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(225, 1, "tenon.sgd_rows"), &inputs, &attributes).map(|_| ())
    }
}
/// One step of stochastic gradient descent on each parameter, in place. Op tenon.sgd_step.
#[must_use = "nothing is done before `call`"]
pub struct SgdStep<'a> {
    params: Tensors<'a>,
    grads: Tensors<'a>,
    momentum_buffer: Tensors<'a>,
    step: Tensors<'a>,
    lr: Operand<'a>,
    momentum: f64,
    dampening: f64,
    weight_decay: f64,
    nesterov: bool,
}
/// One step of stochastic gradient descent on each parameter, in place. Op tenon.sgd_step.
pub fn sgd_step<'a>(
    params: impl Into<Tensors<'a>>,
    grads: impl Into<Tensors<'a>>,
    momentum_buffer: impl Into<Tensors<'a>>,
    step: impl Into<Tensors<'a>>,
    lr: impl Into<Operand<'a>>,
) -> SgdStep<'a> {
    SgdStep {
        params: params.into(),
        grads: grads.into(),
        momentum_buffer: momentum_buffer.into(),
        step: step.into(),
        lr: lr.into(),
        momentum: 0.0,
        dampening: 0.0,
        weight_decay: 0.0,
        nesterov: false,
    }
}
impl<'a> SgdStep<'a> {
    pub fn momentum(mut self, momentum: f64) -> Self { self.momentum = momentum; self }
    pub fn dampening(mut self, dampening: f64) -> Self { self.dampening = dampening; self }
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.weight_decay = weight_decay;
        self
    }
    pub fn nesterov(mut self, nesterov: bool) -> Self { self.nesterov = nesterov; self }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 4]) {
        (
            [self.params.given(), self.grads.given(), self.momentum_buffer.given(),
                self.step.given(), self.lr.given()],
            [self.momentum.given(), self.dampening.given(), self.weight_decay.given(),
                self.nesterov.given()],
        )
    }
    pub fn call(&self) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_all::<0>(op(226, 1, "tenon.sgd_step"), &inputs, &attributes).map(|_| ())
    }
}
/// The logistic function: `y = 1 / (1 + exp(-x))`. Op tenon.sigmoid.
#[inline]
pub fn sigmoid(x: &Tensor) -> Result<Tensor> {
    call_one(op(227, 1, "tenon.sigmoid"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn sigmoid_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(227, 1, "tenon.sigmoid"), &[x.given()], &[], out)
}
/// The sign: 1 where `x > 0`, -1 where `x < 0`, 0 where `x` is a zero of either sign. Op
/// tenon.sign.
#[inline]
pub fn sign(x: &Tensor) -> Result<Tensor> {
    call_one(op(228, 1, "tenon.sign"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn sign_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(228, 1, "tenon.sign"), &[x.given()], &[], out)
}
/// The sigmoid linear unit, also called swish: `y = x / (1 + exp(-x))`. Op tenon.silu.
#[inline]
pub fn silu(x: &Tensor) -> Result<Tensor> {
    call_one(op(229, 1, "tenon.silu"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn silu_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(229, 1, "tenon.silu"), &[x.given()], &[], out)
}
/// The sine of an angle in radians: `y = sin(x)`. Op tenon.sin.
#[inline]
pub fn sin(x: &Tensor) -> Result<Tensor> {
    call_one(op(230, 1, "tenon.sin"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn sin_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(230, 1, "tenon.sin"), &[x.given()], &[], out)
}
/// The hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`. Op tenon.sinh.
#[inline]
pub fn sinh(x: &Tensor) -> Result<Tensor> {
    call_one(op(231, 1, "tenon.sinh"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn sinh_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(231, 1, "tenon.sinh"), &[x.given()], &[], out)
}
/// What the first Transformer adds to its embeddings: a row for each position. Op
/// tenon.sinusoidal_positions.
#[must_use = "nothing is done before `call`"]
pub struct SinusoidalPositions {
    shape: Ints,
    base: f64,
    dtype: Dtype,
}
/// What the first Transformer adds to its embeddings: a row for each position. Op
/// tenon.sinusoidal_positions.
pub fn sinusoidal_positions(shape: impl Into<Ints>) -> SinusoidalPositions {
    SinusoidalPositions { shape: shape.into(), base: 10000.0, dtype: Dtype::F32 }
}
impl SinusoidalPositions {
    pub fn base(mut self, base: f64) -> Self { self.base = base; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 3]) {
        (
            [],
            [self.shape.given(), self.base.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(232, 1, "tenon.sinusoidal_positions"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(232, 1, "tenon.sinusoidal_positions"), &inputs, &attributes, out)
    }
}
/// `x[start:stop:step]` along `axis`, as Python slices: negative places count from the end, places
/// outside are clipped, `none` is an end of the axis, and a negative step walks backward. Op
/// tenon.slice.
#[must_use = "nothing is done before `call`"]
pub struct Slice<'a> {
    x: &'a Tensor,
    axis: i64,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
}
/// `x[start:stop:step]` along `axis`, as Python slices: negative places count from the end, places
/// outside are clipped, `none` is an end of the axis, and a negative step walks backward. Op
/// tenon.slice.
pub fn slice<'a>(x: &'a Tensor, axis: i64) -> Slice<'a> {
    Slice { x, axis, start: None, stop: None, step: 1 }
}
impl<'a> Slice<'a> {
    pub fn start(mut self, start: i64) -> Self { self.start = Some(start); self }
    pub fn stop(mut self, stop: i64) -> Self { self.stop = Some(stop); self }
    pub fn step(mut self, step: i64) -> Self { self.step = step; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 4]) {
        (
            [self.x.given()],
            [self.axis.given(), self.start.given(), self.stop.given(), self.step.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(233, 1, "tenon.slice"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(233, 1, "tenon.slice"), &inputs, &attributes, out)
    }
}
/// Zeros of the given shape, with `dy` put in at `start`, `start + step`, ... along `axis`. Op
/// tenon.slice_put.
#[inline]
pub fn slice_put<'a>(
    dy: &Tensor,
    shape: impl Into<Ints>,
    axis: i64,
    start: i64,
    step: i64,
) -> Result<Tensor> {
    let shape: Ints = shape.into();
    call_one(op(234, 1, "tenon.slice_put"), &[dy.given()], &[shape.given(), axis.given(),
        start.given(), step.given()])
}
/// The same, written into `out`.
#[inline]
pub fn slice_put_into<'a>(
    dy: &Tensor,
    shape: impl Into<Ints>,
    axis: i64,
    start: i64,
    step: i64,
    out: &Tensor,
) -> Result<()> {
    let shape: Ints = shape.into();
    call_into(op(234, 1, "tenon.slice_put"), &[dy.given()], &[shape.given(), axis.given(),
        start.given(), step.given()], out)
}
/// Sign, and natural logarithm of the absolute value, of the determinants of the square matrices
/// that the last two dimensions hold: `det x = sign * exp(logabsdet)`, also where the determinant
/// itself is too large or too small for the dtype. Op tenon.slogdet.
#[inline]
pub fn slogdet(x: &Tensor) -> Result<[Tensor; 2]> {
    call_all(op(235, 1, "tenon.slogdet"), &[x.given()], &[])
}
/// With `d = x - target`: `d^2 / (2 * beta)` where `|d| < beta`, else `|d| - beta / 2`; of these
/// the mean, with `reduction` "sum" the sum, with "none" each of them. Op tenon.smooth_l1_loss.
#[must_use = "nothing is done before `call`"]
pub struct SmoothL1Loss<'a> {
    x: &'a Tensor,
    target: &'a Tensor,
    reduction: &'a str,
    beta: f64,
}
/// With `d = x - target`: `d^2 / (2 * beta)` where `|d| < beta`, else `|d| - beta / 2`; of these
/// the mean, with `reduction` "sum" the sum, with "none" each of them. Op tenon.smooth_l1_loss.
pub fn smooth_l1_loss<'a>(x: &'a Tensor, target: &'a Tensor) -> SmoothL1Loss<'a> {
    SmoothL1Loss { x, target, reduction: "mean", beta: 1.0 }
}
impl<'a> SmoothL1Loss<'a> {
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    pub fn beta(mut self, beta: f64) -> Self { self.beta = beta; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 2]) {
        (
            [self.x.given(), self.target.given()],
            [self.reduction.given(), self.beta.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(236, 1, "tenon.smooth_l1_loss"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(236, 1, "tenon.smooth_l1_loss"), &inputs, &attributes, out)
    }
}
/// Exponentials scaled to sum to 1 along `axis`: `y = exp(x - m) / sum(exp(x - m))`, with `m` the
/// largest element, so that nothing overflows. Op tenon.softmax.
#[must_use = "nothing is done before `call`"]
pub struct Softmax<'a> {
    x: &'a Tensor,
    axis: i64,
}
/// Exponentials scaled to sum to 1 along `axis`: `y = exp(x - m) / sum(exp(x - m))`, with `m` the
/// largest element, so that nothing overflows. Op tenon.softmax.
pub fn softmax<'a>(x: &'a Tensor) -> Softmax<'a> {
    Softmax { x, axis: -1 }
}
impl<'a> Softmax<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(237, 1, "tenon.softmax"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(237, 1, "tenon.softmax"), &inputs, &attributes, out)
    }
}
/// The mean negative log-likelihood of the target classes: `y = -(1/R) sum_n log_softmax(logits)[n,
/// target[n]]`, over the `R` rows whose target is not `ignore_index`. Op
/// tenon.softmax_cross_entropy.
#[must_use = "nothing is done before `call`"]
pub struct SoftmaxCrossEntropy<'a> {
    logits: &'a Tensor,
    target: &'a Tensor,
    weight: Option<&'a Tensor>,
    ignore_index: i64,
    label_smoothing: f64,
    reduction: &'a str,
}
/// The mean negative log-likelihood of the target classes: `y = -(1/R) sum_n log_softmax(logits)[n,
/// target[n]]`, over the `R` rows whose target is not `ignore_index`. Op
/// tenon.softmax_cross_entropy.
pub fn softmax_cross_entropy<'a>(
    logits: &'a Tensor,
    target: &'a Tensor,
) -> SoftmaxCrossEntropy<'a> {
    SoftmaxCrossEntropy {
        logits,
        target,
        weight: None,
        ignore_index: -100,
        label_smoothing: 0.0,
        reduction: "mean",
    }
}
impl<'a> SoftmaxCrossEntropy<'a> {
    pub fn weight(mut self, weight: &'a Tensor) -> Self { self.weight = Some(weight); self }
    pub fn ignore_index(mut self, ignore_index: i64) -> Self {
        self.ignore_index = ignore_index;
        self
    }
    pub fn label_smoothing(mut self, label_smoothing: f64) -> Self {
        self.label_smoothing = label_smoothing;
        self
    }
    pub fn reduction(mut self, reduction: &'a str) -> Self { self.reduction = reduction; self }
    fn values(&self) -> ([tenon_value; 3], [tenon_value; 3]) {
        (
            [self.logits.given(), self.target.given(), self.weight.given()],
            [self.ignore_index.given(), self.label_smoothing.given(), self.reduction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(238, 1, "tenon.softmax_cross_entropy"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(238, 1, "tenon.softmax_cross_entropy"), &inputs, &attributes, out)
    }
}
/// The gradient of `tenon.softmax_cross_entropy` for its logits, from its aux outputs `top` and
/// `top_prob`: `y[n,c] = dy/R * (p[n,c] - [c == target[n]])` in the `R` rows whose target is not
/// `ignore_index`, 0 in the others, with the probabilities `p[n,c] = exp(logits[n,c] - top[n]) *
/// top_prob[n]`. Op tenon.softmax_cross_entropy_grad.
#[must_use = "nothing is done before `call`"]
pub struct SoftmaxCrossEntropyGrad<'a> {
    dy: Operand<'a>,
    logits: &'a Tensor,
    top: &'a Tensor,
    top_prob: &'a Tensor,
    target: &'a Tensor,
    ignore_index: i64,
}
/// The gradient of `tenon.softmax_cross_entropy` for its logits, from its aux outputs `top` and
/// `top_prob`: `y[n,c] = dy/R * (p[n,c] - [c == target[n]])` in the `R` rows whose target is not
/// `ignore_index`, 0 in the others, with the probabilities `p[n,c] = exp(logits[n,c] - top[n]) *
/// top_prob[n]`. Op tenon.softmax_cross_entropy_grad.
pub fn softmax_cross_entropy_grad<'a>(
    dy: impl Into<Operand<'a>>,
    logits: &'a Tensor,
    top: &'a Tensor,
    top_prob: &'a Tensor,
    target: &'a Tensor,
) -> SoftmaxCrossEntropyGrad<'a> {
    SoftmaxCrossEntropyGrad { dy: dy.into(), logits, top, top_prob, target, ignore_index: -100 }
}
impl<'a> SoftmaxCrossEntropyGrad<'a> {
    pub fn ignore_index(mut self, ignore_index: i64) -> Self {
        self.ignore_index = ignore_index;
        self
    }
    fn values(&self) -> ([tenon_value; 5], [tenon_value; 1]) {
        (
            [self.dy.given(), self.logits.given(), self.top.given(), self.top_prob.given(),
                self.target.given()],
            [self.ignore_index.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(239, 1, "tenon.softmax_cross_entropy_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(239, 1, "tenon.softmax_cross_entropy_grad"), &inputs, &attributes, out)
    }
}
/// The smooth positive part: `y = ln(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x` is
/// above `threshold`. Op tenon.softplus.
#[must_use = "nothing is done before `call`"]
pub struct Softplus<'a> {
    x: &'a Tensor,
    beta: f64,
    threshold: f64,
}
/// The smooth positive part: `y = ln(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x` is
/// above `threshold`. Op tenon.softplus.
pub fn softplus<'a>(x: &'a Tensor) -> Softplus<'a> {
    Softplus { x, beta: 1.0, threshold: 20.0 }
}
impl<'a> Softplus<'a> {
    pub fn beta(mut self, beta: f64) -> Self { self.beta = beta; self }
    pub fn threshold(mut self, threshold: f64) -> Self { self.threshold = threshold; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.beta.given(), self.threshold.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(240, 1, "tenon.softplus"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(240, 1, "tenon.softplus"), &inputs, &attributes, out)
    }
}
/// The solution `y` of `a y = b` for square matrices `a`, which the last two dimensions hold. Op
/// tenon.solve.
#[inline]
pub fn solve<'a>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    call_one(op(241, 1, "tenon.solve"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn solve_into<'a>(a: &Tensor, b: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(241, 1, "tenon.solve"), &[a.given(), b.given()], &[], out)
}
/// The solution `y` of `a y = b` for the lower triangles of square matrices `a`, or with `upper`
/// the upper ones; nothing else of `a` is read. Op tenon.solve_triangular.
#[must_use = "nothing is done before `call`"]
pub struct SolveTriangular<'a> {
    a: &'a Tensor,
    b: &'a Tensor,
    upper: bool,
}
/// The solution `y` of `a y = b` for the lower triangles of square matrices `a`, or with `upper`
/// the upper ones; nothing else of `a` is read. Op tenon.solve_triangular.
pub fn solve_triangular<'a>(a: &'a Tensor, b: &'a Tensor) -> SolveTriangular<'a> {
    SolveTriangular { a, b, upper: false }
}
impl<'a> SolveTriangular<'a> {
    pub fn upper(mut self, upper: bool) -> Self { self.upper = upper; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.a.given(), self.b.given()],
            [self.upper.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(242, 1, "tenon.solve_triangular"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(242, 1, "tenon.solve_triangular"), &inputs, &attributes, out)
    }
}
/// The elements of each line along `axis` in ascending (`descending`: descending) order, and
/// `indices`, where each of them was. Op tenon.sort.
#[must_use = "nothing is done before `call`"]
pub struct Sort<'a> {
    x: &'a Tensor,
    axis: i64,
    descending: bool,
    stable: bool,
}
/// The elements of each line along `axis` in ascending (`descending`: descending) order, and
/// `indices`, where each of them was. Op tenon.sort.
pub fn sort<'a>(x: &'a Tensor) -> Sort<'a> {
    Sort { x, axis: -1, descending: false, stable: true }
}
impl<'a> Sort<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    pub fn descending(mut self, descending: bool) -> Self { self.descending = descending; self }
    pub fn stable(mut self, stable: bool) -> Self { self.stable = stable; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axis.given(), self.descending.given(), self.stable.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(243, 1, "tenon.sort"), &inputs, &attributes)
    }
}
/// `x` cut along `axis` into pieces of the given `sizes`, which together are the whole axis: the
/// piece number `index`, where a negative number counts from the last. Op tenon.split.
#[must_use = "nothing is done before `call`"]
pub struct Split<'a> {
    x: &'a Tensor,
    sizes: Ints,
    index: i64,
    axis: i64,
}
/// `x` cut along `axis` into pieces of the given `sizes`, which together are the whole axis: the
/// piece number `index`, where a negative number counts from the last. Op tenon.split.
pub fn split<'a>(x: &'a Tensor, sizes: impl Into<Ints>, index: i64) -> Split<'a> {
    Split { x, sizes: sizes.into(), index, axis: 0 }
}
impl<'a> Split<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.sizes.given(), self.index.given(), self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(244, 1, "tenon.split"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(244, 1, "tenon.split"), &inputs, &attributes, out)
    }
}
/// The square root: `y = sqrt(x)`. Op tenon.sqrt.
#[inline]
pub fn sqrt(x: &Tensor) -> Result<Tensor> {
    call_one(op(245, 1, "tenon.sqrt"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn sqrt_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(245, 1, "tenon.sqrt"), &[x.given()], &[], out)
}
/// The square: `y = x * x`. Op tenon.square.
#[inline]
pub fn square(x: &Tensor) -> Result<Tensor> {
    call_one(op(246, 1, "tenon.square"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn square_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(246, 1, "tenon.square"), &[x.given()], &[], out)
}
/// `x` without the dimensions `axes`, which must have size 1; without `axes`, without all
/// dimensions of size 1. Op tenon.squeeze.
#[must_use = "nothing is done before `call`"]
pub struct Squeeze<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
}
/// `x` without the dimensions `axes`, which must have size 1; without `axes`, without all
/// dimensions of size 1. Op tenon.squeeze.
pub fn squeeze<'a>(x: &'a Tensor) -> Squeeze<'a> {
    Squeeze { x, axes: None }
}
impl<'a> Squeeze<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.axes.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(247, 1, "tenon.squeeze"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(247, 1, "tenon.squeeze"), &inputs, &attributes, out)
    }
}
/// The tensors `xs`, all of one shape, along a new dimension, which is dimension `axis` of the
/// result. Op tenon.stack.
#[must_use = "nothing is done before `call`"]
pub struct Stack<'a> {
    xs: Tensors<'a>,
    axis: i64,
}
/// The tensors `xs`, all of one shape, along a new dimension, which is dimension `axis` of the
/// result. Op tenon.stack.
pub fn stack<'a>(xs: impl Into<Tensors<'a>>) -> Stack<'a> {
    Stack { xs: xs.into(), axis: 0 }
}
impl<'a> Stack<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.xs.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(248, 1, "tenon.stack"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(248, 1, "tenon.stack"), &inputs, &attributes, out)
    }
}
/// The standard deviation over `axes`: the square root of `tenon.var`, whose attributes it has. Op
/// tenon.std.
#[must_use = "nothing is done before `call`"]
pub struct Std<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
    correction: f64,
}
/// The standard deviation over `axes`: the square root of `tenon.var`, whose attributes it has. Op
/// tenon.std.
pub fn std<'a>(x: &'a Tensor) -> Std<'a> {
    Std { x, axes: None, keepdims: false, correction: 0.0 }
}
impl<'a> Std<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    pub fn correction(mut self, correction: f64) -> Self { self.correction = correction; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given(), self.correction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(249, 2, "tenon.std"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(249, 2, "tenon.std"), &inputs, &attributes, out)
    }
}
/// The difference: `y = a - b`. Op tenon.sub.
#[inline]
pub fn sub<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(250, 1, "tenon.sub"), &[a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn sub_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(250, 1, "tenon.sub"), &[a.given(), b.given()], &[], out)
}
/// The sum over `axes` (none: all of them; an empty list: no axis, so that the values stay). Op
/// tenon.sum.
#[must_use = "nothing is done before `call`"]
pub struct Sum<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
}
/// The sum over `axes` (none: all of them; an empty list: no axis, so that the values stay). Op
/// tenon.sum.
pub fn sum<'a>(x: &'a Tensor) -> Sum<'a> {
    Sum { x, axes: None, keepdims: false }
}
impl<'a> Sum<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(251, 1, "tenon.sum"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(251, 1, "tenon.sum"), &inputs, &attributes, out)
    }
}
/// Sums `x` down to `shape`, which must be broadcastable to the shape of `x`: leading dimensions
/// vanish, and dimensions that are 1 in `shape` are summed. Op tenon.sum_to.
#[inline]
pub fn sum_to(x: &Tensor, shape: impl Into<Ints>) -> Result<Tensor> {
    let shape: Ints = shape.into();
    call_one(op(252, 1, "tenon.sum_to"), &[x.given()], &[shape.given()])
}
/// The same, written into `out`.
#[inline]
pub fn sum_to_into(x: &Tensor, shape: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let shape: Ints = shape.into();
    call_into(op(252, 1, "tenon.sum_to"), &[x.given()], &[shape.given()], out)
}
/// The reduced singular value decomposition `x = u diag(s) vh` of the matrices that the last two
/// dimensions hold: of `[...,M,N]`, with K the lesser of M and N, `u` is `[...,M,K]` with
/// orthonormal columns, `s` is `[...,K]`, descending and not negative, and `vh` is `[...,K,N]` with
/// orthonormal rows. Op tenon.svd.
#[inline]
pub fn svd(x: &Tensor) -> Result<[Tensor; 3]> {
    call_all(op(253, 1, "tenon.svd"), &[x.given()], &[])
}
/// The gated unit of Llama and its kin. Op tenon.swiglu.
#[must_use = "nothing is done before `call`"]
pub struct Swiglu<'a> {
    x: &'a Tensor,
    axis: i64,
}
/// The gated unit of Llama and its kin. Op tenon.swiglu.
pub fn swiglu<'a>(x: &'a Tensor) -> Swiglu<'a> {
    Swiglu { x, axis: -1 }
}
impl<'a> Swiglu<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(254, 1, "tenon.swiglu"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(254, 1, "tenon.swiglu"), &inputs, &attributes, out)
    }
}
/// The gradient of `tenon.swiglu` for its operand, both halves of it: with `s = sigmoid(a)` and `v
/// = silu(a)`, `y = [dy * b * (s + v * (1 - s)) | dy * v]` along `axis`. Op tenon.swiglu_grad.
#[must_use = "nothing is done before `call`"]
pub struct SwigluGrad<'a> {
    dy: &'a Tensor,
    x: &'a Tensor,
    axis: i64,
}
/// The gradient of `tenon.swiglu` for its operand, both halves of it: with `s = sigmoid(a)` and `v
/// = silu(a)`, `y = [dy * b * (s + v * (1 - s)) | dy * v]` along `axis`. Op tenon.swiglu_grad.
pub fn swiglu_grad<'a>(dy: &'a Tensor, x: &'a Tensor) -> SwigluGrad<'a> {
    SwigluGrad { dy, x, axis: -1 }
}
impl<'a> SwigluGrad<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.dy.given(), self.x.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(255, 1, "tenon.swiglu_grad"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(255, 1, "tenon.swiglu_grad"), &inputs, &attributes, out)
    }
}
/// The slices of `x` that `indices` names along `axis`: `y[a, i..., b] = x[a, indices[i...], b]`.
/// Op tenon.take.
#[must_use = "nothing is done before `call`"]
pub struct Take<'a> {
    x: &'a Tensor,
    indices: &'a Tensor,
    axis: i64,
}
/// The slices of `x` that `indices` names along `axis`: `y[a, i..., b] = x[a, indices[i...], b]`.
/// Op tenon.take.
pub fn take<'a>(x: &'a Tensor, indices: &'a Tensor) -> Take<'a> {
    Take { x, indices, axis: 0 }
}
impl<'a> Take<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.x.given(), self.indices.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(256, 1, "tenon.take"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(256, 1, "tenon.take"), &inputs, &attributes, out)
    }
}
/// `y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis`. Op tenon.take_along_axis.
#[must_use = "nothing is done before `call`"]
pub struct TakeAlongAxis<'a> {
    x: &'a Tensor,
    indices: &'a Tensor,
    axis: i64,
}
/// `y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis`. Op tenon.take_along_axis.
pub fn take_along_axis<'a>(x: &'a Tensor, indices: &'a Tensor) -> TakeAlongAxis<'a> {
    TakeAlongAxis { x, indices, axis: -1 }
}
impl<'a> TakeAlongAxis<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    fn values(&self) -> ([tenon_value; 2], [tenon_value; 1]) {
        (
            [self.x.given(), self.indices.given()],
            [self.axis.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(257, 1, "tenon.take_along_axis"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(257, 1, "tenon.take_along_axis"), &inputs, &attributes, out)
    }
}
/// The tangent of an angle in radians: `y = tan(x)`. Op tenon.tan.
#[inline]
pub fn tan(x: &Tensor) -> Result<Tensor> {
    call_one(op(258, 1, "tenon.tan"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn tan_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(258, 1, "tenon.tan"), &[x.given()], &[], out)
}
/// The hyperbolic tangent: `y = tanh(x)`. Op tenon.tanh.
#[inline]
pub fn tanh(x: &Tensor) -> Result<Tensor> {
    call_one(op(259, 1, "tenon.tanh"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn tanh_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(259, 1, "tenon.tanh"), &[x.given()], &[], out)
}
/// Copies of `x` side by side: `repetitions[d]` of them along dimension `d`. Op tenon.tile.
#[inline]
pub fn tile(x: &Tensor, repetitions: impl Into<Ints>) -> Result<Tensor> {
    let repetitions: Ints = repetitions.into();
    call_one(op(260, 1, "tenon.tile"), &[x.given()], &[repetitions.given()])
}
/// The same, written into `out`.
#[inline]
pub fn tile_into(x: &Tensor, repetitions: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let repetitions: Ints = repetitions.into();
    call_into(op(260, 1, "tenon.tile"), &[x.given()], &[repetitions.given()], out)
}
/// The same elements on the device `{kind, index}`: `y = x`. Op tenon.to.
#[inline]
pub fn to(x: &Tensor, kind: i64, index: i64) -> Result<Tensor> {
    call_one(op(261, 1, "tenon.to"), &[x.given()], &[kind.given(), index.given()])
}
/// The same, written into `out`.
#[inline]
pub fn to_into(x: &Tensor, kind: i64, index: i64, out: &Tensor) -> Result<()> {
    call_into(op(261, 1, "tenon.to"), &[x.given()], &[kind.given(), index.given()], out)
}
/// The `k` largest (`largest=false`: smallest) elements of each line along `axis`, and `indices`,
/// where each of them was. Op tenon.topk.
#[must_use = "nothing is done before `call`"]
pub struct Topk<'a> {
    x: &'a Tensor,
    k: i64,
    axis: i64,
    largest: bool,
    sorted: bool,
}
/// The `k` largest (`largest=false`: smallest) elements of each line along `axis`, and `indices`,
/// where each of them was. Op tenon.topk.
pub fn topk<'a>(x: &'a Tensor, k: i64) -> Topk<'a> {
    Topk { x, k, axis: -1, largest: true, sorted: true }
}
impl<'a> Topk<'a> {
    pub fn axis(mut self, axis: i64) -> Self { self.axis = axis; self }
    pub fn largest(mut self, largest: bool) -> Self { self.largest = largest; self }
    pub fn sorted(mut self, sorted: bool) -> Self { self.sorted = sorted; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 4]) {
        (
            [self.x.given()],
            [self.k.given(), self.axis.given(), self.largest.given(), self.sorted.given()],
        )
    }
    pub fn call(&self) -> Result<[Tensor; 2]> {
        let (inputs, attributes) = self.values();
        call_all(op(262, 1, "tenon.topk"), &inputs, &attributes)
    }
}
/// The sum of the main diagonal of the matrices that the last two dimensions hold. Op tenon.trace.
#[inline]
pub fn trace(x: &Tensor) -> Result<Tensor> {
    call_one(op(263, 1, "tenon.trace"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn trace_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(263, 1, "tenon.trace"), &[x.given()], &[], out)
}
/// Dimensions `axis0` and `axis1` of `x` change places; by default the last two. Op
/// tenon.transpose.
#[must_use = "nothing is done before `call`"]
pub struct Transpose<'a> {
    x: &'a Tensor,
    axis0: i64,
    axis1: i64,
}
/// Dimensions `axis0` and `axis1` of `x` change places; by default the last two. Op
/// tenon.transpose.
pub fn transpose<'a>(x: &'a Tensor) -> Transpose<'a> {
    Transpose { x, axis0: -2, axis1: -1 }
}
impl<'a> Transpose<'a> {
    pub fn axis0(mut self, axis0: i64) -> Self { self.axis0 = axis0; self }
    pub fn axis1(mut self, axis1: i64) -> Self { self.axis1 = axis1; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 2]) {
        (
            [self.x.given()],
            [self.axis0.given(), self.axis1.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(264, 1, "tenon.transpose"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(264, 1, "tenon.transpose"), &inputs, &attributes, out)
    }
}
/// The slope of `tenon.digamma`: the second derivative of `log(Gamma(x))`. Op tenon.trigamma.
#[inline]
pub fn trigamma(x: &Tensor) -> Result<Tensor> {
    call_one(op(265, 1, "tenon.trigamma"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn trigamma_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(265, 1, "tenon.trigamma"), &[x.given()], &[], out)
}
/// The lower triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]` where
/// `n <= m + diagonal`, and 0 elsewhere. Op tenon.tril.
#[must_use = "nothing is done before `call`"]
pub struct Tril<'a> {
    x: &'a Tensor,
    diagonal: i64,
}
/// The lower triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]` where
/// `n <= m + diagonal`, and 0 elsewhere. Op tenon.tril.
pub fn tril<'a>(x: &'a Tensor) -> Tril<'a> {
    Tril { x, diagonal: 0 }
}
impl<'a> Tril<'a> {
    pub fn diagonal(mut self, diagonal: i64) -> Self { self.diagonal = diagonal; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.diagonal.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(266, 1, "tenon.tril"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(266, 1, "tenon.tril"), &inputs, &attributes, out)
    }
}
/// The upper triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]` where
/// `n >= m + diagonal`, and 0 elsewhere. Op tenon.triu.
#[must_use = "nothing is done before `call`"]
pub struct Triu<'a> {
    x: &'a Tensor,
    diagonal: i64,
}
/// The upper triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]` where
/// `n >= m + diagonal`, and 0 elsewhere. Op tenon.triu.
pub fn triu<'a>(x: &'a Tensor) -> Triu<'a> {
    Triu { x, diagonal: 0 }
}
impl<'a> Triu<'a> {
    pub fn diagonal(mut self, diagonal: i64) -> Self { self.diagonal = diagonal; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 1]) {
        (
            [self.x.given()],
            [self.diagonal.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(267, 1, "tenon.triu"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(267, 1, "tenon.triu"), &inputs, &attributes, out)
    }
}
/// The whole number next to `x` on the side of 0. Op tenon.trunc.
#[inline]
pub fn trunc(x: &Tensor) -> Result<Tensor> {
    call_one(op(268, 1, "tenon.trunc"), &[x.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn trunc_into(x: &Tensor, out: &Tensor) -> Result<()> {
    call_into(op(268, 1, "tenon.trunc"), &[x.given()], &[], out)
}
/// Random numbers, normally distributed between two bounds: `y = mean + std * z`. Op
/// tenon.truncated_normal.
#[must_use = "nothing is done before `call`"]
pub struct TruncatedNormal {
    shape: Ints,
    mean: f64,
    std: f64,
    low: f64,
    high: f64,
    dtype: Dtype,
}
/// Random numbers, normally distributed between two bounds: `y = mean + std * z`. Op
/// tenon.truncated_normal.
pub fn truncated_normal(shape: impl Into<Ints>) -> TruncatedNormal {
    TruncatedNormal {
        shape: shape.into(),
        mean: 0.0,
        std: 1.0,
        low: -2.0,
        high: 2.0,
        dtype: Dtype::F32,
    }
}
impl TruncatedNormal {
    pub fn mean(mut self, mean: f64) -> Self { self.mean = mean; self }
    pub fn std(mut self, std: f64) -> Self { self.std = std; self }
    pub fn low(mut self, low: f64) -> Self { self.low = low; self }
    pub fn high(mut self, high: f64) -> Self { self.high = high; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 6]) {
        (
            [],
            [self.shape.given(), self.mean.given(), self.std.given(), self.low.given(),
                self.high.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(269, 1, "tenon.truncated_normal"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(269, 1, "tenon.truncated_normal"), &inputs, &attributes, out)
    }
}
/// The windows of `size` elements along `axis` that begin at 0, `step`, 2 `step`, ... and lie whole
/// within `x`: `axis` then counts the windows, and a new last dimension of `size` holds their
/// elements. Op tenon.unfold.
#[must_use = "nothing is done before `call`"]
pub struct Unfold<'a> {
    x: &'a Tensor,
    axis: i64,
    size: i64,
    step: i64,
}
/// The windows of `size` elements along `axis` that begin at 0, `step`, 2 `step`, ... and lie whole
/// within `x`: `axis` then counts the windows, and a new last dimension of `size` holds their
/// elements. Op tenon.unfold.
pub fn unfold<'a>(x: &'a Tensor, axis: i64, size: i64) -> Unfold<'a> {
    Unfold { x, axis, size, step: 1 }
}
impl<'a> Unfold<'a> {
    pub fn step(mut self, step: i64) -> Self { self.step = step; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axis.given(), self.size.given(), self.step.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(270, 1, "tenon.unfold"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(270, 1, "tenon.unfold"), &inputs, &attributes, out)
    }
}
/// Zeros with `length` elements along `axis`, to which the windows in the last dimension of `x` are
/// added: window `i` begins at `i step`. Op tenon.unfold_add.
#[must_use = "nothing is done before `call`"]
pub struct UnfoldAdd<'a> {
    x: &'a Tensor,
    axis: i64,
    length: i64,
    step: i64,
}
/// Zeros with `length` elements along `axis`, to which the windows in the last dimension of `x` are
/// added: window `i` begins at `i step`. Op tenon.unfold_add.
pub fn unfold_add<'a>(x: &'a Tensor, axis: i64, length: i64) -> UnfoldAdd<'a> {
    UnfoldAdd { x, axis, length, step: 1 }
}
impl<'a> UnfoldAdd<'a> {
    pub fn step(mut self, step: i64) -> Self { self.step = step; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axis.given(), self.length.given(), self.step.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(271, 1, "tenon.unfold_add"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(271, 1, "tenon.unfold_add"), &inputs, &attributes, out)
    }
}
/// Random numbers, uniform in `[low, high)`: `y[i] = low + u(i) * (high - low)`. Op tenon.uniform.
#[must_use = "nothing is done before `call`"]
pub struct Uniform {
    shape: Ints,
    low: f64,
    high: f64,
    dtype: Dtype,
}
/// Random numbers, uniform in `[low, high)`: `y[i] = low + u(i) * (high - low)`. Op tenon.uniform.
pub fn uniform(shape: impl Into<Ints>) -> Uniform {
    Uniform { shape: shape.into(), low: 0.0, high: 1.0, dtype: Dtype::F32 }
}
impl Uniform {
    pub fn low(mut self, low: f64) -> Self { self.low = low; self }
    pub fn high(mut self, high: f64) -> Self { self.high = high; self }
    pub fn dtype(mut self, dtype: Dtype) -> Self { self.dtype = dtype; self }
    fn values(&self) -> ([tenon_value; 0], [tenon_value; 4]) {
        (
            [],
            [self.shape.given(), self.low.given(), self.high.given(), self.dtype.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(272, 1, "tenon.uniform"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(272, 1, "tenon.uniform"), &inputs, &attributes, out)
    }
}
/// The different elements of `x` in ascending order (that of `tenon.sort`). Op tenon.unique.
#[inline]
pub fn unique(x: &Tensor) -> Result<[Tensor; 4]> {
    call_all(op(273, 1, "tenon.unique"), &[x.given()], &[])
}
/// `x` with a new dimension of size 1 at each of `axes`, which are places in the result. Op
/// tenon.unsqueeze.
#[inline]
pub fn unsqueeze<'a>(x: &Tensor, axes: impl Into<Ints>) -> Result<Tensor> {
    let axes: Ints = axes.into();
    call_one(op(274, 1, "tenon.unsqueeze"), &[x.given()], &[axes.given()])
}
/// The same, written into `out`.
#[inline]
pub fn unsqueeze_into<'a>(x: &Tensor, axes: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let axes: Ints = axes.into();
    call_into(op(274, 1, "tenon.unsqueeze"), &[x.given()], &[axes.given()], out)
}
/// The variance over `axes` (none: all of them; an empty list: no axis): `y = sum((x - m)^2) / (n -
/// correction)`, with `m` the mean and `n` the number of the elements reduced into a result. Op
/// tenon.var.
#[must_use = "nothing is done before `call`"]
pub struct Var<'a> {
    x: &'a Tensor,
    axes: Option<Ints>,
    keepdims: bool,
    correction: f64,
}
/// The variance over `axes` (none: all of them; an empty list: no axis): `y = sum((x - m)^2) / (n -
/// correction)`, with `m` the mean and `n` the number of the elements reduced into a result. Op
/// tenon.var.
pub fn var<'a>(x: &'a Tensor) -> Var<'a> {
    Var { x, axes: None, keepdims: false, correction: 0.0 }
}
impl<'a> Var<'a> {
    pub fn axes(mut self, axes: impl Into<Ints>) -> Self { self.axes = Some(axes.into()); self }
    pub fn keepdims(mut self, keepdims: bool) -> Self { self.keepdims = keepdims; self }
    pub fn correction(mut self, correction: f64) -> Self { self.correction = correction; self }
    fn values(&self) -> ([tenon_value; 1], [tenon_value; 3]) {
        (
            [self.x.given()],
            [self.axes.given(), self.keepdims.given(), self.correction.given()],
        )
    }
    pub fn call(&self) -> Result<Tensor> {
        let (inputs, attributes) = self.values();
        call_one(op(275, 2, "tenon.var"), &inputs, &attributes)
    }
    /// Written into `out`.
    pub fn call_into(&self, out: &Tensor) -> Result<()> {
        let (inputs, attributes) = self.values();
        call_into(op(275, 2, "tenon.var"), &inputs, &attributes, out)
    }
}
/// The elements of `x`, read in row-major order, in another shape, always in the memory of `x`:
/// where `tenon.reshape` would copy because of the strides of `x`, this op is an error that names
/// them. Op tenon.view.
#[inline]
pub fn view(x: &Tensor, shape: impl Into<Ints>) -> Result<Tensor> {
    let shape: Ints = shape.into();
    call_one(op(276, 1, "tenon.view"), &[x.given()], &[shape.given()])
}
/// The same, written into `out`.
#[inline]
pub fn view_into(x: &Tensor, shape: impl Into<Ints>, out: &Tensor) -> Result<()> {
    let shape: Ints = shape.into();
    call_into(op(276, 1, "tenon.view"), &[x.given()], &[shape.given()], out)
}
/// Picks from `a` where `condition` is true and from `b` where it is false. Op tenon.where.
#[inline]
pub fn where_<'a>(
    condition: impl Into<Operand<'a>>,
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
) -> Result<Tensor> {
    let condition: Operand<'a> = condition.into();
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_one(op(277, 1, "tenon.where"), &[condition.given(), a.given(), b.given()], &[])
}
/// The same, written into `out`.
#[inline]
pub fn where_into<'a>(
    condition: impl Into<Operand<'a>>,
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: &Tensor,
) -> Result<()> {
    let condition: Operand<'a> = condition.into();
    let a: Operand<'a> = a.into();
    let b: Operand<'a> = b.into();
    call_into(op(277, 1, "tenon.where"), &[condition.given(), a.given(), b.given()], &[], out)
}
