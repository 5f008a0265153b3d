# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_bridge_names.py: ops as functions of another library's tensors, by name:
# all of a vendor's, and those of one plugin.

import os

from tenon import _core, _errors, _ops, _runtime


class Bridge:
    """How ops become another library's functions.

    module   of this package, "tenon.torch", and `library`, whose functions they are: "PyTorch"
    find     the function of an op by its full name
    eager    whether all of a namespace are made when it is
    """

    def __init__(self, module, library, find, eager=False):
        self.module, self.library, self.find, self.eager = module, library, find, eager
        self.ops = Vendors(self)

    def load(self, plugin):
        """The ops of one plugin, by its id or the path of its folder."""
        text = os.fspath(plugin)
        name = self._id_of_folder(os.path.abspath(text)) if os.sep in text else text
        found = _described().get(name)
        if found is None or found["state"] == "deactivated":
            words = ", ".join(_described()) if found is None else "one that was deactivated"
            raise _errors.make_refusal(
                "NOT_FOUND", f"{self.module}.load", "plugin", f"the plugin {name!r}", words,
                "TENON_PLUGIN_PATH names folders of plugins; `tenon doctor` says what it looked "
                "for",
            )  # fmt: skip
        if found["state"] in ("refused", "failed"):
            raise _errors.make_refusal(
                "PLUGIN", f"{self.module}.load", "plugin", f"{name!r} in order", found["reason"],
            )  # fmt: skip
        full = [each["name"] for each in found["ops"]]
        vendor = f"{full[0].partition('.')[0]}." if full else ""
        same = all(each.startswith(vendor) for each in full)
        return Namespace(self, f"the plugin {name}", vendor if same else "", lambda: full)

    def _id_of_folder(self, folder):
        """The id of the plugin in a folder, which is searched from now on."""
        if not os.path.isfile(os.path.join(folder, "plugin.json")):
            raise _errors.make_refusal(
                "value", f"{self.module}.load", "plugin", "an id, or a folder with a plugin.json",
                folder, f'{self.module}.load("acme.fast") looks in the folders that '
                "`tenon doctor` lists",
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
            "STATE", f"{self.module}.load", "plugin", "a folder that was searched when Tenon began",
            folder, f"call tenon.configure(plugin_paths=[{above!r}]) before anything of Tenon is "
            "used, or set TENON_PLUGIN_PATH",
        )  # fmt: skip


def _described():
    return {each["id"]: each for each in _runtime.query("plugins")}


class Namespace:
    """Ops as functions: those whose names begin with a vendor's, or those of one plugin; `names`
    gives their full names."""

    def __init__(self, bridge, what, prefix, names):
        self._bridge, self._what, self._prefix, self._names = bridge, what, prefix, names
        for name in dir(self) if bridge.eager else ():
            try:
                getattr(self, name)
            except _errors.Error:  # of the plugin that lists it, for who asks: others go on
                pass

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        full = self._prefix + name
        inner = f"{full}."
        names = self._names()
        if full in names:
            found = self._bridge.find(full)
        elif any(each.startswith(inner) for each in names):
            found = Namespace(self._bridge, f"{inner}*", inner, lambda: _within(inner, names))
        else:
            hint = _ops._look_up(full)[1]
            raise AttributeError(f"{self._what} has no op {name!r}\n  hint: {hint}")
        self.__dict__[name] = found
        return found

    def __dir__(self):
        inner = _within(self._prefix, self._names())
        return sorted({full.removeprefix(self._prefix).partition(".")[0] for full in inner})

    def __repr__(self):
        return f"<{self._what} in {self._bridge.library}>"


def _within(prefix, names):
    return [each for each in names if each.startswith(prefix)]


class Vendors:
    """A namespace for each vendor."""

    def __init__(self, bridge):
        self._bridge = bridge

    def __getattr__(self, vendor):
        if vendor.startswith("_"):
            raise AttributeError(vendor)
        prefix = f"{vendor}."
        if not _within(prefix, _ops.names()):
            raise AttributeError(
                f"no plugin lists an op whose name begins with {prefix!r}; the vendors there are: "
                + ", ".join(dir(self))
            )
        found = self.__dict__[vendor] = Namespace(
            self._bridge, f"{prefix}*", prefix, lambda: _within(prefix, _ops.names())
        )
        return found

    def __dir__(self):
        return sorted({each.partition(".")[0] for each in _ops.names()})
