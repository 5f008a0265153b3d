# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_batches.py: ops of Tenon under torch.vmap: one call for each element
# of the batch, in turn.

import torch

from tenon import _errors


def _element(given, dim, number):
    if isinstance(given, (list, tuple)) and isinstance(dim, (list, tuple)):
        return [_element(x, each, number) for x, each in zip(given, dim, strict=True)]
    return given if dim is None else given.select(dim, number)


def _stacked(results):
    """The results of all calls, each a tensor or several, along a new first dimension."""
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results), 0
    stacked = [torch.stack(each) for each in zip(*results, strict=True)]
    return type(results[0])(stacked), type(results[0])(0 for _ in stacked)


def add_rule(library, name, overload, random=False):
    """Makes `overload` an op that torch.vmap calls in turn."""

    def rule(info, in_dims, *arguments, **named):
        if random and info.randomness != "different":
            raise _errors.make_refusal(
                "value", name, "randomness", '"different"', repr(info.randomness),
                'torch.vmap(f, randomness="different"): each call draws numbers of its own',
            )  # fmt: skip
        if info.batch_size == 0:
            raise _errors.make_refusal("SHAPE", name, "batch", "one element or more", "none")
        return _stacked([
            overload(
                *(_element(x, dim, number) for x, dim in zip(arguments, in_dims, strict=True)),
                **named,
            )
            for number in range(info.batch_size)
        ])  # fmt: skip

    torch.library.register_vmap(name, rule, lib=library)
