"""The learner's own files: one per exercise in my/, which no commit of this repository touches."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

from tools.exercises.manifest import Exercise
from tools.language import tell
from tools.terminal import ROOT, Stop, shown, write_file

MARKER = re.compile(rb'TODO\("[^"]*"\)')
BEFORE = ("chapters/*/exercises/*/exercise.cpp", "capstones/*/*/exercise.cpp")  # where they stood


def begin(exercise: Exercise, zh: bool) -> None:
    """Creates the learner's file from the skeleton, unless it exists."""
    refuse_a_folder(exercise)
    if os.path.lexists(exercise.answer):
        return
    put_skeleton(exercise)
    tell(f"  begun     {shown(exercise.answer)} holds the skeleton; it is yours to edit", zh)


def put_skeleton(exercise: Exercise) -> None:
    """Overwrites an existing file."""
    skeleton = exercise.skeleton.read_bytes()
    refuse_a_link(exercise.answer)
    with writing(exercise):
        exercise.answer.parent.mkdir(exist_ok=True)
        write_file(exercise.answer, skeleton)


def refuse_a_folder(exercise: Exercise) -> None:
    """Nor is its folder a file, or a link that leads nowhere."""
    place = exercise.answer.parent
    if os.path.lexists(place) and not place.is_dir():
        raise Stop(f"{shown(place)} is not a folder; expected the folder with your files\n"
                   f"  next      mv {shown(place)} {shown(place)}.old", 2)
    if exercise.answer.is_dir():
        raise Stop(f"{shown(exercise.answer)} is a folder; expected the file with your code", 2)
    if exercise.answer.exists() and not exercise.answer.is_file():  # a pipe has no end
        raise Stop(f"{shown(exercise.answer)} is not a file; expected the file with your code", 2)


def refuse_a_link(answer: Path) -> None:
    """The target of a link is not ours to write to, wherever it is."""
    for path in (answer, *answer.parents):
        if path.is_symlink() and path.exists():
            raise Stop(f"{shown(path)} is a link to {path.resolve()}; nothing is written there\n  "
                       f"next      rm {shown(path)}", 2)


@contextlib.contextmanager
def writing(exercise: Exercise) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Stop(f"{shown(exercise.answer)} cannot be written ({error.strerror}); exercises need "
                   "a checkout of your own\n  next      cp -r . ~/transformer && "
                   "cd ~/transformer") from None


# ---- a checkout of before there was my/ ----------------------------------------------------------


def move_over(exercises: list[Exercise], zh: bool) -> None:
    """Moves work from its former place next to the task to my/. Nothing is overwritten: if the name
    is taken, the file gets a number."""
    now = {in_words(exercise.folder): exercise for exercise in exercises}
    moved = []
    for old in sorted(path for place in BEFORE for path in ROOT.glob(place)):
        exercise = now.get(in_words(old.parent))
        if exercise and not old.is_symlink() and old.is_file() and bare(old) != bare(
                exercise.skeleton):
            refuse_a_link(exercise.answer)
            new = free(exercise.answer)
            with writing(exercise):
                new.parent.mkdir(exist_ok=True)
                shutil.move(str(old), str(new))
            tell(f"  moved     {shown(old)} is now {shown(new)}", zh)
            moved.append(shown(old))
    if moved:
        forget(moved)


def in_words(folder: Path | str) -> tuple[str, ...]:
    """The names of the chapter and the exercise without their numbers, which have changed."""
    parts = [part for part in Path(folder).parts if part != "exercises"]
    return tuple(re.sub(r"^\d+_", "", part) for part in parts[-2:])


def bare(path: Path) -> bytes:
    """The file without whitespace and without its TODO marker."""
    return b"".join(MARKER.sub(b"", path.read_bytes()).split())


def free(answer: Path) -> Path:
    """This name, or the first numbered one that is not taken."""
    path, number = answer, 2
    while os.path.lexists(path):
        path, number = answer.with_suffix(f".{number}.cpp"), number + 1
    return path


def forget(names: list[str]) -> None:
    """An update that removes an edited file leaves a conflict; until git is told what became of the
    file, it refuses further updates."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        subprocess.run(["git", "-c", f"safe.directory={ROOT}", "rm", "--quiet", "--cached",
                        "--ignore-unmatch", "--", *names], cwd=ROOT, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
