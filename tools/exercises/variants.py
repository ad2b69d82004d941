"""Private variants: a course's own exercises, in place of published ones that anybody can look up.

An exercise may have a variants.md, in the format of mistakes.md: each heading is a variant, its two
lines say what the task asks for instead, and its blocks change the solution and, with
```diff test.cpp, the tests. A course's seed draws one of them for each such exercise, and for every
exercise the numbers, sizes, masks and switches of its tests. The seed is a number in the file
course-seed, or the argument of --seed.
"""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from tools.exercises import mistakes
from tools.exercises.mistakes import Mistake
from tools.terminal import ROOT, Stop, shown, write_changed

FILE = ROOT / "course-seed"
MADE = ROOT / "build" / "exercises-of-courses"  # their tests and solutions, generated on demand
CHANGED = ("test.cpp",)  # what a variant may change besides the solution
LARGEST = 10 ** 9
MOST_DIGITS = 18  # Python refuses to parse thousands of digits


def seed_of(text: str, place: str) -> int:
    short = len(text) <= MOST_DIGITS
    if not (short and text.isascii() and text.isdecimal() and int(text) <= LARGEST):
        raise Stop(f"{place}: expected a whole number from 0 to {LARGEST}, not '{text[:40]}'", 2)
    return int(text)


def course_seed(typed: str | None = None) -> int:
    """The seed given with --seed, or the one in the file; 0 means the published exercises."""
    if typed is not None:
        return seed_of(typed, "--seed")
    try:
        return seed_of(FILE.read_text(encoding="utf-8").strip(), shown(FILE))
    except FileNotFoundError:
        return 0
    except UnicodeDecodeError:
        raise Stop(f"{shown(FILE)}: not text", 2) from None


def read(folder: Path) -> tuple[list[Mistake], list[str]]:
    """The variants of an exercise, and a message for each error in its list."""
    return mistakes.read(folder / "variants.md", CHANGED)


def draw(name: str, what: str) -> int:
    """A large number drawn from the seed and its purpose."""
    return int(hashlib.sha256(f"{name}/{what}".encode()).hexdigest()[:16], 16)


def drawn(exercise, seed: int):
    """The exercise as drawn for this course."""
    if not seed:
        return exercise
    known, _ = read(exercise.path)
    choice = draw(f"{seed}/{exercise.id}", "variant")
    return of(exercise, known[choice % len(known)] if known else None,
              f"{draw(f'{seed}/{exercise.id}', 'numbers'):016x}")


def of(exercise, variant: Mistake | None, salt: str = ""):
    """The exercise with this variant's tests and solution, or with the published ones."""
    return dataclasses.replace(exercise, salt=salt, variant=variant)


def made(exercise, source: Path, file: str) -> Path:
    """The variant's version of a source file, written only if it changed."""
    name = source.relative_to(exercise.path)
    path = MADE / exercise.id / exercise.variant.name / name
    write_changed(path, exercise.variant.source(source, file))
    return path
