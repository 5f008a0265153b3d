# SPDX-License-Identifier: Apache-2.0
# tests/outside/suite_test.py: what makes a run of an outside suite fail, and what claims may do.

import contextlib
import io
import pathlib
import tempfile
import unittest

import suite


def tally(passed=0, failures=(), uncovered=None, **options):
    made = suite.Tally(passed, **options)
    made.failures += failures
    made.uncovered.update(uncovered or {})
    return made


class Claims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "scoreboard.json"
        self.run_with({"tenon.a": tally(3), "tenon.b": tally(2)}, "--claim")

    def run_with(self, tallies, *arguments, versions=None):
        """Exit status and output."""
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            status = suite.main(
                "museum",
                versions or {"museum": "1.0"},
                {op: lambda made=made: made for op, made in tallies.items()},
                arguments,
                suite.Scoreboard(self.path),
            )
        return status, words.getvalue()

    def claims(self):
        return suite.Scoreboard(self.path).claims("museum")

    def assert_fails(self, tallies, words, *arguments, **options):
        status, text = self.run_with(tallies, *arguments, **options)
        self.assertEqual(status, 1, text)
        self.assertIn(f"FAILED {words}", text)

    def test_as_many_as_claimed_pass(self):
        self.assertEqual(self.run_with({"tenon.a": tally(3), "tenon.b": tally(9)})[0], 0)

    def test_fewer_than_claimed_fail(self):
        fewer = {"tenon.a": tally(2), "tenon.b": tally(2)}
        self.assert_fails(fewer, "tenon.a: 3 cases are claimed, 2 passed")

    def test_an_op_that_is_gone_fails(self):
        self.assert_fails({"tenon.a": tally(3)}, "tenon.b: 2 cases are claimed, 0 passed")

    def test_a_failure_fails_whatever_is_claimed(self):
        wrong = {"tenon.a": tally(9, ["1 is not 2"]), "tenon.b": tally(2)}
        self.assert_fails(wrong, "tenon.a: 1 is not 2")

    def test_an_op_without_a_passed_case_fails(self):
        empty = tally(uncovered={"no such attribute": 7})
        tallies = {"tenon.a": tally(3), "tenon.b": tally(2), "tenon.c": empty}
        self.assert_fails(tallies, "tenon.c: no case passed")

    def test_a_function_without_an_op_needs_no_passed_case(self):
        absent = tally(uncovered={"Tenon has no such op": 7}, may_be_empty=True)
        tallies = {"tenon.a": tally(3), "tenon.b": tally(2), "museum.c": absent}
        status, text = self.run_with(tallies)
        self.assertEqual(status, 0)
        self.assertIn("7 uncovered (Tenon has no such op)", text)

    def test_claims_grow(self):
        more = {"tenon.a": tally(5), "tenon.b": tally(2), "tenon.c": tally(1)}
        self.assertEqual(self.run_with(more, "--claim")[0], 0)
        self.assertEqual(self.claims(), {"tenon.a": 5, "tenon.b": 2, "tenon.c": 1})

    def test_claims_do_not_shrink(self):
        mixed = {"tenon.a": tally(2), "tenon.b": tally(7)}
        for versions in ({"museum": "1.0"}, {"museum": "2.0"}):
            words = "claims only grow; where fewer cases are right, edit scoreboard.json by hand"
            self.assert_fails(mixed, words, "--claim", versions=versions)
            self.assertEqual(self.claims(), {"tenon.a": 3, "tenon.b": 2})

    def test_nothing_is_claimed_of_a_run_with_failures(self):
        wrong = {"tenon.a": tally(9, ["1 is not 2"]), "tenon.b": tally(2)}
        self.assert_fails(wrong, "tenon.a: 1 is not 2", "--claim")
        self.assertEqual(self.claims()["tenon.a"], 3)

    def test_without_claims_a_run_fails(self):
        self.path.unlink()
        words = "scoreboard.json claims nothing of museum: run museum_test.py --claim"
        self.assert_fails({"tenon.a": tally(3)}, words)

    def test_another_release_has_its_own_number_of_cases(self):
        other = {"museum": "2.0"}
        status, text = self.run_with({"tenon.a": tally(1)}, versions=other)
        self.assertEqual(status, 0)
        self.assertIn("another release", text)
        self.assert_fails({"tenon.a": tally(1, ["wrong"])}, "tenon.a: wrong", versions=other)

    def test_a_case_that_raises_is_a_failure(self):
        def case():
            raise ValueError("unforeseen")

        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            status = suite.main("museum", {}, {"a": case}, [], suite.Scoreboard(self.path))
        self.assertEqual(status, 1)
        self.assertIn("FAILED a: raised ValueError('unforeseen')", words.getvalue())


class Kept(unittest.TestCase):
    """The scoreboard of the tree."""

    def test_every_claim_is_run_by_a_script(self):
        suites = suite.Scoreboard().suites
        self.assertTrue(suites)
        for name in suites:
            script = suite.SCOREBOARD.with_name(f"{name}_test.py")
            self.assertTrue(script.is_file(), f"claims of {name}, but no {script.name}")

    def test_nothing_is_claimed_that_did_not_pass(self):
        for name, entries in suite.Scoreboard().suites.items():
            for op, entry in entries["ops"].items():
                self.assertLessEqual(entry["claimed"], entry["passed"], f"{name}: {op}")


if __name__ == "__main__":
    unittest.main()
