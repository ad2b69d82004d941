"""The messages of `./learn`, and the pages that it makes, in the reader's language. The code has
them in English, which is the key in tools/zh.po. A label takes ten columns in both languages."""

from __future__ import annotations

import functools
import os
import re
from typing import Iterable

from tools.catalogue import entries
from tools.terminal import ROOT, bold, painted, say, width, wrapped

LINES = entries(ROOT / "tools" / "zh.po")


def chinese(arguments: list[str]) -> bool:
    """--zh or --en, otherwise the language of the terminal."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")  # as in common/language/language.cpp
    locale = next(filter(None, map(os.environ.get, names)), "")
    return "--zh" in arguments or ("--en" not in arguments and locale.startswith("zh"))


def words(english: str, zh: bool, **facts) -> str:
    """The text with its {names} filled in."""
    return (LINES.get(english, english) if zh else english).format(**facts)


def pattern(line: str) -> re.Pattern:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(line)), re.S)


@functools.cache
def patterns() -> list[tuple[re.Pattern, str]]:
    return [(pattern(line), text) for line, text in LINES.items() if "{" in line]


def in_chinese(line: str) -> str:
    """The Chinese for a line with its values, by the first entry that matches; else the line."""
    if line in LINES:
        return LINES[line]
    for english, text in patterns():
        found = english.fullmatch(line)
        if found:
            words = found.groupdict()
            words.update(error=in_chinese(words.get("error", "")))
            return text.format(**words)
    return line


def in_language(line: str, zh: bool) -> str:
    return in_chinese(line) if zh else line


def listed(words: Iterable[object], zh: bool) -> str:
    return ("、" if zh else ", ").join(map(str, words))


# Labels and their colours; other labels are dim.
LABEL = re.compile(r"  (\w+(?: \w+)?)  ")
MARK = re.compile(r"  \S*\[[x~ ]\]")
STYLES = {"pass": "green", "FAIL": "red", "threw": "red", "looks like": "yellow",
          "resembles": "yellow", "next": "bold"}
TEXT_COLUMN = 12  # the text column after a label
TITLE_COLUMN = 16  # the text column after a mark, an id and the points


def tell(line: str, zh: bool, style: str = "") -> None:
    """Prints the line in the learner's language, wrapped to the terminal. A style colours the whole
    line, otherwise its label is coloured."""
    label = LABEL.match(line)
    for number, text in enumerate(in_language(line, zh).split("\n")):
        blanks = TITLE_COLUMN if MARK.match(text) else len(text) - len(text.lstrip())
        parts = wrapped(text, width(), TEXT_COLUMN if label and number == 0 else blanks)
        if style:
            parts = [painted(part, style) for part in parts]
        elif label and number == 0:
            parts[0] = paint_label(parts[0], STYLES.get(label[1], "dim"))
        say("\n".join(parts))


def paint_label(line: str, style: str) -> str:
    said, gap, rest = re.fullmatch(r"  (\S+(?: \S+)?)(  +|$)(.*)", line).groups()
    return "  " + painted(said, style) + gap + (bold(rest) if style == "bold" else rest)
