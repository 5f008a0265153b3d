// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/tensor.rs: tensors: their making, description, data and gradients.

use crate::context::{state, State};
use crate::error::{Error, Result};
use crate::objects::{text_of, Owned};
use crate::ops;
use crate::status::Status;
use crate::sys;
use crate::values::{Device, Dtype, Element, Ints, Number};
use std::fmt;
use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr::{null, null_mut};

/// A handle of a tensor. A clone is another owner of the same tensor, a move costs what a pointer
/// costs. A copy of the numbers is `x.copy()?`.
///
/// ```compile_fail,E0382
/// let x = tenon::ones([2]).unwrap();
/// let moved = x;
/// x.item().unwrap(); // it has moved
/// ```
#[repr(transparent)]
pub struct Tensor(Owned<sys::tenon_tensor>);

impl Clone for Tensor {
    fn clone(&self) -> Tensor {
        unsafe {
            sys::tenon_tensor_retain(self.handle()); // of a handle that is alive: it cannot fail
            Tensor::adopt(self.handle())
        }
    }
}

impl Tensor {
    /// Takes over an owner's handle of the C API.
    ///
    /// # Safety
    /// `handle` is that of a tensor which its caller owns, and which no other thread uses.
    #[inline]
    pub unsafe fn adopt(handle: *mut sys::tenon_tensor) -> Tensor {
        Tensor(Owned::adopt(handle))
    }
    /// Shares a handle of the C API that somebody else owns.
    ///
    /// # Safety
    /// As of [`Tensor::adopt`], but for the owner.
    pub unsafe fn share(handle: *mut sys::tenon_tensor) -> Tensor {
        sys::tenon_tensor_retain(handle);
        Tensor::adopt(handle)
    }
    pub(crate) unsafe fn share_any(handle: *mut sys::tenon_tensor) -> Option<Tensor> {
        (!handle.is_null()).then(|| Tensor::share(handle))
    }
    pub(crate) unsafe fn adopt_any(handle: *mut sys::tenon_tensor) -> Option<Tensor> {
        (!handle.is_null()).then(|| Tensor::adopt(handle))
    }
    #[inline]
    pub fn handle(&self) -> *mut sys::tenon_tensor {
        self.0.get()
    }
    /// Gives the handle up: its new owner releases it.
    pub fn release(self) -> *mut sys::tenon_tensor {
        self.0.release()
    }

    // ---- Making ---------------------------------------------------------------------------------

    /// A copy of numbers that lie in memory one after the other, row-major; the dtype is theirs.
    ///
    /// ```
    /// # fn main() -> tenon::Result<()> {
    /// let x = tenon::Tensor::from_slice(&[1.0f64, 2.0, 3.0, 4.0], [2, 2])?;
    /// assert_eq!(x.dtype()?, tenon::Dtype::F64);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_slice<T: Element>(numbers: &[T], shape: impl Into<Ints>) -> Result<Tensor> {
        let (shape, bytes) = (shape.into(), std::mem::size_of_val(numbers) as u64);
        let data = numbers.as_ptr().cast();
        Tensor::made_by(|state, out| unsafe {
            let (rank, sizes) = (shape.len() as i32, shape.as_ptr());
            let device = null();
            sys::tenon_tensor_create_from(
                state.handle,
                T::DTYPE.0,
                device,
                rank,
                sizes,
                data,
                bytes,
                out,
            )
        })
    }

    /// The same with the memory of the vector, which is not copied.
    pub fn from_vec<T: Element>(numbers: Vec<T>, shape: impl Into<Ints>) -> Result<Tensor> {
        unsafe extern "C" fn let_go<T>(user: *mut c_void) {
            drop(Box::from_raw(user.cast::<Vec<T>>()));
        }
        let shape = shape.into();
        let elements = shape.iter().try_fold(1i64, |n, &size| n.checked_mul(size));
        if elements != Some(numbers.len() as i64) {
            return Err(Error::refuse(
                Status::SHAPE,
                ("Tensor::from_vec", "numbers"),
                format!("as many as {shape} has"),
                numbers.len(),
                "",
            ));
        }
        let mut kept = Box::new(numbers);
        let data = kept.as_mut_ptr().cast();
        let user = Box::into_raw(kept);
        let made = Tensor::external::<T>(&shape, data, 0, let_go::<T>, user.cast());
        made.map_err(|error| {
            drop(unsafe { Box::from_raw(user) });
            error
        })
    }
    fn external<T: Element>(
        shape: &Ints,
        data: *mut c_void,
        flags: u32,
        let_go: unsafe extern "C" fn(*mut c_void),
        user: *mut c_void,
    ) -> Result<Tensor> {
        Tensor::made_by(|state, out| unsafe {
            let (rank, sizes, strides) = (shape.len() as i32, shape.as_ptr(), null());
            sys::tenon_tensor_create_external(
                state.handle,
                T::DTYPE.0,
                rank,
                sizes,
                strides,
                data,
                flags,
                Some(let_go),
                user,
                out,
            )
        })
    }

    // ---- What it is -----------------------------------------------------------------------------

    pub fn shape(&self) -> Result<Ints> {
        let view = self.view()?;
        Ok(unsafe { ints(view.shape, view.rank) })
    }
    pub fn strides(&self) -> Result<Ints> {
        let view = self.view()?;
        Ok(unsafe { ints(view.strides, view.rank) })
    }
    pub fn ndim(&self) -> Result<usize> {
        Ok(self.view()?.rank as usize)
    }
    /// The size of one axis; counted from the end if negative.
    pub fn dim(&self, axis: i64) -> Result<i64> {
        let shape = self.shape()?;
        let place = if axis < 0 {
            axis + shape.len() as i64
        } else {
            axis
        };
        shape.get(place as usize).copied().ok_or_else(|| {
            let expected = format!("one of {} axes", shape.len());
            Error::refuse(Status::ARGUMENT, ("dim", "axis"), expected, axis, "")
        })
    }
    /// How many elements.
    pub fn size(&self) -> Result<usize> {
        Ok(self.info()?.elements as usize)
    }
    #[inline]
    pub fn dtype(&self) -> Result<Dtype> {
        Ok(Dtype(self.view()?.dtype))
    }
    pub fn device(&self) -> Result<Device> {
        Ok(Device(self.view()?.device))
    }
    pub fn info(&self) -> Result<sys::tenon_tensor_info> {
        let state = state()?;
        let mut info: sys::tenon_tensor_info = unsafe { std::mem::zeroed() };
        info.struct_size = size_of::<sys::tenon_tensor_info>() as u32;
        state
            .check(unsafe { sys::tenon_tensor_get_info(state.handle, self.handle(), &mut info) })?;
        Ok(info)
    }
    pub(crate) fn view(&self) -> Result<sys::tenon_view> {
        let state = state()?;
        let mut view: sys::tenon_view = unsafe { std::mem::zeroed() };
        state
            .check(unsafe { sys::tenon_tensor_get_view(state.handle, self.handle(), &mut view) })?;
        Ok(view)
    }
    /// For people, as `{}` prints it.
    pub fn text(&self) -> Result<String> {
        self.text_with(0)
    }
    /// Also strides, storage, version, least and largest number.
    pub fn details(&self) -> Result<String> {
        self.text_with(sys::TENON_TEXT_INFO)
    }
    fn text_with(&self, flags: u32) -> Result<String> {
        let state = state()?;
        let mut text = null_mut();
        let handle = self.handle();
        state
            .check(unsafe { sys::tenon_tensor_get_text(state.handle, handle, flags, &mut text) })?;
        Ok(text_of(text))
    }

    // ---- Its numbers ----------------------------------------------------------------------------

    /// The only element, of any dtype.
    pub fn item(&self) -> Result<f64> {
        Ok(Number::of(&self.value()?))
    }
    /// The only element of an integer or bool.
    pub fn int(&self) -> Result<i64> {
        let value = self.value()?;
        match value.tag {
            sys::TENON_VALUE_F64 => {
                let found = self.dtype()?;
                let what = ("int", "x");
                Err(Error::refuse(
                    Status::DTYPE,
                    what,
                    "integers or bool",
                    found,
                    "x.item()",
                ))
            }
            _ => Ok(unsafe { value.as_.i64 }),
        }
    }
    fn value(&self) -> Result<sys::tenon_value> {
        let state = state()?;
        let mut value = crate::values::none();
        state.check(unsafe {
            sys::tenon_tensor_get_item(state.handle, self.handle(), &mut value)
        })?;
        Ok(value)
    }

    /// All elements, row-major, from any device. `T` is that of the dtype: `x.astype(...)` first.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.require_dtype::<T>("to_vec")?;
        let size = self.size()?;
        let mut numbers: Vec<T> = Vec::with_capacity(size);
        let bytes = (size * size_of::<T>()) as u64;
        let state = state()?;
        let data: *mut T = numbers.as_mut_ptr();
        unsafe {
            let (handle, to) = (self.handle(), data.cast());
            state.check(sys::tenon_tensor_get_data(state.handle, handle, to, bytes))?;
            for place in 0..size {
                data.add(place).write(T::read(data.add(place)));
            }
            numbers.set_len(size);
        }
        Ok(numbers)
    }
    /// Writes all elements, row-major.
    pub fn copy_from<T: Element>(&self, numbers: &[T]) -> Result<()> {
        self.require_dtype::<T>("copy_from")?;
        let (data, bytes) = (
            numbers.as_ptr().cast(),
            std::mem::size_of_val(numbers) as u64,
        );
        let state = state()?;
        state.check(unsafe { sys::tenon_tensor_set_data(state.handle, self.handle(), data, bytes) })
    }
    pub(crate) fn require_dtype<T: Element>(&self, asker: &str) -> Result<()> {
        let found = self.dtype()?;
        if found == T::DTYPE {
            return Ok(());
        }
        let hint = "the type of the tensor's dtype, or x.astype(...) first";
        Err(Error::refuse(
            Status::DTYPE,
            (asker, "T"),
            found,
            T::DTYPE,
            hint,
        ))
    }

    // ---- Ops that are also methods --------------------------------------------------------------

    pub fn reshape(&self, shape: impl Into<Ints>) -> Result<Tensor> {
        ops::reshape(self, shape)
    }
    pub fn permute(&self, axes: impl Into<Ints>) -> Result<Tensor> {
        ops::permute(self, axes)
    }
    /// With two axes exchanged: -2 and -1 are the last ones.
    pub fn transpose(&self, axis0: i64, axis1: i64) -> Result<Tensor> {
        ops::transpose(self).axis0(axis0).axis1(axis1).call()
    }
    pub fn matmul(&self, other: &Tensor) -> Result<Tensor> {
        ops::matmul(self, other)
    }
    /// Itself if it is row-major.
    pub fn contiguous(&self) -> Result<Tensor> {
        match self.info()?.flags & sys::TENON_TENSOR_CONTIGUOUS {
            0 => self.copy(),
            _ => Ok(self.clone()),
        }
    }
    /// Itself if it has that dtype.
    pub fn astype(&self, dtype: Dtype) -> Result<Tensor> {
        match self.dtype()? == dtype {
            true => Ok(self.clone()),
            false => ops::cast(self, dtype),
        }
    }
    /// Itself if it is there.
    pub fn to(&self, device: &Device) -> Result<Tensor> {
        if self.device()? == *device {
            return Ok(self.clone());
        }
        ops::to(self, device.0.kind.into(), device.0.index.into())
    }
    /// A copy of its numbers; gradients flow through it.
    pub fn copy(&self) -> Result<Tensor> {
        ops::copy(self)
    }
    /// The same data without history.
    pub fn detach(&self) -> Result<Tensor> {
        let handle = self.handle();
        Tensor::made_by(|state, out| unsafe {
            sys::tenon_tensor_create_detached(state.handle, handle, out)
        })
    }

    // ---- Gradients ------------------------------------------------------------------------------

    /// A leaf that collects gradients.
    pub fn with_grad(self) -> Result<Tensor> {
        self.set_requires_grad(true)?;
        Ok(self)
    }
    /// Makes a leaf collect gradients, or stop it.
    pub fn set_requires_grad(&self, required: bool) -> Result<()> {
        let (state, handle) = (state()?, self.handle());
        state.check(unsafe {
            sys::tenon_tensor_set_requires_grad(state.handle, handle, required.into())
        })
    }
    pub fn requires_grad(&self) -> Result<bool> {
        Ok(self.info()?.flags & sys::TENON_TENSOR_REQUIRES_GRAD != 0)
    }
    /// What it has collected, if there is anything yet.
    pub fn grad(&self) -> Result<Option<Tensor>> {
        let state = state()?;
        let mut found = null_mut();
        state.check(unsafe {
            sys::tenon_tensor_get_grad(state.handle, self.handle(), &mut found)
        })?;
        Ok(unsafe { Tensor::share_any(found) })
    }
    /// Numbers of rows, and their values, of a gradient that is held as rows.
    pub fn grad_rows(&self) -> Result<Option<(Tensor, Tensor)>> {
        let (state, handle) = (state()?, self.handle());
        let (mut rows, mut values) = (null_mut(), null_mut());
        state.check(unsafe {
            sys::tenon_tensor_get_grad_rows(state.handle, handle, &mut rows, &mut values)
        })?;
        Ok(unsafe { Tensor::share_any(rows).zip(Tensor::share_any(values)) })
    }
    /// Replaces it, or drops it.
    pub fn set_grad(&self, gradient: Option<&Tensor>) -> Result<()> {
        let (state, handle) = (state()?, self.handle());
        let given = gradient.map_or(null_mut(), Tensor::handle);
        state.check(unsafe { sys::tenon_tensor_set_grad(state.handle, handle, given) })
    }
    /// Keeps gradients of a tensor that is not a leaf, or stops it.
    pub fn retain_grad(&self, retain: bool) -> Result<()> {
        let (state, handle) = (state()?, self.handle());
        state.check(unsafe {
            sys::tenon_tensor_set_retain_grad(state.handle, handle, retain.into())
        })
    }
    /// Adds the gradients of this, of one element, to the leaves. With a seed, and other options:
    /// [`backward`](crate::backward).
    pub fn backward(&self) -> Result<()> {
        let (state, root) = (state()?, self.handle());
        state.check(unsafe { sys::tenon_backward_run(state.handle, &root, null(), 1, 0) })
    }

    pub(crate) fn made_by(
        make: impl FnOnce(&State, &mut *mut sys::tenon_tensor) -> sys::tenon_status,
    ) -> Result<Tensor> {
        let state = state()?;
        let mut made = null_mut();
        state.check(make(state, &mut made))?;
        Ok(unsafe { Tensor::adopt(made) })
    }
}

pub(crate) unsafe fn ints(list: *const i64, n: i32) -> Ints {
    (0..n as usize).map(|place| *list.add(place)).collect()
}

impl fmt::Display for Tensor {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Ok(text) => to.write_str(&text),
            Err(error) => write!(to, "(a tensor that cannot be read: {})", error.message),
        }
    }
}
impl fmt::Debug for Tensor {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}
