#!/usr/bin/env python3
"""A course's seed draws numbers and variants: with it the published solution is not enough, the
variant's own passes, and `try` and `grade` say so."""

from __future__ import annotations

import re
import unittest
from unittest import mock

from support.checkout import WithFolder, json_of, output_of, read
from tools.exercises import commands, manifest, mine, variants, verdict
from tools.exercises.build import Kit
from tools.grading import grade
from tools.terminal import Stop

LEAST = 24  # exercises that a course can ask for differently
WITH = manifest.find("02-01", manifest.manifest())
WITHOUT = manifest.find("01-01", manifest.manifest())


class Drawing(WithFolder):
    def setUp(self):
        self.addCleanup(setattr, manifest, "SEED", 0)

    def test_a_seed_means_the_same_everywhere_and_seeds_differ(self):
        self.assertIs(WITH, variants.drawn(WITH, 0))
        drawn = [variants.drawn(WITH, seed) for seed in range(1, 40)]
        again = [variants.drawn(WITH, seed) for seed in range(1, 40)]
        self.assertEqual([(one.salt, one.variant) for one in drawn],
                         [(one.salt, one.variant) for one in again])
        self.assertEqual(39, len({one.salt for one in drawn}))
        self.assertEqual({variant.name for variant in variants.read(WITH.path)[0]},
                         {one.variant.name for one in drawn})

    def test_enough_exercises_have_variants_and_all_others_other_numbers(self):
        drawn = [variants.drawn(exercise, 3) for exercise in manifest.manifest()]
        self.assertGreaterEqual(sum(one.variant is not None for one in drawn), LEAST)
        self.assertNotIn("", [one.salt for one in drawn])

    def test_the_page_of_teaching_names_those_with_variants(self):
        known = [exercise.id for exercise in manifest.manifest() if variants.read(exercise.path)[0]]
        self.assertEqual(26, len(known))  # the pages say it in words
        for language, begin in (("en", "- **Twenty-six exercises**"), ("zh", "- **二十六道练习**")):
            text = read(f"docs/{language}/teaching.md")
            listed = text.partition(begin)[2].partition("`./learn task`")[0]
            self.assertEqual(known, re.findall(r"\b\d\d-\d\d\b", listed), language)

    def test_the_seed_is_typed_or_stands_in_the_file(self):
        self.patch(variants, "FILE", self.folder / "course-seed")
        self.assertEqual((0, 12), (variants.course_seed(), variants.course_seed("12")))
        variants.FILE.write_text("2026\n")
        self.assertEqual((2026, 0), (variants.course_seed(), variants.course_seed("0")))
        for bad in ("", "two", "-1", "1.5", "9" * 12, "9" * 5000, "٣"):
            variants.FILE.write_text(bad)
            for typed in (None, bad):
                with self.assertRaises(Stop) as stop:
                    variants.course_seed(typed)
                self.assertEqual(2, stop.exception.code)
                self.assertIn("course-seed: " if typed is None else "--seed: ", str(stop.exception))

    @mock.patch.object(mine, "begin")
    def test_what_the_course_asks_for_is_said_in_both_languages(self, _):
        for zh, words in (("--en", "attention divides the scores"), ("--zh", "attention 把得分")):
            _, said = output_of(commands.task, ["02-01", "--seed", "5", zh])
            self.assertIn(words, " ".join(said.split()))
            _, said = output_of(commands.task, ["02-01", zh])
            self.assertNotIn(words, " ".join(said.split()))


class Judging(WithFolder):
    def setUp(self):
        self.addCleanup(setattr, manifest, "SEED", 0)

    def test_the_published_solution_fails_where_the_course_asks_for_something_else(self):
        kit = Kit()
        for seed in (1, 2):
            course = variants.drawn(WITH, seed)
            self.assertTrue(kit.run(course, course.solution).passed, seed)
            published = kit.run(course, course.published)
            self.assertFalse(published.passed or published.error, seed)
            other = variants.drawn(WITHOUT, seed)  # its numbers are the course's
            self.assertTrue(kit.run(other, other.solution).passed, seed)
        self.assertTrue(kit.run(WITH, WITH.solution).passed)

    def test_a_class_is_graded_by_its_seed(self):
        course = variants.drawn(WITH, 1)
        for name, answer in (("copied", course.published), ("own", course.solution)):
            (self.folder / "class" / name).mkdir(parents=True)
            (self.folder / "class" / name / "02-01.cpp").write_text(answer.read_text())
        report = self.folder / "report.json"
        with mock.patch.object(verdict, "run_all", return_value={}):  # of the known mistakes
            _, said = output_of(grade.main, [f"{self.folder}/class", "02-01", "--seed", "1",
                                             "--sandbox", "none", "--json", str(report)])
        results = {each["student"]: each for each in json_of(report)["results"]}
        self.assertIn("seed 1", said)
        self.assertEqual(("pass", 3), (results["own"]["verdict"], results["own"]["points"]))
        self.assertEqual(("fail", "published"),
                         (results["copied"]["verdict"], results["copied"]["mistake"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
