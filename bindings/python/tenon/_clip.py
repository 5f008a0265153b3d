# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_clip.py: gradients of parameters made shorter.
from tenon import _errors
from tenon._autograd import no_grad
from tenon._core import Tensor
from tenon._ops import op


def _refuse(operand, expected, found, hint, kind="value"):
    return _errors.make_refusal(kind, "clip_grad_norm", operand, expected, found, hint)


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
    gradients themselves, has the arithmetic. Of several dtypes, norms are computed in float64 if
    one of them is, else in float32.
    """
    hint = "model.parameters()"
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    if not hasattr(parameters, "__iter__"):
        found = type(parameters).__name__
        raise _refuse("parameters", "a list of tensors", found, hint, "type")
    parameters = list(parameters)
    for tensor in parameters:
        if not isinstance(tensor, Tensor):
            found = type(tensor).__name__
            raise _refuse("parameters", "a list of tensors", found, hint, "type")
    if parameters and not any(tensor.requires_grad for tensor in parameters):
        raise _refuse(
            "parameters", "tensors that require a gradient", "none that does",
            "it takes the parameters, not their gradients; those are for "
            "tenon.op.tenon.clip_grad_norm",
        )  # fmt: skip
    with no_grad:
        grads = _gradients(parameters)
        if len({grad.dtype for grad in grads}) < 2:
            grads = grads or [op.tenon.full(shape=[], value=0.0, dtype="float32")]
            return op.tenon.clip_grad_norm(grads, max_norm=max_norm, norm=norm, each=each)
        return _clip_mixed(grads, max_norm, norm, each)


def _clip_mixed(grads, max_norm, norm, each):
    """As the op, of several dtypes."""
    wide = "float64" if any(grad.dtype.name == "float64" for grad in grads) else "float32"
    # The op checks the numbers, and gives the norms: of copies, so that nothing is changed yet.
    copies = [grad.clone() for grad in grads]
    norms = [
        op.tenon.clip_grad_norm([copy.astype(wide)], max_norm=max_norm, norm=norm)
        for copy in copies
    ]
    total = op.tenon.norm(op.tenon.stack(norms), ord=norm)
    for grad, own in zip(grads, norms, strict=True):
        factor = op.tenon.minimum(max_norm / ((own if each else total) + 1e-6), 1.0)
        op.tenon.copy((grad.astype(wide) * factor).astype(grad.dtype), out=grad)
    return total
