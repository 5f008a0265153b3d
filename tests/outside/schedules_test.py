# SPDX-License-Identifier: Apache-2.0
# tests/outside/schedules_test.py: the values of schedules against torch.optim.lr_scheduler.
"""A case is one set of hyper-parameters over STEPS steps. PyTorch computes most of its values from
the one before, Tenon each from the step alone: they may differ by RELATIVE."""

import ctypes
import functools
import math
import sys
from ctypes import byref, c_void_p

import opinfo  # exits with 77 where PyTorch is missing
import suite
import tenon_ctypes as tenon
import torch
from torch.optim import lr_scheduler

STEPS = 40
BASE = 0.3
RELATIVE = 1e-12


class Schedule:
    def __init__(self, runtime, name, base, hypers):
        self.runtime, self.handle = runtime, c_void_p()
        texts = [tenon.String(each.encode(), tenon.NUL) for each in hypers]
        names = (tenon.String * max(len(texts), 1))(*texts)
        values, self.memory = tenon.values_of(hypers.values())
        runtime.call(
            "tenon_schedule_create", name.encode(), ctypes.c_uint64(len(name)),
            ctypes.c_double(base), names, values, ctypes.c_uint32(len(hypers)), byref(self.handle),
        )  # fmt: skip

    def run(self, metric=None):
        value = ctypes.c_double()
        given = None if metric is None else byref(ctypes.c_double(metric))
        self.runtime.call("tenon_schedule_run", self.handle, given, byref(value))
        return value.value

    def close(self):
        release = self.runtime.library.tenon_schedule_release
        release.restype, release.argtypes = None, [c_void_p]
        release(self.handle)


def metric_of(step):
    """Falls, rests, rises a little and falls again; once it is NaN."""
    return math.nan if step == 23 else 1 / (1 + step // 7) + 0.001 * (step % 3)


# By schedule: hyper-parameters of Tenon, and PyTorch's scheduler with its own.
CASES = {
    "tenon.constant": [
        ({}, (lr_scheduler.ConstantLR, {"factor": 1.0, "total_iters": 0})),
        (
            {"factor": 0.25, "steps": 6},
            (lr_scheduler.ConstantLR, {"factor": 0.25, "total_iters": 6}),
        ),
    ],
    "tenon.step": [
        ({"period": 5}, (lr_scheduler.StepLR, {"step_size": 5})),
        ({"period": 3, "factor": 0.9}, (lr_scheduler.StepLR, {"step_size": 3, "gamma": 0.9})),
    ],
    "tenon.multi_step": [
        ({"milestones": [3, 4, 17]}, (lr_scheduler.MultiStepLR, {"milestones": [3, 4, 17]})),
        (
            {"milestones": [20, 5, 5], "factor": 0.5},
            (lr_scheduler.MultiStepLR, {"milestones": [20, 5, 5], "gamma": 0.5}),
        ),
    ],
    "tenon.exponential": [
        ({"factor": 0.93}, (lr_scheduler.ExponentialLR, {"gamma": 0.93})),
        ({"factor": 1.01}, (lr_scheduler.ExponentialLR, {"gamma": 1.01})),
    ],
    "tenon.linear_warmup": [
        ({"steps": 5}, (lr_scheduler.LinearLR, {})),
        (
            {"steps": 30, "start_factor": 0.01, "end_factor": 0.8},
            (lr_scheduler.LinearLR, {"start_factor": 0.01, "end_factor": 0.8, "total_iters": 30}),
        ),
    ],
    "tenon.cosine": [
        ({"period": 39}, (lr_scheduler.CosineAnnealingLR, {"T_max": 39})),
        (
            {"period": 50, "minimum": 0.02},
            (lr_scheduler.CosineAnnealingLR, {"T_max": 50, "eta_min": 0.02}),
        ),
        (
            {"period": 7, "restarts": True},
            (lr_scheduler.CosineAnnealingWarmRestarts, {"T_0": 7}),
        ),
        (
            {"period": 3, "restarts": True, "growth": 2, "minimum": 0.1},
            (lr_scheduler.CosineAnnealingWarmRestarts, {"T_0": 3, "T_mult": 2, "eta_min": 0.1}),
        ),
    ],
    "tenon.one_cycle": [
        ({"steps": 40}, (lr_scheduler.OneCycleLR, {"max_lr": BASE, "total_steps": 40})),
        (
            {"steps": 60, "warm_share": 0.45, "start_divisor": 10.0, "end_divisor": 100.0,
             "three_phases": True},
            (lr_scheduler.OneCycleLR, {"max_lr": BASE, "total_steps": 60, "pct_start": 0.45,
                                       "div_factor": 10.0, "final_div_factor": 100.0,
                                       "three_phase": True}),
        ),
        (
            {"steps": 40, "linear": True},
            (lr_scheduler.OneCycleLR, {"max_lr": BASE, "total_steps": 40,
                                       "anneal_strategy": "linear"}),
        ),
    ],
    "tenon.plateau": [
        ({"patience": 2}, (lr_scheduler.ReduceLROnPlateau, {"patience": 2})),
        (
            {"patience": 0, "cooldown": 2, "factor": 0.5, "minimum": 0.01},
            (lr_scheduler.ReduceLROnPlateau,
             {"patience": 0, "cooldown": 2, "factor": 0.5, "min_lr": 0.01}),
        ),
        (
            {"patience": 3, "maximize": True, "relative": False, "threshold": 0.0005},
            (lr_scheduler.ReduceLROnPlateau,
             {"patience": 3, "mode": "max", "threshold_mode": "abs", "threshold": 0.0005}),
        ),
    ],
}  # fmt: skip


def values_of_torch(make, options):
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=BASE, momentum=0.9)
    scheduler = make(optimizer, **options)
    values = []
    for step in range(STEPS):
        values.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if step + 1 == STEPS:
            break
        if make is lr_scheduler.ReduceLROnPlateau:
            scheduler.step(metric_of(step))
        else:
            scheduler.step()
    return values


def values_of_tenon(runtime, name, hypers):
    schedule = Schedule(runtime, name, BASE, hypers)
    values = [schedule.run(metric_of(step - 1) if step else None) for step in range(STEPS)]
    schedule.close()
    return values


def compare(runtime, name):
    tally = suite.Tally()
    for hypers, (make, options) in CASES[name]:
        expected = values_of_torch(make, options)
        found = values_of_tenon(runtime, name, hypers)
        far = [
            step for step, (mine, theirs) in enumerate(zip(found, expected, strict=True))
            if abs(mine - theirs) > RELATIVE * max(abs(theirs), BASE * 1e-3)
        ]  # fmt: skip
        if far:
            at = far[0]
            tally.fail(f"{hypers}: step {at} is {found[at]!r}, expected {expected[at]!r}")
        else:
            tally.passed += 1
    return tally


def main():
    runtime = tenon.Runtime()
    listed = {each["name"] for each in runtime.query("schedules")}
    cases = {name: functools.partial(compare, runtime, name) for name in listed | set(CASES)}
    status = suite.main("schedules", opinfo.VERSIONS, cases)
    runtime.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
