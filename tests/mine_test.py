#!/usr/bin/env python3
"""`./learn mine`: the drawing shows what is the learner's, each part has its place in it, and the
program that is made of all solutions is the book's, but for rounding."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
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
from tools.terminal import BIN, Stop  # noqa: E402


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

    def test_the_page_has_the_same_boxes_lit(self):
        with tempfile.TemporaryDirectory() as place, \
                mock.patch.object(own_parts, "OUT", Path(place)):
            none = own_parts.write_page(set(), False).read_text(encoding="utf-8")
            norms = own_parts.write_page({"03-01", "03-02"}, True).read_text(encoding="utf-8")
        self.assertEqual(0, none.count('fill-opacity="0.2"'))
        self.assertEqual(5, norms.count('fill-opacity="0.2"'))
        self.assertIn("<b>03-02</b>", norms)
        self.assertIn("相加与归一化", norms)

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


def solutions(but: dict[str, Path] = {}, without: str = "") -> dict[str, Path]:
    """The file of each part: the solution, but for those that are named."""
    return {exercise.id: but.get(exercise.id, exercise.published)
            for exercise in manifest.manifest()
            if exercise.id in own_parts.part_ids() and exercise.id != without}


def compared(files: dict[str, Path], *arguments: str) -> subprocess.CompletedProcess:
    """What `mine compare` says of a model with these files as parts."""
    with contextlib.redirect_stdout(io.StringIO()):
        parts = own_parts.libraries(files, False, "-O0")
    with tempfile.TemporaryDirectory() as place:
        return subprocess.run([own_parts.built(), "compare", "--out", place, *arguments],
                              env=own_parts.environment(parts, LC_ALL="C.UTF-8"), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def with_mistake(exercise: manifest.Exercise, mistake, place: str) -> Path:
    path = Path(place) / f"{exercise.id}-{mistake.name}.cpp"
    path.write_text(mistake.source(exercise.published), encoding="utf-8")
    return path


class Model(unittest.TestCase):
    """With the solutions as parts."""

    def setUp(self):
        if own_parts.built().parent != BIN:
            self.skipTest("parts are compiled as the release is")

    def test_all_solutions_make_the_books_model_and_a_mistake_is_named(self):
        answer = compared(solutions(), "--updates", "3")
        self.assertEqual(0, answer.returncode, answer.stdout)
        self.assertIn("all of them agree with the book's, but for rounding", answer.stdout)
        self.assertIn("of its largest number: rounding", answer.stdout)
        apart = float(re.search(r"at most (\S+) apart", answer.stdout)[1])
        self.assertLessEqual(apart, 1e-5, answer.stdout)
        exercise = manifest.find("03-02", manifest.manifest())
        with tempfile.TemporaryDirectory() as place:
            wrong = {"03-02": with_mistake(exercise, exercise.mistakes[0], place)}
            answer = compared({**wrong, "07-06": solutions()["07-06"]}, "--updates", "1")
        self.assertEqual(1, answer.returncode, answer.stdout)
        self.assertIn("no rounding", answer.stdout)
        self.assertRegex(answer.stdout, r"(?s)each part alone:\n  03-02  update 1, the gradient of")
        self.assertNotIn("07-06", answer.stdout)


def every_part_and_mistake() -> int:
    """Every part left out once, and every known mistake as a part: for `./learn test --long`."""
    failed = missed = named = 0
    for part in own_parts.part_ids():
        answer = compared(solutions(without=part), "--updates", "2", "--together")
        print(f"without {part}: exit code {answer.returncode}, "
              f"{''.join(re.findall('at most .* apart', answer.stdout))}", flush=True)
        failed += answer.returncode != 0 or "at most" not in answer.stdout
    for exercise in manifest.manifest():
        if exercise.id not in own_parts.part_ids():
            continue
        for mistake in exercise.mistakes:
            with tempfile.TemporaryDirectory() as place:
                answer = compared({exercise.id: with_mistake(exercise, mistake, place)},
                                  "--updates", "1")
            lines = answer.stdout.partition("each part alone:\n")[2].splitlines() or \
                answer.stdout.splitlines()[-1:]
            named += answer.returncode != 0
            missed += answer.returncode == 0
            print(f"{exercise.id} {mistake.name}: {lines[0].strip() if lines else ''}", flush=True)
    print(f"{named} mistakes are named, {missed} make no difference in the model; "
          f"{failed} models with a part left out do not run")
    return 1 if failed or named < 20 else 0


if __name__ == "__main__":
    if "--whole" in sys.argv:
        sys.exit(every_part_and_mistake())
    unittest.main()
