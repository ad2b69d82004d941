"""Handouts as pages of the site: a sheet for each lab and an exam for students; for the lecturer,
the sheet with answers and known mistakes, and the model answers."""

from __future__ import annotations

import re

from tools.language import words
from tools.teaching import exam, lab
from tools.teaching.weeks import WEEKS

SEED = 1  # for the exam on the site
MARKS = 90

FOR_STUDENTS, FOR_LECTURERS = "lab/week-{:02}", "lab/lecturer-{:02}"


def pages(zh: bool, answers: bool) -> dict[str, str]:
    """The handouts by their names on the site: Markdown with links relative to docs/*/teaching.md.
    Those for lecturers are included only with `answers`."""
    handed_out = {**sheets(zh, True), "exam/questions": examined(zh, False, answers)}
    return handed_out if not answers else {
        **handed_out, **sheets(zh, False), "exam/answers": examined(zh, True, True)}


def is_for_lecturers(name: str) -> bool:
    return name.startswith("lab/lecturer") or name == "exam/answers"


def sheets(zh: bool, students: bool) -> dict[str, str]:
    name = FOR_STUDENTS if students else FOR_LECTURERS
    return {name.format(week): lab.sheet(week, zh, students)
            for week in range(1, len(WEEKS) + 1)}


def examined(zh: bool, answers: bool, has_other: bool) -> str:
    """An exam, or its model answers; with a link to the other one if that is on the site."""
    asked = exam.exam(SEED, MARKS, exam.COURSE, zh)
    heading = "A sample exam: the model answers" if answers else "A sample exam"
    text = f"# {words(heading, zh)}\n\n" + words(
        "{marks} marks in {minutes} minutes, as `./learn teach exam --seed {seed}` draws them. "
        "Another seed draws other questions and other numbers.", zh,
        marks=MARKS, minutes=MARKS, seed=SEED)
    text += f"\n\n{words('A calculator is needed; nothing else is allowed.', zh)}"
    other = ("questions.html", "the questions") if answers else ("answers.html", "the answers")
    text += "\n"
    if has_other:
        text += f"\n{words('On a page of its own', zh)}{words(': ', zh)}{link(*other, zh)}\n"
    for count, question in enumerate(asked, 1):
        marks = words("{marks} marks, chapter {chapter}: {parts}", zh, marks=question.marks,
                      chapter=question.chapter, parts=question.shared_out(zh))
        text += f"\n## {count}\n\n*{marks}*\n\n{question.text}\n"
        if answers:
            text += f"\n**{'答案：' if zh else 'Answer:'}** {question.answer}\n"
    return text


def link(target: str, english: str, zh: bool) -> str:
    return f'<a href="{target}">{words(english, zh)}</a>'


def with_links(text: str, name: str, zh: bool, answers: bool) -> str:
    """The page on teaching, with links to all of this below its title."""
    if name != "teaching":
        return text

    def weeks(where: str) -> str:
        return " · ".join(link(where.format(week), str(week), zh)
                          for week in range(1, len(WEEKS) + 1))

    slides = f"../slides/{'zh' if zh else 'en'}"
    known = {"The same with answers and known mistakes": weeks(f"{FOR_LECTURERS}.html")}
    model = " · " + link("exam/answers.html", "the answers", zh)
    lines = {"Lab sheets, week by week": weeks(f"{FOR_STUDENTS}.html"),
             **(known if answers else {}),
             "Slides": weeks(slides + "/week-{:02}.html") + " · "
             + link(f"{slides}/index.html", "the list", zh),
             "A sample exam": link("exam/questions.html", "the questions", zh)
             + (model if answers else "")}
    note = "\n".join(f"<p>{words(what, zh)}{words(': ', zh)}{where}</p>"
                     for what, where in lines.items())
    return re.sub(r"^# .*\n", lambda title: f"{title[0]}\n<div>\n{note}\n</div>\n", text,
                  count=1, flags=re.M)
