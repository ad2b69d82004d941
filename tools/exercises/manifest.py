"""The list of exercises, and the learner's progress."""

from __future__ import annotations

import contextlib
import difflib
import fcntl
import hashlib
import json
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from tools.catalogue import entries
from tools.exercises import mistakes as mistakes_file, renumbered, variants
from tools.exercises.mistakes import Mistake
from tools.terminal import OUT, ROOT, Stop, read_json, said, shown, write_file

MANIFEST = ROOT / "exercises" / "manifest.toml"
SEED = 0  # the course's seed, once a command has read it; 0: the published exercises
PROGRESS = OUT / "progress.json"
FIELDS = {"id": str, "folder": str, "title": str, "title_zh": str, "tests": int, "points": int,
          "prints": int}  # the fields of a table in exercises/manifest.toml


@dataclass
class Exercise:
    id: str
    folder: str
    title: str
    title_zh: str
    tests: int
    points: int
    prints: int = 0  # lines to show in full, if the task starts with looking at them
    salt: str = ""  # of a course: draws the numbers in the tests
    variant: Mistake | None = None  # of a course: the changed task (variants.py)

    @property
    def path(self) -> Path:
        return ROOT / self.folder

    @property
    def answer(self) -> Path:
        """The learner's own file, created from the skeleton (mine.py)."""
        return ROOT / "my" / f"{self.id}_{Path(self.folder).name.partition('_')[2]}.cpp"

    @property
    def skeleton(self) -> Path:
        return self.path / "skeleton.cpp"

    @property
    def published(self) -> Path:
        return self.path / "solution" / "exercise.cpp"

    @property
    def solution(self) -> Path:
        there = self.published.exists() and self.variant
        return variants.made(self, self.published, "") if there else self.published

    @property
    def test(self) -> Path:
        test = self.path / "test.cpp"
        return variants.made(self, test, "test.cpp") if self.variant else test

    @property
    def is_watched(self) -> bool:
        """Do its tests watch the memory accesses of a kernel (exercises/support/watched.hpp)?"""
        return '#include "support/watched.hpp"' in self.test.read_text(encoding="utf-8")

    def task(self, zh: bool) -> Path:
        return self.path / f"README{'.zh' if zh else ''}.md"

    @property
    def is_milestone(self) -> bool:
        """Does it belong to a capstone, rather than to a chapter?"""
        return not self.id[0].isdigit()

    @property
    def section(self) -> str:
        """The page of its chapter; {} is the language."""
        if self.is_milestone:
            return "docs/{}/capstones.md"
        page = f"{Path(self.folder).parent.parent.name}.md"
        return f"docs/{{}}/{page}" if (ROOT / "docs" / "en" / page).is_file() else ""

    def heading(self, zh: bool) -> str:
        """The title of its chapter, or of its capstone."""
        page = ROOT / self.section.format("zh" if zh else "en")
        begins = f"## {self.id[0]}. " if self.is_milestone else f"# {self.chapter} "
        lines = page.read_text(encoding="utf-8").splitlines() if page.is_file() else []
        return next((line[len(begins):] for line in lines if line.startswith(begins)),
                    self.path.parent.parent.name)

    @property
    def touched(self) -> bool:
        """Has the learner changed the file?"""
        return self.answer.is_file() and self.answer.read_bytes() != self.skeleton.read_bytes()

    @property
    def chapter(self) -> int:
        """-1 for a milestone."""
        return -1 if self.is_milestone else int(self.id.partition("-")[0])

    @property
    def as_it_is(self) -> str:
        """A hash of the learner's file and of the files that judge it."""
        files = (self.answer, self.test, self.path / "exercise.hpp")
        parts = [f.read_bytes() for f in files if f.is_file()]
        return hashlib.sha1(b"\0".join([*parts, *filter(None, [self.salt.encode()])])).hexdigest()

    @property
    def mistakes_file(self) -> Path:
        return self.path / "mistakes.md"

    @property
    def mistakes(self) -> list[Mistake]:
        """The readable mistakes; `./learn verify` reports what is wrong with the others."""
        return mistakes_file.read(self.mistakes_file)[0]


def everything() -> list[Exercise]:
    """The exercises of exercises/manifest.toml, in order. (tomllib requires Python 3.11; as 3.9 is
    enough here, the three forms of line that the file uses are parsed by hand.)"""
    tables: list[tuple[int, dict]] = []  # with the number of its first line
    try:
        lines = MANIFEST.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise Stop("exercises/manifest.toml: not UTF-8", 2) from None
    for number, line in enumerate(lines, 1):
        pair = re.match(r'(\w+) = (?:"([^"]*)"|(\d{1,6}))$', line)
        if line in ("[[exercise]]", "[[milestone]]"):
            tables.append((number, {}))
        elif pair and tables:
            tables[-1][1][pair[1]] = int(pair[3]) if pair[3] else pair[2]
        elif line.strip() and not line.startswith("#"):
            raise Stop(f"exercises/manifest.toml:{number}: neither [[exercise]] nor name = value: "
                       f"{line[:80]}", 2)
    found = [variants.drawn(made_of(number, table), SEED) for number, table in tables]
    if not any(not exercise.is_milestone for exercise in found):
        raise Stop("exercises/manifest.toml names no exercise", 2)
    return found


def made_of(number: int, table: dict) -> Exercise:
    """The exercise of a table that begins at this line. Raises Stop for an invalid table."""
    def want(holds: bool, what: str) -> None:
        if not holds:
            raise Stop(f"exercises/manifest.toml:{number}: {what}", 2)

    for name, kind in FIELDS.items():
        want(name in table or name == "prints", f"{name} is missing")
        want(name not in table or type(table[name]) is kind,
             f"{name} must be a "
             "number" if kind is int else f"{name} must be a text in quotation marks")
    for name in table:
        want(name in FIELDS, f"{name} means nothing here")
    want(re.fullmatch(r"(\d\d|[A-Z])-\d{1,2}", table["id"]) is not None,
         f"expected an id like 02-01 or A-1, not {table['id']}")
    want(table["tests"] > 0 and table["points"] > 0, "tests and points must be at least 1")
    return Exercise(**table)


def manifest() -> list[Exercise]:
    """The exercises of the chapters."""
    return [exercise for exercise in everything() if not exercise.is_milestone]


def milestones() -> list[Exercise]:
    return [exercise for exercise in everything() if exercise.is_milestone]


def alike(exercise: Exercise | None) -> list[Exercise]:
    """The candidates for the next one: exercises, or the milestones of one capstone."""
    if exercise is None or not exercise.is_milestone:
        return manifest()
    return [one for one in milestones() if one.id[0] == exercise.id[0]]


def find(wanted: str, exercises: list[Exercise], command: str = "try") -> Exercise:
    """Finds an exercise by its id, which may be typed 4-1, by the learner's file, its folder or a
    file in it, or by a part of its title."""
    typed = renumbered.in_full(wanted)
    place = Path(os.path.realpath(wanted))  # resolve() raises an error for a link to itself
    if typed not in {exercise.id for exercise in exercises}:
        typed = renumbered.NOW.get(typed, typed)
    for exercise in exercises:
        if exercise.id == typed or exercise.answer in (place, Path(os.path.abspath(wanted))) \
                or exercise.path in (place, *place.parents):
            return exercise
    if re.fullmatch(r"\d\d?", wanted):
        which_of_chapter(int(wanted), exercises, command)
    titled = [e for e in exercises if wanted.casefold() in f"{e.title}\n{e.title_zh}".casefold()]
    if len(titled) == 1:
        return titled[0]
    if titled:
        raise Stop(f"'{wanted}' is in the titles of {', '.join(e.id for e in titled)}\n"
                   f"  next      ./learn {command} {titled[0].id}", 2)
    numbers = re.fullmatch(r"(\d\d)-(\d\d)", typed)
    for folder in ROOT.glob(numbers.expand(r"chapters/\1_*/exercises/\2_*") if numbers else "-"):
        raise Stop(f"{folder.relative_to(ROOT)} has no entry in exercises/manifest.toml\n"
                   f"  next      ./learn {command} {wanted}", 2)
    near = difflib.get_close_matches(wanted, [exercise.id for exercise in exercises], 3, 0)
    raise Stop(f"there is no exercise '{wanted[:40]}'; the nearest are {', '.join(near)}\n"
               "  next      ./learn list", 2)


def which_of_chapter(chapter: int, exercises: list[Exercise], command: str) -> None:
    its = [exercise.id for exercise in exercises if exercise.chapter == chapter]
    if not its:
        raise Stop(f"there is no chapter {chapter}; the chapters are 0 to "
                   f"{max(exercise.chapter for exercise in exercises)}\n  next      ./learn "
                   "list", 2)
    raise Stop(f"which exercise of chapter {chapter}? There are {', '.join(its)}\n"
               f"  next      ./learn {command} {its[0]}", 2)


NUMBERS = ("tries", "hints", "at")  # fields with numbers


def progress() -> dict:
    """What is remembered, by exercise. Damaged entries are ignored."""
    def is_count(value, kind: type) -> bool:
        return type(value) is kind and value >= 0

    return {name: {fact: value for fact, value in facts.items()
                   if fact not in NUMBERS or is_count(value, float if fact == "at" else int)}
            for name, facts in renumbered.carried_over(read_json(PROGRESS)).items()
            if isinstance(facts, dict)}


def remember(exercise: Exercise, **facts) -> dict:
    """Updates what is remembered of the exercise. A value may be a function of the old values,
    which no other command can change meanwhile. In a read-only checkout, nothing is remembered."""

    def changed() -> dict:
        everything = progress()
        kept = everything.setdefault(exercise.id, {})
        kept.update({name: fact(dict(kept)) if callable(fact) else fact
                     for name, fact in facts.items()}, at=time.time())
        return everything

    try:
        OUT.mkdir(exist_ok=True)
        with one_at_a_time():
            keep_damaged()
            everything = changed()
            write_file(PROGRESS, json.dumps({renumbered.MARK: 2, **everything}, indent=1) + "\n")
    except OSError:
        everything = changed()
    return everything[exercise.id]


def keep_damaged() -> None:
    """Puts aside a file that cannot be read, instead of overwriting what it holds."""
    if PROGRESS.is_file() and PROGRESS.stat().st_size and not read_json(PROGRESS):
        aside = PROGRESS.with_name(f"progress-{time.strftime('%Y%m%d-%H%M%S')}.json")
        PROGRESS.replace(aside)
        print(said(f"  damaged   {shown(PROGRESS)} cannot be read; it is kept as {shown(aside)}"),
              file=sys.stderr)


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """A lock for reading and then writing what is remembered."""
    handle = os.open(PROGRESS.parent, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def passed(exercise: Exercise) -> bool:
    """Has it ever passed? If so, the solution may be shown."""
    return bool(progress().get(exercise.id, {}).get("passed"))


def passes(exercise: Exercise, kept: dict) -> bool:
    """Does the file pass in its current state?"""
    facts = kept.get(exercise.id, {})
    return facts.get("passed") == exercise.as_it_is


def current(exercises: list[Exercise]) -> Exercise | None:
    """The exercise that was worked on last."""
    kept = progress()
    begun = [e for e in exercises if kept.get(e.id, {}).get("at")]
    return max(begun, key=lambda e: kept[e.id]["at"], default=None)


def next_open(after: Exercise | None) -> Exercise | None:
    """The next one to try: first of the same kind as `after`, then of the chapters' exercises."""
    return first_open(alike(after), after) or first_open(manifest())


def first_open(exercises: list[Exercise], after: Exercise | None = None) -> Exercise | None:
    """The first that does not pass, searching from `after` on and then from the start, with those
    of its chapter first."""
    kept = progress()
    start = [e.id for e in exercises].index(after.id) if after else 0
    left = [e for e in exercises[start:] + exercises[:start] if not passes(e, kept)]
    return min(left, key=lambda e: bool(after) and e.chapter != after.chapter, default=None)


def test_names(exercise: Exercise) -> dict[str, str]:
    """The Chinese names of tests by those in test.cpp, and the known beginnings of check names."""
    return entries(exercise.path / "zh.po")


def test_name(exercise: Exercise, case: str, zh: bool) -> str:
    return test_names(exercise).get(case, case) if zh else case


def check_name(exercise: Exercise, check: str, zh: bool) -> str:
    """Translates the known beginning; what a test appends, such as ", n = 3", stays."""
    names = test_names(exercise) if zh else {}
    begin = max((name for name in names if check.startswith(name)), key=len, default="")
    return (names.get(begin) or begin) + check[len(begin):]


def hints(exercise: Exercise, zh: bool) -> list[str]:
    """The texts below the headings `## 1`, `## 2`, `## 3`."""
    file = exercise.path / ("hints.zh.md" if zh else "hints.en.md")
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        raise Stop(f"{shown(file)} is gone\n  next      git checkout {shown(file)}") from None
    return [part.strip() for part in re.split(r"^## \d.*$", text, flags=re.M)[1:]]


def written_answer(text: str) -> str:
    """The text between /* Answer: and */, line by line."""
    begins = re.search(r"/\* *Answer:", text)
    words, ends, _ = text[begins.end():].partition("*/") if begins else ("", "", "")
    lines = [line.strip(" *") for line in words.splitlines()] if ends else []
    return "\n".join(f"  {line}" for line in lines if line)


def lacks_words(exercise: Exercise, text: str) -> bool:
    """Is a written answer required but missing in this text?"""
    return (exercise.path / "answer.en.md").exists() and not written_answer(text)
