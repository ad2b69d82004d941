"""Which exercises there are, and how far the learner has come with them."""

from __future__ import annotations

import difflib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from tools.terminal import OUT, ROOT, Stop, shown

MANIFEST = ROOT / "exercises.toml"
PROGRESS = OUT / "progress.json"


@dataclass
class Exercise:
    id: str
    folder: str
    title: str
    title_zh: str
    tests: int
    points: int

    @property
    def path(self) -> Path:
        return ROOT / self.folder

    @property
    def answer(self) -> Path:
        return self.path / "exercise.cpp"

    @property
    def skeleton(self) -> Path:
        return self.path / "skeleton.cpp"

    @property
    def solution(self) -> Path:
        return self.path / "solution" / "exercise.cpp"

    @property
    def mutants(self) -> list[Path]:
        return sorted((self.path / "mutants").glob("*.cpp"))


def manifest() -> list[Exercise]:
    """The tables of exercises.toml, in order. (tomllib came with Python 3.11; 3.9 is enough here,
    so the three forms of line that the file uses are read by hand.)"""
    found: list[dict] = []
    for number, line in enumerate(MANIFEST.read_text(encoding="utf-8").splitlines(), 1):
        pair = re.match(r'(\w+) = (?:"([^"]*)"|(\d+))$', line)
        if line == "[[exercise]]":
            found.append({})
        elif pair and found:
            found[-1][pair[1]] = int(pair[3]) if pair[3] else pair[2]
        elif line.strip() and not line.startswith("#"):
            raise Stop(f"exercises.toml:{number}: neither [[exercise]] nor name = value: {line}", 2)
    return [Exercise(**fields) for fields in found]


def find(wanted: str, exercises: list[Exercise]) -> Exercise:
    for exercise in exercises:
        if wanted == exercise.id:
            return exercise
    ids = [exercise.id for exercise in exercises]
    near = difflib.get_close_matches(wanted, ids, 3, 0)
    raise Stop(f"there is no exercise '{wanted}'; the nearest are {', '.join(near)}\n"
               "  next      ./learn list", 2)


def progress() -> dict:
    try:
        kept = json.loads(PROGRESS.read_text(encoding="utf-8"))
        return kept if isinstance(kept, dict) else {}
    except (OSError, ValueError):
        return {}


def remember(exercise: Exercise, **facts) -> None:
    """A checkout that cannot be written to only forgets."""
    everything = progress()
    everything.setdefault(exercise.id, {}).update(facts)
    try:
        OUT.mkdir(exist_ok=True)
        fresh = PROGRESS.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
        fresh.replace(PROGRESS)
    except OSError:
        pass


def passed(exercise: Exercise) -> bool:
    return bool(progress().get(exercise.id, {}).get("passed"))


def first_open(exercises: list[Exercise]) -> Exercise | None:
    kept = progress()
    return next((e for e in exercises if not kept.get(e.id, {}).get("passed")), None)


def chinese(arguments: list[str]) -> bool:
    """--zh or --en, else the language of the terminal."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return "--zh" in arguments or ("--en" not in arguments and locale.startswith("zh"))


def hints(exercise: Exercise, zh: bool) -> list[str]:
    """The texts below the headings `## 1`, `## 2`, `## 3`."""
    file = exercise.path / ("hints.zh.md" if zh else "hints.en.md")
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        raise Stop(f"{shown(file)} is gone\n  next      git checkout {shown(file)}") from None
    return [part.strip() for part in re.split(r"^## \d.*$", text, flags=re.M)[1:]]
