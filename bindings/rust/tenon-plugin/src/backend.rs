// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/backend.rs: a device as a trait: memory, copies, streams, events.
use crate::guard::{caught, diagnose};
use crate::raw::*;
use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr::null_mut;

type Status<T = ()> = std::result::Result<T, tenon_status>;

/// One device kind. What is given here by default is a device whose work has finished when a
/// function returns: one stream, the default one, and events that have nothing to wait for.
/// Called on any thread. `index` counts devices of this kind from 0.
///
/// # Safety
/// Addresses, streams and events come from this trait's own functions, as the host promises.
pub trait Backend: 'static {
    const KIND: &'static str;
    const DOC: &'static str;
    /// `TENON_BACKEND_HOST_MEMORY` if the host may read and write the memory.
    const FLAGS: u32;

    /// How many there are, or why there is none.
    fn device_count() -> std::result::Result<i32, String>;
    /// Memory aligned to 64 bytes; `TENON_E_MEMORY` if there is none left.
    fn alloc(index: i32, bytes: u64) -> Status<*mut c_void>;
    /// # Safety
    /// `data` and `bytes` are of an `alloc` before.
    unsafe fn free(index: i32, data: *mut c_void, bytes: u64);
    /// Raw copy without overlap, ordered on `stream`; `direction` is `TENON_COPY_*`.
    /// # Safety
    /// Both sides have `bytes` bytes.
    unsafe fn copy(
        index: i32,
        stream: *mut c_void,
        direction: u32,
        to: *mut c_void,
        from: *const c_void,
        bytes: u64,
    ) -> Status;

    fn stream_create(_index: i32) -> Status<*mut c_void> {
        Ok(null_mut())
    }
    /// # Safety
    /// `stream` is of `stream_create`.
    unsafe fn stream_release(_index: i32, _stream: *mut c_void) {}
    /// Waits, and returns the first failure since the last wait with its words.
    /// # Safety
    /// `stream` is of `stream_create`, or NULL.
    unsafe fn stream_wait(
        _index: i32,
        _stream: *mut c_void,
    ) -> std::result::Result<(), (tenon_status, String)> {
        Ok(())
    }
    fn event_create(_index: i32) -> Status<*mut c_void> {
        Ok(null_mut())
    }
    /// # Safety
    /// `event` is of `event_create`.
    unsafe fn event_release(_index: i32, _event: *mut c_void) {}
    /// # Safety
    /// `event` and `stream` are this device's.
    unsafe fn event_record(_index: i32, _event: *mut c_void, _stream: *mut c_void) -> Status {
        Ok(())
    }
    /// Makes later work of `stream` wait for `event`.
    /// # Safety
    /// `event` and `stream` are this device's.
    unsafe fn event_wait(_index: i32, _event: *mut c_void, _stream: *mut c_void) -> Status {
        Ok(())
    }
    /// Has the work before the event finished?
    /// # Safety
    /// `event` is of `event_create`.
    unsafe fn event_query(
        _index: i32,
        _event: *mut c_void,
    ) -> std::result::Result<bool, (tenon_status, String)> {
        Ok(true)
    }
}

// A panic without a place for a message is a status alone.
fn status_of(body: impl FnOnce() -> Status) -> tenon_status {
    match caught(body) {
        Ok(Ok(())) => TENON_OK,
        Ok(Err(status)) => status,
        Err(_) => TENON_E_PLUGIN,
    }
}

unsafe fn with_words(
    diag: *mut tenon_diag,
    body: impl FnOnce() -> std::result::Result<(), (tenon_status, String)>,
) -> tenon_status {
    match caught(body) {
        Ok(Ok(())) => TENON_OK,
        Ok(Err((status, words))) => diagnose(diag, status, &words),
        Err(words) => diagnose(diag, TENON_E_PLUGIN, &words),
    }
}

unsafe extern "C" fn device_count<B: Backend>(
    _self: *mut c_void,
    out: *mut i32,
    diag: *mut tenon_diag,
) -> tenon_status {
    // None is no failure: the words say why.
    match caught(B::device_count) {
        Ok(Ok(count)) => *out = count,
        Ok(Err(words)) | Err(words) => {
            *out = 0;
            diagnose(diag, TENON_OK, &words);
        }
    }
    TENON_OK
}

unsafe extern "C" fn alloc<B: Backend>(
    _self: *mut c_void,
    index: i32,
    bytes: u64,
    out: *mut *mut c_void,
) -> tenon_status {
    status_of(|| B::alloc(index, bytes).map(|data| *out = data))
}

unsafe extern "C" fn free<B: Backend>(
    _self: *mut c_void,
    index: i32,
    data: *mut c_void,
    bytes: u64,
) {
    let _ = caught(|| B::free(index, data, bytes));
}

unsafe extern "C" fn copy<B: Backend>(
    _self: *mut c_void,
    index: i32,
    stream: *mut c_void,
    direction: u32,
    to: *mut c_void,
    from: *const c_void,
    bytes: u64,
) -> tenon_status {
    status_of(|| B::copy(index, stream, direction, to, from, bytes))
}

unsafe extern "C" fn stream_create<B: Backend>(
    _self: *mut c_void,
    index: i32,
    out: *mut *mut c_void,
) -> tenon_status {
    status_of(|| B::stream_create(index).map(|stream| *out = stream))
}

unsafe extern "C" fn stream_release<B: Backend>(
    _self: *mut c_void,
    index: i32,
    stream: *mut c_void,
) {
    let _ = caught(|| B::stream_release(index, stream));
}

unsafe extern "C" fn stream_wait<B: Backend>(
    _self: *mut c_void,
    index: i32,
    stream: *mut c_void,
    diag: *mut tenon_diag,
) -> tenon_status {
    with_words(diag, || B::stream_wait(index, stream))
}

unsafe extern "C" fn event_create<B: Backend>(
    _self: *mut c_void,
    index: i32,
    out: *mut *mut c_void,
) -> tenon_status {
    status_of(|| B::event_create(index).map(|event| *out = event))
}

unsafe extern "C" fn event_release<B: Backend>(_self: *mut c_void, index: i32, event: *mut c_void) {
    let _ = caught(|| B::event_release(index, event));
}

unsafe extern "C" fn event_record<B: Backend>(
    _self: *mut c_void,
    index: i32,
    event: *mut c_void,
    stream: *mut c_void,
) -> tenon_status {
    status_of(|| B::event_record(index, event, stream))
}

unsafe extern "C" fn event_wait<B: Backend>(
    _self: *mut c_void,
    index: i32,
    event: *mut c_void,
    stream: *mut c_void,
) -> tenon_status {
    status_of(|| B::event_wait(index, event, stream))
}

unsafe extern "C" fn event_query<B: Backend>(
    _self: *mut c_void,
    index: i32,
    event: *mut c_void,
    out: *mut u32,
    diag: *mut tenon_diag,
) -> tenon_status {
    with_words(diag, || {
        B::event_query(index, event).map(|done| *out = done.into())
    })
}

pub const fn backend<B: Backend>() -> tenon_backend_table {
    tenon_backend_table {
        struct_size: size_of::<tenon_backend_table>() as u32,
        flags: B::FLAGS,
        kind: crate::text(B::KIND),
        doc: crate::text(B::DOC),
        device_count: Some(device_count::<B>),
        alloc: Some(alloc::<B>),
        free: Some(free::<B>),
        copy: Some(copy::<B>),
        stream_create: Some(stream_create::<B>),
        stream_release: Some(stream_release::<B>),
        stream_wait: Some(stream_wait::<B>),
        event_create: Some(event_create::<B>),
        event_release: Some(event_release::<B>),
        event_record: Some(event_record::<B>),
        event_wait: Some(event_wait::<B>),
        event_query: Some(event_query::<B>),
    }
}
