# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_history.py: the numbers of a run, their picture, event files.
"""tenon.History."""

import os

from tenon import _core
from tenon._errors import check_type

_PATHS = (str, bytes, os.PathLike)


class History:
    """Named series of numbers: `history.add("loss", step, loss)`. Notebooks show their picture."""

    def __init__(self):
        self._handle = _core.create_history()

    def add(self, name, step, value):
        """Adds a point to the end of the series `name`, and to the event file if there is one.

        step   an integer, which counts whatever you count
        value  a number, or a tensor of one element
        """
        check_type("history", "name", name, str, "the name of a series")
        _core.add_point(self._handle, name, step, value)

    def events(self, folder):
        """From now on each point goes to a new event file of TensorBoard in `folder` too."""
        check_type("history", "folder", folder, _PATHS, "a folder's name")
        _core.write_events(self._handle, os.fsencode(folder))

    def series(self, name):
        """The points of the series `name`, in the order in which they were added: a list of
        (step, value)."""
        check_type("history", "name", name, str, "the name of a series")
        return _core.history_points(self._handle, name)

    def save(self, path, title="", axis="step"):
        """Writes a picture (SVG) with a line for each series, or leaves the file as it was.

        axis  the name of the x axis
        """
        check_type("history", "path", path, _PATHS, "a file's name")
        check_type("history", "title", title, str, "a text")
        check_type("history", "axis", axis, str, "a text")
        _core.save_history(self._handle, os.fsencode(path), title, axis)

    def _repr_svg_(self):
        return _core.history_text(self._handle, "svg")
