// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/index.rs: x.i((1, 2..5, NewAxis, Ellipsis, &mask)) and x.set(...) by
// NumPy's rules, made of ops.
//
// Integers, ranges, NewAxis and Ellipsis give views. Tensors of integers and of bools gather: the
// result has their common shape at the place of the first, if they are neighbours, else in front.

use crate::call::Operand;
use crate::error::{Error, Result};
use crate::operators::{filled, wrong};
use crate::ops;
use crate::status::Status;
use crate::sys;
use crate::tensor::Tensor;
use crate::values::{Dtype, Ints};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};

/// start:stop:step of one dimension; the default is all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    pub start: Option<i64>,
    pub stop: Option<i64>,
    /// none: 1
    pub step: Option<i64>,
}

impl Slice {
    /// Each `step`th of all; from the end if negative.
    pub fn step(step: i64) -> Slice {
        Slice {
            step: Some(step),
            ..Slice::default()
        }
    }
}

/// Puts a dimension of length 1 there.
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;
/// Stands for all dimensions that no other key is for.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

/// A key for one dimension, or for as many as a mask has.
#[derive(Clone, Debug)]
pub enum Index {
    At(i64),
    Slice(Slice),
    NewAxis,
    Ellipsis,
    Tensor(Tensor),
}

macro_rules! indices {
    ($($kind:ty)*) => { $(
        impl From<$kind> for Index {
            fn from(place: $kind) -> Index { Index::At(place as i64) }
        }
        impl From<Range<$kind>> for Index {
            fn from(range: Range<$kind>) -> Index {
                slice(Some(range.start as i64), Some(range.end as i64))
            }
        }
        impl From<RangeInclusive<$kind>> for Index {
            fn from(range: RangeInclusive<$kind>) -> Index {
                let last = *range.end() as i64;
                // One past -1 is the end.
                slice(Some(*range.start() as i64), (last != -1).then(|| last + 1))
            }
        }
        impl From<RangeFrom<$kind>> for Index {
            fn from(range: RangeFrom<$kind>) -> Index { slice(Some(range.start as i64), None) }
        }
        impl From<RangeTo<$kind>> for Index {
            fn from(range: RangeTo<$kind>) -> Index { slice(None, Some(range.end as i64)) }
        }
    )* };
}
indices! { i32 i64 usize }

fn slice(start: Option<i64>, stop: Option<i64>) -> Index {
    Index::Slice(Slice {
        start,
        stop,
        step: None,
    })
}
impl From<RangeFull> for Index {
    fn from(_: RangeFull) -> Index {
        slice(None, None)
    }
}
impl From<Slice> for Index {
    fn from(slice: Slice) -> Index {
        Index::Slice(slice)
    }
}
impl From<NewAxis> for Index {
    fn from(_: NewAxis) -> Index {
        Index::NewAxis
    }
}
impl From<Ellipsis> for Index {
    fn from(_: Ellipsis) -> Index {
        Index::Ellipsis
    }
}
impl From<&Tensor> for Index {
    fn from(tensor: &Tensor) -> Index {
        Index::Tensor(tensor.clone())
    }
}

/// A key, or several in brackets.
pub trait Keys {
    fn keys(self) -> Vec<Index>;
}
impl<T: Into<Index>> Keys for T {
    fn keys(self) -> Vec<Index> {
        vec![self.into()]
    }
}
impl Keys for Vec<Index> {
    fn keys(self) -> Vec<Index> {
        self
    }
}
macro_rules! tuples {
    ($(($($key:ident)*))*) => { $(
        impl<$($key: Into<Index>),*> Keys for ($($key,)*) {
            #[allow(non_snake_case)]
            fn keys(self) -> Vec<Index> {
                let ($($key,)*) = self;
                vec![$($key.into()),*]
            }
        }
    )* };
}
tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

impl Tensor {
    /// Parts, by NumPy's rules.
    ///
    /// ```
    /// # fn main() -> tenon::Result<()> {
    /// use tenon::{Ellipsis, Slice};
    /// let x = tenon::arange(12)?.reshape([3, 4])?;
    /// assert_eq!(x.i(1)?.to_vec::<i64>()?, [4, 5, 6, 7]);
    /// assert_eq!(x.i((1.., -1))?.to_vec::<i64>()?, [7, 11]);
    /// assert_eq!(x.i((Ellipsis, Slice::step(-2)))?.shape()?, [3, 2]);
    /// assert_eq!(x.i(&x.gt(9)?)?.to_vec::<i64>()?, [10, 11]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn i(&self, keys: impl Keys) -> Result<Tensor> {
        Selection::new(self, keys.keys())?.get()
    }
    /// Writes `value`, broadcast and cast, at the places of the keys.
    ///
    /// ```
    /// # fn main() -> tenon::Result<()> {
    /// let x = tenon::zeros([2, 2])?;
    /// x.set((.., 1), 5)?;
    /// assert_eq!(x.to_vec::<f32>()?, [0.0, 5.0, 0.0, 5.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set<'a>(&self, keys: impl Keys, value: impl Into<Operand<'a>>) -> Result<()> {
        Selection::new(self, keys.keys())?.set(value.into())
    }
}

/// What keys ask for: a view, then index tensors for its first dimensions.
struct Selection {
    view: Tensor,
    /// of `view`, of the next key
    axis: i64,
    /// of the dimensions `axes`
    indices: Vec<Tensor>,
    axes: Vec<i64>,
    /// places of index tensors among the keys
    groups: Vec<usize>,
    /// how to permute what is gathered; empty: not at all
    order: Vec<i64>,
    gathers: bool,
}

impl Selection {
    fn new(x: &Tensor, keys: Vec<Index>) -> Result<Selection> {
        let parts = filled_up(x, keys)?;
        let gathers = parts.iter().any(|part| matches!(part, Index::Tensor(_)));
        let (indices, axes, groups, order) = Default::default();
        let view = x.clone();
        let mut made = Selection {
            view,
            axis: 0,
            indices,
            axes,
            groups,
            order,
            gathers,
        };
        for (place, part) in parts.into_iter().enumerate() {
            made.take(part, place)?;
        }
        if !made.indices.is_empty() {
            made.move_to_front()?;
        }
        Ok(made)
    }

    fn get(&self) -> Result<Tensor> {
        if self.indices.is_empty() {
            return Ok(self.view.clone());
        }
        let found = ops::index(&self.view, &self.indices)?;
        match self.order.is_empty() {
            true => Ok(found),
            false => found.permute(self.order.clone()),
        }
    }

    fn set(&self, given: Operand) -> Result<()> {
        let dtype = self.view.dtype()?;
        let one = filled(Ints::default(), 1.into(), dtype)?;
        let mut value = given
            .tensor()
            .map_or_else(|| ops::mul(&one, given), Ok)?
            .astype(dtype)?;
        let shape = self.view.shape()?;
        if self.indices.is_empty() {
            if value.shape()? != shape {
                value = ops::broadcast_to(&value, shape)?;
            }
            return ops::copy_into(&value, &self.view);
        }
        if !self.order.is_empty() {
            value = self.in_order(&value)?;
        }
        ops::index_put(&self.view, &self.indices, &value).call_into(&self.view)
    }

    fn take(&mut self, part: Index, place: usize) -> Result<()> {
        match part {
            Index::NewAxis => {
                self.view = ops::unsqueeze(&self.view, self.axis)?;
                self.axis += 1;
            }
            Index::Slice(slice) => self.cut(slice)?,
            Index::Tensor(tensor) => {
                self.groups.push(place);
                self.take_tensor(&tensor)?;
            }
            Index::At(wanted) => self.take_one(wanted, place)?,
            Index::Ellipsis => {}
        }
        Ok(())
    }

    fn cut(&mut self, slice: Slice) -> Result<()> {
        let step = slice.step.unwrap_or(1);
        if step == 0 {
            return Err(wrong(
                ("index", "slice"),
                "a step that is not 0".into(),
                "0".into(),
            ));
        }
        if slice != Slice::default() {
            let mut cut = ops::slice(&self.view, self.axis).step(step);
            if let Some(start) = slice.start {
                cut = cut.start(start);
            }
            if let Some(stop) = slice.stop {
                cut = cut.stop(stop);
            }
            self.view = cut.call()?;
        }
        self.axis += 1;
        Ok(())
    }

    fn take_one(&mut self, wanted: i64, place: usize) -> Result<()> {
        let length = self.view.dim(self.axis)?;
        if wanted < -length || wanted >= length {
            let expected = match length {
                0 => "no place".into(),
                _ => format!("-{length} to {}", length - 1),
            };
            let operand = format!("axis {}", self.axis);
            return Err(wrong(("index", &operand), expected, wanted.to_string()));
        }
        let at = if wanted < 0 { wanted + length } else { wanted };
        if self.gathers {
            // An integer beside index tensors is one of them.
            self.groups.push(place);
            self.add_index(filled(Ints::default(), at.into(), Dtype::I64)?);
            return Ok(());
        }
        self.view = ops::slice(&self.view, self.axis)
            .start(at)
            .stop(at + 1)
            .call()?;
        self.view = ops::squeeze(&self.view).axes(self.axis).call()?;
        Ok(())
    }

    fn take_tensor(&mut self, tensor: &Tensor) -> Result<()> {
        let dtype = tensor.dtype()?;
        if dtype == Dtype::BOOL {
            return self.take_mask(tensor);
        }
        if dtype.info()?.flags & sys::TENON_DTYPE_IS_FLOAT != 0 {
            let (what, expected) = (("index", "key"), "a tensor of integers or bools");
            return Err(Error::refuse(Status::DTYPE, what, expected, dtype, ""));
        }
        let places = tensor.astype(Dtype::I64)?;
        let length = self.view.dim(self.axis)?;
        let from_end = (&places + length)?;
        let places = ops::where_(&places.lt(0)?, &from_end, &places)?;
        self.add_index(places);
        Ok(())
    }

    fn take_mask(&mut self, given: &Tensor) -> Result<()> {
        let mut mask = given.clone();
        if mask.ndim()? == 0 {
            self.view = ops::unsqueeze(&self.view, self.axis)?;
            mask = mask.reshape(1)?;
        }
        let sizes = mask.shape()?;
        for (dim, &mine) in sizes.iter().enumerate() {
            let there = self.view.dim(self.axis + dim as i64)?;
            if mine != there && mine != 0 {
                let expected = format!("length {there} of axis {dim}");
                return Err(Error::refuse(
                    Status::SHAPE,
                    ("index", "mask"),
                    expected,
                    mine,
                    "",
                ));
            }
        }
        let places = ops::nonzero(&mask)?; // a row for each place
        for dim in 0..sizes.len() as i64 {
            let column = ops::slice(&places, 1).start(dim).stop(dim + 1).call()?;
            self.add_index(ops::squeeze(&column).axes(1).call()?);
        }
        Ok(())
    }

    fn add_index(&mut self, places: Tensor) {
        self.axes.push(self.axis);
        self.axis += 1;
        self.indices.push(places);
    }

    fn move_to_front(&mut self) -> Result<()> {
        let ndim = self.view.ndim()? as i64;
        let rest: Vec<i64> = (0..ndim).filter(|axis| !self.axes.contains(axis)).collect();
        let axes: Vec<i64> = self.axes.iter().chain(&rest).copied().collect();
        if axes.windows(2).any(|pair| pair[0] > pair[1]) {
            self.view = self.view.permute(axes)?;
        }
        let before = self.axes[0];
        let neighbours = self.groups[self.groups.len() - 1] - self.groups[0] + 1;
        if neighbours != self.groups.len() || before == 0 {
            return Ok(());
        }
        let mut common = 0;
        for each in &self.indices {
            common = common.max(each.ndim()? as i64);
        }
        let after = common + before..common + rest.len() as i64;
        self.order = (common..common + before)
            .chain(0..common)
            .chain(after)
            .collect();
        Ok(())
    }

    /// A value for the result, in the order of what is gathered.
    fn in_order(&self, value: &Tensor) -> Result<Tensor> {
        let own = value.shape()?;
        let mut shape = vec![1; self.order.len().saturating_sub(own.len())];
        shape.extend_from_slice(&own);
        let mut back = vec![0; self.order.len()];
        for (place, &at) in self.order.iter().enumerate() {
            back[at as usize] = place as i64;
        }
        value.reshape(shape)?.permute(back)
    }
}

/// With slices for the ellipsis, and for dimensions that no key is for.
fn filled_up(x: &Tensor, keys: Vec<Index>) -> Result<Vec<Index>> {
    let (mut used, mut dots) = (0, 0);
    for key in &keys {
        match key {
            Index::Tensor(mask) if mask.dtype()? == Dtype::BOOL => used += mask.ndim()?,
            Index::NewAxis => {}
            Index::Ellipsis => dots += 1,
            _ => used += 1,
        }
    }
    let ndim = x.ndim()?;
    if dots > 1 {
        return Err(wrong(
            ("index", "keys"),
            "one ellipsis".into(),
            dots.to_string(),
        ));
    }
    if used > ndim {
        return Err(wrong(
            ("index", "keys"),
            format!("at most {ndim}"),
            used.to_string(),
        ));
    }
    let all = || std::iter::repeat(slice(None, None)).take(ndim - used);
    let mut parts = Vec::new();
    for key in keys {
        match key {
            // One that stands for nothing stays: it still keeps its neighbours apart.
            Index::Ellipsis if used < ndim => parts.extend(all()),
            key => parts.push(key),
        }
    }
    if dots == 0 {
        parts.extend(all());
    }
    Ok(parts)
}
