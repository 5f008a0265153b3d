// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/frozen.rs: tensors that nobody writes any more, for all threads.

use crate::error::{Error, Result};
use crate::status::Status;
use crate::sys;
use crate::tensor::{ints, Tensor};
use crate::values::{Dtype, Ints};
use std::os::raw::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

struct Memory {
    _tensor: Tensor,
    data: *mut c_void,
    shape: Ints,
    strides: Ints,
    dtype: Dtype,
}

/// Numbers in host memory that nobody writes: any thread has tensors of them, without a copy.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let table = tenon::tensor([1.0, 2.0, 3.0])?.freeze()?;
/// let sums: Vec<f64> = std::thread::scope(|scope| {
///     let sum = |factor: f64| tenon::sum(&(&table.tensor()? * factor)?).call()?.item();
///     let threads = [2.0, 3.0].map(|factor| scope.spawn(move || sum(factor).unwrap()));
///     threads.map(|thread| thread.join().unwrap()).into()
/// });
/// assert_eq!(sums, [12.0, 18.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Frozen(Arc<Memory>);

// The memory has no other owner and is only read; a tensor is released by any thread.
unsafe impl Send for Frozen {}
unsafe impl Sync for Frozen {}

impl Tensor {
    /// Its numbers, without history, for all threads. They are copied if others hold the memory.
    pub fn freeze(self) -> Result<Frozen> {
        let alone = self.detach()?;
        drop(self);
        let info = alone.info()?;
        if info.flags & sys::TENON_TENSOR_HOST == 0 {
            let (what, hint) = (("freeze", "x"), "x.to(&Device::new(\"cpu\")?) first");
            let expected = "a tensor in host memory";
            return Err(Error::refuse(
                Status::DEVICE,
                what,
                expected,
                "one on a device",
                hint,
            ));
        }
        let foreign = info.flags & sys::TENON_TENSOR_EXTERNAL != 0;
        let tensor = match info.storage_users == 1 && !foreign {
            true => alone,
            false => alone.copy()?,
        };
        let view = tensor.view()?;
        let (shape, strides) =
            unsafe { (ints(view.shape, view.rank), ints(view.strides, view.rank)) };
        // Of no elements there need be no memory.
        let data = NonNull::new(view.data).unwrap_or_else(|| NonNull::<u64>::dangling().cast());
        let (data, dtype) = (data.as_ptr(), Dtype(view.dtype));
        Ok(Frozen(Arc::new(Memory {
            _tensor: tensor,
            data,
            shape,
            strides,
            dtype,
        })))
    }
}

impl Frozen {
    /// A tensor of this thread with these numbers, read-only.
    pub fn tensor(&self) -> Result<Tensor> {
        unsafe extern "C" fn let_go(user: *mut c_void) {
            drop(Arc::from_raw(user.cast::<Memory>()));
        }
        let Memory {
            data,
            shape,
            strides,
            dtype,
            ..
        } = &*self.0;
        let user = Arc::into_raw(self.0.clone());
        let made = Tensor::made_by(|state, out| unsafe {
            let (rank, sizes, flags) = (
                shape.len() as i32,
                shape.as_ptr(),
                sys::TENON_VIEW_READ_ONLY,
            );
            let (steps, kept) = (strides.as_ptr(), user as *mut c_void);
            sys::tenon_tensor_create_external(
                state.handle,
                dtype.0,
                rank,
                sizes,
                steps,
                *data,
                flags,
                Some(let_go),
                kept,
                out,
            )
        });
        made.map_err(|error| {
            drop(unsafe { Arc::from_raw(user) });
            error
        })
    }
    pub fn shape(&self) -> &[i64] {
        &self.0.shape
    }
    pub fn dtype(&self) -> Dtype {
        self.0.dtype
    }
}
