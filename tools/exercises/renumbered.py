"""The numbers that exercises had before chapter 9 was Since 2017, for one release: those of speed
began with 09, of the GPU with 10, of many machines with 11."""

from __future__ import annotations

import re

MARK = "numbers"  # in what is kept of the learner: with the numbers of today
NOW = {"09-01": "10-01", "09-02": "10-02",
       **{f"10-{number:02}": f"11-{number:02}" for number in range(1, 11)},
       **{f"11-{number:02}": f"12-{number:02}" for number in range(1, 4)}}
BEFORE = {now: before for before, now in NOW.items()}
FOLDERS = {"chapters/10_speed/": "chapters/09_speed/", "chapters/11_gpu/": "chapters/10_gpu/",
           "chapters/12_many_machines/": "chapters/11_many_machines/"}


def folder_before(folder: str) -> str:
    """Of an exercise; the same where it was not renamed."""
    for now, before in FOLDERS.items():
        if folder.startswith(now):
            return before + folder[len(now):]
    return folder


def carried_over(kept: dict) -> dict:
    """What is kept of each exercise, by its number of today."""
    if MARK in kept:
        return {name: facts for name, facts in kept.items() if name != MARK}
    return {NOW.get(name, name): facts for name, facts in kept.items()}


def note(typed: str, exercises: list, zh: bool) -> str:
    """The line for who may mean an old number; else nothing."""
    parts = re.fullmatch(r"(\d\d?)[-._](\d\d?)|(\d\d)(\d\d)", typed)
    before = "-".join(f"{int(part):02}" for part in parts.groups() if part) if parts else ""
    now = NOW.get(before)
    named = {exercise.id: exercise for exercise in exercises}
    if now not in named:
        return ""
    if before not in named:
        return f"  note      exercise {before} has a new number: {now}"
    return (f"  note      numbers have moved: what was exercise {before} before is {now} now, "
            f"{named[now].title_zh if zh else named[now].title}")


def files_before(exercise) -> list[str]:
    """Where its answer was handed in: not below a number that is another exercise's now."""
    before, folder = BEFORE.get(exercise.id), folder_before(exercise.folder)
    files = [f"{folder}/exercise.cpp"] if folder != exercise.folder else []
    if before and before not in BEFORE:
        files += [f"{before}.cpp", f"{before}/exercise.cpp"]
    return files
