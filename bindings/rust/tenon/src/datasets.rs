// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/datasets.rs: datasets and transforms of the registry, and loaders, whose
// passes are iterators over batches.

use crate::context::{state, State};
use crate::error::{Error, Result};
use crate::make::{Make, MakeAll};
use crate::objects::{string_of, Owned};
use crate::status::Status;
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{Dtype, Ints, OptionLists, Value};
use std::os::raw::c_char;
use std::ptr::{null, null_mut};
use std::rc::Rc;

/// One field of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub shape: Ints,
    pub dtype: Dtype,
}

/// Calls get(index, &name, &meta) for 0, 1, ... until there is no further field.
fn fields_of(
    state: &State,
    get: impl Fn(u32, &mut *const c_char, &mut sys::tenon_meta) -> sys::tenon_status,
) -> Result<Vec<Field>> {
    let mut found = Vec::new();
    loop {
        let (mut name, mut meta): (_, sys::tenon_meta) = (null(), unsafe { std::mem::zeroed() });
        let status = get(found.len() as u32, &mut name, &mut meta);
        if status == sys::TENON_E_NOT_FOUND {
            return Ok(found);
        }
        state.check(status)?;
        let shape = meta.shape[..meta.rank as usize].into();
        found.push(Field {
            name: unsafe { string_of(name) },
            shape,
            dtype: Dtype(meta.dtype),
        });
    }
}

/// Samples of one or more fields.
pub struct Dataset(Owned<sys::tenon_dataset>);

impl Dataset {
    /// By the name in the registry. Those of the vendor `tenon` are functions of
    /// [`data`](crate::data).
    pub fn new(name: &str, options: &[(&str, Value)]) -> Result<Dataset> {
        let state = state()?;
        let lists = OptionLists::of(options);
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        let (names, values, n) = (lists.names.as_ptr(), lists.values.as_ptr(), lists.len());
        let mut made = null_mut();
        state.check(unsafe {
            sys::tenon_dataset_create(state.handle, text, length, names, values, n, &mut made)
        })?;
        Ok(Dataset(unsafe { Owned::adopt(made) }))
    }
    /// How many samples.
    pub fn size(&self) -> Result<i64> {
        let (state, mut length) = (state()?, 0);
        state.check(unsafe {
            sys::tenon_dataset_get_length(state.handle, self.0.get(), &mut length)
        })?;
        Ok(length)
    }
    /// How long each sample is: what [`LoaderBuilder::buckets`] goes by. Refused where the dataset
    /// does not say it.
    pub fn lengths(&self) -> Result<Vec<i64>> {
        let (state, mut found) = (state()?, vec![0; self.size()? as usize]);
        let (out, n) = (found.as_mut_ptr(), found.len() as i64);
        state.check(unsafe {
            sys::tenon_dataset_get_lengths(state.handle, self.0.get(), 0, n, out)
        })?;
        Ok(found)
    }
    pub fn fields(&self) -> Result<Vec<Field>> {
        let state = state()?;
        fields_of(state, |index, name, meta| unsafe {
            sys::tenon_dataset_get_field(state.handle, self.0.get(), index, meta, name)
        })
    }
    /// Samples by number: a tensor `[n, ...]` for each field.
    pub fn take(&self, samples: &[i64]) -> Result<Vec<Tensor>> {
        let state = state()?;
        let mut made = vec![null_mut(); self.fields()?.len()];
        let (numbers, n) = (samples.as_ptr(), samples.len() as i64);
        let (out, n_fields) = (made.as_mut_ptr(), made.len() as u32);
        state.check(unsafe {
            sys::tenon_dataset_call(state.handle, self.0.get(), numbers, n, out, n_fields)
        })?;
        Ok(made
            .into_iter()
            .map(|each| unsafe { Tensor::adopt(each) })
            .collect())
    }
    /// A loader of batches of `size` samples.
    ///
    /// ```compile_fail,E0505
    /// let set = tenon::data::npy("x.npy").build().unwrap();
    /// let begun = set.loader(4);
    /// drop(set);
    /// begun.build().unwrap();
    /// ```
    pub fn loader(&self, size: i64) -> LoaderBuilder<'_> {
        LoaderBuilder::of(Source::Dataset(self), size)
    }
    pub fn handle(&self) -> *mut sys::tenon_dataset {
        self.0.get()
    }
}

/// What is done with a field of each batch. A clone is the same transform.
#[derive(Clone)]
pub struct Transform {
    owned: Rc<Owned<sys::tenon_transform>>,
    field: u32,
}

impl Transform {
    /// By the name in the registry. Those of the vendor `tenon` are functions of
    /// [`data`](crate::data).
    pub fn new(name: &str, options: &[(&str, Value)], field: u32) -> Result<Transform> {
        let state = state()?;
        let lists = OptionLists::of(options);
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        let (names, values, n) = (lists.names.as_ptr(), lists.values.as_ptr(), lists.len());
        let mut made = null_mut();
        state.check(unsafe {
            sys::tenon_transform_create(state.handle, text, length, names, values, n, &mut made)
        })?;
        Ok(Transform {
            owned: Rc::new(unsafe { Owned::adopt(made) }),
            field,
        })
    }
    pub fn field(&self) -> u32 {
        self.field
    }
    pub fn handle(&self) -> *mut sys::tenon_transform {
        self.owned.get()
    }
}

impl Make<Transform> for Transform {
    fn make(self) -> Result<Transform> {
        Ok(self)
    }
}

// ---- Loaders ------------------------------------------------------------------------------------

enum Source<'a> {
    Dataset(&'a Dataset),
    Numbers(i64),
}

/// What a loader is made with.
#[must_use = "nothing is done before `build`"]
pub struct LoaderBuilder<'a> {
    source: Source<'a>,
    size: i64,
    seed: u64,
    flags: u32,
    workers: u32,
    buckets: i64,
    lengths: Vec<i64>,
    transforms: Result<Vec<Transform>>,
}

impl<'a> LoaderBuilder<'a> {
    fn of(source: Source<'a>, size: i64) -> Self {
        LoaderBuilder {
            source,
            size,
            seed: 0,
            flags: 0,
            workers: 0,
            buckets: 0,
            lengths: Vec::new(),
            transforms: Ok(Vec::new()),
        }
    }
    fn flag(mut self, flag: u32, on: bool) -> Self {
        self.flags = if on {
            self.flags | flag
        } else {
            self.flags & !flag
        };
        self
    }
    pub fn shuffle(self, shuffle: bool) -> Self {
        self.flag(sys::TENON_LOADER_SHUFFLE, shuffle)
    }
    /// Leaves out a last batch that is not full.
    pub fn drop_last(self, drop: bool) -> Self {
        self.flag(sys::TENON_LOADER_DROP_LAST, drop)
    }
    /// Of the order, and of what transforms and the dataset draw.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
    /// Threads that read ahead; they change no batch and no order.
    pub fn workers(mut self, workers: u32) -> Self {
        self.workers = workers;
        self
    }
    /// 2 or more: batches of samples of similar length. So many batches in a row of the order are
    /// sorted by length and cut anew, and shuffled batches change places.
    pub fn buckets(mut self, batches: i64) -> Self {
        self.buckets = batches;
        self
    }
    /// Of all samples, for `buckets`; without them the dataset's.
    pub fn lengths(mut self, lengths: Vec<i64>) -> Self {
        self.lengths = lengths;
        self
    }
    /// Of each batch, one after the other: `(data::normalise().scale(16.0), data::flatten())`.
    pub fn transforms(mut self, transforms: impl MakeAll<Transform>) -> Self {
        self.transforms = transforms.make_all();
        self
    }
    pub fn build(self) -> Result<Loader> {
        let (state, transforms) = (state()?, self.transforms?);
        let (context, size, seed, flags) = (state.handle, self.size, self.seed, self.flags);
        let mut made = null_mut();
        state.check(unsafe {
            match self.source {
                Source::Dataset(set) => {
                    sys::tenon_loader_create(context, set.handle(), size, seed, flags, &mut made)
                }
                Source::Numbers(length) => {
                    sys::tenon_loader_create_numbers(context, length, size, seed, flags, &mut made)
                }
            }
        })?;
        let mut loader = Loader {
            owned: unsafe { Owned::adopt(made) },
            n_fields: 0,
            pass: Place::New,
        };
        if self.buckets != 0 {
            loader.put_in_buckets(self.buckets, &self.lengths)?;
        }
        let list: Vec<_> = transforms.iter().map(Transform::handle).collect();
        let fields: Vec<_> = transforms.iter().map(Transform::field).collect();
        let (handles, places, n) = (list.as_ptr(), fields.as_ptr(), list.len() as u32);
        unsafe {
            state.check(sys::tenon_loader_set_transforms(
                context, made, handles, places, n,
            ))?;
            state.check(sys::tenon_loader_set_workers(context, made, self.workers))?;
        }
        loader.n_fields = loader.info()?.n_fields as usize;
        Ok(loader)
    }
}

/// Batches of a dataset. Each pass goes once through it, as the next epoch. The order depends on
/// length, seed and epoch alone, with buckets on the samples' lengths and the size of a batch too.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let mut loader = tenon::Loader::of_numbers(10, 4).build()?;
/// for batch in loader.batches() {
///     let [numbers] = batch?;
///     assert!(numbers.dim(0)? <= 4);
/// }
/// # Ok(())
/// # }
/// ```
///
/// One pass at a time:
///
/// ```compile_fail,E0499
/// let mut loader = tenon::Loader::of_numbers(10, 4).build().unwrap();
/// let mut first: tenon::Batches<1> = loader.batches();
/// let mut second: tenon::Batches<1> = loader.batches();
/// first.next();
/// ```
///
/// ```compile_fail,E0499
/// let mut loader = tenon::Loader::of_numbers(10, 4).build().unwrap();
/// for batch in loader.pass() {
///     loader.start(0, 0).unwrap();
/// }
/// ```
pub struct Loader {
    owned: Owned<sys::tenon_loader>,
    n_fields: usize,
    pass: Place,
}

/// How far a loader's pass is.
#[derive(PartialEq)]
enum Place {
    New,
    Running,
    Over,
}

impl Loader {
    /// Numbers of samples that the program has itself: one field, `i64[n]`, each from 0 to
    /// `length` - 1.
    pub fn of_numbers(length: i64, size: i64) -> LoaderBuilder<'static> {
        LoaderBuilder::of(Source::Numbers(length), size)
    }

    /// A pass over batches of N fields, all there are: `let [images, labels] = batch?`.
    pub fn batches<const N: usize>(&mut self) -> Batches<'_, N> {
        let failed = self.check_fields(N).and_then(|_| self.begin_pass()).err();
        Batches(Pass {
            loader: self,
            failed,
            over: false,
        })
    }
    /// A pass over batches of any number of fields.
    pub fn pass(&mut self) -> Pass<'_> {
        let failed = self.begin_pass().err();
        Pass {
            loader: self,
            failed,
            over: false,
        }
    }
    fn put_in_buckets(&mut self, batches: i64, lengths: &[i64]) -> Result<()> {
        let samples = self.length()?;
        if !lengths.is_empty() && lengths.len() as i64 != samples {
            let (what, expected) = (
                ("Loader", "lengths"),
                format!("{}, one for each sample", samples),
            );
            return Err(Error::refuse(
                Status::ARGUMENT,
                what,
                expected,
                lengths.len(),
                "",
            ));
        }
        let given = match lengths {
            [] => null(),
            _ => lengths.as_ptr(),
        };
        let state = state()?;
        state.check(unsafe {
            sys::tenon_loader_set_buckets(state.handle, self.handle(), batches, given)
        })
    }
    fn check_fields(&self, n: usize) -> Result<()> {
        if n == self.n_fields {
            return Ok(());
        }
        let (what, expected) = (
            ("Loader", "N"),
            format!("{}, the number of fields", self.n_fields),
        );
        Err(Error::refuse(Status::ARGUMENT, what, expected, n, ""))
    }
    fn begin_pass(&mut self) -> Result<()> {
        if self.pass != Place::New {
            self.start(self.epoch()? + 1, 0)?;
        }
        self.pass = Place::Running;
        Ok(())
    }

    /// The next batch of this pass, N fields; none at its end, after which the next pass begins.
    ///
    /// ```
    /// # fn main() -> tenon::Result<()> {
    /// let mut loader = tenon::Loader::of_numbers(10, 4).build()?;
    /// let mut sizes = Vec::new();
    /// while let Some([numbers]) = loader.next_batch()? {
    ///     sizes.push(numbers.size()?);
    /// }
    /// assert_eq!(sizes, [4, 4, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn next_batch<const N: usize>(&mut self) -> Result<Option<[Tensor; N]>> {
        self.check_fields(N)?;
        if self.pass != Place::Running {
            self.begin_pass()?;
        }
        Ok(self.next()?.and_then(Batch::into_array))
    }
    /// The next pass is this epoch, from this sample of it on.
    pub fn start(&mut self, epoch: i64, position: i64) -> Result<()> {
        let (state, loader) = (state()?, self.handle());
        state.check(unsafe { sys::tenon_loader_begin(state.handle, loader, epoch, position) })?;
        self.pass = Place::New;
        Ok(())
    }
    fn next(&mut self) -> Result<Option<Batch>> {
        let mut made = [null_mut(); sys::TENON_MAX_SLOTS as usize];
        let (state, loader, n_fields, mut n) = (state()?, self.handle(), self.n_fields, 0);
        let out = made.as_mut_ptr();
        state.check(unsafe {
            sys::tenon_loader_run(state.handle, loader, out, n_fields as u32, &mut n)
        })?;
        if n == 0 {
            self.pass = Place::Over;
            return Ok(None);
        }
        let fields = made[..n_fields]
            .iter()
            .map(|&each| unsafe { Tensor::adopt(each) })
            .collect();
        Ok(Some(Batch { fields, size: n }))
    }

    pub fn info(&self) -> Result<sys::tenon_loader_info> {
        let state = state()?;
        let mut info: sys::tenon_loader_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::tenon_loader_info>() as u32;
        state
            .check(unsafe { sys::tenon_loader_get_info(state.handle, self.handle(), &mut info) })?;
        Ok(info)
    }
    /// Samples of an epoch.
    pub fn length(&self) -> Result<i64> {
        Ok(self.info()?.length)
    }
    pub fn epoch(&self) -> Result<i64> {
        Ok(self.info()?.epoch)
    }
    pub fn position(&self) -> Result<i64> {
        Ok(self.info()?.position)
    }
    pub fn fields(&self) -> Result<Vec<Field>> {
        let state = state()?;
        fields_of(state, |index, name, meta| unsafe {
            sys::tenon_loader_get_field(state.handle, self.handle(), index, name, meta)
        })
    }
    pub fn handle(&self) -> *mut sys::tenon_loader {
        self.owned.get()
    }
}

/// The fields of one batch, `[n, ...]` each.
pub struct Batch {
    pub fields: Vec<Tensor>,
    /// samples
    pub size: i64,
}

impl Batch {
    fn into_array<const N: usize>(self) -> Option<[Tensor; N]> {
        self.fields.try_into().ok()
    }
}

/// One pass. A batch is read when it is asked for, so that a pass that ends early has read no
/// further. A failure is its last item.
pub struct Pass<'a> {
    loader: &'a mut Loader,
    failed: Option<Error>,
    over: bool,
}

impl Iterator for Pass<'_> {
    type Item = Result<Batch>;
    fn next(&mut self) -> Option<Result<Batch>> {
        if self.over {
            return None;
        }
        let found = self
            .failed
            .take()
            .map_or_else(|| self.loader.next(), Err)
            .transpose();
        self.over = !matches!(found, Some(Ok(_)));
        found
    }
}

/// The same with each batch as an array of its fields.
pub struct Batches<'a, const N: usize>(Pass<'a>);

impl<const N: usize> Iterator for Batches<'_, N> {
    type Item = Result<[Tensor; N]>;
    fn next(&mut self) -> Option<Result<[Tensor; N]>> {
        // A pass has been refused if there are not N fields.
        self.0.next()?.map(Batch::into_array).transpose()
    }
}
