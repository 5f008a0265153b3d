// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/context.rs: contexts, which of them a thread's calls use, and its modes.
//
// Every call uses the context of its thread: that of the innermost `Context::enter` that runs, else
// the thread's own, made when it is first needed, in the runtime that the process shares.

use crate::error::{Error, Result};
use crate::objects::{text_of, Owned};
use crate::ops::COUNT;
use crate::runtime::Runtime;
use crate::status::Status;
use crate::sys;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};

/// An op of `ops.rs`.
#[derive(Clone, Copy)]
pub(crate) struct OpName {
    pub place: usize,
    pub revision: u32,
    pub name: &'static str,
}

pub(crate) const fn op(place: usize, revision: u32, name: &'static str) -> OpName {
    OpName {
        place,
        revision,
        name,
    }
}

/// What a function of the program that the library has called left to be told.
enum Thrown {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

/// A context with the ops that were found through it.
pub(crate) struct State {
    pub handle: *mut sys::tenon_context,
    ops: [Cell<*const sys::tenon_op>; COUNT],
    thrown: Cell<Option<Thrown>>,
}

impl State {
    fn new(handle: *mut sys::tenon_context) -> Box<State> {
        #[allow(clippy::declare_interior_mutable_const)] // what each element begins as
        const NONE: Cell<*const sys::tenon_op> = Cell::new(null());
        Box::new(State {
            handle,
            ops: [NONE; COUNT],
            thrown: Cell::new(None),
        })
    }

    #[inline]
    pub(crate) fn find(&self, which: OpName) -> Result<*const sys::tenon_op> {
        let found = self.ops[which.place].get();
        if found.is_null() {
            return self.look_up(which);
        }
        Ok(found)
    }
    #[cold]
    fn look_up(&self, which: OpName) -> Result<*const sys::tenon_op> {
        let (name, length) = (which.name.as_ptr().cast(), which.name.len() as u64);
        let mut found = null();
        self.check(unsafe {
            sys::tenon_op_find(self.handle, name, length, which.revision, &mut found)
        })?;
        self.ops[which.place].set(found);
        Ok(found)
    }

    #[inline]
    pub(crate) fn check(&self, status: sys::tenon_status) -> Result<()> {
        match status {
            sys::TENON_OK => Ok(()),
            _ => Err(self.failure(status)),
        }
    }
    #[cold]
    fn failure(&self, status: sys::tenon_status) -> Error {
        match self.thrown.take() {
            None => Error::of_context(self.handle, status),
            Some(Thrown::Error(error)) => error,
            Some(Thrown::Panic(words)) => resume_unwind(words),
        }
    }

    /// Runs a function of the program that the library has called: its error or panic waits until
    /// the library's call has failed.
    pub(crate) fn guarded(&self, function: impl FnOnce() -> Result<()>) -> sys::tenon_status {
        let thrown = match catch_unwind(AssertUnwindSafe(function)) {
            Ok(Ok(())) => return sys::TENON_OK,
            Ok(Err(error)) => Thrown::Error(error),
            Err(words) => Thrown::Panic(words),
        };
        let status = match &thrown {
            Thrown::Error(error) if error.status.0 != sys::TENON_OK => error.status.0,
            _ => sys::TENON_E_STATE,
        };
        self.thrown.set(Some(thrown));
        status
    }
}

thread_local! {
    static INNERMOST: Cell<*const State> = const { Cell::new(null()) };
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

/// A thread's own context, which ends with it.
struct Own(Context);

impl Drop for Own {
    fn drop(&mut self) {
        INNERMOST.with(|innermost| innermost.set(null()));
    }
}

/// The context that this thread's calls use. It outlives the call that asks.
#[inline]
pub(crate) fn state<'a>() -> Result<&'a State> {
    let found = INNERMOST.with(Cell::get);
    if found.is_null() {
        return make_state_of_thread();
    }
    Ok(unsafe { &*found })
}

/// Threads draw other numbers than each other: contexts made so get streams in order.
#[cold]
fn make_state_of_thread<'a>() -> Result<&'a State> {
    static STREAMS: AtomicU64 = AtomicU64::new(0);
    let own = Own(Context::new(&Runtime::shared()?)?);
    let state: *const State = &*own.0.state;
    let kept = OWN.try_with(|place| *place.borrow_mut() = Some(own));
    if kept.is_err() {
        return Err(Error::refuse(
            Status::STATE,
            ("Context", "the thread's own"),
            "one that is there",
            "one that has ended",
            "the thread or the program is ending: call earlier, or enter a context of yours",
        ));
    }
    let state = unsafe { &*state };
    let mut number = 0;
    unsafe {
        state.check(sys::tenon_context_get_seed(
            state.handle,
            &mut number,
            null_mut(),
            null_mut(),
        ))?;
        let stream = STREAMS.fetch_add(1, Ordering::Relaxed);
        state.check(sys::tenon_context_set_seed(state.handle, number, stream))?;
    }
    INNERMOST.with(|innermost| innermost.set(state));
    Ok(state)
}

/// What the calls of one thread share: random numbers, gradient modes, the graph, the default
/// device. It stays in its thread:
///
/// ```compile_fail,E0277
/// let context = tenon::Context::new(&tenon::Runtime::shared().unwrap()).unwrap();
/// std::thread::scope(|scope| scope.spawn(|| context.enter(|| tenon::ones([2]))).join());
/// ```
pub struct Context {
    state: Box<State>,
    _owned: Option<Owned<sys::tenon_context>>, // ends before its runtime may
    _runtime: Option<Runtime>,
}

impl Context {
    pub fn new(runtime: &Runtime) -> Result<Context> {
        let mut diag: sys::tenon_diag = unsafe { std::mem::zeroed() };
        let mut made = null_mut();
        match unsafe { sys::tenon_context_create(runtime.handle(), &mut diag, &mut made) } {
            sys::TENON_OK => Ok(Context {
                state: State::new(made),
                _owned: Some(unsafe { Owned::adopt(made) }),
                _runtime: Some(runtime.clone()),
            }),
            status => Err(Error::of_diag(status, &diag)),
        }
    }

    /// A context that others have made, in C or in another language, and release.
    ///
    /// # Safety
    /// `handle` is that of a context which no other thread uses; it outlives the last use of it
    /// here.
    pub unsafe fn borrow(handle: *mut sys::tenon_context) -> Context {
        Context {
            state: State::new(handle),
            _owned: None,
            _runtime: None,
        }
    }

    /// Runs `function` with this as the context of the thread's calls.
    pub fn enter<T>(&self, function: impl FnOnce() -> T) -> T {
        struct Outer(*const State);
        impl Drop for Outer {
            fn drop(&mut self) {
                INNERMOST.with(|innermost| innermost.set(self.0));
            }
        }
        let _outer = Outer(INNERMOST.with(|innermost| innermost.replace(&*self.state)));
        function()
    }

    /// What ends the call that runs in this context, from any thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.state.handle)
    }
    pub fn handle(&self) -> *mut sys::tenon_context {
        self.state.handle
    }

    /// That of the thread's calls, for another thread that is to end them.
    pub fn current_interrupter() -> Result<Interrupter> {
        Ok(Interrupter(state()?.handle))
    }
}

/// Ends a call of another thread.
#[derive(Clone, Copy)]
pub struct Interrupter(*mut sys::tenon_context);

// Handles tell that they are released, and an interruption is legal on any thread.
unsafe impl Send for Interrupter {}
unsafe impl Sync for Interrupter {}

impl Interrupter {
    /// Ends the call that runs in the context, or its next one, with `INTERRUPTED`. Nothing happens
    /// if the context is gone.
    pub fn interrupt(&self) {
        unsafe { sys::tenon_context_interrupt(self.0) };
    }
}

// ---- Modes --------------------------------------------------------------------------------------

/// Ends what was begun, however the function ends.
struct Ending<'a, F: FnMut(&State) -> sys::tenon_status>(&'a State, F);

impl<F: FnMut(&State) -> sys::tenon_status> Drop for Ending<'_, F> {
    fn drop(&mut self) {
        let _ = (self.1)(self.0);
    }
}

fn within<T>(
    begin: impl FnOnce(&State) -> sys::tenon_status,
    end: impl FnMut(&State) -> sys::tenon_status,
    function: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let state = state()?;
    state.check(begin(state))?;
    let _ending = Ending(state, end);
    function()
}

fn with_gradients<T>(mode: u32, function: impl FnOnce() -> Result<T>) -> Result<T> {
    within(
        |state| unsafe { sys::tenon_grad_begin(state.handle, mode) },
        |state| unsafe { sys::tenon_grad_end(state.handle) },
        function,
    )
}

/// Runs `function`; nothing is recorded for backward.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let x = tenon::ones([2])?.with_grad()?;
/// assert!(!tenon::no_grad(|| &x * 2.0)?.requires_grad()?);
/// # Ok(())
/// # }
/// ```
pub fn no_grad<T>(function: impl FnOnce() -> Result<T>) -> Result<T> {
    with_gradients(sys::TENON_GRAD_DISABLED, function)
}
/// Runs `function`; it is recorded for backward.
pub fn enable_grad<T>(function: impl FnOnce() -> Result<T>) -> Result<T> {
    with_gradients(sys::TENON_GRAD_ENABLED, function)
}
/// Runs `function`; nothing is recorded, and nothing inside can change that.
pub fn inference<T>(function: impl FnOnce() -> Result<T>) -> Result<T> {
    with_gradients(sys::TENON_GRAD_INFERENCE, function)
}

/// Runs `function`; this thread alone computes, with the same bits: for programs with threads of
/// their own.
pub fn serial<T>(function: impl FnOnce() -> Result<T>) -> Result<T> {
    within(
        |state| unsafe { sys::tenon_serial_begin(state.handle) },
        |state| unsafe { sys::tenon_serial_end(state.handle) },
        function,
    )
}

/// Runs `function`; the first NaN or infinity that anything writes is a `CHECK`.
pub fn guard_finite<T>(function: impl FnOnce() -> Result<T>) -> Result<T> {
    within(
        |state| unsafe { sys::tenon_check_begin(state.handle, sys::TENON_CHECK_FINITE) },
        |state| unsafe { sys::tenon_check_end(state.handle) },
        function,
    )
}

/// Runs `function` under a label that errors, traces and plan listings show.
pub fn scope<T>(label: &str, function: impl FnOnce() -> Result<T>) -> Result<T> {
    let (text, length) = (label.as_ptr().cast(), label.len() as u64);
    within(
        |state| unsafe { sys::tenon_scope_begin(state.handle, text, length) },
        |state| unsafe { sys::tenon_scope_end(state.handle) },
        function,
    )
}

/// Runs `function`, and gives its result with what ran, as JSON for Perfetto.
pub fn profile<T>(function: impl FnOnce() -> Result<T>) -> Result<(T, String)> {
    let mut json = String::new();
    let end = |state: &State| {
        let mut text = null_mut();
        let status = unsafe { sys::tenon_trace_end(state.handle, &mut text) };
        if status == sys::TENON_OK {
            json = text_of(text);
        }
        status
    };
    let begin = |state: &State| unsafe { sys::tenon_trace_begin(state.handle) };
    let result = within(begin, end, function)?;
    Ok((result, json))
}

// ---- The thread's context and its runtime -------------------------------------------------------

/// Starts this thread's random numbers anew.
pub fn seed(number: u64) -> Result<()> {
    seed_stream(number, 0)
}
/// The same; contexts with other streams draw other numbers.
pub fn seed_stream(number: u64, stream: u64) -> Result<()> {
    let state = state()?;
    state.check(unsafe { sys::tenon_context_set_seed(state.handle, number, stream) })
}

/// Takes the best kernels, also those with other bits than the canonical ones; or no longer.
pub fn set_fast_arithmetic(fast: bool) -> Result<()> {
    let state = state()?;
    let which = if fast {
        sys::TENON_ARITHMETIC_FAST
    } else {
        sys::TENON_ARITHMETIC_CANONICAL
    };
    state.check(unsafe { sys::tenon_context_set_arithmetic(state.handle, which) })
}

/// How many compute threads the runtime may use; 0: as many as the process may.
pub fn set_threads(threads: i32) -> Result<()> {
    let state = state()?;
    state.check(unsafe { sys::tenon_runtime_set_threads(state.handle, threads) })
}

/// What the runtime knows, as JSON; topics as of `tenon_runtime_query`.
pub fn query(topic: &str) -> Result<String> {
    let state = state()?;
    let (name, length) = (topic.as_ptr().cast(), topic.len() as u64);
    let mut text = null_mut();
    state.check(unsafe { sys::tenon_runtime_query(state.handle, name, length, &mut text) })?;
    Ok(text_of(text))
}

/// Live objects and memory.
pub fn stats() -> Result<sys::tenon_stats> {
    let state = state()?;
    let mut stats: sys::tenon_stats = unsafe { std::mem::zeroed() };
    stats.struct_size = std::mem::size_of::<sys::tenon_stats>() as u32;
    state.check(unsafe { sys::tenon_runtime_get_stats(state.handle, &mut stats) })?;
    Ok(stats)
}

/// Gives memory that is kept for reuse back; says how many bytes.
pub fn release_cache() -> Result<u64> {
    let state = state()?;
    let mut bytes = 0;
    state.check(unsafe { sys::tenon_runtime_release_cache(state.handle, null(), &mut bytes) })?;
    Ok(bytes)
}
