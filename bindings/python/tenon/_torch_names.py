# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_names.py: ops in PyTorch by name, and those of one plugin.

import os

from tenon import _core, _errors, _ops, _runtime
from tenon._torch_ops import find


class Namespace:
    """Ops as functions of PyTorch's tensors: those whose names begin with a vendor's, or those of
    one plugin. All are registered when the namespace is made, so `torch.compile` finds them."""

    def __init__(self, what, prefix, names):
        self._what, self._prefix, self._refused = what, prefix, {}
        for full in names:
            inner = full.removeprefix(prefix)
            if "." in inner:
                continue
            try:
                self.__dict__[inner] = find(full).overload
            except _errors.Error as error:  # of the plugin that lists it: others go on
                self._refused[inner] = error
        for vendor in {full.removeprefix(prefix).partition(".")[0] for full in names}:
            inner = f"{prefix}{vendor}."
            deeper = [full for full in names if full.startswith(inner)]
            if deeper:
                self.__dict__[vendor] = Namespace(f"{inner}*", inner, deeper)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._refused:
            raise self._refused[name]
        hint = _ops._look_up(self._prefix + name)[1]
        raise AttributeError(f"{self._what} has no op {name!r}\n  hint: {hint}")

    def __dir__(self):
        return sorted(name for name in self.__dict__ if not name.startswith("_"))

    def __repr__(self):
        return f"<{self._what} in PyTorch>"


class _Vendors:
    """`tenon.torch.ops`: a namespace for each vendor."""

    def __getattr__(self, vendor):
        if vendor.startswith("_"):
            raise AttributeError(vendor)
        prefix = f"{vendor}."
        names = [each for each in _ops.names() if each.startswith(prefix)]
        if not names:
            raise AttributeError(
                f"no plugin lists an op whose name begins with {prefix!r}; the vendors there are: "
                + ", ".join(dir(self))
            )
        found = self.__dict__[vendor] = Namespace(f"{prefix}*", prefix, names)
        return found

    def __dir__(self):
        return sorted({each.partition(".")[0] for each in _ops.names()})


ops = _Vendors()


def _described():
    return {each["id"]: each for each in _runtime.query("plugins")}


def _id_of_folder(folder):
    """The id of the plugin in a folder, which is searched from now on."""
    if not os.path.isfile(os.path.join(folder, "plugin.json")):
        raise _errors.make_refusal(
            "value", "tenon.torch.load", "plugin", "an id, or a folder with a plugin.json",
            folder, 'tenon.torch.load("acme.fast") looks in the folders that `tenon doctor` lists',
        )  # fmt: skip
    above = os.path.dirname(folder)
    if not _core.is_started():
        paths = _runtime._options.setdefault("paths", [])
        if above not in paths:
            paths.append(above)
    for name, each in _described().items():
        if os.path.realpath(each["folder"]) == os.path.realpath(folder):
            return name
    raise _errors.make_refusal(
        "STATE", "tenon.torch.load", "plugin", "a folder that was searched when Tenon began",
        folder, f"call tenon.configure(plugin_paths=[{above!r}]) before anything of Tenon is used, "
        "or set TENON_PLUGIN_PATH",
    )  # fmt: skip


def load(plugin):
    """The ops of one plugin as functions of PyTorch's tensors.

    plugin   its id, "acme.fast", or the path of its folder, which need not be on Tenon's paths if
             nothing of Tenon has run yet
    """
    text = os.fspath(plugin)
    name = _id_of_folder(os.path.abspath(text)) if os.sep in text else text
    found = _described().get(name)
    if found is None or found["state"] == "deactivated":
        words = ", ".join(_described()) if found is None else "one that was deactivated"
        raise _errors.make_refusal(
            "NOT_FOUND", "tenon.torch.load", "plugin", f"the plugin {name!r}", words,
            "TENON_PLUGIN_PATH names folders of plugins; `tenon doctor` says what it looked for",
        )  # fmt: skip
    if found["state"] in ("refused", "failed"):
        raise _errors.make_refusal(
            "PLUGIN", "tenon.torch.load", "plugin", f"{name!r} in order", found["reason"],
        )  # fmt: skip
    full = [each["name"] for each in found["ops"]]
    vendor = f"{full[0].partition('.')[0]}." if full else ""
    same = all(each.startswith(vendor) for each in full)
    return Namespace(f"the plugin {name}", vendor if same else "", full)
