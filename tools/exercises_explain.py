"""What the learner reads: the verdict on a run."""

from __future__ import annotations

import math
import re
from pathlib import Path

from tools.exercises_build import Kit, Outcome, first_errors
from tools.exercises_manifest import Exercise
from tools.exercises_verdict import is_close, misconception, mutant_outcomes, named
from tools.exercises_words import tell
from tools.terminal import shown


def index_text(shape: list[int], flat: int) -> str:
    axes = []
    for size in reversed(shape):
        axes.append(str(flat % size))
        flat //= size
    return "[" + ", ".join(reversed(axes)) + "]"


def shape_text(shape: list[int]) -> str:
    return "(" + ", ".join(map(str, shape)) + ")"


def table(check: dict) -> list[str]:
    """Shapes first, then how much differs, the first place, the row around it."""
    if "expected" not in check:
        return [f"  claim     {check['check']}: this does not hold"]
    lines, expected, actual = [f"  tensor    {check['check']}"], check["expected"], check["actual"]
    if actual is None:
        return lines + ["  actual    an empty Tensor: nothing was returned"]
    same = expected["shape"] == actual["shape"]
    lines.append(f"  shape     expected {shape_text(expected['shape'])}   "
                 f"actual {shape_text(actual['shape'])}   ({'ok' if same else 'differ'})")
    if not same:
        return lines
    pairs = list(zip(expected["values"], actual["values"]))
    wrong = [i for i, (e, a) in enumerate(pairs) if math.isnan(a) or not is_close(e, a)]
    gaps = [abs(pairs[i][0] - pairs[i][1]) for i in wrong]
    largest = math.nan if any(map(math.isnan, gaps)) else max(gaps)
    first, row = wrong[0], (expected["shape"] or [1])[-1]
    e, a = pairs[first]
    lines += [f"  mismatch  {len(wrong)} of {len(pairs)} elements "
              f"({100 * len(wrong) / len(pairs):.1f}%), largest |diff| {largest:.6f}",
              f"  first     {index_text(expected['shape'], first)}  expected {e:.6f}  "
              f"actual {a:.6f}  |diff| {abs(e - a):.6f}"]
    start = first // row * row
    begin = max(start, min(first - 2, start + row - 6))
    window = range(begin, min(begin + 6, start + row))
    for name, side in (("expected", 0), ("actual", 1)):
        cells = [f">{pairs[i][side]:9.4f}<" if i == first else f" {pairs[i][side]:9.4f} "
                 for i in window]
        lines.append(f"  {'row' if side == 0 else '':<9} {name:<9} {' '.join(cells)}")
    return lines


# What a message of the libraries means for the exercise, when its own words do not say so.
MEANINGS = (
    ("Incompatible dimension of arrays", "a vector of T numbers is laid along the last axis; make "
     "it a column:\n            xt::view(v, xt::all(), xt::newaxis())"),
    ("Dot: shape mismatch", "the shapes: dot wants (T, Dk) times (Dk, S); k is (S, Dk) and must be "
     "turned:\n            xt::transpose(k)"),
)
CRASH = ("an index outside its array? Number (b, t, j) of a Tensor (B, T, D) stands at\n"
         "            data()[(b * T + t) * D + j]")


def meaning(message: str) -> str:
    return next((words for part, words in MEANINGS if part in message), "")


def marker_left(answer: Path) -> bool:
    """Does code follow the line that says that the function is still to be written?"""
    marker = "TO" + "DO"
    text = answer.read_text(encoding="utf-8", errors="replace")
    return re.search(rf"^\s*{marker}\(.*\);\s*\n(?!\s*}})", text, re.M) is not None


def next_step(command: str, zh: bool) -> None:
    tell(f"  next      ./learn {command}", zh)


def explain(kit: Kit, exercise: Exercise, outcome: Outcome, zh: bool) -> str:
    """Says what went wrong; returns the file name of the mistake it looks like, or nothing."""
    if outcome.error == "compile":
        tell(f"{exercise.id}: does not compile", zh)
        tell(first_errors(outcome.log), zh=False)
        tell("  look at   the first line above; later errors often follow from it", zh)
    elif outcome.error:
        tell(f"{exercise.id}: {outcome.error}", zh)
        if outcome.error.startswith("crashed"):
            tell(f"  look at   {CRASH}", zh)
    elif outcome.unfinished and marker_left(exercise.answer):
        tell(f"{exercise.id}: the line with {'TO' + 'DO'} is still there: repair the code below "
             "it, then delete that line", zh)
        tell(f"  read      {exercise.folder}/README{'.zh' if zh else ''}.md", zh)
    elif outcome.unfinished:
        tell(f"{exercise.id}: still to be written: {outcome.unfinished.split(': ', 1)[-1]}", zh)
        tell(f"  read      {exercise.folder}/README{'.zh' if zh else ''}.md", zh)
    else:
        return explain_failure(kit, exercise, outcome, zh)
    if outcome.unfinished:
        tell(f"  edit      {shown(exercise.answer)}", zh)
        next_step(f"try {exercise.id}", zh)
    else:
        command = "hint" if outcome.error != "compile" else "try"
        next_step(f"{command} {exercise.id}", zh)
    return ""


def explain_failure(kit: Kit, exercise: Exercise, outcome: Outcome, zh: bool) -> str:
    bad = {mark["case"] for mark in outcome.failed + outcome.threw}
    tell(f"{exercise.id}: {len(bad)} of {outcome.cases} tests fail", zh)
    first = min(outcome.failed + outcome.threw, key=lambda mark: mark["at"])
    tell(f"  test      {first['case']}", zh)
    if "threw" in first:
        tell(f"  threw     {first['threw']}", zh)
        if meaning(first["threw"]):
            tell(f"  look at   {meaning(first['threw'])}", zh)
    else:
        for line in table(first):
            tell(line, zh)
    found = named(outcome, mutant_outcomes(kit, exercise))
    if found:
        tell(f"  looks like  {misconception(found[0], zh)}", zh)
    next_step(f"hint {exercise.id}", zh)
    return found[0].stem if found else ""
