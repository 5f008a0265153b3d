// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/objects.rs: owners of what the C API makes, each with its release.

use crate::sys;

/// An object of the C API, given back by the release of its kind: legal on any thread.
pub(crate) trait Object {
    unsafe fn release(handle: *mut Self);
}

macro_rules! objects {
    ($($object:ident: $release:ident,)*) => {
        $(impl Object for sys::$object {
            unsafe fn release(handle: *mut Self) { sys::$release(handle) }
        })*
    };
}
objects! {
    tenon_archive: tenon_archive_release,
    tenon_checkpoint: tenon_checkpoint_release,
    tenon_context: tenon_context_release,
    tenon_data_parallel: tenon_data_parallel_release,
    tenon_dataset: tenon_dataset_release,
    tenon_group: tenon_group_release,
    tenon_history: tenon_history_release,
    tenon_layer: tenon_layer_release,
    tenon_loader: tenon_loader_release,
    tenon_optimizer: tenon_optimizer_release,
    tenon_plan: tenon_plan_release,
    tenon_progress: tenon_progress_release,
    tenon_runtime: tenon_runtime_release,
    tenon_schedule: tenon_schedule_release,
    tenon_tensor: tenon_tensor_release,
    tenon_text: tenon_text_release,
    tenon_tokenizer: tenon_tokenizer_release,
    tenon_transfer: tenon_transfer_release,
    tenon_transform: tenon_transform_release,
}

/// Its only owner. A pointer in it keeps it in its thread.
#[repr(transparent)]
pub(crate) struct Owned<T: Object>(*mut T);

impl<T: Object> Owned<T> {
    /// Takes over a handle that its caller owns.
    pub(crate) unsafe fn adopt(handle: *mut T) -> Self {
        Owned(handle)
    }
    #[inline]
    pub(crate) fn get(&self) -> *mut T {
        self.0
    }
    pub(crate) fn release(self) -> *mut T {
        let handle = self.0;
        std::mem::forget(self);
        handle
    }
}

impl<T: Object> Drop for Owned<T> {
    #[inline]
    fn drop(&mut self) {
        unsafe { T::release(self.0) }
    }
}

/// A text of the library, which is taken over. It need not be UTF-8.
pub(crate) fn bytes_of(text: *mut sys::tenon_text) -> Vec<u8> {
    let owned = unsafe { Owned::adopt(text) };
    let (mut data, mut length) = (std::ptr::null(), 0);
    let status = unsafe { sys::tenon_text_get(owned.get(), &mut data, &mut length) };
    if status != sys::TENON_OK || length == 0 {
        return Vec::new();
    }
    unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length as usize) }.to_vec()
}

pub(crate) fn text_of(text: *mut sys::tenon_text) -> String {
    String::from_utf8_lossy(&bytes_of(text)).into_owned()
}

/// A borrowed string of the library, empty for NULL.
pub(crate) unsafe fn string_of(text: *const std::os::raw::c_char) -> String {
    match text.is_null() {
        true => String::new(),
        false => std::ffi::CStr::from_ptr(text)
            .to_string_lossy()
            .into_owned(),
    }
}
