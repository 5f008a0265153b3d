// SPDX-License-Identifier: Apache-2.0
// tests/stranger/rust/single.rs: the format acme.single: one tensor of f32 or f64 in a file.
//
//   bytes 0-7 "ACMEONE1", 8-11 the dtype, 12-15 the rank, then 8 bytes for each dimension, then the
//   elements row by row; numbers as this machine stores them
use std::mem::size_of;
use std::os::raw::c_void;
use tenon_plugin::raw::*;
use tenon_plugin::*;

const MAGIC: &[u8] = b"ACMEONE1";
const HEAD: usize = 16;

fn can_hold(dtype: tenon_dtype) -> bool {
    FLOATS.contains(&dtype)
}

fn refused(status: tenon_status, words: &str, expected: &str) -> Error {
    Failure::new(status, words).expected(expected).into()
}

// ---- Reading ------------------------------------------------------------------------------------

// Nothing in the bytes is believed before it was compared with their number.
fn described(bytes: &[u8]) -> Result<tenon_format_entry> {
    let u32_at = |place: usize| u32::from_ne_bytes(bytes[place..place + 4].try_into().unwrap());
    let i64_at = |place: usize| i64::from_ne_bytes(bytes[place..place + 8].try_into().unwrap());
    if bytes.len() < HEAD || &bytes[..8] != MAGIC {
        return Err(refused(
            TENON_E_DATA,
            "it is not a file of acme.single",
            "ACMEONE1",
        ));
    }
    let (dtype, rank) = (u32_at(8), u32_at(12) as usize);
    if !can_hold(dtype) {
        return Err(refused(TENON_E_DATA, "unknown dtype", "f32 or f64"));
    }
    if rank > TENON_MAX_RANK as usize || bytes.len() - HEAD < rank * 8 {
        return Err(refused(
            TENON_E_DATA,
            "the shape is not whole",
            "at most 8 dimensions",
        ));
    }
    let mut shape = [0; TENON_MAX_RANK as usize];
    let mut size = Some(u64::from(dtype >> 8 & 0xff) / 8);
    for (d, extent) in shape.iter_mut().take(rank).enumerate() {
        *extent = i64_at(HEAD + 8 * d);
        let extent = u64::try_from(*extent).ok();
        size = size
            .zip(extent)
            .and_then(|(size, extent)| size.checked_mul(extent));
    }
    let offset = HEAD + 8 * rank;
    if size != Some((bytes.len() - offset) as u64) {
        let words = "the file has another length than its shape says";
        return Err(refused(TENON_E_DATA, words, ""));
    }
    Ok(tenon_format_entry {
        name: text("tensor"),
        meta: tenon_meta {
            shape,
            rank: rank as i32,
            dtype,
            device: tenon_device { kind: 0, index: 0 },
        },
        offset: offset as u64,
        bytes: (bytes.len() - offset) as u64,
        flags: 0,
        reserved: 0,
    })
}

unsafe extern "C" fn read(
    call: *mut tenon_call,
    bytes: *const c_void,
    length: u64,
    out_object: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        let bytes = match length {
            0 => &[],
            _ => std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize),
        };
        *out_object = Box::into_raw(Box::new(described(bytes)?)).cast();
        Ok(())
    })
}

unsafe extern "C" fn release(object: *mut c_void) {
    drop(Box::from_raw(object.cast::<tenon_format_entry>()));
}

unsafe extern "C" fn count(
    _call: *mut tenon_call,
    _object: *mut c_void,
    out_entries: *mut u32,
    out_metadata: *mut u32,
) -> tenon_status {
    *out_entries = 1;
    *out_metadata = 0;
    TENON_OK
}

unsafe extern "C" fn entry(
    _call: *mut tenon_call,
    object: *mut c_void,
    _index: u32,
    out_entry: *mut tenon_format_entry,
) -> tenon_status {
    *out_entry = *object.cast::<tenon_format_entry>();
    TENON_OK
}

unsafe extern "C" fn metadata(
    call: *mut tenon_call,
    _object: *mut c_void,
    _index: u32,
    _out_pair: *mut tenon_format_pair,
) -> tenon_status {
    guard(call, || {
        Err(refused(TENON_E_NOT_FOUND, "there is no metadata", ""))
    })
}

// ---- Writing ------------------------------------------------------------------------------------

struct Pieces {
    head: Vec<u8>,
    next: u32,
}

unsafe extern "C" fn layout(
    call: *mut tenon_call,
    content: *const tenon_format_content,
    out_layout: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        let content = &*content;
        let cannot = |words, expected| Err(refused(TENON_E_UNSUPPORTED, words, expected));
        if content.n_entries != 1 {
            return cannot("a file of acme.single holds one tensor", "1 tensor");
        }
        if content.n_metadata != 0 {
            return cannot("a file of acme.single has no metadata", "no key");
        }
        let meta = &(*content.entries).meta;
        if !can_hold(meta.dtype) {
            return cannot("acme.single cannot hold this dtype", "f32 or f64");
        }
        let mut head = MAGIC.to_vec();
        head.extend(meta.dtype.to_ne_bytes());
        head.extend(meta.rank.to_ne_bytes());
        for extent in &meta.shape[..meta.rank as usize] {
            head.extend(extent.to_ne_bytes());
        }
        *out_layout = Box::into_raw(Box::new(Pieces { head, next: 0 })).cast();
        Ok(())
    })
}

unsafe extern "C" fn piece(
    _call: *mut tenon_call,
    layout: *mut c_void,
    out_piece: *mut tenon_format_piece,
) -> tenon_status {
    let pieces = &mut *layout.cast::<Pieces>();
    *out_piece = tenon_format_piece {
        bytes: pieces.head.as_ptr().cast(),
        length: pieces.head.len() as u64,
        kind: [TENON_PIECE_BYTES, TENON_PIECE_TENSOR, TENON_PIECE_END][pieces.next as usize],
        entry: 0,
    };
    pieces.next += 1;
    TENON_OK
}

unsafe extern "C" fn release_layout(layout: *mut c_void) {
    drop(Box::from_raw(layout.cast::<Pieces>()));
}

pub const UNIT: Unit = Unit {
    formats: &[tenon_format_desc {
        struct_size: size_of::<tenon_format_desc>() as u32,
        flags: 0,
        name: text("acme.single"),
        doc: text("One tensor of f32 or f64, behind a head of 16 bytes and its shape."),
        endings: text(".acme"),
        read: Some(read),
        release: Some(release),
        count: Some(count),
        entry: Some(entry),
        metadata: Some(metadata),
        unpack: None,
        layout: Some(layout),
        piece: Some(piece),
        written: None,
        release_layout: Some(release_layout),
    }],
    ..Unit::EMPTY
};
