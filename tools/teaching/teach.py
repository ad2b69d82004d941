"""`./learn teach`: material for lecturers: exams (exam), slides (slides), and lab sheets (lab)."""

from __future__ import annotations

import argparse
import re

from tools.teaching import exam, lab
from tools.language import chinese, listed, tell
from tools.teaching.quiz import natural
from tools.teaching.weeks import WEEKS
from tools.terminal import Flags, bold, width, wrapped

CHAPTERS = range(0, 13)


def chapters(text: str) -> range:
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if first > last or last not in CHAPTERS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a chapter or a range such as 0-4")
    return range(first, last + 1)


def week(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= len(WEEKS):
        raise argparse.ArgumentTypeError(f"'{text}' is not a week from 1 to {len(WEEKS)}")
    return int(text)


def print_exam(options: argparse.Namespace, zh: bool) -> int:
    asked = exam.exam(options.seed, options.marks, options.chapters, zh)
    total = sum(question.marks for question in asked)
    columns = min(width(), 99)
    tell(f"Exam {options.seed}: {total} marks in {total} minutes", zh)
    tell("a calculator is needed; nothing else is allowed", zh)
    for count, question in enumerate(asked, 1):
        print()
        tell(f"  {count}  {question.marks} marks, chapter {question.chapter}: "
             f"{question.shared_out(zh)}", zh)
        print("\n".join(wrapped("    " + question.text.replace("`", ""), columns, 4)))
        if options.answers:
            print(bold("    " + ("答案：" if zh else "Answer:")))
            print("\n".join(wrapped("    " + question.answer.replace("`", ""), columns, 4)))
    if total < options.marks:
        print()
        tell(f"no selection of questions from these chapters adds up to {options.marks} marks", zh)
    if missing := exam.left_out(asked, options.chapters):
        print()
        tell(f"{options.marks} marks leave no room for questions on these chapters: "
             f"{listed(missing, zh)}", zh)
    return 0


def main(arguments: list[str]) -> int:
    parser = Flags("teach", description="what a lecturer hands out")
    parser.add_argument("what", choices=["exam", "slides", "lab"])
    parser.add_argument("week", type=week, nargs="?", help="of the lab")
    parser.add_argument("--seed", type=natural, default=1, metavar="S",
                        help="draws the questions and their numbers")
    parser.add_argument("--marks", type=natural, default=90, metavar="N",
                        help="one mark is one minute")
    parser.add_argument("--chapters", type=chapters, default=exam.COURSE, metavar="A-B",
                        help="0 to 12; without it, 0-8")
    parser.add_argument("--answers", action="store_true", help="the model answers as well")
    options, zh = parser.parse_args(arguments), chinese(arguments)
    if (options.week is not None) != (options.what == "lab"):
        parser.error("the sheet for which week? ./learn teach lab 1 to 10" if options.what == "lab"
                     else f"{options.what} takes no week")
    if options.what == "lab":
        return lab.show(options.week, zh)
    if options.what == "slides":
        from tools.book import site_slides  # slow to import
        return site_slides.make(zh)
    return print_exam(options, zh)
