"""The learner's own files: one an exercise in my/, which no commit of this repository touches."""

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
    """Puts the skeleton where the learner writes, unless something is there."""
    refuse_a_folder(exercise)
    if os.path.lexists(exercise.answer):
        return
    put_skeleton(exercise)
    tell(f"  begun     {shown(exercise.answer)} is the skeleton; the file is yours", zh)


def put_skeleton(exercise: Exercise) -> None:
    """Also in place of what is there."""
    skeleton = exercise.skeleton.read_bytes()
    refuse_a_link(exercise.answer)
    with writing(exercise):
        exercise.answer.parent.mkdir(exist_ok=True)
        write_file(exercise.answer, skeleton)


def refuse_a_folder(exercise: Exercise) -> None:
    if exercise.answer.is_dir():
        raise Stop(f"{shown(exercise.answer)} is a folder; the file with your code is wanted", 2)
    if exercise.answer.exists() and not exercise.answer.is_file():  # a pipe has no end
        raise Stop(f"{shown(exercise.answer)} is no file; the file with your code is wanted", 2)


def refuse_a_link(answer: Path) -> None:
    """What is behind it is not ours to write to, wherever it is."""
    for path in (answer, *answer.parents):
        if path.is_symlink() and path.exists():
            raise Stop(f"{shown(path)} is a link, to {path.resolve()}; nothing is written there\n"
                       f"  next      rm {shown(path)}", 2)


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
    """Moves work from where it stood beside the task to my/. Nothing that is there is replaced:
    what comes second gets a number."""
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
            tell(f"  moved     {shown(old)} is {shown(new)} now", zh)
            moved.append(shown(old))
    if moved:
        forget(moved)


def in_words(folder: Path | str) -> tuple[str, ...]:
    """The chapter and the exercise without their numbers, which were others once."""
    parts = [part for part in Path(folder).parts if part != "exercises"]
    return tuple(re.sub(r"^\d+_", "", part) for part in parts[-2:])


def bare(path: Path) -> bytes:
    """Without blanks, and without the file's own name."""
    return b"".join(MARKER.sub(b"", path.read_bytes()).split())


def free(answer: Path) -> Path:
    """This name, or the first with a number that nobody has."""
    path, number = answer, 2
    while os.path.lexists(path):
        path, number = answer.with_suffix(f".{number}.cpp"), number + 1
    return path


def forget(names: list[str]) -> None:
    """An update that met an edited file leaves it for git to be told what became of it; until then
    git updates nothing more."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        subprocess.run(["git", "-c", f"safe.directory={ROOT}", "rm", "--quiet", "--cached",
                        "--ignore-unmatch", "--", *names], cwd=ROOT, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
