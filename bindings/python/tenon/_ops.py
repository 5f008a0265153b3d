# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_ops.py: the ops of the registry by name: tenon.op.<vendor>.<name>.
"""Names come from the plugins' manifests: listing them opens no plugin."""

from tenon import _core, _errors, _schema


def names():
    """The full names of all ops that plugins list."""
    import json

    found = json.loads(_core.query("plugins"))
    used = [plugin for plugin in found if plugin["state"] != "deactivated"]
    return sorted({each["name"] for plugin in used for each in plugin["ops"]})


def _look_up(full):
    """The op and "", or None and what to do."""
    try:
        return _core.Op(full), ""
    except _errors.NotFoundError as error:
        return None, error.hint


class Namespace:
    """Ops whose names begin with a vendor's; `dir()` lists them."""

    def __init__(self, prefix):
        self._prefix = prefix

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        full = self._prefix + name
        found, hint = _look_up(full)
        inner = f"{full}."
        if found is None and any(each.startswith(inner) for each in names()):
            found = Namespace(inner)
        if found is None:
            raise AttributeError(
                f"there is no op {full!r}, and none whose name begins with {inner!r}\n"
                f"  hint: {hint}"
            )
        self.__dict__[name] = found
        return found

    def __dir__(self):
        start = len(self._prefix)
        mine = [each[start:] for each in names() if each.startswith(self._prefix)]
        return sorted({each.partition(".")[0] for each in mine})

    def __repr__(self):
        return f"<ops {self._prefix}*>"


op = Namespace("")


def find_method(tensor, name):
    """Ops of the vendor `tenon` are methods of tensors, where their first operand is one, and so
    are functions that are made of them."""
    from tenon import _names

    kind = type(tensor)
    found = _names.find_method(name)
    if found is not None:
        setattr(kind, name, found)
        return getattr(tensor, name)
    found, hint = _look_up(f"tenon.{name}")
    inputs = found is not None and _schema.Schema(found.name, found.revision).inputs
    if not inputs or inputs[0][2]:  # none, or a list
        hint = _names.METHODS_INSTEAD.get(name, hint)
        raise AttributeError(
            f"'Tensor' has no attribute {name!r}, and no op is named tenon.{name}"
            + (f"\n  hint: {hint}" if hint else "")
        )
    setattr(kind, name, found)
    return getattr(tensor, name)
