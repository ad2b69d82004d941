"""The name of a mistake: whose numbers are those of the learner?"""

from __future__ import annotations

import math
import re
from pathlib import Path

from tools import setup
from tools.exercises_build import Kit, Outcome
from tools.exercises_manifest import Exercise
from tools.exercises_run import workers


def is_close(a, b) -> bool:
    a, b = float(a), float(b)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= 1e-5 + 1e-4 * abs(a)


def same_numbers(a: dict | None, b: dict | None) -> bool:
    if a is None or b is None:
        return a is b
    return a["shape"] == b["shape"] and all(map(is_close, a["values"], b["values"]))


def fingerprint(outcome: Outcome) -> dict:
    marks = {(check["case"], check["check"]): check for check in outcome.failed}
    return {**marks, **{(event["case"], "threw"): event for event in outcome.threw}}


def same_mistake(student: Outcome, mutant: Outcome) -> bool:
    """Do the same checks fail, and with the same numbers?"""
    mine, other = fingerprint(student), fingerprint(mutant)
    return bool(mine) and mine.keys() == other.keys() and all(
        same_numbers(mine[key].get("actual"), other[key].get("actual"))
        and mine[key].get("threw") == other[key].get("threw") for key in mine)


def mutant_outcomes(kit: Kit, exercise: Exercise, tick=lambda: None) -> dict[Path, Outcome]:
    """Built on the first failure of an exercise, and kept. `tick` is called after each."""
    def run(path: Path) -> Outcome:
        outcome = kit.run(exercise, path)
        tick()
        return outcome

    with workers(setup.parallel_jobs()) as pool:
        return dict(zip(exercise.mutants, pool.map(run, exercise.mutants)))


def misconception(path: Path, zh: bool) -> str:
    """The mutant's first lines say what it got wrong: `// en: …` and `// zh: …`, each of which
    may go on in lines that start with `//     `."""
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"^// {'zh' if zh else 'en'}: (.*(?:\n//     .*)*)", text, re.M)
    return " ".join(re.sub(r"\n//\s+", " ", found[1]).split()) if found else ""


def named(student: Outcome, outcomes: dict[Path, Outcome]) -> list[Path]:
    return [path for path, outcome in outcomes.items() if same_mistake(student, outcome)]
