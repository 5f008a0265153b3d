# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_changes.py: what captured steps have read of the program's modules, and
# whether it is so still.
"""A step that is captured takes over whatever its modules hold: parts, numbers, modes. While one is
captured, each attribute of a module that is read is noted with its value; a plan runs only while
all of them are what they were. Modules tell of every attribute that is set, so that mostly one
number is compared; what lists and dicts hold can change without a word, and is looked at each time.
What the step sets itself is not noted: it is done once, as everything else that Python does there.
"""

import operator
import threading

from tenon import _errors
from tenon._core import Tensor

_ABSENT = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_MOST_NESTED = 8  # lists in lists; below that they are taken by identity

_thread = threading.local()  # .reads, while a step is captured
_lock = threading.Lock()
_captures = 0  # that run, of all threads
_module = None  # tenon.nn.Module, once it is there

count = 0  # of changes so far


def tell():
    """A module, or the mode or the children of a layer, has changed."""
    global count
    count += 1


class _Kept:
    """A list or a dict, and what was in it."""

    __slots__ = ("is_flat", "keys", "kind", "parts")

    def __init__(self, value, depth):
        self.kind = type(value)
        self.keys = list(value) if isinstance(value, dict) else None
        inner = value.values() if isinstance(value, dict) else value
        self.parts = [_keep(each, depth + 1) for each in inner]
        self.is_flat = not any(type(each) is _Kept for each in self.parts)

    def is_like(self, value):
        if type(value) is not self.kind or len(value) != len(self.parts):
            return False
        if self.keys is not None:
            if list(value) != self.keys:
                return False
            value = value.values()
        if self.is_flat and all(map(operator.is_, value, self.parts)):
            return True
        return all(map(_is_kept, value, self.parts))


def _keep(value, depth=0):
    if isinstance(value, (list, tuple, dict)) and depth < _MOST_NESTED:
        return _Kept(value, depth)
    return value


def _is_kept(now, then):
    if type(then) is _Kept:
        return then.is_like(now)
    return now is then or type(now) is type(then) and type(now) in _PLAIN and now == then


def _words(value):
    if type(value) is _Kept:
        return f"{len(value.parts)} parts"
    if isinstance(value, (list, tuple, dict)):
        return f"{len(value)} parts"
    if value is _ABSENT:
        return "nothing"
    if type(value) in _PLAIN:
        return repr(value)
    if isinstance(value, Tensor):
        return f"a tensor {value.dtype.name}{list(value.shape)}"
    name = getattr(value, "name", None)
    return f"a {type(value).__name__}" + (f" {name}" if isinstance(name, str) else "")


class Change:
    """Something that is not as a captured step has read it."""

    def __init__(self, owner, name, then, now):
        who = owner.name if "_handle" in vars(owner) else type(owner).__name__
        self.place = f"{(name or 'parts').strip('_')} of {who}"
        self.expected, self.found = _words(then), _words(now)
        if self.expected == self.found:
            self.found = "another one" if self.found.startswith("a") else "others"
        # Else what there was may never come back, and is not kept for that.
        self.is_mode = name == "training" or type(then) in _PLAIN

    def refusal(self):
        return _errors.make_refusal(
            "STATE", "plan", self.place, self.expected, self.found,
            "capture the step again, or set it back",
        )  # fmt: skip


def _look(owner, name):
    """An attribute as it is stored, in the object or its class; no property is asked."""
    if name is None:
        return owner._parts()
    own = vars(owner)
    if name in own:
        return own[name]
    return next((vars(kind)[name] for kind in type(owner).__mro__ if name in vars(kind)), _ABSENT)


class Reads:
    """What one captured step has read. `change` tells what has changed since, if anything."""

    def __init__(self):
        self._notes = {}  # by identity of the owner, and name: (owner, name, value)
        self._own = set()
        self._all, self._silent, self._count = [], [], 0

    def note(self, owner, name):
        key = id(owner), name
        if key not in self._notes:
            self._notes[key] = None  # looking at parts reads them
            self._notes[key] = owner, name, _keep(_look(owner, name))

    def note_set(self, owner, name):
        self._own.add((id(owner), name))

    def end(self):
        self._count = count
        for key, (owner, name, then) in self._notes.items():
            now = _look(owner, name)
            if name == "training":  # the step may change it, and then back
                then = now
            elif key in self._own or not _is_kept(now, then):
                continue
            self._all.append((owner, name, then))
            if type(then) is _Kept and name != "_children":
                self._silent.append(self._all[-1])
        self._notes = self._own = None

    def change(self):
        now = count
        for owner, name, then in self._silent if now == self._count else self._all:
            found = _look(owner, name)
            if not _is_kept(found, then):
                return Change(owner, name, then, found)
        self._count = now
        return None


# ---- while a step is captured -------------------------------------------------------------------


def _get_noting(self, name):
    """Module.__getattribute__ meanwhile."""
    if not name.startswith("__"):
        note(self, name)
    return super(_module, self).__getattribute__(name)


def _watch(by):
    global _captures
    with _lock:
        _captures += by
        if _module is None:
            return
        if _captures and "__getattribute__" not in vars(_module):
            _module.__getattribute__ = _get_noting
        elif not _captures and "__getattribute__" in vars(_module):
            del _module.__getattribute__


def know_module(module):
    """tenon.nn.Module is there now."""
    global _module
    _module = module
    _watch(0)


def begin():
    _thread.reads = reads = Reads()
    _watch(1)
    return reads


def end(reads):
    _thread.reads = None
    _watch(-1)
    reads.end()


def note(owner, name):
    """The step reads an attribute; None: all parts of a module."""
    reads = getattr(_thread, "reads", None)
    if reads is not None:
        reads.note(owner, name)


def note_set(owner, name):
    """An attribute was set, by the step or by somebody else."""
    tell()
    reads = getattr(_thread, "reads", None)
    if reads is not None:
        reads.note_set(owner, name)


def note_modes(layer):
    """The step calls the layer, and what is in it."""
    if getattr(_thread, "reads", None) is not None:
        for each in layer.modules():
            note(each, "training")
