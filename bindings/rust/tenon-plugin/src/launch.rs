// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/launch.rs: operands as checked views, kernels over strided memory.
use crate::guard::{caught, check, guard, slot, Failure, Result};
use crate::raw::*;
use std::ops::Deref;
use std::os::raw::c_void;
use std::sync::Mutex;

/// A Rust type that stores the elements of a dtype.
pub trait Element: Copy + Default + Send + Sync + 'static {
    const DTYPE: tenon_dtype;
}
macro_rules! elements {
    ($($type:ty => $dtype:expr),*) => { $(impl Element for $type { const DTYPE: u32 = $dtype; })* };
}
elements!(u8 => TENON_DTYPE_U8, i8 => TENON_DTYPE_I8, i16 => TENON_DTYPE_I16,
          i32 => TENON_DTYPE_I32, i64 => TENON_DTYPE_I64, f32 => TENON_DTYPE_F32,
          f64 => TENON_DTYPE_F64);

pub(crate) fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // The host promises `count` entries in every list of its blocks.
        _ => unsafe { std::slice::from_raw_parts(data, count) },
    }
}

// ---- Attributes ---------------------------------------------------------------------------------

/// Attributes by position. Asking for one that is absent, or of another kind, panics.
#[derive(Clone, Copy)]
pub struct Attrs<'a>(&'a [tenon_value]);

impl<'a> Attrs<'a> {
    pub(crate) fn new(values: *const tenon_value, count: u32) -> Attrs<'a> {
        Attrs(slice(values, count as usize))
    }
    pub fn given(&self, index: usize) -> bool {
        self.0
            .get(index)
            .map_or(false, |value| value.tag != TENON_VALUE_NONE)
    }
    fn tagged(&self, index: usize, tags: &[u32]) -> &'a tenon_value {
        let value = &self.0[index];
        assert!(
            tags.contains(&value.tag),
            "attribute {index} has tag {}",
            value.tag
        );
        value
    }
    pub fn integer(&self, index: usize) -> i64 {
        unsafe {
            self.tagged(index, &[TENON_VALUE_I64, TENON_VALUE_BOOL])
                .as_
                .i64
        }
    }
    /// Is it an integer, or a bool, rather than a float?
    pub fn is_integer(&self, index: usize) -> bool {
        matches!(self.0[index].tag, TENON_VALUE_I64 | TENON_VALUE_BOOL)
    }
    pub fn flag(&self, index: usize) -> bool {
        unsafe { self.tagged(index, &[TENON_VALUE_BOOL]).as_.i64 != 0 }
    }
    /// A float, or a number of any kind as one.
    pub fn real(&self, index: usize) -> f64 {
        let value = self.tagged(index, &[TENON_VALUE_F64, TENON_VALUE_I64, TENON_VALUE_BOOL]);
        match value.tag {
            TENON_VALUE_F64 => unsafe { value.as_.f64 },
            _ => unsafe { value.as_.i64 as f64 },
        }
    }
    pub fn dtype(&self, index: usize) -> tenon_dtype {
        unsafe { self.tagged(index, &[TENON_VALUE_DTYPE]).as_.dtype as tenon_dtype }
    }
    pub fn ints(&self, index: usize) -> &'a [i64] {
        let value = self.tagged(index, &[TENON_VALUE_INT_LIST]);
        slice(unsafe { value.as_.ints }, value.count as usize)
    }
    pub fn floats(&self, index: usize) -> &'a [f64] {
        let value = self.tagged(index, &[TENON_VALUE_FLOAT_LIST]);
        slice(unsafe { value.as_.floats }, value.count as usize)
    }
    /// Text as its bytes say it; what is not UTF-8 is replaced.
    pub fn text(&self, index: usize) -> String {
        let value = self.tagged(index, &[TENON_VALUE_STRING]);
        let bytes = slice(
            unsafe { value.as_.string }.cast::<u8>(),
            value.count as usize,
        );
        String::from_utf8_lossy(bytes).into_owned()
    }
}

// ---- Views --------------------------------------------------------------------------------------

/// One operand: strided memory of the host. Reads and writes go through addresses, so operands may
/// overlap; indices and dtypes are checked.
#[derive(Clone, Copy)]
pub struct View<'a> {
    raw: &'a tenon_view,
}

impl<'a> View<'a> {
    pub fn raw(&self) -> &'a tenon_view {
        self.raw
    }
    pub fn shape(&self) -> &'a [i64] {
        slice(self.raw.shape, self.raw.rank as usize)
    }
    /// In elements; may be zero or negative.
    pub fn strides(&self) -> &'a [i64] {
        slice(self.raw.strides, self.raw.rank as usize)
    }
    pub fn dtype(&self) -> tenon_dtype {
        self.raw.dtype
    }
    pub fn is_host_scalar(&self) -> bool {
        self.raw.flags & TENON_VIEW_HOST_SCALAR != 0
    }
    /// The element at `index`; none is needed for rank 0.
    pub fn get<T: Element>(&self, index: &[i64]) -> T {
        unsafe { self.address::<T>(index).read_unaligned() }
    }
    pub fn set<T: Element>(&self, index: &[i64], value: T) {
        assert!(
            self.raw.flags & TENON_VIEW_READ_ONLY == 0,
            "the operand is read-only"
        );
        unsafe { self.address::<T>(index).write_unaligned(value) }
    }
    fn address<T: Element>(&self, index: &[i64]) -> *mut T {
        assert_eq!(self.dtype(), T::DTYPE, "the operand has another dtype");
        assert_eq!(
            index.len(),
            self.shape().len(),
            "one number for each dimension"
        );
        let mut offset = 0;
        for (d, at) in index.iter().enumerate() {
            let size = self.shape()[d];
            assert!(
                (0..size).contains(at),
                "index {at} of dimension {d}, which has size {size}"
            );
            offset += at * self.strides()[d];
        }
        assert!(
            !self.raw.data.is_null(),
            "this callback has no data, only shapes"
        );
        self.raw.data.cast::<T>().wrapping_offset(offset as isize)
    }
}

/// How a loop uses an operand.
#[derive(Clone, Copy, PartialEq)]
pub enum Access {
    Read,
    Write,
    Update,
}

// ---- What callbacks see -------------------------------------------------------------------------

/// Shapes, dtypes and attributes of a call. Slots are the schema's inputs, then its outputs.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    launch: &'a tenon_launch,
    pub attrs: Attrs<'a>,
}

impl<'a> Args<'a> {
    fn new(launch: &'a tenon_launch) -> Args<'a> {
        Args {
            launch,
            attrs: Attrs::new(launch.attrs, launch.n_attrs),
        }
    }
    fn begin(&self, slot: usize) -> usize {
        slice(self.launch.slot_begin, self.launch.n_slots as usize + 1)[slot] as usize
    }
    /// Views of a slot: 0 if absent, 1, or n for a list.
    pub fn count(&self, slot: usize) -> usize {
        self.begin(slot + 1) - self.begin(slot)
    }
    pub fn item(&self, slot: usize, item: usize) -> View<'a> {
        assert!(item < self.count(slot), "slot {slot} has no entry {item}");
        let all = slice(self.launch.views, self.begin(self.launch.n_slots as usize));
        View {
            raw: &all[self.begin(slot) + item],
        }
    }
    pub fn input(&self, input: usize) -> View<'a> {
        self.item(input, 0)
    }
    pub fn output(&self, output: usize) -> View<'a> {
        self.item(self.launch.n_inputs as usize + output, 0)
    }
    pub fn raw(&self) -> &'a tenon_launch {
        self.launch
    }
}

/// One launch of a kernel.
pub struct Launch<'a> {
    args: Args<'a>,
    call: *mut tenon_call,
}

impl<'a> Deref for Launch<'a> {
    type Target = Args<'a>;
    fn deref(&self) -> &Args<'a> {
        &self.args
    }
}

// Elements below which a loop stays on the calling thread.
const GRAIN: i64 = 32768;

impl<'a> Launch<'a> {
    /// The call's stream, as the backend made it.
    pub fn stream(&self) -> *mut c_void {
        unsafe { slot((*(*self.call).memory).stream)(self.call) }
    }
    /// Calls `body(begin, end)` for pieces of [0, n), possibly on several threads at once. The cut
    /// depends on n and grain alone. A panic of the body fails the launch: that of the lowest
    /// piece, for any number of threads.
    pub fn parallel_for<F: Fn(i64, i64) + Sync>(&self, n: i64, grain: i64, body: F) -> Result {
        if n <= 0 {
            return Ok(());
        }
        let work = Work {
            body,
            panicked: Mutex::new(None),
        };
        let user = (&work as *const Work<F>) as *mut c_void;
        let status = unsafe {
            slot((*(*self.call).threads).parallel_for)(self.call, n, grain, Some(piece::<F>), user)
        };
        match work.panicked.into_inner() {
            Ok(Some((_, words))) => Err(Failure::new(TENON_E_PLUGIN, words).into()),
            _ => check(status),
        }
    }
    /// Calls `body` with the values of each element of all operands, and stores those that `Access`
    /// says are written. The operands have one shape and one dtype; one of rank 0 goes with any
    /// shape. `body` runs on several threads if there are many elements.
    pub fn for_each<T: Element, const N: usize>(
        &self,
        operands: [(View, Access); N],
        body: impl Fn(&mut [T; N]) + Sync,
    ) -> Result {
        let written = operands.iter().find(|(_, access)| *access != Access::Read);
        let shape = written.map_or(&[][..], |(view, _)| view.shape());
        for (view, _) in &operands {
            if view.dtype() != T::DTYPE || (!view.shape().is_empty() && view.shape() != shape) {
                return Err(
                    Failure::new(TENON_E_INTERNAL, "a loop over operands that do not fit")
                        .expected(format!("dtype {:#x}, shape {shape:?}", T::DTYPE))
                        .found(format!(
                            "dtype {:#x}, shape {:?}",
                            view.dtype(),
                            view.shape()
                        ))
                        .into(),
                );
            }
        }
        let access = operands.map(|(_, access)| access);
        let operands = operands.map(|(view, _)| Strided::of(view));
        self.parallel_for(shape.iter().product(), GRAIN, |begin, end| {
            walk(shape, &operands, begin, end, |addresses| {
                let mut values = [T::default(); N];
                for k in (0..N).filter(|k| access[*k] != Access::Write) {
                    values[k] = unsafe { addresses[k].cast::<T>().read_unaligned() };
                }
                body(&mut values);
                for k in (0..N).filter(|k| access[*k] != Access::Read) {
                    unsafe { addresses[k].cast::<T>().write_unaligned(values[k]) };
                }
            })
        })
    }
}

struct Work<F> {
    body: F,
    panicked: Mutex<Option<(i64, String)>>,
}

unsafe extern "C" fn piece<F: Fn(i64, i64) + Sync>(
    user: *mut c_void,
    begin: i64,
    end: i64,
    chunk: i64,
) -> tenon_status {
    let work = &*user.cast::<Work<F>>();
    let words = match caught(|| (work.body)(begin, end)) {
        Ok(()) => return TENON_OK,
        Err(words) => words,
    };
    if let Ok(mut first) = work.panicked.lock() {
        if first.as_ref().map_or(true, |(lowest, _)| chunk < *lowest) {
            *first = Some((chunk, words));
        }
    }
    TENON_E_PLUGIN
}

/// Where an operand's first element is, and the bytes to the next one along each dimension; what a
/// loop over several operands needs of each. Steps may be changed: 0 repeats a dimension.
#[derive(Clone, Copy)]
pub struct Strided {
    pub data: *mut u8,
    pub step: [i64; TENON_MAX_RANK as usize],
}

// Threads get pieces that do not overlap.
unsafe impl Send for Strided {}
unsafe impl Sync for Strided {}

impl Strided {
    pub fn of(view: View) -> Strided {
        let mut step = [0; TENON_MAX_RANK as usize];
        let size = i64::from(view.dtype() >> 8 & 0xff) / 8;
        for (step, stride) in step.iter_mut().zip(view.strides()) {
            *step = stride * size;
        }
        Strided {
            data: view.raw.data.cast(),
            step,
        }
    }
    fn at(&self, index: &[i64]) -> *mut u8 {
        let offset: i64 = index
            .iter()
            .zip(&self.step)
            .map(|(at, step)| at * step)
            .sum();
        self.data.wrapping_offset(offset as isize)
    }
}

/// Calls `body` with the addresses of each operand's element, for elements [begin, end) of `shape`
/// in row-major order. They need no alignment: `read_unaligned`, `write_unaligned`.
pub fn walk<const N: usize>(
    shape: &[i64],
    operands: &[Strided; N],
    begin: i64,
    end: i64,
    mut body: impl FnMut([*mut u8; N]),
) {
    let shape = if shape.is_empty() { &[1][..] } else { shape };
    let last = shape.len() - 1;
    let mut index = [0; TENON_MAX_RANK as usize];
    let index = &mut index[..=last];
    let mut rest = begin;
    for d in (0..=last).rev().filter(|_| begin < end) {
        index[d] = rest % shape[d];
        rest /= shape[d];
    }
    let mut at = begin;
    while at < end {
        let count = (shape[last] - index[last]).min(end - at);
        let mut addresses = [std::ptr::null_mut(); N];
        for (address, operand) in addresses.iter_mut().zip(operands) {
            *address = operand.at(index);
        }
        for _ in 0..count {
            body(addresses);
            for (address, operand) in addresses.iter_mut().zip(operands) {
                *address = address.wrapping_offset(operand.step[last] as isize);
            }
        }
        at += count;
        index[last] += count;
        for d in (1..=last).rev() {
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
            index[d - 1] += 1;
        }
    }
}

// ---- Callbacks ----------------------------------------------------------------------------------

/// A shape rule: sets the shape of each output; dtypes are set already.
pub trait Infer {
    fn infer(args: &Args, outputs: &mut [tenon_meta]) -> Result;
}

pub trait Kernel {
    /// Writes every element of the outputs and nothing else; keeps no address.
    fn launch(launch: &Launch) -> Result;
}

unsafe extern "C" fn run_infer<R: Infer>(
    call: *mut tenon_call,
    args: *const tenon_launch,
    out: *mut tenon_meta,
    n: u32,
) -> tenon_status {
    guard(call, || {
        let outputs = match n {
            0 => &mut [],
            _ => std::slice::from_raw_parts_mut(out, n as usize),
        };
        R::infer(&Args::new(&*args), outputs)
    })
}

unsafe extern "C" fn run_launch<K: Kernel>(
    call: *mut tenon_call,
    args: *const tenon_launch,
) -> tenon_status {
    guard(call, || {
        K::launch(&Launch {
            args: Args::new(&*args),
            call,
        })
    })
}

pub const fn infer_fn<R: Infer>() -> tenon_infer_fn {
    Some(run_infer::<R>)
}

pub const fn launch_fn<K: Kernel>(
) -> Option<unsafe extern "C" fn(*mut tenon_call, *const tenon_launch) -> tenon_status> {
    Some(run_launch::<K>)
}
