"""One file that was handed in: compiled, linked and run on its own.

It is copied to exercise.cpp in a fresh folder and compiled against a tree that holds headers only:
no solution, no test, no known mistake and no other hand-in. What the compiler and the assembler
opened is read from the same compile, and anything outside that tree and the system's headers is
refused.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import uuid
from dataclasses import replace
from pathlib import Path

from tools.exercises.build import (COMPILER, JOIN, LEAN, LIBRARIES, SUPPORT, SWITCHES, Kit,
                                   TURNS, arguments, flags_of_answer, in_turn, includes_of)
from tools.exercises.manifest import Exercise, everything
from tools.exercises.outcome import SLACK, TEST_LIMITS, Outcome, judged, outcome_of
from tools.exercises.run import Keeper, Limits
from tools.grading.sandbox import Sandbox
from tools.grading.hooks import dumped
from tools.grading.symbols import kept_for_others, replaced, tests_own, unneeded
from tools.terminal import ROOT

COMPILE_LIMITS = Limits(wall=90, cpu=60, file=64 << 20)
KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH")
BY_HEART = "right for the inputs of the tests only, and wrong for fresh ones"


class Bench:
    def __init__(self, kit: Kit, place: Path, sandbox: Sandbox):
        self.kit, self.place, self.sandbox = kit, place, sandbox
        self.tree = place / "tree"
        copy_headers(self.tree)
        self.system = [Path(name).resolve() for name in system_headers()]
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.precompiled = [kit.header, kit.header.with_suffix(".hpp.gch")]

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
        """Runs a compiler or linker. Returns its complaints, or None."""
        ran = self.sandbox.run(
            command, COMPILE_LIMITS, folder,
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
        failed = self.tool(
            [COMPILER, *SWITCHES, *flags_of_answer(exercise, self.kit.header),
             *includes_of(*headers), "-fmax-errors=3", "-MD", "-MF", "opened.d",
             "-Wa,--MD,assembled.d", *(dumped() if exercise.is_watched else ()),
             "-c", "exercise.cpp", "-o", "exercise.o"], folder, [self.tree, *self.precompiled])
        if failed:
            return failed
        for name in ("opened.d", "assembled.d"):
            for opened in dependencies((folder / name).read_bytes()):
                if not self.allowed(folder / opened, folder):
                    return Outcome(error=f"includes {opened}, which is not the student's")
        return None

    def allowed(self, opened: Path, folder: Path) -> bool:
        """The folder of this compile, the headers, those that were precompiled, the system's."""
        path = opened.resolve()
        if path.is_relative_to(folder):
            return True
        own = path in self.precompiled or path.is_relative_to(self.tree) or (
            path.suffix == ".hpp" and any(map(path.is_relative_to, (ROOT / "common", SUPPORT))))
        return path.is_file() and (own or any(map(path.is_relative_to, self.system)))

    def link(self, exercise: Exercise, folder: Path) -> Outcome | None:
        test, complaints = self.kit.test(exercise)
        if complaints:
            raise RuntimeError(f"{exercise.id}: the tests do not compile")
        own = replaced(folder / "exercise.o", [test, self.kit.engine])
        if own:
            return Outcome(error=f"defines {own}, which is not the student's")
        used = tests_own(folder / "exercise.o")
        if used:
            return Outcome(error=f"uses {used}, which is the tests' own")
        asked = unneeded(folder / "exercise.o", exercise.is_watched, exercise.is_kept)
        if asked:
            return Outcome(error=f"uses {asked}, which no answer needs")
        return self.close(folder, test) or self.tool(
            [COMPILER, "-fno-lto", LEAN, "-o", "program", str(self.kit.engine), str(test), "own.o",
             *LIBRARIES], folder, [self.kit.engine, test])

    def close(self, folder: Path, test: Path) -> Outcome | None:
        """own.o, in which the answer's functions are seen by the answer alone, but for those that
        the tests ask for: so neither side takes what the other one has made of a template. Of
        data that both define, ours is taken."""
        names = kept_for_others(folder / "exercise.o", [test, self.kit.engine])
        (folder / "kept.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
        return self.tool([*JOIN, "-fno-lto", "-Wl,--force-group-allocation", "exercise.o", "-o",
                          "joined.o"], folder, []) or self.tool(
            ["objcopy", "--keep-global-symbols=kept.txt", "--weaken-symbols=kept.txt", "joined.o",
             "own.o"], folder, [])

    def judge(self, exercise: Exercise, folder: Path) -> Outcome:
        """With the inputs that everyone has; who passes is tested again with inputs nobody knew."""
        workplace = folder / "run"
        workplace.mkdir()
        (folder / "program").replace(workplace / "program")
        outcome = judged(self.ask(exercise, workplace, exercise.salt, shuffled=False),
                         self.kit.expected(exercise), SLACK if exercise.salt else 1)
        for turn in range(TURNS):
            if not outcome.passed:
                break
            salt, secret = in_turn(secrets.token_hex(8), turn), secrets.token_hex(8)
            fresh = self.ask(exercise, workplace, salt, secret)
            right = self.kit.expected(exercise, salt, secret)  # worked out when it has ended
            if not judged(fresh, right, SLACK).passed:
                outcome.error = fresh.error if fresh.error.startswith("stopped") else BY_HEART
        return outcome

    def ask(self, exercise: Exercise, workplace: Path, salt: str, secret: str = "",
            shuffled: bool = True) -> Outcome:
        """The keeper has the secret, the hand-in has not."""
        order = arguments(salt if shuffled else "")
        return outcome_of(self.sandbox.run(
            [str(workplace / "program"), *order], TEST_LIMITS, workplace,
            {**self.environment, "OPENBLAS_NUM_THREADS": "1", "XF_SALT": salt}, [], reports=True,
            keeper=self.keeper(exercise, salt, secret)))

    def keeper(self, exercise: Exercise, salt: str, secret: str) -> Keeper | None:
        """It is asked by the hand-in, so it stands in a sandbox of its own."""
        keeper = self.kit.keeper(exercise, salt, secret)
        if not keeper:
            return None
        judge = Path(keeper.command[0])
        return replace(keeper, command=self.sandbox.command(keeper.command, judge, False, []),
                       cwd=self.place)


def copy_headers(tree: Path) -> None:
    """What a hand-in may include of this checkout; the exercises' own headers one by one."""
    headers = [*(ROOT / "common").rglob("*.hpp"), *(ROOT / "chapters").glob("*/*.hpp"),
               *SUPPORT.glob("*.hpp")]
    copies = {tree / path.relative_to(ROOT): path for path in headers}
    copies.update((tree / exercise.id / path.name, path)
                  for exercise in everything() for path in exercise.path.glob("*.hpp"))
    for copy, path in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)


def system_headers() -> list[str]:
    """The folders in which this compiler looks for <vector>."""
    answer = subprocess.run([COMPILER, "-E", "-v", "-x", "c++", os.devnull], stderr=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})
    text = answer.stderr.decode("utf-8", "replace")
    listed = text.partition("#include <...> search starts here:")[2].partition("End of search")[0]
    return [line.strip() for line in listed.splitlines() if line.strip()]


def dependencies(rule: bytes) -> list[str]:
    """The names behind the colon of a rule for make, in which blanks and signs are escaped."""
    text = os.fsdecode(rule).replace("\\\n", " ")
    names = re.findall(r"(?:[^\s\\]|\\+[ \t]?)+", text.partition(": ")[2])
    return [unescaped(name) for name in names]


def unescaped(name: str) -> str:
    name = re.sub(r"(\\+)([ \t])", lambda found: "\\" * (len(found[1]) // 2) + found[2], name)
    return name.replace("\\#", "#").replace("$$", "$")
