# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/__init__.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tenon import data as data, linalg as linalg, nn as nn, optim as optim, processes as processes, schedules as schedules

class Dtype:
    """The type of a tensor's elements."""

    name: _b.str
    itemsize: _b.int
    is_floating_point: _b.bool

bool: Dtype
uint8: Dtype
int8: Dtype
int16: Dtype
int32: Dtype
int64: Dtype
float16: Dtype
bfloat16: Dtype
float32: Dtype
float64: Dtype

class Op:
    """An op of the registry."""

    name: _b.str
    plugin: _b.str
    schema: _b.str
    revision: _b.int
    def __init__(self, name: _b.str) -> None: ...
    def __call__(self, *operands: Any, **attributes: Any) -> Any: ...

class _Truth(_b.int):
    def __call__(self) -> _b.bool: ...

class _Address(_b.int):
    def __call__(self) -> _b.int: ...

class Tensor:
    """An array of numbers of one dtype on one device."""

    H: Tensor
    T: Tensor
    data: Tensor
    data_ptr: _Address
    device: _b.str
    dtype: Dtype
    grad: Tensor | Any
    has_grad_rows: _b.bool
    is_contiguous: _Truth
    is_cpu: _b.bool
    is_cuda: _b.bool
    is_leaf: _b.bool
    is_read_only: _b.bool
    itemsize: _b.int
    mH: Tensor
    mT: Tensor
    nbytes: _b.int
    ndim: _b.int
    node: _b.str
    requires_grad: _b.bool
    shape: _b.tuple[_b.int, ...]
    size: _b.int
    storage: _b.int
    strides: _b.tuple[_b.int, ...]
    version: _b.int
    def add_hook(self, function: Any) -> Any:
        """Calls function(gradient) in each backward through here; what it returns, if anything, is the gradient from then on."""
        ...
    def addmm(self, a: Any, b: Any, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
        """beta x + alpha (a b)"""
        ...
    def adjoint(self) -> Tensor:
        """The last two dimensions exchanged; a view."""
        ...
    def allclose(
        self,
        b: Any,
        rtol: Any = ...,
        atol: Any = ...,
        *,
        equal_nan: Any = ...,
    ) -> _b.bool:
        """Is everything close, as `isclose` says? True or False."""
        ...
    def aminmax(self, *, dim: Any = ..., keepdim: Any = ...) -> _b.tuple[Tensor, ...]:
        """(min, max) over `dim`, or of all elements."""
        ...
    def argwhere(self) -> Tensor:
        """The indices of the elements that are not zero, one row for each."""
        ...
    def array_equal(self, b: Any) -> _b.bool:
        """Have both the same shape and elements? True or False."""
        ...
    def array_split(
        self,
        indices_or_sections: Any,
        axis: Any = ...,
        *,
        dim: Any = ...,
    ) -> _b.list[Tensor]:
        """As `split`; pieces need not be equal: the first ones are longer by one."""
        ...
    def astype(self, dtype: Any) -> Tensor:
        """The values in another dtype; the tensor itself where it has that dtype."""
        ...
    def average(self, axis: Any = ..., weights: Any = ..., *, keepdims: Any = ...) -> Tensor:
        """The mean, of which each element is as much as its weight."""
        ...
    def backward(
        self,
        grad: Any = ...,
        *,
        retain_graph: Any = ...,
        create_graph: Any = ...,
    ) -> None:
        """Adds the gradients of the tensor, times `grad`, to the leaves it was computed from."""
        ...
    def baddbmm(self, a: Any, b: Any, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
        """beta x + alpha (a b)"""
        ...
    def bfloat16(self) -> Tensor:
        """The values as bfloat16."""
        ...
    def bincount(self, weights: Any = ..., minlength: Any = ...) -> Tensor:
        """How often each of 0, 1, ..."""
        ...
    def bool(self) -> Tensor:
        """The values as bool."""
        ...
    def bucketize(self, boundaries: Any, *, right: Any = ...) -> Tensor:
        """`searchsorted` with its arguments exchanged."""
        ...
    def byte(self) -> Tensor:
        """The values as uint8."""
        ...
    def can_cast(self, to: Any) -> _b.bool:
        """Does promotion lead from the first dtype to the second?"""
        ...
    def cbrt(self) -> Tensor:
        """The third root."""
        ...
    def cdist(self, b: Any, p: Any = ...) -> Tensor:
        """The distances of the rows of `a` and of `b`."""
        ...
    def char(self) -> Tensor:
        """The values as int8."""
        ...
    def chunk(self, chunks: Any, axis: Any = ..., *, dim: Any = ...) -> _b.tuple[Tensor, ...]:
        """Views of `x` cut along `axis` into at most `chunks` pieces of one size, the last one perhaps smaller: a tuple, as PyTorch's."""
        ...
    def clip(self, min: Any = ..., max: Any = ..., *, out: Any = ...) -> Tensor:
        """Not below `min` and not above `max`; the op `clamp`."""
        ...
    def clone(self, *, layout: Any = ...) -> Tensor:
        """A copy with memory of its own; gradients flow through it."""
        ...
    def conj(self) -> Tensor:
        """`x`: there are no complex numbers."""
        ...
    def conjugate(self) -> Tensor:
        """`x`: there are no complex numbers."""
        ...
    def contiguous(self) -> Tensor:
        """The same values row-major; the tensor itself where it is so already."""
        ...
    def copy_(self, source: Any) -> Tensor:
        """Takes the values of `source`, broadcast and cast."""
        ...
    def copysign(self, b: Any) -> Tensor:
        """|a| with the sign of `b`."""
        ...
    def corrcoef(self, rowvar: Any = ...) -> Tensor:
        """The correlations of the rows of a matrix."""
        ...
    def count_nonzero(self, axis: Any = ..., *, keepdims: Any = ..., dim: Any = ...) -> Tensor:
        """How many elements are not zero."""
        ...
    def cov(self, rowvar: Any = ..., *, correction: Any = ..., ddof: Any = ...) -> Tensor:
        """The covariances of the rows of a matrix, each a variable; of its columns without `rowvar`."""
        ...
    def cpu(self) -> Tensor:
        """In host memory."""
        ...
    def cross(self, b: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """The vector product of vectors of three along `axis`, the last unless it is given."""
        ...
    def cuda(self, device: Any = ...) -> Tensor:
        """On a CUDA device, the first unless `device` says which."""
        ...
    def cumprod(
        self,
        axis: Any = ...,
        *,
        dim: Any = ...,
        reverse: Any = ...,
        exclusive: Any = ...,
        out: Any = ...,
    ) -> Tensor:
        """Products up to and with each element along `axis`; without it of `x` as a vector."""
        ...
    def cumsum(
        self,
        axis: Any = ...,
        *,
        dim: Any = ...,
        reverse: Any = ...,
        exclusive: Any = ...,
        out: Any = ...,
    ) -> Tensor:
        """Sums up to and with each element along `axis`; without it of `x` as a vector."""
        ...
    def cumulative_prod(
        self,
        *,
        axis: Any = ...,
        dtype: Any = ...,
        include_initial: Any = ...,
    ) -> Tensor:
        """Products up to and with each element; with `include_initial` that of none first."""
        ...
    def cumulative_sum(
        self,
        *,
        axis: Any = ...,
        dtype: Any = ...,
        include_initial: Any = ...,
    ) -> Tensor:
        """Sums up to and with each element; with `include_initial` that of none first."""
        ...
    def deg2rad(self) -> Tensor:
        """Degrees as radians."""
        ...
    def delete(self, index: Any, axis: Any = ...) -> Tensor:
        """`x` without place `index` along `axis`; as a vector without it."""
        ...
    def detach(self) -> Tensor:
        """The same memory without history."""
        ...
    def detach_(self) -> Tensor:
        """Refused: `x = x.detach()`."""
        ...
    def diag(self, k: Any = ..., *, diagonal: Any = ...) -> Tensor:
        """The diagonal of a matrix; of a vector a matrix with it on the diagonal, and zeros."""
        ...
    def diag_embed(self, offset: Any = ...) -> Tensor:
        """Matrices [..., n, n] with the vectors [..., n] on the diagonal `offset`, and zeros."""
        ...
    def diff(
        self,
        n: Any = ...,
        axis: Any = ...,
        *,
        dim: Any = ...,
        prepend: Any = ...,
        append: Any = ...,
    ) -> Tensor:
        """Differences of neighbours along `axis`, n times, of `x` with what comes before and after."""
        ...
    def digitize(self, bins: Any, right: Any = ...) -> Tensor:
        """In which bin each of `values` is, with its lower end, or with `right` its upper one."""
        ...
    def dim(self) -> _b.int:
        """How many dimensions there are."""
        ...
    def dist(self, b: Any, p: Any = ...) -> Tensor:
        """The norm of a - b."""
        ...
    def dot(self, b: Any, *, out: Any = ...) -> Tensor:
        """Of vectors the sum of products; of matrices the matrix product; of more dimensions sums over the last axis of `a` and the last but one of `b`, as NumPy's."""
        ...
    def double(self) -> Tensor:
        """The values as float64."""
        ...
    def element_size(self) -> _b.int:
        """The bytes of an element."""
        ...
    def empty_like(
        self,
        dtype: Any = ...,
        *,
        device: Any = ...,
        requires_grad: Any = ...,
    ) -> Tensor:
        """Zeros like `x`."""
        ...
    def expand(self, *shape: Any) -> Tensor:
        """Dimensions of length 1 repeated; a view."""
        ...
    def expand_as(self, other: Any) -> Tensor:
        """As `expand`, to the shape of `other`."""
        ...
    def expand_dims(self, axis: Any = ...) -> Tensor:
        """With a new axis of length 1 at place `axis`; with several for a tuple."""
        ...
    def extract(self, x: Any) -> Tensor:
        """The elements where the condition is not zero, a vector."""
        ...
    def fill(self, value: Any) -> None:
        """As `fill_`; returns nothing, as NumPy's."""
        ...
    def fill_(self, value: Any) -> Tensor:
        """Writes `value`, a number or a tensor of one element, everywhere."""
        ...
    def flatnonzero(self) -> Tensor:
        """The places of the elements that are not zero, of `x` as a vector."""
        ...
    def flip(
        self,
        axis: Any = ...,
        *,
        axes: Any = ...,
        dims: Any = ...,
        dim: Any = ...,
        out: Any = ...,
    ) -> Tensor:
        """In reverse order along each of the axes, or along all."""
        ...
    def fliplr(self) -> Tensor:
        """In reverse order along axis 1."""
        ...
    def flipud(self) -> Tensor:
        """In reverse order along axis 0."""
        ...
    def float(self) -> Tensor:
        """The values as float32."""
        ...
    def fmax(self, b: Any) -> Tensor:
        """The larger of two, of a NaN and a number the number."""
        ...
    def fmin(self, b: Any) -> Tensor:
        """The smaller of two, of a NaN and a number the number."""
        ...
    def fmod(self, b: Any) -> Tensor:
        """The rest of the division that is truncated: with the sign of `a`; tenon.remainder has that of `b`."""
        ...
    def frac(self) -> Tensor:
        """What follows the point, with the sign of `x`."""
        ...
    def full_like(
        self,
        fill_value: Any = ...,
        dtype: Any = ...,
        *,
        device: Any = ...,
        requires_grad: Any = ...,
        value: Any = ...,
    ) -> Tensor:
        """A tensor of one value, with the shape, and unless they are given the dtype and device, of `x`."""
        ...
    def gather(self, *arguments: Any, axis: Any = ..., dim: Any = ..., **named: Any) -> Tensor:
        """gather(x, axis, indices) or gather(x, indices, axis=...): the op tenon.gather."""
        ...
    def get_device(self) -> _b.int:
        """The number of the device among those of its kind; -1 in host memory."""
        ...
    def grad_rows(self) -> Tensor:
        """(indices, values) of a gradient that is held as rows, or None."""
        ...
    def gradient(self, spacing: Any = ..., axis: Any = ...) -> Any:
        """Half the difference of both neighbours, at the ends that to the one there is; a list for several axes."""
        ...
    def half(self) -> Tensor:
        """The values as float16."""
        ...
    def histc(self, bins: Any = ..., min: Any = ..., max: Any = ...) -> Tensor:
        """The counts of `histogram`, over min to max unless both are 0, in the dtype of `x`."""
        ...
    def histogram(self, bins: Any = ..., range: Any = ...) -> _b.tuple[Tensor, ...]:
        """(counts, edges) of `bins` parts of one width, from the least to the greatest element or over `range`; the last one has its upper end, too."""
        ...
    def imag(self) -> Tensor:
        """Zeros: there are no complex numbers."""
        ...
    def index_add(self, *arguments: Any, **named: Any) -> Tensor:
        """`index_add_` of a copy."""
        ...
    def index_add_(self, dim: Any, index: Any, source: Any, *, alpha: Any = ...) -> Tensor:
        """Adds the slices of `source` to those that `index` names along `dim`."""
        ...
    def index_copy(self, *arguments: Any, **named: Any) -> Tensor:
        """`index_copy_` of a copy."""
        ...
    def index_copy_(self, dim: Any, index: Any, source: Any) -> Tensor:
        """Writes the slices of `source` over those that `index` names along `dim`."""
        ...
    def index_fill(self, *arguments: Any, **named: Any) -> Tensor:
        """`index_fill_` of a copy."""
        ...
    def index_fill_(self, dim: Any, index: Any, value: Any) -> Tensor:
        """Writes `value` to the slices that `index` names along `dim`."""
        ...
    def index_put_(self, indices: Any, values: Any, accumulate: Any = ...) -> Tensor:
        """self[indices] = values, or += with `accumulate`, which adds all that meet."""
        ...
    def index_select(
        self,
        *arguments: Any,
        axis: Any = ...,
        dim: Any = ...,
        **named: Any,
    ) -> Tensor:
        """index_select(x, axis, indices) or index_select(x, indices, axis=...): the op tenon.index_select."""
        ...
    def info(self) -> _b.str:
        """The values with strides, storage, version and statistics, as text."""
        ...
    def inner(self, b: Any) -> Tensor:
        """Sums of products over the last axis of both."""
        ...
    def int(self) -> Tensor:
        """The values as int32."""
        ...
    def interp(self, xp: Any, fp: Any) -> Tensor:
        """The line through the points (xp, fp), xp ascending, at `x`; beside it its ends."""
        ...
    def inverse(self) -> Tensor:
        """The inverse of square matrices."""
        ...
    def is_complex(self) -> _b.bool:
        """Are the elements complex? There are none."""
        ...
    def is_floating_point(self) -> _b.bool:
        """Is the dtype one?"""
        ...
    def is_nonzero(self) -> _b.bool:
        """Is the only element not 0?"""
        ...
    def is_same_size(self, other: Any) -> _b.bool:
        """Have both the same shape?"""
        ...
    def is_signed(self) -> _b.bool:
        """Does the dtype have numbers below 0?"""
        ...
    def isclose(self, b: Any, rtol: Any = ..., atol: Any = ..., *, equal_nan: Any = ...) -> Tensor:
        """Where |a - b| <= atol + rtol |b|, or both are the same infinity; NaN to NaN if asked."""
        ...
    def isin(self, elements: Any, *, invert: Any = ...) -> Tensor:
        """Which elements are among `elements`; with `invert` which are not."""
        ...
    def item(self) -> _b.float:
        """The only element, as a Python number."""
        ...
    def kron(self, b: Any) -> Tensor:
        """Each element of `a` times all of `b`."""
        ...
    def kthvalue(
        self,
        k: Any,
        axis: Any = ...,
        *,
        dim: Any = ...,
        keepdim: Any = ...,
    ) -> _b.tuple[Tensor, ...]:
        """(values, indices) of the k-th smallest element of each line along `axis`, k from 1."""
        ...
    def logaddexp(self, b: Any) -> Tensor:
        """log(exp(a) + exp(b)), without overflow."""
        ...
    def logdet(self) -> Tensor:
        """The logarithm of determinants: NaN below 0, -inf of 0."""
        ...
    def long(self) -> Tensor:
        """The values as int64."""
        ...
    def masked_fill_(self, mask: Any, value: Any) -> Tensor:
        """Writes `value` where the mask is true."""
        ...
    def matrix_power(self, n: Any) -> Tensor:
        """The n-th power of square matrices; of the inverse for n below 0."""
        ...
    def matrix_transpose(self) -> Tensor:
        """The last two axes exchanged; a view."""
        ...
    def max(
        self,
        axis: Any = ...,
        keepdims: Any = ...,
        *,
        axes: Any = ...,
        out: Any = ...,
        **named: Any,
    ) -> Tensor:
        """The maximum over `axis`, or over all dimensions; tenon.argmax has its place."""
        ...
    def median(self, axis: Any = ..., *, keepdims: Any = ..., **named: Any) -> Tensor:
        """The middle element, of an even number the mean of both, as NumPy's."""
        ...
    def min(
        self,
        axis: Any = ...,
        keepdims: Any = ...,
        *,
        axes: Any = ...,
        out: Any = ...,
        **named: Any,
    ) -> Tensor:
        """The minimum over `axis`, or over all dimensions; tenon.argmin has its place."""
        ...
    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """Axes moved to other places, the others in their order."""
        ...
    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Axes moved to other places, the others in their order."""
        ...
    def nan_to_num(self, nan: Any = ..., posinf: Any = ..., neginf: Any = ...) -> Tensor:
        """Numbers in place of NaN and infinities: 0, and the greatest and least of the dtype."""
        ...
    def nanmean(self, axis: Any = ..., *, keepdims: Any = ..., dim: Any = ...) -> Tensor:
        """The mean of what is not NaN."""
        ...
    def nansum(self, axis: Any = ..., *, keepdims: Any = ..., dim: Any = ...) -> Tensor:
        """The sum of what is not NaN."""
        ...
    def narrow(self, axis: Any, start: Any, length: Any) -> Tensor:
        """A view of `length` places along `axis` from `start` on."""
        ...
    def ndimension(self) -> _b.int:
        """How many dimensions there are."""
        ...
    def nelement(self) -> _b.int:
        """How many elements there are."""
        ...
    def new_empty(self, *shape: Any, dtype: Any = ...) -> Tensor:
        """A tensor of 0 everywhere, of this one's dtype."""
        ...
    def new_full(self, shape: Any, value: Any, dtype: Any = ...) -> Tensor:
        """A tensor of one value, of this one's dtype."""
        ...
    def new_ones(self, *shape: Any, dtype: Any = ...) -> Tensor:
        """A tensor of 1 everywhere, of this one's dtype."""
        ...
    def new_tensor(self, data: Any) -> Tensor:
        """A tensor with a copy of `data`, of this one's dtype and device."""
        ...
    def new_zeros(self, *shape: Any, dtype: Any = ...) -> Tensor:
        """A tensor of 0 everywhere, of this one's dtype."""
        ...
    def nonzero(self) -> _b.tuple[Tensor, ...]:
        """A vector of indices for each axis of the elements that are not zero; tenon.argwhere has them as rows, which is what PyTorch's nonzero gives."""
        ...
    def norm(
        self,
        ord: Any = ...,
        axis: Any = ...,
        keepdims: Any = ...,
        *,
        p: Any = ...,
        axes: Any = ...,
        dim: Any = ...,
        keepdim: Any = ...,
    ) -> Tensor:
        """The vector norm (sum |x|^ord)^(1/ord) over `axis`, or of all elements; tenon.linalg.norm has those of matrices."""
        ...
    def normal_(self, mean: Any = ..., std: Any = ...) -> Tensor:
        """Draws normal numbers into the tensor."""
        ...
    def numel(self) -> _b.int:
        """How many elements there are."""
        ...
    def numpy(self) -> Any:
        """A NumPy array on the same memory, which both keep alive."""
        ...
    def ones_like(self, dtype: Any = ..., *, device: Any = ..., requires_grad: Any = ...) -> Tensor:
        """Ones like `x`."""
        ...
    def pad(
        self,
        pads: Any,
        *,
        axes: Any = ...,
        mode: Any = ...,
        value: Any = ...,
        constant_values: Any = ...,
    ) -> Tensor:
        """More elements on each side."""
        ...
    def partition(self, kth: Any, axis: Any = ...) -> Tensor:
        """With element `kth` of each line where it is in order: all of them are."""
        ...
    def percentile(self, q: Any, axis: Any = ..., *, keepdims: Any = ...) -> Tensor:
        """`quantile` of hundredths."""
        ...
    def permute(self, *axes: Any) -> Tensor:
        """The dimensions in another order; a view."""
        ...
    def pinverse(self, rcond: Any = ...) -> Tensor:
        """The pseudo-inverse."""
        ...
    def ptp(self, axis: Any = ..., *, keepdims: Any = ...) -> Tensor:
        """The greatest less the least element."""
        ...
    def quantile(
        self,
        q: Any,
        axis: Any = ...,
        *,
        keepdims: Any = ...,
        dim: Any = ...,
        keepdim: Any = ...,
    ) -> Tensor:
        """Where a share `q` of the elements lies below, linear between two of them; NaN if one is NaN."""
        ...
    def rad2deg(self) -> Tensor:
        """Radians as degrees."""
        ...
    def rand_like(self, dtype: Any = ...) -> Tensor:
        """`rand` of the shape, and unless it is given the dtype, of `x`."""
        ...
    def randn_like(self, dtype: Any = ...) -> Tensor:
        """`randn` of the shape, and unless it is given the dtype, of `x`."""
        ...
    def ravel(self) -> Tensor:
        """As a vector."""
        ...
    def real(self) -> Tensor:
        """`x`: there are no complex numbers."""
        ...
    def register_hook(self, function: Any) -> Any:
        """As `add_hook`; what it returns has remove()."""
        ...
    def repeat(self, repeats: Any, *more: Any, axis: Any = ...) -> Tensor:
        """Each element `repeats` times one after another along `axis`; of `x` as a vector without it."""
        ...
    def repeat_interleave(self, repeats: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """PyTorch's name of `repeat`."""
        ...
    def requires_grad_(self, wanted: Any = ...) -> Tensor:
        """Sets `requires_grad`."""
        ...
    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in another shape, of which one length may be -1."""
        ...
    def reshape_as(self, other: Any) -> Tensor:
        """In the shape of `other`."""
        ...
    def retain_grad(self, wanted: Any = ...) -> None:
        """Keeps the gradient of a tensor that is not a leaf, for `grad`."""
        ...
    def roll(
        self,
        shift: Any = ...,
        axis: Any = ...,
        *,
        shifts: Any = ...,
        axes: Any = ...,
        dims: Any = ...,
        out: Any = ...,
    ) -> Tensor:
        """Moved on by `shift` places along `axis`, the last ones to the front; without an axis as a vector."""
        ...
    def rot90(self, k: Any = ..., axes: Any = ..., *, dims: Any = ...) -> Tensor:
        """Turned by k quarters, from the first of the two axes towards the second."""
        ...
    def round(self, decimals: Any = ..., *, out: Any = ...) -> Tensor:
        """To the nearest whole number, halves to the even one; or with so many decimals."""
        ...
    def scatter(self, *arguments: Any, axis: Any = ..., dim: Any = ..., **named: Any) -> Tensor:
        """scatter(x, axis, indices) or scatter(x, indices, axis=...): the op tenon.scatter."""
        ...
    def scatter_(self, dim: Any, index: Any, src: Any) -> Tensor:
        """Writes `src`, a tensor or a number, to the places of `index` along `dim`."""
        ...
    def scatter_add(self, *arguments: Any, axis: Any = ..., dim: Any = ..., **named: Any) -> Tensor:
        """scatter_add(x, axis, indices) or scatter_add(x, indices, axis=...): the op tenon.scatter_add."""
        ...
    def scatter_add_(self, dim: Any, index: Any, src: Any) -> Tensor:
        """Adds `src` at the places of `index` along `dim`."""
        ...
    def searchsorted(
        self,
        values: Any,
        *,
        side: Any = ...,
        sorter: Any = ...,
        right: Any = ...,
    ) -> Tensor:
        """Where each of `values` has to be put into the vector `sorted` so that it stays in order: in front of equal elements, with side='right' after them."""
        ...
    def select(self, axis: Any, index: Any) -> Tensor:
        """A view of one place along `axis`, without that axis."""
        ...
    def short(self) -> Tensor:
        """The values as int16."""
        ...
    def signbit(self) -> Tensor:
        """Which are negative, -0 included."""
        ...
    def sort(self, *arguments: Any, **named: Any) -> Any:
        """Refused: NumPy's sorts in place, PyTorch's gives two tensors; `tenon.sort` gives one."""
        ...
    def split(
        self,
        indices_or_sections: Any = ...,
        axis: Any = ...,
        *,
        dim: Any = ...,
        sizes: Any = ...,
    ) -> _b.list[Tensor]:
        """Views of `x` cut along `axis`, a list, as NumPy does it: a number says how many equal pieces, a list before which places to cut."""
        ...
    def split_with_sizes(self, split_sizes: Any, dim: Any = ...) -> _b.list[Tensor]:
        """Pieces of these sizes along `dim`."""
        ...
    def std(
        self,
        axis: Any = ...,
        *,
        correction: Any = ...,
        keepdims: Any = ...,
        axes: Any = ...,
        ddof: Any = ...,
        **named: Any,
    ) -> Tensor:
        """The standard deviation over `axis`, or over all dimensions, with a division by n - correction, which is n unless it is given."""
        ...
    def stride(self, axis: Any = ...) -> Any:
        """Steps between neighbours, in elements."""
        ...
    def swapaxes(self, axis0: Any, axis1: Any) -> Tensor:
        """Two axes exchanged; a view."""
        ...
    def swapdims(self, axis0: Any, axis1: Any) -> Tensor:
        """Two axes exchanged; a view."""
        ...
    def t(self) -> Tensor:
        """A matrix with its axes exchanged; a vector as it is."""
        ...
    def take(self, indices: Any, axis: Any = ..., *, dim: Any = ..., out: Any = ...) -> Tensor:
        """The slices of `x` that `indices` names along `axis`; without it elements of `x` as a vector."""
        ...
    def take_along_dim(self, indices: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """PyTorch's name of `take_along_axis`; without an axis of `x` as a vector."""
        ...
    def tensor_split(self, indices_or_sections: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """As `split`; pieces need not be equal: the first ones are longer by one."""
        ...
    def tensordot(self, b: Any, axes: Any = ..., *, dims: Any = ...) -> Tensor:
        """Sums of products over the last `axes` axes of `a` and the first ones of `b`, or over the axes of a pair of lists."""
        ...
    def tile(self, *times: Any, repetitions: Any = ..., reps: Any = ..., dims: Any = ...) -> Tensor:
        """The whole, one after another along each axis: tile(x, 2, 1) or tile(x, (2, 1))."""
        ...
    def to(self, target: Any = ..., dtype: Any = ..., *, device: Any = ...) -> Tensor:
        """On another device ('cpu', 'cuda:1'), in another dtype, or both; itself where it is that."""
        ...
    def to_device(self, device: Any, *, stream: Any = ...) -> Tensor:
        """On another device; itself where it is there."""
        ...
    def tolist(self) -> Any:
        """The values as nested lists of Python numbers; one number for rank 0."""
        ...
    def trace(self, *, offset: Any = ..., dtype: Any = ...) -> Tensor:
        """The sum of the diagonal of the matrices in the last two axes."""
        ...
    def transpose(
        self,
        *axes: Any,
        axis0: Any = ...,
        axis1: Any = ...,
        dim0: Any = ...,
        dim1: Any = ...,
    ) -> Tensor:
        """Axes in reverse order; transpose(x, 0, 1): two axes exchanged; transpose(x, (2, 0, 1)): in that order."""
        ...
    def trapezoid(self, x: Any = ..., dx: Any = ..., axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """The area under the line through (x, y), or with steps of dx."""
        ...
    def tril(self, k: Any = ..., *, diagonal: Any = ...) -> Tensor:
        """With zeros above diagonal `k` of the matrices in the last two axes."""
        ...
    def triu(self, k: Any = ..., *, diagonal: Any = ...) -> Tensor:
        """With zeros below diagonal `k` of the matrices in the last two axes."""
        ...
    def type(self, dtype: Any = ...) -> Any:
        """The values in that dtype; without one the name of the tensor's."""
        ...
    def type_as(self, other: Any) -> Tensor:
        """The values in the dtype of `other`."""
        ...
    def unbind(self, axis: Any = ..., *, dim: Any = ...) -> _b.tuple[Tensor, ...]:
        """A view for each place along `axis`, without that axis: a tuple."""
        ...
    def unflatten(self, axis: Any, sizes: Any) -> Tensor:
        """Axis `axis` as several axes of these lengths."""
        ...
    def uniform_(self, low: Any = ..., high: Any = ...) -> Tensor:
        """Draws uniform numbers into the tensor."""
        ...
    def unique(
        self,
        *,
        return_index: Any = ...,
        return_inverse: Any = ...,
        return_counts: Any = ...,
    ) -> Any:
        """The different elements in ascending order, and what is asked for: where each is found first, which one every element is, how often each is there."""
        ...
    def unique_all(self) -> _b.tuple[Tensor, ...]:
        """(values, indices, inverse_indices, counts) of the different elements."""
        ...
    def unique_consecutive(self) -> Tensor:
        """The first of equal elements that follow one another, of `x` as a vector."""
        ...
    def unique_counts(self) -> _b.tuple[Tensor, ...]:
        """(values, counts) of the different elements."""
        ...
    def unique_inverse(self) -> _b.tuple[Tensor, ...]:
        """(values, inverse_indices) of the different elements."""
        ...
    def unique_values(self) -> Tensor:
        """The different elements in ascending order."""
        ...
    def unstack(self, axis: Any = ..., *, dim: Any = ...) -> _b.tuple[Tensor, ...]:
        """A view for each place along `axis`, without that axis: a tuple."""
        ...
    def var(
        self,
        axis: Any = ...,
        *,
        correction: Any = ...,
        keepdims: Any = ...,
        axes: Any = ...,
        ddof: Any = ...,
        **named: Any,
    ) -> Tensor:
        """The variance over `axis`, or over all dimensions, with a division by n - correction, which is n unless it is given."""
        ...
    def vecdot(self, b: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
        """Sums of products along `axis`, the last unless it is given; the others are broadcast."""
        ...
    def view(self, *shape: Any) -> Tensor:
        """As `reshape`, but an error where elements would have to move."""
        ...
    def view_as(self, other: Any) -> Tensor:
        """As `view`, in the shape of `other`."""
        ...
    def zero_(self) -> Tensor:
        """Writes 0 everywhere."""
        ...
    def zeros_like(
        self,
        dtype: Any = ...,
        *,
        device: Any = ...,
        requires_grad: Any = ...,
    ) -> Tensor:
        """Zeros like `x`."""
        ...
    def abs(self, *, out: Tensor | None = None) -> Tensor: ...
    def absolute(self, *, out: Tensor | None = None) -> Tensor: ...
    def acos(self, *, out: Tensor | None = None) -> Tensor: ...
    def acosh(self, *, out: Tensor | None = None) -> Tensor: ...
    def adaptive_avg_pool(
        self,
        size: _b.int | Sequence[_b.int] = ...,
        *,
        output_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def adaptive_avg_pool_grad(
        self,
        size: _b.int | Sequence[_b.int] = ...,
        *,
        output_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def add(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def addcdiv(
        self,
        a: _Operand,
        b: _Operand,
        value: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def addcmul(
        self,
        a: _Operand,
        b: _Operand,
        value: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def all(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def all_gather(self, group: _b.int = ..., *, out: Tensor | None = None) -> Tensor: ...
    def all_reduce(
        self,
        group: _b.int = ...,
        reduction: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def all_reduce_sum(
        self,
        group: _b.int = ...,
        reduction: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def all_to_all(self, group: _b.int = ..., *, out: Tensor | None = None) -> Tensor: ...
    def amax(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def amin(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def any(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def arccos(self, *, out: Tensor | None = None) -> Tensor: ...
    def arccosh(self, *, out: Tensor | None = None) -> Tensor: ...
    def arcsin(self, *, out: Tensor | None = None) -> Tensor: ...
    def arcsinh(self, *, out: Tensor | None = None) -> Tensor: ...
    def arctan(self, *, out: Tensor | None = None) -> Tensor: ...
    def arctan2(self, x: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def arctanh(self, *, out: Tensor | None = None) -> Tensor: ...
    def argmax(
        self,
        axis: _b.int | None = ...,
        keepdims: _b.bool = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def argmin(
        self,
        axis: _b.int | None = ...,
        keepdims: _b.bool = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def argsort(
        self,
        axis: _b.int = ...,
        *,
        descending: _b.bool = ...,
        stable: _b.bool = ...,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def asin(self, *, out: Tensor | None = None) -> Tensor: ...
    def asinh(self, *, out: Tensor | None = None) -> Tensor: ...
    def atan(self, *, out: Tensor | None = None) -> Tensor: ...
    def atan2(self, x: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def atanh(self, *, out: Tensor | None = None) -> Tensor: ...
    def attention(
        self,
        k: _Operand,
        v: _Operand,
        mask: _Operand | None = None,
        bias: _Operand | None = None,
        lengths: _Operand | None = None,
        start: _Operand | None = None,
        *,
        causal: _b.bool = ...,
        window: _b.int = ...,
        scale: _b.float | None = ...,
        soft_cap: _b.float = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def attention_grad(
        self,
        q: _Operand,
        k: _Operand,
        v: _Operand,
        mask: _Operand | None = None,
        bias: _Operand | None = None,
        lengths: _Operand | None = None,
        start: _Operand | None = None,
        *,
        causal: _b.bool = ...,
        window: _b.int = ...,
        scale: _b.float | None = ...,
        soft_cap: _b.float = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def attention_mask(
        self,
        start: _Operand | None = None,
        *,
        queries: _b.int,
        keys: _b.int,
        causal: _b.bool = ...,
        window: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def attention_weights(
        self,
        k: _Operand,
        mask: _Operand | None = None,
        bias: _Operand | None = None,
        lengths: _Operand | None = None,
        start: _Operand | None = None,
        *,
        causal: _b.bool = ...,
        window: _b.int = ...,
        scale: _b.float | None = ...,
        soft_cap: _b.float = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def avg_pool(
        self,
        kernel: _b.int | Sequence[_b.int] = ...,
        stride: _b.int | Sequence[_b.int] | None = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        *,
        ceil_mode: _b.bool = ...,
        count_include_pad: _b.bool = ...,
        auto_pad: _b.str = ...,
        kernel_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def avg_pool_grad(
        self,
        size: _b.int | Sequence[_b.int] = ...,
        kernel: _b.int | Sequence[_b.int] = ...,
        stride: _b.int | Sequence[_b.int] | None = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        *,
        ceil_mode: _b.bool = ...,
        count_include_pad: _b.bool = ...,
        auto_pad: _b.str = ...,
        output_size: _b.int | Sequence[_b.int] = ...,
        kernel_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def batch_norm(
        self,
        weight: _Operand | None = None,
        bias: _Operand | None = None,
        mean: _Operand | None = None,
        variance: _Operand | None = None,
        eps: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def batch_norm_grad(
        self,
        x: _Operand,
        weight: _Operand | None = None,
        mean: _Operand | None = None,
        variance: _Operand | None = None,
        eps: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def bernoulli(self, *, out: Tensor | None = None) -> Tensor: ...
    def binary_cross_entropy_with_logits(
        self,
        target: _Operand,
        weight: _Operand | None = None,
        pos_weight: _Operand | None = None,
        reduction: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def bitwise_and(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def bitwise_invert(self, *, out: Tensor | None = None) -> Tensor: ...
    def bitwise_left_shift(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def bitwise_not(self, *, out: Tensor | None = None) -> Tensor: ...
    def bitwise_or(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def bitwise_right_shift(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def bitwise_xor(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def bmm(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def broadcast(
        self,
        group: _b.int = ...,
        root: _b.int = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def broadcast_to(
        self,
        shape: _b.int | Sequence[_b.int],
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def cache_append(
        self,
        rows: _Operand,
        start: _Operand,
        *,
        out: Sequence[Tensor] | None = None,
    ) -> None: ...
    def cast(self, dtype: _DtypeLike, *, out: Tensor | None = None) -> Tensor: ...
    def ceil(self, *, out: Tensor | None = None) -> Tensor: ...
    def cholesky(self, *, upper: _b.bool = ..., out: Tensor | None = None) -> Tensor: ...
    def clamp(
        self,
        min: _Operand | None = None,
        max: _Operand | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def clamp_max(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def clamp_min(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def cofactors(self, *, out: Tensor | None = None) -> Tensor: ...
    def col2im(
        self,
        size: _b.int | Sequence[_b.int] = ...,
        kernel: _b.int | Sequence[_b.int] = ...,
        stride: _b.int | Sequence[_b.int] = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        dilation: _b.int | Sequence[_b.int] = ...,
        auto_pad: _b.str = ...,
        *,
        output_size: _b.int | Sequence[_b.int] = ...,
        kernel_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def conv(
        self,
        weight: _Operand,
        bias: _Operand | None = None,
        stride: _b.int | Sequence[_b.int] = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        dilation: _b.int | Sequence[_b.int] = ...,
        groups: _b.int = ...,
        auto_pad: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def conv_input_grad(
        self,
        weight: _Operand,
        size: _b.int | Sequence[_b.int] = ...,
        stride: _b.int | Sequence[_b.int] = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        dilation: _b.int | Sequence[_b.int] = ...,
        groups: _b.int = ...,
        auto_pad: _b.str = ...,
        *,
        output_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def conv_weight_grad(
        self,
        x: _Operand,
        kernel: _b.int | Sequence[_b.int] = ...,
        stride: _b.int | Sequence[_b.int] = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        dilation: _b.int | Sequence[_b.int] = ...,
        groups: _b.int = ...,
        auto_pad: _b.str = ...,
        *,
        kernel_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def copy(self, *, out: Tensor | None = None) -> Tensor: ...
    def cos(self, *, out: Tensor | None = None) -> Tensor: ...
    def cosh(self, *, out: Tensor | None = None) -> Tensor: ...
    def cosine_embedding_loss(
        self,
        b: _Operand,
        target: _Operand,
        reduction: _b.str = ...,
        margin: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def cosine_similarity(
        self,
        b: _Operand,
        axis: _b.int = ...,
        eps: _b.float = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def ctc_loss(
        self,
        targets: _Operand,
        input_lengths: _Operand,
        target_lengths: _Operand,
        blank: _b.int = ...,
        reduction: _b.str = ...,
        *,
        zero_infinity: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def ctc_nll(
        self,
        targets: _Operand,
        input_lengths: _Operand,
        target_lengths: _Operand,
        blank: _b.int = ...,
        *,
        zero_infinity: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def ctc_nll_grad(
        self,
        log_probs: _Operand,
        targets: _Operand,
        input_lengths: _Operand,
        target_lengths: _Operand,
        blank: _b.int = ...,
        *,
        zero_infinity: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def cummax(
        self,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def cummin(
        self,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def det(self, *, out: Tensor | None = None) -> Tensor: ...
    def diagonal(
        self,
        offset: _b.int = ...,
        axis0: _b.int = ...,
        axis1: _b.int = ...,
        *,
        dim0: _b.int = ...,
        dim1: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def digamma(self, *, out: Tensor | None = None) -> Tensor: ...
    def div(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def divide(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def dropout(self, p: _b.float = ..., *, out: Tensor | None = None) -> Tensor: ...
    def eigh(self, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor]: ...
    def elu(self, alpha: _b.float = ..., *, out: Tensor | None = None) -> Tensor: ...
    def embedding(self, indices: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def eq(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def equal(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def erf(self, *, out: Tensor | None = None) -> Tensor: ...
    def erfinv(self, *, out: Tensor | None = None) -> Tensor: ...
    def exp(self, *, out: Tensor | None = None) -> Tensor: ...
    def exp2(self, *, out: Tensor | None = None) -> Tensor: ...
    def expm1(self, *, out: Tensor | None = None) -> Tensor: ...
    def filter_logits(
        self,
        temperature: _b.float = ...,
        top_k: _b.int = ...,
        top_p: _b.float = ...,
        min_p: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def fix(self, *, out: Tensor | None = None) -> Tensor: ...
    def flatten(
        self,
        start_axis: _b.int = ...,
        end_axis: _b.int = ...,
        *,
        start_dim: _b.int = ...,
        end_dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def floor(self, *, out: Tensor | None = None) -> Tensor: ...
    def floor_divide(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def fma(self, b: _Operand, c: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def ge(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def geglu(
        self,
        axis: _b.int = ...,
        approximate: _b.str = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def geglu_grad(
        self,
        x: _Operand,
        axis: _b.int = ...,
        approximate: _b.str = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def gelu(self, approximate: _b.str = ..., *, out: Tensor | None = None) -> Tensor: ...
    def gelu_grad(
        self,
        x: _Operand,
        approximate: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def ger(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def glu(
        self,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def glu_grad(
        self,
        x: _Operand,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def greater(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def greater_equal(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def group_norm(
        self,
        weight: _Operand | None = None,
        bias: _Operand | None = None,
        *,
        groups: _b.int,
        eps: _b.float = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def gru(
        self,
        w_ih: _Operand,
        w_hh: _Operand,
        h0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        lengths: _Operand | None = None,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        reset_after: _b.bool = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def gru_cell(
        self,
        w_ih: _Operand,
        w_hh: _Operand,
        h0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        *,
        reset_after: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def gru_steps(
        self,
        w_hh: _Operand,
        h0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        lengths: _Operand | None = None,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        reset_after: _b.bool = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def gru_steps_grad(
        self,
        states: _Operand,
        w_hh: _Operand,
        dy: _Operand | None = None,
        dh_n: _Operand | None = None,
        lengths: _Operand | None = None,
        dkept: _Operand | None = None,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        reset_after: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def gt(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def hardswish(self, *, out: Tensor | None = None) -> Tensor: ...
    def huber_loss(
        self,
        target: _Operand,
        reduction: _b.str = ...,
        delta: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def hypot(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def im2col(
        self,
        kernel: _b.int | Sequence[_b.int] = ...,
        stride: _b.int | Sequence[_b.int] = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        dilation: _b.int | Sequence[_b.int] = ...,
        auto_pad: _b.str = ...,
        *,
        kernel_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def index(self, indices: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
    def index_put(
        self,
        indices: Sequence[Tensor],
        values: _Operand,
        *,
        accumulate: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def instance_norm(
        self,
        weight: _Operand | None = None,
        bias: _Operand | None = None,
        eps: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def invert(self, *, out: Tensor | None = None) -> Tensor: ...
    def isfinite(self, *, out: Tensor | None = None) -> Tensor: ...
    def isinf(self, *, out: Tensor | None = None) -> Tensor: ...
    def isnan(self, *, out: Tensor | None = None) -> Tensor: ...
    def kl_div(
        self,
        target: _Operand,
        reduction: _b.str = ...,
        *,
        log_target: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def l1_loss(
        self,
        target: _Operand,
        reduction: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def layer_norm(
        self,
        weight: _Operand | None = None,
        bias: _Operand | None = None,
        dims: _b.int = ...,
        eps: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def layer_norm_grad(
        self,
        x: _Operand,
        weight: _Operand | None = None,
        dims: _b.int = ...,
        eps: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def le(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def leaky_relu(self, negative_slope: _b.float = ..., *, out: Tensor | None = None) -> Tensor: ...
    def left_shift(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def lerp(self, end: _Operand, weight: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def less(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def less_equal(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def lgamma(self, *, out: Tensor | None = None) -> Tensor: ...
    def linear(
        self,
        weight: _Operand,
        bias: _Operand | None = None,
        activation: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def linear_recurrence(
        self,
        b: _Operand,
        axis: _b.int = ...,
        *,
        reverse: _b.bool = ...,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def log(self, *, out: Tensor | None = None) -> Tensor: ...
    def log10(self, *, out: Tensor | None = None) -> Tensor: ...
    def log1p(self, *, out: Tensor | None = None) -> Tensor: ...
    def log2(self, *, out: Tensor | None = None) -> Tensor: ...
    def log_softmax(
        self,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def logical_and(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def logical_not(self, *, out: Tensor | None = None) -> Tensor: ...
    def logical_or(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def logical_xor(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def logsigmoid(self, *, out: Tensor | None = None) -> Tensor: ...
    def logsumexp(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def lstm(
        self,
        w_ih: _Operand,
        w_hh: _Operand,
        h0: _Operand | None = None,
        c0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        w_hr: _Operand | None = None,
        lengths: _Operand | None = None,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor, Tensor]: ...
    def lstm_cell(
        self,
        w_ih: _Operand,
        w_hh: _Operand,
        h0: _Operand | None = None,
        c0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        w_hr: _Operand | None = None,
        *,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def lstm_steps(
        self,
        w_hh: _Operand,
        h0: _Operand | None = None,
        c0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        w_hr: _Operand | None = None,
        lengths: _Operand | None = None,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor, Tensor]: ...
    def lstm_steps_grad(
        self,
        cells: _Operand,
        w_hh: _Operand,
        dy: _Operand | None = None,
        dh_n: _Operand | None = None,
        dc_n: _Operand | None = None,
        c0: _Operand | None = None,
        w_hr: _Operand | None = None,
        lengths: _Operand | None = None,
        dkept: _Operand | None = None,
        dcells: _Operand | None = None,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def lt(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def masked_fill(self, mask: _Operand, value: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def masked_select(self, mask: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def matmul(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def max_pool(
        self,
        kernel: _b.int | Sequence[_b.int] = ...,
        stride: _b.int | Sequence[_b.int] | None = ...,
        padding: _b.int | Sequence[_b.int] = ...,
        dilation: _b.int | Sequence[_b.int] = ...,
        *,
        ceil_mode: _b.bool = ...,
        auto_pad: _b.str = ...,
        kernel_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def max_pool_grad(
        self,
        positions: _Operand,
        size: _b.int | Sequence[_b.int] = ...,
        *,
        output_size: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def maximum(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def mean(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def minimum(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def mish(self, *, out: Tensor | None = None) -> Tensor: ...
    def mm(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def mod(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def mse_loss(
        self,
        target: _Operand,
        reduction: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def mul(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def multinomial(
        self,
        num_samples: _b.int,
        *,
        replacement: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def multiply(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def mv(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def ne(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def neg(self, *, out: Tensor | None = None) -> Tensor: ...
    def negative(self, *, out: Tensor | None = None) -> Tensor: ...
    def nextafter(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def nll_loss(
        self,
        target: _Operand,
        weight: _Operand | None = None,
        ignore_index: _b.int = ...,
        reduction: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def nonzero_static(
        self,
        size: _b.int = ...,
        fill: _b.int = ...,
        *,
        output_size: _b.int = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def not_equal(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def one_hot(
        self,
        classes: _b.int = ...,
        dtype: _DtypeLike = ...,
        *,
        num_classes: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def outer(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def permute_dims(
        self,
        axes: _b.int | Sequence[_b.int] = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def positive(self, *, out: Tensor | None = None) -> Tensor: ...
    def pow(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def power(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def prod(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def qr(
        self,
        mode: _b.str = ...,
        *,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def reciprocal(self, *, out: Tensor | None = None) -> Tensor: ...
    def reduce_scatter(self, group: _b.int = ..., *, out: Tensor | None = None) -> Tensor: ...
    def relu(self, *, out: Tensor | None = None) -> Tensor: ...
    def remainder(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def repetition_penalty(
        self,
        tokens: _Operand,
        penalty: _b.float,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def right_shift(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def rint(self, *, out: Tensor | None = None) -> Tensor: ...
    def rms_norm(
        self,
        weight: _Operand | None = None,
        dims: _b.int = ...,
        eps: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def rms_norm_grad(
        self,
        x: _Operand,
        weight: _Operand | None = None,
        dims: _b.int = ...,
        eps: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def rnn(
        self,
        w_ih: _Operand,
        w_hh: _Operand,
        h0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        lengths: _Operand | None = None,
        activation: _b.str = ...,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def rnn_cell(
        self,
        w_ih: _Operand,
        w_hh: _Operand,
        h0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        activation: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def rnn_steps(
        self,
        w_hh: _Operand,
        h0: _Operand | None = None,
        b_ih: _Operand | None = None,
        b_hh: _Operand | None = None,
        lengths: _Operand | None = None,
        activation: _b.str = ...,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def rnn_steps_grad(
        self,
        w_hh: _Operand,
        dy: _Operand | None = None,
        dh_n: _Operand | None = None,
        lengths: _Operand | None = None,
        activation: _b.str = ...,
        *,
        reverse: _b.bool = ...,
        batch_first: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def rope(
        self,
        cos: _Operand,
        sin: _Operand,
        positions: _Operand | None = None,
        layout: _b.str = ...,
        offset: _b.int = ...,
        *,
        inverse: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def rows_add(
        self,
        indices: _Operand,
        values: _Operand,
        *,
        out: Sequence[Tensor] | None = None,
    ) -> None: ...
    def rows_put(
        self,
        indices: _Operand,
        values: _Operand,
        *,
        out: Sequence[Tensor] | None = None,
    ) -> None: ...
    def rsqrt(self, *, out: Tensor | None = None) -> Tensor: ...
    def runs(self, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor]: ...
    def sample(
        self,
        temperature: _b.float = ...,
        top_k: _b.int = ...,
        top_p: _b.float = ...,
        min_p: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def selu(self, *, out: Tensor | None = None) -> Tensor: ...
    def sgn(self, *, out: Tensor | None = None) -> Tensor: ...
    def sigmoid(self, *, out: Tensor | None = None) -> Tensor: ...
    def sign(self, *, out: Tensor | None = None) -> Tensor: ...
    def silu(self, *, out: Tensor | None = None) -> Tensor: ...
    def sin(self, *, out: Tensor | None = None) -> Tensor: ...
    def sinh(self, *, out: Tensor | None = None) -> Tensor: ...
    def slice(
        self,
        axis: _b.int = ...,
        start: _b.int | None = ...,
        stop: _b.int | None = ...,
        step: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        end: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def slice_put(
        self,
        shape: _b.int | Sequence[_b.int],
        axis: _b.int = ...,
        start: _b.int = ...,
        step: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def slogdet(self, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor]: ...
    def smooth_l1_loss(
        self,
        target: _Operand,
        reduction: _b.str = ...,
        beta: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def softmax(
        self,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def softmax_cross_entropy(
        self,
        target: _Operand,
        weight: _Operand | None = None,
        ignore_index: _b.int = ...,
        label_smoothing: _b.float = ...,
        reduction: _b.str = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def softmax_cross_entropy_grad(
        self,
        logits: _Operand,
        top: _Operand,
        top_prob: _Operand,
        target: _Operand,
        ignore_index: _b.int = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def softplus(
        self,
        beta: _b.float = ...,
        threshold: _b.float = ...,
        *,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def solve(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def solve_triangular(
        self,
        b: _Operand,
        *,
        upper: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def sqrt(self, *, out: Tensor | None = None) -> Tensor: ...
    def square(self, *, out: Tensor | None = None) -> Tensor: ...
    def squeeze(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def sub(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def subtract(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def sum(
        self,
        axes: _b.int | Sequence[_b.int] | None = ...,
        keepdims: _b.bool = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        keepdim: _b.bool = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def sum_to(self, shape: _b.int | Sequence[_b.int], *, out: Tensor | None = None) -> Tensor: ...
    def svd(self, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor, Tensor]: ...
    def swiglu(
        self,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def swiglu_grad(
        self,
        x: _Operand,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def take_along_axis(
        self,
        indices: _Operand,
        axis: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def tan(self, *, out: Tensor | None = None) -> Tensor: ...
    def tanh(self, *, out: Tensor | None = None) -> Tensor: ...
    def topk(
        self,
        k: _b.int,
        axis: _b.int = ...,
        *,
        largest: _b.bool = ...,
        sorted: _b.bool = ...,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Sequence[Tensor] | None = None,
    ) -> _b.tuple[Tensor, Tensor]: ...
    def trigamma(self, *, out: Tensor | None = None) -> Tensor: ...
    def true_divide(self, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def trunc(self, *, out: Tensor | None = None) -> Tensor: ...
    def unfold(
        self,
        axis: _b.int = ...,
        size: _b.int = ...,
        step: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        output_size: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def unfold_add(
        self,
        axis: _b.int = ...,
        length: _b.int = ...,
        step: _b.int = ...,
        *,
        axes: _b.int = ...,
        dim: _b.int = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def unsqueeze(
        self,
        axes: _b.int | Sequence[_b.int] = ...,
        *,
        axis: _b.int | Sequence[_b.int] = ...,
        dim: _b.int | Sequence[_b.int] = ...,
        dims: _b.int | Sequence[_b.int] = ...,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def where(self, a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor: ...
    def abs_(self) -> Tensor: ...
    def acos_(self) -> Tensor: ...
    def acosh_(self) -> Tensor: ...
    def add_(self, b: _Operand) -> Tensor: ...
    def addcdiv_(self, a: _Operand, b: _Operand, value: _b.float = ...) -> Tensor: ...
    def addcmul_(self, a: _Operand, b: _Operand, value: _b.float = ...) -> Tensor: ...
    def asin_(self) -> Tensor: ...
    def asinh_(self) -> Tensor: ...
    def atan_(self) -> Tensor: ...
    def atan2_(self, x: _Operand) -> Tensor: ...
    def atanh_(self) -> Tensor: ...
    def bitwise_and_(self, b: _Operand) -> Tensor: ...
    def bitwise_left_shift_(self, b: _Operand) -> Tensor: ...
    def bitwise_not_(self) -> Tensor: ...
    def bitwise_or_(self, b: _Operand) -> Tensor: ...
    def bitwise_right_shift_(self, b: _Operand) -> Tensor: ...
    def bitwise_xor_(self, b: _Operand) -> Tensor: ...
    def cast_(self, dtype: _DtypeLike) -> Tensor: ...
    def ceil_(self) -> Tensor: ...
    def clamp_(self, min: _Operand | None = None, max: _Operand | None = None) -> Tensor: ...
    def cos_(self) -> Tensor: ...
    def cosh_(self) -> Tensor: ...
    def digamma_(self) -> Tensor: ...
    def div_(self, b: _Operand) -> Tensor: ...
    def elu_(self, alpha: _b.float = ...) -> Tensor: ...
    def eq_(self, b: _Operand) -> Tensor: ...
    def erf_(self) -> Tensor: ...
    def erfinv_(self) -> Tensor: ...
    def exp_(self) -> Tensor: ...
    def exp2_(self) -> Tensor: ...
    def expm1_(self) -> Tensor: ...
    def floor_(self) -> Tensor: ...
    def floor_divide_(self, b: _Operand) -> Tensor: ...
    def fma_(self, b: _Operand, c: _Operand) -> Tensor: ...
    def full_like_(self, value: _b.float = ...) -> Tensor: ...
    def ge_(self, b: _Operand) -> Tensor: ...
    def gelu_(self, approximate: _b.str = ...) -> Tensor: ...
    def gelu_grad_(self, x: _Operand, approximate: _b.str = ...) -> Tensor: ...
    def gt_(self, b: _Operand) -> Tensor: ...
    def hardswish_(self) -> Tensor: ...
    def hypot_(self, b: _Operand) -> Tensor: ...
    def isfinite_(self) -> Tensor: ...
    def isinf_(self) -> Tensor: ...
    def isnan_(self) -> Tensor: ...
    def le_(self, b: _Operand) -> Tensor: ...
    def leaky_relu_(self, negative_slope: _b.float = ...) -> Tensor: ...
    def lerp_(self, end: _Operand, weight: _Operand) -> Tensor: ...
    def lgamma_(self) -> Tensor: ...
    def log_(self) -> Tensor: ...
    def log10_(self) -> Tensor: ...
    def log1p_(self) -> Tensor: ...
    def log2_(self) -> Tensor: ...
    def logical_and_(self, b: _Operand) -> Tensor: ...
    def logical_not_(self) -> Tensor: ...
    def logical_or_(self, b: _Operand) -> Tensor: ...
    def logical_xor_(self, b: _Operand) -> Tensor: ...
    def logsigmoid_(self) -> Tensor: ...
    def lt_(self, b: _Operand) -> Tensor: ...
    def maximum_(self, b: _Operand) -> Tensor: ...
    def minimum_(self, b: _Operand) -> Tensor: ...
    def mish_(self) -> Tensor: ...
    def mul_(self, b: _Operand) -> Tensor: ...
    def ne_(self, b: _Operand) -> Tensor: ...
    def neg_(self) -> Tensor: ...
    def nextafter_(self, b: _Operand) -> Tensor: ...
    def pow_(self, b: _Operand) -> Tensor: ...
    def reciprocal_(self) -> Tensor: ...
    def relu_(self) -> Tensor: ...
    def remainder_(self, b: _Operand) -> Tensor: ...
    def round_(self) -> Tensor: ...
    def rsqrt_(self) -> Tensor: ...
    def selu_(self) -> Tensor: ...
    def sigmoid_(self) -> Tensor: ...
    def sign_(self) -> Tensor: ...
    def silu_(self) -> Tensor: ...
    def sin_(self) -> Tensor: ...
    def sinh_(self) -> Tensor: ...
    def softplus_(self, beta: _b.float = ..., threshold: _b.float = ...) -> Tensor: ...
    def sqrt_(self) -> Tensor: ...
    def square_(self) -> Tensor: ...
    def sub_(self, b: _Operand) -> Tensor: ...
    def tan_(self) -> Tensor: ...
    def tanh_(self) -> Tensor: ...
    def trigamma_(self) -> Tensor: ...
    def trunc_(self) -> Tensor: ...
    def where_(self, a: _Operand, b: _Operand) -> Tensor: ...
    def __add__(self, other: _Operand) -> Tensor: ...
    def __radd__(self, other: _Operand) -> Tensor: ...
    def __sub__(self, other: _Operand) -> Tensor: ...
    def __rsub__(self, other: _Operand) -> Tensor: ...
    def __mul__(self, other: _Operand) -> Tensor: ...
    def __rmul__(self, other: _Operand) -> Tensor: ...
    def __truediv__(self, other: _Operand) -> Tensor: ...
    def __rtruediv__(self, other: _Operand) -> Tensor: ...
    def __floordiv__(self, other: _Operand) -> Tensor: ...
    def __rfloordiv__(self, other: _Operand) -> Tensor: ...
    def __mod__(self, other: _Operand) -> Tensor: ...
    def __rmod__(self, other: _Operand) -> Tensor: ...
    def __pow__(self, other: _Operand) -> Tensor: ...
    def __rpow__(self, other: _Operand) -> Tensor: ...
    def __matmul__(self, other: _Operand) -> Tensor: ...
    def __rmatmul__(self, other: _Operand) -> Tensor: ...
    def __and__(self, other: _Operand) -> Tensor: ...
    def __rand__(self, other: _Operand) -> Tensor: ...
    def __or__(self, other: _Operand) -> Tensor: ...
    def __ror__(self, other: _Operand) -> Tensor: ...
    def __xor__(self, other: _Operand) -> Tensor: ...
    def __rxor__(self, other: _Operand) -> Tensor: ...
    def __lshift__(self, other: _Operand) -> Tensor: ...
    def __rlshift__(self, other: _Operand) -> Tensor: ...
    def __rshift__(self, other: _Operand) -> Tensor: ...
    def __rrshift__(self, other: _Operand) -> Tensor: ...
    def __eq__(self, other: _b.object) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: _b.object) -> Tensor: ...  # type: ignore[override]
    def __lt__(self, other: _b.object) -> Tensor: ...
    def __le__(self, other: _b.object) -> Tensor: ...
    def __gt__(self, other: _b.object) -> Tensor: ...
    def __ge__(self, other: _b.object) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __contains__(self, value: Any) -> _b.bool: ...
    def __buffer__(self, flags: _b.int) -> _b.memoryview: ...
    def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any: ...
    def __dlpack__(self, **asked: Any) -> Any: ...
    def __dlpack_device__(self) -> _b.tuple[_b.int, _b.int]: ...
    def __len__(self) -> _b.int: ...
    def __int__(self) -> _b.int: ...
    def __index__(self) -> _b.int: ...
    def __hash__(self) -> _b.int: ...
    def __bool__(self) -> _b.bool: ...
    def __float__(self) -> _b.float: ...


_DtypeLike = Dtype | _b.str | _b.type

class _Array(Protocol):
    """What NumPy's arrays are."""

    def __array__(self, dtype: Any = ..., /) -> Any: ...

_Operand = Tensor | _b.float | _b.list[Any] | _b.tuple[Any, ...] | _Array

class Error(Exception):
    """A call of Tenon failed; it has changed nothing."""

    status: _b.int
    causes: _b.tuple[_b.str, ...]
    status_name: _b.str
    message: _b.str
    op: _b.str
    operand: _b.str
    expected: _b.str
    found: _b.str
    hint: _b.str
    plugin: _b.str
    scope: _b.str
    place: _b.str

class AxisError(OptionError, _b.IndexError): ...

class NoAxisError(ShapeError, _b.IndexError): ...

class OperandTypeError(ArgumentError, _b.TypeError): ...

class OutOfRangeError(ArgumentError, _b.IndexError): ...

class TooLargeError(ArgumentError, _b.OverflowError): ...

class ArgumentError(Error, _b.ValueError): ...

class HandleError(Error, _b.ValueError): ...

class RuntimeError(Error, _b.RuntimeError): ...

class StateError(Error, _b.RuntimeError): ...

class ShapeError(Error, _b.ValueError): ...

class DtypeError(Error, _b.TypeError): ...

class DeviceError(Error, _b.ValueError): ...

class LayoutError(Error, _b.ValueError): ...

class AliasError(Error, _b.ValueError): ...

class OptionError(Error, _b.ValueError): ...

class NotFoundError(Error, _b.LookupError): ...

class NoKernelError(Error, _b.NotImplementedError): ...

class NoRoleError(Error, _b.RuntimeError): ...

class OutOfMemoryError(Error, _b.MemoryError): ...

class GradError(Error, _b.RuntimeError): ...

class GraphFreedError(Error, _b.RuntimeError): ...

class GraphOwnerError(Error, _b.RuntimeError): ...

class VersionError(Error, _b.RuntimeError): ...

class VjpError(Error, _b.RuntimeError): ...

class CaptureError(Error, _b.RuntimeError): ...

class PlanShapeError(Error, _b.ValueError): ...

class RowsError(Error, _b.RuntimeError): ...

class PluginError(Error, _b.RuntimeError): ...

class SchemaError(Error, _b.RuntimeError): ...

class FileError(Error, _b.OSError): ...

class DataError(Error, _b.ValueError): ...

class CheckError(Error, _b.RuntimeError): ...

class InterruptedError(Error, _b.RuntimeError): ...

class UnsupportedError(Error, _b.NotImplementedError): ...

class InternalError(Error, _b.RuntimeError): ...

class DeviceLostError(Error, _b.RuntimeError): ...

class TimeoutError(Error, _b.RuntimeError): ...

class PeerError(Error, _b.RuntimeError): ...

pi: _b.float
e: _b.float
inf: _b.float
nan: _b.float
newaxis: None
__version__: _b.str
class ForeignTensor:
    """What a file holds and Tenon cannot: another dtype, more dimensions, or no tensor at all."""

    def __init__(self, name: Any, dtype: Any, shape: Any, archive: Any, index: Any) -> None: ...
    def bytes(self, *, copy: Any = ...) -> Any: ...
    def __getattr__(self, name: _b.str) -> Any: ...

class History:
    """Named series of numbers: `history.add('loss', step, loss)`."""

    def __init__(self) -> None: ...
    def add(self, name: Any, step: Any, value: Any) -> Any:
        """Adds a point to the end of the series `name`, and to the event file if there is one."""
        ...
    def events(self, folder: Any) -> Any:
        """From now on each point goes to a new event file of TensorBoard in `folder` too."""
        ...
    def save(self, path: Any, title: Any = ..., axis: Any = ...) -> Any:
        """Writes a picture (SVG) with a line for each series, or leaves the file as it was."""
        ...
    def series(self, name: Any) -> Any:
        """The points of the series `name`, in the order in which they were added: a list of (step, value)."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...

def absolute(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The absolute value: `y = |x|`."""
    ...
def addmm(x: Any, a: Any, b: Any, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta x + alpha (a b)"""
    ...
def all(
    x: Any,
    axis: Any = ...,
    dtype: Any = ...,
    keepdims: Any = ...,
    *,
    axes: Any = ...,
    dim: Any = ...,
    keepdim: Any = ...,
    out: Any = ...,
) -> Tensor:
    """Are all elements not 0, over `axis`, or over all dimensions; computed in `dtype` if it is given."""
    ...
def allclose(a: Any, b: Any, rtol: Any = ..., atol: Any = ..., *, equal_nan: Any = ...) -> _b.bool:
    """Is everything close, as `isclose` says? True or False."""
    ...
def amax(
    x: _Operand,
    axes: _b.int | Sequence[_b.int] | None = ...,
    keepdims: _b.bool = ...,
    *,
    axis: _b.int | Sequence[_b.int] = ...,
    dim: _b.int | Sequence[_b.int] = ...,
    dims: _b.int | Sequence[_b.int] = ...,
    keepdim: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The largest element over `axes` (none: all of them; an empty list: no axis, so that the values stay)."""
    ...
def amin(
    x: _Operand,
    axes: _b.int | Sequence[_b.int] | None = ...,
    keepdims: _b.bool = ...,
    *,
    axis: _b.int | Sequence[_b.int] = ...,
    dim: _b.int | Sequence[_b.int] = ...,
    dims: _b.int | Sequence[_b.int] = ...,
    keepdim: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The smallest element over `axes` (none: all of them; an empty list: no axis, so that the values stay)."""
    ...
def any(
    x: Any,
    axis: Any = ...,
    dtype: Any = ...,
    keepdims: Any = ...,
    *,
    axes: Any = ...,
    dim: Any = ...,
    keepdim: Any = ...,
    out: Any = ...,
) -> Tensor:
    """Is any element not 0, over `axis`, or over all dimensions; computed in `dtype` if it is given."""
    ...
def append(x: Any, values: Any, axis: Any = ...) -> Tensor:
    """`values` after `x` along `axis`; both as vectors without it."""
    ...
def arange(
    start: Any = ...,
    stop: Any = ...,
    step: Any = ...,
    dtype: Any = ...,
    *,
    end: Any = ...,
    device: Any = ...,
) -> Tensor:
    """start, start + step, ..."""
    ...
def arccos(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from 0 to pi, whose cosine is `x`."""
    ...
def arccosh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number from 0 on whose hyperbolic cosine is `x`: `y = ln(x + sqrt(x^2 - 1))`."""
    ...
def arcsin(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi/2 to pi/2, whose sine is `x`."""
    ...
def arcsinh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic sine is `x`: `y = ln(x + sqrt(x^2 + 1))`."""
    ...
def arctan(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi/2 to pi/2, whose tangent is `x`."""
    ...
def arctan2(y: _Operand, x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point `(x, y)` seen from the origin, in radians from -pi to pi, counted from the positive x axis: the arc tangent of `y / x`, in the quadrant that both signs say."""
    ...
def arctanh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic tangent is `x`: `y = ln((1 + x) / (1 - x)) / 2`."""
    ...
def argwhere(x: Any) -> Tensor:
    """The indices of the elements that are not zero, one row for each."""
    ...
def array(data: Any, dtype: Any = ..., *, device: Any = ..., copy: Any = ...) -> Tensor:
    """NumPy's name of `tensor`."""
    ...
def array_equal(a: Any, b: Any) -> _b.bool:
    """Have both the same shape and elements? True or False."""
    ...
def array_split(
    x: Any,
    indices_or_sections: Any,
    axis: Any = ...,
    *,
    dim: Any = ...,
) -> _b.list[Tensor]:
    """As `split`; pieces need not be equal: the first ones are longer by one."""
    ...
def as_tensor(data: Any, dtype: Any = ..., device: Any = ...) -> Tensor:
    """PyTorch's name of `asarray`."""
    ...
def asarray(data: Any, dtype: Any = ..., *, device: Any = ..., copy: Any = ...) -> Tensor:
    """A tensor on the memory of `data` where that is possible, else with a copy of it."""
    ...
def astype(x: Any, dtype: Any, *, copy: Any = ..., device: Any = ...) -> Tensor:
    """The values in another dtype, in memory of their own unless `copy` is False."""
    ...
def average(x: Any, axis: Any = ..., weights: Any = ..., *, keepdims: Any = ...) -> Tensor:
    """The mean, of which each element is as much as its weight."""
    ...
def backward(
    roots: Any,
    seeds: Any = ...,
    *,
    retain_graph: Any = ...,
    create_graph: Any = ...,
) -> None:
    """Adds the gradients of sum(root * seed) to the leaves."""
    ...
def baddbmm(x: Any, a: Any, b: Any, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta x + alpha (a b)"""
    ...
def bincount(x: Any, weights: Any = ..., minlength: Any = ...) -> Tensor:
    """How often each of 0, 1, ..."""
    ...
def bitwise_invert(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Every bit of an integer turned: `y = -1 - x`, of u8 `255 - x`."""
    ...
def broadcast_arrays(*tensors: Any) -> _b.list[Tensor]:
    """Views of all of them in the shape that they have together."""
    ...
def broadcast_shapes(*shapes: Any) -> _b.tuple[_b.int, ...]:
    """The shape that tensors of these shapes have together."""
    ...
def broadcast_tensors(*tensors: Any) -> _b.list[Tensor]:
    """Views of all of them in the shape that they have together."""
    ...
def bucketize(values: Any, boundaries: Any, *, right: Any = ...) -> Tensor:
    """`searchsorted` with its arguments exchanged."""
    ...
def can_cast(given: Any, to: Any) -> _b.bool:
    """Does promotion lead from the first dtype to the second?"""
    ...
def capture(function: Any, *inputs: Any) -> Any:
    """Runs function(*inputs) once and records every launch: forward, backward, updates."""
    ...
def captured(function: Any = ..., *, max_plans: Any = ...) -> Any:
    """A function that captures `function` when it is first called, and replays it from then on; a decorator."""
    ...
def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of elements of vectors, one a row."""
    ...
def cat(tensors: Any, axis: Any = ..., *, dim: Any = ..., out: Any = ...) -> Tensor:
    """Tensors one after the other along `axis`; for None all of them as vectors."""
    ...
def cbrt(x: Any) -> Tensor:
    """The third root."""
    ...
def cdist(a: Any, b: Any, p: Any = ...) -> Tensor:
    """The distances of the rows of `a` and of `b`."""
    ...
def chunk(x: Any, chunks: Any, axis: Any = ..., *, dim: Any = ...) -> _b.tuple[Tensor, ...]:
    """Views of `x` cut along `axis` into at most `chunks` pieces of one size, the last one perhaps smaller: a tuple, as PyTorch's."""
    ...
def clamp_max(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The smaller of the two: `y = min(a, b)`."""
    ...
def clamp_min(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The larger of the two: `y = max(a, b)`."""
    ...
def clip(x: Any, min: Any = ..., max: Any = ..., *, out: Any = ...) -> Tensor:
    """Not below `min` and not above `max`; the op `clamp`."""
    ...
def clip_grad_norm(parameters: Any, max_norm: Any, norm: Any = ..., *, each: Any = ...) -> Any:
    """Makes the gradients of parameters shorter, in place, and returns the norm that they had."""
    ...
def column_stack(tensors: Any) -> Tensor:
    """Side by side: along axis 1, vectors as columns."""
    ...
def concat(tensors: Any, axis: Any = ..., *, dim: Any = ..., out: Any = ...) -> Tensor:
    """Tensors one after the other along `axis`; for None all of them as vectors."""
    ...
def concatenate(tensors: Any, axis: Any = ..., *, dim: Any = ..., out: Any = ...) -> Tensor:
    """Tensors one after the other along `axis`; for None all of them as vectors."""
    ...
def configure(
    *,
    plugin_paths: Any = ...,
    exclude: Any = ...,
    threads: Any = ...,
    policy: Any = ...,
    allowlist: Any = ...,
    memory_limit: Any = ...,
    check: Any = ...,
) -> None:
    """Sets the runtime's options; only before anything has used it."""
    ...
def conj(x: Any) -> Tensor:
    """`x`: there are no complex numbers."""
    ...
def conjugate(x: Any) -> Tensor:
    """`x`: there are no complex numbers."""
    ...
def copy(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The same elements in new storage: `y = x`."""
    ...
def copysign(a: Any, b: Any) -> Tensor:
    """|a| with the sign of `b`."""
    ...
def corrcoef(x: Any, rowvar: Any = ...) -> Tensor:
    """The correlations of the rows of a matrix."""
    ...
def count_nonzero(x: Any, axis: Any = ..., *, keepdims: Any = ..., dim: Any = ...) -> Tensor:
    """How many elements are not zero."""
    ...
def cov(x: Any, rowvar: Any = ..., *, correction: Any = ..., ddof: Any = ...) -> Tensor:
    """The covariances of the rows of a matrix, each a variable; of its columns without `rowvar`."""
    ...
def cross(a: Any, b: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
    """The vector product of vectors of three along `axis`, the last unless it is given."""
    ...
def cumprod(
    x: Any,
    axis: Any = ...,
    *,
    dim: Any = ...,
    reverse: Any = ...,
    exclusive: Any = ...,
    out: Any = ...,
) -> Tensor:
    """Products up to and with each element along `axis`; without it of `x` as a vector."""
    ...
def cumsum(
    x: Any,
    axis: Any = ...,
    *,
    dim: Any = ...,
    reverse: Any = ...,
    exclusive: Any = ...,
    out: Any = ...,
) -> Tensor:
    """Sums up to and with each element along `axis`; without it of `x` as a vector."""
    ...
def cumulative_prod(
    x: Any,
    *,
    axis: Any = ...,
    dtype: Any = ...,
    include_initial: Any = ...,
) -> Tensor:
    """Products up to and with each element; with `include_initial` that of none first."""
    ...
def cumulative_sum(
    x: Any,
    *,
    axis: Any = ...,
    dtype: Any = ...,
    include_initial: Any = ...,
) -> Tensor:
    """Sums up to and with each element; with `include_initial` that of none first."""
    ...
def custom_op(schema: Any, *, kernel: Any = ...) -> Any:
    """Makes an op of a function, `tenon.op.<vendor>.<name>` as those of plugins."""
    ...
def deg2rad(x: Any) -> Tensor:
    """Degrees as radians."""
    ...
def delete(x: Any, index: Any, axis: Any = ...) -> Tensor:
    """`x` without place `index` along `axis`; as a vector without it."""
    ...
def diag(x: Any, k: Any = ..., *, diagonal: Any = ...) -> Tensor:
    """The diagonal of a matrix; of a vector a matrix with it on the diagonal, and zeros."""
    ...
def diag_embed(x: Any, offset: Any = ...) -> Tensor:
    """Matrices [..., n, n] with the vectors [..., n] on the diagonal `offset`, and zeros."""
    ...
def diff(
    x: Any,
    n: Any = ...,
    axis: Any = ...,
    *,
    dim: Any = ...,
    prepend: Any = ...,
    append: Any = ...,
) -> Tensor:
    """Differences of neighbours along `axis`, n times, of `x` with what comes before and after."""
    ...
def digitize(values: Any, bins: Any, right: Any = ...) -> Tensor:
    """In which bin each of `values` is, with its lower end, or with `right` its upper one."""
    ...
def dist(a: Any, b: Any, p: Any = ...) -> Tensor:
    """The norm of a - b."""
    ...
def divide(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The quotient: `y = a / b`."""
    ...
def dot(a: Any, b: Any, *, out: Any = ...) -> Tensor:
    """Of vectors the sum of products; of matrices the matrix product; of more dimensions sums over the last axis of `a` and the last but one of `b`, as NumPy's."""
    ...
def draw(roots: Any, path: Any = ..., *, direction: Any = ...) -> Any:
    """What `roots` were computed from, with values and gradients, as a picture."""
    ...
def dstack(tensors: Any) -> Tensor:
    """Along axis 2: of [n] as [1, n, 1], of [m, n] as [m, n, 1]."""
    ...
def einsum(*arguments: Any, equation: Any = ..., xs: Any = ..., out: Any = ...) -> Tensor:
    """einsum('ij,jk->ik', a, b): the op 'tenon.einsum'."""
    ...
def empty(
    shape: Any,
    *more: Any,
    dtype: Any = ...,
    device: Any = ...,
    requires_grad: Any = ...,
) -> Tensor:
    """As `zeros`: no tensor holds what was in the memory before."""
    ...
def empty_like(x: Any, dtype: Any = ..., *, device: Any = ..., requires_grad: Any = ...) -> Tensor:
    """Zeros like `x`."""
    ...
enable_grad: Any
def equal(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Equality: `y = a == b`."""
    ...
def expand_dims(x: Any, axis: Any = ...) -> Tensor:
    """With a new axis of length 1 at place `axis`; with several for a tuple."""
    ...
def extract(condition: Any, x: Any) -> Tensor:
    """The elements where the condition is not zero, a vector."""
    ...
def eye(
    n_rows: Any = ...,
    n_cols: Any = ...,
    k: Any = ...,
    *,
    dtype: Any = ...,
    device: Any = ...,
    n: Any = ...,
    m: Any = ...,
) -> Tensor:
    """Ones on diagonal `k` of a matrix of zeros."""
    ...
def fast_arithmetic(wanted: Any = ...) -> Any:
    """Lets this thread use the fastest kernels, whose bits may differ between machines."""
    ...
class finfo:
    """Limits of a float dtype: bits, eps, max, min, tiny (smallest_normal), smallest_subnormal, precision (decimal digits) and resolution."""

    dtype: Dtype
    bits: _b.int
    precision: _b.int
    min: _b.float
    max: _b.float
    eps: _b.float
    tiny: _b.float
    smallest_normal: _b.float
    smallest_subnormal: _b.float
    resolution: _b.float
    def __init__(self, dtype: Any) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...

def fix(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The whole number next to `x` on the side of 0."""
    ...
def flatnonzero(x: Any) -> Tensor:
    """The places of the elements that are not zero, of `x` as a vector."""
    ...
def flip(
    x: Any,
    axis: Any = ...,
    *,
    axes: Any = ...,
    dims: Any = ...,
    dim: Any = ...,
    out: Any = ...,
) -> Tensor:
    """In reverse order along each of the axes, or along all."""
    ...
def fliplr(x: Any) -> Tensor:
    """In reverse order along axis 1."""
    ...
def flipud(x: Any) -> Tensor:
    """In reverse order along axis 0."""
    ...
def fmax(a: Any, b: Any) -> Tensor:
    """The larger of two, of a NaN and a number the number."""
    ...
def fmin(a: Any, b: Any) -> Tensor:
    """The smaller of two, of a NaN and a number the number."""
    ...
def fmod(a: Any, b: Any) -> Tensor:
    """The rest of the division that is truncated: with the sign of `a`; tenon.remainder has that of `b`."""
    ...
def frac(x: Any) -> Tensor:
    """What follows the point, with the sign of `x`."""
    ...
def from_dlpack(x: Any, *, device: Any = ..., copy: Any = ...) -> Tensor:
    """A tensor on the memory of another library's array, through DLPack."""
    ...
def from_numpy(array: Any) -> Tensor:
    """A tensor on the memory of a NumPy array."""
    ...
def full(
    shape: Any,
    fill_value: Any = ...,
    dtype: Any = ...,
    *,
    device: Any = ...,
    value: Any = ...,
) -> Tensor:
    """A tensor of one value; float32 unless `dtype` is given or the value is an integer or bool."""
    ...
def full_like(
    x: Any,
    fill_value: Any = ...,
    dtype: Any = ...,
    *,
    device: Any = ...,
    requires_grad: Any = ...,
    value: Any = ...,
) -> Tensor:
    """A tensor of one value, with the shape, and unless they are given the dtype and device, of `x`."""
    ...
def gather(x: Any, *arguments: Any, axis: Any = ..., dim: Any = ..., **named: Any) -> Tensor:
    """gather(x, axis, indices) or gather(x, indices, axis=...): the op tenon.gather."""
    ...
def ger(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The outer product of two vectors: `y[m,n] = a[m] * b[n]`."""
    ...
def get_default_dtype() -> Dtype:
    """float32, of numbers with a point."""
    ...
def get_rng_state() -> Any:
    """Seed, stream and counter of this thread's random numbers."""
    ...
def grad(
    outputs: Any,
    inputs: Any,
    seeds: Any = ...,
    *,
    retain_graph: Any = ...,
    create_graph: Any = ...,
) -> Any:
    """The gradients of sum(output * seed) with respect to `inputs`; leaves stay as they are."""
    ...
def gradcheck(
    function: Any,
    *inputs: Any,
    step: Any = ...,
    rtol: Any = ...,
    atol: Any = ...,
    twice: Any = ...,
) -> Any:
    """True where the gradients of `function` are those of central differences; else a CheckError that names the input and the element where they differ most."""
    ...
def gradient(x: Any, spacing: Any = ..., axis: Any = ...) -> Any:
    """Half the difference of both neighbours, at the ends that to the one there is; a list for several axes."""
    ...
def greater(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Greater than: `y = a > b`."""
    ...
def greater_equal(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Greater than or equal: `y = a >= b`."""
    ...
guard_finite: Any
def histc(x: Any, bins: Any = ..., min: Any = ..., max: Any = ...) -> Tensor:
    """The counts of `histogram`, over min to max unless both are 0, in the dtype of `x`."""
    ...
def histogram(x: Any, bins: Any = ..., range: Any = ...) -> _b.tuple[Tensor, ...]:
    """(counts, edges) of `bins` parts of one width, from the least to the greatest element or over `range`; the last one has its upper end, too."""
    ...
def hstack(tensors: Any) -> Tensor:
    """Side by side: along axis 1, vectors along axis 0."""
    ...
def identity(n: Any, dtype: Any = ...) -> Tensor:
    """Ones on the diagonal of a square matrix of zeros."""
    ...
class iinfo:
    """Limits of an integer dtype: bits, max, min."""

    dtype: Dtype
    bits: _b.int
    min: _b.int
    max: _b.int
    def __init__(self, dtype: Any) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...

def imag(x: Any) -> Tensor:
    """Zeros: there are no complex numbers."""
    ...
def index_select(x: Any, *arguments: Any, axis: Any = ..., dim: Any = ..., **named: Any) -> Tensor:
    """index_select(x, axis, indices) or index_select(x, indices, axis=...): the op tenon.index_select."""
    ...
inference: Any
inference_mode: Any
def info(x: Any) -> _b.str:
    """Values, strides, offset, storage, version and statistics of a tensor, as text."""
    ...
def inner(a: Any, b: Any) -> Tensor:
    """Sums of products over the last axis of both."""
    ...
def insert(x: Any, index: Any, values: Any, axis: Any = ...) -> Tensor:
    """`values` in front of place `index` of `x` along `axis`; of `x` as a vector without it."""
    ...
def interp(x: Any, xp: Any, fp: Any) -> Tensor:
    """The line through the points (xp, fp), xp ascending, at `x`; beside it its ends."""
    ...
def invert(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Every bit of an integer turned: `y = -1 - x`, of u8 `255 - x`."""
    ...
def is_tensor(x: Any) -> _b.bool:
    """Is it one?"""
    ...
def isclose(a: Any, b: Any, rtol: Any = ..., atol: Any = ..., *, equal_nan: Any = ...) -> Tensor:
    """Where |a - b| <= atol + rtol |b|, or both are the same infinity; NaN to NaN if asked."""
    ...
def isdtype(dtype: Any, kind: Any) -> _b.bool:
    """Is the dtype of a kind: 'bool', 'integral', 'real floating', 'numeric' and others of the standard, or a dtype, or one of a tuple of them?"""
    ...
def isin(x: Any, elements: Any, *, invert: Any = ...) -> Tensor:
    """Which elements are among `elements`; with `invert` which are not."""
    ...
def kron(a: Any, b: Any) -> Tensor:
    """Each element of `a` times all of `b`."""
    ...
def kthvalue(
    x: Any,
    k: Any,
    axis: Any = ...,
    *,
    dim: Any = ...,
    keepdim: Any = ...,
) -> _b.tuple[Tensor, ...]:
    """(values, indices) of the k-th smallest element of each line along `axis`, k from 1."""
    ...
def left_shift(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Moves the bits of `a` up by `b` places: `y = a * 2^b` modulo 2^bits."""
    ...
def less(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Less than: `y = a < b`."""
    ...
def less_equal(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Less than or equal: `y = a <= b`."""
    ...
def linspace(
    start: Any,
    stop: Any = ...,
    num: Any = ...,
    *,
    dtype: Any = ...,
    device: Any = ...,
    endpoint: Any = ...,
    **named: Any,
) -> Tensor:
    """`num` numbers, 50 unless it is given, from `start` to `stop`, evenly spaced; without `endpoint` the last is left out, which would be `stop`."""
    ...
def load(
    path: Any,
    *,
    format: Any = ...,
    copy: Any = ...,
    in_memory: Any = ...,
    metadata: Any = ...,
) -> Any:
    """A dict of the tensors in a file; with `metadata` also a dict of its texts."""
    ...
def logaddexp(a: Any, b: Any) -> Tensor:
    """log(exp(a) + exp(b)), without overflow."""
    ...
def logspace(
    start: Any,
    stop: Any,
    num: Any = ...,
    base: Any = ...,
    *,
    dtype: Any = ...,
    device: Any = ...,
) -> Tensor:
    """`base` to the powers of `linspace`."""
    ...
def manual_seed(number: Any) -> None:
    """PyTorch's name of `seed`."""
    ...
def matrix_transpose(x: Any) -> Tensor:
    """The last two axes exchanged; a view."""
    ...
def max(
    x: Any,
    axis: Any = ...,
    keepdims: Any = ...,
    *,
    axes: Any = ...,
    out: Any = ...,
    **named: Any,
) -> Tensor:
    """The maximum over `axis`, or over all dimensions; tenon.argmax has its place."""
    ...
def mean(
    x: Any,
    axis: Any = ...,
    dtype: Any = ...,
    keepdims: Any = ...,
    *,
    axes: Any = ...,
    dim: Any = ...,
    keepdim: Any = ...,
    out: Any = ...,
) -> Tensor:
    """The mean over `axis`, or over all dimensions; computed in `dtype` if it is given."""
    ...
def median(x: Any, axis: Any = ..., *, keepdims: Any = ..., **named: Any) -> Tensor:
    """The middle element, of an even number the mean of both, as NumPy's."""
    ...
def meshgrid(*tensors: Any, indexing: Any = ...) -> _b.tuple[Tensor, ...]:
    """One tensor for each of the vectors, all of the shape that they span."""
    ...
def min(
    x: Any,
    axis: Any = ...,
    keepdims: Any = ...,
    *,
    axes: Any = ...,
    out: Any = ...,
    **named: Any,
) -> Tensor:
    """The minimum over `axis`, or over all dimensions; tenon.argmin has its place."""
    ...
def mm(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The matrix product over the last two dimensions: `y[m,n] = sum_k a[m,k] b[k,n]`."""
    ...
def mod(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """What division leaves: `y = a - floor(a / b) * b`, with the sign of `b`, as Python's `%`."""
    ...
def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places, the others in their order."""
    ...
def movedim(x: Any, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places, the others in their order."""
    ...
def multiply(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The product: `y = a * b`."""
    ...
def mv(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The matrix product over the last two dimensions: `y[m,n] = sum_k a[m,k] b[k,n]`."""
    ...
def nan_to_num(x: Any, nan: Any = ..., posinf: Any = ..., neginf: Any = ...) -> Tensor:
    """Numbers in place of NaN and infinities: 0, and the greatest and least of the dtype."""
    ...
def nanmean(x: Any, axis: Any = ..., *, keepdims: Any = ..., dim: Any = ...) -> Tensor:
    """The mean of what is not NaN."""
    ...
def nansum(x: Any, axis: Any = ..., *, keepdims: Any = ..., dim: Any = ...) -> Tensor:
    """The sum of what is not NaN."""
    ...
def narrow(x: Any, axis: Any, start: Any, length: Any) -> Tensor:
    """A view of `length` places along `axis` from `start` on."""
    ...
def negative(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The negated value: `y = -x`."""
    ...
no_grad: Any
def nonzero(x: Any) -> _b.tuple[Tensor, ...]:
    """A vector of indices for each axis of the elements that are not zero; tenon.argwhere has them as rows, which is what PyTorch's nonzero gives."""
    ...
def norm(
    x: Any,
    ord: Any = ...,
    axis: Any = ...,
    keepdims: Any = ...,
    *,
    p: Any = ...,
    axes: Any = ...,
    dim: Any = ...,
    keepdim: Any = ...,
) -> Tensor:
    """The vector norm (sum |x|^ord)^(1/ord) over `axis`, or of all elements; tenon.linalg.norm has those of matrices."""
    ...
def normal(
    mean: Any = ...,
    std: Any = ...,
    size: Any = ...,
    *,
    shape: Any = ...,
    dtype: Any = ...,
    device: Any = ...,
) -> Tensor:
    """Normal numbers."""
    ...
def not_equal(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Not equal: `y = a != b`."""
    ...
def ones(
    shape: Any,
    *more: Any,
    dtype: Any = ...,
    device: Any = ...,
    requires_grad: Any = ...,
) -> Tensor:
    """A tensor of ones: ones(2, 3) or ones((2, 3)); float32 unless `dtype` is given."""
    ...
def ones_like(x: Any, dtype: Any = ..., *, device: Any = ..., requires_grad: Any = ...) -> Tensor:
    """Ones like `x`."""
    ...
op: Any
class op_log:
    """Prints each op of a `with` block as it begins, and each kernel that has run, with its plugin, operands and microseconds; what an op is made of stands further in."""

    def __init__(self, print: Any = ...) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...

def pad(
    x: Any,
    pads: Any,
    *,
    axes: Any = ...,
    mode: Any = ...,
    value: Any = ...,
    constant_values: Any = ...,
) -> Tensor:
    """More elements on each side."""
    ...
def partition(x: Any, kth: Any, axis: Any = ...) -> Tensor:
    """With element `kth` of each line where it is in order: all of them are."""
    ...
def percentile(x: Any, q: Any, axis: Any = ..., *, keepdims: Any = ...) -> Tensor:
    """`quantile` of hundredths."""
    ...
def permute_dims(
    x: _Operand,
    axes: _b.int | Sequence[_b.int] = ...,
    *,
    axis: _b.int | Sequence[_b.int] = ...,
    dim: _b.int | Sequence[_b.int] = ...,
    dims: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The dimensions of `x` in the order of `axes`: dimension `d` of the result is dimension `axes[d]` of `x`."""
    ...
def plugins() -> _b.dict[_b.str, _b.str]:
    """The plugins that were found: {id: state}; 'found' ones are opened when they are needed."""
    ...
def positive(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The same elements in new storage: `y = x`."""
    ...
def power(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """A power: `y = a^b`."""
    ...
def prod(
    x: Any,
    axis: Any = ...,
    dtype: Any = ...,
    keepdims: Any = ...,
    *,
    axes: Any = ...,
    dim: Any = ...,
    keepdim: Any = ...,
    out: Any = ...,
) -> Tensor:
    """The product over `axis`, or over all dimensions; computed in `dtype` if it is given."""
    ...
class profile:
    """Records ops, kernels, copies and allocations of a `with` block, for chrome://tracing and Perfetto."""

    def __init__(self, path: Any = ...) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...

def promote_types(a: Any, b: Any) -> Dtype:
    """The dtype that two dtypes have together."""
    ...
def ptp(x: Any, axis: Any = ..., *, keepdims: Any = ...) -> Tensor:
    """The greatest less the least element."""
    ...
def quantile(
    x: Any,
    q: Any,
    axis: Any = ...,
    *,
    keepdims: Any = ...,
    dim: Any = ...,
    keepdim: Any = ...,
) -> Tensor:
    """Where a share `q` of the elements lies below, linear between two of them; NaN if one is NaN."""
    ...
def query(topic: Any) -> Any:
    """What the runtime knows of a topic, as Python objects read from its JSON: 'plugins', 'kinds', 'devices', 'ops', 'optimizers' and the other kinds, 'samples', 'paths', 'stats', 'environment', 'log': those of tenon_runtime_query."""
    ...
def rad2deg(x: Any) -> Tensor:
    """Radians as degrees."""
    ...
def rand(*shape: Any, dtype: Any = ..., device: Any = ..., requires_grad: Any = ...) -> Tensor:
    """Uniform numbers, 0 <= x < 1."""
    ...
def rand_like(x: Any, dtype: Any = ...) -> Tensor:
    """`rand` of the shape, and unless it is given the dtype, of `x`."""
    ...
def randint(
    low: Any,
    high: Any = ...,
    size: Any = ...,
    dtype: Any = ...,
    *,
    device: Any = ...,
) -> Tensor:
    """Whole numbers, low <= x < high; randint(high, size) begins with 0."""
    ...
def randn(*shape: Any, dtype: Any = ..., device: Any = ..., requires_grad: Any = ...) -> Tensor:
    """Normal numbers of mean 0 and deviation 1."""
    ...
def randn_like(x: Any, dtype: Any = ...) -> Tensor:
    """`randn` of the shape, and unless it is given the dtype, of `x`."""
    ...
def randperm(n: Any, dtype: Any = ..., *, device: Any = ...) -> Tensor:
    """0 to n - 1 in random order."""
    ...
def ravel(x: Any) -> Tensor:
    """As a vector."""
    ...
def real(x: Any) -> Tensor:
    """`x`: there are no complex numbers."""
    ...
def release_cache() -> _b.int:
    """Gives memory that is kept for reuse back to the system; how many bytes that was."""
    ...
def repeat(x: Any, repeats: Any, *more: Any, axis: Any = ...) -> Tensor:
    """Each element `repeats` times one after another along `axis`; of `x` as a vector without it."""
    ...
def repeat_interleave(x: Any, repeats: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
    """PyTorch's name of `repeat`."""
    ...
def reshape(x: Any, shape: Any, *more: Any, copy: Any = ...) -> Tensor:
    """The same elements in another shape, of which one length may be -1."""
    ...
def result_type(*given: Any) -> Dtype:
    """The dtype that ops compute in with these tensors, dtypes and numbers."""
    ...
def right_shift(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Moves the bits of `a` down by `b` places: `y = floor(a / 2^b)`."""
    ...
def rint(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The whole number nearest to `x`; of two as near the even one."""
    ...
def roll(
    x: Any,
    shift: Any = ...,
    axis: Any = ...,
    *,
    shifts: Any = ...,
    axes: Any = ...,
    dims: Any = ...,
    out: Any = ...,
) -> Tensor:
    """Moved on by `shift` places along `axis`, the last ones to the front; without an axis as a vector."""
    ...
def rot90(x: Any, k: Any = ..., axes: Any = ..., *, dims: Any = ...) -> Tensor:
    """Turned by k quarters, from the first of the two axes towards the second."""
    ...
def round(x: Any, decimals: Any = ..., *, out: Any = ...) -> Tensor:
    """To the nearest whole number, halves to the even one; or with so many decimals."""
    ...
def row_stack(tensors: Any) -> Tensor:
    """One under the other: along axis 0, vectors as rows."""
    ...
def save(path: Any, tensors: Any, metadata: Any = ..., *, format: Any = ...) -> None:
    """Writes a dict of tensors, all of it or nothing, by the ending of the file's name."""
    ...
def scatter(x: Any, *arguments: Any, axis: Any = ..., dim: Any = ..., **named: Any) -> Tensor:
    """scatter(x, axis, indices) or scatter(x, indices, axis=...): the op tenon.scatter."""
    ...
def scatter_add(x: Any, *arguments: Any, axis: Any = ..., dim: Any = ..., **named: Any) -> Tensor:
    """scatter_add(x, axis, indices) or scatter_add(x, indices, axis=...): the op tenon.scatter_add."""
    ...
class scope:
    """Names what runs inside, in errors, traces and plan listings; scopes nest."""

    def __init__(self, label: Any) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...

def searchsorted(
    sorted: Any,
    values: Any,
    *,
    side: Any = ...,
    sorter: Any = ...,
    right: Any = ...,
) -> Tensor:
    """Where each of `values` has to be put into the vector `sorted` so that it stays in order: in front of equal elements, with side='right' after them."""
    ...
def seed(number: Any, stream: Any = ...) -> None:
    """Starts this thread's random numbers anew; other streams give other numbers."""
    ...
serial: Any
def set_num_threads(threads: Any) -> None:
    """How many compute threads work may use from now on; 0: as many as the process may use."""
    ...
def set_rng_state(state: Any) -> Any:
    """Goes on where `get_rng_state` was."""
    ...
def set_threads(threads: Any) -> None:
    """How many compute threads work may use from now on; 0: as many as the process may use."""
    ...
def sgn(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The sign: 1 where `x > 0`, -1 where `x < 0`, 0 where `x` is a zero of either sign."""
    ...
def signbit(x: Any) -> Tensor:
    """Which are negative, -0 included."""
    ...
def sort(x: Any, axis: Any = ..., *, descending: Any = ..., stable: Any = ..., **named: Any) -> Any:
    """The elements of each line along `axis` in ascending order; tenon.argsort has their places."""
    ...
def split(
    x: Any,
    indices_or_sections: Any = ...,
    axis: Any = ...,
    *,
    dim: Any = ...,
    sizes: Any = ...,
) -> _b.list[Tensor]:
    """Views of `x` cut along `axis`, a list, as NumPy does it: a number says how many equal pieces, a list before which places to cut."""
    ...
def squeeze(x: Any, axis: Any = ..., *, axes: Any = ..., dim: Any = ...) -> Tensor:
    """Without the given axes, or all, of length 1; a view."""
    ...
def stats() -> _b.dict[_b.str, _b.int]:
    """Live tensors, storages, graph nodes and bytes, allocations and launches so far."""
    ...
def std(
    x: Any,
    axis: Any = ...,
    *,
    correction: Any = ...,
    keepdims: Any = ...,
    axes: Any = ...,
    ddof: Any = ...,
    **named: Any,
) -> Tensor:
    """The standard deviation over `axis`, or over all dimensions, with a division by n - correction, which is n unless it is given."""
    ...
def subtract(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The difference: `y = a - b`."""
    ...
def sum(
    x: Any,
    axis: Any = ...,
    dtype: Any = ...,
    keepdims: Any = ...,
    *,
    axes: Any = ...,
    dim: Any = ...,
    keepdim: Any = ...,
    out: Any = ...,
) -> Tensor:
    """The sum over `axis`, or over all dimensions; computed in `dtype` if it is given."""
    ...
def swapaxes(x: Any, axis0: Any, axis1: Any) -> Tensor:
    """Two axes exchanged; a view."""
    ...
def swapdims(x: Any, axis0: Any, axis1: Any) -> Tensor:
    """Two axes exchanged; a view."""
    ...
def t(x: Any) -> Tensor:
    """A matrix with its axes exchanged; a vector as it is."""
    ...
def take(x: Any, indices: Any, axis: Any = ..., *, dim: Any = ..., out: Any = ...) -> Tensor:
    """The slices of `x` that `indices` names along `axis`; without it elements of `x` as a vector."""
    ...
def take_along_dim(x: Any, indices: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
    """PyTorch's name of `take_along_axis`; without an axis of `x` as a vector."""
    ...
def tensor(data: Any, dtype: Any = ..., *, device: Any = ..., requires_grad: Any = ...) -> Tensor:
    """A tensor with a copy of `data`."""
    ...
def tensor_split(
    x: Any,
    indices_or_sections: Any,
    axis: Any = ...,
    *,
    dim: Any = ...,
) -> _b.list[Tensor]:
    """As `split`; pieces need not be equal: the first ones are longer by one."""
    ...
def tensordot(a: Any, b: Any, axes: Any = ..., *, dims: Any = ...) -> Tensor:
    """Sums of products over the last `axes` axes of `a` and the first ones of `b`, or over the axes of a pair of lists."""
    ...
def tile(x: Any, *times: Any, repetitions: Any = ..., reps: Any = ..., dims: Any = ...) -> Tensor:
    """The whole, one after another along each axis: tile(x, 2, 1) or tile(x, (2, 1))."""
    ...
def trace(x: Any, *, offset: Any = ..., dtype: Any = ...) -> Tensor:
    """The sum of the diagonal of the matrices in the last two axes."""
    ...
def transpose(
    x: Any,
    *axes: Any,
    axis0: Any = ...,
    axis1: Any = ...,
    dim0: Any = ...,
    dim1: Any = ...,
) -> Tensor:
    """Axes in reverse order; transpose(x, 0, 1): two axes exchanged; transpose(x, (2, 0, 1)): in that order."""
    ...
def trapezoid(y: Any, x: Any = ..., dx: Any = ..., axis: Any = ..., *, dim: Any = ...) -> Tensor:
    """The area under the line through (x, y), or with steps of dx."""
    ...
def tri(n_rows: Any, n_cols: Any = ..., k: Any = ..., dtype: Any = ...) -> Tensor:
    """Ones on diagonal `k` and below."""
    ...
def tril(x: Any, k: Any = ..., *, diagonal: Any = ...) -> Tensor:
    """With zeros above diagonal `k` of the matrices in the last two axes."""
    ...
def tril_indices(row: Any, col: Any = ..., offset: Any = ..., *, k: Any = ...) -> Tensor:
    """Rows and columns of the places on diagonal `offset` and below: [2, n]."""
    ...
def triu(x: Any, k: Any = ..., *, diagonal: Any = ...) -> Tensor:
    """With zeros below diagonal `k` of the matrices in the last two axes."""
    ...
def triu_indices(row: Any, col: Any = ..., offset: Any = ..., *, k: Any = ...) -> Tensor:
    """Rows and columns of the places on diagonal `offset` and above: [2, n]."""
    ...
def true_divide(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The quotient: `y = a / b`."""
    ...
def unbind(x: Any, axis: Any = ..., *, dim: Any = ...) -> _b.tuple[Tensor, ...]:
    """A view for each place along `axis`, without that axis: a tuple."""
    ...
def unflatten(x: Any, axis: Any, sizes: Any) -> Tensor:
    """Axis `axis` as several axes of these lengths."""
    ...
def unique(
    x: Any,
    *,
    return_index: Any = ...,
    return_inverse: Any = ...,
    return_counts: Any = ...,
) -> Any:
    """The different elements in ascending order, and what is asked for: where each is found first, which one every element is, how often each is there."""
    ...
def unique_all(x: Any) -> _b.tuple[Tensor, ...]:
    """(values, indices, inverse_indices, counts) of the different elements."""
    ...
def unique_consecutive(x: Any) -> Tensor:
    """The first of equal elements that follow one another, of `x` as a vector."""
    ...
def unique_counts(x: Any) -> _b.tuple[Tensor, ...]:
    """(values, counts) of the different elements."""
    ...
def unique_inverse(x: Any) -> _b.tuple[Tensor, ...]:
    """(values, inverse_indices) of the different elements."""
    ...
def unique_values(x: Any) -> Tensor:
    """The different elements in ascending order."""
    ...
def unstack(x: Any, axis: Any = ..., *, dim: Any = ...) -> _b.tuple[Tensor, ...]:
    """A view for each place along `axis`, without that axis: a tuple."""
    ...
def value_and_grad(function: Any, argnums: Any = ..., *, create_graph: Any = ...) -> Any:
    """A function that returns (value, gradient) of `function`, which gives one tensor."""
    ...
def var(
    x: Any,
    axis: Any = ...,
    *,
    correction: Any = ...,
    keepdims: Any = ...,
    axes: Any = ...,
    ddof: Any = ...,
    **named: Any,
) -> Tensor:
    """The variance over `axis`, or over all dimensions, with a division by n - correction, which is n unless it is given."""
    ...
def vecdot(a: Any, b: Any, axis: Any = ..., *, dim: Any = ...) -> Tensor:
    """Sums of products along `axis`, the last unless it is given; the others are broadcast."""
    ...
def vstack(tensors: Any) -> Tensor:
    """One under the other: along axis 0, vectors as rows."""
    ...
def where(condition: Any, a: Any = ..., b: Any = ..., *, out: Any = ...) -> Any:
    """`a` where the condition holds, `b` elsewhere; `nonzero` of the condition alone."""
    ...
def zeros(
    shape: Any,
    *more: Any,
    dtype: Any = ...,
    device: Any = ...,
    requires_grad: Any = ...,
) -> Tensor:
    """A tensor of zeros: zeros(2, 3) or zeros((2, 3)); float32 unless `dtype` is given."""
    ...
def zeros_like(x: Any, dtype: Any = ..., *, device: Any = ..., requires_grad: Any = ...) -> Tensor:
    """Zeros like `x`."""
    ...
def abs(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The absolute value: `y = |x|`."""
    ...
def acos(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from 0 to pi, whose cosine is `x`."""
    ...
def acosh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number from 0 on whose hyperbolic cosine is `x`: `y = ln(x + sqrt(x^2 - 1))`."""
    ...
def adadelta_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    square_avg: Sequence[Tensor],
    acc_delta: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    rho: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.adadelta_step` on the given rows of each parameter alone."""
    ...
def adadelta_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    square_avg: Sequence[Tensor],
    acc_delta: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    rho: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of Adadelta on each parameter, in place."""
    ...
def adafactor_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    row_var: Sequence[Tensor],
    col_var: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta2_decay: _b.float = ...,
    eps1: _b.float = ...,
    eps2: _b.float = ...,
    clip_threshold: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of Adafactor on each parameter, in place."""
    ...
def adagrad_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    sum: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    lr_decay: _b.float = ...,
    weight_decay: _b.float = ...,
    eps: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.adagrad_step` on the given rows of each parameter alone."""
    ...
def adagrad_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    sum: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    lr_decay: _b.float = ...,
    weight_decay: _b.float = ...,
    eps: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of Adagrad on each parameter, in place."""
    ...
def adam_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    exp_avg_sq: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.adam_step` on the given rows of each parameter alone."""
    ...
def adam_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    exp_avg_sq: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of Adam on each parameter, in place."""
    ...
def adamw_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    exp_avg_sq: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.adamw_step` on the given rows of each parameter alone."""
    ...
def adamw_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    exp_avg_sq: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of AdamW on each parameter, in place."""
    ...
def adaptive_avg_pool(
    x: _Operand,
    size: _b.int | Sequence[_b.int] = ...,
    *,
    output_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Averages an image of 1 to 3 dimensions down to `size`, which is one number for all of them or one for each: along a dimension of `n` places that becomes `m`, number `i` of the result averages over the places from `floor(i * n / m)` to `ceil((i + 1) * n / m) - 1`."""
    ...
def adaptive_avg_pool_grad(
    dy: _Operand,
    size: _b.int | Sequence[_b.int] = ...,
    *,
    output_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by how many places `tenon.adaptive_avg_pool` averages to it, is added at each of these places."""
    ...
def add(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The sum: `y = a + b`."""
    ...
def addcdiv(
    x: _Operand,
    a: _Operand,
    b: _Operand,
    value: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Adds a scaled quotient: `y = x + value * a / b`."""
    ...
def addcmul(
    x: _Operand,
    a: _Operand,
    b: _Operand,
    value: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Adds a scaled product: `y = x + value * a * b`."""
    ...
def alibi_bias(
    heads: _b.int,
    queries: _b.int,
    keys: _b.int,
    offset: _b.int = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Attention with linear biases: what is added to the scores of query `i`, which stands at `i + offset`, and key `j`: `y[h,i,j] = -slope_h * |i + offset - j|`."""
    ...
def all_gather(x: _Operand, group: _b.int = ..., *, out: Tensor | None = None) -> Tensor:
    """The `x` of every process of a group, stacked: row `r` of `y` [n, ...] is that of rank `r`."""
    ...
def all_reduce(
    x: _Operand,
    group: _b.int = ...,
    reduction: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The sum, mean or maximum of `x` over the processes of a group, the same in all of them: `reduction` is 'sum', 'mean' (of floats) or 'max' (NaN if there is one)."""
    ...
def all_reduce_list(
    x: Sequence[Tensor],
    group: _b.int,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """Each tensor of `x` becomes its sum over the processes of a group, in one transfer: a bucket of gradients."""
    ...
def all_reduce_sum(
    x: _Operand,
    group: _b.int = ...,
    reduction: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of `x` over the processes of a group, the same in all of them: what `tenon.all_reduce` is made of."""
    ...
def all_to_all(x: _Operand, group: _b.int = ..., *, out: Tensor | None = None) -> Tensor:
    """What the others have for us: `x` [n, ...] has a row for each process of a group, and row `r` of `y` [n, ...] is our row of the `x` of rank `r`."""
    ...
def argmax(
    x: _Operand,
    axis: _b.int | None = ...,
    keepdims: _b.bool = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    keepdim: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the largest element along `axis`; without an axis, of the tensor read in row-major order."""
    ...
def argmin(
    x: _Operand,
    axis: _b.int | None = ...,
    keepdims: _b.bool = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    keepdim: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the smallest element along `axis`; without an axis, of the tensor read in row-major order."""
    ...
def argsort(
    x: _Operand,
    axis: _b.int = ...,
    *,
    descending: _b.bool = ...,
    stable: _b.bool = ...,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The second output of `tenon.sort`: the indices along `axis` at which the elements of a line are found in ascending (`descending`: descending) order."""
    ...
def asin(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi/2 to pi/2, whose sine is `x`."""
    ...
def asinh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic sine is `x`: `y = ln(x + sqrt(x^2 + 1))`."""
    ...
def atan(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle in radians, from -pi/2 to pi/2, whose tangent is `x`."""
    ...
def atan2(y: _Operand, x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point `(x, y)` seen from the origin, in radians from -pi to pi, counted from the positive x axis: the arc tangent of `y / x`, in the quadrant that both signs say."""
    ...
def atanh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic tangent is `x`: `y = ln((1 + x) / (1 - x)) / 2`."""
    ...
def attention(
    q: _Operand,
    k: _Operand,
    v: _Operand,
    mask: _Operand | None = None,
    bias: _Operand | None = None,
    lengths: _Operand | None = None,
    start: _Operand | None = None,
    *,
    causal: _b.bool = ...,
    window: _b.int = ...,
    scale: _b.float | None = ...,
    soft_cap: _b.float = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Scaled dot-product attention: `y[b,h,i] = sum_j w[b,h,i,j] v[b,g,j]`."""
    ...
def attention_grad(
    dy: _Operand,
    q: _Operand,
    k: _Operand,
    v: _Operand,
    mask: _Operand | None = None,
    bias: _Operand | None = None,
    lengths: _Operand | None = None,
    start: _Operand | None = None,
    *,
    causal: _b.bool = ...,
    window: _b.int = ...,
    scale: _b.float | None = ...,
    soft_cap: _b.float = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradients of `tenon.attention`: `y` is that of `q`, the aux outputs are those of `k` and `v`."""
    ...
def attention_mask(
    lengths: _Operand | None = None,
    start: _Operand | None = None,
    *,
    queries: _b.int,
    keys: _b.int,
    causal: _b.bool = ...,
    window: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Which of `keys` keys each of `queries` queries of a sequence sees, as `tenon.attention` decides it: `[B,1,queries,keys]`, with B the length of `lengths` or `start`, 1 without both."""
    ...
def attention_weights(
    q: _Operand,
    k: _Operand,
    mask: _Operand | None = None,
    bias: _Operand | None = None,
    lengths: _Operand | None = None,
    start: _Operand | None = None,
    *,
    causal: _b.bool = ...,
    window: _b.int = ...,
    scale: _b.float | None = ...,
    soft_cap: _b.float = ...,
    out: Tensor | None = None,
) -> Tensor:
    """How much each query attends to each key: `y[b,h,i,j]`, the softmax over the keys `j` that query `i` sees of `s = scale * sum_d q[b,h,i,d] k[b,g,j,d]`, where head `h` of `q` reads head `g = h / (H/G)` of `k`."""
    ...
def avg_pool(
    x: _Operand,
    kernel: _b.int | Sequence[_b.int] = ...,
    stride: _b.int | Sequence[_b.int] | None = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    *,
    ceil_mode: _b.bool = ...,
    count_include_pad: _b.bool = ...,
    auto_pad: _b.str = ...,
    kernel_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The average of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = (sum over t of x[n, c, w * stride - before + t]) / count`, along each of these dimensions, over the taps `t` from 0 to `kernel - 1` whose place lies in the image."""
    ...
def avg_pool_grad(
    dy: _Operand,
    size: _b.int | Sequence[_b.int] = ...,
    kernel: _b.int | Sequence[_b.int] = ...,
    stride: _b.int | Sequence[_b.int] | None = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    *,
    ceil_mode: _b.bool = ...,
    count_include_pad: _b.bool = ...,
    auto_pad: _b.str = ...,
    output_size: _b.int | Sequence[_b.int] = ...,
    kernel_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by the count of its window, is added at every place of that window."""
    ...
def batch_norm(
    x: _Operand,
    weight: _Operand | None = None,
    bias: _Operand | None = None,
    mean: _Operand | None = None,
    variance: _Operand | None = None,
    eps: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Normalises each channel of `x`, which its second dimension counts: `y = (x - m) * s * weight + bias`, with `s = 1 / sqrt(v + eps)`."""
    ...
def batch_norm_grad(
    dy: _Operand,
    x: _Operand,
    weight: _Operand | None = None,
    mean: _Operand | None = None,
    variance: _Operand | None = None,
    eps: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The gradients of `tenon.batch_norm`."""
    ...
def bernoulli(p: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Ones with the probabilities `p`, else zeros: `y[i] = 1` where `u(i) < p[i]`, else 0, with `u` as in `tenon.uniform`: a multiple of 2^-53 for f64, of 2^-24 for the others, so that the probability of a 1 is at most that much above `p`."""
    ...
def binary_cross_entropy_with_logits(
    x: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    pos_weight: _Operand | None = None,
    reduction: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The cross-entropy of answers `target`, from 0 to 1, and of `sigmoid(x)`: `-weight * (pos_weight * target * log(sigmoid(x)) + (1 - target) * log(1 - sigmoid(x)))`, without taking the logarithm of small numbers."""
    ...
def bitwise_and(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The and of all bits: `y = a & b`."""
    ...
def bitwise_left_shift(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Moves the bits of `a` up by `b` places: `y = a * 2^b` modulo 2^bits."""
    ...
def bitwise_not(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Every bit of an integer turned: `y = -1 - x`, of u8 `255 - x`."""
    ...
def bitwise_or(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The or of all bits: `y = a | b`."""
    ...
def bitwise_right_shift(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Moves the bits of `a` down by `b` places: `y = floor(a / 2^b)`."""
    ...
def bitwise_xor(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The exclusive or of all bits: `y = a ^ b`."""
    ...
def bmm(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The products of two batches of matrices, pair by pair: `y[i] = a[i] b[i]`."""
    ...
def broadcast(
    x: _Operand,
    group: _b.int = ...,
    root: _b.int = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The `x` of rank `root` in every process of a group."""
    ...
def broadcast_to(
    x: _Operand,
    shape: _b.int | Sequence[_b.int],
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`x` broadcast to `shape`: dimensions of size 1 are repeated, new dimensions are put in front."""
    ...
def cache_append(
    cache: _Operand,
    rows: _Operand,
    start: _Operand,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """Puts the rows of T new positions into a cache that has room for P, in place: `cache[b,...,start[b] + t,:] = rows[b,...,t,:]`."""
    ...
def cast(x: _Operand, dtype: _DtypeLike, *, out: Tensor | None = None) -> Tensor:
    """The values of `x` in another dtype: `y = dtype(x)`."""
    ...
def ceil(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The least whole number that is not below `x`."""
    ...
def cholesky(x: _Operand, *, upper: _b.bool = ..., out: Tensor | None = None) -> Tensor:
    """The lower triangle `L` with positive diagonal for which `x = L L^T`, for the symmetric positive definite matrices that the last two dimensions hold; with `upper` its transpose."""
    ...
def clamp(
    x: _Operand,
    min: _Operand | None = None,
    max: _Operand | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Keeps values between two limits: `y = minimum(maximum(x, min), max)`."""
    ...
def cofactors(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The cofactors of the square matrices that the last two dimensions hold: element `[i,j]` is `(-1)^(i+j)` times the determinant of the matrix without row `i` and column `j`."""
    ...
def col2im(
    x: _Operand,
    size: _b.int | Sequence[_b.int] = ...,
    kernel: _b.int | Sequence[_b.int] = ...,
    stride: _b.int | Sequence[_b.int] = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    dilation: _b.int | Sequence[_b.int] = ...,
    auto_pad: _b.str = ...,
    *,
    output_size: _b.int | Sequence[_b.int] = ...,
    kernel_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Zeros of the shape `[N, C, size...]`, to which each column of `x`, `[N, C taps, windows]`, is added at the places of its window; what lies in the padding is left out."""
    ...
def conv(
    x: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    stride: _b.int | Sequence[_b.int] = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    dilation: _b.int | Sequence[_b.int] = ...,
    groups: _b.int = ...,
    auto_pad: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Convolution, or rather correlation, of images [N,C,W], [N,C,H,W] or [N,C,D,H,W]: `y[n,o,p] = sum over c and t of weight[o,c,t] * x[n,c,p * stride - before + t * dilation] + bias[o]`, where `t` goes over the places of a window and `p` over windows."""
    ...
def conv_input_grad(
    dy: _Operand,
    weight: _Operand,
    size: _b.int | Sequence[_b.int] = ...,
    stride: _b.int | Sequence[_b.int] = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    dilation: _b.int | Sequence[_b.int] = ...,
    groups: _b.int = ...,
    auto_pad: _b.str = ...,
    *,
    output_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `tenon.conv` with respect to its image, and transposed convolution: `dx[n,c,i]` is the sum of `weight[o,c,t] * dy[n,o,p]` over all `o`, `t` and `p` for which `p * stride - before + t * dilation = i`."""
    ...
def conv_weight_grad(
    dy: _Operand,
    x: _Operand,
    kernel: _b.int | Sequence[_b.int] = ...,
    stride: _b.int | Sequence[_b.int] = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    dilation: _b.int | Sequence[_b.int] = ...,
    groups: _b.int = ...,
    auto_pad: _b.str = ...,
    *,
    kernel_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `tenon.conv` with respect to its weight: `y[o,c,t]` is the sum of `dy[n,o,p] * x[n,c,p * stride - before + t * dilation]` over all images `n` and windows `p`, c within the group."""
    ...
def cos(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The cosine of an angle in radians: `y = cos(x)`."""
    ...
def cosh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`."""
    ...
def cosine_embedding_loss(
    a: _Operand,
    b: _Operand,
    target: _Operand,
    reduction: _b.str = ...,
    margin: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """For each pair of vectors `a` and `b` of `[N,D]`, or the one pair of `[D]`, with `cos = sum(a * b) / (sqrt(sum(a * a) + 1e-12) * sqrt(sum(b * b) + 1e-12))`: `1 - cos` where `target` is 1, `max(cos - margin, 0)` where it is -1, and 0 where it is another number."""
    ...
def cosine_similarity(
    a: _Operand,
    b: _Operand,
    axis: _b.int = ...,
    eps: _b.float = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The cosine of the angle between the vectors that lie along `axis`: `y = sum(a / max(|a|, eps) * (b / max(|b|, eps)))`, with the lengths `|a|` and `|b|` as in `tenon.norm`."""
    ...
def ctc_loss(
    log_probs: _Operand,
    targets: _Operand,
    input_lengths: _Operand,
    target_lengths: _Operand,
    blank: _b.int = ...,
    reduction: _b.str = ...,
    *,
    zero_infinity: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The connectionist temporal classification loss: the negative logarithm of the probability that frames give a sequence of labels, whichever frame gives which."""
    ...
def ctc_nll(
    log_probs: _Operand,
    targets: _Operand,
    input_lengths: _Operand,
    target_lengths: _Operand,
    blank: _b.int = ...,
    *,
    zero_infinity: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The negative logarithm of the probability of each sequence of labels: `y[b] = -log sum over alignments of exp(sum_t log_probs[t,b,z_t])`, as `tenon.ctc_loss` takes it, which is this op and a reduction."""
    ...
def ctc_nll_grad(
    dy: _Operand,
    log_probs: _Operand,
    targets: _Operand,
    input_lengths: _Operand,
    target_lengths: _Operand,
    blank: _b.int = ...,
    *,
    zero_infinity: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `log_probs` in `tenon.ctc_nll`: `y[t,b,c]` is `-dy[b]` times the share of the sequence's alignments, weighed by their probabilities, that emit class `c` in frame `t`."""
    ...
def cummax(
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """The largest of all elements up to and with each one along `axis`, and `indices`, where it was."""
    ...
def cummin(
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """The smallest of all elements up to and with each one along `axis`, and `indices`, where it was."""
    ...
def det(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The determinants of the square matrices that the last two dimensions hold: the product of the pivots of an elimination with the largest pivot of each column, whose sign each exchange of rows turns."""
    ...
def diagonal(
    x: _Operand,
    offset: _b.int = ...,
    axis0: _b.int = ...,
    axis1: _b.int = ...,
    *,
    dim0: _b.int = ...,
    dim1: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The diagonals of the matrices that `axis0` and `axis1` of `x` span, by default the last two: the elements whose place along `axis1` is that along `axis0` plus `offset`."""
    ...
def digamma(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The slope of the logarithm of the gamma function: `y = Gamma'(x) / Gamma(x)`."""
    ...
def div(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The quotient: `y = a / b`."""
    ...
def dropout(x: _Operand, p: _b.float = ..., *, out: Tensor | None = None) -> Tensor:
    """Leaves out each element with the probability `p`, and scales the others so that the mean stays: `y[i] = x[i] * s` where `u(i) >= p`, else 0, with `s = 1 / (1 - p)` and `u` as in an f32 `tenon.uniform`."""
    ...
def eigh(x: _Operand, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor]:
    """Eigenvalues `w`, ascending, and eigenvectors, the columns of the orthogonal `v`, of the symmetric matrices that the last two dimensions hold: `x v = v diag(w)`."""
    ...
def elu(x: _Operand, alpha: _b.float = ..., *, out: Tensor | None = None) -> Tensor:
    """The exponential linear unit: `y = x` where `x > 0`, else `alpha * (exp(x) - 1)`."""
    ...
def embedding(table: _Operand, indices: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Rows of `table` picked by `indices`: the result has the shape of `indices` and the width of the table."""
    ...
def eq(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Equality: `y = a == b`."""
    ...
def erf(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The error function: `y = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x`."""
    ...
def erfinv(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number whose error function is `x`: `erf(y) = x`."""
    ...
def exp(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The natural exponential: `y = exp(x)`."""
    ...
def exp2(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The power of 2: `y = 2^x`."""
    ...
def expand(x: _Operand, shape: _b.int | Sequence[_b.int], *, out: Tensor | None = None) -> Tensor:
    """`x` broadcast to `shape`: dimensions of size 1 are repeated, new dimensions are put in front."""
    ...
def expm1(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The exponential less 1, exact where `x` is small: `y = exp(x) - 1`."""
    ...
def exponential(
    shape: _b.int | Sequence[_b.int],
    rate: _b.float = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Random numbers, exponentially distributed with the mean `1 / rate`: `y[i] = -ln(u(i) + e) / rate`, where `u` is as in `tenon.uniform` and `e` is 2^-24 for f32 and 2^-53 for f64."""
    ...
def filter_logits(
    logits: _Operand,
    temperature: _b.float = ...,
    top_k: _b.int = ...,
    top_p: _b.float = ...,
    min_p: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Logits divided by `temperature`, and -inf for tokens that may not be drawn."""
    ...
def flatten(
    x: _Operand,
    start_axis: _b.int = ...,
    end_axis: _b.int = ...,
    *,
    start_dim: _b.int = ...,
    end_dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """`x` with the dimensions from `start_axis` to `end_axis`, both included, merged into one; by default all of them."""
    ...
def floor(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The largest whole number that is not above `x`."""
    ...
def floor_divide(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The quotient rounded down: `y = floor(a / b)`."""
    ...
def fma(a: _Operand, b: _Operand, c: _Operand, *, out: Tensor | None = None) -> Tensor:
    """A product and a sum, rounded once: `y = a * b + c`."""
    ...
def ge(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Greater than or equal: `y = a >= b`."""
    ...
def geglu(
    x: _Operand,
    axis: _b.int = ...,
    approximate: _b.str = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gated unit of Gemma and T5."""
    ...
def geglu_grad(
    dy: _Operand,
    x: _Operand,
    axis: _b.int = ...,
    approximate: _b.str = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `tenon.geglu` for its operand, both halves of it: `y = [dy * b * gelu'(a) | dy * gelu(a)]` along `axis`, with `approximate` as in `tenon.gelu`."""
    ...
def gelu(x: _Operand, approximate: _b.str = ..., *, out: Tensor | None = None) -> Tensor:
    """The Gaussian error linear unit: `y = x * P(x)`, with `P` the distribution function of the normal distribution, `P(x) = (1 + erf(x / sqrt(2))) / 2`."""
    ...
def gelu_grad(
    dy: _Operand,
    x: _Operand,
    approximate: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `tenon.gelu` for its operand: `y = dy * (P(x) + x * P'(x))`, with `P` as `approximate` says."""
    ...
def glu(
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gated linear unit."""
    ...
def glu_grad(
    dy: _Operand,
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `tenon.glu` for its operand, both halves of it: with `s = sigmoid(b)`, `y = [dy * s | dy * a * s * (1 - s)]` along `axis`."""
    ...
def group_norm(
    x: _Operand,
    weight: _Operand | None = None,
    bias: _Operand | None = None,
    *,
    groups: _b.int,
    eps: _b.float = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Normalises groups of neighbouring channels of each sample of `x`, whose second dimension counts the channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x - m)^2) + eps)` over the `C / groups` channels of a group and all dimensions after the second."""
    ...
def gru(
    x: _Operand,
    w_ih: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    lengths: _Operand | None = None,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    reset_after: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """One layer of a GRU in one direction, over sequences `x` of B batches: `[steps,B,I]`, with `batch_first` `[B,steps,I]`."""
    ...
def gru_cell(
    x: _Operand,
    w_ih: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    *,
    reset_after: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """One step of `tenon.gru`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if absent)."""
    ...
def gru_steps(
    gates: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    lengths: _Operand | None = None,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    reset_after: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """The steps of a GRU, given what they make of their inputs: `gates` is `x w_ih^T`, for each step of each sequence 3 H numbers, those of r, z and n in turn."""
    ...
def gru_steps_grad(
    kept: _Operand,
    states: _Operand,
    w_hh: _Operand,
    dy: _Operand | None = None,
    dh_n: _Operand | None = None,
    lengths: _Operand | None = None,
    dkept: _Operand | None = None,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    reset_after: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradients of `tenon.gru_steps`, from `r, z, n, q` that it `kept`, the `states` that each step found, and the gradients of its outputs; those that are absent are 0."""
    ...
def gt(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Greater than: `y = a > b`."""
    ...
def hardswish(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """`y = x * min(max(x + 3, 0), 6) / 6`: 0 up to -3, `x` from 3 on."""
    ...
def huber_loss(
    x: _Operand,
    target: _Operand,
    reduction: _b.str = ...,
    delta: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """With `d = x - target`: `d^2 / 2` where `|d| <= delta`, else `delta * (|d| - delta / 2)`; of these the mean, with `reduction` 'sum' the sum, with 'none' each of them."""
    ...
def hypot(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The length of a vector of two: `y = sqrt(a^2 + b^2)`."""
    ...
def im2col(
    x: _Operand,
    kernel: _b.int | Sequence[_b.int] = ...,
    stride: _b.int | Sequence[_b.int] = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    dilation: _b.int | Sequence[_b.int] = ...,
    auto_pad: _b.str = ...,
    *,
    kernel_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The windows of images [N,C,W], [N,C,H,W] or [N,C,D,H,W] as columns: `[N, C taps, windows]`."""
    ...
def index(x: _Operand, indices: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """`y[i..., b] = x[indices_0[i...], indices_1[i...], ..., b]`: one tensor of indices for each of the first dimensions of `x`, broadcast together; `b` runs over the dimensions that are left."""
    ...
def index_put(
    x: _Operand,
    indices: Sequence[Tensor],
    values: _Operand,
    *,
    accumulate: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of `x` with `y[indices_0[i...], indices_1[i...], ..., b] = values[i..., b]`: one tensor of indices for each of the first dimensions of `x`, broadcast together; `b` runs over the dimensions that are left."""
    ...
def instance_norm(
    x: _Operand,
    weight: _Operand | None = None,
    bias: _Operand | None = None,
    eps: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Normalises each channel of each sample of `x` by itself, where the second dimension counts the channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x - m)^2) + eps)` over all dimensions after the second."""
    ...
def isfinite(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """True where the element is a finite number: neither infinite nor NaN."""
    ...
def isinf(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """True where the element is an infinity of either sign."""
    ...
def isnan(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """True where the element is NaN."""
    ...
def kl_div(
    x: _Operand,
    target: _Operand,
    reduction: _b.str = ...,
    *,
    log_target: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The terms `target * (log(target) - x)` of the Kullback-Leibler divergence of probabilities `target` from those whose logarithms `x` are, with `0 * log(0)` taken as 0."""
    ...
def l1_loss(
    x: _Operand,
    target: _Operand,
    reduction: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The absolute differences `|x - target|`: their mean, with `reduction` 'sum' their sum, with 'none' each of them."""
    ...
def lamb_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    exp_avg_sq: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of LAMB on each parameter, in place."""
    ...
def layer_norm(
    x: _Operand,
    weight: _Operand | None = None,
    bias: _Operand | None = None,
    dims: _b.int = ...,
    eps: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Normalises each row of `x`, which is what the last `dims` dimensions hold: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x - m)^2) + eps)` over the row."""
    ...
def layer_norm_grad(
    dy: _Operand,
    x: _Operand,
    weight: _Operand | None = None,
    dims: _b.int = ...,
    eps: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The gradients of `tenon.layer_norm`: with `h = (x - m) * s` the normalised row, `g = dy * weight` and `c = g - mean(g)`, `y = s * (c - h * mean(c * h))` is that of `x`, the means over the row."""
    ...
def le(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Less than or equal: `y = a <= b`."""
    ...
def leaky_relu(x: _Operand, negative_slope: _b.float = ..., *, out: Tensor | None = None) -> Tensor:
    """`y = x` where `x > 0`, else `negative_slope * x`."""
    ...
def lerp(x: _Operand, end: _Operand, weight: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The way from `x` to `end`, of which `weight` says how far: `y = x + weight * (end - x)`."""
    ...
def lgamma(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function: `y = log(abs(Gamma(x)))`."""
    ...
def linear(
    x: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    activation: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A linear layer: `y[...,n] = f(sum_k x[...,k] * weight[n,k] + bias[n])`."""
    ...
def linear_recurrence(
    a: _Operand,
    b: _Operand,
    axis: _b.int = ...,
    *,
    reverse: _b.bool = ...,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The first-order linear recurrence along `axis`: `y[0] = b[0]`, `y[i] = a[i] * y[i-1] + b[i]`."""
    ...
def lion_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.lion_step` on the given rows of each parameter alone."""
    ...
def lion_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of Lion on each parameter, in place."""
    ...
def log(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm: `y = ln(x)`."""
    ...
def log10(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of base 10: `y = ln(x) / ln(10)`."""
    ...
def log1p(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of `1 + x`, exact where `x` is small: `y = log(1 + x)`."""
    ...
def log2(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of base 2: `y = ln(x) / ln(2)`."""
    ...
def log_softmax(
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The logarithm of `tenon.softmax` along `axis`, without taking the logarithm of small numbers: `y = (x - m) - log(sum(exp(x - m)))`, with `m` the largest element."""
    ...
def logical_and(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Are both operands true? `y = a and b`."""
    ...
def logical_not(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """True where the element is false, which of numbers is a zero of either sign."""
    ...
def logical_or(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Is one of the operands true, or both? `y = a or b`."""
    ...
def logical_xor(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Is just one of the operands true? `y = a != b` of truth values."""
    ...
def logsigmoid(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sigmoid: `y = -ln(1 + exp(-x))`."""
    ...
def logsumexp(
    x: _Operand,
    axes: _b.int | Sequence[_b.int] | None = ...,
    keepdims: _b.bool = ...,
    *,
    axis: _b.int | Sequence[_b.int] = ...,
    dim: _b.int | Sequence[_b.int] = ...,
    dims: _b.int | Sequence[_b.int] = ...,
    keepdim: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of powers over `axes` (none: all of them; an empty list: no axis, so that the values stay): `y = log(sum(exp(x)))`, computed as `m + log(sum(exp(x - m)))` with `m` the largest element, so that no power overflows."""
    ...
def lstm(
    x: _Operand,
    w_ih: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    c0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    w_hr: _Operand | None = None,
    lengths: _Operand | None = None,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor, Tensor]:
    """One layer of an LSTM in one direction, over sequences `x` of B batches: `[steps,B,I]`, with `batch_first` `[B,steps,I]`."""
    ...
def lstm_cell(
    x: _Operand,
    w_ih: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    c0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    w_hr: _Operand | None = None,
    *,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """One step of `tenon.lstm`, over the rows of `x` `[B,I]`: the new `h` `[B,P]` and `c` `[B,H]` from `h0` and `c0` (0 if absent)."""
    ...
def lstm_steps(
    gates: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    c0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    w_hr: _Operand | None = None,
    lengths: _Operand | None = None,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor, Tensor]:
    """The steps of an LSTM, given what they make of their inputs: `gates` is `x w_ih^T`, for each step of each sequence 4 H numbers, those of the gates i, f, g and o in turn."""
    ...
def lstm_steps_grad(
    kept: _Operand,
    cells: _Operand,
    w_hh: _Operand,
    dy: _Operand | None = None,
    dh_n: _Operand | None = None,
    dc_n: _Operand | None = None,
    c0: _Operand | None = None,
    w_hr: _Operand | None = None,
    lengths: _Operand | None = None,
    dkept: _Operand | None = None,
    dcells: _Operand | None = None,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradients of `tenon.lstm_steps`, from the gates `kept` and the `cells` that it kept, and the gradients of its outputs; those that are absent are 0."""
    ...
def lt(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Less than: `y = a < b`."""
    ...
def masked_fill(
    x: _Operand,
    mask: _Operand,
    value: _Operand,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`value` where `mask` is true, else `x`."""
    ...
def masked_select(x: _Operand, mask: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The elements of `x` where `mask` is true, as a vector in row-major order."""
    ...
def matmul(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The matrix product over the last two dimensions: `y[m,n] = sum_k a[m,k] b[k,n]`."""
    ...
def max_pool(
    x: _Operand,
    kernel: _b.int | Sequence[_b.int] = ...,
    stride: _b.int | Sequence[_b.int] | None = ...,
    padding: _b.int | Sequence[_b.int] = ...,
    dilation: _b.int | Sequence[_b.int] = ...,
    *,
    ceil_mode: _b.bool = ...,
    auto_pad: _b.str = ...,
    kernel_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The largest place of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = max over t of x[n, c, w * stride - before + t * dilation]`, along each of these dimensions, over the taps `t` from 0 to `kernel - 1` whose place lies in the image."""
    ...
def max_pool_grad(
    dy: _Operand,
    positions: _Operand,
    size: _b.int | Sequence[_b.int] = ...,
    *,
    output_size: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Zeros of the shape `[N, C, size...]`, to which each number of `dy` is added at the place of its image that `positions` names, row by row over the image; -1 names none."""
    ...
def maximum(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The larger of the two: `y = max(a, b)`."""
    ...
def minimum(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The smaller of the two: `y = min(a, b)`."""
    ...
def mish(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """`y = x * tanh(ln(1 + exp(x)))`."""
    ...
def mse_loss(
    x: _Operand,
    target: _Operand,
    reduction: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The squared differences `(x - target)^2`: their mean, with `reduction` 'sum' their sum, with 'none' each of them."""
    ...
def mul(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The product: `y = a * b`."""
    ...
def multinomial(
    weights: _Operand,
    num_samples: _b.int,
    *,
    replacement: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Draws `num_samples` categories from each row of `weights`, whose last axis is that of the categories: category `k` with the probability `weights[k]` over the row's sum."""
    ...
def muon_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    momentum_buffer: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    momentum: _b.float = ...,
    *,
    nesterov: _b.bool = ...,
    weight_decay: _b.float = ...,
    eps: _b.float = ...,
    iterations: _b.int = ...,
    match_adamw: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of Muon on each parameter, a matrix [M,N], in place."""
    ...
def nadam_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    exp_avg_sq: Sequence[Tensor],
    mu_product: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    momentum_decay: _b.float = ...,
    *,
    decoupled: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.nadam_step` on the given rows of each parameter alone."""
    ...
def nadam_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avg: Sequence[Tensor],
    exp_avg_sq: Sequence[Tensor],
    mu_product: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    beta1: _b.float = ...,
    beta2: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    momentum_decay: _b.float = ...,
    *,
    decoupled: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of NAdam on each parameter, in place."""
    ...
def ne(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """Not equal: `y = a != b`."""
    ...
def neg(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The negated value: `y = -x`."""
    ...
def nextafter(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The number of the dtype that comes after `a` in the direction of `b`."""
    ...
def nll_loss(
    x: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    ignore_index: _b.int = ...,
    reduction: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The negative log-likelihood of the target classes, of log-probabilities such as those of `tenon.log_softmax`: `-weight[target[n]] * x[n, target[n]]`."""
    ...
def nonzero_static(
    x: _Operand,
    size: _b.int = ...,
    fill: _b.int = ...,
    *,
    output_size: _b.int = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """The coordinates of the first `size` elements of `x` that are not zero, in row-major order, one row of `places` for each; rows that are left over hold `fill`."""
    ...
def one_hot(
    indices: _Operand,
    classes: _b.int = ...,
    dtype: _DtypeLike = ...,
    *,
    num_classes: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """`y[i..., c]` is 1 where `c = indices[i...]`, else 0; the result has one more dimension, of `classes` elements."""
    ...
def orthogonal(
    shape: _b.int | Sequence[_b.int],
    gain: _b.float = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A random orthogonal matrix times `gain`: initial values of weights."""
    ...
def outer(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The outer product of two vectors: `y[m,n] = a[m] * b[n]`."""
    ...
def permutation(n: _b.int, dtype: _DtypeLike = ..., *, out: Tensor | None = None) -> Tensor:
    """The integers from 0 to `n - 1` in random order: sorted by keys of 64 random bits, of number `i` words `2i` (high) and `2i+1`, and by themselves where keys are equal."""
    ...
def permute(
    x: _Operand,
    axes: _b.int | Sequence[_b.int] = ...,
    *,
    axis: _b.int | Sequence[_b.int] = ...,
    dim: _b.int | Sequence[_b.int] = ...,
    dims: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The dimensions of `x` in the order of `axes`: dimension `d` of the result is dimension `axes[d]` of `x`."""
    ...
def pow(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """A power: `y = a^b`."""
    ...
def qr(
    x: _Operand,
    mode: _b.str = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """The reduced QR decomposition `x = q r` of the matrices that the last two dimensions hold: of `[...,M,N]`, with K the lesser of M and N, `q` is `[...,M,K]` with orthonormal columns, and `r` is `[...,K,N]`, an upper triangle."""
    ...
def random_integers(
    shape: _b.int | Sequence[_b.int],
    low: _b.int = ...,
    *,
    high: _b.int,
    dtype: _DtypeLike = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Random integers from `low` to `high - 1`: `y[i] = low + floor(w(i) * n / 2^64)`, where `n = high - low` and `w(i)` has the 64 bits of words `2i` (high) and `2i+1`, with `i` the row-major index."""
    ...
def reciprocal(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """One over the number: `y = 1 / x`."""
    ...
def reduce_scatter(x: _Operand, group: _b.int = ..., *, out: Tensor | None = None) -> Tensor:
    """Our row of the sum over the processes of a group: `x` [n, ...] has a row for each process, and `y` is row `r` of the sum of all `x` in rank `r`."""
    ...
def relu(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The positive part: `y = max(x, 0)`."""
    ...
def remainder(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """What division leaves: `y = a - floor(a / b) * b`, with the sign of `b`, as Python's `%`."""
    ...
def repetition_penalty(
    logits: _Operand,
    tokens: _Operand,
    penalty: _b.float,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Logits in which each token that `tokens` has in the same row is penalised, once however often it is there: `x * penalty` below 0, else `x / penalty`."""
    ...
def rms_norm(
    x: _Operand,
    weight: _Operand | None = None,
    dims: _b.int = ...,
    eps: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Scales each row of `x`, which is what the last `dims` dimensions hold, to a root mean square of 1: `y = x * s * weight`, with `s = 1 / sqrt(mean(x^2) + eps)` over the row."""
    ...
def rms_norm_grad(
    dy: _Operand,
    x: _Operand,
    weight: _Operand | None = None,
    dims: _b.int = ...,
    eps: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The gradients of `tenon.rms_norm`: with `h = x * s` the normalised row and `g = dy * weight`, `y = s * (g - h * mean(g * h))` is that of `x`, the mean over the row."""
    ...
def rmsprop_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    square_avg: Sequence[Tensor],
    grad_avg: Sequence[Tensor],
    momentum_buffer: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    alpha: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    momentum: _b.float = ...,
    *,
    centered: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.rmsprop_step` on the given rows of each parameter alone."""
    ...
def rmsprop_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    square_avg: Sequence[Tensor],
    grad_avg: Sequence[Tensor],
    momentum_buffer: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    alpha: _b.float = ...,
    eps: _b.float = ...,
    weight_decay: _b.float = ...,
    momentum: _b.float = ...,
    *,
    centered: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of RMSprop on each parameter, in place."""
    ...
def rnn(
    x: _Operand,
    w_ih: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    lengths: _Operand | None = None,
    activation: _b.str = ...,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """One plain recurrent layer in one direction, over sequences `x` of B batches: `[steps,B,I]`, with `batch_first` `[B,steps,I]`."""
    ...
def rnn_cell(
    x: _Operand,
    w_ih: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    activation: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """One step of `tenon.rnn`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if absent)."""
    ...
def rnn_steps(
    gates: _Operand,
    w_hh: _Operand,
    h0: _Operand | None = None,
    b_ih: _Operand | None = None,
    b_hh: _Operand | None = None,
    lengths: _Operand | None = None,
    activation: _b.str = ...,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """The steps of a plain recurrent layer, given what they make of their inputs: `gates` is `x w_ih^T`, for each step of each sequence H numbers."""
    ...
def rnn_steps_grad(
    y: _Operand,
    w_hh: _Operand,
    dy: _Operand | None = None,
    dh_n: _Operand | None = None,
    lengths: _Operand | None = None,
    activation: _b.str = ...,
    *,
    reverse: _b.bool = ...,
    batch_first: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradients of `tenon.rnn_steps`, from its result `y` and the gradients of its outputs; those that are absent are 0."""
    ...
def rope(
    x: _Operand,
    cos: _Operand,
    sin: _Operand,
    positions: _Operand | None = None,
    layout: _b.str = ...,
    offset: _b.int = ...,
    *,
    inverse: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Rotary position embedding."""
    ...
def rope_table(
    shape: _b.int | Sequence[_b.int],
    part: _b.str = ...,
    base: _b.float = ...,
    scale: _b.float = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The cosines, or with `part='sin'` the sines, of `angle[p,i] = p * scale * base^(-i/R)`, with `shape = [P, R]`: one of the two tables that `tenon.rope_tables` makes, by the attributes `shape` and `dtype` that layers give to what makes their tensors."""
    ...
def rope_tables(
    positions: _b.int,
    dims: _b.int,
    base: _b.float = ...,
    scale: _b.float = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """Cosine and sine of `angle[p,i] = p * scale * base^(-2i/dims)` for `positions` positions and the `dims / 2` pairs of a row of which `dims` elements are rotated: the tables of `tenon.rope`."""
    ...
def rows_add(
    x: _Operand,
    indices: _Operand,
    values: _Operand,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """Adds `values[r]` to row `indices[r]` of `x`, in place, for `r` ascending; a row named twice gets both."""
    ...
def rows_put(
    x: _Operand,
    indices: _Operand,
    values: _Operand,
    *,
    out: Sequence[Tensor] | None = None,
) -> None:
    """Puts `values[r]` in place of row `indices[r]` of `x`, in place, for `r` ascending; of a row named twice the last one stays."""
    ...
def rsqrt(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """One over the square root: `y = 1 / sqrt(x)`."""
    ...
def runs(x: _Operand, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor]:
    """For each element of the vector `x`: does it begin a run of equal elements, and which run is it in, counted from 0? Zeros of either sign are equal; a NaN equals nothing, not even a NaN."""
    ...
def sample(
    logits: _Operand,
    temperature: _b.float = ...,
    top_k: _b.int = ...,
    top_p: _b.float = ...,
    min_p: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Draws one token from each row of `logits`, whose last axis is that of the tokens: token `k` with the probability `softmax(z)[k]`, where `z` is what `tenon.filter_logits` gives for the same `temperature`, `top_k`, `top_p` and `min_p`."""
    ...
def selu(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The scaled exponential linear unit: `y = scale * x` where `x > 0`, else `scale * alpha * (exp(x) - 1)`, with `scale = 1.0507009873554804934` and `alpha = 1.6732632423543772848`, for which activations keep mean 0 and variance 1."""
    ...
def sgd_rows(
    params: Sequence[Tensor],
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    momentum_buffer: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    momentum: _b.float = ...,
    dampening: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    nesterov: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of `tenon.sgd_step` on the given rows of each parameter alone."""
    ...
def sgd_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    momentum_buffer: Sequence[Tensor],
    step: Sequence[Tensor],
    lr: _Operand,
    momentum: _b.float = ...,
    dampening: _b.float = ...,
    weight_decay: _b.float = ...,
    *,
    nesterov: _b.bool = ...,
    out: Sequence[Tensor] | None = None,
) -> None:
    """One step of stochastic gradient descent on each parameter, in place."""
    ...
def sigmoid(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The logistic function: `y = 1 / (1 + exp(-x))`."""
    ...
def sign(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The sign: 1 where `x > 0`, -1 where `x < 0`, 0 where `x` is a zero of either sign."""
    ...
def silu(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The sigmoid linear unit, also called swish: `y = x / (1 + exp(-x))`."""
    ...
def sin(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The sine of an angle in radians: `y = sin(x)`."""
    ...
def sinh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`."""
    ...
def sinusoidal_positions(
    shape: _b.int | Sequence[_b.int],
    base: _b.float = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """What the first Transformer adds to its embeddings: a row for each position."""
    ...
def slice(
    x: _Operand,
    axis: _b.int = ...,
    start: _b.int | None = ...,
    stop: _b.int | None = ...,
    step: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    end: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """`x[start:stop:step]` along `axis`, as Python slices: negative places count from the end, places outside are clipped, `none` is an end of the axis, and a negative step walks backward."""
    ...
def slice_put(
    dy: _Operand,
    shape: _b.int | Sequence[_b.int],
    axis: _b.int = ...,
    start: _b.int = ...,
    step: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Zeros of the given shape, with `dy` put in at `start`, `start + step`, ..."""
    ...
def slogdet(x: _Operand, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor]:
    """Sign, and natural logarithm of the absolute value, of the determinants of the square matrices that the last two dimensions hold: `det x = sign * exp(logabsdet)`, also where the determinant itself is too large or too small for the dtype."""
    ...
def smooth_l1_loss(
    x: _Operand,
    target: _Operand,
    reduction: _b.str = ...,
    beta: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """With `d = x - target`: `d^2 / (2 * beta)` where `|d| < beta`, else `|d| - beta / 2`; of these the mean, with `reduction` 'sum' the sum, with 'none' each of them."""
    ...
def softmax(
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Exponentials scaled to sum to 1 along `axis`: `y = exp(x - m) / sum(exp(x - m))`, with `m` the largest element, so that nothing overflows."""
    ...
def softmax_cross_entropy(
    logits: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    ignore_index: _b.int = ...,
    label_smoothing: _b.float = ...,
    reduction: _b.str = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The mean negative log-likelihood of the target classes: `y = -(1/R) sum_n log_softmax(logits)[n, target[n]]`, over the `R` rows whose target is not `ignore_index`."""
    ...
def softmax_cross_entropy_grad(
    dy: _Operand,
    logits: _Operand,
    top: _Operand,
    top_prob: _Operand,
    target: _Operand,
    ignore_index: _b.int = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `tenon.softmax_cross_entropy` for its logits, from its aux outputs `top` and `top_prob`: `y[n,c] = dy/R * (p[n,c] - [c == target[n]])` in the `R` rows whose target is not `ignore_index`, 0 in the others, with the probabilities `p[n,c] = exp(logits[n,c] - top[n]) * top_prob[n]`."""
    ...
def softplus(
    x: _Operand,
    beta: _b.float = ...,
    threshold: _b.float = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The smooth positive part: `y = ln(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x` is above `threshold`."""
    ...
def solve(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The solution `y` of `a y = b` for square matrices `a`, which the last two dimensions hold."""
    ...
def solve_triangular(
    a: _Operand,
    b: _Operand,
    *,
    upper: _b.bool = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The solution `y` of `a y = b` for the lower triangles of square matrices `a`, or with `upper` the upper ones; nothing else of `a` is read."""
    ...
def sqrt(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The square root: `y = sqrt(x)`."""
    ...
def square(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The square: `y = x * x`."""
    ...
def stack(
    xs: Sequence[Tensor],
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The tensors `xs`, all of one shape, along a new dimension, which is dimension `axis` of the result."""
    ...
def sub(a: _Operand, b: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The difference: `y = a - b`."""
    ...
def sum_to(x: _Operand, shape: _b.int | Sequence[_b.int], *, out: Tensor | None = None) -> Tensor:
    """Sums `x` down to `shape`, which must be broadcastable to the shape of `x`: leading dimensions vanish, and dimensions that are 1 in `shape` are summed."""
    ...
def svd(x: _Operand, *, out: Sequence[Tensor] | None = None) -> _b.tuple[Tensor, Tensor, Tensor]:
    """The reduced singular value decomposition `x = u diag(s) vh` of the matrices that the last two dimensions hold: of `[...,M,N]`, with K the lesser of M and N, `u` is `[...,M,K]` with orthonormal columns, `s` is `[...,K]`, descending and not negative, and `vh` is `[...,K,N]` with orthonormal rows."""
    ...
def swiglu(
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gated unit of Llama and its kin."""
    ...
def swiglu_grad(
    dy: _Operand,
    x: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The gradient of `tenon.swiglu` for its operand, both halves of it: with `s = sigmoid(a)` and `v = silu(a)`, `y = [dy * b * (s + v * (1 - s)) | dy * v]` along `axis`."""
    ...
def take_along_axis(
    x: _Operand,
    indices: _Operand,
    axis: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """`y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis`."""
    ...
def tan(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The tangent of an angle in radians: `y = tan(x)`."""
    ...
def tanh(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent: `y = tanh(x)`."""
    ...
def to(x: _Operand, kind: _b.int, index: _b.int, *, out: Tensor | None = None) -> Tensor:
    """The same elements on the device `{kind, index}`: `y = x`."""
    ...
def topk(
    x: _Operand,
    k: _b.int,
    axis: _b.int = ...,
    *,
    largest: _b.bool = ...,
    sorted: _b.bool = ...,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Sequence[Tensor] | None = None,
) -> _b.tuple[Tensor, Tensor]:
    """The `k` largest (`largest=false`: smallest) elements of each line along `axis`, and `indices`, where each of them was."""
    ...
def trigamma(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The slope of `tenon.digamma`: the second derivative of `log(Gamma(x))`."""
    ...
def trunc(x: _Operand, *, out: Tensor | None = None) -> Tensor:
    """The whole number next to `x` on the side of 0."""
    ...
def truncated_normal(
    shape: _b.int | Sequence[_b.int],
    mean: _b.float = ...,
    std: _b.float = ...,
    low: _b.float = ...,
    high: _b.float = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Random numbers, normally distributed between two bounds: `y = mean + std * z`."""
    ...
def unfold(
    x: _Operand,
    axis: _b.int = ...,
    size: _b.int = ...,
    step: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    output_size: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """The windows of `size` elements along `axis` that begin at 0, `step`, 2 `step`, ..."""
    ...
def unfold_add(
    x: _Operand,
    axis: _b.int = ...,
    length: _b.int = ...,
    step: _b.int = ...,
    *,
    axes: _b.int = ...,
    dim: _b.int = ...,
    out: Tensor | None = None,
) -> Tensor:
    """Zeros with `length` elements along `axis`, to which the windows in the last dimension of `x` are added: window `i` begins at `i step`."""
    ...
def uniform(
    shape: _b.int | Sequence[_b.int],
    low: _b.float = ...,
    high: _b.float = ...,
    dtype: _DtypeLike = ...,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Random numbers, uniform in `[low, high)`: `y[i] = low + u(i) * (high - low)`."""
    ...
def unsqueeze(
    x: _Operand,
    axes: _b.int | Sequence[_b.int] = ...,
    *,
    axis: _b.int | Sequence[_b.int] = ...,
    dim: _b.int | Sequence[_b.int] = ...,
    dims: _b.int | Sequence[_b.int] = ...,
    out: Tensor | None = None,
) -> Tensor:
    """`x` with a new dimension of size 1 at each of `axes`, which are places in the result."""
    ...
def view(x: _Operand, shape: _b.int | Sequence[_b.int], *, out: Tensor | None = None) -> Tensor:
    """The elements of `x`, read in row-major order, in another shape, always in the memory of `x`: where `tenon.reshape` would copy because of the strides of `x`, this op is an error that names them."""
    ...
