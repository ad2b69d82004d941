#!/usr/bin/env python3
"""The table of letters in docs/*/conventions.md: each page named there uses the letter, the two
languages agree, and no letter that two pages explain in their tables is left out."""

from __future__ import annotations

import re
import unittest

from support.checkout import ROOT, read

ROW = re.compile(r"^\| \$`(\\?\w+)`\$ \| (.*) \|$", re.M)
FORMULA = re.compile(r"\$`(.+?)`\$|```math\n(.*?)```", re.S)
NAMES = re.compile(r"\\(?:text|mathrm|operatorname\*?|begin|end)\{[^}]*\}")
SAME_EVERYWHERE = {"B", "T", "S", "D", "H", "x"}  # listed under Symbols and shapes


def page(language: str, number: int) -> str:
    return read(next((ROOT / "docs" / language).glob(f"{number:02}_*.md")))


def letters(language: str) -> dict[str, set[int]]:
    """Each letter of the table, and the pages that its row names in brackets."""
    text = read(f"docs/{language}/conventions.md")
    part = re.split(r"^## ", text, flags=re.M)[2]
    return {letter: {int(number) for group in re.findall(r"[(（]([\d, 、]+)[)）]", meanings)
                     for number in re.findall(r"\d+", group)}
            for letter, meanings in ROW.findall(part)}


def used(letter: str, text: str) -> bool:
    formulas = " ".join(NAMES.sub(" ", a or b) for a, b in FORMULA.findall(text))
    if letter.startswith("\\"):
        return bool(re.search(re.escape(letter) + r"(?![a-zA-Z])", formulas))
    plain = re.sub(r"\\[a-zA-Z]+", " ", formulas)
    return bool(re.search(rf"(?<![a-zA-Z])d?{letter}(?![a-zA-Z])", plain))


def explained(text: str) -> set[str]:
    """The single letters in the first column of the page's tables of symbols."""
    tables = re.findall(r"^\| Symbol \|.*\n((?:\|.*\n)+)", text, re.M)
    cells = [row.split(" | ")[0] for table in tables for row in table.splitlines()]
    return {letter for cell in cells for formula in re.findall(r"\$`(.+?)`\$", cell)
            for letter in re.findall(r"(?<![\w\\{^])[A-Za-z](?![\w^])|\\(?:mu|sigma|beta|gamma)\b",
                                     formula)}


class Letters(unittest.TestCase):
    def test_each_page_that_is_named_uses_the_letter(self):
        for language in ("en", "zh"):
            table = letters(language)
            self.assertGreater(len(table), 20, language)
            self.assertEqual([], [f"{language} {number}: no {letter}"
                                  for letter, numbers in table.items() for number in sorted(numbers)
                                  if not used(letter, page(language, number))])

    def test_both_languages_say_the_same(self):
        self.assertEqual(letters("en"), letters("zh"))

    def test_a_letter_that_two_pages_explain_is_in_the_table(self):
        seen: dict[str, set[int]] = {}
        for number in range(9):
            for letter in explained(page("en", number)):
                seen.setdefault(letter, set()).add(number)
        listed = letters("en")
        self.assertEqual([], [f"{letter}: {sorted(numbers)}"
                              for letter, numbers in sorted(seen.items())
                              if len(numbers) > 1 and letter not in SAME_EVERYWHERE
                              and not numbers <= listed.get(letter, set())])
        self.assertIn("W", seen)


if __name__ == "__main__":
    unittest.main(verbosity=2)
