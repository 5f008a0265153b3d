// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/host.rs: a tensor's elements where they lie in host memory, with its
// strides, for reading and for writing.
//
// Other handles of the same thread may write the memory meanwhile, so that no `&[T]` is made of it:
// elements are read one by one, or seen as cells. Other threads have no handle.

use crate::error::{Error, Result};
use crate::status::Status;
use crate::sys;
use crate::tensor::{ints, Tensor};
use crate::values::{Element, Ints, Plain};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Deref;

/// Elements of a tensor, read where they lie.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let x = tenon::tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
/// let turned = x.transpose(-2, -1)?.host::<f32>()?;
/// assert_eq!((turned.get([2, 1]), turned.get([3, 0])), (Some(6.0), None));
/// assert_eq!(turned.iter().collect::<Vec<_>>(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok(())
/// # }
/// ```
pub struct Host<T> {
    // Of its own, so that the memory stays even if a layer moves its tensor elsewhere.
    _memory: Tensor,
    data: *mut T,
    shape: Ints,
    strides: Ints,
    element: PhantomData<T>,
}

impl<T: Element> Host<T> {
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }
    /// In elements.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }
    pub fn size(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }
    /// The element at a place; none if there is no such place.
    pub fn get<const N: usize>(&self, place: [usize; N]) -> Option<T> {
        Some(unsafe { T::read(self.data.offset(self.offset(&place)?)) })
    }
    /// All elements, row-major.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.size()).map(move |number| unsafe { T::read(self.data.offset(self.at(number))) })
    }

    fn offset(&self, place: &[usize]) -> Option<isize> {
        let inside = place.len() == self.shape.len()
            && place
                .iter()
                .zip(&*self.shape)
                .all(|(&at, &size)| (at as u64) < size as u64);
        let steps = || {
            place
                .iter()
                .zip(&*self.strides)
                .map(|(&at, &step)| at as isize * step as isize)
        };
        inside.then(|| steps().sum())
    }
    /// Of element `number` in row-major order.
    fn at(&self, mut number: usize) -> isize {
        let mut offset = 0;
        for (&size, &step) in self.shape.iter().zip(&*self.strides).rev() {
            offset += (number % size as usize) as isize * step as isize;
            number /= size as usize;
        }
        offset
    }
    fn of(tensor: &Tensor, asker: &str) -> Result<(Host<T>, u32)> {
        tensor.require_dtype::<T>(asker)?;
        let flags = tensor.info()?.flags;
        if flags & sys::TENON_TENSOR_HOST == 0 {
            return Err(Error::refuse(
                Status::DEVICE,
                (asker, "x"),
                "a tensor in host memory",
                "one on a device",
                "x.to(&Device::new(\"cpu\")?) first",
            ));
        }
        let memory = tensor.detach()?;
        let view = memory.view()?;
        let (shape, strides) =
            unsafe { (ints(view.shape, view.rank), ints(view.strides, view.rank)) };
        let data = view.data.cast();
        Ok((
            Host {
                _memory: memory,
                data,
                shape,
                strides,
                element: PhantomData,
            },
            flags,
        ))
    }
}

/// The same, also for writing. Tenon does not see what is written: nothing that backward saved may
/// be written so.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let x = tenon::zeros([2, 2])?;
/// let elements = x.host_mut::<f32>()?;
/// elements.set([0, 1], 5.0);
/// elements.cells()?.iter().for_each(|cell| cell.set(cell.get() + 1.0));
/// assert_eq!(x.to_vec::<f32>()?, [1.0, 6.0, 1.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// Its cells live as long as it does:
///
/// ```compile_fail,E0505
/// let x = tenon::zeros([2]).unwrap();
/// let elements = x.host_mut::<f32>().unwrap();
/// let cells = elements.cells().unwrap();
/// drop(elements);
/// cells[0].set(1.0);
/// ```
pub struct HostMut<T>(Host<T>);

impl<T: Plain> Deref for HostMut<T> {
    type Target = Host<T>;
    fn deref(&self) -> &Host<T> {
        &self.0
    }
}

impl<T: Plain> HostMut<T> {
    /// Writes the element at a place; false if there is no such place.
    pub fn set<const N: usize>(&self, place: [usize; N], value: T) -> bool {
        match self.offset(&place) {
            Some(offset) => unsafe { self.data.offset(offset).write(value) },
            None => return false,
        }
        true
    }
    /// All elements, if they lie one after the other.
    pub fn cells(&self) -> Result<&[Cell<T>]> {
        if self.size() == 0 {
            return Ok(&[]);
        }
        let mut step = 1;
        for (&size, &stride) in self.shape.iter().zip(&*self.strides).rev() {
            if size != 1 && stride != step {
                let (what, hint) = (("HostMut::cells", "strides"), "x.contiguous() first");
                return Err(Error::refuse(
                    Status::LAYOUT,
                    what,
                    "row-major ones",
                    "others",
                    hint,
                ));
            }
            step *= size;
        }
        Ok(unsafe { std::slice::from_raw_parts(self.data.cast(), self.size()) })
    }
}

impl Tensor {
    /// Its elements where they lie. `T` is that of the dtype.
    pub fn host<T: Element>(&self) -> Result<Host<T>> {
        Ok(Host::of(self, "host")?.0)
    }
    /// The same for writing.
    pub fn host_mut<T: Plain>(&self) -> Result<HostMut<T>> {
        let (host, flags) = Host::of(self, "host_mut")?;
        let read_only = sys::TENON_TENSOR_READ_ONLY;
        if flags & (read_only | sys::TENON_TENSOR_REQUIRES_GRAD) != 0 {
            let found = match flags & read_only {
                0 => "one that requires a gradient",
                _ => "one that is read-only",
            };
            let (what, wanted) = (("host_mut", "x"), "a tensor that may be written");
            return Err(Error::refuse(
                Status::ALIAS,
                what,
                wanted,
                found,
                "x.host() reads it",
            ));
        }
        Ok(HostMut(host))
    }
}
