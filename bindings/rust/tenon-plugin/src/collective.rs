// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/collective.rs: engines that move memory among processes, as a
// trait.
use crate::describe::{text, NO_VALUE};
use crate::guard::{guard, release_box, Result};
use crate::launch::{slice, Attrs};
use crate::raw::*;
use std::mem::size_of;
use std::ops::Deref;
use std::os::raw::c_void;

/// Moves memory among the processes of a program. Methods come one at a time, from one thread of
/// the host's, and may block until their time-out, in milliseconds, is over.
pub trait Collective: Sized + Send + 'static {
    /// "vendor.name"
    const NAME: &'static str;
    const DOC: &'static str;
    /// Kinds of devices whose memory `run` takes, separated by spaces.
    const DEVICES: &'static str = "host";
    /// The dtypes that it sums itself, separated by spaces, for fast arithmetic.
    const SUMS: &'static str = "";
    const OPTIONS: &'static [tenon_collective_option] = &[];
    /// Joins all processes; options in the order they were described in.
    fn create(options: Attrs, timeout: i64) -> Result<Self>;
    fn members(&self) -> tenon_members;
    /// Parts the processes: by color, in the order of keys, then of ranks.
    fn split(&mut self, color: i32, key: i32, timeout: i64) -> Result<Self>;
    /// Makes the transfers; `done` gets a 1 for each that is done, also if others are not.
    fn run(&mut self, transfers: &[Transfer], timeout: i64, done: &mut [u8]) -> Result;
}

/// One transfer: a `tenon_transfer_desc` with its memory as bytes.
#[repr(transparent)]
pub struct Transfer(tenon_transfer_desc);

impl Deref for Transfer {
    type Target = tenon_transfer_desc;
    fn deref(&self) -> &tenon_transfer_desc {
        &self.0
    }
}

impl Transfer {
    /// Bytes of `parts` times `count` elements.
    fn bytes(&self, parts: usize) -> usize {
        parts * self.0.count as usize * (self.0.dtype as usize >> 8 & 0xFF) / 8
    }

    /// What is sent: so many parts of `count` elements. None if nothing is sent.
    pub fn from(&self, parts: usize) -> Option<&[u8]> {
        let data = self.0.from.cast::<u8>();
        (!data.is_null()).then(|| slice(data, self.bytes(parts)))
    }

    /// Where it arrives. None if nothing is received.
    #[allow(clippy::mut_from_ref)] // of memory that this transfer alone has
    pub fn to(&self, parts: usize) -> Option<&mut [u8]> {
        let (data, bytes) = (self.0.to.cast::<u8>(), self.bytes(parts));
        if data.is_null() {
            return None;
        }
        if bytes == 0 {
            return Some(&mut []);
        }
        Some(unsafe { std::slice::from_raw_parts_mut(data, bytes) })
    }
}

unsafe fn give<C: Collective>(made: C, out: *mut *mut c_void, members: *mut tenon_members) {
    *members = made.members();
    *out = Box::into_raw(Box::new(made)).cast();
}

unsafe extern "C" fn create<C: Collective>(
    call: *mut tenon_call,
    values: *const tenon_value,
    timeout: i64,
    out: *mut *mut c_void,
    members: *mut tenon_members,
) -> tenon_status {
    guard(call, || {
        let made = C::create(Attrs::new(values, C::OPTIONS.len() as u32), timeout)?;
        give(made, out, members);
        Ok(())
    })
}

unsafe extern "C" fn split<C: Collective>(
    call: *mut tenon_call,
    object: *mut c_void,
    color: i32,
    key: i32,
    timeout: i64,
    out: *mut *mut c_void,
    members: *mut tenon_members,
) -> tenon_status {
    guard(call, || {
        let made = (*object.cast::<C>()).split(color, key, timeout)?;
        give(made, out, members);
        Ok(())
    })
}

unsafe extern "C" fn run<C: Collective>(
    call: *mut tenon_call,
    object: *mut c_void,
    transfers: *const tenon_transfer_desc,
    n: u32,
    timeout: i64,
    done: *mut u8,
) -> tenon_status {
    guard(call, || {
        let transfers = slice(transfers.cast::<Transfer>(), n as usize);
        let done = std::slice::from_raw_parts_mut(done, n as usize);
        (*object.cast::<C>()).run(transfers, timeout, done)
    })
}

pub const fn collective<C: Collective>() -> tenon_collective_desc {
    tenon_collective_desc {
        struct_size: size_of::<tenon_collective_desc>() as u32,
        flags: if C::SUMS.is_empty() {
            0
        } else {
            TENON_COLLECTIVE_SUMS
        },
        name: text(C::NAME),
        doc: text(C::DOC),
        devices: text(C::DEVICES),
        sums: text(C::SUMS),
        options: C::OPTIONS.as_ptr(),
        n_options: C::OPTIONS.len() as u32,
        reserved: 0,
        create: Some(create::<C>),
        release: Some(release_box::<C>),
        split: Some(split::<C>),
        run: Some(run::<C>),
        abort: None,
    }
}

/// An option that has a value if it is not given.
pub const fn collective_option(
    name: &'static str,
    doc: &'static str,
    initial: tenon_value,
) -> tenon_collective_option {
    tenon_collective_option {
        name: text(name),
        doc: text(doc),
        tag: initial.tag,
        required: 0,
        initial,
    }
}

/// An option that must be given, of type `tag`.
pub const fn required_collective_option(
    name: &'static str,
    doc: &'static str,
    tag: u32,
) -> tenon_collective_option {
    tenon_collective_option {
        name: text(name),
        doc: text(doc),
        tag,
        required: 1,
        initial: NO_VALUE,
    }
}
