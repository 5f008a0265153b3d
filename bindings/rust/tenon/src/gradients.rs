// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/gradients.rs: gradients of several tensors and of functions, and
// functions that see gradients on their way.

use crate::call::Tensors;
use crate::context::state;
use crate::error::{Error, Result};
use crate::objects::text_of;
use crate::status::Status;
use crate::sys;
use crate::tensor::Tensor;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::rc::Rc;

fn flags(retain_graph: bool, create_graph: bool) -> u32 {
    let retain = if retain_graph {
        sys::TENON_BACKWARD_RETAIN
    } else {
        0
    };
    retain
        | if create_graph {
            sys::TENON_BACKWARD_CREATE_GRAPH
        } else {
            0
        }
}

/// A seed for each root, or none at all.
fn seeds_of(
    seeds: &Option<Tensors>,
    roots: &Tensors,
    op: &str,
) -> Result<*const *mut sys::tenon_tensor> {
    match seeds {
        None => Ok(null()),
        Some(seeds) if seeds.len() == roots.len() => Ok(seeds.handles()),
        Some(seeds) => {
            let expected = format!("one for each of {}", roots.len());
            Err(Error::refuse(
                Status::ARGUMENT,
                (op, "seeds"),
                expected,
                seeds.len(),
                "",
            ))
        }
    }
}

unsafe fn adopt_all(handles: Vec<*mut sys::tenon_tensor>) -> Vec<Option<Tensor>> {
    handles
        .into_iter()
        .map(|each| Tensor::adopt_any(each))
        .collect()
}

/// Adds the gradients of sum(root * seed) to the leaves. A root of one element needs no seed.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let x = tenon::tensor([1.0, 2.0])?.with_grad()?;
/// let y = (&x * 3.0)?;
/// tenon::backward(&y).seeds(&tenon::ones([2])?).call()?;
/// assert_eq!(x.grad()?.unwrap().to_vec::<f32>()?, [3.0, 3.0]);
/// # Ok(())
/// # }
/// ```
pub fn backward<'a>(roots: impl Into<Tensors<'a>>) -> Backward<'a> {
    Backward {
        roots: roots.into(),
        seeds: None,
        retain_graph: false,
        create_graph: false,
    }
}

#[must_use = "nothing is done before `call`"]
pub struct Backward<'a> {
    roots: Tensors<'a>,
    seeds: Option<Tensors<'a>>,
    retain_graph: bool,
    create_graph: bool,
}

impl<'a> Backward<'a> {
    pub fn seeds(mut self, seeds: impl Into<Tensors<'a>>) -> Self {
        self.seeds = Some(seeds.into());
        self
    }
    /// Keeps the graph for another backward.
    pub fn retain_graph(mut self, retain: bool) -> Self {
        self.retain_graph = retain;
        self
    }
    /// Records the backward itself; keeps the graph, too.
    pub fn create_graph(mut self, create: bool) -> Self {
        self.create_graph = create;
        self
    }
    pub fn call(self) -> Result<()> {
        let state = state()?;
        let seeds = seeds_of(&self.seeds, &self.roots, "backward")?;
        let flags = flags(self.retain_graph, self.create_graph);
        let (roots, n) = (self.roots.handles(), self.roots.len() as u32);
        state.check(unsafe { sys::tenon_backward_run(state.handle, roots, seeds, n, flags) })
    }
}

/// The gradients of sum(output * seed) for each of `inputs`; leaves stay as they are. None for an
/// input that the outputs do not depend on.
pub fn grad<'a>(outputs: impl Into<Tensors<'a>>, inputs: impl Into<Tensors<'a>>) -> Grad<'a> {
    Grad {
        backward: backward(outputs),
        inputs: inputs.into(),
    }
}

#[must_use = "nothing is done before `call`"]
pub struct Grad<'a> {
    backward: Backward<'a>,
    inputs: Tensors<'a>,
}

impl<'a> Grad<'a> {
    pub fn seeds(mut self, seeds: impl Into<Tensors<'a>>) -> Self {
        self.backward = self.backward.seeds(seeds);
        self
    }
    /// Keeps the graph for another backward.
    pub fn retain_graph(mut self, retain: bool) -> Self {
        self.backward.retain_graph = retain;
        self
    }
    /// Records what it does, for gradients of gradients.
    pub fn create_graph(mut self, create: bool) -> Self {
        self.backward.create_graph = create;
        self
    }
    pub fn call(self) -> Result<Vec<Option<Tensor>>> {
        let state = state()?;
        let roots = &self.backward.roots;
        let seeds = seeds_of(&self.backward.seeds, roots, "grad")?;
        let flags = flags(self.backward.retain_graph, self.backward.create_graph);
        let mut found = vec![null_mut(); self.inputs.len()];
        let (outputs, n) = (roots.handles(), roots.len() as u32);
        let (inputs, n_inputs, out) = (
            self.inputs.handles(),
            found.len() as u32,
            found.as_mut_ptr(),
        );
        state.check(unsafe {
            sys::tenon_gradient_call(
                state.handle,
                outputs,
                seeds,
                n,
                inputs,
                n_inputs,
                flags,
                out,
            )
        })?;
        Ok(unsafe { adopt_all(found) })
    }
}

// ---- Functions ----------------------------------------------------------------------------------

/// Runs `function(inputs)`, which gives a tensor of one element, and gives its value with its
/// gradients. No leaf collects anything.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let x = tenon::tensor([1.0, 2.0])?;
/// let square = |inputs: &[tenon::Tensor]| tenon::sum(&(&inputs[0] * &inputs[0])?).call();
/// let (value, grads) = tenon::value_and_grad(square, &x).call()?;
/// assert_eq!(value.item()?, 5.0);
/// assert_eq!(grads[0].as_ref().unwrap().to_vec::<f32>()?, [2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub fn value_and_grad<'a, F: FnOnce(&[Tensor]) -> Result<Tensor>>(
    function: F,
    inputs: impl Into<Tensors<'a>>,
) -> ValueAndGrad<'a, F> {
    ValueAndGrad {
        function,
        inputs: inputs.into(),
        create_graph: false,
    }
}

#[must_use = "nothing is done before `call`"]
pub struct ValueAndGrad<'a, F> {
    function: F,
    inputs: Tensors<'a>,
    create_graph: bool,
}

impl<F: FnOnce(&[Tensor]) -> Result<Tensor>> ValueAndGrad<'_, F> {
    /// Records what it does, for gradients of gradients.
    pub fn create_graph(mut self, create: bool) -> Self {
        self.create_graph = create;
        self
    }
    pub fn call(self) -> Result<(Tensor, Vec<Option<Tensor>>)> {
        let state = state()?;
        let mut grads = vec![null_mut(); self.inputs.len()];
        let mut value = null_mut();
        let (inputs, n) = (self.inputs.handles(), self.inputs.len() as u32);
        let mut function = Some(self.function);
        let user = (&mut function as *mut Option<F>).cast();
        let (flags, run) = (flags(false, self.create_graph), run_function::<F>);
        let out = grads.as_mut_ptr();
        state.check(unsafe {
            let (context, seeds) = (state.handle, null());
            sys::tenon_function_call(
                context,
                Some(run),
                user,
                inputs,
                n,
                seeds,
                1,
                flags,
                &mut value,
                out,
            )
        })?;
        Ok(unsafe { (Tensor::adopt(value), adopt_all(grads)) })
    }
}

/// `user` is the function, which is called once.
unsafe extern "C" fn run_function<F: FnOnce(&[Tensor]) -> Result<Tensor>>(
    _: *mut sys::tenon_context,
    inputs: *const *mut sys::tenon_tensor,
    n: u32,
    outputs: *mut *mut sys::tenon_tensor,
    _: u32,
    user: *mut c_void,
) -> sys::tenon_status {
    guarded(|| {
        let given: Vec<_> = (0..n as usize)
            .map(|i| Tensor::share(*inputs.add(i)))
            .collect();
        if let Some(function) = (*user.cast::<Option<F>>()).take() {
            *outputs = function(&given)?.release();
        }
        Ok(())
    })
}

fn guarded(function: impl FnOnce() -> Result<()>) -> sys::tenon_status {
    // The caller's context is that of this thread, so there is one.
    match state() {
        Ok(state) => state.guarded(function),
        Err(error) => error.status.0,
    }
}

type Seeing = dyn Fn(&Tensor) -> Result<Option<Tensor>>;

/// A function that sees the gradient of a tensor in every backward, and may give another one for
/// it. It stays when this is dropped, and ends with the tensor, or by [`Hook::end`]. So it owns
/// what it uses:
///
/// ```compile_fail,E0373
/// let x = tenon::ones([2]).unwrap().with_grad().unwrap();
/// {
///     let seen = std::cell::Cell::new(0);
///     tenon::Hook::new(&x, |_| Ok(seen.set(seen.get() + 1)).map(|_| None)).unwrap();
/// }
/// ```
pub struct Hook {
    tensor: Tensor,
    number: u64,
}

impl Hook {
    /// ```
    /// # fn main() -> tenon::Result<()> {
    /// let x = tenon::ones([2])?.with_grad()?;
    /// tenon::Hook::new(&x, |gradient| Ok(Some((gradient * 2.0)?)))?;
    /// tenon::sum(&x).call()?.backward()?;
    /// assert_eq!(x.grad()?.unwrap().to_vec::<f32>()?, [2.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(
        tensor: &Tensor,
        function: impl Fn(&Tensor) -> Result<Option<Tensor>> + 'static,
    ) -> Result<Hook> {
        let state = state()?;
        let kept: Box<Rc<Seeing>> = Box::new(Rc::new(function));
        let user = Box::into_raw(kept);
        let (run, let_go, mut number) = (run_hook, end_hook, 0);
        let begun = state.check(unsafe {
            let (context, handle) = (state.handle, tensor.handle());
            sys::tenon_hook_begin(
                context,
                handle,
                Some(run),
                user.cast(),
                Some(let_go),
                &mut number,
            )
        });
        if let Err(error) = begun {
            drop(unsafe { Box::from_raw(user) });
            return Err(error);
        }
        Ok(Hook {
            tensor: tensor.clone(),
            number,
        })
    }
    pub fn end(self) -> Result<()> {
        let (state, handle) = (state()?, self.tensor.handle());
        state.check(unsafe { sys::tenon_hook_end(state.handle, handle, self.number) })
    }
}

unsafe extern "C" fn run_hook(
    _: *mut sys::tenon_context,
    gradient: *mut sys::tenon_tensor,
    out: *mut *mut sys::tenon_tensor,
    user: *mut c_void,
) -> sys::tenon_status {
    // An owner of its own: the function may end its hook.
    let function = (*user.cast::<Rc<Seeing>>()).clone();
    guarded(move || {
        let given = Tensor::share(gradient);
        if let Some(other) = function(&given)? {
            *out = other.release();
        }
        Ok(())
    })
}
unsafe extern "C" fn end_hook(user: *mut c_void) {
    let kept = Box::from_raw(user.cast::<Rc<Seeing>>());
    // Nobody would see a panic of what the function owned, which must not go into C.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(kept)));
}

/// What `roots` were computed from: "json", "dot", "svg", "dot/LR", "svg/LR".
pub fn draw<'a>(roots: impl Into<Tensors<'a>>, topic: &str) -> Result<String> {
    let (state, roots) = (state()?, roots.into());
    let (name, length) = (topic.as_ptr().cast(), topic.len() as u64);
    let (handles, n, mut text) = (roots.handles(), roots.len() as u32, null_mut());
    state.check(unsafe {
        sys::tenon_graph_query(state.handle, handles, n, name, length, &mut text)
    })?;
    Ok(text_of(text))
}
