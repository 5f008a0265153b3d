// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/tokenizer.rs: tokenizers as a trait: text as numbers and back.
use crate::describe::{text, NO_VALUE};
use crate::guard::{guard, release_box, Result};
use crate::launch::{slice, Attrs};
use crate::raw::*;
use std::mem::size_of;
use std::os::raw::{c_char, c_void};

/// Tokens are numbers from 0 to `size` - 1. Methods may be called by several threads at once.
pub trait Tokenizer: Sized + Send + Sync + 'static {
    /// "vendor.name"
    const NAME: &'static str;
    const DOC: &'static str;
    /// Of its files' names, separated by spaces; empty: it has no files.
    const ENDINGS: &'static str = "";
    const OPTIONS: &'static [tenon_tokenizer_option] = &[];
    /// Texts that are encoded or refused; `tenon verify` tries them.
    const SAMPLES: &'static [tenon_tokenizer_sample];
    /// `save` gives the bytes of a file of which `create` makes the same again.
    const SAVES: bool = false;
    /// Takes the bytes of its file, which may be anything, and the options, in the order they were
    /// described in.
    fn create(file: Option<&[u8]>, options: Attrs) -> Result<Self>;
    /// What `tokenizer_info(size)` makes, and the special tokens.
    fn info(&self) -> tenon_tokenizer_info;
    /// At most `limit` tokens: what is left out then is at the text's end. The text may be any
    /// bytes. flags: `TENON_TOKENIZER_ADD_SPECIAL`, `READ_SPECIAL`.
    fn encode(&self, text: &[u8], flags: u32, limit: usize) -> Result<Vec<i32>>;
    /// flags: `TENON_TOKENIZER_SKIP_SPECIAL`.
    fn decode(&self, tokens: &[i32], flags: u32) -> Result<Vec<u8>>;
    /// How the vocabulary spells a token, and `TENON_TOKEN_*`.
    fn token(&self, token: i32) -> (Vec<u8>, u32);
    /// The token that is spelt so.
    fn find(&self, spelling: &[u8]) -> Option<i32>;
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Of so many tokens, none of them special.
pub const fn tokenizer_info(size: i64) -> tenon_tokenizer_info {
    tenon_tokenizer_info {
        struct_size: size_of::<tenon_tokenizer_info>() as u32,
        flags: 0,
        size,
        unknown: -1,
        begin: -1,
        end: -1,
        pad: -1,
    }
}

// As much as there is room for; the caller sets the whole length.
unsafe fn give<T: Copy>(items: &[T], out: *mut T, capacity: usize) {
    let count = items.len().min(capacity);
    if count > 0 {
        std::ptr::copy_nonoverlapping(items.as_ptr(), out, count);
    }
}

unsafe extern "C" fn create<X: Tokenizer>(
    call: *mut tenon_call,
    file: *const c_void,
    file_length: u64,
    values: *const tenon_value,
    out: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        let bytes = (!file.is_null()).then(|| slice(file.cast::<u8>(), file_length as usize));
        let made = X::create(bytes, Attrs::new(values, X::OPTIONS.len() as u32))?;
        *out = Box::into_raw(Box::new(made)).cast();
        Ok(())
    })
}

unsafe extern "C" fn info<X: Tokenizer>(
    call: *mut tenon_call,
    object: *mut c_void,
    out: *mut tenon_tokenizer_info,
) -> tenon_status {
    guard(call, || {
        let mut info = (*object.cast::<X>()).info();
        info.struct_size = info.struct_size.min((*out).struct_size);
        let bytes = (&info as *const tenon_tokenizer_info).cast::<u8>();
        std::ptr::copy_nonoverlapping(bytes, out.cast::<u8>(), info.struct_size as usize);
        Ok(())
    })
}

#[allow(clippy::too_many_arguments)] // those of the descriptor
unsafe extern "C" fn encode<X: Tokenizer>(
    call: *mut tenon_call,
    object: *mut c_void,
    words: *const c_char,
    length: u64,
    flags: u32,
    limit: i64,
    tokens: *mut i32,
    capacity: i64,
    out_count: *mut i64,
) -> tenon_status {
    guard(call, || {
        let words = slice(words.cast::<u8>(), length as usize);
        let all = (*object.cast::<X>()).encode(words, flags, limit as usize)?;
        give(&all, tokens, capacity as usize);
        *out_count = all.len() as i64;
        Ok(())
    })
}

#[allow(clippy::too_many_arguments)] // those of the descriptor
unsafe extern "C" fn decode<X: Tokenizer>(
    call: *mut tenon_call,
    object: *mut c_void,
    tokens: *const i32,
    n: i64,
    flags: u32,
    words: *mut c_char,
    capacity: u64,
    out_length: *mut u64,
) -> tenon_status {
    guard(call, || {
        let all = (*object.cast::<X>()).decode(slice(tokens, n as usize), flags)?;
        give(&all, words.cast::<u8>(), capacity as usize);
        *out_length = all.len() as u64;
        Ok(())
    })
}

unsafe extern "C" fn token<X: Tokenizer>(
    call: *mut tenon_call,
    object: *mut c_void,
    token: i32,
    spelling: *mut c_char,
    capacity: u64,
    out_length: *mut u64,
    out_flags: *mut u32,
) -> tenon_status {
    guard(call, || {
        let (all, flags) = (*object.cast::<X>()).token(token);
        give(&all, spelling.cast::<u8>(), capacity as usize);
        *out_length = all.len() as u64;
        *out_flags = flags;
        Ok(())
    })
}

unsafe extern "C" fn find<X: Tokenizer>(
    call: *mut tenon_call,
    object: *mut c_void,
    spelling: *const c_char,
    length: u64,
    out_token: *mut i32,
) -> tenon_status {
    guard(call, || {
        let spelling = slice(spelling.cast::<u8>(), length as usize);
        *out_token = (*object.cast::<X>()).find(spelling).unwrap_or(-1);
        Ok(())
    })
}

unsafe extern "C" fn save<X: Tokenizer>(
    call: *mut tenon_call,
    object: *mut c_void,
    file: *mut c_void,
    capacity: u64,
    out_length: *mut u64,
) -> tenon_status {
    guard(call, || {
        let all = (*object.cast::<X>()).save();
        give(&all, file.cast::<u8>(), capacity as usize);
        *out_length = all.len() as u64;
        Ok(())
    })
}

pub const fn tokenizer<X: Tokenizer>() -> tenon_tokenizer_desc {
    tenon_tokenizer_desc {
        struct_size: size_of::<tenon_tokenizer_desc>() as u32,
        flags: 0,
        name: text(X::NAME),
        doc: text(X::DOC),
        endings: text(X::ENDINGS),
        options: X::OPTIONS.as_ptr(),
        samples: X::SAMPLES.as_ptr(),
        n_options: X::OPTIONS.len() as u32,
        n_samples: X::SAMPLES.len() as u32,
        create: Some(create::<X>),
        release: Some(release_box::<X>),
        info: Some(info::<X>),
        encode: Some(encode::<X>),
        decode: Some(decode::<X>),
        token: Some(token::<X>),
        find: Some(find::<X>),
        save: if X::SAVES { Some(save::<X>) } else { None },
    }
}

/// An option that has a value if it is not given.
pub const fn tokenizer_option(
    name: &'static str,
    doc: &'static str,
    initial: tenon_value,
) -> tenon_tokenizer_option {
    tenon_tokenizer_option {
        name: text(name),
        doc: text(doc),
        tag: initial.tag,
        required: 0,
        initial,
    }
}

/// An option that must be given, of type `tag`.
pub const fn required_tokenizer_option(
    name: &'static str,
    doc: &'static str,
    tag: u32,
) -> tenon_tokenizer_option {
    tenon_tokenizer_option {
        name: text(name),
        doc: text(doc),
        tag,
        required: 1,
        initial: NO_VALUE,
    }
}

/// A text without a file, by the options after a sample's '|', and its tokens, "1 0 3".
pub const fn tokenizer_sample(
    options: &'static str,
    words: &'static str,
    tokens: &'static str,
) -> tenon_tokenizer_sample {
    tenon_tokenizer_sample {
        tokens: text(tokens),
        ..tokenizer_refused(options, words, TENON_OK, "")
    }
}

/// One that is refused with `status` and a message that contains `fragment`.
pub const fn tokenizer_refused(
    options: &'static str,
    words: &'static str,
    status: tenon_status,
    fragment: &'static str,
) -> tenon_tokenizer_sample {
    const NO_FILE: tenon_string = tenon_string {
        data: std::ptr::null(),
        length: 0,
    };
    tenon_tokenizer_sample {
        options: text(options),
        file: NO_FILE,
        text: text(words),
        tokens: text(""),
        fragment: text(fragment),
        expect: status,
        flags: 0,
    }
}
