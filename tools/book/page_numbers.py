"""Checks the numbers and the section references that a page of docs/ has outside its output blocks.

A row of "In short" (`<!-- findings: … -->`) begins with a section of the lesson. Each number in it
that has a decimal point, an exponent or a percent sign must be printed by that section, in a line
that is not a finding, so that a summary cannot disagree with its table. In running text, a mark

  … 113 of 200 untrained decoders …<!-- numbers: 06_decoder 9 -->

says that each such number, and each integer from 100 on, in its paragraph (its list item, its table
row) is printed by section 9 of the lesson; `06_decoder 8, 9` names two sections. The mark is
invisible when the page is rendered. Numbers in code, formulas and links are not checked.

`section 9`, `第 9 节`: sections of the page's own lesson, or of that of the chapter named with them
(`[chapter 6](06_decoder.md), section 9`, `section 9 of chapter 6`, `第 6 章第 9 节`). They must exist.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator

MARK = re.compile(r"<!-- numbers: (.+?) -->")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?!\w|\.\d)(?: ?%)?")
NOT_TEXT = re.compile(r"<!--.*?-->|\]\([^)]*\)|\$`.*?`\$|`[^`]*`", re.DOTALL)
HEADING = re.compile(r"^(\d+)\. .*\n-+\n", re.M)
CHAPTER = (r"(?:chapter (\d+)(?:\]\([^)]*\))?(?:'s program)?,? |第 (\d+) 章(?:\]\([^)]*\))?"
           r"(?:的)?(?:程序)?(?:的)?)")
SECTION = re.compile(rf"(?:{CHAPTER})?(?:\bsections? (\d+(?:(?:, | and | to )\d+)*)"
                     r"(?: of \[?chapter (\d+))?|第 (\d+(?:(?:、| 至 )\d+)*) 节)", re.I)
OF_A_PAPER = re.compile(r"et al\.|arxiv\.org|等，\d{4}")  # names sections, too
LARGE = 100  # integers from here on are checked in marked text
LN_8 = "2.08"  # the loss of a uniform guess among 8 words: no lesson has to print it
# Sections that print their numbers in the finding only (of 03: 13 % is what 0.8660 lacks to 1).
NOT_SHOWN = {("03_layer_norm", 3), ("07_transformer", 9), ("08_transformer_xl", 1),
             ("08_transformer_xl", 7)}


def sections(printed: str) -> dict[int, str]:
    """What a lesson printed, by section."""
    found = list(HEADING.finditer(printed))
    ends = [heading.start() for heading in found[1:]] + [len(printed)]
    return {int(heading[1]): printed[heading.start():end] for heading, end in zip(found, ends)}


def value(number: str) -> float:
    return abs(float(number.rstrip(" %").replace(",", "")))


def digits(number: str) -> int:
    """The number of significant digits: 3 for 0.178, 2 for 4.5e-05."""
    return len(re.sub(r"e.*|\D", "", number).lstrip("0"))


def rounds_to(size: float, number: str) -> bool:
    """Does `size` round to the number at its precision?"""
    mantissa, _, exponent = number.rstrip(" %").partition("e")
    places = len(mantissa.partition(".")[2])
    half = 0.5 * 10.0 ** (int(exponent or 0) - places) if value(number) or not exponent else 0.0
    return abs(size - value(number)) <= half * (1 + 1e-9)


def printed_in(number: str, text: str) -> bool:
    """Does the text contain the number? 0.178 also matches 0.1784 or 1.8e-01; 99.7 % also 0.997 or,
    in one line, 997 of 1000."""
    for line in text.splitlines():
        others = NUMBER.findall(line)
        if any(rounds_to(value(other), number)
               or digits(other) > 1 and rounds_to(value(number), other) for other in others):
            return True
        if number.endswith("%"):
            shares = [value(other) for other in others]
            shares += [a / b for b in shares if b >= LARGE for a in shares if a < b and a == int(a)]
            if any(rounds_to(100 * share, number) for share in shares):
                return True
    return False


def precise(text: str) -> list[str]:
    """The numbers with a decimal point, an exponent or a percent sign."""
    return [number for number in NUMBER.findall(text) if re.search(r"[.e%]", number)]


def large(text: str) -> list[str]:
    return [number for number in NUMBER.findall(text)
            if not re.search(r"[.e%]", number) and value(number) >= LARGE]


def wrong_findings(rows: str, lesson: str, printed: str) -> Iterator[str]:
    """The rows of "In short" whose section does not exist, or does not print their numbers."""
    found = sections(printed)
    for number, text in re.findall(r"^ ?(\d+)  (.*)$", rows, re.M):
        section = int(number)
        if section not in found:
            yield f"{lesson} has no section {section}: {text}"
        elif (lesson, section) not in NOT_SHOWN:
            shown = re.sub(r"^=> .*$", "", found[section], flags=re.M)
            yield from (f"section {section} of {lesson} does not print {each}: {text}"
                        for each in precise(text) if each != LN_8 and not printed_in(each, shown))


def paragraphs(text: str) -> list[str]:
    """Splits into paragraphs, list items, table rows."""
    return re.split(r"\n\s*\n|\n(?=\s*(?:\||[-*] |\d+\. ))", text)


def wrong_numbers(text: str, printed_by: Callable[[str], str]) -> Iterator[str]:
    """The numbers of marked paragraphs that their sections do not print."""
    for part in paragraphs(text):
        shown = ""
        for mark in (marks := MARK.findall(part)):
            asked = re.fullmatch(r"(\S.*?) (\d+(?:, \d+)*)", mark)
            found = sections(printed_by(asked[1])) if asked else {}
            for section in map(int, asked[2].split(", ") if asked else [0]):
                if section not in found:
                    yield f"numbers: {mark}: there is no such section"
                shown += found.get(section, "")
        if not marks or not shown:
            continue
        own = NOT_TEXT.sub(" ", part)
        numbers = precise(own) + large(own)
        if not numbers:
            yield f"numbers: {marks[0]}: nothing is marked; give a number of the section"
        yield from (f"numbers: {', '.join(marks)}: {number} is not printed there"
                    for number in numbers if not printed_in(number, shown))


def named_sections(text: str) -> Iterator[tuple[int | None, int]]:
    """The lesson sections that the text refers to, each with its chapter if that is named."""
    for part in paragraphs(text):
        for found in [] if OF_A_PAPER.search(part) else SECTION.finditer(part):
            chapter = found[1] or found[2] or found[4]
            for section in re.findall(r"\d+", found[3] or found[5]):
                yield int(chapter) if chapter else None, int(section)
