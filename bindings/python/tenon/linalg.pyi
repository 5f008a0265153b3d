# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/linalg.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tenon import Dtype, Tensor

class EighResult:
    """EighResult(eigenvalues, eigenvectors)"""

    def __getitem__(self, key: Any) -> Any:
        """Return self[key]."""
        ...
    def __iter__(self) -> Any:
        """Implement iter(self)."""
        ...
    def __len__(self) -> Any:
        """Return len(self)."""
        ...
    def count(self, value: Any) -> Any:
        """Return number of occurrences of value."""
        ...
    def index(self, value: Any, start: Any = ..., stop: Any = ...) -> Any:
        """Return first index of value."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class LstsqResult:
    """LstsqResult(solution, residuals, rank, singular_values)"""

    def __getitem__(self, key: Any) -> Any:
        """Return self[key]."""
        ...
    def __iter__(self) -> Any:
        """Implement iter(self)."""
        ...
    def __len__(self) -> Any:
        """Return len(self)."""
        ...
    def count(self, value: Any) -> Any:
        """Return number of occurrences of value."""
        ...
    def index(self, value: Any, start: Any = ..., stop: Any = ...) -> Any:
        """Return first index of value."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class QRResult:
    """QRResult(Q, R)"""

    def __getitem__(self, key: Any) -> Any:
        """Return self[key]."""
        ...
    def __iter__(self) -> Any:
        """Implement iter(self)."""
        ...
    def __len__(self) -> Any:
        """Return len(self)."""
        ...
    def count(self, value: Any) -> Any:
        """Return number of occurrences of value."""
        ...
    def index(self, value: Any, start: Any = ..., stop: Any = ...) -> Any:
        """Return first index of value."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class SVDResult:
    """SVDResult(U, S, Vh)"""

    def __getitem__(self, key: Any) -> Any:
        """Return self[key]."""
        ...
    def __iter__(self) -> Any:
        """Implement iter(self)."""
        ...
    def __len__(self) -> Any:
        """Return len(self)."""
        ...
    def count(self, value: Any) -> Any:
        """Return number of occurrences of value."""
        ...
    def index(self, value: Any, start: Any = ..., stop: Any = ...) -> Any:
        """Return first index of value."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class SlogdetResult:
    """SlogdetResult(sign, logabsdet)"""

    def __getitem__(self, key: Any) -> Any:
        """Return self[key]."""
        ...
    def __iter__(self) -> Any:
        """Implement iter(self)."""
        ...
    def __len__(self) -> Any:
        """Return len(self)."""
        ...
    def count(self, value: Any) -> Any:
        """Return number of occurrences of value."""
        ...
    def index(self, value: Any, start: Any = ..., stop: Any = ...) -> Any:
        """Return first index of value."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


def cholesky(x: Any, *, upper: Any = ...) -> Tensor:
    """The lower, or upper, triangular factor of positive definite matrices."""
    ...

def det(x: Any) -> Tensor:
    """Determinants; exactly 0 if a column has no pivot."""
    ...

def diagonal(x: Any, *, offset: Any = ...) -> Tensor:
    """The diagonals of matrices; a view."""
    ...

def eigh(x: Any) -> _b.tuple[Tensor, ...]:
    """(eigenvalues, eigenvectors) of symmetric matrices, ascending; vectors are columns."""
    ...

def eigvalsh(x: Any) -> Tensor:
    """The eigenvalues of symmetric matrices, ascending."""
    ...

def inv(x: Any) -> Tensor:
    """The inverse of square matrices."""
    ...

def lstsq(a: Any, b: Any, rcond: Any = ...) -> _b.tuple[Tensor, ...]:
    """(solution, residuals, rank, singular_values), as NumPy's: the x of the least |a x - b|, and of these the shortest; the sums of squares of a x - b, if `a` has more rows than columns, all of these independent; how many are; the singular values of `a`."""
    ...

def matmul(a: Any, b: Any) -> Tensor:
    """The product of matrices."""
    ...

def matrix_norm(x: Any, ord: Any = ..., *, keepdims: Any = ...) -> Tensor:
    """The norm of matrices: 'fro', the root of the sum of squares; 'nuc', the sum of singular values; 2 and -2, the greatest and least of them; 1, -1, inf and -inf, of sums of absolute values of columns and of rows."""
    ...

def matrix_power(x: Any, n: Any) -> Tensor:
    """The n-th power of square matrices; of the inverse for n below 0."""
    ...

def matrix_rank(x: Any, *, rtol: Any = ...) -> Tensor:
    """How many singular values are greater than rtol times the greatest."""
    ...

def norm(
    x: Any,
    ord: Any = ...,
    axis: Any = ...,
    keepdims: Any = ...,
    *,
    dim: Any = ...,
    keepdim: Any = ...,
) -> Tensor:
    """Without `ord` the root of the sum of squares, over `axis` or of all elements; with it the norm of vectors, or over two axes, and of a matrix, that of matrices."""
    ...

def outer(a: Any, b: Any) -> Tensor:
    """All products of elements of two vectors."""
    ...

def pinv(x: Any, rtol: Any = ..., *, rcond: Any = ...) -> Tensor:
    """The pseudo-inverse: singular values of at most rtol times the greatest count as 0; rtol is max(M, N) eps unless it is given."""
    ...

def qr(x: Any, mode: Any = ...) -> _b.tuple[Tensor, ...]:
    """(Q, R): orthogonal columns, and an upper triangle whose diagonal is not negative."""
    ...

def slogdet(x: Any) -> _b.tuple[Tensor, ...]:
    """(sign, logarithm of the absolute value) of determinants; of a singular matrix (0, -inf)."""
    ...

def solve(a: Any, b: Any) -> Tensor:
    """x with a x = b, of a vector [N] or of matrices [..., N, K]."""
    ...

def solve_triangular(a: Any, b: Any, *, upper: Any = ...) -> Tensor:
    """x with a x = b for triangular `a`."""
    ...

def svd(x: Any, full_matrices: Any = ...) -> _b.tuple[Tensor, ...]:
    """(U, S, Vh) with x = U S Vh."""
    ...

def svdvals(x: Any) -> Tensor:
    """The singular values, the greatest first."""
    ...

def vector_norm(
    x: Any,
    ord: Any = ...,
    axis: Any = ...,
    keepdims: Any = ...,
    *,
    dim: Any = ...,
    keepdim: Any = ...,
) -> Tensor:
    """(sum |x|^ord)^(1/ord) over `axis`, or of all elements."""
    ...
