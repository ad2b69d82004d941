"""One file that was handed in: compiled, linked and run on its own, in a sandbox.

It is copied to exercise.cpp in a fresh folder and compiled against a tree that holds headers only:
no solution, no test, no known mistake and no other hand-in. Its program gets inputs and sends back
the results of its functions; the expected values stay in another process, outside.
"""

from __future__ import annotations

import os
import secrets
import shutil
import uuid
from pathlib import Path

from tools.exercises.build import (COMPILER, LEAN, LIBRARIES, SUPPORT, SWITCHES, TURNS, Kit,
                                   arguments, flags_of_answer, salt_in_turn, includes_of)
from tools.exercises.manifest import Exercise, everything
from tools.exercises.outcome import SLACK, TEST_LIMITS, Outcome, judged, outcome_of
from tools.exercises.run import Limits
from tools.grading.sandbox import Sandbox
from tools.terminal import ROOT

COMPILE_LIMITS = Limits(wall=90, cpu=60, file=64 << 20, processes=64)
KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH")
BY_HEART = "right for the inputs of the tests only, and wrong for fresh ones"


class Bench:
    def __init__(self, kit: Kit, place: Path, sandbox: Sandbox):
        self.kit, self.place, self.sandbox = kit, place, sandbox
        self.tree = place / "tree"
        copy_headers(self.tree)
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}

    def run(self, exercise: Exercise, text: bytes) -> Outcome:
        folder = self.place / uuid.uuid4().hex[:8]
        folder.mkdir()
        try:
            (folder / "exercise.cpp").write_bytes(text)
            return self.compile(exercise, folder) or self.link(exercise, folder) \
                or self.judge(exercise, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def tool(self, command: list[str], folder: Path, readable: list[Path]) -> Outcome | None:
        """Runs a compiler or linker. Returns an outcome with its errors, or None."""
        ran = self.sandbox.run(
            [COMPILER, *command], COMPILE_LIMITS, folder,
            {**self.environment, "LC_ALL": "C", "CCACHE_DISABLE": "1", "TMPDIR": str(folder)},
            readable, writable=True)
        if ran.status == 0:
            return None
        text = ran.printed.decode("utf-8", "replace").replace(f"{self.tree}/", "")
        if ran.flooded or ran.status < 0 or not text.strip():
            text = "error: the compiler was stopped: it took or wrote too much"
        return Outcome(error="compile", log=text)

    def compile(self, exercise: Exercise, folder: Path) -> Outcome | None:
        headers = [self.tree / "common", self.tree / "chapters", self.tree / "exercises",
                   self.tree / exercise.id]
        return self.tool(
            [*SWITCHES, *flags_of_answer(exercise, self.kit.header), *includes_of(*headers),
             "-fmax-errors=3", "-c", "exercise.cpp", "-o", "exercise.o"], folder,
            [self.tree, self.kit.header, self.kit.header.with_suffix(".hpp.gch")])

    def link(self, exercise: Exercise, folder: Path) -> Outcome | None:
        test, complaints = self.kit.test(exercise)
        if complaints:
            raise RuntimeError(f"{exercise.id}: the tests do not compile")
        return self.tool(["-fno-lto", LEAN, "-o", "program", str(self.kit.engine), str(test),
                          "exercise.o", *LIBRARIES], folder, [self.kit.engine, test])

    def judge(self, exercise: Exercise, folder: Path) -> Outcome:
        """Uses the inputs that everyone has; if it passes, also inputs that nobody knew."""
        outcome = judged(self.ask(folder, exercise.salt, shuffled=False),
                         self.kit.expected(exercise), SLACK if exercise.salt else 1)
        for turn in range(TURNS):
            if not outcome.passed:
                break
            salt = salt_in_turn(secrets.token_hex(8), turn)
            fresh = self.ask(folder, salt)
            right = self.kit.expected(exercise, salt)  # computed after the hand-in has ended
            if not judged(fresh, right, SLACK).passed:
                ended = fresh.error.startswith(("stopped", "crashed"))
                outcome.error = fresh.error if ended else BY_HEART
        return outcome

    def ask(self, folder: Path, salt: str, shuffled: bool = True) -> Outcome:
        order = arguments(salt if shuffled else "")
        return outcome_of(self.sandbox.run(
            [str(folder / "program"), *order], TEST_LIMITS, folder,
            {**self.environment, "OPENBLAS_NUM_THREADS": "1", "XF_SALT": salt}, reports=True))


def copy_headers(tree: Path) -> None:
    """The headers that a hand-in may include; the exercises' own headers one by one."""
    headers = [*(ROOT / "common").rglob("*.hpp"), *(ROOT / "chapters").glob("*/*.hpp"),
               *SUPPORT.glob("*.hpp")]
    copies = {tree / path.relative_to(ROOT): path for path in headers}
    copies.update((tree / exercise.id / path.name, path)
                  for exercise in everything() for path in exercise.path.glob("*.hpp"))
    for copy, path in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
