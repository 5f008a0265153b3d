# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/factorisations.py: OpInfos of systems of equations and of what solves them.

import torch

from opinfo_table import CALLED_FOR_GRADIENT, Entry, Row, call

ROUNDINGS = "Tenon computes in f64; PyTorch in the dtype, whose roundings the matrix enlarges"
SEVERAL = (
    "no case here has several results; mpmath has the values, differences of them the gradients"
)


def cholesky(input, *, upper=False):
    return call(input, upper=upper)


def solve(A, B, *, left=True):
    vectors = B.dim() > 1 and B.dim() == A.dim() - 1 and B.shape == A.shape[:-1]
    return call(A, B, lacks={"a y from the right": not left, "a batch of vectors": vectors})


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    lacks = {"a y from the right": not left, "unitriangular": unitriangular}
    return call(A, B, upper=upper, lacks=lacks)


def numbers(A):
    """det and slogdet, of which PyTorch knows the second result too."""
    return call(A)


TABLE = {
    "tenon.det": Entry([Row("linalg.det", numbers)], 4096, 65536, ROUNDINGS, sums=True),
    "tenon.slogdet": Entry(
        [
            Row("linalg.slogdet", numbers, lambda A: torch.linalg.slogdet(A)[0], outputs=2),
            Row(
                "linalg.slogdet",
                numbers,
                lambda A: torch.linalg.slogdet(A)[1],
                outputs=2,
                output=1,
            ),
        ],
        4096,
        65536,
        ROUNDINGS,
        sums=True,
    ),
    "tenon.cholesky": Entry(
        [Row("linalg.cholesky", cholesky), Row("cholesky", cholesky)],
        64,
        4096,
        ROUNDINGS,
        sums=True,
    ),
    "tenon.solve": Entry([Row("linalg.solve", solve)], 4096, 65536, ROUNDINGS, sums=True),
    "tenon.solve_triangular": Entry(
        [Row("linalg.solve_triangular", solve_triangular)], 4096, 65536, ROUNDINGS, sums=True
    ),
}

WITHOUT = {
    "tenon.cofactors": CALLED_FOR_GRADIENT.format("det"),
    "tenon.eigh": SEVERAL,
    "tenon.qr": SEVERAL,
    "tenon.svd": SEVERAL,
}
