"""The former numbers of exercises, from before chapter 9 became Since 2017, kept for one release:
speed began with 09, the GPU with 10, many machines with 11."""

from __future__ import annotations

import re

MARK = "numbers"  # in the learner's records: they have the current numbers
NOW = {"09-01": "10-01", "09-02": "10-02",
       **{f"10-{number:02}": f"11-{number:02}" for number in range(1, 11)},
       **{f"11-{number:02}": f"12-{number:02}" for number in range(1, 4)}}
BEFORE = {now: before for before, now in NOW.items()}
FOLDERS = {"chapters/10_speed/": "chapters/09_speed/", "chapters/11_gpu/": "chapters/10_gpu/",
           "chapters/12_many_machines/": "chapters/11_many_machines/"}


def folder_before(folder: str) -> str:
    """The former folder of an exercise; the same if it was not renamed."""
    for now, before in FOLDERS.items():
        if folder.startswith(now):
            return before + folder[len(now):]
    return folder


def carried_over(kept: dict) -> dict:
    """The learner's records under the current exercise numbers."""
    if MARK in kept:
        return {name: facts for name, facts in kept.items() if name != MARK}
    return {NOW.get(name, name): facts for name, facts in kept.items()}


def in_full(typed: str) -> str:
    """The id that is meant: 02-01 for 2-1, 2.1, 2_1 or 0201, and A-1 for a-1."""
    parts = re.fullmatch(r"(\d\d?)[-._](\d\d?)|(\d\d)(\d\d)", typed)
    return "-".join(f"{int(p):02}" for p in parts.groups() if p) if parts else typed.upper()


def note(typed: str, exercises: list, zh: bool) -> str:
    """A hint for users who may mean an old number; otherwise an empty string."""
    before = in_full(typed)
    now = NOW.get(before)
    named = {exercise.id: exercise for exercise in exercises}
    if now not in named:
        return ""
    if before not in named:
        return f"  note      exercise {before} has a new number: {now}"
    return (f"  note      numbers have changed: the former exercise {before} is now {now}, "
            f"{named[now].title_zh if zh else named[now].title}")


def files_before(exercise) -> list[str]:
    """Where its answer used to be handed in; not under a number that now belongs to another."""
    before, folder = BEFORE.get(exercise.id), folder_before(exercise.folder)
    files = [f"{folder}/exercise.cpp"] if folder != exercise.folder else []
    if before and before not in BEFORE:
        files += [f"{before}.cpp", f"{before}/exercise.cpp"]
    return files
