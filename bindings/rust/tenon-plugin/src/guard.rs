// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/guard.rs: failures and panics as statuses with words.
use crate::raw::*;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::CString;
use std::os::raw::{c_char, c_void};
use std::panic;
use std::sync::Once;

/// What a callback fails with. `message` is one complete line; the other fields may be empty.
#[derive(Clone, Debug)]
pub struct Failure {
    pub status: tenon_status,
    pub message: String,
    pub operand: String,
    pub expected: String,
    pub found: String,
    pub hint: String,
}

impl Failure {
    pub fn new(status: tenon_status, message: impl Into<String>) -> Failure {
        Failure {
            status,
            message: message.into(),
            operand: String::new(),
            expected: String::new(),
            found: String::new(),
            hint: String::new(),
        }
    }
    pub fn operand(mut self, text: impl Into<String>) -> Failure {
        self.operand = text.into();
        self
    }
    pub fn expected(mut self, text: impl Into<String>) -> Failure {
        self.expected = text.into();
        self
    }
    pub fn found(mut self, text: impl Into<String>) -> Failure {
        self.found = text.into();
        self
    }
    pub fn hint(mut self, text: impl Into<String>) -> Failure {
        self.hint = text.into();
        self
    }
}

#[derive(Clone, Debug)]
pub enum Error {
    /// To be reported to the host.
    Failed(Box<Failure>),
    /// A call to the host failed; the host already holds the words.
    Host(tenon_status),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        Error::Failed(Box::new(failure))
    }
}

pub type Result<T = ()> = std::result::Result<T, Error>;

/// What a function of the host returned, as a `Result`.
pub fn check(status: tenon_status) -> Result {
    match status {
        TENON_OK => Ok(()),
        _ => Err(Error::Host(status)),
    }
}

/// A host table's function. The host sets every slot, so an empty one is the host's fault.
pub(crate) fn slot<F>(function: Option<F>) -> F {
    function.expect("the host left a slot of its table empty")
}

/// Runs a callback's body; what it returns or panics with becomes a status with words.
///
/// # Safety
/// `call` is the callback's own.
pub unsafe fn guard(call: *mut tenon_call, body: impl FnOnce() -> Result) -> tenon_status {
    match caught(body) {
        Ok(Ok(())) => TENON_OK,
        Ok(Err(Error::Host(status))) => status,
        Ok(Err(Error::Failed(failure))) => report(call, &failure),
        Err(words) => report(call, &Failure::new(TENON_E_PLUGIN, words)),
    }
}

unsafe fn report(call: *mut tenon_call, failure: &Failure) -> tenon_status {
    let strings = [
        &failure.message,
        &failure.operand,
        &failure.expected,
        &failure.found,
        &failure.hint,
    ]
    .map(|text| c_string(text));
    if let Some(fail_detail) = (*(*call).base).fail_detail {
        let [message, operand, expected, found, hint] = &strings;
        fail_detail(
            call,
            failure.status,
            message.as_ptr(),
            operand.as_ptr(),
            expected.as_ptr(),
            found.as_ptr(),
            hint.as_ptr(),
        );
    }
    failure.status
}

// A zero byte would end it.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\\x00")).unwrap_or_default()
}

/// Writes words if there is no call yet, and returns the status.
///
/// # Safety
/// `diag` is NULL or the host's.
pub(crate) unsafe fn diagnose(
    diag: *mut tenon_diag,
    status: tenon_status,
    words: &str,
) -> tenon_status {
    if let Some(diag) = diag.as_mut() {
        let words = words.replace('\0', "\\x00");
        let room = diag.message.len() - 1;
        let mut length = words.len().min(room);
        while !words.is_char_boundary(length) {
            length -= 1;
        }
        for (to, from) in diag.message.iter_mut().zip(&words.as_bytes()[..length]) {
            *to = *from as c_char;
        }
        diag.message[length] = 0;
        diag.length = length as i32;
        diag.status = status;
    }
    status
}

/// Ends what a callback has made with `Box::into_raw`.
pub(crate) unsafe extern "C" fn release_box<T>(object: *mut c_void) {
    let _ = caught(|| drop(Box::from_raw(object.cast::<T>())));
}

// ---- Panics -------------------------------------------------------------------------------------

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A library does not print. The hook is this library's own: each has its copy of the standard
/// library.
pub(crate) fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            if let Some(at) = info.location() {
                let place = format!("{}:{}", at.file(), at.line());
                let _ = PLACE.try_with(|last| last.replace(place));
            }
        }))
    });
}

/// The body's result, or the words of its panic.
pub(crate) fn caught<T>(body: impl FnOnce() -> T) -> std::result::Result<T, String> {
    panic::catch_unwind(panic::AssertUnwindSafe(body)).map_err(|payload| {
        let place = PLACE
            .try_with(|last| last.borrow().clone())
            .unwrap_or_default();
        format!("{} (a panic at {})", panic_words(payload), place)
    })
}

fn panic_words(payload: Box<dyn Any + Send>) -> String {
    let payload = match payload.downcast::<&'static str>() {
        Ok(text) => return text.to_string(),
        Err(other) => other,
    };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => {
            // Dropping a stranger's value might panic again.
            std::mem::forget(other);
            "a panic without words".to_string()
        }
    }
}
