#!/usr/bin/env python3
"""`./learn mine`: the drawing shows what is the learner's, each part has its place in it, and the
program that is made of all solutions is the book's, but for rounding."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.book import whole  # noqa: E402
from tools.exercises import manifest, own_parts  # noqa: E402
from tools.exercises.own_parts import BOXES  # noqa: E402
from tools.terminal import Stop  # noqa: E402


def shown(own: set[str], zh: bool = False) -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        own_parts.draw(own, zh)
    return text.getvalue()


class Drawing(unittest.TestCase):
    def test_every_part_is_an_exercise_and_stands_in_a_box(self):
        known = {exercise.id for exercise in manifest.manifest()}
        boxed = {exercise for box in BOXES.values() for exercise in box.exercises}
        self.assertEqual(boxed, set(own_parts.part_ids()))
        self.assertLessEqual(boxed, known)

    def test_every_box_of_the_page_is_drawn(self):
        drawing = whole.svg(ROOT)
        for box in BOXES.values():
            for part in box.parts:
                self.assertIn(f'data-part="{part}"', drawing)
        drawn = [part for box in BOXES.values() for part in box.parts]
        self.assertEqual(len(drawn), len(set(drawn)))

    def test_a_box_is_lit_when_all_of_it_is_there(self):
        self.assertNotIn("[x]", shown(set()))
        self.assertNotIn("[~]", shown(set()))
        half, full = shown({"03-01"}), shown({"03-01", "03-02"})
        self.assertEqual((5, 0), (half.count("[~] add & norm"), half.count("[x]")))
        self.assertEqual((0, 5), (full.count("[~]"), full.count("[x] add & norm")))
        self.assertNotIn("[ ]", shown(set(own_parts.part_ids())))

    def test_every_line_is_as_wide_in_both_languages(self):
        for zh in (False, True):
            rows = [line for line in shown(set(), zh).splitlines() if "|" in line or "+-" in line]
            self.assertEqual({2 + 2 * own_parts.COLUMN},
                             {own_parts.columns_of(line) for line in rows})

    def test_what_comes_next_lights_a_box(self):
        own = set()
        for _ in own_parts.part_ids():
            box, missing = own_parts.next_box(own) or (None, [])
            if not box:
                break
            own |= set(missing)
            self.assertEqual(2, own_parts.light_of(box, own))
        self.assertEqual(set(own_parts.part_ids()), own)
        self.assertIsNone(own_parts.next_box(own))

    def test_a_part_is_the_learners_while_its_file_passes_as_it_is(self):
        with tempfile.TemporaryDirectory() as place:
            answer = Path(place) / "answer.cpp"
            exercise = manifest.find("03-01", manifest.manifest())
            with mock.patch.object(manifest.Exercise, "answer", answer), \
                    mock.patch.object(manifest, "PROGRESS", Path(place) / "progress.json"), \
                    mock.patch.object(manifest, "OUT", Path(place)):
                self.assertEqual([], own_parts.own_parts([exercise]))
                answer.write_text("// mine\n")
                self.assertEqual([], own_parts.own_parts([exercise]))
                manifest.remember(exercise, passed=exercise.as_it_is)
                self.assertEqual([exercise], own_parts.own_parts([exercise]))
                answer.write_text("// changed\n")
                self.assertEqual([], own_parts.own_parts([exercise]))


class Arguments(unittest.TestCase):
    def test_a_training_has_the_little_language_unless_it_is_told_otherwise(self):
        flags = own_parts.training_flags(["--updates", "5"])
        self.assertEqual("5", flags[flags.index("--updates") + 1])
        self.assertEqual(1, flags.count("--updates"))
        self.assertIn("--valid-pairs", flags)
        self.assertNotIn("--valid-pairs", own_parts.training_flags(["--pairs=x.tsv"]))
        self.assertEqual(["--out", str(own_parts.MODEL), "--resume"],
                         own_parts.training_flags(["--resume"]))

    def test_a_sentence_is_what_is_no_flag(self):
        self.assertEqual(["a b", "c"],
                         own_parts.loose_words(["a b", "--beam", "2", "c", "--seed=3"]))

    def test_another_command_is_refused(self):
        with self.assertRaisesRegex(Stop, "mine: 'fly' is none of train"):
            own_parts.main(["fly"])


if __name__ == "__main__":
    unittest.main()
