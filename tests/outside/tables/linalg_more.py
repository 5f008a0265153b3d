# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/linalg_more.py: OpInfos of what is made of products of matrices.

from opinfo_table import SUMS, Entry, Row, binary, call, in_dtype_of, unary


def triangle(input, diagonal=0):
    return call(input, diagonal=diagonal)


def einsum(operands, equation):
    return call(list(operands), equation=equation, finish=in_dtype_of(operands[0]))


def linear(input, weight, bias=None):
    return call(input, weight, bias, lacks={"a weight of rank 1": weight.dim() != 2})


TABLE = {
    "tenon.bmm": Entry([Row("bmm", binary)], 4, 32, SUMS, sums=True),
    "tenon.dot": Entry([Row("dot", binary)], 4, 32, SUMS, sums=True),
    "tenon.einsum": Entry([Row("einsum", einsum)], 4, 32, SUMS, sums=True),
    "tenon.linear": Entry(
        [Row("nn.functional.linear", linear)],
        4,
        32,
        "product and bias are rounded one after another, PyTorch adds in another order",
        sums=True,
    ),
    "tenon.outer": Entry([Row("outer", binary)], None, 32, "gradients are sums of products"),
    "tenon.trace": Entry([Row("trace", unary)], 4, 32, SUMS, sums=True),
    "tenon.tril": Entry([Row("tril", triangle)]),
    "tenon.triu": Entry([Row("triu", triangle)]),
}
