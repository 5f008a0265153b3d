// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-sys/src/open.rs: what the list of functions makes of them: they are those of
// the library that the program opens when it runs.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}
const RTLD_NOW: c_int = 2;

macro_rules! functions {
    ($(fn $name:ident($($given:ident: $kind:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        #[allow(non_upper_case_globals)]
        mod addresses {
            use std::{os::raw::c_void, ptr::null_mut, sync::atomic::AtomicPtr};
            $(pub(super) static $name: AtomicPtr<c_void> = AtomicPtr::new(null_mut());)*
        }
        /// The name of each, with a zero after it, and where its address is kept.
        pub(crate) static TABLE: &[(&str, &std::sync::atomic::AtomicPtr<c_void>)] =
            &[$((concat!(stringify!($name), "\0"), &addresses::$name)),*];
        $(#[inline]
        pub unsafe fn $name($($given: $kind),*) $(-> $result)? {
            type Function = unsafe extern "C" fn($($kind),*) $(-> $result)?;
            let address = crate::open::address(&addresses::$name);
            std::mem::transmute::<_, Function>(address)($($given),*)
        })*
    };
}

static OPENING: Mutex<bool> = Mutex::new(false);

/// Opens the library, by its path or by a name that the system searches; a second time does
/// nothing. Tells in the system's words why it could not, or which function is missing.
pub fn open(path: &str) -> Result<(), String> {
    let mut opened = OPENING
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    if *opened {
        return Ok(());
    }
    let name = CString::new(path).map_err(|_| format!("{path:?}: a zero byte in a path"))?;
    let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW) };
    if library.is_null() {
        let said = unsafe { dlerror() };
        return Err(match said.is_null() {
            true => format!("{path}: cannot be opened"),
            false => unsafe { CStr::from_ptr(said) }
                .to_string_lossy()
                .into_owned(),
        });
    }
    let table = crate::functions::TABLE;
    let mut found = Vec::with_capacity(table.len());
    for (name, _) in table {
        let address = unsafe { dlsym(library, name.as_ptr().cast()) };
        if address.is_null() {
            let name = name.trim_end_matches('\0');
            return Err(format!(
                "{path}: has no function {name}: another version of Tenon"
            ));
        }
        found.push(address);
    }
    for ((_, kept), address) in table.iter().zip(found) {
        kept.store(address, Ordering::Release);
    }
    *opened = true;
    Ok(())
}

#[inline]
pub(crate) fn address(kept: &AtomicPtr<c_void>) -> *mut c_void {
    let address = kept.load(Ordering::Acquire);
    if address.is_null() {
        not_open();
    }
    address
}

#[cold]
fn not_open() -> ! {
    panic!("tenon_sys: a function is called before tenon_sys::open");
}
