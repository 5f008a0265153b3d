# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/index_more.py: elements by number, and elements in order.

import torch

from opinfo_table import AXIS_OF_RANK_0, Entry, Row, call

DIMENSIONS = "indices of another rank"
NEGATIVE = "a negative index"
INDEX_DTYPE = "an index that is not an i32 or i64"
PART = "the gradient of a part or another shape of an operand"


def negative(*indices):
    return any(bool((index < 0).any()) for index in indices)


def of_other_dtypes(*indices):
    return any(index.dtype not in (torch.int32, torch.int64) for index in indices)


def along(input, dim, index, *others, **more):
    """An op along an axis, with one index for each element; negative ones are refused."""
    plain = from_end(input, dim, index, *others, **more)
    plain.lacks[NEGATIVE] = negative(index)
    return plain


def from_end(input, dim, index, *others, **more):
    """As `along`; negative indices count from the end."""
    lacks = {
        AXIS_OF_RANK_0: input.dim() == 0,
        DIMENSIONS: index.dim() != input.dim(),
        INDEX_DTYPE: of_other_dtypes(index),
    }
    return call(input, index, *others, axis=dim, lacks=lacks, **more)


def gather(input, dim, index, *, sparse_grad=False):
    return along(input, dim, index)


def as_large_as(index, src):
    """PyTorch reads as much of src as index is large."""
    if not isinstance(src, torch.Tensor) or src.shape == index.shape:
        return src
    if src.dim() != index.dim():
        return src
    return src[tuple(slice(size) for size in index.shape)]


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    plain = scatter_add(input, dim, index, src)
    plain.lacks[f"reduce {reduce}"] = reduce is not None
    return plain


def scatter_add(input, dim, index, src):
    read = as_large_as(index, src)
    plain = along(input, dim, index, read)
    plain.lacks[PART] = read is not src and src.requires_grad
    return plain


def flattened(input):
    return input if input.dim() == 1 else input.reshape(-1)


def take(input, index):
    lacks = {PART: input.dim() != 1 and input.requires_grad}
    return call(flattened(input), index, axis=0, lacks=lacks)


def index_select(input, dim, index):
    lacks = {AXIS_OF_RANK_0: input.dim() == 0}
    return call(input, index.reshape(-1), axis=dim, lacks=lacks)


def take_along_dim(input, indices, dim=None):
    if dim is not None:
        return from_end(input, dim, indices)
    plain = from_end(flattened(input), 0, indices.reshape(-1))
    plain.lacks[PART] = input.dim() != 1 and input.requires_grad
    return plain


def listed(indices):
    """Why a tuple of indices is more than one list for each of the first dimensions."""
    tensors = [index for index in indices if isinstance(index, torch.Tensor)]
    return {
        "an index that is not a tensor": len(tensors) < len(indices),
        "a mask as index": any(index.dtype == torch.bool for index in tensors),
        INDEX_DTYPE: of_other_dtypes(*(index for index in tensors if index.dtype != torch.bool)),
        NEGATIVE: negative(*(index for index in tensors if index.dtype != torch.bool)),
    }


def get_item(input, index):
    indices = list(index) if isinstance(index, (tuple, list)) else [index]
    return call(input, indices, lacks={**listed(indices), "no index": not indices})


def index_put(input, indices, values, accumulate=False):
    return call(input, list(indices), values, accumulate=accumulate, lacks=listed(indices))


def masked_fill(input, mask, value):
    number = not isinstance(value, torch.Tensor)
    lacks = {
        "a number for a bool": number and input.dtype == torch.bool and not isinstance(value, bool),
        "a value of another dtype": not number and value.dtype != input.dtype,
    }
    return call(input, mask, value, lacks=lacks)


def one_hot(input, num_classes=-1):
    classes = num_classes if num_classes >= 0 else int(input.max()) + 1
    return call(input, classes=classes)


def sort(input, dim=-1, descending=False, *, stable=False):
    lacks = {AXIS_OF_RANK_0: input.dim() == 0}
    return call(input, axis=dim, descending=descending, stable=bool(stable), lacks=lacks)


def msort(input):
    return sort(input, 0)


def part(number, translate):
    """One of the results of an op that has several."""

    def translated(*given, **named):
        plain = translate(*given, **named)
        plain.finish = lambda results: results[number]
        return plain

    return translated


def stable_sort(input, dim=-1, descending=False, *, stable=False):
    return torch.sort(input, dim=dim, descending=descending, stable=True)


def stable_argsort(input, dim=-1, descending=False, *, stable=False):
    return torch.argsort(input, dim=dim, descending=descending, stable=True)


def topk(input, k, dim=-1, largest=True, sorted=True):
    lacks = {AXIS_OF_RANK_0: input.dim() == 0}
    return call(input, k=k, axis=dim, largest=largest, sorted=sorted, lacks=lacks)


def first_of_sorted(input, k, dim=-1, largest=True, sorted=True):
    """PyTorch's topk, in order and with the first of equal elements."""
    values, indices = torch.sort(input, dim=dim, descending=largest, stable=True)
    theirs = torch.topk(input, k, dim, largest, True).values
    assert torch.equal(theirs.nan_to_num(), values.narrow(dim, 0, k).nan_to_num())
    return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    lacks = {"out_int32": out_int32, "sorter": sorter is not None}
    return call(sorted_sequence, input, right=right or side == "right", lacks=lacks)


def bucketize(input, boundaries, *, out_int32=False, right=False):
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def nonzero(input, *, as_tuple=False):
    return call(input, lacks={"a tuple of vectors": as_tuple})


def nonzero_static(input, *, size, fill_value=-1):
    return call(input, size=size, fill=fill_value)


def masked_select(input, mask):
    return call(input, mask)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    return call(input, lacks={"dim": dim is not None})


def all_of_unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """PyTorch's unique with all it can give, in Tenon's order."""
    values, inverse, counts = torch.unique(input, return_inverse=True, return_counts=True)
    return values, None, inverse, counts


def runs(input, return_inverse=False, return_counts=False, dim=None):
    return call(flattened(input), lacks={"dim": dim is not None})


def numbers_of_runs(input, return_inverse=False, return_counts=False, dim=None):
    return torch.unique_consecutive(flattened(input), return_inverse=True)[1]


OTHER_ORDER = "PyTorch's gradient is added up in another order"

TABLE = {
    "tenon.argsort": Entry([Row("argsort", sort, stable_argsort)]),
    "tenon.gather": Entry([Row("gather", gather)], None, 32, OTHER_ORDER),
    "tenon.index": Entry([Row("__getitem__", get_item)], None, 32, OTHER_ORDER),
    "tenon.index_put": Entry([Row("index_put", index_put)], None, 32, OTHER_ORDER),
    "tenon.index_select": Entry([Row("index_select", index_select)], None, 32, OTHER_ORDER),
    "tenon.masked_fill": Entry([Row("masked_fill", masked_fill)]),
    "tenon.masked_select": Entry([Row("masked_select", masked_select)]),
    "tenon.nonzero": Entry([Row("nonzero", nonzero)]),
    "tenon.nonzero_static": Entry([Row("nonzero_static", nonzero_static, outputs=2)]),
    "tenon.one_hot": Entry([Row("nn.functional.one_hot", one_hot)]),
    "tenon.runs": Entry([Row("unique_consecutive", runs, numbers_of_runs, outputs=2, output=1)]),
    "tenon.scatter": Entry([Row("scatter", scatter)]),
    "tenon.scatter_add": Entry([Row("scatter_add", scatter_add)], 4, 32, "the order of sums"),
    "tenon.searchsorted": Entry([Row("searchsorted", searchsorted), Row("bucketize", bucketize)]),
    "tenon.sort": Entry(
        [
            Row("sort", part(0, sort), stable_sort, outputs=2),
            Row("sort", part(1, sort), stable_sort, outputs=2, output=1),
            Row("msort", msort, outputs=2),
        ]
    ),
    "tenon.take": Entry([Row("take", take)], None, 32, OTHER_ORDER),
    "tenon.take_along_axis": Entry([Row("take_along_dim", take_along_dim)], None, 32, OTHER_ORDER),
    "tenon.topk": Entry(
        [
            Row("topk", part(0, topk), first_of_sorted, outputs=2),
            Row("topk", part(1, topk), first_of_sorted, outputs=2, output=1),
        ]
    ),
    "tenon.unique": Entry(
        [
            Row("unique", part(number, unique), all_of_unique, outputs=4, output=number)
            for number in (0, 2, 3)
        ]
    ),
}
