// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/dataset.rs: datasets as a trait: length, fields, get, lengths.
use crate::guard::{guard, release_box, Failure, Result};
use crate::launch::{Attrs, Element};
use crate::raw::*;
use std::mem::size_of;
use std::os::raw::c_void;

/// One field of a sample.
pub struct Field {
    pub name: &'static str,
    pub dtype: tenon_dtype,
    /// Of one sample.
    pub shape: Vec<i64>,
}

/// A dataset. Methods may be called by several threads at once.
pub trait Dataset: Sized + Send + Sync + 'static {
    /// "vendor.name"
    const NAME: &'static str;
    const DOC: &'static str;
    const OPTIONS: &'static [tenon_dataset_option];
    /// Opens it; `options` in the order they were described in, absent ones not `given`.
    fn create(options: Attrs) -> Result<Self>;
    fn length(&self) -> i64;
    fn fields(&self) -> Vec<Field>;
    /// Writes the samples `indices` one after the other, field by field. The host has checked
    /// that each index is in 0 .. length.
    fn get(&self, indices: &[i64], target: &Target) -> Result;
    /// Whether `lengths` says how long samples are, so that a loader can put those of similar
    /// length together.
    const SAYS_LENGTHS: bool = false;
    /// How long the samples from `first` on are, as many as `out` holds: the value of the field
    /// "length", `i64` without dimensions, if there is one, and else the first dimension of the
    /// first field that has one. No sample should be read for it.
    fn lengths(&self, _first: i64, _out: &mut [i64]) -> Result {
        let words = "SAYS_LENGTHS is true, and `lengths` is not there";
        Err(Failure::new(TENON_E_PLUGIN, words).into())
    }
}

/// Where `get` writes to.
pub struct Target<'a> {
    fields: &'a [Field],
    destinations: &'a [*mut c_void],
    samples: usize,
}

impl Target<'_> {
    /// Writes `values` of the sample at position `row` of the batch.
    pub fn write<T: Element>(&self, field: usize, row: usize, values: &[T]) {
        let described = &self.fields[field];
        let size = described.shape.iter().product::<i64>() as usize;
        assert_eq!(
            described.dtype,
            T::DTYPE,
            "field {} has another dtype",
            described.name
        );
        assert_eq!(
            values.len(),
            size,
            "values of one sample of field {}",
            described.name
        );
        assert!(row < self.samples, "the batch has {} samples", self.samples);
        let data = self.destinations[field].cast::<T>();
        unsafe {
            data.add(row * size)
                .copy_from_nonoverlapping(values.as_ptr(), size)
        };
    }
}

unsafe extern "C" fn create<D: Dataset>(
    call: *mut tenon_call,
    values: *const tenon_value,
    out: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        let dataset = D::create(Attrs::new(values, D::OPTIONS.len() as u32))?;
        *out = Box::into_raw(Box::new(dataset)).cast();
        Ok(())
    })
}

unsafe extern "C" fn length<D: Dataset>(
    call: *mut tenon_call,
    object: *mut c_void,
    out: *mut i64,
) -> tenon_status {
    guard(call, || {
        *out = (*object.cast::<D>()).length();
        Ok(())
    })
}

unsafe extern "C" fn fields<D: Dataset>(
    call: *mut tenon_call,
    object: *mut c_void,
    out: *mut tenon_dataset_field,
    capacity: u32,
    out_count: *mut u32,
) -> tenon_status {
    guard(call, || {
        let fields = (*object.cast::<D>()).fields();
        *out_count = fields.len() as u32;
        for (k, field) in fields.iter().take(capacity as usize).enumerate() {
            *out.add(k) = described(field)?;
        }
        Ok(())
    })
}

fn described(field: &Field) -> Result<tenon_dataset_field> {
    let mut shape = [0; TENON_MAX_RANK as usize];
    if field.shape.len() > shape.len() {
        let words = format!("field {} has {} dimensions", field.name, field.shape.len());
        return Err(Failure::new(TENON_E_SHAPE, words)
            .expected("at most 8")
            .into());
    }
    shape[..field.shape.len()].copy_from_slice(&field.shape);
    let sample = tenon_meta {
        shape,
        rank: field.shape.len() as i32,
        dtype: field.dtype,
        device: tenon_device { kind: 0, index: 0 },
    };
    Ok(tenon_dataset_field {
        name: crate::text(field.name),
        sample,
    })
}

unsafe extern "C" fn get<D: Dataset>(
    call: *mut tenon_call,
    object: *mut c_void,
    indices: *const i64,
    n: i64,
    destinations: *const *mut c_void,
) -> tenon_status {
    guard(call, || {
        if n == 0 {
            return Ok(());
        }
        let dataset = &*object.cast::<D>();
        let fields = dataset.fields();
        let samples = n as usize;
        let destinations = std::slice::from_raw_parts(destinations, fields.len());
        let target = Target {
            fields: &fields,
            destinations,
            samples,
        };
        dataset.get(std::slice::from_raw_parts(indices, samples), &target)
    })
}

unsafe extern "C" fn lengths<D: Dataset>(
    call: *mut tenon_call,
    object: *mut c_void,
    first: i64,
    count: i64,
    out: *mut i64,
) -> tenon_status {
    guard(call, || {
        if count == 0 {
            return Ok(());
        }
        let out = std::slice::from_raw_parts_mut(out, count as usize);
        (*object.cast::<D>()).lengths(first, out)
    })
}

pub const fn dataset<D: Dataset>() -> tenon_dataset_desc {
    tenon_dataset_desc {
        struct_size: size_of::<tenon_dataset_desc>() as u32,
        flags: 0,
        name: crate::text(D::NAME),
        doc: crate::text(D::DOC),
        options: D::OPTIONS.as_ptr(),
        n_options: D::OPTIONS.len() as u32,
        reserved: 0,
        create: Some(create::<D>),
        release: Some(release_box::<D>),
        length: Some(length::<D>),
        fields: Some(fields::<D>),
        get: Some(get::<D>),
        lengths: if D::SAYS_LENGTHS {
            Some(lengths::<D>)
        } else {
            None
        },
    }
}
