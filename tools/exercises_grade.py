"""`./learn grade FOLDER`: judges what a class handed in.

FOLDER holds one folder per student, and in it either a copy of the checkout or files named after
the exercises (`02-01.cpp`). Only the student's exercise.cpp is taken; headers, tests and the
comparer are those of this tree. The programs run with a limit of time and memory, but with the
rights of whoever calls this: hand-ins of strangers belong in a container.
"""

from __future__ import annotations

import collections
import concurrent.futures
import csv
import json
import re
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as xml
from dataclasses import asdict, dataclass
from pathlib import Path

from tools import setup
from tools.exercises_build import COMPILER, FLAGS, SUPPORT, Kit, Outcome, first_errors
from tools.exercises_manifest import Exercise, find, manifest
from tools.exercises_verdict import misconception, mutant_outcomes, named
from tools.terminal import ROOT, Stop, say

FLAGS_WITH_FILE = ("--json", "--junit", "--csv")
LARGEST = 1 << 20  # bytes of one exercise.cpp
AGAIN = "\n  next      ./learn grade FOLDER [ID...] [--json FILE] [--junit FILE] [--csv FILE]"


@dataclass
class Result:
    student: str
    exercise: str
    verdict: str  # pass; fail: the tests ran; error: they did not, or not to their end
    points: int
    of: int
    mistake: str = ""  # the file name of the misconception, when the numbers are its own
    detail: str = ""
    seconds: float = 0.0


def main(arguments: list[str]) -> int:
    folder, ids, files = read(arguments)
    exercises = manifest()
    chosen = [find(i, exercises) for i in ids] or exercises
    students = sorted(path for path in folder.iterdir()
                      if path.is_dir() and not path.name.startswith("."))
    if not students:
        raise Stop(f"{folder} holds no folders; one per student is wanted" + AGAIN, 2)
    say_what_was_changed()
    results = grade(students, chosen)
    write(results, files)
    show(results, students, exercises)
    return 0


def read(arguments: list[str]) -> tuple[Path, list[str], dict[str, Path]]:
    rest, plain, files = list(arguments), [], {}
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            plain.append(word)
        elif word not in FLAGS_WITH_FILE:
            raise Stop(f"grade: {word} is no flag here; there are --json, --junit and --csv"
                       + AGAIN, 2)
        elif not rest or rest[0].startswith("-"):
            raise Stop(f"grade: {word} needs the name of a file" + AGAIN, 2)
        else:
            files[word] = Path(rest.pop(0))
    if not plain:
        raise Stop("grade: which folder?" + AGAIN, 2)
    if not Path(plain[0]).is_dir():
        raise Stop(f"grade: {plain[0]} is no folder" + AGAIN, 2)
    for flag, path in files.items():  # before an hour of grading, not after it
        try:
            path.open("a").close()
        except OSError as error:
            raise Stop(f"grade: {flag} {path} cannot be written ({error.strerror})" + AGAIN, 2) \
                from None
    return Path(plain[0]), plain[1:], files


# ---- judging -------------------------------------------------------------------------------------


def grade(students: list[Path], exercises: list[Exercise]) -> list[Result]:
    kit, results = Kit(), []
    with tempfile.TemporaryDirectory(prefix="grade-") as place:
        for exercise in exercises:
            solution = kit.run(exercise, exercise.solution)
            if not solution.passed:
                raise Stop(f"{exercise.id}: the solution itself fails\n"
                           f"  next      ./learn verify {exercise.id}")
            mutants = Mutants(kit, exercise)
            with concurrent.futures.ThreadPoolExecutor(setup.parallel_jobs()) as pool:
                results += pool.map(
                    lambda s: judge(kit, exercise, s, Path(place), solution, mutants), students)
            kit.forget()
            count = collections.Counter(r.verdict for r in results if r.exercise == exercise.id)
            say(f"  {exercise.id}  " + ", ".join(f"{count[v]} {v}"
                                                 for v in ("pass", "fail", "error")))
    return sorted(results, key=lambda r: (r.student, r.exercise))


class Mutants:
    """What the known mistakes of an exercise give; they run when the first hand-in fails."""

    def __init__(self, kit: Kit, exercise: Exercise):
        self.kit, self.exercise, self.lock, self.ran = kit, exercise, threading.Lock(), None

    def outcomes(self) -> dict[Path, Outcome]:
        with self.lock:
            self.ran = self.ran or mutant_outcomes(self.kit, self.exercise)
            return self.ran


def handed_in(student: Path, exercise: Exercise) -> Path | None:
    names = (f"{exercise.folder}/exercise.cpp", f"{exercise.id}.cpp", f"{exercise.id}/exercise.cpp")
    found = [student / name for name in names if (student / name).is_symlink()
             or (student / name).exists()]
    return found[0] if found else None


def judge(kit: Kit, exercise: Exercise, student: Path, place: Path, solution: Outcome,
          mutants: Mutants) -> Result:
    start = time.monotonic()
    result = Result(student.name, exercise.id, "error", 0, exercise.points)
    file = handed_in(student, exercise)
    result.detail = refused(file)
    if result.detail:
        return result
    # Alone in a folder: an #include finds no other file of the student's.
    source = place / student.name / exercise.id / "exercise.cpp"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(file.read_bytes())
    outcome = kit.run(exercise, source)
    if outcome.error == "compile":
        text = first_errors(outcome.log, 1).strip().replace(str(source), "exercise.cpp")
        result.detail = "does not compile: " + text
    elif outcome.error:
        result.detail = outcome.error
    elif outcome.unfinished:
        result.verdict, result.detail = "fail", "still to be written"
    elif not outcome.passed:
        result.verdict = "fail"
        cases = {mark["case"] for mark in outcome.failed + outcome.threw}
        result.detail = f"{len(cases)} of {exercise.tests} tests fail"
        found = named(outcome, mutants.outcomes())
        result.mistake = found[0].stem if found else ""
    elif checks(outcome) != checks(solution):
        result.detail = "other checks ran than with the solution: the report was tampered with"
    else:
        taken = borrowed(exercise, source, student.parent)
        if taken:
            result.detail = f"includes {taken}, which is not the student's"
        else:
            result.verdict, result.points = "pass", exercise.points
    result.seconds = round(time.monotonic() - start, 2)
    return result


def refused(file: Path | None) -> str:
    if file is None:
        return "not handed in"
    if file.is_symlink() or not file.is_file():
        return "exercise.cpp is a link or no file"
    if file.stat().st_size > LARGEST:
        return f"exercise.cpp has more than {LARGEST >> 20} MiB"
    return ""


def checks(outcome: Outcome) -> list[tuple[str, str]]:
    return sorted((check["case"], check["check"]) for check in outcome.checks)


def borrowed(exercise: Exercise, source: Path, class_folder: Path) -> str:
    """The first file that the hand-in includes and may not: a solution, or another hand-in."""
    answer = subprocess.run([COMPILER, *FLAGS, "-I" + str(SUPPORT.parent),
                             "-I" + str(exercise.path), "-MM", str(source)], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if answer.returncode != 0:
        return "a file that is not there"
    own = {source.resolve(), exercise.path / "exercise.hpp"}
    others = (class_folder.resolve(), source.parents[2].resolve())
    for name in re.split(r"[\s\\]+", answer.stdout.partition(":")[2].strip()):
        path = (ROOT / name).resolve()
        if path in own:
            continue
        if path.is_relative_to(ROOT):
            part = path.relative_to(ROOT)
            if part.suffix != ".hpp" or "exercises" in part.parts[1:]:
                return part.as_posix()
        elif any(path.is_relative_to(folder) for folder in others):
            return str(path)
    return ""


def say_what_was_changed() -> None:
    """Hand-ins are judged by this tree: is it the one that was committed?"""
    answer = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "status", "--porcelain", "--",
                             "chapters", "common", "exercises", "exercises.toml"], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    changed = [line[3:] for line in answer.stdout.splitlines()
               if not line.endswith("/exercise.cpp")]
    if changed:
        say(f"  note      this tree differs from its commit: {', '.join(changed[:3])}"
            + (f" and {len(changed) - 3} more" if len(changed) > 3 else ""))


# ---- telling -------------------------------------------------------------------------------------


def histogram(results: list[Result], exercises: list[Exercise]) -> list[dict]:
    """Which misconceptions the class has, the most frequent ones first."""
    count = collections.Counter((r.exercise, r.mistake) for r in results if r.mistake)
    known = {(e.id, path.stem): path for e in exercises for path in e.mutants}
    return [{"exercise": key[0], "mistake": key[1], "students": students,
             "en": misconception(known[key], False), "zh": misconception(known[key], True)}
            for key, students in sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))]


def show(results: list[Result], students: list[Path], exercises: list[Exercise]) -> None:
    width = max(len(student.name) for student in students)
    for student in students:
        mine = [r for r in results if r.student == student.name]
        count = collections.Counter(r.verdict for r in mine)
        say(f"  {student.name:<{width}}  {sum(r.points for r in mine):>3} of "
            f"{sum(r.of for r in mine)} points   {count['pass']} pass, {count['fail']} fail, "
            f"{count['error']} error")
    bars = histogram(results, exercises)
    if bars:
        say("  misconceptions of the class")
    for bar in bars:
        say(f"  {bar['students']:>4}  {bar['exercise']}  {bar['en']}")


def write(results: list[Result], files: dict[str, Path]) -> None:
    writers = {"--json": write_json, "--junit": write_junit, "--csv": write_csv}
    for flag, path in files.items():
        writers[flag](results, path)


def write_json(results: list[Result], path: Path) -> None:
    report = {"results": [asdict(result) for result in results],
              "misconceptions": histogram(results, manifest())}
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_csv(results: list[Result], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8-sig") as file:  # the mark is for spreadsheets
        table = csv.DictWriter(file, list(Result.__dataclass_fields__))
        table.writeheader()
        table.writerows(asdict(result) for result in results)


def write_junit(results: list[Result], path: Path) -> None:
    """A suite per student, a case per exercise."""
    root = xml.Element("testsuites")
    for student in sorted({result.student for result in results}):
        mine = [result for result in results if result.student == student]
        count = collections.Counter(result.verdict for result in mine)
        suite = xml.SubElement(root, "testsuite", name=student, tests=str(len(mine)),
                               failures=str(count["fail"]), errors=str(count["error"]))
        for result in mine:
            case = xml.SubElement(suite, "testcase", classname=student, name=result.exercise,
                                  time=str(result.seconds))
            if result.verdict != "pass":
                kind = {"fail": "failure", "error": "error"}[result.verdict]
                text = re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", result.detail)
                xml.SubElement(case, kind, message=text, type=result.mistake or kind)
    xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
