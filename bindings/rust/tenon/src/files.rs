// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/files.rs: files of named tensors, and checkpoints: a training run in one
// file.

use crate::context::{state, State};
use crate::datasets::Loader;
use crate::error::{Error, Result};
use crate::layer::{Layer, NamedTensor};
use crate::objects::Owned;
use crate::optimizer::Optimizer;
use crate::schedule::Schedule;
use crate::status::Status;
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{none, Dtype, Given, Number, Value};
use std::os::raw::c_char;
use std::ptr::{null, null_mut};

/// Makes the file hold these tensors, all of it or what it held before; the format is that of the
/// name's ending: ".safetensors", ".npz", ".npy".
pub fn save(path: &str, tensors: &[(&str, &Tensor)]) -> Result<()> {
    let (state, mut made) = (state()?, null_mut());
    let context = state.handle;
    state.check(unsafe { sys::tenon_archive_create(context, &mut made) })?;
    let archive = unsafe { Owned::adopt(made) };
    for (name, tensor) in tensors {
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        state.check(unsafe {
            sys::tenon_archive_set_tensor(context, archive.get(), text, length, tensor.handle())
        })?;
    }
    let (text, length) = (path.as_ptr().cast(), path.len() as u64);
    let format = "".as_ptr().cast();
    state.check(unsafe { sys::tenon_file_set(context, text, length, format, 0, archive.get()) })
}

/// All tensors of a file, as [`Archive::get`] gives them; one that is foreign is an error.
pub fn load(path: &str) -> Result<Vec<NamedTensor>> {
    let archive = Archive::open(path)?;
    let named = |(number, listed): (usize, Listed)| {
        Ok(NamedTensor {
            name: listed.name,
            tensor: archive.make(number as u32, 0)?,
            is_parameter: true,
        })
    };
    archive.list()?.into_iter().enumerate().map(named).collect()
}

/// What a file says of a tensor in it.
#[derive(Clone, Debug)]
pub struct Listed {
    pub name: String,
    pub shape: Vec<i64>,
    /// None if it is foreign.
    pub dtype: Option<Dtype>,
    /// What it is if Tenon cannot hold it, in the file's own words: "F8_E4M3".
    pub foreign: Option<String>,
}

/// A file of named tensors; reads no tensor's data before it is asked for.
pub struct Archive(Owned<sys::tenon_archive>);

impl Archive {
    pub fn open(path: &str) -> Result<Archive> {
        let (state, mut made) = (state()?, null_mut());
        let (text, length, format) = (path.as_ptr().cast(), path.len() as u64, "".as_ptr().cast());
        state.check(unsafe {
            sys::tenon_archive_load(state.handle, text, length, format, 0, 0, &mut made)
        })?;
        Ok(Archive(unsafe { Owned::adopt(made) }))
    }
    pub fn list(&self) -> Result<Vec<Listed>> {
        let (state, mut n) = (state()?, 0);
        let texts = null_mut();
        state.check(unsafe {
            sys::tenon_archive_get_count(state.handle, self.0.get(), &mut n, texts)
        })?;
        (0..n).map(|number| self.entry(state, number)).collect()
    }
    /// A window on the mapped file, read-only, if it holds the tensor's bytes as they are;
    /// `x.copy()?` has memory of its own. A foreign tensor is `Status::UNSUPPORTED`.
    pub fn get(&self, name: &str) -> Result<Tensor> {
        self.make(self.find(name)?, 0)
    }
    /// The bytes of a tensor, whatever it is, as u8 of one dimension.
    pub fn get_bytes(&self, name: &str) -> Result<Tensor> {
        self.make(self.find(name)?, sys::TENON_ARCHIVE_BYTES)
    }

    fn find(&self, name: &str) -> Result<u32> {
        let (state, mut number) = (state()?, 0);
        let (text, length) = (name.as_ptr().cast(), name.len() as u64);
        state.check(unsafe {
            sys::tenon_archive_find(state.handle, self.0.get(), text, length, &mut number)
        })?;
        Ok(number)
    }
    fn make(&self, number: u32, flags: u32) -> Result<Tensor> {
        Tensor::made_by(|state, out| unsafe {
            sys::tenon_tensor_create_loaded(state.handle, self.0.get(), number, flags, out)
        })
    }
    fn entry(&self, state: &State, number: u32) -> Result<Listed> {
        let (context, handle) = (state.handle, self.0.get());
        let (mut name, mut length): (*const c_char, _) = (null(), 0);
        let (mut words, mut words_length): (*const c_char, _) = (null(), 0);
        let mut meta: sys::tenon_meta = unsafe { std::mem::zeroed() };
        state.check(unsafe {
            sys::tenon_archive_get_entry(context, handle, number, &mut name, &mut length, &mut meta)
        })?;
        state.check(unsafe {
            sys::tenon_archive_get_foreign(context, handle, number, &mut words, &mut words_length)
        })?;
        let text = |data: *const c_char, length: u64| {
            let bytes = unsafe { std::slice::from_raw_parts(data.cast(), length as usize) };
            String::from_utf8_lossy(bytes).into_owned()
        };
        let is_foreign = words_length != 0;
        Ok(Listed {
            name: text(name, length),
            shape: meta.shape[..meta.rank as usize].to_vec(),
            dtype: (!is_foreign).then_some(Dtype(meta.dtype)),
            foreign: is_foreign.then(|| text(words, words_length)),
        })
    }
}

/// What a run consists of, each part by a name of its own, and the file it is saved in. Holds its
/// parts.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let weight = tenon::ones([2])?;
/// let run = tenon::Checkpoint::new()?;
/// run.set("weight", &weight)?.set("steps", 5)?.set("name", "first")?;
/// assert_eq!((run.get("steps")?, run.get_text("name")?), (5.0, "first".into()));
/// # Ok(())
/// # }
/// ```
pub struct Checkpoint(Owned<sys::tenon_checkpoint>);

impl Checkpoint {
    pub fn new() -> Result<Checkpoint> {
        let (state, mut made) = (state()?, null_mut());
        state.check(unsafe { sys::tenon_checkpoint_create(state.handle, &mut made) })?;
        Ok(Checkpoint(unsafe { Owned::adopt(made) }))
    }
    /// Adds a part, or replaces the one of this name.
    pub fn set(&self, name: &str, part: impl Part) -> Result<&Checkpoint> {
        self.named(name, |context, name, length| unsafe {
            part.add(context, self.0.get(), name, length)
        })?;
        Ok(self)
    }
    /// A number as it was set last, or loaded since.
    pub fn get(&self, name: &str) -> Result<f64> {
        Ok(Number::of(&self.value(name)?))
    }
    pub fn get_text(&self, name: &str) -> Result<String> {
        let value = self.value(name)?;
        if value.tag != sys::TENON_VALUE_STRING {
            let what = ("Checkpoint", name);
            return Err(Error::refuse(
                Status::ARGUMENT,
                what,
                "a text",
                "a number",
                "",
            ));
        }
        let (text, length) = (unsafe { value.as_.string }, value.count as usize);
        let bytes = unsafe { std::slice::from_raw_parts(text.cast(), length) };
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    pub fn save(&self, path: &str) -> Result<()> {
        self.named(path, |context, path, length| unsafe {
            sys::tenon_checkpoint_save(context, self.0.get(), path, length)
        })
    }
    /// Puts every part back; all of the file is checked before anything is changed.
    pub fn load(&self, path: &str) -> Result<()> {
        self.load_with(path, 0).map(|_| ())
    }
    /// The same if there is such a file; says whether there is.
    pub fn resume(&self, path: &str) -> Result<bool> {
        self.load_with(path, sys::TENON_CHECKPOINT_IF_THERE)
    }
    fn load_with(&self, path: &str, flags: u32) -> Result<bool> {
        let mut loaded = 0;
        self.named(path, |context, path, length| unsafe {
            sys::tenon_checkpoint_load(context, self.0.get(), path, length, flags, &mut loaded)
        })?;
        Ok(loaded != 0)
    }
    fn value(&self, name: &str) -> Result<sys::tenon_value> {
        let mut value = none();
        self.named(name, |context, name, length| unsafe {
            sys::tenon_checkpoint_get_value(context, self.0.get(), name, length, &mut value)
        })?;
        Ok(value)
    }
    fn named(
        &self,
        name: &str,
        run: impl FnOnce(*mut sys::tenon_context, *const c_char, u64) -> sys::tenon_status,
    ) -> Result<()> {
        let state = state()?;
        state.check(run(state.handle, name.as_ptr().cast(), name.len() as u64))
    }
}

/// What a checkpoint may hold.
pub trait Part {
    /// # Safety
    /// The handles are alive, and `name` has `length` bytes.
    #[doc(hidden)]
    unsafe fn add(
        &self,
        context: *mut sys::tenon_context,
        checkpoint: *mut sys::tenon_checkpoint,
        name: *const c_char,
        length: u64,
    ) -> sys::tenon_status;
}
macro_rules! parts {
    ($($part:ty: $add:ident $given:ident,)*) => { $(
        impl Part for $part {
            unsafe fn add(
                &self,
                context: *mut sys::tenon_context,
                checkpoint: *mut sys::tenon_checkpoint,
                name: *const c_char,
                length: u64,
            ) -> sys::tenon_status {
                sys::$add(context, checkpoint, name, length, self.$given())
            }
        }
    )* };
}
parts! {
    &Layer: tenon_checkpoint_set_layer handle,
    &Optimizer: tenon_checkpoint_set_optimizer handle,
    &Schedule: tenon_checkpoint_set_schedule handle,
    &Loader: tenon_checkpoint_set_loader handle,
    &Tensor: tenon_checkpoint_set_tensor handle,
}
impl<T: Into<Value> + Clone> Part for T {
    unsafe fn add(
        &self,
        context: *mut sys::tenon_context,
        checkpoint: *mut sys::tenon_checkpoint,
        name: *const c_char,
        length: u64,
    ) -> sys::tenon_status {
        let value: Value = self.clone().into();
        sys::tenon_checkpoint_set_value(context, checkpoint, name, length, &value.given())
    }
}
