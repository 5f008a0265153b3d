# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/linalg.py: linear algebra by the names of the array API standard, NumPy and
# PyTorch, made of ops.
"""`tenon.linalg.solve(a, b)`. Matrices are the last two dimensions, all before them a batch."""

import math
from collections import namedtuple

from tenon import _core
from tenon._core import Tensor
from tenon._elementwise import (  # noqa: F401
    cross,
    tensordot,
    trace,  # noqa: F401
    vecdot,
)
from tenon._errors import refuse as _refuse
from tenon._operands import operands as _operands
from tenon._ops import op
from tenon._shapes import _axis, _one, matrix_transpose  # noqa: F401

_op = op.tenon
QRResult = namedtuple("QRResult", "Q R")
SVDResult = namedtuple("SVDResult", "U S Vh")
EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
LstsqResult = namedtuple("LstsqResult", "solution residuals rank singular_values")


def _square(function, x):
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise _refuse(f"linalg.{function}", "x", "square matrices [..., N, N]", str(x.shape))


def matmul(a, b):
    """The product of matrices."""
    return _op.matmul(a, b)


def outer(a, b):
    """All products of elements of two vectors."""
    return _op.outer(a, b)


def diagonal(x, *, offset=0):
    """The diagonals of matrices; a view."""
    return _op.diagonal(x, offset=offset)


def cholesky(x, *, upper=False):
    """The lower, or upper, triangular factor of positive definite matrices."""
    return _op.cholesky(x, upper=upper)


def qr(x, mode="reduced"):
    """(Q, R): orthogonal columns, and an upper triangle whose diagonal is not negative.

    mode   "reduced"; or "complete": Q is square, and R as high as `x`
    """
    q, r = _op.qr(x, mode="reduced" if mode == "complete" else mode)
    if mode == "complete" and q.shape[-1] < q.shape[-2]:
        more = q.shape[-2] - q.shape[-1]
        q, r = _complete(q), _op.pad(r, pads=[0, more], axes=[-2])
    return QRResult(q, r)


def svd(x, full_matrices=True):
    """(U, S, Vh) with x = U S Vh. U and Vh are square; with full_matrices=False they have as many
    columns, and rows, as there are singular values."""
    u, s, vh = _op.svd(x)
    if full_matrices:
        u, vh = _complete(u), matrix_transpose(_complete(matrix_transpose(vh)))
    return SVDResult(u, s, vh)


def _complete(q):
    """Orthogonal columns [..., M, K] with M - K more, of no defined sign."""
    m, k = q.shape[-2:]
    if m == k:
        return q
    one = _op.broadcast_to(_op.eye(n=m, dtype=q.dtype), shape=[*q.shape[:-2], m, m])
    wide = _op.qr(_op.concat([q, one], axis=-1))[0]
    return _op.concat([q, wide[..., k:]], axis=-1)


def svdvals(x):
    """The singular values, the greatest first."""
    return _op.svd(x)[1]


def eigh(x):
    """(eigenvalues, eigenvectors) of symmetric matrices, ascending; vectors are columns."""
    return EighResult(*_op.eigh(x))


def eigvalsh(x):
    """The eigenvalues of symmetric matrices, ascending."""
    return _op.eigh(x)[0]


def solve(a, b):
    """x with a x = b, of a vector [N] or of matrices [..., N, K]."""
    return _op.solve(a, b)


def solve_triangular(a, b, *, upper=False):
    """x with a x = b for triangular `a`."""
    return _op.solve_triangular(a, b, upper=upper)


@_operands("x")
def inv(x):
    """The inverse of square matrices."""
    _square("inv", x)
    n = x.shape[-1]
    one = _op.eye(n=n, dtype=x.dtype)
    return _op.solve(x, _op.copy(_op.broadcast_to(one, shape=list(x.shape))))


def slogdet(x):
    """(sign, logarithm of the absolute value) of determinants; of a singular matrix (0, -inf)."""
    return SlogdetResult(*_op.slogdet(x))


def det(x):
    """Determinants; exactly 0 if a column has no pivot. Singular matrices have a gradient too."""
    return _op.det(x)


@_operands("x")
def pinv(x, rtol=None, *, rcond=None):
    """The pseudo-inverse: singular values of at most rtol times the greatest count as 0; rtol is
    max(M, N) eps unless it is given."""
    if 0 in x.shape:
        return matrix_transpose(x)
    u, s, vh = _op.svd(x)
    keep = s > _least(x, s, rcond if rtol is None else rtol)
    inverse = _op.where(keep, 1 / _op.where(keep, s, 1.0), 0.0)
    return _op.matmul(matrix_transpose(vh) * _op.unsqueeze(inverse, axes=[-2]), matrix_transpose(u))


def _least(x, s, rtol):
    if rtol is None:
        from tenon._dtypes import finfo

        rtol = max(x.shape[-2:]) * finfo(x.dtype).eps
    if isinstance(rtol, Tensor) and rtol.ndim:
        rtol = _op.unsqueeze(rtol, axes=[-1])
    return _op.max(s, axes=[-1], keepdims=True) * rtol


@_operands("x")
def matrix_rank(x, *, rtol=None):
    """How many singular values are greater than rtol times the greatest."""
    if 0 in x.shape:
        return _op.full(shape=list(x.shape[:-2]), value=0, dtype="int64")
    s = _op.svd(x)[1]
    return _op.sum((s > _least(x, s, rtol)).astype(_core.int64), axes=[-1])


@_operands("a b")
def lstsq(a, b, rcond=None):
    """(solution, residuals, rank, singular_values), as NumPy's: the x of the least |a x - b|, and
    of these the shortest; the sums of squares of a x - b, if `a` has more rows than columns, all of
    these independent; how many are; the singular values of `a`."""
    s = _op.svd(a)[1]
    x = _op.matmul(pinv(a, rcond), b)
    rank = matrix_rank(a, rtol=rcond)
    residuals = _op.full(shape=[0], value=0, dtype=a.dtype)
    if a.shape[0] > a.shape[1] == rank.item():
        columns = _op.matmul(a, x) - b
        residuals = _op.sum(_op.reshape(columns * columns, shape=[a.shape[0], -1]), axes=[0])
    return LstsqResult(x, residuals, rank, s)


@_operands("x")
def matrix_power(x, n):
    """The n-th power of square matrices; of the inverse for n below 0."""
    _square("matrix_power", x)
    if n < 0:
        x, n = inv(x), -n
    found = None
    while n:
        if n & 1:
            found = x if found is None else _op.matmul(found, x)
        n >>= 1
        x = _op.matmul(x, x) if n else x
    if found is None:
        one = _op.eye(n=x.shape[-1], dtype=x.dtype)
        return _op.copy(_op.broadcast_to(one, shape=list(x.shape)))
    return found


def vector_norm(x, ord=2.0, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """(sum |x|^ord)^(1/ord) over `axis`, or of all elements."""
    axis = _one(axis, dim)
    axes = [axis] if isinstance(axis, int) else axis
    return _op.norm(x, axes=axes, keepdims=keepdims or keepdim, ord=float(ord))


@_operands("x")
def matrix_norm(x, ord="fro", *, keepdims=False):
    """The norm of matrices: "fro", the root of the sum of squares; "nuc", the sum of singular
    values; 2 and -2, the greatest and least of them; 1, -1, inf and -inf, of sums of absolute
    values of columns and of rows."""
    if ord == "fro":
        return _op.norm(x, axes=[-2, -1], keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        s = _op.svd(x)[1]
        found = {"nuc": _op.sum, 2: _op.max, -2: _op.min}[ord](s, axes=[-1], keepdims=keepdims)
        return _op.unsqueeze(found, axes=[-1]) if keepdims else found
    if ord not in (1, -1, math.inf, -math.inf):
        raise _refuse("matrix_norm", "ord", "'fro', 'nuc', 1, -1, 2, -2, inf or -inf", repr(ord))
    along = -2 if abs(ord) == 1 else -1
    sums = _op.sum(_op.abs(x), axes=[along], keepdims=True)
    extreme = _op.max if ord > 0 else _op.min
    return extreme(sums, axes=[-2, -1], keepdims=keepdims)


@_operands("x")
def norm(x, ord=None, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Without `ord` the root of the sum of squares, over `axis` or of all elements; with it the
    norm of vectors, or over two axes, and of a matrix, that of matrices."""
    axis, keepdims = _one(axis, dim), keepdims or keepdim
    axes = [axis] if isinstance(axis, int) else axis
    if ord is None:
        return _op.norm(x, axes=axes, keepdims=keepdims)
    if axes is None and x.ndim == 2:
        axes = [0, 1]
    if axes is None or len(axes) == 1:
        return vector_norm(x, ord, axes, keepdims)
    at = [_axis("linalg.norm", each, x.ndim) for each in axes]
    rest = [each for each in range(x.ndim) if each not in at]
    found = matrix_norm(_op.permute(x, axes=rest + at), ord)
    return _op.unsqueeze(found, axes=sorted(at)) if keepdims else found
