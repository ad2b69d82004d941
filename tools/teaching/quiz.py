"""`./learn quiz [CHAPTER]`: eight questions on a chapter, whose wrong answers are common mistakes.

The questions are in docs/en/quiz and docs/zh/quiz, one page per chapter, which can be clicked
through in a browser as well: a heading with the number, the question, four options that unfold to
"Right" or "No" and why, and where to read."""

from __future__ import annotations

import argparse
import html
import random
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from tools.language import chinese, tell
from tools.terminal import ROOT, Flags, Stop, bold, width, wrapped

LETTERS = "ABCD"
MOST_DIGITS = 18  # Python refuses to parse thousands of digits
MOST_MISSES = 20  # invalid lines in a row, as from a program
OPTION = re.compile(r"<details><summary>[A-D]\. (.*?)</summary>\s*\*\*(Right|No|对|不对)\W*\*\*"
                    r"\W?\s*(.*?)\s*</details>", re.DOTALL)
READ = re.compile(r"^(?:Read: |见：)\[(.*?)\]\((.*?)\)$", re.MULTILINE)


@dataclass
class Option:
    text: str
    is_right: bool
    why: str


@dataclass
class Question:
    text: str
    options: list[Option]
    section: str  # its title
    link: str     # relative to the page of the quiz


def pages(zh: bool) -> dict[str, Path]:
    """By the chapter's number, two digits."""
    folder = ROOT / "docs" / ("zh" if zh else "en") / "quiz"
    return {path.stem[:2]: path for path in sorted(folder.glob("*.md"))}


def one_line(text: str) -> str:
    """Converts Markdown to a line of plain text."""
    text = re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n(?=[\u3000-\u9fff\uff00-\uffef])", "", text)
    return html.unescape(" ".join(re.sub(r"[`*]", "", text).split()))


def questions(page: Path) -> tuple[str, list[Question]]:
    """The page's title, and its questions."""
    head, *parts = re.split(r"^## \d+\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = []
    for part in parts:
        options = [Option(one_line(text), verdict in ("Right", "对"), one_line(why))
                   for text, verdict, why in OPTION.findall(part)]
        section, link = READ.search(part).groups()
        found.append(Question(one_line(part[:part.index("<details>")]), options, section, link))
    return head.split("\n", 1)[0].lstrip("# "), found


def shuffled(asked: list[Question], seed: int) -> list[Question]:
    """The questions and their options, shuffled by the seed; 0 keeps the original order."""
    if seed == 0:
        return asked
    draw = random.Random(seed)
    mixed = [replace(q, options=draw.sample(q.options, len(q.options))) for q in asked]
    draw.shuffle(mixed)
    return mixed


def place_of(question: Question, zh: bool) -> str:
    page = question.link.partition("#")[0].rpartition("/")[2]
    return f"docs/{'zh' if zh else 'en'}/{page}: {question.section}"


def show(number: int, question: Question) -> None:
    columns = min(width(), 99)
    print("\n" + "\n".join(wrapped(f"{number:2}. {question.text}", columns, 4)))
    for letter, option in zip(LETTERS, question.options):
        print("\n".join(wrapped(f"    {letter}. {option.text}", columns, 7)))


def typed_letter(zh: bool) -> str:
    """One of the letters, or an empty string if the reader quits or the input ends."""
    for _ in range(MOST_MISSES):
        print("    > ", end="", flush=True)
        line = sys.stdin.readline(100) if sys.stdin else ""
        letter = line.strip().upper()
        if not line or "\0" in line or letter in ("Q", "QUIT"):  # also ends for /dev/zero
            print()
            return ""
        if letter in LETTERS and len(letter) == 1:
            return letter
        tell("    one of A, B, C, D; q stops", zh)
    return ""


def ask(asked: list[Question], zh: bool) -> int:
    right, done, again = 0, 0, []
    for number, question in enumerate(asked, 1):
        show(number, question)
        letter = typed_letter(zh)
        if not letter:
            break
        done += 1
        chosen = question.options[LETTERS.index(letter)]
        answer = next(option for option in question.options if option.is_right)
        right += chosen.is_right
        if not chosen.is_right:
            tell(f"  {'no':9} {chosen.why}", zh)
            again.append(question)
        letter = LETTERS[question.options.index(answer)]
        tell(f"  {'right':9} {letter}. {answer.text}", zh)
        tell(f"            {answer.why}", zh)
    print()
    tell(f"{right} of {done} right", zh)
    for place in dict.fromkeys(place_of(question, zh) for question in again):
        tell(f"  read      {place}", zh)
    return 0


def print_sheet(title: str, asked: list[Question], with_key: bool, zh: bool) -> int:
    print(title)
    for number, question in enumerate(asked, 1):
        show(number, question)
    if with_key:
        key = [f"{number}{LETTERS[[o.is_right for o in question.options].index(True)]}"
               for number, question in enumerate(asked, 1)]
        print()
        tell("key: " + " ".join(key), zh)
    return 0


def list_all(zh: bool) -> int:
    for number, page in pages(zh).items():
        title, asked = questions(page)
        tell(f"  {number}  {title}: {len(asked)} questions", zh)
    tell("  next      ./learn quiz 02", zh)
    return 0


def natural(text: str) -> int:
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a non-negative integer of at most "
                                         f"{MOST_DIGITS} digits")
    return int(text)


def main(arguments: list[str]) -> int:
    zh = chinese(arguments)
    parser = Flags("quiz", description="eight questions of a chapter")
    parser.add_argument("chapter", nargs="?",
                        help="0 to 12; without it, the list of all")
    parser.add_argument("--seed", type=natural, default=0, metavar="S",
                        help="questions and options in another order; 0: as they stand")
    parser.add_argument("--print", action="store_true", dest="sheet",
                        help="the questions alone, to hand out")
    parser.add_argument("--key", action="store_true",
                        help="the same with the letters of the right answers")
    options = parser.parse_args(arguments)
    if options.chapter is None:
        return list_all(zh)
    name = options.chapter.zfill(2)
    page = next((page for page in pages(zh).values()
                 if page.stem.startswith(name) or page.stem[3:].startswith(name)), None)
    if page is None:
        raise Stop(f"quiz: chapter '{options.chapter}' has no quiz\n  next      ./learn "
                   "quiz", 2)
    title, asked = questions(page)
    asked = shuffled(asked, options.seed)
    if options.sheet or options.key:
        return print_sheet(title, asked, options.key, zh)
    print(bold(title))
    return ask(asked, zh)
