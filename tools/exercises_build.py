"""Builds one exercise and runs its tests.

What the learner does not edit is built once: the engine, the doctest main, the comparer and one
precompiled header. Every object is named after a hash of what it was made from, so nothing is
ever stale, and `try`, `watch` and `verify` share what they build.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from tools import setup
from tools.exercises_manifest import Exercise
from tools.exercises_words import tell
from tools.terminal import ROOT, Stop, quiet_environment

PLACE = ROOT / "build" / "exercises"
SUPPORT = ROOT / "exercises" / "support"
ENGINE = ("tensor", "autograd", "ops", "nn")
FLAGS = ["-std=c++20", "-Wall", "-Wno-unused-parameter", "-Wno-restrict", "-fopenmp-simd",
         "-Werror=return-type",  # a missing return would crash somewhere else
         "-I" + str(ROOT / "common"), "-I" + str(ROOT / "chapters")]
# Readable messages from xtensor and the standard library in the learner's own code.
CHECKED = ["-O0", "-DXTENSOR_ENABLE_ASSERT", "-D_GLIBCXX_ASSERTIONS"]
CPU_SECONDS = 4
COMPILE_SECONDS = 300  # a compiler that a hand-in has led astray
KEPT_FILES = 800  # about 1 MB each; `verify` makes two for every source
WALL_SECONDS = 30  # a sleeping or starved program
COMPILER = os.environ.get("CXX", "g++")


@dataclass
class Outcome:
    """What a run of the tests did. `error` is a line when no verdict was reached."""
    checks: list[dict] = field(default_factory=list)  # with "case", "check", "ok", ...
    threw: list[dict] = field(default_factory=list)
    cases: int = 0
    names: list[str] = field(default_factory=list)  # of the tests that began, in order
    error: str = ""
    log: str = ""  # of the compiler, or what the program printed

    @property
    def failed(self) -> list[dict]:
        return [check for check in self.checks if not check["ok"]]

    @property
    def unfinished(self) -> str:
        """The place that the skeleton names, when the function was not written yet."""
        first = self.threw[0]["threw"] if self.threw else ""
        return first.split('"')[1] if first.startswith("TO" + "DO(") and '"' in first else ""

    @property
    def passed(self) -> bool:
        return not (self.error or self.failed or self.threw)

    @property
    def prints(self) -> list[tuple[str, str]]:
        """What the learner's code printed: the test that ran ("" before the first), the text."""
        before, *parts = self.log.split("\x1e")
        cut = [("", before), *((part.partition("\n")[0], part.partition("\n")[2])
                               for part in parts)]
        return [(case, text) for case, text in cut if text.strip()]


def digest(*parts) -> str:
    total = hashlib.sha1()
    for part in parts:
        total.update(part.read_bytes() if isinstance(part, Path) else str(part).encode())
        total.update(b"\0")
    return total.hexdigest()[:20]


def sources_of(*folders: Path, kinds=("*.hpp", "*.cpp")) -> list[Path]:
    return sorted(p for folder in folders for kind in kinds for p in folder.rglob(kind))


def compile_to(target: Path, command: list[str]) -> str:
    """Makes `target` unless it is there. Returns the compiler's complaints when it fails."""
    if target.exists():
        return ""
    fresh = target.with_name(f"{uuid.uuid4().hex}-{target.name}")
    answer = subprocess.run([*command, "-o", str(fresh)], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT,
                            env={**os.environ, "LC_ALL": "C", "CCACHE_DISABLE": "1"},
                            preexec_fn=lambda: limits(COMPILE_SECONDS))
    if answer.returncode != 0:
        fresh.unlink(missing_ok=True)
        return answer.stdout or f"{command[0]} ended with status {answer.returncode}"
    fresh.replace(target)
    return ""


class Kit:
    """The parts that are built once, in a folder named after their contents."""

    def __init__(self, quiet: bool = False, zh: bool = False):
        if not shutil.which(COMPILER):
            raise Stop(f"{COMPILER} is not installed\n  next      ./learn doctor")
        engine = [path for path in sources_of(ROOT / "common")
                  if path.relative_to(ROOT / "common").parts[0] in ENGINE]
        support = sources_of(SUPPORT)
        self.key = digest(COMPILER, subprocess.run([COMPILER, "-dumpfullversion"],
                          stdout=subprocess.PIPE).stdout, FLAGS, CHECKED, *engine, *support)
        self.place = PLACE / self.key
        self.header = self.place / "precompiled.hpp"
        self.library = self.place / "libkit.a"
        # Only headers of chapters: the learner's file cannot be linked with a chapter's sources.
        self.chapters = digest(*sorted((ROOT / "chapters").glob("*/*.hpp")))
        if not (self.library.exists() and self.header.with_suffix(".hpp.gch").exists()):
            self.build([path for path in engine + support if path.suffix == ".cpp"], quiet, zh)

        self.forget()

    def forget(self) -> None:
        """Every edit leaves an object and a program behind: only the latest are kept."""
        made = sorted(self.place.glob("[0-9][0-9]-*"), key=lambda path: path.stat().st_mtime)
        for old in made[:-KEPT_FILES]:
            old.unlink(missing_ok=True)

    def build(self, sources: list[Path], quiet: bool, zh: bool) -> None:
        try:
            self.place.mkdir(parents=True, exist_ok=True)
            self.header.write_text('#include "support/kit.hpp"\n', encoding="utf-8")
        except OSError as error:
            raise Stop(f"build/ cannot be written to ({error.strerror}); exercises need a checkout "
                       "of your own\n  next      cp -r . ~/transformer && cd ~/transformer") \
                from None
        if not quiet:
            tell("  building the engine and the precompiled header once, about half a minute …", zh)
        jobs = [(self.header.with_suffix(".hpp.gch"),
                 [COMPILER, *FLAGS, *CHECKED, "-I" + str(SUPPORT.parent), "-x", "c++-header",
                  str(self.header)])]
        for source in sources:
            name = "-".join(source.relative_to(ROOT).with_suffix(".o").parts)
            jobs.append((self.place / name, [COMPILER, *FLAGS, "-O1", "-I" + str(SUPPORT.parent),
                                             "-c", str(source)]))
        with concurrent.futures.ThreadPoolExecutor(setup.parallel_jobs()) as pool:
            for message in pool.map(lambda job: compile_to(*job), jobs):
                if message:
                    raise Stop("the engine does not compile:\n" + first_errors(message)
                               + "\n  next      ./learn doctor")
        fresh = self.place / f"{os.getpid()}.a"
        subprocess.run(["ar", "rcs", str(fresh), *(str(job[0]) for job in jobs[1:])], check=True)
        fresh.replace(self.library)
        for old in PLACE.iterdir():  # what an older engine left behind
            if old.is_dir() and old != self.place:
                shutil.rmtree(old, ignore_errors=True)

    def objects(self, exercise: Exercise, source: Path) -> tuple[Path, str]:
        """The object of one source of an exercise, and the compiler's complaints."""
        headers = sorted(exercise.path.glob("*.hpp"))
        key = digest(self.chapters, *headers, source, source.name == "test.cpp", exercise.id)
        target = self.place / f"{exercise.id}-{key}.o"
        return target, compile_to(target, [
            COMPILER, *FLAGS, *CHECKED, "-I" + str(SUPPORT.parent), "-I" + str(exercise.path),
            "-include", str(self.header), "-c", str(source)])

    def program(self, exercise: Exercise, source: Path) -> tuple[Path, str]:
        """The tests linked with `source`, and the compiler's complaints."""
        test, complaints = self.objects(exercise, exercise.path / "test.cpp")
        if not complaints:
            answer, complaints = self.objects(exercise, source)
        if complaints:
            return Path(), complaints
        target = self.place / f"{answer.stem}-{digest(test.name)}"
        return target, compile_to(target, [COMPILER, str(test), str(answer), str(self.library),
                                           "-lopenblas", "-lpthread"])

    def run(self, exercise: Exercise, source: Path) -> Outcome:
        program, complaints = self.program(exercise, source)
        if complaints:
            return Outcome(error="compile", log=complaints)
        outcome = run_tests(program)
        if not outcome.error and outcome.cases != exercise.tests:
            outcome.error = (f"{outcome.cases} tests ran, exercises.toml says {exercise.tests}: "
                             "test.cpp was changed")
        return outcome


def limits(seconds: int = CPU_SECONDS) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        room = 4 << 30 if hard == resource.RLIM_INFINITY else min(hard, 4 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (room, hard))


def run_tests(program: Path) -> Outcome:
    path = program.with_name(f"{uuid.uuid4().hex}.report")
    environment = {**quiet_environment(), "XF_REPORT": str(path), "OPENBLAS_NUM_THREADS": "1"}
    status, log = 0, ""
    try:
        answer = subprocess.run([str(program), "--reporters=none"], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace",
                                env=environment, preexec_fn=limits, timeout=WALL_SECONDS,
                                stdin=subprocess.DEVNULL)
        status, log = answer.returncode, answer.stdout
    except subprocess.TimeoutExpired:
        status = -signal.SIGXCPU
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return read_report(lines, status, log)


def read_report(lines: list[str], status: int, log: str) -> Outcome:
    outcome, case, ended = Outcome(log=log), "", False
    for number, line in enumerate(lines):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        case = event.get("case", case)
        if "case" in event:
            outcome.names.append(case)
        elif "check" in event:
            outcome.checks.append({"case": case, "at": number, **event})
        elif "threw" in event:
            outcome.threw.append({"case": case, "at": number, **event})
        elif "end" in event:
            ended, outcome.cases = True, event["end"]
    where = f" in the test \"{case}\"" if case else ""
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        outcome.error = f"stopped after {CPU_SECONDS} s{where}: a loop that never ends?"
    elif status < 0:
        outcome.error = f"crashed ({signal.Signals(-status).name}){where}"
    elif not ended:
        outcome.error = f"the program ended{where} before the tests did (exit?)"
    return outcome


def first_errors(text: str, count: int = 3) -> str:
    errors = [line for line in text.splitlines() if re.search(r"error:|undefined reference", line)]
    shown = [line.replace(str(ROOT) + "/", "") for line in errors[:count]]
    return "\n".join("  " + line for line in shown or text.splitlines()[:count])
