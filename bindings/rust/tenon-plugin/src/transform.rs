// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/transform.rs: transforms of batches as a trait.
use crate::describe::{text, NO_VALUE};
use crate::guard::{guard, release_box, Result};
use crate::launch::{slice, Attrs, Element};
use crate::raw::*;
use std::mem::{align_of, size_of};
use std::os::raw::c_void;

/// Replaces one field of a batch by another one, sample by sample. Methods may be called by several
/// threads at once.
pub trait Transform: Sized + Send + Sync + 'static {
    /// "vendor.name"
    const NAME: &'static str;
    const DOC: &'static str;
    const OPTIONS: &'static [tenon_transform_option] = &[];
    /// Fields that are transformed or refused; `tenon verify` tries them.
    const SAMPLES: &'static [tenon_transform_sample];
    /// Only the shape changes: `run` is never called.
    const VIEW: bool = false;
    /// Takes the options, in the order they were described in.
    fn create(options: Attrs) -> Result<Self>;
    /// Shape and dtype of one sample afterwards; refuses what does not fit. What is accepted here
    /// is accepted by `run`.
    fn infer(&self, sample: &tenon_meta) -> Result<tenon_meta>;
    /// Writes all of what becomes of the batch. A sample's result depends on that sample, its
    /// number, seed and epoch alone.
    fn run(&self, batch: &Batch) -> Result;
}

/// One field of a batch, and what becomes of it: row-major, in host memory.
pub struct Batch<'a> {
    /// The samples' numbers in the dataset.
    pub samples: &'a [i64],
    pub seed: u64,
    pub epoch: i64,
    /// [n, ...] of what is given.
    pub from_shape: &'a [i64],
    /// [n, ...] of what it becomes.
    pub to_shape: &'a [i64],
    from: &'a tenon_view,
    to: &'a tenon_view,
}

fn count_of(shape: &[i64]) -> usize {
    shape.iter().product::<i64>() as usize
}

impl Batch<'_> {
    /// The elements given, and those to be written. Panics if one has another dtype, or lies where
    /// no such element can.
    #[allow(clippy::mut_from_ref)] // of memory that this batch alone has
    pub fn elements<F: Element, T: Element>(&self) -> (&[F], &mut [T]) {
        assert_eq!(self.from.dtype, F::DTYPE, "the field has another dtype");
        assert_eq!(self.to.dtype, T::DTYPE, "the result has another dtype");
        let (from, to) = (self.from.data.cast::<F>(), self.to.data.cast::<T>());
        let aligned = from as usize % align_of::<F>() == 0 && to as usize % align_of::<T>() == 0;
        assert!(aligned, "the field is not aligned");
        let written = match count_of(self.to_shape) {
            0 => &mut [],
            n => unsafe { std::slice::from_raw_parts_mut(to, n) },
        };
        (slice(from, count_of(self.from_shape)), written)
    }
}

unsafe extern "C" fn create<X: Transform>(
    call: *mut tenon_call,
    values: *const tenon_value,
    out: *mut *mut c_void,
) -> tenon_status {
    guard(call, || {
        let made = X::create(Attrs::new(values, X::OPTIONS.len() as u32))?;
        *out = Box::into_raw(Box::new(made)).cast();
        Ok(())
    })
}

unsafe extern "C" fn infer<X: Transform>(
    call: *mut tenon_call,
    object: *mut c_void,
    sample: *const tenon_meta,
    out: *mut tenon_meta,
) -> tenon_status {
    guard(call, || {
        *out = (*object.cast::<X>()).infer(&*sample)?;
        Ok(())
    })
}

unsafe extern "C" fn run<X: Transform>(
    call: *mut tenon_call,
    object: *mut c_void,
    batch: *const tenon_batch,
    from: *const tenon_view,
    to: *const tenon_view,
) -> tenon_status {
    guard(call, || {
        let (batch, from, to) = (&*batch, &*from, &*to);
        (*object.cast::<X>()).run(&Batch {
            samples: slice(batch.samples, batch.n as usize),
            seed: batch.seed,
            epoch: batch.epoch,
            from_shape: slice(from.shape, from.rank as usize),
            to_shape: slice(to.shape, to.rank as usize),
            from,
            to,
        })
    })
}

pub const fn transform<X: Transform>() -> tenon_transform_desc {
    tenon_transform_desc {
        struct_size: size_of::<tenon_transform_desc>() as u32,
        flags: if X::VIEW { TENON_TRANSFORM_VIEW } else { 0 },
        name: text(X::NAME),
        doc: text(X::DOC),
        options: X::OPTIONS.as_ptr(),
        samples: X::SAMPLES.as_ptr(),
        n_options: X::OPTIONS.len() as u32,
        n_samples: X::SAMPLES.len() as u32,
        create: Some(create::<X>),
        release: Some(release_box::<X>),
        infer: Some(infer::<X>),
        run: if X::VIEW { None } else { Some(run::<X>) },
    }
}

/// An option that has a value if it is not given.
pub const fn transform_option(
    name: &'static str,
    doc: &'static str,
    initial: tenon_value,
) -> tenon_transform_option {
    tenon_transform_option {
        name: text(name),
        doc: text(doc),
        tag: initial.tag,
        required: 0,
        initial,
    }
}

/// An option that must be given, of type `tag`.
pub const fn required_transform_option(
    name: &'static str,
    doc: &'static str,
    tag: u32,
) -> tenon_transform_option {
    tenon_transform_option {
        name: text(name),
        doc: text(doc),
        tag,
        required: 1,
        initial: NO_VALUE,
    }
}

/// A field that is transformed.
pub const fn transform_sample(field: &'static str) -> tenon_transform_sample {
    transform_refused(field, TENON_OK, "")
}

/// One that is refused with `status` and a message that contains `fragment`.
pub const fn transform_refused(
    field: &'static str,
    status: tenon_status,
    fragment: &'static str,
) -> tenon_transform_sample {
    tenon_transform_sample {
        text: text(field),
        fragment: text(fragment),
        expect: status,
        flags: 0,
    }
}
