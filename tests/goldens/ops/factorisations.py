# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/factorisations.py: matrices taken apart, with 60 digits.

import mpmath
import numpy

import exact
from exact_array import Array
from ops import golden


def matrices(x, own=2):
    """Places of the batch, and a function from a place to an mpmath matrix."""
    batch = x.shape[: len(x.shape) - own]

    def at(place):
        return [[mpmath.mpf(value) for value in row] for row in x.values[place]]

    return batch, at


def collected(dtype, batch, own, results):
    """Arrays from a dict of place to nested lists of mpf."""
    values = numpy.empty((*batch, *own), dtype=object)
    for place in numpy.ndindex(values.shape):
        item = results[place[: len(batch)]]
        for index in place[len(batch) :]:
            item = item[index]
        values[place] = exact.rounded(dtype, item)
    return Array.of(dtype, values.shape, values.reshape(-1))


def symmetric(x):
    n = len(x)
    return [[(x[i][j] + x[j][i]) / 2 for j in range(n)] for i in range(n)]


@golden("tenon.cholesky")
def cholesky(call):
    x = call.inputs[0]
    batch, at = matrices(x)
    n = x.shape[-1]

    def lower(a):
        rows = [[mpmath.mpf(0)] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                rest = a[i][j] - sum(rows[i][k] * rows[j][k] for k in range(j))
                rows[i][j] = mpmath.sqrt(rest) if i == j else rest / rows[j][j]
        if call.attrs["upper"]:
            rows = [[rows[j][i] for j in range(n)] for i in range(n)]
        return rows

    results = {place: lower(symmetric(at(place))) for place in numpy.ndindex(batch)}
    return [collected(x.dtype, batch, (n, n), results)]


def eliminated(a, b):
    """Gauss and Jordan, with the largest pivots."""
    n = len(a)
    rows = [list(left) + list(right) for left, right in zip(a, b, strict=True)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


@golden("tenon.solve_triangular")
def solve_triangular(call):
    part = numpy.triu if call.attrs["upper"] else numpy.tril
    a = call.inputs[0]
    call.inputs[0] = Array(a.dtype, numpy.where(part(numpy.ones(a.shape)) != 0, a.values, 0.0))
    return solve(call)


@golden("tenon.solve")
def solve(call):
    a, b = call.inputs
    vector = len(b.shape) == 1
    right = b.values[:, None] if vector else b.values
    batch = numpy.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    left = numpy.broadcast_to(a.values, batch + a.shape[-2:])
    right = numpy.broadcast_to(right, batch + right.shape[-2:])
    results = {}
    for place in numpy.ndindex(batch):
        rows = [[[mpmath.mpf(v) for v in row] for row in m] for m in (left[place], right[place])]
        if any(not mpmath.isfinite(v) for row in rows[1] for v in row):
            results[place] = by_diagonal(*rows)
        else:
            results[place] = eliminated(*rows)
    y = collected(a.dtype, batch, right.shape[-2:], results)
    return [Array.of(a.dtype, y.shape[:-1], y.elements())] if vector else [y]


def by_diagonal(a, b):
    """Of a diagonal matrix, each row by itself: a NaN stays where it is."""
    return [[value / a[i][i] for value in row] for i, row in enumerate(b)]


@golden("tenon.qr")
def qr(call):
    """Gram and Schmidt, which 60 digits make exact enough; columns beyond M follow."""
    x = call.inputs[0]
    batch, at = matrices(x)
    m, n = x.shape[-2:]
    k = min(m, n)
    q_results, r_results = {}, {}
    for place in numpy.ndindex(batch):
        a = at(place)
        columns = [[a[i][j] for i in range(m)] for j in range(n)]
        basis, r = [], [[mpmath.mpf(0)] * n for _ in range(k)]
        for j, column in enumerate(columns):
            rest = list(column)
            for i, unit in enumerate(basis[: j + 1]):
                r[i][j] = sum(x * y for x, y in zip(unit, column, strict=True))
                rest = [x - r[i][j] * y for x, y in zip(rest, unit, strict=True)]
            if j < k:
                r[j][j] = mpmath.sqrt(sum(value**2 for value in rest))
                basis.append([value / r[j][j] for value in rest])
        q_results[place] = [[basis[j][i] for j in range(k)] for i in range(m)]
        r_results[place] = r
    return [
        collected(x.dtype, batch, (m, k), q_results),
        collected(x.dtype, batch, (k, n), r_results),
    ]


def signed(vector):
    """The sign that makes the first element positive that is large enough."""
    largest = max(abs(value) for value in vector)
    first = next(value for value in vector if abs(value) >= mpmath.mpf("0.55") * largest)
    return -1 if first < 0 else 1


def spectrum(a):
    """Eigenvalues, ascending, and as many rows of eigenvectors."""
    n = len(a)
    if n == 0:
        return [], []
    values, vectors = mpmath.eigsy(mpmath.matrix(a))
    order = sorted(range(n), key=lambda i: values[i])
    rows = [[vectors[i, k] for i in range(n)] for k in order]
    return [values[k] for k in order], [[signed(row) * v for v in row] for row in rows]


@golden("tenon.eigh")
def eigh(call):
    x = call.inputs[0]
    batch, at = matrices(x)
    n = x.shape[-1]
    found = {place: spectrum(symmetric(at(place))) for place in numpy.ndindex(batch)}
    columns = {
        place: [[rows[k][i] for k in range(n)] for i in range(n)]
        for place, (_, rows) in found.items()
    }
    values = {place: values for place, (values, _) in found.items()}
    return [collected(x.dtype, batch, (n,), values), collected(x.dtype, batch, (n, n), columns)]


@golden("tenon.svd")
def svd(call):
    """By the spectrum of the smaller of x^T x and x x^T; all singular values are above 0."""
    x = call.inputs[0]
    batch, at = matrices(x)
    m, n = x.shape[-2:]
    k = min(m, n)
    u_results, s_results, v_results = {}, {}, {}
    with mpmath.workdps(120):
        for place in numpy.ndindex(batch):
            a = at(place)
            u_results[place], s_results[place], v_results[place] = decomposed(a, m, n)
    return [
        collected(x.dtype, batch, (m, k), u_results),
        collected(x.dtype, batch, (k,), s_results),
        collected(x.dtype, batch, (k, n), v_results),
    ]


def decomposed(a, m, n):
    tall = m >= n
    k = min(m, n)
    # The shorter side as rows.
    short = [[a[i][j] for i in range(m)] for j in range(n)] if tall else a
    gram = [[sum(x * y for x, y in zip(p, q, strict=True)) for q in short] for p in short]
    values, rows = spectrum(gram)
    values, rows = values[::-1], rows[::-1]
    singular = [mpmath.sqrt(value) for value in values]
    other = [
        [sum(row[i] * short[i][j] for i in range(k)) / s for j in range(max(m, n))]
        for row, s in zip(rows, singular, strict=True)
    ]
    left, right = (other, rows) if tall else (rows, other)
    signs = [signed(row) for row in right] if n else []
    u = [[signs[j] * left[j][i] for j in range(k)] for i in range(m)]
    return u, singular, [[signs[j] * value for value in right[j]] for j in range(k)]
