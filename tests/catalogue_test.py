#!/usr/bin/env python3
"""tools/catalogue.py reads .po files, and tools/zh.po holds nothing that `./learn` never says."""

from __future__ import annotations

import ast
import re
import unittest
from pathlib import Path

from support.checkout import ROOT, WithFolder, read
from support.texts import text_of
from tools import usage
from tools.catalogue import entries, entry
from tools.language import LINES, words

CLAUSE = re.compile(r"\{\w+\}|  +|[:;,?()\n\"]")  # the ends of what the code says in one go
VARIES = "\0"  # in a text of the code
FROM_ELSEWHERE = (  # of argparse, of the system, or joined from words
    "Adam fused", "Adam loop", "{id}: the program ended ",
    "{command}: ", "options", "optional arguments", "show this help", "No such file",
    "Permission denied", "Is a directory", "Not a directory", "File exists", "No space left",
    "Read-only file system")


class Catalogue(WithFolder):
    def entries_of(self, text: str) -> dict[str, str]:
        path = self.folder / "zh.po"
        path.write_text(text, encoding="utf-8")
        return entries(path)

    def test_what_is_written_is_read(self):
        pairs = {"a\nb": "甲\n乙", 'says "no" \\': "说“不”", "{count} lines": ""}
        self.assertEqual(pairs, self.entries_of("# head\n\n" + "\n".join(
            entry(*pair) for pair in pairs.items())))
        self.assertEqual({}, entries(Path("nowhere/zh.po")))

    def test_what_is_no_catalogue_is_named_with_its_line(self):
        for text in ('msgid "a"\nmsgstr b\n', '"a"\n', 'msgid "a\n', 'msgstr "a"\n'):
            with self.assertRaisesRegex(ValueError, r"zh\.po:\d: neither"):
                self.entries_of(text)
        with self.assertRaisesRegex(ValueError, "a second entry for 'a'"):
            self.entries_of(entry("a", "b") + entry("a", "c"))

    def test_names_are_filled_in_in_both_languages(self):
        self.assertEqual("claim", words("claim", False))
        self.assertEqual("断言", words("claim", True))
        self.assertEqual("x; seeds 1", words("{text}; seeds {seeds}", False, text="x", seeds=1))

    def test_every_entry_is_something_that_learn_says(self):
        sources = (ROOT / "learn", *ROOT.glob("tools/**/*.py"))
        said = "\n".join(text_of(node, lambda _: VARIES) for path in sources
                         for node in ast.walk(ast.parse(read(path)))
                         if isinstance(node, (ast.Constant, ast.JoinedStr, ast.BinOp)))
        for path in (usage.TEXT, ROOT / "tools/corpora/catalogue.json"):
            said += path.read_text(encoding="utf-8")
        nobody = [english for english in LINES if not english.startswith(FROM_ELSEWHERE)
                  and max(CLAUSE.split(english), key=len).strip(" .") not in said]
        self.assertEqual([], nobody, "tools/zh.po: nothing says this")


if __name__ == "__main__":
    unittest.main()
