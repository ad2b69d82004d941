#!/usr/bin/env python3
"""The exercises are sound (`./learn verify`), and bad input gets one clear message."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import exercises, exercises_build, exercises_manifest, exercises_verdict  # noqa: E402
from tools import exercises_verify  # noqa: E402
from tools.exercises_build import Outcome, read_report  # noqa: E402
from tools.terminal import Stop  # noqa: E402

CASE = '{"case": "rows"}'


def wrong(values, shape=(2, 2)) -> dict:
    return {"case": "rows", "check": "y", "ok": False,
            "expected": {"shape": [2, 2], "values": [1.0, 2.0, 3.0, 4.0]},
            "actual": {"shape": list(shape), "values": values}}


class Reports(unittest.TestCase):
    def test_an_exit_before_the_end_is_no_pass(self):
        outcome = read_report([CASE], 0, "")
        self.assertFalse(outcome.passed)
        self.assertIn('in the test "rows"', outcome.error)

    def test_an_endless_loop_and_a_crash_name_the_test(self):
        self.assertIn("never ends", read_report([CASE], -24, "").error)
        self.assertEqual('crashed (SIGSEGV) in the test "rows"', read_report([CASE], -11, "").error)

    def test_the_mistake_is_named_only_when_the_numbers_are_its_own(self):
        mutant = Outcome(checks=[wrong([2.0, 2.0, 3.0, 4.0])])
        self.assertTrue(exercises_verdict.same_mistake(
            Outcome(checks=[wrong([2.00001, 2.0, 3.0, 4.0])]), mutant))
        self.assertFalse(exercises_verdict.same_mistake(
            Outcome(checks=[wrong([2.1, 2.0, 3.0, 4.0])]), mutant))
        self.assertFalse(exercises_verdict.same_mistake(Outcome(), Outcome()))

    def test_shapes_come_first_then_the_first_difference(self):
        self.assertEqual("  shape     expected (2, 2)   actual (4)   (differ)",
                         exercises_verdict.table(wrong([1.0] * 4, (4,)))[-1])
        text = "\n".join(exercises_verdict.table(wrong([1.0, 2.0, 3.0, 9.0])))
        self.assertIn("1 of 4 elements (25.0%), largest |diff| 5.000000", text)
        self.assertIn("[1, 1]  expected 4.000000  actual 9.000000", text)
        self.assertIn(">   9.0000<", text)

    def test_nan_is_a_difference(self):
        text = "\n".join(exercises_verdict.table(wrong([1.0, float("nan"), 3.0, 4.0])))
        self.assertIn("1 of 4 elements", text)
        self.assertIn("[0, 1]", text)

    def test_at_most_three_errors_of_the_compiler_are_shown(self):
        text = "\n".join(f"a.cpp:{i}: error: no" for i in range(9))
        self.assertEqual(3, len(exercises_build.first_errors(text).splitlines()))


class BadInput(unittest.TestCase):
    def setUp(self):
        self.place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place)
        for name, value in (("PROGRESS", self.place / "progress.json"), ("OUT", self.place)):
            patch = mock.patch.object(exercises_manifest, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def stopped(self, call, *arguments) -> str:
        with self.assertRaises(Stop) as stop:
            call(*arguments)
        self.assertIn("\n  next      ", str(stop.exception))
        return str(stop.exception)

    def test_an_unknown_id_names_the_nearest(self):
        self.assertIn("the nearest are 02-01", self.stopped(exercises.attempt, ["02-1"]))

    def test_a_deleted_file_is_named_with_the_way_back(self):
        gone = mock.Mock(id="02-01", answer=self.place / "exercise.cpp")
        text = self.stopped(exercises.require_answer, gone)
        self.assertIn("exercise.cpp is gone\n  next      ./learn reset 02-01", text)

    def test_a_solution_is_kept_back_until_the_exercise_passes(self):
        self.assertIn("does not pass yet", self.stopped(exercises.solution, ["02-01"]))

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
        (self.place / "progress.json").write_text("{ not json")
        self.assertEqual({}, exercises_manifest.progress())


class Course(unittest.TestCase):
    def test_a_fresh_checkout_starts_with_the_skeletons(self):
        for exercise in exercises_manifest.manifest():
            name = exercise.answer.relative_to(ROOT).as_posix()
            answer = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "show", f":{name}"],
                                    cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if answer.returncode != 0:
                self.skipTest("this is no git checkout")
            self.assertEqual(exercise.skeleton.read_bytes(), answer.stdout, name)

    def test_every_exercise_is_sound(self):
        self.assertEqual(0, exercises_verify.main([]))


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
