// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/runtime.rs: runtimes, and the one that the process shares.

use crate::error::{Error, Result};
use crate::objects::Owned;
use crate::status::Status;
use crate::sys;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::Arc;

/// What a runtime is made with; the default is a good one.
#[derive(Clone, Debug, Default)]
pub struct RuntimeOptions {
    /// folders that hold plugin folders, searched first
    pub plugin_paths: Vec<String>,
    /// ids of plugins to leave out
    pub exclude: Vec<String>,
    /// compute threads; 0: as many as the process may use
    pub threads: i32,
    /// `sys::TENON_POLICY_*`
    pub policy: u32,
    /// bytes per device; 0: none
    pub memory_limit: u64,
    /// check modes: "layout,finite,threads,launch,handles"
    pub check: String,
    /// lock file of `sys::TENON_POLICY_ALLOWLIST`
    pub allowlist: String,
    /// `sys::TENON_RUNTIME_*`
    pub flags: u32,
}

struct Handle {
    handle: *mut sys::tenon_runtime,
    /// released with the last clone
    owned: AtomicBool,
}

impl Drop for Handle {
    fn drop(&mut self) {
        if *self.owned.get_mut() {
            unsafe { sys::tenon_runtime_release(self.handle) }
        }
    }
}

/// Plugins, devices, threads and memory, used by any thread. It lives as long as its contexts do.
#[derive(Clone)]
pub struct Runtime(Arc<Handle>);

// A runtime is used by any thread, and so may its only owner be.
unsafe impl Send for Runtime {}
unsafe impl Sync for Runtime {}

static SHARED: AtomicPtr<sys::tenon_runtime> = AtomicPtr::new(null_mut());
/// That of `SHARED` if it was made, or given away, here.
static LAST: AtomicPtr<sys::tenon_runtime> = AtomicPtr::new(null_mut());
/// The program is ending, and that of `LAST` has.
static CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

/// Closes the shared runtime at the end of the program.
extern "C" fn close() {
    let last = LAST.swap(null_mut(), Ordering::AcqRel);
    let taken = SHARED.compare_exchange(last, null_mut(), Ordering::AcqRel, Ordering::Acquire);
    if !last.is_null() && taken.is_ok() {
        CLOSED.store(true, Ordering::Release);
        unsafe { sys::tenon_runtime_release(last) }
    }
}

impl Runtime {
    pub fn new(options: &RuntimeOptions) -> Result<Runtime> {
        Ok(Runtime::of(create(options)?.release(), true))
    }

    /// A runtime that others have made, in C or in another language, and release.
    ///
    /// # Safety
    /// `handle` is that of a runtime, which outlives the last use of it here.
    pub unsafe fn borrow(handle: *mut sys::tenon_runtime) -> Runtime {
        Runtime::of(handle, false)
    }

    /// The one that this process shares: it is that of each thread's own context. Made at its first
    /// use, unless [`Runtime::share`] has named another.
    pub fn shared() -> Result<Runtime> {
        let found = SHARED.load(Ordering::Acquire);
        Ok(Runtime::of(
            if found.is_null() {
                make_shared()?
            } else {
                found
            },
            false,
        ))
    }

    /// Shares this runtime from now on, until the end of the program; for a program that wants
    /// options of its own, or that others have given a runtime.
    ///
    /// Refused with `STATE` if another one is shared already.
    pub fn share(self) -> Result<()> {
        let handle = self.0.handle;
        match SHARED.compare_exchange(null_mut(), handle, Ordering::AcqRel, Ordering::Acquire) {
            Err(found) if found != handle => Err(Error::refuse(
                Status::STATE,
                ("Runtime::share", "runtime"),
                "none that is shared already",
                "another one",
                "share a runtime before the first call",
            )),
            Err(_) => Ok(()),
            Ok(_) => {
                if self.0.owned.swap(false, Ordering::AcqRel) {
                    close_at_end(handle);
                }
                Ok(())
            }
        }
    }

    pub fn handle(&self) -> *mut sys::tenon_runtime {
        self.0.handle
    }

    fn of(handle: *mut sys::tenon_runtime, owned: bool) -> Runtime {
        let owned = AtomicBool::new(owned);
        Runtime(Arc::new(Handle { handle, owned }))
    }
}

fn close_at_end(handle: *mut sys::tenon_runtime) {
    LAST.store(handle, Ordering::Release);
    unsafe { atexit(close) };
}

/// Two threads that come at once make one each, of which the second is given up.
#[cold]
fn make_shared() -> Result<*mut sys::tenon_runtime> {
    // Plugins may have ended, too: none is opened again.
    if CLOSED.load(Ordering::Acquire) {
        return Err(Error::refuse(
            Status::STATE,
            ("Runtime::shared", "runtime"),
            "the one of the process",
            "it has ended, with the program",
            "call before main returns, or share a runtime that lives longer",
        ));
    }
    let fresh = create(&RuntimeOptions::default())?;
    let here = fresh.get();
    match SHARED.compare_exchange(null_mut(), here, Ordering::AcqRel, Ordering::Acquire) {
        Err(found) => Ok(found),
        Ok(_) => {
            close_at_end(fresh.release());
            Ok(here)
        }
    }
}

fn create(given: &RuntimeOptions) -> Result<Owned<sys::tenon_runtime>> {
    #[cfg(feature = "load")]
    open_default()?;
    let strings = |texts: &[String]| -> Vec<_> { texts.iter().map(|text| string(text)).collect() };
    let (paths, exclude) = (strings(&given.plugin_paths), strings(&given.exclude));
    let options = sys::tenon_runtime_options {
        struct_size: std::mem::size_of::<sys::tenon_runtime_options>() as u32,
        flags: given.flags,
        paths: paths.as_ptr(),
        n_paths: paths.len() as u32,
        policy: given.policy,
        threads: given.threads,
        n_exclude: exclude.len() as u32,
        exclude: exclude.as_ptr(),
        memory_limit: given.memory_limit,
        check: string(&given.check),
        allowlist: string(&given.allowlist),
    };
    let mut diag: sys::tenon_diag = unsafe { std::mem::zeroed() };
    let mut made = null_mut();
    match unsafe { sys::tenon_runtime_create(&options, &mut diag, &mut made) } {
        sys::TENON_OK => Ok(unsafe { Owned::adopt(made) }),
        status => Err(Error::of_diag(status, &diag)),
    }
}

pub(crate) fn string(text: &str) -> sys::tenon_string {
    sys::tenon_string {
        data: text.as_ptr().cast(),
        length: text.len() as u64,
    }
}

/// Opens the library, by its path or by a name that the system searches, before anything else is
/// called. Without it the first call opens `$TENON_LIBRARY`, or else `libtenon.so.<version>`.
#[cfg(feature = "load")]
pub fn open(path: &str) -> Result<()> {
    sys::open(path).map_err(|words| {
        Error::new(
            Status::NOT_FOUND,
            format!("libtenon cannot be opened: {words}"),
        )
    })
}

#[cfg(feature = "load")]
fn open_default() -> Result<()> {
    let given = std::env::var("TENON_LIBRARY")
        .ok()
        .filter(|path| !path.is_empty());
    open(&given.unwrap_or_else(|| format!("libtenon.so.{}", sys::TENON_VERSION_MAJOR)))
}
