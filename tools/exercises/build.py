"""Builds one exercise and runs its tests.

What the learner does not edit is built once: the engine, the doctest main, the comparer and one
precompiled header. Every object is named after a hash of its inputs, so nothing is ever stale, and
`try`, `watch` and `verify` share what they build.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import uuid
from pathlib import Path
from typing import Iterable, Iterator, Sequence

from tools import setup
from tools.exercises.manifest import Exercise
from tools.exercises.mistakes import Fault, Mistake
from tools.exercises.outcome import SLACK, TEST_LIMITS, Outcome, judged, outcome_of
from tools.exercises.run import Limits, run_limited, workers
from tools.language import in_language
from tools.terminal import (ROOT, Doing, Stop, in_turn, lock_file, quiet_environment,
                            write_file)

PLACE = ROOT / "build" / "exercises"
SUPPORT = ROOT / "exercises" / "support"
ENGINE = ("language", "tensor", "autograd", "ops", "nn")
EMULATOR = [*(ROOT / "common" / "cuda" / name for name in ("emulator.cpp", "emulated_memory.cpp")),
            *sorted((ROOT / "common" / "cuda" / "watch").glob("*.cpp"))]
PROCESSES = [ROOT / "common" / "distributed" / name
             for name in ("endpoint.hpp", "mailboxes.hpp", "mailboxes.cpp", "collectives.hpp",
                          "collectives.cpp")]
SWITCHES = ["-std=c++20", "-Wall", "-Wno-unused-parameter", "-Wno-restrict", "-fopenmp-simd",
            "-Werror=return-type"]  # a missing return would crash somewhere else
LEFT_OUT = {ROOT / "common" / "tensor" / "storage.cpp",  # support/storage.cpp adds guards
            ROOT / "common" / "tensor" / "no_openblas.cpp"}  # an alternative without OpenBLAS
# For readable errors from xtensor and the standard library in the learner's own code.
CHECKED = ["-O0", "-DXTENSOR_ENABLE_ASSERT", "-D_GLIBCXX_ASSERTIONS"]
# Used instead if a test watches a kernel's memory accesses: hooks at every access, as in
# common/CMakeLists.txt.
HOOKED = ["-D_GLIBCXX_ASSERTIONS", "-O1", "-finline-functions", "-finline-small-functions",
          "-fno-tree-sra", "-fsanitize=thread,alignment,bounds,signed-integer-overflow,shift,"
          "integer-divide-by-zero", "--param=tsan-instrument-func-entry-exit=0",
          "-fsanitize-coverage=trace-pc"]
COMPILE_LIMITS = Limits(wall=300, cpu=300, file=1 << 30)  # the precompiled header is 170 MB
TURNS = 3  # salts: each takes one third of the sizes far beyond (exercises/support/checks.cpp)
KEPT_FILES = 1800  # about 1 MB each; `verify` makes two per source
COMPILER = os.environ.get("CXX") or "g++"  # CXX= is no compiler
JOIN = [COMPILER, "-r", "-nostdlib"]  # links several objects into one
LIBRARIES = ["-lopenblas", "-lpthread"]
# Each of a test's two programs leaves out what only the other one uses.
TEST_FLAGS, LEAN = ["-Wno-unused", "-ffunction-sections"], "-Wl,--gc-sections"


def includes_of(*folders: Path) -> list[str]:
    return ["-I" + str(folder) for folder in folders]


def flags_of_answer(exercise: Exercise, header: Path) -> list[str]:
    """The compiler flags for an answer. The precompiled header has no hooks."""
    return [*HOOKED, "-include", "support/hooked.hpp"] if exercise.is_watched else \
        [*CHECKED, "-include", str(header)]


FLAGS = [*SWITCHES, *includes_of(ROOT / "common", ROOT / "chapters", SUPPORT.parent)]


def digest(*parts) -> str:
    total = hashlib.sha1()
    for part in parts:
        total.update(part.read_bytes() if isinstance(part, Path) else str(part).encode())
        total.update(b"\0")
    return total.hexdigest()[:20]


def sources_of(*folders: Path, kinds=("*.hpp", "*.cpp")) -> list[Path]:
    return sorted(p for folder in folders for kind in kinds for p in folder.rglob(kind))


def is_made(target: Path) -> bool:
    """A power failure may leave an empty file, which does not count."""
    return target.exists() and target.stat().st_size > 0


def forget_all_but(count: int, made: Iterable[Path]) -> None:
    """Removes all but the newest files, or folders; some may still be in use."""
    def age(path: Path) -> float:
        with contextlib.suppress(FileNotFoundError):  # another ./learn was faster
            return path.stat().st_mtime
        return 0

    for old in sorted(made, key=age)[:-count]:
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)


def compile_to(target: Path, command: list[str]) -> str:
    """Makes `target` unless it exists. Returns the compiler's errors if it fails."""
    if is_made(target):
        return ""
    if not os.access(target.parent, os.W_OK):  # or the compiler would blame the learner's code
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target.parent))
    fresh = target.with_name(f"{uuid.uuid4().hex}-{target.name}")
    complaints = compiled([*command, "-o", str(fresh)], ROOT)
    if complaints:
        fresh.unlink(missing_ok=True)
        if os.strerror(errno.ENOSPC) in complaints:
            passing = tempfile.gettempdir()  # where the compiler puts its input for the assembler
            there = f"{passing}/" in complaints and str(fresh) not in complaints
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC),
                          passing if there else str(target.parent))
        return complaints
    fresh.replace(target)
    return ""


def compiled(command: list[str], folder: Path, **environment: str) -> str:
    """Runs the compiler in the folder. Returns its errors if it fails."""
    ran = run_limited(command, COMPILE_LIMITS, folder,
                      {**os.environ, "LC_ALL": "C", "CCACHE_DISABLE": "1", **environment})
    if ran.status == 0:
        return ""
    text = ran.printed.decode("utf-8", "replace")
    if ran.status in (-signal.SIGXCPU, -signal.SIGALRM):
        text = f"error: the compiler was stopped after {COMPILE_LIMITS.wall} s"
    return text or f"{Path(command[0]).name} ended with status {ran.status}"


class Kit:
    """What is built only once, in a folder named after a hash of its inputs."""

    def __init__(self, zh: bool = False):
        if not shutil.which(COMPILER):
            raise Stop(f"{COMPILER} is not installed\n  next      ./learn doctor")
        engine = [path for path in sources_of(ROOT / "common")
                  if path.relative_to(ROOT / "common").parts[0] in ENGINE] + EMULATOR + PROCESSES
        support = sources_of(SUPPORT)
        version = subprocess.run([COMPILER, "-dumpfullversion"], stdout=subprocess.PIPE).stdout
        self.key = digest(COMPILER, version, FLAGS, CHECKED, HOOKED, TEST_FLAGS, JOIN, *engine,
                          *support)
        self.place = PLACE / self.key
        self.header = self.place / "precompiled.hpp"
        self.engine = self.place / "engine.o"
        # The results of the judge's programs, by exercise and salt.
        self.known: dict[tuple[Path, str, str], Outcome] = {}
        # Only the chapters' headers: the learner's file cannot be linked with a chapter's sources.
        self.chapters = digest(*sorted((ROOT / "chapters").glob("*/*.hpp")))
        if not self.is_built:
            sources = [path for path in engine + support
                       if path.suffix == ".cpp" and path not in LEFT_OUT]
            with self.building():
                if not self.is_built:  # not built by another process meanwhile
                    self.build(sources, zh)
        self.forget()

    @property
    def is_built(self) -> bool:
        return all(map(is_made, (self.engine, self.header.with_suffix(".hpp.gch"))))

    @staticmethod
    @contextlib.contextmanager
    def building() -> Iterator[None]:
        try:
            lock = PLACE / "building.lock"
            lock_file(lock).close()
        except OSError as error:
            raise Stop(f"build/ cannot be written to ({error.strerror}); exercises need a checkout "
                       "of your own\n  next      cp -r . ~/transformer && cd ~/transformer", 2) \
                from None
        with in_turn(lock):
            yield

    def forget(self) -> None:
        """Every edit leaves an object and a program behind."""
        forget_all_but(KEPT_FILES, self.place.glob("[0-9A-Z]*-[0-9]*"))

    def build(self, sources: list[Path], zh: bool) -> None:
        self.place.mkdir(parents=True, exist_ok=True)
        write_file(self.header, '#include "support/kit.hpp"\n')
        jobs = [(self.header.with_suffix(".hpp.gch"),
                 [COMPILER, *FLAGS, *CHECKED, "-x", "c++-header", str(self.header)])]
        for source in self.fewer(sources):
            name = "-".join(source.relative_to(ROOT).with_suffix(".o").parts)
            jobs.append((self.place / name, [COMPILER, *FLAGS, "-O1", "-c", str(source)]))

        def make(job: tuple[Path, list[str]]) -> str:
            message = compile_to(*job)
            doing.tick()
            return message

        with workers(setup.parallel_jobs()) as pool, \
                Doing(in_language("building the engine: about a minute, once", zh),
                      len(jobs)) as doing:
            for message in pool.map(make, jobs):
                if message:
                    raise Stop("the engine does not compile:\n" + first_errors(message)
                               + "\n  next      ./learn doctor")
        complaints = compile_to(self.engine, [*JOIN, *(str(job[0]) for job in jobs[1:])])
        if complaints:
            raise Stop("the engine cannot be linked:\n" + first_errors(complaints)
                       + "\n  next      ./learn doctor")
        for old in PLACE.iterdir():  # left over from older engines
            if old.is_dir() and old != self.place:
                shutil.rmtree(old, ignore_errors=True)

    def fewer(self, sources: list[Path]) -> list[Path]:
        """Joins the sources that call kernels, a dozen in one: most of their compile time is spent
        on the same headers."""
        single = [path for path in sources if path.parent == SUPPORT or path.suffix != ".cpp"
                  or path.name.endswith("cpu.cpp") or path in EMULATOR + PROCESSES]
        many = [path for path in sources if path not in single]
        joined = [self.place / f"joined-{first}.cpp" for first in range(0, len(many), 12)]
        for first, path in enumerate(joined):
            write_file(path, "".join(f'#include "{source}"\n'
                                     for source in many[12 * first:12 * first + 12]))
        return joined + single

    def objects(self, exercise: Exercise, source: Path, flags=()) -> tuple[Path, str]:
        """The object file of one source of an exercise, and the compiler's errors."""
        headers = sorted(exercise.path.glob("*.hpp"))
        key = digest(self.chapters, *headers, source, flags, exercise.id)
        target = self.place / f"{exercise.id}-{key}.o"
        return target, compile_to(target, [
            COMPILER, *FLAGS, *includes_of(exercise.path), *flags, "-c", str(source)])

    def answer(self, exercise: Exercise, source: Path) -> tuple[Path, str]:
        return self.objects(exercise, source, flags_of_answer(exercise, self.header))

    def test(self, exercise: Exercise) -> tuple[Path, str]:
        """The tests for linking with an answer: they do not contain the expected values."""
        return self.objects(exercise, exercise.test, self.test_flags())

    def test_flags(self) -> list[str]:
        return [*CHECKED, "-include", str(self.header), *TEST_FLAGS]

    def judging(self, exercise: Exercise) -> tuple[Path, str]:
        """The tests compiled to compute the expected values."""
        return self.objects(exercise, exercise.test, [*self.test_flags(), "-DXF_JUDGE"])

    def judge(self, exercise: Exercise) -> tuple[Path, str]:
        """The program that computes the expected values, and the compiler's errors."""
        test, complaints = self.judging(exercise)
        if complaints:
            return Path(), complaints
        target = self.place / f"{test.stem}-judge"
        return target, compile_to(target, [COMPILER, LEAN, str(self.engine), str(test),
                                           *LIBRARIES])

    def prepare(self, exercise: Exercise) -> None:
        """Builds both test programs, except for the answer."""
        with workers(1) as pool:
            judging = pool.submit(self.judge, exercise)
            self.test(exercise)
            judging.result()

    def expected(self, exercise: Exercise, salt: str = "") -> Outcome:
        """The judge's results. Raises Stop if it fails, as that is a fault of this tree."""
        judge, complaints = self.judge(exercise)
        if complaints:
            self.complain(exercise, first_errors(complaints))
        usual, this = not salt, (judge, exercise.id, exercise.salt)
        if usual and this in self.known:
            return self.known[this]
        outcome = run_tests(judge, salt or exercise.salt, not usual, self.only(exercise))
        if outcome.error or outcome.threw:
            self.complain(exercise, outcome.error or f"  {outcome.threw[0]['threw']}")
        if usual:
            self.known[this] = outcome
        return outcome

    @staticmethod
    def complain(exercise: Exercise, why: str) -> None:
        raise Stop(f"{exercise.id}: its test.cpp does not work:\n{why}")

    def only(self, exercise: Exercise) -> list[str]:
        """The arguments that select an exercise's tests: here the program has no others."""
        return []

    def program(self, exercise: Exercise, source: Path) -> tuple[Path, str]:
        """The tests linked with `source`, and the compiler's errors."""
        with workers(2) as pool:
            answering = pool.submit(self.answer, exercise, source)
            test, complaints = self.test(exercise)
            answer, more = answering.result()
        if complaints or more:
            return Path(), complaints or more
        target = self.place / f"{answer.stem}-{digest(test.name)}"
        return target, compile_to(target, [COMPILER, LEAN, str(self.engine), str(test),
                                           str(answer), *LIBRARIES])

    def expanded(self, exercise: Exercise, mistake: Mistake) -> Path:
        """The path of the solution with this mistake, rewritten only if it changed."""
        folder = self.place / "mistakes" / exercise.id
        path = folder / (exercise.variant.name if exercise.variant else "") / f"{mistake.name}.cpp"
        text = mistake.source(exercise.solution)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, text)
        return path

    def run_mistake(self, exercise: Exercise, mistake: Mistake) -> Outcome:
        try:
            source = self.expanded(exercise, mistake)
        except Fault as fault:
            return Outcome(error=mistake.told(fault))
        outcome = self.run(exercise, source)
        if outcome.error == "compile":
            outcome.log = mistake.in_the_list(outcome.log, source, exercise.solution)
        return outcome

    def run(self, exercise: Exercise, source: Path) -> Outcome:
        with workers(1) as pool:
            expecting = pool.submit(self.expected, exercise)
            program, complaints = self.program(exercise, source)
            if complaints:
                return Outcome(error="compile", log=complaints)
            outcome = run_tests(program, exercise.salt, only=self.only(exercise))
            expected = expecting.result()
        outcome = judged(outcome, expected, SLACK if exercise.salt else 1)
        if not outcome.error and expected.cases != exercise.tests:
            outcome.error = (f"{expected.cases} tests ran, exercises/manifest.toml says "
                             f"{exercise.tests}: one of them was changed")
        return outcome

    def run_fresh(self, exercise: Exercise, source: Path, salt: str) -> Outcome:
        """Runs with the inputs and the test order drawn from this salt, as in grading."""
        program, complaints = self.program(exercise, source)
        if complaints:
            return Outcome(error="compile", log=complaints)
        outcome = run_tests(program, salt, shuffled=True, only=self.only(exercise))
        return judged(outcome, self.expected(exercise, salt), SLACK)


def salt_in_turn(salt: str, turn: int) -> str:
    """The nearest salt with which the sizes of this turn lie far beyond their range."""
    number = int(salt, 16)
    return f"{number - number % TURNS + turn % TURNS:016x}"


def run_tests(program: Path, salt: str = "", shuffled: bool = False,
              only: Sequence[str] = ()) -> Outcome:
    environment = {**quiet_environment(), "OPENBLAS_NUM_THREADS": "1", "XF_SALT": salt}
    return outcome_of(run_limited([str(program), *arguments(salt if shuffled else ""), *only],
                                  TEST_LIMITS, Path.cwd(), environment, reports=True))


def arguments(salt: str) -> list[str]:
    """The arguments of a test program: with a salt, the tests run in an unpredictable order."""
    order = ["--order-by=rand", f"--rand-seed={int(salt, 16) % 2 ** 31}"] if salt else []
    return ["--reporters=none", *order]


def first_errors(text: str, count: int = 3) -> str:
    telling = re.compile(r"[Ee]rror:|undefined reference|multiple definition")
    errors = [line for line in text.splitlines() if telling.search(line)]
    shown = [line.replace(str(ROOT) + "/", "") for line in errors[:count]]
    return "\n".join("  " + line for line in shown or text.strip().splitlines()[:count])
