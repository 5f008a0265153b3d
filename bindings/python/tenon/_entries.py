# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_entries.py: what plugins register beside ops (the kinds of tenon/kinds.h),
# as callables with documentation and signature.
"""Names come from manifests, descriptions from the runtime: `tenon.optim.adam` is the optimizer
"tenon.adam", `tenon.optim.acme.adam` would be "acme.adam"."""

from tenon import _core

REQUIRED = object()


def _default(kind, given):
    """A default as a Python value: the runtime gives a number, or text."""
    if isinstance(given, (int, float)):
        return {"bool": bool, "int": int}.get(kind, float)(given)
    if given is None or given == "":
        return None
    if kind == "dtype":
        return _core.as_dtype(given)
    if kind == "str":
        return given.strip('"')
    if kind == "bool":
        return given == "true"
    return {"int": int, "float": float}.get(kind, str)(given)


class Entry:
    """One registered thing; calling it makes an object of it."""

    def __init__(self, topic, name, make, leading):
        self._topic, self.name, self._make, self._leading = topic, name, make, leading
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]

    def __call__(self, *arguments, **options):
        return self._make(self.name, *arguments, **options)

    def describe(self):
        """What the runtime says of it, a dict."""
        import json

        found = json.loads(_core.query(self._topic))
        return next(each for each in found if each["name"] == self.name)

    def options(self):
        """[(name, words, default), ...]; the default is REQUIRED if there is none."""
        described = self.describe()
        found = []
        for each in described.get("hypers") or described.get("options") or []:
            default = REQUIRED
            if not each.get("required"):
                default = _default(each["type"], each.get("default"))
            found.append((each["name"], each["doc"], default))
        return found

    @property
    def __doc__(self):
        lines = [f"{name}: {words}" for name, words, _ in self.options()]
        return "\n".join([self.describe()["doc"], "", *lines])

    @property
    def __signature__(self):
        import inspect

        parameters = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for name in self._leading
        ]
        for name, _, default in self.options():
            empty = inspect.Parameter.empty
            parameters.append(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=empty if default is REQUIRED else default,
                )
            )
        if self.describe().get("container"):
            parameters.insert(0, inspect.Parameter("children", inspect.Parameter.VAR_POSITIONAL))
        return inspect.Signature(parameters)

    def __repr__(self):
        return f"<{self._topic[:-1]} {self.name}>"


class Entries:
    """The things of a topic whose names begin with a prefix."""

    def __init__(self, topic, make, leading=(), prefix="tenon."):
        self._topic, self._make, self._leading, self._prefix = topic, make, leading, prefix

    def names(self):
        """The full names of all that plugins list."""
        import json

        plugins = json.loads(_core.query("plugins"))
        return sorted({name for plugin in plugins for name in plugin[self._topic]})

    def find(self, name):
        """The entry, or the entries of another vendor; AttributeError where there is neither."""
        names = self.names()
        if self._prefix + name in names:
            return Entry(self._topic, self._prefix + name, self._make, self._leading)
        if self._prefix == "tenon." and any(each.startswith(name + ".") for each in names):
            return Entries(self._topic, self._make, self._leading, name + ".")
        raise AttributeError(
            f"no plugin lists {self._prefix + name!r}; the {self._topic} there are: "
            + ", ".join(names)
        )

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.find(name)

    def __dir__(self):
        start = len(self._prefix)
        return [each[start:] for each in self.names() if each.startswith(self._prefix)]
