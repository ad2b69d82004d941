"""`./learn teach lab N`: one week's sheet for the lab instructor, collected from the page, the plan
on docs/*/teaching.md, the exercises and their known mistakes. The site shows it, along with a
version for students, without answers and mistakes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.book.pages import NotBuilt
from tools.exercises import manifest
from tools.exercises.mistakes import Mistake
from tools.exercises.task_text import FIXED, escaped, inline, plain
from tools.exercises.verdict import recorded
from tools.language import in_language, listed, tell, words
from tools.teaching import decks, exam
from tools.teaching.weeks import (QUESTIONS, WEEKS, goals, page, quoted, sections_in, shown, title,
                                  title_of)
from tools.terminal import ROOT, bold, width, wrapped

ID = re.compile(r"(?<!\d)\d\d-\d\d(?!\d)")
QUESTION = re.compile(r"(?<![\w-])(\d)([a-z])(?!\w)")  # 2a, a pen-and-paper question
ANSWER = re.compile(r"\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\]$")  # after a pen-and-paper question
CASE = re.compile(r'^TEST_CASE\("([^"]*)"', re.M)


@dataclass
class Row:
    """A row of the table of labs: cells with the page's own text."""
    lab: str
    home: str
    leave_out: str

    @property
    def exercises(self) -> list[str]:
        """Those of the lab first; an exercise begun there and finished at home counts once."""
        return list(dict.fromkeys(ID.findall(self.lab) + ID.findall(self.home)))


def rows(zh: bool) -> list[Row]:
    """The rows of the table, the only ones with four cells that begin with a week."""
    found = re.findall(r"^\| \d+ \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", page("teaching", zh), re.M)
    return [Row(*cells) for cells in found]


def questions(week: int, zh: bool) -> dict[str, str]:
    """The questions for pen and paper on what the week reads, each with what to look for."""
    asked = page("teaching", zh).partition("## 纸笔题" if zh else "## With pen and paper")[2]
    parts = re.findall(r"^\*\*(\d+) .*?\*\*$(.*?)(?=^\*\*|\Z)", asked, re.M | re.S)
    chapter = str(int(WEEKS[week - 1][0][:2]))
    return {chapter + letter: " ".join(text.split()) for number, part in parts if number == chapter
            for letter, text in re.findall(r"^- \((\w)\) (.*?)(?=^- |^$)", part, re.M | re.S)
            if letter in QUESTIONS.get(week, letter)}


def on_paper(week: int, zh: bool, for_students: bool) -> list[str]:
    """For students, those that the lab names or that belong to an exercise of the week, without
    what to look for."""
    row = rows(zh)[week - 1]
    named = ["".join(found) for found in QUESTION.findall(row.lab)]
    found = []
    for name, text in questions(week, zh).items():
        asks = ID.match(text)
        if not for_students:
            found.append(f"{name}  {text}")
        elif name in named or asks and asks[0] in row.exercises:
            found.append(f"{name}  {ANSWER.sub('', text)}")
    return found


def scenes(week: int, zh: bool) -> list[str]:
    """The parts of the live page for the week: their addresses, and what they show."""
    table = page("teaching", zh).partition("<!-- scenes -->")[2].partition("<!-- /scenes")[0]
    address = f"live/index.html#scene={{}}&lecture=1&lang={'zh' if zh else 'en'}"
    return [f"`{address.format(name)}`" + words(": ", zh) + what for name, of, what in
            re.findall(r"^\| `(\w+)` \| (\d+) \| (.*) \|$", table, re.M) if int(of) == week]


def ranges_of(numbers: list[int], zh: bool) -> str:
    """Consecutive numbers as ranges."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    return listed((str(one[0]) if len(one) == 1 else f"{one[0]}–{one[-1]}" for one in ranges), zh)


def in_the_lecture(week: int, zh: bool) -> list[str]:
    """The plan; items that name sections of the lesson or a part of the page get the numbers of
    their slides."""
    try:
        parts = decks.parts_of(week, zh)
    except NotBuilt:
        return shown(week, zh)
    of_section = {section: on for part in parts for section, on in part.sections.items()}
    english = [part.heading for part in decks.parts_of(week, False)]
    found = []
    for item, said in zip(shown(week, False), shown(week, zh)):
        numbers = [number for section in sections_in(item)
                   for number in of_section.get(section, [])]
        for heading, part in zip(english, parts):
            if item.lower().startswith(heading.lower()) or f'"{heading}"' in item:
                numbers += [number for number in part.slides if number not in part.without_minutes]
        numbers = sorted(set(numbers))
        found.append(said + (words(" [see slides {slides}]", zh, slides=ranges_of(numbers, zh))
                             if numbers else ""))
    return found


def on_slides(week: int, zh: bool) -> list[str]:
    """The slides, part by part, and those for which the plan has no minutes."""
    try:
        parts, timed = decks.parts_of(week, zh), decks.timed(week)
    except NotBuilt as missing:  # its output would be on slides, too
        return [in_language(str(missing), zh)]
    lines = []
    for part in parts:
        said = ranges_of(part.slides, zh) + words(": ", zh) + part.heading
        if part.sections:
            said += words(" ({sections})", zh, sections=words("; ", zh).join(
                words("section {section}: {slides}", zh, section=section, slides=ranges_of(on, zh))
                for section, on in part.sections.items()))
        if part.without_minutes:
            said += words("; skip {slides}, for which the plan has no time", zh,
                          slides=ranges_of(part.without_minutes, zh))
        lines.append(said)
    program = int(quoted(week)[0][:2])
    lines += [words("`./learn chapter {program} --section {section}` measures times, which differ "
                    "from machine to machine: run it before the lecture", zh, program=program,
                    section=section) for section in timed]
    return lines


def examined(week: int, zh: bool) -> list[str]:
    chapter = int(WEEKS[week - 1][0][:2])
    return [words("{name}, {marks} marks", zh, name=question.name, marks=question.marks)
            for question in exam.pool(zh)
            if question.chapter == chapter and question.week in (0, week)]


def plan(week: int, zh: bool, for_students: bool = False) -> list[tuple[str, list[str]]]:
    """What comes before the exercises: headings in English, Markdown from the page on teaching. For
    students, without what is for the lecturer only."""
    row = rows(zh)[week - 1]
    in_the_lab, at_home = ("In the lab", re.split(r"[;；] ?", row.lab)), ("At home", [row.home])
    parts = [("Afterwards you can", goals(week, zh)), in_the_lab,
             ("On paper", on_paper(week, zh, True)), at_home] if for_students else [
             ("Afterwards they can", goals(week, zh)),
             ("In the lecture (in brackets, minutes if it lasts 90 or "
              "60)", in_the_lecture(week, zh)),
             ("On the slides, by their numbers", on_slides(week, zh)),
             ("On the live page", scenes(week, zh)),
             in_the_lab,
             ("Questions, and in brackets what to look for", on_paper(week, zh, False)),
             at_home,
             ("If time is short, omit from the page", re.split(r"[;；] ?", row.leave_out)),
             ("In the exam pool for this week", examined(week, zh))]
    return [(heading, items) for heading, items in parts if items]


def exercises(week: int) -> list[manifest.Exercise]:
    all_of_them = {exercise.id: exercise for exercise in manifest.manifest()}
    return [all_of_them[name] for name in rows(False)[week - 1].exercises]


def heading_of(exercise: manifest.Exercise, zh: bool) -> str:
    name = exercise.title_zh if zh else exercise.title
    return in_language(f"  {exercise.id}  {exercise.points} points: {name}", zh)


HINTS_AFTER = (1 / 3, 1 / 2, 2 / 3)  # fractions of the minutes of an exercise
MISTAKES = "known mistakes, the hardest to notice first"


def ranked(exercise: manifest.Exercise) -> list[tuple[Mistake, int]]:
    """The known mistakes, each with the number of tests that notice it, as recorded by `./learn
    verify --record`. Among equals, the smallest change comes first: it is the easiest to make."""
    record = recorded(exercise)
    found = [(mistake, len(record[mistake].bad) if mistake in record else 0)
             for mistake in exercise.mistakes]
    return sorted(found, key=lambda each: (each[1], sum(len(block.code)
                                                        for block in each[0].blocks)))


def asked_by(exercise: manifest.Exercise, zh: bool) -> list[tuple[str, list[str]]]:
    """What its tests check, and its known mistakes: headings in English, and plain text."""
    source = (exercise.path / "test.cpp").read_text(encoding="utf-8")
    tests = [manifest.test_name(exercise, case, zh) for case in CASE.findall(source)]
    mistakes = [words("noticed by {count} of {tests} tests", zh, count=count, tests=exercise.tests)
                + words(": ", zh) + mistake.said(zh) for mistake, count in ranked(exercise)]
    return [("what the tests check", tests), *([(MISTAKES, mistakes)] if mistakes else [])]


def for_the_stuck(row: Row, exercise: manifest.Exercise, zh: bool) -> list[tuple[str, str]]:
    """For an exercise of the lab: when to give which hint, and the hint, in Markdown; only its
    first paragraph if the rest of the exercise is homework."""
    minutes = [int(re.match(r"\d+", item)[0]) for item in re.split(r"[;；] ?", row.lab)
               if exercise.id in item]
    return [(words("hint {number}, after {minutes} minutes", zh, number=number,
                   minutes=round(part * minutes[0])),
             text.split("\n\n")[0] if exercise.id in row.home else text)
            for number, (part, text) in enumerate(zip(HINTS_AFTER, manifest.hints(exercise, zh)),
                                                  1)] if minutes else []


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
        for when, hint in for_the_stuck(rows(zh)[week - 1], exercise, zh):
            print("    " + when)
            print("\n".join("      " + line for line in plain(hint, exercise.path).splitlines()))
    return 0


def sheet(week: int, zh: bool, for_students: bool) -> str:
    """The same as Markdown, with links relative to docs/*/teaching.md."""
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
    for heading, items in plan(week, zh, for_students):
        parts.append(f"## {in_language(f'  {heading}', zh).strip()}\n\n"
                     + listed([linked(item) for item in items]))
    for exercise in exercises(week):
        parts.append(f"## {' '.join(escaped(heading_of(exercise, zh)).split())}\n\n"
                     f"{linked(exercise.id)}\n")
        for heading, items in asked_by(exercise, zh):
            said = in_language(f"    {heading}", zh).strip()
            if heading == MISTAKES:
                if for_students:
                    continue
                said = f"[{said}]({place[exercise.id]}/mistakes.md)"
            parts.append(f"{said}\n\n{listed([escaped(item) for item in items])}")
        if not for_students:
            parts += [f"**{when}.** {text}\n" for when, text in
                      for_the_stuck(rows(zh)[week - 1], exercise, zh)]
        model = f"answer.{'zh' if zh else 'en'}.md"
        if not for_students and (exercise.path / model).exists():
            parts.append(f"[{words('a model answer', zh)}]({place[exercise.id]}/{model})\n")
    return "\n".join(parts)


