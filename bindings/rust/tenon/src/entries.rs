// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/entries.rs: a function for each layer, optimizer, schedule,
// dataset and transform.
// Written by bindings/rust/registry.py from the registry: change what it describes instead.

/// Optimizers of the vendor `tenon`.
pub mod optim {
    #![allow(unused_imports)]
    #![allow(clippy::too_many_arguments)]
    use crate::datasets::{Dataset, Transform};
    use crate::error::Result;
    use crate::layer::Layer;
    use crate::make::{Make, MakeAll};
    use crate::optimizer::{Group, IntoGroups, Optimizer};
    use crate::schedule::Schedule;
    use crate::values::{Device, Dtype, Ints, Value};

    /// Adadelta with L2 penalty, as torch.optim.Adadelta. The optimizer tenon.adadelta.
    #[must_use = "nothing is done before `build`"]
    pub struct Adadelta {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Adadelta with L2 penalty, as torch.optim.Adadelta. The optimizer tenon.adadelta.
    pub fn adadelta(parameters: impl IntoGroups) -> Adadelta {
        Adadelta { groups: parameters.into_groups(), given: vec![] }
    }
    impl Adadelta {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the means that is kept
        pub fn rho(mut self, rho: f64) -> Self { self.given.push(("rho", Value::Float(rho))); self }
        /// added below the roots, against division by 0
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// L2 penalty, added to the gradient
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.adadelta", self.groups?, &self.given)
        }
    }

    /// Adafactor, as torch.optim.Adafactor: of a matrix it keeps a number for each row and each
    /// column. The optimizer tenon.adafactor.
    #[must_use = "nothing is done before `build`"]
    pub struct Adafactor {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Adafactor, as torch.optim.Adafactor: of a matrix it keeps a number for each row and each
    /// column. The optimizer tenon.adafactor.
    pub fn adafactor(parameters: impl IntoGroups) -> Adafactor {
        Adafactor { groups: parameters.into_groups(), given: vec![] }
    }
    impl Adafactor {
        /// largest step, as a share of the parameter
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// power of t that is the share of new squares in the means
        pub fn beta2_decay(mut self, beta2_decay: f64) -> Self {
            self.given.push(("beta2_decay", Value::Float(beta2_decay)));
            self
        }
        /// least divisor; 0: from 1 to the next number of the parameter's dtype
        pub fn eps1(mut self, eps1: f64) -> Self {
            self.given.push(("eps1", Value::Float(eps1)));
            self
        }
        /// least size of a parameter that steps are a share of
        pub fn eps2(mut self, eps2: f64) -> Self {
            self.given.push(("eps2", Value::Float(eps2)));
            self
        }
        /// largest root mean square of a direction, d
        pub fn clip_threshold(mut self, clip_threshold: f64) -> Self {
            self.given.push(("clip_threshold", Value::Float(clip_threshold)));
            self
        }
        /// shrinks the parameter by lr times this share
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.adafactor", self.groups?, &self.given)
        }
    }

    /// Adagrad with learning rate decay and L2 penalty, as torch.optim.Adagrad. The optimizer
    /// tenon.adagrad.
    #[must_use = "nothing is done before `build`"]
    pub struct Adagrad {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Adagrad with learning rate decay and L2 penalty, as torch.optim.Adagrad. The optimizer
    /// tenon.adagrad.
    pub fn adagrad(parameters: impl IntoGroups) -> Adagrad {
        Adagrad { groups: parameters.into_groups(), given: vec![] }
    }
    impl Adagrad {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// how much slower each step is
        pub fn lr_decay(mut self, lr_decay: f64) -> Self {
            self.given.push(("lr_decay", Value::Float(lr_decay)));
            self
        }
        /// L2 penalty, added to the gradient
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        /// added to the root, against division by 0
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.adagrad", self.groups?, &self.given)
        }
    }

    /// Adam with bias correction and L2 penalty, as torch.optim.Adam. The optimizer tenon.adam.
    #[must_use = "nothing is done before `build`"]
    pub struct Adam {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Adam with bias correction and L2 penalty, as torch.optim.Adam. The optimizer tenon.adam.
    pub fn adam(parameters: impl IntoGroups) -> Adam {
        Adam { groups: parameters.into_groups(), given: vec![] }
    }
    impl Adam {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the mean of gradients that is kept
        pub fn beta1(mut self, beta1: f64) -> Self {
            self.given.push(("beta1", Value::Float(beta1)));
            self
        }
        /// share of the mean of squared gradients that is kept
        pub fn beta2(mut self, beta2: f64) -> Self {
            self.given.push(("beta2", Value::Float(beta2)));
            self
        }
        /// added to the root, against division by 0
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// L2 penalty, added to the gradient
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.adam", self.groups?, &self.given)
        }
    }

    /// Adam with decoupled weight decay, as torch.optim.AdamW. The optimizer tenon.adamw.
    #[must_use = "nothing is done before `build`"]
    pub struct Adamw {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Adam with decoupled weight decay, as torch.optim.AdamW. The optimizer tenon.adamw.
    pub fn adamw(parameters: impl IntoGroups) -> Adamw {
        Adamw { groups: parameters.into_groups(), given: vec![] }
    }
    impl Adamw {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the mean of gradients that is kept
        pub fn beta1(mut self, beta1: f64) -> Self {
            self.given.push(("beta1", Value::Float(beta1)));
            self
        }
        /// share of the mean of squared gradients that is kept
        pub fn beta2(mut self, beta2: f64) -> Self {
            self.given.push(("beta2", Value::Float(beta2)));
            self
        }
        /// added to the root, against division by 0
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// share of the parameter, times lr, lost in each step
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.adamw", self.groups?, &self.given)
        }
    }

    /// LAMB: Adam whose steps are a share of each parameter's norm, for large batches. The
    /// optimizer tenon.lamb.
    #[must_use = "nothing is done before `build`"]
    pub struct Lamb {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// LAMB: Adam whose steps are a share of each parameter's norm, for large batches. The
    /// optimizer tenon.lamb.
    pub fn lamb(parameters: impl IntoGroups) -> Lamb {
        Lamb { groups: parameters.into_groups(), given: vec![] }
    }
    impl Lamb {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the mean of gradients that is kept
        pub fn beta1(mut self, beta1: f64) -> Self {
            self.given.push(("beta1", Value::Float(beta1)));
            self
        }
        /// share of the mean of squared gradients that is kept
        pub fn beta2(mut self, beta2: f64) -> Self {
            self.given.push(("beta2", Value::Float(beta2)));
            self
        }
        /// added to the root, against division by 0
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// share of the parameter in the direction of the step
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.lamb", self.groups?, &self.given)
        }
    }

    /// Lion with decoupled weight decay, as its authors publish it. The optimizer tenon.lion.
    #[must_use = "nothing is done before `build`"]
    pub struct Lion {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Lion with decoupled weight decay, as its authors publish it. The optimizer tenon.lion.
    pub fn lion(parameters: impl IntoGroups) -> Lion {
        Lion { groups: parameters.into_groups(), given: vec![] }
    }
    impl Lion {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the mean in the direction of the step
        pub fn beta1(mut self, beta1: f64) -> Self {
            self.given.push(("beta1", Value::Float(beta1)));
            self
        }
        /// share of the mean of gradients that is kept
        pub fn beta2(mut self, beta2: f64) -> Self {
            self.given.push(("beta2", Value::Float(beta2)));
            self
        }
        /// shrinks the parameter by lr times this share
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.lion", self.groups?, &self.given)
        }
    }

    /// Muon for matrices, as torch.optim.Muon but without its rounding to bf16. The optimizer
    /// tenon.muon.
    #[must_use = "nothing is done before `build`"]
    pub struct Muon {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Muon for matrices, as torch.optim.Muon but without its rounding to bf16. The optimizer
    /// tenon.muon.
    pub fn muon(parameters: impl IntoGroups) -> Muon {
        Muon { groups: parameters.into_groups(), given: vec![] }
    }
    impl Muon {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the buffer that is kept
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.given.push(("momentum", Value::Float(momentum)));
            self
        }
        /// look ahead along the momentum
        pub fn nesterov(mut self, nesterov: bool) -> Self {
            self.given.push(("nesterov", Value::Bool(nesterov)));
            self
        }
        /// shrinks the parameter by lr times this share
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        /// least norm to divide by
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// iterations towards an orthogonal matrix
        pub fn iterations(mut self, iterations: i64) -> Self {
            self.given.push(("iterations", Value::Int(iterations)));
            self
        }
        /// steps of the size of AdamW's
        pub fn match_adamw(mut self, match_adamw: bool) -> Self {
            self.given.push(("match_adamw", Value::Bool(match_adamw)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.muon", self.groups?, &self.given)
        }
    }

    /// Adam with Nesterov momentum, as torch.optim.NAdam. The optimizer tenon.nadam.
    #[must_use = "nothing is done before `build`"]
    pub struct Nadam {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Adam with Nesterov momentum, as torch.optim.NAdam. The optimizer tenon.nadam.
    pub fn nadam(parameters: impl IntoGroups) -> Nadam {
        Nadam { groups: parameters.into_groups(), given: vec![] }
    }
    impl Nadam {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the mean of gradients that is kept
        pub fn beta1(mut self, beta1: f64) -> Self {
            self.given.push(("beta1", Value::Float(beta1)));
            self
        }
        /// share of the mean of squared gradients that is kept
        pub fn beta2(mut self, beta2: f64) -> Self {
            self.given.push(("beta2", Value::Float(beta2)));
            self
        }
        /// added to the root, against division by 0
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// L2 penalty, added to the gradient, or decoupled
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        /// how fast the look ahead grows
        pub fn momentum_decay(mut self, momentum_decay: f64) -> Self {
            self.given.push(("momentum_decay", Value::Float(momentum_decay)));
            self
        }
        /// weight decay shrinks the parameter, as in AdamW
        pub fn decoupled(mut self, decoupled: bool) -> Self {
            self.given.push(("decoupled", Value::Bool(decoupled)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.nadam", self.groups?, &self.given)
        }
    }

    /// RMSprop, centered where wanted, with momentum and L2 penalty, as torch.optim.RMSprop. The
    /// optimizer tenon.rmsprop.
    #[must_use = "nothing is done before `build`"]
    pub struct Rmsprop {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// RMSprop, centered where wanted, with momentum and L2 penalty, as torch.optim.RMSprop. The
    /// optimizer tenon.rmsprop.
    pub fn rmsprop(parameters: impl IntoGroups) -> Rmsprop {
        Rmsprop { groups: parameters.into_groups(), given: vec![] }
    }
    impl Rmsprop {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the mean of squared gradients that is kept
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.given.push(("alpha", Value::Float(alpha)));
            self
        }
        /// added to the root, against division by 0
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// L2 penalty, added to the gradient
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        /// share of the buffer that is kept; 0: no momentum
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.given.push(("momentum", Value::Float(momentum)));
            self
        }
        /// divide by an estimate of the deviation
        pub fn centered(mut self, centered: bool) -> Self {
            self.given.push(("centered", Value::Bool(centered)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.rmsprop", self.groups?, &self.given)
        }
    }

    /// Stochastic gradient descent with momentum, dampening, weight decay and Nesterov's rule, as
    /// torch.optim.SGD. The optimizer tenon.sgd.
    #[must_use = "nothing is done before `build`"]
    pub struct Sgd {
        groups: Result<Vec<Group>>,
        given: Vec<(&'static str, Value)>,
    }
    /// Stochastic gradient descent with momentum, dampening, weight decay and Nesterov's rule, as
    /// torch.optim.SGD. The optimizer tenon.sgd.
    pub fn sgd(parameters: impl IntoGroups) -> Sgd {
        Sgd { groups: parameters.into_groups(), given: vec![] }
    }
    impl Sgd {
        /// learning rate
        pub fn lr(mut self, lr: f64) -> Self { self.given.push(("lr", Value::Float(lr))); self }
        /// share of the buffer that is kept; 0: no momentum
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.given.push(("momentum", Value::Float(momentum)));
            self
        }
        /// share of the gradient kept out of the buffer
        pub fn dampening(mut self, dampening: f64) -> Self {
            self.given.push(("dampening", Value::Float(dampening)));
            self
        }
        /// L2 penalty, added to the gradient
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.given.push(("weight_decay", Value::Float(weight_decay)));
            self
        }
        /// look ahead along the momentum; needs momentum and no dampening
        pub fn nesterov(mut self, nesterov: bool) -> Self {
            self.given.push(("nesterov", Value::Bool(nesterov)));
            self
        }
        pub fn build(self) -> Result<Optimizer> {
            Optimizer::new("tenon.sgd", self.groups?, &self.given)
        }
    }
}

/// Schedules of the vendor `tenon`.
pub mod schedules {
    #![allow(unused_imports)]
    #![allow(clippy::too_many_arguments)]
    use crate::datasets::{Dataset, Transform};
    use crate::error::Result;
    use crate::layer::Layer;
    use crate::make::{Make, MakeAll};
    use crate::optimizer::{Group, IntoGroups, Optimizer};
    use crate::schedule::Schedule;
    use crate::values::{Device, Dtype, Ints, Value};

    /// The base value; in the first `steps` steps multiplied by `factor`. The schedule
    /// tenon.constant.
    #[must_use = "nothing is done before `build`"]
    pub struct Constant {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// The base value; in the first `steps` steps multiplied by `factor`. The schedule
    /// tenon.constant.
    pub fn constant(base_value: f64) -> Constant {
        Constant { base_value, given: vec![] }
    }
    impl Constant {
        /// what the base value is multiplied with at first
        pub fn factor(mut self, factor: f64) -> Self {
            self.given.push(("factor", Value::Float(factor)));
            self
        }
        /// how many steps it is multiplied in
        pub fn steps(mut self, steps: i64) -> Self {
            self.given.push(("steps", Value::Int(steps)));
            self
        }
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.constant", self.base_value, &self.given)
        }
    }

    /// From the base value to `minimum` along half a cosine in `period` steps; then it stays there,
    /// or with `restarts` begins again, each time `growth` times as slowly. The schedule
    /// tenon.cosine.
    #[must_use = "nothing is done before `build`"]
    pub struct Cosine {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// From the base value to `minimum` along half a cosine in `period` steps; then it stays there,
    /// or with `restarts` begins again, each time `growth` times as slowly. The schedule
    /// tenon.cosine.
    pub fn cosine(base_value: f64, period: i64) -> Cosine {
        Cosine { base_value, given: vec![("period", Value::Int(period))] }
    }
    impl Cosine {
        /// the least value
        pub fn minimum(mut self, minimum: f64) -> Self {
            self.given.push(("minimum", Value::Float(minimum)));
            self
        }
        /// begin again after each period
        pub fn restarts(mut self, restarts: bool) -> Self {
            self.given.push(("restarts", Value::Bool(restarts)));
            self
        }
        /// how many times as long each next period is
        pub fn growth(mut self, growth: i64) -> Self {
            self.given.push(("growth", Value::Int(growth)));
            self
        }
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.cosine", self.base_value, &self.given)
        }
    }

    /// The base value, multiplied by `factor` once more in each step. The schedule
    /// tenon.exponential.
    #[must_use = "nothing is done before `build`"]
    pub struct Exponential {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// The base value, multiplied by `factor` once more in each step. The schedule
    /// tenon.exponential.
    pub fn exponential(base_value: f64, factor: f64) -> Exponential {
        Exponential { base_value, given: vec![("factor", Value::Float(factor))] }
    }
    impl Exponential {
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.exponential", self.base_value, &self.given)
        }
    }

    /// A straight line from `start_factor` times the base value in step 0 to `end_factor` times it
    /// in step `steps`, which then stays. The schedule tenon.linear_warmup.
    #[must_use = "nothing is done before `build`"]
    pub struct LinearWarmup {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// A straight line from `start_factor` times the base value in step 0 to `end_factor` times it
    /// in step `steps`, which then stays. The schedule tenon.linear_warmup.
    pub fn linear_warmup(base_value: f64, steps: i64) -> LinearWarmup {
        LinearWarmup { base_value, given: vec![("steps", Value::Int(steps))] }
    }
    impl LinearWarmup {
        /// share of the base value in step 0
        pub fn start_factor(mut self, start_factor: f64) -> Self {
            self.given.push(("start_factor", Value::Float(start_factor)));
            self
        }
        /// share of the base value in the end
        pub fn end_factor(mut self, end_factor: f64) -> Self {
            self.given.push(("end_factor", Value::Float(end_factor)));
            self
        }
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.linear_warmup", self.base_value, &self.given)
        }
    }

    /// The base value, multiplied by `factor` once more from each milestone on; one that is listed
    /// twice counts twice. The schedule tenon.multi_step.
    #[must_use = "nothing is done before `build`"]
    pub struct MultiStep {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// The base value, multiplied by `factor` once more from each milestone on; one that is listed
    /// twice counts twice. The schedule tenon.multi_step.
    pub fn multi_step(base_value: f64, milestones: impl Into<Ints>) -> MultiStep {
        MultiStep { base_value, given: vec![("milestones", Value::Ints(milestones.into()))] }
    }
    impl MultiStep {
        /// what the value is multiplied with each time
        pub fn factor(mut self, factor: f64) -> Self {
            self.given.push(("factor", Value::Float(factor)));
            self
        }
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.multi_step", self.base_value, &self.given)
        }
    }

    /// Grows from a share of the base value to the base value and then falls far below where it
    /// began; a cycle has `steps` steps and no more. The schedule tenon.one_cycle.
    #[must_use = "nothing is done before `build`"]
    pub struct OneCycle {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// Grows from a share of the base value to the base value and then falls far below where it
    /// began; a cycle has `steps` steps and no more. The schedule tenon.one_cycle.
    pub fn one_cycle(base_value: f64, steps: i64) -> OneCycle {
        OneCycle { base_value, given: vec![("steps", Value::Int(steps))] }
    }
    impl OneCycle {
        /// share of the steps in which the value grows
        pub fn warm_share(mut self, warm_share: f64) -> Self {
            self.given.push(("warm_share", Value::Float(warm_share)));
            self
        }
        /// the base value is so many times the first one
        pub fn start_divisor(mut self, start_divisor: f64) -> Self {
            self.given.push(("start_divisor", Value::Float(start_divisor)));
            self
        }
        /// the first value is so many times the last one
        pub fn end_divisor(mut self, end_divisor: f64) -> Self {
            self.given.push(("end_divisor", Value::Float(end_divisor)));
            self
        }
        /// back to the first value before it goes down
        pub fn three_phases(mut self, three_phases: bool) -> Self {
            self.given.push(("three_phases", Value::Bool(three_phases)));
            self
        }
        /// straight lines in place of cosines
        pub fn linear(mut self, linear: bool) -> Self {
            self.given.push(("linear", Value::Bool(linear)));
            self
        }
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.one_cycle", self.base_value, &self.given)
        }
    }

    /// The base value, multiplied by `factor` when more than `patience` metrics in a row were no
    /// better than the best before. The schedule tenon.plateau.
    #[must_use = "nothing is done before `build`"]
    pub struct Plateau {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// The base value, multiplied by `factor` when more than `patience` metrics in a row were no
    /// better than the best before. The schedule tenon.plateau.
    pub fn plateau(base_value: f64) -> Plateau {
        Plateau { base_value, given: vec![] }
    }
    impl Plateau {
        /// what the value is multiplied with
        pub fn factor(mut self, factor: f64) -> Self {
            self.given.push(("factor", Value::Float(factor)));
            self
        }
        /// metrics in a row that may be no better
        pub fn patience(mut self, patience: i64) -> Self {
            self.given.push(("patience", Value::Int(patience)));
            self
        }
        /// how much better a metric must be to count
        pub fn threshold(mut self, threshold: f64) -> Self {
            self.given.push(("threshold", Value::Float(threshold)));
            self
        }
        /// the threshold is a share of the best metric
        pub fn relative(mut self, relative: bool) -> Self {
            self.given.push(("relative", Value::Bool(relative)));
            self
        }
        /// greater metrics are better
        pub fn maximize(mut self, maximize: bool) -> Self {
            self.given.push(("maximize", Value::Bool(maximize)));
            self
        }
        /// metrics that do not count after a change
        pub fn cooldown(mut self, cooldown: i64) -> Self {
            self.given.push(("cooldown", Value::Int(cooldown)));
            self
        }
        /// the least value
        pub fn minimum(mut self, minimum: f64) -> Self {
            self.given.push(("minimum", Value::Float(minimum)));
            self
        }
        /// a smaller change is not made
        pub fn smallest_change(mut self, smallest_change: f64) -> Self {
            self.given.push(("smallest_change", Value::Float(smallest_change)));
            self
        }
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.plateau", self.base_value, &self.given)
        }
    }

    /// The base value, multiplied by `factor` once more every `period` steps. The schedule
    /// tenon.step.
    #[must_use = "nothing is done before `build`"]
    pub struct Step {
        base_value: f64,
        given: Vec<(&'static str, Value)>,
    }
    /// The base value, multiplied by `factor` once more every `period` steps. The schedule
    /// tenon.step.
    pub fn step(base_value: f64, period: i64) -> Step {
        Step { base_value, given: vec![("period", Value::Int(period))] }
    }
    impl Step {
        /// what the value is multiplied with each time
        pub fn factor(mut self, factor: f64) -> Self {
            self.given.push(("factor", Value::Float(factor)));
            self
        }
        pub fn build(self) -> Result<Schedule> {
            Schedule::new("tenon.step", self.base_value, &self.given)
        }
    }
}

/// Datasets and transforms of the vendor `tenon`.
pub mod data {
    #![allow(unused_imports)]
    #![allow(clippy::too_many_arguments)]
    use crate::datasets::{Dataset, Transform};
    use crate::error::Result;
    use crate::layer::Layer;
    use crate::make::{Make, MakeAll};
    use crate::optimizer::{Group, IntoGroups, Optimizer};
    use crate::schedule::Schedule;
    use crate::values::{Device, Dtype, Ints, Value};

    /// Colour pictures in the binary files of CIFAR-10 and CIFAR-100. The dataset tenon.cifar.
    #[must_use = "nothing is done before `build`"]
    pub struct Cifar {
        given: Vec<(&'static str, Value)>,
    }
    /// Colour pictures in the binary files of CIFAR-10 and CIFAR-100. The dataset tenon.cifar.
    pub fn cifar(paths: impl Into<String>) -> Cifar {
        Cifar { given: vec![("paths", Value::Text(paths.into()))] }
    }
    impl Cifar {
        /// 10 or 100: the files of CIFAR-10 or of CIFAR-100; 10 unless given
        pub fn classes(mut self, classes: i64) -> Self {
            self.given.push(("classes", Value::Int(classes)));
            self
        }
        pub fn build(self) -> Result<Dataset> {
            Dataset::new("tenon.cifar", &self.given)
        }
    }

    /// Rows of numbers in a text file. The dataset tenon.csv.
    #[must_use = "nothing is done before `build`"]
    pub struct Csv {
        given: Vec<(&'static str, Value)>,
    }
    /// Rows of numbers in a text file. The dataset tenon.csv.
    pub fn csv(path: impl Into<String>) -> Csv {
        Csv { given: vec![("path", Value::Text(path.into()))] }
    }
    impl Csv {
        /// column of the class, whole numbers of 64 bits: its name, or its number from 0, or from
        /// the end as -1; without it there is no field 'label'
        pub fn label(mut self, label: impl Into<String>) -> Self {
            self.given.push(("label", Value::Text(label.into())));
            self
        }
        /// column of the number to predict, as for `label`; without it there is no field 'target'
        pub fn target(mut self, target: impl Into<String>) -> Self {
            self.given.push(("target", Value::Text(target.into())));
            self
        }
        /// the byte between columns, which may be a space; a comma unless given
        pub fn delimiter(mut self, delimiter: impl Into<String>) -> Self {
            self.given.push(("delimiter", Value::Text(delimiter.into())));
            self
        }
        /// whether the first line names the columns; true unless given
        pub fn header(mut self, header: bool) -> Self {
            self.given.push(("header", Value::Bool(header)));
            self
        }
        pub fn build(self) -> Result<Dataset> {
            Dataset::new("tenon.csv", &self.given)
        }
    }

    /// Samples and labels in idx files, the format of MNIST. The dataset tenon.idx.
    #[must_use = "nothing is done before `build`"]
    pub struct Idx {
        given: Vec<(&'static str, Value)>,
    }
    /// Samples and labels in idx files, the format of MNIST. The dataset tenon.idx.
    pub fn idx(images: impl Into<String>) -> Idx {
        Idx { given: vec![("images", Value::Text(images.into()))] }
    }
    impl Idx {
        /// path of the labels' idx file; without it there is no field 'label'
        pub fn labels(mut self, labels: impl Into<String>) -> Self {
            self.given.push(("labels", Value::Text(labels.into())));
            self
        }
        pub fn build(self) -> Result<Dataset> {
            Dataset::new("tenon.idx", &self.given)
        }
    }

    /// Arrays that NumPy saved. The dataset tenon.npy.
    #[must_use = "nothing is done before `build`"]
    pub struct Npy {
        given: Vec<(&'static str, Value)>,
    }
    /// Arrays that NumPy saved. The dataset tenon.npy.
    pub fn npy(x: impl Into<String>) -> Npy {
        Npy { given: vec![("x", Value::Text(x.into()))] }
    }
    impl Npy {
        /// path of the targets' npy file; without it there is no field 'y'
        pub fn y(mut self, y: impl Into<String>) -> Self {
            self.given.push(("y", Value::Text(y.into())));
            self
        }
        pub fn build(self) -> Result<Dataset> {
            Dataset::new("tenon.npy", &self.given)
        }
    }

    /// Windows of tokens of one text. The dataset tenon.text.
    #[must_use = "nothing is done before `build`"]
    pub struct Text {
        given: Vec<(&'static str, Value)>,
    }
    /// Windows of tokens of one text. The dataset tenon.text.
    pub fn text(path: impl Into<String>, tokenizer: impl Into<String>, window: i64) -> Text {
        Text {
            given: vec![
                ("path", Value::Text(path.into())),
                ("tokenizer", Value::Text(tokenizer.into())),
                ("window", Value::Int(window)),
            ],
        }
    }
    impl Text {
        /// tokens from one sample's start to the next; the window unless given
        pub fn stride(mut self, stride: i64) -> Self {
            self.given.push(("stride", Value::Int(stride)));
            self
        }
        pub fn build(self) -> Result<Dataset> {
            Dataset::new("tenon.text", &self.given)
        }
    }

    /// Windows of tokens in files of token numbers, which are read as samples are. The dataset
    /// tenon.tokens.
    #[must_use = "nothing is done before `build`"]
    pub struct Tokens {
        given: Vec<(&'static str, Value)>,
    }
    /// Windows of tokens in files of token numbers, which are read as samples are. The dataset
    /// tenon.tokens.
    pub fn tokens(paths: impl Into<String>, window: i64) -> Tokens {
        Tokens { given: vec![("paths", Value::Text(paths.into())), ("window", Value::Int(window))] }
    }
    impl Tokens {
        /// tokens from one sample's start to the next; the window unless given
        pub fn stride(mut self, stride: i64) -> Self {
            self.given.push(("stride", Value::Int(stride)));
            self
        }
        /// how far targets are from their tokens, 0 or more; 1 unless given
        pub fn ahead(mut self, ahead: i64) -> Self {
            self.given.push(("ahead", Value::Int(ahead)));
            self
        }
        /// u16, u32, i32 or i64: how files that are not npy files store a token
        pub fn dtype(mut self, dtype: impl Into<String>) -> Self {
            self.given.push(("dtype", Value::Text(dtype.into())));
            self
        }
        /// the token that ends a document and belongs to it: no window reaches from one document
        /// into the next; unless given a file is one document
        pub fn separator(mut self, separator: i64) -> Self {
            self.given.push(("separator", Value::Int(separator)));
            self
        }
        /// the token that fills up a document's last window, whose targets are -100 there; unless
        /// given, tokens that fill no window are left out
        pub fn pad(mut self, pad: i64) -> Self { self.given.push(("pad", Value::Int(pad))); self }
        /// how many tokens there are: files with any other number are refused when they are opened;
        /// unless given nothing is checked
        pub fn vocabulary(mut self, vocabulary: i64) -> Self {
            self.given.push(("vocabulary", Value::Int(vocabulary)));
            self
        }
        pub fn build(self) -> Result<Dataset> {
            Dataset::new("tenon.tokens", &self.given)
        }
    }

    /// Brightness, contrast, saturation and hue of each image, changed by random factors f in
    /// random order. \[n, 3, H, W\] in the order red, green, blue, or grey ones, \[n, 1, H, W\] or
    /// \[n, H, W\]; u8, or f32 from 0 to 1. The transform tenon.color_jitter.
    #[must_use = "nothing is done before `build`"]
    pub struct ColorJitter {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// Brightness, contrast, saturation and hue of each image, changed by random factors f in
    /// random order. \[n, 3, H, W\] in the order red, green, blue, or grey ones, \[n, 1, H, W\] or
    /// \[n, H, W\]; u8, or f32 from 0 to 1. The transform tenon.color_jitter.
    pub fn color_jitter() -> ColorJitter {
        ColorJitter { field: 0, given: vec![] }
    }
    impl ColorJitter {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// b, 0 to 1000: the factor lies from max(0, 1 - b) to 1 + b; or its least and its largest
        /// value
        pub fn brightness(mut self, brightness: impl Into<Vec<f64>>) -> Self {
            self.given.push(("brightness", Value::Floats(brightness.into())));
            self
        }
        /// the same, for contrast
        pub fn contrast(mut self, contrast: impl Into<Vec<f64>>) -> Self {
            self.given.push(("contrast", Value::Floats(contrast.into())));
            self
        }
        /// the same, for saturation; nothing with one channel
        pub fn saturation(mut self, saturation: impl Into<Vec<f64>>) -> Self {
            self.given.push(("saturation", Value::Floats(saturation.into())));
            self
        }
        /// the most that it is turned either way, 0 to 0.5, where 1 is a full turn; or two numbers
        /// from -0.5 to 0.5; nothing with one channel
        pub fn hue(mut self, hue: impl Into<Vec<f64>>) -> Self {
            self.given.push(("hue", Value::Floats(hue.into())));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.color_jitter", &self.given, self.field)
        }
    }
    impl Make<Transform> for ColorJitter {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// A window of each image, \[n, ..., H, W\] of any dtype, with zeros around the image. The
    /// transform tenon.crop.
    #[must_use = "nothing is done before `build`"]
    pub struct Crop {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// A window of each image, \[n, ..., H, W\] of any dtype, with zeros around the image. The
    /// transform tenon.crop.
    pub fn crop(height: i64, width: i64) -> Crop {
        Crop { field: 0, given: vec![("height", Value::Int(height)), ("width", Value::Int(width))] }
    }
    impl Crop {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// zeros on each side of the image
        pub fn padding(mut self, padding: i64) -> Self {
            self.given.push(("padding", Value::Int(padding)));
            self
        }
        /// at a random place, which depends on seed, epoch and sample alone; else in the middle
        pub fn random(mut self, random: bool) -> Self {
            self.given.push(("random", Value::Bool(random)));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.crop", &self.given, self.field)
        }
    }
    impl Make<Transform> for Crop {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// \[n, ...\] as \[n, the rest\], of any dtype; shares the memory. The transform tenon.flatten.
    #[must_use = "nothing is done before `build`"]
    pub struct Flatten {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// \[n, ...\] as \[n, the rest\], of any dtype; shares the memory. The transform tenon.flatten.
    pub fn flatten() -> Flatten {
        Flatten { field: 0, given: vec![] }
    }
    impl Flatten {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.flatten", &self.given, self.field)
        }
    }
    impl Make<Transform> for Flatten {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// Some of the images, by chance, with their columns from right to left, \[n, ..., W\], or
    /// their rows from bottom to top, \[n, ..., H, W\], of any dtype. The transform tenon.flip.
    #[must_use = "nothing is done before `build`"]
    pub struct Flip {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// Some of the images, by chance, with their columns from right to left, \[n, ..., W\], or
    /// their rows from bottom to top, \[n, ..., H, W\], of any dtype. The transform tenon.flip.
    pub fn flip() -> Flip {
        Flip { field: 0, given: vec![] }
    }
    impl Flip {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// that an image is flipped, 0 to 1
        pub fn probability(mut self, probability: f64) -> Self {
            self.given.push(("probability", Value::Float(probability)));
            self
        }
        /// rows from bottom to top, not columns
        pub fn vertical(mut self, vertical: bool) -> Self {
            self.given.push(("vertical", Value::Bool(vertical)));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.flip", &self.given, self.field)
        }
    }
    impl Make<Transform> for Flip {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// Some tokens of each row hidden, i64\[n, ...\]: each is chosen with `probability` unless it
    /// is special; of the chosen ones 8 of 10 become `mask`, 1 of 10 any token of the vocabulary,
    /// and 1 of 10 stays. The transform tenon.mask_tokens.
    #[must_use = "nothing is done before `build`"]
    pub struct MaskTokens {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// Some tokens of each row hidden, i64\[n, ...\]: each is chosen with `probability` unless it
    /// is special; of the chosen ones 8 of 10 become `mask`, 1 of 10 any token of the vocabulary,
    /// and 1 of 10 stays. The transform tenon.mask_tokens.
    pub fn mask_tokens(mask: i64, vocabulary: i64) -> MaskTokens {
        MaskTokens {
            field: 0,
            given: vec![("mask", Value::Int(mask)), ("vocabulary", Value::Int(vocabulary))],
        }
    }
    impl MaskTokens {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// that a token is chosen, 0 to 1
        pub fn probability(mut self, probability: f64) -> Self {
            self.given.push(("probability", Value::Float(probability)));
            self
        }
        /// tokens that are never chosen
        pub fn special(mut self, special: impl Into<Ints>) -> Self {
            self.given.push(("special", Value::Ints(special.into())));
            self
        }
        /// the tokens that were chosen, and -100 for others, in place of the tokens that are left
        pub fn targets(mut self, targets: bool) -> Self {
            self.given.push(("targets", Value::Bool(targets)));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.mask_tokens", &self.given, self.field)
        }
    }
    impl Make<Transform> for MaskTokens {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// (value / scale - mean) / deviation as f32, of u8 and f32: \[n, ...\] with one mean and
    /// deviation for all, or \[n, channels, ...\] with one for each channel. The transform
    /// tenon.normalise.
    #[must_use = "nothing is done before `build`"]
    pub struct Normalise {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// (value / scale - mean) / deviation as f32, of u8 and f32: \[n, ...\] with one mean and
    /// deviation for all, or \[n, channels, ...\] with one for each channel. The transform
    /// tenon.normalise.
    pub fn normalise() -> Normalise {
        Normalise { field: 0, given: vec![] }
    }
    impl Normalise {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// subtracted: one number, or one for each channel
        pub fn mean(mut self, mean: impl Into<Vec<f64>>) -> Self {
            self.given.push(("mean", Value::Floats(mean.into())));
            self
        }
        /// divided by at last: one number, or one for each channel; not 0
        pub fn deviation(mut self, deviation: impl Into<Vec<f64>>) -> Self {
            self.given.push(("deviation", Value::Floats(deviation.into())));
            self
        }
        /// divided by first: 255 takes pixels to 0 ... 1; not 0
        pub fn scale(mut self, scale: f64) -> Self {
            self.given.push(("scale", Value::Float(scale)));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.normalise", &self.given, self.field)
        }
    }
    impl Make<Transform> for Normalise {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// More rows and columns around each image: \[n, ..., H, W\] of any dtype becomes \[n, ..., top
    /// + H + bottom, left + W + right\]. The transform tenon.pad.
    #[must_use = "nothing is done before `build`"]
    pub struct Pad {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// More rows and columns around each image: \[n, ..., H, W\] of any dtype becomes \[n, ..., top
    /// + H + bottom, left + W + right\]. The transform tenon.pad.
    pub fn pad(padding: impl Into<Ints>) -> Pad {
        Pad { field: 0, given: vec![("padding", Value::Ints(padding.into()))] }
    }
    impl Pad {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// what they are: `constant`, `value`; `reflect`, the image mirrored at its first and last
        /// place, which are not repeated; `replicate`, its first and last row and column again
        pub fn mode(mut self, mode: impl Into<String>) -> Self {
            self.given.push(("mode", Value::Text(mode.into())));
            self
        }
        /// around the image in mode `constant`
        pub fn value(mut self, value: f64) -> Self {
            self.given.push(("value", Value::Float(value)));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.pad", &self.given, self.field)
        }
    }
    impl Make<Transform> for Pad {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// A random rectangle of each image overwritten, by chance: \[n, ..., H, W\], u8 or f32. The
    /// transform tenon.random_erasing.
    #[must_use = "nothing is done before `build`"]
    pub struct RandomErasing {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// A random rectangle of each image overwritten, by chance: \[n, ..., H, W\], u8 or f32. The
    /// transform tenon.random_erasing.
    pub fn random_erasing() -> RandomErasing {
        RandomErasing { field: 0, given: vec![] }
    }
    impl RandomErasing {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// that an image has a rectangle, 0 to 1
        pub fn probability(mut self, probability: f64) -> Self {
            self.given.push(("probability", Value::Float(probability)));
            self
        }
        /// least and largest area, as a part of the image, 0 to 1
        pub fn scale(mut self, scale: impl Into<Vec<f64>>) -> Self {
            self.given.push(("scale", Value::Floats(scale.into())));
            self
        }
        /// least and largest height divided by width, 0.001 to 1000
        pub fn ratio(mut self, ratio: impl Into<Vec<f64>>) -> Self {
            self.given.push(("ratio", Value::Floats(ratio.into())));
            self
        }
        /// written there: one number, or one for each channel of \[n, C, H, W\]; of u8 whole
        /// numbers from 0 to 255
        pub fn value(mut self, value: impl Into<Vec<f64>>) -> Self {
            self.given.push(("value", Value::Floats(value.into())));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.random_erasing", &self.given, self.field)
        }
    }
    impl Make<Transform> for RandomErasing {
        fn make(self) -> Result<Transform> { self.build() }
    }

    /// Each image turned about its middle by a random angle, counter-clockwise where it is
    /// positive: \[n, ..., H, W\], u8 or f32, of the same size afterwards. The transform
    /// tenon.rotate.
    #[must_use = "nothing is done before `build`"]
    pub struct Rotate {
        field: u32,
        given: Vec<(&'static str, Value)>,
    }
    /// Each image turned about its middle by a random angle, counter-clockwise where it is
    /// positive: \[n, ..., H, W\], u8 or f32, of the same size afterwards. The transform
    /// tenon.rotate.
    pub fn rotate(degrees: impl Into<Vec<f64>>) -> Rotate {
        Rotate { field: 0, given: vec![("degrees", Value::Floats(degrees.into()))] }
    }
    impl Rotate {
        /// Which field of a batch it is for.
        pub fn field(mut self, field: u32) -> Self { self.field = field; self }
        /// beside the image; of u8 a whole number from 0 to 255
        pub fn fill(mut self, fill: f64) -> Self {
            self.given.push(("fill", Value::Float(fill)));
            self
        }
        /// the nearest pixel in place of the bilinear mean of four: for masks, whose values are
        /// names
        pub fn nearest(mut self, nearest: bool) -> Self {
            self.given.push(("nearest", Value::Bool(nearest)));
            self
        }
        pub fn build(self) -> Result<Transform> {
            Transform::new("tenon.rotate", &self.given, self.field)
        }
    }
    impl Make<Transform> for Rotate {
        fn make(self) -> Result<Transform> { self.build() }
    }
}

/// Layers of the vendor `tenon`.
pub mod nn {
    #![allow(unused_imports)]
    #![allow(clippy::too_many_arguments)]
    use crate::datasets::{Dataset, Transform};
    use crate::error::Result;
    use crate::layer::Layer;
    use crate::make::{Make, MakeAll};
    use crate::optimizer::{Group, IntoGroups, Optimizer};
    use crate::schedule::Schedule;
    use crate::values::{Device, Dtype, Ints, Value};

    /// An op of one tensor as a layer without parameters, for containers: `y = op(x)`. The layer
    /// tenon.activation.
    #[must_use = "nothing is done before `build`"]
    pub struct Activation {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// An op of one tensor as a layer without parameters, for containers: `y = op(x)`. The layer
    /// tenon.activation.
    pub fn activation(op: impl Into<String>) -> Activation {
        Activation { device: None, given: vec![("op", Value::Text(op.into()))] }
    }
    impl Activation {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.activation", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Activation {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// The image cut into `output_size` windows, and the mean of each, for each channel: the op
    /// `tenon.adaptive_avg_pool`. The layer tenon.adaptive_avg_pool.
    #[must_use = "nothing is done before `build`"]
    pub struct AdaptiveAvgPool {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// The image cut into `output_size` windows, and the mean of each, for each channel: the op
    /// `tenon.adaptive_avg_pool`. The layer tenon.adaptive_avg_pool.
    pub fn adaptive_avg_pool(output_size: impl Into<Ints>) -> AdaptiveAvgPool {
        AdaptiveAvgPool {
            device: None,
            given: vec![("output_size", Value::Ints(output_size.into()))],
        }
    }
    impl AdaptiveAvgPool {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.adaptive_avg_pool", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for AdaptiveAvgPool {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// The mean of each window, for each channel: the op `tenon.avg_pool`. The layer
    /// tenon.avg_pool.
    #[must_use = "nothing is done before `build`"]
    pub struct AvgPool {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// The mean of each window, for each channel: the op `tenon.avg_pool`. The layer
    /// tenon.avg_pool.
    pub fn avg_pool(kernel_size: impl Into<Ints>) -> AvgPool {
        AvgPool { device: None, given: vec![("kernel_size", Value::Ints(kernel_size.into()))] }
    }
    impl AvgPool {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// from one window to the next, as \[2\] or \[1,2\]; empty: kernel_size
        pub fn stride(mut self, stride: impl Into<Ints>) -> Self {
            self.given.push(("stride", Value::Ints(stride.into())));
            self
        }
        /// places added around the image: 1 number, one for each dimension, or a pair for each,
        /// before and after it
        pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
            self.given.push(("padding", Value::Ints(padding.into())));
            self
        }
        /// is there a last window that only begins within image and padding?
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.given.push(("ceil_mode", Value::Bool(ceil_mode)));
            self
        }
        /// do places of the padding count as zeros?
        pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
            self.given.push(("count_include_pad", Value::Bool(count_include_pad)));
            self
        }
        /// none: as padding says; same: so much that there are size / stride windows, rounded up;
        /// valid: nothing
        pub fn auto_pad(mut self, auto_pad: impl Into<String>) -> Self {
            self.given.push(("auto_pad", Value::Text(auto_pad.into())));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.avg_pool", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for AvgPool {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Mean 0 and variance 1 of each channel over all other dimensions of the batch, then a weight
    /// (1 at first) and a bias (0 at first): The layer tenon.batch_norm.
    #[must_use = "nothing is done before `build`"]
    pub struct BatchNorm {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Mean 0 and variance 1 of each channel over all other dimensions of the batch, then a weight
    /// (1 at first) and a bias (0 at first): The layer tenon.batch_norm.
    pub fn batch_norm(features: i64) -> BatchNorm {
        BatchNorm { device: None, given: vec![("features", Value::Int(features))] }
    }
    impl BatchNorm {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// added to the variance
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// share of a batch in the running statistics
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.given.push(("momentum", Value::Float(momentum)));
            self
        }
        /// are there a weight and a bias?
        pub fn affine(mut self, affine: bool) -> Self {
            self.given.push(("affine", Value::Bool(affine)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.batch_norm", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for BatchNorm {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Windows of an image, each times a weight and summed up, and a bias: the op `tenon.conv`, a
    /// convolution over as many dimensions as `kernel_size` has numbers, 1 to 3. The layer
    /// tenon.conv.
    #[must_use = "nothing is done before `build`"]
    pub struct Conv {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Windows of an image, each times a weight and summed up, and a bias: the op `tenon.conv`, a
    /// convolution over as many dimensions as `kernel_size` has numbers, 1 to 3. The layer
    /// tenon.conv.
    pub fn conv(in_channels: i64, out_channels: i64, kernel_size: impl Into<Ints>) -> Conv {
        Conv {
            device: None,
            given: vec![
                ("in_channels", Value::Int(in_channels)),
                ("out_channels", Value::Int(out_channels)),
                ("kernel_size", Value::Ints(kernel_size.into())),
            ],
        }
    }
    impl Conv {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// from one window to the next, as \[2\] or \[1,2\]
        pub fn stride(mut self, stride: impl Into<Ints>) -> Self {
            self.given.push(("stride", Value::Ints(stride.into())));
            self
        }
        /// places added around the image: 1 number, one for each dimension, or a pair for each,
        /// before and after it
        pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
            self.given.push(("padding", Value::Ints(padding.into())));
            self
        }
        /// from one place of a window to the next, as \[1\] or \[1,2\]
        pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
            self.given.push(("dilation", Value::Ints(dilation.into())));
            self
        }
        /// of channels that do not mix; in_channels of them: one each
        pub fn groups(mut self, groups: i64) -> Self {
            self.given.push(("groups", Value::Int(groups)));
            self
        }
        /// is there a bias?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// none: as padding says; same: so much that there are size / stride windows, rounded up;
        /// valid: nothing
        pub fn auto_pad(mut self, auto_pad: impl Into<String>) -> Self {
            self.given.push(("auto_pad", Value::Text(auto_pad.into())));
            self
        }
        /// of the weight: default, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal,
        /// uniform, normal, truncated_normal, orthogonal or constant
        pub fn init(mut self, init: impl Into<String>) -> Self {
            self.given.push(("init", Value::Text(init.into())));
            self
        }
        /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
        /// truncated_normal, bound of uniform, value of constant
        pub fn gain(mut self, gain: f64) -> Self {
            self.given.push(("gain", Value::Float(gain)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.conv", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Conv {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// In training the op `tenon.dropout`: elements become 0 with probability `p`, and the others
    /// are divided by `1 - p`. The layer tenon.dropout.
    #[must_use = "nothing is done before `build`"]
    pub struct Dropout {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// In training the op `tenon.dropout`: elements become 0 with probability `p`, and the others
    /// are divided by `1 - p`. The layer tenon.dropout.
    pub fn dropout() -> Dropout {
        Dropout { device: None, given: vec![] }
    }
    impl Dropout {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// probability that an element becomes 0
        pub fn p(mut self, p: f64) -> Self { self.given.push(("p", Value::Float(p))); self }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.dropout", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Dropout {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// In training whole channels of samples become 0 with probability `p`, and the others are
    /// divided by `1 - p`. The layer tenon.dropout_channels.
    #[must_use = "nothing is done before `build`"]
    pub struct DropoutChannels {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// In training whole channels of samples become 0 with probability `p`, and the others are
    /// divided by `1 - p`. The layer tenon.dropout_channels.
    pub fn dropout_channels() -> DropoutChannels {
        DropoutChannels { device: None, given: vec![] }
    }
    impl DropoutChannels {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// probability that a channel becomes 0
        pub fn p(mut self, p: f64) -> Self { self.given.push(("p", Value::Float(p))); self }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.dropout_channels", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for DropoutChannels {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// A table whose rows are looked up: `y[i] = weight[x[i]]`, the op `tenon.embedding`. The layer
    /// tenon.embedding.
    #[must_use = "nothing is done before `build`"]
    pub struct Embedding {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// A table whose rows are looked up: `y[i] = weight[x[i]]`, the op `tenon.embedding`. The layer
    /// tenon.embedding.
    pub fn embedding(rows: i64, width: i64) -> Embedding {
        Embedding {
            device: None,
            given: vec![("rows", Value::Int(rows)), ("width", Value::Int(width))],
        }
    }
    impl Embedding {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, uniform, normal,
        /// truncated_normal, orthogonal or constant
        pub fn init(mut self, init: impl Into<String>) -> Self {
            self.given.push(("init", Value::Text(init.into())));
            self
        }
        /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
        /// truncated_normal, bound of uniform, value of constant
        pub fn gain(mut self, gain: f64) -> Self {
            self.given.push(("gain", Value::Float(gain)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.embedding", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Embedding {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// x with the dimensions from `start_axis` to `end_axis` merged into one, by default all but
    /// the first: the op `tenon.flatten`, between convolutions and a linear layer. The layer
    /// tenon.flatten.
    #[must_use = "nothing is done before `build`"]
    pub struct Flatten {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// x with the dimensions from `start_axis` to `end_axis` merged into one, by default all but
    /// the first: the op `tenon.flatten`, between convolutions and a linear layer. The layer
    /// tenon.flatten.
    pub fn flatten() -> Flatten {
        Flatten { device: None, given: vec![] }
    }
    impl Flatten {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// the first dimension that is merged; negative: from the end
        pub fn start_axis(mut self, start_axis: i64) -> Self {
            self.given.push(("start_axis", Value::Int(start_axis)));
            self
        }
        /// the last one; negative: from the end
        pub fn end_axis(mut self, end_axis: i64) -> Self {
            self.given.push(("end_axis", Value::Int(end_axis)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.flatten", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Flatten {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Mean 0 and variance 1 of each group of channels of each sample, then a weight (1 at first)
    /// and a bias (0 at first) for each channel: the op `tenon.group_norm`, the same in training
    /// and in evaluation. The layer tenon.group_norm.
    #[must_use = "nothing is done before `build`"]
    pub struct GroupNorm {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Mean 0 and variance 1 of each group of channels of each sample, then a weight (1 at first)
    /// and a bias (0 at first) for each channel: the op `tenon.group_norm`, the same in training
    /// and in evaluation. The layer tenon.group_norm.
    pub fn group_norm(groups: i64, channels: i64) -> GroupNorm {
        GroupNorm {
            device: None,
            given: vec![("groups", Value::Int(groups)), ("channels", Value::Int(channels))],
        }
    }
    impl GroupNorm {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// added to the variance
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// are there a weight and a bias?
        pub fn affine(mut self, affine: bool) -> Self {
            self.given.push(("affine", Value::Bool(affine)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.group_norm", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for GroupNorm {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Layers of gated recurrent units over sequences, of which the op `tenon.gru` is one. The
    /// layer tenon.gru.
    #[must_use = "nothing is done before `build`"]
    pub struct Gru {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Layers of gated recurrent units over sequences, of which the op `tenon.gru` is one. The
    /// layer tenon.gru.
    pub fn gru(inputs: i64, hidden: i64) -> Gru {
        Gru {
            device: None,
            given: vec![("inputs", Value::Int(inputs)), ("hidden", Value::Int(hidden))],
        }
    }
    impl Gru {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// how many, each on the results of the one before
        pub fn layers(mut self, layers: i64) -> Self {
            self.given.push(("layers", Value::Int(layers)));
            self
        }
        /// are there biases, one with the inputs and one with the state?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// are x and y \[B,T,...\], not \[T,B,...\]?
        pub fn batch_first(mut self, batch_first: bool) -> Self {
            self.given.push(("batch_first", Value::Bool(batch_first)));
            self
        }
        /// probability, in training, that a result of a layer but the last becomes 0
        pub fn dropout(mut self, dropout: f64) -> Self {
            self.given.push(("dropout", Value::Float(dropout)));
            self
        }
        /// is there a second direction, from the last step to the first?
        pub fn bidirectional(mut self, bidirectional: bool) -> Self {
            self.given.push(("bidirectional", Value::Bool(bidirectional)));
            self
        }
        /// is the state reset after its matrix, as in PyTorch? Else before
        pub fn reset_after(mut self, reset_after: bool) -> Self {
            self.given.push(("reset_after", Value::Bool(reset_after)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.gru", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Gru {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// One step of `tenon.gru` with one layer: the op `tenon.gru_cell`. The layer tenon.gru_cell.
    #[must_use = "nothing is done before `build`"]
    pub struct GruCell {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// One step of `tenon.gru` with one layer: the op `tenon.gru_cell`. The layer tenon.gru_cell.
    pub fn gru_cell(inputs: i64, hidden: i64) -> GruCell {
        GruCell {
            device: None,
            given: vec![("inputs", Value::Int(inputs)), ("hidden", Value::Int(hidden))],
        }
    }
    impl GruCell {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// are there biases, one with the inputs and one with the state?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// is the state reset after its matrix? Else before
        pub fn reset_after(mut self, reset_after: bool) -> Self {
            self.given.push(("reset_after", Value::Bool(reset_after)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.gru_cell", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for GruCell {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Mean 0 and variance 1 of each channel of each sample, and with `affine` a weight (1 at
    /// first) and a bias (0 at first) for each channel: the op `tenon.instance_norm`, the same in
    /// training and in evaluation. The layer tenon.instance_norm.
    #[must_use = "nothing is done before `build`"]
    pub struct InstanceNorm {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Mean 0 and variance 1 of each channel of each sample, and with `affine` a weight (1 at
    /// first) and a bias (0 at first) for each channel: the op `tenon.instance_norm`, the same in
    /// training and in evaluation. The layer tenon.instance_norm.
    pub fn instance_norm(channels: i64) -> InstanceNorm {
        InstanceNorm { device: None, given: vec![("channels", Value::Int(channels))] }
    }
    impl InstanceNorm {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// added to the variance
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// are there a weight and a bias?
        pub fn affine(mut self, affine: bool) -> Self {
            self.given.push(("affine", Value::Bool(affine)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.instance_norm", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for InstanceNorm {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Mean 0 and variance 1 over the last dimensions, then a weight and a bias: the op
    /// `tenon.layer_norm`. The layer tenon.layer_norm.
    #[must_use = "nothing is done before `build`"]
    pub struct LayerNorm {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Mean 0 and variance 1 over the last dimensions, then a weight and a bias: the op
    /// `tenon.layer_norm`. The layer tenon.layer_norm.
    pub fn layer_norm(sizes: impl Into<Ints>) -> LayerNorm {
        LayerNorm { device: None, given: vec![("sizes", Value::Ints(sizes.into()))] }
    }
    impl LayerNorm {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// added to the variance
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// are there a weight and a bias?
        pub fn affine(mut self, affine: bool) -> Self {
            self.given.push(("affine", Value::Bool(affine)));
            self
        }
        /// with affine: is there a bias?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.layer_norm", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for LayerNorm {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// A matrix and a bias: `y = x weight^T + bias`, the op `tenon.linear`. The layer tenon.linear.
    #[must_use = "nothing is done before `build`"]
    pub struct Linear {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// A matrix and a bias: `y = x weight^T + bias`, the op `tenon.linear`. The layer tenon.linear.
    pub fn linear(inputs: i64, outputs: i64) -> Linear {
        Linear {
            device: None,
            given: vec![("inputs", Value::Int(inputs)), ("outputs", Value::Int(outputs))],
        }
    }
    impl Linear {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// is there a bias?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// of the weight: default, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal,
        /// uniform, normal, truncated_normal, orthogonal or constant
        pub fn init(mut self, init: impl Into<String>) -> Self {
            self.given.push(("init", Value::Text(init.into())));
            self
        }
        /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
        /// truncated_normal, bound of uniform, value of constant
        pub fn gain(mut self, gain: f64) -> Self {
            self.given.push(("gain", Value::Float(gain)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.linear", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Linear {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Layers of long short-term memory over sequences, of which the op `tenon.lstm` is one. The
    /// layer tenon.lstm.
    #[must_use = "nothing is done before `build`"]
    pub struct Lstm {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Layers of long short-term memory over sequences, of which the op `tenon.lstm` is one. The
    /// layer tenon.lstm.
    pub fn lstm(inputs: i64, hidden: i64) -> Lstm {
        Lstm {
            device: None,
            given: vec![("inputs", Value::Int(inputs)), ("hidden", Value::Int(hidden))],
        }
    }
    impl Lstm {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// how many, each on the results of the one before
        pub fn layers(mut self, layers: i64) -> Self {
            self.given.push(("layers", Value::Int(layers)));
            self
        }
        /// are there biases, one with the inputs and one with the state?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// are x and y \[B,T,...\], not \[T,B,...\]?
        pub fn batch_first(mut self, batch_first: bool) -> Self {
            self.given.push(("batch_first", Value::Bool(batch_first)));
            self
        }
        /// probability, in training, that a result of a layer but the last becomes 0
        pub fn dropout(mut self, dropout: f64) -> Self {
            self.given.push(("dropout", Value::Float(dropout)));
            self
        }
        /// is there a second direction, from the last step to the first?
        pub fn bidirectional(mut self, bidirectional: bool) -> Self {
            self.given.push(("bidirectional", Value::Bool(bidirectional)));
            self
        }
        /// how many numbers of state a matrix makes of hidden; 0: hidden
        pub fn projection(mut self, projection: i64) -> Self {
            self.given.push(("projection", Value::Int(projection)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.lstm", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Lstm {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// One step of `tenon.lstm` with one layer: the op `tenon.lstm_cell`. The layer
    /// tenon.lstm_cell.
    #[must_use = "nothing is done before `build`"]
    pub struct LstmCell {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// One step of `tenon.lstm` with one layer: the op `tenon.lstm_cell`. The layer
    /// tenon.lstm_cell.
    pub fn lstm_cell(inputs: i64, hidden: i64) -> LstmCell {
        LstmCell {
            device: None,
            given: vec![("inputs", Value::Int(inputs)), ("hidden", Value::Int(hidden))],
        }
    }
    impl LstmCell {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// are there biases, one with the inputs and one with the state?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.lstm_cell", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for LstmCell {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// The greatest number of each window, for each channel: the op `tenon.max_pool`. The layer
    /// tenon.max_pool.
    #[must_use = "nothing is done before `build`"]
    pub struct MaxPool {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// The greatest number of each window, for each channel: the op `tenon.max_pool`. The layer
    /// tenon.max_pool.
    pub fn max_pool(kernel_size: impl Into<Ints>) -> MaxPool {
        MaxPool { device: None, given: vec![("kernel_size", Value::Ints(kernel_size.into()))] }
    }
    impl MaxPool {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// from one window to the next, as \[2\] or \[1,2\]; empty: kernel_size
        pub fn stride(mut self, stride: impl Into<Ints>) -> Self {
            self.given.push(("stride", Value::Ints(stride.into())));
            self
        }
        /// places added around the image: 1 number, one for each dimension, or a pair for each,
        /// before and after it
        pub fn padding(mut self, padding: impl Into<Ints>) -> Self {
            self.given.push(("padding", Value::Ints(padding.into())));
            self
        }
        /// from one place of a window to the next, as \[1\] or \[1,2\]
        pub fn dilation(mut self, dilation: impl Into<Ints>) -> Self {
            self.given.push(("dilation", Value::Ints(dilation.into())));
            self
        }
        /// is there a last window that only begins within image and padding?
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.given.push(("ceil_mode", Value::Bool(ceil_mode)));
            self
        }
        /// none: as padding says; same: so much that there are size / stride windows, rounded up;
        /// valid: nothing
        pub fn auto_pad(mut self, auto_pad: impl Into<String>) -> Self {
            self.given.push(("auto_pad", Value::Text(auto_pad.into())));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.max_pool", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for MaxPool {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Attention of several heads, between matrices that make queries, keys and values of rows and
    /// one that joins what the heads give: the op `tenon.attention`. The layer
    /// tenon.multi_head_attention.
    #[must_use = "nothing is done before `build`"]
    pub struct MultiHeadAttention {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Attention of several heads, between matrices that make queries, keys and values of rows and
    /// one that joins what the heads give: the op `tenon.attention`. The layer
    /// tenon.multi_head_attention.
    pub fn multi_head_attention(width: i64, heads: i64) -> MultiHeadAttention {
        MultiHeadAttention {
            device: None,
            given: vec![("width", Value::Int(width)), ("heads", Value::Int(heads))],
        }
    }
    impl MultiHeadAttention {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// of keys and values, a divisor of heads: grouped attention; 0: as many
        pub fn kv_heads(mut self, kv_heads: i64) -> Self {
            self.given.push(("kv_heads", Value::Int(kv_heads)));
            self
        }
        /// size of a head; 0: width / heads
        pub fn head_width(mut self, head_width: i64) -> Self {
            self.given.push(("head_width", Value::Int(head_width)));
            self
        }
        /// size of the last dimension of memory; 0: width
        pub fn memory_width(mut self, memory_width: i64) -> Self {
            self.given.push(("memory_width", Value::Int(memory_width)));
            self
        }
        /// have all matrices a bias?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// is the matrix of q, k and v one, in_proj_weight, as in torch.nn.MultiheadAttention? Else
        /// there are q_proj, k_proj and v_proj
        pub fn packed(mut self, packed: bool) -> Self {
            self.given.push(("packed", Value::Bool(packed)));
            self
        }
        /// does a query see no later key?
        pub fn causal(mut self, causal: bool) -> Self {
            self.given.push(("causal", Value::Bool(causal)));
            self
        }
        /// keys that a query sees on a side, itself included; 0: all
        pub fn window(mut self, window: i64) -> Self {
            self.given.push(("window", Value::Int(window)));
            self
        }
        /// bound of the scores; 0: none
        pub fn soft_cap(mut self, soft_cap: f64) -> Self {
            self.given.push(("soft_cap", Value::Float(soft_cap)));
            self
        }
        /// probability that a weight becomes 0 in training
        pub fn dropout(mut self, dropout: f64) -> Self {
            self.given.push(("dropout", Value::Float(dropout)));
            self
        }
        /// are heads of q and k scaled to a root mean square of 1, with gains?
        pub fn qk_norm(mut self, qk_norm: bool) -> Self {
            self.given.push(("qk_norm", Value::Bool(qk_norm)));
            self
        }
        /// of qk_norm
        pub fn qk_eps(mut self, qk_eps: f64) -> Self {
            self.given.push(("qk_eps", Value::Float(qk_eps)));
            self
        }
        /// longest sequence, if q and k are rotated by their positions; 0: they are not
        pub fn positions(mut self, positions: i64) -> Self {
            self.given.push(("positions", Value::Int(positions)));
            self
        }
        /// of the angles' rates
        pub fn rope_base(mut self, rope_base: f64) -> Self {
            self.given.push(("rope_base", Value::Float(rope_base)));
            self
        }
        /// which elements of a head are a pair: "halves" (Llama) or "pairs" (GPT-J)
        pub fn rope_layout(mut self, rope_layout: impl Into<String>) -> Self {
            self.given.push(("rope_layout", Value::Text(rope_layout.into())));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.multi_head_attention", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for MultiHeadAttention {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Tells rows of sequences apart by their positions: a row of a table is added to each. The
    /// layer tenon.positions.
    #[must_use = "nothing is done before `build`"]
    pub struct Positions {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Tells rows of sequences apart by their positions: a row of a table is added to each. The
    /// layer tenon.positions.
    pub fn positions(rows: i64, width: i64) -> Positions {
        Positions {
            device: None,
            given: vec![("rows", Value::Int(rows)), ("width", Value::Int(width))],
        }
    }
    impl Positions {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// learned, or sinusoidal: a buffer of `tenon.sinusoidal_positions`
        pub fn kind(mut self, kind: impl Into<String>) -> Self {
            self.given.push(("kind", Value::Text(kind.into())));
            self
        }
        /// of the sinusoids' rates
        pub fn base(mut self, base: f64) -> Self {
            self.given.push(("base", Value::Float(base)));
            self
        }
        /// of a learned table: xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal,
        /// uniform, normal, truncated_normal, orthogonal or constant
        pub fn init(mut self, init: impl Into<String>) -> Self {
            self.given.push(("init", Value::Text(init.into())));
            self
        }
        /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
        /// truncated_normal, bound of uniform, value of constant
        pub fn gain(mut self, gain: f64) -> Self {
            self.given.push(("gain", Value::Float(gain)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.positions", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Positions {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Its children one after the other, as in `tenon.sequential`, and `x` added to what they give;
    /// then an activation: The layer tenon.residual.
    #[must_use = "nothing is done before `build`"]
    pub struct Residual {
        children: Result<Vec<Layer>>,
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Its children one after the other, as in `tenon.sequential`, and `x` added to what they give;
    /// then an activation: The layer tenon.residual.
    pub fn residual(children: impl MakeAll<Layer>) -> Residual {
        Residual { children: children.make_all(), device: None, given: vec![] }
    }
    impl Residual {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// is the last child the shortcut? Else that is x itself
        pub fn shortcut(mut self, shortcut: bool) -> Self {
            self.given.push(("shortcut", Value::Bool(shortcut)));
            self
        }
        /// an op of one tensor, as "relu", of the sum; empty: none
        pub fn activation(mut self, activation: impl Into<String>) -> Self {
            self.given.push(("activation", Value::Text(activation.into())));
            self
        }
        pub fn build(self) -> Result<Layer> {
            let made = Layer::on("tenon.residual", &self.given, self.device.as_ref())?;
            self.children?.iter().try_for_each(|each| made.append(each))?;
            Ok(made)
        }
    }
    impl Make<Layer> for Residual {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Mean square 1 over the last dimensions, then a weight: the op `tenon.rms_norm`. The layer
    /// tenon.rms_norm.
    #[must_use = "nothing is done before `build`"]
    pub struct RmsNorm {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Mean square 1 over the last dimensions, then a weight: the op `tenon.rms_norm`. The layer
    /// tenon.rms_norm.
    pub fn rms_norm(sizes: impl Into<Ints>) -> RmsNorm {
        RmsNorm { device: None, given: vec![("sizes", Value::Ints(sizes.into()))] }
    }
    impl RmsNorm {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// added to the mean square
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// is there a weight?
        pub fn affine(mut self, affine: bool) -> Self {
            self.given.push(("affine", Value::Bool(affine)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.rms_norm", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for RmsNorm {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Layers of plain recurrent units over sequences, of which the op `tenon.rnn` is one. The
    /// layer tenon.rnn.
    #[must_use = "nothing is done before `build`"]
    pub struct Rnn {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Layers of plain recurrent units over sequences, of which the op `tenon.rnn` is one. The
    /// layer tenon.rnn.
    pub fn rnn(inputs: i64, hidden: i64) -> Rnn {
        Rnn {
            device: None,
            given: vec![("inputs", Value::Int(inputs)), ("hidden", Value::Int(hidden))],
        }
    }
    impl Rnn {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// how many, each on the results of the one before
        pub fn layers(mut self, layers: i64) -> Self {
            self.given.push(("layers", Value::Int(layers)));
            self
        }
        /// are there biases, one with the inputs and one with the state?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// are x and y \[B,T,...\], not \[T,B,...\]?
        pub fn batch_first(mut self, batch_first: bool) -> Self {
            self.given.push(("batch_first", Value::Bool(batch_first)));
            self
        }
        /// probability, in training, that a result of a layer but the last becomes 0
        pub fn dropout(mut self, dropout: f64) -> Self {
            self.given.push(("dropout", Value::Float(dropout)));
            self
        }
        /// is there a second direction, from the last step to the first?
        pub fn bidirectional(mut self, bidirectional: bool) -> Self {
            self.given.push(("bidirectional", Value::Bool(bidirectional)));
            self
        }
        /// "tanh" or "relu"
        pub fn activation(mut self, activation: impl Into<String>) -> Self {
            self.given.push(("activation", Value::Text(activation.into())));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.rnn", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for Rnn {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// One step of `tenon.rnn` with one layer: the op `tenon.rnn_cell`. The layer tenon.rnn_cell.
    #[must_use = "nothing is done before `build`"]
    pub struct RnnCell {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// One step of `tenon.rnn` with one layer: the op `tenon.rnn_cell`. The layer tenon.rnn_cell.
    pub fn rnn_cell(inputs: i64, hidden: i64) -> RnnCell {
        RnnCell {
            device: None,
            given: vec![("inputs", Value::Int(inputs)), ("hidden", Value::Int(hidden))],
        }
    }
    impl RnnCell {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// are there biases, one with the inputs and one with the state?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// "tanh" or "relu"
        pub fn activation(mut self, activation: impl Into<String>) -> Self {
            self.given.push(("activation", Value::Text(activation.into())));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.rnn_cell", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for RnnCell {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// Its children one after the other, each called with what the one before gave. The layer
    /// tenon.sequential.
    #[must_use = "nothing is done before `build`"]
    pub struct Sequential {
        children: Result<Vec<Layer>>,
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// Its children one after the other, each called with what the one before gave. The layer
    /// tenon.sequential.
    pub fn sequential(children: impl MakeAll<Layer>) -> Sequential {
        Sequential { children: children.make_all(), device: None, given: vec![] }
    }
    impl Sequential {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        pub fn build(self) -> Result<Layer> {
            let made = Layer::on("tenon.sequential", &self.given, self.device.as_ref())?;
            self.children?.iter().try_for_each(|each| made.append(each))?;
            Ok(made)
        }
    }
    impl Make<Layer> for Sequential {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// `tenon.batch_norm` over the batches of all processes of a group: in training mean and
    /// variance of a channel are those of all of them, and so are the running ones, in every
    /// process. The layer tenon.sync_batch_norm.
    #[must_use = "nothing is done before `build`"]
    pub struct SyncBatchNorm {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// `tenon.batch_norm` over the batches of all processes of a group: in training mean and
    /// variance of a channel are those of all of them, and so are the running ones, in every
    /// process. The layer tenon.sync_batch_norm.
    pub fn sync_batch_norm(features: i64) -> SyncBatchNorm {
        SyncBatchNorm { device: None, given: vec![("features", Value::Int(features))] }
    }
    impl SyncBatchNorm {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// added to the variance
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// share of a batch in the running statistics
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.given.push(("momentum", Value::Float(momentum)));
            self
        }
        /// are there a weight and a bias?
        pub fn affine(mut self, affine: bool) -> Self {
            self.given.push(("affine", Value::Bool(affine)));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        /// number of the group of processes; 0: this one
        pub fn group(mut self, group: i64) -> Self {
            self.given.push(("group", Value::Int(group)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.sync_batch_norm", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for SyncBatchNorm {
        fn make(self) -> Result<Layer> { self.build() }
    }

    /// One layer of a transformer: attention of several heads, then a layer of hidden units, each
    /// with a norm and `x` added to what it gives. The layer tenon.transformer_block.
    #[must_use = "nothing is done before `build`"]
    pub struct TransformerBlock {
        device: Option<Device>,
        given: Vec<(&'static str, Value)>,
    }
    /// One layer of a transformer: attention of several heads, then a layer of hidden units, each
    /// with a norm and `x` added to what it gives. The layer tenon.transformer_block.
    pub fn transformer_block(width: i64, heads: i64, hidden: i64) -> TransformerBlock {
        TransformerBlock {
            device: None,
            given: vec![
                ("width", Value::Int(width)),
                ("heads", Value::Int(heads)),
                ("hidden", Value::Int(hidden)),
            ],
        }
    }
    impl TransformerBlock {
        /// Where its parameters lie.
        pub fn device(mut self, device: &Device) -> Self { self.device = Some(*device); self }
        /// an op of one tensor, as "relu", or a gated one: "swiglu", "geglu", "glu"
        pub fn activation(mut self, activation: impl Into<String>) -> Self {
            self.given.push(("activation", Value::Text(activation.into())));
            self
        }
        /// "layer" or "rms"
        pub fn norm(mut self, norm: impl Into<String>) -> Self {
            self.given.push(("norm", Value::Text(norm.into())));
            self
        }
        /// is each part's norm before it? Else it is after the residual
        pub fn norm_first(mut self, norm_first: bool) -> Self {
            self.given.push(("norm_first", Value::Bool(norm_first)));
            self
        }
        /// of the norms
        pub fn eps(mut self, eps: f64) -> Self { self.given.push(("eps", Value::Float(eps))); self }
        /// have matrices and layer norms a bias?
        pub fn bias(mut self, bias: bool) -> Self {
            self.given.push(("bias", Value::Bool(bias)));
            self
        }
        /// probability, in training, for weights of attention and for what each part and the
        /// activation give
        pub fn dropout(mut self, dropout: f64) -> Self {
            self.given.push(("dropout", Value::Float(dropout)));
            self
        }
        /// of keys and values, a divisor of heads: grouped attention; 0: as many
        pub fn kv_heads(mut self, kv_heads: i64) -> Self {
            self.given.push(("kv_heads", Value::Int(kv_heads)));
            self
        }
        /// size of a head; 0: width / heads
        pub fn head_width(mut self, head_width: i64) -> Self {
            self.given.push(("head_width", Value::Int(head_width)));
            self
        }
        /// is the matrix of q, k and v one, in_proj_weight, as in torch.nn.MultiheadAttention? Else
        /// there are q_proj, k_proj and v_proj
        pub fn packed(mut self, packed: bool) -> Self {
            self.given.push(("packed", Value::Bool(packed)));
            self
        }
        /// does a query see no later key?
        pub fn causal(mut self, causal: bool) -> Self {
            self.given.push(("causal", Value::Bool(causal)));
            self
        }
        /// keys that a query sees on a side, itself included; 0: all
        pub fn window(mut self, window: i64) -> Self {
            self.given.push(("window", Value::Int(window)));
            self
        }
        /// bound of the scores; 0: none
        pub fn soft_cap(mut self, soft_cap: f64) -> Self {
            self.given.push(("soft_cap", Value::Float(soft_cap)));
            self
        }
        /// are heads of q and k scaled to a root mean square of 1, with gains?
        pub fn qk_norm(mut self, qk_norm: bool) -> Self {
            self.given.push(("qk_norm", Value::Bool(qk_norm)));
            self
        }
        /// longest sequence, if q and k are rotated by their positions; 0: they are not
        pub fn positions(mut self, positions: i64) -> Self {
            self.given.push(("positions", Value::Int(positions)));
            self
        }
        /// of the angles' rates
        pub fn rope_base(mut self, rope_base: f64) -> Self {
            self.given.push(("rope_base", Value::Float(rope_base)));
            self
        }
        /// which elements of a head are a pair: "halves" (Llama) or "pairs" (GPT-J)
        pub fn rope_layout(mut self, rope_layout: impl Into<String>) -> Self {
            self.given.push(("rope_layout", Value::Text(rope_layout.into())));
            self
        }
        /// of the parameters: f16, bf16, f32 or f64
        pub fn dtype(mut self, dtype: Dtype) -> Self {
            self.given.push(("dtype", Value::Dtype(dtype)));
            self
        }
        pub fn build(self) -> Result<Layer> {
            Layer::on("tenon.transformer_block", &self.given, self.device.as_ref())
        }
    }
    impl Make<Layer> for TransformerBlock {
        fn make(self) -> Result<Layer> { self.build() }
    }
}
