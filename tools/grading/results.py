"""The results of a class: kept as they come in, written as JSON, JUnit and CSV, and summarised."""

from __future__ import annotations

import collections
import csv
import io
import json
import time
import xml.etree.ElementTree as xml
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tools.exercises.boxes import BOXES, light_of
from tools.exercises.manifest import Exercise
from tools.exercises.verdict import PUBLISHED
from tools.terminal import Stop, plain, say, write_file

VERDICTS = ("pass", "fail", "error", "missing")
WRITE_SECONDS = 2.0  # minimum time between two versions of the files
LONGEST_DETAIL = 300  # characters
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # would be evaluated by a spreadsheet


def shown_name(folder: str) -> str:
    """The displayed name of a folder, unique for each folder: its backslashes are doubled."""
    return plain(folder.replace("\\", "\\\\"))


@dataclass
class Result:
    student: str
    exercise: str
    verdict: str  # pass; fail: the tests ran; error: they did not, or not to the end; missing
    points: int
    of: int
    mistake: str = ""  # the names of the misconceptions that give these numbers
    detail: str = ""
    seconds: float = 0.0

    def __post_init__(self):
        self.student = shown_name(self.student)
        self.detail = plain(" ".join(self.detail.split()))[:LONGEST_DETAIL]


@dataclass
class Results:
    """Grows while the class is judged. Every version on disk is a complete file."""
    files: dict[str, Path]
    exercises: list[Exercise]
    all: list[Result] = field(default_factory=list)
    wrote: float = 0.0

    def add(self, *results: Result) -> None:
        self.all += results
        if results and time.monotonic() - self.wrote > WRITE_SECONDS:
            self.write(complete=False)

    def in_order(self) -> list[Result]:
        return sorted(self.all, key=lambda result: (result.student, result.exercise))

    def write(self, complete: bool) -> None:
        results = self.in_order()
        bars, boxes = histogram(results, self.exercises), lit(results, self.exercises)
        for flag, path in self.files.items():
            regular = path.is_file() or not path.exists()
            if regular or complete:  # pipes and terminals are written to only once
                put(path, WRITERS[flag](results, bars, boxes, complete), regular)
        self.wrote = time.monotonic()


def put(path: Path, text: bytes, regular: bool) -> None:
    try:
        if regular:
            write_file(path.resolve(), text)
        else:
            path.write_bytes(text)
    except OSError as error:
        raise Stop(f"grade: {path} cannot be written ({error.strerror})") from None


def histogram(results: list[Result], exercises: list[Exercise]) -> list[dict]:
    """The misconceptions of the class, the most frequent ones first."""
    count = collections.Counter((r.exercise, name) for r in results for name in r.mistake.split())
    known = {(e.id, mistake.name): mistake for e in exercises
             for mistake in (*e.mistakes, PUBLISHED)}
    return [{"exercise": key[0], "mistake": key[1], "students": students,
             "en": known[key].en, "zh": known[key].zh}
            for key, students in sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))]


def lit(results: list[Result], exercises: list[Exercise]) -> dict[str, list[str]]:
    """The boxes of `./learn mine` that each hand-in lights: those whose exercises all pass in their
    published form. A course's variants are not part of the models."""
    published = {one.id for one in exercises if not one.variant}
    own: dict[str, set[str]] = {}
    for result in results:
        passed = {result.exercise} if result.verdict == "pass" else set()
        own.setdefault(result.student, set()).update(passed & published)
    return {student: [box.name for box in BOXES.values() if light_of(box, ids) == 2]
            for student, ids in own.items()}


# ---- files ---------------------------------------------------------------------------------------


def as_json(results: list[Result], bars: list[dict], boxes: dict, complete: bool) -> bytes:
    report = {"complete": complete, "results": [asdict(result) for result in results],
              "misconceptions": bars, "boxes": boxes}
    return (json.dumps(report, indent=1, ensure_ascii=False) + "\n").encode()


def as_csv(results: list[Result], _bars: list[dict], _boxes: dict, _complete: bool) -> bytes:
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, list(Result.__dataclass_fields__))
    table.writeheader()
    for result in results:
        table.writerow({name: "'" + value if str(value).startswith(FORMULA) else value
                        for name, value in asdict(result).items()})
    return text.getvalue().encode("utf-8-sig")  # with a byte order mark for spreadsheets


def as_junit(results: list[Result], _bars: list[dict], _boxes: dict, _complete: bool) -> bytes:
    """A suite per student, a case per exercise."""
    root = xml.Element("testsuites")
    for student in sorted({result.student for result in results}):
        mine = [result for result in results if result.student == student]
        count = collections.Counter(result.verdict for result in mine)
        suite = xml.SubElement(root, "testsuite", name=student, tests=str(len(mine)),
                               failures=str(count["fail"]), errors=str(count["error"]),
                               skipped=str(count["missing"]))
        for result in mine:
            case = xml.SubElement(suite, "testcase", classname=student, name=result.exercise,
                                  time=str(result.seconds))
            kind = {"fail": "failure", "error": "error", "missing": "skipped"}.get(result.verdict)
            if kind:
                xml.SubElement(case, kind, message=result.detail, type=result.mistake or kind)
    return xml.tostring(root, encoding="utf-8", xml_declaration=True)


WRITERS = {"--json": as_json, "--junit": as_junit, "--csv": as_csv}


# ---- the terminal --------------------------------------------------------------------------------


def counted(results: list[Result]) -> str:
    count = collections.Counter(result.verdict for result in results)
    return ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS)


def show(results: list[Result], exercises: list[Exercise]) -> None:
    students = sorted({result.student for result in results})
    width = min(40, max(map(len, students), default=0))
    boxes = lit(results, exercises)
    for student in students:
        mine = [result for result in results if result.student == student]
        lights = f"   boxes {len(boxes[student])}" if any(boxes.values()) else ""
        say(f"  {student:<{width}}  {sum(r.points for r in mine):>3} of "
            f"{sum(r.of for r in mine)} points   {counted(mine)}{lights}")
    bars = histogram(results, exercises)
    if bars:
        say("  misconceptions of the class")
    for bar in bars:
        say(f"  {bar['students']:>4}  {bar['exercise']}  {bar['en']}")
