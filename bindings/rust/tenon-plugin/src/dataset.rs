// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/dataset.rs: datasets as a trait: length, fields, get, get_batch,
// lengths.
use crate::guard::{guard, release_box, Error, Failure, Result};
use crate::launch::{slice, Attrs, Element};
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
    fn get(&self, _indices: &[i64], _target: &Target) -> Result {
        Err(not_there("`get` is not there, and DRAWS is false"))
    }
    /// Whether there are random numbers in samples: then `get_batch` writes them, and `get` is
    /// never called.
    const DRAWS: bool = false;
    /// As `get`. A sample follows from its number, seed and epoch alone: so it is the same for any
    /// number of workers, and in a run that goes on in the middle of an epoch.
    fn get_batch(&self, _batch: &Samples, _target: &Target) -> Result {
        Err(not_there("DRAWS is true, and `get_batch` is not there"))
    }
    /// Whether `lengths` says how long samples are, so that a loader can put those of similar
    /// length together.
    const SAYS_LENGTHS: bool = false;
    /// How long the samples from `first` on are, as many as `out` holds: the value of the field
    /// "length", `i64` without dimensions, if there is one, and else the first dimension of the
    /// first field that has one. No sample should be read for it.
    fn lengths(&self, _first: i64, _out: &mut [i64]) -> Result {
        Err(not_there(
            "SAYS_LENGTHS is true, and `lengths` is not there",
        ))
    }
}

fn not_there(words: &str) -> Error {
    Failure::new(TENON_E_PLUGIN, words).into()
}

/// The samples of a batch, and what random numbers in them may depend on.
pub struct Samples<'a> {
    /// Their numbers, each in 0 .. length.
    pub numbers: &'a [i64],
    /// Of the loader.
    pub seed: u64,
    pub epoch: i64,
}

impl Samples<'_> {
    /// 64 random bits for the sample at position `row`, the same in every batch: the seed of a
    /// generator that draws more. `purpose` keeps two such generators apart.
    // SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
    // OOPSLA 2014.
    pub fn seed_of(&self, row: usize, purpose: u64) -> u64 {
        let mixed = |number: u64| {
            let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            number ^ (number >> 31)
        };
        let parts = [self.epoch as u64, self.numbers[row] as u64, purpose];
        let start = mixed(self.seed);
        parts
            .iter()
            .fold(start, |bits, part| mixed(bits.wrapping_add(*part)))
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
        write(&*object.cast::<D>(), n, destinations, |dataset, target| {
            dataset.get(slice(indices, n as usize), target)
        })
    })
}

unsafe extern "C" fn get_batch<D: Dataset>(
    call: *mut tenon_call,
    object: *mut c_void,
    batch: *const tenon_batch,
    destinations: *const *mut c_void,
) -> tenon_status {
    guard(call, || {
        let (dataset, batch) = (&*object.cast::<D>(), &*batch);
        write(dataset, batch.n, destinations, |dataset, target| {
            let numbers = slice(batch.samples, batch.n as usize);
            let (seed, epoch) = (batch.seed, batch.epoch);
            let samples = Samples {
                numbers,
                seed,
                epoch,
            };
            dataset.get_batch(&samples, target)
        })
    })
}

/// Lets `get` write n samples.
unsafe fn write<D: Dataset>(
    dataset: &D,
    n: i64,
    destinations: *const *mut c_void,
    get: impl Fn(&D, &Target) -> Result,
) -> Result {
    if n == 0 {
        return Ok(());
    }
    let fields = dataset.fields();
    let target = Target {
        fields: &fields,
        destinations: slice(destinations, fields.len()),
        samples: n as usize,
    };
    get(dataset, &target)
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
        get: if D::DRAWS { None } else { Some(get::<D>) },
        lengths: if D::SAYS_LENGTHS {
            Some(lengths::<D>)
        } else {
            None
        },
        get_batch: if D::DRAWS { Some(get_batch::<D>) } else { None },
    }
}

#[test]
fn seeds_follow_from_seed_epoch_sample_and_purpose() {
    let seed_of = |seed, epoch, number, purpose| {
        let numbers = &[1, number];
        let samples = Samples {
            numbers,
            seed,
            epoch,
        };
        samples.seed_of(1, purpose)
    };
    let mut found = std::collections::HashSet::new();
    for i in 0..10_000_u64 {
        let (seed, epoch, number, purpose) = (i / 1000, i / 100 % 10, i / 10 % 10, i % 10);
        found.insert(seed_of(seed, epoch as i64, number as i64, purpose));
    }
    assert_eq!(found.len(), 10_000);
    assert_eq!(seed_of(3, 2, 1, 0), seed_of(3, 2, 1, 0));
}
