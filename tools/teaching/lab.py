"""`./learn teach lab N`: the sheet of one week for whoever leads the lab, gathered from the page,
the plan on docs/*/teaching.md, the exercises and their known mistakes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.exercises import manifest
from tools.exercises.task_text import inline
from tools.language import tell, words
from tools.teaching.slides import WEEKS
from tools.terminal import ROOT, bold, width, wrapped

ID = re.compile(r"(?<!\d)\d\d-\d\d(?!\d)")
QUESTION = re.compile(r"(?<![\w-])(\d)([a-z])(?!\w)")  # 2a, with pen and paper
CASE = re.compile(r'^TEST_CASE\("([^"]*)"', re.M)
SHARED = {9: slice(3), 10: slice(3, None)}  # of weeks that share a page: which goals are whose
GOALS = {False: "**Afterwards you can**", True: "**学完之后，你能够**"}


@dataclass
class Row:
    """Of the table of labs: each a cell in the words of the page."""
    lab: str
    home: str
    leave_out: str

    @property
    def exercises(self) -> list[str]:
        """Those of the lab first; one that is begun there and ended at home counts once."""
        return list(dict.fromkeys(ID.findall(self.lab) + ID.findall(self.home)))


def page(name: str, zh: bool) -> str:
    return (ROOT / "docs" / ("zh" if zh else "en") / f"{name}.md").read_text(encoding="utf-8")


def rows(zh: bool) -> list[Row]:
    """The table's rows, the only ones of four cells that begin with a week."""
    found = re.findall(r"^\| \d+ \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", page("teaching", zh), re.M)
    return [Row(*cells) for cells in found]


def goals(week: int, zh: bool) -> list[str]:
    listed = page(WEEKS[week - 1][0], zh).partition(GOALS[zh])[2].split("\n\n")[1]
    found = [" ".join(item.split()) for item in re.split(r"^- ", listed, flags=re.M)[1:]]
    return found[SHARED.get(week, slice(None))]


def on_paper(row: Row, zh: bool) -> list[str]:
    """The questions that the lab names, each with what to look for."""
    asked = page("teaching", zh).partition("## 纸笔题" if zh else "## With pen and paper")[2]
    found = []
    for chapter, letter in QUESTION.findall(row.lab):
        part = re.split(rf"^\*\*{chapter} .*\*\*$", asked, flags=re.M)[1]
        text = part.partition(f"- ({letter}) ")[2]
        found.append(f"{chapter}{letter}  " + " ".join(re.split(r"\n(?:- |\n)", text)[0].split()))
    return found


def show(week: int, zh: bool) -> int:
    columns = min(width(), 99)

    def listed(items: list[str], indent: int = 4) -> None:
        for item in items:
            text = " " * indent + "- " + inline(item, ROOT).strip()
            print("\n".join(wrapped(text, columns, indent + 2)))

    row = rows(zh)[week - 1]
    title = page(WEEKS[week - 1][0], zh).splitlines()[0][2:]
    print(bold(f"{words('Week {week}', zh, week=week)}: {title}"))
    for heading, items in (("Afterwards they can", goals(week, zh)),
                           ("In the lab", re.split(r"[;；] ?", row.lab)),
                           ("On paper, and in brackets what to look for", on_paper(row, zh)),
                           ("At home", [row.home]),
                           ("If time is short, leave out of the page",
                            re.split(r"[;；] ?", row.leave_out))):
        if not items:
            continue
        print()
        tell(f"  {heading}", zh, "bold")
        listed(items)
    exercises = {exercise.id: exercise for exercise in manifest.manifest()}
    for name in row.exercises:
        exercise = exercises[name]
        print()
        title = exercise.title_zh if zh else exercise.title
        tell(f"  {name}  {exercise.points} points: {title}", zh, "bold")
        tell("    what the tests ask", zh)
        source = (exercise.path / "test.cpp").read_text(encoding="utf-8")
        listed([manifest.test_name(exercise, case, zh) for case in CASE.findall(source)], 6)
        if exercise.mistakes:
            tell("    known mistakes", zh)
            listed([mistake.said(zh) for mistake in exercise.mistakes], 6)
    return 0
