"""`./learn teach exam`: an exam with marks, its numbers drawn by a seed, and its model answers.

The texts are in docs/exam/en.md and zh.md, with placeholders in braces."""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path

from tools.exercises.task_text import joined
from tools.teaching.exam_numbers import NUMBERS
from tools.teaching.weeks import WEEKS
from tools.terminal import ROOT, Stop

COURSE = range(0, 9)  # the chapters of the ten weeks
HEAD = re.compile(r"marks: (\d[\d +]*), chapter: (\d+)(?:, week: (\d+))?")

# What is neither a rounded nor a signed number: which of three, in words.
ORDER = {"en": ["first", "second", "third"], "zh": ["一", "二", "三"]}


@dataclass
class Question:
    name: str
    parts: list[int]  # the marks for (a), (b), ...
    chapter: int
    text: str
    answer: str
    week: int = 0  # of a chapter that takes two weeks

    @property
    def marks(self) -> int:
        return sum(self.parts)

    def shared_out(self, zh: bool) -> str:
        return ("，" if zh else ", ").join(f"({letter}) {marks}"
                                          for letter, marks in zip("abcd", self.parts))


def pool(zh: bool) -> list[Question]:
    """The questions with their placeholders."""
    path: Path = ROOT / "docs" / "exam" / ("zh.md" if zh else "en.md")
    found = []
    for part in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        marks, chapter, week = HEAD.search(body).groups()
        parts = [int(part) for part in marks.split(" + ")]
        text, answer = re.split(r"\*\*(?:Answer\.|答案。)\*\*", HEAD.sub("", body))
        found.append(Question(name, parts, int(chapter), text.strip(), answer.strip(),
                              int(week or 0)))
    return found


def drawn(question: Question, seed: int, zh: bool) -> Question:
    """The question with the seed's numbers: the same in both languages, and in every exam."""
    values = NUMBERS[question.name](random.Random(f"{seed} {question.name}"))
    order = ORDER["zh" if zh else "en"]
    if question.name == "search":
        values = {**values, "by_sum": order[values["by_sum"]], "by_mean": order[values["by_mean"]]}
    if zh:  # Chinese has no thousands separators there
        values = {name: re.sub(r"(?<=\d),(?=\d{3})", "", str(value))
                  for name, value in values.items()}
        values = {name: value if "(" in value else value.replace(", ", "、").replace("; ", "；")
                  for name, value in values.items()}
    fill = lambda text: joined(text.format(**values).splitlines())  # noqa: E731
    return replace(question, text=fill(question.text), answer=fill(question.answer))


def weeks_of(chapter: int) -> int:
    """The number of the course's weeks for a chapter; a chapter beyond the course counts as one."""
    return max(1, [page[:2] for page, *_ in WEEKS].count(f"{chapter:02}"))


def least_and_most(chapters: set[int], marks: int) -> dict[int, tuple[float, float]]:
    """For each chapter, at least two fifths of the marks that its weeks are worth, and at most
    twice as many."""
    weeks = {chapter: weeks_of(chapter) for chapter in chapters}
    share = {chapter: marks * count / sum(weeks.values()) for chapter, count in weeks.items()}
    return {chapter: (0.4 * worth, 2 * worth) for chapter, worth in share.items()}


def drawn_once(questions: list[Question], marks: int, bounds: dict, draw: random.Random):
    """Questions in random order: first what each chapter needs, then within the bounds, finally
    whatever fits; and the marks of each chapter."""
    mixed_up = draw.sample(questions, len(questions))
    taken: list[Question] = []
    of = dict.fromkeys(bounds, 0)

    def take(asked: list[Question], has_room) -> None:
        for question in asked:
            if (question not in taken and sum(of.values()) + question.marks <= marks
                    and has_room(question.chapter, question.marks)):
                taken.append(question)
                of[question.chapter] += question.marks

    order = draw.sample(sorted(bounds), len(bounds))
    take(sorted(mixed_up, key=lambda question: order.index(question.chapter)),
         lambda chapter, _marks: of[chapter] < bounds[chapter][0])
    take(mixed_up, lambda chapter, more: of[chapter] + more <= bounds[chapter][1])
    take(mixed_up, lambda _chapter, _marks: True)
    return taken, of


def chosen(questions: list[Question], marks: int, seed: int) -> list[Question]:
    """Questions with so many marks in total, each chapter within its bounds as far as the pool and
    the marks allow; in the order of the chapters."""
    draw = random.Random(seed)
    bounds = least_and_most({question.chapter for question in questions}, marks)
    best: list[Question] = []
    best_worth: tuple = (-math.inf,)
    for _ in range(2000):
        taken, of = drawn_once(questions, marks, bounds, draw)
        none = sum(not count for count in of.values())
        few = sum(of[chapter] < least for chapter, (least, _) in bounds.items())
        many = sum(of[chapter] > most for chapter, (_, most) in bounds.items())
        worth = (-none, -few, sum(of.values()), -many)
        if worth > best_worth:
            best, best_worth = taken, worth
        if worth == (0, 0, marks, 0):
            break
    if not best:
        raise Stop(f"teach: no question has {marks} marks or fewer", 2)
    return sorted(best, key=questions.index)


def left_out(asked: list[Question], chapters: range) -> list[int]:
    """The chapters that have questions in the pool but none in the exam, for lack of marks."""
    there = {question.chapter for question in pool(False) if question.chapter in chapters}
    return sorted(there - {question.chapter for question in asked})


def exam(seed: int, marks: int, chapters: range, zh: bool) -> list[Question]:
    asked = [question for question in pool(zh) if question.chapter in chapters]
    if not asked:
        few = "-".join(map(str, dict.fromkeys((chapters[0], chapters[-1]))))
        raise Stop(f"teach: the pool has no question for --chapters {few}", 2)
    return [drawn(question, seed, zh) for question in chosen(asked, marks, seed)]
