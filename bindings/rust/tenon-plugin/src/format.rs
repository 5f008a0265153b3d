// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/format.rs: formats of files as a trait: which tensors are where.
use crate::describe::text;
use crate::guard::{guard, release_box, Failure, Result};
use crate::launch::slice;
use crate::raw::*;
use std::mem::size_of;
use std::os::raw::c_void;

/// What a file says of itself. Packed tensors and checksums need the descriptor of `raw`.
pub trait Format: Sized + Send + Sync + 'static {
    /// "vendor.name"
    const NAME: &'static str;
    const DOC: &'static str;
    /// Of file names, separated by spaces.
    const ENDINGS: &'static str;
    /// Reads what the file says of itself; the bytes may be anything. `TENON_E_DATA` if malformed.
    /// That each tensor lies in the file is checked afterwards.
    fn read(bytes: &[u8]) -> Result<Self>;
    fn entries(&self) -> &[Entry];
    fn metadata(&self) -> &[(String, String)] {
        &[]
    }
    /// The pieces of a new file, in order. Refuses what the format cannot hold,
    /// `TENON_E_UNSUPPORTED`.
    fn layout(content: &Content) -> Result<Vec<Piece>>;
}

/// One tensor of a file, row-major.
pub struct Entry {
    pub name: String,
    pub dtype: tenon_dtype,
    pub shape: Vec<i64>,
    /// Of its first byte in the file.
    pub offset: u64,
}

/// The next bytes of a file.
pub enum Piece {
    Bytes(Vec<u8>),
    /// The bytes of an entry, row-major, in this machine's order.
    Tensor(u32),
}

/// What is to be written.
#[derive(Clone, Copy)]
pub struct Content<'a>(&'a tenon_format_content);

fn words(text: &tenon_string) -> String {
    let bytes = slice(text.data.cast::<u8>(), text.length as usize);
    String::from_utf8_lossy(bytes).into_owned()
}

impl<'a> Content<'a> {
    /// Names, shapes and dtypes; names are unique.
    pub fn entries(&self) -> &'a [tenon_format_entry] {
        slice(self.0.entries, self.0.n_entries as usize)
    }
    pub fn name(&self, index: usize) -> String {
        words(&self.entries()[index].name)
    }
    pub fn metadata(&self) -> Vec<(String, String)> {
        slice(self.0.metadata, self.0.n_metadata as usize)
            .iter()
            .map(|pair| (words(&pair.key), words(&pair.value)))
            .collect()
    }
}

/// The entry as the host takes it, if it lies in a file of `length` bytes.
fn placed(entry: &Entry, length: u64) -> Result<tenon_format_entry> {
    let lost = |words: &str| Failure::new(TENON_E_DATA, words).operand(&entry.name);
    let mut shape = [0; TENON_MAX_RANK as usize];
    if entry.shape.len() > shape.len() {
        let found = entry.shape.len().to_string();
        return Err(lost("too many dimensions")
            .expected("at most 8")
            .found(found)
            .into());
    }
    shape[..entry.shape.len()].copy_from_slice(&entry.shape);
    let size = u64::from(entry.dtype >> 8 & 0xff) / 8;
    let bytes = entry.shape.iter().try_fold(size, |bytes, extent| {
        bytes.checked_mul(u64::try_from(*extent).ok()?)
    });
    let end = bytes.and_then(|bytes| bytes.checked_add(entry.offset));
    match (bytes, end) {
        (Some(bytes), Some(end)) if end <= length => Ok(tenon_format_entry {
            name: tenon_string {
                data: entry.name.as_ptr().cast(),
                length: entry.name.len() as u64,
            },
            meta: tenon_meta {
                shape,
                rank: entry.shape.len() as i32,
                dtype: entry.dtype,
                device: tenon_device { kind: 0, index: 0 },
            },
            offset: entry.offset,
            bytes,
            flags: 0,
            reserved: 0,
        }),
        _ => Err(lost("the tensor does not lie in the file")
            .expected(format!("at most {length} bytes"))
            .found(format!("{:?} from byte {}", entry.shape, entry.offset))
            .into()),
    }
}

struct Opened<F> {
    file: F,
    length: u64,
}

unsafe extern "C" fn read<F: Format>(
    call: *mut tenon_call,
    bytes: *const c_void,
    length: u64,
    out: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        let file = F::read(slice(bytes.cast::<u8>(), length as usize))?;
        for entry in file.entries() {
            placed(entry, length)?;
        }
        *out = Box::into_raw(Box::new(Opened { file, length })).cast();
        Ok(())
    })
}

unsafe extern "C" fn count<F: Format>(
    call: *mut tenon_call,
    object: *mut c_void,
    out_entries: *mut u32,
    out_metadata: *mut u32,
) -> tenon_status {
    guard(call, || {
        let file = &(*object.cast::<Opened<F>>()).file;
        *out_entries = file.entries().len() as u32;
        *out_metadata = file.metadata().len() as u32;
        Ok(())
    })
}

unsafe extern "C" fn entry<F: Format>(
    call: *mut tenon_call,
    object: *mut c_void,
    index: u32,
    out: *mut tenon_format_entry,
) -> tenon_status {
    guard(call, || {
        let opened = &*object.cast::<Opened<F>>();
        *out = placed(&opened.file.entries()[index as usize], opened.length)?;
        Ok(())
    })
}

unsafe extern "C" fn metadata<F: Format>(
    call: *mut tenon_call,
    object: *mut c_void,
    index: u32,
    out: *mut tenon_format_pair,
) -> tenon_status {
    guard(call, || {
        let (key, value) = &(*object.cast::<Opened<F>>()).file.metadata()[index as usize];
        let borrowed = |text: &String| tenon_string {
            data: text.as_ptr().cast(),
            length: text.len() as u64,
        };
        *out = tenon_format_pair {
            key: borrowed(key),
            value: borrowed(value),
        };
        Ok(())
    })
}

struct Pieces {
    pieces: Vec<Piece>,
    next: usize,
}

unsafe extern "C" fn layout<F: Format>(
    call: *mut tenon_call,
    content: *const tenon_format_content,
    out: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        let pieces = F::layout(&Content(&*content))?;
        *out = Box::into_raw(Box::new(Pieces { pieces, next: 0 })).cast();
        Ok(())
    })
}

unsafe extern "C" fn piece(
    call: *mut tenon_call,
    layout: *mut c_void,
    out: *mut tenon_format_piece,
) -> tenon_status {
    guard(call, || {
        let layout = &mut *layout.cast::<Pieces>();
        let found = layout.pieces.get(layout.next);
        layout.next += 1;
        let (bytes, kind, entry) = match found {
            Some(Piece::Bytes(bytes)) => (bytes.as_slice(), TENON_PIECE_BYTES, 0),
            Some(Piece::Tensor(entry)) => (&[][..], TENON_PIECE_TENSOR, *entry),
            None => (&[][..], TENON_PIECE_END, 0),
        };
        *out = tenon_format_piece {
            bytes: bytes.as_ptr().cast(),
            length: bytes.len() as u64,
            kind,
            entry,
        };
        Ok(())
    })
}

pub const fn format<F: Format>() -> tenon_format_desc {
    tenon_format_desc {
        struct_size: size_of::<tenon_format_desc>() as u32,
        flags: 0,
        name: text(F::NAME),
        doc: text(F::DOC),
        endings: text(F::ENDINGS),
        read: Some(read::<F>),
        release: Some(release_box::<Opened<F>>),
        count: Some(count::<F>),
        entry: Some(entry::<F>),
        metadata: Some(metadata::<F>),
        unpack: None,
        layout: Some(layout::<F>),
        piece: Some(piece),
        written: None,
        release_layout: Some(release_box::<Pieces>),
        foreign: None,
    }
}
