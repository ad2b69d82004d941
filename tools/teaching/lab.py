"""`./learn teach lab N`: the sheet of one week for whoever leads the lab, gathered from the
page, the plan on docs/*/teaching.md, the exercises and their known mistakes. The site shows it, and
another one for those who are in the lab, without answers and mistakes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.exercises import manifest
from tools.exercises.mistakes import Mistake
from tools.exercises.task_text import FIXED, inline
from tools.exercises.verdict import recorded
from tools.language import in_language, tell, words
from tools.teaching import exam
from tools.teaching.weeks import WEEKS, title_of
from tools.terminal import ROOT, bold, width, wrapped

ID = re.compile(r"(?<!\d)\d\d-\d\d(?!\d)")
QUESTION = re.compile(r"(?<![\w-])(\d)([a-z])(?!\w)")  # 2a, with pen and paper
ANSWER = re.compile(r"\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\]$")  # behind a question on paper
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


def lecture(week: int, zh: bool) -> list[str]:
    """What to show, and which of it is on the slides: they follow the page."""
    program, sections = on_slides(week)
    extra = [section for section in sections if section not in planned(week)]
    listed = lambda of: ("、" if zh else ", ").join(map(str, of))  # noqa: E731
    return [*shown(week, zh),
            words("on the slides, in this order: the output of sections {sections}; "
                  "`./learn chapter {chapter} --section N` prints any other", zh,
                  sections=listed(sections), chapter=int(program[:2])),
            *([words("of these the plan has no minutes for {sections}: skip their slides", zh,
                     sections=listed(extra))] if extra else [])]


def shown(week: int, zh: bool) -> list[str]:
    found = re.findall(r"^\| \d+ \| [^|]* \| ([^|]*) \| [^|]* \| [\d½]+ \|$", page("teaching", zh),
                       re.M)
    return re.split(r"[;；] ?", found[week - 1])


def on_slides(week: int) -> tuple[str, list[int]]:
    """The lesson of the week, and the sections whose output the page quotes, in its order."""
    name, first, last = WEEKS[week - 1]
    text = page(name, False)
    text = (text.partition(first)[2] if first else text).partition(last or "## Exercises")[0]
    printed = re.findall(r"^<!-- output: (\d+_\w+)(?: --\S+)* (\d+)", text, re.M)
    return printed[0][0], list(dict.fromkeys(int(section) for _, section in printed))


def planned(week: int) -> list[int]:
    """The sections that the plan of the lecture names."""
    named = []
    for item in shown(week, False):
        numbers = (re.match(r"(?:sections? )?(\d+(?:(?:, | and | to )\d+)*)(?:: | by hand| and B)",
                            item) or re.search(r"--section (\d+)", item))
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", numbers[1] if numbers else ""):
            named += range(int(first), int(last or first) + 1)
    return named


def on_no_slide(week: int) -> list[int]:
    """Those of them that the page does not quote."""
    return [section for section in planned(week) if section not in on_slides(week)[1]]


def examined(week: int, zh: bool) -> list[str]:
    chapter = int(WEEKS[week - 1][0][:2])
    return [words("{name}, {marks} marks", zh, name=question.name, marks=question.marks)
            for question in exam.pool(zh) if question.chapter == chapter]


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


def title(week: int, zh: bool) -> str:
    return words("Week {week}", zh, week=week) + words(": ", zh) + title_of(week, zh)


def plan(week: int, zh: bool) -> list[tuple[str, list[str]]]:
    """What stands above the exercises: headings in English, Markdown of the page of teaching."""
    row = rows(zh)[week - 1]
    parts = [("Afterwards they can", goals(week, zh)),
             ("In the lecture", lecture(week, zh)),
             ("In the lab", re.split(r"[;；] ?", row.lab)),
             ("On paper, and in brackets what to look for", on_paper(row, zh)),
             ("At home", [row.home]),
             ("If time is short, leave out of the page", re.split(r"[;；] ?", row.leave_out)),
             ("In the exam's pool, on this chapter", examined(week, zh))]
    return [(heading, items) for heading, items in parts if items]


def plan_for_students(week: int, zh: bool) -> list[tuple[str, list[str]]]:
    """The same without what is the lecturer's."""
    row = rows(zh)[week - 1]
    questions = [ANSWER.sub("", question) for question in on_paper(row, zh)]
    parts = [("Afterwards you can", goals(week, zh)),
             ("In the lab", re.split(r"[;；] ?", row.lab)),
             ("On paper", questions),
             ("At home", [row.home])]
    return [(heading, items) for heading, items in parts if items]


def exercises(week: int) -> list[manifest.Exercise]:
    all_of_them = {exercise.id: exercise for exercise in manifest.manifest()}
    return [all_of_them[name] for name in rows(False)[week - 1].exercises]


def heading_of(exercise: manifest.Exercise, zh: bool) -> str:
    name = exercise.title_zh if zh else exercise.title
    return in_language(f"  {exercise.id}  {exercise.points} points: {name}", zh)


MISTAKES = "known mistakes, those first that the fewest tests notice: they look right the longest"


def ranked(exercise: manifest.Exercise) -> list[tuple[Mistake, int]]:
    """The known mistakes, each with how many tests notice it, as `./learn verify --record` saw.
    Of those that as many notice, the smallest change comes first: it is the easiest to make."""
    record = recorded(exercise)
    found = [(mistake, len(record[mistake].bad) if mistake in record else 0)
             for mistake in exercise.mistakes]
    return sorted(found, key=lambda each: (each[1], sum(len(block.code)
                                                        for block in each[0].blocks)))


def asked_by(exercise: manifest.Exercise, zh: bool) -> list[tuple[str, list[str]]]:
    """What its tests ask, and its known mistakes: headings in English, and plain text."""
    source = (exercise.path / "test.cpp").read_text(encoding="utf-8")
    tests = [manifest.test_name(exercise, case, zh) for case in CASE.findall(source)]
    mistakes = [words("noticed by {count} of {tests} tests", zh, count=count, tests=exercise.tests)
                + words(": ", zh) + mistake.said(zh) for mistake, count in ranked(exercise)]
    return [("what the tests ask", tests), *([(MISTAKES, mistakes)] if mistakes else [])]


def show(week: int, zh: bool) -> int:
    columns = min(width(), 99)

    def listed(items: list[str], indent: int = 4) -> None:
        for item in items:
            text = " " * indent + "- " + inline(item, ROOT).strip()
            print("\n".join(wrapped(text, columns, indent + 2)).replace(FIXED, " "))

    print(bold(title(week, zh)))
    for heading, items in plan(week, zh):
        print()
        tell(f"  {heading}", zh, "bold")
        listed(items)
    for exercise in exercises(week):
        print()
        print(bold(heading_of(exercise, zh)))
        for heading, items in asked_by(exercise, zh):
            tell(f"    {heading}", zh)
            listed(items, 6)
    return 0


def sheet(week: int, zh: bool, for_students: bool) -> str:
    """The same as Markdown, with links that begin where docs/*/teaching.md stands."""
    task = "README.zh.md" if zh else "README.md"
    place = {exercise.id: f"../../{exercise.folder}" for exercise in manifest.manifest()}

    def linked(item: str) -> str:
        return ID.sub(lambda m: f"[{m[0]}]({place[m[0]]}/{task})", item)

    def listed(items: list[str]) -> str:
        return "".join(f"- {item}\n" for item in items)

    heading = title(week, zh)
    if not for_students:
        heading = words("{title}, with answers and known mistakes", zh, title=heading)
    name, slides = WEEKS[week - 1][0], f"../../slides/{'zh' if zh else 'en'}/week-{week:02}.html"
    ways = [f"[{title_of(week, zh)}]({name}.md)", f"[{words('the quiz', zh)}](quiz/{name}.md)",
            f'<a href="{slides}">{words("the slides of the week", zh)}</a>']
    if not for_students:
        paper = "纸笔题" if zh else "with-pen-and-paper"
        ways.append(f"[{words('all questions on paper', zh)}](teaching.md#{paper})")
    parts = [f"# {heading}\n", " · ".join(ways) + "\n"]
    for heading, items in (plan_for_students if for_students else plan)(week, zh):
        parts.append(f"## {in_language(f'  {heading}', zh).strip()}\n\n"
                     + listed([linked(item) for item in items]))
    for exercise in exercises(week):
        parts.append(f"## {' '.join(plain(heading_of(exercise, zh)).split())}\n\n"
                     f"{linked(exercise.id)}\n")
        for heading, items in asked_by(exercise, zh):
            said = in_language(f"    {heading}", zh).strip()
            if heading == MISTAKES:
                if for_students:
                    continue
                said = f"[{said}]({place[exercise.id]}/mistakes.md)"
            parts.append(f"{said}\n\n{listed([plain(item) for item in items])}")
        model = f"answer.{'zh' if zh else 'en'}.md"
        if not for_students and (exercise.path / model).exists():
            parts.append(f"[{words('a model answer', zh)}]({place[exercise.id]}/{model})\n")
    return "\n".join(parts)


def plain(text: str) -> str:
    """As Markdown that says the same."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", text)
