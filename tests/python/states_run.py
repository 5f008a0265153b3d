# SPDX-License-Identifier: Apache-2.0
# tests/python/states_run.py: training runs of every optimizer and schedule of the registry, and the
# ways in which what they remember goes from one run to another; for test_states.py.
import copy
import ctypes
import json
import pathlib
import pickle
import tempfile

from support import bits, tenon

PARAMS = 3


class Run:
    """Matrices, which every optimizer takes, and gradients that follow from the number of the step:
    a run that goes on at another step, or with other states, ends with other bits.

    grouped   the first matrix is a group of its own, with a learning rate of its own
    """

    def __init__(self, name, grouped=False, **hypers):
        self.name = name
        values = [[[1.0, -2.0, 3.0], [0.5, place, -1.5]] for place in range(PARAMS)]
        self.params = [tenon.tensor(each, requires_grad=True) for each in values]
        given = self.params
        if grouped:
            given = [{"params": given[:1], "lr": 0.03}, {"params": given[1:]}]
        self.optimizer = tenon.optim.Optimizer(name, given, **hypers)

    def steps(self, first, end, skip=()):
        """Steps [first, end), in which parameters `skip` have no gradient."""
        for number in range(first, end):
            for place, param in enumerate(self.params):
                if place not in skip and param.requires_grad:
                    rows = [[number + 1, 0.25, -place], [-0.5, 2.0 - number, 0.125 * place]]
                    param.grad = tenon.tensor(rows, dtype="float32")
            if len(skip) < PARAMS:
                self.optimizer.step(clear_grad=True)

    def take_values(self, other):
        """The parameters' values alone."""
        with tenon.no_grad:
            for mine, theirs in zip(self.params, other.params, strict=True):
                mine[...] = theirs


def all_bits(optimizer):
    """Parameters, numbers and states of an optimizer, to the bit."""
    saved = optimizer.state_dict()
    states = {name: bits(tensor) for name, tensor in saved["state"].items()}
    return [bits(each) for each in optimizer.params], json.dumps(saved["hypers"]), states


def optimizers():
    return sorted(each["name"] for each in tenon.query("optimizers"))


# ---- The ways from one run to another -----------------------------------------------------------


def as_texts(saved, part="o"):
    """Tensors and texts of a state as a checkpoint's file has them."""
    tensors = {f"{part}.{name}": tensor for name, tensor in saved["state"].items()}
    groups = saved["hypers"]
    texts = {"rng.seed": "0", "rng.stream": "0", "rng.counter": "0"}
    if isinstance(groups, list):
        texts[f"{part}.group.sizes"] = " ".join(str(each["params"]) for each in groups)
        named = {f"group.{place}.{name}": number for place, each in enumerate(groups)
                 for name, number in each.items() if name != "params"}  # fmt: skip
    else:
        named = groups
    for name, number in named.items():
        texts[f"{part}.{name}"] = str(number).lower() if isinstance(number, bool) else repr(number)
    return tensors, texts


def as_state(name, tensors, texts, part="o"):
    """The state that such a file has."""
    hypers = next(each for each in tenon.query("optimizers") if each["name"] == name)["hypers"]
    types = {"bool": lambda text: text == "true", "int": int}
    kinds = {each["name"]: types.get(each["type"], float) for each in hypers}

    def read(prefix):
        return {key: kind(texts[prefix + key]) for key, kind in kinds.items()}

    sizes = texts.get(f"{part}.group.sizes")
    hypers = read(f"{part}.") if sizes is None else [
        {**read(f"{part}.group.{place}."), "params": int(size)}
        for place, size in enumerate(sizes.split())
    ]  # fmt: skip
    states = {key[len(part) + 1 :]: each for key, each in tensors.items()
              if key.startswith(f"{part}.")}  # fmt: skip
    return {"hypers": hypers, "state": states}


def _library():
    """The libtenon that the package has opened."""
    maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
    return next(line.split()[-1] for line in maps if "libtenon.so" in line)


class Checkpoint:
    """A checkpoint of the C API, of the objects of this package."""

    def __init__(self, **parts):
        self._made = ctypes.c_void_p()
        self._c = ctypes.CDLL(_library())
        python = ctypes.pythonapi
        python.PyThreadState_GetDict.restype = ctypes.c_void_p  # borrowed
        python.PyCapsule_GetName.restype = ctypes.c_char_p
        python.PyCapsule_GetName.argtypes = [ctypes.py_object]
        python.PyCapsule_GetPointer.restype = ctypes.c_void_p
        python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        tenon.get_rng_state()  # there is a context from the first call on
        of_thread = ctypes.cast(python.PyThreadState_GetDict(), ctypes.py_object).value
        self._context = self._pointer(of_thread["tenon.context"])
        self._call("tenon_checkpoint_create", ctypes.byref(self._made))
        for name, part in parts.items():
            kind = "schedule" if isinstance(part, tenon.schedules.Schedule) else "optimizer"
            word, handle = name.encode(), self._pointer(part._handle)
            self._call(f"tenon_checkpoint_set_{kind}", self._made, word, len(word), handle)

    @staticmethod
    def _pointer(capsule):
        python = ctypes.pythonapi
        name = python.PyCapsule_GetName(capsule)
        return ctypes.c_void_p(python.PyCapsule_GetPointer(capsule, name))

    def _call(self, function, *arguments):
        """Raises ValueError with the name of the status."""
        given = [ctypes.c_uint64(each) if isinstance(each, int) else each for each in arguments]
        status = getattr(self._c, function)(self._context, *given)
        if status:
            self._c.tenon_status_get_name.restype = ctypes.c_char_p
            raise ValueError(self._c.tenon_status_get_name(status).decode())

    def save(self, path):
        word = str(path).encode()
        self._call("tenon_checkpoint_save", self._made, word, len(word))
        return self

    def load(self, path):
        word = str(path).encode()
        loaded = ctypes.c_uint32()
        self._call("tenon_checkpoint_load", self._made, word, len(word), ctypes.c_uint32(0),
                   ctypes.byref(loaded))  # fmt: skip
        return self

    def __del__(self):
        self._c.tenon_checkpoint_release(self._made)


def in_folder(use):
    """A way through a file."""

    def go(*runs):
        with tempfile.TemporaryDirectory() as folder:
            use(pathlib.Path(folder) / "run.safetensors", *runs)

    return go


def _by_file(path, one, other):
    tensors, texts = as_texts(one.state_dict())
    tenon.save(path, tensors, texts)
    found, texts = tenon.load(path, metadata=True)
    other.load_state_dict(as_state(one.name, found, texts))


def _by_checkpoint(path, one, other):
    Checkpoint(o=one).save(path)
    Checkpoint(o=other).load(path)


def _from_checkpoint(path, one, other):
    Checkpoint(o=one).save(path)
    other.load_state_dict(as_state(one.name, *tenon.load(path, metadata=True)))


def _to_checkpoint(path, one, other):
    tenon.save(path, *as_texts(one.state_dict()))
    Checkpoint(o=other).load(path)


# From one optimizer to another: each is a function (one, other).
WAYS = {
    "a dict": lambda one, other: other.load_state_dict(one.state_dict()),
    "a copied dict": lambda one, other: other.load_state_dict(copy.deepcopy(one.state_dict())),
    "a pickled dict": lambda one, other: other.load_state_dict(
        pickle.loads(pickle.dumps(one.state_dict()))
    ),
    "a file": in_folder(_by_file),
    "a checkpoint in C": in_folder(_by_checkpoint),
    "from C to Python": in_folder(_from_checkpoint),
    "from Python to C": in_folder(_to_checkpoint),
}
