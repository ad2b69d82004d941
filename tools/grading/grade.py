"""`./learn grade FOLDER`: judges what a class handed in.

FOLDER holds one folder per student, and in it what the student has in my/, a copy of the checkout,
or files named after the exercises (`02-01.cpp`). Only these files are used; headers, tests and the
comparer are those of this tree. The protection against malicious hand-ins, and its limits, are
described in docs/en/teaching.md.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from tools import setup
from tools.exercises import manifest as course, renumbered, variants
from tools.exercises.build import Kit, first_errors
from tools.exercises.manifest import Exercise, everything, find, manifest
from tools.exercises.mistakes import Mistake
from tools.exercises.outcome import Outcome
from tools.exercises.run import RUNNING
from tools.exercises.verdict import known_outcomes, outright
from tools.grading import competition
from tools.grading.judge import Bench
from tools.grading.results import Result, Results, counted, show, shown_name
from tools.grading.sandbox import KINDS, chosen
from tools.terminal import ROOT, Flags, Stop, plain, say, shown

FLAGS_WITH_FILE = ("--json", "--junit", "--csv")
LARGEST = 1 << 20  # bytes of one file
AGAIN = "\n  ./learn grade --help shows the full usage"


def main(arguments: list[str]) -> int:
    wanted = read(arguments)
    course.SEED = variants.course_seed(wanted.seed)
    exercises = everything()
    students = sorted(path for path in wanted.folder.iterdir() if is_student(path))
    if not students:
        raise Stop(f"{wanted.folder} holds no folders; expected one per student" + AGAIN, 2)
    published = asked_for(competition.parts(), exercises) if wanted.minutes else manifest()
    graded = asked_for(wanted.ids, exercises) or published
    say_what_was_changed()
    say_what_is_left_out(wanted)
    say_new_numbers(wanted.ids, students, graded)
    results = Results(wanted.files, exercises)
    stop_when_asked()
    try:
        grade(students, graded, wanted, results)
    except KeyboardInterrupt:
        RUNNING.end_all()
        results.write(complete=False)
        say(f"  interrupted: {len(results.all)} of {len(students) * len(graded)} are judged")
        raise
    results.write(complete=True)
    show(results.in_order(), exercises)
    return 0


def asked_for(ids: list[str], exercises: list[Exercise]) -> list[Exercise]:
    """Without duplicates, however they were typed."""
    named = {exercise.id: exercise for exercise in (find(i, exercises) for i in ids)}
    return list(named.values())


def read(arguments: list[str]) -> argparse.Namespace:
    if arguments[:1] == [""]:  # an unset variable in a script; Path("") would be the current folder
        raise Stop("grade: the name of the folder is empty" + AGAIN, 2)
    parser = Flags("grade")
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("ids", metavar="ID", nargs="*", default=[])
    parser.add_argument("--seed", metavar="S")
    parser.add_argument("--sandbox", choices=KINDS, default="auto")
    parser.add_argument("--compete", metavar="MINUTES", type=float, default=0.0, dest="minutes")
    for flag in FLAGS_WITH_FILE:
        parser.add_argument(flag, dest=flag, metavar="FILE", type=Path)
    wanted = parser.parse_intermixed_args(arguments)
    wanted.files = {flag: vars(wanted)[flag] for flag in FLAGS_WITH_FILE if vars(wanted)[flag]}
    if not 0 <= wanted.minutes <= 600:
        raise Stop("grade: --compete takes the training time in minutes, at most 600" + AGAIN, 2)
    if not wanted.folder.is_dir():
        raise Stop(f"grade: {plain(str(wanted.folder))} is not a folder" + AGAIN, 2)
    flags: dict[str, str] = {}
    for flag, path in wanted.files.items():  # checked before an hour of grading
        other = flags.setdefault(place_of(path), flag)
        if other != flag:
            raise Stop(f"grade: {other} and {flag} name the same file, {path}" + AGAIN, 2)
        try:
            path.open("a").close()
        except OSError as error:
            raise Stop(f"grade: {flag} {path} cannot be written ({error.strerror})" + AGAIN, 2) \
                from None
    return wanted


def stop_when_asked() -> None:
    """A closed terminal, and `kill`, act like Ctrl-C: the results so far are written."""
    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        if threading.current_thread() is threading.main_thread():
            signal.signal(number, interrupt)


# ---- judging -------------------------------------------------------------------------------------


def grade(students: list[Path], exercises: list[Exercise], wanted: argparse.Namespace,
          results: Results) -> None:
    kit = Kit()
    remove_what_was_killed(kit.place)
    with tempfile.TemporaryDirectory(prefix=f"grade-{os.getpid()}-", dir=kit.place) as name:
        place = Path(name)
        bench = Bench(kit, place, chosen(wanted.sandbox, place))
        say("  sandbox   " + {
            "none": "none: hand-ins run with your rights; docs/en/teaching.md says what that means",
            "bwrap": "bwrap: no network, no devices, no checkout, nothing to write to"
        }[bench.sandbox.kind])
        if course.SEED:
            say(f"  course    seed {course.SEED}: its numbers, and its variants of the exercises")
        for exercise in exercises:
            case, found = Case(bench, exercise), len(results.all)
            handed_in = [case.read(student) for student in students]
            results.add(*(entry for entry in handed_in if isinstance(entry, Result)))
            to_judge = [entry for entry in handed_in if not isinstance(entry, Result)]
            if to_judge:  # a class hands in only some of the exercises
                case.stop_unless_the_solution_passes()
                case.judge_all(to_judge, results)
            kit.forget()
            say(f"  {exercise.id}  " + counted(results.all[found:]))
        if wanted.minutes:
            compete(bench, wanted.minutes, students, exercises, results)


def compete(bench: Bench, minutes: float, students: list[Path], exercises: list[Exercise],
            results: Results) -> None:
    """Uses those parts of each hand-in that pass in their published form."""
    parts = {one.id: one for one in exercises if one.id in competition.parts() and not one.variant}
    passed = {(result.student, result.exercise) for result in results.all
              if result.verdict == "pass"}
    entries = {shown_name(student.name): {
        part: handed_in(student, exercise) for part, exercise in parts.items()
        if (shown_name(student.name), part) in passed} for student in students}
    competition.compete(bench, minutes, entries, {shown_name(student.name): sheet_of(student)
                                                  for student in students})


def sheet_of(student: Path) -> bytes | None:
    try:
        return file_of(student, [f"my/{competition.SHEET}", competition.SHEET])
    except (OSError, ValueError):
        return b"what is no file"


def remove_what_was_killed(place: Path) -> None:
    """Removes folders left behind by killed gradings."""
    for folder in place.glob("grade-*-*"):
        try:
            os.kill(int(folder.name.split("-")[1]), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # somebody else's
            pass


class Case:
    """Judges one exercise; its known mistakes are run once there is a failure."""

    def __init__(self, bench: Bench, exercise: Exercise):
        self.bench, self.exercise = bench, exercise
        self.lock, self.known = threading.Lock(), None
        if not exercise.solution.exists():
            there = (ROOT / ".git").exists()
            raise Stop(f"grade: {shown(exercise.solution)} is not here; grading needs a whole "
                       "checkout\n  next      " + ("git checkout chapters" if there else
                                                   "grade in a checkout that has the solutions"))

    def stop_unless_the_solution_passes(self) -> None:
        solution = self.bench.run(self.exercise, self.exercise.solution.read_bytes())
        if not solution.passed:
            raise Stop(f"{self.exercise.id}: the solution itself fails: {solution.error}\n"
                       f"  next      ./learn verify {self.exercise.id}")

    def result(self, student: str, verdict: str, detail: str) -> Result:
        return Result(student, self.exercise.id, verdict, 0, self.exercise.points, detail=detail)

    def read(self, student: Path) -> Result | tuple[str, bytes]:
        """What the student handed in, or a result that says why there is nothing to judge."""
        try:
            text = handed_in(student, self.exercise)
        except OSError as error:
            return self.result(student.name, "error", f"cannot be read ({error.strerror})")
        except ValueError as error:
            return self.result(student.name, "error", str(error))
        if text is None:
            return self.result(student.name, "missing", "not handed in")
        return student.name, text

    def judge_all(self, entries: list[tuple[str, bytes]], results: Results) -> None:
        """Identical files are judged once: early on, most of a class still has the skeletons."""
        authors: dict[bytes, list[str]] = {}
        for student, text in entries:
            authors.setdefault(text, []).append(student)
        pool = concurrent.futures.ThreadPoolExecutor(setup.parallel_jobs())
        try:
            jobs = {pool.submit(self.judge, text): names for text, names in authors.items()}
            for job in concurrent.futures.as_completed(jobs):
                verdict = job.result()
                results.add(*(Result(name, *verdict[:-1], seconds=verdict[-1])
                              for name in jobs[job]))
        except KeyboardInterrupt:
            RUNNING.end_all()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def judge(self, text: bytes) -> tuple:
        """The fields of a result. Any exception counts as an error of this hand-in alone."""
        start, verdict, mistake = time.monotonic(), "error", ""
        try:
            outcome = self.bench.run(self.exercise, text)
            verdict, mistake, detail = self.verdict(outcome)
            words = text.decode("utf-8", "replace")
            if verdict == "pass" and course.lacks_words(self.exercise, words):
                verdict, detail = "fail", "the written answer is missing"
        except Exception as error:
            detail = f"could not be judged: {type(error).__name__}: {error}"
        points = self.exercise.points if verdict == "pass" else 0
        return (self.exercise.id, verdict, points, self.exercise.points, mistake, detail,
                round(time.monotonic() - start, 2))

    def verdict(self, outcome: Outcome) -> tuple[str, str, str]:
        """The verdict, the mistake if its numbers are known, and a line of detail."""
        if outcome.error == "compile":
            return "error", "", "does not compile: " + first_errors(outcome.log, 1).strip()
        if outcome.error:
            return "error", "", outcome.error
        if outcome.unfinished:
            return "fail", "", "still to be written"
        if not outcome.passed:
            cases = {mark["case"] for mark in outcome.failed + outcome.threw}
            found = outright(outcome, self.known_mistakes())
            return ("fail", " ".join(mistake.name for mistake in found),
                    f"{len(cases)} of {self.exercise.tests} tests fail")
        return "pass", "", ""

    def known_mistakes(self) -> dict[Mistake, Outcome]:
        with self.lock:
            if self.known is None:
                self.known = known_outcomes(self.bench.kit, self.exercise)
            return self.known


# ---- what was handed in --------------------------------------------------------------------------


def handed_in(student: Path, exercise: Exercise) -> bytes | None:
    """The student's file; None if there is none. Raises ValueError if it is not a regular file in
    regular folders: a link may lead to the solution, a pipe may never end."""
    file, numbers = exercise.answer.name, numbers_in(student, exercise)
    return file_of(student, [
        f"my/{file}", file, *(f"{number}.cpp" for number in numbers),
        *(f"{number}/exercise.cpp" for number in numbers), f"{exercise.folder}/exercise.cpp",
        *renumbered.files_before(exercise)])


def numbers_in(student: Path, exercise: Exercise) -> list[str]:
    """The numbers that the exercise has in the names of files and folders there: 02-01, 2-1 ..."""
    names = (path.name.removesuffix(".cpp") for path in student.glob("*"))
    return sorted({name for name in names if renumbered.in_full(name) == exercise.id})


def file_of(student: Path, names: list[str]) -> bytes | None:
    """The content of the first of these that exists."""
    for name in names:
        path = student.parent
        for part in (student.name, *name.split("/")):
            path = path / part
            if path.is_symlink():
                raise ValueError(f"{path.relative_to(student.parent)} is a link")
        if os.path.lexists(path):
            return content(path)
    return None


def content(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        raise ValueError(f"{path.name} is a folder" if stat.S_ISDIR(kind) else
                         f"{path.name} is no file")
    with open(descriptor, "rb") as file:
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise ValueError(f"{path.name} has more than {LARGEST >> 20} MiB")
    return text


def is_student(path: Path) -> bool:
    return os.path.isdir(path) and not path.name.startswith(".")


def place_of(path: Path) -> str:
    return os.path.realpath(path)  # does not fail for a link to itself, unlike Path.resolve()


def say_what_is_left_out(wanted: argparse.Namespace) -> None:
    """Reports what is no student's folder, in case one was meant; hidden files are ignored."""
    reports = {place_of(path) for path in wanted.files.values()}
    names = sorted(shown_name(path.name) for path in wanted.folder.iterdir()
                   if not is_student(path) and place_of(path) not in reports
                   and (path.is_dir() or not path.name.startswith(".")))
    if names:
        say(f"  note      no folder of a student, so left out: {', '.join(names[:3])}"
            + (f" and {len(names) - 3} more" if len(names) > 3 else ""))


def say_new_numbers(typed: list[str], students: list[Path], graded: list[Exercise]) -> None:
    """Reports old numbers, among those typed and in hand-ins that are identified by number only."""
    named = [exercise.id for exercise in graded for student in students
             if numbers_in(student, exercise)]
    for line in dict.fromkeys(renumbered.note(name, manifest(), False)
                              for name in [*typed, *named]):
        if line:
            say(line)


def say_what_was_changed() -> None:
    """Reports local changes, as hand-ins are judged with this tree."""
    if not shutil.which("git"):
        return
    answer = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "status", "--porcelain", "--",
                             "chapters", "common", "exercises"],
                            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)
    changed = [line[3:] for line in answer.stdout.splitlines()]
    if changed:
        say(f"  note      this tree differs from its commit: {', '.join(changed[:3])}"
            + (f" and {len(changed) - 3} more" if len(changed) > 3 else ""))
