# SPDX-License-Identifier: Apache-2.0
# tests/python/test_explain.py: what `tenon explain` says of a call in Python is there to be called.
import json
import subprocess
import unittest

from support import Case, build_folder, tenon
from tenon import _core

COMMAND = build_folder() / "bin/tenon"


def explained(name, kind):
    done = subprocess.run(
        [COMMAND, "explain", name, "--kind", kind, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)[0]


class Explained(Case):
    def check(self, kind, topic):
        name = json.loads(_core.query(topic))[0]["name"]
        said = explained(name, kind)
        call = said["in_python"]
        if not call:  # a kind that the package does not know
            return
        found = eval(call.partition("(")[0], {"tenon": tenon})
        self.assertTrue(callable(found), call)
        if hasattr(found, "name"):
            self.assertEqual(found.name, name)

    def test_every_kind_is_called_as_it_says(self):
        self.check("op", "ops")
        kinds = json.loads(_core.query("kinds"))
        self.assertGreaterEqual(len(kinds), 6)
        for kind in kinds:
            with self.subTest(kind["noun"]):
                self.check(kind["noun"], kind["topic"])


if __name__ == "__main__":
    unittest.main()
