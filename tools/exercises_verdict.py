"""The name of a mistake: whose numbers are those of the learner? What the known mistakes of an
exercise (mutants/) give is recorded in its mutants.json, so that none has to be compiled."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

from tools import setup
from tools.exercises_build import Kit, digest
from tools.exercises_manifest import Exercise
from tools.exercises_outcome import Outcome
from tools.exercises_run import workers

UNRECORDED = "the loss was not recorded on this tape"  # what the tape throws
MOST = 2  # mistakes at once; numbers that need more names are not explained by them
DIGITS = 6  # of a recorded number; two numbers are the same when about four of them agree


def is_close(a, b) -> bool:
    a, b = float(a), float(b)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= 1e-5 + 1e-4 * abs(a)


def same_numbers(a: dict | None, b: dict | None) -> bool:
    if a is None or b is None:
        return a is b
    return a["shape"] == b["shape"] and all(map(is_close, a["values"], b["values"]))


# ---- matching ------------------------------------------------------------------------------------


def fingerprint(outcome: Outcome) -> dict:
    """What failed, check by check, and with which numbers."""
    marks = {(check["case"], check["check"]): check for check in outcome.failed}
    return {**marks, **{(event["case"], "threw"): event for event in outcome.threw}}


def explained(mine: dict, other: dict) -> set:
    """The marks of `mine` that `other` has too, with the same numbers."""
    return {key for key in mine.keys() & other.keys()
            if same_mark(mine[key].get("actual"), other[key].get("actual"))
            and mine[key].get("threw") == other[key].get("threw")}


def same_mark(mine: dict | None, known: dict | None) -> bool:
    """Also where the mistake left numbers unwritten, which are NaN, and the learner 0."""
    if same_numbers(known, mine) or not (mine and known and mine["shape"] == known["shape"]):
        return same_numbers(known, mine)
    pairs = [(float(a), float(b)) for a, b in zip(known["values"], mine["values"])]
    written = [(a, b) for a, b in pairs if not math.isnan(a)]
    return (any(a != 0 for a, _ in written) and all(is_close(a, b) for a, b in written)
            and all(b == 0 for a, b in pairs if math.isnan(a)))


def same_mistake(student: Outcome, mutant: Outcome) -> bool:
    """Do the same checks fail, and with the same numbers?"""
    mine, other = fingerprint(student), fingerprint(mutant)
    return bool(mine) and mine.keys() == other.keys() == explained(mine, other)


def telling(mark: dict) -> bool:
    """Could only one mistake have left this? No tensor, a claim, all NaN or all 0, and a loss that
    no op recorded have many causes: they count when everything fails alike, but name nothing on
    their own."""
    if "threw" in mark:
        return UNRECORDED not in mark["threw"]
    values = [float(value) for value in (mark.get("actual") or {}).get("values", [])]
    return len(values) == 1 and math.isfinite(values[0]) or len(set(map(str, values))) > 1


def fits(mine: dict, other: dict) -> bool:
    """Does the learner fail every test that the mistake fails, and is none of its numbers another
    one there? In a test of several checks, one of them is enough."""
    shared = explained(mine, other)
    return mine.keys() & other.keys() == shared \
        and {case for case, _ in other} == {case for case, _ in shared}


def named(student: Outcome, outcomes: dict[Path, Outcome]) -> list[Path]:
    """The mistakes that gave the learner's numbers, wherever they show: one that explains every
    failed check if there is one, otherwise the fewest that explain as many as can be."""
    for path, outcome in outcomes.items():
        if same_mistake(student, outcome):
            return [path]
    mine = fingerprint(student)
    return fewest(student, {path: outcome for path, outcome in outcomes.items()
                            if fits(mine, fingerprint(outcome))})


def fewest(student: Outcome, outcomes: dict[Path, Outcome]) -> list[Path]:
    """None when it takes more than MOST. Of two that explain as much, the one that fails least
    besides comes first."""
    mine, found = fingerprint(student), []
    marks = {path: fingerprint(outcome) for path, outcome in outcomes.items()}
    shared = {path: explained(mine, other) for path, other in marks.items()}
    left = {key for key in mine if telling(mine[key])}
    while True:
        best = max(shared, default=None,
                   key=lambda p: (len(shared[p] & left), -len(marks[p].keys() - mine.keys())))
        if best is None or not shared[best] & left:
            return found if len(found) <= MOST else []
        found.append(best)
        left -= shared.pop(best)


def names_all(student: Outcome, outcomes: dict[Path, Outcome], found: list[Path]) -> bool:
    """Is the one mistake that was found the whole story?"""
    mine = fingerprint(student)
    return len(found) == 1 and explained(mine, fingerprint(outcomes[found[0]])) == mine.keys()


def looks_like(student: Outcome, outcomes: dict[Path, Outcome], zh: bool) -> tuple[list[Path], str]:
    """The mistakes, and the line that names them. A mistake whose numbers are only in some of the
    tests where it shows is no more than resembled: then there is a line, and no mistake."""
    found = named(student, outcomes)
    likely = found or fewest(student, outcomes)
    words = ("；" if zh else "; also: ").join(misconception(path, zh) for path in likely)
    if not found:
        return [], (f"  resembles  {words} (the same numbers, but not in every test)"
                    if likely else "")
    if names_all(student, outcomes, found):
        return found, f"  looks like  {words}"
    return found, f"  looks like  at least: {words}"


def resemblance(check: dict, outcome: Outcome) -> str:
    """What the numbers of a failed check are, whoever made them; nothing when they say nothing."""
    expected, actual = check.get("expected"), check.get("actual")
    if not expected or not actual:
        return ""
    for other in outcome.checks:
        wanted = other.get("expected")
        if other["case"] == check["case"] and other["check"] != check["check"] and wanted \
                and telling({"actual": wanted}) and same_numbers(wanted, actual):
            return f"these are the numbers of {other['check']}: two results are swapped"
    if turned(expected, actual):
        return "rows and columns are swapped: this is the transpose of what is expected"
    if expected["shape"] != actual["shape"]:
        return ""
    wanted, numbers = (list(map(float, side["values"])) for side in (expected, actual))
    if any(map(math.isnan, numbers)):
        return ("NaN: 0 / 0, inf - inf, or a number that was never written (new memory is full of "
                "NaN)")
    pairs = [(e, a) for e, a in zip(wanted, numbers) if abs(e) > 1e-3]
    if len(pairs) < 3 or not all(map(math.isfinite, wanted + numbers)):
        return ""
    factor = pairs[0][1] / pairs[0][0]
    if factor and all(is_close(e * factor, a) for e, a in zip(wanted, numbers)):
        return ("every number has the wrong sign" if is_close(factor, -1) else
                f"every number is {factor:.4g} times the expected one")
    if all(is_close(e + numbers[0] - wanted[0], a) for e, a in zip(wanted, numbers)):
        return f"every number is the expected one plus {numbers[0] - wanted[0]:.4g}"
    if all(map(is_close, sorted(wanted), sorted(numbers))):
        return "the right numbers, but in other places"
    return ""


def turned(expected: dict, actual: dict) -> bool:
    """Is one matrix the transpose of the other, and not of one row or column?"""
    if len(expected["shape"]) != 2 or expected["shape"] != actual["shape"][::-1] \
            or 1 in expected["shape"]:
        return False
    rows, columns = expected["shape"]
    return same_numbers({"shape": [], "values": [expected["values"][r * columns + c]
                                                 for c in range(columns) for r in range(rows)]},
                        {"shape": [], "values": actual["values"]}) \
        and telling({"actual": actual})


def misconception(path: Path, zh: bool) -> str:
    """The mutant's first lines say what it got wrong: `// en: …` and `// zh: …`, each of which
    may go on in lines that start with `//     `."""
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"^// {'zh' if zh else 'en'}: (.*(?:\n//     .*)*)", text, re.M)
    return " ".join(re.sub(r"\n//\s+", " ", found[1]).split()) if found else ""


# ---- what the mistakes give ----------------------------------------------------------------------


def mutant_outcomes(kit: Kit, exercise: Exercise, tick=lambda: None) -> dict[Path, Outcome]:
    """As recorded, without compiling anything; run afresh when a source was changed since."""
    return recorded(exercise) or run_all(kit, exercise, tick)


def run_all(kit: Kit, exercise: Exercise, tick) -> dict[Path, Outcome]:
    """`tick` is called after each."""
    def run(path: Path) -> Outcome:
        outcome = kit.run(exercise, path)
        tick()
        return outcome

    with workers(setup.parallel_jobs()) as pool:
        return dict(zip(exercise.mutants, pool.map(run, exercise.mutants)))


def stamp(exercise: Exercise) -> str:
    """Names the sources that a record was made from."""
    return digest(exercise.path / "test.cpp", *sorted(exercise.path.glob("*.hpp")),
                  *(part for path in exercise.mutants for part in (path.stem, path)))


def recorded(exercise: Exercise) -> dict[Path, Outcome]:
    """What `./learn verify --record` wrote, or nothing when it is of other sources."""
    try:
        record = json.loads(exercise.record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if record.get("stamp") != stamp(exercise):
        return {}
    return {path: Outcome(checks=[mark for mark in record["mutants"][path.stem] if "check" in mark],
                          threw=[mark for mark in record["mutants"][path.stem] if "threw" in mark])
            for path in exercise.mutants}


def kept(mark: dict) -> dict:
    if "threw" in mark:
        return {"case": mark["case"], "threw": mark["threw"]}
    out = {"case": mark["case"], "check": mark["check"], "ok": False}
    if mark.get("actual"):
        values = [float(f"{float(value):.{DIGITS}g}") for value in mark["actual"]["values"]]
        out["actual"] = {"shape": mark["actual"]["shape"], "values": values}
    return out


def record(exercise: Exercise, outcomes: dict[Path, Outcome]) -> None:
    """One line a mutant, so that a change can be read."""
    lines = [f'"{path.stem}": {json.dumps([kept(m) for m in outcome.failed + outcome.threw])}'
             for path, outcome in outcomes.items()]
    text = f'{{"stamp": "{stamp(exercise)}",\n"mutants": {{\n' + ",\n".join(lines) + "\n}}\n"
    exercise.record.write_text(text, encoding="utf-8")


def is_recorded(exercise: Exercise, outcomes: dict[Path, Outcome]) -> bool:
    """Does the record say what the mutants give?"""
    there = recorded(exercise)
    return bool(there) and all(same_mistake(there[path], outcomes[path]) for path in there)
