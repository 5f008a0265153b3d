// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/tokenizer.rs: texts as tokens and back.

use crate::context::state;
use crate::error::Result;
use crate::objects::{bytes_of, text_of, Owned};
use crate::runtime::string;
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{OptionLists, Value};
use std::ptr::{null, null_mut};

/// How a text is encoded; the default is without special tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct EncodeOptions {
    /// beginning and end, as the tokenizer has them
    pub add_special: bool,
    /// spellings of special tokens in the text stand for these
    pub read_special: bool,
    /// the most tokens; the text's end is left out then. 0: no limit
    pub limit: i64,
}

/// How texts are encoded together.
#[derive(Clone, Copy, Debug, Default)]
pub struct EncodeBatch {
    pub each: EncodeOptions,
    /// fills rows up; none: the tokenizer's own
    pub pad: Option<i64>,
    pub pad_left: bool,
    pub pad_to_limit: bool,
}

fn flag(on: bool, bits: u32) -> u32 {
    if on {
        bits
    } else {
        0
    }
}
fn flags_of(options: &EncodeOptions) -> u32 {
    flag(options.add_special, sys::TENON_TOKENIZER_ADD_SPECIAL)
        | flag(options.read_special, sys::TENON_TOKENIZER_READ_SPECIAL)
}

/// A tokenizer of the registry.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let bytes = tenon::Tokenizer::new("tenon.bytes", &[], None)?;
/// assert_eq!(bytes.encode("Az", Default::default())?.to_vec::<i64>()?, [65, 122]);
/// # Ok(())
/// # }
/// ```
pub struct Tokenizer(Owned<sys::tenon_tokenizer>);

impl Tokenizer {
    /// By its name, of the bytes of its file if it has one.
    pub fn new(name: &str, options: &[(&str, Value)], file: Option<&[u8]>) -> Result<Tokenizer> {
        let (state, lists, text) = (state()?, OptionLists::of(options), string(name));
        let (names, values, n) = (lists.names.as_ptr(), lists.values.as_ptr(), lists.len());
        let bytes = file.map_or(null(), |bytes| bytes.as_ptr().cast());
        let (size, mut made) = (file.map_or(0, <[u8]>::len) as u64, null_mut());
        state.check(unsafe {
            let (context, data) = (state.handle, text.data);
            sys::tenon_tokenizer_create(
                context,
                data,
                text.length,
                bytes,
                size,
                names,
                values,
                n,
                &mut made,
            )
        })?;
        Ok(Tokenizer(unsafe { Owned::adopt(made) }))
    }
    /// That of a file, by the ending of its name.
    pub fn load(path: &str, options: &[(&str, Value)]) -> Result<Tokenizer> {
        let (state, lists, text) = (state()?, OptionLists::of(options), string(path));
        let (names, values, n) = (lists.names.as_ptr(), lists.values.as_ptr(), lists.len());
        let mut made = null_mut();
        state.check(unsafe {
            let (context, data) = (state.handle, text.data);
            sys::tenon_tokenizer_load(
                context,
                data,
                text.length,
                null(),
                0,
                names,
                values,
                n,
                &mut made,
            )
        })?;
        Ok(Tokenizer(unsafe { Owned::adopt(made) }))
    }
    pub fn save(&self, path: &str) -> Result<()> {
        let (state, text) = (state()?, string(path));
        state.check(unsafe {
            sys::tenon_tokenizer_save(state.handle, self.0.get(), text.data, text.length)
        })
    }

    /// `i64[n]`
    pub fn encode(&self, text: &str, options: EncodeOptions) -> Result<Tensor> {
        let (flags, limit, text) = (flags_of(&options), options.limit, string(text));
        Tensor::made_by(|state, out| unsafe {
            let (context, tokenizer) = (state.handle, self.0.get());
            sys::tenon_tokenizer_call(
                context,
                tokenizer,
                text.data,
                text.length,
                flags,
                limit,
                out,
            )
        })
    }
    /// Tokens `i64[n, T]` and mask `bool[n, T]`, true for tokens of the text.
    pub fn encode_batch(&self, texts: &[&str], options: EncodeBatch) -> Result<(Tensor, Tensor)> {
        let (state, limit) = (state()?, options.each.limit);
        let strings: Vec<_> = texts.iter().map(|text| string(text)).collect();
        let flags = flags_of(&options.each)
            | flag(options.pad_left, sys::TENON_TOKENIZER_PAD_LEFT)
            | flag(options.pad_to_limit, sys::TENON_TOKENIZER_PAD_TO_LIMIT);
        let (list, n, pad) = (
            strings.as_ptr(),
            strings.len() as u32,
            options.pad.unwrap_or(-1),
        );
        let (mut tokens, mut mask) = (null_mut(), null_mut());
        state.check(unsafe {
            let (context, tokenizer) = (state.handle, self.0.get());
            sys::tenon_tokenizer_call_batch(
                context,
                tokenizer,
                list,
                n,
                flags,
                limit,
                pad,
                &mut tokens,
                &mut mask,
            )
        })?;
        Ok(unsafe { (Tensor::adopt(tokens), Tensor::adopt(mask)) })
    }
    /// The text of tokens `[n]`; it need not be UTF-8, since a token may be a part of a character.
    pub fn decode(&self, tokens: &Tensor, skip_special: bool) -> Result<Vec<u8>> {
        let (state, mut text) = (state()?, null_mut());
        let flags = flag(skip_special, sys::TENON_TOKENIZER_SKIP_SPECIAL);
        let (tokenizer, tensor) = (self.0.get(), tokens.handle());
        state.check(unsafe {
            sys::tenon_tokenizer_get_text(state.handle, tokenizer, tensor, flags, &mut text)
        })?;
        Ok(bytes_of(text))
    }

    /// How many tokens there are, and which of them are special.
    pub fn info(&self) -> Result<sys::tenon_tokenizer_info> {
        let state = state()?;
        let mut info: sys::tenon_tokenizer_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::tenon_tokenizer_info>() as u32;
        state.check(unsafe {
            sys::tenon_tokenizer_get_info(state.handle, self.0.get(), &mut info)
        })?;
        Ok(info)
    }
    /// How a token is spelt.
    pub fn token(&self, number: i64) -> Result<String> {
        let (state, mut text) = (state()?, null_mut());
        state.check(unsafe {
            let (context, tokenizer) = (state.handle, self.0.get());
            sys::tenon_tokenizer_get_token(context, tokenizer, number, &mut text, null_mut())
        })?;
        Ok(text_of(text))
    }
    pub fn find(&self, spelling: &str) -> Result<i64> {
        let (state, text, mut found) = (state()?, string(spelling), 0);
        state.check(unsafe {
            let (context, tokenizer) = (state.handle, self.0.get());
            sys::tenon_tokenizer_find_token(context, tokenizer, text.data, text.length, &mut found)
        })?;
        Ok(found)
    }
    pub fn handle(&self) -> *mut sys::tenon_tokenizer {
        self.0.get()
    }
}
