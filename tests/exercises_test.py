#!/usr/bin/env python3
"""The exercises are sound (`./learn verify`), and bad input gets one clear message."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import language as words_of_learn, terminal  # noqa: E402
from tools.exercises import build as exercises_build, commands as exercises, explain  # noqa: E402
from tools.exercises import manifest, mine, task_text, together, verdict, verify  # noqa: E402
from tools.exercises.mistakes import Block, Mistake  # noqa: E402
from tools.exercises.outcome import Outcome, outcome_of, read_report  # noqa: E402
from tools.exercises.run import Ran  # noqa: E402
from tools.terminal import Stop, columns_of  # noqa: E402

MARKER = "TODO"
CASE = '{"case": "rows"}'
SCALE = Mistake("no_scale", "no scale", "没有缩放", "mistakes.md", 1, ())

# An exercise whose answer is the skeleton, and one whose answer is something else.
AS_IT_CAME, EDITED = (mock.patch.object(manifest.Exercise, "answer", answer) for answer in (
    manifest.Exercise.skeleton, manifest.Exercise.published))


def wrong(values, shape=(2, 2)) -> dict:
    return {"case": "rows", "check": "y", "ok": False, "at": 0,
            "expected": {"shape": [2, 2], "values": [1.0, 2.0, 3.0, 4.0]},
            "actual": {"shape": list(shape), "values": values}}


class Reports(unittest.TestCase):
    def test_an_exit_before_the_end_is_no_pass(self):
        outcome = read_report([CASE], 0, "")
        self.assertFalse(outcome.passed)
        self.assertIn('in the test "rows"', outcome.error)

    def test_what_the_file_prints_is_told_apart_by_test(self):
        outcome = read_report([CASE, '{"case": "columns"}', '{"end": 2}'], 0,
                              "early\n\x1erows\n\x1ecolumns\nx = 1\ny = 2\n")
        self.assertEqual([("", "early\n"), ("columns", "x = 1\ny = 2\n")], outcome.prints)
        self.assertEqual(["rows", "columns"], outcome.names)

    def test_some_functions_written_are_judged_while_others_are_still_to_be_written(self):
        todo = {"case": "backward", "at": 2, "threw": "TO" + "DO(\"02-01: my/02-01.cpp\")"}
        names = ["rows", "columns", "backward"]
        half = Outcome(names=names, cases=3, threw=[todo])
        with mock.patch.object(explain, "known_outcomes", return_value={}):
            said = self.explained("f() {}\n", half)
            self.assertIn("1 of 3 tests call a function that is still to be written", said)
            for line in ("  pass      rows", "  pass      columns", "  todo      backward"):
                self.assertIn(line, said)
            half.checks = [wrong([1.0, 2.0, 3.0, 9.0])]
            said = self.explained("f() {}\n", half)
            self.assertIn("  FAIL      rows", said)
            self.assertIn("  mismatch  1 of 4", said)
            none = Outcome(names=["backward"], cases=3, threw=[todo])
            self.assertNotIn("todo", self.explained("f() {}\n", none))

    def test_an_endless_loop_and_a_crash_name_the_test(self):
        self.assertIn("never ends", read_report([CASE], -24, "").error)
        self.assertEqual('crashed (SIGSEGV) in the test "rows"', read_report([CASE], -11, "").error)

    def test_what_means_nothing_and_what_follows_the_end_void_a_report(self):
        def read(report: bytes, flooded: str = "") -> Outcome:
            return outcome_of(Ran(0, b"", report, flooded))

        good = b'{"case": "rows"}\n{"end": 1}\n'
        self.assertTrue(read(good).passed)
        for report in (b'{"end": 1}\n' + good, good + b'{"end": 1}\n', good + b"\n", b"\xff" + good,
                       good.replace(b"{", b"", 1), good.replace(b"1", b"true"), good + b"x"):
            self.assertEqual("the report was tampered with", read(report).error, report)
        for cut in (good, good + b"{", good + b'{"check": '):
            self.assertEqual("stopped: its numbers take more than 4 MiB",
                             read(cut, "reported").error)
        self.assertEqual("stopped: it printed more than 1 MiB", read(good, "printed").error)

    def test_odd_events_and_signals_are_no_exceptions(self):
        start = time.monotonic()
        for odd in ("[" * 100_000, "[1]", "7", '{"end": 1e999}', '{"end": ' + "9" * (1 << 20) + "}",
                    '{"check": "y", "actual": {"shape": [' + "9, " * 999999 + '9], "values": []}}',
                    '{"check": "y", "actual": {"shape": {}, "values": 7}}'):
            self.assertEqual("the report was tampered with", read_report([CASE, odd], 0, "").error)
        self.assertLess(time.monotonic() - start, 20)
        self.assertIn("crashed (signal 40)", read_report([CASE], -40, "").error)

    def test_a_failure_that_no_check_reported_is_no_pass(self):
        self.assertIn("tampered", read_report([CASE, '{"end": 1}'], 1, "").error)

    def test_the_mistake_is_named_only_when_the_numbers_are_its_own(self):
        known = Outcome(checks=[wrong([2.0, 2.0, 3.0, 4.0])])
        self.assertTrue(verdict.same_mistake(
            Outcome(checks=[wrong([2.00001, 2.0, 3.0, 4.0])]), known))
        self.assertFalse(verdict.same_mistake(
            Outcome(checks=[wrong([2.1, 2.0, 3.0, 4.0])]), known))
        self.assertFalse(verdict.same_mistake(Outcome(), Outcome()))

    def test_a_mistake_that_throws_is_named_where_xtensor_lies_elsewhere_too(self):
        def threw(message: str) -> Outcome:
            return Outcome(threw=[{"case": "rows", "at": 1, "threw": message}])

        here, there = (f"/{place}/xtensor/xcontainer.hpp:{line}: check failed  index 3 is out"
                       for place, line in (("usr/include", 454), ("opt", 460)))
        self.assertTrue(verdict.same_mistake(threw(here), threw(there)))
        self.assertFalse(verdict.same_mistake(threw(here), threw(there.replace("3", "4"))))
        self.assertEqual("index 3 is out", verdict.kept(threw(here).threw[0], {})[1])

    def test_shapes_come_first_then_the_first_difference(self):
        self.assertEqual("  shape     expected (2, 2)   actual (4)   (differ)",
                         explain.table(wrong([1.0] * 4, (4,)))[-1])
        text = "\n".join(explain.table(wrong([1.0, 2.0, 3.0, 9.0])))
        self.assertIn("1 of 4 elements (25.0%), largest |diff| 5.000000", text)
        self.assertIn("[1, 1]  expected 4.000000  actual 9.000000", text)
        self.assertIn(">   9.0000<", text)

    def test_two_lists_of_different_lengths_are_shown_whole(self):
        lists = {"check": "words", "expected": {"shape": [3], "values": [5.0, 4.0, -2.5703]},
                 "actual": {"shape": [2], "values": [5.0, -3.5]}}
        self.assertEqual(["  list      expected  5 4 -2.5703", "            actual    5 -3.5"],
                         explain.table(lists)[2:])
        long = [float(i) for i in range(40)]
        lists["expected"] = {"shape": [40], "values": long}
        lists["actual"] = {"shape": [22], "values": [*long[:20], -1.0, 21.0]}
        self.assertEqual(["  list      expected  … " + " ".join(map(str, range(17, 33))) + " …",
                          "            actual    … 17 18 19 -1 21"], explain.table(lists)[2:])

    def test_a_text_is_shown_as_one(self):
        pieces = {"check": "pieces", "kind": "text",
                  "expected": {"shape": [9], "values": list(map(float, b"low est\xe2\x80"))},
                  "actual": {"shape": [5], "values": list(map(float, b"low\n\x07"))}}
        self.assertEqual(["  text      pieces", "  expected  low est\ufffd",
                          "  actual    low\\n\\x07"], explain.table(pieces))

    def test_a_single_number_takes_one_line(self):
        loss = {"check": "loss", "expected": {"shape": [1], "values": [2.0]},
                "actual": {"shape": [1], "values": [1.5]}}
        self.assertEqual(["  tensor    loss",
                          "  value     expected 2.000000  actual 1.500000  |diff| 0.500000"],
                         explain.table(loss))

    def test_a_large_whole_number_alone_in_its_line_is_told_whole(self):
        def line(expected: float, actual: float) -> str:
            sides = {name: {"shape": [1], "values": [value]}
                     for name, value in (("expected", expected), ("actual", actual))}
            return explain.table({"check": "bytes", **sides})[-1]

        self.assertIn("expected 100663296  actual 50331648 ", line(100663296, 50331648))
        self.assertIn("expected 1e+30  actual 2.5e+06 ", line(1e30, 2.5e6 + .25))

    def test_nan_is_a_difference(self):
        text = "\n".join(explain.table(wrong([1.0, float("nan"), 3.0, 4.0])))
        self.assertIn("1 of 4 elements", text)
        self.assertIn("[0, 1]", text)

    def test_at_most_three_errors_of_the_compiler_are_shown(self):
        text = "\n".join(f"a.cpp:{i}: error: no" for i in range(9))
        self.assertEqual(3, len(exercises_build.first_errors(text).splitlines()))

    def test_a_message_of_xtensor_is_explained(self):
        self.assertIn("xt::newaxis()", explain.meaning(
            "Incompatible dimension of arrays:  LHS shape = (3, 4, )  RHS shape = (3, )"))
        self.assertIn("xt::transpose(x)", explain.meaning("Dot: shape mismatch."))
        self.assertIn("throw the expected one itself", explain.meaning(
            "xt::broadcast_error, wanted std::invalid_argument: Incompatible dimension of arrays: "
            " LHS shape = (2, 4, 3, )  RHS shape = (0, 3, )"))
        self.assertIn("an empty list or map", explain.meaning("std::bad_alloc"))
        self.assertIn("xt::transpose(b)", explain.meaning(
            "dot: inner sizes differ: a is (3, 4), b is (6, 4)"))
        self.assertIn("xt::transpose(a)", explain.meaning(
            "dot: inner sizes differ: a is (2, 3), b is (2, 5)"))
        self.assertIn("the wrong order", explain.meaning(
            "dot: inner sizes differ: a is (2, 3), b is (5, 2)"))
        self.assertIn("Transpose::yes", explain.meaning(
            "matmul: inner sizes differ: a is (3, 2, 4, 5), b is (3, 2, 6, 5)"))
        for other in ("a is (4, 5), b is (6, 7)", "a is (4, 5), b is (6, 5), transposed"):
            self.assertEqual("", explain.meaning(f"matmul: inner sizes differ: {other}"))
        self.assertEqual("", explain.meaning("something else"))
        self.assertEqual("index 4 is out of bounds", explain.without_place(
            "/usr/include/xtensor/xcontainer.hpp:438: check failed  index 4 is out of bounds"))

    def test_a_column_is_advised_only_where_one_is_the_cure(self):
        arrays = "Incompatible dimension of arrays:  LHS shape = {}  RHS shape = {}".format
        for left, right, cure in (("(3, 4, )", "(4, 6, )", "matrix product"),
                                  ("(3, 4, )", "(6, 4, )", "which side"),
                                  ("(2, 3, 4, )", "(3, 4, 4, )", "which side"),
                                  ("(3, 2, )", "(2, 3, )", "the other's transpose"),
                                  ("(3, 4, )", "(6, )", "as long as the vector"),
                                  ("(3, )", "(3, 4, )", "xt::newaxis()")):
            self.assertIn(cure, explain.meaning(arrays(left, right)))

    def test_a_gradient_that_never_arrived_is_no_missing_return(self):
        check = {**wrong([]), "actual": None}
        self.assertIn("nothing was returned", explain.table(check)[-1])
        self.assertIn("no gradient arrived",
                      explain.table({**check, "kind": "gradient"})[-1])

    def explained(self, answer: str, outcome: Outcome, zh: bool = False) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "02-03_mask_autopsy.cpp"
            path.write_text(answer)
            skeleton = Path(folder) / "skeleton.cpp"
            skeleton.write_text("g() {\n  " + MARKER + '("02-03");\n  return 0;\n}\n')
            exercise = mock.Mock(id="02-03", answer=path, path=Path(folder), tests=3, mistakes=[],
                                 task=lambda zh: path, skeleton=skeleton, prints=0)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                explain.explain(mock.Mock(), exercise, outcome, zh)
            return printed.getvalue()

    def test_a_marker_above_repaired_code_is_told_from_an_empty_function(self):
        line = "  " + MARKER + '("02-03: my/02-03_mask_autopsy.cpp");\n'
        outcome = Outcome(threw=[{"case": "rows", "threw": line.strip().rstrip(";")}])
        self.assertIn("is still there", self.explained(f"f() {{\n{line}  return 1;\n}}\n", outcome))
        self.assertIn("still to be written", self.explained(f"f() {{\n{line}}}\n", outcome))


class Mistakes(unittest.TestCase):
    """A mistake is matched check by check."""

    @staticmethod
    def outcome(**values) -> Outcome:
        return Outcome(checks=[{**wrong(numbers), "check": name, "at": at}
                               for at, (name, numbers) in enumerate(values.items())])

    def named(self, student: Outcome, **known) -> tuple[list[str], bool]:
        outcomes = {Mistake(name, name, name, "mistakes.md", 1, ()): outcome
                    for name, outcome in known.items()}
        found = verdict.named(student, outcomes)
        return ([mistake.name for mistake in found],
                bool(verdict.outright(student, outcomes)))

    def test_one_mistake_that_explains_everything_is_named(self):
        a, b = self.outcome(x=[1, 2, 3, 5]), self.outcome(x=[1, 2, 3, 5], y=[9, 2, 3, 4])
        self.assertEqual((["b"], True), self.named(b, a=a, b=b))
        self.assertEqual((["a"], True), self.named(a, b=b, a=a))

    def test_a_mistake_made_in_one_place_of_two_is_found_but_not_outright(self):
        both = self.outcome(x=[1, 2, 3, 5], y=[9, 2, 3, 4])
        self.assertEqual((["both"], False), self.named(self.outcome(x=[1, 2, 3, 5]), both=both))

    def test_two_mistakes_are_both_named_and_no_more_is_claimed(self):
        a, b = self.outcome(x=[1, 2, 3, 5]), self.outcome(y=[9, 2, 3, 4])
        student = self.outcome(x=[1, 2, 3, 5], y=[9, 2, 3, 4])
        self.assertEqual((["a", "b"], False), self.named(student, a=a, b=b))

    def test_a_mistake_beside_an_unknown_one_is_named_as_a_part(self):
        a = self.outcome(x=[1, 2, 3, 5])
        student = self.outcome(x=[1, 2, 3, 5], y=[7, 7, 3, 4])
        self.assertEqual((["a"], False), self.named(student, a=a))

    def test_what_has_many_causes_names_nothing_on_its_own(self):
        nan = float("nan")
        for common in ([nan] * 4, [0, 0, 0, 0]):
            a = self.outcome(x=common, y=[9, 2, 3, 4])
            self.assertEqual(([], False), self.named(self.outcome(x=common), a=a))
            self.assertEqual((["a"], True), self.named(a, a=a))

    def test_an_exception_of_many_causes_names_nothing_on_its_own(self):
        lost = {"case": "rows", "at": 0,
                "threw": "backward: the loss was not recorded on this tape"}
        a = Outcome(checks=self.outcome(x=[1, 2, 3, 5]).checks, threw=[lost])
        self.assertEqual(([], False), self.named(Outcome(threw=[lost]), a=a))
        self.assertEqual((["a"], True), self.named(a, a=a))

    def test_three_mistakes_at_once_are_a_guess_and_not_named(self):
        values = {"x": [1, 2, 3, 5], "y": [9, 2, 3, 4], "z": [7, 7, 3, 4]}
        parts = {name: self.outcome(**{name: value}) for name, value in values.items()}
        self.assertEqual(([], False), self.named(self.outcome(**values), **parts))

    def test_a_part_of_the_failures_is_no_more_than_resembled(self):
        a, b = self.outcome(x=[1, 2, 3, 5]), self.outcome(y=[9, 2, 3, 4])
        looks_like = verdict.looks_like
        self.assertEqual(([SCALE], "  looks like  no scale"), looks_like(a, {SCALE: a}, False))
        self.assertEqual([SCALE], verdict.outright(a, {SCALE: a}))
        resembles = "  resembles  no scale (the same numbers, but not in every test)"
        more = self.outcome(x=[1, 2, 3, 5], y=[7, 7, 3, 4])
        self.assertEqual(([], resembles), looks_like(more, {SCALE: a}, False))
        self.assertEqual([], verdict.outright(more, {SCALE: a}))
        fourth = self.outcome(x=[1, 2, 3, 5], y=[7, 7, 3, 4], z=[8, 2, 3, 4])  # most is unexplained
        shown = resembles.replace("the same numbers, but not in every test",
                                  "it gives the numbers shown, but not those of the other tests")
        self.assertEqual(([], shown), looks_like(fourth, {SCALE: a}, False))
        hidden = self.outcome(y=[7, 7, 3, 4], z=[8, 2, 3, 4], x=[1, 2, 3, 5])
        self.assertEqual(([], ""), looks_like(hidden, {SCALE: a}, False))
        twin = dataclasses.replace(SCALE, name="twin")
        self.assertEqual(([], ""), looks_like(fourth, {SCALE: a, twin: a}, False))
        other = dataclasses.replace(SCALE, name="other", en="another", zh="另一个")
        both = self.outcome(x=[1, 2, 3, 5], y=[9, 2, 3, 4])
        several = "  resembles  no scale; also: another (each explains some of the tests)"
        for known in ({SCALE: a, other: b}, {other: b, SCALE: a}):  # first what is shown
            self.assertEqual(([], several), looks_like(both, known, False))
        behind = self.outcome(y=[7, 7, 3, 4], x=[1, 2, 3, 5])
        self.assertEqual(([], resembles.replace(
            "the same numbers, but not in every test",
            "the numbers of a test other than the one shown")),
            looks_like(behind, {SCALE: a}, False))

    def test_a_yes_or_no_alone_names_nothing_outright(self):
        flags = {SCALE: self.outcome(x=[1, 0, 1, 1], y=[0, 0, 0, 0])}
        for check in flags[SCALE].checks:
            check["expected"]["values"] = [0, 1, 0, 1]
        found, line = verdict.looks_like(flags[SCALE], flags, True)
        self.assertEqual([], found)
        self.assertEqual("  类似      没有缩放（只比较了“是”与“否”，结果相同也可能另有原因）",
                         words_of_learn.in_chinese(line))
        numbers = {SCALE: self.outcome(x=[1, 0, 1, 1])}  # where other numbers are expected
        self.assertEqual([SCALE], verdict.outright(numbers[SCALE], numbers))
        numbers = {SCALE: self.outcome(x=[1, 0, 1, 1], y=[0, 0, 0, 2])}
        self.assertEqual([SCALE], verdict.outright(numbers[SCALE], numbers))

    def test_a_mistake_is_only_resembled_unless_its_numbers_are_in_every_test_that_it_fails(self):
        def outcome(**values) -> Outcome:
            return Outcome(checks=[{**wrong(numbers), "case": case, "check": "y"}
                                   for case, numbers in values.items()])

        known = outcome(wide=[1, 2, 3, 5], narrow=[9, 2, 3, 4])
        for student, why in ((outcome(narrow=[9, 2, 3, 4]),  # the other test passes
                              "只有部分测试的数值相同"),
                             (outcome(wide=[1, 2, 3, 7], narrow=[9, 2, 3, 4]),
                              "数值相同的是另一项测试，不是这里显示的测试")):
            self.assertEqual([], verdict.named(student, {SCALE: known}))
            found, line = verdict.looks_like(student, {SCALE: known}, True)
            self.assertEqual([], found)
            self.assertEqual(f"  类似      没有缩放（{why}）", words_of_learn.in_chinese(line))
        other = outcome(wide=[1, 2, 3, 5], narrow=[9, 2, 3, 4], third=[7, 7, 3, 4])
        self.assertEqual([SCALE], verdict.named(other, {SCALE: known}))

    def test_a_yes_or_no_has_many_causes(self):
        def outcome(right=(), **values) -> Outcome:
            return Outcome(checks=[
                {**wrong([value], (1,)), "check": name, "ok": name in right,
                 "expected": {"shape": [1], "values": [float(value != 1)]}}
                for name, value in values.items()])

        known = {SCALE: outcome(x=0, y=0)}
        self.assertEqual([SCALE], verdict.named(outcome(x=0, y=0), known))
        self.assertEqual([SCALE], verdict.named(outcome(x=0, y=0, z=0), known))
        self.assertEqual(([], ""), verdict.looks_like(outcome(right="y", x=0, y=1), known, False))
        known = {SCALE: outcome(x=0.25, y=0.5)}  # numbers: made in one place of two
        self.assertEqual([SCALE], verdict.named(outcome(right="y", x=0.25, y=1), known))

    def test_numbers_never_written_are_those_that_the_learner_left_at_0(self):
        known = self.outcome(x=[5, 2, float("nan"), float("nan")])
        self.assertEqual((["a"], True), self.named(self.outcome(x=[5, 2, 0, 0]), a=known))
        self.assertEqual(([], False), self.named(self.outcome(x=[5, 2, 0, 4]), a=known))
        nothing = self.outcome(x=[float("nan")] * 4)
        self.assertEqual(([], False), self.named(self.outcome(x=[0, 0, 0, 0]), a=nothing))

    def test_numbers_without_a_name_are_described(self):
        def said(actual, shape=(2, 2), **others):
            check = {**wrong(actual, shape), "check": "y"}
            checks = [check] + [{"case": "rows", "check": name, "ok": True,
                                 "expected": {"shape": [2, 2], "values": values}}
                                for name, values in others.items()]
            return verdict.resemblance(check, Outcome(checks=checks))
        self.assertIn("2 times the expected one", said([2, 4, 6, 8]))
        self.assertIn("wrong sign", said([-1, -2, -3, -4]))
        self.assertIn("plus 1", said([2, 3, 4, 5]))
        self.assertIn("transpose", said([1, 3, 2, 4]))
        self.assertIn("in other places", said([4, 2, 3, 1]))
        self.assertIn("never written", said([1, float("nan"), 3, 4]))
        self.assertIn("the numbers of dx", said([7, 2, 9, 4], dx=[7, 2, 9, 4]))
        self.assertEqual("", said([1, 2, 3, 9]))
        self.assertEqual("", said([1, 2], (2,)))
        self.assertEqual("", said([1, 0, 0, 1], flags=[1, 0, 0, 1]))  # yes and no, by chance
        one = [{"case": "rows", "check": name, "ok": name == "no",
                "expected": {"shape": [1], "values": [value]}, "actual": {"shape": [1],
                                                                          "values": [0]}}
               for name, value in (("yes", 1), ("no", 0))]
        self.assertEqual("", verdict.resemblance(one[0], Outcome(checks=one)))

    def recorded_in(self, place: Path) -> Path:
        patch = mock.patch.object(verdict, "RECORD", place / "mutants.json")
        patch.start()
        self.addCleanup(patch.stop)
        return place / "mutants.json"

    def test_a_record_holds_all_exercises_and_one_of_them_is_written_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for name in ("test.cpp", "solution.cpp"):
                (place / name).write_text(name)
            file = self.recorded_in(place)
            several = [mock.Mock(id=i, path=place, mistakes=[SCALE],
                                 solution=place / "solution.cpp") for i in ("02-02", "02-01")]
            given = [{SCALE: self.outcome(x=[1, 2, float("nan"), n])} for n in range(2)]
            for exercise, outcomes in zip(several, given):
                verdict.record(exercise, outcomes)
            verdict.record(several[0], given[1])
            for exercise in several:
                self.assertTrue(verdict.is_recorded(exercise, given[1]))
                self.assertFalse(verdict.is_recorded(exercise, given[0]))
            self.assertEqual(["02-01", "02-02"], list(json.loads(file.read_text())))

    def test_of_a_tensor_that_is_not_kept_whole_each_number_counts(self):
        given = [number % 13 - 6 + 0.25 for number in range(40)]
        known = {"shape": [5, 8], "values": given}
        self.assertEqual(verdict.MOST_KEPT, len(verdict.told(known)))
        for at in range(40):
            other = {"shape": [5, 8], "values": [*given[:at], given[at] + 0.01, *given[at + 1:]]}
            self.assertFalse(verdict.same_numbers(known, other), at)
        self.assertTrue(verdict.same_numbers(  # rounded, with a sum that is nearly 0
            {"shape": [5, 8], "values": [296909472.0, -296909480.0] * 20},
            {"shape": [5, 8], "values": [296910000.0, -296910000.0] * 20}))
        for at in range(39):  # two neighbours are swapped
            other = [*given[:at], given[at + 1], given[at], *given[at + 2:]]
            self.assertFalse(verdict.same_numbers(known, {"shape": [5, 8], "values": other}), at)

    def test_a_record_of_other_sources_is_not_used(self):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for name in ("test.cpp", "exercise.hpp", "solution.cpp"):
                (place / name).write_text(name)
            exercise = mock.Mock(id="02-01", path=place, mistakes=[SCALE],
                                 solution=place / "solution.cpp")
            record = self.recorded_in(place)
            given = {SCALE: self.outcome(x=[1, 2, float("nan"), 5])}
            self.assertEqual({}, verdict.recorded(exercise))
            verdict.record(exercise, given)
            self.assertTrue(verdict.is_recorded(exercise, given))
            self.assertFalse(verdict.is_recorded(
                exercise, {SCALE: self.outcome(x=[1, 2, 3, 5])}))
            said = dataclasses.replace(SCALE, en="not scaled", line=7)
            changed = dataclasses.replace(SCALE, blocks=(Block(3, "diff", ("-x", "+y")),))
            for mistake, numbers in ((said, 1), (changed, 0)):
                exercise.mistakes = [mistake]
                self.assertEqual(numbers, len(verdict.recorded(exercise)))
            exercise.mistakes = [SCALE]
            for file in ("solution.cpp", "exercise.hpp"):
                (place / file).write_text("changed")
                self.assertEqual({}, verdict.recorded(exercise))
                (place / file).write_text(file)
            self.assertEqual({SCALE}, set(verdict.recorded(exercise)))
            exercise.solution = place / "gone.cpp"
            for damaged in ("[]", "7", "[" * 100_000, '{"02-01":{"stamp":3,"mutants":[]}}', "{", "",
                            '{"02-01":{"stamp'):
                record.write_text(damaged)
                self.assertEqual({}, verdict.recorded(exercise))

    def test_a_handout_without_solutions_names_mistakes_by_the_record(self):
        exercise = manifest.manifest()[0]
        known = verdict.recorded(exercise)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "exercise"
            shutil.copytree(exercise.path, place, ignore=shutil.ignore_patterns("solution"))
            handout = dataclasses.replace(exercise, folder=str(place))
            kit = mock.Mock()
            self.assertEqual([mistake.name for mistake in known], [
                mistake.name for mistake in verdict.known_outcomes(kit, handout)])
            (place / "test.cpp").write_text("// of somebody else\n")
            self.assertEqual({}, verdict.known_outcomes(kit, handout))
            kit.run_mistake.assert_not_called()

    def test_of_a_large_tensor_some_numbers_are_recorded_and_compared(self):
        def outcome(numbers) -> Outcome:
            return Outcome(checks=[{**wrong(numbers, (64, 64)), "check": "y"}])

        given = [float(number % 97) for number in range(64 * 64)]
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for name in ("test.cpp", "solution.cpp"):
                (place / name).write_text(name)
            exercise = mock.Mock(id="02-01", path=place, mistakes=[SCALE],
                                 solution=place / "solution.cpp")
            self.recorded_in(place)
            verdict.record(exercise, {SCALE: outcome(given)})
            known = verdict.recorded(exercise)
            kept = known[SCALE].checks[0]["actual"]
        self.assertEqual([64, 64], list(kept["shape"]))
        self.assertEqual(verdict.MOST_KEPT, len(kept["values"]))
        self.assertEqual([SCALE], verdict.outright(outcome(given), known))
        for axis in (0, 1):  # a row or a column that is another one is seen
            for line in range(64):
                other = [number + 1 if (at % 64 if axis else at // 64) == line else number
                         for at, number in enumerate(given)]
                self.assertEqual([], verdict.outright(outcome(other), known), (axis, line))

    def test_no_mistake_is_compiled_to_be_named(self):
        kit = mock.Mock()
        for exercise in manifest.manifest():
            self.assertEqual(set(exercise.mistakes),
                             set(verdict.known_outcomes(kit, exercise)))
        kit.run_mistake.assert_not_called()


class Chinese(unittest.TestCase):
    def test_every_line_has_a_chinese_twin_with_the_same_facts(self):
        for english, chinese in words_of_learn.LINES.items():
            names = [sorted(re.findall(r"{(\w+)}", text)) for text in (english, chinese)]
            self.assertEqual(*names, english)
            facts = {name: f"<{name}>" for name in names[0]}
            self.assertEqual(chinese.format(**facts),
                             words_of_learn.in_chinese(english.format(**facts)))

    def test_a_label_takes_the_same_columns_in_both_languages(self):
        for english, chinese in words_of_learn.LINES.items():
            label = re.match(r"  \S+( \S+)?  +(?=[{\S])", english)
            if label and not re.match("  (looks like|resembles) ", english):
                translated = re.match(r"  \S+  +", chinese)
                self.assertEqual(columns_of(label[0]), columns_of(translated[0]), english)

    def test_a_verdict_speaks_one_language(self):
        failed = Outcome(checks=[wrong([1.0, 2.0, 3.0, 9.0])], cases=3)
        column = {"case": "rows", "at": 0, "threw": "Incompatible dimension of arrays"}
        for outcome in (failed, Outcome(threw=[column], cases=3), read_report([CASE], -11, ""),
                        read_report([CASE], -24, ""), read_report([CASE], 0, ""),
                        Outcome(checks=[wrong([1.0] * 4, (4,))], cases=3),
                        Outcome(error="compile", log="a.cpp:1: error: no")):
            for check in outcome.checks:
                check["at"] = 0
            with mock.patch.object(explain, "known_outcomes", return_value={}):
                english, chinese = (Reports.explained(self, "f() {}\n", outcome, zh)
                                    for zh in (False, True))
            self.assertEqual(len(english.splitlines()), len(chinese.splitlines()))
            self.assertTrue(english.isascii(), english)
            for line in chinese.splitlines():
                if "error:" not in line and not line.startswith("            "):
                    self.assertFalse(line.isascii(), line)

    def test_the_language_is_that_of_the_terminal_or_of_the_flag(self):
        for language, flags, said in (("zh_CN.UTF-8", [], "道练习"), ("C", ["--zh"], "道练习"),
                                      ("C", [], "exercises pass"),
                                      ("zh_CN.UTF-8", ["--en"], "exercises pass")):
            printed = io.StringIO()
            with mock.patch.dict(os.environ, LANG=language, LC_ALL=""), \
                    contextlib.redirect_stdout(printed):
                exercises.list_all(flags)
            self.assertIn(said, printed.getvalue())


    def test_the_tests_have_their_names_in_chinese(self):
        exercise = manifest.find("06-03", manifest.manifest())
        name = "a long past is kept whole"
        outcomes = (Outcome(checks=[{**wrong([1.0, 2.0, 3.0, 9.0]), "case": name, "at": 0}],
                            cases=3, names=["x", name], log=f"\x1e{name}\nhello\n"),
                    read_report([f'{{"case": "{name}"}}'], -11, ""))
        for outcome in outcomes:
            for zh, said in ((False, name), (True, "很长的前文也完整保留")):
                printed = io.StringIO()
                with mock.patch.object(explain, "known_outcomes", return_value={}), \
                        AS_IT_CAME, contextlib.redirect_stdout(printed):
                    explain.explain(mock.Mock(), exercise, outcome, zh)
                self.assertGreaterEqual(printed.getvalue().count(said), 2, said)
                self.assertEqual(zh, name not in printed.getvalue())

    def test_a_check_is_named_by_its_beginning_and_what_the_test_put_behind(self):
        exercise = manifest.find("12-01", manifest.everything(), "try")
        name = "the sum at every process, n = 3, N = 7"
        self.assertEqual(name, manifest.check_name(exercise, name, False))
        self.assertEqual("每个进程的总和, n = 3, N = 7", manifest.check_name(exercise, name, True))
        self.assertEqual("another", manifest.check_name(exercise, "another", True))
        failed = {"case": "around the ring: what is sent", "check": name, "ok": False, "at": 1,
                  "expected": {"shape": [1], "values": [1.0]},
                  "actual": {"shape": [1], "values": [2.0]}}
        printed = io.StringIO()
        with mock.patch.object(explain, "known_outcomes", return_value={}), \
                AS_IT_CAME, contextlib.redirect_stdout(printed):
            explain.explain(mock.Mock(), exercise, Outcome(cases=1, checks=[failed]), True)
        self.assertIn("每个进程的总和, n = 3, N = 7", printed.getvalue())

    def test_a_test_without_a_chinese_name_is_a_fault(self):
        exercise = manifest.manifest()[0]
        names = manifest.test_names(exercise)
        self.assertEqual([], verify.unnamed(exercise))
        gone = next(iter(names))
        with mock.patch.object(verify, "test_names",
                               return_value={**names, gone: "", "another": "另一项"}):
            self.assertEqual([f"01-01: zh.po has no name for the test: {gone}",
                              "01-01: zh.po names a test that is not there: another"],
                             verify.unnamed(exercise))


class BadInput(unittest.TestCase):
    def setUp(self):
        self.place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place)
        for name, value in (("PROGRESS", self.place / "progress.json"), ("OUT", self.place)):
            patch = mock.patch.object(manifest, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def stopped(self, call, *arguments) -> str:
        with self.assertRaises(Stop) as stop:
            call(*arguments)
        self.assertRegex(str(stop.exception), r"\n  (next     |\./learn) ")
        return str(stop.exception)

    def test_an_unknown_id_names_the_nearest(self):
        self.assertIn("the nearest are 02-01", self.stopped(exercises.attempt, ["02-01x"]))

    def test_a_folder_without_an_entry_is_named(self):
        with mock.patch.object(manifest, "ROOT", self.place):
            (self.place / "chapters" / "02_b" / "exercises" / "09_new").mkdir(parents=True)
            for typed in ("02-09", "2-9"):
                stopped = self.stopped(exercises.attempt, [typed])
                self.assertIn("02_b/exercises/09_new has no entry in exercises/manifest.toml",
                              stopped)
                self.assertNotIn("nearest", stopped)

    def test_a_link_to_itself_is_no_exercise(self):
        (self.place / "loop").symlink_to("loop")
        for call in (exercises.attempt, exercises.list_all):
            self.assertIn("there is no exercise", self.stopped(call, [str(self.place / "loop")]))

    def test_an_id_may_be_typed_in_other_ways(self):
        every = manifest.manifest()
        folder = manifest.find("04-01", every).path
        for typed in ("04-01", "4-1", "4.1", "0401", "4_01", str(folder), str(folder / "test.cpp"),
                      "my/04-01_feed_forward.cpp"):
            self.assertEqual("04-01", manifest.find(typed, every).id, typed)

    def test_a_chapter_asks_which_of_its_exercises(self):
        for typed in ("04", "4"):
            text = self.stopped(exercises.hint, [typed])
            self.assertIn("which exercise of chapter 4? There are 04-01, 04-02, 04-03, ", text)
            self.assertIn("./learn hint 04-01", text)
        self.assertIn("there is no chapter 13; the chapters are 0 to 12",
                      self.stopped(exercises.attempt, ["13"]))

    def test_of_several_words_the_one_that_is_no_exercise_is_named(self):
        self.assertIn("no exercise 'zh'", self.stopped(exercises.attempt, ["2-1", "zh"]))
        self.assertIn("./learn try 02-01", self.stopped(exercises.attempt, ["2-1", "2-2"]))

    def test_a_flag_of_another_command_is_refused(self):
        for command, call in (("try", exercises.attempt), ("watch", exercises.watch)):
            text = self.stopped(call, ["--spoiler"])
            self.assertIn(f"{command}: unrecognized arguments: --spoiler", text)

    def test_the_skeleton_is_put_where_there_is_no_file_and_said_so(self):
        (self.place / "skeleton.cpp").write_text("empty")
        answer = self.place / "my" / "02-01_attention.cpp"
        exercise = mock.Mock(id="02-01", answer=answer, skeleton=self.place / "skeleton.cpp")
        for _ in range(2):  # what is there stays
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exercises.require_answer(exercise, False)
            self.assertRegex(printed.getvalue(), "^  begun .*02-01_attention.cpp holds the "
                             "skeleton; it is yours to edit\n$"
                             if answer.read_text() == "empty" else "^$")
            answer.write_text("mine")
        self.assertEqual("mine", answer.read_text())

    def test_a_link_that_leads_nowhere_is_named_and_reset(self):
        answer, skeleton = self.place / "exercise.cpp", self.place / "skeleton.cpp"
        answer.symlink_to("exercise.cpp")
        skeleton.write_text("empty")
        exercise = mock.Mock(id="02-01", answer=answer, skeleton=skeleton)
        self.assertIn("exercise.cpp is a link that leads nowhere\n  next      ./learn reset 02-01",
                      self.stopped(exercises.require_answer, exercise, False))
        with mock.patch.object(exercises, "chosen", lambda *_: exercise):
            exercises.reset(["02-01"])
        self.assertEqual((False, "empty"), (answer.is_symlink(), answer.read_text()))

    def test_nothing_is_written_behind_a_link(self):
        (self.place / "there").mkdir()
        own, skeleton = self.place / "there" / "mine", self.place / "skeleton.cpp"
        own.write_text("precious")
        skeleton.write_text("empty")
        (self.place / "file.cpp").symlink_to(own)
        (self.place / "folder").symlink_to(own.parent)
        for answer, said in ((self.place / "file.cpp", "file.cpp is a link to .*\n  next  "),
                             (self.place / "folder" / "mine", "folder is a link to ")):
            exercise = mock.Mock(id="02-01", answer=answer, skeleton=skeleton)
            with mock.patch.object(exercises, "chosen", lambda *_: exercise):
                text = self.stopped(exercises.reset, ["02-01"])
            self.assertRegex(text, said)
            exercise.answer = answer.with_name("new.cpp")
            if answer.parent.is_symlink():
                self.assertRegex(self.stopped(mine.begin, exercise, False), said)
            line = text.split("\n")[0]
            self.assertNotEqual(line, words_of_learn.in_chinese(line))
            self.assertEqual("precious", own.read_text())
            self.assertEqual([own], list(own.parent.iterdir()))

    def test_a_pipe_is_no_file_with_code(self):
        os.mkfifo(self.place / "exercise.cpp")
        exercise = mock.Mock(id="02-01", answer=self.place / "exercise.cpp")
        exercise.skeleton.read_bytes.return_value = b""
        with mock.patch.object(exercises, "chosen", lambda *_: exercise):
            for call, given in ((exercises.require_answer, (exercise, False)),
                                (exercises.reset, (["02-01"],))):
                with self.assertRaisesRegex(Stop, "exercise.cpp is not a file; expected the file"):
                    call(*given)

    def test_what_keeps_reset_from_keeping_a_file_is_named(self):
        answer, skeleton = self.place / "exercise.cpp", self.place / "skeleton.cpp"
        answer.write_text("mine")
        skeleton.write_text("empty")
        exercise, out = mock.Mock(id="02-01", answer=answer, skeleton=skeleton), self.place / "out"
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch.object(exercises, "chosen", lambda *_: exercise), \
                mock.patch.object(exercises, "OUT", out):
            with mock.patch.object(Path, "write_bytes", side_effect=full), \
                    self.assertRaises(OSError) as stopped:
                exercises.reset(["02-01"])
            self.assertIn(str(out / "exercises" / "02-01-"), stopped.exception.filename)
            shutil.rmtree(out)
            out.touch()
            with self.assertRaises(OSError) as stopped:
                exercises.reset(["02-01"])
            self.assertIn(str(out), stopped.exception.filename)
        self.assertEqual("mine", answer.read_text())

    def test_a_damaged_list_of_exercises_is_named_with_its_line(self):
        table = manifest.MANIFEST.read_text(encoding="utf-8")
        table = table[table.index("[[exercise]]"):].split("\n\n")[0] + "\n"
        for damage, said in ((lambda t: t.replace("tests = ", "prints = "), ":1: tests is missing"),
                             (lambda t: t + 'colour = "red"\n', ":1: colour means nothing here"),
                             (lambda t: re.sub(r"points = \d+", 'points = "2"', t),
                              ":1: points must be a number"),
                             (lambda t: re.sub(r"points = \d+", "points = 0", t),
                              ":1: tests and points must be at least 1"),
                             (lambda t: re.sub(r'id = ".*"', 'id = "x"', t),
                              ":1: expected an id like"),
                             (lambda t: t.replace("title = ", "title: "), "neither [[exercise]]"),
                             (lambda t: "", " names no exercise"),
                             (lambda t: t.encode("utf-16"), ": not UTF-8")):
            text = damage(table)
            file = self.place / "manifest.toml"
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            with mock.patch.object(manifest, "MANIFEST", file), self.assertRaises(Stop) as stop:
                manifest.everything()
            self.assertEqual((2, 0), (stop.exception.code, str(stop.exception).count("\n")))
            self.assertTrue(str(stop.exception).startswith("exercises/manifest.toml"))
            self.assertIn(said, str(stop.exception))
            self.assertNotEqual(str(stop.exception), words_of_learn.in_chinese(str(stop.exception)))

    def test_a_line_of_megabytes_is_not_shown_whole(self):
        line = "x" * 3_000_000
        log = f"exercise.cpp:1:2: error: '{line}' was not declared\n    1 | {line}\n      | ^\n"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            explain.explain_compiler(manifest.manifest()[0], log, False)
        self.assertLess(len(printed.getvalue()), 3000)

    def test_a_solution_is_kept_back_until_the_exercise_passes(self):
        self.assertIn("does not pass yet", self.stopped(exercises.solution, ["02-01"]))

    def test_a_model_answer_is_shown_beside_an_answer_and_not_before(self):
        answer, model = self.place / "exercise.cpp", self.place / "answer.en.md"
        exercise = mock.Mock(answer=answer, path=self.place)

        def shown() -> str:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exercises.show_answers(exercise, zh=False)
            return printed.getvalue()

        answer.write_text("/* Answer: the sum\n   is \a1. */\nint f();\n/* more */\n")
        self.assertEqual("", shown())
        model.write_text("It is one.\n")
        self.assertIn("your answer:\n\n  the sum\n  is \\x071.\n\na model answer:\n\n", shown())
        self.assertTrue(shown().endswith("It is one.\n\n"), shown())
        self.assertFalse(exercises.lacks_words(exercise))
        answer.write_text("/* Answer:\n */\nint f();\n")
        self.assertTrue(exercises.lacks_words(exercise))

    def test_reset_keeps_what_the_learner_wrote(self):
        answer, skeleton = self.place / "exercise.cpp", self.place / "skeleton.cpp"
        answer.write_text("mine")
        skeleton.write_text("empty")
        exercise = mock.Mock(id="02-01", answer=answer, skeleton=skeleton)
        with mock.patch.object(exercises, "chosen", lambda *_: exercise), \
                mock.patch.object(exercises, "OUT", self.place):
            exercises.reset(["02-01"])
        self.assertEqual("empty", answer.read_text())
        self.assertEqual(["mine"], [p.read_text() for p in self.place.glob("exercises/*.cpp")])

    def test_a_damaged_progress_file_is_forgotten(self):
        for damaged, kept in (("{ not json", {}), ("[" * 100000, {}), ("[]", {}),
                              ('{"01-01": [], "01-02": null}', {}),
                              ('{"01-01": {"at": "x", "tries": "y", "hints": 1.5, "passed": "z"}}',
                               {"01-01": {"passed": "z"}}),
                              ('{"01-01": {"at": -1.0, "tries": -2, "hints": -5}}',
                               {"01-01": {}})):
            (self.place / "progress.json").write_text(damaged)
            self.assertEqual(kept, manifest.progress())

    def test_a_damaged_progress_file_is_kept_when_another_is_written(self):
        progress, exercise = self.place / "progress.json", manifest.manifest()[0]
        progress.write_text('\ufeff{"02-02": {"tries": 1}}', encoding="utf-8")  # an editor's mark
        with contextlib.redirect_stderr(io.StringIO()) as said:
            manifest.remember(exercise, tries=2)
            self.assertEqual({"02-02", exercise.id}, set(manifest.progress()))
            self.assertEqual("", said.getvalue())
            progress.write_text('{"02-02": {"tries": 1}, ')
            manifest.remember(exercise, tries=2)
        self.assertEqual({exercise.id}, set(manifest.progress()))
        aside, = self.place.glob("progress-*.json")
        self.assertEqual('{"02-02": {"tries": 1}, ', aside.read_text())
        line = said.getvalue().rstrip("\n")
        self.assertRegex(line, f"^  damaged   .*progress.json cannot be read; .*{aside.name}$")
        self.assertIn(f"原文件另存为 {terminal.shown(aside)}", words_of_learn.in_chinese(line))

    def test_what_many_remember_at_once_is_all_kept(self):
        say = ("import sys; from pathlib import Path; from tools.exercises import manifest as m; "
               "m.OUT = Path(sys.argv[1]); m.PROGRESS = m.OUT / 'progress.json'; "
               "[m.remember(m.Exercise(f'{sys.argv[2]}-{i}', '', '', '', 1, 1)) for i in range(9)]")
        running = [subprocess.Popen([sys.executable, "-c", say, str(self.place), str(i)], cwd=ROOT)
                   for i in range(6)]
        self.assertEqual([0] * 6, [process.wait(60) for process in running])
        self.assertEqual(54, len(manifest.progress()))

    def test_counts_of_many_commands_at_once_add_up(self):
        say = ("import sys; from pathlib import Path; from tools.exercises import commands as c, "
               "manifest as m; m.OUT = Path(sys.argv[1]); m.PROGRESS = m.OUT / 'progress.json'; "
               "[m.remember(m.Exercise('01-01', '', '', '', 1, 1), hints=c.one_more('hints')) "
               "for _ in range(9)]")
        running = [subprocess.Popen([sys.executable, "-c", say, str(self.place)], cwd=ROOT)
                   for _ in range(6)]
        self.assertEqual([0] * 6, [process.wait(60) for process in running])
        self.assertEqual(54, manifest.progress()["01-01"]["hints"])

    def test_what_cannot_be_remembered_leaves_nothing_behind(self):
        (self.place / "progress.json" / "full").mkdir(parents=True)
        manifest.remember(manifest.manifest()[0], hints=1)
        self.assertEqual(["progress.json"], [path.name for path in self.place.iterdir()])


class Progress(unittest.TestCase):
    """Three exercises whose files are here, and what is kept of them."""

    def setUp(self):
        self.place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place)
        for module, name, value in (
                (manifest, "PROGRESS", self.place / "progress.json"),
                (manifest, "OUT", self.place), (manifest, "ROOT", self.place),
                (manifest, "everything", lambda: self.exercises)):
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.exercises = [manifest.Exercise(i, f"{i}_name", i, i, 1, 1)
                          for i in ("01-01", "02-01", "02-02")]
        (self.place / "my").mkdir()
        for exercise in self.exercises:
            exercise.path.mkdir()
            exercise.answer.write_text("right")
            exercise.skeleton.write_text("to do")
        self.first, self.second, self.third = self.exercises

    @staticmethod
    def list_them(flags: list[str]) -> int:
        return exercises.list_all(["01", "02", *flags])

    def listed(self, call=list_them.__func__) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            call(["--en"])
        return printed.getvalue()

    def solve(self, exercise) -> None:
        manifest.remember(exercise, tries=1, passed=exercise.as_it_is)

    def test_a_cross_follows_the_file_as_it_is(self):
        self.solve(self.second)
        self.assertIn("[x] 02-01", self.listed())
        self.second.answer.write_text("changed")
        self.assertIn("[~] 02-01", self.listed())
        self.assertIn("0 of 3 exercises pass", self.listed(exercises.status))
        self.second.answer.write_text("right")
        self.assertIn("[x] 02-01", self.listed())
        (self.second.path / "test.cpp").write_text("sharper")
        self.assertIn("[~] 02-01", self.listed())

    def test_a_line_of_the_list_counts_what_passes_in_a_chapter(self):
        self.solve(self.third)
        manifest.remember(self.first, tries=1)
        said = self.listed(exercises.list_all)
        self.assertRegex(said, r"(?m)^  01  \[~\]  +0/1  \S")
        self.assertRegex(said, r"(?m)^  02  \[#\.\]  +1/2  \S")
        self.assertNotIn("01-01 ", said.partition("marks")[0])

    def test_the_marks_are_explained(self):
        self.assertIn("[x] passes   [~] tried, but the file does not pass as it is", self.listed())

    def test_the_points_stand_before_the_titles(self):
        self.second.points = 3
        self.assertIn("[ ] 02-01  3  02-01\n", self.listed())
        self.assertIn("  points    the number before the title", self.listed())

    def test_what_comes_next_goes_on_from_where_one_is(self):
        self.assertEqual("01-01", exercises.chosen([], "try").id)
        manifest.remember(self.second, tries=1)
        self.assertEqual("02-01", exercises.chosen([], "hint").id)
        self.solve(self.second)
        self.assertEqual("02-02", exercises.chosen([], "watch").id)
        self.assertIn("./learn try 02-02", self.listed())
        self.third.answer.write_text("to do")  # not begun: its task is read first
        self.assertIn("./learn task 02-02", self.listed())
        self.third.answer.write_text("right")
        self.solve(self.third)  # what was left out comes at the end
        self.assertEqual("01-01", exercises.chosen([], "try").id)

    def test_what_was_left_out_of_a_chapter_comes_before_the_next_chapter(self):
        self.exercises.append(manifest.Exercise("03-01", "03-01_name", "03-01", "03-01", 1, 1))
        self.solve(self.third)
        self.assertEqual("02-01", manifest.next_open(self.third).id)
        self.solve(self.second)
        self.assertEqual("03-01", manifest.next_open(self.third).id)

    def test_try_and_watch_go_on_to_the_exercise_after_this_one(self):
        with mock.patch.object(exercises, "judge", side_effect=lambda e, _zh: not self.solve(e)), \
                contextlib.redirect_stdout(io.StringIO()) as printed:
            exercises.attempt(["02-01", "--en"])
        self.assertIn("./learn try 02-02", printed.getvalue())
        judged = []
        with mock.patch.object(exercises, "judge", side_effect=lambda e, _zh: (
                judged.append(e.id), self.solve(e), True)[-1]), \
                mock.patch.object(exercises, "PLACE", self.place), \
                contextlib.redirect_stdout(io.StringIO()):
            exercises.watch(["02-02", "--en"])
        self.assertEqual(["02-02", "01-01"], judged)

    def test_a_part_of_a_title_finds_an_exercise_and_a_number_a_chapter(self):
        self.second.title, self.third.title = "Softmax, forward", "Softmax, backward"
        self.third.title_zh = "softmax 的反向传播"
        for typed in ("forward", "FORWARD", "x, forw"):
            self.assertEqual("02-01", manifest.find(typed, self.exercises).id)
        self.assertEqual("02-02", manifest.find("反向", self.exercises).id)
        with self.assertRaisesRegex(Stop, "'softmax' is in the titles of 02-01, 02-02\n"):
            manifest.find("softmax", self.exercises)
        for typed, ids in (("2", ["02-01", "02-02"]), ("01", ["01-01"]),
                           ("softmax", ["02-01", "02-02"])):
            listed = self.listed(lambda flags, typed=typed: exercises.list_all([typed, *flags]))
            self.assertEqual(ids, re.findall(r"^  \[ \] (\d\d-\d\d)", listed, re.M), typed)

    def test_a_letter_lists_a_capstone(self):
        self.exercises += [manifest.Exercise(i, f"{i}_name", i, i, 1, 1) for i in ("A-1", "B-1")]
        self.assertRegex(self.listed(lambda flags: exercises.list_all(["b", *flags])),
                         r"^  \[ \] B-1 .*\n  marks ")
        with self.assertRaisesRegex(Stop, "there is no capstone Z; there are A, B\n") as stop:
            exercises.list_all(["z", "--en"])
        self.assertIn("没有综合项目 Z", words_of_learn.in_chinese(
            str(stop.exception).split("\n")[0]))

    def test_the_bar_of_progress_follows_the_points(self):
        self.assertIn(f"[{'.' * exercises.BAR}]  0% of the points", self.listed())
        self.second.points = 2
        self.solve(self.second)
        bar = "#" * (exercises.BAR // 2) + "." * (exercises.BAR // 2)
        self.assertIn(f"[{bar}]  50% of the points", self.listed())

    def test_all_of_mine_are_judged_at_once(self):
        for exercise in self.exercises:
            exercise.skeleton.write_text("right" if exercise is self.first else "empty")
        self.third.answer.write_text("wrong")

        def run(exercise, answer):
            right = answer.read_text() == "right"
            return mock.Mock(passed=right, error="" if right else "compile")

        with mock.patch.object(exercises, "Kit", return_value=mock.Mock(run=run)):
            said = self.listed(lambda flags: exercises.attempt(["--all", *flags]))
        self.assertIn("02-01: passes\n02-02: does not compile\n1 of the 2 that you changed pass",
                      said)
        self.assertNotIn("01-01: ", said)
        self.assertIn("[x] 02-01", self.listed())

    def test_watch_has_keys_and_stops_after_a_pass(self):
        judged, typed = [], iter(["h", "s", "x", "n", "l", "q"])
        keys = mock.MagicMock(there=True, pressed=lambda _seconds: next(typed))
        keys.__enter__.return_value = keys
        with mock.patch.object(exercises, "judge", side_effect=lambda e, _zh: (
                judged.append(e.id), self.solve(e), True)[-1]), \
                mock.patch.object(exercises, "Keys", return_value=keys), \
                mock.patch.object(exercises, "PLACE", self.place), \
                mock.patch.object(exercises, "hint") as hint, \
                mock.patch.object(exercises, "solution") as solution:
            said = self.listed(lambda flags: exercises.watch(["02-01", *flags]))
        self.assertEqual(["02-01", "02-02"], judged)
        hint.assert_called_once_with(["02-01", "--en"])
        solution.assert_called_once_with(["02-01", "--en"])
        self.assertEqual(2, said.count("  keys      h hint   t task   s solution   n next"))
        self.assertIn("[x] 02-02", said)

    def test_an_untouched_skeleton_is_judged_without_a_compiler(self):
        text = "f() {\n  " + MARKER + '("02-01: exercise.cpp");\n}\n'
        self.second.answer.write_text(text)
        self.second.skeleton.write_text(text)
        printed = io.StringIO()

        def build(**_):  # for the next verdict
            self.assertIn("02-01: still to be written", printed.getvalue())
            return mock.Mock()

        with mock.patch.object(exercises, "Kit", side_effect=build) as kit, \
                contextlib.redirect_stdout(printed):
            self.assertFalse(exercises.judge(self.second, False))
        kit.assert_called_once()
        self.assertIn("[ ] 02-01", self.listed())
        self.assertEqual("02-01", exercises.chosen([], "try").id)


class Verdicts(unittest.TestCase):
    """What a failure shows, and when."""

    def failed(self, **more) -> Outcome:
        outcome = Outcome(checks=[wrong([1.0, 2.0, 3.0, 9.0])], cases=3,
                          names=["columns", "rows", "cells"], **more)
        outcome.checks[0]["at"] = 0
        return outcome

    def said(self, outcome: Outcome, zh: bool = False) -> str:
        with mock.patch.object(explain, "known_outcomes", return_value={}):
            return Reports.explained(self, "f() {}\n", outcome, zh)

    def test_every_test_is_listed_by_its_name(self):
        text = self.said(self.failed())
        self.assertIn("02-03: fails 1 of 3 tests\n  pass      columns\n  FAIL      rows\n"
                      "  pass      cells\n", text)
        crash = read_report([CASE], -11, "")
        self.assertIn("  FAIL      rows\n  not run   2 more\n", self.said(crash))

    def test_the_first_difference_is_shown_before_known_mistakes_are_compiled(self):
        printed = io.StringIO()

        def compile_them(*_):
            self.assertIn("largest |diff|", printed.getvalue())
            self.assertNotIn("next", printed.getvalue())
            return {}

        exercise = manifest.manifest()[1]
        with mock.patch.object(explain, "known_outcomes", side_effect=compile_them), \
                EDITED, contextlib.redirect_stdout(printed):
            explain.explain(mock.Mock(), exercise, self.failed(), False)
        self.assertIn("next", printed.getvalue())

    def test_code_that_nobody_repaired_is_told(self):
        self.assertIn("the original code", Reports.explained(
            self, "g() {\n  return 0;\n}\n", self.failed()))
        self.assertNotIn("the original code", self.said(self.failed()))

    def test_what_a_message_of_the_engine_means_is_told(self):
        for message, told, chinese in (
                ("backward: the loss was not recorded on this tape", "detach", "detach"),
                ("add: b must have the shape of a or of its last axes: a is (5, 6), b is (2, 5, 6)",
                 "so put the larger one first", "较大的要写在前面")):
            threw = [{"case": "rows", "at": 0, "threw": message}]
            outcome = Outcome(threw=threw, cases=1, names=["rows"])
            self.assertRegex(self.said(outcome), rf"  look at   .*{told}")
            self.assertRegex(self.said(outcome, zh=True), rf"  看这里    .*{chinese}")

    def test_what_the_file_prints_is_shown(self):
        log = "\x1ecolumns\nsum 1\n\x1erows\nsum 2\nbell \x07\n"
        self.assertIn('  prints    in the test "rows", and in 1 more:\n            sum 2\n'
                      "            bell \\x07\n", self.said(self.failed(log=log)))

    def test_what_the_file_prints_is_cut(self):
        log = "\x1erows\n" + "".join(f"{i} " + "y" * 999 + "\n" for i in range(1000))
        lines = self.said(self.failed(log=log)).splitlines()
        printed = [line for line in lines if line.startswith(" " * 12) and "y" in line]
        self.assertEqual(19, len(printed))
        self.assertTrue(all(columns_of(line) <= 172 for line in printed))
        self.assertIn("            … 981 more lines …", lines)
        self.assertTrue(printed[-1].startswith(" " * 12 + "999 "))

    def test_what_a_task_begins_with_looking_at_is_shown_whole(self):
        for exercise in manifest.manifest():
            if exercise.prints:
                log = "\x1erows\n" + "plot\n" * exercise.prints
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    explain.show_prints(exercise, self.failed(log=log), False)
                self.assertEqual(exercise.prints, printed.getvalue().count("plot"))

    def test_a_row_of_kinds_is_shown_whole(self):
        check = {"check": "kinds", "expected": {"shape": [7], "values": [4, 0, 2, 6, 1, 5, 3]},
                 "actual": {"shape": [7], "values": [5, 0, 2, 6, 1, 4, 3]}}
        with mock.patch.object(explain, "width", return_value=80):
            row = explain.table(check)[-2]
        self.assertEqual("row expected > 4< 0 2 6 1 5 3", " ".join(row.split()))

    def test_an_error_of_the_compiler_is_shown_with_its_code(self):
        log = ("exercise.cpp:4:3: error: no such thing\n    4 |   thing();\n      |   ^~~~~\n"
               "exercise.cpp:5:3: error: another\n")
        text = self.said(Outcome(error="compile", log=log))
        self.assertIn("  exercise.cpp:4:3: error: no such thing\n    4 |   thing();\n"
                      "      |   ^~~~~\n  exercise.cpp:5:3: error: another\n", text)

    def test_an_error_inside_a_library_names_the_line_that_led_there(self):
        log = ("xtensor/x.hpp: In instantiation of 'f':\n"
               "my/02-03_mask_autopsy.cpp:7:9:   required from here\n"
               "xtensor/x.hpp:1:1: error: no type\n")
        self.assertIn("line 7 of your file", self.said(Outcome(error="compile", log=log)))

    def test_an_empty_file_is_told_what_it_lacks(self):
        log = "/usr/bin/ld: test.cpp: undefined reference to `xf::exercise::shift(int)'\n"
        text = self.said(Outcome(error="compile", log=log))
        self.assertIn("02-03_mask_autopsy.cpp does not define shift\n", text)
        self.assertIn("exercise.hpp", text)


class Tasks(unittest.TestCase):
    """Markdown and formulas, as they are read in a terminal."""

    def test_formulas_become_plain_text(self):
        for latex, text in (
                (r"\text{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V",
                 "softmax(Q Kᵀ / √d_k) V"),
                (r"dx = \frac{1}{\sigma} \Big( g - \mathrm{mean}(g) \Big)",
                 "dx = 1/σ (g - mean(g))"),
                (r"\frac{\partial y_k}{\partial x}", "∂y_k / ∂x"),
                (r"\frac{x - \mu}{\sqrt{\mathrm{var} + \epsilon}}", "(x - μ) / √(var + ε)"),
                (r"\hat y \leftarrow \eta\ \lVert g \rVert", "ŷ ← η ‖ g ‖"),
                (r"\log p_v = x_v - \log \sum_{j} e^{x_j}", "log p_v = x_v - log Σ_j e^(x_j)"),
                (r"logits \le memory\_length", "logits ≤ memory_length"),
                (r"(\ln T_i - \overline{\ln T}) \cdot \nu", "(ln T_i - mean(ln T)) · ν"),
                (r"\frac{1}{2} \left(1 + \text{erf}\frac{x}{\sqrt 2}\right)",
                 "1/2 (1 + erf(x / √2))"),
                (r"\ln \frac{a}{b + 1}", "ln (a / (b + 1))"),
                (r"\tanh' z = 1 - \tanh^2 z", "tanh' z = 1 - tanh^2 z"),
                (r"\text{softmax}\left(\frac{x}{\tau}\right)_v", "softmax(x/τ)_v")):
            self.assertEqual([text], task_text.formula(latex))
        self.assertEqual(["a = b", "c = d"], task_text.formula(r"a = b, \qquad c = d"))
        self.assertEqual(["z = q · k + q · r", "q · k: content", "q · r：距离"], task_text.formula(
            r"z = \underbrace{q \cdot k}_{content} + \underbrace{q \cdot r}_{\text{距离}}"))

    def test_a_task_has_the_title_of_the_manifest(self):
        for exercise in manifest.manifest():
            for zh, title in ((False, exercise.title), (True, exercise.title_zh)):
                first = exercise.task(zh).read_text(encoding="utf-8").partition("\n")[0]
                # A token such as <eos> is code in Markdown, lest it be taken for an element.
                self.assertEqual(f"# {exercise.id} {title}", first.replace("`", ""))

    def test_a_task_ends_with_its_points_its_file_and_the_next_command(self):
        for flag, said in (("--en", "  points    3, when all 3 tests pass\n"
                            "  section   docs/en/02_attention.md\n"
                            "  names     chapters/02_attention/exercises/02_softmax_backward/"
                            "exercise.hpp\n"
                            "  edit      my/02-02_softmax_backward.cpp"),
                           ("--zh", "  分值      3 分，3 项测试全部通过才得分\n"
                            "  章节      docs/zh/02_attention.md\n"
                            "  声明      chapters/02_attention/exercises/02_softmax_backward/"
                            "exercise.hpp\n"
                            "  修改      my/02-02_softmax_backward.cpp")):
            with contextlib.redirect_stdout(io.StringIO()) as printed, \
                    mock.patch.object(mine, "begin"):
                exercises.task(["02-02", flag])
            self.assertIn(said, printed.getvalue())

    def test_no_task_and_no_hint_shows_a_sign_of_markdown_or_latex(self):
        for exercise in manifest.manifest():
            for name in ("README.md", "README.zh.md", "hints.en.md", "hints.zh.md"):
                text = (exercise.path / name).read_text(encoding="utf-8")
                shown = task_text.plain(text, exercise.path)
                prose = re.sub(r"`[^`]+`|^ {4}.*$", "", shown, flags=re.M)
                self.assertNotRegex(prose, r"\\|\$|\*\*|\|-|\]\(|```|[\ue000\ue001]", name)
                self.assertNotRegex(shown, r"\\[a-z]{2}|\$`|\|---", name)

    def test_a_task_fits_the_terminal_but_for_its_code(self):
        with mock.patch.object(task_text, "width", return_value=70):
            for exercise in manifest.manifest():
                for zh in (False, True):
                    text = exercise.task(zh).read_text(encoding="utf-8")
                    code = {line for kind, lines in task_text.blocks(text) if kind == "code"
                            for line in lines}
                    for line in task_text.plain(text, exercise.path).splitlines():
                        if line[4:] not in code and "http" not in line and "docs/" not in line:
                            self.assertLessEqual(columns_of(line), 70, line)

    def test_a_table_is_aligned_and_a_link_names_its_file(self):
        text = ("| a | meaning |\n|---|---|\n| `x` | one |\n| `longer` | two |\n\n"
                "See [the page](../../docs/en/02.md#top).\n")
        self.assertEqual("  a         meaning\n  `x`       one\n  `longer`  two\n\n"
                         "See the page (docs/en/02.md).",
                         task_text.plain(text, ROOT / "chapters" / "x"))

    def test_code_holds_no_link_and_a_number_that_ends_a_sentence_begins_no_list(self):
        self.assertEqual("a lambda `[=](const Tensor& dy)`, in `exercise.hpp` (docs/en/02.md)",
                         task_text.plain("a lambda `[=](const Tensor& dy)`, in "
                                         "[`exercise.hpp`](docs/en/02.md)"))
        self.assertEqual("what does not occur gets 0. The factor\n\n1. one\n2. two",
                         task_text.plain("what does not occur gets\n0. The factor\n\n"
                                         "1. one\n2. two"))


class Lecturers(unittest.TestCase):
    def test_the_course_asks_for_every_exercise_once(self):
        ids = [exercise.id for exercise in manifest.manifest()]
        for language in ("en", "zh"):
            page = (ROOT / "docs" / language / "teaching.md").read_text(encoding="utf-8")
            # The weeks, and after them the chapters of which each student chooses one.
            of_weeks, choices = re.findall(r"(?:^\|.*\n)+", page, re.M)[:2]
            weeks = re.findall(r"^\| \d+ \| .*\|$", of_weeks, re.M)
            self.assertEqual(10, len(weeks), language)
            rows = [*weeks, *re.findall(r"^\| \[.*\|$", choices, re.M)]
            asked = re.findall(r"\d\d-\d\d", "".join(row.split(" | ")[-2] for row in rows))
            self.assertEqual(sorted(ids), sorted(asked), language)


class Hooks(unittest.TestCase):
    def test_an_answer_has_the_hooks_of_the_kernels(self):
        """Those of common/CMakeLists.txt, from the level of optimization on."""
        text = (ROOT / "common/CMakeLists.txt").read_text(encoding="utf-8")
        found = re.search(r"target_compile_options\(xf_hooks INTERFACE\s+([^)]*)\)", text)
        self.assertEqual(found[1].split(), exercises_build.HOOKED[1:])
        watched = [exercise.id for exercise in manifest.manifest() if exercise.is_watched]
        self.assertEqual(watched, ["11-01", "11-02", "11-03", "11-05", "11-06", "11-07", "11-08",
                                   "11-09", "11-10"])


class Answers(unittest.TestCase):
    """What an exercise asks for is not given away before it is asked for."""

    def test_the_formulas_to_be_found_stand_in_the_last_hint_at_the_earliest(self):
        for name, answers in (("02-02", ("dy_j - ",)),
                              ("04-02", ("dy^\\top a", "dh\\, W_1")),
                              ("05-01", ("norm}_1(x + ", "attention}(\\mathrm{norm}_1(x"))):
            exercise = manifest.find(name, manifest.manifest())
            header = (exercise.path / "exercise.hpp").read_text(encoding="utf-8")
            self.assertNotRegex(header, r"norm_1\(x|dy_j -")
            for language in ("en", "zh"):
                task = "README.md" if language == "en" else "README.zh.md"
                text = (exercise.path / task).read_text(encoding="utf-8")
                hints = manifest.hints(exercise, language == "zh")
                for answer in answers:
                    self.assertNotIn(answer, "".join([text, *hints[:-1]]), (name, language))

    def test_the_code_to_be_written_is_folded_on_the_pages(self):
        merges = [f"byte_pair_encoding.hpp#{name}"
                  for name in ("learn_merges", "apply_merges")]
        for name, snippets in (("07_transformer", merges),
                               ("08_transformer_xl", ["equations.hpp#relative_scores",
                                                      "memory.hpp#remembered"])):
            for language in ("en", "zh"):
                page = (ROOT / "docs" / language / f"{name}.md").read_text(encoding="utf-8")
                folded = "".join(re.findall(r"<details>.*?</details>", page, re.S))
                for snippet in snippets:
                    self.assertIn(snippet, folded, language)
                    self.assertEqual(1, page.count(snippet))


class Before(unittest.TestCase):
    """A checkout in which answers stood beside their tasks is brought up to date by git."""

    def git(self, *words: str, folder: str = "learner") -> str:
        answer = subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b.invalid", *words], text=True,
            cwd=self.place / folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return answer.stdout

    def setUp(self):
        if not shutil.which("git"):
            self.skipTest("there is no git")
        place = tempfile.TemporaryDirectory(prefix="xf-exercises-test-")
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.root = self.place / "learner"
        for module in (manifest, mine, terminal):
            patch = mock.patch.object(module, "ROOT", self.root)
            patch.start()
            self.addCleanup(patch.stop)
        names = {"02-01": "chapters/02_a/exercises/01_x", "02-02": "chapters/02_a/exercises/02_y",
                 "04-01": "chapters/04_b/exercises/01_z", "A-1": "exercises/capstones/c/1_w"}
        self.exercises = [manifest.Exercise(i, folder, i, i, 1, 1) for i, folder in names.items()]
        self.first, self.second, self.third, self.fourth = self.exercises
        self.old = {exercise.id: f"{exercise.folder}/exercise.cpp" for exercise in self.exercises}
        self.old["04-01"] = "chapters/03_b/exercises/05_z/exercise.cpp"  # had another number
        self.old["A-1"] = "capstones/c/1_w/exercise.cpp"
        (self.place / "published").mkdir()
        self.git("init", "-b", "main", folder="published")
        for name in self.old.values():
            file = self.place / "published" / name
            file.parent.mkdir(parents=True)
            file.write_text(f'int f() {{\n  {MARKER}("{name}");\n}}\n')
        self.commit()
        self.git("clone", "published", "learner", folder=".")
        for exercise in self.exercises:
            self.git("rm", self.old[exercise.id], folder="published")
            file = self.place / "published" / exercise.folder / "skeleton.cpp"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f'int f() {{ {MARKER}("my/{exercise.answer.name}"); }}\n')
        (self.place / "published" / ".gitignore").write_text("/my/\n")
        self.commit()

    def commit(self) -> None:
        self.git("add", "--all", folder="published")
        self.git("commit", "-m", "a release", folder="published")

    def write(self, identity: str, text: str) -> None:
        (self.root / self.old[identity]).write_text(text)

    def moved(self) -> list[str]:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            mine.move_over(self.exercises, False)
        return printed.getvalue().splitlines()

    def test_edited_files_are_moved_to_my_once_and_git_goes_on(self):
        for identity in ("02-01", "04-01", "A-1"):
            self.write(identity, f"int f() {{ return 1; }}  // {identity}\n")
        self.assertIn("overwritten", self.git("pull"))
        self.git("stash")
        self.git("pull")
        self.git("stash", "pop")
        self.assertEqual(["  moved     capstones/c/1_w/exercise.cpp is now my/A-1_w.cpp",
                          "  moved     chapters/02_a/exercises/01_x/exercise.cpp is now "
                          "my/02-01_x.cpp",
                          "  moved     chapters/03_b/exercises/05_z/exercise.cpp is now "
                          "my/04-01_z.cpp"], self.moved())
        self.assertEqual([], self.moved())
        for exercise in (self.first, self.third, self.fourth):
            self.assertIn(f"// {exercise.id}\n", exercise.answer.read_text())
        self.assertFalse(self.second.answer.exists())
        self.assertEqual("", self.git("status", "--porcelain"))
        (self.place / "published" / "news").write_text("")
        self.commit()
        self.git("pull")
        self.assertTrue((self.root / "news").exists())

    def test_what_is_in_my_is_never_overwritten_and_a_link_stays(self):
        self.git("pull")
        (self.root / "my").mkdir()
        self.first.answer.write_text("newer")
        for identity in ("02-01", "02-02"):
            (self.root / self.old[identity]).parent.mkdir(parents=True, exist_ok=True)
        for text, name in (("older", "my/02-01_x.2.cpp"), ("oldest", "my/02-01_x.3.cpp")):
            self.write("02-01", text)
            self.assertEqual([f"  moved     {self.old['02-01']} is now {name}"], self.moved())
            self.assertEqual(text, (self.root / name).read_text())
        self.assertEqual("newer", self.first.answer.read_text())
        (self.root / self.old["02-02"]).symlink_to(self.first.answer)
        self.assertEqual([], self.moved())

    def test_a_file_as_it_came_is_no_work(self):
        self.git("pull")
        (self.root / self.old["02-01"]).parent.mkdir(parents=True, exist_ok=True)
        self.write("02-01", f'int f() {{ {MARKER}("another place"); }}\n')
        self.assertEqual([], self.moved())
        self.assertFalse(self.first.answer.exists())


class Course(unittest.TestCase):
    def test_no_file_that_a_learner_edits_is_tracked(self):
        if not shutil.which("git"):
            self.skipTest("there is no git")
        told = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "ls-files"], cwd=ROOT,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        names = set(told.stdout.splitlines())
        if not names:
            self.skipTest("this is no git checkout")
        for exercise in manifest.everything():
            self.assertIn(exercise.skeleton.relative_to(ROOT).as_posix(), names)
        self.assertEqual([], [name for name in names if name.startswith("my/")
                              or Path(name).name == "exercise.cpp" and "/solution/" not in name])
        ignored = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "check-ignore", "-q",
                                  str(exercise.answer)], cwd=ROOT)
        self.assertEqual(0, ignored.returncode)

    def test_editors_are_told_how_each_answer_is_compiled(self):
        file = ROOT / "build" / "release" / "compile_commands.json"
        entries = {entry["file"]: entry["command"] for entry in
                   json.loads(file.read_text(encoding="utf-8"))}
        for exercise in manifest.everything():
            command = shlex.split(entries[str(exercise.answer)])  # a path may need quotes
            self.assertIn(f"-I{exercise.path}", command)
            self.assertIn(f"-I{ROOT / 'exercises'}", command)

    def test_every_exercise_is_sound(self):
        self.assertEqual(0, verify.main(["--sample"]))

    def test_a_solution_that_fails_with_fresh_inputs_is_named_with_them(self):
        exercise, passes = manifest.manifest()[0], Outcome(cases=1)
        for told, said in ((Outcome(error="stopped: too slow"), "the solution fails with the inputs"
                            ".*stopped: too slow"), (Stop("too many numbers"), "too many numbers")):
            kit = mock.Mock()
            kit.run_fresh.side_effect = [passes, told]
            found, = verify.of_fresh_inputs(kit, exercise)
            self.assertRegex(found, f"{exercise.id}: .*{said}")
            self.assertIn(kit.run_fresh.call_args.args[2], found)  # to draw them again
            self.assertEqual(2, len({call.args[2] for call in kit.run_fresh.call_args_list}))
        kit.run_fresh.side_effect = lambda *_: passes
        self.assertEqual([], verify.of_fresh_inputs(kit, exercise))

    def test_a_record_is_believed_as_long_as_its_sources_are_the_same(self):
        exercise = manifest.manifest()[0]
        believed = verify.believed([exercise])
        self.assertEqual(set(exercise.mistakes), set(believed))
        self.assertTrue(all(outcome.failed or outcome.threw for outcome in believed.values()))
        with mock.patch.object(verdict, "stamps", lambda _: {"stamp": "another"}):
            self.assertEqual({}, verify.believed([exercise]))

    def test_the_same_inputs_are_drawn_each_time(self):
        """With one of three, each size is far beyond what is usual."""
        exercise, kit = manifest.manifest()[0], mock.Mock()
        kit.run_fresh.return_value = Outcome(cases=1)
        for _ in range(2):
            verify.of_fresh_inputs(kit, exercise, verify.DRAWS_OF_SAMPLE)
        salts = [int(call.args[2], 16) for call in kit.run_fresh.call_args_list]
        self.assertEqual(salts[:3], salts[3:])
        self.assertEqual([0, 1, 2], sorted(salt % exercises_build.TURNS for salt in salts[:3]))


class Together(unittest.TestCase):
    """Exercises as parts of one program do what they do alone, right or wrong."""

    @classmethod
    def setUpClass(cls):
        cls.kit = exercises_build.Kit()
        cls.provided = together.headers_of(cls.kit)

    def group(self, exercises: list, *kinds: dict) -> together.Together:
        found, = together.groups(self.kit, exercises, list(kinds))
        return found

    def test_what_fails_alone_fails_and_says_the_same(self):
        several = [manifest.find(name, manifest.manifest()) for name in ("02-02", "02-03", "04-02")]
        mistakes = {each.id: verify.shown_mutant(each) for each in several}
        mutants = {each.id: self.kit.expanded(each, mistakes[each.id]) for each in several}
        right = {each.id: each.solution for each in several}
        group = self.group(several, mutants, right)
        for each in several:
            outcome = group.run(each, mutants[each.id])
            self.assertEqual("", outcome.error)
            self.assertEqual(each.tests, outcome.cases)
            known = verdict.recorded(each)
            self.assertEqual([mistakes[each.id]], verdict.outright(outcome, known))
            self.assertTrue(group.run(each, right[each.id]).passed)

    def test_one_that_does_not_compile_is_told_of_by_itself(self):
        several = [manifest.find(name, manifest.manifest()) for name in ("02-02", "02-03")]
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "exercise"
            shutil.copytree(several[1].path, place)
            broken = dataclasses.replace(several[1], folder=str(place))
            source = broken.solution.read_text(encoding="utf-8")
            broken.published.write_text(source + "int broken = undeclared;\n", encoding="utf-8")
            # Otherwise each of its mistakes would be tried and would not compile, either.
            names = {each.name: outcome for each, outcome in verify.believed(several).items()}
            known = {each: names[each.name]
                     for exercise in (several[0], broken) for each in exercise.mistakes}
            with mock.patch.object(verify, "believed", lambda _: known):
                found = verify.behaviour(self.kit, [several[0], broken], False, True)
        self.assertEqual([], [line for line in found if line.startswith("02-02")])
        self.assertRegex("\n".join(found), "02-03: the solution fails: does not compile:(.|\n)*"
                         "'undeclared' was not declared")

    def test_a_source_that_would_reach_the_others_is_left_alone(self):
        exercise = manifest.manifest()[0]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "test.cpp"
            for text in ("#define N 3\n", "  #if 1\n#endif\n", "namespace xf {\nint f();\n}\n"):
                path.write_text(text)
                with self.assertRaises(together.Odd):
                    together.Source(exercise, path, self.provided)

    def test_no_exercise_gets_a_header_that_another_asked_for(self):
        exercise = manifest.manifest()[0]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "test.cpp"
            path.write_text("#include <vector>\n#include <no_such_header>\nint x;\n")
            source = together.Source(exercise, path, self.provided)
        self.assertEqual(["#include <no_such_header>"], source.includes)  # the rest is precompiled
        everyone = manifest.everything()
        solutions = {each.id: each.solution for each in everyone}
        made = together.groups(self.kit, everyone, [solutions])
        self.assertGreater(sum(len(group.group) for group in made), 0.8 * len(everyone))
        for group in made:
            for before, after in zip(group.group, group.group[1:]):
                needs = [set(together.Source(each, each.solution, self.provided).includes)
                         for each in (before, after)]
                self.assertLessEqual(*needs, f"{before.id} before {after.id}")


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
