# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_clip.py: gradients of parameters made shorter.
from tenon._autograd import no_grad
from tenon._core import Tensor
from tenon._creation import astype
from tenon._errors import refuse
from tenon._ops import op
from tenon.optim import _as_list


def _gradients(parameters):
    """Of those that have one; of rows the values."""
    found = []
    for each in parameters:
        if each.has_grad_rows:
            found.append(each.grad_rows()[1])
        elif each.grad is not None:
            found.append(each.grad)
    return found


def clip_grad_norm(parameters, max_norm, norm=2.0, *, each=False):
    """Makes the gradients of parameters shorter, in place, and returns the norm that they had.

    parameters  tensors that require a gradient, as `model.parameters()`, or one of them; those
                without a gradient count for nothing. Gradients that are held as rows stay so
    max_norm    the greatest norm of all gradients together, at least 0
    norm        which: (sum |g|^norm)^(1/norm), the greatest |g| for infinity
    each        every gradient is clipped by its own norm
    returns     a tensor of rank 0; 0 if there is no gradient

    Call it after `backward` and before the optimizer's step. Source: Pascanu, Mikolov, Bengio, ICML
    2013, as in torch.nn.utils.clip_grad_norm_; the op "tenon.clip_grad_norm", which takes the
    gradients themselves, has the arithmetic: of several dtypes that of float64 if one of them is,
    else of float32.
    """
    parameters = _as_list(parameters)
    for tensor in parameters:
        if not isinstance(tensor, Tensor):
            raise refuse(
                "clip_grad_norm", "parameters", "a list of tensors", type(tensor).__name__,
                "model.parameters()", "type",
            )  # fmt: skip
    if parameters and not any(tensor.requires_grad for tensor in parameters):
        raise refuse(
            "clip_grad_norm", "parameters", "tensors that require a gradient", "none that does",
            "it takes the parameters, not their gradients; those are for "
            "tenon.op.tenon.clip_grad_norm",
        )  # fmt: skip
    with no_grad:
        grads = _gradients(parameters) or [op.tenon.full(shape=[], value=0.0, dtype="float32")]
        dtypes = {grad.dtype.name for grad in grads}
        if len(dtypes) == 1:
            return op.tenon.clip_grad_norm(grads, max_norm=max_norm, norm=norm, each=each)
        wide = "float64" if "float64" in dtypes else "float32"
        copies = [astype(grad, wide) for grad in grads]
        total = op.tenon.clip_grad_norm(copies, max_norm=max_norm, norm=norm, each=each)
        for grad, clipped in zip(grads, copies, strict=True):
            op.tenon.copy(clipped.astype(grad.dtype), out=grad)
        return total
