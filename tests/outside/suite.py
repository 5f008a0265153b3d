# SPDX-License-Identifier: Apache-2.0
# tests/outside/suite.py: runs the cases of an outside suite op by op and keeps the scoreboard.
"""scoreboard.json says, suite by suite and op by op, how many cases are claimed to pass. A suite is
named as its script, <suite>_test.py. A run fails when a case fails, when fewer cases passed than
are claimed, and when an op has no passed case. With --claim it raises the claims to what passed.
Nothing here lowers a claim: that takes an editor.

Every case of a suite is passed, failed, or uncovered with a reason; none is left out in silence.
"""

import collections
import json
import pathlib
import sys

SCOREBOARD = pathlib.Path(__file__).with_name("scoreboard.json")
SHOWN_FAILURES = 5


class Tally:
    """What became of the cases of one op."""

    def __init__(self, passed=0, may_be_empty=False):
        self.passed = passed
        self.failures = []
        self.uncovered = collections.Counter()  # reason: cases
        self.may_be_empty = may_be_empty  # of a function Tenon does not have

    def fail(self, words):
        self.failures.append(words)

    def problems(self):
        found = self.failures[:SHOWN_FAILURES]
        if len(self.failures) > SHOWN_FAILURES:
            found.append(f"... and {len(self.failures) - SHOWN_FAILURES} more")
        if not (self.passed or self.failures or self.may_be_empty):
            found.append("no case passed: an op of which nothing was shown")
        return found

    def line(self):
        words = f"{self.passed} passed"
        if self.failures:
            words += f", {len(self.failures)} FAILED"
        for reason, count in sorted(self.uncovered.items()):
            words += f", {count} uncovered ({reason})"
        return words


class LowerClaim(Exception):
    """Raised instead of lowering a claim."""


class Scoreboard:
    def __init__(self, path=SCOREBOARD):
        self.path = pathlib.Path(path)
        self.suites = json.loads(self.path.read_text()) if self.path.exists() else {}

    def claims(self, suite):
        return {op: entry["claimed"] for op, entry in self.suites[suite]["ops"].items()}

    def compares(self, suite, versions):
        """Another release or seed has other cases: only their failures count then."""
        return suite not in self.suites or self.suites[suite]["versions"] == versions

    def shortfalls(self, suite, tallies):
        """One line for each op of which fewer cases passed than are claimed."""
        if suite not in self.suites:
            return [f"{self.path.name} claims nothing of {suite}: run {suite}_test.py --claim"]
        lines = []
        for op, claimed in sorted(self.claims(suite).items()):
            passed = tallies[op].passed if op in tallies else 0
            if passed < claimed:
                lines.append(f"{op}: {claimed} cases are claimed, {passed} passed")
        return lines

    def claim(self, suite, versions, tallies):
        lower = self.shortfalls(suite, tallies) if suite in self.suites else []
        if lower:
            raise LowerClaim(
                "claims only grow; where fewer cases are right, edit "
                f"{self.path.name} by hand and say why: " + "; ".join(lower)
            )
        ops = {
            op: {
                "claimed": tally.passed,
                "passed": tally.passed,
                "uncovered": dict(sorted(tally.uncovered.items())),
            }
            for op, tally in sorted(tallies.items())
        }
        self.suites[suite] = {"versions": versions, "ops": ops}
        self.path.write_text(text_of(self.suites))


def text_of(suites):
    """JSON with a line for each op, so that a change of the file can be read."""
    blocks = []
    for name, suite in sorted(suites.items()):
        rows = [f"  {json.dumps(op)}: {json.dumps(entry)}" for op, entry in suite["ops"].items()]
        blocks.append(
            f'{json.dumps(name)}: {{"versions": {json.dumps(suite["versions"])}, "ops": {{\n'
            + ",\n".join(rows)
            + "}}"
        )
    return "{" + ",\n".join(blocks) + "}\n"


def main(suite, versions, cases, arguments=None, scoreboard=None):
    """Runs `cases`, a dict of op: function that gives a Tally. Returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    scoreboard = scoreboard or Scoreboard()
    tallies, problems = {}, []
    for op, case in sorted(cases.items()):
        try:
            tallies[op] = case()
        except Exception as error:  # the other ops are still worth knowing
            tallies[op] = Tally()
            tallies[op].fail(f"raised {error!r}")
        print(f"{op:36} {tallies[op].line()}", flush=True)
        problems += [f"{op}: {words}" for words in tallies[op].problems()]
    totals = sum(tally.passed for tally in tallies.values())
    uncovered = sum(sum(tally.uncovered.values()) for tally in tallies.values())
    print(f"{suite}: {totals} passed, {uncovered} uncovered, {len(tallies)} entries, {versions}")

    if "--claim" in arguments and not problems:
        try:
            scoreboard.claim(suite, versions, tallies)
        except LowerClaim as refusal:
            problems.append(str(refusal))
    elif scoreboard.compares(suite, versions):
        problems += scoreboard.shortfalls(suite, tallies)
    else:
        others = scoreboard.suites[suite]["versions"]
        print(f"the claims are those of another release or seed, {others}")
    for problem in problems:
        print(f"FAILED {problem}")
    return 1 if problems else 0
