# SPDX-License-Identifier: Apache-2.0
# tests/outside/optimizer_info_test.py: the step ops of optimizers against torch.optim, with the
# hyper-parameters of PyTorch's OptimizerInfos.
"""A case is one OptimizerInfo input, dtype and layout: STEPS steps over parameters of several
shapes with random gradients. Gradients by rows are compared with PyTorch's sparse ones."""

import dataclasses
import math
import sys
from collections.abc import Callable

import opinfo  # exits with 77 where PyTorch is missing
import suite
import tenon_ctypes as tenon
import torch
from torch.testing._internal.common_optimizers import optim_db
from torch.testing._internal.common_utils import noncontiguous_like

STEPS = 5
SHAPES = [(3, 4), (5,), (2, 3, 2)]
LAYOUTS = {"row-major": torch.clone, "strided": lambda x: noncontiguous_like(x.clone())}
# Both sides compute each operation in the dtype, in the same order but for the last division.
SLACK = 4


@dataclasses.dataclass
class Rule:
    optimizer: str
    states: int
    attributes: Callable  # of PyTorch's hyper-parameters
    lacks: tuple = ()  # hyper-parameters that Tenon does not have
    rows: bool = False
    ones: int = 0  # states of one number that begin with 1
    factored: bool = False  # also a state for each row, and one for each column


def sgd(group):
    names = "momentum", "dampening", "weight_decay", "nesterov"
    return {name: group[name] if name == "nesterov" else float(group[name]) for name in names}


def adam(group):
    beta1, beta2 = group["betas"]
    decay = float(group.get("weight_decay", 0.0))
    return {"beta1": beta1, "beta2": beta2, "eps": group["eps"], "weight_decay": decay}


def named(**renamed):
    """The attributes by Tenon's names, from PyTorch's."""

    def attributes(group):
        values = {mine: group[theirs] for mine, theirs in renamed.items()}
        return {
            name: value if isinstance(value, bool) else float(value)
            for name, value in values.items()
        }

    return attributes


def nadam(group):
    rest = named(momentum_decay="momentum_decay", decoupled="decoupled_weight_decay")(group)
    return adam(group) | rest


def adafactor(group):
    least, size = group["eps"]
    rest = named(beta2_decay="beta2_decay", clip_threshold="d", weight_decay="weight_decay")(group)
    return rest | {"eps1": least or 0.0, "eps2": size}


def factors(param):
    """The means of rows and of columns before the first step."""
    if param.dim() < 2:
        return torch.zeros_like(param), torch.zeros((), dtype=param.dtype)
    rows, columns = param[..., :1], param[..., :1, :]
    return torch.zeros_like(rows), torch.zeros_like(columns)


RULES = {
    "tenon.sgd_step": Rule("SGD", 1, sgd, ("maximize",)),
    "tenon.adam_step": Rule("Adam", 2, adam, ("amsgrad", "maximize")),
    "tenon.adam_rows": Rule("SparseAdam", 2, adam, ("maximize",), rows=True),
    "tenon.adamw_step": Rule("AdamW", 2, adam, ("amsgrad", "maximize")),
    "tenon.adafactor_step": Rule("Adafactor", 0, adafactor, ("maximize",), factored=True),
    "tenon.adadelta_step": Rule(
        "Adadelta", 2, named(rho="rho", eps="eps", weight_decay="weight_decay"), ("maximize",)
    ),
    "tenon.adagrad_step": Rule(
        "Adagrad",
        1,
        named(lr_decay="lr_decay", weight_decay="weight_decay", eps="eps"),
        ("initial_accumulator_value", "maximize"),
    ),
    "tenon.nadam_step": Rule("NAdam", 2, nadam, ("maximize",), ones=1),
    "tenon.rmsprop_step": Rule(
        "RMSprop",
        3,
        named(
            alpha="alpha",
            eps="eps",
            weight_decay="weight_decay",
            momentum="momentum",
            centered="centered",
        ),
        ("maximize",),
    ),
}


def gradients(rule, params):
    """Pairs of PyTorch's gradient and Tenon's operands for it."""
    if not rule.rows:
        dense = [torch.randn_like(param) for param in params]
        return dense, [dense]
    sparse, indices, values = [], [], []
    for param in params:
        rows = torch.randperm(param.shape[0])[:2].sort().values
        values.append(torch.randn((2, *param.shape[1:]), dtype=param.dtype))
        indices.append(rows)
        sparse.append(torch.sparse_coo_tensor(rows[None], values[-1], param.shape))
    return sparse, [indices, values]


def in_f64(value):
    """A learning rate given as a tensor of f32 would make PyTorch compute the step size in f32."""
    return value.double() if isinstance(value, torch.Tensor) else value


def train(bridge, op, rule, params, optimizer, layout):
    """Words where Tenon's parameters are not PyTorch's after a step."""
    group = optimizer.param_groups[0]
    mine = [layout(param.detach()) for param in params]
    states = [[layout(torch.zeros_like(param)) for param in params] for _ in range(rule.states)]
    if rule.factored:
        states += map(list, zip(*map(factors, params), strict=True))
    states += [[torch.ones((), dtype=torch.float64) for _ in params] for _ in range(rule.ones)]
    counts = [torch.zeros((), dtype=torch.int64) for _ in params]
    attributes = rule.attributes(group)
    rate = torch.tensor(float(group["lr"]), dtype=torch.float64)
    for step in range(STEPS):
        theirs, operands = gradients(rule, params)
        for param, gradient in zip(params, theirs, strict=True):
            param.grad = gradient
        if rule.rows:
            # SparseAdam adds eps before the bias of v is corrected; Tenon after, as Adam does.
            group["eps"] = attributes["eps"] * math.sqrt(1 - attributes["beta2"] ** (step + 1))
        optimizer.step()
        with bridge:
            inputs = bridge.inputs([mine, *operands, *states, counts, rate])
            op.call(inputs, attributes, outputs=0)
        for number, (found, param) in enumerate(zip(mine, params, strict=True)):
            expected = param.detach()
            words = opinfo.difference(found, expected, SLACK, opinfo.largest([expected]))
            if words:
                return f"parameter {number} after step {step + 1}: {words}"
    return ""


def compare(bridge, name):
    rule, tally = RULES[name], suite.Tally()
    op = tenon.Op(bridge.runtime, name)
    info = next(info for info in optim_db if info.optim_cls.__name__ == rule.optimizer)
    for given in info.optim_inputs_func("cpu"):
        missing = [word for word in rule.lacks if given.kwargs.get(word)]
        kwargs = {word: in_f64(value) for word, value in given.kwargs.items()}
        for dtype in (torch.float32, torch.float64):
            for layout, make in LAYOUTS.items():
                if missing:
                    tally.uncovered[missing[0]] += 1
                    continue
                torch.manual_seed(opinfo.SEED)
                params = [torch.randn(shape, dtype=dtype).requires_grad_() for shape in SHAPES]
                optimizer = info.optim_cls(params, **kwargs)
                words = train(bridge, op, rule, params, optimizer, make)
                if words:
                    tally.fail(f"{kwargs} {dtype} {layout}: {words}")
                else:
                    tally.passed += 1
    return tally


def main():
    torch.set_num_threads(1)
    # The dtype in which PyTorch keeps step counts and NAdam's product.
    torch.set_default_dtype(torch.float64)
    print(f"TENON_TEST_SEED={opinfo.SEED}")
    runtime = tenon.Runtime()
    bridge = opinfo.Bridge(runtime)
    cases = {name: lambda name=name: compare(bridge, name) for name in RULES}
    status = suite.main("optimizer_info", opinfo.VERSIONS, cases)
    runtime.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
