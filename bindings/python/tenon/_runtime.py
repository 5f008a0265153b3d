# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_runtime.py: the process's runtime: its options, what it knows, its random
# numbers, its devices.
"""One runtime serves the process, and each thread has a context of its own."""

import os
import sys
from _thread import _local  # threading takes long to import

from tenon import _core, _errors

_POLICIES = {"owned": 0, "any": 1, "allowlist": 2}
_options = {}


def configure(
    *,
    plugin_paths=(),
    exclude=(),
    threads=0,
    policy="owned",
    allowlist="",
    memory_limit=0,
    check="",
):
    """Sets the runtime's options; only before anything has used it.

    plugin_paths  folders that hold plugin folders, searched first
    exclude       ids of plugins to leave out
    threads       compute threads; 0: as many as the process may use
    policy        whose plugins are opened: "owned", "any", or "allowlist" with its lock file
    memory_limit  bytes for each device; 0: none
    check         check modes, "layout,finite,threads,launch,handles"
    """
    if _core.is_started():
        raise _errors.make_error(
            4,
            "TENON_E_STATE",
            "configure: the runtime has started already, its options are settled",
            *("configure", "", "a call before the first tensor", "a later one", "", ""),
            "call tenon.configure(...) directly after the import",
            (),
        )
    if policy not in _POLICIES:
        raise _errors.make_refusal(
            "value", "configure", "policy", " or ".join(map(repr, _POLICIES)), repr(policy), ""
        )
    _options.update(
        paths=[os.fspath(path) for path in plugin_paths],
        exclude=list(exclude),
        threads=threads,
        policy=_POLICIES[policy],
        allowlist=os.fspath(allowlist),
        memory_limit=memory_limit,
        check=check,
    )


def options():
    """What the runtime is made with, asked for once."""
    return {**_options, "paths": [*_options.get("paths", []), *_installed_plugin_folders()]}


def _installed_plugin_folders():
    """Plugin folders of installed distributions: entry points of the group `tenon.plugins`, whose
    values name packages. Nothing is imported: a package is a folder beside its metadata."""
    folders = []
    for base in sys.path:
        try:
            entries = [each for each in os.listdir(base) if each.endswith(".dist-info")]
        except OSError:
            continue
        for entry in entries:
            folders += _named_folders(base, os.path.join(base, entry, "entry_points.txt"))
    return [folder for folder in folders if os.path.isdir(folder)]


def _named_folders(base, path):
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.strip() for line in file]
    except (OSError, UnicodeDecodeError):
        return []
    if "[tenon.plugins]" not in lines:
        return []
    named, inside = [], False
    for line in lines:
        if line.startswith("["):
            inside = line == "[tenon.plugins]"
        elif inside and "=" in line:
            package = line.partition("=")[2].strip()
            named.append(os.path.join(base, *package.split(".")))
    return named


def query(topic):
    """What the runtime knows of a topic, as Python objects read from its JSON: "plugins",
    "kinds", "devices", "ops", "optimizers" and the other kinds, "samples", "paths", "stats",
    "environment", "log": those of tenon_runtime_query."""
    import json

    return json.loads(_core.query(topic))


def plugins():
    """The plugins that were found: {id: state}; "found" ones are opened when they are needed."""
    return {each["id"]: each["state"] for each in query("plugins")}


def stats():
    """Live tensors, storages, graph nodes and bytes, allocations and launches so far."""
    return _core.stats()


def set_threads(threads):
    """How many compute threads work may use from now on; 0: as many as the process may use. Results
    have the same bits for any number; `tenon.query("environment")["threads"]` says how many."""
    _core.set_threads(threads)


def release_cache():
    """Gives memory that is kept for reuse back to the system; how many bytes that was. Live tensors
    stay; of what they take, `stats` tells."""
    return _core.release_cache()


class scope:  # noqa: N801 - used like a function
    """Names what runs inside, in errors, traces and plan listings; scopes nest.

    with tenon.scope("encoder"): ...
    """

    def __init__(self, label):
        self._label = label

    def __enter__(self):
        _core.begin_scope(self._label)
        return self

    def __exit__(self, *exception):
        _core.end_scope()


# ---- random numbers, arithmetic -----------------------------------------------------------------


def seed(number, stream=0):
    """Starts this thread's random numbers anew; other streams give other numbers.

    Threads that begin to use Tenon later have the same seed, and each a stream of its own; a forked
    process draws from another stream than the one it is a copy of, and than its sisters.

    number, stream  integers from 0 to 2**64 - 1
    """
    for operand, given in (("number", number), ("stream", stream)):
        if not hasattr(given, "__index__"):
            _errors.check_type("seed", operand, given, int, "an integer")
        if not 0 <= given.__index__() < 2**64:
            raise _errors.make_refusal(
                "value", "seed", operand, "an integer from 0 to 2**64 - 1", str(given)
            )
    _core.set_seed(number, stream, 0, sample() is None)


def get_rng_state():
    """Seed, stream and counter of this thread's random numbers."""
    return _core.get_seed()


def set_rng_state(state):
    """Goes on where `get_rng_state` was."""
    _errors.check_type("set_rng_state", "state", state, tuple, "what get_rng_state has returned")
    if len(state) != 3 or not all(isinstance(each, int) and 0 <= each < 2**64 for each in state):
        raise _errors.make_refusal(
            "value", "set_rng_state", "state", "what get_rng_state has returned", repr(state)
        )
    _core.set_seed(*state, sample() is None)


# Of this thread: .gradients, those begun and not ended; .fast; .reading, a Reading.
_modes = _local()


def sample():
    """(seed, epoch, number) of the sample that this thread reads; None outside of datasets."""
    reading = getattr(_modes, "reading", None)
    return reading and (reading.seed, reading.epoch, reading.number)


class Reading:
    """While it lasts, what this thread draws follows from seed, epoch and the sample of `at`;
    afterwards the thread's own numbers go on as if nothing had been drawn."""

    def __init__(self, seed, epoch):
        self.seed, self.epoch, self.number = seed, epoch, None

    def __enter__(self):
        self._before = getattr(_modes, "reading", None), _core.get_seed()
        _modes.reading = self
        return self

    def at(self, number):
        """The sample that is read from now on."""
        self.number = number
        _core.draw_for_sample(self.seed, self.epoch, number)

    def __exit__(self, *exception):
        _modes.reading, numbers = self._before
        _core.set_seed(*numbers, False)


def fast_arithmetic(wanted=True):
    """Lets this thread use the fastest kernels, whose bits may differ between machines."""
    _core.set_arithmetic(wanted)
    _modes.fast = bool(wanted)


def begin_grad_mode(mode):
    _core.begin_grad_mode(mode)
    _modes.__dict__.setdefault("gradients", []).append(mode)


def end_grad_mode():
    _core.end_grad_mode()
    _modes.gradients.pop()


def thread_modes():
    """(whether gradients are recorded, as a number; whether arithmetic is fast)."""
    begun = getattr(_modes, "gradients", None)
    return begun[-1] if begun else 0, getattr(_modes, "fast", False)


# ---- devices ------------------------------------------------------------------------------------

_kind_names = {}


def find_device(device):
    """(kind, index) of a device that is given as "cpu" or "cuda:1"."""
    _errors.check_type("to", "device", device, str, 'a text, "cpu" or "cuda:1"')
    name, colon, index = device.partition(":")
    if colon and not (index.isdecimal() and len(index) < 10):
        raise _errors.make_refusal(
            "value", "to", "device", "a number after the colon", repr(device)
        )
    numbers = _core.find_device(name, int(index or 0))
    _kind_names[numbers[0]] = name
    return numbers


def device_name(numbers):
    """The text for (kind, index); a tensor can only be on a device that somebody has named."""
    kind, index = numbers
    if kind not in _kind_names:  # that of the host, which nobody has to name
        _kind_names[_core.find_device("", 0)[0]] = "cpu"
    name = _kind_names.get(kind, f"kind{kind}")
    return name if name == "cpu" else f"{name}:{index}"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_core.before_fork, after_in_child=_core.after_fork)
