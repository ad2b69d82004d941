"""Checks the sources of the figures in prose: those of the readme, of docs/results and of the page
of real heads, outside of blocks, and of alternative texts.

A figure is a number with a decimal point, an exponent or a percent sign, or an integer from 100 on.
It must occur in what its own section of the page (from heading to heading) shows or names:

  a log, csv, json or picture that it links to, or a page, of which only the linked section counts;
  its own code and commands;
  what a comment names: `<!-- from: docs/results/logs/s.csv * 1000, docs/results/speed.md -->`
  (seconds that are given in ms); before the first heading below the title, for all of the page.

It may be rounded, and may be the ratio or the difference of two others in its paragraph or row.
For anything more complex, a comment gives the calculation, `<!-- so: 1.89 = 242.7 / 128.7 -->`,
whose numbers must be found. A paragraph with a link to a source on the web may quote it. Figures
without a log are in unlogged.csv, with the reason. The Chinese page has the same figures.
"""

from __future__ import annotations

import bisect
import csv
import re
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Iterator, NamedTuple

from tools.book.page_numbers import LARGE, NOT_TEXT

NUMBER = re.compile(r"(?<![\w.,^])(?<!\w-)(\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?)"
                    r"(?:(½)|(?:st|nd|rd|th)\b|(?!\w|\.\d))( ?%)?(?: ?(万|亿|million|billion))?")
TIMES = {"万": 1e4, "亿": 1e8, "million": 1e6, "billion": 1e9}
YEAR = re.compile(r"(?:19[89]|20[0-2])\d")
DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d{4} ?年.*?[日月]")
VERSION = re.compile(r"(?:Ubuntu|Debian|g\+\+|clang|Python|PyTorch|OpenBLAS|MKL|nvcc|CUDA|WebKit"
                     r"GTK)"
                     r"(?: \d[\d.]*(?:,| and|、| 和| 及)?)+(?: ?版|及)?(?: \d+\.\d+)?")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FROM = re.compile(r"<!-- from: (.+?) -->", re.DOTALL)
SUM = re.compile(r"<!-- so: (.+?) -->", re.DOTALL)
CODE = re.compile(r"^(```+)[^`\n]*$.*?^\1$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"<!-- (rates|memory|bleu|gpu: \w+|matrix|processes|messages) -->.*?"
                  r"<!-- /\w+ -->", re.DOTALL)  # tables that other tests compare with their logs
DATA = (".txt", ".log", ".csv", ".json", ".jsonl", ".svg")
UNLOGGED = Path(__file__).with_name("unlogged.csv")


class Figure(NamedTuple):
    text: str
    value: float
    half: float  # half a unit in the last place
    shown: bool  # must it be found?

    def is_in(self, numbers: list[float], value: float | None = None) -> bool:
        value, half = self.value if value is None else value, self.half * (1 + 1e-6) + 1e-12
        at = bisect.bisect_left(numbers, value - half)
        return at < len(numbers) and numbers[at] <= value + half


def figures(text: str) -> list[Figure]:
    found = []
    text = VERSION.sub(" ", DATE.sub(" ", NOT_TEXT.sub(" ", text)))
    for number, half, percent, times in NUMBER.findall(text):
        mantissa, _, exponent = number.partition("e")
        unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        factor = TIMES.get(times, 1)
        value = (float(number.replace(",", "")) + (0.5 if half else 0)) * factor
        shown = bool(re.search(r"[.e]", number) or half or percent or value >= LARGE)
        shown = shown and not YEAR.fullmatch(number)
        found.append(Figure(number + percent.strip(), value, unit / 2 * factor, shown))
    return found


@lru_cache(maxsize=None)
def unlogged() -> dict[tuple[str, str], str]:
    """By page and section, the figures that are in no log."""
    with open(UNLOGGED, encoding="utf-8", newline="") as file:
        return {(row["page"], row["section"]): row["figures"] for row in csv.DictReader(file)}


@lru_cache(maxsize=None)
def numbers_of(text: str) -> list[float]:
    return sorted({float(number.replace(",", "")) for number in
                   re.findall(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?", text)})


def sections(text: str) -> Iterator[tuple[str, int, str]]:
    """(title, its line, the text below it) of each section; headings inside code do not count."""
    starts = [(match.start(), match[1]) for match in re.finditer(r"^#+ (.*)$", text, re.M)
              if text.count("\n```", 0, match.start()) % 2 == 0]
    for (at, title), end in zip(starts, [at for at, _ in starts[1:]] + [len(text)]):
        yield title, 1 + text.count("\n", 0, at), text[at:end]


def anchor_of(title: str) -> str:
    """The anchor that GitHub generates for a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def part_called(text: str, anchor: str) -> str:
    return "".join(body for title, _, body in sections(text)
                   if not anchor or anchor_of(title) == anchor)


def named(text: str, path: Path, root: Path) -> list[list[float]]:
    """The numbers in what a section links to, names in a comment, or has as code."""
    found = [numbers_of(" ".join(code[0].replace(",", " ") for code in CODE.finditer(text))),
             numbers_of(" ".join(made[0] for made in MADE.finditer(text)))]
    asked = [(path.parent, link, 1.0) for link in LINK.findall(text) if "://" not in link]
    for each in ", ".join(FROM.findall(text)).split(", ") if FROM.search(text) else []:
        file, _, factor = each.partition(" * ")
        asked.append((root, file, float(factor or 1)))
    for folder, link, factor in asked:
        file, _, anchor = link.partition("#")
        target = folder / file
        if file and target.suffix in DATA:
            written = target.read_text(encoding="utf-8")
            written = written.replace(",", " ") if file.endswith(".csv") else written
            found.append([factor * number for number in numbers_of(written)])
        elif file and target.suffix == ".md":
            found.append(numbers_of(part_called(target.read_text(encoding="utf-8"), anchor)))
    return found


def sums(text: str, pools: list[list[float]]) -> Iterator[tuple[str, str | None]]:
    """(figure, what is wrong with its calculation) for each `so` comment."""
    for one in re.split(r",\s+", ", ".join(SUM.findall(text))) if SUM.search(text) else []:
        name, _, expression = one.partition(" = ")
        if not figures(name) or not re.fullmatch(r"[\d.+*/() -]+", expression):
            yield name, f"so: {one}: give FIGURE = a sum of numbers"
            continue
        right = eval(expression)  # only digits and operators
        strange = [each.text for each in figures(expression)
                   if each.value not in (2, 100, 1000, 1e6) 
                   and not any(each.is_in(pool) for pool in pools)]
        if strange:
            yield name, f"so: {one}: {', '.join(strange)} is nowhere to be found"
        elif not figures(name)[0].is_in([right]):
            yield name, f"so: {one}: it is {right:.4g}"
        else:
            yield name, None


def worked_out(figure: Figure, others: list[float]) -> bool:
    scale = 100 if "%" in figure.text else 1
    return any(figure.is_in([abs(a - b)]) or b and figure.is_in([scale * a / b])
               for a, b in permutations(others, 2))


def unfound(text: str, path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """(line, what is wrong) for each figure whose section does not provide it."""
    parts = list(sections(text))
    of_all = named(" ".join(f"<!-- from: {each} -->" for each in FROM.findall(parts[0][2])), path,
                   root)
    name = path.relative_to(root).as_posix()
    for title, line, body in parts:
        pools = named(body, path, root) + of_all
        found = list(sums(body, pools))
        yield from ((line, wrong) for _, wrong in found if wrong)
        allowed = [*unlogged().get((name, title), "").split(), *(each for each, _ in found)]
        own = MADE.sub(lambda made: "\n" * made[0].count("\n"), body)
        own = CODE.sub(lambda code: "\n" * code[0].count("\n"), own)
        at = line
        for part in re.split(r"(\n\s*\n|\n(?=\s*(?:\||[-*] |\d+\. )))", own):
            here = figures(part)
            for figure in here if not re.search(r"\]\(https?://", part) else []:
                others = [other.value for other in here if other is not figure]
                percent = figure._replace(half=figure.half / 100)
                if figure.shown and figure.text not in allowed and not any(
                        figure.is_in(pool) or "%" in figure.text
                        and percent.is_in(pool, figure.value / 100) for pool in pools
                        ) and not worked_out(figure, others):
                    inside = part.count("\n", 0, max(0, part.find(figure.text)))
                    yield at + inside, f"{figure.text} stands in nothing that its section names"
            at += part.count("\n")


def wrong_pictures(text: str, path: Path, printed: str) -> Iterator[tuple[int, str]]:
    """(line, what is wrong) for each figure of an alternative text found neither in the picture nor
    in the page's lesson."""
    for found in re.finditer(r"!\[([^\]]+)\]\(([^)\s]+)\)", text):
        picture = path.parent / found[2]
        if picture.suffix == ".svg" and picture.is_file():
            drawn = numbers_of(picture.read_text(encoding="utf-8"))
            yield from ((1 + text.count("\n", 0, found.start()),
                         f"{figure.text} of the alternative text is not in {picture.name}")
                        for figure in figures(found[1]) if figure.shown
                        and not figure.is_in(drawn) and not figure.is_in(numbers_of(printed)))


def unlike(en: str, zh: str) -> Iterator[tuple[int, str]]:
    """(line of the Chinese section, figure) for each that a section has in one language only."""
    for (_, _, ours), (_, line, theirs) in zip(sections(en), sections(zh)):
        one, other = figures(CODE.sub(" ", ours)), figures(CODE.sub(" ", theirs))
        for left, right, language in ((one, other, "en"), (other, one, "zh")):
            values = sorted({figure.value for figure in right})
            yield from ((line, f"{figure.text} is in the {language} section alone")
                        for figure in {each.text: each for each in left}.values()
                        if figure.shown and not figure.is_in(values))
